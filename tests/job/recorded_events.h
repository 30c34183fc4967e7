// SPDX-License-Identifier: Apache-2.0
// Events that keep what a job says, and that press the stop button after some
// steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sbog/job/events.h"

namespace sbog::testing_support {

class RecordedEvents : public job::Events {
 public:
  void on_note(const std::string& sentence) override {
    notes.push_back(sentence);
  }
  void on_warning(const std::string& sentence) override {
    warnings.push_back(sentence);
  }
  void on_stage(const std::string& verb) override { stages.push_back(verb); }
  bool on_progress(std::uint64_t /*done*/, std::uint64_t /*total*/) override {
    ++steps;
    return stop_after == 0 || steps < stop_after;
  }

  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::vector<std::string> stages;
  std::size_t steps = 0;
  std::size_t stop_after = 0;  ///< 0: never
};

}  // namespace sbog::testing_support
