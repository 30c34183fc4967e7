// SPDX-License-Identifier: Apache-2.0
// Frames and projections; see class_anchors.h.
#include "sbog_torch/image/class_anchors.h"

#include <cmath>
#include <span>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/data/check_finite.h"
#include "sbog/data/dataset.h"
#include "sbog_torch/image/draws.h"

namespace sbog::image {
namespace {

// Divides by the length; false when there is none.
bool normalise(std::span<double> row) {
  const double length = std::sqrt(dot(row, row));
  if (!(length > 1e-30)) return false;
  for (double& value : row) value /= length;
  return true;
}

// Orthonormal rows from normals. Gram-Schmidt twice is orthogonal to rounding.
Matrix<double> draw_frame(std::size_t rows, std::size_t cols,
                          std::uint64_t seed, Purpose purpose) {
  Matrix<double> frame(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    nn::Draws draws = open_draws(seed, purpose, i);
    for (double& value : frame.row(i)) value = draws.normal();
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < i; ++k) {
        const double part = dot(frame.row(i), frame.row(k));
        for (std::size_t j = 0; j < cols; ++j) {
          frame(i, j) -= part * frame(k, j);
        }
      }
      normalise(frame.row(i));
    }
  }
  return frame;
}

Matrix<float> rounded(const Matrix<double>& rows) {
  Matrix<float> out(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.elements()[i] = static_cast<float>(rows.elements()[i]);
  }
  return out;
}

// out = rows x frame, or rows x frame' when the frame is as wide as the rows.
Matrix<double> mapped(const Matrix<double>& rows, std::size_t width,
                      std::uint64_t seed, Purpose purpose) {
  const bool is_wider = width > rows.cols();
  const Matrix<double> frame =
      is_wider ? draw_frame(rows.cols(), width, seed, purpose)
               : draw_frame(width, rows.cols(), seed, purpose);
  Matrix<double> out(rows.rows(), width);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < rows.cols(); ++k) {
        sum += rows(i, k) * (is_wider ? frame(k, j) : frame(j, k));
      }
      out(i, j) = sum;
    }
  }
  return out;
}

void normalise_rows(Matrix<double>& rows, const char* when) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (!normalise(rows.row(i))) {
      throw InvalidArgument("user_anchors: row " + std::to_string(i) +
                            " has length 0 " + when +
                            "; every class needs a direction");
    }
  }
}

}  // namespace

Matrix<float> orthonormal_anchors(std::size_t classes, std::size_t width,
                                  std::uint64_t seed) {
  if (classes < 1 || classes > width) {
    throw InvalidArgument("orthonormal_anchors: " + std::to_string(classes) +
                          " classes in " + std::to_string(width) +
                          " dimensions; 1 to " + std::to_string(width) +
                          " are expected");
  }
  return rounded(draw_frame(classes, width, seed, Purpose::kFrame));
}

Matrix<float> simplex_anchors(std::size_t classes, std::size_t width,
                              std::uint64_t seed) {
  if (classes < 2 || classes > width + 1) {
    throw InvalidArgument("simplex_anchors: " + std::to_string(classes) +
                          " classes in " + std::to_string(width) +
                          " dimensions; 2 to " + std::to_string(width + 1) +
                          " are expected");
  }
  // Coordinates of the corners in Helmert's basis of the plane sum = 0.
  Matrix<double> corners(classes, classes - 1);
  for (std::size_t k = 1; k < classes; ++k) {
    const double n = static_cast<double>(k);
    const double scale = 1.0 / std::sqrt(n * (n + 1.0));
    for (std::size_t i = 0; i < k; ++i) corners(i, k - 1) = scale;
    corners(k, k - 1) = -n * scale;
  }
  normalise_rows(corners, "in the simplex");
  const Matrix<double> frame =
      draw_frame(classes - 1, width, seed, Purpose::kFrame);
  Matrix<double> out(classes, width);
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t k = 0; k + 1 < classes; ++k) {
      for (std::size_t j = 0; j < width; ++j) {
        out(i, j) += corners(i, k) * frame(k, j);
      }
    }
  }
  return rounded(out);
}

Matrix<float> user_anchors(MatrixView<const float> rows, std::size_t width,
                           std::uint64_t seed) {
  if (rows.is_empty() || width == 0) {
    throw InvalidArgument("user_anchors: there is no row or no width");
  }
  check_finite(rows, "user_anchors");
  Matrix<double> anchors(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) anchors(i, j) = rows(i, j);
  }
  normalise_rows(anchors, "as given");
  if (rows.cols() != width) {
    anchors = mapped(anchors, width, seed, Purpose::kProjection);
    normalise_rows(anchors, "after the projection");
  }
  return rounded(anchors);
}

Matrix<float> read_anchors(const std::string& spec, std::size_t classes,
                           std::size_t width, std::uint64_t seed) {
  const Array array = read_array(spec);
  if (array.shape().size() != 2 || array.rows() != classes) {
    throw InvalidArgument(spec + ": class anchors must be a matrix of " +
                          std::to_string(classes) + " rows, one per class");
  }
  sbog::check_finite(array, spec);
  return user_anchors(sbog::to_matrix<float>(array).view(), width, seed);
}

Matrix<float> make_anchors(const AnchorOptions& options, std::size_t classes,
                           std::size_t width) {
  switch (options.kind) {
    case AnchorKind::kOrthonormal:
      return orthonormal_anchors(classes, width, options.seed);
    case AnchorKind::kSimplex:
      return simplex_anchors(classes, width, options.seed);
    case AnchorKind::kFile:
      return read_anchors(options.file, classes, width, options.seed);
  }
  throw InvalidArgument("make_anchors: the kind of anchors is unknown");
}

ClassMeans::ClassMeans(const torch::Tensor& anchors, double decay)
    : anchors_(anchors.detach().clone()), decay_(decay) {
  if (!(decay >= 0.0 && decay < 1.0) || anchors.dim() != 2) {
    throw InvalidArgument(
        "ClassMeans: anchors must be a matrix and decay lie in [0, 1)");
  }
}

void ClassMeans::update(const torch::Tensor& latents,
                        const torch::Tensor& labels) {
  const torch::NoGradGuard no_gradient;
  torch::Tensor sums = torch::zeros_like(anchors_);
  sums.index_add_(0, labels, latents.detach().to(anchors_.scalar_type()));
  const torch::Tensor counts =
      torch::bincount(labels, {}, anchors_.size(0)).unsqueeze(1);
  const torch::Tensor means = sums / counts.clamp_min(1);
  const torch::Tensor moved = torch::nn::functional::normalize(
      decay_ * anchors_ + (1.0 - decay_) * means);
  anchors_ = torch::where(counts > 0, moved, anchors_);
}

}  // namespace sbog::image
