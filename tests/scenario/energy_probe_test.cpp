// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/energy_probe.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sbog/base/errors.h"
#include "sbog/energy/derivatives.h"
#include "sbog/energy/exact_energy.h"
#include "support.h"

namespace sbog::series {
namespace energy_probe_test {

Matrix<float> unit_rows(std::size_t rows, std::size_t dim, std::uint64_t seed) {
  Matrix<float> points(rows, dim);
  nn::Draws draws(seed, nn::Purpose::kPairs, 15);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = points.row(i);
    for (float& value : row) value = static_cast<float>(draws.normal());
    const double norm = norm_of<float>(row);
    for (float& value : row) value = static_cast<float>(value / norm);
  }
  return points;
}

TEST(EnergyProbe, value_and_gradient_are_those_of_the_energy_model) {
  for (const std::size_t dim : {3, 9}) {
    const Matrix<float> points = unit_rows(300, dim, dim);
    std::vector<std::size_t> atoms(250);
    std::iota(atoms.begin(), atoms.end(), std::size_t{10});
    const EnergyModel<float> model({points, {}, atoms},
                                   {GroundCost::kCosine, 0.03, {}});
    EnergyProbe probe(std::make_shared<EnergyAtoms>(points, atoms, 0.03));
    const Matrix<float> queries = unit_rows(5, dim, 77);
    const Matrix<double> truth =
        energy_gradient(model, queries.view(), Surface::kSphere);
    for (std::size_t i = 0; i < queries.rows(); ++i) {
      const std::vector<double> query(queries.row(i).begin(),
                                      queries.row(i).end());
      std::vector<double> gradient(dim);
      const double energy = exact_energy(model, query);
      EXPECT_NEAR(probe.value(query), energy, 1e-6);
      EXPECT_NEAR(probe.value(query, gradient), energy, 1e-6);
      for (std::size_t k = 0; k < dim; ++k) {
        EXPECT_NEAR(gradient[k], truth(i, k), 1e-5);
      }
    }
  }
}

TEST(EnergyProbe, one_atom_gives_its_cost) {
  Matrix<float> points(1, 2);
  points(0, 0) = 1.0F;
  EnergyProbe probe(
      std::make_shared<EnergyAtoms>(points, std::vector<std::size_t>{0}, 0.02));
  EXPECT_NEAR(probe.value(std::vector<double>{0.6, 0.8}), 0.4, 1e-12);
  EXPECT_NEAR(probe.value(std::vector<double>{1.0, 0.0}), 0.0, 1e-12);
}

TEST(EnergyProbe, wrong_sizes_are_refused) {
  const Matrix<float> points = unit_rows(4, 3, 1);
  EXPECT_THROW(EnergyAtoms(points, {}, 0.02), InvalidArgument);
  EXPECT_THROW(EnergyAtoms(points, std::vector<std::size_t>{0}, 0.0),
               InvalidArgument);
  EnergyProbe probe(std::make_shared<EnergyAtoms>(
      points, std::vector<std::size_t>{0, 1}, 0.02));
  EXPECT_THROW(probe.value(std::vector<double>{1.0, 0.0}), InvalidArgument);
}

}  // namespace energy_probe_test
}  // namespace sbog::series
