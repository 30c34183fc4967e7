// SPDX-License-Identifier: Apache-2.0
// Gibbs weights, gradient and Hessian-vector product of the energy:
//   w_i = nu_i exp(-d_i/eps) / K,   grad E = sum w_i g_i,
//   Hess E p = sum w_i H_i p - (1/eps) [sum w_i g_i (g_i.p) - gbar (gbar.p)],
// with g_i, H_i the derivatives of d(z, z_i) in z and gbar = grad E. All in
// double, one pass over the atoms per query after the energy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"

namespace sbog {

/// Derivatives in the ambient space, or along the unit sphere (Riemannian; the
/// query is then taken as a unit vector).
enum class Surface { kAmbient, kSphere };

/// w_i of one query for every atom, in the order of the atoms; they add up to
/// 1, but for a query that nothing supports: then all are 0. `self` is a bank
/// row the query does not see (weight 0), or kNoAtom.
template <typename T>
std::vector<double> gibbs_weights(const EnergyModel<T>& model,
                                  std::span<const T> query,
                                  std::size_t self = kNoAtom);

/// One gradient per row. Rows left at 0 after a cancel.
template <typename T>
Matrix<double> energy_gradient(const EnergyModel<T>& model,
                               MatrixView<const T> queries,
                               Surface surface = Surface::kAmbient,
                               const Context& context = {});

/// Hess E p for each query and its direction p (a row of `directions`; tangent
/// when the surface is the sphere).
template <typename T>
Matrix<double> energy_hessian_product(const EnergyModel<T>& model,
                                      MatrixView<const T> queries,
                                      MatrixView<const double> directions,
                                      Surface surface = Surface::kAmbient,
                                      const Context& context = {});

}  // namespace sbog
