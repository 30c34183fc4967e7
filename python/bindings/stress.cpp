// SPDX-License-Identifier: Apache-2.0
// The job stress with a Python function as the model: on a run folder, on data,
// or on cases in memory. The function runs on the thread that called.
#include "sbog/job/stress.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "options.h"
#include "rooms.h"
#include "run_call.h"
#include "sbog/job/files.h"
#include "sbog/job/stress_files.h"
#include "sbog/sample/sampler_option_table.h"

namespace sbog::python {
namespace {

using OptionalLabels = std::optional<VectorIn<std::int64_t>>;
using OptionalVector = std::optional<VectorIn<double>>;

// A copy, so that a model that writes into what it gets changes no case.
template <typename T>
nb::object copy_of(const Array& array) {
  auto* kept = new std::vector<T>(array.size());
  const nb::capsule owner(kept, [](void* pointer) noexcept {
    delete static_cast<std::vector<T>*>(pointer);
  });
  if (!kept->empty()) {
    std::memcpy(kept->data(), array.bytes(), array.byte_count());
  }
  const std::vector<std::size_t>& shape = array.shape();
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(),
                                            shape.data(), owner));
}

nb::object to_numpy_copy(const Array& array) {
  if (array.type() == ElementType::kFloat32) return copy_of<float>(array);
  if (array.type() == ElementType::kFloat64) return copy_of<double>(array);
  const LoadedMatrix<double> values = to_matrix<double>(array);
  Matrix<double> copy(values.rows(), values.cols());
  std::copy_n(values.view().data(), copy.size(), copy.data());
  const Array as_doubles = to_array(std::move(copy), array.name());
  return copy_of<double>(Array(array.name(), ElementType::kFloat64,
                               array.shape(), as_doubles.shared_bytes()));
}

// `ask` takes an array and gives rows of float64.
job::StressModel model_of(const nb::object& ask, CallingThread& caller) {
  return [&ask, &caller](const job::StressBatch& batch) {
    Matrix<double> answers;
    const bool is_done = caller.run([&] {
      const auto said = nb::cast<MatrixIn<double>>(
          ask(to_numpy_copy(batch.values)), /*convert=*/false);
      answers = Matrix<double>(said.shape(0), said.shape(1));
      std::copy_n(said.data(), answers.size(), answers.data());
    });
    return is_done ? std::move(answers) : Matrix<double>();
  };
}

job::StressOptions options_of(const Given& given) {
  job::StressOptions options;
  apply_given(job::stress_option_table(), given, options);
  job::check_outputs(job::stress_option_table().values(options));
  return options;
}

Facts sought_of(const job::StressSeek& seek) {
  Matrix<double> points = seek.result.points.clone();
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> rows;
  for (const stress::SeekOrigin& origin : seek.origins) {
    labels.push_back(origin.label);
    rows.push_back(static_cast<std::int64_t>(origin.anchor_row));
  }
  Facts sought;
  sought["points"] = to_numpy(std::move(points));
  sought["losses"] = to_numpy(std::vector<double>(seek.result.losses));
  sought["class"] = to_numpy(std::move(labels));
  sought["anchor_row"] = to_numpy(std::move(rows));
  return sought;
}

// Status, result as JSON, table as CSV, JUnit, what was sought.
using Told = nb::typed<nb::tuple, nb::str, nb::str, nb::str, nb::str,
                       std::optional<Facts>>;

Told to_tuple(const job::StressResult& result) {
  if (result.status == job::Status::kStopped) {
    throw std::runtime_error("the call was stopped");
  }
  const auto json = to_json(result);
  using Json = std::remove_cvref_t<decltype(json)>;
  std::optional<Facts> sought;
  if (result.seek) sought = sought_of(*result.seek);
  return Told(nb::make_tuple(
      result.status == job::Status::kDone ? "done" : "not reached",
      json.dump(-1, ' ', false, Json::error_handler_t::replace),
      stress_table(result), stress_junit(result), sought));
}

Told stress_run(const Given& given, const nb::object& ask,
                const std::string& name, const nb::object& listener,
                std::size_t threads) {
  job::StressOptions options = options_of(given);
  job::StressResult result;
  run_call(
      threads, listener,
      [&](job::Events& events, const Context& context, CallingThread& caller) {
        if (!ask.is_none()) {
          options.function = model_of(ask, caller);
          options.function_name = name;
        }
        result = run(options, events, {context.pool, nullptr});
      });
  return to_tuple(result);
}

// What sample_outliers made, as it knows it.
struct Drawn {
  MatrixIn<float> points;
  VectorIn<std::int64_t> classes;
  VectorIn<std::int64_t> anchor_rows;
  VectorIn<std::int64_t> severities;
  std::vector<std::pair<std::int64_t, std::string>> class_names;
};

std::vector<job::CaseFacts> facts_of(const Drawn& drawn) {
  std::vector<job::CaseFacts> list;
  for (std::size_t i = 0; i < drawn.points.shape(0); ++i) {
    job::CaseFacts facts;
    facts.row = i;
    facts.outlier = i;
    facts.anchor_row = static_cast<std::size_t>(drawn.anchor_rows(i));
    facts.label = drawn.classes(i);
    facts.class_name = std::to_string(facts.label);
    for (const auto& [label, name] : drawn.class_names) {
      if (label == facts.label) facts.class_name = name;
    }
    facts.severity = std::to_string(drawn.severities(i));
    list.push_back(std::move(facts));
  }
  return list;
}

Told stress_memory(
    const Given& given, const nb::object& ask, const std::string& name,
    const MatrixIn<float>& points, const VectorIn<std::int64_t>& classes,
    const VectorIn<std::int64_t>& anchor_rows,
    const VectorIn<std::int64_t>& severities,
    const std::vector<std::pair<std::int64_t, std::string>>& class_names,
    const MatrixIn<float>& bank, const OptionalLabels& labels,
    const std::optional<MatrixIn<double>>& anchors,
    const OptionalVector& losses, const std::optional<MatrixIn<double>>& metric,
    const std::string& profile, const Given& sampler, double epsilon,
    const std::optional<MatrixIn<float>>& controls, const nb::object& listener,
    std::size_t threads) {
  const std::size_t count = points.shape(0);
  for (const auto* column : {&classes, &anchor_rows, &severities}) {
    if (column->shape(0) == count) continue;
    throw InvalidArgument("stress: one entry per case is expected");
  }
  for (const std::int64_t row : span_of(anchor_rows)) {
    if (row >= 0 && static_cast<std::size_t>(row) < bank.shape(0)) continue;
    throw InvalidArgument("anchor_row: rows of the bank are expected, got " +
                          std::to_string(row));
  }
  if (points.shape(1) != bank.shape(1)) {
    throw InvalidArgument("cases: the columns of the bank are expected");
  }
  job::StressOptions options = options_of(given);
  job::StressMemory memory;
  memory.problem.bank = view_of(bank);
  if (labels) memory.problem.labels = span_of(*labels);
  if (anchors) memory.problem.class_anchors = view_of(*anchors);
  if (losses) memory.problem.losses = span_of(*losses);
  memory.sampler = profile_options(profile);
  apply_given(sampler_option_table(), sampler, memory.sampler);
  if (metric) memory.sampler.energy.metric = view_of(*metric);
  memory.epsilon = epsilon;
  memory.cases.points = view_of(points);
  memory.cases.facts =
      facts_of({points, classes, anchor_rows, severities, class_names});
  memory.cases.bank = memory.problem.bank;
  memory.cases.labels = memory.problem.labels;
  if (controls) memory.cases.controls = view_of(*controls);
  memory.cases.control_source = "rows that were given";
  memory.cases.is_on_sphere = memory.sampler.projection == Projection::kSphere;
  job::StressResult result;
  run_call(
      threads, listener,
      [&](job::Events& events, const Context& context, CallingThread& caller) {
        options.function = model_of(ask, caller);
        options.function_name = name;
        result = run(memory, options, events, {context.pool, nullptr});
      });
  return to_tuple(result);
}

}  // namespace

void bind_stress(nb::module_& module) {
  module.def("stress_options",
             [] { return job::stress_option_table().infos(); });
  module.def("stress_run", stress_run, nb::arg("given"), nb::arg("ask").none(),
             nb::arg("name"), nb::arg("listener").none(), nb::arg("threads"),
             "Status, result as JSON, table as CSV, JUnit, what was sought.");
  module.def("stress_memory", stress_memory, nb::arg("given"), nb::arg("ask"),
             nb::arg("name"), nb::arg("points").noconvert(), nb::arg("classes"),
             nb::arg("anchor_rows"), nb::arg("severities"),
             nb::arg("class_names"), nb::arg("bank").noconvert(),
             nb::arg("labels").none(), nb::arg("class_anchors").none(),
             nb::arg("losses").none(), nb::arg("metric").none(),
             nb::arg("profile"), nb::arg("sampler"), nb::arg("epsilon"),
             nb::arg("controls").none(), nb::arg("listener").none(),
             nb::arg("threads"));
}

}  // namespace sbog::python
