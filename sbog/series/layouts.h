// SPDX-License-Identifier: Apache-2.0
// The layouts in which the public sets of labelled series are handed out.
//
//   npy folder  <entity>_train.npy, <entity>_test.npy, <entity>_labels.npy
//   SMD         train/, test/, test_label/ with <machine>.txt, no header
//   telemanom   train/ and test/ with <channel>.npy, labeled_anomalies.csv
//               (MSL and SMAP)
//   SWaT        two tables: time, 51 tags, "Normal/Attack" (or `attack`)
//   WADI        two tables: Row, Date, Time, tags, a label of 1 or -1
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sbog/series/series.h"

namespace sbog {

/// Which layout a folder has.
enum class SeriesLayout { kNpyFolder, kSmd, kTelemanom, kSwat, kWadi };

/// "npy", "smd", "telemanom", "swat", "wadi".
const char* to_string(SeriesLayout layout);

/// How to read. The default is the sensible reading; `is_literal` repeats the
/// quirks of a widely used loader, to compare with numbers made by it.
struct LayoutOptions {
  /// SMD: the first row of values and labels is taken for a header and lost.
  /// Telemanom: of two rows for one channel only the first counts. WADI: the
  /// 120 columns after the time by position, rows without label are attacks.
  bool is_literal = false;
  /// Telemanom: only the channels of this spacecraft ("MSL", "SMAP").
  std::string spacecraft;
};

/// The layout of a folder by what is in it. Throws IoError when none fits.
SeriesLayout detect_layout(const std::string& folder);

/// Names of the entities, sorted. A telemanom channel without a row of labels
/// is left out. Throws IoError.
std::vector<std::string> list_entities(const std::string& folder,
                                       SeriesLayout layout,
                                       const LayoutOptions& options = {});

/// Reads one entity: train and test of the same channels, one label per test
/// row. Throws IoError, naming the file.
SeriesEntity read_entity(const std::string& folder, SeriesLayout layout,
                         const std::string& name,
                         const LayoutOptions& options = {});

}  // namespace sbog
