// SPDX-License-Identifier: Apache-2.0
// Proposals in the span have the law of ambient ones, and the completed vector
// is the one that was scored.
#include "sbog/sample/subspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sample/support.h"

namespace sbog {
namespace subspace_test {

using testing_support::kKsLimit;
using testing_support::ks_statistic;
using testing_support::plain_cosine;
using testing_support::plain_energy;
using testing_support::sphere_bank;
using testing_support::unit;

constexpr double kEpsilon = 0.05;

// One anchor with everything around it.
struct Scene {
  std::string name;
  std::vector<double> seed;
  std::vector<double> class_anchor;
  Matrix<double> atoms;
  double sigma = 0.1;
  double mass = 0.0;
  std::size_t rank = 0;  // expected

  StepScale scale() const { return {sigma, sigma}; }
  LocalSubspace<double> subspace() const {
    return {seed, class_anchor, atoms, mass, kEpsilon};
  }
  double energy(const std::vector<double>& v) const {
    return plain_energy<double>(atoms.view(), oracle::iota(atoms.rows()), v,
                                kEpsilon, mass);
  }
};

std::vector<double> row_of(const Matrix<double>& rows, std::size_t i) {
  return {rows.row(i).begin(), rows.row(i).end()};
}

Scene scene(const std::string& name, std::size_t dim, std::size_t atoms) {
  const Matrix<double> others = sphere_bank<double>(2, dim, 31);
  Scene result;
  result.name = name;
  result.seed = row_of(others, 0);
  result.class_anchor = row_of(others, 1);
  result.atoms = sphere_bank<double>(atoms, dim, 32);
  result.mass = 3.0 * static_cast<double>(atoms);
  result.rank = std::min(dim, atoms + 2);
  return result;
}

std::vector<Scene> all_scenes() {
  std::vector<Scene> scenes;
  scenes.push_back(scene("m = 24, K = 6", 24, 6));
  scenes.push_back(scene("the span is everything", 8, 13));
  scenes.push_back(scene("one dimension is left", 9, 6));
  scenes.push_back(scene("more atoms than a block", 300, 290));
  scenes.push_back(scene("two dimensions", 2, 5));
  Scene copies = scene("copies among the atoms", 24, 6);
  for (const std::size_t i : {1u, 4u}) {
    std::copy_n(copies.atoms.row(0).data(), 24, copies.atoms.row(i).data());
  }
  copies.rank = 6;
  scenes.push_back(std::move(copies));
  Scene equal = scene("an atom equals the seed", 24, 6);
  std::copy(equal.seed.begin(), equal.seed.end(), equal.atoms.row(2).begin());
  equal.rank = 7;
  scenes.push_back(std::move(equal));
  Scene same = scene("the class anchor equals the seed", 24, 6);
  same.class_anchor = same.seed;
  same.rank = 7;
  scenes.push_back(std::move(same));
  Scene only = scene("everything equals the seed", 5, 3);
  only.class_anchor = only.seed;
  for (std::size_t i = 0; i < 3; ++i) {
    std::copy(only.seed.begin(), only.seed.end(), only.atoms.row(i).begin());
  }
  only.rank = 1;
  scenes.push_back(std::move(only));
  Scene bare = scene("no class anchor", 24, 6);
  bare.class_anchor.clear();
  bare.rank = 7;
  scenes.push_back(std::move(bare));
  Scene loud = scene("large noise", 24, 6);
  loud.sigma = 1.5;
  scenes.push_back(std::move(loud));
  return scenes;
}

TEST(Subspace, the_rank_is_that_of_the_span) {
  for (const Scene& s : all_scenes()) {
    EXPECT_EQ(s.subspace().rank(), s.rank) << s.name;
    EXPECT_EQ(s.subspace().dim(), s.seed.size()) << s.name;
  }
}

TEST(Subspace, the_completed_vector_is_the_one_that_was_scored) {
  for (const Scene& s : all_scenes()) {
    SCOPED_TRACE(s.name);
    const LocalSubspace<double> subspace = s.subspace();
    const RoundKey key{(std::uint64_t{5} << 32) + 9, 3, 2, 11};
    SubspaceRound round;
    subspace.evaluate(key, 70, s.scale(), round);
    ASSERT_EQ(round.energies.size(), 70u);
    ASSERT_EQ(round.class_cosines.size(), s.class_anchor.empty() ? 0u : 70u);
    for (std::uint32_t j = 0; j < 70; ++j) {
      const std::vector<double> v = subspace.complete(key, j, s.scale());
      double norm2 = 0.0;
      for (const double x : v) norm2 += x * x;
      EXPECT_NEAR(norm2, 1.0, 1e-12);
      EXPECT_NEAR(round.energies[j], s.energy(v), 1e-5);
      EXPECT_NEAR(round.seed_cosines[j], plain_cosine(v, s.seed), 1e-6);
      if (!s.class_anchor.empty()) {
        EXPECT_NEAR(round.class_cosines[j], plain_cosine(v, s.class_anchor),
                    1e-6);
      }
    }
  }
}

TEST(Subspace, the_number_of_proposals_changes_none_of_them) {
  const Scene s = scene("m = 24, K = 6", 24, 6);
  const LocalSubspace<double> subspace = s.subspace();
  const RoundKey key{1, 0, 0, 0};
  SubspaceRound all;
  subspace.evaluate(key, 200, s.scale(), all);
  for (const std::size_t count : {1u, 3u, 8u, 9u, 17u, 64u, 65u, 199u}) {
    SubspaceRound some;
    subspace.evaluate(key, count, s.scale(), some);
    for (std::size_t j = 0; j < count; ++j) {
      ASSERT_EQ(some.energies[j], all.energies[j]) << count << " " << j;
      ASSERT_EQ(some.seed_cosines[j], all.seed_cosines[j]);
      ASSERT_EQ(some.class_cosines[j], all.class_cosines[j]);
    }
  }
}

// Samples of what a proposal is judged by, and some of its coordinates.
struct Sample {
  std::vector<double> energies;
  std::vector<double> seed_cosines;
  std::vector<double> class_cosines;
  std::vector<std::vector<double>> coordinates;
};

// By m normals each.
Sample ambient_sample(const Scene& s, std::size_t count) {
  Sample sample;
  sample.coordinates.resize(s.seed.size());
  const PhiloxStream stream(77, 1, 0, 0);
  for (std::uint32_t j = 0; j < count; ++j) {
    std::vector<double> v(s.seed.size());
    stream.normals(j, std::span<double>(v));
    for (std::size_t k = 0; k < v.size(); ++k)
      v[k] = s.seed[k] + s.sigma * v[k];
    v = unit(v);
    sample.energies.push_back(s.energy(v));
    sample.seed_cosines.push_back(plain_cosine(v, s.seed));
    if (!s.class_anchor.empty()) {
      sample.class_cosines.push_back(plain_cosine(v, s.class_anchor));
    }
    for (std::size_t k = 0; k < v.size(); ++k) {
      sample.coordinates[k].push_back(v[k]);
    }
  }
  return sample;
}

Sample subspace_sample(const Scene& s, std::size_t count) {
  Sample sample;
  sample.coordinates.resize(s.seed.size());
  const LocalSubspace<double> subspace = s.subspace();
  constexpr std::size_t kPerRound = 250;
  for (std::uint32_t k = 0; k * kPerRound < count; ++k) {
    const RoundKey key{78, 1, 0, k};
    SubspaceRound round;
    subspace.evaluate(key, kPerRound, s.scale(), round);
    const auto append = [](std::vector<double>& to,
                           const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(sample.energies, round.energies);
    append(sample.seed_cosines, round.seed_cosines);
    append(sample.class_cosines, round.class_cosines);
    for (std::uint32_t j = 0; j < kPerRound; ++j) {
      const std::vector<double> v = subspace.complete(key, j, s.scale());
      for (std::size_t i = 0; i < v.size(); ++i) {
        sample.coordinates[i].push_back(v[i]);
      }
    }
  }
  return sample;
}

TEST(Subspace, equals_ambient_proposals_in_law) {
  for (const Scene& s : all_scenes()) {
    if (s.seed.size() > 24) continue;  // the small ones tell as much
    SCOPED_TRACE(s.name);
    const Sample a = ambient_sample(s, 6000);
    const Sample b = subspace_sample(s, 6000);
    EXPECT_LT(ks_statistic(a.energies, b.energies), kKsLimit);
    EXPECT_LT(ks_statistic(a.seed_cosines, b.seed_cosines), kKsLimit);
    if (!s.class_anchor.empty()) {
      EXPECT_LT(ks_statistic(a.class_cosines, b.class_cosines), kKsLimit);
    }
    for (std::size_t k = 0; k < s.seed.size(); ++k) {
      EXPECT_LT(ks_statistic(a.coordinates[k], b.coordinates[k]), kKsLimit)
          << "coordinate " << k;
    }
    // A direction across the span and the rest.
    std::vector<double> mixed_a(6000, 0.0);
    std::vector<double> mixed_b(6000, 0.0);
    for (std::size_t k = 0; k < s.seed.size(); ++k) {
      const double weight = k % 2 == 0 ? 1.0 : -1.0;
      for (std::size_t i = 0; i < 6000; ++i) {
        mixed_a[i] += weight * a.coordinates[k][i];
        mixed_b[i] += weight * b.coordinates[k][i];
      }
    }
    EXPECT_LT(ks_statistic(mixed_a, mixed_b), kKsLimit);
  }
}

TEST(Subspace, the_statistic_sees_a_wrong_law) {
  Scene s = scene("m = 24, K = 6", 24, 6);
  const Sample a = ambient_sample(s, 6000);
  s.sigma *= 1.03;
  const Sample b = subspace_sample(s, 6000);
  EXPECT_GT(ks_statistic(a.seed_cosines, b.seed_cosines), kKsLimit);
}

TEST(Chi, has_the_moments_of_the_chi_law) {
  constexpr std::uint32_t kDraws = 40000;
  for (const double freedom : {1.0, 2.0, 3.0, 10.0, 638.0}) {
    double sum = 0.0;
    double square = 0.0;
    for (std::uint32_t j = 0; j < kDraws; ++j) {
      const double x = draw_chi({4, 2, 1, 0}, j, freedom);
      ASSERT_GT(x, 0.0);
      sum += x;
      square += x * x;
    }
    const double mean =
        std::sqrt(2.0) * std::exp(std::lgamma(0.5 * (freedom + 1.0)) -
                                  std::lgamma(0.5 * freedom));
    const double variance = freedom - mean * mean;
    // Four standard errors; chi^2 has variance 2 freedom.
    EXPECT_NEAR(sum / kDraws, mean, 4.0 * std::sqrt(variance / kDraws))
        << freedom;
    EXPECT_NEAR(square / kDraws, freedom,
                4.0 * std::sqrt(2.0 * freedom / kDraws))
        << freedom;
  }
}

TEST(Chi, equals_the_length_of_a_normal_vector_in_law) {
  constexpr std::uint32_t kDraws = 20000;
  for (const std::size_t freedom : {1u, 2u, 3u, 10u, 638u}) {
    const std::uint32_t draws = freedom > 100 ? kDraws / 4 : kDraws;
    std::vector<double> chi;
    std::vector<double> lengths;
    std::vector<double> xi(freedom);
    const PhiloxStream stream(123, 0, 0, 0);
    for (std::uint32_t j = 0; j < draws; ++j) {
      chi.push_back(draw_chi({5, 2, 1, 0}, j, static_cast<double>(freedom)));
      stream.normals(j, std::span<double>(xi));
      double square = 0.0;
      for (const double x : xi) square += x * x;
      lengths.push_back(std::sqrt(square));
    }
    EXPECT_LT(ks_statistic(chi, lengths), kKsLimit) << freedom;
  }
}

TEST(Chi, two_degrees_follow_the_rayleigh_law) {
  std::vector<double> draws;
  for (std::uint32_t j = 0; j < 40000; ++j) {
    draws.push_back(draw_chi({6, 0, 0, 3}, j, 2.0));
  }
  EXPECT_LT(testing_support::ks_statistic_of_law(
                draws, [](double x) { return -std::expm1(-0.5 * x * x); }),
            kKsLimit);
}

TEST(Chi, neighbouring_keys_are_not_alike) {
  const double x = draw_chi({6, 0, 0, 3}, 5, 4.0);
  EXPECT_NE(x, draw_chi({6, 0, 0, 3}, 6, 4.0));
  EXPECT_NE(x, draw_chi({6, 0, 0, 4}, 5, 4.0));
  EXPECT_NE(x, draw_chi({6, 0, 1, 3}, 5, 4.0));
  EXPECT_NE(x, draw_chi({6, 1, 0, 3}, 5, 4.0));
  EXPECT_NE(x, draw_chi({std::uint64_t{1} << 32, 0, 0, 3}, 5, 4.0));
}

// One class with a reference that leaves some of its points out.
struct ClassScene {
  std::string name;
  Matrix<double> points;
  std::vector<std::size_t> reference;
  std::vector<double> class_anchor;
  std::size_t rank = 0;  // expected

  ClassSubspace<double> subspace() const {
    return {points.view(), reference, class_anchor, kEpsilon};
  }
};

ClassScene class_scene(const std::string& name, std::size_t dim,
                       std::size_t count) {
  ClassScene result;
  result.name = name;
  result.points = sphere_bank<double>(count, dim, 33);
  // Rows of any length.
  for (double& x : result.points.row(1)) x *= 3.0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 2) result.reference.push_back(i);
  }
  result.class_anchor = row_of(sphere_bank<double>(1, dim, 34), 0);
  result.rank = std::min(dim, count + 1);
  return result;
}

std::vector<ClassScene> class_scenes() {
  std::vector<ClassScene> scenes;
  scenes.push_back(class_scene("m = 40, n = 9", 40, 9));
  scenes.push_back(class_scene("the span is everything", 6, 20));
  scenes.push_back(class_scene("more points than a strip", 200, 70));
  ClassScene bare = class_scene("no class anchor", 40, 9);
  bare.class_anchor.clear();
  bare.rank = 9;
  scenes.push_back(std::move(bare));
  ClassScene copies = class_scene("copies", 40, 9);
  std::copy_n(copies.points.row(0).data(), 40, copies.points.row(5).data());
  copies.rank = 9;
  scenes.push_back(std::move(copies));
  return scenes;
}

TEST(ClassSubspace, the_completed_vector_is_the_one_that_was_scored) {
  for (const ClassScene& s : class_scenes()) {
    SCOPED_TRACE(s.name);
    const ClassSubspace<double> subspace = s.subspace();
    EXPECT_EQ(subspace.rank(), s.rank);
    const RoundKey key{(std::uint64_t{5} << 32) + 9, 3, 2, 11};
    const StepScale scale{0.02, 0.3};
    for (const std::size_t seed : {0u, 1u, 2u}) {
      SubspaceRound round;
      subspace.evaluate(key, seed, 70, scale, round);
      ASSERT_EQ(round.class_cosines.size(), s.class_anchor.empty() ? 0u : 70u);
      for (std::uint32_t j = 0; j < 70; ++j) {
        const std::vector<double> v = subspace.complete(key, seed, j, scale);
        EXPECT_NEAR(plain_cosine(v, v), 1.0, 1e-12);
        const double energy =
            plain_energy<double>(s.points.view(), s.reference, v, kEpsilon,
                                 static_cast<double>(s.reference.size()));
        EXPECT_NEAR(round.energies[j], energy, 1e-5);
        EXPECT_NEAR(round.seed_cosines[j], plain_cosine(v, s.points.row(seed)),
                    1e-6);
        if (s.class_anchor.empty()) continue;
        EXPECT_NEAR(round.class_cosines[j], plain_cosine(v, s.class_anchor),
                    1e-6);
      }
    }
  }
}

TEST(ClassSubspace, proposals_have_the_law_of_ambient_ones) {
  const ClassScene s = class_scene("m = 40, n = 9", 40, 9);
  const ClassSubspace<double> subspace = s.subspace();
  constexpr std::size_t kCount = 4000;
  const StepScale scale{0.15, 0.15};
  SubspaceRound round;
  subspace.evaluate({4, 0, 0, 0}, 3, kCount, scale, round);
  std::vector<double> energies;
  std::vector<double> cosines;
  const PhiloxStream stream(5, 0, 0, 0);
  for (std::uint32_t j = 0; j < kCount; ++j) {
    std::vector<double> v(40);
    stream.normals(j, std::span<double>(v));
    for (std::size_t k = 0; k < 40; ++k) {
      v[k] = s.points(3, k) + 0.15 * v[k];
    }
    energies.push_back(
        plain_energy<double>(s.points.view(), s.reference, v, kEpsilon,
                             static_cast<double>(s.reference.size())));
    cosines.push_back(plain_cosine(v, s.class_anchor));
  }
  EXPECT_LT(ks_statistic(round.energies, energies), kKsLimit);
  EXPECT_LT(ks_statistic(round.class_cosines, cosines), kKsLimit);
}

}  // namespace subspace_test
}  // namespace sbog
