// SPDX-License-Identifier: Apache-2.0
// How costs map to tile forms; see prepared_reference.h.
#include "sbog/energy/detail/prepared_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "sbog/energy/detail/row_kernel.h"

namespace sbog::detail {
namespace {

// 1 - <z,u> has an absolute error of about one rounding unit, which matters
// only when epsilon is this many units or less; then |z-u|^2 / 2 is used.
constexpr double kUnitsOfTrust = 1e4;

// Exponents a fixed range may use: with 32 terms added in T nothing overflows,
// and what falls below the lowest weight that matters keeps 30 spare bits.
template <typename T>
constexpr double kTopExponent = sizeof(T) == 4 ? 100.0 : 900.0;
template <typename T>
constexpr double kLowestExponent = sizeof(T) == 4 ? -80.0 : -900.0;

std::size_t padded_dim(std::size_t dim) {
  if (dim <= 4) return 4;
  return dim <= kDirectDim ? kDirectDim : dim;
}

}  // namespace

template <typename T>
PreparedReference<T>::PreparedReference(const ReferenceMeasure<T>& measure,
                                        GroundCost cost, double epsilon,
                                        MatrixView<const double> factor)
    : measure_(measure),
      cost_(cost),
      epsilon_(epsilon),
      factor_(factor.rows(), factor.cols()) {
  for (std::size_t i = 0; i < factor.rows(); ++i) {
    std::copy_n(factor.row(i).data(), factor.cols(), factor_.row(i).data());
  }
  const std::size_t dim =
      is_mahalanobis(cost) ? factor.cols() : measure.points.cols();
  tile_dim_ = padded_dim(dim);
  const double unit = std::numeric_limits<T>::epsilon();
  const bool is_sharp = epsilon < kUnitsOfTrust * unit;
  if (!is_cosine(cost)) {
    form_ =
        is_rooted(cost) ? TileForm::kDifference : TileForm::kSquaredDifference;
  } else if (is_sharp) {
    form_ = TileForm::kSquaredDifference;
  }
  needs_copy_ = tile_dim_ <= kDirectDim || is_mahalanobis(cost) ||
                (cost == GroundCost::kCosine && is_sharp);
  if (cost == GroundCost::kCosine) {
    inverse_norms_.resize(measure.atom_count());
    for (std::size_t i = 0; i < inverse_norms_.size(); ++i) {
      const std::size_t row = measure.point_of(i);
      const double norm2 = squared_norm(measure.points.row(row));
      if (!has_usable_length<T>(norm2)) {
        // Finds the row again and throws with its place.
        check_points(measure.points.subrows(0, row + 1), cost, "bank");
      }
      inverse_norms_[i] = 1.0 / std::sqrt(norm2);
    }
  }
  choose_range();
}

template <typename T>
void PreparedReference<T>::choose_range() {
  if (!measure_.weights.empty()) {
    log2_weights_.resize(measure_.atom_count());
    for (std::size_t i = 0; i < log2_weights_.size(); ++i) {
      const double weight = measure_.weight_of(i);
      log2_weights_[i] = weight > 0.0 ? std::log2(weight) : kAbsentLogit;
    }
    return;
  }
  if (!is_cosine(cost_)) return;
  // Cosine costs lie in [0, 2] (with a little rounding).
  const double range = 2.001 * std::numbers::log2e / epsilon_;
  has_fixed_range_ = range <= kTopExponent<T> - kLowestExponent<T>;
  if (has_fixed_range_) offset_ = std::max(0.0, range + kLowestExponent<T>);
}

template <typename T>
std::size_t PreparedReference<T>::pack_queries(MatrixView<const T> queries,
                                               std::size_t width,
                                               T* packed) const {
  const double slope =
      form_ == TileForm::kDot ? std::numbers::log2e / epsilon_ : 1.0;
  std::vector<T> factors(width, static_cast<T>(slope));
  if (cost_ == GroundCost::kCosine) {
    for (std::size_t i = 0; i < queries.rows(); ++i) {
      const double norm2 = squared_norm(queries.row(i));
      if (!has_usable_length<T>(norm2)) return i;
      factors[i] = static_cast<T>(slope / std::sqrt(norm2));
    }
  }
  if (!is_mahalanobis(cost_)) {
    pack_rows(queries, std::span<const T>(factors), width, tile_dim_, packed);
    return queries.rows();
  }
  Matrix<T> mapped(queries.rows(), factor_.cols());
  std::vector<double> image(factor_.cols());
  for (std::size_t i = 0; i < queries.rows(); ++i) {
    const auto row = queries.row(i);
    const std::vector<double> values(row.begin(), row.end());
    apply_factor(factor_, values, image);
    std::copy(image.begin(), image.end(), mapped.row(i).begin());
  }
  pack_rows(std::as_const(mapped).view(), std::span<const T>(factors), width,
            tile_dim_, packed);
  return queries.rows();
}

template <typename T>
void PreparedReference<T>::copy_atom(std::size_t atom, std::span<T> to,
                                     std::vector<double>& mapped) const {
  const auto row = measure_.points.row(measure_.point_of(atom));
  if (is_mahalanobis(cost_)) {
    const std::vector<double> values(row.begin(), row.end());
    mapped.resize(factor_.cols());
    apply_factor(factor_, values, mapped);
    std::copy(mapped.begin(), mapped.end(), to.begin());
    return;
  }
  const double factor = inverse_norm(atom);
  for (std::size_t k = 0; k < row.size(); ++k) {
    to[k] = static_cast<T>(static_cast<double>(row[k]) * factor);
  }
}

template <typename T>
AtomBlock<T> PreparedReference<T>::build_block(std::size_t block,
                                               BlockScratch<T>& scratch) const {
  const std::size_t first = block * kBlockAtoms;
  const std::size_t count =
      std::min(kBlockAtoms, measure_.atom_count() - first);
  scratch.rows.resize(kBlockAtoms);
  scratch.scale.resize(kBlockAtoms);
  scratch.bias.resize(kBlockAtoms);
  if (needs_copy_ && scratch.copy.cols() != tile_dim_) {
    scratch.copy = Matrix<T>(kBlockAtoms, tile_dim_);
  }
  const double slope = std::numbers::log2e / epsilon_;
  // kDot: the query carries the slope and logit = dot * slope - slope.
  const double constant = form_ == TileForm::kDot ? offset_ - slope : offset_;
  const double distance_scale = is_cosine(cost_) ? -0.5 * slope : -slope;
  for (std::size_t i = 0; i < kBlockAtoms; ++i) {
    const std::size_t atom = first + std::min(i, count - 1);
    const double weight = log2_weights_.empty() ? 0.0 : log2_weights_[atom];
    const bool is_absent = i >= count || weight == kAbsentLogit;
    scratch.bias[i] =
        static_cast<T>(is_absent ? kAbsentLogit : constant + weight);
    if (needs_copy_) {
      if (i < count) copy_atom(atom, scratch.copy.row(i), scratch.mapped);
      scratch.rows[i] = scratch.copy.row(std::min(i, count - 1)).data();
    } else {
      scratch.rows[i] = measure_.points.row(measure_.point_of(atom)).data();
    }
    if (form_ != TileForm::kDot) {
      scratch.scale[i] = static_cast<T>(distance_scale);
    } else {
      scratch.scale[i] = static_cast<T>(needs_copy_ ? 1.0 : inverse_norm(atom));
    }
  }
  return {scratch.rows.data(), scratch.scale.data(), scratch.bias.data(),
          count};
}

template <typename T>
double PreparedReference<T>::block_mass(std::size_t block,
                                        std::size_t excluded) const {
  const std::size_t first = block * kBlockAtoms;
  const std::size_t last = std::min(first + kBlockAtoms, measure_.atom_count());
  if (measure_.weights.empty()) {
    const bool has_excluded = excluded >= first && excluded < last;
    return static_cast<double>(last - first) - (has_excluded ? 1.0 : 0.0);
  }
  double mass = 0.0;
  for (std::size_t i = first; i < last; ++i) {
    if (i != excluded) mass += measure_.weight_of(i);
  }
  return mass;
}

template class PreparedReference<float>;
template class PreparedReference<double>;

}  // namespace sbog::detail
