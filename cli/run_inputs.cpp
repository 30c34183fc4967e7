// SPDX-License-Identifier: Apache-2.0
// Loading for run_inputs.h.
#include "run_inputs.h"

#include <algorithm>
#include <set>
#include <string>

#include "embedded_data.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"

namespace sbog::cli {

template <typename T>
std::uint64_t RunInputs<T>::checksum() const {
  Checksum sum;
  const auto add = [&](const void* bytes, std::size_t count) {
    if (count > 0) sum.update(bytes, count);
  };
  add(bank.view().data(), bank.rows() * bank.cols() * sizeof(T));
  add(labels.data(), labels.size() * sizeof(std::int64_t));
  add(losses.data(), losses.size() * sizeof(double));
  add(anchors.data(), anchors.size() * sizeof(double));
  add(metric.view().data(), metric.rows() * metric.cols() * sizeof(double));
  return sum.digest();
}

template <typename T>
std::size_t RunInputs<T>::class_count() const {
  const std::set<std::int64_t> distinct(labels.begin(), labels.end());
  return std::max<std::size_t>(1, distinct.size());
}

template <typename T>
RunInputs<T> load_inputs(const GenerateArguments& arguments) {
  RunInputs<T> inputs;
  ReadOptions read;
  read.csv.columns = arguments.columns;
  inputs.bank = to_matrix<T>(load_array(arguments.input, read));
  if (!arguments.labels.empty()) {
    inputs.labels = to_labels(load_array(arguments.labels));
    if (inputs.labels.size() != inputs.bank.rows()) {
      throw InvalidArgument("labels: one per row is expected (" +
                            std::to_string(inputs.bank.rows()) + "), got " +
                            std::to_string(inputs.labels.size()));
    }
  }
  if (!arguments.losses.empty()) {
    inputs.losses = to_vector(load_array(arguments.losses));
  }
  if (!arguments.metric.empty()) {
    inputs.metric = to_matrix<double>(load_array(arguments.metric));
  }
  const std::string anchors = arguments.anchors.empty()
                                  ? (inputs.labels.empty() ? "none" : "means")
                                  : arguments.anchors;
  if (anchors == "means") {
    check_points(inputs.bank.view(), GroundCost::kSquaredEuclidean, "bank");
    inputs.anchors = class_means<T>(inputs.bank.view(), inputs.labels);
  } else if (anchors != "none") {
    const LoadedMatrix<double> rows = to_matrix<double>(load_array(anchors));
    inputs.anchors = Matrix<double>(rows.rows(), rows.cols());
    std::copy_n(rows.view().data(), rows.rows() * rows.cols(),
                inputs.anchors.data());
  }
  return inputs;
}

std::size_t count_of_class(const GenerateArguments& arguments, std::size_t c,
                           std::size_t classes) {
  if (arguments.total == 0) return arguments.count;
  return arguments.total / classes + (c < arguments.total % classes ? 1 : 0);
}

template struct RunInputs<float>;
template struct RunInputs<double>;
template RunInputs<float> load_inputs(const GenerateArguments&);
template RunInputs<double> load_inputs(const GenerateArguments&);

}  // namespace sbog::cli
