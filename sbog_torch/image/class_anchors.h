// SPDX-License-Identifier: Apache-2.0
// Unit vectors that classes are aligned with: a fixed frame, a simplex, rows
// that the user gives (such as embeddings of class names), or running means of
// the classes.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "sbog/base/matrix.h"

namespace sbog::image {

/// C x m orthonormal rows: the orthogonal factor of standard normals, row c
/// from the stream (seed, Purpose::kFrame, c). Throws InvalidArgument unless
/// 1 <= C <= m.
Matrix<float> orthonormal_anchors(std::size_t classes, std::size_t width,
                                  std::uint64_t seed);

/// C x m unit rows whose cosines are all -1 / (C - 1), the simplex equiangular
/// tight frame, turned by the frame above. Throws InvalidArgument unless
/// 2 <= C <= m + 1.
Matrix<float> simplex_anchors(std::size_t classes, std::size_t width,
                              std::uint64_t seed);

/// The rows as unit vectors of `width` numbers. Rows of another width k go
/// through a seeded map first: for k < m an isometry, for k > m the
/// coordinates in m orthonormal directions (Purpose::kProjection). Throws
/// InvalidArgument for NaN, infinity and rows of length 0 before or after.
Matrix<float> user_anchors(MatrixView<const float> rows, std::size_t width,
                           std::uint64_t seed);

/// user_anchors of an array file (npy, or FILE:NAME for npz and safetensors)
/// with one row per class. Throws IoError, and InvalidArgument unless there are
/// `classes` rows.
Matrix<float> read_anchors(const std::string& spec, std::size_t classes,
                           std::size_t width, std::uint64_t seed);

/// Where anchors come from.
enum class AnchorKind { kOrthonormal, kSimplex, kFile };

/// How anchors are made.
struct AnchorOptions {
  AnchorKind kind = AnchorKind::kOrthonormal;
  std::string file = {};   ///< read for kFile
  std::uint64_t seed = 1;  ///< of the frame or the projection
};

/// Anchors of the kind that is asked for. Throws as the functions above.
Matrix<float> make_anchors(const AnchorOptions& options, std::size_t classes,
                           std::size_t width);

/// Exponential running means of unit latents per class, kept as unit rows:
///   a_c <- unit(decay a_c + (1 - decay) mean of the batch's rows of class c).
/// A class that is not in the batch stays.
class ClassMeans {
 public:
  /// Starts at `anchors`, C x m unit rows. Throws InvalidArgument unless decay
  /// lies in [0, 1).
  ClassMeans(const torch::Tensor& anchors, double decay);

  /// Latents N x m, classes int64 N in [0, C). No gradient flows.
  void update(const torch::Tensor& latents, const torch::Tensor& labels);
  const torch::Tensor& anchors() const { return anchors_; }

 private:
  torch::Tensor anchors_;
  double decay_;
};

}  // namespace sbog::image
