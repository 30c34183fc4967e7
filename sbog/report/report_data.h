// SPDX-License-Identifier: Apache-2.0
// What a report shows, as plain values: the C++ side of the contract that
// web/src/data.ts writes down for the page. Names are those of the JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sbog {

/// How much of each the page takes; LIMITS in web/src/data.ts.
struct ReportLimits {
  static constexpr std::size_t kBank = 5000;
  static constexpr std::size_t kAnchors = 1000;
  static constexpr std::size_t kOutliers = 1000;
  static constexpr std::size_t kFeatures = 2000;
  static constexpr std::size_t kFeatureDimension = 16;
  static constexpr std::size_t kWindows = 12;
  static constexpr std::size_t kImages = 60;
  static constexpr std::size_t kListed = 60;
};

/// Facts about the whole run.
struct ReportRun {
  std::string name;             ///< the folder as it was named
  std::string kind = "latent";  ///< "latent", "series", "image" or "table"
  std::string input;
  std::string input_checksum;
  std::string run;  ///< checksum of configuration and inputs
  std::string rule;
  std::uint64_t seed = 0;
  std::string version;
  std::string state = "complete";  ///< or "partial"
  std::size_t bank_rows = 0;
  std::size_t dimension = 0;
  std::size_t requested = 0;
  std::size_t produced = 0;
  /// Share of its class whose energy an outlier exceeds; runs of before do not
  /// say.
  std::optional<double> level;
  /// Distance to the bank in units of that of a held-out row.
  std::optional<double> distance_ratio;
};

/// How one class went.
struct ReportClass {
  std::string name;
  std::size_t points = 0;
  std::size_t reference = 0;
  std::size_t requested = 0;
  std::size_t produced = 0;
  std::size_t inside = 0;  ///< images of them that lie inside: no outliers
  double threshold = 0.0;
  std::optional<double> epsilon;                    ///< in force
  std::optional<std::pair<double, double>> radius;  ///< of steps, in force
  std::string binding = "none";
  std::uint64_t proposals = 0;
  std::uint64_t failing_energy = 0;
  std::uint64_t failing_semantic = 0;
  std::uint64_t failing_seed = 0;
  std::size_t anchors = 0;
  std::size_t anchors_tried = 0;
  std::size_t anchors_hit = 0;
  std::optional<double> acceptance;
  std::optional<std::pair<double, double>> acceptance_interval;
  std::optional<double> purity;
};

/// Columns that all points have. `cls` is a position in the list of classes,
/// x and y the first two principal coordinates.
struct ReportColumns {
  std::size_t total = 0;  ///< how many there are; the columns hold the shown
  std::vector<std::size_t> cls;
  std::vector<double> energy;
  std::vector<double> x;
  std::vector<double> y;
};

/// Points of the bank.
struct ReportBank : ReportColumns {
  std::vector<std::size_t> row;
};

/// Anchors; those of the shown outliers come first.
struct ReportAnchors : ReportColumns {
  std::vector<std::size_t> row;
  std::vector<std::uint64_t> draws;
  std::vector<std::uint64_t> successes;
};

/// One outlier with its provenance. What its kind of run does not have is
/// empty.
struct ReportOutlier {
  std::size_t index = 0;
  std::size_t cls = 0;
  double energy = 0.0;
  double margin = 0.0;
  std::optional<std::size_t> anchor_row;  ///< of the bank
  std::string origin;
  std::optional<std::size_t> round;
  std::optional<std::size_t> proposal;
  std::optional<std::size_t> feasible;
  std::optional<double> class_cosine;
  std::optional<double> anchor_cosine;
  std::optional<double> p_value;
  std::optional<bool> certified;
  std::string words;  ///< what was done, for people
  /// Positions in the items of the report, nearest first.
  std::vector<std::size_t> neighbours;
};

/// What a row of the bank stands for.
struct ReportItem {
  std::size_t row = 0;  ///< of the bank
  std::size_t cls = 0;
  std::string text;
  std::optional<std::string> png;  ///< base64, of a picture that is there
};

/// The shown outliers.
struct ReportOutliers : ReportColumns {
  std::vector<ReportOutlier> facts;
  std::vector<std::ptrdiff_t> anchor;  ///< position among the anchors, or -1
  std::vector<std::optional<double>> nearest;  ///< cost to the bank
};

/// Leading principal coordinates of some shown points, for UMAP.
struct ReportFeatures {
  std::size_t dimension = 0;
  std::vector<std::size_t> bank;  ///< positions in the columns, as below
  std::vector<std::size_t> anchors;
  std::vector<std::size_t> outliers;
  std::vector<double> values;  ///< row by row, bank first, outliers last
};

/// The map.
struct ReportMap {
  std::pair<double, double> explained;  ///< shares of the variance
  std::optional<ReportFeatures> features;
};

/// A metric with its value or the reason why there is none.
struct ReportMetric {
  std::string name;
  std::optional<double> value;
  std::string direction;
  std::string meaning;
  std::string reason;
};

/// An edited channel of a window, in raw units.
struct ReportChannel {
  std::string name;
  std::vector<double> source;
  std::vector<double> edited;
  std::vector<std::pair<std::size_t, std::size_t>> spans;  ///< [first, end)
  double low = 0.0;
  double high = 0.0;
};

/// A decoded window beside the recorded one.
struct ReportWindow {
  std::size_t outlier = 0;
  std::size_t cls = 0;
  std::vector<std::string> sentences;
  std::size_t first_row = 0;
  std::optional<std::pair<std::string, std::string>> times;
  std::vector<ReportChannel> channels;
  std::size_t channel_count = 0;
};

/// A decoded image, base64 of a PNG file, and what was measured on it.
struct ReportImage {
  std::size_t outlier = 0;
  std::size_t cls = 0;
  std::string png;
  std::optional<std::string> source_png;
  std::optional<double> energy;  ///< of the point, against its whole class
  std::optional<double> decoded_energy;  ///< the same of the image
  std::optional<double> consistency;     ///< cosine of the two points
  /// To the nearest training image, root mean square of pixels in [0, 1].
  std::optional<double> nearest_image;
  std::optional<bool> is_outside;  ///< of its class, after decoding
  std::optional<int> severity;     ///< how rare the image is
};

/// A count of some, with its interval at 95 %.
struct ReportShare {
  std::uint64_t count = 0;
  std::uint64_t of = 0;
  double share = 0.0;
  double low = 0.0;
  double high = 1.0;
};

/// Cases of a stress test that are alike; all of them without a grouping.
struct ReportStressGroup {
  std::string grouping;
  std::string level;
  std::optional<int> severity;  ///< nothing: of all severities
  ReportShare failures;
};

/// A group that fails too often.
struct ReportWeakSpot : ReportStressGroup {
  struct Case {
    std::size_t outlier = 0;  ///< its index
    std::string words;
  };
  std::vector<Case> clearest;
};

/// What is required of a model, and what came of it.
struct ReportGate {
  std::string text;
  bool is_passed = false;
  std::optional<double> value;
};

/// What a model said about the outliers, from stress.json.
struct ReportStress {
  std::string model;
  std::string task;
  std::string failure;   ///< what a failure is, "missed"
  std::string controls;  ///< what the controls are
  ReportShare control_failures;
  ReportShare overall;
  std::optional<double> auroc;
  double tolerance = 0.0;
  std::uint64_t ranked_groups = 0;
  std::vector<ReportStressGroup> severities;
  std::vector<ReportStressGroup> groups;
  std::vector<ReportWeakSpot> weak_spots;
  std::vector<ReportGate> gates;
  std::vector<std::string> notes;
};

/// Everything on the page.
struct ReportData {
  ReportRun run;
  std::vector<ReportClass> classes;
  ReportBank bank;
  ReportAnchors anchors;
  ReportOutliers outliers;
  ReportMap map;
  std::optional<std::vector<ReportMetric>> metrics;
  std::string metrics_note;  ///< why there are none
  /// JSON text of the certificate, or empty.
  std::string certificate;
  std::string certificate_note;        ///< why there is none
  std::optional<ReportStress> stress;  ///< where a model was asked
  /// Rows that are nearest to the shown outliers; none when nobody named them.
  std::vector<ReportItem> items;
  /// Positions of the outliers that are listed with their items.
  std::vector<std::size_t> listed;
  std::vector<ReportWindow> windows;
  std::vector<ReportImage> images;            ///< by class, then by energy
  std::size_t images_total = 0;               ///< decoded in all
  std::optional<std::size_t> images_outside;  ///< of them, of their class
  std::vector<std::string> notes;  ///< remarks on the run, a sentence each
  std::string config;
  std::string command;
};

}  // namespace sbog
