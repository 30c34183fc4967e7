// SPDX-License-Identifier: Apache-2.0
// See latent_scorer.h.
#include "sbog_torch/job/latent_scorer.h"

#include <utility>

#include "sbog/base/errors.h"
#include "sbog/sample/sampler.h"

namespace sbog::torch_jobs {
namespace {

// The same thresholds without what only proposals need.
SamplerOptions scoring_options(SamplerOptions options) {
  options.severities.clear();
  options.local = 0;
  options.splitting = false;
  options.inner_anchors.reset();
  // These draw from models of their own; their threshold is one of energies.
  if (!has_rounds(options)) options.rule = Rule::kSbog;
  return options;
}

}  // namespace

LatentScorer::LatentScorer(const image::FeatureBank& bank,
                           const SamplerOptions& options,
                           const Context& context) {
  const SamplerOptions own = scoring_options(options);
  const Sampler<float> sampler({bank.latents, bank.labels, {}, {}}, own,
                               {context.pool, nullptr});
  std::vector<std::vector<double>> scores;
  for (std::size_t c = 0; c < sampler.labels().size(); ++c) {
    const ClassRun<float> run = sampler.prepare(c, {context.pool, nullptr});
    SamplerOptions mine = sampler.options();
    mine.energy.epsilon = run.plan().epsilon;
    std::vector<std::size_t> reference = run.halves().reference;
    SupportScore<float> support({bank.latents, {}, reference}, mine);
    classes_.push_back(
        {std::move(reference), run.plan().threshold, std::move(support)});
    numbers_.emplace(run.label(), c);
    scores.push_back(run.scores());
  }
  tails_ = ClassTails(scores, {.seed = options.seed});
}

std::size_t LatentScorer::number_of(std::int64_t label) const {
  const auto found = numbers_.find(label);
  if (found != numbers_.end()) return found->second;
  throw InvalidArgument("latent scorer: class " + std::to_string(label) +
                        " has no points");
}

std::vector<double> LatentScorer::score(std::int64_t label,
                                        MatrixView<const float> latents,
                                        const Context& context) const {
  return classes_[number_of(label)].support.score(latents, {}, context);
}

double LatentScorer::threshold(std::int64_t label) const {
  return classes_[number_of(label)].threshold;
}

OutlierRarity LatentScorer::rarity(std::int64_t label, double score) const {
  const std::size_t c = number_of(label);
  return {tails_.rarity(c, score), tails_.severity(c, score)};
}

}  // namespace sbog::torch_jobs
