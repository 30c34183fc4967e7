// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/linear.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog/nn/random.h"

namespace sbog::nn {
namespace linear_test {

ParameterSet make_layer() {
  ParameterSet set;
  set.add("l.weight", {2, 3});
  set.add("l.bias", {2});
  initialise_layer(set, "l", 1);
  return set;
}

Matrix<float> normals(std::size_t rows, std::size_t cols, std::uint64_t index) {
  Draws draws(7, Purpose::kPairs, index);
  Matrix<float> values(rows, cols);
  for (float& value : values.elements()) {
    value = static_cast<float>(draws.normal());
  }
  return values;
}

TEST(Linear, forward_and_backward_are_the_plain_sums) {
  const ParameterSet layer = make_layer();
  const Matrix<float> in = normals(5, 3, 1);
  const Matrix<float> d_out = normals(5, 2, 2);
  Matrix<float> out(5, 2);
  linear_forward(layer, "l", in, out);
  ParameterSet gradients = layer.zeros();
  Matrix<float> d_in(5, 3);
  linear_backward(layer, "l", in, d_out, &gradients, d_in);
  const auto weight = layer.values("l.weight");
  for (std::size_t b = 0; b < 5; ++b) {
    for (std::size_t o = 0; o < 2; ++o) {
      double sum = layer.values("l.bias")[o];
      for (std::size_t i = 0; i < 3; ++i) {
        sum += double{weight[o * 3 + i]} * double{in(b, i)};
      }
      EXPECT_NEAR(out(b, o), sum, 1e-6);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(d_in(b, i),
                  double{d_out(b, 0)} * double{weight[i]} +
                      double{d_out(b, 1)} * double{weight[3 + i]},
                  1e-6);
    }
  }
  for (std::size_t o = 0; o < 2; ++o) {
    double bias = 0.0;
    for (std::size_t b = 0; b < 5; ++b) bias += d_out(b, o);
    EXPECT_NEAR(gradients.values("l.bias")[o], bias, 1e-6);
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0.0;
      for (std::size_t b = 0; b < 5; ++b) {
        sum += double{d_out(b, o)} * double{in(b, i)};
      }
      EXPECT_NEAR(gradients.values("l.weight")[o * 3 + i], sum, 1e-6);
    }
  }
}

TEST(Linear, shapes_that_do_not_fit_are_refused) {
  const ParameterSet layer = make_layer();
  Matrix<float> out(5, 2);
  EXPECT_THROW(linear_forward(layer, "l", normals(5, 4, 1), out),
               InvalidArgument);
  EXPECT_THROW(linear_forward(layer, "l", normals(4, 3, 1), out),
               InvalidArgument);
}

}  // namespace linear_test
}  // namespace sbog::nn
