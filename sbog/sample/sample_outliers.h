// SPDX-License-Identifier: Apache-2.0
// Outliers of all classes of a problem in one call: into memory, or part by
// part into a store that a stopped run goes on from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/sample/output.h"
#include "sbog/sample/sampler.h"

namespace sbog {

/// How sampling all classes went.
struct SampleSummary {
  /// kPartial: fewer outputs than asked for; kInfeasible: none; kCancelled: the
  /// reports of the classes that were finished are there, the rest is empty.
  SolveStatus status = SolveStatus::kDone;
  std::vector<ClassReport> reports;  ///< one per class, by increasing label
  /// One per bank row: its score within its class, leave-one-out, that the
  /// threshold is on.
  std::vector<double> bank_scores;
  std::vector<ClassHalves> halves;  ///< one per class when the bank is split
  double prepare_seconds = 0.0;     ///< scoring the bank, choosing anchors
};

/// All outliers of a problem.
template <typename T>
struct OutlierSet : SampleSummary {
  std::vector<Output<T>> outputs;     ///< accepted, by class and then by k
  std::vector<std::int64_t> classes;  ///< the label of each

  /// The outliers as rows, `dim` coordinates each.
  Matrix<T> points(std::size_t dim) const;
};

/// options.count outputs of every class: one class after the other, or where
/// they have at most 512 outputs a few at a time, so that beside the outputs
/// memory stays that of a few classes. Progress counts outputs
/// of all classes. The same for any number of threads. Throws InvalidArgument
/// for options out of range and for a problem that does not fit together.
template <typename T>
[[nodiscard]] OutlierSet<T> sample_outliers(const SampleProblem<T>& problem,
                                            const SamplerOptions& options,
                                            const Context& context = {});

/// Outputs [first_k, first_k + count) of class number cls.
struct PartRange {
  std::size_t cls = 0;
  std::size_t first_k = 0;
  std::size_t count = 0;
};

/// Where sample_parts leaves what it makes.
template <typename T>
class PartStore {
 public:
  virtual ~PartStore() = default;
  /// The part when it has been made before; then it is not made again.
  virtual std::optional<OutlierPart<T>> find(const PartRange& range) = 0;
  /// Takes a part that has just been made.
  virtual void keep(const PartRange& range, OutlierPart<T> part) = 0;
};

/// How many outputs are made, in parts of what size.
struct PartPlan {
  std::vector<std::size_t> counts;  ///< one per class of the sampler
  std::size_t part_size = 4000;     ///< outputs, at least 1
};

/// Makes every part that the store does not have and keeps them class by class
/// in order; memory is that of one class and one part, or of a few classes of
/// at most 512 outputs each. Progress counts outputs of
/// all classes, those found included. Throws InvalidArgument for a plan that
/// does not fit; what the store throws passes through.
template <typename T>
[[nodiscard]] SampleSummary sample_parts(const Sampler<T>& sampler,
                                         const PartPlan& plan,
                                         PartStore<T>& store,
                                         const Context& context = {});

}  // namespace sbog
