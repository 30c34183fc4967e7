// SPDX-License-Identifier: Apache-2.0
// Draws in the local span; see subspace.h.
#include "sbog/sample/subspace.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "sbog/base/inner_product.h"
#include "sbog/base/philox.h"
#include "sbog/energy/detail/tile_kernel.h"
#include "sbog/sample/detail/normal_tile.h"

namespace sbog {
namespace detail {

// Proposals side by side as queries of the tile kernel.
struct LaneGroup {
  std::size_t first = 0;  // number of the first proposal
  std::size_t size = 0;
  std::size_t width = 0;  // lanes
  Matrix<float> tile;     // aligned
  std::vector<double> squares;

  float* row(std::size_t i) { return tile.data() + i * width; }
};

}  // namespace detail

namespace {

using detail::LaneGroup;

constexpr std::uint32_t kRestBlock = std::uint32_t{1} << 30;
constexpr std::uint32_t kChiBlock = std::uint32_t{3} << 30;
// A rest with less than this share of a square is subtracted coordinate by
// coordinate.
constexpr double kShortRest = 1e-3;
// Atoms whose coordinates are cut off together.
constexpr std::size_t kStrip = 32;
// Logits in base 2 down to here need no running maximum.
constexpr double kWidestRange = 80.0;

PhiloxBlock block_of(const RoundKey& key, std::uint32_t j,
                     std::uint32_t block) {
  return philox4x32({key.k, key.class_round(), j, block}, key.key());
}

double chi_normal(const RoundKey& key, std::uint32_t j, std::uint32_t attempt) {
  const PhiloxBlock block = block_of(key, j, kChiBlock + 2 * attempt);
  return box_muller(to_uniform(block.low64()), to_uniform(block.high64()))[0];
}

// Normals of one proposal from the block on.
std::vector<double> normals_of(const RoundKey& key, std::uint32_t j,
                               std::uint32_t first_block, std::size_t count) {
  std::vector<float> normals(count);
  detail::fill_row_normals(key.key(), key.k, key.class_round(), j, first_block,
                           normals);
  return {normals.begin(), normals.end()};
}

Matrix<double> heads_of(std::span<const double> seed,
                        std::span<const double> class_anchor) {
  Matrix<double> heads(class_anchor.empty() ? 1 : 2, seed.size());
  std::copy(seed.begin(), seed.end(), heads.row(0).begin());
  if (!class_anchor.empty()) {
    std::copy(class_anchor.begin(), class_anchor.end(), heads.row(1).begin());
  }
  return heads;
}

// Energies of a group whose tile holds the queries times log2(e) / epsilon.
void score_group(const detail::SpanAtoms& atoms, const LaneGroup& group,
                 double epsilon, SubspaceRound& round) {
  const double slope = std::numbers::log2e / epsilon;
  const detail::TileOptions options{detail::TileForm::kDot,
                                    2.0 * slope <= kWidestRange};
  std::vector<LogSumExp> states(group.size);
  std::vector<double> top(group.width);
  std::vector<double> sum(group.width);
  std::array<const float*, kStrip> rows;
  std::array<float, kStrip> ones;
  std::array<float, kStrip> bias;
  ones.fill(1.0f);
  for (std::size_t first = 0; first < atoms.rows.rows(); first += kStrip) {
    const std::size_t count = std::min(kStrip, atoms.rows.rows() - first);
    for (std::size_t a = 0; a < kStrip; ++a) {
      rows[a] = atoms.rows.row(first + std::min(a, count - 1)).data();
      bias[a] = static_cast<float>(a < count ? -slope : detail::kAbsentLogit);
    }
    // Later coordinates of these atoms are all 0.
    const std::size_t used = atoms.used[first + count - 1];
    detail::block_state<float>({rows.data(), ones.data(), bias.data(), count},
                               {group.tile.data(), group.width, used, {}},
                               options, top.data(), sum.data());
    for (std::size_t l = 0; l < group.size; ++l) {
      if (options.has_fixed_range) {
        states[l].sum += sum[l];
      } else {
        states[l].merge({top[l] * std::numbers::ln2, sum[l], 0.0});
      }
    }
  }
  for (std::size_t l = 0; l < group.size; ++l) {
    if (options.has_fixed_range) states[l].max = 0.0;
    states[l].mass = atoms.mass;
    round.energies[group.first + l] = states[l].energy(epsilon);
  }
}

// Calls draw(group) and scores what it left in the tile, group by group.
template <typename Draw>
void play_groups(std::size_t count, std::size_t rows,
                 const detail::SpanAtoms& atoms, double epsilon,
                 SubspaceRound& round, const Draw& draw) {
  const std::size_t full = detail::group_width<float>();
  const std::size_t lanes = detail::lane_count<float>();
  LaneGroup group;
  group.tile = Matrix<float>(rows, full);
  group.squares.resize(full);
  for (group.first = 0; group.first < count; group.first += full) {
    group.size = std::min(full, count - group.first);
    group.width = group.size <= lanes ? lanes : full;
    draw(group);
    score_group(atoms, group, epsilon, round);
  }
}

// The step of proposal j in full: its normals in the span, and a rest outside
// of it that is as long as chi says.
template <typename T>
std::vector<double> full_step(const SpanFactor<T>& span, const RoundKey& key,
                              std::uint32_t j) {
  const std::size_t rank = span.rank();
  std::vector<double> along =
      normals_of(key, j, detail::kSubspaceBlock, rank + 1);
  const double chi_first = along.back();
  along.pop_back();
  const std::size_t m = span.dim();
  std::vector<double> v(m, 0.0);
  if (m > rank) {
    // The rest is what a random vector u has outside of the span, B' B u taken
    // off, made as long as chi says.
    v = normals_of(key, j, kRestBlock, m);
    const double chi =
        draw_chi(key, j, static_cast<double>(m - rank), chi_first);
    std::vector<double> inside = span.project(v);
    double outside = dot(v, v) - dot(inside, inside);
    if (outside < kShortRest * dot(v, v)) {
      // The difference has lost digits: take it off, and again.
      for (int pass = 0; pass < 2; ++pass) {
        for (double& x : inside) x = -x;
        span.add_combination(inside, v);
        inside = span.project(v);
      }
      outside = dot(v, v);
    }
    const double scale = chi / std::sqrt(outside);
    for (double& x : v) x *= scale;
    for (std::size_t b = 0; b < rank; ++b) along[b] -= scale * inside[b];
  }
  span.add_combination(along, v);
  return v;
}

// The unit vector of seed + sigma step, in place of the step.
template <typename S>
void step_off(std::span<const S> seed, double seed_scale, double sigma,
              std::span<double> v) {
  for (std::size_t k = 0; k < v.size(); ++k) {
    v[k] = seed_scale * static_cast<double>(seed[k]) + sigma * v[k];
  }
  const double norm = std::sqrt(dot(v, v));
  for (double& x : v) x /= norm;
}

}  // namespace

double StepScale::at(const RoundKey& key, std::uint32_t j) const {
  if (low == high) return low;
  const PhiloxStream stream(key.seed, key.cls, key.round, key.k);
  return low + (high - low) * stream.uniform(j);
}

double draw_chi(const RoundKey& key, std::uint32_t j, double freedom) {
  return draw_chi(key, j, freedom, chi_normal(key, j, 0));
}

double draw_chi(const RoundKey& key, std::uint32_t j, double freedom,
                double first_normal) {
  // chi^2 = 2 gamma(freedom / 2); for shapes below 1 the gamma of shape + 1 is
  // scaled by u^(1/shape).
  const double half = 0.5 * freedom;
  const double shape = half < 1.0 ? half + 1.0 : half;
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  double normal = first_normal;
  for (std::uint32_t attempt = 0;; normal = chi_normal(key, j, ++attempt)) {
    const PhiloxBlock other = block_of(key, j, kChiBlock + 2 * attempt + 1);
    const double u = to_uniform(other.low64());
    const double t = 1.0 + c * normal;
    if (t <= 0.0) continue;
    const double v = t * t * t;
    const double square = normal * normal;
    // The first test implies the second, without logarithms.
    if (u >= 1.0 - 0.0331 * square * square &&
        std::log(u) >= 0.5 * square + d - d * v + d * std::log(v)) {
      continue;
    }
    double gamma = d * v;
    if (half < 1.0) {
      gamma *= std::pow(to_uniform(other.high64()), 1.0 / half);
    }
    return std::sqrt(2.0 * gamma);
  }
}

template <typename T>
LocalSubspace<T>::LocalSubspace(std::span<const double> seed,
                                std::span<const double> class_anchor,
                                MatrixView<const T> atoms, double mass,
                                double epsilon)
    : span_(heads_of(seed, class_anchor), atoms),
      has_class_anchor_(!class_anchor.empty()),
      epsilon_(epsilon) {
  const std::size_t heads = has_class_anchor_ ? 2 : 1;
  atoms_.rows = Matrix<float>(atoms.rows(), rank() + 1);
  atoms_.mass = mass;
  for (std::size_t a = 0; a < atoms.rows(); ++a) {
    const auto coordinates = span_.coordinates(heads + a);
    atoms_.rows(a, 0) = static_cast<float>(coordinates[0]);
    for (std::size_t b = 0; b < rank(); ++b) {
      atoms_.rows(a, b + 1) = static_cast<float>(coordinates[b]);
    }
    atoms_.used.push_back(1 + span_.used_count(heads + a));
  }
}

// Row 0 of the tile is for the seed, row 1 + b for basis vector b.
template <typename T>
void LocalSubspace<T>::draw_group(const RoundKey& key, const StepScale& scale,
                                  detail::LaneGroup& group,
                                  SubspaceRound& round) const {
  const std::size_t width = group.width;
  const std::size_t free_dims = dim() - rank();
  detail::fill_normals(key.key(), key.k, key.class_round(),
                       static_cast<std::uint32_t>(group.first), rank() + 1,
                       width, group.row(1));
  detail::column_squares(group.row(1), rank(), width, group.squares.data());
  const double slope = std::numbers::log2e / epsilon_;
  const std::span<const double> anchor =
      has_class_anchor_ ? span_.coordinates(1) : std::span<const double>();
  // The query is (1, sigma g) slope / |v|.
  std::vector<float> factors(width, 0.0f);
  for (std::size_t l = 0; l < width; ++l) {
    if (l >= group.size) {
      group.row(0)[l] = 0.0f;
      continue;
    }
    const auto j = static_cast<std::uint32_t>(group.first + l);
    const double chi = free_dims == 0
                           ? 0.0
                           : draw_chi(key, j, static_cast<double>(free_dims),
                                      group.row(1 + rank())[l]);
    const double sigma = scale.at(key, j);
    const double along = group.row(1)[l];
    const double length =
        std::sqrt(1.0 + 2.0 * sigma * along +
                  sigma * sigma * (group.squares[l] + chi * chi));
    round.seed_cosines[j] = (1.0 + sigma * along) / length;
    if (has_class_anchor_) {
      double moved = anchor[0] * along;
      if (span_.used_count(1) > 1) {
        moved += anchor[1] * static_cast<double>(group.row(2)[l]);
      }
      round.class_cosines[j] = (anchor[0] + sigma * moved) / length;
    }
    group.row(0)[l] = static_cast<float>(slope / length);
    factors[l] = static_cast<float>(sigma) * group.row(0)[l];
  }
  detail::scale_columns(group.row(1), rank(), width, factors.data());
}

template <typename T>
void LocalSubspace<T>::evaluate(const RoundKey& key, std::size_t count,
                                const StepScale& scale,
                                SubspaceRound& round) const {
  round.energies.resize(count);
  round.seed_cosines.resize(count);
  round.class_cosines.resize(has_class_anchor_ ? count : 0);
  // Row 0, and the normals in whole blocks of four.
  const std::size_t rows = 1 + (rank() + 1 + 3) / 4 * 4;
  play_groups(count, rows, atoms_, epsilon_, round,
              [&](LaneGroup& group) { draw_group(key, scale, group, round); });
}

template <typename T>
std::vector<double> LocalSubspace<T>::complete(const RoundKey& key,
                                               std::uint32_t j,
                                               const StepScale& scale) const {
  std::vector<double> v = full_step(span_, key, j);
  step_off(span_.head(0), 1.0, scale.at(key, j), v);
  return v;
}

template <typename T>
ClassSubspace<T>::ClassSubspace(MatrixView<const T> points,
                                std::span<const std::size_t> reference,
                                std::span<const double> class_anchor,
                                double epsilon)
    : points_(points),
      span_(class_anchor.empty() ? Matrix<double>(0, points.cols())
                                 : heads_of(class_anchor, {}),
            points),
      heads_(class_anchor.empty() ? 0 : 1),
      epsilon_(epsilon) {
  atoms_.rows = Matrix<float>(reference.size(), rank());
  atoms_.mass = static_cast<double>(reference.size());
  for (std::size_t a = 0; a < reference.size(); ++a) {
    const auto coordinates = span_.coordinates(heads_ + reference[a]);
    std::transform(coordinates.begin(), coordinates.end(),
                   atoms_.rows.row(a).begin(),
                   [](double x) { return static_cast<float>(x); });
    atoms_.used.push_back(span_.used_count(heads_ + reference[a]));
  }
}

// Row b of the tile is for basis vector b; the first one is the class anchor.
template <typename T>
void ClassSubspace<T>::draw_group(const RoundKey& key, std::size_t seed,
                                  const StepScale& scale,
                                  detail::LaneGroup& group,
                                  SubspaceRound& round) const {
  const std::size_t width = group.width;
  const std::size_t free_dims = span_.dim() - rank();
  const std::span<const double> start = span_.coordinates(heads_ + seed);
  detail::fill_normals(key.key(), key.k, key.class_round(),
                       static_cast<std::uint32_t>(group.first), rank() + 1,
                       width, group.row(0));
  detail::column_squares(group.row(0), rank(), width, group.squares.data());
  std::vector<double> along(width);
  detail::column_products(group.row(0), start, width, along.data());
  const double slope = std::numbers::log2e / epsilon_;
  // The query is (seed + sigma g) slope / |v|.
  std::vector<float> scales(width, 0.0f);
  std::vector<float> factors(width, 0.0f);
  for (std::size_t l = 0; l < group.size; ++l) {
    const auto j = static_cast<std::uint32_t>(group.first + l);
    const double sigma = scale.at(key, j);
    const double chi = free_dims == 0
                           ? 0.0
                           : draw_chi(key, j, static_cast<double>(free_dims),
                                      group.row(rank())[l]);
    const double length =
        std::sqrt(1.0 + 2.0 * sigma * along[l] +
                  sigma * sigma * (group.squares[l] + chi * chi));
    round.seed_cosines[j] = (1.0 + sigma * along[l]) / length;
    if (heads_ > 0) {
      round.class_cosines[j] =
          (start[0] + sigma * static_cast<double>(group.row(0)[l])) / length;
    }
    scales[l] = static_cast<float>(sigma * slope / length);
    factors[l] = static_cast<float>(slope / length);
  }
  detail::shift_columns(group.row(0), start, width, scales.data(),
                        factors.data());
}

template <typename T>
void ClassSubspace<T>::evaluate(const RoundKey& key, std::size_t seed,
                                std::size_t count, const StepScale& scale,
                                SubspaceRound& round) const {
  round.energies.resize(count);
  round.seed_cosines.resize(count);
  round.class_cosines.resize(heads_ > 0 ? count : 0);
  const std::size_t rows = (rank() + 1 + 3) / 4 * 4;
  play_groups(count, rows, atoms_, epsilon_, round, [&](LaneGroup& group) {
    draw_group(key, seed, scale, group, round);
  });
}

template <typename T>
std::vector<double> ClassSubspace<T>::complete(const RoundKey& key,
                                               std::size_t seed,
                                               std::uint32_t j,
                                               const StepScale& scale) const {
  std::vector<double> v = full_step(span_, key, j);
  const std::span<const T> start = points_.row(seed);
  step_off(start, 1.0 / norm_of<T>(start), scale.at(key, j), v);
  return v;
}

template class LocalSubspace<float>;
template class LocalSubspace<double>;
template class ClassSubspace<float>;
template class ClassSubspace<double>;

}  // namespace sbog
