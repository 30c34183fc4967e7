// SPDX-License-Identifier: Apache-2.0
// See stress_model.h.
#include "sbog/job/stress_model.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"
#include "sbog/detect/point_detector_file.h"
#include "sbog/job/image_detect.h"
#include "sbog/job/model_command.h"
#include "sbog/job/torch_library.h"
#include "sbog/series/cluster_detector_file.h"
#include "sbog/series/detector_file.h"

namespace sbog::job {
namespace {

// Rows around a window that a score within it may depend on: moving means over
// 200 rows of deviations over 50 rows of residuals of 3 lags; behind it the
// later half of both, where they are centred.
constexpr std::size_t kRowsBefore = 256;
constexpr std::size_t kRowsBehind = 128;

// How a detector of rows is asked about a series.
struct RowScorer {
  std::function<std::vector<double>(MatrixView<const double>)> score;
  std::size_t before = 0;
  std::size_t behind = 0;
  std::size_t channels = 0;
};

// The recorded rows before the window, the window, and the rows behind it.
Matrix<double> in_context(const Series& recording, std::size_t start,
                          MatrixView<const double> window,
                          const RowScorer& scorer, std::size_t& lead) {
  const std::size_t width = window.rows();
  lead = std::min(scorer.before, start);
  const std::size_t end =
      std::min(recording.rows(), start + width + scorer.behind);
  Matrix<double> rows(lead + width + (end - start - width), window.cols());
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    const bool is_window = t >= lead && t < lead + width;
    const auto row = is_window ? window.row(t - lead)
                               : recording.values.row(start - lead + t);
    std::copy(row.begin(), row.end(), rows.row(t).begin());
  }
  return rows;
}

void check_places(const StressBatch& batch, std::size_t width) {
  const WindowPlaces& places = batch.places;
  const bool is_fine =
      places.recording != nullptr &&
      places.starts.size() == batch.values.shape()[0] &&
      std::all_of(places.starts.begin(), places.starts.end(),
                  [&](std::size_t start) {
                    return start + width <= places.recording->rows();
                  });
  if (is_fine) return;
  throw InvalidArgument(
      "stress: the recording behind the windows is expected, since a detector "
      "scores a window after the rows before it");
}

Matrix<double> score_windows(const RowScorer& scorer, const StressBatch& batch,
                             Events& events, const Context& context) {
  const std::size_t count = batch.values.shape()[0];
  const std::size_t width = batch.values.shape()[1];
  const std::size_t channels = batch.values.shape()[2];
  if (channels != scorer.channels) {
    throw InvalidArgument(
        "--model: it was trained on " + std::to_string(scorer.channels) +
        " channels, the windows have " + std::to_string(channels));
  }
  check_places(batch, width);
  const LoadedMatrix<double> values = to_matrix<double>(batch.values);
  Matrix<double> scores(count, width);
  std::atomic<bool> is_stopped{false};
  parallel_for(context, count, [&](std::size_t i, std::size_t) {
    if (is_stopped || events.is_stopped()) {
      is_stopped = true;
      return;
    }
    const MatrixView<const double> window(values.view().row(i).data(), width,
                                          channels);
    std::size_t lead = 0;
    const Matrix<double> rows = in_context(
        *batch.places.recording, batch.places.starts[i], window, scorer, lead);
    const std::vector<double> said = scorer.score(rows.view());
    std::copy_n(said.begin() + static_cast<std::ptrdiff_t>(lead), width,
                scores.row(i).begin());
  });
  if (is_stopped) return {};
  return scores;
}

StressSubject subject_of(RowScorer scorer, double threshold,
                         const std::string& words, Events& events,
                         const Context& context) {
  StressSubject subject;
  subject.words = words;
  subject.task = stress::Task::kDetector;
  subject.needs_recording = true;
  if (std::isfinite(threshold)) subject.threshold = threshold;
  const Context quiet{context.pool, nullptr};
  subject.model = [scorer = std::move(scorer), &events,
                   quiet](const StressBatch& batch) {
    return score_windows(scorer, batch, events, quiet);
  };
  return subject;
}

StressSubject open_energies(const SubjectOptions& options, Events& events,
                            const Context& context) {
  const auto detector = std::make_shared<Detector>(
      read_detector(options.model, {context.pool, nullptr}));
  if (options.level) detector->set_level(*options.level);
  const DetectorOptions& own = detector->options();
  if (own.kind == DetectorKind::kViewsBatch) {
    throw InvalidArgument(
        "--model: a detector views-batch takes its units from the whole series "
        "that it scores, so that it cannot score a window; train one with "
        "--detector views");
  }
  RowScorer scorer;
  scorer.before = kRowsBefore;
  scorer.behind = own.is_causal ? 0 : kRowsBehind;
  scorer.channels = detector->channel_count();
  scorer.score = [detector](MatrixView<const double> rows) {
    return detector->score(rows).scores;
  };
  return subject_of(std::move(scorer), detector->threshold(own.level),
                    "detector " + std::string(to_string(own.kind)), events,
                    context);
}

StressSubject open_clusters(const SubjectOptions& options, Events& events,
                            const Context& context) {
  const auto detector = std::make_shared<series::ClusterDetector>(
      series::read_cluster_detector(options.model));
  RowScorer scorer;
  scorer.before = detector->model.windows.width;
  scorer.behind = detector->model.windows.width;
  scorer.channels = detector->model.channels.size();
  scorer.score = [detector](MatrixView<const double> rows) {
    Matrix<double> values(rows.rows(), rows.cols());
    std::copy_n(rows.data(), values.size(), values.data());
    Series series = make_series("", std::move(values));
    series.channels = detector->model.channels;
    return score_rows(*detector, series);
  };
  return subject_of(
      std::move(scorer),
      detector->threshold(options.level.value_or(detector->level)),
      "detector with an encoder of windows", events, context);
}

StressSubject open_points(const SubjectOptions& options, Events& events,
                          const Context& context) {
  const auto detector = std::make_shared<detect::PointDetector>(
      detect::read_point_detector(options.model));
  StressSubject subject;
  subject.words = "detector of points";
  subject.task = stress::Task::kDetector;
  const double threshold = detector->threshold(
      options.level.value_or(detector->state().options.level));
  if (std::isfinite(threshold)) subject.threshold = threshold;
  const Context quiet{context.pool, nullptr};
  subject.model = [detector, &events, quiet](const StressBatch& batch) {
    const LoadedMatrix<float> points = to_matrix<float>(batch.values);
    if (points.cols() != detector->dim()) {
      throw InvalidArgument(
          "--model: it was trained on " + std::to_string(detector->dim()) +
          " dimensions, the cases have " + std::to_string(points.cols()));
    }
    const auto verdicts = detector->judge(points.view(), quiet);
    if (!verdicts || events.is_stopped()) return Matrix<double>();
    Matrix<double> scores(points.rows(), 1);
    std::copy(verdicts->scores.begin(), verdicts->scores.end(), scores.data());
    return scores;
  };
  return subject;
}

bool holds_clusters(const std::string& path) {
  const auto metadata = read_safetensors(path).metadata;
  const auto format = metadata.find("format");
  return format != metadata.end() &&
         format->second.starts_with("sbog-cluster-detector-");
}

const char* words_of(Kind kind) {
  switch (kind) {
    case Kind::kSeries:
      return "windows of a series";
    case Kind::kImages:
      return "images";
    default:
      return "points";
  }
}

void check_kind(const SubjectOptions& options, Kind own, const char* words) {
  if (options.kind == own) return;
  throw InvalidArgument(std::string("--model: it is a detector of ") + words +
                        ", and the cases are " + words_of(options.kind));
}

StressSubject open_detector(const SubjectOptions& options, Events& events,
                            const Context& context) {
  if (is_script_model(options.model)) {
    if (options.level) {
      throw InvalidArgument(
          "--level: it is for a file of sbog detect train; for TorchScript "
          "give --threshold");
    }
    return torch_library("--model " + options.model)
        .open_subject(options, events, context);
  }
  if (is_image_detector(options.model)) {
    check_kind(options, Kind::kImages, "images");
    return torch_library("a detector of images")
        .open_subject(options, events, context);
  }
  if (detect::is_point_detector(options.model)) {
    check_kind(options, Kind::kPoints, "points");
    return open_points(options, events, context);
  }
  check_kind(options, Kind::kSeries, "series");
  return holds_clusters(options.model)
             ? open_clusters(options, events, context)
             : open_energies(options, events, context);
}

StressSubject open_command(const SubjectOptions& options, Events& events) {
  const ModelCommand command{options.model, options.folder, options.log,
                             options.timeout_seconds, options.channels};
  check_command(command);
  StressSubject subject;
  subject.words = options.model;
  subject.model = [command, &events](const StressBatch& batch) {
    return run_model_command(command, batch.values, events);
  };
  return subject;
}

}  // namespace

bool is_model_command(const std::string& model) {
  return model.find_first_of(" \t{") != std::string::npos;
}

bool is_script_model(const std::string& model) {
  return !is_model_command(model) &&
         (model.ends_with(".pt") || model.ends_with(".pth") ||
          model.ends_with(".ts"));
}

bool is_point_model(const std::string& model) {
  std::error_code error;
  if (model.empty() || is_model_command(model) || is_script_model(model) ||
      !std::filesystem::is_regular_file(model, error)) {
    return false;
  }
  try {
    return detect::is_point_detector(model);
  } catch (const IoError&) {
    return false;  // open_subject says what is wrong with it
  }
}

StressSubject open_subject(const SubjectOptions& options, Events& events,
                           const Context& context) {
  if (options.level && !(*options.level > 0.0 && *options.level < 1.0)) {
    throw InvalidArgument("--level: a number in (0, 1) is expected, got " +
                          std::to_string(*options.level));
  }
  if (!is_model_command(options.model)) {
    return open_detector(options, events, context);
  }
  if (options.level) {
    throw InvalidArgument(
        "--level: it is for a file of sbog detect train; for a command give "
        "--threshold");
  }
  return open_command(options, events);
}

}  // namespace sbog::job
