// SPDX-License-Identifier: Apache-2.0
// See certificate.h.
#include "sbog/certify/certificate.h"

#include <algorithm>
#include <cmath>

#include "sbog/certify/bernoulli_kl.h"
#include "sbog/certify/detail/checks.h"

namespace sbog {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

// The accepted outliers of a class that are hardest to certify have the lowest
// energy; +inf for a class without any.
std::vector<double> lowest_accepted(const Certificate& certificate) {
  std::vector<double> lowest(certificate.classes.size(), kInfinity);
  for (const OutlierCertificate& outlier : certificate.outliers) {
    if (!outlier.is_accepted) continue;
    double& mine = lowest.at(outlier.cls);
    mine = std::min(mine, outlier.energy);
  }
  return lowest;
}

bool certifies_all(const Certificate& certificate,
                   const std::vector<double>& lowest, double epsilon) {
  const double needed = std::log(4.0 * certificate.pool / certificate.delta);
  for (std::size_t c = 0; c < lowest.size(); ++c) {
    const CertificateClass& cls = certificate.classes[c];
    if (std::isinf(lowest[c]) || cls.threshold <= 0.0) continue;
    const double rate =
        bernoulli_kl_of_logs(-lowest[c] / epsilon, -cls.threshold / epsilon);
    if (!(cls.effective_count * rate >= needed)) return false;
  }
  return true;
}

// The first epsilon on a fine grid that will do, then refined.
double epsilon_for_all(const Certificate& certificate) {
  constexpr int kSteps = 300;  // 100 per decade
  const std::vector<double> lowest = lowest_accepted(certificate);
  const auto at = [&](int step) {
    return certificate.epsilon * std::pow(10.0, step / 100.0);
  };
  int step = 0;
  while (step <= kSteps && !certifies_all(certificate, lowest, at(step))) {
    ++step;
  }
  if (step > kSteps) return kInfinity;
  if (step == 0) return certificate.epsilon;
  double low = at(step - 1);
  double high = at(step);
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = 0.5 * (low + high);
    (certifies_all(certificate, lowest, middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

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
                               : epsilon_for_all(certificate);
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
  detail::need(share >= 0.0 && share <= 1.0,
               "share: a number in [0, 1] is expected");
  const std::vector<double> factors = factors_of(certificate);
  // A hair above a whole number is that number: 0.3 * 10 is 3.
  const auto wanted = static_cast<std::size_t>(
      std::ceil(share * static_cast<double>(factors.size()) * (1.0 - 1e-14)));
  return wanted == 0 ? 0.0 : factors[wanted - 1];
}

}  // namespace sbog
