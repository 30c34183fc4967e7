// SPDX-License-Identifier: Apache-2.0
// See session.h.
#include "session.h"

namespace sbog::cli {

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
  return line_ ? line_->on_progress(done, total) : !is_interrupted();
}

}  // namespace sbog::cli
