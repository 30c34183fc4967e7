// SPDX-License-Identifier: Apache-2.0
// See outlier_rarity.h.
#include "sbog/job/outlier_rarity.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "sbog/base/number_text.h"
#include "sbog/energy/threshold.h"

namespace sbog::job {

ClassTails tails_of(const SampleSummary& summary,
                    std::span<const std::int64_t> labels, std::uint64_t seed) {
  std::vector<std::vector<double>> scores(summary.reports.size());
  if (!summary.halves.empty()) {
    for (std::size_t c = 0; c < summary.halves.size(); ++c) {
      for (const std::size_t row : summary.halves[c].calibration) {
        scores[c].push_back(summary.bank_scores[row]);
      }
    }
  } else if (labels.empty()) {
    scores.front() = summary.bank_scores;
  } else {
    std::map<std::int64_t, std::size_t> number;
    for (const ClassReport& report : summary.reports) {
      number.emplace(report.label, number.size());
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      scores[number.at(labels[i])].push_back(summary.bank_scores[i]);
    }
  }
  return ClassTails(scores, {.seed = seed});
}

std::vector<OutlierRarity> RarityCounter::add(std::size_t c,
                                              std::span<const double> scores) {
  std::vector<OutlierRarity> found;
  for (const double score : scores) {
    found.push_back({tails_.rarity(c, score), tails_.severity(c, score)});
    add(found.back());
  }
  return found;
}

void RarityCounter::add(const OutlierRarity& rarity) {
  const RarityEstimate& estimate = rarity.estimate;
  if (estimate.probability) probabilities_.push_back(*estimate.probability);
  beyond_ += estimate.is_beyond ? 1 : 0;
}

RaritySummary RarityCounter::summary() const {
  RaritySummary summary;
  summary.outliers = probabilities_.size();
  summary.beyond = beyond_;
  for (std::size_t c = 0; c < tails_.size(); ++c) {
    summary.is_shared = summary.is_shared || tails_.is_shared(c);
  }
  if (probabilities_.empty()) return summary;
  summary.median = quantile(probabilities_, 0.5);
  summary.most_common = *std::ranges::max_element(probabilities_);
  summary.rarest = *std::ranges::min_element(probabilities_);
  return summary;
}

std::string rarity_sentence(const RaritySummary& rarity) {
  if (rarity.outliers == 0) {
    return "How rare the outliers are is not known: about 250 scores are "
           "needed for an estimate.";
  }
  std::string text =
      "A point of the recorded data is as far out as an outlier in about " +
      one_in(rarity.median) + " cases (the median; from " +
      one_in(rarity.most_common) + " to " + one_in(rarity.rarest);
  if (rarity.beyond > 0) {
    text += ", and " + with_commas(rarity.beyond) + " rarer than that";
  }
  return text +
         "): a property of the encoder and of these data, void when they "
         "drift.";
}

nlohmann::json rarity_json(const RaritySummary& rarity) {
  return {
      {"outliers", rarity.outliers},       {"median", rarity.median},
      {"most_common", rarity.most_common}, {"rarest", rarity.rarest},
      {"beyond", rarity.beyond},           {"shared_tail", rarity.is_shared}};
}

std::optional<RaritySummary> rarity_of_manifest(
    const nlohmann::json& manifest) {
  const auto entry = manifest.find("rarity");
  if (entry == manifest.end() || !entry->is_object()) return std::nullopt;
  const auto number = [&](const char* name) {
    const auto at = entry->find(name);
    return at != entry->end() && at->is_number() ? at->get<double>() : 0.0;
  };
  // Whatever the file says is a share or a count.
  const auto share = [&](const char* name) {
    return std::clamp(number(name), 1e-12, 1.0);
  };
  const auto count = [&](const char* name) {
    return static_cast<std::size_t>(std::clamp(number(name), 0.0, 9e15));
  };
  RaritySummary rarity;
  rarity.outliers = count("outliers");
  rarity.median = share("median");
  rarity.most_common = share("most_common");
  rarity.rarest = share("rarest");
  rarity.beyond = count("beyond");
  const auto shared = entry->find("shared_tail");
  rarity.is_shared =
      shared != entry->end() && shared->is_boolean() && shared->get<bool>();
  return rarity;
}

}  // namespace sbog::job
