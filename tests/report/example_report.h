// SPDX-License-Identifier: Apache-2.0
// A small report with every field filled, for tests.
#pragma once

#include <string>

#include "sbog/report/report_data.h"

namespace sbog::testing_support {

/// Text that must be shown as it is.
inline const std::string kHostile =
    "</script><script>alert(\"1\")</script>&'\u202E\u2028\xFF";

inline std::string example_certificate() {
  return R"({"certified":false,"caveat":"a <caveat>","delta":0.05,
    "sentences":["None is clear."],
    "growth":[{"factor":1,"certified_share":0}],
    "totals":{"outliers":1,"accepted":1,"certified_accept":0,
              "certified_reject":0,"undecided":1},
    "classes":[],"calculators":{"required_n":{"margin":0.1,
      "hoeffding_paper":null,"two_sided_relative":1,"one_sided_kl":2},
      "knn_theorem":null,"uniform_bound":null}})";
}

/// Two classes, three bank points, two anchors, one outlier.
inline ReportData example_report(const std::string& text = "calm") {
  ReportData data;
  data.run = {text,      "series", text, "00ff", "11ee", "sbog", 7,  "0.1.0",
              "partial", 3,        2,    2,      1,      0.95,   2.5};
  ReportClass cls;
  cls.name = text;
  cls.points = 3;
  cls.threshold = 0.25;
  cls.epsilon = 0.05;
  cls.radius = {0.4, 0.9};
  cls.binding = "energy";
  cls.proposals = 10;
  cls.failing_energy = 4;
  cls.acceptance = 0.5;
  cls.acceptance_interval = {0.1, 0.9};
  cls.purity = 1.0;
  data.classes = {cls, ReportClass{}};
  data.classes[1].name = "other";
  data.bank.total = 3;
  data.bank.cls = {0, 0, 1};
  data.bank.energy = {0.1, 0.2, 0.123456789};
  data.bank.x = {1, 2, 3};
  data.bank.y = {4, 5, 6};
  data.bank.row = {0, 1, 2};
  data.anchors.total = 2;
  data.anchors.cls = {0, 1};
  data.anchors.energy = {0.2, 0.1};
  data.anchors.x = {2, 3};
  data.anchors.y = {5, 6};
  data.anchors.row = {1, 2};
  data.anchors.draws = {3, 0};
  data.anchors.successes = {1, 0};
  data.outliers.total = 1;
  data.outliers.cls = {0};
  data.outliers.energy = {0.3};
  data.outliers.x = {9};
  data.outliers.y = {8};
  ReportOutlier outlier;
  outlier.index = 5;
  outlier.energy = 0.3;
  outlier.margin = 0.05;
  outlier.anchor_row = 1;
  outlier.origin = "round";
  outlier.round = 1;
  outlier.proposal = 2;
  outlier.feasible = 3;
  outlier.class_cosine = 0.9;
  outlier.p_value = 0.01;
  outlier.certified = false;
  outlier.words = text;
  outlier.neighbours = {1, 0};
  data.outliers.facts = {outlier};
  data.items = {{2, 1, "item " + text, {}}, {1, 0, "ring.png", "QUJD"}};
  data.listed = {0};
  data.outliers.anchor = {0};
  data.outliers.nearest = {0.02};
  data.map.explained = {0.6, 0.3};
  data.map.features =
      ReportFeatures{2, {0, 1}, {0}, {0}, {1, 4, 2, 5, 2, 5, 9, 8}};
  data.metrics = {{{"Gap", 0.05, "higher is better", "mean margin", ""},
                   {"Yield", {}, "neutral", "passing", text}}};
  data.certificate = example_certificate();
  ReportStress stress;
  stress.model = text;
  stress.task = "detector";
  stress.failure = "missed";
  stress.controls = "held-out rows " + text;
  stress.control_failures = {3, 300, 0.01, 0.002, 0.029};
  stress.overall = {9, 20, 0.45, 0.23, 0.68};
  stress.auroc = 0.87;
  stress.tolerance = 0.1;
  stress.ranked_groups = 2;
  stress.severities = {{"", "", 1, {9, 20, 0.45, 0.23, 0.68}}};
  stress.groups = {{"class", text, {}, {9, 10, 0.9, 0.55, 0.99}},
                   {"class", "b", 2, {0, 10, 0.0, 0.0, 0.31}}};
  ReportWeakSpot spot;
  static_cast<ReportStressGroup&>(spot) = stress.groups[0];
  spot.clearest = {{5, text}, {6, ""}};
  stress.weak_spots = {spot};
  stress.gates = {{"detection >= 0.9 " + text, false, 0.55},
                  {"delay <= 3", true, {}}};
  stress.notes = {text};
  data.stress = stress;
  ReportWindow window;
  window.outlier = 5;
  window.sentences = {text, "more"};
  window.first_row = 40;
  window.times = {text, "later"};
  window.channels = {{text, {1, 2}, {1, 3}, {{1, 2}}, 0.0, 4.0}};
  window.channel_count = 12;
  data.windows = {window};
  data.images = {{5, 0, "QUJD", "QUJD", 0.3, 0.2, 0.9, 0.11, true, 2},
                 {6, 1, "QUJD", {}, {}, {}, {}, {}, {}, {}}};
  data.images_total = 7;
  data.notes = {text};
  data.config = "seed = 0\n# " + text;
  data.command = "sbog generate x";
  return data;
}

}  // namespace sbog::testing_support
