// SPDX-License-Identifier: Apache-2.0
// See point_train.h.
#include "sbog/job/point_train.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/detect/point_detector_file.h"
#include "sbog/image/class_names.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"

namespace sbog::job {
namespace {

using detect::PointScore;

constexpr std::size_t kLongestItem = 4096;

bool is_of_head(PointScore score) {
  return detect::needs_exposed_head(score) || detect::needs_plain_head(score);
}

std::vector<PointScore> scores_of(const PointTrainOptions& o,
                                  bool has_classes) {
  if (o.score != "sum") {
    if (!o.settings.sum.empty()) {
      throw InvalidArgument("--sum: it goes with --score sum only");
    }
    return {detect::parse_point_score(o.score)};
  }
  if (o.settings.sum.empty()) {
    return has_classes ? std::vector{PointScore::kHead, PointScore::kRmd,
                                     PointScore::kMean}
                       : std::vector{PointScore::kRmd, PointScore::kKnn};
  }
  std::vector<PointScore> scores;
  for (const std::string& name : o.settings.sum) {
    scores.push_back(detect::parse_point_score(name));
  }
  if (scores.size() < 2) {
    throw InvalidArgument("--sum: at least two scores are expected");
  }
  return scores;
}

// The name of each class: line L of the file for the label L.
std::vector<std::string> names_of_classes(const std::string& path,
                                          const detect::LabelledBank& bank) {
  if (path.empty()) return {};
  const std::vector<std::string> all = read_class_names(path);
  std::vector<std::string> names;
  for (const std::int64_t label : bank.class_labels) {
    if (label < 0 || static_cast<std::size_t>(label) >= all.size()) {
      throw InvalidArgument(
          "--class-names: " + path + " has " + std::to_string(all.size()) +
          " lines, none of them for the class " + std::to_string(label));
    }
    names.push_back(all[static_cast<std::size_t>(label)]);
  }
  return names;
}

std::vector<std::string> items_of_bank(
    const std::vector<std::string>& items,
    const std::vector<std::size_t>& bank_rows) {
  std::vector<std::string> kept;
  if (items.empty()) return kept;
  for (const std::size_t row : bank_rows) kept.push_back(items[row]);
  return kept;
}

void warn_about_bank(const PointTrainResult& result, Events& events) {
  if (result.bank < result.dimensions) {
    events.on_warning(
        "the bank has fewer rows (" + with_commas(result.bank) +
        ") than dimensions (" + with_commas(result.dimensions) +
        "): covariances are held up by --shrinkage, so that rmd is rough");
  }
  if (!std::isfinite(result.threshold)) {
    events.on_warning(too_few_held_out(result.held_out, "rows"));
  }
}

void describe(const detect::PointDetector& detector, PointTrainResult& result) {
  const detect::PointDetectorState& state = detector.state();
  for (const PointScore score : state.options.scores) {
    result.scores.emplace_back(to_string(score));
  }
  result.bank = state.bank.rows();
  result.held_out = state.held_out_scores.size();
  result.dimensions = state.bank.dim();
  result.classes = state.bank.class_count();
  if (state.exposed_head) {
    result.outliers =
        detect::head_epochs(state.options.head, state.bank.rows()) *
        state.options.head.outliers;
  }
  result.threshold = detector.threshold(state.options.level);
}

}  // namespace

bool uses_score(const PointTrainOptions& o, bool has_classes,
                std::string_view name) {
  return std::ranges::any_of(scores_of(o, has_classes), [&](PointScore score) {
    return to_string(score) == name;
  });
}

detect::PointDetectorOptions point_detector_options(const PointTrainOptions& o,
                                                    bool has_classes) {
  if (o.settings.radius.is_auto) {
    throw InvalidArgument(
        "--radius: a number or a range such as 1.5:4 is expected");
  }
  detect::PointDetectorOptions options;
  options.scores = scores_of(o, has_classes);
  options.score.neighbours = o.neighbours;
  if (!o.epsilon.is_auto()) options.score.epsilon = o.epsilon.number();
  options.score.is_soe_per_class = o.settings.soe_reference == "class";
  options.shrinkage = o.settings.shrinkage;
  options.level = o.level;
  options.held_out = o.held_out;
  options.seed = o.seed;
  options.head.epochs = o.epochs;
  options.head.outliers = o.settings.outliers_per_epoch;
  options.head.exposure.radius_from = o.settings.radius.low;
  options.head.exposure.radius_to = o.settings.radius.high;
  detect::check_point_detector(options);
  for (const PointScore score : options.scores) {
    if (has_classes || !is_of_head(score)) continue;
    throw InvalidArgument(std::string("the score ") + to_string(score) +
                          " learns to tell classes apart: name the classes of "
                          "the rows by --labels, or use --score knn");
  }
  if (std::ranges::count(options.scores, PointScore::kHead) > 0 &&
      options.head.outliers == 0) {
    throw InvalidArgument(
        "--outliers-per-epoch: at least 1 is expected for the score head; lse "
        "is the score of a head without outliers");
  }
  return options;
}

std::string too_few_held_out(std::size_t held_out, const std::string& what) {
  return "there are too few held-out " + what + " (" + with_commas(held_out) +
         ") for this level, so that none can be found unusual; use a larger "
         "--held-out" +
         (what == "images" ? " of sbog train image" : "") +
         " or a smaller --level";
}

OptionTable<PointDetectorSettings> point_detector_table() {
  using S = PointDetectorSettings;
  OptionTable<S> table;
  table.stage("Points");
  table
      .add("sum", &S::sum,
           "Scores whose standardised mean is the score sum, two or more of "
           "rmd, mean, span, knn, soe, msp, lse and head")
      .value("NAMES")
      .without("head, rmd and mean; without --labels rmd and knn");
  table
      .add("calibration", &S::calibration,
           "Usual rows apart from DATA that the threshold comes from; best "
           "are rows that the encoder has not seen either")
      .value("FILE")
      .without("rows of DATA that are held out");
  table
      .add("items", &S::items,
           "Text with one line per row of DATA, a sentence or the path of a "
           "picture, kept in the detector to show what a scored row is near "
           "to")
      .basic()
      .value("FILE")
      .without("none");
  table.add("outliers_per_epoch", &S::outliers_per_epoch,
            "Number of outliers that the score head is shown in each pass, "
            "drawn afresh");
  table
      .add_enum(
          "radius", &S::radius, parse_radius,
          [](const RadiusRange& radius) { return to_string(radius); }, {},
          "Length of the step from a row to an outlier of the score head, or a "
          "range of lengths; rows have length 1")
      .value("R");
  table.add("shrinkage", &S::shrinkage,
            "Share of the round covariance that is mixed into those of rmd, in "
            "(0, 1]");
  table
      .add("soe_reference", &S::soe_reference,
           "Rows behind the energies of soe: class, the least over the "
           "classes; all, one energy against all rows")
      .choices({"class", "all"});
  for (const auto& entry : table.entries()) {
    table.find(entry.info().name)->kinds(kForPoints | kForImages);
  }
  for (const char* name : {"calibration", "items"}) {
    table.find(name)->kinds(kForPoints);
  }
  return table;
}

Matrix<float> load_unit_rows(const std::string& spec,
                             const std::vector<std::string>& columns,
                             std::size_t dim) {
  ReadOptions read;
  read.csv.columns = columns;
  const LoadedMatrix<float> rows = to_matrix<float>(load_array(spec, read));
  if (dim != 0 && rows.cols() != dim) {
    throw InvalidArgument(spec + ": rows of " + std::to_string(dim) +
                          " numbers are expected, as in the bank of the "
                          "detector, got " +
                          std::to_string(rows.cols()));
  }
  return detect::unit_rows(rows.view(), spec);
}

std::vector<std::string> load_items(const std::string& path, std::size_t rows) {
  std::string text = read_file(path);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  std::vector<std::string> items(text.empty() ? 0 : 1);
  for (const char c : text) {
    if (c == '\n') {
      items.emplace_back();
    } else if (items.back().size() < kLongestItem) {
      // Control characters would end up on somebody's terminal.
      const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
      if (c != '\r') items.back() += is_control ? ' ' : c;
    }
  }
  if (items.size() != rows) {
    throw InvalidArgument(
        "--items: one line per row of the bank is expected (" +
        std::to_string(rows) + "), " + path + " has " +
        std::to_string(items.size()));
  }
  return items;
}

PointTrainResult train_points(const PointTrainOptions& o, Events& events,
                              const Context& context) {
  const Stopwatch watch;
  const detect::PointDetectorOptions options =
      point_detector_options(o, !o.labels.empty());
  check_writable(o.out);
  const std::vector<std::int64_t> labels = load_labels(o.labels);
  const detect::LabelledBank bank =
      detect::make_bank(load_unit_rows(o.data, o.columns), labels, o.data);
  const std::vector<std::string> names = names_of_classes(o.class_names, bank);
  std::vector<std::string> items;
  if (!o.settings.items.empty()) {
    items = load_items(o.settings.items, bank.rows());
  }
  Matrix<float> calibration;
  if (!o.settings.calibration.empty()) {
    calibration = load_unit_rows(o.settings.calibration, o.columns, bank.dim());
  }
  PointTrainResult result;
  result.options = o;
  std::optional<detect::PointDetector> detector;
  {
    Stage stage(events, context, "training");
    detector = detect::train_point_detector(bank, calibration, options,
                                            stage.context());
  }
  if (!detector || events.is_stopped()) {
    return stopped_unwritten(std::move(result), events);
  }
  detector->set_words(names, items_of_bank(items, detector->state().bank_rows));
  detect::write_point_detector(o.out, *detector);
  describe(*detector, result);
  result.seconds = watch.seconds();
  warn_about_bank(result, events);
  return result;
}

nlohmann::ordered_json to_json(const PointTrainResult& result) {
  const PointTrainOptions& o = result.options;
  nlohmann::ordered_json json;
  json["model"] = o.out;
  json["kind"] = "latent";
  json["score"] = o.score;
  json["scores"] = result.scores;
  json["bank"] = result.bank;
  json["held_out"] = result.held_out;
  json["dimensions"] = result.dimensions;
  json["classes"] = result.classes;
  json["outliers"] = result.outliers;
  json["seed"] = o.seed;
  json["level"] = o.level;
  if (std::isfinite(result.threshold)) json["threshold"] = result.threshold;
  json["seconds"] = result.seconds;
  return json;
}

}  // namespace sbog::job
