// SPDX-License-Identifier: Apache-2.0
// Triplets on demand; see triplets.h.
#include "sbog/series/triplets.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/nn/random.h"

namespace sbog::series {
namespace {

constexpr std::size_t kBefore = 10;
constexpr double kNoise = 0.01;
constexpr double kIdentical = 1e-6;
constexpr int kMostDraws = 10;

}  // namespace

Triplets::Triplets(const WindowSource& source, const TripletOptions& options)
    : source_(&source), options_(options) {
  if (options.variant >= 65536) {
    throw InvalidArgument("Triplets: a variant below 65536 is expected");
  }
  const std::size_t count = source.size();
  std::size_t identical = 0;
  for (std::size_t i = 0; i < count; ++i) {
    nn::Draws draws(options.seed, nn::Purpose::kPositive,
                    (options.variant << 32) | i);
    positives_.push_back(i > kBefore ? i - 1 - draws.below(kBefore) : i);
    injections_.push_back(draw(i));
    if (largest_change(i, injections_.back()) < kIdentical) ++identical;
  }
  if (count > 0) {
    identical_share_ =
        static_cast<double>(identical) / static_cast<double>(count);
  }
}

Injection Triplets::draw(std::size_t i) const {
  nn::Draws draws(options_.seed, nn::Purpose::kInjection,
                  (options_.variant << 32) | i);
  const std::size_t least = options_.rejects_identical ? 1 : 0;
  Injection injection =
      draw_injection(draws, source_->channels(), source_->width(), least);
  if (!options_.rejects_identical) return injection;
  for (int n = 0; n < kMostDraws && largest_change(i, injection) < kIdentical;
       ++n) {
    injection =
        draw_injection(draws, source_->channels(), source_->width(), least);
  }
  return injection;
}

std::span<const double> Triplets::original(std::size_t i, std::size_t channel,
                                           std::vector<double>& space) const {
  if (options_.space == InjectionSpace::kRaw) return source_->raw(i, channel);
  const auto standardised = source_->standardised(i, channel);
  space.assign(standardised.begin(), standardised.end());
  return space;
}

double Triplets::largest_change(std::size_t i,
                                const Injection& injection) const {
  double largest = 0.0;
  std::vector<double> space;
  std::vector<double> changed(source_->width());
  for (const ChannelChange& change : injection.changes) {
    const auto before = original(i, change.channel, space);
    inject_channel(injection, change, before, changed);
    for (std::size_t t = 0; t < changed.size(); ++t) {
      largest = std::max(largest, std::abs(changed[t] - before[t]));
    }
  }
  return largest;
}

void Triplets::fill_anchor(std::size_t i, MatrixView<float> rows) const {
  source_->fill(i, rows);
}

void Triplets::fill_positive(std::size_t i, MatrixView<float> rows) const {
  source_->fill(positives_[i], rows);
  if (positives_[i] != i) return;
  nn::Draws draws(options_.seed, nn::Purpose::kPositive,
                  (options_.variant << 32) | i);
  for (std::size_t c = 0; c < source_->channels(); ++c) {
    const auto raw = source_->raw(i, c);
    for (std::size_t t = 0; t < raw.size(); ++t) {
      const double noise = kNoise * draws.normal();
      if (options_.space == InjectionSpace::kRaw) {
        rows(c, t) = source_->standardise(c, raw[t] + noise);
      } else {
        rows(c, t) += static_cast<float>(noise);
      }
    }
  }
}

void Triplets::fill_negative(std::size_t i, MatrixView<float> rows) const {
  source_->fill(i, rows);
  const std::size_t width = source_->width();
  const bool is_raw = options_.space == InjectionSpace::kRaw;
  std::vector<double> space;
  std::vector<double> changed(width);
  const Injection& injection = injections_[i];
  for (const ChannelChange& change : injection.changes) {
    const std::size_t c = change.channel;
    inject_channel(injection, change, original(i, c, space), changed);
    for (std::size_t t = 0; t < width; ++t) {
      rows(c, t) = is_raw ? source_->standardise(c, changed[t])
                          : static_cast<float>(changed[t]);
    }
  }
}

}  // namespace sbog::series
