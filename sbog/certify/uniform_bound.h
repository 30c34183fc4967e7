// SPDX-License-Identifier: Apache-2.0
// The uniform error bound e_n(h, delta) over the whole latent space, as a
// calculator that says when it promises nothing.
#pragma once

#include <string>

namespace sbog {

/// What the bound depends on.
struct UniformSetting {
  double epsilon = 0.05;
  double count = 0.0;      ///< n
  double dim = 0.0;        ///< m: the space has (1 + 2/h)^m balls of size h
  double delta = 0.05;     ///< allowed probability of failure
  double lipschitz = 1.0;  ///< of the cost; 1 for cosine on the sphere
  double log_min_support = 0.0;  ///< log K0, the infimum of K over the space
};

/// With probability 1 - delta every energy is known to `error`, unless vacuous.
struct UniformBound {
  bool is_vacuous = true;
  std::string reason;      ///< one sentence; empty unless vacuous
  double radius = 0.0;     ///< the h that is best on the grid
  double deviation = 0.0;  ///< u = sqrt(log(2 N(h)/delta)/(2n)) + 2 L h/eps
  double needed_support = 0.0;  ///< 2u: the smallest K0 it works for
  double error = 0.0;           ///< 2 eps u / K0, +inf when vacuous
};

/// Minimises u over a grid of 100 radii h per decade. Throws InvalidArgument
/// for a setting out of range.
UniformBound uniform_bound(const UniformSetting& setting);

/// log K0 of the whole unit sphere under a cosine cost when nothing is known
/// of the law: -2/epsilon, the support at the point opposite to the data.
double log_sphere_support(double epsilon);

}  // namespace sbog
