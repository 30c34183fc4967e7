// SPDX-License-Identifier: Apache-2.0
// The table of the job `stress`; see stress.h.
#include <algorithm>
#include <array>
#include <string_view>

#include "sbog/base/errors.h"
#include "sbog/job/stress.h"

namespace sbog::job {
namespace {

// What a run is made with, of the options of sbog generate; those that this
// version does not have are passed over.
constexpr std::array<std::string_view, 14> kMadeWith = {
    "kind",     "labels", "class_anchors", "items",       "columns",
    "count",    "total",  "time",          "law",         "width",
    "severity", "side",   "limit",         "outside_only"};

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t first = 0;
  for (std::size_t at = text.find(','); at != std::string::npos;
       at = text.find(',', first)) {
    parts.push_back(text.substr(first, at - first));
    first = at + 1;
  }
  parts.push_back(text.substr(first));
  return parts;
}

// An option of sbog generate that is kept as it was given.
void add_made_with(OptionTable<StressOptions>& table, const OptionInfo& info) {
  const std::string name = info.name;
  const bool is_list = info.is_list;
  OptionEntry<StressOptions>& entry = table.add_text(
      name,
      [name, is_list](StressOptions& options, std::string_view text) {
        std::erase_if(options.made_with, [&](const Assignment& given) {
          return given.name == name;
        });
        options.made_with.push_back({name,
                                     is_list ? split_list(std::string(text))
                                             : std::vector{std::string(text)},
                                     "--" + dashed(name)});
      },
      [name](const StressOptions& options) -> std::optional<std::string> {
        for (const Assignment& given : options.made_with) {
          if (given.name != name) continue;
          std::string text;
          for (const std::string& part : given.values) {
            text += (text.empty() ? "" : ",") + part;
          }
          return text;
        }
        return std::nullopt;
      },
      info.help);
  entry.info().kinds = info.kinds;
  entry.info().choices = info.choices;
  entry.info().value_name = info.value_name;
  entry.info().default_text =
      name == "law" ? "edit-first" : "as in sbog generate";
}

void add_model(OptionTable<StressOptions>& table) {
  table.stage("Model");
  table
      .add("model", &StressOptions::model,
           "Model under test: what sbog detect train wrote, a TorchScript file "
           "(.pt), or a command in which {cases} and {out} stand for .npy "
           "files, {cases.csv} and {out.csv} for tables; it is run without a "
           "shell")
      .basic()
      .value("FILE|COMMAND")
      .without("none; then --predictions is expected");
  table
      .add("predictions", &StressOptions::predictions,
           "Answers of a model to the cases, computed elsewhere: a row for "
           "each row of outliers.npy, of decoded/windows.npy for a series, or "
           "of decoded/images.npy for images")
      .basic()
      .value("FILE")
      .without("none");
  table
      .add("control_predictions", &StressOptions::control_predictions,
           "Answers of the same model to rows or windows of its own that are "
           "in-distribution, with --predictions")
      .basic()
      .value("FILE")
      .without("none; then --threshold is expected");
  table
      .add("case_kind", &StressOptions::case_kind,
           "What of a run on images the model is asked about: its images, or "
           "its points")
      .kinds(kForImages)
      .choices({"images", "points"})
      .without(
          "images; points where none were decoded, and for a detector of "
          "points");
  table
      .add("task", &StressOptions::task,
           "What the answers are: classifier (probabilities or logits), "
           "detector (scores, larger is more alarming) or loss")
      .basic()
      .choices({"classifier", "detector", "loss"})
      .without(
          "classifier for several columns, but of windows one number "
          "for each row is a detector; else detector");
  table
      .add("threshold", &StressOptions::threshold,
           "Confidence from which a classifier accepts, score above which a "
           "detector alarms, or loss that is too large")
      .basic()
      .without(
          "of a file that of its training; else from the controls: what "
          "95 % of them reach, 1 % exceed, or 5 % exceed");
  table
      .add("level", &StressOptions::level,
           "Share of normal rows below the threshold of a file of sbog detect "
           "train, in (0, 1)")
      .without("that of the file");
  table
      .add("failure", &StressOptions::failure,
           "What a classifier fails by: accepted (with a confidence of at "
           "least the threshold), other (another class than that of the "
           "source) or either")
      .choices({"accepted", "other", "either"});
  table
      .add("timeout", &StressOptions::timeout,
           "Time limit of one call of the command, in seconds")
      .basic();
  table.add("batch", &StressOptions::batch,
            "Number of cases in one call of the model");
  table
      .add("resume", &StressOptions::resume,
           "Go on with answers that were kept")
      .basic()
      .flag();
}

void add_judgement(OptionTable<StressOptions>& table) {
  table.stage("Controls");
  table
      .add("controls", &StressOptions::controls,
           "In-distribution data that the model has not seen: rows like those "
           "of the bank, a series like the recorded one, or images like those "
           "of the run")
      .basic()
      .value("FILE")
      .without("sources of the cases and others of the data of the run");
  table.add("control_count", &StressOptions::control_count,
            "Number of controls that are taken, at most");
  table.stage("Verdict");
  table
      .add("require", &StressOptions::require,
           "What must hold for exit code 0, such as 'detection >= 0.9 at "
           "severity 2' or 'accepted <= 5 % for class 2'; several with commas "
           "or by repeating the option")
      .basic()
      .value("TEXT,...")
      .without("nothing");
  table.add("tolerance", &StressOptions::tolerance,
            "Share of failures that makes no group a weak spot, in [0, 1)");
  table.add("top", &StressOptions::top, "Number of weak spots to list").basic();
  table
      .add("loss_radius", &StressOptions::loss_radius,
           "Radii of the transport ball around the controls for the worst "
           "expected loss, in units of the cost, with --task loss")
      .kinds(kForPoints | kForImages)
      .value("X,...")
      .without("0 and 1/8, 1/4, 1/2 and all of the largest");
}

void add_seeking(OptionTable<StressOptions>& table) {
  constexpr OptionKinds kOfPoints = kForPoints | kForImages;
  table.stage("Seek failures");
  table
      .add(
          "seek", [](StressOptions & o) -> auto& { return o.seek.seek; },
          "Seek feasible points that hurt the model most, asking it round by "
          "round")
      .basic()
      .kinds(kOfPoints)
      .flag();
  table
      .add(
          "budget", [](StressOptions & o) -> auto& { return o.seek.budget; },
          "Number of points that the model is asked about while seeking, at "
          "most")
      .basic()
      .kinds(kOfPoints);
  table
      .add(
          "rounds", [](StressOptions & o) -> auto& { return o.seek.rounds; },
          "Number of rounds of seeking")
      .kinds(kOfPoints);
  table
      .add(
          "radius", [](StressOptions & o) -> auto& { return o.seek.radius; },
          "Radius of a round's worst-case law around the pool of points, in "
          "units of the cost")
      .kinds(kOfPoints)
      .without("2.3 epsilon: about a tenth of the pool carries the law");
}

}  // namespace

const OptionTable<StressOptions>& stress_option_table() {
  static const OptionTable<StressOptions> kTable = [] {
    OptionTable<StressOptions> table;
    table.stage("Input");
    table
        .add("input", &StressOptions::input,
             "Folder of a finished run of sbog generate, or data to make one "
             "from")
        .positional()
        .value("RUN|DATA");
    table
        .add("out", &StressOptions::out,
             "Folder of the run that is made, with data")
        .basic()
        .writes()
        .value("FOLDER")
        .without("none; expected with data");
    add_model(table);
    add_judgement(table);
    add_seeking(table);
    table.add("seed", &StressOptions::seed,
              "Seed of controls, of seeking and of the run");
    table.stage("Cases from data");
    for (const auto& entry : generate_option_table().entries()) {
      const OptionInfo& info = entry.info();
      if (std::find(kMadeWith.begin(), kMadeWith.end(), info.name) !=
          kMadeWith.end()) {
        add_made_with(table, info);
      }
    }
    return table;
  }();
  return kTable;
}

}  // namespace sbog::job
