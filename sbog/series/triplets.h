// SPDX-License-Identifier: Apache-2.0
// Anchor, positive and negative of every training window, made when asked for:
// all that is kept is what was drawn.
//
//   positive  a window drawn from the ten before; for the first eleven windows
//             the anchor plus N(0, 0.01^2) in the units of the injection
//   negative  the anchor with an injected anomaly
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/series/injection.h"
#include "sbog/series/window_source.h"

namespace sbog::series {

/// In which units anomalies are injected.
enum class InjectionSpace { kRaw, kStandardised };

/// How triplets are drawn.
struct TripletOptions {
  std::uint64_t seed = 4;
  /// Draw an injection again, up to ten times, while it changes nothing by
  /// 1e-6 or more; at least one channel is drawn.
  bool rejects_identical = true;
  InjectionSpace space = InjectionSpace::kRaw;
  /// Another variant draws other triplets from the same seed; below 65536.
  std::uint64_t variant = 0;
};

/// See the top of the file. The source stays the caller's.
class Triplets {
 public:
  Triplets(const WindowSource& source, const TripletOptions& options);

  std::size_t size() const { return source_->size(); }
  /// Standardised windows, channels x width.
  void fill_anchor(std::size_t i, MatrixView<float> rows) const;
  void fill_positive(std::size_t i, MatrixView<float> rows) const;
  void fill_negative(std::size_t i, MatrixView<float> rows) const;

  /// The window that is the positive of window i, i itself when it is noisy.
  std::size_t positive_of(std::size_t i) const { return positives_[i]; }
  const Injection& injection_of(std::size_t i) const { return injections_[i]; }
  /// Share of negatives that equal their anchor.
  double identical_share() const { return identical_share_; }

 private:
  // A channel of window i in the units of the injection; `space` may hold it.
  std::span<const double> original(std::size_t i, std::size_t channel,
                                   std::vector<double>& space) const;
  double largest_change(std::size_t i, const Injection& injection) const;
  Injection draw(std::size_t i) const;

  const WindowSource* source_;
  TripletOptions options_;
  std::vector<std::size_t> positives_;
  std::vector<Injection> injections_;
  double identical_share_ = 0.0;
};

}  // namespace sbog::series
