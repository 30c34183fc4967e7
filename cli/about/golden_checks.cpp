// SPDX-License-Identifier: Apache-2.0
// The table of known numbers. Small problems are repeated until they fill the
// tiles of the kernels and occupy several threads: copies of all atoms leave an
// energy as it is.
#include "about/golden_checks.h"

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <span>

#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/certify/required_count.h"
#include "sbog/certify/support_interval.h"
#include "sbog/dro/robust_logits.h"
#include "sbog/dro/sinkhorn_dro.h"
#include "sbog/energy/derivatives.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/precomputed_energy.h"
#include "sbog/energy/threshold.h"
#include "sbog/metrics/detection.h"
#include "sbog/metrics/mmd.h"
#include "sbog/sample/class_sampler.h"

namespace sbog::cli {
namespace {

using Values = std::vector<double>;
using Rows = std::initializer_list<std::initializer_list<double>>;

constexpr std::size_t kBankCopies = 301;
constexpr std::size_t kQueryCopies = 203;

/// The rows, `copies` times over.
template <typename T>
Matrix<T> repeated(Rows rows, std::size_t copies = 1) {
  Matrix<T> out(rows.size() * copies, rows.begin()->size());
  for (std::size_t copy = 0; copy < copies; ++copy) {
    std::size_t i = copy * rows.size();
    for (const auto& row : rows) {
      std::size_t j = 0;
      for (const double x : row) out(i, j++) = static_cast<T>(x);
      ++i;
    }
  }
  return out;
}

template <typename T>
MatrixView<const T> view(const Matrix<T>& matrix) {
  return matrix.view();
}

EnergyOptions energy_options(GroundCost cost, double epsilon) {
  EnergyOptions options;
  options.cost = cost;
  options.epsilon = epsilon;
  return options;
}

template <typename T>
Values cosine_energies(const Context& context) {
  const auto bank =
      repeated<T>({{1.0, 0.0}, {0.6, 0.8}, {-0.8, 0.6}}, kBankCopies);
  const auto queries = repeated<T>({{0.8, 0.6}}, kQueryCopies);
  const EnergyModel<T> model({view(bank), {}, {}},
                             energy_options(GroundCost::kCosine, 0.2));
  return model.evaluate(view(queries), {}, context).energies;
}

Values left_out_energy(const Context& context) {
  const auto bank = repeated<double>({{1.0, 0.0}, {0.6, 0.8}, {-0.8, 0.6}});
  const EnergyModel<double> model({view(bank), {}, {}},
                                  energy_options(GroundCost::kCosine, 0.2));
  return {model.evaluate_bank(false, context).energies[2]};
}

/// Five weighted points in three dimensions, one of them with weight 0.
struct WeightedBank {
  explicit WeightedBank(std::size_t copies)
      : points(repeated<double>({{0.0, 0.0, 0.0},
                                 {1.0, 0.0, 0.0},
                                 {0.0, 2.0, 0.0},
                                 {1.0, 0.0, 0.0},
                                 {5.0, 5.0, 5.0}},
                                copies)) {
    for (std::size_t copy = 0; copy < copies; ++copy) {
      weights.insert(weights.end(), {0.5, 0.125, 0.25, 0.125, 0.0});
    }
  }
  EnergyModel<double> model() const {
    return {{view(points), weights, {}},
            energy_options(GroundCost::kSquaredEuclidean, 0.75)};
  }
  Matrix<double> points;
  Values weights;
};

Values weighted_energies(const Context& context) {
  const WeightedBank bank(kBankCopies);
  const auto queries = repeated<double>({{0.5, 0.25, -0.25}}, kQueryCopies);
  return bank.model().evaluate(view(queries), {}, context).energies;
}

Values gradient_entry(const Context& context) {
  const WeightedBank bank(kBankCopies);
  const auto query = repeated<double>({{0.5, 0.25, -0.25}});
  return {energy_gradient(bank.model(), view(query), Surface::kAmbient,
                          context)(0, 1)};
}

Values hessian_entry(const Context& context) {
  const WeightedBank bank(kBankCopies);
  const auto query = repeated<double>({{0.5, 0.25, -0.25}});
  const auto direction = repeated<double>({{1.0, -1.0, 2.0}});
  return {energy_hessian_product(bank.model(), view(query), view(direction),
                                 Surface::kAmbient, context)(0, 1)};
}

Values underflowing_energies(const Context& context) {
  const auto costs = repeated<double>({{0.75, 0.7501, 1.9}}, kQueryCopies);
  return evaluate_precomputed(view(costs), {}, 0.0005, {}, context).energies;
}

/// Ten unit vectors of three coordinates.
Matrix<double> small_sphere() {
  auto bank = repeated<double>({{1, 1, 1},
                                {2, 2, 3},
                                {3, 5, 5},
                                {1, 5, 7},
                                {2, 2, 2},
                                {3, 1, 4},
                                {1, 2, 6},
                                {2, 5, 1},
                                {3, 5, 3},
                                {1, 2, 5}});
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    double squares = 0.0;
    for (const double x : bank.row(i)) squares += x * x;
    for (double& x : bank.row(i)) x /= std::sqrt(squares);
  }
  return bank;
}

Values threshold_value(const Context& context) {
  const auto bank = small_sphere();
  const EnergyModel<double> model({view(bank), {}, {}},
                                  energy_options(GroundCost::kCosine, 0.05));
  ThresholdOptions options;
  options.level = 0.7;
  const auto energies = model.evaluate_bank(false, context).energies;
  return {calibrate_threshold(energies, options).value};
}

Values sampled_energy(const Context& context) {
  const auto bank = small_sphere();
  SamplerOptions options = profile_options("paper-series");
  options.energy.epsilon = 0.05;
  options.sigma = 0.1;
  options.proposal_count = 4;
  options.anchor_count = 8;
  options.quantile = 0.7;
  options.margin = 0.0;
  options.trim = 0.0;
  options.seed = 42;
  options.count = 5;
  options.max_rounds = 3;
  const ClassProblem<double> problem{view(bank), {}, {}, 0};
  const auto prepared = prepare_class(problem, options, context);
  const auto range = sample_class(*prepared, 0, 5, context);
  if (range.status != SolveStatus::kDone) return {};
  return {range.outputs[0].energy};
}

Values worst_case_loss(const Context& context) {
  const auto nominal = repeated<double>({{0.2}, {1.3}, {1.9}});
  const auto reference = repeated<double>({{0.0}, {0.4}, {1.0}, {1.5}, {2.2}});
  const Values nominal_weights = {0.5, 0.3, 0.2};
  const Values weights = {0.1, 0.2, 0.3, 0.25, 0.15};
  const Values losses = {0.0, 0.3, -0.2, 0.8, 1.1};
  auto problem = SinkhornDro::from_points<double>(
      {view(nominal), nominal_weights, {view(reference), weights, {}}}, losses,
      energy_options(GroundCost::kSquaredEuclidean, 0.5));
  return {problem.solve(0.05, {}, context).value};
}

Values robust_values(const Context& context) {
  const auto similarities = repeated<double>({{0.0, 1.0}}, kQueryCopies);
  const auto costs = repeated<double>({{0.0, 0.0}}, kQueryCopies);
  const Values weights = {0.8, 0.2};
  RobustOptions options;
  options.epsilon = 0.5;
  options.radius = 0.1;
  options.sign = RobustSign::kUpper;
  Matrix<double> values(kQueryCopies, 1);
  RobustOutput<double> out;
  out.values = values.view();
  const RobustBatch<double> batch{view(similarities), view(costs), weights, {}};
  if (robust_logits(batch, options, out, context) != SolveStatus::kDone) {
    return {};
  }
  Values found;
  for (std::size_t i = 0; i < kQueryCopies; ++i) found.push_back(values(i, 0));
  return found;
}

Values random_word(const Context& /*context*/) {
  const PhiloxBlock block =
      philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                 {0xa4093822, 0x299f31d0});
  return {static_cast<double>(block.words[0])};
}

Values random_normal(const Context& /*context*/) {
  Values normals(2);
  PhiloxStream(42, 3, 2, 7).normals(5, normals);
  return {normals[0]};
}

Values certified_energy(const Context& /*context*/) {
  const LogInterval support = kl_interval({std::log(0.01), 0.0, 1000.0}, 0.05);
  return {energy_interval(support, 0.02).low};
}

Values required_points(const Context& /*context*/) {
  PoolSetting setting;
  setting.epsilon = 0.02;
  setting.threshold = 0.1;
  setting.margin = 0.02;
  setting.pool = 32768.0;
  setting.delta = 0.05;
  return {required_counts(setting).one_sided};
}

Values ceiling(const Context& /*context*/) {
  return {certifiable_ceiling(0.02, 1000.0, 0.05 / 32768.0)};
}

Values discrepancy(const Context& context) {
  const auto first = repeated<double>({{1.0, 0.0}, {0.6, 0.8}});
  const auto second = repeated<double>({{0.0, 1.0}, {-0.6, 0.8}, {0.8, 0.6}});
  return {mmd_squared(view(first), view(second), {}, context).biased};
}

Values detection(const Context& /*context*/) {
  const Values positives = {0.35, 0.8, 0.65, 0.9};
  const Values negatives = {0.1, 0.4, 0.8, 0.2};
  return {average_precision(positives, negatives).value_or(-1.0)};
}

}  // namespace

std::vector<GoldenCheck> golden_checks() {
  return {
      {"energy, cosine, double", 0.185222469362677, 1e-12,
       cosine_energies<double>},
      {"energy, cosine, float", 0.185222469362677, 2e-6,
       cosine_energies<float>},
      {"energy, weighted squares", 0.586196565594525, 1e-12, weighted_energies},
      {"energy where exp underflows", 0.750250236709643, 1e-12,
       underflowing_energies},
      {"energy, leave-one-out", 1.13499945052843, 1e-12, left_out_energy},
      {"gradient of the energy", 0.475727337919532, 1e-12, gradient_entry},
      {"Hessian of the energy", -1.84988657702627, 1e-12, hessian_entry},
      {"threshold", 0.0813304023072827, 1e-11, threshold_value},
      {"sampler, first outlier", 0.0999939400837966, 1e-11, sampled_energy},
      {"worst expected loss", 0.466252300898967, 1e-12, worst_case_loss},
      {"robust logits", 0.482882659564562, 1e-11, robust_values},
      {"certificate, energy from below", 0.07718188808814, 1e-11,
       certified_energy},
      {"certificate, points required", 5383.32159006, 1e-10, required_points},
      {"certificate, ceiling", 0.0863943314820796, 1e-12, ceiling},
      {"maximum mean discrepancy", 0.395704250728059, 1e-12, discrepancy},
      {"average precision", 0.770833333333333, 1e-12, detection},
      {"random bits", 3513581065.0, 0.0, random_word},
      {"random normals", -0.278232937632228, 1e-12, random_normal},
  };
}

}  // namespace sbog::cli
