// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/alignment.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "encoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/class_anchors.h"
#include "sbog_torch/image/embedding.h"

namespace sbog::image {
namespace alignment_test {

using namespace testing_support;
using sbog::testing_support::TemporaryFolder;

/// Asks to stop when so many steps are done.
class StopAt : public Observer {
 public:
  explicit StopAt(std::uint64_t steps) : steps_(steps) {}
  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    total_ = total;
    return done < steps_;
  }
  std::uint64_t total() const { return total_; }

 private:
  std::uint64_t steps_;
  std::uint64_t total_ = 0;
};

AlignmentOptions short_run() {
  AlignmentOptions options;
  options.epochs = 2;
  options.batch = 16;
  return options;
}

std::vector<float> weights(const AlignmentResult& result) {
  const nn::ParameterSet set = result.model.encoder.parameter_set();
  const nn::ParameterSet buffers = result.model.encoder.buffer_set();
  std::vector<float> all(set.flat().begin(), set.flat().end());
  all.insert(all.end(), buffers.flat().begin(), buffers.flat().end());
  const auto anchors = result.model.anchors.elements();
  all.insert(all.end(), anchors.begin(), anchors.end());
  return all;
}

/// Eight classes of shapes in 40 images.
AlignmentResult run(const AlignmentOptions& options, Observer* observer = {}) {
  const ImageSet images = small_shapes(40);
  return align_encoder(images, small_options(images),
                       orthonormal_anchors(8, 8, 1), options,
                       {nullptr, observer});
}

TEST(Alignment, logits_are_cosines_over_the_temperature) {
  const torch::Tensor latents = unit_rows(double_normals({3, 5}, 1));
  const torch::Tensor anchors = unit_rows(double_normals({4, 5}, 2));
  const torch::Tensor logits = class_logits(latents, anchors, 0.1);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t c = 0; c < 4; ++c) {
      EXPECT_NEAR(logits[i][c].item<double>(),
                  latents[i].dot(anchors[c]).item<double>() / 0.1, 1e-12);
    }
  }
}

TEST(Alignment, learns_the_shapes) {
  ShapesOptions shapes;
  shapes.count = 1200;
  shapes.height = shapes.width = 20;
  const ImageSet train = make_shapes(shapes);
  shapes.first = 150;
  shapes.count = 400;
  const ImageSet test = make_shapes(shapes);
  EncoderOptions encoder = options_for(train);
  encoder.widths = {8, 16, 32};
  encoder.latent = 16;
  AlignmentOptions options;
  options.batch = 32;
  options.epochs = 6;
  options.augment = {1, false};
  const AlignmentResult result =
      align_encoder(train, encoder, orthonormal_anchors(8, 16, 1), options);
  const EmbeddingResult latents =
      embed_images(result.model.encoder.embedding(), test);
  EXPECT_GT(accuracy(nearest_anchors(latents.latents, result.model.anchors),
                     test.labels),
            0.9);
  ASSERT_EQ(result.epochs.size(), 6u);
  EXPECT_LT(result.epochs.back().loss, 0.5 * result.epochs.front().loss);
  EXPECT_EQ(result.model.class_names, train.class_names);
}

TEST(Alignment, the_same_seed_gives_the_same_bits) {
  AlignmentOptions options = short_run();
  const auto first = weights(run(options));
  EXPECT_EQ(first, weights(run(options)));
  options.seed = 2;
  EXPECT_NE(first, weights(run(options)));
}

TEST(Alignment, every_kind_of_atoms_trains_and_repeats) {
  for (const AtomKind kind :
       {AtomKind::kLatent, AtomKind::kInput, AtomKind::kNeighbour}) {
    AlignmentOptions options = short_run();
    options.robust.emplace();
    options.robust->atoms = kind;
    options.robust->atom_count = 3;
    const AlignmentResult result = run(options);
    EXPECT_EQ(result.status, SolveStatus::kDone);
    const auto first = weights(result);
    for (const float value : first) ASSERT_TRUE(std::isfinite(value));
    EXPECT_EQ(first, weights(run(options)));
    EXPECT_NE(first, weights(run(short_run())));
  }
}

// (a) of the robust plan, through the whole training.
TEST(Alignment, robust_training_with_one_atom_is_plain_training) {
  AlignmentOptions options = short_run();
  const auto plain = weights(run(options));
  options.robust.emplace();
  options.robust->atom_count = 1;
  EXPECT_EQ(weights(run(options)), plain);
}

TEST(Alignment, a_cancelled_run_goes_on_to_the_same_bits) {
  for (const bool is_robust : {false, true}) {
    AlignmentOptions options = short_run();
    options.mean_decay = 0.9;
    if (is_robust) options.robust.emplace();
    const AlignmentResult whole = run(options);
    // Steps 1 to 6; 3 is the end of an epoch.
    for (const std::uint64_t stop : {1u, 3u, 4u}) {
      const TemporaryFolder folder;
      options.checkpoint = folder.file("state");
      StopAt observer(stop);
      const AlignmentResult part = run(options, &observer);
      EXPECT_EQ(observer.total(), 6u);
      EXPECT_EQ(part.status, SolveStatus::kCancelled);
      EXPECT_EQ(part.steps_done, stop);
      EXPECT_EQ(part.epochs.size(), stop / 3);
      const AlignmentResult rest = run(options);
      EXPECT_EQ(rest.status, SolveStatus::kDone);
      EXPECT_EQ(rest.steps_done, rest.steps);
      EXPECT_EQ(weights(rest), weights(whole));
      ASSERT_EQ(rest.epochs.size(), whole.epochs.size());
      for (std::size_t e = 0; e < whole.epochs.size(); ++e) {
        EXPECT_EQ(rest.epochs[e].loss, whole.epochs[e].loss);
        EXPECT_EQ(rest.epochs[e].accuracy, whole.epochs[e].accuracy);
      }
    }
  }
}

TEST(Alignment, a_diverged_run_ends_with_its_status) {
  for (const bool is_robust : {false, true}) {
    AlignmentOptions options = short_run();
    options.sgd.learning_rate = 1e38;
    if (is_robust) options.robust.emplace();
    const AlignmentResult result = run(options);
    EXPECT_EQ(result.status, SolveStatus::kNotConverged);
    EXPECT_LT(result.steps_done, result.steps);
  }
}

TEST(Alignment, a_checkpoint_of_another_run_is_refused) {
  const TemporaryFolder folder;
  AlignmentOptions options = short_run();
  options.checkpoint = folder.file("state");
  run(options);
  options.seed = 2;
  EXPECT_THROW(run(options), IoError);
}

TEST(Alignment, anchors_follow_the_means_only_when_asked) {
  AlignmentOptions options = short_run();
  const Matrix<float> start = orthonormal_anchors(8, 8, 1);
  const AlignmentResult fixed = run(options);
  EXPECT_TRUE(
      std::ranges::equal(fixed.model.anchors.elements(), start.elements()));
  options.mean_decay = 0.9;
  const AlignmentResult moved = run(options);
  EXPECT_FALSE(
      std::ranges::equal(moved.model.anchors.elements(), start.elements()));
  for (std::size_t c = 0; c < 8; ++c) {
    double square = 0.0;
    for (const float v : moved.model.anchors.row(c)) square += double{v} * v;
    EXPECT_NEAR(square, 1.0, 1e-5);
  }
}

TEST(Alignment, what_does_not_fit_is_refused) {
  ImageSet images = small_shapes(40);
  const EncoderOptions encoder = small_options(images);
  const Matrix<float> anchors = orthonormal_anchors(8, 8, 1);
  const auto refuses = [&](const EncoderOptions& e, const Matrix<float>& a) {
    EXPECT_THROW(align_encoder(images, e, a, short_run()), InvalidArgument);
  };
  refuses(encoder, orthonormal_anchors(7, 8, 1));
  refuses(encoder, orthonormal_anchors(8, 9, 1));
  refuses(encoder, Matrix<float>(8, 8));
  EncoderOptions wider = encoder;
  wider.shape.width = 13;
  refuses(wider, anchors);
  images.labels.clear();
  refuses(encoder, anchors);
  AlignmentOptions options;
  options.temperature = 0.0;
  EXPECT_THROW(check_options(options), InvalidArgument);
  options = {};
  options.batch = 1;
  EXPECT_THROW(check_options(options), InvalidArgument);
  options = {};
  options.mean_decay = 1.0;
  EXPECT_THROW(check_options(options), InvalidArgument);
  options = {};
  options.robust.emplace();
  options.robust->atoms = AtomKind::kInput;
  options.epochs = 256;
  EXPECT_THROW(check_options(options), InvalidArgument);
}

}  // namespace alignment_test
}  // namespace sbog::image
