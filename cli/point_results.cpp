// SPDX-License-Identifier: Apache-2.0
// See point_results.h.
#include "point_results.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "sbog/base/number_text.h"

namespace sbog::cli {
namespace {

// Characters of an item that are shown.
constexpr std::size_t kShownItem = 72;

// "head, rmd and mean".
std::string listed_scores(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return names.size() > 1 ? "the mean of " + text : text;
}

// Cut between characters of UTF-8.
std::string shown_item(const std::string& item) {
  if (item.size() <= kShownItem) return item;
  std::size_t end = kShownItem;
  while (end > 0 && (static_cast<unsigned char>(item[end]) & 0xC0) == 0x80) {
    --end;
  }
  return item.substr(0, end) + "...";
}

void print_verdict(const job::PointVerdict& verdict) {
  std::printf("row %zu is unusual: score %.4g, p-value %.2g; nearest class %s",
              verdict.row, verdict.score, verdict.p_value,
              verdict.class_name.c_str());
  const char* separator = "; features ";
  for (const detect::FeatureShare& carrier : verdict.carriers) {
    std::printf("%s%zu (%.0f %%)", separator, carrier.feature,
                100.0 * carrier.share);
    separator = ", ";
  }
  std::printf("\n");
  for (const job::NearItem& near : verdict.near) {
    std::printf("  near to row %zu of the bank (cosine %.2f, class %s)%s%s\n",
                near.row, near.cosine, near.class_name.c_str(),
                near.item.empty() ? "" : ": ", shown_item(near.item).c_str());
  }
}

}  // namespace

void print_point_detector(const job::PointTrainResult& result) {
  std::printf(
      "%s: %s on a bank of %s points of %zu numbers, %zu class%s (%s)\n",
      result.options.out.c_str(), listed_scores(result.scores).c_str(),
      with_commas(result.bank).c_str(), result.dimensions, result.classes,
      result.classes == 1 ? "" : "es", duration(result.seconds).c_str());
  if (result.outliers > 0) {
    std::printf("the head was shown %s outliers\n",
                with_commas(result.outliers).c_str());
  }
  std::printf(
      "threshold %.4g: at most %.3g %% of fresh usual rows lie above, by %s "
      "rows that were held out\n",
      result.threshold, 100.0 * (1.0 - result.options.level),
      with_commas(result.held_out).c_str());
}

void print_point_verdicts(const job::PointScoreResult& result) {
  const std::vector<std::size_t> rows = result.unusual_rows();
  const std::size_t shown = std::min(result.options.top, rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    print_verdict(result.verdicts[rows[i]]);
  }
  if (rows.size() > shown) {
    std::printf("and %s more unusual rows\n",
                with_commas(rows.size() - shown).c_str());
  }
  std::printf("%s of %s rows are unusual (score above %.4g, by %s)\n",
              with_commas(rows.size()).c_str(),
              with_commas(result.verdicts.size()).c_str(), result.threshold,
              listed_scores(result.scores).c_str());
  if (result.accuracy) {
    std::printf("the nearest class is the class of the row for %.1f %%\n",
                100.0 * *result.accuracy);
  }
  if (const auto& outside = result.outside) {
    std::printf("%s rows of %s: %.1f %% are unusual; AUROC %.4f, FPR95 %.4f\n",
                with_commas(outside->rows).c_str(),
                result.options.outside.c_str(), 100.0 * outside->unusual_share,
                outside->auroc, outside->fpr95);
  }
}

}  // namespace sbog::cli
