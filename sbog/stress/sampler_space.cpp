// SPDX-License-Identifier: Apache-2.0
// See sampler_space.h.
#include "sbog/stress/sampler_space.h"

#include <cmath>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/sample/proposals.h"

namespace sbog::stress {
namespace {

// The streams of the moves: a class that no sampler reaches, and a round beyond
// those of proposals.
constexpr std::uint32_t kMoveClass = 65534;

SamplerOptions uniform_options(SamplerOptions options, std::uint64_t seed) {
  if (options.rule == Rule::kVos || options.rule == Rule::kBood) {
    throw InvalidArgument(
        "seek: a rule of the sampler with proposals is expected, not vos or "
        "bood");
  }
  options.seed = seed;
  options.pick = PickRule::kUniform;
  return options;
}

}  // namespace

template <typename T>
SamplerSpace<T>::SamplerSpace(const SampleProblem<T>& problem,
                              SamplerOptions options, std::uint64_t seed,
                              const Context& context)
    : sampler_(problem, uniform_options(std::move(options), seed)),
      seed_(seed),
      dim_(problem.bank.cols()) {
  for (std::size_t c = 0; c < sampler_.labels().size(); ++c) {
    runs_.push_back(sampler_.prepare(c, {context.pool, nullptr}));
  }
}

template <typename T>
Matrix<double> SamplerSpace<T>::draw(std::size_t count,
                                     const Context& context) {
  std::vector<Output<T>> outputs;
  starts_.clear();
  origins_.clear();
  const std::size_t classes = runs_.size();
  ProgressCounter progress(context.observer, count);
  for (std::size_t c = 0; c < classes; ++c) {
    const std::size_t share = count / classes + (c < count % classes ? 1 : 0);
    if (share == 0) continue;
    SampledRange<T> range = runs_[c].sample(0, share, {context.pool, nullptr});
    for (Output<T>& output : range.outputs) {
      if (!output.is_accepted) continue;
      starts_.push_back({c, output.anchor});
      origins_.push_back({runs_[c].label(), output.anchor_row});
      outputs.push_back(std::move(output));
    }
    if (!progress.add(share)) return {};
  }
  Matrix<double> points(outputs.size(), dim_);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::copy(outputs[i].point.begin(), outputs[i].point.end(),
              points.row(i).begin());
  }
  return points;
}

template <typename T>
std::vector<bool> SamplerSpace<T>::move(MatrixView<double> points,
                                        std::span<const std::size_t> origins,
                                        std::size_t round,
                                        const Context& context) {
  std::vector<char> has_moved(points.rows(), 0);
  parallel_for(context, points.rows(), [&](std::size_t i, std::size_t) {
    const Start start = starts_[origins[i]];
    const ClassRun<T>& run = runs_[start.cls];
    const double radius =
        0.5 * (run.plan().radius_low + run.plan().radius_high);
    const double half =
        0.5 * radius / std::sqrt(static_cast<double>(points.cols()));
    std::vector<double> step(points.cols());
    PhiloxStream(seed_, kMoveClass, static_cast<std::uint32_t>(round), i)
        .normals(0, step);
    const auto row = points.row(i);
    for (std::size_t k = 0; k < step.size(); ++k) {
      step[k] = row[k] + half * step[k];
    }
    if (!project(sampler_.options(), step)) return;
    Output<T> output;
    output.anchor = start.anchor;
    output.point.assign(step.begin(), step.end());
    if (!run.verify(output)) return;
    // As stored: what the model is asked about is what was tested.
    std::copy(output.point.begin(), output.point.end(), row.begin());
    has_moved[i] = 1;
  });
  return {has_moved.begin(), has_moved.end()};
}

template class SamplerSpace<float>;
template class SamplerSpace<double>;

}  // namespace sbog::stress
