// SPDX-License-Identifier: Apache-2.0
// What a model said about cases and controls, and which cases it failed on.
//
//   classifier  accepted: confidence >= kappa, the confidence that 95 % of the
//               controls reach
//   detector    not flagged: score <= kappa, the score that 1 % of the controls
//               exceed
//   loss        above the limit, which 5 % of the controls exceed
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/stress/cases.h"

namespace sbog::stress {

/// What the numbers of a model are.
enum class Task {
  kClassifier,  ///< probabilities or logits, one column per class
  kDetector,    ///< scores, larger is more alarming: one, or one per row
  kLoss,        ///< losses, one per case
};

/// "classifier", "detector", "loss".
const char* to_string(Task task);
/// The reverse; throws InvalidArgument.
Task parse_task(std::string_view name);

/// What a classifier fails by.
enum class ClassifierFailure {
  kAccepted,  ///< accepted with confidence, as whatever class
  kOther,     ///< another class than the source's, with or without confidence
  kEither,
};

/// "accepted", "other", "either".
const char* to_string(ClassifierFailure failure);
/// The reverse; throws InvalidArgument.
ClassifierFailure parse_classifier_failure(std::string_view name);

/// How answers are read.
struct AnswerRules {
  Task task = Task::kDetector;
  /// kappa or the limit; nothing: from the controls.
  std::optional<double> threshold;
  ClassifierFailure failure = ClassifierFailure::kAccepted;
};

/// What came of one case.
struct CaseOutcome {
  bool is_failure = false;
  double value = 0.0;  ///< confidence, score or loss
  /// How clear the failure is: larger is clearer, whatever the task.
  double clearness = 0.0;
  /// Classifier: the column of the largest probability.
  std::size_t answer = 0;
  bool is_other = false;  ///< another class than the source's, where known
  /// Detector of rows: from the first changed row to the first alarm; nothing
  /// when there is none, or one score per case.
  std::optional<std::size_t> delay;
};

/// Of all cases, with what the controls say.
struct Outcomes {
  Task task = Task::kDetector;
  ClassifierFailure failure = ClassifierFailure::kAccepted;
  double threshold = 0.0;  ///< in force
  bool is_threshold_given = false;
  bool were_logits = false;
  bool knows_classes = false;
  std::vector<CaseOutcome> cases;
  std::vector<double> controls;  ///< confidence, score or loss of each
  /// Controls that are flagged, rejected or above the limit.
  std::uint64_t control_failures = 0;
  /// Of telling cases from controls; 1 is perfect.
  std::optional<double> auroc;
};

/// Reads the answers, one row per case and per control. A detector's row of
/// several scores is one of a window: the case is detected when a score from
/// the first changed row on exceeds kappa, a control is flagged by any of its
/// rows. Throws InvalidArgument for shapes that do not fit, for NaN, and when
/// there is neither a threshold nor a control to take it from.
Outcomes read_answers(const Cases& cases, MatrixView<const double> answers,
                      MatrixView<const double> control_answers,
                      const AnswerRules& rules);

/// Controls below which a threshold from them says little.
inline constexpr std::size_t kFewControls = 100;

}  // namespace sbog::stress
