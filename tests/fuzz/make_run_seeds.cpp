// SPDX-License-Identifier: Apache-2.0
// Writes what the fuzzers of runs and models start from, each made as the tool
// makes it: make_run_seeds part|scenarios|manifest|config|model FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sbog/job/detect_train.h"
#include "sbog/job/generate.h"
#include "sbog/job/scenario_json.h"
#include "sbog/job/train_series.h"
#include "sbog/run/run_part.h"

namespace {

namespace fs = std::filesystem;

// A job with these options, each a name and its value.
template <typename Options>
void run_job(const sbog::OptionTable<Options>& table,
             const std::vector<std::pair<std::string, std::string>>& words) {
  std::vector<sbog::Assignment> given;
  given.reserve(words.size());
  for (const auto& [name, value] : words)
    given.push_back({name, {value}, name});
  Options options;
  table.apply(given, options);
  sbog::job::Events events;
  sbog::job::run(options, events);
}

template <typename T>
void write_part_seed(const std::string& path) {
  sbog::RunPart<T> part;
  sbog::Output<T> output;
  output.is_accepted = true;
  output.k = 5;
  output.rounds = 2;
  output.round = 1;
  output.anchor_row = 9;
  output.point = {T{1}, T{2}};
  part.outputs.push_back(output);
  part.tallies.resize(2);
  part.rounds = {0, 1, 0};
  sbog::write_part(path, {1, 4, 8, 77}, part, 2);
}

// One that fits the limits of fuzz_scenarios.cpp.
sbog::series::Scenario scenario(std::size_t index) {
  sbog::series::Scenario s;
  s.index = index;
  s.status = sbog::series::ScenarioStatus::kReached;
  s.anchor_window = 11;
  s.anchor_start = 22;
  s.source = sbog::Matrix<double>(2, 3);
  s.window = sbog::Matrix<double>(2, 3);
  s.edits.resize(1);
  s.edits[0].effect.last = 1;
  s.changes.resize(1);
  s.sentence = "From row 23 on.";
  s.source_point = {1.0, 0.0};
  s.target = {0.6, 0.8};
  s.point = {0.5, 0.866};
  s.second = sbog::series::SecondOpinion{0.2, 0.9};
  return s;
}

void write_scenario_seed(const std::string& path) {
  nlohmann::json list = {sbog::job::to_json(scenario(7)),
                         sbog::job::to_json(scenario(17))};
  std::ofstream(path) << list.dump();
}

void write_run_seed(const std::string& folder, const std::string& name) {
  const std::string run = folder + "/run";
  run_job(sbog::job::generate_option_table(), {{"input", "demo:bank"},
                                               {"out", run},
                                               {"count", "3"},
                                               {"anchor_count", "4"},
                                               {"no_report", "true"}});
  fs::rename(run + "/" + name, folder + "/seed-" + name);
  fs::remove_all(run);
}

void write_model_seeds(const std::string& folder) {
  const auto& detectors = sbog::job::detect_train_option_table();
  run_job(detectors, {{"data", "demo:bank"},
                      {"score", "rmd"},
                      {"out", folder + "/seed-points"}});
  run_job(detectors, {{"data", "demo:series"},
                      {"joint_rows", "50"},
                      {"out", folder + "/seed-rows"}});
  run_job(detectors, {{"data", "demo:series"},
                      {"detector", "carla"},
                      {"width", "40"},
                      {"epochs", "1"},
                      {"out", folder + "/seed-windows"}});
  run_job(sbog::job::train_series_option_table(),
          {{"data", "demo:series"},
           {"width", "40"},
           {"epochs", "1"},
           {"out", folder + "/seed-encoder"}});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 3 ? argv[1] : "";
  const std::string folder = argc == 3 ? argv[2] : "";
  if (kind == "part") {
    write_part_seed<float>(folder + "/seed-float");
    write_part_seed<double>(folder + "/seed-double");
  } else if (kind == "scenarios") {
    write_scenario_seed(folder + "/seed-two");
  } else if (kind == "manifest") {
    write_run_seed(folder, "manifest.json");
  } else if (kind == "config") {
    write_run_seed(folder, "config.toml");
  } else if (kind == "model") {
    write_model_seeds(folder);
  } else {
    std::fprintf(stderr,
                 "use: make_run_seeds part|scenarios|manifest|config|model "
                 "FOLDER\n");
    return 2;
  }
  return 0;
}
