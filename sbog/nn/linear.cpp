// SPDX-License-Identifier: Apache-2.0
// Linear layers as plain loops; see linear.h.
#include "sbog/nn/linear.h"

#include <span>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"

namespace sbog::nn {
namespace {

void check(const Parameter& weight, std::size_t rows,
           MatrixView<const float> in, MatrixView<const float> out) {
  if (weight.shape.size() != 2 || weight.shape[0] != out.cols() ||
      weight.shape[1] != in.cols() || rows != in.rows()) {
    throw InvalidArgument("linear: " + weight.name +
                          " does not fit the shapes of its input and output");
  }
}

}  // namespace

void linear_forward(const ParameterSet& parameters, const std::string& layer,
                    MatrixView<const float> in, MatrixView<float> out) {
  check(parameters.entry(layer + ".weight"), out.rows(), in, out);
  const auto weight = parameters.values(layer + ".weight");
  const auto bias = parameters.values(layer + ".bias");
  for (std::size_t b = 0; b < in.rows(); ++b) {
    for (std::size_t o = 0; o < out.cols(); ++o) {
      const auto row = weight.subspan(o * in.cols(), in.cols());
      out(b, o) = static_cast<float>(
          bias[o] + inner_product<float, float>(in.row(b), row));
    }
  }
}

void linear_backward(const ParameterSet& parameters, const std::string& layer,
                     MatrixView<const float> in, MatrixView<const float> d_out,
                     ParameterSet* gradients, MatrixView<float> d_in) {
  check(parameters.entry(layer + ".weight"), d_out.rows(), in, d_out);
  const auto weight = parameters.values(layer + ".weight");
  const std::size_t inputs = in.cols();
  if (gradients != nullptr) {
    const auto d_weight = gradients->values(layer + ".weight");
    const auto d_bias = gradients->values(layer + ".bias");
    for (std::size_t o = 0; o < d_out.cols(); ++o) {
      d_bias[o] += static_cast<float>(sum_terms(
          in.rows(), [&](std::size_t b) { return double{d_out(b, o)}; }));
      for (std::size_t i = 0; i < inputs; ++i) {
        d_weight[o * inputs + i] +=
            static_cast<float>(sum_terms(in.rows(), [&](std::size_t b) {
              return double{d_out(b, o)} * double{in(b, i)};
            }));
      }
    }
  }
  if (d_in.is_empty()) return;
  for (std::size_t b = 0; b < in.rows(); ++b) {
    for (std::size_t i = 0; i < inputs; ++i) {
      d_in(b, i) =
          static_cast<float>(sum_terms(d_out.cols(), [&](std::size_t o) {
            return double{d_out(b, o)} * double{weight[o * inputs + i]};
          }));
    }
  }
}

}  // namespace sbog::nn
