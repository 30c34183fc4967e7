// SPDX-License-Identifier: Apache-2.0
// See bank_rows.h.
#include "sbog/job/bank_rows.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "sbog/base/errors.h"
#include "sbog/job/embedded_data.h"

namespace sbog::job {
namespace {

// Of the squared length of the rows. Embeddings with a few strong columns stay
// below it.
constexpr double kShareOfOneColumn = 0.99;

std::string words_of(const std::vector<std::size_t>& shape) {
  std::string words;
  for (const std::size_t extent : shape) {
    words += (words.empty() ? "" : " x ") + std::to_string(extent);
  }
  return words;
}

void check_shape(const Array& array, const std::string& spec) {
  if (array.shape().empty()) {
    throw InvalidArgument(spec +
                          ": is a single number; a bank with one row per point "
                          "is expected");
  }
  if (array.rows() == 1) {
    throw InvalidArgument(spec +
                          ": has one row; a bank of at least two points is "
                          "expected");
  }
}

// Mean squares of the columns.
template <typename T>
std::vector<double> mean_squares(MatrixView<const T> rows) {
  std::vector<double> sums(rows.cols(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      const auto x = static_cast<double>(rows(i, j));
      sums[j] += x * x;
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(rows.rows());
  return sums;
}

template <typename T>
void look_at_scales(MatrixView<const T> rows, BankRemarks& remarks) {
  if (rows.cols() < 2 || rows.rows() == 0) return;
  const std::vector<double> squares = mean_squares(rows);
  const double all = std::accumulate(squares.begin(), squares.end(), 0.0);
  const auto top = std::max_element(squares.begin(), squares.end());
  // Also where the sum is no number, which is refused elsewhere.
  if (!(*top > kShareOfOneColumn * all)) return;
  char share[16];
  std::snprintf(share, sizeof share, "%.1f", 100.0 * *top / all);
  remarks.warnings.push_back(
      "column " + std::to_string(top - squares.begin()) + " makes up " + share +
      " % of the squared length of the rows, so that the other columns hardly "
      "count; scale the columns to one size first, or use --cost mahalanobis");
}

}  // namespace

void BankRemarks::tell(Events& events) const {
  for (const std::string& note : notes) events.on_note(note);
  for (const std::string& warning : warnings) events.on_warning(warning);
}

template <typename T>
LoadedBank<T> load_bank(const std::string& spec, const ReadOptions& options,
                        GroundCost cost) {
  const Array array = load_array(spec, options);
  check_shape(array, spec);
  LoadedBank<T> bank{to_matrix<T>(array), {}};
  if (array.shape().size() > 2) {
    bank.remarks.notes.push_back(
        spec + " has the shape " + words_of(array.shape()) + "; each of its " +
        std::to_string(array.rows()) + " parts is taken for a point of " +
        std::to_string(array.cols()) + " numbers");
  }
  if (is_cosine(cost)) look_at_scales(bank.rows.view(), bank.remarks);
  return bank;
}

template LoadedBank<float> load_bank<float>(const std::string&,
                                            const ReadOptions&, GroundCost);
template LoadedBank<double> load_bank<double>(const std::string&,
                                              const ReadOptions&, GroundCost);

}  // namespace sbog::job
