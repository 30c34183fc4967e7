// SPDX-License-Identifier: Apache-2.0
// Lists of edits, forward and backward; see edited_window.h.
#include "sbog/scenario/edited_window.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sbog/base/errors.h"

namespace sbog::series {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

}  // namespace

Matrix<double> pad_window(const WindowSource& windows, std::size_t i) {
  const std::size_t size = windows.width() + 2 * kMargin;
  const auto last = static_cast<std::ptrdiff_t>(windows.rows()) - 1;
  const auto first = static_cast<std::ptrdiff_t>(windows.starts()[i]) -
                     static_cast<std::ptrdiff_t>(kMargin);
  Matrix<double> padded(windows.channels(), size);
  for (std::size_t c = 0; c < windows.channels(); ++c) {
    const auto series = windows.raw_series(c);
    const double mean = windows.statistics().means[c];
    const double deviation = windows.statistics().deviations[c];
    for (std::size_t j = 0; j < size; ++j) {
      const std::ptrdiff_t row = std::clamp<std::ptrdiff_t>(
          first + static_cast<std::ptrdiff_t>(j), 0, last);
      const double value = series[static_cast<std::size_t>(row)];
      if (!std::isfinite(value)) {
        throw InvalidArgument("pad_window: channel " + std::to_string(c) +
                              " is not a finite number in row " +
                              std::to_string(row));
      }
      padded(c, j) = (value - mean) / deviation;
    }
  }
  return padded;
}

Matrix<float> crop_window(MatrixView<const double> padded) {
  Matrix<float> window(padded.rows(), padded.cols() - 2 * kMargin);
  for (std::size_t c = 0; c < window.rows(); ++c) {
    for (std::size_t t = 0; t < window.cols(); ++t) {
      window(c, t) = static_cast<float>(padded(c, t + kMargin));
    }
  }
  return window;
}

double largest_step(std::span<const double> padded_row) {
  double largest = 0.0;
  for (std::size_t i = kMargin; i + kMargin + 1 < padded_row.size(); ++i) {
    largest = std::max(largest, std::abs(padded_row[i + 1] - padded_row[i]));
  }
  return largest;
}

EditedWindow::EditedWindow(MatrixView<const double> source,
                           const std::vector<ChannelProfile>& profiles)
    : source_(source),
      profiles_(&profiles),
      rows_(source.rows(), source.cols()) {
  if (source.cols() <= 2 * kMargin || profiles.size() != source.rows()) {
    throw InvalidArgument(
        "EditedWindow: a window with its margins and one profile per channel "
        "are expected");
  }
  for (std::size_t c = 0; c < source.rows(); ++c) {
    std::copy_n(source.row(c).data(), source.cols(), rows_.row(c).data());
  }
  window_ = crop_window(source);
}

void EditedWindow::apply(std::span<const Edit> edits, bool is_final) {
  const auto copy_to_window = [&](std::size_t channel) {
    const auto row = rows_.row(channel);
    const auto to = window_.row(channel);
    for (std::size_t t = 0; t < to.size(); ++t) {
      to[t] = static_cast<float>(row[t + kMargin]);
    }
  };
  for (const std::size_t channel : edited_) {
    std::copy_n(source_.row(channel).data(), source_.cols(),
                rows_.row(channel).data());
    copy_to_window(channel);
  }
  edited_.clear();
  stages_.resize(edits.size());
  for (std::size_t k = 0; k < edits.size(); ++k) {
    if (edits[k].channel >= rows_.rows() || edits[k].partner >= rows_.rows()) {
      throw InvalidArgument(
          "EditedWindow: an edit names channel " +
          std::to_string(std::max(edits[k].channel, edits[k].partner)) +
          " of " + std::to_string(rows_.rows()));
    }
    stages_[k].edit = edits[k];
    apply_stage(stages_[k], is_final);
    edited_.push_back(edits[k].channel);
  }
  std::sort(edited_.begin(), edited_.end());
  edited_.erase(std::unique(edited_.begin(), edited_.end()), edited_.end());
  for (const std::size_t channel : edited_) copy_to_window(channel);
}

void EditedWindow::apply_stage(Stage& stage, bool is_final) {
  const std::size_t c = stage.edit.channel;
  const ChannelProfile& profile = (*profiles_)[c];
  const std::span<double> out = rows_.row(c);
  stage.row.assign(out.begin(), out.end());
  stage.input = {};
  stage.input.row = stage.row;
  if (stage.edit.kind == EditKind::kCoupling) {
    const auto partner = rows_.row(stage.edit.partner);
    stage.partner.assign(partner.begin(), partner.end());
    stage.input.partner = stage.partner;
  }
  const double low = profile.to_standard(profile.low);
  const double high = profile.to_standard(profile.high);
  if (profile.is_floored) stage.input.floor = low;
  stage.input.ramp = ramp_of(stage.edit, profile);
  stage.input.takes_nearest =
      is_final && profile.kind != ChannelClass::kContinuous;
  apply_edit(stage.edit, stage.input, out);
  const std::span<const double> recorded = source_.row(c);
  stage.is_clipped.assign(out.size(), false);
  std::size_t clipped = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double kept = std::clamp(out[i], std::min(low, recorded[i]),
                                   std::max(high, recorded[i]));
    if (kept == out[i]) continue;
    out[i] = kept;
    stage.is_clipped[i] = true;
    if (i >= kMargin && i < out.size() - kMargin) ++clipped;
  }
  stage.clipped_share =
      static_cast<double>(clipped) / static_cast<double>(window_.cols());
}

std::size_t EditedWindow::slot_of(std::size_t channel) const {
  const auto found = std::lower_bound(edited_.begin(), edited_.end(), channel);
  if (found == edited_.end() || *found != channel) return kNone;
  return static_cast<std::size_t>(found - edited_.begin());
}

std::vector<EditGradient> EditedWindow::backward(
    MatrixView<const float> d_window, MatrixView<const double> d_rows) const {
  const std::size_t size = rows_.cols();
  Matrix<double> gradients(edited_.size(), size);
  for (std::size_t k = 0; k < edited_.size(); ++k) {
    const auto row = gradients.row(k);
    if (!d_rows.is_empty()) {
      std::copy_n(d_rows.row(k).data(), size, row.data());
    }
    const auto from = d_window.row(edited_[k]);
    for (std::size_t t = 0; t < from.size(); ++t) {
      row[t + kMargin] += double{from[t]};
    }
  }
  std::vector<EditGradient> result(stages_.size());
  std::vector<double> d_out(size);
  for (std::size_t k = stages_.size(); k-- > 0;) {
    const Stage& stage = stages_[k];
    const auto row = gradients.row(slot_of(stage.edit.channel));
    for (std::size_t i = 0; i < size; ++i) {
      d_out[i] = stage.is_clipped[i] ? 0.0 : row[i];
      row[i] = 0.0;
    }
    const std::size_t partner = slot_of(stage.edit.partner);
    result[k] = backward_edit(
        stage.edit, stage.input, d_out, row,
        partner == kNone ? std::span<double>() : gradients.row(partner));
  }
  return result;
}

}  // namespace sbog::series
