// SPDX-License-Identifier: Apache-2.0
// The sampler over all classes of a bank: one class after the other, so that
// memory stays that of one class.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/binomial.h"
#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/sample/class_sampler.h"
#include "sbog/sample/collect.h"
#include "sbog/sample/output.h"
#include "sbog/sample/prepared_class.h"
#include "sbog/sample/probe.h"
#include "sbog/sample/rivals.h"
#include "sbog/sample/sampler_options.h"

namespace sbog {

/// What outliers are made from. Views only.
template <typename T>
struct SampleProblem {
  MatrixView<const T> bank;
  /// One per row; empty: everything is one class.
  std::span<const std::int64_t> labels;
  /// One row per class in increasing order of label; empty: none, and no
  /// semantic test. Need not be of unit length.
  MatrixView<const double> class_anchors;
  /// One per row, for the task-aware acquisition; may be empty.
  std::span<const double> losses;
};

/// How one severity of a class went.
struct BandReport {
  int severity = 0;
  double low = 0.0;  ///< scores of the band, [low, high)
  double high = 0.0;
  double radius_low = 0.0;
  double radius_high = 0.0;
  std::size_t requested = 0;
  std::size_t produced = 0;
  Constraint binding = Constraint::kNone;  ///< kNone when all were produced
};

/// How sampling a class went.
struct ClassReport {
  std::int64_t label = 0;
  ClassPlan plan;
  std::size_t requested = 0;
  std::size_t produced = 0;
  SolveStatus status = SolveStatus::kDone;  ///< kDone, kPartial, kInfeasible
  Constraint binding = Constraint::kNone;   ///< what bound; kNone with kDone
  std::vector<std::size_t> rounds;          ///< outputs by rounds used - 1
  std::vector<std::size_t> anchor_rows;     ///< rows of the bank
  std::vector<double> anchor_scores;
  std::vector<AnchorTally> tallies;  ///< one per anchor
  double fill_anchors = 0.0;  ///< share of the drawn anchors with a success
  /// Share of the rounds that gave an output, with a 95 % interval.
  double acceptance = 0.0;
  Interval acceptance_interval;
  std::vector<BandReport> bands;  ///< one per severity asked for
};

/// Bank rows of one class by what they are used for.
struct ClassHalves {
  std::vector<std::size_t> reference;    ///< energies are measured against them
  std::vector<std::size_t> calibration;  ///< threshold and anchors are theirs
};

/// One class of a sampler, ready to give outputs. Its functions may use several
/// threads, but only one of them may run at a time.
template <typename T>
class ClassRun {
 public:
  const ClassPlan& plan() const { return prepared_->plan; }
  std::int64_t label() const { return label_; }

  /// Outputs [first_k, first_k + count); anchor_row is a row of the whole bank.
  [[nodiscard]] SampledRange<T> sample(std::size_t first_k, std::size_t count,
                                       const Context& context = {}) const;
  /// One round at some of the anchors; see probe.h.
  [[nodiscard]] Probe probe(std::span<const std::size_t> anchors,
                            std::size_t proposals, std::size_t perturbations,
                            const Context& context = {}) const {
    return probe_anchors(*prepared_, anchors, proposals, perturbations,
                         context);
  }
  /// Tests a point near one of the anchors as its own proposals are tested; see
  /// verify_output. Only `anchor` and `point` of the output are read.
  bool verify(Output<T>& output) const {
    return verify_output(*prepared_, output);
  }
  /// Bank rows of the class, and the score of each, leave-one-out, that the
  /// threshold is on.
  const std::vector<std::size_t>& rows() const { return rows_; }
  const std::vector<double>& scores() const { return prepared_->scores; }
  /// Bank rows of the reference, and those that calibrated the threshold (all
  /// of the class unless the bank is split).
  ClassHalves halves() const {
    return {rows_of(prepared_->kept), rows_of(prepared_->calibration)};
  }
  std::size_t anchor_count() const { return prepared_->anchors.anchors.size(); }
  /// Tallies of a range: one per anchor, for every band.
  std::size_t tally_count() const {
    return anchor_count() * std::max<std::size_t>(1, prepared_->bands.size());
  }
  /// Bands that output k is one of in turn: 1 without severities.
  std::size_t band_count() const {
    return std::max<std::size_t>(1, prepared_->bands.size());
  }
  /// A report over outputs that were asked for and what came of them: how many
  /// of every band (one without severities), by rounds, by tallies.
  ClassReport report(std::size_t requested,
                     const std::vector<std::size_t>& produced,
                     std::vector<std::size_t> rounds,
                     const std::vector<AnchorTally>& tallies) const;

 private:
  template <typename>
  friend class Sampler;

  std::vector<BandReport> report_bands(
      std::size_t requested, const std::vector<std::size_t>& produced,
      const std::vector<AnchorTally>& tallies) const;
  std::vector<std::size_t> rows_of(
      const std::vector<std::size_t>& positions) const;
  Output<T> draw_rival(std::size_t k) const;
  SampledRange<T> sample_bands(std::size_t first_k, std::size_t count,
                               const Context& context) const;
  SampledRange<T> sample_without_rounds(std::size_t first_k, std::size_t count,
                                        const Context& context) const;
  bool fill_pool(const Context& context) const;  // false when cancelled
  bool has_rounds() const { return gaussian_ == nullptr && walk_ == nullptr; }

  std::int64_t label_ = 0;
  std::vector<std::size_t> rows_;  // of the bank
  Matrix<T> points_;               // copy unless the class is everything
  std::vector<double> anchor_;
  std::vector<double> losses_;
  std::unique_ptr<PreparedClass<T>> prepared_;
  const TiedGaussian* gaussian_ = nullptr;
  const BoundaryWalk* walk_ = nullptr;
  std::vector<std::size_t> boundary_;  // anchors of the walk, positions
  mutable std::unique_ptr<ProposalPool> pool_;  // made when first asked for
};

/// See the top of the file.
template <typename T>
class Sampler {
 public:
  /// Checks options and problem; throws InvalidArgument.
  /// With severities it scores the whole bank, and throws for one that some
  /// class has too few scores for.
  Sampler(const SampleProblem<T>& problem, const SamplerOptions& options,
          const Context& context = {});

  const SamplerOptions& options() const { return options_; }
  const std::vector<std::int64_t>& labels() const { return labels_; }
  std::size_t bank_rows() const { return problem_.bank.rows(); }
  /// Prepares class number c (in increasing order of label); throws
  /// InvalidArgument when there is no such class.
  ClassRun<T> prepare(std::size_t c, const Context& context = {}) const;

 private:
  std::vector<std::size_t> rows_of_class(std::size_t c) const;
  // The temperature that suits some rows of the bank (all of them when empty);
  // nothing for one point and for equal ones.
  std::optional<double> epsilon_of(std::span<const std::size_t> rows) const;
  // One temperature for all classes of a split bank, since a certificate has
  // one: the median of theirs, of the rows that may have a say in proposals.
  double common_epsilon() const;
  // Rows that may have a say in proposals; empty: all.
  std::vector<std::size_t> shaping_rows() const;
  // What classes are measured by, before anything is chosen.
  struct ClassData;
  ClassData data_of(std::size_t c) const;
  void measure_tails(const Context& context);

  SampleProblem<T> problem_;
  SamplerOptions options_;
  std::vector<std::int64_t> labels_;        // distinct, increasing
  std::vector<std::uint32_t> class_of_;     // class number per row
  Matrix<double> unit_anchors_;             // class anchors, unit rows
  std::unique_ptr<TiedGaussian> gaussian_;  // VOS
  std::unique_ptr<BoundaryWalk> walk_;      // BOOD
  std::unique_ptr<StepShape> shape_;        // shaped steps
  std::vector<ScoredClass> known_;          // with severities
  ClassTails tails_;
};

/// Renormalised class means, one row per distinct label, increasing.
template <typename T>
Matrix<double> class_means(MatrixView<const T> bank,
                           std::span<const std::int64_t> labels);

}  // namespace sbog
