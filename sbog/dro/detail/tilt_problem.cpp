// SPDX-License-Identifier: Apache-2.0
// Passes over rows x atoms; see tilt_problem.h.
#include "sbog/dro/detail/tilt_problem.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "sbog/dro/detail/compensated_sum.h"
#include "sbog/dro/detail/tilt_kernel.h"

namespace sbog::detail {
namespace {

// With few rows the blocks are shared out too. Fixed numbers, so that the order
// of every sum is a function of the problem alone.
constexpr std::size_t kTasks = 64;
constexpr std::size_t kStateBytes = std::size_t{64} << 20;
constexpr std::size_t kMostThetas = 16;
// Log of a partition that belongs to no row: its exponentials are 0.
constexpr double kNoPartition = 1e9;

}  // namespace

// Sums [theta][segment][field][row].
template <typename T>
struct TiltPasses<T>::States {
  States(std::size_t thetas, std::size_t segments, std::size_t rows)
      : segment_count(segments),
        row_count(rows),
        values(thetas * segments * 4, rows) {
    for (std::size_t i = 0; i < values.rows(); i += 4) {
      std::fill_n(values.row(i).data(), rows, kLowestMax);
    }
  }
  TiltSums at(std::size_t theta, std::size_t segment, std::size_t row) {
    const std::size_t i = (theta * segment_count + segment) * 4;
    return {values.row(i).data() + row, values.row(i + 1).data() + row,
            values.row(i + 2).data() + row, values.row(i + 3).data() + row};
  }
  double field(std::size_t theta, std::size_t segment, std::size_t f,
               std::size_t row) const {
    return values((theta * segment_count + segment) * 4 + f, row);
  }

  std::size_t segment_count;
  std::size_t row_count;
  Matrix<double> values;
};

// One row at one theta; gains relative to the row's top.
template <typename T>
struct TiltPasses<T>::RowTilt {
  double log_partition = 0.0;  // L
  double dual_mean = 0.0;      // L / theta
  double mean = 0.0;           // E_P
  double divergence = 0.0;     // KL / theta^2 when is_scaled
  double variance = 0.0;       // Var_P
  double magnitude = 0.0;      // |L| when it was subtracted
  double max = 0.0;            // of the sums, base 2
  double sum = 0.0;
};

template <typename T>
TiltPasses<T>::TiltPasses(LogitBlocks<T> blocks, std::vector<double> weights,
                          std::vector<double> gains, std::vector<double> tops)
    : blocks_(std::move(blocks)),
      weights_(std::move(weights)),
      tops_(std::move(tops)),
      gains_(std::move(gains)) {
  const std::size_t block_count = blocks_.block_count();
  const std::size_t wanted =
      std::clamp<std::size_t>(kTasks / blocks_.chunk_count(), 1, block_count);
  segment_blocks_ = (block_count + wanted - 1) / wanted;
  segments_ = (block_count + segment_blocks_ - 1) / segment_blocks_;
  const std::size_t padded = blocks_.padded_rows();
  for (auto* row_values :
       {&weights_, &tops_, &peaks_, &log2_sums_, &centers_}) {
    row_values->resize(padded, 0.0);
  }
}

template <typename T>
bool TiltPasses<T>::run_states(std::span<const double> thetas, bool is_first,
                               States& states, const Context& context) {
  std::vector<LogitScratch<T>> scratch(worker_count(context));
  ProgressCounter progress(context.observer,
                           blocks_.group_count() * blocks_.block_count());
  const auto add_tile = [&](std::size_t g, std::size_t b, std::size_t segment,
                            LogitScratch<T>& mine) {
    const TiltTile<T> tile = {blocks_.tile(g, b, mine), blocks_.atoms_in(b),
                              blocks_.width_of(g),
                              gains_.data() + b * kBlockAtoms};
    const std::size_t row = blocks_.first_row(g);
    const TiltRows rows = {peaks_.data() + row, log2_sums_.data() + row,
                           tops_.data() + row, centers_.data() + row};
    for (std::size_t k = 0; k < thetas.size(); ++k) {
      const TiltSums sums = states.at(k, segment, row);
      if (!is_first && thetas[k] < kSmallTheta) {
        add_small_tilt(tile, thetas[k], rows, sums);
      } else {
        add_tilt(tile, thetas[k], rows, sums);
      }
    }
  };
  const auto task = [&](std::size_t index, std::size_t worker) {
    const std::size_t first_group = index / segments_ * kChunkGroups;
    const std::size_t segment = index % segments_;
    const std::size_t last_group =
        std::min(first_group + kChunkGroups, blocks_.group_count());
    const std::size_t first = segment * segment_blocks_;
    const std::size_t last =
        std::min(first + segment_blocks_, blocks_.block_count());
    for (std::size_t b = first; b < last; ++b) {
      if (progress.is_cancelled()) return;
      for (std::size_t g = first_group; g < last_group; ++g) {
        add_tile(g, b, segment, scratch[worker]);
      }
      progress.add(last_group - first_group);
    }
  };
  parallel_for(context, blocks_.chunk_count() * segments_, task);
  return !progress.is_cancelled();
}

template <typename T>
SolveStatus TiltPasses<T>::prepare(const Context& context) {
  const double thetas[] = {0.0, kInfiniteTheta};
  States states(2, segments_, blocks_.padded_rows());
  if (!run_states(thetas, true, states, context)) {
    return SolveStatus::kCancelled;
  }
  blocks_.finish_first_pass();
  CompensatedSum mean, variance, top_mean, divergence;
  base_.log2_support.resize(blocks_.row_count());
  for (std::size_t i = 0; i < blocks_.row_count(); ++i) {
    const RowTilt plain = row_tilt(states, 0, kInfiniteTheta, i);
    const RowTilt top = row_tilt(states, 1, kInfiniteTheta, i);
    // A row of weight 0 may have no support.
    if (!(plain.sum > 0.0)) continue;
    peaks_[i] = plain.max;
    log2_sums_[i] = std::log2(plain.sum);
    centers_[i] = plain.mean;
    base_.log2_support[i] = peaks_[i] + log2_sums_[i];
    if (weights_[i] == 0.0) continue;
    mean.add(weights_[i] * (tops_[i] + plain.mean));
    variance.add(weights_[i] * plain.variance);
    top_mean.add(weights_[i] * tops_[i]);
    const double log2_top =
        (top.max - plain.max) + (std::log2(top.sum) - log2_sums_[i]);
    divergence.add(weights_[i] * std::max(0.0, -std::numbers::ln2 * log2_top));
  }
  base_.mean = mean.total();
  base_.variance = variance.total();
  base_.top_mean = top_mean.total();
  base_.max_divergence = divergence.total();
  return SolveStatus::kDone;
}

template <typename T>
typename TiltPasses<T>::RowTilt TiltPasses<T>::row_tilt(const States& states,
                                                        std::size_t k,
                                                        double theta,
                                                        std::size_t row) const {
  RowTilt out;
  double sums[3] = {};
  if (theta < kSmallTheta) {
    for (std::size_t s = 0; s < segments_; ++s) {
      for (std::size_t f = 0; f < 3; ++f) {
        sums[f] += states.field(k, s, f + 1, row);
      }
    }
    // R = E_Q[exp(y) - 1 - y], because E_Q[y] = 0; see add_small_tilt.
    const double r = theta * theta * sums[0];
    const double log_share = r > 0.0 ? std::log1p(r) / r : 1.0;
    const double rise = sums[1] / (1.0 + r);
    out.log_partition = theta * centers_[row] + std::log1p(r);
    out.dual_mean = centers_[row] + theta * sums[0] * log_share;
    out.mean = centers_[row] + theta * rise;
    out.divergence = std::max(0.0, rise - sums[0] * log_share);
    const double shift = theta * rise;
    out.variance = std::max(0.0, sums[2] / (1.0 + r) - shift * shift);
    return out;
  }
  out.max = kLowestMax;
  for (std::size_t s = 0; s < segments_; ++s) {
    out.max = std::max(out.max, states.field(k, s, 0, row));
  }
  for (std::size_t s = 0; s < segments_; ++s) {
    const double factor = std::exp2(states.field(k, s, 0, row) - out.max);
    for (std::size_t f = 0; f < 3; ++f) {
      sums[f] += factor * states.field(k, s, f + 1, row);
    }
  }
  out.sum = sums[0];
  out.log_partition = std::numbers::ln2 * out.max + std::log(sums[0]);
  out.dual_mean = out.log_partition / theta;
  out.mean = sums[1] / sums[0];
  out.divergence = std::max(0.0, theta * out.mean - out.log_partition);
  out.variance = std::max(0.0, sums[2] / sums[0] - out.mean * out.mean);
  out.magnitude = std::abs(out.log_partition);
  return out;
}

template <typename T>
std::size_t TiltPasses<T>::thetas_per_pass() const {
  const std::size_t bytes =
      4 * sizeof(double) * segments_ * blocks_.padded_rows();
  return std::clamp<std::size_t>(kStateBytes / bytes, 1, kMostThetas);
}

template <typename T>
template <typename Use>
SolveStatus TiltPasses<T>::for_parts(std::span<const double> thetas,
                                     const Context& context, const Use& use) {
  const std::size_t step = thetas_per_pass();
  for (std::size_t first = 0; first < thetas.size(); first += step) {
    const auto part =
        thetas.subspan(first, std::min(step, thetas.size() - first));
    States states(part.size(), segments_, blocks_.padded_rows());
    if (!run_states(part, false, states, context)) {
      return SolveStatus::kCancelled;
    }
    if (!use(first, part, states)) return SolveStatus::kCancelled;
  }
  return SolveStatus::kDone;
}

template <typename T>
SolveStatus TiltPasses<T>::evaluate(std::span<const double> thetas,
                                    std::span<TiltMoments> out,
                                    const Context& context) {
  const auto use = [&](std::size_t first, std::span<const double> part,
                       const States& states) {
    for (std::size_t k = 0; k < part.size(); ++k) {
      const double theta = part[k];
      CompensatedSum sums[5];
      for (std::size_t i = 0; i < blocks_.row_count(); ++i) {
        const double weight = weights_[i];
        if (weight == 0.0) continue;
        const RowTilt row = row_tilt(states, k, theta, i);
        sums[0].add(weight * (tops_[i] + row.dual_mean));
        sums[1].add(weight * (tops_[i] + row.mean));
        sums[2].add(weight * row.divergence);
        sums[3].add(weight * row.variance);
        sums[4].add(weight * row.magnitude);
      }
      TiltMoments& moments = out[first + k];
      moments.dual_mean = sums[0].total();
      moments.mean = sums[1].total();
      moments.variance = sums[3].total();
      moments.magnitude = sums[4].total();
      const double divergence = sums[2].total();
      const bool is_scaled = theta < kSmallTheta;
      moments.divergence = (is_scaled ? theta * theta : 1.0) * divergence;
      moments.log_divergence =
          std::log(divergence) + (is_scaled ? 2.0 * std::log(theta) : 0.0);
    }
    return true;
  };
  return for_parts(thetas, context, use);
}

template <typename T>
bool TiltPasses<T>::run_laws(
    std::span<const double> thetas,
    const std::vector<std::vector<double>>& log2_partitions,
    MatrixView<double> out, const Context& context) {
  const std::size_t block_count = blocks_.block_count();
  const std::size_t step = (block_count + kTasks - 1) / kTasks;
  std::vector<LogitScratch<T>> scratch(worker_count(context));
  ProgressCounter progress(context.observer,
                           blocks_.group_count() * block_count);
  // A task owns its atoms and adds the rows in order.
  const auto task = [&](std::size_t index, std::size_t worker) {
    const std::size_t last = std::min((index + 1) * step, block_count);
    for (std::size_t chunk = 0; chunk < blocks_.chunk_count(); ++chunk) {
      const std::size_t end =
          std::min((chunk + 1) * kChunkGroups, blocks_.group_count());
      for (std::size_t b = index * step; b < last; ++b) {
        if (progress.is_cancelled()) return;
        for (std::size_t g = chunk * kChunkGroups; g < end; ++g) {
          const TiltTile<T> tile = {blocks_.tile(g, b, scratch[worker]),
                                    blocks_.atoms_in(b), blocks_.width_of(g),
                                    gains_.data() + b * kBlockAtoms};
          const std::size_t row = blocks_.first_row(g);
          const TiltRows rows = {peaks_.data() + row, log2_sums_.data() + row,
                                 tops_.data() + row, centers_.data() + row};
          for (std::size_t k = 0; k < thetas.size(); ++k) {
            add_law(tile, thetas[k], rows, log2_partitions[k].data() + row,
                    weights_.data() + row, out.row(k).data() + b * kBlockAtoms);
          }
        }
        progress.add(end - chunk * kChunkGroups);
      }
    }
  };
  parallel_for(context, (block_count + step - 1) / step, task);
  return !progress.is_cancelled();
}

template <typename T>
SolveStatus TiltPasses<T>::laws(std::span<const double> thetas,
                                MatrixView<double> out,
                                const Context& context) {
  const auto use = [&](std::size_t first, std::span<const double> part,
                       const States& states) {
    std::vector<std::vector<double>> log2_partitions;
    for (std::size_t k = 0; k < part.size(); ++k) {
      auto& values =
          log2_partitions.emplace_back(blocks_.padded_rows(), kNoPartition);
      for (std::size_t i = 0; i < blocks_.row_count(); ++i) {
        if (weights_[i] == 0.0) continue;
        values[i] =
            row_tilt(states, k, part[k], i).log_partition / std::numbers::ln2;
      }
    }
    const MatrixView<double> rows = out.subrows(first, part.size());
    for (std::size_t k = 0; k < part.size(); ++k) {
      std::fill(rows.row(k).begin(), rows.row(k).end(), 0.0);
    }
    return run_laws(part, log2_partitions, rows, context);
  };
  return for_parts(thetas, context, use);
}

template <typename T>
void TiltPasses<T>::row_law(std::size_t row, double theta,
                            std::span<double> out) {
  LogitScratch<T> scratch;
  const std::size_t group = blocks_.group_of(row);
  const std::size_t lane = row - blocks_.first_row(group);
  const std::size_t width = blocks_.width_of(group);
  double max = kLowestMax;
  for (std::size_t b = 0; b < blocks_.block_count(); ++b) {
    const T* tile = blocks_.tile(group, b, scratch);
    for (std::size_t a = 0; a < blocks_.atoms_in(b); ++a) {
      const std::size_t j = b * kBlockAtoms + a;
      const double logit =
          std::max<double>(tile[a * width + lane], kAbsentLogit);
      const double gain = std::min(gains_[j] - tops_[row], 0.0);
      out[j] = ((logit - peaks_[row]) - log2_sums_[row]) +
               theta * std::numbers::log2e * gain;
      max = std::max(max, out[j]);
    }
  }
  CompensatedSum sum;
  for (double& value : out) {
    value = std::exp2(value - max);
    sum.add(value);
  }
  if (sum.total() == 0.0) return;  // no support
  for (double& value : out) value /= sum.total();
}

template class TiltPasses<float>;
template class TiltPasses<double>;

}  // namespace sbog::detail
