// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/encoder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/thread_pool.h"
#include "series/window_support.h"

namespace sbog::series {
namespace encoder_test {

using namespace testing_support;

const EncoderOptions kShape{5, 30, 4, 4, WindowLayout::kTranspose, false};

Encoder make_encoder() {
  Encoder encoder(kShape, 3);
  shake(encoder.parameters(), 4, 0.2);
  shake(encoder.buffers(), 5, 0.2);
  return encoder;
}

TEST(Encoder, points_have_the_same_bits_for_any_number_of_threads) {
  const Encoder encoder = make_encoder();
  const Matrix<double> series = make_waves(200, 5, 8);
  const WindowSource source(series, WindowOptions{30, 1, true});
  const Matrix<float> alone = encoder.embed(source);
  ThreadPool pool(3);
  const Matrix<float> together = encoder.embed(source, {&pool, nullptr});
  ASSERT_EQ(alone.rows(), source.size());
  EXPECT_EQ(largest_difference(alone.elements(), together.elements()), 0.0);
}

TEST(Encoder, a_probe_gives_what_the_encoder_gives) {
  const Encoder encoder = make_encoder();
  const Matrix<float> windows = normals(3, 150, 11);
  const Matrix<float> direction = normals(1, 4, 12);
  const Matrix<float> points = encoder.embed(windows);
  EncoderProbe probe(encoder);
  Matrix<float> gradient(5, 30);
  EXPECT_THROW(probe.gradient(direction.row(0), gradient), InvalidArgument);
  for (std::size_t i = 0; i < 3; ++i) {
    const MatrixView<const float> window(windows.row(i).data(), 5, 30);
    const auto point = probe.embed(window);
    EXPECT_EQ(largest_difference(point, points.row(i)), 0.0);
    probe.gradient(direction.row(0), gradient);
    const Matrix<float> whole =
        encoder.input_gradient(window, direction.row(0));
    EXPECT_EQ(largest_difference(gradient.elements(), whole.elements()), 0.0);
  }
}

TEST(Encoder, a_file_gives_the_same_points) {
  const sbog::testing_support::TemporaryFolder folder;
  const Encoder encoder = make_encoder();
  const std::string path = folder.file("encoder.safetensors");
  encoder.save(path);
  const Encoder read = Encoder::load(path);
  EXPECT_EQ(read.options().channels, 5u);
  const Matrix<float> windows = normals(4, 150, 13);
  EXPECT_EQ(largest_difference(encoder.embed(windows).elements(),
                               read.embed(windows).elements()),
            0.0);
}

TEST(Encoder, a_damaged_file_is_refused) {
  const sbog::testing_support::TemporaryFolder folder;
  const std::string path = folder.file("encoder.safetensors");
  make_encoder().save(path);
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const auto refuse = [&](std::string content) {
    const std::string bad = folder.file("bad.safetensors");
    std::ofstream(bad, std::ios::binary) << content;
    EXPECT_THROW(Encoder::load(bad), IoError);
  };
  refuse(bytes.substr(0, bytes.size() - 4));
  std::string other = bytes;
  other.replace(other.find("sbog-encoder-1"), 14, "sbog-encoder-9");
  refuse(other);
  other = bytes;
  const std::size_t width = other.find("\"mid\":\"4\"");
  ASSERT_NE(width, std::string::npos);
  other.replace(width, 9, "\"mid\":\"8\"");
  refuse(other);
  EXPECT_THROW(Encoder::load(folder.file("absent")), IoError);
}

TEST(Encoder, windows_of_another_shape_are_refused) {
  const Encoder encoder = make_encoder();
  EXPECT_THROW(encoder.embed(normals(2, 149, 1)), InvalidArgument);
  const Matrix<double> series = make_waves(100, 4, 8);
  const WindowSource source(series, WindowOptions{30, 1, false});
  EXPECT_THROW(encoder.embed(source), InvalidArgument);
}

}  // namespace encoder_test
}  // namespace sbog::series
