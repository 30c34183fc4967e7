// SPDX-License-Identifier: Apache-2.0
// Reduction of constant columns and choice of eps; see joint_energy.h.
#include "sbog/series/joint_energy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/energy/derivatives.h"
#include "sbog/energy/local_reference.h"

namespace sbog {
namespace {

constexpr std::size_t kScaleBank = 1500;
constexpr std::size_t kScaleQueries = 500;
// Rows that repeat exactly give no scale: then the energy is all but the
// distance to the nearest atom.
constexpr double kLeastEpsilon = 1e-6;

double nearest_scale(MatrixView<const float> atoms) {
  if (atoms.rows() < 2) return kLeastEpsilon;
  const Matrix<float> bank =
      copy_rows<float>(atoms, evenly_spaced(atoms.rows(), kScaleBank));
  const std::vector<std::size_t> rows =
      evenly_spaced(bank.rows(), kScaleQueries);
  const Matrix<float> queries = copy_rows<float>(bank.view(), rows);
  EnergyOptions options;
  options.cost = GroundCost::kEuclidean;
  options.epsilon = 1.0;
  const EnergyModel<float> model({bank.view(), {}, {}}, options);
  const Neighbours nearest = nearest_atoms<float>(model, queries, 1, rows);
  double sum = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) sum += nearest.costs(i, 0);
  return std::max(kLeastEpsilon, sum / static_cast<double>(rows.size()));
}

}  // namespace

std::vector<std::size_t> evenly_spaced(std::size_t n, std::size_t count) {
  if (count == 0 || count > n) count = n;
  std::vector<std::size_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = i * n / count;
  return rows;
}

JointEnergy::JointEnergy(MatrixView<const float> bank) {
  if (bank.is_empty()) {
    throw InvalidArgument(
        "JointEnergy: a bank of at least one row is expected");
  }
  std::vector<char> varies(bank.cols());
  for (std::size_t i = 1; i < bank.rows(); ++i) {
    for (std::size_t c = 0; c < bank.cols(); ++c) {
      varies[c] |= static_cast<char>(bank(i, c) != bank(0, c));
    }
  }
  for (std::size_t c = 0; c < bank.cols(); ++c) {
    (varies[c] != 0 ? varying_ : constant_).push_back(c);
  }
  for (const std::size_t c : constant_) constants_.push_back(bank(0, c));
  atoms_ = reduced(bank);
  epsilon_ = nearest_scale(atoms_);
  EnergyOptions options;
  options.cost = GroundCost::kEuclidean;
  options.epsilon = epsilon_;
  model_ = std::make_unique<EnergyModel<float>>(
      ReferenceMeasure<float>{std::as_const(atoms_).view(), {}, {}}, options);
}

Matrix<float> JointEnergy::reduced(MatrixView<const float> rows) const {
  const std::size_t dim = varying_.size() + (constant_.empty() ? 0 : 1);
  Matrix<float> result(rows.rows(), dim);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::span<const float> row = rows.row(i);
    const std::span<float> out = result.row(i);
    for (std::size_t k = 0; k < varying_.size(); ++k) out[k] = row[varying_[k]];
    if (constant_.empty()) continue;
    double square = 0.0;
    for (std::size_t k = 0; k < constant_.size(); ++k) {
      const double apart =
          static_cast<double>(row[constant_[k]]) - constants_[k];
      square += apart * apart;
    }
    out[varying_.size()] = static_cast<float>(std::sqrt(square));
  }
  return result;
}

std::vector<double> JointEnergy::evaluate(MatrixView<const float> queries,
                                          const Context& context) const {
  const Matrix<float> rows = reduced(queries);
  return model_->evaluate(rows, {}, context).energies;
}

std::vector<double> JointEnergy::channel_shares(
    std::span<const float> query) const {
  const Matrix<float> row = reduced({query.data(), 1, query.size()});
  const std::vector<double> weights = gibbs_weights<float>(*model_, row.row(0));
  std::vector<double> mean(atoms_.cols());
  for (std::size_t i = 0; i < atoms_.rows(); ++i) {
    if (weights[i] < 1e-12) continue;
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += weights[i] * atoms_(i, k);
    }
  }
  std::vector<double> shares(query.size());
  for (std::size_t k = 0; k < varying_.size(); ++k) {
    const double apart = query[varying_[k]] - mean[k];
    shares[varying_[k]] = apart * apart;
  }
  for (std::size_t k = 0; k < constant_.size(); ++k) {
    const double apart =
        static_cast<double>(query[constant_[k]]) - constants_[k];
    shares[constant_[k]] = apart * apart;
  }
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) {
    share =
        total > 0.0 ? share / total : 1.0 / static_cast<double>(shares.size());
  }
  return shares;
}

}  // namespace sbog
