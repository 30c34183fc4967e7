// SPDX-License-Identifier: Apache-2.0
// How rare the outliers of a run on points are, for its table and its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sbog/energy/class_tails.h"
#include "sbog/run/run_folder.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog::job {

/// How rare the outliers of a run are, all together.
struct RaritySummary {
  std::size_t outliers = 0;  ///< that have an estimate; 0: there is none
  double median = 0.0;       ///< their estimates
  double most_common = 0.0;
  double rarest = 0.0;
  std::size_t beyond = 0;  ///< rarer than what is stated
  bool is_shared = false;  ///< some classes share a tail
};

/// The tails of all classes of a finished sampling: of their points, or of the
/// half that calibrated the threshold. `labels`: one per bank row, or empty.
ClassTails tails_of(const SampleSummary& summary,
                    std::span<const std::int64_t> labels, std::uint64_t seed);

/// Collects what is said about all outliers while their table is written.
class RarityCounter {
 public:
  explicit RarityCounter(const ClassTails& tails) : tails_(tails) {}
  /// How rare scores of class number c are.
  std::vector<OutlierRarity> add(std::size_t c, std::span<const double> scores);
  /// Counts one that is known already.
  void add(const OutlierRarity& rarity);
  RaritySummary summary() const;

 private:
  const ClassTails& tails_;
  std::vector<double> probabilities_;
  std::size_t beyond_ = 0;
};

/// One sentence: how rare, and of what this is a property.
std::string rarity_sentence(const RaritySummary& rarity);

/// For manifest.json, and back; nothing where a manifest does not say.
nlohmann::json rarity_json(const RaritySummary& rarity);
std::optional<RaritySummary> rarity_of_manifest(const nlohmann::json& manifest);

}  // namespace sbog::job
