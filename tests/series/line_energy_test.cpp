// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/line_energy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sbog/base/errors.h"
#include "series/support.h"

namespace sbog {
namespace line_energy_test {

// The definition, in long double.
double slow_energy(const std::vector<float>& atoms, double q, double epsilon) {
  long double nearest = std::numeric_limits<long double>::infinity();
  for (const float x : atoms) {
    nearest = std::min(nearest, std::abs(static_cast<long double>(q) - x));
  }
  long double sum = 0.0L;
  for (const float x : atoms) {
    const long double d = std::abs(static_cast<long double>(q) - x);
    sum += std::exp((nearest - d) / static_cast<long double>(epsilon));
  }
  return static_cast<double>(
      nearest - static_cast<long double>(epsilon) *
                    std::log(sum / static_cast<long double>(atoms.size())));
}

double range_of(std::vector<float> atoms) {
  std::sort(atoms.begin(), atoms.end());
  return static_cast<double>(atoms.back()) - atoms.front();
}

TEST(LineEnergy, equals_the_definition_at_atoms_between_and_outside) {
  for (const std::size_t n : {2u, 3u, 17u, 700u}) {
    const Matrix<double> drawn = testing_support::normal_rows(n, 1, n);
    const std::vector<float> atoms(drawn.elements().begin(),
                                   drawn.elements().end());
    for (const double share : {0.01, 0.3, 1e-5}) {
      const double epsilon = share * range_of(atoms);
      std::vector<float> copy = atoms;
      const LineEnergy energy(copy, share);
      EXPECT_DOUBLE_EQ(energy.epsilon(), epsilon);
      std::vector<double> queries(atoms.begin(), atoms.end());
      for (int i = -60; i <= 60; ++i) queries.push_back(0.1 * i);
      for (const double q : queries) {
        EXPECT_NEAR(energy(q), slow_energy(atoms, q, epsilon),
                    1e-13 * (1.0 + std::abs(q)))
            << n << " " << share << " " << q;
      }
    }
  }
}

TEST(LineEnergy, many_numbers_at_once_have_the_bits_of_one_by_one) {
  const Matrix<double> drawn = testing_support::normal_rows(900, 1, 8);
  std::vector<float> atoms(drawn.elements().begin(),
                           drawn.elements().begin() + 300);
  const LineEnergy energy(atoms, 0.01);
  std::vector<double> together(drawn.elements().begin(),
                               drawn.elements().end());
  std::vector<double> alone;
  for (const double q : together) alone.push_back(energy(2.0 * q));
  for (double& q : together) q *= 2.0;
  energy.evaluate(together);
  EXPECT_EQ(together, alone);
}

TEST(LineEnergy, two_atoms_have_a_closed_form) {
  std::vector<float> atoms = {0.0F, 1.0F};
  const LineEnergy energy(atoms, 0.5);
  const double q = 0.25;
  EXPECT_NEAR(energy(q),
              -0.5 * std::log((std::exp(-0.5) + std::exp(-1.5)) / 2.0), 1e-15);
}

TEST(LineEnergy, grows_with_slope_one_outside_the_atoms) {
  std::vector<float> atoms = {-1.0F, 0.0F, 0.5F, 3.0F};
  const LineEnergy energy(atoms, 0.01);
  EXPECT_NEAR(energy(1e6) - energy(1e6 - 5.0), 5.0, 1e-9);
  EXPECT_NEAR(energy(-1e6) - energy(-1e6 + 5.0), 5.0, 1e-9);
}

TEST(LineEnergy, equal_atoms_give_the_distance) {
  std::vector<float> atoms(30, 2.5F);
  const LineEnergy energy(atoms, 0.01);
  EXPECT_EQ(energy(2.5), 0.0);
  EXPECT_EQ(energy(4.0), 1.5);
  EXPECT_EQ(energy(-1.0), 3.5);
  EXPECT_EQ(energy.size(), 1u);
}

TEST(LineEnergy, repeated_atoms_count_as_often_as_they_come) {
  std::vector<float> atoms = {0.0F, 0.0F, 0.0F, 1.0F};
  const std::vector<float> all = atoms;
  const LineEnergy energy(atoms, 0.2);
  EXPECT_EQ(energy.size(), 2u);
  for (const double q : {-0.3, 0.0, 0.4, 0.9, 1.7}) {
    EXPECT_NEAR(energy(q), slow_energy(all, q, 0.2), 1e-14);
  }
}

RC_GTEST_PROP(LineEnergy, agrees_for_clustered_atoms, ()) {
  const auto raw = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(-40, 40)));
  std::vector<float> atoms;
  for (const int x : raw) {
    atoms.push_back(static_cast<float>(x * std::abs(x)) / 64.0F);
  }
  const double q = *rc::gen::inRange(-3000, 3000) / 97.0;
  std::vector<float> copy = atoms;
  const LineEnergy energy(copy, 0.01);
  const double epsilon = 0.01 * range_of(atoms);
  const double expected =
      epsilon > 0.0 ? slow_energy(atoms, q, epsilon) : std::abs(q - atoms[0]);
  RC_ASSERT(std::abs(energy(q) - expected) <= 1e-11);
}

TEST(LineEnergy, refuses_no_atoms_and_a_bad_epsilon) {
  std::vector<float> none;
  std::vector<float> one = {1.0F};
  EXPECT_THROW(LineEnergy(none, 0.01), InvalidArgument);
  EXPECT_THROW(LineEnergy(one, 0.0), InvalidArgument);
  EXPECT_THROW(LineEnergy(one, std::nan("")), InvalidArgument);
}

}  // namespace line_energy_test
}  // namespace sbog
