// SPDX-License-Identifier: Apache-2.0
// Training of the classification stage; see cluster_stage.h.
#include "sbog/series/cluster_stage.h"

#include <algorithm>
#include <memory>

#include "sbog/base/errors.h"
#include "sbog/nn/backbone.h"
#include "sbog/nn/linear.h"
#include "sbog/nn/projection.h"
#include "sbog/nn/random.h"

namespace sbog::series {
namespace {

const char* const kHead = "cluster";

// One forward pass over the items of a batch, with its own batch statistics,
// kept for its backward pass.
class Pass {
 public:
  Pass(const ClusterModel& model, std::size_t batch, bool is_frozen)
      : is_frozen_(is_frozen) {
    if (!is_frozen) {
      backbone_ = std::make_unique<Backbone>(model.encoder().options(), batch);
    }
  }

  // `known`: inputs of all items of the pool when the network is frozen.
  Matrix<float> forward(ClusterModel& model, const ClusterPool& pool,
                        const Matrix<float>& known,
                        std::span<const std::size_t> items) {
    inputs_ = Matrix<float>(items.size(), model.input_size());
    real_.clear();
    for (std::size_t b = 0; b < items.size(); ++b) {
      const bool is_real = !is_frozen_ && items[b] < pool.windows;
      if (is_real) {
        real_.push_back(b);
        continue;
      }
      const auto from = is_frozen_ ? known.row(items[b])
                                   : pool.latents.row(items[b] - pool.windows);
      std::copy(from.begin(), from.end(), inputs_.row(b).begin());
    }
    if (!real_.empty()) run_windows(model, pool, items);
    Matrix<float> logits(items.size(), model.head().entry("cluster.bias").size);
    nn::linear_forward(model.head(), kHead, inputs_, logits);
    return logits;
  }

  void backward(const ClusterModel& model, MatrixView<const float> d_logits,
                nn::ParameterSet& d_head, nn::ParameterSet& d_network) {
    Matrix<float> d_inputs(inputs_.rows(), inputs_.cols());
    nn::linear_backward(model.head(), kHead, inputs_, d_logits, &d_head,
                        d_inputs);
    if (real_.empty()) return;
    Matrix<float> d_real(real_.size(), inputs_.cols());
    for (std::size_t r = 0; r < real_.size(); ++r) {
      const auto from = d_inputs.row(real_[r]);
      std::copy(from.begin(), from.end(), d_real.row(r).begin());
    }
    if (model.input() == HeadInput::kPoints) {
      d_real = projection_.backward(model.encoder().parameters(), d_real,
                                    &d_network);
    }
    backbone_->backward(d_real, fill_, d_network);
  }

 private:
  void run_windows(ClusterModel& model, const ClusterPool& pool,
                   std::span<const std::size_t> items) {
    std::vector<std::size_t> windows;
    for (const std::size_t b : real_) windows.push_back(items[b]);
    fill_ = [&pool, windows](std::size_t b, MatrixView<float> rows) {
      pool.fill(windows[b], rows);
    };
    Encoder& encoder = model.encoder();
    Matrix<float> rows(real_.size(), encoder.options().features());
    backbone_->forward_train(encoder.parameters(), encoder.buffers(),
                             real_.size(), fill_, rows);
    if (model.input() == HeadInput::kPoints) {
      rows = projection_.forward(encoder.parameters(), rows);
    }
    for (std::size_t r = 0; r < real_.size(); ++r) {
      const auto from = rows.row(r);
      std::copy(from.begin(), from.end(), inputs_.row(real_[r]).begin());
    }
  }

  bool is_frozen_;
  std::unique_ptr<Backbone> backbone_;
  Projection projection_;
  FillWindow fill_;
  Matrix<float> inputs_;
  std::vector<std::size_t> real_;  // places of the batch that are windows
};

// Everything that changes while training.
class Trainer {
 public:
  Trainer(ClusterModel& model, ClusterPool& pool, const ClusterOptions& options,
          const ClusterTraining& training, const Context& context)
      : model_(model),
        pool_(pool),
        options_(options),
        training_(training),
        context_(context),
        passes_{Pass(model, options.batch, training.is_frozen),
                Pass(model, options.batch, training.is_frozen),
                Pass(model, options.batch, training.is_frozen)},
        d_head_(model.head().zeros()),
        d_network_(model.encoder().parameters().zeros()),
        head_state_(nn::make_adam_state(model.head().size())),
        network_state_(nn::make_adam_state(trained_size())) {
    rebuild();
    draw_neighbours(0);
  }

  void run_epoch(std::size_t epoch, ClusterHistory& history) {
    const std::size_t refresh = training_.refresh_epochs;
    if (refresh > 0 && epoch > 0 && epoch % refresh == 0) {
      training_.refresh(model_.encoder(), pool_);
      rebuild();
    }
    if (options_.redraws_neighbours && epoch > 0) draw_neighbours(epoch);
    const auto order = nn::shuffled_order(pool_.size(), options_.seed, epoch);
    const std::size_t steps = pool_.size() / options_.batch;
    ClusterLoss sum;
    for (std::size_t step = 0; step < steps; ++step) {
      const ClusterLoss loss = run_step(
          std::span(order).subspan(step * options_.batch, options_.batch));
      sum.total += loss.total;
      sum.consistency += loss.consistency;
      sum.entropy += loss.entropy;
    }
    const double count = static_cast<double>(steps);
    history.totals.push_back(sum.total / count);
    history.consistencies.push_back(sum.consistency / count);
    history.entropies.push_back(sum.entropy / count);
  }

 private:
  // The projection comes last in the set; a head on features leaves it alone.
  std::size_t trained_size() const {
    const nn::ParameterSet& all = model_.encoder().parameters();
    return model_.input() == HeadInput::kPoints
               ? all.size()
               : all.entry("projection.linear1.weight").offset;
  }

  void rebuild() {
    if (pool_.latents.rows() > 0 &&
        pool_.latents.cols() != model_.input_size()) {
      throw InvalidArgument(
          "train_clusters: items without a window must have "
          "the size that the head reads");
    }
    NeighbourOptions neighbours = options_.neighbours;
    neighbours.seed = options_.seed;
    lists_ =
        find_neighbours(pool_.points, pool_.positions, neighbours, context_);
    if (!training_.is_frozen) return;
    known_ = Matrix<float>(pool_.size(), model_.input_size());
    const Matrix<float> real =
        model_.inputs(pool_.windows, pool_.fill, context_);
    std::copy_n(real.data(), real.size(), known_.data());
    std::copy_n(pool_.latents.data(), pool_.latents.size(),
                known_.data() + real.size());
  }

  void draw_neighbours(std::size_t epoch) {
    nn::Draws draws(options_.seed, nn::Purpose::kNeighbour, epoch);
    near_.resize(pool_.size());
    far_.resize(pool_.size());
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      near_[i] = lists_.near(i)[draws.below(lists_.count)];
      far_[i] = lists_.far(i)[draws.below(lists_.count)];
    }
  }

  ClusterLoss run_step(std::span<const std::size_t> anchors) {
    std::vector<std::size_t> near, far;
    for (const std::size_t i : anchors) {
      near.push_back(near_[i]);
      far.push_back(far_[i]);
    }
    const bool has_far = options_.weights.inconsistency != 0.0;
    const auto logits = [&](std::size_t pass,
                            std::span<const std::size_t> items) {
      return passes_[pass].forward(model_, pool_, known_, items);
    };
    const Matrix<float> anchor_logits = logits(0, anchors);
    const Matrix<float> near_logits = logits(1, near);
    const Matrix<float> far_logits = has_far ? logits(2, far) : Matrix<float>();
    ClusterLoss loss =
        cluster_loss(anchor_logits, near_logits, far_logits, options_.weights);
    d_head_.set_zero();
    d_network_.set_zero();
    passes_[0].backward(model_, loss.d_anchor, d_head_, d_network_);
    passes_[1].backward(model_, loss.d_near, d_head_, d_network_);
    if (has_far) passes_[2].backward(model_, loss.d_far, d_head_, d_network_);
    nn::adam_step(options_.optimiser, d_head_.flat(), head_state_,
                  model_.head().flat());
    if (!training_.is_frozen) {
      const std::size_t size = trained_size();
      nn::adam_step(options_.optimiser, d_network_.flat().first(size),
                    network_state_,
                    model_.encoder().parameters().flat().first(size));
    }
    return loss;
  }

  ClusterModel& model_;
  ClusterPool& pool_;
  const ClusterOptions& options_;
  const ClusterTraining& training_;
  const Context& context_;
  Pass passes_[3];
  nn::ParameterSet d_head_;
  nn::ParameterSet d_network_;
  nn::AdamState head_state_;
  nn::AdamState network_state_;
  NeighbourLists lists_;
  Matrix<float> known_;
  std::vector<std::size_t> near_;
  std::vector<std::size_t> far_;
};

void check(const ClusterPool& pool, const ClusterOptions& options,
           const ClusterTraining& training) {
  const auto need = [](bool is_good, const char* what) {
    if (!is_good) throw InvalidArgument(std::string("train_clusters: ") + what);
  };
  need(options.classes >= 2, "at least two classes are expected");
  need(options.epochs >= 1 && options.batch >= 1,
       "at least one epoch and one item per batch are expected");
  need(pool.size() >= options.batch, "the pool is smaller than a batch");
  need(pool.points.rows() == pool.size(),
       "one point per item of the pool is expected");
  need(pool.originals <= pool.windows, "originals must be windows");
  need(training.refresh_epochs == 0 || training.refresh != nullptr,
       "refreshing needs a function that does it");
}

}  // namespace

ClusterModel::ClusterModel(const Encoder& encoder, HeadInput input,
                           std::size_t classes, std::uint64_t seed)
    : encoder_(encoder), input_(input) {
  add_cluster_head(input_size(), classes, head_);
  initialise(head_, seed);
}

std::size_t ClusterModel::input_size() const {
  return input_ == HeadInput::kFeatures ? encoder_.options().features()
                                        : encoder_.options().head;
}

Matrix<float> ClusterModel::inputs(std::size_t count, const FillWindow& fill,
                                   const Context& context) const {
  Embedding embedding = encoder_.embed_all(count, fill, context);
  return input_ == HeadInput::kFeatures ? std::move(embedding.features)
                                        : std::move(embedding.points);
}

Matrix<float> ClusterModel::probabilities(
    MatrixView<const float> inputs) const {
  Matrix<float> logits(inputs.rows(), head_.entry("cluster.bias").size);
  nn::linear_forward(head_, kHead, inputs, logits);
  return softmax_rows(logits);
}

Matrix<float> ClusterModel::probabilities(std::size_t count,
                                          const FillWindow& fill,
                                          const Context& context) const {
  return probabilities(inputs(count, fill, context));
}

Matrix<float> ClusterModel::probabilities(const ClusterPool& pool,
                                          const Context& context) const {
  const Matrix<float> real = probabilities(pool.windows, pool.fill, context);
  if (pool.latents.rows() == 0) return real.clone();
  const Matrix<float> others = probabilities(pool.latents);
  Matrix<float> all(pool.size(), real.cols());
  std::copy_n(real.data(), real.size(), all.data());
  std::copy_n(others.data(), others.size(), all.data() + real.size());
  return all;
}

ClusterHistory train_clusters(ClusterModel& model, ClusterPool& pool,
                              const ClusterOptions& options,
                              const ClusterTraining& training,
                              const Context& context) {
  check(pool, options, training);
  Trainer trainer(model, pool, options, training, context);
  ClusterHistory history;
  ProgressCounter progress(context.observer, options.epochs);
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    trainer.run_epoch(epoch, history);
    if (!progress.add(1) && epoch + 1 < options.epochs) {
      history.status = SolveStatus::kCancelled;
      break;
    }
  }
  return history;
}

}  // namespace sbog::series
