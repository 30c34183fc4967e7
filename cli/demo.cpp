// SPDX-License-Identifier: Apache-2.0
// sbog demo: scores the embedded bank, says what the numbers mean, and makes
// outliers of embedded data with a report of them.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "commands.h"
#include "demo_run.h"
#include "embedded_data.h"
#include "sbog/energy/score_bank.h"
#include "sbog/job/files.h"

namespace sbog::cli {
namespace {

constexpr const char* kFooter =
    "latent scores 600 embedded points, explains the numbers and makes 150\n"
    "outliers of them; series makes scenarios of a made-up plant with twelve\n"
    "channels; image trains an encoder and a decoder on embedded shapes and\n"
    "makes outliers of each class (a minute or two). All end with a report to\n"
    "open in a browser. The last two need a build with LibTorch.\n"
    "A run that is there already is not made again.\n"
    "\n"
    "Examples:\n"
    "  sbog demo\n"
    "  sbog demo --json";

constexpr double kEpsilon = 0.05;

const char* meaning(std::size_t query) {
  if (query < 3) return "ordinary point of its class";
  return query < 6 ? "drawn three times as wide as its class"
                   : "halfway between two classes";
}

void print_words(const ScoreResult& bank, const ScoreResult& scored) {
  const Threshold& tau = bank.classes[0].threshold;
  const std::vector<double> levels =
      quantiles(bank.energies, std::vector<double>{0.5, 1.0});
  std::printf(
      "The embedded bank has 600 unit vectors of three classes in 4 "
      "dimensions.\n"
      "The energy E of a point is the cost of supporting it from the bank:\n"
      "small where the bank is dense, large where it has little to offer.\n"
      "\n"
      "Scored without itself, the median bank point has E = %.4f, the most\n"
      "isolated one %.4f. 95 %% of the bank lies below the threshold %.4f.\n"
      "Nine other points, scored against the bank (epsilon %.2f):\n"
      "\n"
      "  point  energy  outlier  what it is\n",
      levels[0], levels[1], tau.value, kEpsilon);
  for (std::size_t q = 0; q < scored.energies.size(); ++q) {
    std::printf("  %5zu  %.4f  %-7s  %s\n", q, scored.energies[q],
                scored.energies[q] >= tau.value ? "yes" : "no", meaning(q));
  }
  std::printf("\n");
}

// What to put in the place of the embedded data.
const char* own_data(const std::string& kind) {
  if (kind == "series") {
    return "a .csv file with a column per channel in place of demo:plant";
  }
  if (kind == "image") {
    return "a folder of PNG or JPEG files with a folder per class,\n"
           "         or an idx, npy, npz or CIFAR file, in place of "
           "demo:shapes";
  }
  return "a .npy, .npz:name, .csv, .safetensors:name or .idx\n"
         "         file in place of demo:bank";
}

void print_next(const std::string& kind, const std::string& out,
                const std::string& report) {
  std::string words = "sbog";
  for (const std::string& word : demo_words(kind, out)) {
    words += " " + job::shell_word(word);
  }
  std::printf(
      "\n"
      "Open   %s   in a browser.\n"
      "Made by: %s\n"
      "Next:    the same on your own data, %s\n",
      report.c_str(), words.c_str(), own_data(kind));
}

struct DemoArguments {
  std::string kind = "latent";
  std::string out;  // empty: sbog-demo/ and the kind
};

// Energies of the embedded bank; words now, or numbers for later.
nlohmann::json explain_energies(const CommonOptions& common) {
  const LoadedMatrix<float> bank =
      to_matrix<float>(embedded_array("demo:bank"));
  const LoadedMatrix<float> queries =
      to_matrix<float>(embedded_array("demo:queries"));
  ScoreOptions options;
  options.energy.epsilon = kEpsilon;
  options.seed = common.seed;
  ThreadPool pool(common.threads);
  const Context context{&pool, nullptr};
  const ScoreResult of_bank =
      score_bank<float>({bank.view(), {}, {}, {}, {}}, options, context);
  const ScoreResult of_queries = score_bank<float>(
      {bank.view(), {}, {}, queries.view(), {}}, options, context);
  if (!common.is_json) print_words(of_bank, of_queries);
  return {{"epsilon", kEpsilon},
          {"bank_rows", bank.rows()},
          {"threshold", of_bank.classes[0].threshold.value},
          {"query_energies", of_queries.energies}};
}

int run(const DemoArguments& arguments, const CommonOptions& common) {
  nlohmann::json json = nlohmann::json::object();
  if (arguments.kind == "latent") json = explain_energies(common);
  CommonOptions inner = common;
  inner.prints_result = !common.is_json;
  std::string report;
  const int code = demo_run(arguments.kind, arguments.out, inner, report);
  if (report.empty()) return code;
  if (common.is_json) {
    json["out"] = arguments.out;
    json["report"] = report;
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    print_next(arguments.kind, arguments.out, report);
  }
  return code;
}

}  // namespace

void add_demo(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "demo", "The main job on embedded data, explained, with a report");
  const auto arguments = std::make_shared<DemoArguments>();
  command->footer(kFooter);
  command->add_option("--kind", arguments->kind, "latent, series or image")
      ->check(CLI::IsMember({"latent", "series", "image"}));
  command->add_option("--out", arguments->out,
                      "Folder of the run; without it sbog-demo/ and the kind");
  command->callback([arguments, &common, &exit_code] {
    if (arguments->out.empty()) arguments->out = "sbog-demo/" + arguments->kind;
    exit_code = run(*arguments, common);
  });
}

}  // namespace sbog::cli
