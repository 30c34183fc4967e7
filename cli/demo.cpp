// SPDX-License-Identifier: Apache-2.0
// sbog demo: its words, and what the numbers mean.
#include "sbog/job/demo.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "json_output.h"

namespace sbog::cli {
namespace {

const char* meaning(std::size_t query) {
  if (query < 3) return "ordinary point of its class";
  return query < 6 ? "drawn three times as wide as its class"
                   : "halfway between two classes";
}

void print_energies(const job::DemoResult& result) {
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
      result.median_energy, result.highest_energy, result.threshold,
      result.epsilon);
  for (std::size_t q = 0; q < result.query_energies.size(); ++q) {
    const double energy = result.query_energies[q];
    std::printf("  %5zu  %.4f  %-7s  %s\n", q, energy,
                energy >= result.threshold ? "yes" : "no", meaning(q));
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

void print_demo(const job::DemoResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  if (result.kind == job::Kind::kPoints) print_energies(result);
  print_generate(result.run, session);
  job::DemoOptions options;
  options.kind = result.kind;
  std::printf(
      "\n"
      "Open   %s   in a browser.\n"
      "Made by: %s --out %s\n"
      "Next:    the same on your own data, %s\n",
      result.report.c_str(), demo_command_line(options).c_str(),
      job::shell_word(result.run.out).c_str(), own_data(result.kind));
}

}  // namespace

Command demo_command() {
  return job_command(
      {"demo",
       "The main job on embedded data, explained, with a report",
       "  sbog demo\n"
       "  sbog demo --json",
       "latent scores 600 embedded points, explains the numbers and makes 150\n"
       "outliers of them; series makes scenarios of a made-up plant with "
       "twelve\n"
       "channels; image trains an encoder and a decoder on embedded shapes "
       "and\n"
       "makes outliers of each class (a minute or two, with LibTorch). All "
       "end\n"
       "with a report to open in a browser. A run that is there already is "
       "not\n"
       "made again.",
       {},
       {}},
      job::demo_option_table(), print_demo);
}

}  // namespace sbog::cli
