// SPDX-License-Identifier: Apache-2.0
// Options of `sbog generate`; see generate_options.h.
#include "generate_options.h"

#include <limits>
#include <type_traits>

#include "generate_series.h"
#include "sbog/base/errors.h"
#include "sbog/job/energy_options.h"
#include "toml_text.h"

namespace sbog::cli {
namespace {

constexpr const char* kFooter =
    "Profiles: balanced (default: anchors of all regions in turn, high picks\n"
    "and any feasible ones mixed), coverage (spread anchors, high picks),\n"
    "max-coverage (spread anchors, any feasible pick), paper-series,\n"
    "paper-image (as published).\n"
    "The run folder holds config.toml, manifest.json, outliers.npy,\n"
    "outliers.csv with one row of provenance per outlier, bank_energies.npy\n"
    "and report.html, which opens in any browser.\n"
    "\n"
    "From a series come scenarios: recorded windows with a few edits that "
    "lead\n"
    "just outside, each with a sentence. An encoder is trained first (10\n"
    "epochs, which suffices for this use; --epochs 30 is what sbog train\n"
    "series does) or read by --model. Physical laws between channels are not\n"
    "enforced. outliers.npy then holds the points of the edited windows,\n"
    "decoded/ the windows, their edits and plots, metrics.json how it went.\n"
    "Options in the group Series are for series; of the others --out, --kind,\n"
    "--columns, --count, --resume, --epsilon, --trim, --quantile, --margin,\n"
    "--anchor-count, --sigma, --proposal-count and --max-rounds are for both.\n"
    "\n"
    "From labelled images an encoder is trained first (or read by --model),\n"
    "the outliers of its latents are sampled with the settings of images (up\n"
    "to 30 % of a class as anchors, noise 0.6652 / sqrt(latent), 256\n"
    "proposals) and decoded: decoded/ then holds images, their sources and a\n"
    "sheet of both, image_metrics.json how they came out.\n"
    "Options in the group Images are for images, and --model, --epochs,\n"
    "--decoder and --decoder-epochs as well.\n"
    "\n"
    "Examples:\n"
    "  sbog generate demo:bank --labels demo:labels --count 20 --out run1\n";

template <typename From, typename To>
void take(const std::optional<From>& from, To& to) {
  if (from) to = *from;
}

// The names, which help and completion list.
CLI::IsMember one_of(const std::vector<std::string_view>& names) {
  return CLI::IsMember(std::vector<std::string>(names.begin(), names.end()));
}

void declare_inputs(CLI::App& command, GenerateArguments& a) {
  command
      .add_option("INPUT", a.input,
                  "In-distribution points, one per row, a series, or images")
      ->required();
  command.add_option("--out", a.out, "Folder of the run")->required();
  command
      .add_option(
          "--kind", a.kind,
          "What INPUT holds: latent (points), series or image; without "
          "it a CSV file and demo:series are series, unless an option "
          "for points is given, and a folder and demo:shapes are images")
      ->check(CLI::IsMember({"latent", "series", "image"}));
  command.add_option("--labels", a.labels, "Class of each row");
  command.add_option("--anchors", a.anchors,
                     "Class anchors: a file (one row per class, by increasing "
                     "label), means or none; default means with --labels; for "
                     "images orthonormal (default), simplex or a file");
  command.add_option("--losses", a.losses,
                     "A model's loss at each row, for --task-beta");
  command.add_option("--metric", a.metric, "Matrix of the Mahalanobis costs");
  command.add_option("--columns", a.columns, "Columns of a CSV to use")
      ->delimiter(',');
  command.add_option("--precision", a.precision, "Storage: float or double")
      ->check(CLI::IsMember({"float", "double"}));
  command.add_option("--profile", a.profile, "Named set of defaults")
      ->check(one_of(profile_names()));
  command.add_option("--rule", a.rule, "How outliers are drawn")
      ->check(one_of(rule_names()));
  command.add_option("--count", a.count, "Outliers per class");
  command.add_option("--total", a.total,
                     "Outliers in all, spread evenly over the classes (0: "
                     "--count per class)");
  command.add_option("--part", a.part, "Outputs per resumable part");
  command.add_flag("--resume", a.is_resumed, "Go on with an unfinished run");
  command.add_flag("--no-report", a.skips_report,
                   "Write no report.html; sbog report makes it later");
}

void declare_reference(CLI::App& command, GenerateArguments& a) {
  command.add_option("--cost", a.cost, "Ground cost, as in sbog score")
      ->check(CLI::IsMember(job::cost_names()));
  command.add_option("--epsilon", a.epsilon, "Sinkhorn temperature, > 0");
  command.add_option("--self", a.self, "exclude or include a point's own atom")
      ->check(CLI::IsMember({"exclude", "include"}));
  command.add_option("--trim", a.trim, "Share left out of the reference");
  command.add_option("--local", a.local,
                     "Reference = K nearest neighbours of the anchor, 0 = all");
  command
      .add_option("--local-convention", a.local_convention,
                  "submeasure or normalised")
      ->check(CLI::IsMember({"submeasure", "normalised"}));
  command.add_option("--quantile", a.quantile, "Level of the threshold");
  command.add_option("--margin", a.margin, "Added to the threshold");
}

void declare_sampling(CLI::App& command, GenerateArguments& a) {
  command
      .add_option("--anchor-rule", a.anchor_rule,
                  "How bank points to start from are chosen")
      ->check(one_of(anchor_rule_names()));
  command.add_option("--anchor-count", a.anchor_count,
                     "Bank points to start from, 0 = --anchor-share");
  command.add_option("--anchor-share", a.anchor_share,
                     "Share of the class, within 8 and 256 points");
  command.add_option("--pool-factor", a.pool_factor,
                     "Pool of the spreading rules, times the anchors");
  command.add_option("--regions", a.regions, "Cells of --anchor-rule regions");
  command.add_option("--anchor-quota", a.anchor_quota,
                     "Take the anchors in turn");
  command.add_option("--certify", a.certify,
                     "Split the bank, so that the outliers can be certified: "
                     "one half proposes, the other supports");
  command.add_option("--ceiling", a.ceiling,
                     "Highest energy above the threshold");
  command.add_option("--sigma", a.sigma, "Noise per coordinate");
  command.add_option("--proposal-count", a.proposal_count,
                     "Proposals per round");
  command.add_option("--max-rounds", a.max_rounds, "Rounds per outlier");
  command
      .add_option("--projection", a.projection,
                  "Where proposals are brought back to")
      ->check(one_of(projection_names()));
  command.add_option("--box-low", a.box_low, "Lower bounds of the box")
      ->delimiter(',');
  command.add_option("--box-high", a.box_high, "Upper bounds of the box")
      ->delimiter(',');
  command
      .add_option("--proposals", a.proposals,
                  "How they are drawn: auto, ambient (every coordinate) or "
                  "subspace (only what the tests see; local references)")
      ->check(one_of(proposal_mode_names()));
  command.add_option("--semantic", a.semantic, "Test against class anchors");
  command.add_option("--semantic-floor", a.semantic_floor,
                     "Least cosine to the class anchor");
  command.add_option("--semantic-quantile", a.semantic_quantile,
                     "Level of the automatic floor");
  command.add_option("--semantic-slack", a.semantic_slack,
                     "Subtract this from the quantile instead of what the "
                     "noise takes");
  command.add_option("--seed-floor", a.seed_floor,
                     "Least cosine to the bank point started from");
  command.add_option("--seed-eligibility", a.seed_eligibility,
                     "Least cosine of an anchor to its class anchor");
  command.add_option("--allow-unsupported", a.allow_unsupported,
                     "Accept infinite energies");
  command
      .add_option("--pick", a.pick,
                  "Which of the feasible proposals becomes an outlier")
      ->check(one_of(pick_rule_names()));
  command.add_option("--band", a.band, "Width of the levels above threshold");
  command.add_option("--explore", a.explore,
                     "Share of uniform picks with --pick mixed");
  command.add_option("--langevin-steps", a.langevin_steps, "Steps to a level");
  command.add_option("--splitting", a.splitting,
                     "Multilevel splitting where all rounds fail");
  command.add_option("--collect-all", a.collect_all,
                     "Pool every feasible proposal and keep the highest, "
                     "instead of one pick per outlier");
  command.add_option("--task-beta", a.task_beta, "Weight of the losses");
  command.add_option("--task-lambda", a.task_lambda, "Their temperature");
}

void declare_rivals(CLI::App& command, GenerateArguments& a) {
  command.add_option("--knn", a.knn, "Neighbour of --rule knn");
  command.add_option("--vos-draws", a.vos_draws, "Draws per outlier of vos");
  command.add_option("--bood-step", a.bood_step, "Step of bood");
  command.add_option("--bood-share", a.bood_share, "Boundary share of bood");
  command.add_option("--bood-max-steps", a.bood_max_steps, "Steps to flip");
  command.add_option("--bood-extra-steps", a.bood_extra_steps, "Steps beyond");
  command.add_option("--bood-temperature", a.bood_temperature,
                     "Temperature of the cosine classifier");
}

}  // namespace

void declare_generate_options(CLI::App& command, GenerateArguments& a) {
  command.footer(std::string(kFooter) + second_generate_example());
  declare_inputs(command, a);
  declare_reference(command, a);
  declare_sampling(command, a);
  declare_rivals(command, a);
}

SamplerOptions to_sampler_options(const GenerateArguments& a,
                                  std::uint64_t seed) {
  return to_sampler_options(profile_options(a.profile), a, seed);
}

SamplerOptions to_sampler_options(SamplerOptions o, const GenerateArguments& a,
                                  std::uint64_t seed) {
  o.rule = parse_rule(a.rule);
  o.seed = seed;
  o.count = a.count;
  if (a.cost) o.energy.cost = parse_ground_cost(*a.cost);
  take(a.epsilon, o.energy.epsilon);
  if (a.self) o.includes_self = *a.self == "include";
  take(a.trim, o.trim);
  take(a.local, o.local);
  if (a.local_convention) {
    o.local_convention = *a.local_convention == "normalised"
                             ? LocalConvention::kNormalised
                             : LocalConvention::kSubmeasure;
  }
  take(a.quantile, o.quantile);
  take(a.margin, o.margin);
  take(a.ceiling, o.ceiling);
  if (a.anchor_rule) o.anchor_rule = parse_anchor_rule(*a.anchor_rule);
  take(a.anchor_count, o.anchors);
  take(a.anchor_share, o.anchor_share);
  take(a.pool_factor, o.pool_factor);
  take(a.regions, o.regions);
  take(a.anchor_quota, o.has_anchor_quota);
  take(a.sigma, o.sigma);
  take(a.proposal_count, o.proposals);
  take(a.max_rounds, o.max_rounds);
  if (a.projection) o.projection = parse_projection(*a.projection);
  if (!a.box_low.empty()) o.box_low = a.box_low;
  if (!a.box_high.empty()) o.box_high = a.box_high;
  if (a.proposals) o.proposal_mode = parse_proposal_mode(*a.proposals);
  take(a.semantic, o.has_semantic_test);
  take(a.semantic_floor, o.semantic_floor);
  take(a.semantic_quantile, o.semantic_quantile);
  take(a.semantic_slack, o.semantic_slack);
  take(a.seed_floor, o.seed_floor);
  take(a.seed_eligibility, o.seed_eligibility);
  take(a.allow_unsupported, o.allows_unsupported);
  if (a.pick) o.pick = parse_pick_rule(*a.pick);
  take(a.band, o.band);
  take(a.explore, o.explore);
  take(a.langevin_steps, o.langevin_steps);
  take(a.splitting, o.has_splitting);
  take(a.collect_all, o.collects_all);
  take(a.certify, o.splits_bank);
  // Nothing may follow the reference, unless it is asked for and refused.
  if (o.splits_bank) {
    if (!a.local) o.local = 0;
    if (!a.trim) o.trim = 0.0;
    if (!a.margin) o.margin = 0.0;
    if (!a.splitting) o.has_splitting = false;
  }
  take(a.task_beta, o.task_beta);
  take(a.task_lambda, o.task_lambda);
  take(a.knn, o.knn);
  take(a.vos_draws, o.vos_draws);
  take(a.bood_step, o.bood_step);
  take(a.bood_share, o.bood_share);
  take(a.bood_max_steps, o.bood_max_steps);
  take(a.bood_extra_steps, o.bood_extra_steps);
  take(a.bood_temperature, o.bood_temperature);
  return o;
}

std::string to_toml(const GenerateArguments& a, const SamplerOptions& o) {
  Toml toml;
  toml.add("seed", static_cast<std::size_t>(o.seed));
  toml.section("generate");
  toml.add("kind", a.kind.empty() ? "latent" : a.kind);
  if (!a.labels.empty()) toml.add("labels", a.labels);
  if (!a.anchors.empty()) toml.add("anchors", a.anchors);
  if (!a.losses.empty()) toml.add("losses", a.losses);
  if (!a.metric.empty()) toml.add("metric", a.metric);
  toml.add("columns", a.columns);
  toml.add("precision", a.precision);
  toml.add("profile", a.profile);
  toml.add("rule", to_string(o.rule));
  toml.add("count", a.count);
  toml.add("total", a.total);
  toml.add("part", a.part);
  toml.add("cost", to_string(o.energy.cost));
  toml.add("epsilon", o.energy.epsilon);
  toml.add("self", o.includes_self ? "include" : "exclude");
  toml.add("trim", o.trim);
  toml.add("local", o.local);
  toml.add("local-convention",
           o.local_convention == LocalConvention::kNormalised ? "normalised"
                                                              : "submeasure");
  toml.add("quantile", o.quantile);
  toml.add("margin", o.margin);
  if (o.ceiling) toml.add("ceiling", *o.ceiling);
  toml.add("anchor-rule", to_string(o.anchor_rule));
  toml.add("anchor-count", o.anchors);
  toml.add("anchor-share", o.anchor_share);
  toml.add("pool-factor", o.pool_factor);
  toml.add("regions", o.regions);
  toml.add("anchor-quota", o.has_anchor_quota);
  toml.add("sigma", o.sigma);
  toml.add("proposal-count", o.proposals);
  toml.add("max-rounds", o.max_rounds);
  toml.add("projection", to_string(o.projection));
  toml.add("box-low", o.box_low);
  toml.add("box-high", o.box_high);
  toml.add("proposals", to_string(o.proposal_mode));
  toml.add("semantic", o.has_semantic_test);
  if (o.semantic_floor) toml.add("semantic-floor", *o.semantic_floor);
  toml.add("semantic-quantile", o.semantic_quantile);
  if (o.semantic_slack) toml.add("semantic-slack", *o.semantic_slack);
  toml.add("seed-floor", o.seed_floor);
  toml.add("seed-eligibility", o.seed_eligibility);
  toml.add("allow-unsupported", o.allows_unsupported);
  toml.add("pick", to_string(o.pick));
  toml.add("band", o.band);
  toml.add("explore", o.explore);
  toml.add("langevin-steps", o.langevin_steps);
  toml.add("splitting", o.has_splitting);
  toml.add("collect-all", o.collects_all);
  toml.add("certify", o.splits_bank);
  toml.add("task-beta", o.task_beta);
  toml.add("task-lambda", o.task_lambda);
  toml.add("knn", o.knn);
  toml.add("vos-draws", o.vos_draws);
  toml.add("bood-step", o.bood_step);
  toml.add("bood-share", o.bood_share);
  toml.add("bood-max-steps", o.bood_max_steps);
  toml.add("bood-extra-steps", o.bood_extra_steps);
  toml.add("bood-temperature", o.bood_temperature);
  return toml.text();
}

}  // namespace sbog::cli
