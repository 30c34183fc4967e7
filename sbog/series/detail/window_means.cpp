// SPDX-License-Identifier: Apache-2.0
// Lloyd's algorithm on windows; see window_means.h.
#include "sbog/series/detail/window_means.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sbog/base/philox.h"
#include "sbog/series/joint_energy.h"
#include "sbog/series/windows.h"

namespace sbog::detail {
namespace {

constexpr std::size_t kMostWindows = 2000;
constexpr std::size_t kRounds = 20;

// The rows of a window lie one after the other in memory already.
std::span<const float> window_at(MatrixView<const float> rows,
                                 std::size_t start) {
  return {rows.row(start).data(), kMeansWindow * rows.cols()};
}

float squared(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kSums = 16;
  std::array<float, kSums> sums{};
  const std::size_t whole = a.size() / kSums * kSums;
  for (std::size_t k = 0; k < whole; k += kSums) {
    for (std::size_t s = 0; s < kSums; ++s) {
      const float apart = a[k + s] - b[k + s];
      sums[s] += apart * apart;
    }
  }
  float total = 0.0F;
  for (std::size_t k = whole; k < a.size(); ++k) {
    total += (a[k] - b[k]) * (a[k] - b[k]);
  }
  for (const float sum : sums) total += sum;
  return total;
}

struct Nearest {
  std::size_t centre = 0;
  float square = std::numeric_limits<float>::infinity();
};

Nearest nearest_centre(MatrixView<const float> centres,
                       std::span<const float> window) {
  Nearest best;
  for (std::size_t k = 0; k < centres.rows(); ++k) {
    const float square = squared(centres.row(k), window);
    if (square < best.square) best = {k, square};
  }
  return best;
}

double uniform(std::uint64_t seed, std::size_t draw) {
  return to_uniform(philox4x32({static_cast<std::uint32_t>(draw), 1, 0, 0},
                               {static_cast<std::uint32_t>(seed),
                                static_cast<std::uint32_t>(seed >> 32)})
                        .low64());
}

// k-means++: each next centre with probability proportional to the squared
// distance to those chosen so far.
std::vector<std::size_t> first_centres(MatrixView<const float> rows,
                                       std::span<const std::size_t> starts,
                                       std::uint64_t seed) {
  std::vector<std::size_t> chosen;
  std::vector<double> squares(starts.size(), 1.0);
  for (std::size_t k = 0; k < kMeansCentres; ++k) {
    double total = 0.0;
    for (const double square : squares) total += square;
    if (!(total > 0.0)) break;  // every window is a centre
    double left = uniform(seed, k) * total;
    std::size_t pick = starts.size();
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (squares[i] <= 0.0) continue;
      pick = i;
      left -= squares[i];
      if (left <= 0.0) break;
    }
    chosen.push_back(starts[pick]);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const double square =
          squared(window_at(rows, starts[i]), window_at(rows, starts[pick]));
      squares[i] = k == 0 ? square : std::min(squares[i], square);
    }
  }
  return chosen;
}

// One round: every centre to the mean of its windows; false when none moved.
bool move_centres(MatrixView<const float> rows,
                  std::span<const std::size_t> starts, Matrix<float>& centres) {
  Matrix<double> sums(centres.rows(), centres.cols());
  std::vector<double> counts(centres.rows());
  for (const std::size_t start : starts) {
    const std::span<const float> window = window_at(rows, start);
    const std::size_t k = nearest_centre(centres, window).centre;
    counts[k] += 1.0;
    const std::span<double> sum = sums.row(k);
    for (std::size_t j = 0; j < window.size(); ++j) sum[j] += window[j];
  }
  bool has_moved = false;
  for (std::size_t k = 0; k < centres.rows(); ++k) {
    if (counts[k] == 0.0) continue;
    for (std::size_t j = 0; j < centres.cols(); ++j) {
      const auto mean = static_cast<float>(sums(k, j) / counts[k]);
      has_moved = has_moved || mean != centres(k, j);
      centres(k, j) = mean;
    }
  }
  return has_moved;
}

std::vector<std::size_t> all_starts(std::size_t rows) {
  return window_starts(rows, {kMeansWindow, 1, true});
}

}  // namespace

Matrix<float> window_centres(MatrixView<const float> rows, std::uint64_t seed) {
  std::vector<std::size_t> starts = all_starts(rows.rows());
  std::vector<std::size_t> thinned = evenly_spaced(starts.size(), kMostWindows);
  for (std::size_t& i : thinned) i = starts[i];
  const std::vector<std::size_t> chosen = first_centres(rows, thinned, seed);
  Matrix<float> centres(chosen.size(), kMeansWindow * rows.cols());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::span<const float> window = window_at(rows, chosen[k]);
    std::copy(window.begin(), window.end(), centres.row(k).begin());
  }
  for (std::size_t round = 0; round < kRounds; ++round) {
    if (!move_centres(rows, thinned, centres)) break;
  }
  return centres;
}

std::vector<double> window_mean_scores(MatrixView<const float> train,
                                       MatrixView<const float> test,
                                       std::uint64_t seed) {
  const Matrix<float> centres = window_centres(train, seed);
  const std::vector<std::size_t> starts = all_starts(test.rows());
  std::vector<double> scores;
  scores.reserve(starts.size());
  for (const std::size_t start : starts) {
    scores.push_back(
        std::sqrt(nearest_centre(centres, window_at(test, start)).square));
  }
  return map_to_points(scores, starts, kMeansWindow, test.rows());
}

}  // namespace sbog::detail
