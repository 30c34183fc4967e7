// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/external_encoder.h"

#include <gtest/gtest.h>
#include <torch/script.h>

#include <fstream>

#include "encoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"

namespace sbog::image {
namespace external_encoder_test {

using namespace testing_support;
using sbog::testing_support::TemporaryFolder;

/// Writes a program whose method forward has this body; `weight` is 5 x 6.
std::string write_script(const TemporaryFolder& folder,
                         const std::string& body) {
  torch::jit::Module module("encoder");
  module.register_parameter(
      "weight", double_normals({5, 6}, 1).to(torch::kFloat32), false);
  module.define("def forward(self, x):\n    return " + body + "\n");
  module.save(folder.file("e.pt"));
  return folder.file("e.pt");
}

const ScriptOptions kShape{{1, 2, 3}, 5};
const char* const kLinear = "torch.matmul(x.flatten(1), self.weight.t())";

void expect_sentence(const std::string& path, const ScriptOptions& options) {
  try {
    load_script_encoder(path, options);
    FAIL() << "the file was accepted";
  } catch (const IoError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find(path), 0u) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(ExternalEncoder, a_script_gives_unit_rows_and_gradients_of_its_input) {
  const TemporaryFolder folder;
  const Embed embed =
      load_script_encoder(write_script(folder, kLinear), kShape);
  torch::Tensor images = double_normals({4, 1, 2, 3}, 2)
                             .to(torch::kFloat32)
                             .set_requires_grad(true);
  const torch::Tensor weight = double_normals({5, 6}, 1).to(torch::kFloat32);
  const torch::Tensor truth =
      unit_rows(torch::matmul(images.flatten(1), weight.t()));
  EXPECT_LT(distance(embed(images).detach(), truth.detach()), 1e-6);
  embed(images).select(1, 0).sum().backward();
  const torch::Tensor found = images.grad().clone();
  images.mutable_grad() = torch::Tensor();
  truth.select(1, 0).sum().backward();
  EXPECT_LT(distance(found, images.grad()), 1e-6);
}

TEST(ExternalEncoder, outputs_of_higher_rank_are_flattened) {
  const TemporaryFolder folder;
  const Embed embed = load_script_encoder(
      write_script(folder, "x.repeat(1, 2, 1, 1)"), {{1, 2, 3}, 12});
  EXPECT_EQ(embed(torch::ones({3, 1, 2, 3})).size(1), 12);
}

TEST(ExternalEncoder, files_and_programs_that_do_not_fit_get_one_sentence) {
  const TemporaryFolder folder;
  expect_sentence(folder.file("none.pt"), kShape);
  std::ofstream(folder.file("text.pt")) << "this is no program";
  expect_sentence(folder.file("text.pt"), kShape);
  expect_sentence(folder.path().string(), kShape);
  const std::string path = write_script(folder, kLinear);
  expect_sentence(path, {{1, 2, 3}, 6});  // another width
  expect_sentence(path, {{3, 2, 3}, 5});  // images it fails on
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  expect_sentence(path, kShape);
  expect_sentence(write_script(folder, "x.sum()"), {{1, 2, 3}, 0});
  expect_sentence(write_script(folder, "(x, x)"), {{1, 2, 3}, 0});
  expect_sentence(write_script(folder, "x.flatten(1) / 0.0"), {{1, 2, 3}, 6});
  expect_sentence(write_script(folder, "x.flatten(1).argmax(1, True)"),
                  {{1, 2, 3}, 1});
}

TEST(ExternalEncoder, images_of_another_shape_are_refused_later_on) {
  const TemporaryFolder folder;
  const Embed embed =
      load_script_encoder(write_script(folder, kLinear), kShape);
  EXPECT_THROW(embed(torch::zeros({2, 1, 3, 3})), InvalidArgument);
}

TEST(ExternalEncoder, features_are_rows_of_length_one) {
  const TemporaryFolder folder;
  Matrix<double> rows(2, 2);
  rows(0, 0) = 3e200;
  rows(0, 1) = 4e200;
  rows(1, 1) = -1e-200;
  write_npy(folder.file("f.npy"), rows.view());
  const Matrix<float> features = read_features(folder.file("f.npy"));
  EXPECT_FLOAT_EQ(features(0, 0), 0.6F);
  EXPECT_FLOAT_EQ(features(0, 1), 0.8F);
  EXPECT_FLOAT_EQ(features(1, 0), 0.0F);
  EXPECT_FLOAT_EQ(features(1, 1), -1.0F);
}

TEST(ExternalEncoder, features_without_direction_are_refused) {
  const TemporaryFolder folder;
  Matrix<float> rows(2, 2);
  rows(0, 0) = 1.0F;
  write_npy(folder.file("zero.npy"), rows.view());
  EXPECT_THROW(read_features(folder.file("zero.npy")), InvalidArgument);
  rows(1, 0) = std::nanf("");
  write_npy(folder.file("nan.npy"), rows.view());
  EXPECT_THROW(read_features(folder.file("nan.npy")), InvalidArgument);
  write_npy(folder.file("empty.npy"), Matrix<float>(0, 4).view());
  EXPECT_THROW(read_features(folder.file("empty.npy")), InvalidArgument);
  EXPECT_THROW(read_features(folder.file("none.npy")), IoError);
}

}  // namespace external_encoder_test
}  // namespace sbog::image
