// SPDX-License-Identifier: Apache-2.0
// Seeds, sizes, groups and means; see experiment.h.
#include "paper/experiment.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "sbog/base/errors.h"
#include "sbog/base/mean.h"

namespace sbog::paper {
namespace {

constexpr std::uint64_t kMaxSeeds = 10000;

[[noreturn]] void refuse_seeds(const std::string& text) {
  throw InvalidArgument(
      "--seeds: a count such as 8 or a list such as "
      "1,2,101-116 is expected, got '" +
      text + "'");
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// "5" or "5-9".
void append_item(std::string_view item, const std::string& text,
                 std::vector<std::uint64_t>& seeds) {
  const std::size_t dash = item.find('-');
  const bool is_range = dash != std::string_view::npos;
  const auto first = parse_number(item.substr(0, dash));
  const auto last = is_range ? parse_number(item.substr(dash + 1)) : first;
  if (!first || !last || *last < *first || *last - *first >= kMaxSeeds) {
    refuse_seeds(text);
  }
  for (std::uint64_t i = 0; i <= *last - *first; ++i) {
    seeds.push_back(*first + i);
  }
}

// The number at the pointer in each result that has one.
std::vector<double> values_at(const std::vector<FinishedCell>& cells,
                              const std::string& pointer) {
  const Json::json_pointer path(pointer);
  std::vector<double> values;
  for (const FinishedCell& cell : cells) {
    if (!cell.result.contains(path)) continue;
    const Json& value = cell.result.at(path);
    if (value == "inf") values.push_back(HUGE_VAL);
    if (value.is_number()) values.push_back(value.get<double>());
  }
  return values;
}

}  // namespace

const char* to_string(Size size) {
  return size == Size::kSmall ? "small" : "full";
}

Size parse_size(std::string_view name) {
  if (name == "small") return Size::kSmall;
  if (name == "full") return Size::kFull;
  throw InvalidArgument("--size: small or full is expected, got '" +
                        std::string(name) + "'");
}

std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  if (const auto count = parse_number(text)) {
    if (*count == 0 || *count > kMaxSeeds) refuse_seeds(text);
    return first_seeds(*count);
  }
  std::vector<std::uint64_t> seeds;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    append_item(std::string_view(text).substr(start, comma - start), text,
                seeds);
    start = comma + 1;
  }
  const std::set<std::uint64_t> distinct(seeds.begin(), seeds.end());
  if (distinct.size() != seeds.size() || seeds.size() > kMaxSeeds) {
    refuse_seeds(text);
  }
  return seeds;
}

std::string to_string(const std::vector<std::uint64_t>& seeds) {
  if (seeds.size() == 1) {
    return std::to_string(seeds[0]) + "-" + std::to_string(seeds[0]);
  }
  std::string text;
  for (const std::uint64_t seed : seeds) {
    text += (text.empty() ? "" : ",") + std::to_string(seed);
  }
  return text;
}

std::string obstacle_of(const Experiment& experiment,
                        const Settings& settings) {
  return experiment.obstacle ? experiment.obstacle(settings) : std::string();
}

std::vector<std::string> wanted_sets(const Settings& settings,
                                     const std::vector<std::string>& found) {
  if (settings.sets.empty()) return found;
  const auto is_in = [](const std::vector<std::string>& names,
                        const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto missing =
      std::find_if(settings.sets.begin(), settings.sets.end(),
                   [&](const std::string& set) { return !is_in(found, set); });
  if (missing != settings.sets.end()) {
    std::string there;
    for (const std::string& name : found) there.append(" ").append(name);
    throw InvalidArgument("--sets: '" + *missing +
                          "' is not among the sets of " + settings.data +
                          " for this table:" + there);
  }
  std::vector<std::string> wanted;
  for (const std::string& name : found) {
    if (is_in(settings.sets, name)) wanted.push_back(name);
  }
  return wanted;
}

std::vector<std::uint64_t> first_seeds(std::uint64_t count) {
  std::vector<std::uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  return seeds;
}

std::function<std::vector<std::uint64_t>(Size)> seeds_by_size(
    std::uint64_t small, std::uint64_t full) {
  return [small, full](Size size) {
    return first_seeds(size == Size::kSmall ? small : full);
  };
}

std::vector<std::vector<FinishedCell>> group_by(
    const std::vector<FinishedCell>& cells,
    const std::vector<std::string>& fields) {
  std::vector<std::vector<FinishedCell>> groups;
  for (const FinishedCell& cell : cells) {
    const auto is_alike = [&](const std::vector<FinishedCell>& group) {
      return std::all_of(fields.begin(), fields.end(),
                         [&](const std::string& field) {
                           return group[0].configuration.at(field) ==
                                  cell.configuration.at(field);
                         });
    };
    const auto found = std::find_if(groups.begin(), groups.end(), is_alike);
    if (found == groups.end()) {
      groups.push_back({cell});
    } else {
      found->push_back(cell);
    }
  }
  return groups;
}

Json mean_of(const std::vector<FinishedCell>& cells,
             const std::string& pointer) {
  const std::vector<double> values = values_at(cells, pointer);
  return values.empty() ? Json(nullptr) : number(sbog::mean_of(values));
}

Json mean_sd_of(const std::vector<FinishedCell>& cells,
                const std::string& pointer) {
  const std::vector<double> values = values_at(cells, pointer);
  if (values.empty()) return nullptr;
  const double centre = sbog::mean_of(values);
  if (values.size() == 1) return Json::array({number(centre), nullptr});
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - centre) * (value - centre);
  }
  const double sd = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return Json::array({number(centre), number(sd)});
}

Json geometric_mean_of(const std::vector<FinishedCell>& cells,
                       const std::string& pointer) {
  const std::vector<double> values = values_at(cells, pointer);
  if (values.empty()) return nullptr;
  double sum = 0.0;
  for (const double value : values) sum += std::log(value);
  return number(std::exp(sum / static_cast<double>(values.size())));
}

}  // namespace sbog::paper
