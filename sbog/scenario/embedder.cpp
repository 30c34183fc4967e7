// SPDX-License-Identifier: Apache-2.0
// The encoder as an embedder; see embedder.h.
#include "sbog/scenario/embedder.h"

namespace sbog::series {

EncoderEmbedder::EncoderEmbedder(const Encoder& encoder)
    : dim_(encoder.options().head), probe_(encoder) {}

std::vector<double> EncoderEmbedder::embed(MatrixView<const float> window) {
  const std::span<const float> point = probe_.embed(window);
  return {point.begin(), point.end()};
}

void EncoderEmbedder::gradient(std::span<const double> direction,
                               MatrixView<float> out) {
  const std::vector<float> narrow(direction.begin(), direction.end());
  probe_.gradient(narrow, out);
}

std::vector<Matrix<float>> jacobian(Embedder& embedder, std::size_t channels,
                                    std::size_t width) {
  std::vector<Matrix<float>> rows;
  std::vector<double> direction(embedder.dim(), 0.0);
  for (std::size_t k = 0; k < embedder.dim(); ++k) {
    direction[k] = 1.0;
    rows.emplace_back(channels, width);
    embedder.gradient(direction, rows.back());
    direction[k] = 0.0;
  }
  return rows;
}

}  // namespace sbog::series
