// SPDX-License-Identifier: Apache-2.0
// The answers of a model to the cases and controls of a stress test: asked for
// in batches that are kept, or read from files.
#pragma once

#include <cstdint>
#include <string>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/job/answer_parts.h"
#include "sbog/job/events.h"
#include "sbog/job/stress_cases.h"
#include "sbog/job/stress_model.h"
#include "sbog/stress/outcomes.h"

namespace sbog::job {

/// One row per case and per control.
struct StressAnswers {
  bool is_stopped = false;
  Matrix<double> cases;
  Matrix<double> controls;
};

/// Asks the model, `batch` cases at a time; batches that `parts` has are not
/// asked for again; without parts nothing is kept. `name` begins messages about
/// answers that do not fit each other. Throws IoError, and what the model
/// throws.
StressAnswers ask_model(const StressModel& model, const std::string& name,
                        const StressInputs& inputs, std::size_t batch,
                        const AnswerParts* parts, Events& events,
                        const Context& context);

/// Reads answers from files; of windows a list of one number for each of their
/// rows becomes a row per window, of answers to all decoded images those to
/// cases are taken. An empty path of the controls: none. Throws
/// IoError for another number of cases and for NaN.
StressAnswers read_predictions(const std::string& cases,
                               const std::string& controls,
                               const StressInputs& inputs);

/// What the answers are, by their shape.
stress::Task guess_task(const StressInputs& inputs, std::size_t columns);

/// Throws IoError that begins with `name` for a number of columns that a model
/// of the task cannot have.
void check_answer_columns(const std::string& name, stress::Task task,
                          const StressInputs& inputs, std::size_t columns);

/// A checksum of everything that the answers depend on here.
std::uint64_t answers_identity(const StressInputs& inputs,
                               const std::string& model, std::size_t batch);

}  // namespace sbog::job
