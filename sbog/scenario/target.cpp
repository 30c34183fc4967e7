// SPDX-License-Identifier: Apache-2.0
// Targets; see target.h.
#include "sbog/scenario/target.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
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
  const auto dim = static_cast<Eigen::Index>(screen.point.size());
  Eigen::MatrixXd scatter = Eigen::MatrixXd::Zero(dim, dim);
  for (std::size_t i = 0; i < screen.moves.rows(); ++i) {
    Eigen::VectorXd move =
        Eigen::Map<const Eigen::VectorXd>(screen.moves.row(i).data(), dim);
    const double length = move.norm();
    if (length > kLongestStep) move *= kLongestStep / length;
    scatter += move * move.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scatter);
  TangentLaw law;
  const std::size_t most = std::min(kMostDirections, screen.point.size());
  const double first = solver.eigenvalues()(dim - 1);
  if (!(first > kLeastEigenvalue)) return law;
  law.directions = Matrix<double>(most, screen.point.size());
  for (std::size_t b = 0; b < most; ++b) {
    const Eigen::Index column = dim - 1 - static_cast<Eigen::Index>(b);
    law.weights.push_back(
        std::sqrt(std::max(0.0, solver.eigenvalues()(column)) / first));
    for (std::size_t k = 0; k < screen.point.size(); ++k) {
      law.directions(b, k) =
          solver.eigenvectors()(static_cast<Eigen::Index>(k), column);
    }
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
