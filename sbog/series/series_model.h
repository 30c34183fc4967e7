// SPDX-License-Identifier: Apache-2.0
// What training on a series leaves behind: the encoder, the units of the
// channels, how the series was cut, and how well the training went.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/series/collapse.h"
#include "sbog/series/encoder.h"
#include "sbog/series/pretext.h"
#include "sbog/series/series.h"
#include "sbog/series/window_source.h"
#include "sbog/series/windows.h"

namespace sbog::series {

/// More channels than this are refused: the first convolution would have more
/// weights than any series could teach it.
inline constexpr std::size_t kMostChannels = 1024;

/// How a model is trained.
struct SeriesTraining {
  /// Stride 0: the smallest that gives at most 5,000 windows. Training needs
  /// no tail window, so has_tail is not looked at.
  WindowOptions windows{200, 0, false};
  PretextOptions pretext = series_pretext();

  /// The profile `repaired` with anomalies injected in standard units: the
  /// units of somebody's channels are arbitrary, and must not matter.
  static PretextOptions series_pretext();
};

/// How well training went, on the training windows.
struct SeriesDiagnostics {
  std::size_t windows = 0;
  EncoderSpread spread;
  /// Mean 1 - cos of a window to its positive and to its own negative.
  double positive_distance = 0.0;
  double negative_distance = 0.0;
  double identical_share = 0.0;  ///< negatives that equal their window
};

/// See the top of the file.
struct SeriesModel {
  Encoder encoder;
  ChannelStatistics statistics;
  WindowOptions windows;              ///< as resolved; stride above 0
  std::vector<std::string> channels;  ///< names
  PretextOptions training;            ///< without the name of a checkpoint
  SeriesDiagnostics diagnostics;
};

/// The smallest stride that gives at most 5,000 windows.
std::size_t automatic_stride(std::size_t rows, std::size_t width);

/// What train_series_model would refuse, before anything is done: throws
/// InvalidArgument.
void check_series_training(const Series& series,
                           const SeriesTraining& training);
/// Throws InvalidArgument unless a series has finite values, a channel that
/// moves, not too many of them, and at least two windows of this width.
void check_series(const Series& series, std::size_t width);
/// Trains on a series that is taken to be normal; nullopt when cancelled, and
/// `history` tells how far it came. The bits depend on neither threads nor
/// stops. Throws InvalidArgument for windows below 10 rows, for a series that
/// gives fewer windows than a batch, that is constant in every channel, that is
/// not finite or has more than kMostChannels channels.
std::optional<SeriesModel> train_series_model(
    const Series& series, const SeriesTraining& training,
    const Context& context = {}, PretextHistory* history = nullptr);

/// The windows of a series in the units of the model. Throws InvalidArgument
/// unless the channels are those of the model, by number and name, and all
/// values are finite.
WindowSource windows_of(const SeriesModel& model, const Series& series,
                        bool has_tail = true);

/// Points of the windows of a series.
struct SeriesEmbedding {
  Matrix<float> points;             ///< unit rows
  std::vector<std::size_t> starts;  ///< first rows of the windows
};

/// windows_of with a tail window, embedded.
SeriesEmbedding embed_series(const SeriesModel& model, const Series& series,
                             const Context& context = {});

/// "infonce", "hinge", "pull-push"; the second throws InvalidArgument.
std::string to_string(ContrastiveLoss loss);
ContrastiveLoss parse_loss(const std::string& name);
/// "raw", "standard"; the second throws InvalidArgument.
std::string to_string(InjectionSpace space);
InjectionSpace parse_space(const std::string& name);

}  // namespace sbog::series
