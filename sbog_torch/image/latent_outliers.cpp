// SPDX-License-Identifier: Apache-2.0
// Sampling for latent_outliers.h.
#include "sbog_torch/image/latent_outliers.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog::image {
namespace {

// One row per class that has points, as the sampler wants it.
Matrix<double> present_anchors(const FeatureBank& bank,
                               MatrixView<const float> anchors) {
  if (anchors.rows() != bank.counts.size() ||
      anchors.cols() != bank.latents.cols()) {
    throw InvalidArgument(
        "draw_latent_outliers: one anchor per class, as wide as the latents, "
        "is expected");
  }
  const auto is_present = [](std::int64_t count) { return count > 0; };
  const auto present =
      std::count_if(bank.counts.begin(), bank.counts.end(), is_present);
  Matrix<double> rows(static_cast<std::size_t>(present), anchors.cols());
  std::size_t next = 0;
  for (std::size_t c = 0; c < bank.counts.size(); ++c) {
    if (bank.counts[c] == 0) continue;
    std::ranges::copy(anchors.row(c), rows.row(next++).begin());
  }
  return rows;
}

// Adds the outliers of the classes before to what a class reports.
class ShiftedObserver : public Observer {
 public:
  ShiftedObserver(Observer* observer, std::size_t total)
      : observer_(observer), total_(total) {}
  void set_base(std::size_t base) { base_ = base; }
  bool on_progress(std::uint64_t done, std::uint64_t /*total*/) override {
    return observer_ == nullptr || observer_->on_progress(base_ + done, total_);
  }

 private:
  Observer* observer_;
  std::size_t total_;
  std::size_t base_ = 0;
};

// Rounds of the accepted outputs, for the report.
std::vector<std::size_t> rounds_of(const std::vector<Output<float>>& outputs,
                                   std::size_t max_rounds) {
  std::vector<std::size_t> rounds(max_rounds, 0);
  for (const Output<float>& output : outputs) {
    if (output.is_accepted && output.rounds >= 1) {
      ++rounds[std::min(output.rounds, max_rounds) - 1];
    }
  }
  return rounds;
}

void take_accepted(std::vector<Output<float>> outputs, std::int64_t label,
                   std::vector<std::vector<float>>& points,
                   LatentOutliers& found) {
  for (Output<float>& output : outputs) {
    if (!output.is_accepted) continue;
    points.push_back(output.point);
    found.classes.push_back(label);
    found.bank_rows.push_back(output.anchor_row);
    found.outputs.push_back(std::move(output));
  }
}

// The row of the bank, of this class, with the largest cosine to a point.
std::size_t nearest_row(const FeatureBank& bank, std::int64_t label,
                        std::span<const float> point) {
  std::size_t best = 0;
  double highest = -2.0;
  for (std::size_t i = 0; i < bank.labels.size(); ++i) {
    if (bank.labels[i] != label) continue;
    double cosine = 0.0;
    for (std::size_t k = 0; k < point.size(); ++k) {
      cosine += double{bank.latents(i, k)} * point[k];
    }
    if (cosine > highest) {
      highest = cosine;
      best = i;
    }
  }
  return best;
}

}  // namespace

LatentOutliers draw_latent_outliers(const FeatureBank& bank,
                                    MatrixView<const float> anchors,
                                    const SamplerOptions& options,
                                    const Context& context) {
  LatentOutliers found;
  found.class_anchors = present_anchors(bank, anchors);
  const Sampler<float> sampler({bank.latents,
                                bank.labels,
                                std::as_const(found.class_anchors).view(),
                                {}},
                               options);
  const std::size_t classes = sampler.labels().size();
  ShiftedObserver observer(context.observer, classes * options.count);
  std::vector<double> scores(bank.latents.rows());
  std::vector<std::vector<float>> points;
  for (std::size_t c = 0; c < classes; ++c) {
    const ClassRun<float> run = sampler.prepare(c, {context.pool, nullptr});
    for (std::size_t i = 0; i < run.rows().size(); ++i) {
      scores[run.rows()[i]] = run.scores()[i];
    }
    std::vector<Output<float>> outputs;
    std::vector<AnchorTally> tallies(run.anchor_count());
    observer.set_base(c * options.count);
    if (!run.sample(0, options.count, outputs, tallies,
                    {context.pool, &observer})) {
      found.status = SolveStatus::kCancelled;
      return found;
    }
    const std::size_t before = points.size();
    std::vector<std::size_t> rounds =
        rounds_of(outputs, sampler.options().max_rounds);
    take_accepted(std::move(outputs), run.label(), points, found);
    const std::size_t produced = points.size() - before;
    if (produced < options.count) found.status = SolveStatus::kPartial;
    found.reports.push_back(run.report(options.count, produced,
                                       std::move(rounds), std::move(tallies)));
  }
  found.bank_scores = std::move(scores);
  found.latents = Matrix<float>(points.size(), bank.latents.cols());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::ranges::copy(points[i], found.latents.row(i).begin());
    if (options.rule == Rule::kVos) {
      found.bank_rows[i] = nearest_row(bank, found.classes[i], points[i]);
    }
  }
  return found;
}

}  // namespace sbog::image
