// SPDX-License-Identifier: Apache-2.0
// The search of step_radius.h.
#include "sbog/sample/step_radius.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sbog/base/find_root.h"
#include "sbog/energy/class_tails.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/round.h"

namespace sbog {
namespace {

constexpr std::size_t kProbes = 64;  // steps that are tried
constexpr double kRareShare = 1e-3;  // of the high end
constexpr double kTailShare = 0.1;   // whose excess makes the tail
constexpr double kShortestRadius = 1e-4;
constexpr int kMostTries = 24;
constexpr double kCloseEnough = 1e-4;  // of the logarithm of a radius

// Steps from a few anchors, and what they score at any radius.
template <typename T>
class RadiusProbe {
 public:
  explicit RadiusProbe(const PreparedClass<T>& prepared)
      : prepared_(prepared),
        dim_(prepared.problem.points.cols()),
        steps_(kProbes, dim_) {
    const std::size_t anchors = prepared.anchors.anchors.size();
    for (std::size_t i = 0; i < kProbes; ++i) {
      // Spread over the anchors; every step has a stream of its own.
      anchors_.push_back(i * anchors / kProbes);
      const RoundKey key{prepared.options.seed, prepared.problem.cls,
                         kRadiusRound, static_cast<std::uint32_t>(i)};
      const Matrix<double> step =
          draw_steps(key, prepared.problem.shape, dim_, 1);
      std::ranges::copy(step.row(0), steps_.row(i).begin());
    }
    if (!prepared.options.certify) return;
    half_ = std::make_unique<EnergyModel<T>>(
        ReferenceMeasure<T>{prepared.problem.points, {}, prepared.calibration},
        prepared.options.energy);
  }

  double median_score(double radius) const {
    Matrix<T> points(kProbes, dim_);
    const double sigma = radius / std::sqrt(static_cast<double>(dim_));
    std::vector<double> point(dim_);
    for (std::size_t i = 0; i < kProbes; ++i) {
      const auto anchor = prepared_.mapped_anchors.row(anchors_[i]);
      for (std::size_t k = 0; k < dim_; ++k) {
        point[k] = anchor[k] + sigma * steps_(i, k);
      }
      if (!project(prepared_.options, point, anchor)) {
        point.assign(anchor.begin(), anchor.end());
      }
      std::copy(point.begin(), point.end(), points.row(i).begin());
    }
    return quantile(scores(std::as_const(points).view()), 0.5);
  }

 private:
  std::vector<double> scores(MatrixView<const T> points) const {
    if (half_) return half_->evaluate(points).energies;
    if (prepared_.local.empty()) return prepared_.whole->score(points);
    std::vector<double> result;
    for (std::size_t i = 0; i < kProbes; ++i) {
      result.push_back(
          prepared_.score(anchors_[i], points.subrows(i, 1)).front());
    }
    return result;
  }

  const PreparedClass<T>& prepared_;
  std::size_t dim_;
  Matrix<double> steps_;
  std::vector<std::size_t> anchors_;
  std::unique_ptr<EnergyModel<T>> half_;  // with a split bank
};

// About the distance of a point from its class mean, which gives the unit.
template <typename T>
double unit_length(const PreparedClass<T>& prepared) {
  if (prepared.options.projection == Projection::kSphere) return 1.0;
  const MatrixView<const T> points = prepared.problem.points;
  double square = 0.0;
  for (std::size_t k = 0; k < points.cols(); ++k) {
    double sum = 0.0;
    double squares = 0.0;
    for (const std::size_t i : prepared.calibration) {
      const auto x = static_cast<double>(points(i, k));
      sum += x;
      squares += x * x;
    }
    const auto n = static_cast<double>(prepared.calibration.size());
    square += std::max(0.0, squares / n - sum / n * (sum / n));
  }
  return square > 0.0 ? std::sqrt(square) : 1.0;
}

// Three digits: they can be written down, and hide what the last bits of an
// instruction set say.
double rounded_radius(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  return std::round(value / unit) * unit;
}

// The radius in [low, high] at which the median score is `goal`, found on the
// logarithm.
template <typename T>
double find_radius(const RadiusProbe<T>& probe, double goal, double low,
                   double high) {
  const auto excess = [&](double log_radius) {
    return probe.median_score(std::exp(log_radius)) - goal;
  };
  const double at_low = probe.median_score(low) - goal;
  const double at_high = probe.median_score(high) - goal;
  if (at_low >= 0.0) return low;
  if (!(at_high > 0.0)) return high;
  // A flat stretch at the far end makes for tiny steps: halve now and then.
  return std::exp(find_root(excess,
                            {std::log(low), std::log(high), at_low, at_high},
                            {kMostTries, kCloseEnough, 3})
                      .root());
}

// Scores by which rarity is told, leave-one-out.
template <typename T>
std::vector<double> own_scores(const PreparedClass<T>& prepared,
                               const Context& context) {
  std::vector<double> scores = prepared.scores;
  if (prepared.options.certify) {
    const EnergyModel<T> half(
        ReferenceMeasure<T>{prepared.problem.points, {}, prepared.calibration},
        prepared.options.energy);
    scores = half.evaluate_bank(false, context).energies;
  }
  std::vector<double> own;
  for (const std::size_t i : prepared.calibration) {
    if (std::isfinite(scores[i])) own.push_back(scores[i]);
  }
  return own;
}

// Scores of the bands in terms of what the probe measures. A split bank probes
// with the half that proposes: its scores are put where they lie in theirs.
template <typename T>
std::function<double(double)> own_scale(const PreparedClass<T>& prepared,
                                        const Context& context) {
  if (!prepared.options.certify) return [](double score) { return score; };
  std::vector<double> own = own_scores(prepared, context);
  std::vector<double> seen;
  for (const std::size_t i : prepared.calibration) {
    if (std::isfinite(prepared.scores[i])) seen.push_back(prepared.scores[i]);
  }
  std::sort(own.begin(), own.end());
  std::sort(seen.begin(), seen.end());
  return [from = bulk_of(seen), to = bulk_of(own)](double score) {
    return to.first + to.second * (score - from.first) / from.second;
  };
}

template <typename T>
RadiusRange found_radius(const PreparedClass<T>& prepared,
                         const Context& context) {
  const std::vector<double> scores = own_scores(prepared, context);
  const double unit = unit_length(prepared);
  if (scores.empty()) return {false, unit, unit};
  const double threshold = prepared.options.certify
                               ? quantile(scores, prepared.options.quantile)
                               : prepared.plan.threshold;
  const double rare = std::max(threshold, tail_score(scores, kRareShare));
  const RadiusProbe<T> probe(prepared);
  const double low = rounded_radius(find_radius(
      probe, threshold, kShortestRadius * unit, kLongestRadius * unit));
  const double high =
      rounded_radius(find_radius(probe, rare, low, kLongestRadius * unit));
  return {false, low, std::max(low, high)};
}

}  // namespace

double tail_score(std::span<const double> scores, double share) {
  const double start = quantile(scores, 1.0 - kTailShare);
  double excess = 0.0;
  std::size_t count = 0;
  for (const double score : scores) {
    if (!(score > start)) continue;
    excess += score - start;
    ++count;
  }
  if (count == 0) return start;
  return start +
         excess / static_cast<double>(count) * std::log(kTailShare / share);
}

template <typename T>
void set_radius(PreparedClass<T>& prepared, const RadiusRange& radius) {
  const double root =
      std::sqrt(static_cast<double>(prepared.problem.points.cols()));
  prepared.scale = {radius.low / root, radius.high / root};
  prepared.plan.radius_low = radius.low;
  prepared.plan.radius_high = radius.high;
}

template <typename T>
std::vector<RadiusRange> band_radii(const PreparedClass<T>& prepared,
                                    const Context& context) {
  const SamplerOptions& options = prepared.options;
  if (options.radius && !options.radius->is_auto) {
    return std::vector<RadiusRange>(options.severities.size(), *options.radius);
  }
  const double unit = unit_length(prepared);
  const auto own = own_scale(prepared, context);
  const RadiusProbe<T> probe(prepared);
  double last = kShortestRadius * unit;
  double last_score = -std::numeric_limits<double>::infinity();
  const auto radius_at = [&](double score) {
    if (score != last_score) {  // bands that meet share an end
      last = find_radius(probe, own(score), last, kLongestRadius * unit);
      last_score = score;
    }
    return rounded_radius(last);
  };
  std::vector<RadiusRange> radii;
  for (const int severity : options.severities) {
    const auto [low, high] =
        prepared.problem.tails->band(prepared.problem.cls, severity);
    const double from = radius_at(low);
    radii.push_back({false, from, std::max(from, radius_at(high))});
  }
  return radii;
}

template <typename T>
void settle_radius(PreparedClass<T>& prepared, const Context& context) {
  const SamplerOptions& options = prepared.options;
  const double root =
      std::sqrt(static_cast<double>(prepared.problem.points.cols()));
  if (!options.radius) {
    prepared.scale = {options.sigma, options.sigma};
    prepared.plan.radius_low = options.sigma * root;
    prepared.plan.radius_high = options.sigma * root;
    return;
  }
  const RadiusRange radius = options.radius->is_auto
                                 ? found_radius(prepared, context)
                                 : *options.radius;
  set_radius(prepared, radius);
}

template void set_radius(PreparedClass<float>&, const RadiusRange&);
template void set_radius(PreparedClass<double>&, const RadiusRange&);
template std::vector<RadiusRange> band_radii(const PreparedClass<float>&,
                                             const Context&);
template std::vector<RadiusRange> band_radii(const PreparedClass<double>&,
                                             const Context&);
template void settle_radius(PreparedClass<float>&, const Context&);
template void settle_radius(PreparedClass<double>&, const Context&);

}  // namespace sbog
