// SPDX-License-Identifier: Apache-2.0
// Tables of report_page.h.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sbog/metrics/distance_ratio.h"
#include "sbog/report/report_page.h"
#include "sbog/report/safe_text.h"

namespace sbog {
namespace {

constexpr std::size_t kMostOutliers = 200;

std::string in_bdi(std::string_view text) {
  return "<bdi>" + html_text(text) + "</bdi>";
}

// "1,234,567".
std::string count(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string number(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return "\xE2\x80\x93";  // a dash
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", *value);
  return buffer;
}

std::string paragraph(const std::string& html) { return "<p>" + html + "</p>"; }

// A table whose cells are HTML already; names of number columns begin with '#'.
class Table {
 public:
  Table(std::string_view caption, const std::vector<std::string_view>& titles) {
    html_ = "<div class=\"scroll\"><table><caption>" + html_text(caption) +
            "</caption><thead><tr>";
    for (const std::string_view title : titles) {
      const bool is_number = title.starts_with('#');
      is_number_.push_back(is_number);
      html_ += std::string("<th scope=\"col\"") +
               (is_number ? " class=\"number\">" : ">") +
               html_text(is_number ? title.substr(1) : title) + "</th>";
    }
    html_ += "</tr></thead><tbody>";
  }

  void row(const std::vector<std::string>& cells) {
    html_ += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const char* kind = is_number_[i] ? " class=\"number\"" : "";
      html_ += i == 0 ? std::string("<th scope=\"row\"") + kind + ">" +
                            cells[i] + "</th>"
                      : std::string("<td") + kind + ">" + cells[i] + "</td>";
    }
    html_ += "</tr>\n";
  }

  std::string html() const { return html_ + "</tbody></table></div>"; }

 private:
  std::string html_;
  std::vector<bool> is_number_;
};

std::string section(std::string_view title, const std::string& inner) {
  return "<section><h2>" + html_text(title) + "</h2>" + inner + "</section>\n";
}

std::string sentence_list(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string html = "<ul class=\"sentences\">";
  for (const std::string& sentence : sentences) {
    html += "<li>" + in_bdi(sentence) + "</li>";
  }
  return html + "</ul>";
}

// Those whose decoded images lie inside again are none.
std::size_t inside_count(const ReportData& data) {
  return data.images_outside ? data.images_total - *data.images_outside : 0;
}

std::string header(const ReportData& data) {
  const ReportRun& run = data.run;
  return "<header class=\"title\"><h1>" +
         count(run.produced - inside_count(data)) + " outliers from " +
         in_bdi(run.input) + "</h1><p class=\"lead\">Run " + in_bdi(run.name) +
         ", rule " + in_bdi(run.rule) + ", seed " + std::to_string(run.seed) +
         ", sbog " + in_bdi(run.version) +
         ". Charts need a script; these are the numbers.</p></header>\n";
}

// Windows of a series are not tested one by one: the notes say what failed.
std::string series_table(const std::vector<ReportClass>& classes) {
  Table table("What became of the windows",
              {"Recorded", "#Windows", "#Reference", "#Outliers", "#Asked",
               "#Threshold", "#Targets drawn"});
  for (const ReportClass& c : classes) {
    table.row({in_bdi(c.name), count(c.points), count(c.reference),
               count(c.produced), count(c.requested), number(c.threshold),
               count(c.proposals)});
  }
  return table.html();
}

// "0.4 to 0.9", or one number.
std::string range(const std::optional<std::pair<double, double>>& interval) {
  if (!interval) return number({});
  const std::string low = number(interval->first);
  const std::string high = number(interval->second);
  return low == high ? low : low + " to " + high;
}

std::string class_table(const std::vector<ReportClass>& classes) {
  Table table("What became of each class",
              {"Class", "#Bank points", "#Outliers", "#Asked", "#Threshold",
               "#Epsilon", "#Radius", "#Proposals", "#Failed energy",
               "#Failed class", "#Failed seed", "Binding"});
  for (const ReportClass& c : classes) {
    table.row({in_bdi(c.name), count(c.points), count(c.produced - c.inside),
               count(c.requested), number(c.threshold), number(c.epsilon),
               range(c.radius), count(c.proposals), count(c.failing_energy),
               count(c.failing_semantic), count(c.failing_seed),
               in_bdi(c.binding)});
  }
  return table.html();
}

// What the energies and the distances of the outliers come to.
std::string placement(const ReportRun& run) {
  std::string html;
  if (run.level && run.produced > 0) {
    html += paragraph("The outliers lie above the energy of " +
                      number(100.0 * *run.level) + " % of their class.");
  }
  if (!run.distance_ratio) return html;
  const std::string times = number(run.distance_ratio);
  if (*run.distance_ratio >= kLeastDistanceRatio) {
    return html + paragraph("They are " + times +
                            " times as far from the bank as a held-out row.");
  }
  return html +
         "<p class=\"note warn\"><strong>Too near.</strong> The outliers are "
         "no "
         "farther out than unseen data: " +
         times +
         " times as far from the bank as a held-out row, where at least " +
         number(kLeastDistanceRatio) +
         " is wanted. A larger --radius moves them out.</p>";
}

std::string summary(const ReportData& data) {
  const std::size_t inside = inside_count(data);
  const bool is_complete =
      data.run.produced >= data.run.requested && inside == 0;
  return section("What was asked and what came out",
                 paragraph(count(data.run.produced - inside) + " of " +
                           count(data.run.requested) +
                           (is_complete ? " outliers: complete."
                                        : " outliers: fell short.")) +
                     placement(data.run) + sentence_list(data.notes) +
                     (data.run.kind == "series" ? series_table(data.classes)
                                                : class_table(data.classes)));
}

std::vector<std::string> energy_row(const char* name,
                                    const ReportColumns& columns,
                                    const std::vector<ReportClass>& classes) {
  std::vector<double> values = columns.energy;
  std::size_t above = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    above += values[i] >= classes[columns.cls[i]].threshold ? 1 : 0;
  }
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const auto at = [&](std::size_t i) {
    return number(n == 0 ? std::optional<double>() : values[i]);
  };
  return {name,      count(columns.total), count(n), at(0), at(n / 2),
          at(n - 1), count(above)};
}

std::string energies(const ReportData& data) {
  if (data.bank.total == 0) return "";
  Table table("Energies of the shown points",
              {"Points", "#In all", "#Shown", "#Lowest", "#Middle", "#Highest",
               "#At or above the threshold"});
  table.row(energy_row("bank", data.bank, data.classes));
  table.row(energy_row("anchors", data.anchors, data.classes));
  table.row(energy_row("outliers", data.outliers, data.classes));
  return section("Energy", table.html());
}

std::string coverage(const ReportData& data) {
  if (data.bank.total == 0) return "";
  Table table("Coverage of each class",
              {"Class", "#Anchors", "#Tried", "#With an outlier", "#Purity"});
  for (const ReportClass& c : data.classes) {
    table.row({in_bdi(c.name), count(c.anchors), count(c.anchors_tried),
               count(c.anchors_hit), number(c.purity)});
  }
  return section("Coverage and diversity", table.html());
}

std::string certificate(const ReportData& data) {
  if (data.certificate.empty()) {
    return section("Certificate", paragraph(in_bdi(data.certificate_note)));
  }
  const nlohmann::json json =
      nlohmann::json::parse(data.certificate, nullptr, false);
  std::vector<std::string> sentences;
  std::string caveat;
  if (json.is_object() && json.contains("sentences") &&
      json["sentences"].is_array()) {
    for (const auto& sentence : json["sentences"]) {
      if (sentence.is_string()) sentences.push_back(sentence);
    }
  }
  if (json.is_object() && json.contains("caveat") &&
      json["caveat"].is_string()) {
    caveat = json["caveat"];
  }
  return section(
      "Certificate",
      (caveat.empty()
           ? ""
           : paragraph("The reason to be careful: " + in_bdi(caveat) + ".")) +
          sentence_list(sentences));
}

std::string metrics(const ReportData& data) {
  if (!data.metrics) {
    return section("Metrics", paragraph(in_bdi(data.metrics_note)));
  }
  Table table("Metrics of the outliers",
              {"Metric", "#Value", "Good direction", "Meaning"});
  for (const ReportMetric& metric : *data.metrics) {
    table.row(
        {in_bdi(metric.name), number(metric.value), in_bdi(metric.direction),
         in_bdi(metric.value ? metric.meaning
                             : metric.meaning + "; none: " + metric.reason)});
  }
  return section("Metrics", table.html());
}

std::string outliers(const ReportData& data) {
  const std::size_t shown = std::min(kMostOutliers, data.outliers.facts.size());
  if (shown == 0) return "";
  Table table("Where the outliers come from",
              {"#Outlier", "Class", "#Energy", "#Margin", "#Anchor row",
               "Origin", "#Cosine to anchor", "What was done"});
  for (std::size_t i = 0; i < shown; ++i) {
    const ReportOutlier& o = data.outliers.facts[i];
    table.row({std::to_string(o.index), in_bdi(data.classes[o.cls].name),
               number(o.energy), number(o.margin),
               o.anchor_row ? std::to_string(*o.anchor_row) : "",
               in_bdi(o.origin), number(o.anchor_cosine),
               o.words.empty() ? "" : in_bdi(o.words)});
  }
  return section("Outliers",
                 paragraph(count(shown) + " of " + count(data.outliers.total) +
                           ", the others are in outliers.csv of the run.") +
                     table.html());
}

std::string picture(const std::string& png, const std::string& words) {
  return "<img loading=\"lazy\" alt=\"" + html_text(words) +
         "\" src=\"data:image/png;base64," + html_text(png) + "\">";
}

std::string item_cell(const ReportData& data, std::size_t position) {
  const ReportItem& item = data.items[position];
  return (item.png
              ? picture(*item.png, "bank row " + std::to_string(item.row)) + " "
              : "") +
         in_bdi(item.text) + " (row " + std::to_string(item.row) + ", " +
         in_bdi(data.classes[item.cls].name) + ")";
}

std::string neighbours(const ReportData& data) {
  if (data.listed.empty()) return "";
  Table table("What the outliers lie next to",
              {"#Outlier", "Class", "Taken for", "Nearest", "Second", "Third"});
  for (const std::size_t i : data.listed) {
    const ReportOutlier& o = data.outliers.facts[i];
    std::vector<std::string> cells = {std::to_string(o.index),
                                      in_bdi(data.classes[o.cls].name)};
    cells.push_back(
        o.neighbours.empty()
            ? ""
            : in_bdi(data.classes[data.items[o.neighbours[0]].cls].name));
    for (std::size_t k = 0; k < 3; ++k) {
      cells.push_back(k < o.neighbours.size() ? item_cell(data, o.neighbours[k])
                                              : "");
    }
    table.row(cells);
  }
  return section("Nearest items",
                 paragraph("The bank rows that are nearest to " +
                           count(data.listed.size()) + " of " +
                           count(data.outliers.total) +
                           " outliers; taken for says the class of the "
                           "nearest one.") +
                     "<div class=\"plain-pictures\">" + table.html() +
                     "</div>");
}

std::string place(const std::optional<bool>& is_outside) {
  if (!is_outside) return "";
  return *is_outside ? "outside" : "<strong>inside: no outlier</strong>";
}

std::string image_table(const ReportData& data) {
  if (data.images.empty()) return "";
  Table table(
      "Decoded images",
      {"#Outlier", "Class", "Source", "Decoded", "#Energy", "#Energy decoded",
       "Lies", "#Severity", "#Cosine", "#Nearest training image"});
  for (const ReportImage& image : data.images) {
    const std::string& name = data.classes[image.cls].name;
    const std::string what =
        "outlier " + std::to_string(image.outlier) + " of class " + name;
    table.row({std::to_string(image.outlier), in_bdi(name),
               image.source_png
                   ? picture(*image.source_png, "source of " + what)
                   : "",
               picture(image.png, what), number(image.energy),
               number(image.decoded_energy), place(image.is_outside),
               image.severity ? std::to_string(*image.severity) : "",
               number(image.consistency), number(image.nearest_image)});
  }
  return paragraph(count(data.images.size()) + " of " +
                   count(data.images_total) +
                   " decoded images, by class and energy.") +
         "<div class=\"plain-pictures\">" + table.html() + "</div>";
}

std::string examples(const ReportData& data) {
  if (data.windows.empty() && data.images.empty()) return "";
  std::string html = image_table(data);
  for (const ReportWindow& window : data.windows) {
    html += "<h3>Outlier " + std::to_string(window.outlier) + "</h3>" +
            sentence_list(window.sentences);
  }
  return section("Decoded examples", html);
}

// "13.7 % (95 %: 10 to 18.1 %)".
std::string share_words(const ReportShare& share) {
  if (share.of == 0) return number(std::nullopt);
  char buffer[96];
  std::snprintf(buffer, sizeof buffer, "%.3g %% (95 %%: %.3g to %.3g %%)",
                100.0 * share.share, 100.0 * share.low, 100.0 * share.high);
  return buffer;
}

std::string group_words(const ReportStressGroup& group) {
  std::string words = group.grouping.empty()
                          ? "all cases"
                          : in_bdi(group.grouping + " " + group.level);
  if (group.severity) {
    words += " at severity " + std::to_string(*group.severity);
  }
  return words;
}

std::string groups_table(std::string_view caption,
                         const std::vector<ReportStressGroup>& groups) {
  if (groups.empty()) return "";
  Table table(caption, {"Group", "#Cases", "#Failures", "Share"});
  for (const ReportStressGroup& group : groups) {
    table.row({group_words(group), count(group.failures.of),
               count(group.failures.count), share_words(group.failures)});
  }
  return table.html();
}

std::string weak_spots(const ReportStress& stress) {
  std::string html;
  for (const ReportWeakSpot& spot : stress.weak_spots) {
    std::vector<std::string> cases;
    for (const ReportWeakSpot::Case& one : spot.clearest) {
      cases.push_back("outlier " + count(one.outlier) +
                      (one.words.empty() ? "" : ": " + one.words));
    }
    html += "<h3>" + group_words(spot) + "</h3>" +
            paragraph(count(spot.failures.count) + " of " +
                      count(spot.failures.of) + " cases fail, " +
                      share_words(spot.failures)) +
            sentence_list(cases);
  }
  return html;
}

std::string stress(const ReportData& data) {
  if (!data.stress) return "";
  const ReportStress& s = *data.stress;
  std::string html = paragraph(
      count(s.overall.count) + " of " + count(s.overall.of) + " cases were " +
      html_text(s.failure) + " by " + in_bdi(s.model) + ": " +
      share_words(s.overall) + ". Of " + count(s.control_failures.of) +
      " controls (" + in_bdi(s.controls) + ") " +
      share_words(s.control_failures) + " fail.");
  if (!s.gates.empty()) {
    Table table("Requirements", {"Requirement", "#Measured", "Outcome"});
    for (const ReportGate& gate : s.gates) {
      table.row({in_bdi(gate.text), number(gate.value),
                 gate.is_passed ? "met" : "not met"});
    }
    html += table.html();
  }
  html += groups_table("Failures by severity", s.severities) + weak_spots(s) +
          groups_table("Failures by group", s.groups) + sentence_list(s.notes);
  return section("Where the model breaks", html);
}

std::string configuration(const ReportData& data) {
  return section("Make it again",
                 "<pre><code>" + html_text(data.command, false) +
                     "</code></pre><pre><code>" +
                     html_text(data.config, false) + "</code></pre>");
}

}  // namespace

std::string report_tables(const ReportData& data) {
  return header(data) + summary(data) + stress(data) + energies(data) +
         coverage(data) + certificate(data) + metrics(data) + examples(data) +
         neighbours(data) + outliers(data) + configuration(data);
}

}  // namespace sbog
