// SPDX-License-Identifier: Apache-2.0
// One class after the other; see certify_outliers.h.
#include "sbog/certify/certify_outliers.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "sbog/base/copy_rows.h"
#include "sbog/base/labels.h"
#include "sbog/certify/detail/checks.h"
#include "sbog/certify/required_count.h"
#include "sbog/certify/split_bank.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace {

// Tells an observer of several calls as if they were one.
class WholeProgress : public Observer {
 public:
  WholeProgress(Observer* outer, double total) : outer_(outer), total_(total) {}

  void begin_part(double size) {
    done_ += part_;
    part_ = size;
  }
  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    const double share =
        total == 0 ? 1.0
                   : static_cast<double>(done) / static_cast<double>(total);
    return outer_->on_progress(
        static_cast<std::uint64_t>(done_ + share * part_),
        static_cast<std::uint64_t>(total_));
  }

 private:
  Observer* outer_;
  double total_;
  double done_ = 0.0;
  double part_ = 0.0;
};

// Without labels all rows are of one class.
RowsByLabel classes_of(std::span<const std::int64_t> labels, std::size_t rows,
                       const char* name) {
  if (labels.empty()) return {{0, all_rows(rows)}};
  check_label_count(labels, rows, std::string(name) + " labels");
  return rows_by_label(labels);
}

void check_options(const CertifyOptions& options) {
  check_epsilon(options.energy.epsilon);
  detail::check_failure(options.delta);
  detail::check_failure(options.level, "level");
  detail::need(options.margin >= 0.0 && std::isfinite(options.margin),
               "margin: a finite number of at least 0 is expected");
  detail::need(options.pool == 0.0 ||
                   (options.pool >= 1.0 && std::isfinite(options.pool)),
               "pool: 0 or a finite number of at least 1 is expected");
}

template <typename T>
void check_problem(const CertifyProblem<T>& problem) {
  detail::need(!problem.outliers.is_empty(),
               "certify: at least one outlier is expected");
  detail::need(!problem.reference.is_empty(),
               "certify: at least one reference point is expected");
  const std::size_t dim = problem.reference.cols();
  const auto check_dim = [&](MatrixView<const T> points, const char* name) {
    detail::need(points.is_empty() || points.cols() == dim,
                 std::string(name) + ": dimension " + std::to_string(dim) +
                     " of the reference is expected, got " +
                     std::to_string(points.cols()));
  };
  check_dim(problem.outliers, "outliers");
  check_dim(problem.calibration, "calibration");
  const bool has_labels = !problem.outlier_labels.empty();
  detail::need(problem.reference_labels.empty() != has_labels &&
                   (problem.calibration.rows() == 0 ||
                    problem.calibration_labels.empty() != has_labels),
               "labels: reference, calibration and outliers need them, or "
               "none of the three");
  detail::need(problem.calibration.rows() > 0 || !problem.thresholds.empty(),
               "calibration: at least one point or a threshold is expected");
  for (const double threshold : problem.thresholds) {
    detail::need(!std::isnan(threshold), "thresholds: numbers are expected");
  }
}

// How far an energy may be from that of the stored numbers: the relative error
// of the kernels, on costs that are differences from 1 under cosine.
template <typename T>
double rounding_of(const CertifyOptions& options, double energy) {
  const double unit = std::is_same_v<T, float> ? 1e-6 : 1e-13;
  const double scale = is_cosine(options.energy.cost) ? 1.0 : 0.0;
  return unit * (scale + options.energy.epsilon + energy);
}

// Certifies the classes one by one.
template <typename T>
class Certifier {
 public:
  Certifier(const CertifyProblem<T>& problem, const CertifyOptions& options,
            const Context& context, double work, Certificate& certificate)
      : problem_(problem),
        options_(options),
        progress_(context.observer, work),
        context_{context.pool,
                 context.observer == nullptr ? nullptr : &progress_},
        certificate_(certificate) {}

  void certify(CertificateClass cls, const std::vector<std::size_t>& reference,
               const std::vector<std::size_t>& calibration,
               const std::vector<std::size_t>& outliers,
               std::span<const double> threshold) {
    ReferenceMeasure<T> measure{problem_.reference, problem_.weights, {}};
    if (reference.size() < measure.points.rows()) measure.atoms = reference;
    EnergyOptions halved = options_.energy;
    halved.epsilon *= 0.5;
    const EnergyModel<T> model(measure, options_.energy);
    const EnergyModel<T> squares(measure, halved);
    count_reference(measure, cls);
    cls.calibration_count = calibration.size();
    cls.outlier_count = outliers.size();
    const std::vector<double> calibrated =
        energies(model, problem_.calibration, calibration);
    const std::vector<double> first =
        energies(model, problem_.outliers, outliers);
    const std::vector<double> second =
        energies(squares, problem_.outliers, outliers);
    if (certificate_.status != SolveStatus::kDone) return;
    set_threshold(calibrated, threshold, cls);
    const std::vector<double> p_values = conformal_p_values(calibrated, first);
    for (std::size_t i = 0; i < outliers.size(); ++i) {
      OutlierCertificate& outlier = certificate_.outliers[outliers[i]];
      outlier.cls = certificate_.classes.size();
      outlier.p_value = p_values[i];
      decide(first[i], second[i], cls, outlier);
    }
    certificate_.classes.push_back(cls);
  }

 private:
  std::vector<double> energies(const EnergyModel<T>& model,
                               MatrixView<const T> points,
                               const std::vector<std::size_t>& rows) {
    if (certificate_.status != SolveStatus::kDone || rows.empty()) return {};
    progress_.begin_part(static_cast<double>(rows.size()) *
                         static_cast<double>(model.atom_count()));
    const bool is_all = rows.size() == points.rows();
    const Matrix<T> taken = is_all ? Matrix<T>() : copy_rows<T>(points, rows);
    EnergyResult result =
        model.evaluate(is_all ? points : taken.view(),
                       std::span<const std::size_t>(), context_);
    certificate_.status = result.status;
    return std::move(result.energies);
  }

  void count_reference(const ReferenceMeasure<T>& measure,
                       CertificateClass& cls) {
    double sum = 0.0;
    double squared = 0.0;
    double largest = 0.0;
    for (std::size_t a = 0; a < measure.atom_count(); ++a) {
      largest = std::max(largest, measure.weight_of(a));
    }
    bool is_uniform = true;
    for (std::size_t a = 0; a < measure.atom_count(); ++a) {
      const double weight = measure.weight_of(a) / largest;
      if (weight == 0.0) continue;
      ++cls.reference_count;
      sum += weight;
      squared += weight * weight;
      is_uniform = is_uniform && weight == 1.0;
    }
    cls.effective_count = std::max(1.0, sum * sum / squared);
    if (is_uniform || !certificate_.is_certified) return;
    certificate_.is_certified = false;
    certificate_.caveat =
        "the reference is weighted, and its effective size stands in for the "
        "number of points";
  }

  void set_threshold(const std::vector<double>& calibrated,
                     std::span<const double> given, CertificateClass& cls) {
    if (given.empty()) {
      ThresholdOptions rule;
      rule.rule = ThresholdRule::kConformal;
      rule.level = options_.level;
      rule.margin = options_.margin;
      cls.threshold = calibrate_threshold(calibrated, rule).value;
      cls.is_conformal = true;
    } else {
      cls.threshold = given.front();
    }
    // The kl half of the interval gets delta/2, its upper end half of that.
    const double failure = 0.25 * certificate_.delta / certificate_.pool;
    cls.ceiling =
        certifiable_ceiling(certificate_.epsilon, cls.effective_count, failure);
    const double tau = std::max(0.0, cls.threshold);
    const bool is_finite = std::isfinite(tau);
    cls.smallest_epsilon =
        is_finite ? smallest_epsilon(tau, cls.effective_count, failure) : tau;
    cls.smallest_count =
        is_finite ? smallest_count(tau, certificate_.epsilon, failure) : tau;
  }

  void decide(double energy, double energy_of_squares,
              const CertificateClass& cls, OutlierCertificate& outlier) {
    const double epsilon = certificate_.epsilon;
    const double n = cls.effective_count;
    const double rounding = rounding_of<T>(options_, energy);
    outlier.energy = energy;
    outlier.log_support = 0.0 - energy / epsilon;
    const double mean = std::exp(outlier.log_support);
    const double square = std::exp(-2.0 * energy_of_squares / epsilon);
    if (n > 1.0) {
      const double spread = square - mean * mean +
                            4.0 * rounding / epsilon * std::max(square, 0.0);
      outlier.variance =
          n / (n - 1.0) * std::clamp(spread, 0.0, mean * (1.0 - mean));
    }
    const SupportSample sample{outlier.log_support, outlier.variance, n};
    const double failure = certificate_.delta / certificate_.pool;
    outlier.support = combined_interval(sample, failure);
    outlier.energies = energy_interval(outlier.support, epsilon);
    outlier.energies.low = std::max(0.0, outlier.energies.low - rounding);
    outlier.energies.high += rounding;
    outlier.is_accepted = energy >= cls.threshold;
    outlier.label = label_decision(outlier.energies, cls.threshold);
    outlier.required_count =
        required_count(sample, failure, epsilon, cls.threshold);
  }

  const CertifyProblem<T>& problem_;
  const CertifyOptions& options_;
  WholeProgress progress_;
  Context context_;
  Certificate& certificate_;
};

}  // namespace

template <typename T>
Certificate certify_outliers(const CertifyProblem<T>& problem,
                             const CertifyOptions& options,
                             const Context& context) {
  check_options(options);
  check_problem(problem);
  const RowsByLabel outliers =
      classes_of(problem.outlier_labels, problem.outliers.rows(), "outlier");
  RowsByLabel reference = classes_of(problem.reference_labels,
                                     problem.reference.rows(), "reference");
  RowsByLabel calibration = classes_of(
      problem.calibration_labels, problem.calibration.rows(), "calibration");
  detail::need(problem.thresholds.empty() ||
                   problem.thresholds.size() == outliers.size(),
               "thresholds: one per class of the outliers is expected");
  Certificate certificate;
  certificate.epsilon = options.energy.epsilon;
  certificate.delta = options.delta;
  certificate.level = options.level;
  certificate.is_epsilon_calibrated = options.is_epsilon_calibrated;
  certificate.pool = options.pool == 0.0
                         ? static_cast<double>(problem.outliers.rows())
                         : options.pool;
  certificate.outliers.resize(problem.outliers.rows());
  if (!options.is_independent) {
    certificate.is_certified = false;
    certificate.caveat =
        "the outliers or the reference were chosen by means of the reference "
        "itself";
  }
  double work = 0.0;
  for (const auto& [label, rows] : outliers) {
    const std::string name = problem.outlier_labels.empty()
                                 ? ""
                                 : " of class " + std::to_string(label);
    detail::need(
        !reference[label].empty(),
        "certify: at least one reference point" + name + " is expected");
    detail::need(!calibration[label].empty() || !problem.thresholds.empty(),
                 "calibration: at least one point" + name + " is expected");
    work += static_cast<double>(reference[label].size()) *
            static_cast<double>(calibration[label].size() + 2 * rows.size());
  }
  Certifier<T> certifier(problem, options, context, work, certificate);
  std::size_t c = 0;
  for (const auto& [label, rows] : outliers) {
    CertificateClass cls;
    cls.label = label;
    certifier.certify(cls, reference[label], calibration[label], rows,
                      problem.thresholds.empty()
                          ? problem.thresholds
                          : problem.thresholds.subspan(c, 1));
    if (certificate.status != SolveStatus::kDone) return certificate;
    ++c;
  }
  certificate.totals = total_certificate(certificate);
  return certificate;
}

template Certificate certify_outliers(const CertifyProblem<float>&,
                                      const CertifyOptions&, const Context&);
template Certificate certify_outliers(const CertifyProblem<double>&,
                                      const CertifyOptions&, const Context&);

}  // namespace sbog
