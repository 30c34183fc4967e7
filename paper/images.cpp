// SPDX-License-Identifier: Apache-2.0
// The main table about images: detectors that were shown outliers of several
// rules, with one encoder and one decoder per set and seed.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "paper/image_cells.h"
#include "paper/image_summary.h"
#include "paper/registry.h"

namespace sbog::paper {
namespace images_table {
namespace {

constexpr const char* kTitle =
    "Detection of unknown images: outliers by several rules, shown to "
    "detectors";

// Averages that the paper prints for its sets: FPR95 and AUROC in percent.
struct PaperRow {
  const char* method;
  double imagenet_fpr;
  double imagenet_auroc;
  double cifar_fpr;
  double cifar_auroc;
};
constexpr std::array<PaperRow, 4> kPaperRows = {{
    {"VOS", 49.02, 90.03, 73.98, 79.48},
    {"BOOD", 35.37, 92.44, 10.67, 97.42},
    {"SBOG (paper)", 15.33, 96.90, 12.44, 97.23},
    {"SBOG robust", 14.75, 96.97, 12.97, 96.95},
}};

// Ten kinds of outliers shown to the encoder, then to a head on its latents,
// and three of them to a network that knows no anchors.
std::vector<ImageRow> rows() {
  std::vector<ImageRow> rows = {{"no outliers", "none"},
                                {"Gaussian noise", "noise"},
                                {"Random", "random"},
                                {"k-NN", "knn"},
                                {"KDE", "kde-median"},
                                {"VOS", "vos"},
                                {"BOOD", "bood"},
                                {"SBOG (paper)", "sbog", "paper-image"},
                                {"SBOG (default)", "sbog", "balanced"},
                                {"SBOG robust", "sbog", "balanced", true},
                                {"SBOG (exposure)", "sbog", "exposure"}};
  const std::size_t rules = rows.size();
  for (std::size_t r = 0; r < rules; ++r) {
    rows.push_back(with_start(rows[r], "head", "head"));
  }
  for (const std::size_t r : {0U, 1U, 8U}) {
    rows.push_back(with_start(rows[r], "fresh", "fresh network"));
  }
  return rows;
}

std::vector<Json> paper_figures(const std::string& method) {
  for (const PaperRow& row : kPaperRows) {
    if (method == row.method) {
      return {row.imagenet_fpr, row.imagenet_auroc, row.cifar_fpr,
              row.cifar_auroc};
    }
  }
  return {nullptr, nullptr, nullptr, nullptr};
}

Presentation present(const std::vector<FinishedCell>& cells) {
  Presentation shown{};
  shown.table.columns = image_columns();
  for (const char* name :
       {"IN-100 FPR95", "IN-100 AUROC", "CIFAR-100 FPR95", "CIFAR-100 AUROC"}) {
    shown.table.columns.push_back({name, Style::kFixed, 2, Source::kPaper});
  }
  std::vector<ImageTableRow> rows = image_table_rows(cells);
  shown.chart = image_chart(kTitle, rows);
  for (ImageTableRow& row : rows) {
    for (const Json& figure :
         paper_figures(row.outside == "mean" ? row.method : "")) {
      row.values.push_back(figure);
    }
    shown.table.rows.push_back(std::move(row.values));
  }
  shown.notes = image_notes(cells);
  shown.notes.push_back(
      "Outliers are shown to the aligned encoder, whose logits are cosines to "
      "the class anchors divided by 0.1; 'head' rows show their latents to a "
      "linear head on the latents of that encoder, with no decoder; 'fresh "
      "network' rows show them to a classifier of the same layers that was "
      "trained for it alone.");
  shown.notes.push_back(
      "The paper's figures are averages, in percent, on ImageNet-100 and "
      "CIFAR-100 with ResNet-34, outliers drawn by Stable Diffusion and other "
      "test sets; they stand beside ours and are no targets for them.");
  return shown;
}

}  // namespace
}  // namespace images_table

Experiment images_experiment() {
  using namespace images_table;
  return {
      "images",
      kTitle,
      seeds_by_size(1, 3),
      [](const Settings& settings) { return image_cells(settings, rows()); },
      compute_image_cell,
      present,
      image_cells_obstacle};
}

bool is_about_images(std::string_view name) {
  return name == "images" || name == "anchors" || name == "semantic";
}

}  // namespace sbog::paper
