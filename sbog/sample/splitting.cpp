// SPDX-License-Identifier: Apache-2.0
// The climb of splitting.h.
#include "sbog/sample/splitting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sbog/base/philox.h"
#include "sbog/sample/class_sampler.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/round.h"

namespace sbog {
namespace {

constexpr std::uint32_t kFirstProposal = std::uint32_t{1} << 30;
constexpr double kFreshShare = 0.5;  // b of the move

// A population of noise vectors with what their points score.
template <typename T>
class Population {
 public:
  Population(const PreparedClass<T>& prepared, std::size_t anchor,
             const PhiloxStream& stream)
      : prepared_(prepared), anchor_(anchor), stream_(stream) {
    const std::size_t count = prepared.options.proposal_count;
    noise_ = Matrix<double>(count, prepared.problem.points.cols());
    for (std::size_t j = 0; j < count; ++j) draw(noise_.row(j));
    values_ = evaluate(noise_);
  }

  const std::vector<double>& values() const { return values_; }
  std::vector<T> point(std::size_t j) const {
    std::vector<double> v(noise_.cols());
    to_point(noise_.row(j), v);
    return {v.begin(), v.end()};
  }

  // Survivors take the places of the others.
  void resample(const std::vector<std::size_t>& survivors) {
    Matrix<double> next(noise_.rows(), noise_.cols());
    std::vector<double> values(noise_.rows());
    for (std::size_t j = 0; j < noise_.rows(); ++j) {
      const std::size_t from = survivors[j % survivors.size()];
      std::copy_n(noise_.row(from).data(), noise_.cols(), next.row(j).data());
      values[j] = values_[from];
    }
    noise_ = std::move(next);
    values_ = std::move(values);
  }

  // One move of everybody above the level.
  void move(double level) {
    Matrix<double> moved(noise_.rows(), noise_.cols());
    std::vector<double> fresh(noise_.cols());
    for (std::size_t j = 0; j < noise_.rows(); ++j) {
      draw(fresh);
      for (std::size_t k = 0; k < fresh.size(); ++k) {
        moved(j, k) =
            std::sqrt(1.0 - kFreshShare * kFreshShare) * noise_(j, k) +
            kFreshShare * fresh[k];
      }
    }
    const std::vector<double> values = evaluate(moved);
    for (std::size_t j = 0; j < noise_.rows(); ++j) {
      if (!(values[j] >= level)) continue;
      std::copy_n(moved.row(j).data(), noise_.cols(), noise_.row(j).data());
      values_[j] = values[j];
    }
  }

 private:
  void draw(std::span<double> out) {
    stream_.normals(kFirstProposal + drawn_++, out);
  }

  bool to_point(std::span<const double> noise, std::span<double> v) const {
    const auto anchor = prepared_.mapped_anchors.row(anchor_);
    for (std::size_t k = 0; k < v.size(); ++k) {
      v[k] = anchor[k] + prepared_.scale.high * noise[k];
    }
    return project(prepared_.options, v, anchor);
  }

  // Score of each point; -inf where a cosine test fails.
  std::vector<double> evaluate(const Matrix<double>& noise) const {
    Matrix<T> points(noise.rows(), noise.cols());
    std::vector<double> v(noise.cols());
    std::vector<bool> is_fine(noise.rows());
    for (std::size_t j = 0; j < noise.rows(); ++j) {
      const bool is_valid = to_point(noise.row(j), v);
      if (!is_valid) {
        const auto anchor = prepared_.mapped_anchors.row(anchor_);
        v.assign(anchor.begin(), anchor.end());
      }
      std::copy(v.begin(), v.end(), points.row(j).begin());
      const double seed_cosine =
          cosine_of<double, double>(v, prepared_.mapped_anchors.row(anchor_));
      bool passes = is_valid && seed_cosine >= prepared_.limits.seed_floor;
      if (!prepared_.problem.class_anchor.empty()) {
        passes = passes &&
                 cosine_of<double, double>(v, prepared_.problem.class_anchor) >=
                     prepared_.limits.semantic_floor;
      }
      is_fine[j] = passes;
    }
    std::vector<double> values =
        prepared_.score(anchor_, std::as_const(points).view());
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (!is_fine[j]) values[j] = -std::numeric_limits<double>::infinity();
    }
    return values;
  }

  const PreparedClass<T>& prepared_;
  std::size_t anchor_;
  const PhiloxStream& stream_;
  std::uint32_t drawn_ = 0;
  Matrix<double> noise_;
  std::vector<double> values_;
};

std::vector<std::size_t> at_least(const std::vector<double>& values,
                                  double level) {
  std::vector<std::size_t> found;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] >= level) found.push_back(j);
  }
  return found;
}

}  // namespace

template <typename T>
SplittingResult split_to_level(const PreparedClass<T>& prepared,
                               Output<T>& output) {
  const SamplerOptions& options = prepared.options;
  SplittingResult result;
  const RoundKey key{options.seed, prepared.problem.cls, kSplittingRound,
                     static_cast<std::uint32_t>(output.k)};
  const PhiloxStream stream = stream_of(key);
  output.anchor = draw_anchor(prepared, key);
  output.anchor_row = prepared.anchors.anchors[output.anchor];
  Population<T> population(prepared, output.anchor, stream);
  result.probability = 1.0;
  const double goal = prepared.limits.threshold;
  for (; result.levels < kSplittingLevels; ++result.levels) {
    const std::vector<double>& values = population.values();
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    // Where most fail a cosine test, those that pass it survive.
    const auto passing = std::upper_bound(
        sorted.begin(), sorted.end(), -std::numeric_limits<double>::infinity());
    if (passing == sorted.end()) {
      result.probability = 0.0;
      break;
    }
    const double level =
        std::min(goal, std::max(*passing, sorted[sorted.size() / 2]));
    const std::vector<std::size_t> survivors = at_least(values, level);
    result.probability *= static_cast<double>(survivors.size()) /
                          static_cast<double>(values.size());
    if (level >= goal) {
      // Best first; the closer look in double decides.
      std::vector<std::size_t> order = survivors;
      std::stable_sort(
          order.begin(), order.end(),
          [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
      for (const std::size_t j : order) {
        output.point = population.point(j);
        output.proposal = j;
        output.feasible = survivors.size();
        if (!verify_output(prepared, output)) continue;
        output.origin = OutputOrigin::kSplitting;
        output.is_accepted = true;
        result.has_reached = true;
        return result;
      }
    }
    population.resample(survivors);
    for (std::size_t m = 0; m < kSplittingMoves; ++m) population.move(level);
  }
  output.point.clear();
  return result;
}

template SplittingResult split_to_level(const PreparedClass<float>&,
                                        Output<float>&);
template SplittingResult split_to_level(const PreparedClass<double>&,
                                        Output<double>&);

}  // namespace sbog
