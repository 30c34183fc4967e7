// SPDX-License-Identifier: Apache-2.0
#include "paper/latent_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/metrics/distance_ratio.h"

namespace sbog::paper {
namespace latent_rules_test {

LatentRule rule_named(const std::string& key) {
  for (const LatentRule& rule : all_latent_rules()) {
    if (rule.key == key) return rule;
  }
  throw std::runtime_error("no rule " + key);
}

Matrix<float> epoch_of(const LatentRule& rule, const LatentTask& task,
                       std::size_t epoch, std::uint64_t seed = 3) {
  return latent_outliers(rule, task, 40, 80, seed, {})(epoch);
}

double distance_of(const LatentRule& rule, const LatentTask& task) {
  return *distance_ratio<float>(task.bank.points, epoch_of(rule, task, 0), {})
              .ratio;
}

TEST(LatentRules, every_rule_gives_unit_rows) {
  const LatentTask task = load_latent_task("made", 1, "");
  for (const LatentRule& rule : all_latent_rules()) {
    const detect::OutlierSource source =
        latent_outliers(rule, task, 8, 8, 3, {});
    EXPECT_EQ(static_cast<bool>(source), rule.kind != LatentKind::kNone);
    if (!source) continue;
    const Matrix<float> rows = source(0);
    ASSERT_GT(rows.rows(), 0u) << rule.key;
    EXPECT_LE(rows.rows(), 8u) << rule.key;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      EXPECT_NEAR(norm_of<float>(rows.row(i)), 1.0, 1e-5) << rule.key;
    }
  }
}

TEST(LatentRules, the_seed_alone_decides) {
  const LatentTask task = load_latent_task("made", 1, "");
  const auto elements = [&](const char* key, std::uint64_t seed) {
    const Matrix<float> rows = epoch_of(rule_named(key), task, 0, seed);
    return std::vector<float>(rows.elements().begin(), rows.elements().end());
  };
  for (const char* key : {"recipe", "isotropic", "sphere", "random", "vos-r"}) {
    EXPECT_EQ(elements(key, 3), elements(key, 3)) << key;
    EXPECT_NE(elements(key, 3), elements(key, 4)) << key;
  }
}

TEST(LatentRules, noise_is_fresh_in_every_epoch_and_a_pool_goes_round) {
  const LatentTask task = load_latent_task("made", 1, "");
  const auto is_same = [&](const char* key, std::size_t epoch) {
    const LatentRule rule = rule_named(key);
    return std::ranges::equal(epoch_of(rule, task, 0).elements(),
                              epoch_of(rule, task, epoch).elements());
  };
  for (const char* key : {"recipe", "isotropic", "sphere"}) {
    EXPECT_FALSE(is_same(key, 1)) << key;
    EXPECT_FALSE(is_same(key, 2)) << key;
  }
  EXPECT_FALSE(is_same("random", 1));
  EXPECT_TRUE(is_same("random", 2));  // 80 of them, 40 at a time
}

TEST(LatentRules, long_steps_lie_farther_out) {
  const LatentTask task = load_latent_task("made", 1, "");
  for (const std::string key : {"vos", "knn", "kde", "bood", "paper"}) {
    EXPECT_GT(distance_of(rule_named(key + "-r"), task),
              distance_of(rule_named(key), task))
        << key;
  }
  EXPECT_GT(distance_of(noise_rule(true, 4.0), task),
            distance_of(noise_rule(true, 0.25), task));
}

TEST(LatentRules, keys_and_fields_tell_rules_apart) {
  std::set<std::string> keys;
  std::set<std::string> fields;
  std::vector<LatentRule> rules = all_latent_rules();
  rules.push_back(noise_rule(true, 0.5));
  rules.push_back(noise_rule(false, 0.5));
  for (const LatentRule& rule : rules) {
    EXPECT_TRUE(keys.insert(rule.key).second) << rule.key;
    Json said = latent_rule_fields(rule);
    said.erase("rule");
    EXPECT_TRUE(fields.insert(said.dump()).second) << rule.key;
  }
  EXPECT_LT(few_latent_rules().size(), all_latent_rules().size());
  for (const LatentRule& rule : few_latent_rules()) {
    EXPECT_TRUE(keys.contains(rule.key));
  }
}

}  // namespace latent_rules_test
}  // namespace sbog::paper
