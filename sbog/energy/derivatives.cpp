// SPDX-License-Identifier: Apache-2.0
// The sums of derivatives.h, atom by atom in double.
#include "sbog/energy/derivatives.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/energy/precomputed_energy.h"

namespace sbog {
namespace {

template <typename T>
std::vector<double> to_double(std::span<const T> row) {
  return {row.begin(), row.end()};
}

template <typename T>
std::vector<double> weights_of(const EnergyModel<T>& model,
                               std::span<const double> z, std::size_t self) {
  const ReferenceMeasure<T>& measure = model.reference();
  std::vector<double> costs(measure.atom_count());
  std::vector<double> masses(measure.atom_count());
  std::vector<double> u(z.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::size_t row = measure.point_of(i);
    std::copy_n(measure.points.row(row).begin(), u.size(), u.begin());
    costs[i] = pair_cost(model.cost(), z, u, model.metric_factor());
    masses[i] = row == self ? 0.0 : measure.weight_of(i);
  }
  // The excluded atom may have been the only one.
  if (std::all_of(masses.begin(), masses.end(),
                  [](double mass) { return mass == 0.0; })) {
    return masses;
  }
  return gibbs_weights_of_costs(costs, masses, model.epsilon());
}

// Sums over the atoms that both derivatives need.
struct Sums {
  std::vector<double> gradient;         // sum w g
  std::vector<double> hessian_product;  // sum w H p
  std::vector<double> outer_product;    // sum w g (g.p)
};

template <typename T>
Sums sum_over_atoms(const EnergyModel<T>& model, std::span<const double> z,
                    std::span<const double> p) {
  const ReferenceMeasure<T>& measure = model.reference();
  const std::vector<double> w = weights_of(model, z, kNoAtom);
  const std::size_t dim = z.size();
  Sums sums{std::vector<double>(dim), std::vector<double>(dim),
            std::vector<double>(dim)};
  std::vector<double> g(dim);
  std::vector<double> h(dim);
  std::vector<double> u(dim);
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (w[i] == 0.0) continue;
    std::copy_n(measure.points.row(measure.point_of(i)).begin(), dim,
                u.begin());
    pair_gradient(model.cost(), z, u, g, model.metric_factor());
    for (std::size_t k = 0; k < dim; ++k) sums.gradient[k] += w[i] * g[k];
    if (p.empty()) continue;
    pair_hessian_product(model.cost(), z, u, p, h, model.metric_factor());
    const double gp = dot(g, p);
    for (std::size_t k = 0; k < dim; ++k) {
      sums.hessian_product[k] += w[i] * h[k];
      sums.outer_product[k] += w[i] * g[k] * gp;
    }
  }
  return sums;
}

// x <- (I - zz') x.
void project_to_tangent(std::span<const double> z, std::span<double> x) {
  const double along = dot(z, x);
  for (std::size_t k = 0; k < z.size(); ++k) x[k] -= along * z[k];
}

}  // namespace

template <typename T>
std::vector<double> gibbs_weights(const EnergyModel<T>& model,
                                  std::span<const T> query, std::size_t self) {
  model.check_queries({query.data(), 1, query.size()}, {&self, 1});
  return weights_of(model, to_double(query), self);
}

template <typename T>
Matrix<double> energy_gradient(const EnergyModel<T>& model,
                               MatrixView<const T> queries, Surface surface,
                               const Context& context) {
  model.check_queries(queries, {});
  Matrix<double> gradients(queries.rows(), queries.cols());
  ProgressCounter progress(context.observer, queries.rows());
  parallel_for(context, queries.rows(), [&](std::size_t q, std::size_t) {
    if (progress.is_cancelled()) return;
    const std::vector<double> z = to_double(queries.row(q));
    const Sums sums = sum_over_atoms(model, z, {});
    std::copy(sums.gradient.begin(), sums.gradient.end(),
              gradients.row(q).begin());
    if (surface == Surface::kSphere) project_to_tangent(z, gradients.row(q));
    progress.add(1);
  });
  return gradients;
}

template <typename T>
Matrix<double> energy_hessian_product(const EnergyModel<T>& model,
                                      MatrixView<const T> queries,
                                      MatrixView<const double> directions,
                                      Surface surface, const Context& context) {
  model.check_queries(queries, {});
  if (directions.rows() != queries.rows() ||
      directions.cols() != queries.cols()) {
    throw InvalidArgument("directions: one per query is expected");
  }
  Matrix<double> products(queries.rows(), queries.cols());
  ProgressCounter progress(context.observer, queries.rows());
  parallel_for(context, queries.rows(), [&](std::size_t q, std::size_t) {
    if (progress.is_cancelled()) return;
    const std::vector<double> z = to_double(queries.row(q));
    const auto p = directions.row(q);
    const Sums sums = sum_over_atoms(model, z, p);
    const double gp = dot(sums.gradient, p);
    const auto out = products.row(q);
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] =
          sums.hessian_product[k] -
          (sums.outer_product[k] - sums.gradient[k] * gp) / model.epsilon();
    }
    if (surface == Surface::kSphere) {  // P(H p) - (z.g) p
      project_to_tangent(z, out);
      const double radial = dot(z, sums.gradient);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] -= radial * p[k];
    }
    progress.add(1);
  });
  return products;
}

template std::vector<double> gibbs_weights(const EnergyModel<float>&,
                                           std::span<const float>, std::size_t);
template Matrix<double> energy_gradient(const EnergyModel<float>&,
                                        MatrixView<const float>, Surface,
                                        const Context&);
template Matrix<double> energy_hessian_product(const EnergyModel<float>&,
                                               MatrixView<const float>,
                                               MatrixView<const double>,
                                               Surface, const Context&);
template std::vector<double> gibbs_weights(const EnergyModel<double>&,
                                           std::span<const double>,
                                           std::size_t);
template Matrix<double> energy_gradient(const EnergyModel<double>&,
                                        MatrixView<const double>, Surface,
                                        const Context&);
template Matrix<double> energy_hessian_product(const EnergyModel<double>&,
                                               MatrixView<const double>,
                                               MatrixView<const double>,
                                               Surface, const Context&);

}  // namespace sbog
