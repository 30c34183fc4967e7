// SPDX-License-Identifier: Apache-2.0
// The room oracle: a generator judged on a boundary that is known exactly.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "options.h"
#include "rooms.h"
#include "run_call.h"
#include "sbog/oracle/oracle_experiment.h"
#include "sbog/sample/sampler_option_table.h"

namespace sbog::python {
namespace {

Facts run(std::uint64_t seed, double nats, double mean_scale,
          std::size_t bank_per_class, std::size_t outputs_per_class,
          const Given& given, const nb::object& listener, std::size_t threads) {
  OracleSettings settings;
  settings.seed = seed;
  settings.nats = nats;
  settings.mean_scale = mean_scale;
  settings.bank_per_class = bank_per_class;
  settings.outputs_per_class = outputs_per_class;
  SamplerOptions options = oracle_options();
  apply_given(sampler_option_table(), given, options);
  OracleRow row;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    const OracleWorld world(settings, {context.pool, nullptr});
    row = run_oracle(world, options, {context.pool, nullptr});
  });
  Facts out;
  out["boundary_precision"] = row.boundary_precision;
  out["semantic_validity"] = row.semantic_validity;
  out["boundary_coverage"] = row.boundary_coverage;
  out["worst_coverage"] = row.worst_coverage;
  out["sliced_wasserstein"] = row.sliced_wasserstein;
  out["oracle_aupr"] = row.oracle_aupr;
  out["round_acceptance"] = row.round_acceptance;
  out["decode_failure"] = row.decode_failure;
  out["region_coverage"] = to_numpy(std::move(row.region_coverage));
  return out;
}

}  // namespace

void bind_oracle(nb::module_& module) {
  module.def("run_oracle", run, nb::arg("seed"), nb::arg("nats"),
             nb::arg("mean_scale"), nb::arg("bank_per_class"),
             nb::arg("outputs_per_class"), nb::arg("given"),
             nb::arg("listener").none(), nb::arg("threads"));
}

}  // namespace sbog::python
