// SPDX-License-Identifier: Apache-2.0
// Speed of EnergyModel::evaluate through the public interface, as a share of
// what bounds it on this machine: multiply-adds in large dimension,
// exponentials in small dimension. The bounds are measured in this process just
// before and after, on as many threads at once.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "measure.h"
#include "register.h"
#include "sbog/base/thread_pool.h"
#include "sbog/energy/detail/tile_kernel.h"
#include "sbog/energy/pruned_energy.h"

namespace sbog::bench {
namespace {

// What bounds a shape, and what it is compared with.
enum class Bound { kFma, kExp };

template <typename T>
using SharedWorkload = std::shared_ptr<Workload<T>>;

template <typename T>
std::string full_name(const char* group, const Shape& shape,
                      std::size_t threads) {
  return std::string(group) +
         (std::is_same_v<T, float> ? "/float/" : "/double/") + shape.name() +
         "/threads:" + std::to_string(threads);
}

template <typename T>
void evaluate(Workload<T>& work, ThreadPool& pool) {
  const EnergyResult result =
      work.model().evaluate(work.queries(), {}, Context{&pool, nullptr});
  benchmark::DoNotOptimize(result.energies.data());
}

// Operations per second of the bound; a double vector holds half as many.
template <typename T>
double limit_of(Bound bound, std::size_t threads) {
  const double rate =
      bound == Bound::kFma ? fma_peak(threads) : exp_limit(threads);
  return rate * sizeof(float) / sizeof(T);
}

template <typename T>
void report(benchmark::State& state, const Shape& shape, Bound bound,
            double seconds, double limit) {
  state.counters["pairs/s"] = shape.pairs() / seconds;
  state.counters["GFLOP/s"] = 1e-9 * shape.flops() / seconds;
  if (bound == Bound::kFma) {
    state.counters["fma_peak_%"] = 100.0 * shape.flops() / seconds / limit;
  } else if constexpr (std::is_same_v<T, float>) {
    state.counters["exp_limit_%"] = 100.0 * shape.pairs() / seconds / limit;
  }
}

template <typename T>
void register_energy(const SharedWorkload<T>& work, std::size_t threads,
                     Bound bound) {
  register_timed(
      full_name<T>("energy", work->shape(), threads),
      [work, threads, bound](benchmark::State& state) {
        ThreadPool pool(threads);
        evaluate(*work, pool);  // makes the data and warms the caches
        const double before = limit_of<T>(bound, threads);
        BestTime best;
        for ([[maybe_unused]] auto _ : state) {
          best.run([&] { evaluate(*work, pool); });
        }
        const double limit = std::max(before, limit_of<T>(bound, threads));
        report<T>(state, work->shape(), bound, best.seconds(), limit);
      });
}

// Energy and SGEMM of the same shape take turns on one thread, so that both see
// the same machine.
void register_energy_beside_sgemm(const SharedWorkload<float>& work) {
  register_timed(full_name<float>("energy_and_sgemm", work->shape(), 1),
                 [work](benchmark::State& state) {
                   ThreadPool pool(1);
                   Sgemm sgemm(*work);
                   evaluate(*work, pool);
                   sgemm.run();
                   BestTime ours;
                   BestTime theirs;
                   for ([[maybe_unused]] auto _ : state) {
                     theirs.run([&] { sgemm.run(); });
                     ours.run([&] { evaluate(*work, pool); });
                   }
                   state.counters["energy_ms"] = 1e3 * ours.seconds();
                   state.counters["sgemm_ms"] = 1e3 * theirs.seconds();
                   state.counters["sgemm_%"] =
                       100.0 * theirs.seconds() / ours.seconds();
                 });
}

// Pruned and exact take turns on the same clustered data.
void register_pruned(const Shape& shape, std::size_t threads) {
  const auto work = std::make_shared<Workload<float>>(shape);
  register_timed(full_name<float>("pruned", shape, threads),
                 [work, threads](benchmark::State& state) {
                   constexpr double kTolerance = 1e-6;
                   ThreadPool pool(threads);
                   const Context context{&pool, nullptr};
                   evaluate(*work, pool);
                   BestTime exact;
                   BestTime pruned;
                   double share = 1.0;
                   for ([[maybe_unused]] auto _ : state) {
                     exact.run([&] { evaluate(*work, pool); });
                     pruned.run([&] {
                       share = evaluate_pruned(work->model(), work->queries(),
                                               kTolerance, {}, context)
                                   .evaluated_share;
                     });
                   }
                   state.counters["exact_ms"] = 1e3 * exact.seconds();
                   state.counters["pruned_ms"] = 1e3 * pruned.seconds();
                   state.counters["evaluated_%"] = 100.0 * share;
                   state.counters["x_exact"] =
                       exact.seconds() / pruned.seconds();
                 });
}

void register_energies() {
  for (const std::size_t n : {1024, 4096, 16384}) {
    const auto work = std::make_shared<Workload<float>>(Shape{768, n, 960});
    register_energy_beside_sgemm(work);
    for (const std::size_t threads : {1, 2}) {
      register_energy(work, threads, Bound::kFma);
    }
  }
  const auto middle =
      std::make_shared<Workload<float>>(Shape{64, 100'000, 2000});
  const auto small =
      std::make_shared<Workload<float>>(Shape{4, 25'000, 25'000, 0.02});
  // So small a temperature that a running maximum is needed.
  const auto sharp =
      std::make_shared<Workload<float>>(Shape{4, 25'000, 25'000, 0.01});
  const auto wide = std::make_shared<Workload<double>>(Shape{768, 4096, 960});
  const auto narrow =
      std::make_shared<Workload<double>>(Shape{4, 25'000, 25'000, 0.02});
  for (const std::size_t threads : {1, 2}) {
    register_energy(middle, threads, Bound::kFma);
    register_energy(small, threads, Bound::kExp);
    register_energy(wide, threads, Bound::kFma);
    register_energy(narrow, threads, Bound::kExp);
    register_energy(sharp, threads, Bound::kExp);
    register_pruned({4, 25'000, 25'000, 0.02, 20}, threads);
    register_pruned({4, 25'000, 25'000, 0.01, 20}, threads);
  }
}

}  // namespace

void register_timed(const std::string& name,
                    std::function<void(benchmark::State&)> body) {
  benchmark::RegisterBenchmark(name.c_str(), std::move(body))
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace sbog::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("simd_target", sbog::detail::simd_target());
  benchmark::AddCustomContext("openblas_core", sbog::bench::openblas_core());
  sbog::bench::register_energies();
  sbog::bench::register_sgemm();
  sbog::bench::register_gradients();
  sbog::bench::register_robust_logits();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
