// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/parameter_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"

namespace sbog::nn {
namespace parameter_set_test {

ParameterSet make_set() {
  ParameterSet set;
  set.add("layer.weight", {50, 4, 5});
  set.add("layer.bias", {50});
  return set;
}

TEST(ParameterSet, tensors_lie_one_behind_the_other) {
  ParameterSet set = make_set();
  EXPECT_EQ(set.size(), 1050u);
  set.values("layer.bias")[3] = 2.0F;
  EXPECT_EQ(set.flat()[1003], 2.0F);
  const ParameterSet copy = set;
  set.flat()[1003] = 1.0F;
  EXPECT_EQ(copy.values("layer.bias")[3], 2.0F);
  EXPECT_EQ(copy.zeros().values("layer.bias")[3], 0.0F);
}

TEST(ParameterSet, unknown_and_repeated_names_are_refused) {
  ParameterSet set = make_set();
  EXPECT_THROW(set.values("other"), InvalidArgument);
  EXPECT_THROW(set.add("layer.bias", {1}), InvalidArgument);
}

TEST(ParameterSet, layers_are_uniform_within_one_over_root_fan_in) {
  ParameterSet set = make_set();
  initialise_layer(set, "layer", 4);
  const double bound = 1.0 / std::sqrt(20.0);
  double squares = 0.0;
  for (const float value : set.flat()) {
    EXPECT_LE(std::abs(value), bound);
    squares += double{value} * double{value};
  }
  // The variance of a uniform law, within four standard errors.
  const double variance = bound * bound / 3.0;
  EXPECT_NEAR(squares / 1050.0, variance,
              4.0 * variance * std::sqrt(0.8 / 1050.0));
}

TEST(ParameterSet, a_layer_is_the_same_in_any_company) {
  ParameterSet alone = make_set();
  ParameterSet together;
  together.add("first.weight", {3, 3});
  together.add("first.bias", {3});
  together.add("layer.weight", {50, 4, 5});
  together.add("layer.bias", {50});
  initialise_layer(alone, "layer", 4);
  initialise_layer(together, "first", 4);
  initialise_layer(together, "layer", 4);
  EXPECT_TRUE(std::ranges::equal(alone.values("layer.weight"),
                                 together.values("layer.weight")));
}

}  // namespace parameter_set_test
}  // namespace sbog::nn
