// SPDX-License-Identifier: Apache-2.0
// What the outliers of a run on points lie next to: the nearest rows of the
// bank, in the words of whoever made the bank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/local_reference.h"
#include "sbog/job/generate.h"

namespace sbog::job {

/// Bank rows that are told of an outlier, at most.
inline constexpr std::size_t kToldRows = 3;
/// The file of a run that keeps the items of its bank.
inline constexpr const char* kItemsFile = "items.txt";

/// What the rows of a bank and its classes are called.
struct BankWords {
  std::vector<std::string> items;  ///< one per row; empty: not told
  std::map<std::int64_t, std::string> class_names;  ///< by label; or none
};

/// Reads the files that --items and --class-names name; line L of the second is
/// for the label L. Throws IoError, and InvalidArgument for another number of
/// lines than the bank has rows, for a label without a line, and for names
/// without labels.
BankWords load_bank_words(const GenerateOptions& options, std::size_t rows,
                          std::span<const std::int64_t> labels);

/// The nearest rows of each point, kToldRows or as many as there are. Only cost
/// and metric of `energy` count.
template <typename T>
Neighbours nearest_told_rows(MatrixView<const T> bank,
                             MatrixView<const T> points,
                             const EnergyOptions& energy,
                             const Context& context);

/// Appends near_1, item_1 and so on to the table of outliers at `path`, and
/// taken_for: the label of the nearest row, 0 without labels; with names of
/// classes also taken_for_name. Columns of an earlier call are replaced, all
/// others stay as they are. kCancelled leaves the table as it was. Throws
/// IoError for a table with another number of rows than `outliers`.
template <typename T>
[[nodiscard]] SolveStatus add_neighbour_columns(
    const std::string& path, MatrixView<const T> outliers,
    MatrixView<const T> bank, std::span<const std::int64_t> labels,
    const BankWords& words, const EnergyOptions& energy,
    const Context& context);

/// Keeps the items where report and later commands find them. Throws IoError.
void write_items(const std::string& path,
                 const std::vector<std::string>& items);

}  // namespace sbog::job
