// SPDX-License-Identifier: Apache-2.0
// See sampler_option_table.h.
#include "sbog/sample/sampler_option_table.h"

#include <optional>
#include <string>
#include <string_view>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

using O = SamplerOptions;
using Table = OptionTable<O>;

constexpr OptionKinds kNotSeries = kForPoints | kForImages;

std::vector<std::string> texts(const std::vector<std::string_view>& names) {
  return {names.begin(), names.end()};
}

LocalConvention parse_convention(std::string_view name) {
  if (name == "submeasure") return LocalConvention::kSubmeasure;
  if (name == "normalised") return LocalConvention::kNormalised;
  throw InvalidArgument("submeasure or normalised is expected, got '" +
                        std::string(name) + "'");
}

const char* convention_name(LocalConvention convention) {
  return convention == LocalConvention::kNormalised ? "normalised"
                                                    : "submeasure";
}

void add_reference(Table& table) {
  table.stage("Reference and threshold");
  table
      .add_enum(
          "cost", [](O & o) -> auto& { return o.energy.cost; },
          parse_ground_cost, [](GroundCost cost) { return to_string(cost); },
          {"cosine", "unit-cosine", "squared-euclidean", "euclidean",
           "squared-mahalanobis", "mahalanobis"},
          "Ground cost between two points")
      .kinds(kNotSeries);
  table
      .add_text(
          "epsilon",
          [](O& o, std::string_view text) {
            o.auto_epsilon = text == "auto";
            if (!o.auto_epsilon) option_text::parse(text, o.energy.epsilon);
          },
          [](const O& o) -> std::optional<std::string> {
            return o.auto_epsilon ? "auto"
                                  : option_text::print(o.energy.epsilon);
          },
          "Sinkhorn temperature, above 0: how far a bank point supports; "
          "auto: of each class, so that a point is supported by about 15 "
          "others")
      .value("NUMBER")
      .basic();
  table
      .add("includes_self", &O::includes_self,
           "Whether a bank point supports itself when it is scored")
      .also("self")
      .reads("include", "true")
      .reads("exclude", "false")
      .kinds(kNotSeries);
  table.add("trim", &O::trim,
            "Share of the least supported points that is left out of the "
            "reference, in [0, 1)");
  table
      .add("local", &O::local,
           "Number of nearest neighbours of the anchor that are the "
           "reference; 0: the whole reference")
      .kinds(kNotSeries);
  table
      .add_enum("local_convention", &O::local_convention, parse_convention,
                convention_name, {"submeasure", "normalised"},
                "Weights of the nearest neighbours: kept, or normalised among "
                "them")
      .kinds(kNotSeries);
  table
      .add("quantile", &O::quantile,
           "Share of the bank below the threshold, in (0, 1)")
      .basic();
  table.add("margin", &O::margin, "Energy added to the threshold");
  table
      .add("ceiling", &O::ceiling,
           "Highest energy of an outlier above the threshold")
      .kinds(kNotSeries)
      .without("none");
  table
      .add("certify", &O::certify,
           "Whether the bank is split so that outliers can be certified: one "
           "half proposes, the other supports")
      .basic()
      .kinds(kForPoints)
      .order(3);
}

void add_anchors(Table& table) {
  table.stage("Anchors");
  table
      .add_enum(
          "anchor_rule", &O::anchor_rule, parse_anchor_rule,
          [](AnchorRule rule) { return to_string(rule); },
          texts(anchor_rule_names()),
          "Rule by which the bank points to start from are chosen")
      .kinds(kNotSeries);
  table.add("anchor_count", &O::anchor_count,
            "Number of bank points to start from in each class; 0: by "
            "--anchor-share");
  table
      .add("anchor_share", &O::anchor_share,
           "Share of a class that is started from, within 8 and 256 points")
      .kinds(kNotSeries);
  table
      .add("pool_factor", &O::pool_factor,
           "Candidates of the spreading rules, in multiples of the anchors")
      .kinds(kNotSeries);
  table.add("regions", &O::regions, "Number of cells of --anchor-rule regions")
      .kinds(kNotSeries);
  table
      .add("anchor_quota", &O::anchor_quota,
           "Whether anchors are taken in turn instead of at random")
      .kinds(kNotSeries);
  table
      .add("inner_anchors", &O::inner_anchors,
           "Quantile of the energies, in [0, 1), from which bank points below "
           "the threshold are started from; none: the highest energies")
      .without("none");
}

void add_proposals(Table& table) {
  table.stage("Proposals");
  table
      .add_text(
          "radius",
          [](O& o, std::string_view text) { o.radius = parse_radius(text); },
          [](const O& o) -> std::optional<std::string> {
            if (!o.radius) return std::nullopt;
            return to_string(*o.radius);
          },
          "Length of the step from a bank point to a proposal: a number, a "
          "range such as 1.5:4, or auto (of each class: from where half of the "
          "proposals are outliers to about 1 in 1,000)")
      .value("RANGE")
      .kinds(kNotSeries)
      .order(101)  // after sigma
      .basic();
  // Given, it stands in for the radius of a profile.
  table
      .add_text(
          "sigma",
          [](O& o, std::string_view text) {
            option_text::parse(text, o.sigma);
            o.radius.reset();
          },
          [](const O& o) -> std::optional<std::string> {
            if (o.radius) return std::nullopt;
            return option_text::print(o.sigma);
          },
          "Standard deviation of the step per coordinate, in place of a "
          "radius (which wins)")
      .value("NUMBER")
      .without("by the radius");
  table
      .add_enum(
          "proposal_law", &O::proposal_law, parse_proposal_law,
          [](ProposalLaw law) { return to_string(law); },
          texts(proposal_law_names()),
          "Law of the step: isotropic, or shaped by the covariance within "
          "classes")
      .kinds(kNotSeries);
  table.add("proposal_count", &O::proposal_count,
            "Number of proposals in a round");
  table.add("max_rounds", &O::max_rounds,
            "Number of rounds for an outlier, at most");
  table
      .add_enum(
          "projection", &O::projection, parse_projection,
          [](Projection value) { return to_string(value); },
          texts(projection_names()), "Set that proposals are brought back to")
      .kinds(kNotSeries);
  table
      .add("box_low", &O::box_low,
           "Lower bounds of --projection box, one per coordinate")
      .kinds(kNotSeries);
  table
      .add("box_high", &O::box_high,
           "Upper bounds of --projection box, one per coordinate")
      .kinds(kNotSeries);
  table
      .add_enum(
          "proposal_mode", &O::proposal_mode, parse_proposal_mode,
          [](ProposalMode mode) { return to_string(mode); },
          texts(proposal_mode_names()),
          "Way isotropic proposals are drawn: every coordinate (ambient), "
          "only what the tests see (subspace), or whichever is faster (auto)")
      .kinds(kNotSeries)
      .also("proposals");
}

void add_tests(Table& table) {
  table.stage("Tests");
  table
      .add("semantic", &O::semantic,
           "Whether proposals are tested against their class anchor")
      .kinds(kNotSeries);
  table
      .add("semantic_floor", &O::semantic_floor,
           "Least cosine of an outlier to its class anchor")
      .kinds(kNotSeries)
      .without("from the data");
  table
      .add("semantic_quantile", &O::semantic_quantile,
           "Quantile of the class's cosines to its anchor that the automatic "
           "floor starts from")
      .kinds(kNotSeries);
  table
      .add("semantic_slack", &O::semantic_slack,
           "Cosine subtracted from that quantile, in place of what the noise "
           "takes")
      .kinds(kNotSeries)
      .without("none");
  table
      .add("seed_floor", &O::seed_floor,
           "Least cosine of an outlier to the bank point it started from")
      .kinds(kNotSeries);
  table
      .add("seed_eligibility", &O::seed_eligibility,
           "Least cosine of a bank point to its class anchor to be started "
           "from")
      .kinds(kNotSeries);
  table
      .add("allow_unsupported", &O::allow_unsupported,
           "Whether points of infinite energy are accepted")
      .kinds(kNotSeries);
}

void add_selection(Table& table) {
  table.stage("Selection");
  table
      .add_enum(
          "pick", &O::pick, parse_pick_rule,
          [](PickRule rule) { return to_string(rule); },
          texts(pick_rule_names()),
          "Which of the feasible proposals becomes the outlier")
      .basic()
      .kinds(kNotSeries);
  table
      .add("band", &O::band,
           "Width of the levels above the threshold that --pick level and "
           "langevin aim at")
      .kinds(kNotSeries);
  table
      .add("explore", &O::explore,
           "Share of the outliers that --pick mixed picks uniformly")
      .kinds(kNotSeries);
  table
      .add("langevin_steps", &O::langevin_steps,
           "Number of gradient steps of --pick langevin")
      .kinds(kNotSeries);
  table
      .add("splitting", &O::splitting,
           "Whether multilevel splitting is tried where all rounds fail")
      .kinds(kNotSeries);
  table
      .add("collect_all", &O::collect_all,
           "Whether every feasible proposal goes into a pool of which the "
           "highest are kept, instead of one pick per outlier")
      .kinds(kNotSeries);
  table
      .add("task_beta", &O::task_beta,
           "Weight of the model's losses beside the energy")
      .kinds(kForPoints);
  table
      .add("task_lambda", &O::task_lambda,
           "Temperature lambda of the loss weights exp(loss / (lambda "
           "epsilon)); larger is gentler")
      .kinds(kForPoints);
}

void add_rivals(Table& table) {
  table.stage("Rivals");
  table
      .add_enum(
          "rule", &O::rule, parse_rule,
          [](Rule rule) { return to_string(rule); }, texts(rule_names()),
          "Generator: sbog, one of its ablations, or a rival")
      .kinds(kNotSeries);
  table.add("knn", &O::knn, "Neighbour whose distance --rule knn takes")
      .kinds(kNotSeries);
  table
      .add("vos_draws", &O::vos_draws,
           "Number of Gaussian draws of which --rule vos keeps the least "
           "likely one")
      .kinds(kNotSeries);
  table
      .add("bood_step", &O::bood_step,
           "Length of a gradient step of --rule bood")
      .kinds(kNotSeries);
  table
      .add("bood_share", &O::bood_share,
           "Share of a class nearest to the boundary that --rule bood starts "
           "from")
      .kinds(kNotSeries);
  table
      .add("bood_max_steps", &O::bood_max_steps,
           "Number of gradient steps until the prediction flips, at most")
      .kinds(kNotSeries);
  table
      .add("bood_extra_steps", &O::bood_extra_steps,
           "Gradient steps taken after the prediction has flipped")
      .kinds(kNotSeries);
  table
      .add("bood_temperature", &O::bood_temperature,
           "Temperature of the cosine classifier of --rule bood")
      .kinds(kNotSeries);
}

Table make_table() {
  Table table;
  table.stage("Output");
  table.add("count", &O::count, "Number of outliers of each class").basic();
  add_reference(table);
  add_anchors(table);
  add_proposals(table);
  add_tests(table);
  add_selection(table);
  add_rivals(table);
  table.stage("Output");
  table.add("seed", &O::seed, "Seed of everything that is drawn")
      .also("random_state");
  return table;
}

}  // namespace

const OptionTable<SamplerOptions>& sampler_option_table() {
  static const Table kTable = make_table();
  return kTable;
}

}  // namespace sbog
