// SPDX-License-Identifier: Apache-2.0
// Robust logits: rows per second, values and tilted laws, as in training.
#include <benchmark/benchmark.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure.h"
#include "register.h"
#include "sbog/base/philox.h"
#include "sbog/base/thread_pool.h"
#include "sbog/dro/robust_logits.h"

namespace sbog::bench {
namespace {

struct Batch {
  Batch(std::size_t samples, std::size_t classes, std::size_t atoms)
      : similarities(samples * classes, atoms),
        costs(samples, atoms),
        values(samples, classes),
        tilted(samples * classes, atoms) {
    // Similarities of cosine size over a temperature of 0.1; costs of points
    // that lie near the sample.
    std::vector<double> row(atoms);
    for (std::size_t r = 0; r < similarities.rows(); ++r) {
      PhiloxStream(31, 0, 0, r).normals(0, std::span<double>(row));
      for (std::size_t k = 0; k < atoms; ++k) {
        similarities(r, k) = static_cast<float>(2.0 * row[k]);
      }
    }
    for (std::size_t b = 0; b < samples; ++b) {
      PhiloxStream(32, 0, 0, b).normals(0, std::span<double>(row));
      for (std::size_t k = 0; k < atoms; ++k) {
        costs(b, k) = static_cast<float>(0.02 * row[k] * row[k]);
      }
    }
  }
  double rows() const { return static_cast<double>(similarities.rows()); }

  Matrix<float> similarities, costs, values, tilted;
};

void register_batch(const std::shared_ptr<Batch>& batch, std::size_t threads) {
  const std::string name =
      "robust_logits/float/atoms:" + std::to_string(batch->costs.cols()) +
      "/rows:" + std::to_string(batch->similarities.rows()) +
      "/threads:" + std::to_string(threads);
  register_timed(name, [batch, threads](benchmark::State& state) {
    ThreadPool pool(threads);
    BestTime best;
    for ([[maybe_unused]] auto _ : state) {
      best.run([&] {
        const SolveStatus status = robust_logits<float>(
            {batch->similarities, batch->costs, {}, {}}, {},
            {batch->values, {}, batch->tilted, {}}, Context{&pool, nullptr});
        benchmark::DoNotOptimize(status);
      });
    }
    state.counters["rows/s"] = batch->rows() / best.seconds();
  });
}

}  // namespace

void register_robust_logits() {
  const auto usual = std::make_shared<Batch>(2000, 100, 8);
  const auto wide = std::make_shared<Batch>(200, 100, 64);
  for (const std::size_t threads : {1, 2}) {
    register_batch(usual, threads);
    register_batch(wide, threads);
  }
}

}  // namespace sbog::bench
