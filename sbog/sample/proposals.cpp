// SPDX-License-Identifier: Apache-2.0
// Ambient proposals; see proposals.h.
#include "sbog/sample/proposals.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/energy/detail/tile_kernel.h"
#include "sbog/sample/detail/normal_tile.h"

namespace sbog {
namespace {

constexpr double kLeastLength = 0.2;  // of the longest

// anchor + step; false when the law gives no direction.
bool step_from(const RoundKey& key, const ProposalSource& source,
               std::uint32_t j, std::span<double> point) {
  const std::span<const double> anchor = source.anchor;
  const PhiloxStream stream(key.seed, key.cls, key.round, key.k);
  if (source.tangent == nullptr) {
    const double sigma = source.scale.at(key, j);
    stream.normals(j, point);
    for (std::size_t k = 0; k < point.size(); ++k) {
      point[k] = anchor[k] + sigma * point[k];
    }
    return true;
  }
  const TangentLaw& law = *source.tangent;
  std::vector<double> along(law.weights.size());
  stream.normals(j, std::span<double>(along));
  std::fill(point.begin(), point.end(), 0.0);
  for (std::size_t b = 0; b < along.size(); ++b) {
    const double weight = law.weights[b] * along[b];
    for (std::size_t k = 0; k < point.size(); ++k) {
      point[k] += weight * law.directions(b, k);
    }
  }
  const double norm = std::sqrt(inner_product<double, double>(point, point));
  if (!(norm > 0.0)) return false;
  const double length = law.longest * std::max(kLeastLength, stream.uniform(j));
  for (std::size_t k = 0; k < point.size(); ++k) {
    point[k] = anchor[k] + length * point[k] / norm;
  }
  return true;
}

// Calls body(first, size, width, steps) for groups of shaped steps side by
// side: steps[k * width + lane].
template <typename Body>
void for_shaped(const RoundKey& key, const StepShape& shape, std::size_t count,
                const Body& body) {
  const std::size_t full = detail::group_width<float>();
  const std::size_t lanes = detail::lane_count<float>();
  Matrix<float> normals((shape.normal_count() + 3) / 4 * 4, full);
  Matrix<float> steps(shape.dim(), full);
  for (std::size_t first = 0; first < count; first += full) {
    const std::size_t size = std::min(full, count - first);
    const std::size_t width = (size + lanes - 1) / lanes * lanes;
    detail::fill_normals(key.key(), key.k, key.class_round(),
                         static_cast<std::uint32_t>(first),
                         shape.normal_count(), width, normals.data());
    shape.make_steps(normals.data(), width, steps.data());
    body(first, size, width, std::as_const(steps).data());
  }
}

bool project_alone(const SamplerOptions& options, std::span<double> point) {
  switch (options.projection) {
    case Projection::kSphere: {
      const double norm =
          std::sqrt(inner_product<double, double>(point, point));
      if (!(norm > 0.0)) return false;
      for (double& x : point) x /= norm;
      return true;
    }
    case Projection::kBox:
      for (std::size_t k = 0; k < point.size(); ++k) {
        point[k] =
            std::clamp(point[k], options.box_low[k], options.box_high[k]);
      }
      return true;
    case Projection::kIdentity:
      return true;
  }
  return false;
}

template <typename T>
void draw_shaped(const RoundKey& key, const ProposalSource& source,
                 const SamplerOptions& options, MatrixView<T> out,
                 std::vector<bool>& is_valid) {
  const std::span<const double> anchor = source.anchor;
  std::vector<double> point(anchor.size());
  for_shaped(key, *source.shape, out.rows(),
             [&](std::size_t first, std::size_t size, std::size_t width,
                 const float* steps) {
               for (std::size_t l = 0; l < size; ++l) {
                 const std::size_t j = first + l;
                 const double sigma =
                     source.scale.at(key, static_cast<std::uint32_t>(j));
                 for (std::size_t k = 0; k < point.size(); ++k) {
                   point[k] = anchor[k] +
                              sigma * static_cast<double>(steps[k * width + l]);
                 }
                 is_valid[j] = project(options, point, anchor);
                 const auto& kept =
                     is_valid[j] ? std::span<const double>(point) : anchor;
                 std::transform(kept.begin(), kept.end(), out.row(j).begin(),
                                [](double x) { return static_cast<T>(x); });
               }
             });
}

}  // namespace

bool project(const SamplerOptions& options, std::span<double> point,
             std::span<const double> anchor) {
  return project_alone(options, point) &&
         (options.rules == nullptr || options.rules->settle(point, anchor));
}

template <typename T>
bool draw_proposal(const RoundKey& key, const ProposalSource& source,
                   const SamplerOptions& options, std::uint32_t j,
                   std::span<T> out) {
  std::vector<double> point(source.anchor.size());
  const bool is_valid = step_from(key, source, j, point) &&
                        project(options, point, source.anchor);
  const std::span<const double> kept =
      is_valid ? std::span<const double>(point) : source.anchor;
  std::transform(kept.begin(), kept.end(), out.begin(),
                 [](double x) { return static_cast<T>(x); });
  return is_valid;
}

template <typename T>
void draw_proposals(const RoundKey& key, const ProposalSource& source,
                    const SamplerOptions& options, MatrixView<T> out,
                    std::vector<bool>& is_valid) {
  is_valid.resize(out.rows());
  if (source.shape != nullptr && source.tangent == nullptr) {
    draw_shaped(key, source, options, out, is_valid);
    return;
  }
  for (std::size_t j = 0; j < out.rows(); ++j) {
    is_valid[j] = draw_proposal<T>(key, source, options,
                                   static_cast<std::uint32_t>(j), out.row(j));
  }
}

Matrix<double> draw_steps(const RoundKey& key, const StepShape* shape,
                          std::size_t dim, std::size_t count) {
  Matrix<double> result(count, dim);
  if (shape == nullptr) {
    const PhiloxStream stream(key.seed, key.cls, key.round, key.k);
    for (std::size_t j = 0; j < count; ++j) {
      stream.normals(static_cast<std::uint32_t>(j), result.row(j));
    }
    return result;
  }
  for_shaped(key, *shape, count,
             [&](std::size_t first, std::size_t size, std::size_t width,
                 const float* steps) {
               for (std::size_t l = 0; l < size; ++l) {
                 for (std::size_t k = 0; k < dim; ++k) {
                   result(first + l, k) =
                       static_cast<double>(steps[k * width + l]);
                 }
               }
             });
  return result;
}

template bool draw_proposal(const RoundKey&, const ProposalSource&,
                            const SamplerOptions&, std::uint32_t,
                            std::span<float>);
template bool draw_proposal(const RoundKey&, const ProposalSource&,
                            const SamplerOptions&, std::uint32_t,
                            std::span<double>);
template void draw_proposals(const RoundKey&, const ProposalSource&,
                             const SamplerOptions&, MatrixView<float>,
                             std::vector<bool>&);
template void draw_proposals(const RoundKey&, const ProposalSource&,
                             const SamplerOptions&, MatrixView<double>,
                             std::vector<bool>&);

}  // namespace sbog
