// SPDX-License-Identifier: Apache-2.0
// sbog report: a run as one HTML file.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "exit_code.h"
#include "report_run.h"

namespace sbog::cli {
namespace {

constexpr const char* kFooter =
    "The file opens in any browser without a server or a network, light or\n"
    "dark, on a phone, and as tables where no script runs. What the run does\n"
    "not have yet is computed and kept in it: metrics as by sbog evaluate,\n"
    "the certificate as by sbog certify --replicates 0.\n"
    "\n"
    "Examples:\n"
    "  sbog generate demo:bank --labels demo:labels --count 20 --no-report "
    "--out run3\n"
    "  sbog report run3 --sample 500 --out report.html";

int run(const ReportArguments& arguments, const CommonOptions& common) {
  const WrittenReport written = write_report(arguments, common);
  if (written.is_interrupted) {
    Console(common.is_quiet).note("interrupted; nothing was written");
    return kNotReached;
  }
  if (common.is_json) {
    const nlohmann::json json = {{"out", written.path},
                                 {"bytes", written.bytes},
                                 {"bank_shown", written.bank_shown},
                                 {"bank_total", written.bank_total}};
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    std::printf("%s (%s bytes, %s of %s bank points drawn)\n",
                written.path.c_str(), with_commas(written.bytes).c_str(),
                with_commas(written.bank_shown).c_str(),
                with_commas(written.bank_total).c_str());
  }
  return kDone;
}

}  // namespace

void add_report(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "report", "A run as one HTML page: charts, map, certificate, examples");
  const auto arguments = std::make_shared<ReportArguments>();
  command->footer(kFooter);
  command->add_option("RUN", arguments->run, "Folder made by sbog generate")
      ->required();
  command->add_option("--out", arguments->out,
                      "The file; without it report.html in the folder");
  command->add_option("--sample", arguments->sample,
                      "Bank points to draw at most, up to 5000");
  command->add_option("--bank", arguments->bank,
                      "Where the bank of a run on points is now");
  command->add_option("--names", arguments->names,
                      "Text file with a name for each class, a line each, by "
                      "increasing label");
  command->callback([arguments, &common, &exit_code] {
    exit_code = run(*arguments, common);
  });
}

}  // namespace sbog::cli
