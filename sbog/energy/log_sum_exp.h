// SPDX-License-Identifier: Apache-2.0
// The mergeable (max, sum, mass) state of a log-sum-exp.
//
// For logits l_i = log nu_i - d_i / epsilon it holds max = a reference logit
// (the largest one seen), sum = sum_i exp(l_i - max) and mass = sum_i nu_i;
// then log K = max + log(sum) - log(mass) never under- or overflows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace sbog {

/// One algebra for atoms, blocks, threads and shards. A default-constructed
/// state is the neutral element.
struct LogSumExp {
  double max = -std::numeric_limits<double>::infinity();
  double sum = 0.0;
  double mass = 0.0;

  /// Adds one atom. A logit of -inf (no support) only adds its mass.
  void add(double logit, double atom_mass) {
    mass += atom_mass;
    if (logit == -std::numeric_limits<double>::infinity()) return;
    if (logit <= max) {
      sum += std::exp(logit - max);
    } else {
      sum = sum * std::exp(max - logit) + 1.0;
      max = logit;
    }
  }

  /// Adds what another state has seen.
  void merge(const LogSumExp& other) {
    mass += other.mass;
    if (other.is_empty()) return;
    if (is_empty()) {
      max = other.max;
      sum = other.sum;
      return;
    }
    const double top = std::max(max, other.max);
    sum = sum * std::exp(max - top) + other.sum * std::exp(other.max - top);
    max = top;
  }

  /// No atom with a finite cost has been added.
  bool is_empty() const { return !(sum > 0.0); }

  /// log K; -inf when empty.
  double log_support() const {
    if (is_empty()) return -std::numeric_limits<double>::infinity();
    return max + std::log(sum) - std::log(mass);
  }

  /// E = -epsilon log K; +inf when empty.
  double energy(double epsilon) const { return -epsilon * log_support(); }
};

}  // namespace sbog
