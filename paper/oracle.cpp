// SPDX-License-Identifier: Apache-2.0
// The controlled experiment: rivals, Algorithm 1, its variants and the profiles
// of the tool, judged by a boundary that is known exactly.
#include <string>
#include <string_view>
#include <vector>

#include "paper/oracle_cells.h"
#include "paper/registry.h"

namespace sbog::paper {
namespace oracle_table {
namespace {

Generator rival(const char* name, Rule rule) {
  return {name, [rule](SamplerOptions& options) { options.rule = rule; }};
}

// Anchors, their number, the quantile of the threshold and the pick.
Generator variant(const char* name, AnchorRule anchor_rule, std::size_t anchors,
                  double quantile, PickRule pick) {
  return {name, [=](SamplerOptions& options) {
            options.anchor_rule = anchor_rule;
            options.anchor_count = anchors;
            options.quantile = quantile;
            options.pick = pick;
          }};
}

// A profile of the tool, as `sbog generate --profile` takes it.
Generator profile(std::string_view name) {
  return {"profile " + std::string(name),
          [name](SamplerOptions& options) { options = profile_options(name); }};
}

const std::vector<Generator>& generators() {
  constexpr auto kTop = AnchorRule::kTop;
  constexpr auto kSpread = AnchorRule::kFarthestPoint;
  constexpr auto kRegions = AnchorRule::kRegions;
  static const std::vector<Generator> kGenerators = {
      rival("Random", Rule::kRandom),
      rival("k-NN", Rule::kKnn),
      rival("KDE, Scott", Rule::kKdeScott),
      rival("KDE, h = sqrt(eps)", Rule::kKdeMatched),
      rival("VOS", Rule::kVos),
      rival("BOOD", Rule::kBood),
      rival("SBOG, Algorithm 1", Rule::kSbog),
      variant("A 40, q .8, uniform", kTop, 40, 0.8, PickRule::kUniform),
      {"A 40 spread, q .95, band .03, uniform",
       [](SamplerOptions& options) {
         options.anchor_rule = AnchorRule::kFarthestPoint;
         options.ceiling = 0.03;
         options.pick = PickRule::kUniform;
       }},
      variant("A 256, q .8, argmax", kTop, 256, 0.8, PickRule::kArgmax),
      variant("A 256, q .8, uniform", kTop, 256, 0.8, PickRule::kUniform),
      variant("A 256 spread, q .8, argmax", kSpread, 256, 0.8,
              PickRule::kArgmax),
      variant("A 256 spread, q .8, uniform", kSpread, 256, 0.8,
              PickRule::kUniform),
      variant("16 regions, q .8, level", kRegions, 256, 0.8, PickRule::kLevel),
      variant("16 regions, q .8, Langevin", kRegions, 256, 0.8,
              PickRule::kLangevin),
      profile("coverage"),
      profile("max-coverage"),
      profile("balanced"),
      profile("boundary"),
      profile("exposure"),
  };
  return kGenerators;
}

}  // namespace
}  // namespace oracle_table

Experiment oracle_experiment() {
  using namespace oracle_table;
  const std::string title =
      "Controlled experiment: generators judged by an exact boundary";
  return {"oracle",
          title,
          seeds_by_size(1, 8),
          [](const Settings& settings) {
            return oracle_cells(settings, generators());
          },
          [](const Json& configuration, const Context& context) {
            return compute_oracle(configuration, generators(), context);
          },
          [title](const std::vector<FinishedCell>& cells) {
            // What the paper prints: its SBOG and its KDE, of which it does not
            // give the bandwidth.
            return present_oracle(
                cells, title,
                {{"SBOG, Algorithm 1", 0.63}, {"KDE, Scott", 0.31}});
          }};
}

}  // namespace sbog::paper
