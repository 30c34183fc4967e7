// SPDX-License-Identifier: Apache-2.0
// Reading a run folder; see run_reader.h.
#include "run_reader.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/data/dataset.h"

namespace sbog::cli {
namespace {

// The arguments of the run, by the parser that made them.
GenerateArguments read_config(const std::string& path, const std::string& input,
                              const std::string& folder) {
  GenerateArguments arguments;
  CLI::App app;
  std::uint64_t seed = 0;
  app.add_option("--seed", seed);
  app.set_config("--config");
  declare_generate_options(*app.add_subcommand("generate"), arguments);
  // CLI11 takes the arguments from the back.
  std::vector<std::string> words = {folder,     "--out", input,
                                    "generate", path,    "--config"};
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw IoError(path, std::string("cannot be read: ") + error.what());
  }
  return arguments;
}

}  // namespace

std::string FinishedRun::file(const char* name) const {
  return (std::filesystem::path(folder) / name).string();
}

nlohmann::json read_run_manifest(const std::string& folder) {
  const std::string path =
      (std::filesystem::path(folder) / "manifest.json").string();
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(folder, "holds no run (no manifest.json)");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  nlohmann::json manifest = nlohmann::json::parse(text, nullptr, false);
  const bool is_manifest =
      manifest.is_object() && manifest["state"].is_string() &&
      manifest["input"].is_string() && manifest["seed"].is_number_unsigned() &&
      manifest["input_checksum"].is_string();
  if (!is_manifest) throw IoError(path, "is not the manifest of a run");
  if (manifest["state"] == "running") {
    throw IoError(folder,
                  "holds an unfinished run; go on with it by sbog generate "
                  "--resume first");
  }
  return manifest;
}

GenerateArguments bank_of_run(const std::string& folder,
                              GenerateArguments arguments) {
  const std::filesystem::path path = folder;
  arguments.input = (path / "bank.npy").string();
  arguments.labels = (path / "bank_labels.npy").string();
  arguments.anchors = (path / "class_anchors.npy").string();
  return arguments;
}

FinishedRun open_run(const std::string& folder, const std::string& bank) {
  FinishedRun run;
  run.folder = folder;
  run.manifest = read_run_manifest(folder);
  const std::string kind = run.manifest.value("kind", "latent");
  if (kind != "latent" && kind != "image") {
    throw InvalidArgument(folder +
                          ": a run on points is expected, but this one holds "
                          "windows of a series; see its metrics.json");
  }
  run.seed = run.manifest["seed"].get<std::uint64_t>();
  run.arguments = read_config(
      run.file("config.toml"),
      bank.empty() ? run.manifest["input"].get<std::string>() : bank, folder);
  if (kind == "latent") return run;
  if (!bank.empty()) {
    throw InvalidArgument("--bank: a run on images has its bank in its folder");
  }
  run.arguments = bank_of_run(folder, run.arguments);
  run.checksum_name = "bank_checksum";
  if (!std::filesystem::exists(run.arguments.input)) {
    throw IoError(folder, "has no bank.npy, which a run on images writes");
  }
  return run;
}

template <typename T>
RunInputs<T> load_run_inputs(const FinishedRun& run) {
  RunInputs<T> inputs = load_inputs<T>(run.arguments);
  if (checksum_hex(inputs.checksum()) !=
      run.manifest.value(run.checksum_name, "")) {
    throw IoError(run.arguments.input,
                  "is not what the run in " + run.folder + " was made from");
  }
  return inputs;
}

template <typename T>
SamplerOptions run_options(const FinishedRun& run, const RunInputs<T>& inputs) {
  SamplerOptions options = to_sampler_options(run.arguments, run.seed);
  options.energy.metric = inputs.metric.view();
  options.count = count_of_class(run.arguments, 0, inputs.class_count());
  return options;
}

template <typename T>
RunOutliers<T> read_outliers(const FinishedRun& run) {
  RunOutliers<T> outliers;
  outliers.points = to_matrix<T>(read_array(run.file("outliers.npy")));
  const std::size_t rows = outliers.points.rows();
  if (rows == 0) throw IoError(run.folder, "has no outliers");
  CsvOptions csv;
  csv.columns = {"class", "margin", "anchor_row"};
  csv.header = CsvHeader::kPresent;
  const CsvTable table = read_csv(run.file("outliers.csv"), csv);
  if (table.values.rows() != rows) {
    throw IoError(run.file("outliers.csv"),
                  "has " + std::to_string(table.values.rows()) + " rows for " +
                      std::to_string(rows) + " outliers");
  }
  for (std::size_t i = 0; i < rows; ++i) {
    outliers.classes.push_back(static_cast<std::int64_t>(table.values(i, 0)));
    outliers.margins.push_back(table.values(i, 1));
    outliers.anchor_rows.push_back(
        static_cast<std::size_t>(table.values(i, 2)));
  }
  return outliers;
}

template RunInputs<float> load_run_inputs(const FinishedRun&);
template RunInputs<double> load_run_inputs(const FinishedRun&);
template SamplerOptions run_options(const FinishedRun&,
                                    const RunInputs<float>&);
template SamplerOptions run_options(const FinishedRun&,
                                    const RunInputs<double>&);
template RunOutliers<float> read_outliers(const FinishedRun&);
template RunOutliers<double> read_outliers(const FinishedRun&);

}  // namespace sbog::cli
