// SPDX-License-Identifier: Apache-2.0
// Draws from the mixtures of latents.h.
#include "paper/latents.h"

#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/philox.h"

namespace sbog::paper {
namespace {

// "latents" in ASCII.
constexpr std::uint64_t kLatentKey = 0x006C6174656E7473;

PhiloxStream stream(std::uint64_t seed, LatentPart part, std::size_t row) {
  return {seed ^ kLatentKey, static_cast<std::uint32_t>(part), 0, row};
}

void normalise(std::span<double> point) {
  const double length = norm_of<double>(point);
  for (double& x : point) x /= length;
}

Matrix<double> draw_centres(const LatentLaw& law) {
  Matrix<double> centres(law.components, law.dim);
  for (std::size_t c = 0; c < law.components; ++c) {
    stream(law.seed, LatentPart::kCentres, c).normals(0, centres.row(c));
    normalise(centres.row(c));
  }
  return centres;
}

// The direction of centre + scale * noise, where `noise` holds normals.
template <typename T, typename U>
void place(std::span<const U> centre, double scale, std::span<double> noise,
           std::span<T> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    noise[i] = static_cast<double>(centre[i]) + scale * noise[i];
  }
  normalise(noise);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<T>(noise[i]);
  }
}

void check(const LatentLaw& law) {
  if (law.dim < 2 || law.components == 0 || !std::isfinite(law.spread) ||
      law.spread <= 0.0) {
    throw InvalidArgument(
        "latents: at least 2 dimensions, a component and a positive spread "
        "are expected");
  }
}

}  // namespace

template <typename T>
LatentSample<T> draw_latents(const LatentLaw& law, LatentPart part,
                             std::size_t count) {
  check(law);
  const Matrix<double> centres = draw_centres(law);
  LatentSample<T> sample{Matrix<T>(count, law.dim),
                         std::vector<std::int64_t>(count)};
  std::vector<double> noise(law.dim);
  const double scale = law.spread / std::sqrt(static_cast<double>(law.dim));
  for (std::size_t i = 0; i < count; ++i) {
    const PhiloxStream draws = stream(law.seed, part, i);
    const std::size_t c = draws.anchor_index(law.components);
    draws.normals(0, std::span<double>(noise));
    place<T, double>(centres.row(c), scale, noise, sample.points.row(i));
    sample.labels[i] = static_cast<std::int64_t>(c);
  }
  return sample;
}

template <typename T>
Matrix<T> perturb_rows(MatrixView<const T> points,
                       std::span<const std::size_t> rows, std::size_t copies,
                       double sigma, std::uint64_t seed) {
  Matrix<T> out(rows.size() * copies, points.cols());
  std::vector<double> noise(points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PhiloxStream draws = stream(seed, LatentPart::kPerturbations, i);
    for (std::size_t j = 0; j < copies; ++j) {
      draws.normals(static_cast<std::uint32_t>(j), std::span<double>(noise));
      place<T, T>(points.row(rows[i]), sigma, noise, out.row(i * copies + j));
    }
  }
  return out;
}

template LatentSample<float> draw_latents<float>(const LatentLaw&, LatentPart,
                                                 std::size_t);
template LatentSample<double> draw_latents<double>(const LatentLaw&, LatentPart,
                                                   std::size_t);
template Matrix<float> perturb_rows<float>(MatrixView<const float>,
                                           std::span<const std::size_t>,
                                           std::size_t, double, std::uint64_t);
template Matrix<double> perturb_rows<double>(MatrixView<const double>,
                                             std::span<const std::size_t>,
                                             std::size_t, double,
                                             std::uint64_t);

}  // namespace sbog::paper
