// SPDX-License-Identifier: Apache-2.0
// A model that is another program: it is given the cases as a file, and leaves
// its answers in another.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/data/array.h"
#include "sbog/job/events.h"

namespace sbog::job {

/// What a command is given, and its limits.
struct ModelCommand {
  /// Words with placeholders: {cases} and {out} are paths of .npy files,
  /// {cases.csv} and {out.csv} of tables.
  std::string text;
  std::string folder;  ///< where the files go
  std::string log;     ///< what the command prints, the last call's
  double timeout_seconds = 600.0;
  std::vector<std::string> channels;  ///< of windows, for the table
};

/// Throws InvalidArgument when the text is no command with placeholders for
/// cases and answers, or the time limit is not positive.
void check_command(const ModelCommand& command);

/// Runs the command on an array of points (rows x columns), of windows (windows
/// x rows x channels) or of images (images x channels x height x width; a row
/// each in a table) and returns its answers, one row per case; a
/// list of windows x rows scores becomes a row per window. An empty matrix when
/// the events say stop. Throws IoError of one sentence when the command cannot
/// be started, fails, takes too long, or leaves no file, another number of
/// answers, or NaN.
Matrix<double> run_model_command(const ModelCommand& command,
                                 const Array& cases, Events& events);

}  // namespace sbog::job
