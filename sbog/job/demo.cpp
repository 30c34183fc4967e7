// SPDX-License-Identifier: Apache-2.0
// See demo.h.
#include "sbog/job/demo.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "sbog/energy/score_bank.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"
#include "sbog/job/report.h"
#include "sbog/job/stress_files.h"

namespace sbog::job {
namespace {

constexpr double kDemoEpsilon = 0.05;
constexpr const char* kDemoSeries = "demo:plant";

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
      return {given("input", kDemoSeries), given("count", "90"),
              given("law", "edit-first")};
    case Kind::kImages:
      return {given("input", "demo:shapes"), given("count", "24"),
              given("epochs", "8"), given("latent", "32"),
              given("decoder_epochs", "30")};
    default:
      return {given("input", "demo:bank"), given("labels", "demo:labels"),
              given("count", "50")};
  }
}

DemoEnergies explain_energies(const DemoOptions& options,
                              const Context& context) {
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
  const std::vector<double> levels =
      quantiles(of_bank.energies, std::vector<double>{0.5, 1.0});
  return {kDemoEpsilon, bank.rows(), of_bank.classes[0].threshold.value,
          levels[0],    levels[1],   of_queries.energies};
}

// Learns a detector of the series, unless it is there. False when stopped.
bool find_detector(const DemoOptions& options, Events& events,
                   const Context& context) {
  const DetectTrainOptions detector = demo_detector_options(options);
  if (std::filesystem::exists(detector.out)) return true;
  return run(detector, events, context).status != Status::kStopped;
}

// Nothing when stopped.
std::optional<DemoPart> run_part(const DemoOptions& options, Events& events,
                                 const Context& context) {
  DemoPart part;
  part.kind = options.kind;
  if (options.kind == Kind::kPoints) {
    part.energies = explain_energies(options, context);
  }
  part.run = run(demo_generate_options(options), events, context);
  if (part.run.status == Status::kStopped) return std::nullopt;
  if (options.kind == Kind::kSeries) {
    if (!find_detector(options, events, context)) return std::nullopt;
    part.stress = run(demo_stress_options(options), events, context);
    if (part.stress->status == Status::kStopped) return std::nullopt;
  }
  ReportOptions report;
  report.run = part.run.out;
  const ReportResult written = run(report, events, context);
  if (written.status == Status::kStopped) return std::nullopt;
  part.report = written.path;
  return part;
}

// A demo of everything as demos of one kind each.
std::vector<DemoOptions> parts_of(const DemoOptions& options) {
  if (options.kind != Kind::kAuto) return {options};
  std::vector<DemoOptions> parts;
  for (const Kind kind : {Kind::kSeries, Kind::kPoints}) {
    DemoOptions part = options;
    part.kind = kind;
    if (!part.out.empty()) part.out += std::string("/") + to_string(kind);
    parts.push_back(std::move(part));
  }
  return parts;
}

nlohmann::json part_json(const DemoPart& part) {
  nlohmann::json json = {{"kind", to_string(part.kind)},
                         {"out", part.run.out},
                         {"report", part.report}};
  if (part.energies) {
    json["epsilon"] = part.energies->epsilon;
    json["bank_rows"] = part.energies->bank_rows;
    json["threshold"] = part.energies->threshold;
    json["query_energies"] = part.energies->queries;
  }
  if (part.stress) json["verdict"] = verdict_sentence(*part.stress);
  return json;
}

}  // namespace

const OptionTable<DemoOptions>& demo_option_table() {
  using O = DemoOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table
        .add_enum(
            "kind", &O::kind, parse_kind,
            [](Kind kind) { return to_string(kind); },
            {to_string(Kind::kPoints), to_string(Kind::kSeries),
             to_string(Kind::kImages)},
            "Kind of the embedded data: latent (points), series or image")
        .basic()
        .without("a series, then points");
    table
        .add("out", &O::out,
             "Folder of the run, or for the runs of several kinds")
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

DetectTrainOptions demo_detector_options(const DemoOptions& options) {
  DetectTrainOptions detector;
  detector.input.data = kDemoSeries;
  detector.kind = Kind::kSeries;
  detector.out = folder_of(options) + "/detector.safetensors";
  detector.seed = options.seed;
  return detector;
}

StressOptions demo_stress_options(const DemoOptions& options) {
  StressOptions stress;
  stress.input = folder_of(options);
  stress.model = demo_detector_options(options).out;
  stress.seed = options.seed;
  return stress;
}

std::vector<std::string> demo_command_lines(const DemoOptions& options) {
  const std::string out = shell_word(folder_of(options));
  std::string words = "sbog generate";
  for (const Assignment& given : demo_assignments(options)) {
    words += given.name == "input" ? " " : " --" + dashed(given.name) + " ";
    words += given.values.front();
  }
  std::vector<std::string> lines = {words + " --out " + out};
  if (options.kind != Kind::kSeries) return lines;
  const std::string detector = shell_word(demo_detector_options(options).out);
  lines.push_back(std::string("sbog detect train ") + kDemoSeries + " --out " +
                  detector);
  lines.push_back("sbog stress " + out + " --model " + detector);
  lines.push_back("sbog report " + out);
  return lines;
}

DemoResult run(const DemoOptions& options, Events& events,
               const Context& context) {
  DemoResult result;
  for (const DemoOptions& wanted : parts_of(options)) {
    std::optional<DemoPart> part = run_part(wanted, events, context);
    if (!part) {
      result.status = Status::kStopped;
      return result;
    }
    if (part->run.status != Status::kDone) result.status = part->run.status;
    result.parts.push_back(std::move(*part));
  }
  return result;
}

nlohmann::json to_json(const DemoResult& result) {
  if (result.parts.size() == 1) return part_json(result.parts.front());
  nlohmann::json parts = nlohmann::json::array();
  for (const DemoPart& part : result.parts) parts.push_back(part_json(part));
  return {{"out", result.parts.front().run.out},
          {"report", result.parts.front().report},
          {"parts", parts}};
}

}  // namespace sbog::job
