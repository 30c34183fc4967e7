// SPDX-License-Identifier: Apache-2.0
// See score_inputs.h.
#include "sbog/job/score_inputs.h"

#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/centring.h"
#include "sbog/job/embedded_data.h"

namespace sbog::job {
namespace {

// Above this mean cosine the points lie in a cone. In few dimensions a few
// clusters do by chance.
constexpr double kConeCosine = 0.3;
constexpr std::size_t kConeDim = 16;

ReadOptions reading(const ScoreOptions& o) {
  ReadOptions read;
  read.csv.columns = o.columns;
  return read;
}

}  // namespace

template <typename T>
ScoreInputs<T>::ScoreInputs(const ScoreOptions& o)
    : cost_(parse_ground_cost(o.energy.cost)), metric_(load_metric(o.energy)) {
  LoadedBank<T> bank = load_bank<T>(o.bank, reading(o), cost_);
  bank_ = std::move(bank.rows);
  remarks_ = std::move(bank.remarks);
  if (!o.energy.weights.empty()) {
    weights_ = to_vector(load_array(o.energy.weights));
    if (weights_.size() != bank_.rows()) {
      throw InvalidArgument("weights: one per bank row is expected (" +
                            std::to_string(bank_.rows()) + "), got " +
                            std::to_string(weights_.size()));
    }
  }
  if (!o.queries.empty()) {
    queries_ = to_matrix<T>(load_array(o.queries, reading(o)));
    if (queries_.rows() == 0) throw InvalidArgument("queries: no rows");
  }
  if (is_cosine(cost_)) look_at_cone(o.centre);
}

template <typename T>
void ScoreInputs<T>::look_at_cone(bool is_centred) {
  const std::vector<double> mean = mean_direction(bank_.view());
  mean_cosine_ = sbog::mean_cosine(mean, bank_.rows());
  is_narrow_cone_ = *mean_cosine_ > kConeCosine && bank_.cols() >= kConeDim &&
                    has_signed_features(bank_.view());
  if (!is_centred) return;
  centred_bank_ = centre_rows(bank_.view(), mean, "bank");
  if (queries_.rows() > 0) {
    centred_queries_ = centre_rows(queries_.view(), mean, "queries");
  }
}

template <typename T>
MatrixView<const T> ScoreInputs<T>::bank() const {
  return centred_bank_.rows() > 0 ? centred_bank_.view() : bank_.view();
}

template <typename T>
MatrixView<const T> ScoreInputs<T>::queries() const {
  return centred_queries_.rows() > 0 ? centred_queries_.view()
                                     : queries_.view();
}

template <typename T>
EnergyOptions ScoreInputs<T>::energy() const {
  EnergyOptions options;
  options.cost = cost_;
  options.metric = metric_.view();
  return options;
}

template class ScoreInputs<float>;
template class ScoreInputs<double>;

}  // namespace sbog::job
