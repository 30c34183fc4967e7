// SPDX-License-Identifier: Apache-2.0
// What every command has: common options, the events of its job on standard
// error, and Ctrl-C as a stop button.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "console.h"
#include "sbog/base/option_table.h"
#include "sbog/job/events.h"

namespace sbog::cli {

/// Options that every command has.
struct CommonOptions {
  std::size_t threads = 0;
  std::uint64_t seed = 0;
  bool quiet = false;
  bool json = false;
  std::string config;
};

const OptionTable<CommonOptions>& common_option_table();

/// Notes, warnings and progress lines on standard error.
class ConsoleEvents : public job::Events {
 public:
  explicit ConsoleEvents(bool is_quiet) : is_quiet_(is_quiet) {}
  void on_note(const std::string& sentence) override;
  void on_warning(const std::string& sentence) override;
  void on_stage(const std::string& verb) override;
  void on_stage_end() override;
  bool on_progress(std::uint64_t done, std::uint64_t total) override;

 private:
  bool is_quiet_;
  std::unique_ptr<ProgressLine> line_;
};

/// One call of the tool.
class Session {
 public:
  explicit Session(CommonOptions common)
      : common_(std::move(common)), events_(common_.quiet) {
    stop_on_interrupt(events_);
  }
  ~Session() { forget_interrupt(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::size_t threads() const { return common_.threads; }
  bool is_json() const { return common_.json; }
  bool is_quiet() const { return common_.quiet; }
  job::Events& events() { return events_; }

 private:
  CommonOptions common_;
  ConsoleEvents events_;
};

}  // namespace sbog::cli
