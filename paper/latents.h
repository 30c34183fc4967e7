// SPDX-License-Identifier: Apache-2.0
// Generated latents: mixtures on the unit sphere whose law is known, so that
// fresh points can be drawn at will.
//
// A point is the direction of c + s xi / sqrt(dim): c the centre of its
// component, xi standard normal, s the spread (about the length of the noise).
//
// Draws: PhiloxStream(seed ^ kLatentKey, part, 0, row); j = 0 gives the normals
// of a row and the anchor draw its component. The key keeps them apart from the
// draws of a sampler with the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog::paper {

/// Which sample of the same law. Samples are independent of each other.
enum class LatentPart : std::uint32_t {
  kCentres = 0,
  kBank = 1,
  kFresh = 2,
  kPopulation = 3,
  kPerturbations = 4,
};

/// The law of the latents.
struct LatentLaw {
  std::uint64_t seed = 1;
  std::size_t dim = 4;
  std::size_t components = 5;
  double spread = 0.35;
};

/// Points of unit length with the component of each.
template <typename T>
struct LatentSample {
  Matrix<T> points;
  std::vector<std::int64_t> labels;
};

/// The first `count` points of a sample. Throws InvalidArgument for a law
/// without dimensions, components or a finite positive spread.
template <typename T>
LatentSample<T> draw_latents(const LatentLaw& law, LatentPart part,
                             std::size_t count);

/// `copies` noisy copies of each of the rows: the direction of z + sigma xi,
/// copy after copy of the first row, then of the second. Row i and copy j draw
/// from PhiloxStream(seed ^ kLatentKey, kPerturbations, 0, i), normals of j.
template <typename T>
Matrix<T> perturb_rows(MatrixView<const T> points,
                       std::span<const std::size_t> rows, std::size_t copies,
                       double sigma, std::uint64_t seed);

}  // namespace sbog::paper
