// SPDX-License-Identifier: Apache-2.0
// Encoder and runs of a cell; see learned.h.
#include "paper/learned.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include "paper/cell_store.h"
#include "paper/options_json.h"
#include "paper/series_data.h"
#include "paper/series_quality.h"
#include "sbog/base/errors.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/sampler.h"
#include "sbog/series/detection_run.h"
#include "sbog/series/pretext.h"
#include "sbog/series/windows.h"

namespace sbog::paper {
namespace {

namespace fs = std::filesystem;
using namespace sbog::series;

constexpr std::size_t kStride = 5;
// Share of the training windows below the threshold that needs no labels.
constexpr double kLevel = 0.99;

constexpr std::array<std::pair<const char*, Carrier>, 4> kCarriers = {
    {{"latent", Carrier::kLatent},
     {"lifted", Carrier::kLifted},
     {"retrieval", Carrier::kRetrieval},
     {"window", Carrier::kWindow}}};
constexpr std::array<std::pair<const char*, ContrastiveLoss>, 3> kLosses = {
    {{"info-nce", ContrastiveLoss::kInfoNce},
     {"hinge", ContrastiveLoss::kHinge},
     {"pull-push", ContrastiveLoss::kPullPush}}};

template <typename Value, std::size_t kCount>
Value find_value(const std::array<std::pair<const char*, Value>, kCount>& names,
                 const std::string& name) {
  for (const auto& [known, value] : names) {
    if (name == known) return value;
  }
  throw InvalidArgument("'" + name + "' is no known choice");
}

// Options of the sampler of a rule with some fields changed.
SamplerOptions sampler_of(const std::string& rule, const Json& changes) {
  SamplerOptions options = rule_options(parse_negative_rule(rule), 0, 0);
  for (const auto& [field, value] : changes.items()) {
    if (field == "rule") {
      options.rule = parse_rule(value.get<std::string>());
    } else if (field == "quantile") {
      options.quantile = value;
    } else if (field == "margin") {
      options.margin = value;
    } else if (field == "trim") {
      options.trim = value;
    } else if (field == "epsilon") {
      options.energy.epsilon = value;
    } else {
      throw InvalidArgument("the field '" + field +
                            "' of the sampler cannot be changed here");
    }
  }
  return options;
}

// One entity with its windows and its encoder.
struct Bench {
  Bench(const Json& configuration, const CellContext& context)
      : config(configuration),
        entity(load_series(configuration, context.data)),
        train(entity.train.values, {width(), stride(), false}),
        test(entity.test.values,
             window_starts(entity.test.rows(), {width(), stride(), true}),
             width(), train.statistics()),
        encoder(train_encoder(context)) {}

  std::size_t width() const { return config.at("window"); }
  std::size_t stride() const { return config.at("stride"); }
  std::uint64_t seed() const { return config.at("seed"); }

  Encoder train_encoder(const CellContext& context);

  const Json& config;
  SeriesEntity entity;
  WindowSource train;
  WindowSource test;
  double identical_share = 0.0;
  std::size_t batch = 0;
  Encoder encoder;
};

// All that an encoder depends on, so that cells can share it.
Json encoder_identity(const Json& config) {
  Json identity = Json::object();
  for (const char* field :
       {"set", "entity", "bytes", "window", "stride", "seed", "pretext"}) {
    if (config.contains(field)) identity[field] = config.at(field);
  }
  return identity;
}

Encoder Bench::train_encoder(const CellContext& context) {
  const Json& pretext = config.at("pretext");
  PretextOptions options =
      pretext_profile(pretext.at("profile").get<std::string>());
  options.epochs = pretext.at("epochs");
  // A series with fewer windows than a batch takes all of them as one.
  batch = std::min(pretext.at("batch").get<std::size_t>(), train.size());
  options.batch = batch;
  options.loss = find_value(kLosses, pretext.at("loss"));
  options.seed = seed();
  if (!context.scratch.empty()) {
    fs::create_directories(context.scratch);
    const std::string file =
        "encoder-" + hash_of(encoder_identity(config)) + ".safetensors";
    options.checkpoint = (fs::path(context.scratch) / file).string();
  }
  const double start = processor_seconds();
  PretextHistory history;
  Encoder trained = [&] {
    try {
      return train_pretext(train, options, context, &history);
    } catch (const IoError&) {
      // The file is damaged or of other data: train as if it were not there.
      if (options.checkpoint.empty()) throw;
      fs::remove(options.checkpoint);
      return train_pretext(train, options, context, &history);
    }
  }();
  identical_share = history.identical_share;
  const std::size_t steps = options.epochs * (train.size() / options.batch);
  if (history.losses.size() == steps) {  // not taken over from another cell
    note_seconds(context, "encoder", processor_seconds() - start);
  }
  return trained;
}

DetectionOptions to_options(const Json& run, const Bench& bench) {
  const Json& config = bench.config;
  DetectionOptions options;
  options.rule = parse_negative_rule(run.at("rule").get<std::string>());
  options.carrier = find_value(kCarriers, run.at("carrier"));
  options.refresh_epochs = run.at("refresh");
  const Json& stage = config.at("stage");
  options.clusters.epochs = stage.at("epochs");
  options.clusters.batch =
      std::min(stage.at("batch").get<std::size_t>(), 2 * bench.train.size());
  options.clusters.seed = config.at("seed");
  options.injection.seed = config.at("seed");
  if (options.rule != NegativeRule::kCarla) {
    options.sampler = sampler_of(run.at("rule"), run.at("changes"));
  }
  return options;
}

// Mean energy of negatives less the threshold, both of the paper's profile on
// this bank: one ruler for all rules.
class Ruler {
 public:
  Ruler(const Matrix<float>& bank, const Context& context)
      : options_(rule_options(NegativeRule::kSbogPaper, 0, 0)) {
    const Sampler<float> sampler({bank, {}, {}, {}}, options_);
    const ClassRun<float> run = sampler.prepare(0, context);
    threshold_ = run.plan().threshold;
    atoms_ = run.halves().reference;
    model_ = std::make_unique<EnergyModel<float>>(
        ReferenceMeasure<float>{bank, {}, atoms_}, options_.energy);
  }
  Json gap(const Matrix<float>& points, const Context& context) const {
    const std::vector<double> energies =
        model_->evaluate(points, {}, context).energies;
    const double sum = std::accumulate(energies.begin(), energies.end(), 0.0);
    return number(sum / static_cast<double>(energies.size()) - threshold_);
  }

 private:
  SamplerOptions options_;
  double threshold_ = 0.0;
  std::vector<std::size_t> atoms_;
  std::unique_ptr<EnergyModel<float>> model_;
};

double deviation(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / count);
}

// Figures of one way to score a run.
Json score_row(const Bench& bench, const DetectionRun& run, ScoreRule rule,
               const Context& context) {
  const std::vector<double> in_training =
      score_windows(run, bench.train, rule, context);
  const std::vector<double> windows =
      score_windows(run, bench.test, rule, context);
  const std::vector<double> points =
      map_to_points(windows, bench.test.starts(), bench.width(),
                    bench.entity.test.rows(), PointMapping::kMean);
  Json row =
      score_figures(points, bench.entity,
                    quantile(in_training, kLevel, QuantileRule::kHigher));
  if (row.is_null()) return row;
  const double spread = deviation(windows);
  row["score_deviation"] = number(spread);
  row["is_collapsed"] =
      run.spread.is_collapsed || spread < kLeastScoreDeviation;
  return row;
}

// What a run counts for when no negatives can be had, as on points that
// coincide: every row has the same score and is flagged.
void add_failure(const std::string& name, const Bench& bench,
                 const std::string& reason, Json& rows) {
  Json row = score_figures(std::vector<double>(bench.entity.test.rows()),
                           bench.entity, 0.0);
  if (!row.is_null()) {
    row["is_collapsed"] = true;
    row["failure"] = reason;
  }
  rows[name] = row;
  rows[name + ", majority"] = row;
}

void add_run(const Json& run, const Bench& bench, const Ruler& ruler,
             const CellContext& context, Json& rows) {
  const std::string name = run.at("name");
  const double start = processor_seconds();
  const DetectionRun trained = train_detection(bench.encoder, bench.train,
                                               to_options(run, bench), context);
  const NegativeSet& negatives = trained.negatives;
  const bool is_drawn = run.at("rule") != "carla";
  // After a refresh the points are those of another encoder.
  const bool is_frozen =
      run.at("refresh") == 0 && run.at("carrier") == "latent";
  for (const ScoreRule rule : {ScoreRule::kNormalSet, ScoreRule::kMajority}) {
    const bool is_majority = rule == ScoreRule::kMajority;
    Json row = score_row(bench, trained, rule, context);
    if (!row.is_null()) {
      row["classes_used"] = trained.cluster_spread.classes_used;
      if (is_drawn) {
        row["fill"] = number(negatives.fill);
        row["own_gap"] = number(negatives.gap);
        row["feasible_share"] =
            number(static_cast<double>(negatives.feasible) /
                   static_cast<double>(negatives.points.rows()));
      }
      if (is_frozen) row["gap"] = ruler.gap(negatives.points, context);
    }
    rows[name + (is_majority ? ", majority" : "")] = std::move(row);
  }
  note_seconds(context, name, processor_seconds() - start);
}

Json encoder_figures(const Bench& bench, const Matrix<float>& bank,
                     const Context& context) {
  const EncoderSpread spread = encoder_spread(bank, 0.02, context);
  return {{"windows", bench.train.size()},
          {"batch", bench.batch},
          {"pair_distance", number(spread.pair_distance)},
          {"energy_quantiles", spread.energy_quantiles},
          {"identical_share", number(bench.identical_share)},
          {"is_collapsed", spread.is_collapsed}};
}

}  // namespace

Json learned_fields(const LearnedEncoder& encoder,
                    const std::vector<LearnedRun>& runs) {
  const bool is_small = encoder.is_small;
  Json list = Json::array();
  for (const LearnedRun& run : runs) {
    const Json changes = run.sampler.is_null() ? Json::object() : run.sampler;
    list.push_back({{"name", run.name},
                    {"rule", run.rule},
                    {"carrier", run.carrier},
                    {"refresh", run.refresh},
                    {"changes", changes}});
    if (run.rule != "carla") {
      list.back()["sampler"] = options_json(sampler_of(run.rule, changes));
    }
  }
  return {{"window", is_small ? 40 : 200},
          {"stride", kStride},
          {"pretext",
           {{"profile", "repaired"},
            {"loss", encoder.loss},
            {"epochs", is_small ? 2 : 30},
            {"batch", 50}}},
          {"stage", {{"epochs", is_small ? 2 : 50}, {"batch", 50}}},
          {"runs", list}};
}

Json compute_learned(const Json& configuration, const CellContext& context) {
  const Bench bench(configuration, context);
  const Matrix<float> bank = bench.encoder.embed(bench.train, context);
  const Ruler ruler(bank, context);
  Json rows = Json::object();
  for (const Json& run : configuration.at("runs")) {
    try {
      add_run(run, bench, ruler, context, rows);
    } catch (const InvalidArgument& error) {
      add_failure(run.at("name"), bench, error.what(), rows);
    }
  }
  return {{"entity", entity_figures(bench.entity)},
          {"encoder", encoder_figures(bench, bank, context)},
          {"rows", rows}};
}

}  // namespace sbog::paper
