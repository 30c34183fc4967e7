// SPDX-License-Identifier: Apache-2.0
// See latent_rules.h.
#include "paper/latent_rules.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "paper/options_json.h"
#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/number_text.h"
#include "sbog/base/philox.h"
#include "sbog/detect/exposure.h"
#include "sbog/nn/random.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog::paper {
namespace latent_rules {
namespace {

constexpr double kFrom = 1.5;
constexpr double kTo = 4.0;
constexpr const char* kPublished = "published";
constexpr const char* kRescaled = "r 1.5-4";
// Classes of Philox streams, above all that samplers use.
constexpr std::uint32_t kSphereClass = 65001;
constexpr std::uint32_t kStretchClass = 65002;

LatentRule noise(const char* key, const char* name, bool is_shaped) {
  LatentRule rule{key, name, kRescaled, LatentKind::kNoise};
  rule.is_shaped = is_shaped;
  rule.from = kFrom;
  rule.to = kTo;
  return rule;
}

LatentRule sampled(const char* key, const char* name, const char* profile,
                   Rule rule = Rule::kSbog) {
  LatentRule made{key, name, kPublished, LatentKind::kSampler};
  made.options = profile_options(profile);
  made.options.rule = rule;
  return made;
}

// The same rule with long steps; tests of cosines, which no long step passes,
// are left out.
LatentRule rescaled(LatentRule rule) {
  rule.key += "-r";
  rule.scale = kRescaled;
  rule.is_stretched =
      rule.options.rule == Rule::kVos || rule.options.rule == Rule::kBood;
  if (!rule.is_stretched) rule.options.radius = RadiusRange{false, kFrom, kTo};
  rule.options.semantic = false;
  rule.options.seed_floor = -1.0;
  return rule;
}

// Rules that try thousands of proposals for one outlier make fewer of them.
LatentRule slow(LatentRule rule, std::size_t proposals, std::size_t pool) {
  rule.options.proposal_count = proposals;
  rule.pool = pool;
  return rule;
}

std::vector<LatentRule> rivals() {
  return {sampled("random", "Random", "balanced", Rule::kRandom),
          sampled("vos", "VOS", "balanced", Rule::kVos),
          slow(sampled("knn", "k-NN", "balanced", Rule::kKnn), 256, 1500),
          slow(sampled("kde", "KDE", "balanced", Rule::kKdeMedian), 256, 1500),
          sampled("bood", "BOOD", "balanced", Rule::kBood),
          sampled("paper", "SBOG (paper)", "paper-image"),
          slow(sampled("balanced", "SBOG balanced", "balanced"), 2048, 1500),
          sampled("boundary", "SBOG boundary", "boundary")};
}

Matrix<float> sphere_rows(std::size_t count, std::size_t dim,
                          std::uint64_t seed, std::size_t epoch) {
  Matrix<float> rows(count, dim);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<float> row = rows.row(i);
    PhiloxStream(seed, kSphereClass, static_cast<std::uint32_t>(epoch), i)
        .normals(0, row);
    const auto scale = static_cast<float>(1.0 / norm_of<float>(row));
    for (float& x : row) x *= scale;
  }
  return rows;
}

// unit(from + r u), u the unit direction from `from` to the row.
void stretch(std::span<const double> from, double radius,
             std::span<float> row) {
  double length = 0.0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    length += std::pow(double{row[j]} - from[j], 2);
  }
  const double scale = length > 0.0 ? radius / std::sqrt(length) : 0.0;
  std::vector<double> moved(row.size());
  for (std::size_t j = 0; j < row.size(); ++j) {
    moved[j] = from[j] + scale * (double{row[j]} - from[j]);
  }
  const double norm = norm_of<double>(moved);
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = static_cast<float>(moved[j] / norm);
  }
}

// Outliers of the sampler in an order by the seed, at most `wanted`.
Matrix<float> sampled_pool(const LatentRule& rule, const LatentTask& task,
                           std::size_t wanted, std::uint64_t seed,
                           const Context& context) {
  const detect::LabelledBank& bank = task.bank;
  const std::vector<std::int64_t> labels(bank.classes.begin(),
                                         bank.classes.end());
  const Matrix<double> means = detect::class_means(bank);
  SamplerOptions options = rule.options;
  options.seed = seed;
  options.count = (wanted + bank.class_count() - 1) / bank.class_count();
  const OutlierSet<float> found = sample_outliers<float>(
      {bank.points, labels, means, {}}, options, context);
  if (found.outputs.empty()) {
    throw InvalidArgument(rule.key + ": the sampler found no outliers");
  }
  Matrix<float> points = found.points(bank.dim());
  for (std::size_t i = 0; rule.is_stretched && i < points.rows(); ++i) {
    const double u = PhiloxStream(seed, kStretchClass, 0, i).uniform(0);
    std::vector<double> from;
    if (rule.options.rule == Rule::kVos) {
      const auto mean = means.row(static_cast<std::size_t>(found.classes[i]));
      from.assign(mean.begin(), mean.end());
    } else {
      const auto anchor = bank.points.row(found.outputs[i].anchor_row);
      from.assign(anchor.begin(), anchor.end());
    }
    stretch(from, kFrom + (kTo - kFrom) * u, points.row(i));
  }
  return copy_rows<float>(points, nn::shuffled_order(points.rows(), seed, 0));
}

detect::OutlierSource noise_source(const LatentRule& rule,
                                   const LatentTask& task, std::size_t count,
                                   std::uint64_t seed, const Context& context) {
  detect::ExposureOptions options;
  options.radius_from = rule.from;
  options.radius_to = rule.to;
  options.is_shaped = rule.is_shaped;
  const auto law =
      std::make_shared<const detect::ExposureLaw>(task.bank, options);
  return [law, count, seed, pool = context.pool](std::size_t epoch) {
    return law->draw(count, seed, epoch, {pool, nullptr});
  };
}

}  // namespace
}  // namespace latent_rules

std::vector<LatentRule> all_latent_rules() {
  using namespace latent_rules;
  std::vector<LatentRule> rules = {
      {"none", "no outliers", "", LatentKind::kNone},
      noise("recipe", "recipe (shaped noise)", true),
      noise("isotropic", "isotropic noise", false)};
  LatentRule exposure = sampled("exposure", "SBOG exposure", "exposure");
  exposure.scale = kRescaled;
  rules.push_back(exposure);
  rules.push_back({"sphere", "whole sphere", "", LatentKind::kSphere});
  for (const LatentRule& rule : rivals()) rules.push_back(rule);
  for (const LatentRule& rule : rivals()) {
    // Random with such steps is isotropic noise, which is there; boundary is
    // `exposure`.
    if (rule.key == "random" || rule.key == "boundary") continue;
    rules.push_back(rescaled(rule));
  }
  rules.push_back({"real", "100 real outliers", "", LatentKind::kReal});
  return rules;
}

std::vector<LatentRule> few_latent_rules() {
  std::vector<LatentRule> few;
  for (const LatentRule& rule : all_latent_rules()) {
    for (const char* key :
         {"none", "recipe", "isotropic", "sphere", "random", "balanced"}) {
      if (rule.key == key) few.push_back(rule);
    }
  }
  return few;
}

LatentRule noise_rule(bool is_shaped, double radius) {
  const std::string text = shortest(radius);
  LatentRule rule{(is_shaped ? "shaped-r" : "isotropic-r") + text,
                  is_shaped ? "shaped" : "isotropic", "r " + text,
                  LatentKind::kNoise};
  rule.is_shaped = is_shaped;
  rule.from = rule.to = radius;
  return rule;
}

Json latent_rule_fields(const LatentRule& rule) {
  Json fields = {
      {"rule", rule.key}, {"name", rule.name}, {"scale", rule.scale}};
  if (rule.kind == LatentKind::kNoise) {
    fields["radius"] = {rule.from, rule.to};
    fields["shaped"] = rule.is_shaped;
    // Cells of before drew their noise by themselves, with other numbers.
    fields["steps"] = "of the sampler";
  }
  if (rule.kind == LatentKind::kSampler) {
    fields["options"] =
        options_difference(rule.options, profile_options(kDefaultProfile));
    fields["law"] = to_string(rule.options.proposal_law);
    fields["radius"] = rule.options.radius
                           ? Json(to_string(*rule.options.radius))
                           : Json(nullptr);
    fields["finds_epsilon"] = rule.options.auto_epsilon;
    fields["stretched"] = rule.is_stretched;
  }
  return fields;
}

detect::OutlierSource latent_outliers(const LatentRule& rule,
                                      const LatentTask& task, std::size_t count,
                                      std::size_t pool, std::uint64_t seed,
                                      const Context& context) {
  using namespace latent_rules;
  switch (rule.kind) {
    case LatentKind::kNone:
      return {};
    case LatentKind::kNoise:
      return noise_source(rule, task, count, seed, context);
    case LatentKind::kSphere:
      return [count, dim = task.bank.dim(), seed](std::size_t epoch) {
        return sphere_rows(count, dim, seed, epoch);
      };
    case LatentKind::kReal:
      return detect::outliers_in_turn(task.real_outliers.clone(), count);
    case LatentKind::kSampler:
      return detect::outliers_in_turn(
          sampled_pool(rule, task, pool, seed, context), count);
  }
  return {};
}

}  // namespace sbog::paper
