// SPDX-License-Identifier: Apache-2.0
// The steps of oracle_experiment.h: generate, decode, judge.
#include "sbog/oracle/oracle_experiment.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/base/inner_product.h"
#include "sbog/metrics/detection.h"
#include "sbog/metrics/sliced_wasserstein.h"
#include "sbog/oracle/quadratic_detector.h"
#include "sbog/oracle/window_decoder.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog {
namespace {

// What a generator gave.
struct Generated {
  Matrix<float> points;              // one row per accepted output
  std::vector<std::size_t> classes;  // source classes
  std::vector<std::size_t> sources;  // rows of the bank
  double acceptance = 0.0;
};

// A rule without a source point is given the nearest bank point of its class.
std::size_t nearest_row(const OracleWorld& world, std::size_t cls,
                        std::span<const float> point) {
  const std::size_t count = world.settings().bank_per_class;
  std::size_t best = cls * count;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = cls * count; i < (cls + 1) * count; ++i) {
    const double apart =
        squared_distance<float, float>(world.bank().row(i), point);
    if (apart < least) {
      least = apart;
      best = i;
    }
  }
  return best;
}

Generated generate(const OracleWorld& world, const SamplerOptions& options,
                   const Context& context) {
  const OutlierSet<float> made = sample_outliers<float>(
      {world.bank(), world.labels(), world.class_anchors(), {}}, options,
      context);
  std::uint64_t draws = 0;
  std::uint64_t successes = 0;
  for (const ClassReport& report : made.reports) {
    std::uint64_t rounds = 0;
    for (const AnchorTally& tally : report.tallies) {
      rounds += tally.draws;
      successes += tally.successes;
    }
    draws += rounds;
    if (rounds == 0) {  // a rule without rounds, or a class given up at once
      draws += report.requested;
      successes += report.produced;
    }
  }
  Generated result;
  result.acceptance =
      static_cast<double>(successes) / static_cast<double>(draws);
  result.points = made.points(kOracleDim);
  // The labels of the world are the numbers of its classes.
  result.classes.assign(made.classes.begin(), made.classes.end());
  result.sources.resize(made.outputs.size());
  parallel_for(context, made.outputs.size(), [&](std::size_t i, std::size_t) {
    result.sources[i] =
        options.rule == Rule::kVos
            ? nearest_row(world, result.classes[i], made.outputs[i].point)
            : made.outputs[i].anchor_row;
  });
  return result;
}

// The outputs that have a window.
struct Decoded {
  std::vector<std::size_t> rows;  // of Generated
  Matrix<double> windows;
  std::vector<std::size_t> classes;
};

Decoded decode(const OracleWorld& world, const Generated& generated,
               const Context& context) {
  const std::size_t count = generated.classes.size();
  std::vector<DecodedWindow> all(count);
  parallel_for(context, count, [&](std::size_t i, std::size_t) {
    OraclePoint latent;
    const auto point = generated.points.row(i);
    std::copy(point.begin(), point.end(), latent.begin());
    all[i] = decode_window(world.encoder(),
                           world.windows().row(generated.sources[i]), latent);
  });
  Decoded decoded;
  for (std::size_t i = 0; i < count; ++i) {
    if (!all[i].is_decoded) continue;
    decoded.rows.push_back(i);
    decoded.classes.push_back(generated.classes[i]);
  }
  decoded.windows = Matrix<double>(decoded.rows.size(), kWindowSize);
  for (std::size_t i = 0; i < decoded.rows.size(); ++i) {
    const std::vector<double>& window = all[decoded.rows[i]].window;
    std::copy(window.begin(), window.end(), decoded.windows.row(i).begin());
  }
  return decoded;
}

// The first nine coordinates: the last follows from them.
MatrixView<const float> without_lift(MatrixView<const float> points) {
  return {points.data(), points.rows(), kStatistics, points.row_stride()};
}

double detector_aupr(const OracleWorld& world,
                     MatrixView<const float> outputs) {
  std::vector<double> positives(world.test_oracle().rows(), 0.0);
  std::vector<double> negatives(world.test_in().rows(), 0.0);
  if (outputs.rows() > 0) {
    const QuadraticDetector detector(without_lift(world.bank()),
                                     without_lift(outputs));
    positives = detector.score(without_lift(world.test_oracle()));
    negatives = detector.score(without_lift(world.test_in()));
  }
  return average_precision(positives, negatives).value();
}

}  // namespace

SamplerOptions oracle_options() {
  SamplerOptions options = profile_options("coverage");
  options.rule = Rule::kSbog;
  options.energy = {GroundCost::kCosine, 0.02, {}};
  options.trim = 0.08;
  options.quantile = 0.95;
  options.margin = 0.0;
  options.anchor_rule = AnchorRule::kTop;
  options.anchor_count = 40;
  options.sigma = 0.02;
  options.proposal_count = 128;
  options.max_rounds = 6;
  options.semantic_quantile = 0.01;
  options.semantic_slack = 0.02;
  options.pick = PickRule::kArgmax;
  options.splitting = false;
  return options;
}

OracleRow run_oracle(const OracleWorld& world, const SamplerOptions& options,
                     const Context& context) {
  const Context silent{context.pool, nullptr};
  SamplerOptions used = options;
  used.count = world.settings().outputs_per_class;
  used.seed = world.settings().seed;
  const Generated generated = generate(world, used, silent);
  const Decoded decoded = decode(world, generated, silent);
  const Matrix<float> points = copy_rows<float>(generated.points, decoded.rows);
  const BoundaryScores scores = score_boundary(
      world.boundary(), {points, decoded.windows, decoded.classes},
      world.bands(), silent);
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = generated.classes.size();
  OracleRow row;
  row.boundary_precision = scores.precision;
  row.semantic_validity = scores.validity;
  row.boundary_coverage = scores.coverage;
  row.worst_coverage = scores.worst_coverage;
  row.region_coverage = scores.region_coverage;
  row.sliced_wasserstein =
      count == 0 ? kUndefined
                 : sliced_wasserstein<float>(generated.points, world.oracle(),
                                             SlicedWassersteinOptions{}, silent)
                       .value;
  row.oracle_aupr = detector_aupr(world, generated.points);
  row.round_acceptance = generated.acceptance;
  row.decode_failure = count == 0
                           ? kUndefined
                           : 1.0 - static_cast<double>(decoded.rows.size()) /
                                       static_cast<double>(count);
  return row;
}

}  // namespace sbog
