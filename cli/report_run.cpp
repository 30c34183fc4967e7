// SPDX-License-Identifier: Apache-2.0
// Reading by kind, writing and saying so; see report_run.h.
#include "report_run.h"

#include <filesystem>

#include "report_kinds.h"
#include "run_reader.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/report/report_page.h"

namespace sbog::cli {
WrittenReport write_report(const ReportArguments& arguments,
                           const CommonOptions& common) {
  if (arguments.sample == 0 || arguments.sample > ReportLimits::kBank) {
    throw InvalidArgument("--sample: a number from 1 to " +
                          std::to_string(ReportLimits::kBank) + " is expected");
  }
  const nlohmann::json manifest = read_run_manifest(arguments.run);
  const std::string kind = manifest.value("kind", "latent");
  const auto read = kind == "latent"   ? latent_report
                    : kind == "series" ? series_report
                    : kind == "image"  ? image_report
                                       : nullptr;
  if (read == nullptr) {
    throw IoError(arguments.run,
                  "holds a run of a kind that is not known: " + kind);
  }
  WrittenReport written;
  written.path =
      arguments.out.empty()
          ? (std::filesystem::path(arguments.run) / "report.html").string()
          : arguments.out;
  check_writable(written.path);
  CommonOptions silent = common;
  silent.prints_result = false;
  std::optional<ReportData> data;
  try {
    data = read(arguments, manifest, silent);
  } catch (const nlohmann::json::exception& error) {
    throw IoError(arguments.run,
                  std::string("holds a file that is not what a run writes: ") +
                      error.what());
  }
  if (!data) {
    written.is_interrupted = true;
    return written;
  }
  const std::string page = report_page(*data);
  write_file_atomically(written.path, page);
  written.bytes = page.size();
  written.bank_shown = data->bank.row.size();
  written.bank_total = data->bank.total;
  return written;
}

void end_with_report(const GenerateArguments& arguments,
                     const CommonOptions& common) {
  if (arguments.skips_report || is_interrupted()) return;
  const Console console(common.is_quiet);
  try {
    ReportArguments report;
    report.run = arguments.out;
    // A report that nobody asked for should not take longer than the run.
    report.computes_missing = false;
    const WrittenReport written = write_report(report, common);
    if (!written.is_interrupted) console.note("report: " + written.path);
  } catch (const std::runtime_error& error) {
    console.warn(std::string("there is no report: ") + error.what());
  } catch (const InvalidArgument& error) {
    console.warn(std::string("there is no report: ") + error.what());
  }
}

}  // namespace sbog::cli
