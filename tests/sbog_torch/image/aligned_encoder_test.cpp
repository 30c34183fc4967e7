// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/aligned_encoder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "encoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"
#include "sbog_torch/image/class_anchors.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace aligned_encoder_test {

using namespace testing_support;
using sbog::testing_support::read_bytes;
using sbog::testing_support::TemporaryFolder;

AlignedEncoder small_model() {
  const ImageSet images = small_shapes(16);
  Encoder encoder(small_options(images), 2);
  encoder.train_forward(to_tensor(images));
  return {encoder, orthonormal_anchors(3, 8, 1), {"a", "", "long name"}};
}

TEST(AlignedEncoder, comes_back_with_the_same_bits) {
  const TemporaryFolder folder;
  const AlignedEncoder model = small_model();
  save_encoder(folder.file("m.safetensors"), model, {{"seed", "2"}});
  const AlignedEncoder back = load_encoder(folder.file("m.safetensors"));
  EXPECT_EQ(back.encoder.options(), model.encoder.options());
  EXPECT_EQ(back.class_names, model.class_names);
  EXPECT_TRUE(
      std::ranges::equal(back.anchors.elements(), model.anchors.elements()));
  const torch::Tensor in = to_tensor(small_shapes(5, 100));
  EXPECT_TRUE(torch::equal(back.encoder.embed(in), model.encoder.embed(in)));
  EXPECT_EQ(read_safetensors(folder.file("m.safetensors")).metadata.at("seed"),
            "2");
}

/// Writes the model with changed parts and expects a sentence with the path.
template <typename Change>
void expect_refused(const Change& change) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.safetensors");
  save_encoder(path, small_model());
  SafetensorsFile file = read_safetensors(path);
  change(file);
  const std::string other = folder.file("other.safetensors");
  write_safetensors(other, file.tensors, file.metadata);
  try {
    load_encoder(other);
    FAIL() << "the file was accepted";
  } catch (const IoError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find(other), 0u) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

void fill_floats(SafetensorsFile& file, const std::string& name, float value) {
  for (NamedArray& tensor : file.tensors) {
    if (tensor.name != name) continue;
    const std::size_t count = tensor.array.size();
    std::shared_ptr<std::byte> bytes(new std::byte[4 * count],
                                     std::default_delete<std::byte[]>());
    std::fill_n(reinterpret_cast<float*>(bytes.get()), count, value);
    tensor.array =
        Array(name, ElementType::kFloat32, tensor.array.shape(), bytes);
    return;
  }
  FAIL() << name;
}

TEST(AlignedEncoder, files_that_lie_are_refused_in_one_sentence) {
  expect_refused([](SafetensorsFile& f) { f.metadata.clear(); });
  expect_refused([](SafetensorsFile& f) { f.metadata["kind"] = "else"; });
  expect_refused([](SafetensorsFile& f) { f.metadata["latent"] = "9"; });
  expect_refused([](SafetensorsFile& f) { f.metadata["latent"] = "-8"; });
  expect_refused([](SafetensorsFile& f) { f.metadata["widths"] = "4,,6"; });
  expect_refused([](SafetensorsFile& f) { f.metadata["widths"] = ""; });
  expect_refused(
      [](SafetensorsFile& f) { f.metadata["widths"] = "1024,1024,1024"; });
  expect_refused([](SafetensorsFile& f) {
    f.metadata["height"] = "99999999999999999999";
  });
  expect_refused([](SafetensorsFile& f) { f.metadata["classes"] = "4"; });
  expect_refused([](SafetensorsFile& f) { f.metadata["classes"] = "0"; });
  expect_refused(
      [](SafetensorsFile& f) { f.metadata["classes"] = "1000000000000000"; });
  expect_refused([](SafetensorsFile& f) { f.metadata.erase("channels"); });
  expect_refused([](SafetensorsFile& f) { f.tensors.pop_back(); });
  expect_refused(
      [](SafetensorsFile& f) { fill_floats(f, "buffer.anchors", 1.0F); });
  expect_refused([](SafetensorsFile& f) {
    fill_floats(f, "parameter.head.weight", std::nanf(""));
  });
  expect_refused([](SafetensorsFile& f) {
    fill_floats(f, "buffer.input.deviation", 0.0F);
  });
}

TEST(AlignedEncoder, every_cut_of_a_file_is_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.safetensors");
  save_encoder(path, small_model());
  const std::string bytes = read_bytes(path);
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    std::ofstream(folder.file("cut"), std::ios::binary)
        << bytes.substr(0, size);
    EXPECT_THROW(load_encoder(folder.file("cut")), IoError) << size;
  }
}

TEST(AlignedEncoder, parts_that_do_not_fit_are_not_written) {
  const TemporaryFolder folder;
  AlignedEncoder model = small_model();
  model.class_names.pop_back();
  EXPECT_THROW(save_encoder(folder.file("m"), model), InvalidArgument);
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace aligned_encoder_test
}  // namespace sbog::image
