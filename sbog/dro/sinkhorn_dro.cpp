// SPDX-License-Identifier: Apache-2.0
// Cases, searches and results; see sinkhorn_dro.h.
#include "sbog/dro/sinkhorn_dro.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/dro/detail/dro_model.h"
#include "sbog/dro/detail/pass_observer.h"
#include "sbog/dro/detail/radius_search.h"
#include "sbog/dro/detail/tilt_kernel.h"

namespace sbog {

using detail::kInfiniteTheta;
using detail::RadiusSearch;
using detail::TiltMoments;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// An interior radius on its way.
struct Pending {
  std::size_t result;
  RadiusSearch search;
  double theta = 0.0;
  TiltMoments moments;
};

void check_radius(double radius) {
  if (std::isnan(radius) || radius < 0.0) {
    throw InvalidArgument("radius: a number not below 0 is expected, got " +
                          std::to_string(radius));
  }
}

// Thetas of gains: those of losses times the range.
double gain_theta(double theta, double range) {
  return std::min(theta * range, kInfiniteTheta);
}

}  // namespace

struct SinkhornDro::Impl {
  std::unique_ptr<detail::DroModel> model;

  const detail::LossScale& scale() const { return model->scale; }
  double loss_of(double gain) const {
    return scale().top + scale().range * gain;
  }
  bool has_law() const {
    return !model->has_plus_infinity && !model->is_hopeless;
  }

  SolveStatus prepare(const Context& context) {
    if (model->is_prepared) return SolveStatus::kDone;
    const SolveStatus status = model->prepare(context);
    model->is_prepared = status == SolveStatus::kDone;
    return status;
  }

  // What does not depend on the search.
  DroResult begin_result(double radius) const;
  // The answer at the ends: nominal, saturated, infinite.
  void finish_at(DroResult& result, DroCase kind, double value, double lambda,
                 double theta) const;
  void finish_interior(DroResult& result, const Pending& pending) const;
  SolveStatus search(std::vector<Pending>& pending, const DroOptions& options,
                     const Context& context);
  SolveStatus add_laws(std::vector<DroResult>& results, const Context& context);
  std::vector<double> on_points(std::span<const double> atom_law) const;
};

DroResult SinkhornDro::Impl::begin_result(double radius) const {
  const detail::TiltBase& base = model->problem->base();
  DroResult result;
  result.radius = radius;
  if (!has_law()) {
    const double value = model->has_plus_infinity ? kInfinity : -kInfinity;
    result.nominal_value = value;
    result.essential_supremum = value;
    finish_at(result,
              model->has_plus_infinity ? DroCase::kPlusInfinity
                                       : DroCase::kMinusInfinity,
              value, kNaN, kNaN);
    result.smallest_radius = model->has_plus_infinity ? 0.0 : kInfinity;
    return result;
  }
  const double epsilon = model->epsilon;
  result.smallest_radius = epsilon * model->finite_divergence;
  result.largest_radius =
      result.smallest_radius + epsilon * base.max_divergence;
  result.essential_supremum = loss_of(base.top_mean);
  const double finite_mean = loss_of(base.mean);
  result.nominal_value = model->has_minus_infinity ? -kInfinity : finite_mean;
  if (radius < result.smallest_radius) {
    finish_at(result, DroCase::kMinusInfinity, -kInfinity, kNaN, kNaN);
  } else if (model->is_constant) {
    finish_at(result, DroCase::kConstant, result.essential_supremum, 0.0,
              kInfinity);
  } else if (radius == result.smallest_radius) {
    finish_at(result, DroCase::kNominal, finite_mean, kInfinity, 0.0);
  } else if (radius >= result.largest_radius) {
    finish_at(result, DroCase::kSaturated, result.essential_supremum, 0.0,
              kInfinity);
  }
  return result;
}

void SinkhornDro::Impl::finish_at(DroResult& result, DroCase kind, double value,
                                  double lambda, double theta) const {
  result.kind = kind;
  result.value = value;
  result.primal_value = value;
  result.lambda = lambda;
  result.theta = theta;
}

void SinkhornDro::Impl::finish_interior(DroResult& result,
                                        const Pending& pending) const {
  const double spent = result.radius - result.smallest_radius;
  const double divergence = spent / model->epsilon;
  const TiltMoments& moments = pending.moments;
  result.value = loss_of(moments.dual_mean + divergence / pending.theta);
  result.primal_value = loss_of(moments.mean);
  // The difference of the two, without the common top.
  result.duality_gap = scale().range * ((moments.dual_mean - moments.mean) +
                                        divergence / pending.theta);
  result.theta = pending.theta / scale().range;
  result.lambda = scale().range / (pending.theta * model->epsilon);
  result.constraint_residual =
      std::abs(model->epsilon * moments.divergence - spent);
  result.evaluations = pending.search.evaluation_count();
}

SolveStatus SinkhornDro::Impl::search(std::vector<Pending>& pending,
                                      const DroOptions& options,
                                      const Context& context) {
  for (std::size_t turn = 0; turn < options.max_evaluations; ++turn) {
    std::vector<std::size_t> open;
    std::vector<double> thetas;
    for (std::size_t p = 0; p < pending.size(); ++p) {
      if (pending[p].search.is_done()) continue;
      open.push_back(p);
      thetas.push_back(pending[p].search.theta());
    }
    if (open.empty()) return SolveStatus::kDone;
    std::vector<TiltMoments> moments(thetas.size());
    const SolveStatus status =
        model->problem->evaluate(thetas, moments, context);
    if (status != SolveStatus::kDone) return status;
    for (std::size_t k = 0; k < open.size(); ++k) {
      Pending& own = pending[open[k]];
      own.theta = thetas[k];
      own.moments = moments[k];
      own.search.observe(moments[k]);
    }
    for (const std::size_t p : open) {
      for (std::size_t k = 0; k < open.size(); ++k) {
        if (open[k] != p) pending[p].search.learn(thetas[k], moments[k]);
      }
    }
  }
  return SolveStatus::kDone;
}

std::vector<double> SinkhornDro::Impl::on_points(
    std::span<const double> atom_law) const {
  if (model->atoms.empty()) return {atom_law.begin(), atom_law.end()};
  std::vector<double> law(model->reference_count, 0.0);
  for (std::size_t j = 0; j < atom_law.size(); ++j) {
    law[model->atoms[j]] += atom_law[j];
  }
  return law;
}

SolveStatus SinkhornDro::Impl::add_laws(std::vector<DroResult>& results,
                                        const Context& context) {
  std::vector<std::size_t> wanted;
  std::vector<double> thetas;
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (std::isnan(results[r].theta)) continue;
    wanted.push_back(r);
    thetas.push_back(gain_theta(results[r].theta, scale().range));
  }
  if (wanted.empty()) return SolveStatus::kDone;
  const std::size_t atom_count =
      model->atoms.empty() ? model->reference_count : model->atoms.size();
  Matrix<double> laws(wanted.size(), atom_count);
  const SolveStatus status = model->problem->laws(thetas, laws, context);
  if (status != SolveStatus::kDone) return status;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    results[wanted[k]].worst_case = on_points(laws.row(k));
  }
  return SolveStatus::kDone;
}

SinkhornDro::SinkhornDro(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SinkhornDro::SinkhornDro(SinkhornDro&&) noexcept = default;
SinkhornDro& SinkhornDro::operator=(SinkhornDro&&) noexcept = default;
SinkhornDro::~SinkhornDro() = default;

SinkhornDro SinkhornDro::from_kernel(MatrixView<const double> kernel,
                                     std::span<const double> nominal_weights,
                                     std::span<const double> losses,
                                     double epsilon) {
  auto impl = std::make_unique<Impl>();
  impl->model =
      detail::make_kernel_model(kernel, nominal_weights, losses, epsilon);
  return SinkhornDro(std::move(impl));
}

SinkhornDro SinkhornDro::from_costs(MatrixView<const double> costs,
                                    std::span<const double> nominal_weights,
                                    std::span<const double> reference_weights,
                                    std::span<const double> losses,
                                    double epsilon) {
  auto impl = std::make_unique<Impl>();
  impl->model = detail::make_cost_model(costs, nominal_weights,
                                        reference_weights, losses, epsilon);
  return SinkhornDro(std::move(impl));
}

template <typename T>
SinkhornDro SinkhornDro::from_points(const DroPoints<T>& points,
                                     std::span<const double> losses,
                                     const EnergyOptions& energy,
                                     std::size_t cache_bytes) {
  auto impl = std::make_unique<Impl>();
  impl->model = detail::make_point_model(points, losses, energy, cache_bytes);
  return SinkhornDro(std::move(impl));
}
template SinkhornDro SinkhornDro::from_points(const DroPoints<float>&,
                                              std::span<const double>,
                                              const EnergyOptions&,
                                              std::size_t);
template SinkhornDro SinkhornDro::from_points(const DroPoints<double>&,
                                              std::span<const double>,
                                              const EnergyOptions&,
                                              std::size_t);

std::size_t SinkhornDro::nominal_count() const {
  return impl_->model->nominal_count;
}
std::size_t SinkhornDro::reference_count() const {
  return impl_->model->reference_count;
}
double SinkhornDro::epsilon() const { return impl_->model->epsilon; }

DroResult SinkhornDro::solve(double radius, const DroOptions& options,
                             const Context& context) {
  return solve(std::span<const double>(&radius, 1), options, context).front();
}

std::vector<DroResult> SinkhornDro::solve(std::span<const double> radii,
                                          const DroOptions& options,
                                          const Context& context) {
  for (const double radius : radii) check_radius(radius);
  detail::PassObserver observer(context.observer);
  const Context passes = {context.pool,
                          context.observer != nullptr ? &observer : nullptr};
  std::vector<DroResult> results(radii.size());
  const auto cancelled = [&] {
    for (DroResult& result : results) result.status = SolveStatus::kCancelled;
    return results;
  };
  if (impl_->prepare(passes) != SolveStatus::kDone) return cancelled();
  const double spread = impl_->model->problem->base().max_divergence;
  std::vector<Pending> pending;
  for (std::size_t r = 0; r < radii.size(); ++r) {
    results[r] = impl_->begin_result(radii[r]);
    if (results[r].kind != DroCase::kInterior) continue;
    const double target = (radii[r] - results[r].smallest_radius) / epsilon();
    pending.push_back(
        {r,
         RadiusSearch(target, spread, impl_->model->problem->base().variance,
                      options.tolerance),
         0.0,
         {}});
  }
  if (impl_->search(pending, options, passes) != SolveStatus::kDone) {
    return cancelled();
  }
  for (const Pending& each : pending) {
    DroResult& result = results[each.result];
    impl_->finish_interior(result, each);
    if (!each.search.is_done()) result.status = SolveStatus::kNotConverged;
  }
  if (options.wants_worst_case &&
      impl_->add_laws(results, passes) != SolveStatus::kDone) {
    return cancelled();
  }
  observer.finish();
  return results;
}

std::vector<double> SinkhornDro::nominal_law(std::size_t nominal,
                                             double theta) {
  if (nominal >= nominal_count()) {
    throw InvalidArgument("nominal_law: point " + std::to_string(nominal) +
                          " of " + std::to_string(nominal_count()));
  }
  if (std::isnan(theta) || theta < 0.0) {
    throw InvalidArgument("nominal_law: a theta not below 0 is expected, got " +
                          std::to_string(theta));
  }
  if (!impl_->has_law()) {
    throw InvalidArgument(
        "nominal_law: infinite losses leave no worst-case law");
  }
  static_cast<void>(impl_->prepare({}));
  const detail::DroModel& model = *impl_->model;
  std::vector<double> law(model.atoms.empty() ? model.reference_count
                                              : model.atoms.size());
  model.problem->row_law(nominal, gain_theta(theta, model.scale.range), law);
  return impl_->on_points(law);
}

double SinkhornDro::mean_energy(const Context& context) {
  if (!impl_->model->has_energy) {
    throw InvalidArgument(
        "mean_energy: a problem given by its kernel has no energies");
  }
  if (impl_->prepare(context) != SolveStatus::kDone) return kNaN;
  return impl_->model->mean_energy;
}

DualDecomposition SinkhornDro::dual_decomposition(double lambda, double radius,
                                                  const Context& context) {
  check_radius(radius);
  if (!std::isfinite(lambda) || !(lambda > 0.0)) {
    throw InvalidArgument("lambda: a finite number above 0 is expected, got " +
                          std::to_string(lambda));
  }
  const double energy = mean_energy(context);
  DualDecomposition terms = {lambda * radius, kNaN, lambda * energy};
  if (std::isnan(energy)) return terms;
  const detail::DroModel& model = *impl_->model;
  if (!impl_->has_law()) {
    terms.integral_term = model.has_plus_infinity ? kInfinity : -kInfinity;
    return terms;
  }
  const double theta =
      gain_theta(1.0 / (lambda * model.epsilon), model.scale.range);
  TiltMoments moments;
  if (model.problem->evaluate({&theta, 1}, {&moments, 1}, context) !=
      SolveStatus::kDone) {
    return terms;
  }
  // lambda eps mu [L + log K], and log K = -E / eps.
  terms.integral_term = impl_->loss_of(moments.dual_mean) -
                        lambda * model.epsilon * model.finite_divergence -
                        lambda * energy;
  return terms;
}

const char* to_string(DroCase kind) {
  switch (kind) {
    case DroCase::kInterior:
      return "interior";
    case DroCase::kNominal:
      return "nominal";
    case DroCase::kConstant:
      return "constant";
    case DroCase::kSaturated:
      return "saturated";
    case DroCase::kPlusInfinity:
      return "plus-infinity";
    case DroCase::kMinusInfinity:
      return "minus-infinity";
  }
  return "unknown";
}

double unnormalised_radius(double radius, double mean_energy) {
  check_radius(radius);
  return radius + mean_energy;
}

std::optional<double> normalised_radius(double unnormalised,
                                        double mean_energy) {
  const double radius = unnormalised - mean_energy;
  if (std::isnan(radius)) {
    throw InvalidArgument("radius: a number is expected, got NaN");
  }
  if (radius < 0.0) return std::nullopt;
  return radius;
}

}  // namespace sbog
