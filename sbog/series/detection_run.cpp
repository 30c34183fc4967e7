// SPDX-License-Identifier: Apache-2.0
// The carriers of negatives; see detection_run.h.
#include "sbog/series/detection_run.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/series/neighbours.h"

namespace sbog::series {
namespace {

Matrix<float> stacked(const Matrix<float>& above, const Matrix<float>& below) {
  Matrix<float> all(above.rows() + below.rows(), above.cols());
  std::copy_n(above.data(), above.size(), all.data());
  std::copy_n(below.data(), below.size(), all.data() + above.size());
  return all;
}

// Makes the pool of a run and makes it again when the encoder has moved.
class PoolMaker {
 public:
  PoolMaker(const WindowSource& windows, const DetectionOptions& options,
            const Context& context)
      : windows_(windows),
        options_(options),
        context_(context),
        triplets_(windows, options.injection) {}

  ClusterPool make(const Encoder& encoder) {
    ClusterPool pool;
    pool.originals = windows_.size();
    pool.windows = windows_.size();
    pool.fill = [this](std::size_t i, MatrixView<float> rows) {
      fill(i, rows);
    };
    for (int part = 0; part < 2; ++part) {
      pool.positions.insert(pool.positions.end(), windows_.starts().begin(),
                            windows_.starts().end());
    }
    remake(encoder, pool);
    return pool;
  }

  void remake(const Encoder& encoder, ClusterPool& pool) {
    const std::size_t count = windows_.size();
    const Embedding bank = encoder.embed_all(
        count,
        [this](std::size_t i, MatrixView<float> rows) {
          windows_.fill(i, rows);
        },
        context_);
    const Matrix<float> points = negative_points(encoder, bank);
    switch (options_.carrier) {
      case Carrier::kLatent:
        pool.latents = points.clone();
        break;
      case Carrier::kLifted:
        pool.latents = apply_lift(
            fit_lift(bank.points, bank.features, options_.ridge), points);
        break;
      case Carrier::kRetrieval:
        pool.windows = 2 * count;
        pool.points = stacked(bank.points, retrieve(encoder, points));
        return;
      case Carrier::kWindow:
        pool.windows = 2 * count;
        break;
    }
    pool.points = stacked(bank.points, points);
  }

  NegativeSet take_negatives() { return std::move(negatives_); }
  double retrieval_cosine() const { return retrieval_cosine_; }

 private:
  // Item i of the pool: an original, or the window of a negative.
  void fill(std::size_t i, MatrixView<float> rows) const {
    const std::size_t count = windows_.size();
    if (i < count) return windows_.fill(i, rows);
    if (options_.carrier == Carrier::kWindow) {
      return triplets_.fill_negative(i - count, rows);
    }
    const std::size_t entry = retrieved_[i - count];
    library_[entry / count]->fill_negative(entry % count, rows);
  }

  Matrix<float> embed_injected(const Encoder& encoder,
                               const Triplets& triplets) const {
    return encoder
        .embed_all(
            windows_.size(),
            [&](std::size_t i, MatrixView<float> rows) {
              triplets.fill_negative(i, rows);
            },
            context_)
        .points;
  }

  Matrix<float> negative_points(const Encoder& encoder, const Embedding& bank) {
    const std::size_t count = windows_.size();
    const std::uint64_t seed = options_.clusters.seed;
    if (options_.rule == NegativeRule::kCarla) {
      negatives_.points = embed_injected(encoder, triplets_);
    } else if (options_.sampler) {
      SamplerOptions sampler = *options_.sampler;
      sampler.count = count;
      sampler.seed = seed;
      negatives_ = draw_negatives(std::move(sampler), bank.points, context_);
    } else {
      negatives_ =
          draw_negatives(options_.rule, bank.points, count, seed, context_);
    }
    return negatives_.points.clone();
  }

  // For each negative the library window with the nearest point; returns those
  // points.
  Matrix<float> retrieve(const Encoder& encoder, const Matrix<float>& points) {
    Matrix<float> all;
    for (std::size_t m = 0; m < options_.library; ++m) {
      TripletOptions injection = options_.injection;
      injection.variant = m + 1;
      library_.push_back(std::make_unique<Triplets>(windows_, injection));
      Matrix<float> part = embed_injected(encoder, *library_.back());
      all = m == 0 ? std::move(part) : stacked(all, part);
    }
    retrieved_ = nearest_rows(points, all, context_);
    Matrix<float> found(points.rows(), points.cols());
    retrieval_cosine_ = 0.0;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      const auto row = all.row(retrieved_[i]);
      std::copy(row.begin(), row.end(), found.row(i).begin());
      retrieval_cosine_ += cosine_of<float, float>(points.row(i), row) /
                           static_cast<double>(points.rows());
    }
    return found;
  }

  const WindowSource& windows_;
  const DetectionOptions& options_;
  const Context& context_;
  Triplets triplets_;
  std::vector<std::unique_ptr<Triplets>> library_;
  std::vector<std::size_t> retrieved_;  // library entry of each negative
  NegativeSet negatives_;
  double retrieval_cosine_ = 0.0;
};

void check(const DetectionOptions& options) {
  if (options.carrier == Carrier::kWindow &&
      options.rule != NegativeRule::kCarla) {
    throw InvalidArgument(
        "train_detection: only the rule carla gives windows; the others need "
        "another carrier");
  }
  if (options.carrier == Carrier::kRetrieval && options.library == 0) {
    throw InvalidArgument(
        "train_detection: retrieval needs a library of at "
        "least one injected window per window");
  }
}

}  // namespace

Matrix<double> fit_lift(MatrixView<const float> points,
                        MatrixView<const float> features, double ridge) {
  const std::size_t dim = points.cols();
  if (points.rows() == 0 || points.rows() != features.rows() ||
      !(ridge > 0.0)) {
    throw InvalidArgument(
        "fit_lift: as many points as features and a ridge "
        "above 0 are expected");
  }
  // Cholesky of Z'Z + r I, then one solve per feature; dim is a handful.
  Matrix<double> gram(dim, dim);
  Matrix<double> cross(features.cols(), dim);
  double trace = 0.0;
  for (std::size_t n = 0; n < points.rows(); ++n) {
    for (std::size_t a = 0; a < dim; ++a) {
      for (std::size_t b = 0; b < dim; ++b) {
        gram(a, b) += double{points(n, a)} * double{points(n, b)};
      }
      for (std::size_t c = 0; c < features.cols(); ++c) {
        cross(c, a) += double{features(n, c)} * double{points(n, a)};
      }
    }
  }
  for (std::size_t a = 0; a < dim; ++a) trace += gram(a, a);
  for (std::size_t a = 0; a < dim; ++a) {
    gram(a, a) += ridge * trace / static_cast<double>(dim);
  }
  for (std::size_t a = 0; a < dim; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = gram(a, b);
      for (std::size_t k = 0; k < b; ++k) sum -= gram(a, k) * gram(b, k);
      gram(a, b) = a == b ? std::sqrt(sum) : sum / gram(b, b);
    }
  }
  for (std::size_t c = 0; c < features.cols(); ++c) {
    for (std::size_t a = 0; a < dim; ++a) {
      for (std::size_t k = 0; k < a; ++k) {
        cross(c, a) -= gram(a, k) * cross(c, k);
      }
      cross(c, a) /= gram(a, a);
    }
    for (std::size_t a = dim; a-- > 0;) {
      for (std::size_t k = a + 1; k < dim; ++k) {
        cross(c, a) -= gram(k, a) * cross(c, k);
      }
      cross(c, a) /= gram(a, a);
    }
  }
  return cross;
}

Matrix<float> apply_lift(const Matrix<double>& lift,
                         MatrixView<const float> points) {
  Matrix<float> features(points.rows(), lift.rows());
  for (std::size_t n = 0; n < points.rows(); ++n) {
    for (std::size_t c = 0; c < lift.rows(); ++c) {
      features(n, c) = static_cast<float>(
          inner_product<double, float>(lift.row(c), points.row(n)));
    }
  }
  return features;
}

DetectionRun train_detection(const Encoder& encoder,
                             const WindowSource& windows,
                             const DetectionOptions& options,
                             const Context& context) {
  check(options);
  const bool is_latent = options.carrier == Carrier::kLatent ||
                         options.carrier == Carrier::kLifted;
  const HeadInput input = options.carrier == Carrier::kLatent
                              ? HeadInput::kPoints
                              : HeadInput::kFeatures;
  PoolMaker maker(windows, options, context);
  ClusterPool pool = maker.make(encoder);
  ClusterTraining training;
  training.is_frozen = is_latent && options.refresh_epochs == 0;
  if (is_latent) {
    training.refresh_epochs = options.refresh_epochs;
    training.refresh = [&](const Encoder& current, ClusterPool& moved) {
      maker.remake(current, moved);
    };
  }
  DetectionRun run{ClusterModel(encoder, input, options.clusters.classes,
                                options.clusters.seed),
                   {},
                   {},
                   {},
                   {},
                   {},
                   {},
                   0.0};
  run.spread = encoder_spread(encoder.embed(windows, context), 0.02, context);
  run.history =
      train_clusters(run.model, pool, options.clusters, training, context);
  run.negatives = maker.take_negatives();
  run.retrieval_cosine = maker.retrieval_cosine();
  const Matrix<float> probabilities = run.model.probabilities(pool, context);
  run.majority =
      normal_classes(probabilities, pool.originals, ScoreRule::kMajority);
  run.normal_set =
      normal_classes(probabilities, pool.originals, ScoreRule::kNormalSet);
  const std::vector<double> scores = anomaly_scores(
      probabilities.view().subrows(0, pool.originals), run.normal_set);
  run.cluster_spread = cluster_spread(probabilities, scores);
  return run;
}

std::vector<double> score_windows(const DetectionRun& run,
                                  const WindowSource& windows, ScoreRule rule,
                                  const Context& context) {
  const Matrix<float> probabilities = run.model.probabilities(
      windows.size(),
      [&](std::size_t i, MatrixView<float> rows) { windows.fill(i, rows); },
      context);
  return anomaly_scores(probabilities, rule == ScoreRule::kMajority
                                           ? run.majority
                                           : run.normal_set);
}

}  // namespace sbog::series
