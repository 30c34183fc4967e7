// SPDX-License-Identifier: Apache-2.0
// sbog demo: its words, and what the numbers mean.
#include "sbog/job/demo.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "json_output.h"
#include "sbog/base/byte_text.h"
#include "sbog/job/stress_files.h"

namespace sbog::cli {
namespace {

const char* meaning(std::size_t query) {
  if (query < 3) return "ordinary point of its class";
  return query < 6 ? "drawn three times as wide as its class"
                   : "halfway between two classes";
}

void print_energies(const job::DemoEnergies& energies) {
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
      energies.median, energies.highest, energies.threshold, energies.epsilon);
  for (std::size_t q = 0; q < energies.queries.size(); ++q) {
    const double energy = energies.queries[q];
    std::printf("  %5zu  %.4f  %-7s  %s\n", q, energy,
                energy >= energies.threshold ? "yes" : "no", meaning(q));
  }
  std::printf("\n");
}

// What to put in the place of the embedded data.
const char* own_data(job::Kind kind) {
  switch (kind) {
    case job::Kind::kSeries:
      return "a .csv file with a column per channel in place of demo:plant";
    case job::Kind::kImages:
      return "a folder of PNG or JPEG files with a folder per class,\n"
             "         or an idx, npy, npz or CIFAR file, in place of "
             "demo:shapes";
    default:
      return "a .npy, .npz:name, .csv, .safetensors:name or .idx\n"
             "         file in place of demo:bank";
  }
}

const char* title_of(job::Kind kind) {
  switch (kind) {
    case job::Kind::kSeries:
      return "A series: a made-up plant, 20,000 rows of twelve channels";
    case job::Kind::kImages:
      return "Images: embedded shapes";
    default:
      return "Points: 600 unit vectors of three classes";
  }
}

void print_part(const job::DemoPart& part, Session& session) {
  std::printf("== %s ==\n\n", title_of(part.kind));
  if (part.energies) print_energies(*part.energies);
  print_generate(part.run, session);
  if (part.stress) {
    std::printf(
        "\nA detector was learnt from the same series and asked about every "
        "window:\n");
    print_stress(*part.stress, session);
  }
  job::DemoOptions options;
  options.kind = part.kind;
  options.out = part.run.out;
  const char* before = "\nMade by: ";
  for (const std::string& line : job::demo_command_lines(options)) {
    std::printf("%s%s\n", before, line.c_str());
    before = "         ";
  }
  std::printf("Next:    the same on your own data, %s\n\n",
              own_data(part.kind));
}

void print_demo(const job::DemoResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  for (const job::DemoPart& part : result.parts) print_part(part, session);
  for (const job::DemoPart& part : result.parts) {
    if (!part.stress) continue;
    std::printf("Verdict: %s\n",
                shown_text(job::verdict_sentence(*part.stress)).c_str());
  }
  for (const job::DemoPart& part : result.parts) {
    std::printf("Open   %s   in a browser.\n", part.report.c_str());
  }
}

}  // namespace

Command demo_command() {
  return job_command(
      {"demo",
       "The main job on embedded data, explained, with a report",
       "  sbog demo\n"
       "  sbog demo --kind latent --json",
       "A series first: recorded windows of a made-up plant with edits as "
       "rare as\n"
       "severities 1 to 3 say, a sentence and a plot for each, a detector "
       "that is\n"
       "learnt from the same series, and where it breaks. Then points: "
       "energies of\n"
       "600 embedded ones, explained, and 150 outliers of them. --kind image "
       "trains\n"
       "an encoder and a decoder on embedded shapes and makes outliers of "
       "each\n"
       "class (a minute or two, with LibTorch). All end with a report to open "
       "in a\n"
       "browser. What is there already is not made again.",
       {},
       {}},
      job::demo_option_table(), print_demo);
}

}  // namespace sbog::cli
