// SPDX-License-Identifier: Apache-2.0
// The groups of benchmarks that bench_energy is made of.
#pragma once

#include <functional>
#include <string>

#include "workload.h"

namespace benchmark {
class State;
}  // namespace benchmark

namespace sbog::bench {

/// Registers under `name` with wall time in milliseconds.
void register_timed(const std::string& name,
                    std::function<void(benchmark::State&)> body);

/// Gradients of the energy.
void register_gradients();
/// Robust logits.
void register_robust_logits();
/// OpenBLAS SGEMM of the shapes that the energy is compared with.
void register_sgemm();

/// OpenBLAS on one thread: C = Q B' with the queries and the bank of a
/// workload, and nothing else.
class Sgemm {
 public:
  explicit Sgemm(Workload<float>& workload);
  void run();

 private:
  MatrixView<const float> queries_;
  MatrixView<const float> bank_;
  Matrix<float> products_;
};

/// The processor that OpenBLAS takes this one for.
std::string openblas_core();

}  // namespace sbog::bench
