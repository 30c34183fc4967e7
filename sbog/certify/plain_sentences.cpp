// SPDX-License-Identifier: Apache-2.0
// See plain_sentences.h.
#include "sbog/certify/plain_sentences.h"

#include <algorithm>
#include <cmath>

#include "sbog/certify/detail/words.h"
#include "sbog/certify/split_bank.h"

namespace sbog {
namespace {

using detail::about;
using detail::grouped;
using detail::rounded;

constexpr double kMost = 0.95;     // the share that is priced besides all
constexpr std::size_t kMany = 20;  // accepted outliers, for that to make sense

std::string counted(std::size_t count) {
  return grouped(static_cast<double>(count));
}

std::string plural(std::size_t count, const std::string& noun) {
  return counted(count) + " " + noun + (count == 1 ? "" : "s");
}

double reference_points(const Certificate& certificate) {
  double sum = 0.0;
  for (const CertificateClass& cls : certificate.classes) {
    sum += static_cast<double>(cls.reference_count);
  }
  return sum;
}

bool is_weighted(const Certificate& certificate) {
  return std::any_of(certificate.classes.begin(), certificate.classes.end(),
                     [](const CertificateClass& cls) {
                       return cls.effective_count <
                              (1.0 - 1e-9) *
                                  static_cast<double>(cls.reference_count);
                     });
}

std::string reference_words(const Certificate& certificate) {
  const double points = reference_points(certificate);
  std::string words = grouped(points);
  words += is_weighted(certificate) ? " weighted" : "";
  words += points == 1.0 ? " reference point" : " reference points";
  const std::size_t classes = certificate.classes.size();
  if (classes > 1) words += " in " + counted(classes) + " classes";
  return words;
}

// "certified at 95 %", or what stands for it where nothing is certified.
std::string verdict(const Certificate& certificate) {
  const std::string at = detail::level(1.0 - certificate.delta);
  return certificate.is_certified ? "certified at " + at
                                  : "clear of the threshold at " + at;
}

// "certify", in the same way.
std::string verb(const Certificate& certificate) {
  return certificate.is_certified ? "certify " : "clear ";
}

std::string main_sentence(const Certificate& certificate) {
  const CertificateTotals& totals = certificate.totals;
  const std::string with = "With " + reference_words(certificate) + ", ";
  const std::string is = verdict(certificate);
  if (totals.certified_accept == totals.accepted) {
    return totals.accepted == 1
               ? with + "the one accepted outlier is " + is + "."
               : with + "all " + counted(totals.accepted) +
                     " accepted outliers are " + is + ".";
  }
  if (totals.accepted == 1) {
    return with + "the one accepted outlier is not " + is + ".";
  }
  const std::string of =
      " of the " + counted(totals.accepted) + " accepted outliers ";
  std::string sentence = with + detail::percent(totals.certified_share) + of +
                         (totals.certified_accept == 0 ? "is " : "are ") + is;
  const double n = reference_points(certificate);
  const double later = certified_share_at(certificate, 4.0);
  if (later > totals.certified_share) {
    sentence += "; " + grouped(4.0 * n) + " would " + verb(certificate) +
                (later < 1.0 ? "about " : "") + detail::percent(later);
  } else {
    const double next = 0.5 * (1.0 + totals.certified_share);
    const double factor = factor_for_share(certificate, next);
    if (std::isfinite(factor)) {
      sentence += "; it takes about " + about(factor * n) + " to " +
                  verb(certificate) + detail::percent(next);
    }
  }
  return sentence + ".";
}

// "about 50,000 reference points or, at these energies, epsilon >= 0.08".
std::string price(const Certificate& certificate, double factor,
                  double epsilon) {
  std::string words = "about " + about(factor * reference_points(certificate)) +
                      " reference points";
  if (std::isfinite(epsilon)) {
    words += " or, at these energies, epsilon >= " + rounded(epsilon);
  }
  return words;
}

std::string because_on_threshold(const Certificate& certificate) {
  const auto stuck = static_cast<std::size_t>(std::count_if(
      certificate.outliers.begin(), certificate.outliers.end(),
      [](const OutlierCertificate& outlier) {
        return outlier.is_accepted && std::isinf(outlier.required_count);
      }));
  return ", because " + plural(stuck, "outlier") +
         (stuck == 1 ? " lies" : " lie") + " on the threshold itself.";
}

std::string all_sentence(const Certificate& certificate) {
  const CertificateTotals& totals = certificate.totals;
  const bool is_finite = std::isfinite(totals.factor_for_all);
  const std::string to = "To " + verb(certificate);
  // The last few lie so near the threshold that their price says little.
  const double most = factor_for_share(certificate, kMost);
  if (totals.accepted >= kMany && most > 1.0 && std::isfinite(most) &&
      totals.factor_for_all > 4.0 * most) {
    return to + detail::level(kMost) + " of them you would need " +
           price(certificate, most, epsilon_for_share(certificate, kMost)) +
           "; " +
           (is_finite ? "all of them take " +
                            price(certificate, totals.factor_for_all,
                                  totals.epsilon_for_all) +
                            "."
                      : "no number is enough for all of them" +
                            because_on_threshold(certificate));
  }
  const std::string them = totals.accepted == 1 ? "it" : "all of them";
  return is_finite ? to + them + " you would need " +
                         price(certificate, totals.factor_for_all,
                               totals.epsilon_for_all) +
                         "."
                   : "No number of reference points is enough for " + them +
                         because_on_threshold(certificate);
}

std::string rejected_sentence(const Certificate& certificate) {
  const CertificateTotals& totals = certificate.totals;
  const std::size_t below = certificate.outliers.size() - totals.accepted;
  std::string sentence = counted(below) + " of the " +
                         counted(certificate.outliers.size()) +
                         (below == 1 ? " outliers does" : " outliers do") +
                         " not reach the threshold on the reference";
  if (totals.certified_reject > 0 && certificate.is_certified) {
    sentence += "; " + counted(totals.certified_reject) + " of them " +
                (totals.certified_reject == 1 ? "is" : "are") +
                " certified to lie below it";
  }
  return sentence + ".";
}

// Classes whose finite threshold is out of reach.
std::vector<const CertificateClass*> beyond_ceiling(
    const Certificate& certificate) {
  std::vector<const CertificateClass*> found;
  for (const CertificateClass& cls : certificate.classes) {
    if (std::isfinite(cls.threshold) && cls.threshold > cls.ceiling) {
      found.push_back(&cls);
    }
  }
  return found;
}

std::string ceiling_sentence(
    const Certificate& certificate,
    const std::vector<const CertificateClass*>& beyond) {
  const CertificateClass& worst = **std::max_element(
      beyond.begin(), beyond.end(),
      [](const CertificateClass* a, const CertificateClass* b) {
        return a->smallest_epsilon < b->smallest_epsilon;
      });
  const bool is_one = certificate.classes.size() == 1;
  std::string sentence =
      is_one ? "No acceptance can be certified: the threshold "
             : "In " + counted(beyond.size()) + " of " +
                   counted(certificate.classes.size()) +
                   " classes no acceptance can be certified; in class " +
                   std::to_string(worst.label) + " the threshold ";
  sentence += rounded(worst.threshold) + " is above " + rounded(worst.ceiling) +
              ", the highest energy that " + counted(worst.reference_count) +
              " reference points can vouch for at epsilon " +
              rounded(certificate.epsilon) +
              "; it takes epsilon >= " + rounded(worst.smallest_epsilon) +
              " or at least " + about(worst.smallest_count) +
              " reference points.";
  return sentence;
}

std::string infinite_sentence(const Certificate& certificate,
                              std::size_t classes) {
  const std::size_t needed = smallest_calibration(certificate.level);
  return (certificate.classes.size() == 1
              ? "The threshold is infinite"
              : "The threshold of " + counted(classes) + " of " +
                    counted(certificate.classes.size()) +
                    " classes is infinite") +
         std::string(": a level of ") + detail::level(certificate.level) +
         " needs at least " + counted(needed) + " calibration points.";
}

std::string conformal_sentence(const Certificate& certificate) {
  std::size_t points = 0;
  for (const CertificateClass& cls : certificate.classes) {
    points += cls.calibration_count;
  }
  return "A fresh in-distribution point exceeds the threshold (level " +
         rounded(certificate.level) + ") with a probability of at most " +
         detail::level(1.0 - certificate.level) + " (" +
         plural(points, "calibration point") +
         (certificate.is_epsilon_calibrated
              ? ", which epsilon was found from too)."
              : ", no other assumption).");
}

std::string p_value_sentence(const Certificate& certificate) {
  const double limit = 1.0 - certificate.level;
  double smallest = 1.0;
  std::size_t small = 0;
  for (const OutlierCertificate& outlier : certificate.outliers) {
    smallest = std::min(smallest, outlier.p_value);
    if (outlier.p_value <= limit * (1.0 + 1e-12)) ++small;
  }
  const std::size_t count = certificate.outliers.size();
  return counted(small) + " of the " + plural(count, "outlier") +
         (small == 1 ? " has" : " have") + " a conformal p-value of at most " +
         detail::level(limit) + "; the smallest is " + rounded(smallest) + ".";
}

std::string meaning_sentence(const Certificate& certificate) {
  const double pool = certificate.pool;
  return "Certified means that, with a probability of at least " +
         detail::level(1.0 - certificate.delta) +
         " over the draw of the reference, no certified decision among " +
         grouped(pool) + (pool == 1.0 ? " candidate" : " candidates") +
         " differs from the one that unlimited data would give.";
}

}  // namespace

std::vector<std::string> plain_sentences(const Certificate& certificate) {
  const CertificateTotals& totals = certificate.totals;
  std::vector<std::string> sentences;
  if (certificate.outliers.empty())
    return {"There are no outliers to certify."};
  if (totals.accepted == 0) {
    sentences.push_back(
        (certificate.outliers.size() == 1
             ? std::string("The outlier does not reach")
             : "None of the " + counted(certificate.outliers.size()) +
                   " outliers reaches") +
        " the threshold on the " + reference_words(certificate) +
        ", so there is no acceptance to certify.");
    if (totals.certified_reject > 0 && certificate.is_certified) {
      sentences.push_back(plural(totals.certified_reject, "outlier") +
                          (totals.certified_reject == 1 ? " is" : " are") +
                          " certified to lie below it.");
    }
  } else {
    sentences.push_back(main_sentence(certificate));
    if (totals.certified_accept < totals.accepted) {
      sentences.push_back(all_sentence(certificate));
    }
    if (totals.accepted < certificate.outliers.size()) {
      sentences.push_back(rejected_sentence(certificate));
    }
  }
  const auto beyond = beyond_ceiling(certificate);
  if (!beyond.empty()) {
    sentences.push_back(ceiling_sentence(certificate, beyond));
  }
  const auto infinite = static_cast<std::size_t>(std::count_if(
      certificate.classes.begin(), certificate.classes.end(),
      [](const CertificateClass& cls) { return std::isinf(cls.threshold); }));
  const bool is_conformal =
      std::all_of(certificate.classes.begin(), certificate.classes.end(),
                  [](const CertificateClass& cls) { return cls.is_conformal; });
  if (infinite > 0 && is_conformal) {
    sentences.push_back(infinite_sentence(certificate, infinite));
  } else if (is_conformal) {
    sentences.push_back(conformal_sentence(certificate));
  }
  const bool is_calibrated = std::any_of(
      certificate.classes.begin(), certificate.classes.end(),
      [](const CertificateClass& cls) { return cls.calibration_count > 0; });
  if (is_calibrated) sentences.push_back(p_value_sentence(certificate));
  sentences.push_back(certificate.is_certified
                          ? meaning_sentence(certificate)
                          : "Not certified: " + certificate.caveat + ".");
  return sentences;
}

}  // namespace sbog
