// SPDX-License-Identifier: Apache-2.0
// See epsilon_setting.h.
#include "sbog/job/epsilon_setting.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/base/number_text.h"
#include "sbog/energy/perplexity.h"
#include "sbog/energy/threshold.h"

namespace sbog::job {
namespace {

constexpr const char* kAuto = "auto";

bool is_temperature(double value) {
  return std::isfinite(value) && value > 0.0;
}

}  // namespace

void EpsilonSetting::check() const {
  if (!is_auto()) check_epsilon(*number_);
}

std::string to_text(const EpsilonSetting& setting) {
  return setting.is_auto() ? kAuto : shortest(setting.number());
}

EpsilonSetting parse_epsilon(std::string_view text) {
  if (text == kAuto) return {};
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !is_temperature(value)) {
    throw InvalidArgument("auto or a finite number above 0 is expected, got '" +
                          std::string(text) + "'");
  }
  return value;
}

template <typename T>
double one_epsilon(const EpsilonSetting& setting,
                   const ReferenceMeasure<T>& reference,
                   std::span<const std::int64_t> labels,
                   const EnergyOptions& energy, const Context& context) {
  if (!setting.is_auto()) return setting.number();
  if (labels.empty()) return find_epsilon(reference, energy, {}, context);
  check_label_count(labels, reference.points.rows(), "labels");
  std::vector<double> found;
  for (const auto& [label, rows] : rows_by_label(labels)) {
    ReferenceMeasure<T> members = reference;
    members.atoms = rows;
    const std::optional<double> epsilon =
        find_epsilon_if_any(members, energy, {}, context);
    if (!epsilon) continue;
    if (std::isnan(*epsilon)) return *epsilon;
    found.push_back(*epsilon);
  }
  // No class has two points that differ.
  if (found.empty()) return find_epsilon(reference, energy, {}, context);
  return four_digits(quantile(found, 0.5));
}

std::string perplexity_text(double perplexity) {
  if (perplexity >= 9.95) {
    return with_commas(static_cast<std::uint64_t>(std::llround(perplexity)));
  }
  char text[16];
  std::snprintf(text, sizeof text, "%.2g", perplexity);
  return text;
}

std::string support_words(double epsilon, bool is_auto, double perplexity) {
  char number[32];
  std::snprintf(number, sizeof number, "%.4g", epsilon);
  std::string sentence = number;
  if (is_auto) sentence += " (auto)";
  if (perplexity == 0.0) return sentence;
  const std::string count = perplexity_text(perplexity);
  return sentence + ": a point is supported by about " + count +
         (count == "1" ? " bank point" : " bank points");
}

template double one_epsilon(const EpsilonSetting&,
                            const ReferenceMeasure<float>&,
                            std::span<const std::int64_t>, const EnergyOptions&,
                            const Context&);
template double one_epsilon(const EpsilonSetting&,
                            const ReferenceMeasure<double>&,
                            std::span<const std::int64_t>, const EnergyOptions&,
                            const Context&);

}  // namespace sbog::job
