// SPDX-License-Identifier: Apache-2.0
// Scenarios of given severities without a search and without an encoder: a
// recorded window, a random edit, and the strength at which it is as rare as
// asked. Kinds are drawn evenly, then channels as they occur in the library,
// lengths from span_lengths(), places evenly. An encoder, where there is one,
// says what it makes of them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sbog/scenario/graded_edits.h"
#include "sbog/scenario/scenario.h"

namespace sbog::series {

/// See the top of the file. Outputs are made in groups, each of which depends
/// on nothing else, so the result is the same for any number of threads.
class GradedGenerator {
 public:
  /// Windows, names and encoder (may be null) stay the caller's. Throws
  /// InvalidArgument for options out of range, for no severity, windows below
  /// 32 samples, channels without a name, nothing to edit, a collapsed encoder.
  GradedGenerator(const WindowSource& windows,
                  const std::vector<std::string>& names,
                  const ScenarioOptions& options,
                  const Encoder* encoder = nullptr,
                  const Context& context = {});

  std::size_t group_count() const;
  /// The outputs k = group, group + group_count(), ... below the count. Safe to
  /// call from several threads.
  std::vector<Scenario> run_group(std::size_t group) const;
  ScenarioRun summarise(std::vector<Scenario> scenarios) const;
  bool is_kept(const Scenario& scenario) const {
    return scenario.status == ScenarioStatus::kGraded;
  }

  const std::vector<ChannelProfile>& profiles() const { return profiles_; }
  const RecordedSpans& recorded() const { return recorded_; }
  /// Points and energies of the recorded windows, with an encoder.
  const LatentBank* bank() const { return bank_ ? &*bank_ : nullptr; }

 private:
  Scenario make(std::size_t output) const;
  std::optional<Edit> draw_edit(std::size_t output, std::size_t attempt,
                                std::size_t severity,
                                std::size_t& window) const;
  bool attempt(std::size_t attempt, Scenario& scenario) const;
  void tell(const GradedEdits& graded, Scenario& scenario) const;
  void add_words(Scenario& scenario) const;

  const WindowSource* windows_;
  const std::vector<std::string>* names_;
  ScenarioOptions options_;
  const Encoder* encoder_;
  std::optional<LatentBank> bank_;
  std::vector<ChannelProfile> profiles_;
  std::vector<Edit> library_;
  /// Library entries of each kind that there is.
  std::vector<std::vector<std::size_t>> kinds_;
  std::vector<std::size_t> sources_;  ///< windows with one before them
  RecordedSpans recorded_;
};

}  // namespace sbog::series
