// SPDX-License-Identifier: Apache-2.0
// See run_inputs.h.
#include "sbog/job/run_inputs.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/energy/threshold.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/table_input.h"

namespace sbog::job {

template <typename T>
std::uint64_t RunInputs<T>::checksum() const {
  Checksum sum;
  const auto add = [&](const void* bytes, std::size_t count) {
    if (count > 0) sum.update(bytes, count);
  };
  add(bank.view().data(), bank.rows() * bank.cols() * sizeof(T));
  add(labels.data(), labels.size() * sizeof(std::int64_t));
  add(losses.data(), losses.size() * sizeof(double));
  add(anchors.data(), anchors.size() * sizeof(double));
  add(metric.view().data(), metric.rows() * metric.cols() * sizeof(double));
  const auto add_text = [&](const std::string& text) {
    add(text.data(), text.size());
  };
  std::ranges::for_each(class_names, add_text);
  if (!table) return sum.digest();
  for (const table::Column& column : table->columns()) {
    add_text(column.name);
    std::ranges::for_each(column.texts, add_text);
  }
  return sum.digest();
}

template <typename T>
std::size_t RunInputs<T>::class_count() const {
  const std::set<std::int64_t> distinct(labels.begin(), labels.end());
  return std::max<std::size_t>(1, distinct.size());
}

namespace {

template <typename T>
RunInputs<T> load_points(const GenerateOptions& options) {
  RunInputs<T> inputs;
  ReadOptions read;
  read.csv.columns = options.columns;
  LoadedBank<T> bank =
      load_bank<T>(options.input, read, options.sampler.energy.cost);
  inputs.bank = std::move(bank.rows);
  inputs.remarks = std::move(bank.remarks);
  if (!options.labels.empty()) {
    inputs.labels = to_labels(load_array(options.labels));
    check_label_count(inputs.labels, inputs.bank.rows(), "labels");
  }
  return inputs;
}

// A cosine says nothing of numbers and categories side by side, so a table has
// no anchors unless they are asked for.
std::string anchors_of(const GenerateOptions& options) {
  if (!options.class_anchors.empty()) return options.class_anchors;
  const bool has_means =
      !options.labels.empty() && options.kind != Kind::kTable;
  return has_means ? "means" : "none";
}

}  // namespace

template <typename T>
RunInputs<T> load_inputs(const GenerateOptions& options) {
  RunInputs<T> inputs = options.kind == Kind::kTable
                            ? load_table_inputs<T>(options)
                            : load_points<T>(options);
  if (!options.losses.empty()) {
    inputs.losses = to_vector(load_array(options.losses));
  }
  if (!options.metric.empty()) {
    inputs.metric = to_matrix<double>(load_array(options.metric));
  }
  const std::string anchors = anchors_of(options);
  if (anchors == "means") {
    check_points(inputs.bank.view(), GroundCost::kSquaredEuclidean, "bank");
    inputs.anchors = class_means<T>(inputs.bank.view(), inputs.labels);
  } else if (anchors != "none") {
    const LoadedMatrix<double> rows = to_matrix<double>(load_array(anchors));
    inputs.anchors = Matrix<double>(rows.rows(), rows.cols());
    std::copy_n(rows.view().data(), rows.rows() * rows.cols(),
                inputs.anchors.data());
  }
  return inputs;
}

std::size_t count_of_class(const GenerateOptions& options, std::size_t c,
                           std::size_t classes) {
  if (options.total == 0) {
    return options.sampler.count *
           std::max<std::size_t>(1, options.sampler.severities.size());
  }
  return options.total / classes + (c < options.total % classes ? 1 : 0);
}

bool reads_its_input(const FinishedRun& run) {
  return run.kind() == "latent" || run.kind() == "table";
}

GenerateOptions given_options_of_run(const FinishedRun& run) {
  GenerateOptions options;
  std::vector<Assignment> config = run.config();
  config.push_back({"input", {run.input()}, "input"});
  try {
    generate_option_table().apply(config, options);
  } catch (const InvalidArgument& error) {
    throw IoError(run.file("config.toml"),
                  std::string("cannot be read: ") + error.what());
  }
  return options;
}

GenerateOptions options_of_run(const FinishedRun& run,
                               const std::string& bank) {
  GenerateOptions options = given_options_of_run(run);
  options.sampler.seed = run.seed();
  options.out = run.folder();
  if (reads_its_input(run)) {
    for (std::string* spec : {&options.input, &options.losses, &options.metric,
                              &options.class_anchors}) {
      *spec = run.found(*spec);
    }
    if (options.kind != Kind::kTable)
      options.labels = run.found(options.labels);
    if (!bank.empty()) options.input = bank;
    return options;
  }
  if (!bank.empty()) {
    throw InvalidArgument("--bank: a run on " + run.kind() +
                          " has its bank in its folder");
  }
  if (!run.has_file("bank.npy")) {
    if (run.kind() == "series" && !run.manifest().contains("reference")) {
      throw InvalidArgument(
          "the run in " + run.folder() +
          " was made without an encoder, so it has no points to measure or to "
          "certify; sbog generate with --model FILE of sbog train series makes "
          "one that has");
    }
    throw IoError(run.folder(),
                  "has no bank.npy, which a run on " + run.kind() + " writes");
  }
  options.input = run.file("bank.npy");
  options.columns.clear();
  options.labels.clear();
  options.class_anchors = "none";
  if (run.kind() == "image") {
    options.labels = run.file("bank_labels.npy");
    options.class_anchors = run.file("class_anchors.npy");
  }
  return options;
}

template <typename T>
RunInputs<T> load_run_inputs(const FinishedRun& run,
                             const GenerateOptions& options) {
  RunInputs<T> inputs = load_inputs<T>(options);
  const char* entry = reads_its_input(run) ? "input_checksum" : "bank_checksum";
  // Runs on series of earlier versions did not keep the checksum of the bank.
  if (run.kind() == "series" && !run.manifest().contains(entry)) return inputs;
  if (checksum_hex(inputs.checksum()) != run.manifest().value(entry, "")) {
    throw IoError(options.input,
                  "is not what the run in " + run.folder() + " was made from");
  }
  return inputs;
}

double epsilon_of_run(const FinishedRun& run, const SamplerOptions& options) {
  if (!options.auto_epsilon || !run.manifest().contains("classes")) {
    return options.energy.epsilon;
  }
  std::vector<double> found;
  for (const nlohmann::json& entry : run.manifest()["classes"]) {
    const double epsilon = entry.value("epsilon", 0.0);
    if (epsilon > 0.0) found.push_back(epsilon);
  }
  return found.empty() ? options.energy.epsilon : quantile(found, 0.5);
}

template <typename T>
SamplerOptions sampler_of_run(const GenerateOptions& options,
                              const RunInputs<T>& inputs) {
  SamplerOptions sampler = options.sampler;
  sampler.energy.metric = inputs.metric.view();
  sampler.rules = inputs.table.get();
  sampler.count = count_of_class(options, 0, inputs.class_count());
  return sampler;
}

template struct RunInputs<float>;
template struct RunInputs<double>;
template RunInputs<float> load_inputs(const GenerateOptions&);
template RunInputs<double> load_inputs(const GenerateOptions&);
template RunInputs<float> load_run_inputs(const FinishedRun&,
                                          const GenerateOptions&);
template RunInputs<double> load_run_inputs(const FinishedRun&,
                                           const GenerateOptions&);
template SamplerOptions sampler_of_run(const GenerateOptions&,
                                       const RunInputs<float>&);
template SamplerOptions sampler_of_run(const GenerateOptions&,
                                       const RunInputs<double>&);

}  // namespace sbog::job
