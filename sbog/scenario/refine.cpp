// SPDX-License-Identifier: Apache-2.0
// A few steps of Adam; see refine.h.
#include "sbog/scenario/refine.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace sbog::series {
namespace {

constexpr double kFirstBeta = 0.8;
constexpr double kSecondBeta = 0.95;
constexpr double kLastShare = 0.05;  // of the rate
constexpr double kTimeUnit = 40.0;
constexpr double kTiny = 1e-8;
constexpr std::size_t kVariables = 5;

using Variables = std::array<double, kVariables>;

// d o / d variable from d o / d parameter.
Variables in_units(const EditGradient& gradient, const Edit& edit,
                   double unit) {
  return {gradient.amount * unit, gradient.start * kTimeUnit,
          gradient.end * kTimeUnit, gradient.period * 0.5 * edit.period,
          gradient.phase};
}

void move(const Variables& by, double unit, Edit& edit) {
  edit.amount += unit * by[0];
  edit.start += kTimeUnit * by[1];
  edit.end += kTimeUnit * by[2];
  edit.period *= std::exp(0.5 * by[3]);
  edit.phase += by[4];
}

double rate_at(const RefineSettings& settings, std::size_t step) {
  const double way =
      static_cast<double>(step) / static_cast<double>(settings.steps);
  const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * way));
  return settings.rate * (kLastShare + (1.0 - kLastShare) * cosine);
}

struct Moments {
  Variables first{};
  Variables second{};

  Variables step(const Variables& gradient, std::size_t n, double rate) {
    Variables by;
    const double first_bias =
        1.0 - std::pow(kFirstBeta, static_cast<double>(n));
    const double second_bias =
        1.0 - std::pow(kSecondBeta, static_cast<double>(n));
    for (std::size_t j = 0; j < kVariables; ++j) {
      first[j] = kFirstBeta * first[j] + (1.0 - kFirstBeta) * gradient[j];
      second[j] = kSecondBeta * second[j] +
                  (1.0 - kSecondBeta) * gradient[j] * gradient[j];
      by[j] = -rate * (first[j] / first_bias) /
              (std::sqrt(second[j] / second_bias) + kTiny);
    }
    return by;
  }
};

}  // namespace

ScoredEdits refine_edits(EditObjective& objective, std::vector<Edit> edits,
                         const RefineSettings& settings) {
  const std::vector<ChannelProfile>& profiles = objective.profiles();
  const std::size_t width = objective.window().width();
  std::vector<Moments> moments(edits.size());
  std::vector<double> signs;
  signs.reserve(edits.size());
  for (const Edit& edit : edits) {
    signs.push_back(std::copysign(1.0, edit.amount));
  }
  ScoredEdits best;
  std::vector<EditGradient> gradients;
  for (std::size_t step = 0; step <= settings.steps; ++step) {
    const bool is_last = step == settings.steps;
    EditScore score = objective.evaluate(edits, is_last ? nullptr : &gradients);
    if (step == 0 || score.total < best.score.total) {
      best = {edits, std::move(score)};
    }
    if (is_last) break;
    const double rate = rate_at(settings, step);
    for (std::size_t k = 0; k < edits.size(); ++k) {
      const ChannelProfile& profile = profiles[edits[k].channel];
      const double unit = strength_range(edits[k].kind, profile).unit;
      move(moments[k].step(in_units(gradients[k], edits[k], unit), step + 1,
                           rate),
           unit, edits[k]);
      project_edit(profile, width, signs[k], edits[k]);
    }
  }
  return best;
}

}  // namespace sbog::series
