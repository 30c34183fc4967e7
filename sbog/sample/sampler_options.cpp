// SPDX-License-Identifier: Apache-2.0
// Names, profiles and ranges of sampler_options.h.
#include "sbog/sample/sampler_options.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/option_table.h"
#include "sbog/sample/support_score.h"

namespace sbog {
namespace {

constexpr double kLargestRadius = 1000.0;

template <typename E, std::size_t kCount>
using Names = std::array<std::pair<E, const char*>, kCount>;

constexpr Names<Rule, 11> kRules = {{{Rule::kSbog, "sbog"},
                                     {Rule::kRandom, "random"},
                                     {Rule::kNoTop, "no-top"},
                                     {Rule::kNoThreshold, "no-threshold"},
                                     {Rule::kNoArgmax, "no-argmax"},
                                     {Rule::kKnn, "knn"},
                                     {Rule::kKdeScott, "kde-scott"},
                                     {Rule::kKdeMedian, "kde-median"},
                                     {Rule::kKdeMatched, "kde-matched"},
                                     {Rule::kVos, "vos"},
                                     {Rule::kBood, "bood"}}};
constexpr Names<AnchorRule, 4> kAnchorRules = {
    {{AnchorRule::kTop, "top"},
     {AnchorRule::kFarthestPoint, "farthest-point"},
     {AnchorRule::kRegions, "regions"},
     {AnchorRule::kDpp, "dpp"}}};
constexpr Names<PickRule, 5> kPickRules = {{{PickRule::kArgmax, "argmax"},
                                            {PickRule::kUniform, "uniform"},
                                            {PickRule::kLevel, "level"},
                                            {PickRule::kLangevin, "langevin"},
                                            {PickRule::kMixed, "mixed"}}};
constexpr Names<Projection, 3> kProjections = {
    {{Projection::kSphere, "sphere"},
     {Projection::kIdentity, "identity"},
     {Projection::kBox, "box"}}};
constexpr Names<ProposalMode, 3> kProposalModes = {
    {{ProposalMode::kAuto, "auto"},
     {ProposalMode::kAmbient, "ambient"},
     {ProposalMode::kSubspace, "subspace"}}};

constexpr Names<ProposalLaw, 2> kProposalLaws = {
    {{ProposalLaw::kIsotropic, "isotropic"}, {ProposalLaw::kShaped, "shaped"}}};

template <typename E, std::size_t kCount>
const char* name_of(const Names<E, kCount>& names, E value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "unknown";
}

template <typename E, std::size_t kCount>
E parse(const Names<E, kCount>& names, std::string_view text,
        const char* what) {
  std::string known;
  for (const auto& [value, name] : names) {
    if (text == name) return value;
    known += known.empty() ? "" : ", ";
    known += name;
  }
  throw InvalidArgument(std::string(what) + ": '" + std::string(text) +
                        "' is not one of: " + known);
}

template <typename E, std::size_t kCount>
std::vector<std::string_view> all_names(const Names<E, kCount>& names) {
  std::vector<std::string_view> all;
  for (const auto& [value, name] : names) all.emplace_back(name);
  return all;
}

void need(bool is_fine, const char* sentence) {
  if (!is_fine) throw InvalidArgument(sentence);
}

void check_radius(const RadiusRange& radius) {
  if (radius.is_auto) return;
  need(std::isfinite(radius.low) && std::isfinite(radius.high) &&
           radius.low > 0.0,
       "radius: finite numbers above 0 are expected");
  need(radius.low <= radius.high,
       "radius: a range begins with its smaller end, such as 1.5:4");
  need(radius.high <= kLargestRadius,
       "radius: at most 1000 is expected, where a proposal on the sphere has "
       "long forgotten its anchor");
}

void check_severities(const SamplerOptions& options) {
  if (options.severities.empty()) return;
  for (std::size_t i = 0; i < options.severities.size(); ++i) {
    const int severity = options.severities[i];
    need(severity >= 1 && severity <= 8 &&
             (i == 0 || severity > options.severities[i - 1]),
         "severity: increasing numbers from 1 to 8 are expected");
  }
  need(has_rounds(options) && options.rule != Rule::kRandom &&
           options.rule != Rule::kNoThreshold && !options.collect_all,
       "severity: a rule that tests scores in rounds is expected, not random, "
       "no-threshold, vos, bood or --collect-all");
  need(!options.ceiling && options.margin == 0.0,
       "severity: bands have limits of their own, so neither --ceiling nor "
       "--margin is expected, given or by the profile");
  need(!options.splitting && !options.inner_anchors && options.local == 0,
       "severity: neither --splitting nor --inner-anchors nor --local is "
       "expected, given or by the profile");
}

void check_rivals(const SamplerOptions& options) {
  if (options.rule == Rule::kVos) {
    need(options.vos_draws >= 1 && options.vos_draws < (std::size_t{1} << 32),
         "vos-draws: between 1 and 2^32 - 1 are expected");
  }
  if (options.rule != Rule::kBood) return;
  need(options.projection == Projection::kSphere,
       "bood: its classifier lives on the sphere; choose that projection");
  need(options.bood_step > 0.0 && std::isfinite(options.bood_step),
       "bood-step: a finite number above 0 is expected");
  need(
      options.bood_temperature > 0.0 && std::isfinite(options.bood_temperature),
      "bood-temperature: a finite number above 0 is expected");
  need(options.bood_share > 0.0 && options.bood_share <= 1.0,
       "bood-share: a share in (0, 1] is expected");
}

// To train a detector: far beyond the data, in every direction in which they
// vary, whatever class that may be.
SamplerOptions exposure() {
  SamplerOptions options;
  options.radius = RadiusRange{false, 1.5, 4.0};
  options.semantic = false;
  options.proposal_count = 8;
  return options;
}

// High picks alone are precise but leave most of a boundary empty, uniform
// picks alone the other way round: this one takes both, from anchors of all
// regions in turn.
SamplerOptions balanced() {
  SamplerOptions options;
  options.auto_epsilon = false;
  options.trim = 0.08;
  options.quantile = 0.75;
  options.proposal_law = ProposalLaw::kIsotropic;
  options.radius.reset();
  options.proposal_count = 2048;
  options.pick = PickRule::kMixed;
  options.splitting = true;
  return options;
}

// Anchors spread out, the farthest proposal of each round.
SamplerOptions coverage() {
  SamplerOptions options = balanced();
  options.energy.epsilon = 0.02;
  options.quantile = 0.8;
  options.anchor_rule = AnchorRule::kFarthestPoint;
  options.anchor_count = 256;
  options.pool_factor = 4.0;
  options.regions = 16;
  options.anchor_quota = false;
  options.sigma = 0.02;
  options.proposal_count = 128;
  options.semantic_quantile = 0.05;
  options.pick = PickRule::kArgmax;
  return options;
}

// The paper's time-series setting.
SamplerOptions paper_series() {
  SamplerOptions options = coverage();
  options.energy.epsilon = 0.02;
  options.quantile = 0.95;
  options.margin = 0.04;
  options.anchor_rule = AnchorRule::kTop;
  options.anchor_count = 0;
  options.anchor_share = 0.02;
  options.semantic = false;
  options.splitting = false;
  return options;
}

// Points of windows, from which scenarios of a series are made.
SamplerOptions scenario() {
  SamplerOptions options = coverage();
  options.energy.epsilon = 0.02;
  options.trim = 0.08;
  options.quantile = 0.95;
  options.anchor_count = 40;
  options.inner_anchors = 0.8;
  options.pool_factor = 1e6;  // all of them
  options.sigma = 0.05;
  options.proposal_count = 128;
  options.max_rounds = 64;
  options.semantic = false;
  options.splitting = false;
  options.proposal_mode = ProposalMode::kAmbient;  // tangents are
  return options;
}

// The paper's image setting.
SamplerOptions paper_image() {
  SamplerOptions options = coverage();
  options.energy.epsilon = 0.05;
  options.trim = 0.0;
  options.local = 128;
  options.quantile = 0.95;
  options.sigma = 0.012;
  options.proposal_count = 256;
  options.anchor_rule = AnchorRule::kTop;
  options.anchor_count = 0;
  options.anchor_share = 0.05;
  options.max_rounds = 10;
  options.seed_floor = 0.7;
  options.seed_eligibility = 0.7;
  options.splitting = false;
  return options;
}

SamplerOptions max_coverage() {
  SamplerOptions options = coverage();
  options.pick = PickRule::kUniform;
  return options;
}

}  // namespace

const char* to_string(Rule rule) { return name_of(kRules, rule); }
const char* to_string(AnchorRule rule) { return name_of(kAnchorRules, rule); }
const char* to_string(PickRule rule) { return name_of(kPickRules, rule); }
const char* to_string(Projection projection) {
  return name_of(kProjections, projection);
}
const char* to_string(ProposalMode mode) {
  return name_of(kProposalModes, mode);
}
const char* to_string(ProposalLaw law) { return name_of(kProposalLaws, law); }
ProposalLaw parse_proposal_law(std::string_view name) {
  return parse(kProposalLaws, name, "proposal law");
}
Rule parse_rule(std::string_view name) { return parse(kRules, name, "rule"); }
AnchorRule parse_anchor_rule(std::string_view name) {
  return parse(kAnchorRules, name, "anchor rule");
}
PickRule parse_pick_rule(std::string_view name) {
  return parse(kPickRules, name, "pick");
}
Projection parse_projection(std::string_view name) {
  return parse(kProjections, name, "projection");
}
ProposalMode parse_proposal_mode(std::string_view name) {
  return parse(kProposalModes, name, "proposals");
}

std::vector<std::string_view> rule_names() { return all_names(kRules); }
std::vector<std::string_view> anchor_rule_names() {
  return all_names(kAnchorRules);
}
std::vector<std::string_view> pick_rule_names() {
  return all_names(kPickRules);
}
std::vector<std::string_view> projection_names() {
  return all_names(kProjections);
}
std::vector<std::string_view> proposal_mode_names() {
  return all_names(kProposalModes);
}

std::vector<std::string_view> proposal_law_names() {
  return all_names(kProposalLaws);
}

std::vector<std::string_view> profile_names() {
  return {"boundary",     "exposure",     "balanced",   "coverage",
          "max-coverage", "paper-series", "paper-image"};
}

SamplerOptions profile_options(std::string_view profile) {
  if (profile == kDefaultProfile) return {};
  if (profile == "exposure") return exposure();
  if (profile == "balanced") return balanced();
  if (profile == "coverage") return coverage();
  if (profile == "max-coverage") return max_coverage();
  if (profile == "paper-series") return paper_series();
  if (profile == "paper-image") return paper_image();
  if (profile == "scenario") return scenario();
  throw InvalidArgument("profile: '" + std::string(profile) +
                        "' is not one of: boundary, exposure, balanced, "
                        "coverage, max-coverage, paper-series, paper-image");
}

std::string to_string(const RadiusRange& radius) {
  if (radius.is_auto) return "auto";
  std::string text = option_text::print(radius.low);
  if (radius.high != radius.low) text += ":" + option_text::print(radius.high);
  return text;
}

RadiusRange parse_radius(std::string_view text) {
  if (text == "auto") return {true, 0.0, 0.0};
  RadiusRange radius;
  const std::size_t colon = text.find(':');
  try {
    option_text::parse(text.substr(0, colon), radius.low);
    radius.high = radius.low;
    if (colon != std::string_view::npos) {
      option_text::parse(text.substr(colon + 1), radius.high);
    }
  } catch (const InvalidArgument&) {
    throw InvalidArgument(
        "radius: auto, a number or a range such as 1.5:4 is "
        "expected, got '" +
        std::string(text) + "'");
  }
  check_radius(radius);
  return radius;
}

std::string severities_text(const std::vector<int>& severities) {
  std::string text;
  for (const int severity : severities) {
    if (!text.empty()) text += ',';
    text += std::to_string(severity);
  }
  return text;
}

std::vector<int> parse_severities(std::string_view text) {
  std::vector<int> found;
  const std::string expected =
      "severity: different numbers from 1 to 8 with commas between, such as "
      "1,2,3, are expected, got '" +
      std::string(text) + "'";
  for (std::size_t at = 0; at <= text.size(); at += 2) {
    const bool is_fine = at < text.size() && text[at] >= '1' &&
                         text[at] <= '8' &&
                         (at + 1 == text.size() || text[at + 1] == ',');
    if (!is_fine) throw InvalidArgument(expected);
    found.push_back(text[at] - '0');
    if (at + 1 == text.size()) break;
  }
  std::sort(found.begin(), found.end());
  if (std::adjacent_find(found.begin(), found.end()) != found.end()) {
    throw InvalidArgument(expected);
  }
  return found;
}

bool has_rounds(const SamplerOptions& options) {
  return options.rule != Rule::kVos && options.rule != Rule::kBood;
}

void check_sampler_options(const SamplerOptions& options, std::size_t dim) {
  if (!options.auto_epsilon) check_epsilon(options.energy.epsilon);
  if (options.radius) {
    check_radius(*options.radius);
  } else {
    need(std::isfinite(options.sigma) && options.sigma > 0.0,
         "sigma: a finite number above 0 is expected");
  }
  need(options.proposal_law == ProposalLaw::kIsotropic || !options.splitting,
       "splitting: isotropic steps are expected (--proposal-law isotropic)");
  need(options.proposal_count >= 1 &&
           options.proposal_count <= (std::size_t{1} << 20),
       "proposal-count: between 1 and 2^20 are expected");
  need(options.max_rounds >= 1 && options.max_rounds <= 65533,
       "max-rounds: between 1 and 65533 are expected");
  need(options.count < (std::size_t{1} << 32),
       "count: fewer than 2^32 per class are expected");
  need(options.trim >= 0.0 && options.trim < 1.0,
       "trim: a share in [0, 1) is expected");
  need(options.quantile > 0.0 && options.quantile < 1.0,
       "quantile: a level in (0, 1) is expected");
  need(std::isfinite(options.margin), "margin: a finite number is expected");
  need(!options.ceiling ||
           (*options.ceiling >= 0.0 && std::isfinite(*options.ceiling)),
       "ceiling: a finite number of at least 0 is expected");
  need(options.anchor_share > 0.0 && options.anchor_share <= 1.0,
       "anchor-share: a share in (0, 1] is expected");
  need(options.pool_factor >= 1.0 && std::isfinite(options.pool_factor),
       "pool-factor: a number of at least 1 is expected");
  need(!options.collect_all ||
           (has_rounds(options) && options.rule != Rule::kRandom),
       "collect-all: a rule with rounds and tests is expected, not random, vos "
       "or bood");
  need(!options.certify ||
           (has_rounds(options) && options.local == 0 && !options.splitting &&
            options.pick != PickRule::kLangevin && options.margin == 0.0 &&
            score_kind(options.rule) == ScoreKind::kEnergy),
       "split bank: proposals must not follow the reference, so a rule that "
       "ranks by energy is expected, with the whole reference, margin 0, and "
       "neither splitting nor langevin");
  need(options.pick != PickRule::kLangevin ||
           score_kind(options.rule) == ScoreKind::kEnergy,
       "pick: langevin follows the energy's gradient, so the rule must rank by "
       "energy");
  need(!options.inner_anchors ||
           (*options.inner_anchors >= 0.0 && *options.inner_anchors < 1.0),
       "inner-anchors: a level in [0, 1) is expected");
  need(options.regions >= 1, "regions: at least 1 is expected");
  need(options.band >= 0.0 && std::isfinite(options.band),
       "band: a number of at least 0 is expected");
  need(options.explore >= 0.0 && options.explore <= 1.0,
       "explore: a share in [0, 1] is expected");
  need(options.semantic_quantile >= 0.0 && options.semantic_quantile <= 1.0,
       "semantic-quantile: a level in [0, 1] is expected");
  need(!options.semantic_slack || std::isfinite(*options.semantic_slack),
       "semantic-slack: a finite number is expected");
  need(!options.semantic_floor || std::abs(*options.semantic_floor) <= 1.0,
       "semantic-floor: a cosine in [-1, 1] is expected");
  need(options.seed_floor <= 1.0,
       "seed-floor: a cosine of at most 1 is expected");
  need(options.seed_eligibility <= 1.0,
       "seed-eligibility: a cosine of at most 1 is expected");
  need(options.task_lambda > 0.0 && std::isfinite(options.task_lambda) &&
           std::isfinite(options.task_beta),
       "task: a finite lambda above 0 and a finite beta are expected");
  need(options.knn >= 1, "knn: at least 1 neighbour is expected");
  need(options.projection == Projection::kSphere ||
           !is_cosine(options.energy.cost),
       "projection: the cosine costs live on the sphere; choose a Euclidean "
       "cost for identity or box");
  check_rivals(options);
  check_severities(options);
  if (options.projection != Projection::kBox) return;
  need(options.box_low.size() == dim && options.box_high.size() == dim,
       "box: one lower and one upper bound per coordinate are expected");
  for (std::size_t k = 0; k < dim; ++k) {
    need(options.box_low[k] <= options.box_high[k],
         "box: no lower bound may exceed its upper bound");
  }
}

SamplerOptions apply_rule(SamplerOptions options) {
  switch (options.rule) {
    case Rule::kRandom:
      options.proposal_count = 1;
      options.max_rounds = 1;
      options.pick = PickRule::kArgmax;
      options.semantic = false;
      options.seed_floor = -1.0;
      options.seed_eligibility = -1.0;
      options.splitting = false;
      break;
    case Rule::kNoThreshold:
      options.splitting = false;
      break;
    case Rule::kNoArgmax:
      options.pick = PickRule::kUniform;
      break;
    default:
      break;
  }
  if (options.collect_all) options.splitting = false;
  return options;
}

}  // namespace sbog
