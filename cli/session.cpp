// SPDX-License-Identifier: Apache-2.0
// See session.h.
#include "session.h"

namespace sbog::cli {

const OptionTable<CommonOptions>& common_option_table() {
  using O = CommonOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table.add("threads", &O::threads, "Number of worker threads; 0: all cores")
        .basic()
        .also("n_jobs");
    table.add("seed", &O::seed, "Seed of everything that is drawn")
        .basic()
        .also("random_state");
    table
        .add("quiet", &O::quiet,
             "Print no notes, no warnings and no progress line")
        .basic()
        .flag();
    table.add("json", &O::json, "Print the result as JSON on standard output")
        .basic()
        .flag();
    table
        .add("config", &O::config,
             "TOML file with options, a section for each command; the command "
             "line wins")
        .basic()
        .value("FILE");
    return table;
  }();
  return kTable;
}

void ConsoleEvents::on_note(const std::string& sentence) {
  Console(is_quiet_).note(sentence);
}

void ConsoleEvents::on_warning(const std::string& sentence) {
  Console(is_quiet_).warn(sentence);
}

void ConsoleEvents::on_stage(const std::string& verb) {
  line_ = std::make_unique<ProgressLine>(verb, is_quiet_);
}

void ConsoleEvents::on_stage_end() { line_.reset(); }

bool ConsoleEvents::on_progress(std::uint64_t done, std::uint64_t total) {
  if (line_) line_->show(done, total);
  return true;
}

}  // namespace sbog::cli
