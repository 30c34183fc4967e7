// SPDX-License-Identifier: Apache-2.0
// A recorded window with its margins, and the same under a list of edits: each
// is applied in turn and kept within the limits of its channel.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/scenario/channel_profile.h"
#include "sbog/scenario/edit.h"
#include "sbog/scenario/edit_row.h"
#include "sbog/series/window_source.h"

namespace sbog::series {

/// Window i of a source in standard units with kMargin recorded samples on both
/// sides (the edge value beyond the ends of the series): channels x (width + 2
/// kMargin). Throws InvalidArgument when a value is not finite.
Matrix<double> pad_window(const WindowSource& windows, std::size_t i);

/// The window within its margins, rounded to float: channels x width.
Matrix<float> crop_window(MatrixView<const double> padded);

/// The largest step |x(t+1) - x(t)| within the window of a padded row.
double largest_step(std::span<const double> padded_row);

/// See the top of the file. Source and profiles stay the caller's.
class EditedWindow {
 public:
  EditedWindow(MatrixView<const double> source,
               const std::vector<ChannelProfile>& profiles);

  /// From the source, every edit in turn. A sample is kept within the limits of
  /// its channel, and within its recorded value where that lies outside. With
  /// `is_final`, channels that are not continuous are read at recorded samples.
  void apply(std::span<const Edit> edits, bool is_final = false);

  std::size_t width() const { return window_.cols(); }
  /// The edited window as the encoder takes it: channels x width.
  MatrixView<const float> window() const { return window_; }
  /// A row with its margins, as edited and as recorded.
  std::span<const double> row(std::size_t channel) const {
    return rows_.row(channel);
  }
  std::span<const double> source_row(std::size_t channel) const {
    return source_.row(channel);
  }
  /// Channels that an edit names, increasing.
  const std::vector<std::size_t>& edited_channels() const { return edited_; }
  /// Share of the samples of the window that the limits moved during edit k.
  double clipped_share(std::size_t k) const { return stages_[k].clipped_share; }

  /// Gradients of all parameters for the gradient of the window (channels x
  /// width) plus that of the edited rows `d_rows` (as many as
  /// edited_channels(), padded; may be empty).
  std::vector<EditGradient> backward(MatrixView<const float> d_window,
                                     MatrixView<const double> d_rows) const;

 private:
  // What the backward pass needs of one edit.
  struct Stage {
    Edit edit;
    RowInput input;               // looks into the vectors below
    std::vector<double> row;      // before the edit
    std::vector<double> partner;  // coupling only
    std::vector<bool> is_clipped;
    double clipped_share = 0.0;
  };

  void apply_stage(Stage& stage, bool is_final);
  std::size_t slot_of(std::size_t channel) const;

  MatrixView<const double> source_;
  const std::vector<ChannelProfile>* profiles_;
  Matrix<double> rows_;
  Matrix<float> window_;
  std::vector<Stage> stages_;
  std::vector<std::size_t> edited_;
};

}  // namespace sbog::series
