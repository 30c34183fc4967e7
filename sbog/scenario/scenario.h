// SPDX-License-Identifier: Apache-2.0
// Stress scenarios of a recorded series: windows that could happen but did not,
// each a recorded window with a few edits and a sentence that says which.
//
// Anchors are weakly supported windows that are still inside. At each one a
// target just outside is drawn, the search looks for edits that lead there, and
// the stored window is judged by what it really does. Failing that, another
// target is drawn at the same anchor. What all anchors share is prepared once;
// the outputs of one anchor depend on nothing else, so the result is the same
// for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/scenario/edit_first.h"
#include "sbog/scenario/edit_library.h"
#include "sbog/scenario/latent_bank.h"
#include "sbog/scenario/pursuit.h"
#include "sbog/scenario/realise.h"
#include "sbog/scenario/recorded_spans.h"
#include "sbog/scenario/sentence.h"
#include "sbog/scenario/target.h"
#include "sbog/series/encoder.h"
#include "sbog/series/window_source.h"

namespace sbog::series {

/// Draws a window for a target beside recorded window `window`: channels x
/// width in standard units. Called from several threads at once.
using WindowDecoder = std::function<Matrix<float>(
    std::size_t window, std::span<const double> target)>;

/// How targets become windows.
struct EditDecoderOptions {
  EditAllowance allowance;
  std::vector<ChannelOverride> overrides;
  PursuitOptions pursuit;
  EditFirstSettings edit_first;
  std::size_t redraws = 7;       ///< further targets after a failure
  std::size_t alternatives = 3;  ///< other ways to say it, at most
  bool keeps_outside_only = false;
  /// Draws windows as a whole in place of edits; empty: edits.
  WindowDecoder network;
};

/// What `generate_scenarios` can be told.
struct ScenarioOptions {
  /// How targets are drawn. Its anchors: fewer than outputs only, more when
  /// more than two outputs would share one.
  SamplerOptions sampler = profile_options("scenario");
  TargetLaw law = TargetLaw::kAuto;
  EditDecoderOptions decoder;
  std::vector<std::string> times;  ///< of the rows, or empty
  double row_seconds = 0.0;        ///< from one row to the next; 0: unknown
  /// Severities that outputs are made for in turn; empty: by the energy alone.
  std::vector<std::size_t> severities;

  /// 0 without severities.
  std::size_t severity_of_output(std::size_t output) const {
    return severities.empty() ? 0 : severities[output % severities.size()];
  }
};

/// Throws InvalidArgument unless windows of this width can be edited and every
/// number is in its range; needs no series.
void check_scenario_options(const ScenarioOptions& options, std::size_t width);

/// The same for a series and the names of its channels; returns the options.
ScenarioOptions checked_scenario_options(const ScenarioOptions& options,
                                         const WindowSource& windows,
                                         const std::vector<std::string>& names);

/// How odd a window is to an encoder that had no part in making it: the share
/// of the recorded windows with a lower energy.
struct SecondOpinion {
  double source_rank = 0.0;
  double rank = 0.0;
};

/// A kind of edit of a channel.
struct KindAndChannel {
  EditKind kind = EditKind::kLevel;
  std::size_t channel = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a 0 there
  auto operator<=>(const KindAndChannel&) const = default;
};

/// One outlier that was asked for. A failed one is never replaced: it holds
/// its last try.
struct Scenario {
  std::size_t index = 0;
  ScenarioStatus status = ScenarioStatus::kFailed;
  MissReason reason = MissReason::kNone;
  std::vector<MissReason> misses;  ///< of the tries before
  std::size_t tries = 0;
  std::size_t anchor_window = 0;    ///< its number
  std::size_t anchor_start = 0;     ///< its first row
  Matrix<double> source;            ///< width x channels, raw units
  Matrix<double> window;            ///< the same, edited
  std::vector<RealisedEdit> edits;  ///< in the order they are applied
  /// Of a drawn window, largest first, in deviations of their channels.
  std::vector<DrawnChange> changes;
  std::string sentence;
  std::vector<std::string> alternatives;
  std::vector<double> source_point;  ///< z
  std::vector<double> target;        ///< v
  std::vector<double> point;         ///< h(x')
  double reached = 1.0;              ///< |h(x') - v| / |z - v|
  double energy_source = 0.0;
  double energy_target = 0.0;
  double energy = 0.0;
  double linear_residual = 1.0;  ///< of the target; see screen.h
  double clipped_share = 0.0;
  double visibility = 0.0;
  double slew_ratio = 0.0;
  std::optional<SecondOpinion> second;
  std::size_t asked = 0;  ///< severity; 0: none was asked for
  std::optional<WindowGrade> grade;
  /// Edits of tries that could not be made as rare as asked.
  std::vector<KindAndChannel> unreached;
};

/// How a run went.
struct ScenarioDiagnostics {
  TargetLaw law = TargetLaw::kIsotropic;  ///< that was used
  bool has_energies = true;  ///< there was an encoder; else the next two are 0
  double threshold = 0.0;
  double share_outside = 0.0;  ///< of the recorded windows
  std::size_t windows = 0;
  std::size_t anchors = 0;
  /// Weakly supported windows passed over: no feasible target in four rounds.
  std::size_t barren_anchors = 0;
  std::size_t library = 0;  ///< candidate edits
  /// Of the linear residual of isotropic targets; chooses the law in kAuto.
  double median_linear_residual = 0.0;
  /// Participation ratio of the moves that were asked for and that came out.
  double wanted_rank = 0.0;
  double realised_rank = 0.0;
  std::map<std::string, std::size_t> kinds;     ///< edits of kept outputs
  std::map<std::string, std::size_t> channels;  ///< edited in kept outputs
  std::map<std::string, std::size_t> statuses;
  std::map<std::string, std::size_t> misses;  ///< tries by why they failed
  std::size_t kept = 0;
  double mean_reached = 0.0;  ///< of the kept, as the next two
  double mean_edits = 0.0;
  double mean_tries = 0.0;
  std::vector<std::string> unused_kinds;
  std::vector<std::string> unused_channels;  ///< that could have been edited
  std::map<std::size_t, SeverityCount> severities;
  /// Of the channels that may be edited: those whose recording drifts, and the
  /// mean share of spans of the last fifth beyond what 1 in 100 exceeded
  /// before.
  std::vector<std::string> drifting;
  double drift_observed = 0.0;
};

/// All outputs in order, and how it went.
struct ScenarioRun {
  SolveStatus status = SolveStatus::kDone;  ///< kPartial: some failed
  std::vector<Scenario> scenarios;
  ScenarioDiagnostics diagnostics;
};

/// Prepares once, then gives the outputs of one anchor at a time.
class ScenarioGenerator {
 public:
  /// Encoder, windows, names and `second` (may be null) stay the caller's.
  /// Throws InvalidArgument for options out of range, windows below 32 samples,
  /// channels without a name, nothing to edit and a collapsed encoder.
  ScenarioGenerator(const Encoder& encoder, const WindowSource& windows,
                    const std::vector<std::string>& names,
                    const ScenarioOptions& options, const Encoder* second,
                    const Context& context = {});

  std::size_t anchor_count() const { return anchors_.size(); }
  TargetLaw law() const { return law_; }
  const LatentBank& bank() const { return bank_; }
  const std::vector<ChannelProfile>& profiles() const { return profiles_; }
  /// With severities only.
  const RecordedSpans* recorded() const { return recorded_.get(); }

  /// The outputs k = anchor, anchor + anchor_count(), ... below the count. Safe
  /// to call from several threads.
  std::vector<Scenario> run_anchor(std::size_t anchor) const;

  /// Orders the outputs and sums up.
  ScenarioRun summarise(std::vector<Scenario> scenarios) const;
  /// Whether an output counts as kept.
  bool is_kept(const Scenario& scenario) const;

 private:
  struct Work;

  void choose_law(const Context& context);
  void choose_anchors(std::size_t count, const Context& context);
  Scenario attempt(Work& work, std::size_t output, std::size_t tries) const;
  void decode(Work& work, const LatentTarget& target, Scenario& scenario) const;
  void draw_window(Work& work, Scenario& scenario) const;
  void edit_first(Work& work, std::size_t tries, Scenario& scenario) const;
  void store(Work& work, const std::vector<Edit>& edits,
             Scenario& scenario) const;
  void take_window(Work& work, RealisedWindow realised,
                   Scenario& scenario) const;
  void add_alternatives(Work& work, const PursuitResult& found,
                        Scenario& scenario) const;
  std::vector<RealisedEdit> measure(Work& work, const std::vector<Edit>& edits,
                                    const RealisedWindow& realised) const;
  void add_words(Scenario& scenario) const;
  void grade_at_random(Work& work, std::size_t tries, Scenario& scenario) const;
  void store_graded(Work& work, const std::vector<Edit>& edits,
                    Scenario& scenario) const;
  SentenceWords words_at(std::size_t first_row) const;

  const Encoder* encoder_;
  const WindowSource* windows_;
  const std::vector<std::string>* names_;
  ScenarioOptions options_;
  const Encoder* second_;
  LatentBank bank_;
  std::optional<LatentBank> second_bank_;
  std::vector<ChannelProfile> profiles_;
  std::vector<Edit> library_;
  std::unique_ptr<RecordedSpans> recorded_;  ///< with severities
  std::vector<std::size_t> anchors_;  ///< indices among those of the bank
  TargetLaw law_ = TargetLaw::kIsotropic;
  double median_linear_residual_ = 0.0;
  std::size_t barren_anchors_ = 0;
};

/// The whole job. kCancelled when the observer asked to stop: then there are no
/// scenarios.
ScenarioRun generate_scenarios(const Encoder& encoder,
                               const WindowSource& windows,
                               const std::vector<std::string>& names,
                               const ScenarioOptions& options,
                               const Context& context = {},
                               const Encoder* second = nullptr);

/// Orders the outputs, counts them into `diagnostics` and names what was never
/// used of the library.
ScenarioRun summarise_scenarios(
    std::vector<Scenario> scenarios,
    const std::function<bool(const Scenario&)>& is_kept,
    const std::vector<std::string>& names, const std::vector<Edit>& library,
    ScenarioDiagnostics diagnostics);

/// Fills in which channels of a library drift.
void add_drift(const RecordedSpans& recorded, const std::vector<Edit>& library,
               const std::vector<std::string>& names,
               ScenarioDiagnostics& diagnostics);

/// What edits did to the stored window, in their order; shares are left out.
std::vector<RealisedEdit> measure_edits(
    const WindowSource& windows, std::size_t i,
    const std::vector<ChannelProfile>& profiles, const std::vector<Edit>& edits,
    const Matrix<double>& window);

/// The participation ratio of the rows: (sum of eigenvalues)^2 / sum of their
/// squares, of the scatter around 0. 0 without rows.
double participation_ratio(const std::vector<std::vector<double>>& rows);

/// Whether two lists edit the same channels by the same kinds at overlapping
/// times.
bool are_alike(const std::vector<RealisedEdit>& a,
               const std::vector<RealisedEdit>& b);

}  // namespace sbog::series
