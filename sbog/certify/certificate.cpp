// SPDX-License-Identifier: Apache-2.0
// See certificate.h.
#include "sbog/certify/certificate.h"

#include <algorithm>
#include <cmath>

#include "sbog/certify/bernoulli_kl.h"
#include "sbog/certify/detail/checks.h"

namespace sbog {
namespace {

// How many times its reference each accepted outlier needs, increasing.
std::vector<double> factors_of(const Certificate& certificate) {
  std::vector<double> factors;
  for (const OutlierCertificate& outlier : certificate.outliers) {
    if (!outlier.is_accepted) continue;
    const double factor = outlier.required_count /
                          certificate.classes.at(outlier.cls).effective_count;
    // The estimate is a little on the safe side; the label is exact.
    const bool is_done = outlier.label == DecisionLabel::kCertifiedAccept;
    factors.push_back(is_done ? std::min(factor, 1.0)
                              : std::max(factor, std::nextafter(1.0, 2.0)));
  }
  std::sort(factors.begin(), factors.end());
  return factors;
}

// Energies of the accepted outliers of each class, decreasing.
std::vector<std::vector<double>> accepted_energies(
    const Certificate& certificate) {
  std::vector<std::vector<double>> energies(certificate.classes.size());
  for (const OutlierCertificate& outlier : certificate.outliers) {
    if (outlier.is_accepted) energies.at(outlier.cls).push_back(outlier.energy);
  }
  for (auto& mine : energies) std::sort(mine.rbegin(), mine.rend());
  return energies;
}

// How many of them kl would certify at another epsilon. Higher energies are
// easier, so those of a class are a first part of its list.
double certified_at(const Certificate& certificate,
                    const std::vector<std::vector<double>>& energies,
                    double epsilon) {
  const double needed = std::log(4.0 * certificate.pool / certificate.delta);
  std::ptrdiff_t count = 0;
  for (std::size_t c = 0; c < energies.size(); ++c) {
    const CertificateClass& cls = certificate.classes[c];
    const auto is_certified = [&](double energy) {
      if (cls.threshold <= 0.0) return true;
      const double rate =
          bernoulli_kl_of_logs(-energy / epsilon, -cls.threshold / epsilon);
      return cls.effective_count * rate >= needed;
    };
    count += std::partition_point(energies[c].begin(), energies[c].end(),
                                  is_certified) -
             energies[c].begin();
  }
  return static_cast<double>(count);
}

// The number of `count` things that is this share of them, rounded up; a hair
// above a whole number is that number: 0.3 * 10 is 3.
double whole_share(double share, std::size_t count) {
  detail::need(share >= 0.0 && share <= 1.0,
               "share: a number in [0, 1] is expected");
  return std::ceil(share * static_cast<double>(count) * (1.0 - 1e-14));
}

}  // namespace

const char* to_string(Evidence evidence) {
  return evidence == Evidence::kPlugIn ? "plug-in" : "bootstrap diagnostic";
}

CertificateTotals total_certificate(const Certificate& certificate) {
  CertificateTotals totals;
  for (const OutlierCertificate& outlier : certificate.outliers) {
    totals.accepted += outlier.is_accepted ? 1 : 0;
    switch (outlier.label) {
      case DecisionLabel::kCertifiedAccept:
        ++totals.certified_accept;
        break;
      case DecisionLabel::kCertifiedReject:
        ++totals.certified_reject;
        break;
      case DecisionLabel::kUndecided:
        ++totals.undecided;
        break;
    }
  }
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? 0.0
                      : static_cast<double>(part) / static_cast<double>(whole);
  };
  const std::size_t count = certificate.outliers.size();
  totals.accept_share = share(totals.certified_accept, count);
  totals.reject_share = share(totals.certified_reject, count);
  totals.undecided_share = share(totals.undecided, count);
  totals.certified_share = share(totals.certified_accept, totals.accepted);
  totals.factor_for_all = factor_for_share(certificate, 1.0);
  totals.epsilon_for_all = totals.certified_accept == totals.accepted
                               ? certificate.epsilon
                               : epsilon_for_share(certificate, 1.0);
  return totals;
}

double certified_share_at(const Certificate& certificate, double factor) {
  detail::need(factor > 0.0, "factor: a number above 0 is expected");
  const std::vector<double> factors = factors_of(certificate);
  if (factors.empty()) return 0.0;
  const auto end = std::upper_bound(factors.begin(), factors.end(), factor);
  return static_cast<double>(end - factors.begin()) /
         static_cast<double>(factors.size());
}

double factor_for_share(const Certificate& certificate, double share) {
  const std::vector<double> factors = factors_of(certificate);
  const double wanted = whole_share(share, factors.size());
  return wanted == 0.0 ? 0.0 : factors[static_cast<std::size_t>(wanted) - 1];
}

double epsilon_for_share(const Certificate& certificate, double share) {
  constexpr int kSteps = 300;  // 100 per decade
  const auto energies = accepted_energies(certificate);
  std::size_t accepted = 0;
  for (const auto& mine : energies) accepted += mine.size();
  const double wanted = whole_share(share, accepted);
  const auto at = [&](int step) {
    return certificate.epsilon * std::pow(10.0, step / 100.0);
  };
  const auto is_enough = [&](double epsilon) {
    return certified_at(certificate, energies, epsilon) >= wanted;
  };
  int step = 0;
  while (step <= kSteps && !is_enough(at(step))) ++step;
  if (step > kSteps) return kInfinity;
  if (step == 0) return certificate.epsilon;
  double low = at(step - 1);
  double high = at(step);
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = 0.5 * (low + high);
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace sbog
