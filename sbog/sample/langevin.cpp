// SPDX-License-Identifier: Apache-2.0
// The steps of langevin.h.
#include "sbog/sample/langevin.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sbog/base/philox.h"
#include "sbog/energy/derivatives.h"
#include "sbog/sample/class_sampler.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/round.h"

namespace sbog {
namespace {

constexpr std::uint32_t kFirstStep = std::uint32_t{1} << 31;

// Length of a step and of its noise, in lengths of a proposal's noise.
constexpr double kStep = 0.25;
constexpr double kStepNoise = 0.25 * kStep;

}  // namespace

template <typename T>
void move_to_level(const PreparedClass<T>& prepared, const RoundKey& key,
                   double level, Output<T>& output) {
  const SamplerOptions& options = prepared.options;
  const PhiloxStream stream = stream_of(key);
  const auto near =
      prepared.local.empty() ? nullptr : prepared.local.at(output.anchor);
  const EnergyModel<T>& model =
      (near ? *near->scorer : *prepared.whole).support().energy();
  const auto dim = static_cast<double>(output.point.size());
  const double longest = kStep * prepared.scale.high * std::sqrt(dim);
  const Surface surface = options.projection == Projection::kSphere
                              ? Surface::kSphere
                              : Surface::kAmbient;
  Output<T> moving = output;
  std::vector<double> noise(output.point.size());
  for (std::size_t step = 0; step < options.langevin_steps; ++step) {
    const Matrix<double> gradient = energy_gradient<T>(
        model, {moving.point.data(), 1, moving.point.size()}, surface);
    const double length = std::sqrt(inner_product<double, double>(
        gradient.elements(), gradient.elements()));
    // As far as the level is away to first order, but not too far.
    const double stride =
        length > 0.0
            ? std::clamp((level - moving.energy) / length, -longest, longest) /
                  length
            : 0.0;
    stream.normals(kFirstStep + static_cast<std::uint32_t>(step),
                   std::span<double>(noise));
    std::vector<double> next(moving.point.begin(), moving.point.end());
    for (std::size_t k = 0; k < next.size(); ++k) {
      next[k] +=
          stride * gradient(0, k) + kStepNoise * prepared.scale.high * noise[k];
    }
    if (!project(options, next, prepared.mapped_anchors.row(output.anchor))) {
      return;
    }
    moving.point.assign(next.begin(), next.end());
    if (!verify_output(prepared, moving)) continue;
    output = moving;
    output.origin = OutputOrigin::kLangevin;
  }
}

template void move_to_level(const PreparedClass<float>&, const RoundKey&,
                            double, Output<float>&);
template void move_to_level(const PreparedClass<double>&, const RoundKey&,
                            double, Output<double>&);

}  // namespace sbog
