// SPDX-License-Identifier: Apache-2.0
// Names, profiles, ranges and what a rule fixes.
#include "sbog/sample/sampler_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sample/support.h"
#include "sbog/sample/sampler_option_table.h"

namespace sbog {
namespace sampler_options_test {

using testing_support::invalid_argument_of;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(SamplerOptions, names_go_there_and_back) {
  for (int i = 0; i <= static_cast<int>(Rule::kBood); ++i) {
    EXPECT_EQ(parse_rule(to_string(Rule(i))), Rule(i));
  }
  for (int i = 0; i <= static_cast<int>(AnchorRule::kDpp); ++i) {
    EXPECT_EQ(parse_anchor_rule(to_string(AnchorRule(i))), AnchorRule(i));
  }
  for (int i = 0; i <= static_cast<int>(PickRule::kMixed); ++i) {
    EXPECT_EQ(parse_pick_rule(to_string(PickRule(i))), PickRule(i));
  }
  for (int i = 0; i <= static_cast<int>(Projection::kBox); ++i) {
    EXPECT_EQ(parse_projection(to_string(Projection(i))), Projection(i));
  }
  for (int i = 0; i <= static_cast<int>(ProposalMode::kSubspace); ++i) {
    EXPECT_EQ(parse_proposal_mode(to_string(ProposalMode(i))), ProposalMode(i));
  }
}

TEST(SamplerOptions, lists_of_names_are_complete) {
  const auto expect_all = [](const auto& names, const auto& parse, int last) {
    ASSERT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
    std::set<int> values;
    for (const std::string_view name : names) {
      values.insert(static_cast<int>(parse(name)));
    }
    EXPECT_EQ(values.size(), names.size());
  };
  expect_all(rule_names(), parse_rule, static_cast<int>(Rule::kBood));
  expect_all(anchor_rule_names(), parse_anchor_rule,
             static_cast<int>(AnchorRule::kDpp));
  expect_all(pick_rule_names(), parse_pick_rule,
             static_cast<int>(PickRule::kMixed));
  expect_all(projection_names(), parse_projection,
             static_cast<int>(Projection::kBox));
  expect_all(proposal_mode_names(), parse_proposal_mode,
             static_cast<int>(ProposalMode::kSubspace));
  expect_all(proposal_law_names(), parse_proposal_law,
             static_cast<int>(ProposalLaw::kShaped));
}

TEST(SamplerOptions, an_unknown_name_lists_the_known_ones) {
  const std::string rule = invalid_argument_of([] { parse_rule("sbgo"); });
  EXPECT_NE(rule.find("'sbgo'"), std::string::npos);
  EXPECT_NE(rule.find("kde-matched"), std::string::npos);
  const std::string profile =
      invalid_argument_of([] { profile_options("paper"); });
  for (const auto name : profile_names()) {
    EXPECT_NE(profile.find(name), std::string::npos) << name;
  }
  EXPECT_NE(invalid_argument_of([] { parse_pick_rule(""); }).find("langevin"),
            std::string::npos);
}

TEST(SamplerOptions, runs_on_a_series_have_a_profile_of_their_own) {
  const SamplerOptions o = profile_options("scenario");
  EXPECT_EQ(o.energy.epsilon, 0.02);
  EXPECT_EQ(o.quantile, 0.95);
  EXPECT_EQ(o.trim, 0.08);
  EXPECT_EQ(o.local, 0u);
  const auto names = profile_names();
  EXPECT_EQ(std::find(names.begin(), names.end(), "scenario"), names.end());
}

TEST(SamplerOptions, the_series_profile_is_the_table_of_the_paper) {
  const SamplerOptions o = profile_options("paper-series");
  EXPECT_EQ(o.energy.cost, GroundCost::kCosine);
  EXPECT_EQ(o.energy.epsilon, 0.02);
  EXPECT_EQ(o.quantile, 0.95);
  EXPECT_EQ(o.margin, 0.04);
  EXPECT_EQ(o.sigma, 0.02);
  EXPECT_EQ(o.proposal_count, 128u);
  EXPECT_EQ(o.anchor_count, 0u);
  EXPECT_EQ(o.anchor_share, 0.02);
  EXPECT_EQ(o.trim, 0.08);
  EXPECT_EQ(o.local, 0u);
  EXPECT_EQ(o.max_rounds, 64u);
  EXPECT_EQ(o.anchor_rule, AnchorRule::kTop);
  EXPECT_EQ(o.pick, PickRule::kArgmax);
  EXPECT_FALSE(o.semantic);
  EXPECT_FALSE(o.splitting);
}

TEST(SamplerOptions, the_image_profile_is_the_table_of_the_paper) {
  const SamplerOptions o = profile_options("paper-image");
  EXPECT_EQ(o.energy.epsilon, 0.05);
  EXPECT_EQ(o.quantile, 0.95);
  EXPECT_EQ(o.margin, 0.0);
  EXPECT_EQ(o.sigma, 0.012);
  EXPECT_EQ(o.proposal_count, 256u);
  EXPECT_EQ(o.anchor_share, 0.05);
  EXPECT_EQ(o.trim, 0.0);
  EXPECT_EQ(o.local, 128u);
  EXPECT_EQ(o.max_rounds, 10u);
  EXPECT_EQ(o.seed_floor, 0.7);
  EXPECT_TRUE(o.semantic);
}

TEST(SamplerOptions, our_profiles_spread_anchors_and_differ_in_the_pick) {
  EXPECT_EQ(profile_options("coverage").anchor_rule,
            AnchorRule::kFarthestPoint);
  EXPECT_EQ(profile_options("coverage").pick, PickRule::kArgmax);
  EXPECT_EQ(profile_options("max-coverage").anchor_rule,
            AnchorRule::kFarthestPoint);
  EXPECT_EQ(profile_options("max-coverage").pick, PickRule::kUniform);
}

TEST(SamplerOptions, balanced_mixes_picks_over_all_regions) {
  const SamplerOptions o = profile_options("balanced");
  EXPECT_FALSE(o.auto_epsilon);
  EXPECT_EQ(o.energy.epsilon, 0.05);
  EXPECT_EQ(o.trim, 0.08);
  EXPECT_EQ(o.quantile, 0.75);
  EXPECT_EQ(o.proposal_law, ProposalLaw::kIsotropic);
  EXPECT_FALSE(o.radius.has_value());
  EXPECT_EQ(o.sigma, 0.035);
  EXPECT_EQ(o.proposal_count, 2048u);
  EXPECT_TRUE(o.splitting);
  EXPECT_EQ(o.anchor_rule, AnchorRule::kRegions);
  EXPECT_TRUE(o.anchor_quota);
  EXPECT_EQ(o.pick, PickRule::kMixed);
  EXPECT_EQ(o.explore, 0.6);
}

TEST(SamplerOptions, without_a_word_they_are_the_default_profile) {
  const SamplerOptions o;
  EXPECT_EQ(o.energy.cost, GroundCost::kCosine);
  EXPECT_TRUE(o.auto_epsilon);
  EXPECT_EQ(o.trim, 0.0);
  EXPECT_EQ(o.quantile, 0.95);
  EXPECT_EQ(o.proposal_law, ProposalLaw::kShaped);
  EXPECT_EQ(o.radius, (RadiusRange{true, 0.0, 0.0}));
  EXPECT_TRUE(o.semantic);
  EXPECT_FALSE(o.splitting);
  EXPECT_EQ(profile_names().front(), kDefaultProfile);
  EXPECT_EQ(o.anchor_rule, AnchorRule::kRegions);
  EXPECT_EQ(o.anchor_count, 400u);
  EXPECT_EQ(o.pool_factor, 5.0);
  EXPECT_EQ(o.regions, 40u);
  EXPECT_TRUE(o.anchor_quota);
  EXPECT_EQ(o.proposal_count, 48u);
  EXPECT_EQ(o.semantic_quantile, 0.01);
  EXPECT_EQ(o.pick, PickRule::kUniform);
  const SamplerOptions named = profile_options(kDefaultProfile);
  const auto mine = sampler_option_table().values(o);
  const auto theirs = sampler_option_table().values(named);
  ASSERT_GT(mine.size(), 30u);
  ASSERT_EQ(mine.size(), theirs.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    EXPECT_EQ(mine[i].values, theirs[i].values) << mine[i].info.name;
  }
}

TEST(SamplerOptions, exposure_steps_far_and_asks_for_no_class) {
  const SamplerOptions o = profile_options("exposure");
  EXPECT_EQ(o.proposal_law, ProposalLaw::kShaped);
  EXPECT_EQ(o.radius, (RadiusRange{false, 1.5, 4.0}));
  EXPECT_EQ(o.quantile, 0.95);
  EXPECT_FALSE(o.semantic);
  EXPECT_EQ(o.pick, PickRule::kUniform);
}

TEST(SamplerOptions, a_radius_is_a_number_a_range_or_auto) {
  EXPECT_EQ(parse_radius("auto"), (RadiusRange{true, 0.0, 0.0}));
  EXPECT_EQ(parse_radius("2"), (RadiusRange{false, 2.0, 2.0}));
  EXPECT_EQ(parse_radius("1.5:4"), (RadiusRange{false, 1.5, 4.0}));
  for (const char* text : {"auto", "2", "1.5:4", "0.1:1000"}) {
    EXPECT_EQ(to_string(parse_radius(text)), text);
  }
  for (const char* text : {"", ":", "1:", ":2", "1:2:3", "far", "nan", "1-2"}) {
    EXPECT_NE(
        invalid_argument_of([&] { parse_radius(text); }).find("radius: auto"),
        std::string::npos)
        << text;
  }
  EXPECT_NE(invalid_argument_of([] { parse_radius("0"); }).find("above 0"),
            std::string::npos);
  EXPECT_NE(invalid_argument_of([] { parse_radius("-1:2"); }).find("above 0"),
            std::string::npos);
  EXPECT_NE(
      invalid_argument_of([] { parse_radius("4:1.5"); }).find("smaller end"),
      std::string::npos);
  EXPECT_NE(invalid_argument_of([] { parse_radius("2000"); }).find("1000"),
            std::string::npos);
}

TEST(SamplerOptions, every_profile_is_in_range) {
  for (const auto name : profile_names()) {
    EXPECT_NO_THROW(check_sampler_options(profile_options(name), 4)) << name;
  }
}

TEST(SamplerOptions, a_value_out_of_range_is_named) {
  struct Case {
    const char* begins;
    std::function<void(SamplerOptions&)> spoil;
  };
  const std::vector<Case> cases = {
      {"epsilon", [](auto& o) { o.energy.epsilon = 0.0; }},
      {"sigma", [](auto& o) { o.sigma = 0.0; }},
      {"explore", [](auto& o) { o.explore = 1.1; }},
      {"sigma", [](auto& o) { o.sigma = kNan; }},
      {"proposal-count", [](auto& o) { o.proposal_count = 0; }},
      {"proposal-count", [](auto& o) { o.proposal_count = (1u << 20) + 1; }},
      {"max-rounds", [](auto& o) { o.max_rounds = 0; }},
      {"max-rounds", [](auto& o) { o.max_rounds = 65536; }},
      {"count", [](auto& o) { o.count = std::size_t{1} << 32; }},
      {"trim", [](auto& o) { o.trim = 1.0; }},
      {"trim", [](auto& o) { o.trim = -0.1; }},
      {"quantile", [](auto& o) { o.quantile = 1.0; }},
      {"margin", [](auto& o) { o.margin = kInf; }},
      {"anchor-share", [](auto& o) { o.anchor_share = 0.0; }},
      {"pool-factor", [](auto& o) { o.pool_factor = 0.5; }},
      {"regions", [](auto& o) { o.regions = 0; }},
      {"band", [](auto& o) { o.band = -1.0; }},
      {"semantic-quantile", [](auto& o) { o.semantic_quantile = 2.0; }},
      {"semantic-floor", [](auto& o) { o.semantic_floor = 1.5; }},
      {"semantic-slack", [](auto& o) { o.semantic_slack = kNan; }},
      {"ceiling", [](auto& o) { o.ceiling = -0.1; }},
      {"semantic-floor", [](auto& o) { o.semantic_floor = kNan; }},
      {"seed-floor", [](auto& o) { o.seed_floor = 1.5; }},
      {"seed-floor", [](auto& o) { o.seed_floor = kNan; }},
      {"seed-eligibility", [](auto& o) { o.seed_eligibility = kNan; }},
      {"task", [](auto& o) { o.task_lambda = 0.0; }},
      {"task", [](auto& o) { o.task_lambda = kInf; }},
      {"task", [](auto& o) { o.task_beta = kNan; }},
      {"knn", [](auto& o) { o.knn = 0; }},
      {"projection", [](auto& o) { o.projection = Projection::kIdentity; }},
      {"box",
       [](auto& o) {
         o.energy.cost = GroundCost::kEuclidean;
         o.projection = Projection::kBox;
         o.box_low = {0.0};
         o.box_high = {1.0};
       }},
      {"box",
       [](auto& o) {
         o.energy.cost = GroundCost::kEuclidean;
         o.projection = Projection::kBox;
         o.box_low = {0.0, 2.0};
         o.box_high = {1.0, 1.0};
       }},
      {"vos-draws",
       [](auto& o) {
         o.rule = Rule::kVos;
         o.vos_draws = 0;
       }},
      {"bood-step",
       [](auto& o) {
         o.rule = Rule::kBood;
         o.bood_step = 0.0;
       }},
      {"bood-temperature",
       [](auto& o) {
         o.rule = Rule::kBood;
         o.bood_temperature = kNan;
       }},
      {"bood-share",
       [](auto& o) {
         o.rule = Rule::kBood;
         o.bood_share = 1.5;
       }},
      {"bood",
       [](auto& o) {
         o.rule = Rule::kBood;
         o.energy.cost = GroundCost::kEuclidean;
         o.projection = Projection::kIdentity;
       }},
  };
  for (const Case& item : cases) {
    SamplerOptions options = profile_options("coverage");
    item.spoil(options);
    const std::string message =
        invalid_argument_of([&] { check_sampler_options(options, 2); });
    EXPECT_EQ(message.rfind(item.begins, 0), 0u)
        << item.begins << " / " << message;
  }
}

TEST(SamplerOptions, a_box_of_one_point_per_coordinate_is_fine) {
  SamplerOptions options = profile_options("coverage");
  options.energy.cost = GroundCost::kEuclidean;
  options.projection = Projection::kBox;
  options.box_low = {0.0, 2.0};
  options.box_high = {1.0, 2.0};
  EXPECT_NO_THROW(check_sampler_options(options, 2));
}

TEST(SamplerOptions, random_has_one_proposal_and_no_tests) {
  SamplerOptions options = profile_options("paper-image");
  options.rule = Rule::kRandom;
  options = apply_rule(options);
  EXPECT_EQ(options.proposal_count, 1u);
  EXPECT_EQ(options.max_rounds, 1u);
  EXPECT_FALSE(options.semantic);
  EXPECT_EQ(options.seed_floor, -1.0);
  EXPECT_FALSE(options.splitting);
}

TEST(SamplerOptions, the_ablations_change_one_thing) {
  SamplerOptions options = profile_options("coverage");
  options.rule = Rule::kNoArgmax;
  EXPECT_EQ(apply_rule(options).pick, PickRule::kUniform);
  options.rule = Rule::kNoThreshold;
  EXPECT_FALSE(apply_rule(options).splitting);
  options.rule = Rule::kNoTop;
  EXPECT_EQ(apply_rule(options).proposal_count, options.proposal_count);
  EXPECT_EQ(apply_rule(options).pick, options.pick);
}

TEST(SamplerOptions, severities_are_a_list_of_different_numbers) {
  EXPECT_EQ(parse_severities("2"), (std::vector<int>{2}));
  EXPECT_EQ(parse_severities("3,1,2"), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(severities_text({1, 2, 8}), "1,2,8");
  for (const char* text :
       {"", "0", "9", "2,2", "x", "1,", ",1", "1;2", "12", "1, 2", "-1"}) {
    EXPECT_THAT(invalid_argument_of([&] { parse_severities(text); }),
                testing::HasSubstr("numbers from 1 to 8 with commas between"))
        << text;
  }
}

TEST(SamplerOptions, severities_refuse_what_has_no_bands) {
  const auto message = [](const std::function<void(SamplerOptions&)>& change) {
    SamplerOptions options;
    options.severities = {1, 2};
    change(options);
    return invalid_argument_of([&] { check_sampler_options(options, 4); });
  };
  using O = SamplerOptions;
  SamplerOptions fine;
  fine.severities = {1, 2};
  EXPECT_NO_THROW(check_sampler_options(fine, 4));
  for (const Rule rule :
       {Rule::kVos, Rule::kBood, Rule::kRandom, Rule::kNoThreshold}) {
    EXPECT_THAT(message([&](O& o) { o.rule = rule; }),
                testing::HasSubstr("severity: a rule that tests scores"));
  }
  EXPECT_THAT(message([](O& o) { o.ceiling = 0.1; }),
              testing::HasSubstr("neither --ceiling nor --margin"));
  EXPECT_THAT(message([](O& o) { o.margin = 0.1; }),
              testing::HasSubstr("neither --ceiling nor --margin"));
  EXPECT_THAT(message([](O& o) { o.local = 5; }),
              testing::HasSubstr("--local"));
  EXPECT_THAT(message([](O& o) {
                o.severities = {2, 2};
              }),
              testing::HasSubstr("increasing numbers"));
  EXPECT_THAT(message([](O& o) { o.severities = {9}; }),
              testing::HasSubstr("from 1 to 8"));
}

}  // namespace sampler_options_test
}  // namespace sbog
