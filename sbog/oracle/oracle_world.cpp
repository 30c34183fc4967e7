// SPDX-License-Identifier: Apache-2.0
// The draws of oracle_world.h.
#include "sbog/oracle/oracle_world.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/sample/sampler.h"

namespace sbog {
namespace {

constexpr std::size_t kFewestBank = 32;
constexpr std::size_t kFewestOracle = 6;  // five neighbours
constexpr std::size_t kMostDraws = std::size_t{1} << 31;

void need(bool is_fine, const char* sentence) {
  if (!is_fine) throw InvalidArgument(sentence);
}

const OracleSettings& checked(const OracleSettings& settings) {
  need(settings.bank_per_class >= kFewestBank &&
           settings.bank_per_class < kMostDraws,
       "bank per class: between 32 and 2^31 windows are expected");
  need(settings.oracle_per_region >= kFewestOracle &&
           settings.oracle_per_region < kMostDraws,
       "oracle per region: between 6 and 2^31 windows are expected");
  need(settings.outputs_per_class >= 1 &&
           settings.outputs_per_class < kMostDraws,
       "outputs per class: between 1 and 2^31 are expected");
  need(settings.test_in >= kOracleClasses && settings.test_in < kMostDraws,
       "test in: between 3 and 2^31 windows are expected");
  need(settings.test_oracle >= kOracleRegions &&
           settings.test_oracle < kMostDraws,
       "test oracle: between 9 and 2^31 windows are expected");
  need(settings.delta_draws >= 1 && settings.delta_draws < kMostDraws,
       "delta draws: between 1 and 2^31 are expected");
  need(std::isfinite(settings.mean_scale),
       "mean scale: a finite number is expected");
  return settings;
}

// `total` things over `parts`, the first ones taking what is left over.
std::vector<std::size_t> first_rows(std::size_t total, std::size_t parts) {
  std::vector<std::size_t> first(parts + 1, 0);
  for (std::size_t i = 0; i < parts; ++i) {
    first[i + 1] = first[i] + total / parts + (i < total % parts ? 1 : 0);
  }
  return first;
}

// Windows of the three processes, class after class.
Matrix<double> draw_classes(const Boundary& boundary, std::uint64_t seed,
                            WindowPurpose purpose, std::size_t total,
                            const Context& context) {
  const std::vector<std::size_t> first = first_rows(total, kOracleClasses);
  Matrix<double> windows(total, kWindowSize);
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    parallel_for(context, first[c + 1] - first[c],
                 [&](std::size_t i, std::size_t) {
                   draw_window(boundary.base(c),
                               {seed, purpose, static_cast<std::uint32_t>(c),
                                static_cast<std::uint32_t>(i)},
                               windows.row(first[c] + i));
                 });
  }
  return windows;
}

// Draws of each perturbed process that fall into its band, region after region.
// Candidates are tried in the order of their numbers.
Matrix<double> draw_bands(const Boundary& boundary, std::uint64_t seed,
                          WindowPurpose purpose, std::size_t total,
                          const Context& context) {
  const std::vector<std::size_t> first = first_rows(total, kOracleRegions);
  Matrix<double> windows(total, kWindowSize);
  parallel_for(context, kOracleRegions, [&](std::size_t l, std::size_t) {
    std::uint32_t candidate = 0;
    for (std::size_t row = first[l]; row < first[l + 1]; ++candidate) {
      draw_window(boundary.perturbed(l),
                  {seed, purpose, static_cast<std::uint32_t>(l), candidate},
                  windows.row(row));
      if (boundary.is_in_band(l, windows.row(row))) ++row;
    }
  });
  return windows;
}

Matrix<float> encode_windows(const WindowEncoder& encoder,
                             MatrixView<const double> windows,
                             const Context& context) {
  Matrix<float> points(windows.rows(), kOracleDim);
  parallel_for(context, windows.rows(), [&](std::size_t i, std::size_t) {
    const OraclePoint point = encoder.encode(windows.row(i));
    std::transform(point.begin(), point.end(), points.row(i).begin(),
                   [](double x) { return static_cast<float>(x); });
  });
  return points;
}

std::vector<std::int64_t> class_labels(std::size_t per_class) {
  std::vector<std::int64_t> labels;
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    labels.insert(labels.end(), per_class, static_cast<std::int64_t>(c));
  }
  return labels;
}

std::vector<BandSample> cut_bands(MatrixView<const float> oracle,
                                  std::size_t per_region,
                                  const Context& context) {
  std::vector<BandSample> bands(kOracleRegions);
  parallel_for(context, kOracleRegions, [&](std::size_t l, std::size_t) {
    const auto rows = oracle.subrows(l * per_region, per_region);
    bands[l].points = Matrix<float>(per_region, oracle.cols());
    std::copy_n(rows.data(), per_region * oracle.cols(),
                bands[l].points.data());
    bands[l].radius = neighbour_radius(rows);
  });
  return bands;
}

}  // namespace

OracleWorld::OracleWorld(const OracleSettings& settings, const Context& context)
    : settings_(checked(settings)),
      boundary_({settings.seed, settings.nats, settings.mean_scale,
                 settings.delta_draws},
                context),
      labels_(class_labels(settings.bank_per_class)),
      windows_(draw_classes(boundary_, settings.seed, WindowPurpose::kBank,
                            labels_.size(), context)),
      encoder_(windows_, labels_),
      bank_(encode_windows(encoder_, windows_, context)),
      class_anchors_(class_means<float>(bank_, labels_)) {
  const auto draw = [&](WindowPurpose purpose, std::size_t count) {
    return encode_windows(
        encoder_, draw_bands(boundary_, settings.seed, purpose, count, context),
        context);
  };
  oracle_ =
      draw(WindowPurpose::kOracle, kOracleRegions * settings.oracle_per_region);
  bands_ = cut_bands(oracle_, settings.oracle_per_region, context);
  test_oracle_ = draw(WindowPurpose::kTestOracle, settings.test_oracle);
  test_in_ = encode_windows(
      encoder_,
      draw_classes(boundary_, settings.seed, WindowPurpose::kTestIn,
                   settings.test_in, context),
      context);
}

}  // namespace sbog
