// SPDX-License-Identifier: Apache-2.0
// Costs of the drawn points group by group, and one root for each; see
// perplexity.h.
#include "sbog/energy/perplexity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/energy/detail/chunk_evaluator.h"
#include "sbog/energy/detail/gibbs_kernel.h"
#include "sbog/energy/detail/prepared_reference.h"
#include "sbog/energy/score_bank.h"

namespace sbog {
namespace {

constexpr std::uint32_t kPerplexityPurpose = 3;  // of draw_subset
constexpr std::size_t kLargestBuffer = std::size_t{64} << 20;
// Steps in log epsilon: the largest one, the one that ends the search, and how
// far from the start nothing but ties is left (a factor of 1e20).
constexpr double kLargestStep = 2.0;
constexpr double kLastStep = 1e-6;
constexpr double kSearchRange = 46.0;
// Float cosines near 1 are known to about this many rounding units only.
constexpr double kCostUnits = 64.0;
constexpr double kSharpUnits = 1e4;  // as in detail/prepared_reference.cpp

// A root in log epsilon for one point.
struct Root {
  double start = 0.0;
  double at = 0.0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool is_done = false;

  // `excess` is the log perplexity above the target at `at`, `slope` about its
  // derivative. Newton inside the bracket, bisection otherwise.
  void step(double excess, double slope) {
    (excess > 0.0 ? high : low) = at;
    double next = at - excess / slope;
    if (!(std::abs(next - at) <= kLargestStep)) {
      next = at + (excess > 0.0 ? -kLargestStep : kLargestStep);
    }
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    is_done = std::abs(next - at) < kLastStep ||
              std::abs(next - start) > kSearchRange;
    at = next;
  }
  // 0 where the target is passed at every temperature.
  double epsilon() const {
    return at < start - kSearchRange ? 0.0 : std::exp(at);
  }
};

// What is drawn and known of a reference before any cost.
template <typename T>
struct Drawn {
  std::vector<std::size_t> atoms;    // rows of positive weight
  std::vector<T> log2_weights;       // of the atoms, empty: equal
  std::vector<double> limits;        // perplexity at infinity, per drawn point
  std::vector<std::size_t> sampled;  // positions in atoms
  Matrix<T> points;                  // the drawn points
};

void refuse_few(std::size_t atoms) {
  if (atoms >= 2) return;
  throw InvalidArgument(
      "epsilon: a reference of at least 2 points is expected to find a "
      "temperature, got " +
      std::to_string(atoms));
}

// Perplexity of the weights of all atoms but each drawn one.
template <typename T>
void find_limits(const ReferenceMeasure<T>& reference, Drawn<T>& drawn) {
  double mass = 0.0;
  double entropy = 0.0;  // sum of a log a
  for (const std::size_t row : drawn.atoms) {
    const double a = reference.weights.empty() ? 1.0 : reference.weights[row];
    mass += a;
    entropy += a * std::log(a);
  }
  for (const std::size_t position : drawn.sampled) {
    const double a = reference.weights.empty()
                         ? 1.0
                         : reference.weights[drawn.atoms[position]];
    const double rest = mass - a;
    drawn.limits.push_back(
        std::exp(std::log(rest) - (entropy - a * std::log(a)) / rest));
  }
}

template <typename T>
Drawn<T> draw(const ReferenceMeasure<T>& reference,
              const PerplexityOptions& options) {
  check_measure(reference);
  Drawn<T> drawn;
  double heaviest = 0.0;
  for (std::size_t i = 0; i < reference.atom_count(); ++i) {
    if (reference.weight_of(i) == 0.0) continue;
    drawn.atoms.push_back(reference.point_of(i));
    heaviest = std::max(heaviest, reference.weight_of(i));
  }
  if (drawn.atoms.size() < 2) return drawn;
  if (!reference.weights.empty()) {
    for (const std::size_t row : drawn.atoms) {
      drawn.log2_weights.push_back(
          static_cast<T>(std::log2(reference.weights[row] / heaviest)));
    }
  }
  drawn.sampled = draw_subset(drawn.atoms.size(), options.sample, options.seed,
                              kPerplexityPurpose);
  std::vector<std::size_t> rows;
  for (const std::size_t p : drawn.sampled) rows.push_back(drawn.atoms[p]);
  drawn.points = copy_rows(reference.points, rows);
  find_limits(reference, drawn);
  return drawn;
}

// One group of points: their logits and what follows from them lane by lane.
template <typename T>
struct Group {
  std::size_t width = 0;
  std::vector<T> logits;  // [atom][lane]
  std::vector<T> top;
  std::vector<T> scale;
  std::vector<double> mean;    // of top - logit
  std::vector<double> lowest;  // positive cost, in units of logits
  std::vector<double> sums[3];
  std::vector<Root> roots;

  void resize(std::size_t atoms, std::size_t lanes) {
    width = lanes;
    logits.resize(atoms * lanes);
    top.assign(lanes, T(0));
    scale.assign(lanes, T(0));
    for (auto* values : {&mean, &lowest, &sums[0], &sums[1], &sums[2]}) {
      values->assign(lanes, 0.0);
    }
    roots.assign(lanes, Root());
  }
  // Log perplexity of a lane and its derivative in log epsilon (exact for
  // equal weights) from the sums.
  std::pair<double, double> entropy(std::size_t lane) const {
    const double mean_y = sums[1][lane] / sums[0][lane];
    const double square = sums[2][lane] / sums[0][lane];
    return {std::log(sums[0][lane]) - std::numbers::ln2 * mean_y,
            std::numbers::ln2 * std::numbers::ln2 * (square - mean_y * mean_y)};
  }
};

// Walks over the drawn points, group by group.
template <typename T>
class PerplexityWalk {
 public:
  // Logits are -cost log2(e) / unit.
  PerplexityWalk(const ReferenceMeasure<T>& reference,
                 const EnergyOptions& energy, const Drawn<T>& drawn,
                 double unit)
      : drawn_(drawn),
        unit_(unit),
        model_({reference.points, {}, drawn.atoms},
               {energy.cost, unit, energy.metric}) {
    if (!is_cosine(energy.cost)) return;
    const double digit = std::numeric_limits<T>::epsilon();
    const double error = kCostUnits * digit * (unit < 1.0 ? digit : 1.0);
    floor_ = static_cast<T>(error * std::numbers::log2e / unit);
  }

  double unit() const { return unit_; }

  // Calls solve(group, first point, points) for every group; false: stopped.
  template <class Solve>
  bool run(const Context& context, const Solve& solve) {
    const std::size_t count = drawn_.sampled.size();
    const std::size_t bytes =
        drawn_.atoms.size() * detail::group_width<T>() * sizeof(T);
    const std::size_t step = bytes <= kLargestBuffer ? detail::group_width<T>()
                                                     : detail::lane_count<T>();
    std::vector<Group<T>> groups(worker_count(context));
    std::vector<detail::ChunkScratch<T>> scratch(groups.size());
    ProgressCounter progress(context.observer, count);
    parallel_for(context, (count + step - 1) / step,
                 [&](std::size_t index, std::size_t worker) {
                   if (progress.is_cancelled()) return;
                   const std::size_t first = index * step;
                   const std::size_t size = std::min(step, count - first);
                   fill(first, size, scratch[worker], groups[worker]);
                   solve(groups[worker], first, size);
                   progress.add(size);
                 });
    return !progress.is_cancelled();
  }

  void sum(Group<T>& group) const {
    const T* weights =
        drawn_.log2_weights.empty() ? nullptr : drawn_.log2_weights.data();
    detail::gibbs_sums<T>(
        {group.logits.data(), drawn_.atoms.size(), group.width, weights},
        group.top.data(), group.scale.data(),
        {group.sums[0].data(), group.sums[1].data(), group.sums[2].data()});
  }

 private:
  void fill(std::size_t first, std::size_t size,
            detail::ChunkScratch<T>& scratch, Group<T>& group) const {
    const detail::PreparedReference<T>& prepared = detail::prepared_of(model_);
    scratch.queries.pack(prepared, drawn_.points.view(), first, size,
                         std::span(drawn_.sampled).subspan(first, size));
    group.resize(drawn_.atoms.size(), scratch.queries.group(0, 0).width);
    for (std::size_t b = 0; b < prepared.block_count(); ++b) {
      detail::block_logits(
          prepared.build_block(b, scratch.block), scratch.queries.group(0, b),
          prepared.tile_options().form,
          group.logits.data() + b * detail::kBlockAtoms * group.width);
    }
    describe(group);
  }

  // Highest logit, mean depth below it and lowest positive cost of each lane.
  void describe(Group<T>& group) const {
    constexpr T kAbsent = static_cast<T>(detail::kAbsentLogit / 2);
    const std::size_t width = group.width;
    const std::size_t atoms = drawn_.atoms.size();
    std::vector<T> nearest(width, kAbsent);
    group.top.assign(width, kAbsent);
    for (std::size_t i = 0; i < atoms; ++i) {
      T* row = group.logits.data() + i * width;
      for (std::size_t l = 0; l < width; ++l) {
        row[l] = row[l] >= -floor_ ? T(0) : row[l];
        group.top[l] = std::max(group.top[l], row[l]);
        nearest[l] = std::max(nearest[l], row[l] < T(0) ? row[l] : kAbsent);
      }
    }
    for (std::size_t i = 0; i < atoms; ++i) {
      const T* row = group.logits.data() + i * width;
      for (std::size_t l = 0; l < width; ++l) {
        group.mean[l] +=
            row[l] > kAbsent ? static_cast<double>(group.top[l] - row[l]) : 0.0;
      }
    }
    for (std::size_t l = 0; l < width; ++l) {
      group.mean[l] /= static_cast<double>(atoms - 1);
      group.lowest[l] =
          nearest[l] > kAbsent ? -static_cast<double>(nearest[l]) : 0.0;
    }
  }

  const Drawn<T>& drawn_;
  double unit_;
  EnergyModel<T> model_;
  T floor_ = T(0);
};

// Temperatures of all points of a group, in units of the walk.
template <typename T>
void solve_roots(const PerplexityWalk<T>& walk, const Drawn<T>& drawn,
                 double target, std::size_t first, std::size_t size,
                 Group<T>& group) {
  // In a bank of any size the root lies near mean depth / log2 of the size.
  const double depth = std::log2(static_cast<double>(drawn.atoms.size()));
  std::size_t left = 0;
  for (std::size_t l = 0; l < group.width; ++l) {
    Root& root = group.roots[l];
    // No other atom, or all at one cost: supported by all or none of them.
    root.is_done = l >= size || !(group.mean[l] > 0.0) ||
                   drawn.limits[first + l] < 1.0 + 1e-9;
    if (root.is_done) {
      root.at = -std::numeric_limits<double>::infinity();
    } else {
      root.start = root.at = std::log(group.mean[l] / depth);
      ++left;
    }
  }
  while (left > 0) {
    for (std::size_t l = 0; l < group.width; ++l) {
      group.scale[l] = static_cast<T>(std::exp(-group.roots[l].at));
      if (group.roots[l].is_done) group.scale[l] = T(0);
    }
    walk.sum(group);
    for (std::size_t l = 0; l < size; ++l) {
      Root& root = group.roots[l];
      if (root.is_done) continue;
      const double wanted =
          std::min(target, 0.5 * (1.0 + drawn.limits[first + l]));
      const auto [entropy, slope] = group.entropy(l);
      root.step(entropy - std::log(wanted), slope);
      left -= root.is_done ? 1 : 0;
    }
  }
}

void check_perplexity(const PerplexityOptions& options) {
  if (!std::isfinite(options.target) || !(options.target > 1.0)) {
    throw InvalidArgument(
        "perplexity: a finite number above 1 is expected, "
        "got " +
        std::to_string(options.target));
  }
  if (options.sample == 0) {
    throw InvalidArgument("perplexity: a sample of at least 1 is expected");
  }
}

// A cosine below this is taken from differences: a product is too coarse.
template <typename T>
bool is_sharp(GroundCost cost, double epsilon) {
  return is_cosine(cost) &&
         epsilon < kSharpUnits * std::numeric_limits<T>::epsilon();
}

template <typename T>
double unit_of(bool is_sharp) {
  return is_sharp ? std::numeric_limits<T>::epsilon() : std::numbers::log2e;
}

// One pass over all drawn points; NaN when stopped, 0 when all costs are.
template <typename T>
double epsilon_in_units(PerplexityWalk<T>& walk, const Drawn<T>& drawn,
                        double target, const Context& context) {
  std::vector<double> found(drawn.sampled.size());
  std::vector<double> lowest(found.size());
  const bool is_whole = walk.run(
      context, [&](Group<T>& group, std::size_t first, std::size_t size) {
        solve_roots(walk, drawn, target, first, size, group);
        for (std::size_t l = 0; l < size; ++l) {
          found[first + l] = group.roots[l].epsilon();
          lowest[first + l] = group.lowest[l];
        }
      });
  if (!is_whole) return std::numeric_limits<double>::quiet_NaN();
  const double median = quantile(found, 0.5);
  if (median > 0.0) return median;
  std::erase(found, 0.0);
  if (!found.empty()) return quantile(found, 0.5);
  std::erase(lowest, 0.0);
  if (lowest.empty()) return 0.0;
  // Costs in units of logits; temperatures have no log2(e) in them.
  return *std::min_element(lowest.begin(), lowest.end()) / std::numbers::log2e;
}

}  // namespace

double four_digits(double value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value,
                                 std::chars_format::scientific, 3);
  double rounded = value;
  std::from_chars(text, end.ptr, rounded);
  return rounded;
}

template <typename T>
std::optional<double> find_epsilon_if_any(const ReferenceMeasure<T>& reference,
                                          const EnergyOptions& energy,
                                          const PerplexityOptions& options,
                                          const Context& context) {
  check_perplexity(options);
  const Drawn<T> drawn = draw(reference, options);
  if (drawn.atoms.size() < 2) return std::nullopt;
  double epsilon = 0.0;
  for (const bool sharp : {false, true}) {
    PerplexityWalk<T> walk(reference, energy, drawn, unit_of<T>(sharp));
    epsilon =
        epsilon_in_units(walk, drawn, options.target, context) * walk.unit();
    if (!is_sharp<T>(energy.cost, epsilon)) break;
  }
  if (epsilon == 0.0) return std::nullopt;
  return four_digits(epsilon);
}

template <typename T>
double find_epsilon(const ReferenceMeasure<T>& reference,
                    const EnergyOptions& energy,
                    const PerplexityOptions& options, const Context& context) {
  const std::optional<double> found =
      find_epsilon_if_any(reference, energy, options, context);
  if (found) return *found;
  std::size_t atoms = 0;
  for (std::size_t i = 0; i < reference.atom_count(); ++i) {
    atoms += reference.weight_of(i) > 0.0 ? 1 : 0;
  }
  refuse_few(atoms);
  throw InvalidArgument(
      "epsilon: all points of the reference are equal, so that no "
      "temperature can be found from them; a number is expected");
}

template <typename T>
double median_perplexity(const ReferenceMeasure<T>& reference,
                         const EnergyOptions& energy,
                         const PerplexityOptions& options,
                         const Context& context) {
  check_perplexity(options);
  check_epsilon(energy.epsilon);
  const Drawn<T> drawn = draw(reference, options);
  refuse_few(drawn.atoms.size());
  PerplexityWalk<T> walk(reference, energy, drawn,
                         unit_of<T>(is_sharp<T>(energy.cost, energy.epsilon)));
  std::vector<double> found(drawn.sampled.size());
  const bool is_whole = walk.run(
      context, [&](Group<T>& group, std::size_t first, std::size_t size) {
        const double scale = walk.unit() / energy.epsilon;
        std::fill(
            group.scale.begin(), group.scale.end(),
            static_cast<T>(std::min(
                scale, static_cast<double>(std::numeric_limits<T>::max()))));
        walk.sum(group);
        for (std::size_t l = 0; l < size; ++l) {
          found[first + l] = std::exp(group.entropy(l).first);
        }
      });
  return is_whole ? quantile(found, 0.5)
                  : std::numeric_limits<double>::quiet_NaN();
}

template std::optional<double> find_epsilon_if_any(
    const ReferenceMeasure<float>&, const EnergyOptions&,
    const PerplexityOptions&, const Context&);
template double find_epsilon(const ReferenceMeasure<float>&,
                             const EnergyOptions&, const PerplexityOptions&,
                             const Context&);
template std::optional<double> find_epsilon_if_any(
    const ReferenceMeasure<double>&, const EnergyOptions&,
    const PerplexityOptions&, const Context&);
template double find_epsilon(const ReferenceMeasure<double>&,
                             const EnergyOptions&, const PerplexityOptions&,
                             const Context&);
template double median_perplexity(const ReferenceMeasure<float>&,
                                  const EnergyOptions&,
                                  const PerplexityOptions&, const Context&);
template double median_perplexity(const ReferenceMeasure<double>&,
                                  const EnergyOptions&,
                                  const PerplexityOptions&, const Context&);

}  // namespace sbog
