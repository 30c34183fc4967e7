// SPDX-License-Identifier: Apache-2.0
// OpenBLAS SGEMM: the inner products alone, of the shapes of the energy.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <memory>

#include "measure.h"
#include "register.h"

namespace sbog::bench {

Sgemm::Sgemm(Workload<float>& workload)
    : queries_(workload.queries()),
      bank_(workload.bank()),
      products_(queries_.rows(), bank_.rows()) {
  openblas_set_num_threads(1);
}

void Sgemm::run() {
  const auto as_int = [](std::size_t n) { return static_cast<int>(n); };
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, as_int(queries_.rows()),
              as_int(bank_.rows()), as_int(queries_.cols()), 1.0f,
              queries_.data(), as_int(queries_.row_stride()), bank_.data(),
              as_int(bank_.row_stride()), 0.0f, products_.data(),
              as_int(products_.cols()));
}

std::string openblas_core() { return openblas_get_corename(); }

void register_sgemm() {
  for (const std::size_t n : {1024, 4096, 16384}) {
    const auto work = std::make_shared<Workload<float>>(Shape{768, n, 960});
    register_timed("sgemm/float/" + work->shape().name() + "/threads:1",
                   [work](benchmark::State& state) {
                     Sgemm sgemm(*work);
                     const double before = fma_peak(1);
                     BestTime best;
                     for ([[maybe_unused]] auto _ : state) {
                       best.run([&] { sgemm.run(); });
                     }
                     const double rate = work->shape().flops() / best.seconds();
                     state.counters["pairs/s"] =
                         work->shape().pairs() / best.seconds();
                     state.counters["GFLOP/s"] = 1e-9 * rate;
                     state.counters["fma_peak_%"] =
                         100.0 * rate / std::max(before, fma_peak(1));
                   });
  }
}

}  // namespace sbog::bench
