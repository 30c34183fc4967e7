// SPDX-License-Identifier: Apache-2.0
// See report.h; the kinds of runs are read in report_latent.cpp,
// report_series.cpp and report_image.cpp.
#include "sbog/job/report.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/job/files.h"
#include "sbog/job/report_files.h"
#include "sbog/job/run_inputs.h"
#include "sbog/report/report_page.h"
#include "sbog/run/finished_run.h"

namespace sbog::job {

const OptionTable<ReportOptions>& report_option_table() {
  using O = ReportOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table.stage("Input");
    table.add("run", &O::run, "Folder made by sbog generate")
        .positional()
        .value("FOLDER");
    table
        .add("bank", &O::bank,
             "File that holds the bank of a run on points now, where it moved")
        .basic()
        .value("FILE");
    table
        .add("names", &O::names,
             "Text file with the name of each class, one per line, by "
             "increasing label")
        .basic()
        .value("FILE");
    table
        .add("items", &O::items,
             "Text with one line per bank row of a run on points, a sentence "
             "or the path of a picture, to show what outliers lie next to")
        .basic()
        .value("FILE")
        .without("those that sbog generate was given");
    table.add("compute_missing", &O::compute_missing,
              "Whether metrics and certificate are computed when the run has "
              "none");
    table.stage("Output");
    table.add("out", &O::out, "File for the page, .html")
        .basic()
        .writes()
        .value("FILE")
        .without("report.html in the folder");
    table
        .add("sample", &O::sample,
             "Number of bank points to draw at most, up to 5000")
        .basic();
    return table;
  }();
  return kTable;
}

ReportResult run(const ReportOptions& options, Events& events,
                 const Context& context) {
  if (options.sample == 0 || options.sample > ReportLimits::kBank) {
    throw InvalidArgument("--sample: a number from 1 to " +
                          std::to_string(ReportLimits::kBank) + " is expected");
  }
  const FinishedRun finished(options.run);
  const auto read = reads_its_input(finished)     ? latent_report
                    : finished.kind() == "series" ? series_report
                    : finished.kind() == "image"  ? image_report
                                                  : nullptr;
  if (read == nullptr) {
    throw IoError(options.run, "holds a run of a kind that is not known: " +
                                   finished.kind());
  }
  if (!options.items.empty() && !reads_its_input(finished)) {
    throw InvalidArgument("--items: a run on points is expected; " +
                          options.run + " holds one of the kind " +
                          finished.kind());
  }
  ReportResult result;
  result.options = options;
  result.path =
      options.out.empty() ? finished.file("report.html") : options.out;
  check_writable(result.path);
  std::optional<ReportData> data;
  try {
    data = read(options, finished, events, context);
  } catch (const nlohmann::json::exception& error) {
    throw IoError(options.run,
                  std::string("holds a file that is not what a run writes: ") +
                      error.what());
  }
  if (!data) return stopped_unwritten(std::move(result), events);
  const std::string page = report_page(*data);
  write_file_atomically(result.path, page);
  result.bytes = page.size();
  result.bank_shown = data->bank.row.size();
  result.bank_total = data->bank.total;
  return result;
}

nlohmann::ordered_json to_json(const ReportResult& result) {
  return {{"bank_shown", result.bank_shown},
          {"bank_total", result.bank_total},
          {"bytes", result.bytes},
          {"out", result.path}};
}

}  // namespace sbog::job
