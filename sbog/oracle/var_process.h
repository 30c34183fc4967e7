// SPDX-License-Identifier: Apache-2.0
// Two-dimensional autoregressive processes
//   x_t - b = A (x_{t-1} - b) + e_t,  e_t ~ N(0, S),
// started from their stationary law N(b, G), G = A G A' + S. The law of a
// window is Gaussian, so densities and divergences are exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sbog {

/// A vector of two numbers.
using Vector2 = std::array<double, 2>;
/// A 2 x 2 matrix by rows.
using Matrix2 = std::array<Vector2, 2>;

/// A process.
struct VarProcess {
  Matrix2 transition{};  ///< A
  Matrix2 noise{};       ///< S, symmetric and positive definite
  Vector2 mean{};        ///< b
};

/// Largest absolute eigenvalue.
double spectral_radius(const Matrix2& matrix);

/// G of the process. Throws InvalidArgument unless the spectral radius of A is
/// below 1 and S is symmetric and positive definite.
Matrix2 stationary_covariance(const VarProcess& process);

/// KL(first || second) in nats between the laws of whole windows of `length`
/// points. By the Markov property it is the divergence of the first points plus
/// length - 1 times that of a transition, which equals the formula with the
/// block Toeplitz covariances. Throws as stationary_covariance, and for length
/// 0.
double window_divergence(const VarProcess& first, const VarProcess& second,
                         std::size_t length);

/// The law of windows of a process. A window lies point after point:
/// x_1[0], x_1[1], x_2[0], ...
class WindowLaw {
 public:
  /// Throws as stationary_covariance.
  explicit WindowLaw(const VarProcess& process);

  const VarProcess& process() const { return process_; }

  /// Log density of a window of any length. Throws InvalidArgument when it is
  /// empty or of odd size.
  double log_density(std::span<const double> window) const;

  /// Turns standard normals into a window, in place.
  void shape_normals(std::span<double> window) const;

 private:
  VarProcess process_;
  Matrix2 start_factor_;     // G = L L'
  Matrix2 noise_factor_;     // S = L L'
  Matrix2 start_whitening_;  // L^-1 of the start
  Matrix2 noise_whitening_;  // L^-1 of the noise
  double log_start_ = 0.0;   // log density of a point at its mean
  double log_noise_ = 0.0;
};

/// What a window is drawn for, so that no two draws share their noise.
enum class WindowPurpose : std::uint32_t {
  kBank = 0,        ///< windows of the bank
  kWidth = 1,       ///< draws that fix the width of a band
  kOracle = 2,      ///< candidates of the oracle samples
  kTestIn = 3,      ///< fresh in-distribution windows
  kTestOracle = 4,  ///< candidates of the fresh oracle windows
};

/// One drawn window. Philox counter = (index, 65535 * 65536, block,
/// 0x4F000000 + 256 * purpose + law), key = seed; block b gives point b.
struct WindowKey {
  std::uint64_t seed = 0;
  WindowPurpose purpose = WindowPurpose::kBank;
  std::uint32_t law = 0;    ///< number of the class or region, below 256
  std::uint32_t index = 0;  ///< number of the window
};

/// Fills `window` with a draw of the law.
void draw_window(const WindowLaw& law, const WindowKey& key,
                 std::span<double> window);

}  // namespace sbog
