// SPDX-License-Identifier: Apache-2.0
// Scenarios as JSON: back to the same bits, and parts that are not taken.
#include "sbog/job/scenario_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::testing_support {
namespace scenario_json_test {

// A scenario in which every field differs from its default.
series::Scenario made_up() {
  series::Scenario s;
  s.index = 7;
  s.status = series::ScenarioStatus::kReached;
  s.reason = series::all_miss_reasons()[1];
  s.misses = {series::all_miss_reasons()[2], series::all_miss_reasons()[1]};
  s.tries = 3;
  s.anchor_window = 11;
  s.anchor_start = 22;
  s.source = Matrix<double>(2, 3);
  s.window = Matrix<double>(2, 3);
  for (std::size_t i = 0; i < 6; ++i) {
    s.source.data()[i] = 0.1 * static_cast<double>(i);
    s.window.data()[i] = 1.0 / (3.0 + static_cast<double>(i));
  }
  series::RealisedEdit edit;
  edit.edit.kind = series::EditKind::kOscillation;
  edit.edit.channel = 2;
  edit.edit.amount = 0.7;
  edit.edit.period = 5.5;
  edit.effect.first = 1;
  edit.effect.last = 1;
  edit.effect.size = -0.3;
  edit.deviation = 2.0;
  edit.share = 0.9;
  edit.effect.settled = 1;
  series::EditRarity rarity;
  rarity.first = 1;
  rarity.length = 1;
  rarity.statistic = 0.8;
  rarity.rarity.p = 0.004;
  rarity.rarity.is_estimate = true;
  rarity.rarity.period = {812.5, 400.0, 2000.25, false};
  edit.rarity = rarity;
  s.edits = {edit};
  s.asked = 2;
  s.grade = series::WindowGrade{2, 2, 0, 0.004, false, {}};
  s.grade->period = {812.5, 400.0, std::numeric_limits<double>::infinity(),
                     true};
  s.unreached = {{series::EditKind::kNoise, 1}};
  series::DrawnChange change;
  change.channel = 1;
  change.size = 0.4;
  change.deviation = 0.5;
  s.changes = {change};
  s.sentence = "From row 23 on.";
  s.alternatives = {"Or so."};
  s.source_point = {1.0, 0.0};
  s.target = {0.6, 0.8};
  s.point = {0.5, 0.866};
  s.reached = 0.12;
  s.energy_source = 0.01;
  s.energy_target = 0.05;
  s.energy = 0.04;
  s.linear_residual = 0.2;
  s.clipped_share = 0.01;
  s.visibility = 3.0;
  s.slew_ratio = 1.5;
  s.second = series::SecondOpinion{0.2, 0.9};
  return s;
}

TEST(ScenarioJson, everything_comes_back_to_the_same_bits) {
  const nlohmann::json json = job::to_json(made_up());
  const series::Scenario back =
      job::scenario_of(nlohmann::json::parse(json.dump()));
  EXPECT_EQ(job::to_json(back), json);
  EXPECT_EQ(back.window(1, 2), made_up().window(1, 2));
  EXPECT_EQ(back.edits[0].edit.kind, series::EditKind::kOscillation);
  EXPECT_EQ(back.second->rank, 0.9);
  nlohmann::json other = json;
  other["source"]["rows"] = 5;
  EXPECT_THROW(job::scenario_of(other), nlohmann::json::exception);
}

TEST(ScenarioJson, people_are_told_names_and_only_numbers_of_the_kind) {
  const std::vector<std::string> names = {"a", "b", "c"};
  const nlohmann::ordered_json told = job::told_json(made_up(), names);
  const nlohmann::ordered_json& edit = told["edits"][0];
  EXPECT_EQ(edit["kind"], "oscillation");
  EXPECT_EQ(edit["channel"], "c");
  EXPECT_EQ(edit["realised"]["size_in_deviations"], -0.15);
  EXPECT_FALSE(edit.contains("partner"));
  EXPECT_FALSE(told.contains("changes"));
  series::Scenario drawn = made_up();
  drawn.edits.clear();
  EXPECT_EQ(job::told_json(drawn, names)["changes"][0]["channel"], "b");
}

// Of a run of 18 outputs at ten anchors: anchor 7 has outputs 7 and 17.
job::AnchorPartLimits limits() {
  job::AnchorPartLimits limits;
  limits.anchor = 7;
  limits.anchor_count = 10;
  limits.outputs = 18;
  limits.windows = 12;
  limits.rows = 24;
  limits.width = 2;
  limits.channels = 3;
  limits.dim = 2;
  return limits;
}

std::vector<series::Scenario> two_scenarios() {
  std::vector<series::Scenario> two(2);
  for (series::Scenario& s : two) s = made_up();
  two[1].index = 17;
  return two;
}

TEST(ScenarioJson, a_part_is_taken_only_whole_and_of_its_run) {
  const TemporaryFolder folder;
  const std::string path = folder.file("anchor-0.json");
  EXPECT_FALSE(job::read_anchor_part(path, "run", limits()).has_value());
  job::write_anchor_part(path, "run", two_scenarios());
  const auto part = job::read_anchor_part(path, "run", limits());
  ASSERT_TRUE(part.has_value());
  ASSERT_EQ(part->size(), 2u);
  EXPECT_EQ(job::to_json(part->front()), job::to_json(made_up()));
  EXPECT_FALSE(job::read_anchor_part(path, "other", limits()).has_value());
  std::string bytes = read_bytes(path);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_FALSE(job::read_anchor_part(path, "run", limits()).has_value());
}

TEST(ScenarioJson, a_crafted_part_is_made_again) {
  const TemporaryFolder folder;
  const std::string path = folder.file("anchor-0.json");
  using Craft = void (*)(std::vector<series::Scenario>&);
  const std::vector<Craft> crafts = {
      [](auto& s) { s.pop_back(); },
      [](auto& s) { s.push_back(made_up()); },
      [](auto& s) { s[1].index = 7; },
      [](auto& s) { s[0].index = 1000000; },
      [](auto& s) { s[0].status = static_cast<series::ScenarioStatus>(9); },
      [](auto& s) { s[0].anchor_window = 12; },
      [](auto& s) { s[0].anchor_start = 23; },
      [](auto& s) { s[0].anchor_start = ~std::size_t{0}; },
      [](auto& s) { s[0].source = Matrix<double>(3, 2); },
      [](auto& s) { s[0].window = Matrix<double>(); },
      [](auto& s) { s[0].source_point = {1.0}; },
      [](auto& s) { s[0].target.clear(); },
      [](auto& s) { s[0].point.push_back(0.0); },
      [](auto& s) { s[0].edits[0].edit.channel = 3; },
      [](auto& s) { s[0].edits[0].edit.partner = 3; },
      [](auto& s) { s[0].edits[0].effect.last = 2; },
      [](auto& s) { s[0].edits[0].effect.first = 5; },
      [](auto& s) { s[0].changes[0].channel = 3; },
      [](auto& s) { s[0].changes[0].sample = 2; }};
  for (std::size_t i = 0; i < crafts.size(); ++i) {
    std::vector<series::Scenario> crafted = two_scenarios();
    crafts[i](crafted);
    job::write_anchor_part(path, "run", crafted);
    EXPECT_FALSE(job::read_anchor_part(path, "run", limits()).has_value()) << i;
  }
  // A failed output may have neither target nor point.
  std::vector<series::Scenario> failed = two_scenarios();
  failed[1].status = series::ScenarioStatus::kFailed;
  failed[1].target.clear();
  failed[1].point.clear();
  job::write_anchor_part(path, "run", failed);
  EXPECT_TRUE(job::read_anchor_part(path, "run", limits()).has_value());
}

TEST(ScenarioJson, sizes_are_compared_before_anything_is_made) {
  nlohmann::json json = job::to_json(made_up());
  for (const auto& [rows, cols] :
       {std::pair{std::uint64_t{1} << 62, std::uint64_t{4}},
        std::pair{std::uint64_t{1} << 63, std::uint64_t{2}},
        std::pair{std::uint64_t{0}, std::uint64_t{6}},
        std::pair{std::uint64_t{6}, std::uint64_t{0}}}) {
    json["source"]["rows"] = rows;
    json["source"]["cols"] = cols;
    EXPECT_THROW(job::scenario_of(json), nlohmann::json::exception);
  }
  EXPECT_THROW(job::parse_scenarios("[{}]", "part", limits()), IoError);
  EXPECT_THROW(job::parse_scenarios("{\"a\": 3}", "part", limits()), IoError);
  EXPECT_THROW(job::parse_scenarios("rubbish", "part", limits()), IoError);
}

TEST(ScenarioJson, metrics_name_what_was_not_used) {
  series::ScenarioDiagnostics d;
  d.kept = 3;
  d.unused_kinds = {"noise"};
  d.misses = {{"energy", 2}};
  const nlohmann::ordered_json json = job::metrics_json(d);
  EXPECT_EQ(json["kept"], 3);
  EXPECT_EQ(json["unused_kinds"][0], "noise");
  EXPECT_EQ(json["misses"]["energy"], 2);
}

}  // namespace scenario_json_test
}  // namespace sbog::testing_support
