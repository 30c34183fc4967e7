// SPDX-License-Identifier: Apache-2.0
// The screen of the library; see screen.h.
#include "sbog/scenario/screen.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sbog/base/inner_product.h"

namespace sbog::series {
namespace {

constexpr double kVisibleShare = 0.2;
constexpr double kLongestMove = 0.9;

double window_deviation(std::span<const double> padded) {
  const std::size_t end = padded.size() - kMargin;
  const double n = static_cast<double>(end - kMargin);
  double mean = 0.0;
  for (std::size_t i = kMargin; i < end; ++i) mean += padded[i] / n;
  double squares = 0.0;
  for (std::size_t i = kMargin; i < end; ++i) {
    squares += (padded[i] - mean) * (padded[i] - mean);
  }
  return std::sqrt(squares / n);
}

// One candidate at a time on top of the window as it is.
class Trial {
 public:
  Trial(const EditedWindow& window, const std::vector<ChannelProfile>& profiles)
      : window_(window),
        profiles_(profiles),
        out_(window.width() + 2 * kMargin),
        limits_(profiles.size()) {
    for (std::size_t c = 0; c < profiles.size(); ++c) {
      limits_[c] = std::max(profiles[c].step_limit(),
                            largest_step(window.source_row(c)));
    }
  }

  /// Whether the candidate passes the filters; then change() is its effect.
  bool run(const Edit& edit) {
    const std::size_t c = edit.channel;
    const ChannelProfile& profile = profiles_[c];
    RowInput input;
    input.row = window_.row(c);
    if (edit.kind == EditKind::kCoupling) {
      input.partner = window_.row(edit.partner);
    }
    const double low = profile.to_standard(profile.low);
    const double high = profile.to_standard(profile.high);
    if (profile.is_floored) input.floor = low;
    input.ramp = ramp_of(edit, profile);
    apply_edit(edit, input, out_);
    std::size_t clipped = 0;
    const auto recorded = window_.source_row(c);
    for (std::size_t i = kMargin; i < out_.size() - kMargin; ++i) {
      const double kept = std::clamp(out_[i], std::min(low, recorded[i]),
                                     std::max(high, recorded[i]));
      if (kept != out_[i]) ++clipped;
      out_[i] = kept;
    }
    if (static_cast<double>(clipped) >
        kMostClipped * static_cast<double>(window_.width())) {
      return false;
    }
    return largest_step(out_) <= limits_[c] &&
           visibility(recorded, out_, profile.unit) >= kLeastVisibility;
  }
  /// Effect of the last candidate on sample t of the window.
  double change(std::size_t channel, std::size_t t) const {
    return out_[t + kMargin] - window_.row(channel)[t + kMargin];
  }

 private:
  const EditedWindow& window_;
  const std::vector<ChannelProfile>& profiles_;
  std::vector<double> out_;
  std::vector<double> limits_;
};

}  // namespace

double visibility(std::span<const double> recorded,
                  std::span<const double> edited, double unit) {
  const std::size_t end = recorded.size() - kMargin;
  double largest = 0.0;
  for (std::size_t i = kMargin; i < end; ++i) {
    largest = std::max(largest, std::abs(edited[i] - recorded[i]));
  }
  if (largest == 0.0) return 0.0;
  double squares = 0.0;
  double count = 0.0;
  for (std::size_t i = kMargin; i < end; ++i) {
    const double change = std::abs(edited[i] - recorded[i]);
    if (change <= kVisibleShare * largest) continue;
    squares += change * change;
    count += 1.0;
  }
  return std::sqrt(squares / count) /
         (window_deviation(recorded) + 0.05 * unit);
}

Screen screen_edits(const EditedWindow& window,
                    const std::vector<ChannelProfile>& profiles,
                    std::span<const Edit> library, Embedder& embedder) {
  Screen screen;
  screen.point = embedder.embed(window.window());
  const std::size_t dim = screen.point.size();
  const std::vector<Matrix<float>> slopes =
      jacobian(embedder, profiles.size(), window.width());
  const std::vector<std::size_t>& taken = window.edited_channels();
  Trial trial(window, profiles);
  std::vector<double> moves;
  for (std::size_t e = 0; e < library.size(); ++e) {
    const std::size_t c = library[e].channel;
    if (std::binary_search(taken.begin(), taken.end(), c)) continue;
    if (!trial.run(library[e])) continue;
    screen.edits.push_back(e);
    for (std::size_t k = 0; k < dim; ++k) {
      const auto slope = slopes[k].row(c);
      double move = 0.0;
      for (std::size_t t = 0; t < slope.size(); ++t) {
        move += double{slope[t]} * trial.change(c, t);
      }
      moves.push_back(move);
    }
  }
  screen.moves = Matrix<double>(screen.edits.size(), dim);
  std::copy(moves.begin(), moves.end(), screen.moves.data());
  return screen;
}

double predicted_distance(const Screen& screen, std::size_t candidate,
                          std::span<const double> target) {
  const auto move = screen.moves.row(candidate);
  const double length = norm_of<double>(move);
  const double share = length > kLongestMove ? kLongestMove / length : 1.0;
  std::vector<double> point(screen.point);
  for (std::size_t k = 0; k < point.size(); ++k) point[k] += share * move[k];
  const double norm = norm_of<double>(point);
  if (norm == 0.0) return 4.0;  // as far as it gets on the sphere
  for (double& value : point) value /= norm;
  return squared_distance<double, double>(point, target);
}

double linear_residual(const Screen& screen, std::span<const double> target) {
  std::vector<double> wanted(target.begin(), target.end());
  for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] -= screen.point[k];
  const double length = norm_of<double>(wanted);
  double least = 1.0;
  for (std::size_t i = 0; i < screen.moves.rows(); ++i) {
    const auto move = screen.moves.row(i);
    const double norm = norm_of<double>(move);
    if (norm == 0.0 || length == 0.0) continue;
    const double cosine = std::min(
        1.0, inner_product<double, double>(move, wanted) / (norm * length));
    if (cosine <= 0.0) continue;
    least = std::min(least, std::sqrt(1.0 - cosine * cosine));
  }
  return least;
}

}  // namespace sbog::series
