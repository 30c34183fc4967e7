// SPDX-License-Identifier: Apache-2.0
// Rounds of proposals; see latent_proposals.h.
#include "sbog/scenario/latent_proposals.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/nn/random.h"

namespace sbog::series {
namespace {

constexpr std::array<std::pair<ProposalLaw, const char*>, 4> kLaws = {
    {{ProposalLaw::kAuto, "auto"},
     {ProposalLaw::kIsotropic, "isotropic"},
     {ProposalLaw::kTangent, "tangent"},
     {ProposalLaw::kEditFirst, "edit-first"}}};

constexpr std::size_t kBasis = 4;
constexpr double kLongestMove = 0.3;
constexpr double kTangentLength = 0.2;
constexpr double kLeastLength = 0.2;  // of kTangentLength
constexpr double kLeastEigenvalue = 1e-12;

std::uint64_t stream_of(const DrawKey& key, std::size_t high) {
  return static_cast<std::uint64_t>(key.output) +
         (static_cast<std::uint64_t>(high) << 32);
}

// Adds length u to z for one tangent direction u.
void add_tangent(const TangentBasis& basis, nn::Draws& draws,
                 std::vector<double>& point) {
  std::vector<double> step(point.size(), 0.0);
  for (std::size_t b = 0; b < basis.lengths.size(); ++b) {
    const double along = basis.lengths[b] * draws.normal();
    for (std::size_t k = 0; k < step.size(); ++k) {
      step[k] += along * basis.directions(b, k);
    }
  }
  const double norm = norm_of<double>(step);
  const double length =
      kTangentLength * std::max(kLeastLength, draws.uniform());
  if (norm == 0.0) return;
  for (std::size_t k = 0; k < step.size(); ++k) {
    point[k] += length * step[k] / norm;
  }
}

// One round, rounded to float and projected to the sphere.
Matrix<float> draw_round(const Screen& screen, const TangentBasis* basis,
                         const ProposalSettings& settings, nn::Draws& draws) {
  const std::size_t dim = screen.point.size();
  Matrix<float> proposals(settings.count, dim);
  for (std::size_t j = 0; j < settings.count; ++j) {
    std::vector<double> point = screen.point;
    if (basis != nullptr) {
      add_tangent(*basis, draws, point);
    } else {
      for (double& value : point) value += settings.sigma * draws.normal();
    }
    const double norm = norm_of<double>(point);
    if (norm == 0.0) point = screen.point;
    for (std::size_t k = 0; k < dim; ++k) {
      proposals(j, k) =
          static_cast<float>(norm == 0.0 ? point[k] : point[k] / norm);
    }
  }
  return proposals;
}

// Which of the feasible proposals is taken.
std::size_t pick(const std::vector<std::size_t>& feasible,
                 const std::vector<double>& energies, const DrawKey& key) {
  if (key.attempt > 0) {
    nn::Draws draws(key.seed, nn::Purpose::kPick, stream_of(key, key.attempt));
    return feasible[draws.below(feasible.size())];
  }
  return *std::max_element(
      feasible.begin(), feasible.end(),
      [&](std::size_t a, std::size_t b) { return energies[a] < energies[b]; });
}

}  // namespace

const char* to_string(ProposalLaw law) {
  for (const auto& [value, name] : kLaws) {
    if (value == law) return name;
  }
  return "unknown";
}

ProposalLaw parse_proposal_law(std::string_view name) {
  for (const auto& [value, known] : kLaws) {
    if (name == known) return value;
  }
  throw InvalidArgument("proposals: '" + std::string(name) +
                        "' is not one of: auto, isotropic, tangent, "
                        "edit-first");
}

TangentBasis tangent_basis(const Screen& screen) {
  const auto dim = static_cast<Eigen::Index>(screen.point.size());
  Eigen::MatrixXd scatter = Eigen::MatrixXd::Zero(dim, dim);
  for (std::size_t i = 0; i < screen.moves.rows(); ++i) {
    Eigen::VectorXd move =
        Eigen::Map<const Eigen::VectorXd>(screen.moves.row(i).data(), dim);
    const double length = move.norm();
    if (length > kLongestMove) move *= kLongestMove / length;
    scatter += move * move.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scatter);
  TangentBasis basis;
  const std::size_t most = std::min(kBasis, screen.point.size());
  const double first = solver.eigenvalues()(dim - 1);
  if (!(first > kLeastEigenvalue)) return basis;
  basis.directions = Matrix<double>(most, screen.point.size());
  for (std::size_t b = 0; b < most; ++b) {
    const Eigen::Index column = dim - 1 - static_cast<Eigen::Index>(b);
    basis.lengths.push_back(
        std::sqrt(std::max(0.0, solver.eigenvalues()(column)) / first));
    for (std::size_t k = 0; k < screen.point.size(); ++k) {
      basis.directions(b, k) =
          solver.eigenvectors()(static_cast<Eigen::Index>(k), column);
    }
  }
  return basis;
}

std::optional<LatentTarget> draw_target(const LatentBank& bank,
                                        const Screen& screen, ProposalLaw law,
                                        const ProposalSettings& settings,
                                        const DrawKey& key) {
  const bool is_tangent = law == ProposalLaw::kTangent;
  const TangentBasis basis =
      is_tangent ? tangent_basis(screen) : TangentBasis();
  if (is_tangent && basis.lengths.empty()) return std::nullopt;
  const double highest = bank.threshold() + settings.band;
  for (std::size_t round = 0; round < settings.max_rounds; ++round) {
    nn::Draws draws(key.seed, nn::Purpose::kProposal,
                    stream_of(key, 4096 * key.attempt + round));
    const Matrix<float> proposals =
        draw_round(screen, is_tangent ? &basis : nullptr, settings, draws);
    const std::vector<double> energies =
        bank.model().evaluate(proposals.view()).energies;
    std::vector<std::size_t> feasible;
    for (std::size_t j = 0; j < energies.size(); ++j) {
      if (energies[j] >= bank.threshold() &&
          (!is_tangent || energies[j] <= highest)) {
        feasible.push_back(j);
      }
    }
    if (feasible.empty()) continue;
    const auto chosen = proposals.row(pick(feasible, energies, key));
    LatentTarget target;
    target.point.assign(chosen.begin(), chosen.end());
    target.energy = bank.energy(target.point);
    target.rounds = round + 1;
    target.feasible = feasible.size();
    // The float kernels propose, double decides.
    if (target.energy >= bank.threshold()) return target;
  }
  return std::nullopt;
}

}  // namespace sbog::series
