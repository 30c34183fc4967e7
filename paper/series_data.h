// SPDX-License-Identifier: Apache-2.0
// Labelled series for the tables about series: the sets of a data folder, or a
// small made set that shows that everything runs.
#pragma once

#include <string>
#include <vector>

#include "paper/experiment.h"
#include "sbog/series/series.h"

namespace sbog::paper {

/// A series by name.
struct SeriesName {
  std::string set;     ///< name of the folder below the data folder
  std::string entity;  ///< machine, channel or plant
};

/// A sentence when there is nothing to list: full size without a data folder.
std::string series_obstacle(const Settings& settings);

/// Everything in the folders of settings.data that have a known layout, smd,
/// msl and smap first, then by name; at small size the first entity of each.
/// Without a data folder the made set. Throws IoError for a folder without any.
std::vector<SeriesName> list_series(const Settings& settings);

/// Whether settings were chosen on this entity, so that results are also shown
/// without it: machine-1-5 and machine-3-2 of smd, M-2 and P-10 of msl, A-5 and
/// D-7 of smap.
bool is_development(const SeriesName& name);

/// Part of a cell key, in lower case.
std::string key_of(const SeriesName& name);

/// Set, entity and, for a folder of npy files, their sizes in bytes, so that a
/// folder with other series is noticed. No path is among them.
Json series_fields(const SeriesName& name, const Settings& settings);

/// A cell about a series: part and seed (null: none), the fields above and
/// more. The key is "PART-SET-ENTITY" with "-sSEED" at the end.
Cell series_cell(const std::string& part, const SeriesName& name,
                 const Settings& settings, Json seed, const Json& more);

/// Stably sorted by the sizes of their files: what takes long comes last.
std::vector<SeriesName> shortest_first(std::vector<SeriesName> names,
                                       const Settings& settings);

/// At most `count` evenly spaced entities of a set, all of the other sets.
std::vector<SeriesName> thin_out(const std::vector<SeriesName>& names,
                                 const std::string& set, std::size_t count);

/// The series that a configuration with these fields names. Throws IoError.
SeriesEntity load_series(const Json& configuration, const std::string& data);

}  // namespace sbog::paper
