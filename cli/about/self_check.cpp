// SPDX-License-Identifier: Apache-2.0
// See self_check.h.
#include "about/self_check.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>

#include "sbog/base/thread_pool.h"

namespace sbog::cli {
namespace {

std::string digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

/// |value - expected| in units of |expected|; +inf for what is no number.
double error_of(const GoldenCheck& check, double value) {
  const double error =
      std::abs(value - check.expected) / std::abs(check.expected);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

double farthest(const GoldenCheck& check, const std::vector<double>& values) {
  double found = values.front();
  for (const double value : values) {
    if (error_of(check, value) > error_of(check, found)) found = value;
  }
  return found;
}

bool has_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::string place(const std::string& target, std::size_t threads) {
  return "on " + target + " with " + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads");
}

/// Judges one way; returns its values, none when it failed.
std::vector<double> try_way(const GoldenCheck& check, ThreadPool& pool,
                            const std::string& target, CheckResult& result) {
  const auto fault = [&](const std::string& what) {
    if (result.fault.empty()) {
      result.fault = place(target, pool.size()) + ": " + what;
    }
  };
  ++result.ways;
  std::vector<double> values;
  try {
    values = check.compute({&pool, nullptr});
  } catch (const std::exception& error) {
    fault(std::string("it failed: ") + error.what());
    return {};
  }
  if (values.empty()) {
    fault("nothing was computed");
    return {};
  }
  const double worst = farthest(check, values);
  if (result.ways == 1 ||
      error_of(check, worst) > error_of(check, result.value)) {
    result.value = worst;
  }
  if (error_of(check, worst) > check.tolerance) {
    fault("got " + digits(worst) + ", expected " + digits(check.expected) +
          " within " + digits(check.tolerance) + " of it");
  }
  return values;
}

}  // namespace

std::vector<CheckResult> run_self_check(std::span<const GoldenCheck> checks,
                                        std::span<const KernelTarget> targets,
                                        std::span<const std::size_t> threads) {
  std::vector<std::unique_ptr<ThreadPool>> pools;
  for (const std::size_t count : threads) {
    pools.push_back(std::make_unique<ThreadPool>(count));
  }
  std::vector<CheckResult> results;
  for (const GoldenCheck& check : checks) {
    CheckResult result{check.name, check.expected, check.tolerance};
    for (const KernelTarget& target : targets) {
      if (!target.is_supported) continue;
      const UseKernelTarget use(target);
      std::vector<double> first;
      for (const auto& pool : pools) {
        std::vector<double> values = try_way(check, *pool, target.name, result);
        if (pool == pools.front()) {
          first = std::move(values);
        } else if (result.is_well() && !has_same_bits(first, values)) {
          result.fault = place(target.name, pool->size()) +
                         ": other bits than with " +
                         std::to_string(pools.front()->size());
        }
      }
    }
    if (result.ways == 0) result.fault = "there was no way to compute it";
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace sbog::cli
