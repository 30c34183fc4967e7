// SPDX-License-Identifier: Apache-2.0
// See linear_head.h.
#include "sbog/detect/linear_head.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/detect/detail/products.h"
#include "sbog/nn/adam.h"
#include "sbog/nn/random.h"

namespace sbog::detect {
namespace {

// Rows and features of one piece of work.
constexpr std::size_t kHeadRows = 32;
constexpr std::size_t kHeadFeatures = 32;
// softplus(kUnitSlope) = 1.
constexpr float kUnitSlope = 0.54132485F;

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double sigmoid(double x) {
  const double t = std::exp(-std::abs(x));
  return (x >= 0.0 ? 1.0 : t) / (1.0 + t);
}

template <typename Body>
void over_pieces(const Context& context, std::size_t count, std::size_t size,
                 const Body& body) {
  parallel_for(context, (count + size - 1) / size,
               [&](std::size_t piece, std::size_t) {
                 const std::size_t first = piece * size;
                 body(first, std::min(size, count - first));
               });
}

// What one row adds to the sums of a batch.
struct RowTerms {
  double loss = 0.0;
  double energy_slope = 0.0;  // derivative of the loss in e
  double lse = 0.0;
};

// The share of one batch row in the loss; its logits become their gradient.
class RowLoss {
 public:
  RowLoss(const LinearHead& head, std::size_t in, std::size_t out,
          bool is_exposed)
      : head_(head),
        steepness_(softplus(head.slope)),
        in_share_(1.0 / static_cast<double>(in)),
        out_share_(out == 0 ? 0.0 : 1.0 / static_cast<double>(out)),
        is_exposed_(is_exposed) {}

  // `cls`: kNoClass for an outlier.
  RowTerms operator()(std::span<float> logits, std::size_t cls) const {
    const float top = *std::max_element(logits.begin(), logits.end());
    const double own = cls == kNoClass ? 0.0 : logits[cls];
    double sum = 0.0;
    for (float& x : logits) {
      x = std::exp(x - top);
      sum += x;
    }
    RowTerms terms;
    terms.lse = top + std::log(sum);
    const double energy = steepness_ * terms.lse + head_.offset;
    const bool is_in = cls != kNoClass;
    if (is_in) terms.loss = in_share_ * (terms.lse - own);
    if (is_in && is_exposed_) {
      terms.loss += in_share_ * softplus(-energy);
      terms.energy_slope = -in_share_ * sigmoid(-energy);
    } else if (!is_in) {
      terms.loss = out_share_ * softplus(energy);
      terms.energy_slope = out_share_ * sigmoid(energy);
    }
    const double scale =
        ((is_in ? in_share_ : 0.0) + steepness_ * terms.energy_slope) / sum;
    for (float& x : logits) x = static_cast<float>(scale * x);
    if (is_in) logits[cls] -= static_cast<float>(in_share_);
    return terms;
  }

  static constexpr std::size_t kNoClass = static_cast<std::size_t>(-1);

 private:
  const LinearHead& head_;
  double steepness_;
  double in_share_;
  double out_share_;
  bool is_exposed_;
};

// Adam with its two rates.
class HeadAdam {
 public:
  HeadAdam(const LinearHead& head, const HeadOptions& options)
      : weights_(nn::make_adam_state(head.weights.size())),
        others_(nn::make_adam_state(head.class_count() + 2)) {
    slow_.learning_rate = options.rate;
    slow_.weight_decay = options.decay;
    fast_.learning_rate = options.fast_rate;
  }

  void step(const HeadGradient& gradient, LinearHead& head) {
    nn::adam_step(slow_, gradient.weights.elements(), weights_,
                  head.weights.elements());
    std::vector<float> from = gradient.bias;
    from.push_back(static_cast<float>(gradient.slope));
    from.push_back(static_cast<float>(gradient.offset));
    std::vector<float> to = head.bias;
    to.push_back(head.slope);
    to.push_back(head.offset);
    nn::adam_step(fast_, from, others_, to);
    head.offset = to.back();
    to.pop_back();
    head.slope = to.back();
    to.pop_back();
    head.bias = std::move(to);
  }

 private:
  nn::AdamOptions slow_;
  nn::AdamOptions fast_;
  nn::AdamState weights_;
  nn::AdamState others_;
};

// What the head learns on in place of the points: sqrt(dim) (z - mean).
struct HeadInput {
  explicit HeadInput(const LabelledBank& bank)
      : centre(bank.dim(), 0.0F),
        scale(std::sqrt(static_cast<float>(bank.dim()))) {
    std::vector<double> sums(bank.dim(), 0.0);
    for (std::size_t i = 0; i < bank.rows(); ++i) {
      for (std::size_t j = 0; j < sums.size(); ++j) {
        sums[j] += bank.points(i, j);
      }
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      centre[j] =
          static_cast<float>(sums[j] / static_cast<double>(bank.rows()));
    }
  }

  void apply(std::span<const float> point, std::span<float> out) const {
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = scale * (point[j] - centre[j]);
    }
  }

  // The head that says the same about the points themselves.
  void fold_into(LinearHead& head) const {
    for (float& w : head.weights.elements()) w *= scale;
    for (std::size_t c = 0; c < head.class_count(); ++c) {
      double shift = 0.0;
      for (std::size_t j = 0; j < head.dim(); ++j) {
        shift += static_cast<double>(centre[j]) * head.weights(j, c);
      }
      head.bias[c] = static_cast<float>(head.bias[c] - shift);
    }
  }

  std::vector<float> centre;
  float scale;
};

// Rows of the bank and outliers of one step, one behind the other.
struct HeadBatch {
  Matrix<float> points;
  std::vector<std::size_t> classes;
};

HeadBatch take_batch(const LabelledBank& bank,
                     std::span<const std::size_t> rows,
                     MatrixView<const float> outliers, const HeadInput& input) {
  HeadBatch batch;
  batch.points = Matrix<float>(rows.size() + outliers.rows(), bank.dim());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    input.apply(bank.points.row(rows[i]), batch.points.row(i));
    batch.classes.push_back(bank.classes[rows[i]]);
  }
  for (std::size_t i = 0; i < outliers.rows(); ++i) {
    input.apply(outliers.row(i), batch.points.row(rows.size() + i));
  }
  return batch;
}

std::size_t steps_per_epoch(const HeadOptions& options, std::size_t rows) {
  return (rows + options.batch - 1) / options.batch;
}

// Rows of step number `step`.
std::span<const std::size_t> batch_rows(std::span<const std::size_t> order,
                                        std::size_t step, std::size_t batch) {
  const std::size_t first = step * batch;
  return order.subspan(first, std::min(batch, order.size() - first));
}

// Outliers of step number `step`, so that `steps` of them show all.
MatrixView<const float> share_of_rows(const Matrix<float>& shown,
                                      std::size_t step, std::size_t steps) {
  const std::size_t from = step * shown.rows() / steps;
  const std::size_t to = (step + 1) * shown.rows() / steps;
  return shown.view().subrows(from, to - from);
}

}  // namespace

double LinearHead::energy(double lse) const {
  return softplus(slope) * lse + static_cast<double>(offset);
}

std::size_t head_epochs(const HeadOptions& options, std::size_t rows) {
  const std::size_t steps = steps_per_epoch(options, rows);
  return std::max(options.epochs, (options.least_steps + steps - 1) / steps);
}

void check_head(const HeadOptions& o) {
  const auto need = [](bool ok, const char* sentence) {
    if (!ok) throw InvalidArgument(sentence);
  };
  need(o.epochs > 0 && o.epochs < 65536,
       "epochs: a number from 1 to 65,535 is expected");
  need(o.least_steps < 65536, "least steps: a number up to 65,535 is expected");
  need(o.batch > 0, "batch: at least one row is expected");
  need(o.rate > 0.0 && o.fast_rate > 0.0 && std::isfinite(o.rate) &&
           std::isfinite(o.fast_rate),
       "learning rate: a number above 0 is expected");
  need(o.decay >= 0.0 && std::isfinite(o.decay),
       "decay: a number of at least 0 is expected");
  check_exposure(o.exposure);
}

HeadGradient head_gradient(const LinearHead& head,
                           MatrixView<const float> points,
                           std::span<const std::size_t> classes,
                           bool is_exposed, const Context& context) {
  SBOG_ASSERT(!classes.empty() && classes.size() <= points.rows());
  const std::size_t rows = points.rows();
  Matrix<float> logits(rows, head.class_count());
  std::vector<RowTerms> terms(rows);
  const RowLoss row_loss(head, classes.size(), rows - classes.size(),
                         is_exposed);
  over_pieces(context, rows, kHeadRows, [&](std::size_t from, std::size_t n) {
    const MatrixView<float> out = logits.view().subrows(from, n);
    for (std::size_t i = 0; i < n; ++i) {
      std::ranges::copy(head.bias, out.row(i).begin());
    }
    detail::add_product<float>(points.subrows(from, n), head.weights, out);
    for (std::size_t i = from; i < from + n; ++i) {
      terms[i] = row_loss(logits.row(i),
                          i < classes.size() ? classes[i] : RowLoss::kNoClass);
    }
  });
  HeadGradient gradient;
  gradient.weights = Matrix<float>(head.dim(), head.class_count());
  over_pieces(context, head.dim(), kHeadFeatures,
              [&](std::size_t from, std::size_t n) {
                detail::add_transposed_product<float>(
                    detail::columns_of(points, from, n), logits,
                    gradient.weights.view().subrows(from, n));
              });
  gradient.bias.assign(head.class_count(), 0.0F);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < head.class_count(); ++c) {
      gradient.bias[c] += logits(i, c);
    }
    gradient.loss += terms[i].loss;
    gradient.slope += terms[i].energy_slope * terms[i].lse;
    gradient.offset += terms[i].energy_slope;
  }
  gradient.slope *= sigmoid(head.slope);
  return gradient;
}

std::optional<LinearHead> train_head(const LabelledBank& bank,
                                     const HeadOptions& options,
                                     std::uint64_t seed,
                                     const Context& context) {
  check_head(options);
  if (options.outliers == 0)
    return train_head(bank, options, seed, OutlierSource(), context);
  const ExposureLaw law(bank, options.exposure);
  const auto draw = [&](std::size_t epoch) {
    return law.draw(options.outliers, seed, epoch, {context.pool, nullptr});
  };
  return train_head(bank, options, seed, draw, context);
}

std::optional<LinearHead> train_head(const LabelledBank& bank,
                                     const HeadOptions& options,
                                     std::uint64_t seed,
                                     const OutlierSource& outliers,
                                     const Context& context) {
  check_head(options);
  if (bank.class_count() < 2) {
    throw InvalidArgument(
        "head: it tells classes apart, so labels of at least two classes are "
        "expected");
  }
  LinearHead head;
  head.weights = Matrix<float>(bank.dim(), bank.class_count());
  head.bias.assign(bank.class_count(), 0.0F);
  head.slope = kUnitSlope;
  const HeadInput input(bank);
  HeadAdam adam(head, options);
  const std::size_t steps = steps_per_epoch(options, bank.rows());
  const std::size_t epochs = head_epochs(options, bank.rows());
  ProgressCounter progress(context.observer, epochs * steps);
  const Context quiet{context.pool, nullptr};
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    const std::vector<std::size_t> order =
        nn::shuffled_order(bank.rows(), seed, epoch);
    const Matrix<float> shown = outliers ? outliers(epoch) : Matrix<float>();
    for (std::size_t step = 0; step < steps; ++step) {
      const HeadBatch batch =
          take_batch(bank, batch_rows(order, step, options.batch),
                     share_of_rows(shown, step, steps), input);
      adam.step(head_gradient(head, batch.points, batch.classes,
                              shown.rows() > 0, quiet),
                head);
      if (!progress.add(1)) return std::nullopt;
    }
  }
  input.fold_into(head);
  return head;
}

Matrix<double> head_logits(const LinearHead& head,
                           MatrixView<const float> points,
                           const Context& context) {
  Matrix<double> weights(head.dim(), head.class_count());
  std::ranges::copy(head.weights.elements(), weights.elements().begin());
  Matrix<double> logits(points.rows(), head.class_count());
  over_pieces(context, points.rows(), kHeadRows,
              [&](std::size_t from, std::size_t n) {
                Matrix<double> rows(n, head.dim());
                for (std::size_t i = 0; i < n; ++i) {
                  std::ranges::copy(points.row(from + i), rows.row(i).begin());
                  std::ranges::copy(head.bias, logits.row(from + i).begin());
                }
                detail::add_product<double>(rows, weights,
                                            logits.view().subrows(from, n));
              });
  return logits;
}

double log_sum_exp_of(std::span<const double> values) {
  const double top = *std::max_element(values.begin(), values.end());
  double sum = 0.0;
  for (const double x : values) sum += std::exp(x - top);
  return top + std::log(sum);
}

}  // namespace sbog::detect
