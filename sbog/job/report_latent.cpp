// SPDX-License-Identifier: Apache-2.0
// The report of a run on points; see report_files.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/data/csv.h"
#include "sbog/data/dataset.h"
#include "sbog/job/certify.h"
#include "sbog/job/evaluate.h"
#include "sbog/job/outlier_rarity.h"
#include "sbog/job/report_files.h"
#include "sbog/job/report_stress.h"
#include "sbog/job/run_inputs.h"
#include "sbog/report/report_points.h"

namespace sbog::job {
namespace {

using Node = nlohmann::json;

// The classes of the manifest, by increasing label as the sampler has them.
struct RunClasses {
  std::vector<std::int64_t> labels;
  std::map<std::int64_t, std::size_t> position;
  std::vector<ReportAnchor> anchors;
};

// Nothing where a run of before does not say, and for what is not finite.
std::optional<double> number_of(const Node& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return std::nullopt;
  return at->get<double>();
}

// Nothing for a rule without steps, whose radius is 0.
std::optional<std::pair<double, double>> radius_of(const Node& entry) {
  const auto at = entry.find("radius");
  if (at == entry.end() || !at->is_array() || at->size() != 2 ||
      !at->at(0).is_number() || !at->at(1).is_number()) {
    return std::nullopt;
  }
  const std::pair<double, double> radius = {at->at(0).get<double>(),
                                            at->at(1).get<double>()};
  if (radius.second <= 0.0) return std::nullopt;
  return radius;
}

ReportClass latent_class(const Node& entry, bool has_labels) {
  ReportClass cls;
  cls.name = entry.value("name", "");
  if (cls.name.empty()) {
    cls.name =
        has_labels
            ? "class " + std::to_string(entry.at("label").get<std::int64_t>())
            : "all points";
  }
  cls.points = entry.at("points").get<std::size_t>();
  cls.reference = entry.at("reference").get<std::size_t>();
  cls.requested = entry.at("requested").get<std::size_t>();
  cls.produced = entry.at("produced").get<std::size_t>();
  cls.threshold = entry.at("threshold").is_null()
                      ? std::numeric_limits<double>::infinity()
                      : entry.at("threshold").get<double>();
  cls.epsilon = number_of(entry, "epsilon");
  cls.radius = radius_of(entry);
  cls.binding = entry.at("binding").get<std::string>();
  cls.proposals = entry.at("proposals").get<std::uint64_t>();
  cls.failing_energy = entry.at("failing_energy").get<std::uint64_t>();
  cls.failing_semantic = entry.at("failing_semantic").get<std::uint64_t>();
  cls.failing_seed = entry.at("failing_seed").get<std::uint64_t>();
  if (entry.at("round_draws").get<std::uint64_t>() > 0) {
    const Node& interval = entry.at("acceptance_interval");
    cls.acceptance = entry.at("acceptance").get<double>();
    cls.acceptance_interval = {interval.at(0).get<double>(),
                               interval.at(1).get<double>()};
  }
  return cls;
}

// The classes of the manifest; `bank_rows` bounds the rows of their anchors.
RunClasses read_classes(const Node& manifest, bool has_labels,
                        std::size_t bank_rows, ReportData& data) {
  RunClasses classes;
  for (const Node& entry : manifest.at("classes")) {
    const auto label = entry.at("label").get<std::int64_t>();
    ReportClass cls = latent_class(entry, has_labels);
    for (const Node& anchor : entry.at("anchors")) {
      ReportAnchor tally;
      tally.row = anchor.at("row").get<std::size_t>();
      if (tally.row >= bank_rows) {
        throw IoError(data.run.name,
                      "names an anchor in its manifest that the bank lacks");
      }
      tally.draws = anchor.at("draws").get<std::uint64_t>();
      tally.successes = anchor.at("successes").get<std::uint64_t>();
      cls.anchors_hit += tally.successes > 0 ? 1 : 0;
      classes.anchors.push_back(tally);
    }
    cls.anchors_tried = entry.at("anchors").size();
    cls.anchors = std::max(entry.at("anchor_count").get<std::size_t>(),
                           cls.anchors_tried);
    classes.position[label] = classes.labels.size();
    classes.labels.push_back(label);
    data.classes.push_back(std::move(cls));
  }
  if (classes.labels.empty()) {
    throw IoError(data.run.name, "has no classes in its manifest");
  }
  return classes;
}

// A sentence for every severity asked for: how many there are, of how many
// classes fewer, and what stood in the way there.
void add_severity_notes(const Node& manifest, ReportData& data) {
  struct Count {
    std::size_t produced = 0;
    std::size_t requested = 0;
    std::size_t short_classes = 0;
    std::string example;
  };
  std::map<std::int64_t, Count> counts;
  std::size_t c = 0;
  for (const Node& entry : manifest.at("classes")) {
    const std::string name = data.classes.at(c++).name;
    for (const Node& band : entry.value("severities", Node::array())) {
      Count& count = counts[band.at("severity").get<std::int64_t>()];
      const auto produced = band.at("produced").get<std::size_t>();
      const auto requested = band.at("requested").get<std::size_t>();
      count.produced += produced;
      count.requested += requested;
      if (produced >= requested) continue;
      ++count.short_classes;
      if (!count.example.empty()) continue;
      count.example = name + " has " + with_commas(produced) + " of " +
                      with_commas(requested) + ", the " +
                      band.at("binding").get<std::string>() + " test binds";
    }
  }
  for (const auto& [severity, count] : counts) {
    std::string note = "Severity " + std::to_string(severity) + " has " +
                       with_commas(count.produced) + " of " +
                       with_commas(count.requested) + " outliers";
    if (count.short_classes > 0) {
      note += "; " + with_commas(count.short_classes) +
              (count.short_classes == 1 ? " class has" : " classes have") +
              " fewer than asked for (" + count.example + ")";
    }
    data.notes.push_back(note + ".");
  }
}

// The columns of outliers.csv, as numbers but for the origin.
std::vector<ReportOutlier> read_outlier_table(const std::string& path,
                                              std::size_t rows,
                                              const RunClasses& classes,
                                              bool has_anchors) {
  if (rows == 0) return {};  // a table without rows is refused
  CsvOptions csv;
  csv.header = CsvHeader::kPresent;
  csv.allows_missing = true;
  csv.columns = {"index",        "class",         "anchor_row", "round",
                 "proposal",     "feasible",      "score",      "margin",
                 "class_cosine", "anchor_cosine", "p_value",    "certified"};
  csv.text_columns = {"origin"};
  const CsvTable table = read_csv(path, csv);
  if (table.values.rows() != rows) {
    throw IoError(path, "has " + std::to_string(table.values.rows()) +
                            " rows for " + std::to_string(rows) + " outliers");
  }
  std::vector<ReportOutlier> outliers(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto at = [&](std::size_t column) { return table.values(i, column); };
    const auto count = [&](std::size_t column) {
      const double value = at(column);
      if (!(value >= 0.0 && value < 9e15)) {
        throw IoError(path, "row " + std::to_string(i) + ": column " +
                                csv.columns[column] + " must be a count");
      }
      return static_cast<std::size_t>(value);
    };
    const auto known = [&](std::size_t column) {
      return std::isnan(at(column)) ? std::optional<double>()
                                    : std::optional<double>(at(column));
    };
    ReportOutlier& o = outliers[i];
    o.index = count(0);
    const auto found = classes.position.find(static_cast<std::int64_t>(at(1)));
    if (found == classes.position.end()) {
      throw IoError(path, "row " + std::to_string(i) +
                              " names a class that the run does not have");
    }
    o.cls = found->second;
    if (has_anchors) o.anchor_row = count(2);
    o.origin = table.texts[0][i];
    o.round = count(3);
    o.proposal = count(4);
    o.feasible = count(5);
    // Of a missing score, the infinite one of an unsupported point.
    o.energy = at(6);
    o.margin = at(7);
    o.class_cosine = known(8);
    o.anchor_cosine = known(9);
    o.p_value = known(10);
    if (known(11)) o.certified = at(11) != 0.0;
  }
  return outliers;
}

// A rule without rounds keeps no tally of its anchors.
void count_anchors(const std::vector<ReportOutlier>& outliers,
                   ReportData& data) {
  std::vector<std::map<std::size_t, std::size_t>> hits(data.classes.size());
  for (const ReportOutlier& o : outliers) {
    if (o.anchor_row) ++hits[o.cls][*o.anchor_row];
  }
  for (std::size_t c = 0; c < hits.size(); ++c) {
    ReportClass& cls = data.classes[c];
    if (cls.anchors_tried > 0) continue;
    cls.anchors_tried = hits[c].size();
    cls.anchors_hit = hits[c].size();
    cls.anchors = std::max(cls.anchors, hits[c].size());
  }
}

// False when stopped.
bool add_run_metrics(const ReportOptions& options, const FinishedRun& finished,
                     const RunClasses& classes, ReportData& data,
                     Events& events, const Context& context) {
  if (data.run.produced == 0) {
    data.metrics_note = "There are no outliers to measure.";
    return true;
  }
  if (!finished.has_file("metrics.json")) {
    if (!options.compute_missing) {
      data.metrics_note =
          "Not computed yet: sbog report on this run computes and shows them.";
      return true;
    }
    EvaluateOptions evaluate;
    evaluate.run = options.run;
    evaluate.bank = options.bank;
    try {
      if (run(evaluate, events, context).status == Status::kStopped) {
        return false;
      }
    } catch (const InvalidArgument& error) {
      data.metrics_note =
          std::string("They cannot be computed: ") + error.what() + ".";
      return true;
    }
  }
  const Node metrics = json_of_file(finished.file("metrics.json"));
  data.metrics = metrics_of(metrics);
  if (!data.run.distance_ratio) {
    const auto found =
        std::ranges::find(*data.metrics, "Distance_ratio", &ReportMetric::name);
    if (found != data.metrics->end()) data.run.distance_ratio = found->value;
  }
  for (const Node& entry : metrics.at("purity")) {
    const auto at =
        classes.position.find(entry.at("label").get<std::int64_t>());
    if (at == classes.position.end()) continue;
    data.classes[at->second].purity = entry.at("value").get<double>();
  }
  return true;
}

// False when stopped.
bool add_run_certificate(const ReportOptions& options,
                         const FinishedRun& finished, const RunClasses& classes,
                         ReportData& data, Events& events,
                         const Context& context) {
  if (data.run.produced == 0) {
    data.certificate_note = "There are no outliers to certify.";
    return true;
  }
  if (!finished.has_file("certificate.json")) {
    if (!options.compute_missing) {
      data.certificate_note =
          "Not computed yet: sbog report on this run computes and shows what "
          "its points can promise.";
      return true;
    }
    CertifyOptions certify;
    certify.target = options.run;
    certify.bank = options.bank;
    certify.replicates = 0;  // the bootstrap takes longer than the page
    try {
      if (run(certify, events, context).status == Status::kStopped) {
        return false;
      }
    } catch (const InvalidArgument& error) {
      data.certificate_note =
          std::string("There is none: ") + error.what() + ".";
      return true;
    }
  }
  data.certificate = certificate_of(finished.file("certificate.json"),
                                    classes.labels, data.classes);
  return true;
}

template <typename T>
std::optional<ReportData> read_latent(const ReportOptions& options,
                                      const FinishedRun& finished,
                                      const GenerateOptions& made,
                                      Events& events, const Context& context) {
  ReportData data;
  read_run_facts(finished, data);
  data.run.rule = finished.manifest().at("rule").get<std::string>();
  data.run.level = number_of(finished.manifest(), "level");
  data.run.distance_ratio = number_of(finished.manifest(), "distance_ratio");
  const RunInputs<T> inputs = load_run_inputs<T>(finished, made);
  const SamplerOptions sampling = sampler_of_run(made, inputs);
  data.run.bank_rows = inputs.bank.rows();
  data.run.dimension = inputs.bank.cols();
  const bool has_labels = !inputs.labels.empty();
  const RunClasses classes =
      read_classes(finished.manifest(), has_labels, inputs.bank.rows(), data);
  name_classes(options.names, data.classes);
  const LoadedMatrix<T> points =
      to_matrix<T>(read_array(finished.file("outliers.npy")));
  const std::vector<ReportOutlier> outliers =
      read_outlier_table(finished.file("outliers.csv"), points.rows(), classes,
                         sampling.rule != Rule::kVos);
  count_anchors(outliers, data);
  if (const auto rarity = rarity_of_manifest(finished.manifest())) {
    data.notes.push_back(rarity_sentence(*rarity));
  }
  add_severity_notes(finished.manifest(), data);
  data.stress = stress_of(finished, outliers);
  if (score_kind(sampling.rule) != ScoreKind::kEnergy) {
    data.notes.push_back(
        "The rule " + data.run.rule +
        " ranks points by a score of its own: where this report says energy, "
        "it means that score.");
  }
  std::vector<std::size_t> bank_classes(inputs.bank.rows(), 0);
  for (std::size_t i = 0; i < inputs.labels.size(); ++i) {
    const auto at = classes.position.find(inputs.labels[i]);
    if (at == classes.position.end()) {
      throw IoError(data.run.name, "lacks a class of the bank in its manifest");
    }
    bank_classes[i] = at->second;
  }
  const std::vector<double> energies =
      bank_energies(finished, inputs.bank.rows());
  ReportPointProblem<T> problem;
  problem.bank = inputs.bank.view();
  problem.bank_energies = energies;
  problem.bank_classes = bank_classes;
  problem.outliers = points.view();
  problem.outlier_facts = outliers;
  problem.anchors = classes.anchors;
  problem.energy = sampling.energy;
  {
    Stage stage(events, context, "placing");
    if (fill_report_points(
            problem, {.bank_limit = options.sample, .seed = finished.seed()},
            data, stage.context()) != SolveStatus::kDone ||
        add_report_items(options.items, finished, problem, data,
                         stage.context()) != SolveStatus::kDone) {
      return std::nullopt;
    }
  }
  if (!add_run_metrics(options, finished, classes, data, events, context) ||
      !add_run_certificate(options, finished, classes, data, events, context)) {
    return std::nullopt;
  }
  return data;
}

}  // namespace

std::optional<ReportData> latent_report(const ReportOptions& options,
                                        const FinishedRun& run, Events& events,
                                        const Context& context) {
  const GenerateOptions made = options_of_run(run, options.bank);
  return made.precision == "double"
             ? read_latent<double>(options, run, made, events, context)
             : read_latent<float>(options, run, made, events, context);
}

}  // namespace sbog::job
