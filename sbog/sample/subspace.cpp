// SPDX-License-Identifier: Apache-2.0
// Draws in the local span; see subspace.h.
#include "sbog/sample/subspace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sbog/base/philox.h"
#include "sbog/energy/detail/tile_kernel.h"
#include "sbog/sample/detail/normal_tile.h"
#include "sbog/sample/proposals.h"

namespace sbog {
namespace {

constexpr std::uint32_t kRestBlock = std::uint32_t{1} << 30;
constexpr std::uint32_t kChiBlock = std::uint32_t{3} << 30;
// A row is in the span of the rows before it when less than this of it is left.
constexpr double kSpanTolerance = 1e-10;

double dot(std::span<const double> a, std::span<const double> b) {
  return inner_product<double, double>(a, b);
}

PhiloxBlock block_of(const RoundKey& key, std::uint32_t j,
                     std::uint32_t block) {
  return philox4x32({key.k, key.class_round(), j, block}, key.key());
}

// Coordinates of one proposal in the span, as `evaluate` drew them.
std::vector<double> span_normals(const RoundKey& key, std::uint32_t j,
                                 std::size_t rank) {
  const std::size_t width = detail::lane_count<float>();
  std::vector<float> tile((rank + 3) / 4 * 4 * width);
  detail::fill_normals(key.key(), key.k, key.class_round(), j, rank, width,
                       tile.data());
  std::vector<double> normals(rank);
  for (std::size_t i = 0; i < rank; ++i) normals[i] = tile[i * width];
  return normals;
}

}  // namespace

double draw_chi(const RoundKey& key, std::uint32_t j, double freedom) {
  // chi^2 = 2 gamma(freedom / 2); for shapes below 1 the gamma of shape + 1 is
  // scaled by u^(1/shape).
  const double half = 0.5 * freedom;
  const double shape = half < 1.0 ? half + 1.0 : half;
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (std::uint32_t attempt = 0;; ++attempt) {
    const PhiloxBlock block = block_of(key, j, kChiBlock + 2 * attempt);
    const double normal =
        box_muller(to_uniform(block.low64()), to_uniform(block.high64()))[0];
    const PhiloxBlock other = block_of(key, j, kChiBlock + 2 * attempt + 1);
    const double u = to_uniform(other.low64());
    const double t = 1.0 + c * normal;
    if (t <= 0.0) continue;
    const double v = t * t * t;
    if (std::log(u) >= 0.5 * normal * normal + d - d * v + d * std::log(v)) {
      continue;
    }
    double gamma = d * v;
    if (half < 1.0) {
      gamma *= std::pow(to_uniform(other.high64()), 1.0 / half);
    }
    return std::sqrt(2.0 * gamma);
  }
}

LocalSubspace::LocalSubspace(std::span<const double> seed,
                             std::span<const double> class_anchor,
                             MatrixView<const double> atoms, double mass,
                             double epsilon)
    : has_class_anchor_(!class_anchor.empty()), mass_(mass), epsilon_(epsilon) {
  const std::size_t dim = seed.size();
  const std::size_t extra = has_class_anchor_ ? 2 : 1;
  const std::size_t rows = extra + atoms.rows();
  const std::size_t largest = std::min(rows, dim);
  Matrix<double> basis(largest, dim);
  Matrix<double> coordinates(rows, largest);
  std::vector<double> rest(dim);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<const double> row =
        i == 0 ? seed : (i < extra ? class_anchor : atoms.row(i - extra));
    std::copy(row.begin(), row.end(), rest.begin());
    // Twice, so that the basis is orthogonal to rounding.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t b = 0; b < rank_; ++b) {
        const double along = dot(basis.row(b), rest);
        coordinates(i, b) += along;
        for (std::size_t k = 0; k < dim; ++k) rest[k] -= along * basis(b, k);
      }
    }
    const double norm = std::sqrt(dot(rest, rest));
    if (norm <= kSpanTolerance || rank_ == largest) continue;
    for (std::size_t k = 0; k < dim; ++k) basis(rank_, k) = rest[k] / norm;
    coordinates(i, rank_) = norm;
    ++rank_;
  }
  basis_ = Matrix<double>(rank_, dim);
  std::copy_n(basis.data(), rank_ * dim, basis_.data());
  coordinates_ = std::move(coordinates);
  // Rows for the tile kernel: padded as its direct form expects.
  std::size_t tile_dim = rank_ + 1;
  if (tile_dim <= detail::kDirectDim) tile_dim = tile_dim <= 4 ? 4 : 8;
  tile_rows_ = Matrix<float>(atoms.rows(), tile_dim);
  for (std::size_t a = 0; a < atoms.rows(); ++a) {
    for (std::size_t b = 0; b < rank_; ++b) {
      tile_rows_(a, b) = static_cast<float>(coordinates_(a + extra, b));
    }
    tile_rows_(a, rank_) = static_cast<float>(coordinates_(a + extra, 0));
  }
  if (has_class_anchor_) {
    const auto row = coordinates_.row(1);
    class_row_.assign(row.begin(), row.begin() + static_cast<long>(rank_));
    seed_class_ = coordinates_(1, 0);
  }
}

void LocalSubspace::evaluate(const RoundKey& key, std::size_t count,
                             double sigma, SubspaceRound& round) const {
  const std::size_t full = detail::group_width<float>();
  const std::size_t tile_dim = tile_rows_.cols();
  const double slope = std::numbers::log2e / epsilon_;
  const double free_dims = static_cast<double>(dim() - rank_);
  round.energies.resize(count);
  round.seed_cosines.resize(count);
  round.class_cosines.resize(has_class_anchor_ ? count : 0);
  const std::size_t drawn_rows = (rank_ + 3) / 4 * 4;
  Matrix<float> tile(std::max(drawn_rows, tile_dim), full);
  std::vector<double> log_max(full);
  std::vector<double> sum(full);
  std::vector<double> lengths(full);
  for (std::size_t first = 0; first < count; first += full) {
    const std::size_t size = std::min(full, count - first);
    const std::size_t width = size <= detail::lane_count<float>()
                                  ? detail::lane_count<float>()
                                  : full;
    detail::fill_normals(key.key(), key.k, key.class_round(),
                         static_cast<std::uint32_t>(first), rank_, width,
                         tile.data());
    std::fill(lengths.begin(), lengths.end(), 0.0);
    for (std::size_t b = 0; b < rank_; ++b) {
      const float* g = tile.data() + b * width;
      for (std::size_t l = 0; l < width; ++l) {
        lengths[l] += static_cast<double>(g[l]) * static_cast<double>(g[l]);
      }
    }
    for (std::size_t l = 0; l < size; ++l) {
      const auto j = static_cast<std::uint32_t>(first + l);
      const double chi = free_dims > 0.0 ? draw_chi(key, j, free_dims) : 0.0;
      const double along = tile.data()[l];
      const double length = std::sqrt(1.0 + 2.0 * sigma * along +
                                      sigma * sigma * (lengths[l] + chi * chi));
      round.seed_cosines[first + l] = (1.0 + sigma * along) / length;
      if (has_class_anchor_) {
        double moved = 0.0;
        for (std::size_t b = 0; b < std::min<std::size_t>(2, rank_); ++b) {
          moved +=
              class_row_[b] * static_cast<double>(tile.data()[b * width + l]);
        }
        round.class_cosines[first + l] = (seed_class_ + sigma * moved) / length;
      }
      lengths[l] = length;
    }
    for (std::size_t l = size; l < width; ++l) lengths[l] = 1.0;
    // Query of the tile: (sigma g, 1) slope / |v|.
    std::vector<float> scales(width);
    for (std::size_t l = 0; l < width; ++l) {
      scales[l] = static_cast<float>(slope / lengths[l]);
    }
    const auto small = static_cast<float>(sigma);
    for (std::size_t b = 0; b < rank_; ++b) {
      float* g = tile.data() + b * width;
      for (std::size_t l = 0; l < width; ++l) g[l] *= small * scales[l];
    }
    for (std::size_t b = rank_; b < tile_dim; ++b) {
      float* g = tile.data() + b * width;
      for (std::size_t l = 0; l < width; ++l) {
        g[l] = b == rank_ ? scales[l] : 0.0f;
      }
    }
    std::vector<LogSumExp> states(size);
    for (std::size_t block = 0; block < tile_rows_.rows();
         block += kBlockAtoms) {
      const std::size_t atoms =
          std::min(kBlockAtoms, tile_rows_.rows() - block);
      std::array<const float*, kBlockAtoms> rows;
      std::array<float, kBlockAtoms> ones;
      std::array<float, kBlockAtoms> bias;
      ones.fill(1.0f);
      for (std::size_t a = 0; a < kBlockAtoms; ++a) {
        rows[a] = tile_rows_.row(block + std::min(a, atoms - 1)).data();
        bias[a] = static_cast<float>(a < atoms ? -slope : detail::kAbsentLogit);
      }
      detail::block_state<float>({rows.data(), ones.data(), bias.data(), atoms},
                                 {tile.data(), width, tile_dim, {}},
                                 {detail::TileForm::kDot, false},
                                 log_max.data(), sum.data());
      for (std::size_t l = 0; l < size; ++l) {
        states[l].merge({log_max[l] * std::numbers::ln2, sum[l], 0.0});
      }
    }
    for (std::size_t l = 0; l < size; ++l) {
      states[l].mass = mass_;
      round.energies[first + l] = states[l].energy(epsilon_);
    }
  }
}

std::vector<double> LocalSubspace::complete(const RoundKey& key,
                                            std::uint32_t j,
                                            double sigma) const {
  const std::vector<double> g = span_normals(key, j, rank_);
  const std::size_t m = dim();
  std::vector<double> rest(m, 0.0);
  if (m > rank_) {
    for (std::size_t k = 0; k < m; k += 2) {
      const PhiloxBlock block =
          block_of(key, j, kRestBlock + static_cast<std::uint32_t>(k / 2));
      const auto pair =
          box_muller(to_uniform(block.low64()), to_uniform(block.high64()));
      rest[k] = pair[0];
      if (k + 1 < m) rest[k + 1] = pair[1];
    }
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t b = 0; b < rank_; ++b) {
        const double along = dot(basis_.row(b), rest);
        for (std::size_t k = 0; k < m; ++k) rest[k] -= along * basis_(b, k);
      }
    }
    const double chi = draw_chi(key, j, static_cast<double>(m - rank_));
    const double scale = chi / std::sqrt(dot(rest, rest));
    for (double& x : rest) x *= scale;
  }
  std::vector<double> v(m);
  for (std::size_t k = 0; k < m; ++k) v[k] = basis_(0, k) + sigma * rest[k];
  for (std::size_t b = 0; b < rank_; ++b) {
    for (std::size_t k = 0; k < m; ++k) v[k] += sigma * g[b] * basis_(b, k);
  }
  const double norm = std::sqrt(dot(v, v));
  for (double& x : v) x /= norm;
  return v;
}

}  // namespace sbog
