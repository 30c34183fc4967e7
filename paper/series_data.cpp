// SPDX-License-Identifier: Apache-2.0
// Folders of series; see series_data.h.
#include "paper/series_data.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"
#include "sbog/series/layouts.h"

namespace sbog::paper {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kFirstSets = {"smd", "msl", "smap"};
constexpr std::array<std::pair<const char*, const char*>, 6> kDevelopment = {
    {{"smd", "machine-1-5"},
     {"smd", "machine-3-2"},
     {"msl", "M-2"},
     {"msl", "P-10"},
     {"smap", "A-5"},
     {"smap", "D-7"}}};

constexpr const char* kMadeSet = "made";
constexpr std::size_t kMadeRows = 500;
constexpr std::size_t kMadeChannels = 6;
constexpr std::size_t kMadeEntities = 2;

std::string folder_of(const std::string& data, const std::string& set) {
  return (fs::path(data) / set).string();
}

// The two spacecraft of one layout are told apart by the name of the set.
LayoutOptions layout_options(const std::string& set) {
  LayoutOptions options;
  if (set == "msl") options.spacecraft = "MSL";
  if (set == "smap") options.spacecraft = "SMAP";
  return options;
}

std::optional<SeriesLayout> layout_of(const std::string& folder) {
  try {
    return detect_layout(folder);
  } catch (const IoError&) {
    return std::nullopt;  // holds something else
  }
}

std::vector<std::string> list_sets(const std::string& data) {
  std::error_code error;
  fs::directory_iterator folders(data, error);
  if (error) throw IoError(data, "the data folder cannot be read");
  std::vector<std::string> sets;
  for (const auto& entry : folders) {
    if (entry.is_directory() && layout_of(entry.path().string())) {
      sets.push_back(entry.path().filename().string());
    }
  }
  const auto rank = [](const std::string& set) {
    const auto found = std::find(kFirstSets.begin(), kFirstSets.end(), set);
    return std::pair(found - kFirstSets.begin(), set);
  };
  std::sort(sets.begin(), sets.end(),
            [&](const std::string& a, const std::string& b) {
              return rank(a) < rank(b);
            });
  return sets;
}

std::string made_name(std::size_t i) { return "waves-" + std::to_string(i); }

// Waves with noise; rows of the test part are lifted in two segments, which are
// its anomalies. Key: the number of the entity; stream (class 0, round: 0 for
// training and 1 for test).
Matrix<double> make_waves(std::uint64_t number, std::uint32_t part) {
  Matrix<double> values(kMadeRows, kMadeChannels);
  PhiloxStream(number, 0, part, 0).normals(0, values.elements());
  for (std::size_t t = 0; t < values.rows(); ++t) {
    for (std::size_t c = 0; c < values.cols(); ++c) {
      const double angle = 0.05 * static_cast<double>((c + number) * t);
      values(t, c) = std::sin(angle) + 0.05 * values(t, c);
    }
  }
  return values;
}

SeriesEntity make_entity(const std::string& name) {
  std::uint64_t number = 1;
  while (number <= kMadeEntities && made_name(number) != name) ++number;
  if (number > kMadeEntities) {
    throw InvalidArgument("series: '" + name + "' is not in the made set");
  }
  SeriesEntity entity;
  entity.name = name;
  entity.train = make_series(name, make_waves(number, 0));
  Matrix<double> test = make_waves(number, 1);
  entity.labels.assign(test.rows(), 0);
  for (const auto& [first, end] :
       {std::pair<std::size_t, std::size_t>{200, 260}, {400, 440}}) {
    for (std::size_t t = first; t < end; ++t) {
      entity.labels[t] = 1;
      for (std::size_t c = 0; c < 3; ++c) test(t, c) += 1.5;
    }
  }
  entity.test = make_series(name, std::move(test));
  return entity;
}

}  // namespace

std::string series_obstacle(const Settings& settings) {
  const bool is_missing = settings.data.empty() && settings.size == Size::kFull;
  return is_missing ? "the full size needs --data DIR, a folder with sets of "
                      "labelled series such as DIR/smd"
                    : "";
}

std::vector<SeriesName> list_series(const Settings& settings) {
  std::vector<SeriesName> names;
  if (settings.data.empty()) {
    for (std::size_t i = 1; i <= kMadeEntities; ++i) {
      names.push_back({kMadeSet, made_name(i)});
    }
    return names;
  }
  for (const std::string& set :
       wanted_sets(settings, list_sets(settings.data))) {
    const std::string folder = folder_of(settings.data, set);
    for (const std::string& entity :
         list_entities(folder, detect_layout(folder), layout_options(set))) {
      names.push_back({set, entity});
      if (settings.size == Size::kSmall) break;
    }
  }
  if (names.empty()) {
    throw IoError(settings.data,
                  "no folder with labelled series, such as smd, is in here");
  }
  return names;
}

bool is_development(const SeriesName& name) {
  return std::any_of(
      kDevelopment.begin(), kDevelopment.end(), [&](const auto& known) {
        return name.set == known.first && name.entity == known.second;
      });
}

std::string key_of(const SeriesName& name) {
  std::string key = name.set + "-" + name.entity;
  for (char& c : key) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        std::isalnum(byte) != 0 || c == '.' || c == '_' || c == '-';
    c = is_plain ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return key;
}

Json series_fields(const SeriesName& name, const Settings& settings) {
  Json fields = {{"set", name.set},
                 {"entity", name.entity},
                 {"is_development", is_development(name)}};
  if (settings.data.empty()) return fields;
  const fs::path folder = folder_of(settings.data, name.set);
  Json bytes = Json::array();
  for (const char* part : {"_train.npy", "_test.npy", "_labels.npy"}) {
    std::error_code error;
    const auto size = fs::file_size(folder / (name.entity + part), error);
    if (!error) bytes.push_back(size);
  }
  fields["bytes"] = bytes;
  return fields;
}

Cell series_cell(const std::string& part, const SeriesName& name,
                 const Settings& settings, Json seed, const Json& more) {
  std::string key = part + "-" + key_of(name);
  if (!seed.is_null()) key += "-s" + seed.dump();
  Json configuration = {{"part", part}, {"seed", std::move(seed)}};
  configuration.update(series_fields(name, settings));
  configuration.update(more);
  return {key, configuration};
}

std::vector<SeriesName> shortest_first(std::vector<SeriesName> names,
                                       const Settings& settings) {
  std::vector<std::pair<std::uintmax_t, SeriesName>> sized;
  for (SeriesName& name : names) {
    const Json fields = series_fields(name, settings);
    std::uintmax_t sum = 0;
    if (fields.contains("bytes")) {
      for (const Json& bytes : fields["bytes"]) {
        sum += bytes.get<std::uintmax_t>();
      }
    }
    sized.emplace_back(sum, std::move(name));
  }
  std::stable_sort(
      sized.begin(), sized.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  names.clear();
  for (auto& entry : sized) names.push_back(std::move(entry.second));
  return names;
}

std::vector<SeriesName> thin_out(const std::vector<SeriesName>& names,
                                 const std::string& set, std::size_t count) {
  const auto is_of_set = [&](const SeriesName& name) {
    return name.set == set;
  };
  const auto all = static_cast<std::size_t>(
      std::count_if(names.begin(), names.end(), is_of_set));
  std::vector<SeriesName> kept;
  std::size_t i = 0;  // within the set
  for (const SeriesName& name : names) {
    if (!is_of_set(name)) {
      kept.push_back(name);
      continue;
    }
    // The first one of each of `count` equal parts.
    const bool is_first =
        all <= count || i == 0 || i * count / all != (i - 1) * count / all;
    if (is_first) kept.push_back(name);
    ++i;
  }
  return kept;
}

SeriesEntity load_series(const Json& configuration, const std::string& data) {
  const std::string set = configuration.at("set");
  const std::string entity = configuration.at("entity");
  if (set == kMadeSet && data.empty()) return make_entity(entity);
  const std::string folder = folder_of(data, set);
  return read_entity(folder, detect_layout(folder), entity,
                     layout_options(set));
}

}  // namespace sbog::paper
