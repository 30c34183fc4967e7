// SPDX-License-Identifier: Apache-2.0
// Names and meanings of the metrics; see metric_table.h.
#include "sbog/metrics/metric_table.h"

#include <array>
#include <cmath>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

struct Definition {
  const char* name;
  MetricDirection direction;
  const char* meaning;
};

constexpr MetricDirection kUp = MetricDirection::kHigher;
constexpr MetricDirection kDown = MetricDirection::kLower;
constexpr MetricDirection kNone = MetricDirection::kNeutral;

constexpr std::array kDefinitions = {
    Definition{"Gap", kUp, "mean energy above the threshold, E - tau"},
    Definition{"Accepted", kUp, "share of outliers with E >= tau"},
    Definition{"Delta_all", kUp, "median |E - tau| of all valid proposals"},
    Definition{"Delta_acc", kUp, "median |E - tau| of the accepted points"},
    Definition{"FlipRate", kDown,
               "share of decisions that change on a small random bank"},
    Definition{"Fill_A", kUp, "share of anchors with a feasible proposal"},
    Definition{"Fill_n", kUp, "share of bank points with a feasible proposal"},
    Definition{"Yield", kUp, "Pass times Ebar_pass"},
    Definition{"Pass", kUp,
               "share of perturbations that keep the cosine to their anchor"},
    Definition{"Ebar_pass", kUp, "mean energy of the passing perturbations"},
    Definition{"MMD2", kNone,
               "squared kernel distance to the bank, biased, in [0, 2]"},
    Definition{"MMD2_unbiased", kNone,
               "squared kernel distance to the bank, unbiased"},
    Definition{"SW2", kNone, "sliced Wasserstein distance to the bank"},
    Definition{"Diversity", kUp, "1 - mean cosine of pairs of outliers"},
    Definition{"Diversity_class", kUp,
               "1 - mean cosine of pairs of the same class"},
    Definition{"Nearest_min", kNone, "smallest cost to the nearest bank point"},
    Definition{"Nearest_median", kNone,
               "median cost to the nearest bank point"},
    Definition{"Nearest_mean", kNone, "mean cost to the nearest bank point"},
    Definition{"Nearest_max", kNone, "largest cost to the nearest bank point"},
    Definition{"Distance_ratio", kNone,
               "median distance to the bank over that of held-out bank points"},
    Definition{"Fidelity_1nn", kUp,
               "share whose nearest bank point is of the source class"},
    Definition{"Contam_TS", kDown,
               "share whose nearest bank point is of another class"},
    Definition{"Purity", kUp,
               "as Fidelity_1nn with equally many bank points of each class, "
               "mean over classes"},
    Definition{"Fidelity_cos", kUp, "mean cosine to the source class mean"},
    Definition{"Contam_proto", kDown,
               "share whose most similar class mean is another class"},
    Definition{"Margin_proto", kUp,
               "mean cosine to the own class mean minus the best other"},
    Definition{"Token_cosine", kUp, "mean cosine to the source class anchor"},
    Definition{"Contam_token", kDown,
               "share whose most similar class anchor is another class"},
    Definition{"Margin_token", kUp,
               "mean cosine to the own class anchor minus the best other"},
};

}  // namespace

const char* to_string(MetricDirection direction) {
  switch (direction) {
    case MetricDirection::kHigher:
      return "higher is better";
    case MetricDirection::kLower:
      return "lower is better";
    case MetricDirection::kNeutral:
      return "neutral";
  }
  return "unknown";
}

MetricTable::MetricTable() {
  for (const Definition& definition : kDefinitions) {
    entries_.push_back({definition.name, std::nullopt, definition.direction,
                        definition.meaning, "not computed"});
  }
}

std::size_t MetricTable::position(std::string_view name) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].name == name) return i;
  }
  throw InvalidArgument("metrics: '" + std::string(name) +
                        "' is not one of them");
}

const MetricEntry& MetricTable::find(std::string_view name) const {
  return entries_[position(name)];
}

void MetricTable::set(std::string_view name, double value) {
  MetricEntry& line = entries_[position(name)];
  if (!std::isfinite(value)) {
    miss(name, "the value is not finite");
    return;
  }
  line.value = value;
  line.reason.clear();
}

void MetricTable::set(std::string_view name, const std::optional<double>& value,
                      const std::string& reason) {
  if (value) {
    set(name, *value);
  } else {
    miss(name, reason);
  }
}

void MetricTable::miss(std::string_view name, const std::string& reason) {
  MetricEntry& line = entries_[position(name)];
  line.value.reset();
  line.reason = reason;
}

void MetricTable::rename(std::string_view name, const std::string& new_name) {
  entries_[position(name)].name = new_name;
}

}  // namespace sbog
