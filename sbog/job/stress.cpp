// SPDX-License-Identifier: Apache-2.0
// See stress.h. Options are in stress_options.cpp, the JSON in stress_json.cpp.
#include "sbog/job/stress.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/base/folder_lock.h"
#include "sbog/base/stopwatch.h"
#include "sbog/job/answer_parts.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"
#include "sbog/job/run_inputs.h"
#include "sbog/job/stress_answers.h"
#include "sbog/job/stress_files.h"
#include "sbog/job/stress_images.h"
#include "sbog/job/stress_seek.h"
#include "sbog/run/run_json.h"
#include "sbog/stress/gate.h"

namespace sbog::job {
namespace {

namespace fs = std::filesystem;

using stress::Gate;
using stress::Task;

const std::vector<std::string>& grouping_names() {
  static const std::vector<std::string> kNames = {
      "class", "region", "kind", "channel", "kind x channel", "edits"};
  return kNames;
}

// A requirement may hold commas; a list of them is cut at the commas between
// requirements, each of which has a comparison.
std::vector<std::string> joined_requirements(
    const std::vector<std::string>& pieces) {
  std::vector<std::string> whole;
  for (const std::string& piece : pieces) {
    const bool is_rest =
        piece.find_first_of("<>") == std::string::npos && !whole.empty();
    if (is_rest) {
      whole.back() += "," + piece;
    } else {
      whole.push_back(piece);
    }
  }
  return whole;
}

std::vector<Gate> gates_of(const StressOptions& options) {
  std::vector<Gate> gates;
  for (const std::string& text : joined_requirements(options.require)) {
    try {
      gates.push_back(stress::parse_gate(text, grouping_names()));
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(std::string("--require: ") + error.what());
    }
  }
  return gates;
}

void check(const StressOptions& o) {
  const int ways = (o.model.empty() ? 0 : 1) + (o.predictions.empty() ? 0 : 1) +
                   (o.function ? 1 : 0);
  if (ways != 1) {
    throw InvalidArgument(
        "a model is expected in one way: --model FILE, --model 'COMMAND "
        "{cases} {out}' or --predictions FILE");
  }
  if (!o.control_predictions.empty() && o.predictions.empty()) {
    throw InvalidArgument(
        "--control-predictions: it goes with --predictions; a model that is "
        "asked is asked about its controls, too");
  }
  if (!o.controls.empty() && !o.predictions.empty()) {
    throw InvalidArgument(
        "--controls: nobody is asked about them with --predictions; give "
        "--control-predictions");
  }
  if (o.batch == 0) {
    throw InvalidArgument("--batch: at least 1 case is expected");
  }
  if (!(o.tolerance >= 0.0 && o.tolerance < 1.0)) {
    throw InvalidArgument("--tolerance: a share in [0, 1) is expected");
  }
  if (!(o.timeout > 0.0)) {
    throw InvalidArgument("--timeout: a number of seconds above 0 is expected");
  }
  if (o.threshold && std::isnan(*o.threshold)) {
    throw InvalidArgument("--threshold: a number is expected");
  }
  for (const double radius : o.loss_radius) {
    if (!(radius >= 0.0)) {
      throw InvalidArgument(
          "--loss-radius: numbers of at least 0 are expected");
    }
  }
}

bool is_run(const std::string& input) {
  std::error_code error;
  return fs::exists(fs::path(input) / "manifest.json", error);
}

bool is_made_with(const StressOptions& o, const char* name) {
  return std::any_of(
      o.made_with.begin(), o.made_with.end(),
      [&](const Assignment& given) { return given.name == name; });
}

// What sbog generate is told, with the defaults of a stress test.
GenerateOptions generate_options_of(const StressOptions& o) {
  std::vector<Assignment> given = o.made_with;
  given.push_back({"input", {o.input}, "INPUT"});
  given.push_back({"out", {o.out}, "--out"});
  given.push_back({"seed", {std::to_string(o.seed)}, "--seed"});
  const auto apply = [](const std::vector<Assignment>& all) {
    GenerateOptions options;
    generate_option_table().apply(all, options);
    return options;
  };
  const GenerateOptions plain = apply(given);
  if (plain.kind == Kind::kSeries && !is_made_with(o, "law")) {
    given.push_back({"law", {"edit-first"}, "--law"});
  }
  GenerateOptions options = apply(given);
  options.resume = o.resume;
  options.no_report = true;
  return options;
}

// The folder of the run: the one that was given, or one made from data. Empty
// when stopped.
std::string find_run(const StressOptions& o, Events& events,
                     const Context& context) {
  if (is_run(o.input)) {
    if (!o.out.empty()) {
      throw InvalidArgument(
          "--out: results go to the folder of the run; it is "
          "for a run that is made from data");
    }
    if (!o.made_with.empty()) {
      throw InvalidArgument(o.made_with.front().spelling + ": the run in " +
                            o.input + " is finished; the option is for data");
    }
    return o.input;
  }
  if (o.out.empty()) {
    throw InvalidArgument(
        "--out: a folder is expected for the run that is "
        "made from " +
        o.input + ", which is no run");
  }
  const GenerateResult made = run(generate_options_of(o), events, context);
  if (made.status == Status::kStopped) return "";
  if (made.produced == 0) {
    throw InvalidArgument("no outlier of " + o.input +
                          " is feasible, so that there is nothing to ask; " +
                          made.out + " says what bound");
  }
  return made.out;
}

// What is known before the answers.
struct Prepared {
  StressSubject subject;
  StressInputs inputs;
};

// What the model is asked about; of a run on images it may be either.
Kind kind_of_cases(const FinishedRun& run, const StressOptions& o) {
  if (run.kind() != "image") {
    if (!o.case_kind.empty()) {
      throw InvalidArgument("--case-kind: it is for runs on images");
    }
    return run.kind() == "series" ? Kind::kSeries : Kind::kPoints;
  }
  const bool has_images = has_decoded_images(run);
  if (o.case_kind == "images" && !has_images) {
    throw InvalidArgument("--case-kind: the run in " + run.folder() +
                          " has no decoded images");
  }
  if (!o.case_kind.empty()) {
    return o.case_kind == "images" ? Kind::kImages : Kind::kPoints;
  }
  return has_images && !is_point_model(o.model) ? Kind::kImages : Kind::kPoints;
}

StressInputOptions input_options(const StressOptions& o) {
  StressInputOptions wanted;
  wanted.controls = o.controls;
  wanted.control_count = o.control_count;
  wanted.wants_controls = o.predictions.empty();
  wanted.seed = o.seed;
  return wanted;
}

Prepared prepare(const FinishedRun& run, const StressOptions& o, Kind kind,
                 Events& events, const Context& context) {
  Prepared prepared;
  if (o.function) {
    prepared.subject.model = o.function;
    prepared.subject.words = o.function_name;
  } else if (!o.model.empty()) {
    SubjectOptions how;
    how.model = o.model;
    how.kind = kind;
    how.level = o.level;
    how.timeout_seconds = o.timeout;
    how.folder = run.file("stress");
    how.log = run.file("stress.log");
    if (how.kind == Kind::kSeries) {
      for (const nlohmann::json& name : run.manifest().at("channels")) {
        how.channels.push_back(name.get<std::string>());
      }
    }
    prepared.subject = open_subject(how, events, context);
  } else {
    prepared.subject.words = "answers in " + o.predictions;
  }
  StressInputOptions wanted = input_options(o);
  wanted.kind = kind;
  wanted.needs_recording = prepared.subject.needs_recording;
  prepared.inputs = load_stress_inputs(run, wanted, events);
  return prepared;
}

stress::VerdictOptions verdict_options(const StressOptions& o,
                                       const Prepared& prepared,
                                       const StressAnswers& answers,
                                       const std::vector<Gate>& gates) {
  stress::VerdictOptions options;
  options.rules.task = !o.task.empty()
                           ? stress::parse_task(o.task)
                           : prepared.subject.task.value_or(guess_task(
                                 prepared.inputs, answers.cases.cols()));
  const Task task = options.rules.task;
  if (prepared.subject.task && *prepared.subject.task != task) {
    throw InvalidArgument("--task: the file of --model is a detector");
  }
  check_answer_columns(o.predictions.empty() ? "--model" : o.predictions, task,
                       prepared.inputs, answers.cases.cols());
  options.rules.threshold =
      o.threshold ? o.threshold : prepared.subject.threshold;
  if (!options.rules.threshold && answers.controls.rows() == 0) {
    throw InvalidArgument(
        "--threshold: a number is expected where there are no controls to take "
        "it from (--control-predictions)");
  }
  options.rules.failure = stress::parse_classifier_failure(o.failure);
  options.tolerance = o.tolerance;
  options.gates = gates;
  for (const Gate& gate : gates) {
    try {
      check_gate(gate, task);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(std::string("--require: ") + error.what());
    }
  }
  return options;
}

void add_note(StressResult& result, Events& events, std::string sentence) {
  events.on_note(sentence);
  result.notes.push_back(std::move(sentence));
}

void add_notes(const StressOptions& o, const StressInputs& inputs,
               StressResult& result, Events& events) {
  const stress::Outcomes& outcomes = result.verdict.outcomes;
  if (o.predictions.empty()) {
    add_note(result, events, "controls: " + inputs.control_words);
    if (o.controls.empty()) {
      add_note(result, events,
               "the model may have been trained on these controls; --controls "
               "names data that it has not seen");
    }
  }
  if (result.threshold_source == "controls" &&
      outcomes.controls.size() < stress::kFewControls) {
    add_note(result, events,
             "the threshold comes from only " +
                 std::to_string(outcomes.controls.size()) + " controls");
  }
  if (outcomes.task == Task::kClassifier && !outcomes.knows_classes) {
    add_note(result, events,
             "the columns of the answers are not matched to classes, so other "
             "classes are not counted");
  }
}

// The temperature and the cost that a run was made with.
struct RunEnergy {
  EnergyOptions options;
  LoadedMatrix<double> metric;
};

RunEnergy energy_of_run(const FinishedRun& run) {
  const GenerateOptions made = options_of_run(run);
  RunEnergy energy{made.sampler.energy, {}};
  if (!made.metric.empty()) {
    energy.metric = to_matrix<double>(load_array(made.metric));
  }
  energy.options.metric = energy.metric.view();
  energy.options.epsilon = epsilon_of_run(run, made.sampler);
  return energy;
}

bool has_worst_loss(const StressOptions& o, const StressInputs& inputs,
                    const StressResult& result) {
  return result.verdict.outcomes.task == Task::kLoss &&
         inputs.kind == Kind::kPoints && o.predictions.empty();
}

// The worst expected loss over the ball around the controls; false when
// stopped.
bool add_worst_loss(const EnergyOptions& energy, const StressOptions& o,
                    const StressInputs& inputs, StressResult& result,
                    Events& events, const Context& context) {
  const stress::Outcomes& outcomes = result.verdict.outcomes;
  std::vector<double> losses;
  for (const stress::CaseOutcome& one : outcomes.cases) {
    losses.push_back(one.value);
  }
  Stage stage(events, context, "solving for the worst expected loss");
  const auto controls = to_matrix<float>(inputs.controls);
  const auto cases = to_matrix<float>(inputs.cases);
  result.worst_loss = stress::worst_losses<float>(
      controls.view(), outcomes.controls, cases.view(), losses, energy,
      o.loss_radius, stage.context());
  return result.worst_loss->status != SolveStatus::kCancelled;
}

void write_results(const FinishedRun& run, const StressResult& result) {
  write_file_atomically(run.file("stress.csv"), stress_table(result));
  write_file_atomically(run.file("stress.junit.xml"), stress_junit(result));
  write_file_atomically(run.file("stress.json"),
                        stored_json(to_json(result)) + "\n");
}

StressResult stopped(StressResult result, Events& events) {
  events.on_note("interrupted; go on with the same command and --resume");
  result.status = Status::kStopped;
  return result;
}

// Answers from files, or from the model with what is kept of an earlier call.
StressAnswers find_answers(const StressOptions& o, const Prepared& prepared,
                           const AnswerParts* parts, Events& events,
                           const Context& context) {
  if (!o.predictions.empty()) {
    return read_predictions(o.predictions, o.control_predictions,
                            prepared.inputs);
  }
  return ask_model(prepared.subject.model, "--model", prepared.inputs, o.batch,
                   parts, events, context);
}

// The verdict on the answers, and what is said beside it.
void judge_answers(const StressOptions& o, const StressAnswers& answers,
                   const std::vector<Gate>& gates, Prepared& prepared,
                   StressResult& result, Events& events) {
  StressInputs& inputs = prepared.inputs;
  const stress::VerdictOptions asked =
      verdict_options(o, prepared, answers, gates);
  if (asked.rules.task == Task::kClassifier) {
    inputs.sorted.classes = class_columns(inputs, answers.cases.cols());
  }
  result.kind = inputs.kind;
  result.model = prepared.subject.words;
  result.control_words = inputs.control_words;
  result.threshold_source = o.threshold                  ? "given"
                            : prepared.subject.threshold ? "model"
                                                         : "controls";
  result.verdict = judge(inputs.sorted, answers.cases.view(),
                         answers.controls.view(), asked);
  add_notes(o, inputs, result, events);
}

void end_result(StressInputs& inputs, const Stopwatch& watch,
                StressResult& result) {
  result.facts = std::move(inputs.facts);
  if (!result.verdict.is_passed()) result.status = Status::kNotReached;
  result.seconds = watch.seconds();
}

// What only makes sense with a folder.
void check_memory(const StressOptions& o) {
  if (!o.function) {
    throw InvalidArgument(
        "a function is expected as the model of cases in memory");
  }
  if (!o.input.empty() || !o.out.empty() || !o.made_with.empty() || o.resume) {
    throw InvalidArgument(
        "cases in memory have no folder: no input, --out, --resume or option "
        "of a run is expected");
  }
}

}  // namespace

StressResult run(const StressOptions& options, Events& events,
                 const Context& context) {
  const Stopwatch watch;
  check(options);
  const std::vector<Gate> gates = gates_of(options);
  StressResult result;
  result.options = options;
  result.run = find_run(options, events, context);
  if (result.run.empty()) return stopped(std::move(result), events);
  const FinishedRun finished(result.run);
  check_seek(options, finished);
  const Kind kind = kind_of_cases(finished, options);
  if (options.seek.seek && kind == Kind::kImages) {
    throw InvalidArgument(
        "--seek: it moves points, and the cases are images; --case-kind points "
        "asks the model about points");
  }
  const FolderLock lock(result.run);
  Prepared prepared = prepare(finished, options, kind, events, context);
  const std::string name =
      options.model.empty() ? prepared.subject.words : options.model;
  const AnswerParts parts(
      finished.file("stress"),
      answers_identity(prepared.inputs, name, options.batch));
  if (!options.resume) parts.remove_parts();
  const StressAnswers answers =
      find_answers(options, prepared, &parts, events, context);
  if (answers.is_stopped) return stopped(std::move(result), events);
  judge_answers(options, answers, gates, prepared, result, events);
  if (has_worst_loss(options, prepared.inputs, result)) {
    const RunEnergy energy = energy_of_run(finished);
    if (!add_worst_loss(energy.options, options, prepared.inputs, result,
                        events, context)) {
      return stopped(std::move(result), events);
    }
  }
  if (options.seek.seek) {
    result.seek = seek_in_run(finished, options, prepared.subject.model,
                              result.verdict.outcomes, events, context);
    if (!result.seek) return stopped(std::move(result), events);
  }
  end_result(prepared.inputs, watch, result);
  write_results(finished, result);
  parts.remove();
  return result;
}

StressResult run(const StressMemory& memory, const StressOptions& options,
                 Events& events, const Context& context) {
  const Stopwatch watch;
  check(options);
  check_memory(options);
  check_seek(options);
  const std::vector<Gate> gates = gates_of(options);
  StressResult result;
  result.options = options;
  Prepared prepared;
  prepared.subject.model = options.function;
  prepared.subject.words = options.function_name;
  prepared.inputs =
      load_stress_inputs(memory.cases, input_options(options), events);
  const auto stop = [&] {
    return stopped_unwritten(std::move(result), events);
  };
  const StressAnswers answers =
      find_answers(options, prepared, nullptr, events, context);
  if (answers.is_stopped) return stop();
  judge_answers(options, answers, gates, prepared, result, events);
  EnergyOptions energy = memory.sampler.energy;
  energy.epsilon = memory.epsilon;
  if (has_worst_loss(options, prepared.inputs, result) &&
      !add_worst_loss(energy, options, prepared.inputs, result, events,
                      context)) {
    return stop();
  }
  if (options.seek.seek) {
    const SeekPlace place{memory.problem, memory.sampler, memory.epsilon};
    result.seek = seek_at(place, options, options.function,
                          result.verdict.outcomes, events, context);
    if (!result.seek) return stop();
  }
  end_result(prepared.inputs, watch, result);
  return result;
}

}  // namespace sbog::job
