// SPDX-License-Identifier: Apache-2.0
// Scores two points against a small bank: the C++ example of the README.
#include <cstdio>

#include "sbog/energy/energy_model.h"
#include "sbog/energy/threshold.h"

int main() {
  const float bank[] = {1, 0, 0.1f, 0.9f, 0.2f, 0, 1, 0.3f, 0.2f};
  const float queries[] = {1, 0.1f, 0.1f, -1, 1, 0};
  const sbog::MatrixView<const float> points(bank, 3, 3);
  sbog::EnergyOptions options;
  options.epsilon = 0.05;
  const sbog::EnergyModel<float> model({points, {}, {}}, options);
  const auto of_bank = model.evaluate_bank();  // leave-one-out
  const auto tau = sbog::calibrate_threshold(of_bank.energies, {});
  const auto scored = model.evaluate({queries, 2, 3});
  for (const double energy : scored.energies) {
    std::printf("E = %.4f: %s\n", energy,
                energy >= tau.value ? "outlier" : "supported");
  }
}
