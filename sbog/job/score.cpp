// SPDX-License-Identifier: Apache-2.0
// See score.h.
#include "sbog/job/score.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"
#include "sbog/energy/energy_state.h"
#include "sbog/energy/precomputed_energy.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"
#include "sbog/job/score_inputs.h"

namespace sbog::job {
namespace {

// Fewer points than one and a half, or half of at least 60, are warned about.
constexpr double kLowPerplexity = 1.5;
constexpr double kHighShare = 0.5;
constexpr std::size_t kSizeOfHighShare = 60;

// Shard `index` of `count`.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

std::size_t parse_shard_part(std::string_view text, const std::string& whole) {
  std::size_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InvalidArgument("--shard: I/N such as 2/10 is expected, got '" +
                          whole + "'");
  }
  return value;
}

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string_view view(text);
  Shard shard;
  shard.index = parse_shard_part(view.substr(0, slash), text);
  shard.count = parse_shard_part(
      slash == std::string::npos ? "" : view.substr(slash + 1), text);
  if (shard.count == 0 || shard.index >= shard.count) {
    throw InvalidArgument("--shard: I below N is expected, got '" + text + "'");
  }
  return shard;
}

bool is_cosine_name(const std::string& cost) {
  return cost == "cosine" || cost == "unit-cosine";
}

void check(const ScoreOptions& o) {
  const auto need = [](bool ok, const char* sentence) {
    if (!ok) throw InvalidArgument(sentence);
  };
  const bool is_plain = o.energy.trim == 0.0 && o.local == 0 &&
                        !o.energy.per_class && o.tolerance == 0.0 &&
                        o.threshold == "quantile";
  need(o.state.empty() == o.shard.empty(),
       "--shard and --state go together: one names the shard, the other the "
       "file for its state");
  if (!o.shard.empty()) {
    need(is_plain && !o.is_precomputed() && o.out.empty(),
         "--shard goes with BANK, --queries, --weights, --cost, --epsilon, "
         "--centre, --includes-self and --precision only");
  }
  if (o.is_precomputed()) {
    need(is_plain && o.queries.empty() && o.energy.labels.empty(),
         "--cost precomputed goes with --weights, --epsilon, --includes-self, "
         "--quantile, --margin and --out only");
    need(!o.energy.epsilon.is_auto(),
         "--cost precomputed needs a number for --epsilon: it is found from "
         "points, and there are none");
  }
  need(!o.energy.per_class || !o.energy.labels.empty(),
       "--per-class needs --labels");
  need(!o.energy.per_class || o.queries.empty() || !o.query_labels.empty(),
       "--per-class with --queries needs --query-labels");
  need(o.local == 0 || o.tolerance == 0.0,
       "--local and --tolerance exclude each other");
  need(o.energy.calibration > 0, "--calibration: at least 1 row is expected");
  need(o.tolerance >= 0.0, "--tolerance: a number of at least 0 is expected");
  need(!o.centre || is_cosine_name(o.energy.cost),
       "--centre goes with --cost cosine and unit-cosine only");
  o.energy.epsilon.check();
  check_writable(o.out);
  check_writable(o.state);
}

// A given temperature that is far from what the bank supports.
void warn_about_support(const ScoreResult& result, Events& events) {
  const EnergySettings& energy = result.options.energy;
  if (energy.epsilon.is_auto()) return;
  for (const ClassScore& score : result.scores.classes) {
    const auto count = static_cast<double>(score.reference_count);
    const bool is_low =
        score.perplexity > 0.0 && score.perplexity < kLowPerplexity;
    const bool is_high = score.perplexity > kHighShare * count &&
                         score.reference_count >= kSizeOfHighShare;
    if (!is_low && !is_high) continue;
    const std::string where =
        energy.per_class ? "class " + std::to_string(score.label) + ": " : "";
    events.on_warning(
        where +
        (is_low ? "the nearest bank point alone decides at this epsilon"
                : "half of the bank or more supports a point at this epsilon, "
                  "which hardly tells points apart") +
        "; --epsilon auto takes the temperature at which about 15 bank points "
        "support a point");
    return;
  }
}

// Writes the energies unless the job was stopped.
void finish(ScoreResult& result, Events& events) {
  if (result.scores.status == SolveStatus::kCancelled) {
    result = stopped_unwritten(std::move(result), events);
    return;
  }
  if (!result.options.out.empty()) {
    write_column(result.options.out, "energy", result.scores.energies);
  }
  warn_about_support(result, events);
}

void note_cone(bool is_narrow_cone, const ScoreResult& result, Events& events) {
  if (!is_narrow_cone || result.options.centre) return;
  char cosine[16];
  std::snprintf(cosine, sizeof cosine, "%.2f", *result.mean_cosine);
  events.on_note("two bank points have a mean cosine of " +
                 std::string(cosine) +
                 " and features of both signs, a narrow cone; --centre may "
                 "tell points apart better");
}

sbog::ScoreOptions library_options(const ScoreOptions& o,
                                   MatrixView<const double> metric) {
  sbog::ScoreOptions options = score_options_of(o.energy, metric, o.seed);
  options.measures_perplexity = true;
  options.local = o.local;
  options.local_convention = o.local_convention == "normalised"
                                 ? LocalConvention::kNormalised
                                 : LocalConvention::kSubmeasure;
  options.threshold.rule = o.threshold == "conformal"
                               ? ThresholdRule::kConformal
                               : ThresholdRule::kQuantile;
  options.tolerance = o.tolerance;
  return options;
}

template <typename T>
ScoreResult result_of(const ScoreOptions& o, const ScoreInputs<T>& inputs,
                      const Context& context) {
  ScoreResult result;
  result.options = o;
  result.bank_rows = inputs.bank().rows();
  result.dim = inputs.bank().cols();
  result.query_rows = inputs.queries().rows();
  result.mean_cosine = inputs.mean_cosine();
  result.threads = worker_count(context);
  return result;
}

template <typename T>
ScoreResult score_points(const ScoreOptions& o, Events& events,
                         const Context& context) {
  const ScoreInputs<T> inputs(o);
  inputs.remarks().tell(events);
  const std::vector<std::int64_t> labels = load_labels(o.energy.labels);
  const std::vector<std::int64_t> query_labels = load_labels(o.query_labels);
  ScoreResult result = result_of(o, inputs, context);
  const ScoreProblem<T> problem{inputs.bank(), inputs.weights(), labels,
                                inputs.queries(), query_labels};
  note_cone(inputs.is_narrow_cone(), result, events);
  const Stopwatch watch;
  {
    Stage stage(events, context, "scoring");
    result.scores = score_bank(
        problem, library_options(o, inputs.energy().metric), stage.context());
  }
  result.seconds = watch.seconds();
  finish(result, events);
  return result;
}

ScoreResult score_costs(const ScoreOptions& o, Events& events,
                        const Context& context) {
  const LoadedMatrix<double> costs = to_matrix<double>(load_array(o.bank));
  std::vector<double> weights;
  if (!o.energy.weights.empty()) {
    weights = to_vector(load_array(o.energy.weights));
  }
  std::vector<std::size_t> self;
  // A square matrix is the bank against itself.
  if (!o.energy.includes_self && costs.rows() == costs.cols()) {
    for (std::size_t i = 0; i < costs.rows(); ++i) self.push_back(i);
  }
  ScoreResult result;
  result.options = o;
  result.bank_rows = costs.rows();
  result.dim = costs.cols();
  result.threads = worker_count(context);
  const Stopwatch watch;
  EnergyResult energies;
  {
    Stage stage(events, context, "scoring");
    energies =
        evaluate_precomputed(costs.view(), weights, o.energy.epsilon.number(),
                             self, stage.context());
  }
  sbog::ScoreResult& scores = result.scores;
  scores.status = energies.status;
  scores.energies = std::move(energies.energies);
  scores.pairs =
      static_cast<double>(costs.rows()) * static_cast<double>(costs.cols());
  ClassScore outcome;
  outcome.bank_count = costs.cols();
  outcome.reference_count = costs.cols();
  outcome.epsilon = o.energy.epsilon.number();
  ThresholdOptions threshold;
  threshold.level = o.energy.quantile;
  threshold.margin = o.energy.margin;
  outcome.threshold = calibrate_threshold(scores.energies, threshold);
  outcome.share_above = share_above(scores.energies, outcome.threshold.value);
  scores.classes.push_back(outcome);
  result.seconds = watch.seconds();
  finish(result, events);
  return result;
}

template <typename T>
std::uint64_t checksum_of(MatrixView<const T> points) {
  Checksum sum;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    sum.update(points.row(i).data(), points.cols() * sizeof(T));
  }
  return sum.digest();
}

// Which blocks of the bank a shard holds.
struct BlockRange {
  std::size_t all = 0;
  std::size_t first = 0;
  std::size_t end = 0;
};

BlockRange blocks_of(const Shard& shard, std::size_t rows) {
  const std::size_t blocks = (rows + kBlockAtoms - 1) / kBlockAtoms;
  if (shard.count > blocks) {
    throw InvalidArgument("--shard: the bank has " + std::to_string(blocks) +
                          " blocks of 256 points, which cannot be cut into " +
                          std::to_string(shard.count) + " shards");
  }
  return {blocks, blocks * shard.index / shard.count,
          blocks * (shard.index + 1) / shard.count};
}

// The state of all queries against one run of blocks. The whole bank is at
// hand, so that every shard finds the same epsilon and the same mean.
template <typename T>
ScoreResult score_shard(const ScoreOptions& o, Events& events,
                        const Context& context) {
  const ScoreInputs<T> inputs(o);
  inputs.remarks().tell(events);
  const MatrixView<const T> bank = inputs.bank();
  const bool has_queries = inputs.queries().rows() > 0;
  const MatrixView<const T> queries = has_queries ? inputs.queries() : bank;
  const BlockRange blocks = blocks_of(parse_shard(o.shard), bank.rows());
  const std::size_t first = blocks.first * kBlockAtoms;
  const std::size_t end = std::min(blocks.end * kBlockAtoms, bank.rows());
  const std::span<const double> weights(inputs.weights());
  const ReferenceMeasure<T> measure{
      bank.subrows(first, end - first),
      weights.empty() ? weights : weights.subspan(first, end - first),
      {}};
  ScoreResult result = result_of(o, inputs, context);
  Stage stage(events, context, "scoring");
  EnergyOptions options = inputs.energy();
  options.epsilon = one_epsilon<T>(o.energy.epsilon, {bank, weights, {}}, {},
                                   options, stage.context());
  if (events.is_stopped()) return stopped_unwritten(std::move(result), events);
  const EnergyModel<T> model(measure, options);
  std::vector<std::size_t> self;
  if (!has_queries && !o.energy.includes_self) {
    self.assign(bank.rows(), kNoAtom);
    for (std::size_t i = first; i < end; ++i) self[i] = i - first;
  }
  auto [status, state] =
      model.evaluate_state(queries, self, blocks.first, stage.context());
  if (status == SolveStatus::kCancelled) {
    return stopped_unwritten(std::move(result), events);
  }
  write_energy_state(o.state, {std::move(state), options.epsilon,
                               checksum_of(queries), blocks.all});
  events.on_note("state of " + with_commas(queries.rows()) +
                 " points against blocks " + std::to_string(blocks.first) +
                 " to " + std::to_string(blocks.end) + " of " +
                 std::to_string(blocks.all) + " in " + o.state);
  return result;
}

template <typename T>
ScoreResult score_with(const ScoreOptions& o, Events& events,
                       const Context& context) {
  return o.shard.empty() ? score_points<T>(o, events, context)
                         : score_shard<T>(o, events, context);
}

nlohmann::json class_json(const ClassScore& score, bool is_per_class) {
  nlohmann::json json = {
      {"bank_count", score.bank_count},
      {"reference_count", score.reference_count},
      {"query_count", score.query_count},
      {"threshold", score.threshold.value},
      {"calibration_count", score.threshold.calibration_count},
      {"share_above", score.share_above},
      {"epsilon", score.epsilon},
  };
  // Not known of costs without points.
  if (score.perplexity > 0.0) json["perplexity"] = score.perplexity;
  if (is_per_class) json["label"] = score.label;
  return json;
}

}  // namespace

double ScoreResult::pairs_per_second() const {
  return seconds > 0.0 ? scores.pairs / seconds : 0.0;
}

std::vector<double> summary_levels() {
  return {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0};
}

const OptionTable<ScoreOptions>& score_option_table() {
  using O = ScoreOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table.stage("Input");
    table.add("bank", &O::bank, "In-distribution points, one per row")
        .positional()
        .value("FILE");
    table.add("queries", &O::queries, "Points to score")
        .basic()
        .value("FILE")
        .without("the bank scores itself");
    table
        .add("query_labels", &O::query_labels,
             "Class of each query, with --per-class")
        .value("FILE");
    table.add("columns", &O::columns, "Columns of a CSV bank to use")
        .value("NAMES")
        .without("all");
    table.include(energy_option_table(true), &O::energy);
    table.stage("Reference");
    table
        .add("centre", &O::centre,
             "Whether the mean direction of the bank is subtracted from all "
             "points, which opens a narrow cone (features of text)")
        .also("center")
        .basic()
        .flag();
    table.add("local", &O::local,
              "Number of nearest atoms that support a point; 0: all");
    table
        .add("local_convention", &O::local_convention,
             "Weights of the nearest atoms: kept (submeasure), or normalised "
             "among them")
        .choices({"submeasure", "normalised"});
    table
        .add("threshold", &O::threshold,
             "Rule of the threshold: quantile of the bank, or conformal on a "
             "held-out half")
        .basic()
        .choices({"quantile", "conformal"});
    table.add("tolerance", &O::tolerance,
              "Allowed error on the energy, such as 1e-6, to skip far parts "
              "of the bank; 0: exact");
    table.stage("Output");
    table.add("out", &O::out, "File for the energies, .npy")
        .basic()
        .writes()
        .value("FILE")
        .without("not written");
    table
        .add("shard", &O::shard,
             "Shard I of N of the bank, I from 0, with --state; sbog merge "
             "joins the states")
        .value("I/N");
    table.add("state", &O::state, "File for the mergeable state of the shard")
        .writes()
        .value("FILE");
    table.add("seed", &O::seed, "Seed of the conformal split and of subsets")
        .also("random_state");
    return table;
  }();
  return kTable;
}

ScoreResult run(const ScoreOptions& options, Events& events,
                const Context& context) {
  check(options);
  if (options.is_precomputed()) return score_costs(options, events, context);
  return options.energy.precision == "double"
             ? score_with<double>(options, events, context)
             : score_with<float>(options, events, context);
}

// JSON has no infinity: nlohmann writes null, which the manual documents.
nlohmann::json to_json(const ScoreResult& result) {
  const ScoreOptions& o = result.options;
  nlohmann::json json = {
      {"bank_rows", result.bank_rows},
      {"dimension", result.dim},
      {"query_rows", result.query_rows},
      {"cost", o.energy.cost},
      {"epsilon_rule", o.energy.epsilon.is_auto() ? "auto" : "given"},
      {"centred", o.centre},
      {"self", o.energy.includes_self ? "include" : "exclude"},
      {"threshold_rule", o.threshold},
      {"quantile", o.energy.quantile},
      {"margin", o.energy.margin},
      {"precision", o.energy.precision},
      {"tolerance", o.tolerance},
      {"evaluated_share", result.scores.evaluated_share},
      {"pairs", result.scores.pairs},
      {"seconds", result.seconds},
      {"pairs_per_second", result.pairs_per_second()},
      {"threads", result.threads},
      {"simd", simd_target()},
      {"out", o.out},
  };
  // One number, unless every class has its own.
  json["epsilon"] = nullptr;
  if (!(o.energy.epsilon.is_auto() && o.energy.per_class)) {
    json["epsilon"] = result.scores.classes.at(0).epsilon;
  }
  if (result.mean_cosine) json["mean_cosine"] = *result.mean_cosine;
  const std::vector<double> levels = summary_levels();
  const std::vector<double> values = quantiles(result.scores.energies, levels);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    json["energy_quantiles"].push_back({levels[i], values[i]});
  }
  for (const ClassScore& score : result.scores.classes) {
    json["classes"].push_back(class_json(score, o.energy.per_class));
  }
  return json;
}

}  // namespace sbog::job
