// SPDX-License-Identifier: Apache-2.0
// From the options of the job to those of the room; see scenario_settings.h.
#include "sbog/job/scenario_settings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/option_table.h"

namespace sbog::job {
namespace {

using series::ScenarioOptions;

// Names for a message, not too many.
std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += (i == 0 ? "'" : ", '") + names[i] + "'";
  }
  if (names.size() > kShown) {
    text += " and " + std::to_string(names.size() - kShown) + " more";
  }
  return text;
}

std::size_t channel_named(const std::string& name,
                          const std::vector<std::string>& channels,
                          const char* option) {
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c] == name) return c;
  }
  const std::string near = nearest_name(name, channels);
  throw InvalidArgument(
      std::string(option) + ": the series has no channel '" + name + "'" +
      (near.empty() ? "; its" : "; did you mean '" + near + "'? Its") +
      " channels are " + first_of(channels));
}

series::ChannelOverride override_of(const std::string& text,
                                    const std::vector<std::string>& channels) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos) {
    throw InvalidArgument("--classes: channel=class is expected, got '" + text +
                          "'");
  }
  series::ChannelOverride given;
  given.channel = channel_named(text.substr(0, at), channels, "--classes");
  given.kind = series::parse_channel_class(text.substr(at + 1));
  return given;
}

// Plain numbers have no unit that could be told.
double row_seconds_of(const LoadedSeries& loaded) {
  if (!loaded.report.has_readable_times || loaded.series.times.empty()) {
    return 0.0;
  }
  const std::string& time = loaded.series.times.front();
  const bool is_date = time.find(':') != std::string::npos ||
                       time.find('-', 1) != std::string::npos;
  return is_date ? loaded.report.step : 0.0;
}

}  // namespace

AskedSeverities severities_of(const GenerateOptions& options) {
  const std::vector<std::string>& given = options.series.severity;
  AskedSeverities asked{{}, options.sampler.count};
  const bool is_drawn = options.decoder == "vae";
  if (given.empty()) {
    if (!is_drawn) asked.list = {1, 2, 3};
    return asked;
  }
  if (given.size() == 1 && given.front() == "none") return asked;
  if (is_drawn) {
    throw InvalidArgument(
        "--severity: it is that of edits, which --decoder vae does not make");
  }
  for (const std::string& text : given) {
    const bool is_digit =
        text.size() == 1 && text[0] >= '1' &&
        text[0] <= static_cast<char>('0' + series::kMostSevere);
    if (!is_digit) {
      throw InvalidArgument("--severity: numbers from 1 to " +
                            std::to_string(series::kMostSevere) +
                            " or none are expected, got '" + text + "'");
    }
    const auto severity = static_cast<std::size_t>(text[0] - '0');
    if (std::find(asked.list.begin(), asked.list.end(), severity) !=
        asked.list.end()) {
      throw InvalidArgument("--severity: " + text + " is named twice");
    }
    asked.list.push_back(severity);
  }
  asked.count *= asked.list.size();
  return asked;
}

bool needs_encoder(const GenerateOptions& options) {
  return options.series.law != "edit-first" || !options.model.empty() ||
         options.series.outside_only || !options.series.second_model.empty() ||
         severities_of(options).list.empty();
}

ScenarioOptions scenario_options_of(const GenerateOptions& given,
                                    const LoadedSeries& loaded) {
  const Series& series = loaded.series;
  const SeriesSettings& own = given.series;
  ScenarioOptions options;
  options.sampler = given.sampler;
  options.law = series::parse_target_law(own.law);
  series::EditDecoderOptions& decoder = options.decoder;
  for (const std::string& kind : own.kinds) {
    decoder.allowance.kinds.push_back(series::parse_edit_kind(kind));
  }
  for (const std::string& name : own.channels) {
    decoder.allowance.channels.push_back(
        channel_named(name, series.channels, "--channels"));
  }
  for (const std::string& text : own.classes) {
    decoder.overrides.push_back(override_of(text, series.channels));
  }
  decoder.allowance.delays_discrete = own.delay_discrete;
  decoder.pursuit.slots = own.slots;
  decoder.pursuit.refine.steps = own.steps;
  decoder.redraws = own.redraws;
  decoder.alternatives = own.alternatives;
  decoder.keeps_outside_only = own.outside_only;
  options.times = series.times;
  options.row_seconds = row_seconds_of(loaded);
  const AskedSeverities asked = severities_of(given);
  options.severities = asked.list;
  options.sampler.count = asked.count;
  return options;
}

}  // namespace sbog::job
