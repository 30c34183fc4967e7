// SPDX-License-Identifier: Apache-2.0
// Options of `generate`: kinds, profiles, certificates, configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sbog/base/errors.h"
#include "sbog/job/generate.h"
#include "sbog/run/config_file.h"

namespace sbog::job {
namespace generate_options_test {

using Words = std::vector<std::pair<std::string, std::string>>;

GenerateOptions given(const Words& words) {
  std::vector<Assignment> assignments;
  for (const auto& [name, value] : words) {
    assignments.push_back({name, {value}, "--" + dashed(name)});
  }
  GenerateOptions options;
  generate_option_table().apply(assignments, options);
  return options;
}

std::string refusal(const Words& words) {
  try {
    given(words);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(GenerateOptions, the_kind_follows_from_the_input) {
  EXPECT_EQ(given({{"input", "bank.npy"}}).kind, Kind::kPoints);
  EXPECT_EQ(given({{"input", "plant.csv"}}).kind, Kind::kSeries);
  EXPECT_EQ(given({{"input", "demo:plant"}}).kind, Kind::kSeries);
  EXPECT_EQ(given({{"input", "demo:shapes"}}).kind, Kind::kImages);
}

TEST(GenerateOptions, an_option_for_points_makes_a_csv_file_points) {
  EXPECT_EQ(given({{"input", "plant.csv"}, {"labels", "y.npy"}}).kind,
            Kind::kPoints);
  EXPECT_EQ(given({{"input", "plant.csv"}, {"epsilon", "0.1"}}).kind,
            Kind::kSeries);
}

TEST(GenerateOptions, an_option_of_another_kind_is_refused) {
  EXPECT_EQ(refusal({{"input", "bank.npy"}, {"width", "64"}}),
            "--width: this option is not for --kind latent");
  EXPECT_EQ(
      refusal({{"input", "x.csv"}, {"kind", "series"}, {"pick", "level"}}),
      "--pick: this option is not for --kind series");
}

TEST(GenerateOptions, a_profile_gives_defaults_that_options_override) {
  const GenerateOptions plain = given({{"input", "bank.npy"}});
  EXPECT_EQ(plain.profile, kDefaultProfile);
  EXPECT_EQ(plain.sampler.sigma, profile_options(kDefaultProfile).sigma);
  const GenerateOptions paper =
      given({{"sigma", "0.5"}, {"profile", "paper-image"}, {"input", "b.npy"}});
  const SamplerOptions expected = profile_options("paper-image");
  EXPECT_EQ(paper.sampler.sigma, 0.5);
  EXPECT_EQ(paper.sampler.local, expected.local);
  EXPECT_EQ(paper.sampler.quantile, expected.quantile);
}

TEST(GenerateOptions, a_certificate_needs_a_reference_that_nothing_follows) {
  const GenerateOptions options =
      given({{"input", "b.npy"}, {"certify", "true"}, {"margin", "0.1"}});
  EXPECT_TRUE(options.sampler.certify);
  EXPECT_EQ(options.sampler.trim, 0.0);
  EXPECT_EQ(options.sampler.local, 0u);
  EXPECT_EQ(options.sampler.margin, 0.1);
}

TEST(GenerateOptions, severities_of_images_have_the_whole_reference) {
  const GenerateOptions plain = given({{"input", "demo:shapes"}});
  EXPECT_GT(plain.sampler.local, 0u);
  EXPECT_TRUE(plain.sampler.splitting);
  const GenerateOptions graded =
      given({{"input", "demo:shapes"}, {"severity", "2,1"}});
  EXPECT_THAT(graded.sampler.severities, testing::ElementsAre(1, 2));
  EXPECT_EQ(graded.sampler.local, 0u);
  EXPECT_FALSE(graded.sampler.splitting);
  // What is given stays, for the sampler to refuse.
  EXPECT_EQ(given({{"input", "demo:shapes"}, {"severity", "1"}, {"local", "9"}})
                .sampler.local,
            9u);
  // Of points the profile stays as it is.
  EXPECT_TRUE(
      given({{"input", "b.npy"}, {"profile", "balanced"}, {"severity", "1"}})
          .sampler.splitting);
}

TEST(GenerateOptions, images_may_be_kept_by_where_they_lie) {
  const GenerateOptions options = given(
      {{"input", "demo:shapes"}, {"outside_only", "true"}, {"redraws", "3"}});
  EXPECT_TRUE(options.series.outside_only);
  EXPECT_EQ(options.series.redraws, 3u);
  EXPECT_THROW(given({{"input", "b.npy"}, {"outside_only", "true"}}),
               InvalidArgument);
}

TEST(GenerateOptions, the_configuration_reads_back_to_the_same_one) {
  for (const Words& words :
       {Words{{"input", "b.npy"},
              {"labels", "y.npy"},
              {"epsilon", "0.3"},
              {"profile", "max-coverage"},
              {"count", "7"}},
        Words{{"input", "b.npy"}, {"certify", "true"}},
        Words{{"input", "p.csv"}, {"width", "64"}, {"count", "5"}},
        Words{{"input", "demo:shapes"}, {"latent", "32"}},
        Words{{"input", "demo:shapes"},
              {"severity", "1,2"},
              {"outside_only", "true"}}}) {
    const GenerateOptions first = given(words);
    const std::string text = generate_config(first);
    GenerateOptions second;
    std::vector<Assignment> assignments =
        parse_config(text, "config.toml", "generate");
    assignments.push_back({"input", {first.input}, "input"});
    generate_option_table().apply(assignments, second);
    EXPECT_EQ(generate_config(second), text);
  }
}

TEST(GenerateOptions, names_are_unique_and_helped_by_a_sentence) {
  std::set<std::string> seen;
  for (const OptionInfo& info : generate_option_infos()) {
    EXPECT_TRUE(seen.insert(info.name).second) << info.name;
    for (const std::string& other : info.other_names) {
      EXPECT_TRUE(seen.insert(other).second) << other;
    }
    EXPECT_GT(info.help.size(), 10u) << info.name;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(info.help[0])))
        << info.name;
    EXPECT_FALSE(info.stage.empty()) << info.name;
  }
}

TEST(GenerateOptions, help_of_a_dozen_options_fits_a_screen) {
  std::size_t basic = 0;
  for (const OptionInfo& info : generate_option_infos()) {
    if (info.level == OptionLevel::kBasic) ++basic;
  }
  EXPECT_GE(basic, 8u);
  EXPECT_LE(basic, 16u);
}

TEST(GenerateOptions, defaults_are_shown_by_profile) {
  for (const OptionInfo& info : generate_option_infos()) {
    if (info.name == "quantile") {
      EXPECT_EQ(info.default_text,
                "0.95; balanced 0.75; coverage 0.8; max-coverage 0.8; images "
                "0.75");
    }
    if (info.name == "radius") {
      EXPECT_THAT(info.default_text, testing::HasSubstr("auto"));
      EXPECT_THAT(info.default_text, testing::HasSubstr("exposure 1.5:4"));
    }
  }
}

}  // namespace generate_options_test
}  // namespace sbog::job
