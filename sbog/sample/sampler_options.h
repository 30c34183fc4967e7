// SPDX-License-Identifier: Apache-2.0
// Everything a sampling run can be told, with the named profiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/energy/energy_model.h"
#include "sbog/energy/local_reference.h"
#include "sbog/sample/point_rules.h"

namespace sbog {

/// Which generator: SBOG itself, its ablations, or a rival.
enum class Rule {
  kSbog,
  kRandom,       ///< any bank point, one proposal, no tests
  kNoTop,        ///< anchors are the whole bank
  kNoThreshold,  ///< no energy test
  kNoArgmax,     ///< uniform choice among the feasible
  kKnn,          ///< distance to the k-th neighbour instead of the energy
  kKdeScott,     ///< kernel density, Scott's bandwidth
  kKdeMedian,    ///< kernel density, median heuristic
  kKdeMatched,   ///< kernel density, h = sqrt(epsilon): equals SBOG
  kVos,          ///< tied Gaussian, least likely draws
  kBood,         ///< gradient steps over the class boundary
};

/// How anchors are chosen from the bank.
enum class AnchorRule {
  kTop,            ///< highest energies
  kFarthestPoint,  ///< spread out among the highest energies
  kRegions,        ///< equal quotas over clusters of directions
  kDpp,            ///< greedy determinantal point process
};

/// Which feasible proposal becomes the output.
enum class PickRule {
  kArgmax,    ///< highest energy
  kUniform,   ///< any, equally likely
  kLevel,     ///< closest to a level drawn in [tau, tau + band]
  kLangevin,  ///< moved along the gradient to such a level
  kMixed,     ///< uniform for a share of the outputs, argmax for the others
};

/// How a proposal returns to the latent space.
enum class Projection { kSphere, kIdentity, kBox };

/// The law of the step from an anchor to a proposal. (Scenarios of a series
/// step along tangents instead; see proposals.h.)
enum class ProposalLaw {
  kIsotropic,  ///< Gaussian, the same in every direction
  kShaped,     ///< Gaussian, shaped by the covariance within classes
};

/// The length r of a step, about: a step is r times a Gaussian vector whose
/// squared length is 1 on average. Drawn uniformly in [low, high] for every
/// proposal.
struct RadiusRange {
  /// Found for each class: from where half of the proposals reach the threshold
  /// to where half of them reach what 1 point in 1,000 would.
  bool is_auto = false;
  double low = 0.0;
  double high = 0.0;

  friend bool operator==(const RadiusRange&, const RadiusRange&) = default;
};

/// "1,2,3"; the reverse throws InvalidArgument for what is not a list of
/// different severities.
std::string severities_text(const std::vector<int>& severities);
std::vector<int> parse_severities(std::string_view text);

/// "auto", "2" or "1.5:4"; the reverse throws InvalidArgument.
std::string to_string(const RadiusRange& radius);
RadiusRange parse_radius(std::string_view text);

/// How proposals are drawn: every coordinate, or only what is tested.
enum class ProposalMode {
  kAuto,      ///< subspace where it is exact and pays, else ambient
  kAmbient,   ///< every coordinate
  kSubspace,  ///< only the span that matters, completed for the winner
};

/// Parameters of a run. Defaults of the fields are those of the profile
/// kDefaultProfile.
struct SamplerOptions {
  Rule rule = Rule::kSbog;
  EnergyOptions energy{GroundCost::kCosine, 0.05, {}};
  /// The temperature of each class follows from its points (perplexity.h), in
  /// place of energy.epsilon; with `certify` it is one for all classes.
  bool auto_epsilon = true;
  std::uint64_t seed = 0;
  std::size_t count = 100;  ///< outputs per class

  // Reference and threshold.
  double trim = 0.0;
  bool includes_self = false;
  std::size_t local = 0;  ///< neighbours of the anchor; 0: whole reference
  LocalConvention local_convention = LocalConvention::kSubmeasure;
  double quantile = 0.95;
  double margin = 0.0;
  /// Accept scores up to the threshold plus this; without it all above.
  std::optional<double> ceiling;
  /// Cut every class in two by the seed: one half gives anchors, proposals and
  /// the conformal threshold, the other half is the reference and nothing else,
  /// so that energies are those of points that it has not seen.
  bool certify = false;
  /// Bands of rarity to fill, increasing, each from 1 to 8: severity s has
  /// scores that between 1 in 10^s and 1 in 10^(s+1) points of the class reach
  /// (energy/rarity.h). Output k is of the band number k modulo their count,
  /// and `count` is that of each band. Empty: one band from the threshold up.
  std::vector<int> severities;

  // Anchors.
  AnchorRule anchor_rule = AnchorRule::kRegions;
  std::size_t anchor_count = 400;  ///< 0: anchor_share of the class
  double anchor_share = 0.02;      ///< clamped to [8, 256]
  double pool_factor = 5.0;        ///< pool = this times the anchors
  std::size_t regions = 40;        ///< clusters of kRegions
  bool anchor_quota = true;        ///< anchors in turn instead of at random
  /// Anchors inside: from this quantile of the energies up to the threshold,
  /// which they do not reach; without it no energy is too high.
  std::optional<double> inner_anchors;

  // Proposals.
  ProposalLaw proposal_law = ProposalLaw::kShaped;
  /// Wins over sigma; without it the radius is sigma sqrt(dimension).
  std::optional<RadiusRange> radius = RadiusRange{true, 0.0, 0.0};
  double sigma = 0.035;
  std::size_t proposal_count = 48;
  std::size_t max_rounds = 64;
  Projection projection = Projection::kSphere;
  std::vector<double> box_low;   ///< one per coordinate, with kBox
  std::vector<double> box_high;  ///< one per coordinate, with kBox
  ProposalMode proposal_mode = ProposalMode::kAuto;
  /// What proposals are held to after the projection; null: nothing. The caller
  /// keeps it alive. Not for kSubspace.
  const PointRules* rules = nullptr;

  // Tests. The semantic ones need class anchors.
  std::optional<double> semantic_floor;  ///< absolute; wins over the automatic
  double semantic_quantile = 0.01;       ///< automatic floor: this quantile of
                                         ///< the class's cosines, times how
                                         ///< much the noise lowers a cosine
  std::optional<double> semantic_slack;  ///< automatic floor: that quantile
                                         ///< minus this instead
  bool semantic = true;                  ///< with class anchors
  double seed_floor = -1.0;              ///< on cos(proposal, its bank point)
  double seed_eligibility = -1.0;        ///< on cos(bank point, class anchor)
  bool allow_unsupported = false;        ///< accept E = +inf

  // Selection.
  PickRule pick = PickRule::kUniform;
  double band = 0.03;    ///< width of the levels of kLevel and kLangevin
  double explore = 0.6;  ///< share of the outputs that kMixed picks uniformly
  std::size_t langevin_steps = 15;
  bool splitting = false;  ///< multilevel splitting where rounds fail
  /// Instead of one pick per output: every feasible proposal of every anchor
  /// into a pool, of which the `count` highest are kept. No splitting then.
  bool collect_all = false;

  // Task-aware acquisition: E + beta Phi_lambda, losses given by the problem.
  double task_beta = 0.0;
  double task_lambda = 1.0;

  // Rivals.
  std::size_t knn = 5;
  std::size_t vos_draws = 10000;
  double bood_step = 0.015;
  std::size_t bood_max_steps = 100;
  std::size_t bood_extra_steps = 2;
  double bood_share = 0.05;
  double bood_temperature = 0.1;
};

/// The names on the command line.
const char* to_string(Rule rule);
const char* to_string(AnchorRule rule);
const char* to_string(PickRule rule);
const char* to_string(Projection projection);
const char* to_string(ProposalMode mode);
const char* to_string(ProposalLaw law);
/// The reverse; each throws InvalidArgument that lists the names.
Rule parse_rule(std::string_view name);
AnchorRule parse_anchor_rule(std::string_view name);
PickRule parse_pick_rule(std::string_view name);
Projection parse_projection(std::string_view name);
ProposalMode parse_proposal_mode(std::string_view name);
ProposalLaw parse_proposal_law(std::string_view name);

/// All names of a kind, in the order of its list.
std::vector<std::string_view> rule_names();
std::vector<std::string_view> anchor_rule_names();
std::vector<std::string_view> pick_rule_names();
std::vector<std::string_view> projection_names();
std::vector<std::string_view> proposal_mode_names();
std::vector<std::string_view> proposal_law_names();

/// What `sbog generate` starts from on points: cases just beyond what the data
/// support, from 1 in 20 to about 1 in 1,000, still of their class.
inline constexpr std::string_view kDefaultProfile = "boundary";

/// `boundary`; `exposure` (outliers to train a detector with); `balanced`,
/// `coverage`, `max-coverage` (a boundary that is known, covered precisely and
/// widely); `paper-series` or `paper-image`; and `scenario`, the defaults of
/// runs on a series.
SamplerOptions profile_options(std::string_view profile);
/// Names of the profiles for points: all but `scenario`.
std::vector<std::string_view> profile_names();

/// Whether the rule goes through rounds of proposals and tests; VOS and BOOD
/// make each output at once.
bool has_rounds(const SamplerOptions& options);

/// Throws InvalidArgument for a value out of range.
void check_sampler_options(const SamplerOptions& options, std::size_t dim);

/// Applies what a rule fixes: kRandom has one proposal and no tests, and so on.
SamplerOptions apply_rule(SamplerOptions options);

}  // namespace sbog
