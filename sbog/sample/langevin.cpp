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

namespace sbog {
namespace {

constexpr std::uint32_t kFirstStep = std::uint32_t{1} << 31;

template <typename T>
const EnergyModel<T>& energy_at(const PreparedClass<T>& prepared,
                                std::size_t anchor) {
  return (prepared.local.empty() ? *prepared.whole
                                 : *prepared.local[anchor]->scorer)
      .support()
      .energy();
}

}  // namespace

template <typename T>
void move_to_level(const PreparedClass<T>& prepared, const RoundKey& key,
                   double level, Output<T>& output) {
  const SamplerOptions& options = prepared.options;
  const PhiloxStream stream(key.seed, key.cls, key.round, key.k);
  const EnergyModel<T>& model = energy_at(prepared, output.anchor);
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
    const double pull =
        length > 0.0 ? options.sigma *
                           std::clamp((level - moving.energy) / options.sigma,
                                      -1.0, 1.0) /
                           length
                     : 0.0;
    stream.normals(kFirstStep + static_cast<std::uint32_t>(step),
                   std::span<double>(noise));
    std::vector<double> next(moving.point.begin(), moving.point.end());
    for (std::size_t k = 0; k < next.size(); ++k) {
      next[k] += pull * gradient(0, k) + 0.25 * options.sigma * noise[k];
    }
    if (!project(options, next)) return;
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
