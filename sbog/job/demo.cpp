// SPDX-License-Identifier: Apache-2.0
// See demo.h.
#include "sbog/job/demo.h"

#include <nlohmann/json.hpp>

#include "sbog/energy/score_bank.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/report.h"

namespace sbog::job {
namespace {

constexpr double kDemoEpsilon = 0.05;

std::string folder_of(const DemoOptions& options) {
  if (!options.out.empty()) return options.out;
  return std::string("sbog-demo/") + to_string(options.kind);
}

// What a demo sets, under the names of the command line.
std::vector<Assignment> demo_assignments(const DemoOptions& options) {
  const auto given = [](const char* name, const char* value) {
    return Assignment{name, {value}, name};
  };
  switch (options.kind) {
    case Kind::kSeries:
      return {given("input", "demo:plant"), given("count", "12")};
    case Kind::kImages:
      return {given("input", "demo:shapes"), given("count", "24"),
              given("epochs", "8"), given("latent", "32"),
              given("decoder_epochs", "30")};
    default:
      return {given("input", "demo:bank"), given("labels", "demo:labels"),
              given("count", "50")};
  }
}

// Energies of the embedded bank and of nine other points.
void explain_energies(const DemoOptions& options, const Context& context,
                      DemoResult& result) {
  const LoadedMatrix<float> bank =
      to_matrix<float>(embedded_array("demo:bank"));
  const LoadedMatrix<float> queries =
      to_matrix<float>(embedded_array("demo:queries"));
  sbog::ScoreOptions scoring;
  scoring.energy.epsilon = kDemoEpsilon;
  scoring.seed = options.seed;
  const sbog::ScoreResult of_bank =
      score_bank<float>({bank.view(), {}, {}, {}, {}}, scoring, context);
  const sbog::ScoreResult of_queries = score_bank<float>(
      {bank.view(), {}, {}, queries.view(), {}}, scoring, context);
  result.epsilon = kDemoEpsilon;
  result.bank_rows = bank.rows();
  result.threshold = of_bank.classes[0].threshold.value;
  const std::vector<double> levels =
      quantiles(of_bank.energies, std::vector<double>{0.5, 1.0});
  result.median_energy = levels[0];
  result.highest_energy = levels[1];
  result.query_energies = of_queries.energies;
}

}  // namespace

const OptionTable<DemoOptions>& demo_option_table() {
  using O = DemoOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table
        .add_enum(
            "kind", &O::kind, parse_kind,
            [](Kind kind) { return to_string(kind); }, kind_names(),
            "Kind of the embedded data: latent (points), series or image")
        .basic();
    table.add("out", &O::out, "Folder of the run")
        .basic()
        .writes()
        .value("FOLDER")
        .without("sbog-demo/ and the kind");
    table.add("seed", &O::seed, "Seed of everything that is drawn")
        .also("random_state");
    return table;
  }();
  return kTable;
}

GenerateOptions demo_generate_options(const DemoOptions& options) {
  GenerateOptions generate;
  generate_option_table().apply(demo_assignments(options), generate);
  generate.out = folder_of(options);
  generate.sampler.seed = options.seed;
  generate.resume = true;
  generate.no_report = true;
  return generate;
}

std::string demo_command_line(const DemoOptions& options) {
  std::string words = "sbog generate";
  for (const Assignment& given : demo_assignments(options)) {
    words += given.name == "input" ? " " : " --" + dashed(given.name) + " ";
    words += given.values.front();
  }
  return words;
}

DemoResult run(const DemoOptions& options, Events& events,
               const Context& context) {
  DemoResult result;
  result.kind = options.kind;
  if (options.kind == Kind::kPoints) explain_energies(options, context, result);
  result.run = run(demo_generate_options(options), events, context);
  result.status = result.run.status;
  if (result.status == Status::kStopped) return result;
  ReportOptions report;
  report.run = result.run.out;
  const ReportResult written = run(report, events, context);
  if (written.status == Status::kStopped) result.status = Status::kStopped;
  result.report = written.path;
  return result;
}

nlohmann::json to_json(const DemoResult& result) {
  nlohmann::json json = nlohmann::json::object();
  if (result.kind == Kind::kPoints) {
    json = {{"epsilon", result.epsilon},
            {"bank_rows", result.bank_rows},
            {"threshold", result.threshold},
            {"query_energies", result.query_energies}};
  }
  json["out"] = result.run.out;
  json["report"] = result.report;
  return json;
}

}  // namespace sbog::job
