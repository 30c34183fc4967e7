// SPDX-License-Identifier: Apache-2.0
// Gradients of the energy, which are computed in double.
#include <benchmark/benchmark.h>

#include <memory>

#include "measure.h"
#include "register.h"
#include "sbog/base/thread_pool.h"
#include "sbog/energy/derivatives.h"

namespace sbog::bench {
namespace {

void register_gradient(const Shape& shape, std::size_t threads) {
  const auto work = std::make_shared<Workload<float>>(shape);
  register_timed(
      "gradient/float/" + shape.name() + "/threads:" + std::to_string(threads),
      [work, threads](benchmark::State& state) {
        const EnergyModel<float>& model = work->model();
        ThreadPool pool(threads);
        BestTime best;
        for ([[maybe_unused]] auto _ : state) {
          best.run([&] {
            const Matrix<double> gradients =
                energy_gradient(model, work->queries(), Surface::kSphere,
                                Context{&pool, nullptr});
            benchmark::DoNotOptimize(gradients.data());
          });
        }
        state.counters["pairs/s"] = work->shape().pairs() / best.seconds();
      });
}

}  // namespace

void register_gradients() {
  for (const std::size_t threads : {1, 2}) {
    register_gradient({4, 25'000, 64, 0.02}, threads);
    register_gradient({64, 25'000, 64}, threads);
    register_gradient({768, 4096, 64}, threads);
  }
}

}  // namespace sbog::bench
