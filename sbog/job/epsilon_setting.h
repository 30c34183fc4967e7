// SPDX-License-Identifier: Apache-2.0
// The option --epsilon: a number, or "auto" for the temperature at which about
// 15 bank points support a point.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/reference_measure.h"

namespace sbog::job {

/// A temperature that is given, or to be found.
class EpsilonSetting {
 public:
  /// To be found.
  EpsilonSetting() = default;
  /// Given; not checked. Not explicit: options are set to numbers.
  EpsilonSetting(double number) : number_(number) {}

  bool is_auto() const { return !number_.has_value(); }
  /// The number given. Throws std::bad_optional_access for "auto".
  double number() const { return number_.value(); }
  /// Throws InvalidArgument unless it is "auto" or finite and above 0.
  void check() const;

 private:
  std::optional<double> number_;
};

/// "auto", or the number with the fewest digits that read back as the same.
std::string to_text(const EpsilonSetting& setting);
/// The reverse. Throws InvalidArgument unless the text is "auto" or a finite
/// number above 0.
EpsilonSetting parse_epsilon(std::string_view text);

/// Adds the option `epsilon` behind `access` to a table.
template <typename Options, typename Access>
OptionEntry<Options>& add_epsilon(OptionTable<Options>& table, Access access) {
  return table
      .add_enum("epsilon", access, parse_epsilon, to_text, {},
                "Sinkhorn temperature, above 0; auto: about 15 bank points "
                "support a point")
      .value("X");
}

/// One temperature for all classes: the number given, or that of the points, or
/// with labels the median of what find_epsilon_if_any says of each class. NaN
/// when the observer asked to stop. Throws as find_epsilon does.
template <typename T>
double one_epsilon(const EpsilonSetting& setting,
                   const ReferenceMeasure<T>& reference,
                   std::span<const std::int64_t> labels,
                   const EnergyOptions& energy, const Context& context);

/// "15", "1,064" or "3.5".
std::string perplexity_text(double perplexity);

/// "0.0208 (auto): a point is supported by about 15 bank points". A perplexity
/// of 0 is not known and not told.
std::string support_words(double epsilon, bool is_auto, double perplexity);

}  // namespace sbog::job
