// SPDX-License-Identifier: Apache-2.0
// Inner products in double, in a fixed order that is also fast: eight partial
// sums side by side.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace sbog {

/// The sum of term(0) .. term(count - 1).
template <class Term>
double sum_terms(std::size_t count, const Term& term) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  const std::size_t whole = count / kSums * kSums;
  for (std::size_t k = 0; k < whole; k += kSums) {
    for (std::size_t s = 0; s < kSums; ++s) sums[s] += term(k + s);
  }
  for (std::size_t k = whole; k < count; ++k) sums[k - whole] += term(k);
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

/// <a, b>; the spans have the same length.
template <typename A, typename B>
double inner_product(std::span<const A> a, std::span<const B> b) {
  return sum_terms(a.size(), [&](std::size_t k) {
    return static_cast<double>(a[k]) * static_cast<double>(b[k]);
  });
}

/// <a, b> of vectors in double.
inline double dot(std::span<const double> a, std::span<const double> b) {
  return inner_product<double, double>(a, b);
}

/// |a - b|^2.
template <typename A, typename B>
double squared_distance(std::span<const A> a, std::span<const B> b) {
  return sum_terms(a.size(), [&](std::size_t k) {
    const double apart = static_cast<double>(a[k]) - static_cast<double>(b[k]);
    return apart * apart;
  });
}

/// |a|.
template <typename A>
double norm_of(std::span<const A> a) {
  return std::sqrt(inner_product<A, A>(a, a));
}

/// Cosine of two vectors; 0 when one of them is 0.
template <typename A, typename B>
double cosine_of(std::span<const A> a, std::span<const B> b) {
  const double lengths = norm_of<A>(a) * norm_of<B>(b);
  return lengths == 0.0 ? 0.0 : inner_product<A, B>(a, b) / lengths;
}

}  // namespace sbog
