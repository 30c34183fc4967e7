// SPDX-License-Identifier: Apache-2.0
// The feasible set of a sampler as a space in which failures are sought.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sbog/sample/sampler.h"
#include "sbog/stress/seek.h"

namespace sbog::stress {

/// Where a drawn point comes from.
struct SeekOrigin {
  std::int64_t label = 0;      ///< its class
  std::size_t anchor_row = 0;  ///< of the bank
};

/// Points of all classes alike, any feasible proposal as likely as another;
/// moved by half a step of the sampler and tested as its proposals are. Keeps
/// every class prepared.
template <typename T>
class SamplerSpace : public SeekSpace {
 public:
  /// `problem` is a view and must outlive this. Throws InvalidArgument as
  /// Sampler does, and for rules without rounds.
  SamplerSpace(const SampleProblem<T>& problem, SamplerOptions options,
               std::uint64_t seed, const Context& context = {});

  Matrix<double> draw(std::size_t count, const Context& context) override;
  std::vector<bool> move(MatrixView<double> points,
                         std::span<const std::size_t> origins,
                         std::size_t round, const Context& context) override;

  /// One per row of draw().
  const std::vector<SeekOrigin>& origins() const { return origins_; }

 private:
  struct Start {
    std::size_t cls = 0;
    std::size_t anchor = 0;
  };

  Sampler<T> sampler_;
  std::uint64_t seed_;
  std::size_t dim_;
  std::vector<ClassRun<T>> runs_;
  std::vector<Start> starts_;  // one per drawn point
  std::vector<SeekOrigin> origins_;
};

}  // namespace sbog::stress
