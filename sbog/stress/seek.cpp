// SPDX-License-Identifier: Apache-2.0
// See seek.h.
#include "sbog/stress/seek.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"
#include "sbog/dro/sinkhorn_dro.h"

namespace sbog::stress {
namespace {

// Purpose of the resampling draws, plus the round.
constexpr std::uint32_t kResamplePurpose = 0x53000000;

struct Pool {
  Matrix<double> points;
  std::vector<double> losses;
  std::vector<std::size_t> origins;
  double mean = 0.0;
};

void check(const SeekOptions& options) {
  require("seek_failures", options.rounds >= 1, "at least 1 round is expected");
  require("seek_failures", options.budget >= options.rounds,
          "a budget of at least one call for each round is expected");
  require("seek_failures", options.epsilon > 0.0 && options.radius >= 0.0,
          "epsilon > 0 and radius >= 0 are expected");
}

void set_losses(Pool& pool, std::vector<double> losses) {
  require("seek_failures", losses.size() == pool.points.rows(),
          "one loss for each point is expected");
  for (const double x : losses) {
    require("seek_failures", std::isfinite(x), "finite losses are expected");
  }
  pool.losses = std::move(losses);
  pool.mean = std::accumulate(pool.losses.begin(), pool.losses.end(), 0.0) /
              static_cast<double>(pool.losses.size());
}

double resampling_uniform(std::uint64_t seed, std::size_t round) {
  const PhiloxBlock block =
      philox4x32({0, PhiloxStream::kReservedClass << 16, 0,
                  kResamplePurpose + static_cast<std::uint32_t>(round)},
                 {static_cast<std::uint32_t>(seed),
                  static_cast<std::uint32_t>(seed >> 32)});
  return to_uniform(block.low64());
}

Pool resampled(const Pool& pool, const std::vector<double>& weights,
               double uniform) {
  const auto chosen = systematic_resample(weights, pool.points.rows(), uniform);
  Pool next;
  next.points = Matrix<double>(chosen.size(), pool.points.cols());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto row = pool.points.row(chosen[i]);
    std::copy(row.begin(), row.end(), next.points.row(i).begin());
    next.origins.push_back(pool.origins[chosen[i]]);
    next.losses.push_back(pool.losses[chosen[i]]);
  }
  return next;
}

// Asks about the points that moved; the others keep what is known of them.
std::size_t ask_moved(Pool& pool, const std::vector<bool>& has_moved,
                      const PointLoss& loss) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < has_moved.size(); ++i) {
    if (has_moved[i]) rows.push_back(i);
  }
  std::vector<double> losses = pool.losses;
  if (!rows.empty()) {
    Matrix<double> asked(rows.size(), pool.points.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = std::as_const(pool.points).row(rows[i]);
      std::copy(row.begin(), row.end(), asked.row(i).begin());
    }
    const std::vector<double> answers = loss(std::as_const(asked).view());
    require("seek_failures", answers.size() == rows.size(),
            "one loss for each point is expected");
    for (std::size_t i = 0; i < rows.size(); ++i) losses[rows[i]] = answers[i];
  }
  set_losses(pool, std::move(losses));
  return rows.size();
}

// The worst-case law on the pool; fills the round. Empty when cancelled.
std::vector<double> tilt(const Pool& pool, const SeekOptions& options,
                         const Context& context, SeekRound& round) {
  Matrix<double> kernel(1, pool.losses.size());
  std::fill_n(kernel.data(), kernel.size(), 1.0);
  SinkhornDro problem = SinkhornDro::from_kernel(
      std::as_const(kernel).view(), {}, pool.losses, options.epsilon);
  sbog::DroResult solved =
      problem.solve(options.radius, sbog::DroOptions(), context);
  if (solved.status == SolveStatus::kCancelled) return {};
  round.mean_loss = pool.mean;
  round.worst_loss = solved.value;
  round.lambda = solved.lambda;
  double squares = 0.0;
  for (const double w : solved.worst_case) squares += w * w;
  round.effective_size = squares > 0.0 ? 1.0 / squares : 0.0;
  return std::move(solved.worst_case);
}

SeekResult finished(SeekResult result, SeekEnd end, Pool best) {
  result.end = end;
  result.points = std::move(best.points);
  result.losses = std::move(best.losses);
  result.origins = std::move(best.origins);
  return result;
}

Pool first_pool(SeekSpace& space, std::size_t count, const PointLoss& loss,
                const Context& context) {
  Pool pool;
  pool.points = space.draw(count, context);
  require("seek_failures", pool.points.rows() <= count,
          "a space draws no more points than it is asked for");
  if (pool.points.rows() == 0) return pool;
  pool.origins.resize(pool.points.rows());
  std::iota(pool.origins.begin(), pool.origins.end(), std::size_t{0});
  set_losses(pool, loss(std::as_const(pool.points).view()));
  return pool;
}

}  // namespace

const char* to_string(SeekEnd end) {
  switch (end) {
    case SeekEnd::kRounds:
      return "all rounds";
    case SeekEnd::kNoImprovement:
      return "no improvement";
    case SeekEnd::kFlat:
      return "flat loss";
    case SeekEnd::kNothing:
      return "no feasible point";
    case SeekEnd::kCancelled:
      break;
  }
  return "cancelled";
}

std::vector<std::size_t> systematic_resample(std::span<const double> weights,
                                             std::size_t count,
                                             double uniform) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  require("systematic_resample", total > 0.0 && uniform >= 0.0 && uniform < 1.0,
          "a positive weight and a uniform in [0, 1) are expected");
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0) last = i;
  }
  std::vector<std::size_t> chosen;
  double sum = 0.0;
  std::size_t i = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double at =
        (static_cast<double>(k) + uniform) * total / static_cast<double>(count);
    while (i < last && sum + weights[i] <= at) sum += weights[i++];
    chosen.push_back(i);
  }
  return chosen;
}

SeekResult seek_failures(SeekSpace& space, const PointLoss& loss,
                         const SeekOptions& options, const Context& context) {
  check(options);
  SeekResult result;
  Pool pool = first_pool(space, options.budget / options.rounds, loss, context);
  result.drawn = pool.points.rows();
  result.calls = pool.points.rows();
  if (result.drawn == 0) {
    return finished(std::move(result), SeekEnd::kNothing, std::move(pool));
  }
  std::size_t asked = result.calls;
  std::size_t moved = result.calls;
  ProgressCounter progress(context.observer, options.rounds);
  const Context quiet{context.pool, nullptr};
  for (std::size_t r = 0;; ++r) {
    SeekRound round;
    round.calls = asked;
    round.feasible = moved;
    const std::vector<double> weights = tilt(pool, options, quiet, round);
    result.rounds.push_back(round);
    const auto [low, high] =
        std::minmax_element(pool.losses.begin(), pool.losses.end());
    if (*low == *high) {
      return finished(std::move(result), SeekEnd::kFlat, std::move(pool));
    }
    if (!progress.add(1)) {
      return finished(std::move(result), SeekEnd::kCancelled, std::move(pool));
    }
    if (r + 1 == options.rounds) {
      return finished(std::move(result), SeekEnd::kRounds, std::move(pool));
    }
    Pool next = resampled(pool, weights, resampling_uniform(options.seed, r));
    const std::vector<bool> has_moved =
        space.move(next.points.view(), next.origins, r, quiet);
    asked = ask_moved(next, has_moved, loss);
    moved = asked;
    result.calls += asked;
    if (!(next.mean > pool.mean)) {
      result.rounds.push_back({asked, moved, next.mean, next.mean, 0.0, 0.0});
      return finished(std::move(result), SeekEnd::kNoImprovement,
                      std::move(pool));
    }
    pool = std::move(next);
  }
}

}  // namespace sbog::stress
