// SPDX-License-Identifier: Apache-2.0
// What a reference sample can promise about a set of outliers, per outlier and
// in all, and how the promise grows with the sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sbog/base/status.h"
#include "sbog/certify/support_interval.h"

namespace sbog {

/// What a number rests on that is not a certificate.
enum class Evidence {
  kPlugIn,     ///< constants fitted to the sample, not known of the law
  kBootstrap,  ///< the sample drawn again
};

/// "plug-in", "bootstrap diagnostic".
const char* to_string(Evidence evidence);

/// One outlier.
struct OutlierCertificate {
  std::size_t cls = 0;       ///< index into Certificate::classes
  double energy = 0.0;       ///< E on the reference
  double log_support = 0.0;  ///< log of the mean support on the reference
  double variance = 0.0;     ///< of the n supports exp(-d/epsilon), unbiased
  LogInterval support;       ///< of the population's K, in logarithms
  Interval energies;         ///< of the population's E
  bool is_accepted = false;  ///< E >= threshold on the reference
  DecisionLabel label = DecisionLabel::kUndecided;
  double p_value = 1.0;  ///< conformal, against the calibration points
  /// Reference points that would decide it, were mean and variance to stay;
  /// +inf: it lies on the threshold.
  double required_count = std::numeric_limits<double>::infinity();
};

/// One class with its reference, or everything.
struct CertificateClass {
  std::int64_t label = 0;           ///< meaningless without classes
  std::size_t reference_count = 0;  ///< atoms of positive weight
  double effective_count = 0.0;     ///< (sum w)^2 / sum w^2; n if uniform
  std::size_t calibration_count = 0;
  std::size_t outlier_count = 0;
  double threshold = 0.0;
  /// A point of the calibration's law has E > threshold with a probability of
  /// at most 1 - level.
  bool is_conformal = false;
  double ceiling = 0.0;  ///< the highest threshold that can be certified
  double smallest_epsilon = 0.0;  ///< for a ceiling at the threshold
  double smallest_count = 0.0;    ///< for a ceiling at the threshold
};

/// Sums over all outliers.
struct CertificateTotals {
  std::size_t accepted = 0;
  std::size_t certified_accept = 0;
  std::size_t certified_reject = 0;
  std::size_t undecided = 0;
  double accept_share = 0.0;     ///< certified accept, of all outliers
  double reject_share = 0.0;     ///< certified reject, of all outliers
  double undecided_share = 0.0;  ///< of all outliers
  double certified_share = 0.0;  ///< certified accept, of the accepted; or 0
  /// How many times the reference it takes to certify all that is accepted;
  /// +inf: no number is enough.
  double factor_for_all = 1.0;
  /// epsilon_for_share of 1; the present epsilon when all are certified.
  double epsilon_for_all = 0.0;
};

/// See the top of the file.
struct Certificate {
  /// kDone, or kCancelled: then the rest is not to be used.
  SolveStatus status = SolveStatus::kDone;
  double epsilon = 0.05;
  double delta = 0.05;
  double level = 0.95;  ///< of conformal thresholds
  /// Whether epsilon was found from the calibration points: the level then
  /// holds up to this one choice, and all that is certified as it is.
  bool is_epsilon_calibrated = false;
  double pool = 1.0;  ///< candidates that share delta
  /// False: the intervals are a heuristic; `caveat` says why in a sentence.
  bool is_certified = true;
  std::string caveat;
  std::vector<CertificateClass> classes;
  std::vector<OutlierCertificate> outliers;
  CertificateTotals totals;
};

/// The totals of what a certificate holds. Every outlier's class must exist.
CertificateTotals total_certificate(const Certificate& certificate);

/// Share of the accepted outliers that `factor` times as many reference points
/// (in every class) would certify, were means and variances to stay. 0 without
/// accepted ones. Throws InvalidArgument unless factor > 0.
double certified_share_at(const Certificate& certificate, double factor);

/// The factor from which at least this share of the accepted outliers would be
/// certified; +inf where none is, 0 without accepted ones. Throws
/// InvalidArgument for a share outside [0, 1].
double factor_for_share(const Certificate& certificate, double share);

/// The smallest epsilon, from the present one on, at which kl alone would
/// certify this share of the accepted outliers, were energies and thresholds to
/// stay; +inf: none up to 1000 times. Throws InvalidArgument for a share
/// outside [0, 1].
double epsilon_for_share(const Certificate& certificate, double share);

}  // namespace sbog
