// SPDX-License-Identifier: Apache-2.0
// The feasible set of a sampler: what is drawn and moved passes its tests, for
// any number of threads.
#include "sbog/stress/sampler_space.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog::stress {
namespace sampler_space_test {

struct World {
  Matrix<float> bank{120, 6};
  std::vector<std::int64_t> labels;
  Matrix<double> anchors;

  World() {
    for (std::size_t i = 0; i < bank.rows(); ++i) {
      PhiloxStream(21, 0, 0, i).normals(0, bank.row(i));
      bank(i, i % 2) += 5.0F;
      float square = 0.0F;
      for (const float x : bank.row(i)) square += x * x;
      for (float& x : bank.row(i)) x /= std::sqrt(square);
      labels.push_back(i % 2 == 0 ? 3 : 8);
    }
    anchors = class_means<float>(std::as_const(bank).view(), labels);
  }
  SampleProblem<float> problem() const {
    return {bank.view(), labels, anchors.view(), {}};
  }
};

SamplerOptions options() {
  SamplerOptions sampler = profile_options(kDefaultProfile);
  sampler.energy.epsilon = 0.1;
  return sampler;
}

TEST(SamplerSpace, what_is_drawn_and_moved_is_feasible) {
  const World world;
  SamplerSpace<float> space(world.problem(), options(), 5);
  Matrix<double> points = space.draw(41, {});
  ASSERT_EQ(points.rows(), 41u);
  ASSERT_EQ(space.origins().size(), 41u);
  const Matrix<double> before = points.clone();
  std::vector<std::size_t> origins(41);
  for (std::size_t i = 0; i < 41; ++i) origins[i] = i;
  const std::vector<bool> moved = space.move(points.view(), origins, 0, {});
  // The same tests by the sampler of the run.
  SamplerOptions same = options();
  same.seed = 5;
  const Sampler<float> sampler(world.problem(), same);
  std::size_t steps = 0;
  for (std::size_t i = 0; i < 41; ++i) {
    const auto now = std::as_const(points).row(i);
    const bool is_same =
        std::equal(now.begin(), now.end(), before.row(i).begin());
    EXPECT_EQ(is_same, !moved[i]);
    const std::size_t c = space.origins()[i].label == 3 ? 0 : 1;
    EXPECT_EQ(world.labels[space.origins()[i].anchor_row],
              space.origins()[i].label);
    const ClassRun<float> run = sampler.prepare(c);
    Output<float> output;
    output.point.assign(now.begin(), now.end());
    double square = 0.0;
    for (const double x : now) square += x * x;
    EXPECT_NEAR(square, 1.0, 1e-6);
    // Against every anchor of the class: it is feasible for its own.
    bool is_feasible = false;
    for (std::size_t a = 0; a < run.anchor_count() && !is_feasible; ++a) {
      output.anchor = a;
      is_feasible = run.verify(output);
    }
    EXPECT_TRUE(is_feasible) << i;
    steps += moved[i] ? 1 : 0;
  }
  EXPECT_GT(steps, 5u);
}

TEST(SamplerSpace, threads_change_nothing) {
  const World world;
  const auto sought = [&](ThreadPool* pool) {
    const Context context{pool, nullptr};
    SamplerSpace<float> space(world.problem(), options(), 5, context);
    SeekOptions seek;
    seek.budget = 200;
    return seek_failures(
        space,
        [](MatrixView<const double> points) {
          std::vector<double> losses;
          for (std::size_t i = 0; i < points.rows(); ++i) {
            losses.push_back(points(i, 2));
          }
          return losses;
        },
        seek, context);
  };
  ThreadPool pool(3);
  const SeekResult one = sought(nullptr);
  const SeekResult three = sought(&pool);
  EXPECT_EQ(one.losses, three.losses);
  EXPECT_EQ(one.origins, three.origins);
  EXPECT_GT(one.rounds.back().mean_loss, one.rounds.front().mean_loss);
}

TEST(SamplerSpace, rules_without_proposals_are_refused) {
  const World world;
  SamplerOptions vos = options();
  vos.rule = Rule::kVos;
  EXPECT_THROW(SamplerSpace<float>(world.problem(), vos, 1), InvalidArgument);
}

}  // namespace sampler_space_test
}  // namespace sbog::stress
