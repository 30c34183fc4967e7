// SPDX-License-Identifier: Apache-2.0
// sbog report: its words, and its result as text.
#include "sbog/job/report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "json_output.h"

namespace sbog::cli {
namespace {

void print_report(const job::ReportResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  if (result.bank_total == 0) {
    std::printf("%s (%s bytes, without a map: the run has no points)\n",
                result.path.c_str(), with_commas(result.bytes).c_str());
    return;
  }
  std::printf("%s (%s bytes, %s of %s bank points drawn)\n",
              result.path.c_str(), with_commas(result.bytes).c_str(),
              with_commas(result.bank_shown).c_str(),
              with_commas(result.bank_total).c_str());
}

}  // namespace

Command report_command() {
  return job_command(
      {"report",
       "A run as one HTML page: charts, map, certificate, examples",
       "  sbog generate demo:bank --labels demo:labels --count 20 --no-report "
       "--out run3\n"
       "  sbog report run3 --sample 500 --out report.html",
       "The file opens in any browser without a server or a network, light "
       "or\ndark, on a phone, and as tables where no script runs. What the "
       "run does\nnot have yet is computed and kept in it: metrics as by sbog "
       "evaluate,\nthe certificate as by sbog certify --replicates 0.",
       {},
       {}},
      job::report_option_table(), print_report);
}

}  // namespace sbog::cli
