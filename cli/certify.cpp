// SPDX-License-Identifier: Apache-2.0
// sbog certify: its words, and its result as text.
#include "sbog/job/certify.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "json_output.h"
#include "sbog/certify/plain_sentences.h"

namespace sbog::cli {
namespace {

std::string whole_number(double value) {
  if (!std::isfinite(value)) return "no number";
  if (value < 1e15)
    return with_commas(static_cast<std::size_t>(std::ceil(value)));
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

void print_calculators(const job::CertifyCalculators& calculators) {
  if (calculators.required) {
    const RequiredCounts& counts = calculators.required->counts;
    std::printf(
        "\nReference points after which every decision as far from the "
        "threshold\nas the median outlier agrees with the population's:\n"
        "  this certificate (one-sided KL)  %s\n"
        "  the paper's theorem (Hoeffding)  %s\n",
        whole_number(counts.one_sided).c_str(),
        whole_number(counts.hoeffding).c_str());
  }
  if (calculators.knn && calculators.knn->bound.is_vacuous) {
    std::printf("  the k-NN theorem: %s\n",
                calculators.knn->bound.reason.c_str());
  }
  if (calculators.uniform.is_vacuous) {
    std::printf("  the uniform bound: %s\n",
                calculators.uniform.reason.c_str());
  }
}

void print_certificate(const job::CertifyResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  for (const std::string& sentence : plain_sentences(result.certificate)) {
    std::printf("%s\n", sentence.c_str());
  }
  print_calculators(result.calculators);
  const job::CertifyDiagnostics& diagnostics = result.diagnostics;
  if (diagnostics.flip_rate_256) {
    std::printf(
        "\nDecisions that change with only 256 reference points: %.1f %%\n",
        100.0 * *diagnostics.flip_rate_256);
  }
  if (diagnostics.bootstrap) {
    std::printf(
        "Bootstrap diagnostic: %.1f %% of the outputs change with the sample "
        "(95 %%: %.1f %%), %.1f %% of the anchors stay\n",
        100.0 * diagnostics.bootstrap->mean_change,
        100.0 * diagnostics.bootstrap->high_change,
        100.0 * diagnostics.bootstrap->anchor_overlap);
  }
}

}  // namespace

Command certify_command() {
  return job_command(
      {"certify",
       "What the sample size can promise about outliers",
       "  sbog certify demo:bank --epsilon 0.05 --level 0.9\n"
       "  sbog certify demo:bank --labels demo:labels --level 0.9 --out "
       "c.json",
       "TARGET is a run folder (made by sbog generate --certify true, else "
       "the\nnumbers are a heuristic), or a bank: it is cut in two by the "
       "seed, one\nhalf proposes outliers (or --outliers are judged), the "
       "other supports\nthem. --epsilon auto is found from the half that is "
       "not the reference.\ncertificate.json goes to --out, or into the run "
       "folder.",
       {},
       {}},
      job::certify_option_table(), print_certificate);
}

}  // namespace sbog::cli
