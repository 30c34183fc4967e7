// SPDX-License-Identifier: Apache-2.0
// Targets; see target.h.
#include "sbog/scenario/target.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/symmetric.h"
#include "sbog/sample/class_sampler.h"

namespace sbog::series {
namespace {

constexpr std::array<std::pair<TargetLaw, const char*>, 4> kLaws = {
    {{TargetLaw::kAuto, "auto"},
     {TargetLaw::kIsotropic, "isotropic"},
     {TargetLaw::kTangent, "tangent"},
     {TargetLaw::kEditFirst, "edit-first"}}};

constexpr std::size_t kMostDirections = 4;
constexpr double kLongestStep = 0.3;
constexpr double kLeastEigenvalue = 1e-12;

}  // namespace

const char* to_string(TargetLaw law) {
  for (const auto& [value, name] : kLaws) {
    if (value == law) return name;
  }
  return "unknown";
}

TargetLaw parse_target_law(std::string_view name) {
  for (const auto& [value, known] : kLaws) {
    if (name == known) return value;
  }
  throw InvalidArgument("law: '" + std::string(name) +
                        "' is not one of: auto, isotropic, tangent, "
                        "edit-first");
}

TangentLaw tangent_law(const Screen& screen) {
  const std::size_t dim = screen.point.size();
  Matrix<double> moves = screen.moves.clone();
  for (std::size_t i = 0; i < moves.rows(); ++i) {
    const std::span<double> move = moves.row(i);
    const double length = norm_of<double>(move);
    if (!(length > kLongestStep)) continue;
    for (double& x : move) x *= kLongestStep / length;
  }
  Matrix<double> scatter(dim, dim);
  add_gram(moves, scatter);
  const SymmetricEigen eigen = symmetric_eigen(scatter);
  TangentLaw law;
  const double first = eigen.values.front();
  if (!(first > kLeastEigenvalue)) return law;
  const std::size_t most = std::min(kMostDirections, dim);
  law.directions = Matrix<double>(most, dim);
  for (std::size_t b = 0; b < most; ++b) {
    law.weights.push_back(std::sqrt(std::max(0.0, eigen.values[b]) / first));
    std::copy_n(eigen.vectors.row(b).data(), dim, law.directions.row(b).data());
  }
  return law;
}

std::optional<LatentTarget> draw_target(const LatentBank& bank,
                                        const Screen& screen, TargetLaw law,
                                        const TargetDraw& draw) {
  AnchorDraw asked;
  asked.anchor = draw.anchor;
  asked.k = static_cast<std::uint32_t>(draw.output);
  asked.attempt = static_cast<std::uint32_t>(draw.attempt);
  asked.max_rounds = draw.max_rounds;
  TangentLaw tangent;
  if (law == TargetLaw::kTangent) {
    tangent = tangent_law(screen);
    if (tangent.weights.empty()) return std::nullopt;
    asked.tangent = &tangent;
  }
  const Output<float> output = sample_at_anchor(bank.prepared(), asked);
  if (!output.is_accepted) return std::nullopt;
  return LatentTarget{{output.point.begin(), output.point.end()},
                      output.energy};
}

}  // namespace sbog::series
