// SPDX-License-Identifier: Apache-2.0
// See gate.h.
#include "sbog/stress/gate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog::stress {
namespace {

constexpr std::array<std::pair<const char*, Comparison>, 4> kComparisons = {
    {{">=", Comparison::kAtLeast},
     {"<=", Comparison::kAtMost},
     {">", Comparison::kAbove},
     {"<", Comparison::kBelow}}};
constexpr const char* kAtSeverity = " at severity ";
constexpr const char* kFor = " for ";

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  const std::size_t last = text.find_last_not_of(" \t");
  return std::string(text.substr(first, last - first + 1));
}

[[noreturn]] void fail(const Gate& gate, const std::string& what) {
  throw InvalidArgument("'" + gate.text + "': " + what);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

// "0.9", or "90 %".
double number_of(const Gate& gate, const std::string& text) {
  const bool is_percent = text.ends_with("%");
  const std::string digits =
      is_percent ? trimmed(text.substr(0, text.size() - 1)) : text;
  double value = 0.0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) {
    fail(gate, "a number is expected, got '" + text + "'");
  }
  return is_percent ? value / 100.0 : value;
}

// Takes " at severity N" out of the text, wherever it stands.
std::string without_severity(Gate& gate, std::string text) {
  const std::size_t at = text.find(kAtSeverity);
  if (at == std::string::npos) return text;
  const std::size_t first = at + std::string_view(kAtSeverity).size();
  const std::size_t end = std::min(text.find(' ', first), text.size());
  int severity = 0;
  const auto [rest, error] =
      std::from_chars(text.data() + first, text.data() + end, severity);
  if (error != std::errc() || rest != text.data() + end || severity < 0) {
    fail(gate, "a whole number is expected after 'at severity', got '" +
                   text.substr(first, end - first) + "'");
  }
  gate.severity = severity;
  return text.erase(at, end - at);
}

// Takes " for GROUPING GROUP" off the end; the longest name wins, since
// "kind x channel" begins like "kind".
std::string without_group(Gate& gate, const std::string& text,
                          const std::vector<std::string>& groupings) {
  const std::size_t at = text.find(kFor);
  if (at == std::string::npos) return text;
  const std::string words =
      trimmed(text.substr(at + std::string_view(kFor).size()));
  for (const std::string& name : groupings) {
    if (words.starts_with(name + " ") && name.size() > gate.grouping.size()) {
      gate.grouping = name;
    }
  }
  if (gate.grouping.empty()) {
    fail(gate,
         "after 'for' a grouping and one of its groups are expected; "
         "groupings are " +
             listed(groupings));
  }
  gate.level = trimmed(words.substr(gate.grouping.size()));
  return text.substr(0, at);
}

// The groups that a requirement is about.
std::vector<std::size_t> cases_of(const Gate& gate, const Cases& cases) {
  std::vector<std::size_t> items = cases_at(cases, gate.severity);
  if (gate.grouping.empty()) return items;
  for (const Grouping& grouping : cases.groupings) {
    if (grouping.name != gate.grouping) continue;
    const auto level =
        std::find(grouping.levels.begin(), grouping.levels.end(), gate.level);
    if (level == grouping.levels.end()) break;
    const auto& members =
        grouping
            .members[static_cast<std::size_t>(level - grouping.levels.begin())];
    std::vector<std::size_t> both;
    std::set_intersection(items.begin(), items.end(), members.begin(),
                          members.end(), std::back_inserter(both));
    return both;
  }
  return {};
}

void set_share(GateResult& result, const Share& share) {
  if (share.trials == 0) return;
  result.value = share.value;
  result.interval = share.interval;
}

void set_complement(GateResult& result, const Share& share) {
  set_share(result, make_share(share.trials - share.hits, share.trials));
}

void set_value(GateResult& result, const Outcomes& outcomes,
               const Measures& measures) {
  const std::string& name = result.gate.measure;
  if (name == "detection") set_complement(result, measures.failures);
  if (name == "failure" || name == "above")
    set_share(result, measures.failures);
  if (name == "accepted")
    set_share(result, measures.accepted.value_or(Share{}));
  if (name == "other") set_share(result, measures.other.value_or(Share{}));
  if (name == "confidence" || name == "mean") result.value = measures.mean;
  if (name == "q95") result.value = measures.quantile95;
  if (name == "delay") result.value = measures.median_delay;
  if (name == "auroc") result.value = outcomes.auroc;
  if (name == "false-alarms") {
    set_share(result,
              make_share(outcomes.control_failures, outcomes.controls.size()));
    result.cases = outcomes.controls.size();
  }
}

bool holds(double value, Comparison comparison, double required) {
  switch (comparison) {
    case Comparison::kAtLeast:
      return value >= required;
    case Comparison::kAtMost:
      return value <= required;
    case Comparison::kAbove:
      return value > required;
    case Comparison::kBelow:
      break;
  }
  return value < required;
}

}  // namespace

const std::vector<std::string>& gate_measures() {
  static const std::vector<std::string> kNames = {
      "failure", "auroc",      "detection", "delay", "false-alarms", "accepted",
      "other",   "confidence", "mean",      "q95",   "above"};
  return kNames;
}

Gate parse_gate(std::string_view text,
                const std::vector<std::string>& groupings) {
  Gate gate;
  gate.text = trimmed(text);
  const std::string rest =
      without_group(gate, without_severity(gate, gate.text), groupings);
  const std::size_t at = rest.find_first_of("<>");
  if (at == std::string::npos) {
    fail(gate, "MEASURE >= NUMBER, or one of <=, > and <, is expected");
  }
  gate.measure = trimmed(rest.substr(0, at));
  std::replace(gate.measure.begin(), gate.measure.end(), '_', '-');
  const auto& names = gate_measures();
  if (std::find(names.begin(), names.end(), gate.measure) == names.end()) {
    fail(gate, "a measure is expected, got '" + gate.measure +
                   "'; measures are " + listed(names));
  }
  for (const auto& [sign, comparison] : kComparisons) {
    if (!rest.substr(at).starts_with(sign)) continue;
    gate.comparison = comparison;
    gate.required = number_of(
        gate, trimmed(rest.substr(at + std::string_view(sign).size())));
    break;
  }
  const bool is_of_all =
      gate.measure == "auroc" || gate.measure == "false-alarms";
  if (is_of_all && (gate.severity || !gate.grouping.empty())) {
    fail(gate, "'" + gate.measure + "' is one number for all cases");
  }
  return gate;
}

void check_gate(const Gate& gate, Task task) {
  static const std::array<std::vector<std::string>, 3> kOfTask = {
      {{"accepted", "other", "confidence"},
       {"detection", "delay", "false-alarms"},
       {"mean", "q95", "above"}}};
  if (gate.measure == "failure" || gate.measure == "auroc") return;
  const auto& names = kOfTask[static_cast<std::size_t>(task)];
  if (std::find(names.begin(), names.end(), gate.measure) != names.end())
    return;
  fail(gate, std::string("a ") + to_string(task) + " has the measures " +
                 listed(names) + ", failure and auroc");
}

GateResult apply_gate(const Gate& gate, const Cases& cases,
                      const Outcomes& outcomes) {
  check_gate(gate, outcomes.task);
  const std::vector<std::size_t> items = cases_of(gate, cases);
  GateResult result;
  result.gate = gate;
  result.cases = items.size();
  set_value(result, outcomes, measure(outcomes, items));
  result.is_passed =
      result.value && holds(*result.value, gate.comparison, gate.required);
  return result;
}

}  // namespace sbog::stress
