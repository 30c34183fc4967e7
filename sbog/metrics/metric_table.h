// SPDX-License-Identifier: Apache-2.0
// The list of metrics of generated outliers: name, direction and meaning of
// each, with its value or the reason why there is none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sbog {

/// Which way a metric improves.
enum class MetricDirection { kHigher, kLower, kNeutral };

/// "higher is better", "lower is better" or "neutral".
const char* to_string(MetricDirection direction);

/// One line of the list.
struct MetricEntry {
  std::string name;             ///< such as "Fidelity_1nn"
  std::optional<double> value;  ///< finite where there is one
  MetricDirection direction = MetricDirection::kNeutral;
  std::string meaning;  ///< one line
  std::string reason;   ///< why there is no value; empty otherwise
};

/// All metrics in the order in which they are shown, at first without values.
class MetricTable {
 public:
  MetricTable();

  const std::vector<MetricEntry>& entries() const { return entries_; }
  /// Throws InvalidArgument for a name that is not in the list.
  const MetricEntry& find(std::string_view name) const;

  /// Gives the metric its value. One that is not finite becomes a reason.
  void set(std::string_view name, double value);
  /// As above, or the reason when there is no value.
  void set(std::string_view name, const std::optional<double>& value,
           const std::string& reason);
  /// Says why the metric has no value.
  void miss(std::string_view name, const std::string& reason);
  /// Changes a name, such as that of a metric with a parameter.
  void rename(std::string_view name, const std::string& new_name);

 private:
  std::size_t position(std::string_view name) const;

  std::vector<MetricEntry> entries_;
};

}  // namespace sbog
