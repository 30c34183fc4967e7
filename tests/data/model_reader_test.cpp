// SPDX-License-Identifier: Apache-2.0
// Tensors and metadata of a model, and every way in which they are missing.
#include "sbog/data/model_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace model_reader_test {

using testing::HasSubstr;
using testing_support::TemporaryFolder;

// A file with a 2 x 3 tensor and two numbers.
std::string written(const TemporaryFolder& folder, float first = 1.0f) {
  const std::string path = folder.file("m.safetensors");
  const auto values = std::make_shared<std::vector<float>>(
      std::initializer_list<float>{first, 2, 3, 4, 5, 6});
  const std::shared_ptr<const std::byte> bytes(
      values, reinterpret_cast<const std::byte*>(values->data()));
  const std::vector<NamedArray> tensors = {
      {"weights", Array("weights", ElementType::kFloat32, {2, 3}, bytes)}};
  write_safetensors(path, tensors,
                    {{"rows", "12"}, {"level", "0.95"}, {"rest", "12x"}});
  return path;
}

template <typename Call>
std::string sentence_of(const Call& call) {
  try {
    call();
  } catch (const IoError& error) {
    return error.what();
  }
  return "no IoError";
}

TEST(ModelReader, gives_tensors_and_numbers_by_name) {
  const TemporaryFolder folder;
  const ModelReader reader(written(folder), "a model");
  EXPECT_TRUE(reader.has("weights"));
  EXPECT_FALSE(reader.has("bias"));
  EXPECT_EQ(reader.number<std::size_t>("rows"), 12u);
  EXPECT_EQ(reader.number<double>("level"), 0.95);
  EXPECT_EQ(reader.text("rest"), "12x");
  const Matrix<float> weights = reader.matrix<float>("weights");
  ASSERT_EQ(weights.rows(), 2u);
  ASSERT_EQ(weights.cols(), 3u);
  EXPECT_EQ(weights(1, 2), 6.0f);
  EXPECT_EQ(reader.matrix<double>("weights")(0, 1), 2.0);
  EXPECT_EQ(reader.file().tensors.size(), 1u);
}

TEST(ModelReader, what_is_missing_is_named_with_the_file) {
  const TemporaryFolder folder;
  const ModelReader reader(written(folder), "a model");
  for (const std::string& sentence :
       {sentence_of([&] { (void)reader.text("name"); }),
        sentence_of([&] { (void)reader.find("bias"); }),
        sentence_of([&] { (void)reader.matrix<float>("bias"); })}) {
    EXPECT_THAT(sentence, HasSubstr("m.safetensors"));
    EXPECT_THAT(sentence, HasSubstr("is not a model"));
  }
  EXPECT_THAT(sentence_of([&] { (void)reader.number<int>("rest"); }),
              HasSubstr("'12x'; a number is expected"));
  EXPECT_THAT(sentence_of([&] { (void)reader.number<int>("level"); }),
              HasSubstr("'0.95'; a number is expected"));
  EXPECT_THAT(sentence_of([&] { reader.fail("is odd"); }),
              HasSubstr("m.safetensors: is odd"));
}

TEST(ModelReader, numbers_that_are_not_finite_are_a_fault_of_the_file) {
  const TemporaryFolder folder;
  const std::string path =
      written(folder, std::numeric_limits<float>::quiet_NaN());
  EXPECT_THAT(sentence_of([&] { const ModelReader reader(path, "a model"); }),
              HasSubstr("weights"));
}

}  // namespace model_reader_test
}  // namespace sbog
