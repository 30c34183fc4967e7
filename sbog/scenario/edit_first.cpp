// SPDX-License-Identifier: Apache-2.0
// Random single edits; see edit_first.h.
#include "sbog/scenario/edit_first.h"

#include <cmath>
#include <numbers>

#include "sbog/nn/random.h"
#include "sbog/scenario/energy_probe.h"
#include "sbog/scenario/realise.h"

namespace sbog::series {
namespace {

double log_uniform(nn::Draws& draws, double low, double high) {
  return low * std::exp(draws.uniform() * std::log(high / low));
}

double relative_strength(const Edit& edit,
                         const std::vector<ChannelProfile>& profiles) {
  return std::abs(edit.amount) /
         strength_range(edit.kind, profiles[edit.channel]).unit;
}

}  // namespace

std::vector<Edit> random_edits(const std::vector<Edit>& library,
                               const std::vector<ChannelProfile>& profiles,
                               std::size_t width, std::size_t count,
                               const DrawKey& key) {
  nn::Draws draws(key.seed, nn::Purpose::kRandomEdit,
                  static_cast<std::uint64_t>(key.output) +
                      (static_cast<std::uint64_t>(key.attempt) << 32));
  const double w = static_cast<double>(width);
  std::vector<Edit> edits;
  for (std::size_t j = 0; j < count; ++j) {
    Edit edit = library[draws.below(library.size())];
    const ChannelProfile& profile = profiles[edit.channel];
    const double sign = std::copysign(1.0, edit.amount);
    edit.amount = sign * strength_range(edit.kind, profile).unit *
                  log_uniform(draws, 0.1, 1.5);
    const double length = log_uniform(draws, 0.05 * w, 1.1 * w);
    edit.start =
        kFirstStart + draws.uniform() * std::max(0.0, w - length - kFirstStart);
    edit.end = edit.start + length;
    edit.period = log_uniform(draws, kShortestPeriod, kLongestPeriod);
    edit.phase = 2.0 * std::numbers::pi * draws.uniform();
    project_edit(profile, width, sign, edit);
    edits.push_back(edit);
  }
  return edits;
}

std::optional<Edit> find_edit_first(const WindowSource& windows, std::size_t i,
                                    const std::vector<ChannelProfile>& profiles,
                                    const std::vector<Edit>& library,
                                    const LatentBank& bank, Embedder& embedder,
                                    EditedWindow& edited,
                                    const EditFirstSettings& settings,
                                    const DrawKey& key) {
  EnergyProbe energy(bank.atoms());
  std::optional<Edit> best;
  double weakest = 0.0;
  for (const Edit& edit :
       random_edits(library, profiles, windows.width(), settings.draws, key)) {
    const double strength = relative_strength(edit, profiles);
    if (best && strength >= weakest) continue;
    edited.apply({&edit, 1});
    const std::vector<double> point = embedder.embed(edited.window());
    const double value = energy.value(point);
    if (value < bank.threshold() || value > bank.threshold() + settings.band) {
      continue;
    }
    const RealisedWindow realised = realise_edits(
        windows, i, profiles, {&edit, 1}, point, point, bank, embedder, edited);
    if (judge_window(realised, bank.threshold()).status !=
        ScenarioStatus::kReached) {
      continue;
    }
    best = edit;
    weakest = strength;
  }
  return best;
}

}  // namespace sbog::series
