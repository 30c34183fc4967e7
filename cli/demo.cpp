// SPDX-License-Identifier: Apache-2.0
// sbog demo: scores the embedded bank and says what the numbers mean, or does
// the whole job on embedded images.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "commands.h"
#include "embedded_data.h"
#include "exit_code.h"
#include "image_jobs.h"
#include "sbog/energy/score_bank.h"

namespace sbog::cli {
namespace {

constexpr const char* kFooter =
    "With --kind image an encoder and a decoder are trained on embedded "
    "shapes\n"
    "(a minute or two) and outliers of each class are made: see grid.png.\n"
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
  std::printf(
      "\n"
      "Next: sbog score demo:bank --queries demo:queries --out energies.npy\n"
      "      sbog score YOUR.npy --epsilon 0.05   (also .csv, .npz:name, "
      ".safetensors:name, .idx)\n");
}

int run(const CommonOptions& common) {
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
  if (!common.is_json) {
    print_words(of_bank, of_queries);
    return kDone;
  }
  const nlohmann::json json = {
      {"epsilon", kEpsilon},
      {"bank_rows", bank.rows()},
      {"threshold", of_bank.classes[0].threshold.value},
      {"query_energies", of_queries.energies}};
  std::printf("%s\n", json.dump(2).c_str());
  return kDone;
}

struct DemoArguments {
  std::string kind = "latent";
  std::string out = "sbog-demo";
};

// Shapes to outliers, as `sbog generate demo:shapes` with these settings does.
int run_image(const DemoArguments& a, const CommonOptions& common) {
  GenerateArguments shared;
  shared.input = "demo:shapes";
  shared.kind = "image";
  shared.out = a.out;
  shared.count = 24;
  shared.is_resumed = true;
  ImageRunArguments own;
  own.input.data = shared.input;
  own.training.epochs = 8;
  own.training.latent = 32;
  return generate_image(shared, own, common);
}

}  // namespace

void add_demo(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "demo", "Score the embedded bank and explain the numbers");
  const auto arguments = std::make_shared<DemoArguments>();
  command->footer(kFooter);
  command
      ->add_option("--kind", arguments->kind,
                   "latent: points and their energies; image: outliers of "
                   "embedded shapes, which needs LibTorch")
      ->check(CLI::IsMember({"latent", "image"}));
  command->add_option("--out", arguments->out,
                      "Folder of the run of --kind image");
  command->callback([arguments, &common, &exit_code] {
    exit_code = arguments->kind == "image" ? run_image(*arguments, common)
                                           : run(common);
  });
}

}  // namespace sbog::cli
