// SPDX-License-Identifier: Apache-2.0
// Ambient proposals; see proposals.h.
#include "sbog/sample/proposals.h"

#include <algorithm>
#include <cmath>

namespace sbog {

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
bool draw_proposal(const PhiloxStream& stream, std::span<const double> anchor,
                   const SamplerOptions& options, std::uint32_t j,
                   std::span<T> out) {
  std::vector<double> point(anchor.size());
  stream.normals(j, std::span<double>(point));
  for (std::size_t k = 0; k < point.size(); ++k) {
    point[k] = anchor[k] + options.sigma * point[k];
  }
  const bool is_valid = project(options, point);
  const std::span<const double> kept =
      is_valid ? std::span<const double>(point) : anchor;
  std::transform(kept.begin(), kept.end(), out.begin(),
                 [](double x) { return static_cast<T>(x); });
  return is_valid;
}

template <typename T>
void draw_proposals(const PhiloxStream& stream, std::span<const double> anchor,
                    const SamplerOptions& options, MatrixView<T> out,
                    std::vector<bool>& is_valid) {
  is_valid.resize(out.rows());
  for (std::size_t j = 0; j < out.rows(); ++j) {
    is_valid[j] = draw_proposal<T>(stream, anchor, options,
                                   static_cast<std::uint32_t>(j), out.row(j));
  }
}

template bool draw_proposal(const PhiloxStream&, std::span<const double>,
                            const SamplerOptions&, std::uint32_t,
                            std::span<float>);
template bool draw_proposal(const PhiloxStream&, std::span<const double>,
                            const SamplerOptions&, std::uint32_t,
                            std::span<double>);
template void draw_proposals(const PhiloxStream&, std::span<const double>,
                             const SamplerOptions&, MatrixView<float>,
                             std::vector<bool>&);
template void draw_proposals(const PhiloxStream&, std::span<const double>,
                             const SamplerOptions&, MatrixView<double>,
                             std::vector<bool>&);

}  // namespace sbog
