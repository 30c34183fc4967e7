// SPDX-License-Identifier: Apache-2.0
// The windows of a run on a series as a report draws them; see report_files.h.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "sbog/base/errors.h"
#include "sbog/data/dataset.h"
#include "sbog/energy/rarity.h"
#include "sbog/job/report_files.h"
#include "sbog/job/report_stress.h"

namespace sbog::job {
namespace {

using Node = nlohmann::json;

constexpr std::size_t kMostAlternatives = 2;

// Windows of one file: kept x width x channels.
struct Windows {
  LoadedMatrix<double> values;
  std::size_t width = 0;
  std::size_t channels = 0;

  std::vector<double> column(std::size_t window, std::size_t channel) const {
    std::vector<double> samples(width);
    for (std::size_t t = 0; t < width; ++t) {
      samples[t] = values.view()(window, t * channels + channel);
    }
    return samples;
  }
};

Windows read_windows(const std::string& path, std::size_t count,
                     std::size_t channels) {
  const Array array = read_array(path);
  if (array.shape().size() != 3 || array.shape()[0] != count ||
      array.shape()[2] != channels) {
    throw IoError(path, "must hold " + std::to_string(count) + " windows of " +
                            std::to_string(channels) + " channels");
  }
  return {to_matrix<double>(array), array.shape()[1], channels};
}

// An edited channel and how much of the move it makes.
struct Edited {
  std::size_t channel = 0;
  double share = 0.0;
  std::string partner;  // its name, shown beside the channel
  std::vector<std::pair<std::size_t, std::size_t>> spans;
};

std::size_t channel_named(const std::string& name,
                          const std::vector<std::string>& names,
                          const std::string& path) {
  const auto known = std::find(names.begin(), names.end(), name);
  if (known == names.end()) {
    throw IoError(path, "names a channel that the run does not have");
  }
  return static_cast<std::size_t>(known - names.begin());
}

std::vector<Edited> edited_channels(const Node& entry,
                                    const std::vector<std::string>& names,
                                    std::size_t width,
                                    const std::string& path) {
  std::vector<Edited> found;
  const auto at = [&](const Node& name) -> Edited& {
    const std::size_t channel =
        channel_named(name.get<std::string>(), names, path);
    for (Edited& edited : found) {
      if (edited.channel == channel) return edited;
    }
    return found.emplace_back(Edited{channel, 0.0, "", {}});
  };
  for (const Node& edit : entry.at("edits")) {
    Edited& edited = at(edit.at("channel"));
    edited.share += edit.at("share_of_move").get<double>();
    if (edit.contains("partner")) edited.partner = edit.at("partner");
    const Node& realised = edit.at("realised");
    const auto first = realised.at("first_sample").get<std::size_t>();
    const auto last = realised.at("last_sample").get<std::size_t>();
    if (first > last || last >= width) {
      throw IoError(path, "has an edit outside of its window");
    }
    edited.spans.emplace_back(first, last + 1);
  }
  if (entry.contains("changes")) {
    for (const Node& change : entry.at("changes")) at(change.at("channel"));
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const Edited& a, const Edited& b) { return a.share > b.share; });
  return found;
}

// Windows that a model fails on come before others where there are too many;
// those of a severity stand together.
std::vector<std::size_t> shown_windows(
    std::span<const Node> kept, const std::optional<ReportStress>& stress) {
  const std::size_t room = std::min(kept.size(), ReportLimits::kWindows);
  std::vector<std::size_t> shown;
  const auto add = [&](std::size_t i) {
    if (shown.size() < room && std::ranges::find(shown, i) == shown.end()) {
      shown.push_back(i);
    }
  };
  for (const std::size_t index : clearest_cases(stress)) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i].at("index") == index) add(i);
    }
  }
  for (std::size_t i = 0; i < kept.size(); ++i) add(i);
  std::ranges::sort(shown);
  std::ranges::stable_sort(
      shown, {}, [&](std::size_t i) { return kept[i].value("severity", 0); });
  return shown;
}

// "Severity 2, 1 in 320: ", or nothing.
std::string grade_words(const Node& entry) {
  if (!entry.contains("severity")) return "";
  return "Severity " + std::to_string(entry["severity"].get<std::size_t>()) +
         ", " +
         one_in(std::clamp(entry.at("rarity").get<double>(), 1e-12, 1.0)) +
         ": ";
}

}  // namespace

void add_report_windows(const FinishedRun& run, std::span<const Node> kept,
                        ReportData& data) {
  const Node& manifest = run.manifest();
  const auto names = manifest.at("channels").get<std::vector<std::string>>();
  const auto ranges =
      manifest.at("ranges").get<std::vector<std::pair<double, double>>>();
  const std::string path = run.file("decoded/edits.json");
  const std::size_t count = kept.size();
  if (count == 0) return;
  const Windows windows =
      read_windows(run.file("decoded/windows.npy"), count, names.size());
  const Windows sources =
      read_windows(run.file("decoded/sources.npy"), count, names.size());
  if (ranges.size() != names.size() || sources.width != windows.width) {
    throw IoError(run.folder(), "has windows that do not fit its manifest");
  }
  for (const std::size_t i : shown_windows(kept, data.stress)) {
    const Node& entry = kept[i];
    ReportWindow window;
    window.outlier = entry.at("index").get<std::size_t>();
    window.sentences.push_back(grade_words(entry) +
                               entry.at("sentence").get<std::string>());
    for (const Node& other : entry.at("alternatives")) {
      if (window.sentences.size() > kMostAlternatives) break;
      window.sentences.push_back("Another way to this point: " +
                                 other.get<std::string>());
    }
    window.first_row = entry.at("anchor_row").get<std::size_t>();
    if (entry.contains("times")) {
      window.times = {entry["times"].at(0).get<std::string>(),
                      entry["times"].at(1).get<std::string>()};
    }
    window.channel_count = names.size();
    const auto shown =
        [&](std::size_t c, std::string name,
            const std::vector<std::pair<std::size_t, std::size_t>>& spans) {
          window.channels.push_back({std::move(name), sources.column(i, c),
                                     windows.column(i, c), spans,
                                     ranges[c].first, ranges[c].second});
        };
    std::vector<std::string> told;
    const std::vector<Edited> all =
        edited_channels(entry, names, windows.width, path);
    told.reserve(all.size());
    for (const Edited& edited : all) told.push_back(names[edited.channel]);
    for (const Edited& edited : all) {
      shown(edited.channel, names[edited.channel], edited.spans);
      if (edited.partner.empty() ||
          std::find(told.begin(), told.end(), edited.partner) != told.end()) {
        continue;
      }
      told.push_back(edited.partner);
      shown(channel_named(edited.partner, names, path),
            edited.partner + " (partner of " + names[edited.channel] + ")", {});
    }
    data.windows.push_back(std::move(window));
  }
}

}  // namespace sbog::job
