// SPDX-License-Identifier: Apache-2.0
// Training and embedding of series; see series_model.h.
#include "sbog/series/series_model.h"

#include <algorithm>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/data/check_finite.h"

namespace sbog::series {
namespace {

constexpr std::size_t kMostWindows = 5000;
// Anomalies last a tenth of a window and more.
constexpr std::size_t kLeastWidth = 10;

[[noreturn]] void refuse(const Series& series, const std::string& what) {
  throw InvalidArgument(series.name + ": " + what);
}

void check_series(const Series& series) {
  if (series.channel_count() == 0 || series.rows() == 0) {
    refuse(series, "has no rows or no channels");
  }
  if (series.channel_count() > kMostChannels) {
    refuse(series, "has " + std::to_string(series.channel_count()) +
                       " channels; at most " + std::to_string(kMostChannels) +
                       " can be learnt from, so choose some of them");
  }
  check_finite(series.values.view(), series.name);
  if (constant_channels(series.values).size() == series.channel_count()) {
    refuse(series, "every channel is constant: there is nothing to learn");
  }
}

WindowOptions resolve_windows(const Series& series,
                              const SeriesTraining& training) {
  WindowOptions windows = training.windows;
  windows.has_tail = false;
  if (windows.width < kLeastWidth) {
    throw InvalidArgument(
        "width: windows of at least " + std::to_string(kLeastWidth) +
        " rows are expected, got " + std::to_string(windows.width));
  }
  if (windows.stride == 0) {
    windows.stride = automatic_stride(series.rows(), windows.width);
  }
  const std::size_t count =
      series.rows() < windows.width
          ? 0
          : (series.rows() - windows.width) / windows.stride;
  if (count < training.pretext.batch) {
    refuse(series, "has " + std::to_string(series.rows()) +
                       " rows, which give " + std::to_string(count) +
                       " windows of " + std::to_string(windows.width) +
                       " rows at stride " + std::to_string(windows.stride) +
                       "; at least " + std::to_string(training.pretext.batch) +
                       " windows are expected");
  }
  return windows;
}

double mean_distance(MatrixView<const float> a, MatrixView<const float> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    sum += 1.0 - inner_product<float, float>(a.row(i), b.row(i));
  }
  return sum / static_cast<double>(a.rows());
}

SeriesDiagnostics diagnose(const Encoder& encoder, const WindowSource& source,
                           const PretextOptions& options,
                           const Context& context) {
  const Triplets triplets(
      source,
      {options.seed, options.rejects_identical, options.space,
       options.resamples_triplets ? std::uint64_t{options.epochs - 1} : 0});
  const auto points = [&](auto fill) {
    return encoder
        .embed_all(
            source.size(),
            [&](std::size_t i, MatrixView<float> rows) { fill(i, rows); },
            context)
        .points;
  };
  const Matrix<float> anchors = encoder.embed(source, context);
  const Matrix<float> positives =
      points([&](std::size_t i, MatrixView<float> rows) {
        triplets.fill_positive(i, rows);
      });
  const Matrix<float> negatives =
      points([&](std::size_t i, MatrixView<float> rows) {
        triplets.fill_negative(i, rows);
      });
  SeriesDiagnostics told;
  told.windows = source.size();
  told.spread = encoder_spread(anchors, 0.02, context);
  told.positive_distance = mean_distance(anchors, positives);
  told.negative_distance = mean_distance(anchors, negatives);
  told.identical_share = triplets.identical_share();
  return told;
}

void check_channels(const SeriesModel& model, const Series& series) {
  if (series.channel_count() != model.channels.size()) {
    refuse(series,
           "the model was trained on " + std::to_string(model.channels.size()) +
               " channels, got " + std::to_string(series.channel_count()));
  }
  for (std::size_t c = 0; c < series.channels.size(); ++c) {
    if (series.channels[c] == model.channels[c]) continue;
    refuse(series, "channel " + std::to_string(c) + " is '" +
                       series.channels[c] +
                       "', but the model was trained on '" + model.channels[c] +
                       "' there");
  }
}

}  // namespace

PretextOptions SeriesTraining::series_pretext() {
  PretextOptions options;
  options.space = InjectionSpace::kStandardised;
  return options;
}

std::size_t automatic_stride(std::size_t rows, std::size_t width) {
  if (rows <= width) return 1;
  std::size_t stride = (rows - width) / (kMostWindows + 1);
  while (stride == 0 || (rows - width) / stride > kMostWindows) ++stride;
  return stride;
}

void check_series(const Series& series, std::size_t width) {
  check_series(series);
  if (series.rows() > width + 1) return;
  refuse(series, "has " + std::to_string(series.rows()) +
                     " rows; at least two windows of " + std::to_string(width) +
                     " rows are expected");
}

void check_series_training(const Series& series,
                           const SeriesTraining& training) {
  check_series(series);
  resolve_windows(series, training);
}

std::optional<SeriesModel> train_series_model(const Series& series,
                                              const SeriesTraining& training,
                                              const Context& context,
                                              PretextHistory* history) {
  check_series(series);
  const WindowOptions windows = resolve_windows(series, training);
  const WindowSource source(series.values, windows);
  PretextHistory local;
  PretextHistory& told = history == nullptr ? local : *history;
  Encoder encoder = train_pretext(source, training.pretext, context, &told);
  if (told.status != SolveStatus::kDone) return std::nullopt;
  SeriesDiagnostics diagnostics =
      diagnose(encoder, source, training.pretext, {context.pool, nullptr});
  SeriesModel model{std::move(encoder), source.statistics(), windows,
                    series.channels,    training.pretext,    diagnostics};
  model.training.checkpoint.clear();
  return model;
}

WindowSource windows_of(const SeriesModel& model, const Series& series,
                        bool has_tail) {
  check_channels(model, series);
  check_finite(series.values.view(), series.name);
  WindowOptions windows = model.windows;
  windows.has_tail = has_tail;
  return {series.values, window_starts(series.rows(), windows), windows.width,
          model.statistics};
}

SeriesEmbedding embed_series(const SeriesModel& model, const Series& series,
                             const Context& context) {
  const WindowSource source = windows_of(model, series);
  return {model.encoder.embed(source, context), source.starts()};
}

std::string to_string(ContrastiveLoss loss) {
  switch (loss) {
    case ContrastiveLoss::kInfoNce:
      return "infonce";
    case ContrastiveLoss::kHinge:
      return "hinge";
    case ContrastiveLoss::kPullPush:
      break;
  }
  return "pull-push";
}

ContrastiveLoss parse_loss(const std::string& name) {
  for (const ContrastiveLoss loss :
       {ContrastiveLoss::kInfoNce, ContrastiveLoss::kHinge,
        ContrastiveLoss::kPullPush}) {
    if (to_string(loss) == name) return loss;
  }
  throw InvalidArgument("loss: '" + name +
                        "' is not one of: infonce, hinge, pull-push");
}

std::string to_string(InjectionSpace space) {
  return space == InjectionSpace::kRaw ? "raw" : "standard";
}

InjectionSpace parse_space(const std::string& name) {
  for (const InjectionSpace space :
       {InjectionSpace::kRaw, InjectionSpace::kStandardised}) {
    if (to_string(space) == name) return space;
  }
  throw InvalidArgument("space: '" + name + "' is not one of: raw, standard");
}

}  // namespace sbog::series
