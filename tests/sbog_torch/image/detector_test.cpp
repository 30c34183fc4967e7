// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/detector.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::image {
namespace detector_test {

using namespace testing_support;
using sbog::testing_support::TemporaryFolder;

EncoderOptions small(std::size_t classes = 3) {
  EncoderOptions options;
  options.shape = {1, 8, 8};
  options.widths = {4, 6};
  options.latent = classes;
  options.mean = {0.25F};
  options.deviation = {0.5F};
  return options;
}

TEST(Detector, logits_of_an_image_do_not_depend_on_the_others) {
  const Detector detector(small(), 1);
  const torch::Tensor x = make_bars(40, 1).images;
  const torch::Tensor all = detector.logits(x);
  EXPECT_EQ(all.sizes(), at::IntArrayRef({40, 3}));
  EXPECT_FALSE(all.requires_grad());
  EXPECT_TRUE(
      same_bits(detector.logits(x.narrow(0, 33, 1)), all.narrow(0, 33, 1)));
  EXPECT_EQ(detector.logits(x.narrow(0, 0, 0)).size(0), 0);
  EXPECT_THROW(detector.logits(torch::zeros({2, 1, 8, 9})), InvalidArgument);
}

TEST(Detector, a_clone_has_its_own_memory) {
  const Detector detector(small(), 1);
  Detector copy = detector.clone();
  const torch::Tensor x = make_bars(2, 1).images;
  const torch::Tensor before = detector.logits(x);
  {
    const torch::NoGradGuard no_gradients;
    for (const auto& [name, tensor] : copy.network().parameters()) {
      torch::Tensor shared = tensor;
      shared.add_(1.0);
    }
    torch::Tensor weight = copy.phi().at("phi.weight");
    weight.add_(1.0);
  }
  EXPECT_TRUE(same_bits(detector.logits(x), before));
  EXPECT_FALSE(same_bits(copy.logits(x), before));
  EXPECT_EQ(detector.phi().at("phi.weight")[1][0].item<double>(), 0.5);
}

TEST(Detector, a_file_gives_the_same_detector_back) {
  const TemporaryFolder folder;
  const std::string path = folder.file("detector");
  for (const bool is_full : {false, true}) {
    Detector detector(small(), 1);
    if (is_full) {
      detector.threshold = 1.25;
      detector.score = LogitScore::kProbability;
      detector.class_names = {"bar", "", "cross"};
    }
    detector.save(path);
    const Detector loaded = Detector::load(path);
    const torch::Tensor x = make_bars(3, 1).images;
    EXPECT_TRUE(same_bits(loaded.logits(x), detector.logits(x)));
    EXPECT_TRUE(same_bits(loaded.phi().at("phi.weight").detach(),
                          detector.phi().at("phi.weight").detach()));
    EXPECT_EQ(loaded.threshold, detector.threshold);
    EXPECT_EQ(loaded.score, detector.score);
    EXPECT_EQ(loaded.class_names, detector.class_names);
  }
}

// Four unit rows of width 3: the axes and the negative of the first.
Matrix<float> four_anchors() {
  Matrix<float> anchors(4, 3);
  for (std::size_t c = 0; c < 3; ++c) anchors(c, c) = 1.0F;
  anchors(3, 0) = -1.0F;
  return anchors;
}

TEST(Detector, an_aligned_one_has_cosines_over_the_temperature_as_logits) {
  const Encoder encoder(small(3), 1);
  const Matrix<float> anchors = four_anchors();
  const Detector detector(encoder, anchors, 0.25);
  EXPECT_EQ(detector.classes(), 4u);
  const torch::Tensor x = make_bars(5, 1).images;
  const torch::Tensor latents = encoder.embed(x).detach();
  const torch::Tensor logits = detector.logits(x);
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t c = 0; c < 4; ++c) {
      const double cosine =
          c == 3 ? -latents[i][0].item<double>() : latents[i][c].item<double>();
      EXPECT_NEAR(logits[i][c].item<double>(), cosine / 0.25, 1e-6);
    }
  }
  EXPECT_THROW(Detector(encoder, anchors, 0.0), InvalidArgument);
  EXPECT_THROW(Detector(Encoder(small(2), 1), anchors, 0.1), InvalidArgument);
  EXPECT_THROW(Detector(encoder, Matrix<float>(4, 3), 0.1), InvalidArgument);
}

TEST(Detector, an_aligned_one_is_its_own_and_comes_back_from_its_file) {
  const TemporaryFolder folder;
  const std::string path = folder.file("detector");
  Encoder encoder(small(3), 1);
  Detector detector(encoder, four_anchors(), 0.25);
  const torch::Tensor x = make_bars(5, 1).images;
  const torch::Tensor before = encoder.embed(x).detach().clone();
  detector.train_logits(x);  // moves running statistics
  EXPECT_TRUE(same_bits(encoder.embed(x).detach(), before));
  detector.class_names = {"a", "b", "c", "d"};
  detector.save(path);
  const Detector loaded = Detector::load(path);
  EXPECT_TRUE(loaded.is_aligned());
  EXPECT_TRUE(same_bits(loaded.logits(x), detector.logits(x)));
  EXPECT_EQ(loaded.class_names, detector.class_names);
}

TEST(Detector, files_that_lie_about_anchors_are_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("detector");
  Detector(Encoder(small(3), 1), four_anchors(), 0.25).save(path);
  const std::string bytes = sbog::testing_support::read_bytes(path);
  const std::string from = "\"anchors\":\"4\"";
  ASSERT_NE(bytes.find(from), std::string::npos);
  for (const char* count : {"0", "1", "3", "5", "-", "x"}) {
    std::string changed = bytes;
    changed.replace(changed.find(from), from.size(),
                    std::string("\"anchors\":\"") + count + "\"");
    std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
    EXPECT_THROW(Detector::load(path), IoError) << count;
  }
}

TEST(Detector, files_that_lie_or_are_cut_are_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("detector");
  Detector(small(), 1).save(path);
  const std::string bytes = sbog::testing_support::read_bytes(path);
  const auto refused = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    return !message_of<IoError>([&] { Detector::load(path); }).empty();
  };
  EXPECT_FALSE(refused(bytes));
  EXPECT_TRUE(refused(bytes.substr(0, bytes.size() - 4)));
  EXPECT_TRUE(refused(""));
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"image detector 1",
                                            "image detector 9"},
        {"\"latent\":\"3\"", "\"latent\":\"4\""},
        {"\"latent\":\"3\"", "\"latent\":\"1\""},
        {"\"names\":\"0\"", "\"names\":\"2\""},
        {"\"score\":\"lse\"", "\"score\":\"lsd\""},
        {"\"widths\":\"4,6\"", "\"widths\":\"4,9\""}}) {
    std::string changed = bytes;
    ASSERT_NE(changed.find(from), std::string::npos) << from;
    changed.replace(changed.find(from), from.size(), to);
    EXPECT_TRUE(refused(changed)) << to;
  }
}

TEST(Detector, a_file_that_names_no_score_means_the_log_sum_exp) {
  const TemporaryFolder folder;
  const std::string path = folder.file("detector");
  Detector detector(small(), 1);
  detector.score = LogitScore::kProbability;
  detector.save(path);
  std::string bytes = sbog::testing_support::read_bytes(path);
  const std::string key = "\"score\"";
  ASSERT_NE(bytes.find(key), std::string::npos);
  bytes.replace(bytes.find(key), key.size(), "\"scope\"");
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  EXPECT_EQ(Detector::load(path).score, LogitScore::kLogSumExp);
}

TEST(Detector, scores_have_names) {
  for (const LogitScore score :
       {LogitScore::kLogSumExp, LogitScore::kProbability}) {
    EXPECT_EQ(logit_score(to_string(score)), score);
  }
  EXPECT_THROW(logit_score("knn"), InvalidArgument);
}

TEST(Detector, wrong_counts_are_refused) {
  EXPECT_THROW(Detector(small(1), 1), InvalidArgument);
  const TemporaryFolder folder;
  Detector detector(small(), 1);
  detector.class_names = {"one"};
  EXPECT_THROW(detector.save(folder.file("detector")), InvalidArgument);
}

}  // namespace detector_test
}  // namespace sbog::image
