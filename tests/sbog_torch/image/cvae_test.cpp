// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/cvae.h"

#include <gtest/gtest.h>

#include <limits>

#include "decoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::image {
namespace cvae_test {

using namespace testing_support;
using sbog::testing_support::TemporaryFolder;

constexpr CvaeShape kShape{{1, 8, 8}, 6, 3, 4, 5};

TEST(Cvae, an_image_depends_on_its_latent_and_id_alone) {
  const CvaeDecoder decoder(kShape, 3);
  const torch::Tensor v = unit(normals({40, 6}, 1));
  const auto ids = number_ids(40, 100);
  const torch::Tensor all = decoder.decode(v, no_classes(40), ids);
  EXPECT_EQ(all.sizes(), at::IntArrayRef({40, 1, 8, 8}));
  for (const std::int64_t row : {0, 17, 39}) {
    EXPECT_TRUE(same_bits(decoder.decode(v.narrow(0, row, 1), no_classes(1),
                                         std::span(ids).subspan(
                                             static_cast<std::size_t>(row), 1)),
                          all.narrow(0, row, 1)));
  }
  const torch::Tensor again = decoder.decode(v, no_classes(40), number_ids(40));
  EXPECT_FALSE(same_bits(again, all));
  const CvaeDecoder other(kShape, 4);
  EXPECT_FALSE(same_bits(other.decode(v, no_classes(40), ids), all));
}

TEST(Cvae, reconstruction_takes_the_mean_and_repeats_itself) {
  const CvaeDecoder decoder(kShape, 3);
  const DecoderProblem problem = bar_problem(33);
  const torch::Tensor all =
      decoder.reconstruct(problem.images, problem.latents);
  EXPECT_TRUE(same_bits(decoder.reconstruct(problem.images.narrow(0, 4, 1),
                                            problem.latents.narrow(0, 4, 1)),
                        all.narrow(0, 4, 1)));
  EXPECT_THROW(decoder.reconstruct(problem.images, normals({33, 5}, 1)),
               InvalidArgument);
  EXPECT_THROW(
      decoder.reconstruct(torch::zeros({33, 1, 8, 12}), problem.latents),
      InvalidArgument);
}

TEST(Cvae, a_source_gives_what_the_latent_leaves_open) {
  const CvaeDecoder decoder(kShape, 3);
  const DecoderProblem problem = bar_problem(5);
  const DecoderSources sources{problem.images, problem.latents};
  const torch::Tensor classes = no_classes(5);
  const torch::Tensor own =
      decoder.decode(problem.latents, classes, number_ids(5), &sources);
  EXPECT_TRUE(
      same_bits(own, decoder.reconstruct(problem.images, problem.latents)));
  // The ids key noise that is not used then.
  EXPECT_TRUE(same_bits(own, decoder.decode(problem.latents, classes,
                                            number_ids(5, 70), &sources)));
  EXPECT_FALSE(
      same_bits(own, decoder.decode(problem.latents, classes, number_ids(5))));
}

TEST(Cvae, with_its_detail_a_source_comes_back_and_a_moved_point_adds_to_it) {
  const CvaeDecoder decoder(kShape, 3);
  const DecoderProblem problem = bar_problem(5);
  const DecoderSources plain{problem.images, problem.latents};
  const DecoderSources detailed{problem.images, problem.latents, true};
  const auto decode = [&](const torch::Tensor& latents,
                          const DecoderSources& sources) {
    return decoder.decode(latents, no_classes(5), number_ids(5), &sources);
  };
  EXPECT_TRUE(torch::allclose(decode(problem.latents, detailed), problem.images,
                              0.0, 1e-6));
  const torch::Tensor moved = problem.latents.roll(1, 0);
  const torch::Tensor expected =
      (problem.images + decode(moved, plain) - decode(problem.latents, plain))
          .clamp(0.0, 1.0);
  EXPECT_TRUE(torch::allclose(decode(moved, detailed), expected, 0.0, 1e-6));
  EXPECT_GT((expected - problem.images).abs().max().item<double>(), 1e-3);
}

TEST(Cvae, sources_that_do_not_fit_are_refused) {
  const CvaeDecoder decoder(kShape, 3);
  const DecoderProblem problem = bar_problem(5);
  const auto decode = [&](const DecoderSources& sources) {
    return decoder.decode(problem.latents, no_classes(5), number_ids(5),
                          &sources);
  };
  EXPECT_THROW(decode({problem.images.narrow(0, 0, 4), problem.latents}),
               InvalidArgument);
  EXPECT_THROW(decode({problem.images, problem.latents.narrow(1, 0, 3)}),
               InvalidArgument);
  torch::Tensor broken = problem.images.clone();
  broken.index_put_({0}, std::numeric_limits<float>::quiet_NaN());
  EXPECT_THROW(decode({broken, problem.latents}), InvalidArgument);
}

TEST(Cvae, a_file_gives_the_same_decoder_back) {
  const TemporaryFolder folder;
  const std::string path = folder.file("decoder.safetensors");
  const CvaeDecoder decoder(kShape, 0xFFFFFFFFFFFFFFFFU);
  decoder.save(path);
  const CvaeDecoder loaded = CvaeDecoder::load(path);
  const torch::Tensor v = unit(normals({2, 6}, 1));
  EXPECT_TRUE(same_bits(loaded.decode(v, no_classes(2), number_ids(2)),
                        decoder.decode(v, no_classes(2), number_ids(2))));
  const std::string copy = folder.file("copy.safetensors");
  loaded.save(copy);
  EXPECT_EQ(sbog::testing_support::read_bytes(copy),
            sbog::testing_support::read_bytes(path));
}

TEST(Cvae, a_file_that_was_cut_is_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("decoder.safetensors");
  CvaeDecoder(kShape, 3).save(path);
  const std::string bytes = sbog::testing_support::read_bytes(path);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(size));
    EXPECT_THROW(CvaeDecoder::load(path), IoError) << size;
  }
}

TEST(Cvae, metadata_that_lie_about_the_shape_are_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("decoder.safetensors");
  CvaeDecoder(kShape, 3).save(path);
  const std::string bytes = sbog::testing_support::read_bytes(path);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = bytes;
    changed.replace(changed.find(from), from.size(), to);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
    return message_of<IoError>([&] { CvaeDecoder::load(path); });
  };
  EXPECT_NE(with("\"filters\":\"4\"", "\"filters\":\"9\""), "");
  EXPECT_NE(with("\"height\":\"8\"", "\"height\":\"9\""), "");
  EXPECT_NE(with("\"latent\":\"6\"", "\"latent\":\"x\"").find("latent"),
            std::string::npos);
  EXPECT_NE(with("\"kind\":\"cvae\"", "\"kind\":\"flow\"").find("kind"),
            std::string::npos);
}

TEST(Cvae, shapes_out_of_range_are_refused) {
  const auto refused = [](CvaeShape shape) {
    return !message_of<InvalidArgument>([&] { CvaeDecoder(shape, 1); }).empty();
  };
  EXPECT_FALSE(refused(kShape));
  EXPECT_TRUE(refused({{2, 8, 8}, 6, 3, 4, 5}));
  EXPECT_TRUE(refused({{1, 10, 8}, 6, 3, 4, 5}));
  EXPECT_TRUE(refused({{1, 8, 4}, 6, 3, 4, 5}));
  EXPECT_TRUE(refused({{1, 8, 8}, 0, 3, 4, 5}));
  EXPECT_TRUE(refused({{1, 256, 256}, 4096, 3, 512, 4096}));
}

}  // namespace cvae_test
}  // namespace sbog::image
