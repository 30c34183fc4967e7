// SPDX-License-Identifier: Apache-2.0
// Ambient proposals; see proposals.h.
#include "sbog/sample/proposals.h"

#include <algorithm>
#include <cmath>

namespace sbog {
namespace {

constexpr double kLeastLength = 0.2;  // of the longest

// anchor + step; false when the law gives no direction.
bool step_from(const PhiloxStream& stream, const ProposalSource& source,
               double sigma, std::uint32_t j, std::span<double> point) {
  const std::span<const double> anchor = source.anchor;
  if (source.tangent == nullptr) {
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

}  // namespace

bool project(const SamplerOptions& options, std::span<double> point) {
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
bool draw_proposal(const PhiloxStream& stream, const ProposalSource& source,
                   const SamplerOptions& options, std::uint32_t j,
                   std::span<T> out) {
  std::vector<double> point(source.anchor.size());
  const bool is_valid = step_from(stream, source, options.sigma, j, point) &&
                        project(options, point);
  const std::span<const double> kept =
      is_valid ? std::span<const double>(point) : source.anchor;
  std::transform(kept.begin(), kept.end(), out.begin(),
                 [](double x) { return static_cast<T>(x); });
  return is_valid;
}

template <typename T>
void draw_proposals(const PhiloxStream& stream, const ProposalSource& source,
                    const SamplerOptions& options, MatrixView<T> out,
                    std::vector<bool>& is_valid) {
  is_valid.resize(out.rows());
  for (std::size_t j = 0; j < out.rows(); ++j) {
    is_valid[j] = draw_proposal<T>(stream, source, options,
                                   static_cast<std::uint32_t>(j), out.row(j));
  }
}

template bool draw_proposal(const PhiloxStream&, const ProposalSource&,
                            const SamplerOptions&, std::uint32_t,
                            std::span<float>);
template bool draw_proposal(const PhiloxStream&, const ProposalSource&,
                            const SamplerOptions&, std::uint32_t,
                            std::span<double>);
template void draw_proposals(const PhiloxStream&, const ProposalSource&,
                             const SamplerOptions&, MatrixView<float>,
                             std::vector<bool>&);
template void draw_proposals(const PhiloxStream&, const ProposalSource&,
                             const SamplerOptions&, MatrixView<double>,
                             std::vector<bool>&);

}  // namespace sbog
