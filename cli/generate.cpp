// SPDX-License-Identifier: Apache-2.0
// sbog generate: its words, and its result as text.
#include "sbog/job/generate.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "image_results.h"
#include "json_output.h"
#include "sbog/base/number_text.h"

namespace sbog::cli {
namespace {

constexpr std::size_t kShownSentences = 3;

// "12 of 12 outliers in run (3 s), edit-first proposals; severity 1: 4 of 4, 3
// of them outside; ..."
void print_severities(const job::GenerateResult& result) {
  std::printf("%s of %s outliers in %s (%s), %s proposals",
              with_commas(result.produced).c_str(),
              with_commas(result.requested).c_str(), result.out.c_str(),
              duration(result.seconds).c_str(), result.series->law.c_str());
  for (const auto& [severity, count] : result.series->severities) {
    std::printf("; severity %zu: %s of %s", severity,
                with_commas(count.kept).c_str(),
                with_commas(count.asked).c_str());
    if (result.series->has_energies) {
      std::printf(", %s outside", with_commas(count.outside).c_str());
    }
  }
  std::printf("\n");
}

void print_series(const job::GenerateResult& result) {
  const job::SeriesSummary& series = *result.series;
  for (std::size_t i = 0;
       i < std::min(kShownSentences, series.sentences.size()); ++i) {
    std::printf("%s\n\n", series.sentences[i].c_str());
  }
  if (series.mean_edits > 0.0) {
    std::printf(
        "Each sentence tells one of several edits that reach its point.\n");
  }
  if (!series.severities.empty()) {
    print_severities(result);
    return;
  }
  char how[40] = "drawn as a whole";
  if (series.mean_edits > 0.0) {
    std::snprintf(how, sizeof how, "%.2g edits each", series.mean_edits);
  }
  std::printf(
      "%s of %s outliers in %s (%s): %s, ending %.0f %% of the way short of "
      "their targets on average, %s proposals\n",
      with_commas(result.produced).c_str(),
      with_commas(result.requested).c_str(), result.out.c_str(),
      duration(result.seconds).c_str(), how, 100.0 * series.mean_reached,
      series.law.c_str());
}

void print_points(const job::GenerateResult& result) {
  std::printf("%s of %s outliers in %s (%.2f s)",
              with_commas(result.produced).c_str(),
              with_commas(result.requested).c_str(), result.out.c_str(),
              result.seconds);
  if (result.produced > 0 && !result.severities.empty()) {
    std::printf(": of severities %s", result.severities.c_str());
  } else if (result.produced > 0) {
    std::printf(": above the energy of %g %% of their class",
                100.0 * result.level);
  }
  if (result.distance_ratio) {
    std::printf(", %.2f times as far from the bank as a held-out row",
                *result.distance_ratio);
  }
  std::printf("\n");
  if (result.produced > 0 && !result.rarity.empty()) {
    std::printf("%s\n", result.rarity.c_str());
  }
}

}  // namespace

void print_generate(const job::GenerateResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
  } else if (result.was_finished && result.kind != job::Kind::kImages) {
    std::printf("%s of %s outliers in %s\n",
                with_commas(result.produced).c_str(),
                with_commas(result.requested).c_str(), result.out.c_str());
  } else if (result.series) {
    print_series(result);
  } else if (result.kind == job::Kind::kImages) {
    print_image_run(result);
  } else {
    print_points(result);
  }
}

Command generate_command() {
  return job_command(
      {"generate",
       "Make structured outliers of a bank, of a series, of images or of a "
       "table, as a run folder",
       "  sbog generate demo:bank --labels demo:labels --count 20 --out run1\n"
       "  sbog generate demo:series --width 64 --epochs 8 --count 5 --out "
       "run2",
       "Profiles: boundary (default for points: cases just beyond the data, "
       "still\n"
       "of their class), exposure (far beyond, to train a detector with),\n"
       "balanced (default for images: high picks and any feasible ones "
       "mixed),\n"
       "coverage (spread anchors, high picks), max-coverage (spread anchors, "
       "any\n"
       "feasible pick), paper-series, paper-image (as published).\n"
       "The run folder holds config.toml, manifest.json, outliers.npy,\n"
       "outliers.csv with one row of provenance per outlier, "
       "bank_energies.npy\n"
       "and report.html, which opens in any browser.\n"
       "\n"
       "From a table (--kind table, or an option that only tables have) come\n"
       "rows that its columns could hold: decoded/rows.csv, one per outlier.\n"
       "\n"
       "From a series come scenarios: recorded windows with a few edits, as\n"
       "rare in the recording as --severity says (1, 2 and 3 with the count\n"
       "split over them), each with a sentence. An encoder is trained first\n"
       "(10 epochs, which suffices for this use; sbog train series takes 30)\n"
       "or read by --model. Physical laws between channels are not enforced.\n"
       "outliers.npy then holds the points of the edited windows, decoded/ "
       "the\n"
       "windows, their edits and plots, metrics.json how it went.\n"
       "\n"
       "From labelled images an encoder is trained first (or read by "
       "--model),\n"
       "the outliers of its latents are sampled with the settings of images "
       "(up\n"
       "to 30 % of a class as anchors, noise 0.6652 / sqrt(latent), 256\n"
       "proposals) and decoded: decoded/ then holds images, their sources and "
       "a\n"
       "sheet of both, image_metrics.json how they came out. Images need\n"
       "LibTorch.",
       job::generate_option_infos(),
       {}},
      job::generate_option_table(), print_generate);
}

}  // namespace sbog::cli
