// SPDX-License-Identifier: Apache-2.0
// See answer_shape.h.
#include "sbog/job/answer_shape.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog::job {
namespace {

std::string shape_text(const Array& array) {
  std::string text;
  for (const std::size_t extent : array.shape()) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  }
  return text.empty() ? "one number" : text;
}

}  // namespace

AskedCases asked_cases(const Array& cases) {
  const std::vector<std::size_t>& shape = cases.shape();
  return {shape.at(0), shape.size() == 3 ? shape[1] : 1, 0};
}

Matrix<double> shaped_answers(const std::string& name, const Array& answers,
                              const AskedCases& cases) {
  const bool is_row_list = cases.width > 1 && answers.cols() == 1 &&
                           answers.rows() == cases.count * cases.width;
  const bool is_fine = answers.shape().size() <= 2 && answers.cols() > 0 &&
                       (answers.rows() == cases.count || is_row_list);
  if (!is_fine) {
    throw IoError(
        name,
        "left answers of shape " + shape_text(answers) + "; one row for each " +
            "of " + std::to_string(cases.count) + " cases is expected" +
            (cases.width > 1 ? ", or one number for each of their rows" : ""));
  }
  const LoadedMatrix<double> values = to_matrix<double>(answers);
  Matrix<double> result(cases.count,
                        is_row_list ? cases.width : answers.cols());
  std::copy_n(values.view().data(), result.size(), result.data());
  for (std::size_t i = 0; i < cases.count; ++i) {
    for (const double x : std::as_const(result).row(i)) {
      if (!std::isnan(x)) continue;
      throw IoError(name, "answered case " + std::to_string(cases.first + i) +
                              " with NaN");
    }
  }
  return result;
}

}  // namespace sbog::job
