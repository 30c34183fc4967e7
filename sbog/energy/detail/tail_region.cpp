// SPDX-License-Identifier: Apache-2.0
// Draws and steps of tail_region.h.
#include "sbog/energy/detail/tail_region.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "sbog/base/philox.h"

namespace sbog::detail {
namespace {

constexpr std::uint32_t kTailPurpose = 0x54000001;  // in the reserved class
// Of a draw only the direction counts, for which so many excesses are enough.
constexpr std::size_t kMostDrawn = 2000;
constexpr int kMostLineSteps = 40;
constexpr double kLineTolerance = 1e-3;  // of the deviations

double log_odds(double share) { return std::log(share) - std::log1p(-share); }

// The uniforms of one draw.
class DrawStream {
 public:
  DrawStream(const RegionOptions& options, std::size_t draw)
      : draw_(static_cast<std::uint32_t>(draw)) {
    // One key for seed and stream, so that counters are left for the rest.
    const PhiloxBlock block = philox4x32(
        {static_cast<std::uint32_t>(options.stream),
         PhiloxStream::kReservedClass << 16,
         static_cast<std::uint32_t>(options.stream >> 32), kTailPurpose},
        {static_cast<std::uint32_t>(options.seed),
         static_cast<std::uint32_t>(options.seed >> 32)});
    key_ = {block.words[0], block.words[1]};
  }
  // In (0, 1]; i = 0 is kept for the count of exceedances.
  double uniform(std::size_t i) const {
    return to_uniform(philox4x32({static_cast<std::uint32_t>(i),
                                  PhiloxStream::kReservedClass << 16, draw_,
                                  kTailPurpose + 1},
                                 key_)
                          .low64());
  }

 private:
  std::uint32_t draw_;
  std::array<std::uint32_t, 2> key_;
};

// Exceedances of n points, drawn anew by one uniform.
std::size_t draw_count(std::size_t n, double share, double uniform) {
  const boost::math::binomial_distribution<double> law(static_cast<double>(n),
                                                       share);
  const double count =
      boost::math::quantile(law, std::min(uniform, 1.0 - 0x1.0p-53));
  return static_cast<std::size_t>(
      std::clamp(count, 1.0, static_cast<double>(n) - 1.0));
}

// A line through the fit: shape, log of the scale and log-odds of the share.
class Line {
 public:
  Line(std::span<const double> excesses, std::size_t n, const TailPoint& fit,
       const TailPoint& through)
      : excesses_(excesses),
        n_(static_cast<double>(n)),
        fit_(fit),
        shape_step_(through.law.shape - fit.law.shape),
        scale_step_(std::log(through.law.scale / fit.law.scale)),
        share_step_(log_odds(through.share) - log_odds(fit.share)),
        least_(loss(fit)) {}

  TailPoint at(double t) const {
    const double odds = std::exp(log_odds(fit_.share) + t * share_step_);
    return {odds / (1.0 + odds),
            {std::clamp(fit_.law.shape + t * shape_step_, -kShapeLimit,
                        kShapeLimit),
             fit_.law.scale * std::exp(t * scale_step_)}};
  }
  // Root of twice the log of the likelihood ratio of the fit and the point.
  double deviations(double t) const {
    return std::sqrt(std::max(0.0, 2.0 * (loss(at(t)) - least_)));
  }
  // Where the shape reaches its limit; infinite where it does not move.
  double end() const {
    if (shape_step_ == 0.0) return std::numeric_limits<double>::infinity();
    const double limit = shape_step_ > 0.0 ? kShapeLimit : -kShapeLimit;
    return std::max(0.0, (limit - fit_.law.shape) / shape_step_);
  }

 private:
  double loss(const TailPoint& point) const {
    const auto m = static_cast<double>(excesses_.size());
    return penalised_loss(excesses_, point.law) - m * std::log(point.share) -
           (n_ - m) * std::log1p(-point.share);
  }

  std::span<const double> excesses_;
  double n_;
  TailPoint fit_;
  double shape_step_;
  double scale_step_;
  double share_step_;
  double least_;
};

// The point of the line at the wanted deviations, which are nearly linear in t.
TailPoint end_of(const Line& line, double wanted) {
  const double end = line.end();
  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
  double t = std::min(1.0, end);
  for (int i = 0; i < kMostLineSteps; ++i) {
    const double found = line.deviations(t);
    if (std::abs(found - wanted) <= kLineTolerance * wanted) break;
    (found < wanted ? low : high) = t;
    if (low >= end) break;
    const double guess = found > 0.0 ? t * wanted / found : 2.0 * t;
    t = std::min({guess, end, std::max(8.0 * low, 1.0)});
    if (!(t > low && t < high)) t = std::min(0.5 * (low + high), end);
  }
  // The inner end: it is surely in the region.
  return line.at(std::isfinite(line.deviations(t)) ? t : low);
}

}  // namespace

std::vector<TailPoint> tail_region(std::span<const double> excesses,
                                   std::size_t n, const ParetoTail& fit,
                                   const RegionOptions& options) {
  const double share =
      static_cast<double>(excesses.size()) / static_cast<double>(n);
  const TailPoint centre{share, fit};
  const std::size_t drawn_of = std::min(
      n, static_cast<std::size_t>(static_cast<double>(kMostDrawn) / share));
  std::vector<TailPoint> region;
  std::vector<double> drawn;
  for (std::size_t d = 0; d < options.draws; ++d) {
    const DrawStream stream(options, d);
    drawn.resize(draw_count(drawn_of, share, stream.uniform(0)));
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      drawn[i] = fit.excess_at(stream.uniform(i + 1));
    }
    // A uniform of 1 has no excess; one that is positive keeps the law proper.
    for (double& y : drawn) y = std::max(y, 1e-12 * fit.scale);
    const TailPoint through{
        static_cast<double>(drawn.size()) / static_cast<double>(drawn_of),
        fit_pareto_tail(drawn, fit)};
    region.push_back(
        end_of(Line(excesses, n, centre, through), options.deviations));
  }
  return region;
}

}  // namespace sbog::detail
