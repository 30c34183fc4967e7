// SPDX-License-Identifier: Apache-2.0
// What sentences say is what the files of the run hold: the span and the size
// of every edit are computed again, by the plainest loops, from windows.npy and
// sources.npy (and the series, where a lag reads beyond its window).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "oracle/temporary_folder.h"
#include "sbog/base/number_text.h"
#include "sbog/base/thread_pool.h"
#include "sbog/data/npy.h"
#include "sbog/job/generate.h"
#include "sbog/scenario/sentence.h"
#include "sbog/series/synthetic_plant.h"

namespace sbog::testing_support {
namespace told_scenarios_test {

using nlohmann::json;
using series::short_number;
using Row = std::vector<double>;

struct Span {
  std::size_t first = 0;
  std::size_t last = 0;
};

// A finished run with the series it was made from.
struct Run {
  const Series& series;
  json manifest;
  json edits;
  Array windows;
  Array sources;

  std::size_t width() const { return windows.shape()[1]; }
  Row row(const Array& of, std::size_t window, std::size_t channel) const {
    const auto* values = reinterpret_cast<const double*>(of.bytes());
    Row found;
    for (std::size_t t = 0; t < width(); ++t) {
      found.push_back(values[(window * width() + t) * of.shape()[2] + channel]);
    }
    return found;
  }
  std::size_t channel(const json& name) const {
    const auto found = std::find(series.channels.begin(), series.channels.end(),
                                 name.get<std::string>());
    return static_cast<std::size_t>(found - series.channels.begin());
  }
  Row recording(std::size_t channel) const {
    Row all;
    for (std::size_t t = 0; t < series.rows(); ++t) {
      all.push_back(series.values(t, channel));
    }
    return all;
  }
};

double mean_of(const Row& row, const Span& span) {
  double sum = 0.0;
  for (std::size_t t = span.first; t <= span.last; ++t) sum += row[t];
  return sum / static_cast<double>(span.last - span.first + 1);
}

double deviation_of(const Row& row, const Span& span) {
  const double mean = mean_of(row, span);
  double sum = 0.0;
  for (std::size_t t = span.first; t <= span.last; ++t) {
    sum += (row[t] - mean) * (row[t] - mean);
  }
  return std::sqrt(sum / static_cast<double>(span.last - span.first + 1));
}

double median_of(const Row& row, const Span& span) {
  Row part(row.begin() + static_cast<std::ptrdiff_t>(span.first),
           row.begin() + static_cast<std::ptrdiff_t>(span.last + 1));
  std::sort(part.begin(), part.end());
  return part[part.size() / 2];
}

// What is left of a row by the mean of eleven samples around each.
double roughness_of(const Row& row, const Span& span) {
  double sum = 0.0;
  for (std::size_t t = span.first; t <= span.last; ++t) {
    const Span around{t < 5 ? 0 : t - 5, std::min(row.size() - 1, t + 5)};
    const double rest = row[t] - mean_of(row, around);
    sum += rest * rest;
  }
  return std::sqrt(sum);
}

// One edit of one window, seen from the files.
struct Seen {
  const Run& run;
  const json& entry;
  std::size_t number;  // of the edit
  std::size_t c;
  Row source;
  Row window;
  Row change;
  Span span;

  Seen(const Run& r, const json& e, std::size_t k)
      : run(r),
        entry(e),
        number(k),
        c(r.channel(edit().at("channel"))),
        source(r.row(r.sources, e["window"], c)),
        window(r.row(r.windows, e["window"], c)) {
    double largest = 0.0;
    for (std::size_t t = 0; t < source.size(); ++t) {
      change.push_back(window[t] - source[t]);
      largest = std::max(largest, std::abs(change[t]));
    }
    const double range = r.manifest["ranges"][c][1].get<double>() -
                         r.manifest["ranges"][c][0].get<double>();
    const double bar = largest > 0.02 * range ? 0.02 * range : largest / 4.0;
    span = {source.size(), 0};
    for (std::size_t t = 0; t < source.size(); ++t) {
      if (std::abs(change[t]) <= bar) continue;
      span.first = std::min(span.first, t);
      span.last = t;
    }
  }

  const json& edit() const { return entry["edits"][number]; }
  double number_of(const char* name) const {
    return edit().at(name).get<double>();
  }
  // The recording around the window.
  double recorded_at(double time) const {
    const double place =
        std::clamp(time, -40.0, static_cast<double>(run.width() + 39)) +
        entry["anchor_row"].get<double>();
    const double left = std::floor(place);
    const auto value = [&](double row) {
      return run.series.values(
          static_cast<std::size_t>(
              std::clamp(row, 0.0, static_cast<double>(run.series.rows() - 1))),
          c);
    };
    return value(left) + (place - left) * (value(left + 1) - value(left));
  }
  template <class Read>
  double misfit(const Read& read) const {
    double sum = 0.0;
    for (std::size_t t = span.first; t <= span.last; ++t) {
      const double apart =
          window[t] - recorded_at(read(static_cast<double>(t)));
      sum += apart * apart;
    }
    return sum;
  }
  double lag() const {
    double best = 0.0;
    double least = std::numeric_limits<double>::infinity();
    for (double lag = -40.0; lag <= 40.0; ++lag) {
      const double value = misfit([&](double t) { return t - lag; });
      if (value < least) best = lag;
      least = std::min(least, value);
    }
    return best;
  }
  double speed() const {
    const double middle = (number_of("start") + number_of("end")) / 2.0;
    double best = 1.0;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 130; ++i) {
      const double speed = 0.5 + 0.01 * i;
      const double value =
          misfit([&](double t) { return middle + speed * (t - middle); });
      if (value < least) best = speed;
      least = std::min(least, value);
    }
    return best;
  }
  template <class Basis>
  double fitted(const Basis& basis) const {
    double product = 0.0;
    double squares = 0.0;
    for (std::size_t t = span.first; t <= span.last; ++t) {
      product += change[t] * basis(t);
      squares += basis(t) * basis(t);
    }
    return product / squares;
  }
  double amplitude() const {
    return fitted([&](std::size_t t) {
      return std::sin(2.0 * std::numbers::pi * static_cast<double>(t) /
                          number_of("period") +
                      number_of("phase"));
    });
  }
  double coupling() const {
    const std::size_t d = run.channel(edit().at("partner"));
    bool is_edited = false;
    for (std::size_t k = 0; k < number; ++k) {
      is_edited =
          is_edited || entry["edits"][k]["channel"] == edit().at("partner");
    }
    const Row partner =
        run.row(is_edited ? run.windows : run.sources, entry["window"], d);
    const Span all{0, run.series.rows() - 1};
    const Row own = run.recording(c);
    const Row other = run.recording(d);
    return fitted([&](std::size_t t) {
      const double standard =
          (partner[t] - mean_of(other, all)) / deviation_of(other, all);
      return mean_of(own, all) +
             deviation_of(own, all) * number_of("partner_sign") * standard -
             source[t];
    });
  }
};

std::string units(const Seen& seen, double size) {
  const Span all{0, seen.run.series.rows() - 1};
  const std::string number = short_number(std::abs(size));
  return number + (number == "1" ? " unit (" : " units (") +
         short_number(std::abs(size) /
                      deviation_of(seen.run.recording(seen.c), all)) +
         " sd)";
}

std::string row_name(const Seen& seen, std::size_t sample) {
  const std::size_t row = seen.entry["anchor_row"].get<std::size_t>() + sample;
  return seen.run.series.times.empty() ? "row " + std::to_string(row)
                                       : seen.run.series.times[row];
}

std::string when(const Seen& seen) {
  const bool from_start = seen.span.first <= 5;
  const bool to_end = seen.span.last + 6 >= seen.run.width();
  if (from_start && to_end) return "throughout";
  if (seen.span.last - seen.span.first < 10) {
    return "around " + row_name(seen, (seen.span.first + seen.span.last) / 2);
  }
  const std::string from = "from around " + row_name(seen, seen.span.first);
  return to_end ? from + " on" : from + " to " + row_name(seen, seen.span.last);
}

std::string drift(const Seen& seen) {
  double size = 0.0;
  for (const double change : seen.change) {
    if (std::abs(change) > std::abs(size)) size = change;
  }
  std::size_t risen = seen.span.first;
  while (risen < seen.span.last &&
         std::abs(seen.change[risen]) < 0.95 * std::abs(size)) {
    ++risen;
  }
  std::string text = std::string("drifts ") + (size < 0.0 ? "down" : "up") +
                     " by " + units(seen, size) + " from around " +
                     row_name(seen, seen.span.first) + " to " +
                     row_name(seen, risen);
  if (risen + 6 >= seen.run.width()) return text;
  text += " and stays there";
  if (seen.span.last + 6 >= seen.run.width()) return text;
  return text + " until " + row_name(seen, seen.span.last);
}

std::string level(const Seen& seen) {
  const double size = median_of(seen.change, seen.span);
  if (seen.span.last - seen.span.first < 10) {
    return std::string("jumps briefly ") + (size < 0.0 ? "down" : "up") +
           " by " + units(seen, size) + " " + when(seen);
  }
  return "runs " + units(seen, size) + (size < 0.0 ? " below" : " above") +
         " its recorded level " + when(seen);
}

std::string scale(const Seen& seen) {
  const double low = seen.run.manifest["ranges"][seen.c][0].get<double>();
  const std::string swings =
      "swings " +
      short_number(deviation_of(seen.window, seen.span) /
                   deviation_of(seen.source, seen.span)) +
      " times as widely " + when(seen);
  const std::string height =
      "is " +
      short_number((mean_of(seen.window, seen.span) - low) /
                   (mean_of(seen.source, seen.span) - low)) +
      " times its recorded height " + when(seen);
  const std::string told = seen.entry["sentence"];
  return told.find(height) == std::string::npos ? swings : height;
}

// What the sentence should say about an edit.
std::string expected_words(const Seen& seen) {
  const std::string kind = seen.edit().at("kind");
  if (kind == "level") return level(seen);
  if (kind == "trend") return drift(seen);
  if (kind == "scale") return scale(seen);
  if (kind == "noise") {
    return "is " +
           short_number(roughness_of(seen.window, seen.span) /
                        roughness_of(seen.source, seen.span)) +
           " times as noisy " + when(seen);
  }
  if (kind == "delay") {
    const double lag = seen.lag();
    return std::string(lag < 0.0 ? "leads" : "lags") + " by " +
           short_number(std::abs(lag)) +
           (std::abs(lag) == 1.0 ? " sample " : " samples ") + when(seen);
  }
  if (kind == "frequency") {
    return "runs " + short_number(seen.speed()) + " times as fast " +
           when(seen);
  }
  if (kind == "oscillation") {
    return "oscillates with a period of " +
           short_number(seen.number_of("period")) +
           " samples and an amplitude of " + units(seen, seen.amplitude()) +
           " " + when(seen);
  }
  if (kind == "stuck") {
    return "is stuck at " + short_number(median_of(seen.window, seen.span)) +
           " " + when(seen);
  }
  return "to " + std::to_string(std::lround(100.0 * seen.coupling())) + " % " +
         when(seen);
}

// Waves with noise, without times.
Series waves(std::size_t rows) {
  Series series = make_series("waves", Matrix<double>(rows, 3));
  series.channels = {"short", "middle", "long"};
  const Series noise = synthetic_plant(rows, 99);
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double period = 23.0 + 17.0 * static_cast<double>(c);
      series.values(t, c) =
          std::sin(2.0 * std::numbers::pi * static_cast<double>(t) / period) +
          0.02 * noise.values(t, c);
    }
  }
  return series;
}

void write_csv(const Series& series, const std::string& path) {
  std::ofstream file(path);
  file << (series.times.empty() ? "" : "when,");
  for (std::size_t c = 0; c < series.channel_count(); ++c) {
    file << (c > 0 ? "," : "") << series.channels[c];
  }
  for (std::size_t t = 0; t < series.rows(); ++t) {
    file << '\n' << (series.times.empty() ? "" : series.times[t] + ",");
    for (std::size_t c = 0; c < series.channel_count(); ++c) {
      file << (c > 0 ? "," : "") << shortest(series.values(t, c));
    }
  }
}

Run run_on(const Series& series, std::size_t width, std::size_t count,
           const std::string& law, const TemporaryFolder& folder) {
  write_csv(series, folder.file("in.csv"));
  job::GenerateOptions options =
      job::default_generate_options(job::Kind::kSeries);
  options.input = folder.file("in.csv");
  options.out = folder.file("run");
  options.no_report = true;
  options.epochs = 3;
  options.sampler.count = count;
  options.sampler.seed = 8;
  options.series.width = width;
  options.series.time = series.times.empty() ? "none" : "when";
  options.series.law = law;
  options.series.steps = 10;
  options.series.plots = 0;
  job::Events silent;
  ThreadPool pool(2);
  job::generate_series(options, silent, {&pool, nullptr});
  const auto read = [&](const char* name) {
    return json::parse(read_bytes(folder.file(std::string("run/") + name)));
  };
  return {series, read("manifest.json"), read("decoded/edits.json"),
          read_npy(folder.file("run/decoded/windows.npy")),
          read_npy(folder.file("run/decoded/sources.npy"))};
}

// The sentence tells the period and the interval of edits.json.
void check_period(const Run& run, const json& entry) {
  if (!entry.contains("return_period_rows")) return;
  ReturnPeriod period;
  period.rows = entry["return_period_rows"];
  period.is_beyond = entry["return_period_is_beyond"];
  period.low = entry.value("return_period_low", 0.0);
  period.high = entry.value("return_period_high",
                            std::numeric_limits<double>::infinity());
  const double row_seconds = run.series.times.empty() ? 0.0 : 60.0;
  EXPECT_NE(entry["sentence"].get<std::string>().find(
                describe_period(period, row_seconds)),
            std::string::npos)
      << entry["sentence"];
  EXPECT_LE(period.low, period.rows);
  EXPECT_GE(period.high, period.rows);
}

// Returns how many sentences there were.
std::size_t check_sentences(const Run& run) {
  std::size_t checked = 0;
  for (const json& entry : run.edits) {
    if (!entry.contains("window")) continue;
    const std::string sentence = entry["sentence"];
    for (std::size_t k = 0; k < entry["edits"].size(); ++k) {
      const Seen seen(run, entry, k);
      const json& realised = seen.edit().at("realised");
      EXPECT_EQ(realised.at("first_sample"), seen.span.first) << sentence;
      EXPECT_EQ(realised.at("last_sample"), seen.span.last) << sentence;
      EXPECT_NE(sentence.find(expected_words(seen)), std::string::npos)
          << sentence << "\nshould say: " << expected_words(seen);
    }
    EXPECT_EQ(sentence.find("several edits"), std::string::npos);
    check_period(run, entry);
    ++checked;
  }
  return checked;
}

TEST(ToldScenarios, agree_with_the_files_of_the_run) {
  std::size_t checked = 0;
  const auto check = [&](const Series& series, std::size_t width,
                         std::size_t count, const char* law) {
    const TemporaryFolder folder;
    checked += check_sentences(run_on(series, width, count, law, folder));
  };
  check(synthetic_plant(3000, 5), 120, 80, "edit-first");
  check(synthetic_plant(2500, 6), 64, 80, "edit-first");
  check(waves(2500), 96, 80, "edit-first");
  check(synthetic_plant(2000, 7), 64, 9, "isotropic");  // several edits
  EXPECT_GE(checked, 200u);
}

}  // namespace told_scenarios_test
}  // namespace sbog::testing_support
