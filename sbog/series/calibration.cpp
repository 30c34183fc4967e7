// SPDX-License-Identifier: Apache-2.0
// Views, centres and units; see calibration.h.
#include "sbog/series/calibration.h"

#include <algorithm>
#include <cmath>

namespace sbog {
namespace {

constexpr double kLeastViewUnit = 1e-6;
constexpr double kLeastChannelUnit = 0.2;

template <typename T>
std::vector<double> column_of(MatrixView<const T> matrix, std::size_t c) {
  std::vector<double> column(matrix.rows());
  for (std::size_t t = 0; t < column.size(); ++t) column[t] = matrix(t, c);
  return column;
}

// The median and a quantile, without a full sort.
struct Spread {
  double median;
  double upper;
};

double select(std::vector<double>& values, double q) {
  const double place = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(low);
  std::nth_element(values.begin(), at, values.end());
  if (low + 1 >= values.size()) return *at;
  const double next = *std::min_element(at + 1, values.end());
  return *at + (place - static_cast<double>(low)) * (next - *at);
}

Spread spread_of(std::vector<double> values, double q) {
  const double upper = select(values, q);
  return {select(values, 0.5), upper};
}

double channel_root(std::span<const float> energies,
                    std::span<const double> medians,
                    std::span<const double> units) {
  double sum = 0.0;
  for (std::size_t c = 0; c < energies.size(); ++c) {
    const double z = std::max(energies[c] - medians[c], 0.0) / units[c];
    sum += z * z;
  }
  return std::sqrt(sum);
}

double channel_sum(std::span<const float> energies) {
  double sum = 0.0;
  for (const float energy : energies) sum += energy;
  return sum;
}

}  // namespace

std::size_t view_count(DetectorKind kind) {
  return kind == DetectorKind::kChannel ? kSignalCount : 2 * kSignalCount;
}

bool is_joint_view(DetectorKind kind, std::size_t view) {
  return kind != DetectorKind::kChannel && view < kSignalCount;
}

Signal view_signal(DetectorKind /*kind*/, std::size_t view) {
  return static_cast<Signal>(view % kSignalCount);
}

std::string view_name(DetectorKind kind, std::size_t view) {
  return std::string(is_joint_view(kind, view) ? "joint " : "per-channel ") +
         std::string(to_string(view_signal(kind, view)));
}

ChannelUnits fit_channel_units(const SignalEnergies& energies) {
  const std::size_t channels = energies.lines[0].cols();
  ChannelUnits result{Matrix<double>(kSignalCount, channels),
                      Matrix<double>(kSignalCount, channels)};
  for (std::size_t s = 0; s < kSignalCount; ++s) {
    for (std::size_t c = 0; c < channels; ++c) {
      const Spread found =
          spread_of(column_of(energies.lines[s].view(), c), 0.99);
      result.medians(s, c) = found.median;
      result.units(s, c) =
          std::max(found.upper - found.median, kLeastChannelUnit);
    }
  }
  return result;
}

Matrix<double> view_values(DetectorKind kind, const SignalEnergies& energies,
                           const ChannelUnits& channels) {
  const std::size_t rows = energies.lines[0].rows();
  Matrix<double> values(rows, view_count(kind));
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t s = 0; s < kSignalCount; ++s) {
      const std::span<const float> line = energies.lines[s].row(t);
      if (kind == DetectorKind::kChannel) {
        values(t, s) =
            channel_root(line, channels.medians.row(s), channels.units.row(s));
      } else {
        values(t, s) = energies.joint(t, s);
        values(t, kSignalCount + s) = channel_sum(line);
      }
    }
  }
  return values;
}

ViewUnits fit_view_units(MatrixView<const double> held_out) {
  ViewUnits result;
  for (std::size_t v = 0; v < held_out.cols(); ++v) {
    const Spread found = spread_of(column_of(held_out, v), 0.999);
    result.centres.push_back(found.median);
    result.units.push_back(
        std::max(found.upper - found.median, kLeastViewUnit));
  }
  return result;
}

ViewUnits fit_batch_units(MatrixView<const double> held_out,
                          MatrixView<const double> scored) {
  ViewUnits result;
  for (std::size_t v = 0; v < held_out.cols(); ++v) {
    const Spread own = spread_of(column_of(held_out, v), 0.99);
    const Spread other = spread_of(column_of(scored, v), 0.9);
    const double centre = std::max(own.median, other.median);
    result.centres.push_back(centre);
    result.units.push_back(std::max(
        {own.upper - own.median, other.upper - centre, kLeastViewUnit}));
  }
  return result;
}

Matrix<double> view_parts(MatrixView<const double> values,
                          const ViewUnits& units) {
  Matrix<double> parts(values.rows(), values.cols());
  const auto views = static_cast<double>(values.cols());
  for (std::size_t t = 0; t < values.rows(); ++t) {
    for (std::size_t v = 0; v < values.cols(); ++v) {
      const double above = std::max(values(t, v) - units.centres[v], 0.0);
      parts(t, v) = above / units.units[v] / views;
    }
  }
  return parts;
}

std::vector<double> row_sums(MatrixView<const double> parts) {
  std::vector<double> sums(parts.rows());
  for (std::size_t t = 0; t < parts.rows(); ++t) {
    for (const double part : parts.row(t)) sums[t] += part;
  }
  return sums;
}

}  // namespace sbog
