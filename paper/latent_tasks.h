// SPDX-License-Identifier: Apache-2.0
// Points of encoders for the table `latents`: a bank with classes, and rows
// that a detector is asked about, known and unknown, apart for choosing
// (validation) and for reading (test).
//
//   clinc150           sentences; unknown: requests of no intent
//   clinc150-near      30 intents are left out of the bank and are the unknown
//                      ones; seeds 1 to 5 leave out each intent once
//   clinc150-ten       ten rows per intent; unknown as in the first
//   cifar100-densenet  features of a network; unknown: Textures (validation),
//                      SVHN, Tiny ImageNet, CIFAR-10 (test)
//   made               a small mixture of paper/latents.h, without files
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "paper/experiment.h"
#include "sbog/base/matrix.h"
#include "sbog/detect/labelled_bank.h"

namespace sbog::paper {

/// Rows that a detector is asked about, of length 1.
struct LatentRows {
  Matrix<float> known;
  std::vector<std::int64_t> labels;  ///< one per known row
  /// By name; never empty.
  std::vector<std::pair<std::string, Matrix<float>>> unknown;
};

/// See the top of the file.
struct LatentTask {
  detect::LabelledBank bank;
  Matrix<float> held_out;  ///< known rows that scores are standardised on
  LatentRows validation;
  LatentRows test;
  Matrix<float> real_outliers;  ///< unknown rows to learn from; may be empty
};

/// A sentence when there is nothing to list: full size without a data folder.
std::string latents_obstacle(const Settings& settings);

/// The names above that the data folder has, or "made" without a folder.
/// Throws IoError for a folder with none.
std::vector<std::string> list_latent_tasks(const Settings& settings);

/// Whether a task is another one for every seed.
bool is_keyed_by_seed(const std::string& task);

/// Throws IoError, and InvalidArgument for a name that is none.
LatentTask load_latent_task(const std::string& task, std::uint64_t seed,
                            const std::string& data);

/// The whole bank of a set with all of its test rows and all sets of unknown
/// rows, validation and real outliers left empty: what `sbog score` is asked
/// about without any choice.
LatentTask load_whole_set(const std::string& set, const std::string& data);

}  // namespace sbog::paper
