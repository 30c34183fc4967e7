// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of the decoder: series, profiles and an encoder whose
// answers can be worked out by hand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "sbog/base/inner_product.h"
#include "sbog/base/matrix.h"
#include "sbog/nn/random.h"
#include "sbog/scenario/edit.h"
#include "sbog/scenario/edit_row.h"
#include "sbog/scenario/embedder.h"

namespace sbog::series::testing_support {

/// Waves of different periods with noise, rows x channels; no two values are
/// equal.
inline Matrix<double> noisy_waves(std::size_t rows, std::size_t channels,
                                  std::uint64_t seed) {
  Matrix<double> values(rows, channels);
  nn::Draws draws(seed, nn::Purpose::kPairs, 11);
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t c = 0; c < channels; ++c) {
      const double period = 31.0 + 12.0 * static_cast<double>(c);
      values(t, c) =
          std::sin(2.0 * std::numbers::pi * static_cast<double>(t) / period) +
          0.1 * draws.normal();
    }
  }
  return values;
}

/// A padded row of smooth noise around 0.
inline std::vector<double> smooth_row(std::size_t width, std::uint64_t seed) {
  std::vector<double> row(width + 2 * kMargin);
  nn::Draws draws(seed, nn::Purpose::kPairs, 12);
  double state = 0.0;
  for (double& value : row) {
    state = 0.9 * state + 0.3 * draws.normal();
    value = state + 0.1 * draws.normal();
  }
  return row;
}

/// A channel without limits that matter.
inline ChannelProfile free_profile() {
  ChannelProfile profile;
  profile.low = -100.0;
  profile.high = 100.0;
  profile.slew = 0.5;
  profile.largest_step = 10.0;
  profile.unit = 1.0;
  return profile;
}

/// An edit of typical size of a kind, gate well inside a window of `width`.
inline Edit typical_edit(EditKind kind, std::size_t width) {
  const double w = static_cast<double>(width);
  Edit edit;
  edit.kind = kind;
  edit.partner = kind == EditKind::kCoupling ? 1 : 0;
  edit.start = 0.31 * w;
  edit.end = 0.74 * w;
  edit.period = 17.3;
  edit.phase = 0.4;
  edit.amount = 0.8 * strength_range(kind, free_profile()).unit;
  return edit;
}

/// Linear: each coordinate is a weighted sum of all samples; with
/// `is_normalised` projected to the unit sphere. `is_pooled`: a weighted sum of
/// the means of the channels; otherwise weights rise or fall over the window.
class LinearEmbedder : public Embedder {
 public:
  LinearEmbedder(std::size_t dim, std::size_t channels, std::size_t width,
                 bool is_normalised, bool is_pooled, std::uint64_t seed)
      : is_normalised_(is_normalised), offset_(dim, 0.0) {
    nn::Draws draws(seed, nn::Purpose::kPairs, 13);
    for (std::size_t k = 0; k < dim; ++k) {
      weights_.emplace_back(channels, width);
      for (std::size_t c = 0; c < channels; ++c) {
        const double size = draws.normal() / static_cast<double>(width);
        const double tilt = is_pooled ? 0.0 : draws.normal();
        for (std::size_t t = 0; t < width; ++t) {
          const double way =
              static_cast<double>(t) / static_cast<double>(width) - 0.5;
          weights_[k](c, t) = static_cast<float>(size * (1.0 + tilt * way));
        }
      }
      offset_[k] = is_normalised ? draws.normal() : 0.0;
    }
  }
  std::size_t dim() const override { return weights_.size(); }
  std::vector<double> embed(MatrixView<const float> window) override {
    point_ = offset_;
    for (std::size_t k = 0; k < dim(); ++k) {
      for (std::size_t c = 0; c < window.rows(); ++c) {
        point_[k] +=
            inner_product<float, float>(weights_[k].row(c), window.row(c));
      }
    }
    length_ = is_normalised_ ? norm_of<double>(point_) : 1.0;
    for (double& value : point_) value /= length_;
    return point_;
  }
  void gradient(std::span<const double> direction,
                MatrixView<float> out) override {
    const double along =
        is_normalised_ ? inner_product<double, double>(direction, point_) : 0.0;
    for (std::size_t c = 0; c < out.rows(); ++c) {
      for (std::size_t t = 0; t < out.cols(); ++t) {
        double sum = 0.0;
        for (std::size_t k = 0; k < dim(); ++k) {
          sum += (direction[k] - along * point_[k]) *
                 double{weights_[k](c, t)} / length_;
        }
        out(c, t) = static_cast<float>(sum);
      }
    }
  }

 private:
  bool is_normalised_;
  std::vector<Matrix<float>> weights_;
  std::vector<double> offset_;
  std::vector<double> point_;
  double length_ = 1.0;
};

}  // namespace sbog::series::testing_support
