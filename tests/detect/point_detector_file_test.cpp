// SPDX-License-Identifier: Apache-2.0
#include "sbog/detect/point_detector_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "detect/support.h"
#include "oracle/temporary_folder.h"
#include "sbog/data/safetensors.h"

namespace sbog::detect {
namespace point_detector_file_test {

using testing::HasSubstr;
using testing_support::clustered_bank;
using testing_support::clustered_points;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;

PointDetector small_detector() {
  PointDetectorOptions options;
  options.scores = {PointScore::kHead, PointScore::kRmd, PointScore::kMsp,
                    PointScore::kSpan};
  options.head.epochs = 1;
  options.head.outliers = 20;
  options.seed = 12345678901234567890U;
  PointDetector detector =
      *train_point_detector(clustered_bank(60, 4, 3), {}, options);
  std::vector<std::string> items;
  for (std::size_t i = 0; i < detector.state().bank.rows(); ++i) {
    items.push_back("item " + std::to_string(i));
  }
  detector.set_words({"red", "green", "blue"}, items);
  return detector;
}

TEST(PointDetectorFile, what_is_read_back_gives_the_same_verdicts) {
  const TemporaryFolder folder;
  const PointDetector detector = small_detector();
  write_point_detector(folder.file("m.safetensors"), detector);
  EXPECT_TRUE(is_point_detector(folder.file("m.safetensors")));
  const PointDetector read = read_point_detector(folder.file("m.safetensors"));
  const Matrix<float> points =
      unit_rows(clustered_points(25, 4, 4, 0.5, 9), "points");
  EXPECT_EQ(read.judge(points)->scores, detector.judge(points)->scores);
  EXPECT_EQ(read.judge(points)->p_values, detector.judge(points)->p_values);
  EXPECT_EQ(read.threshold(0.8), detector.threshold(0.8));
  EXPECT_EQ(read.class_name(1), "green");
  EXPECT_EQ(read.state().items, detector.state().items);
  EXPECT_EQ(read.state().bank_rows, detector.state().bank_rows);
  EXPECT_EQ(read.state().options.seed, detector.state().options.seed);
  EXPECT_EQ(read.state().options.scores, detector.state().options.scores);
}

// The tensors of a good file, to be changed and written again.
struct Parts {
  std::vector<NamedArray> tensors;
  std::map<std::string, std::string> metadata;

  template <typename T>
  void change(const std::string& name, std::size_t at, T value) {
    for (NamedArray& tensor : tensors) {
      if (tensor.name != name) continue;
      const std::size_t bytes = tensor.array.byte_count();
      const std::shared_ptr<std::byte[]> copy(new std::byte[bytes]);
      std::memcpy(copy.get(), tensor.array.bytes(), bytes);
      ASSERT_LE((at + 1) * sizeof(T), bytes);
      std::memcpy(copy.get() + at * sizeof(T), &value, sizeof(T));
      tensor.array = Array(name, tensor.array.type(), tensor.array.shape(),
                           std::shared_ptr<const std::byte>(copy, copy.get()));
      return;
    }
    ADD_FAILURE() << "no tensor " << name;
  }
  void reshape(const std::string& name, std::vector<std::size_t> shape) {
    for (NamedArray& tensor : tensors) {
      if (tensor.name == name) {
        tensor.array = Array(name, tensor.array.type(), std::move(shape),
                             tensor.array.shared_bytes());
      }
    }
  }
  void remove(const std::string& name) {
    std::erase_if(tensors, [&](const NamedArray& t) { return t.name == name; });
  }
};

template <class Change>
std::string refusal_of(const Change& change) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.safetensors");
  write_point_detector(path, small_detector());
  const SafetensorsFile file = read_safetensors(path);
  Parts parts{file.tensors, file.metadata};
  change(parts);
  const std::string changed = folder.file("changed.safetensors");
  write_safetensors(changed, parts.tensors, parts.metadata);
  try {
    (void)read_point_detector(changed);
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("changed.safetensors"));
    return error.what();
  }
  ADD_FAILURE() << "the file was read";
  return "";
}

TEST(PointDetectorFile, a_shape_that_disagrees_is_refused) {
  for (const char* name : {"bank", "tied.map", "head.weights", "units"}) {
    EXPECT_THAT(refusal_of([&](Parts& parts) {
                  parts.reshape(name, {1, 2});
                }),
                testing::AnyOf(HasSubstr("shape"), HasSubstr("expected")))
        << name;
  }
}

TEST(PointDetectorFile, a_value_that_is_not_finite_is_refused) {
  for (const char* name : {"bank", "head.bias", "plain.line"}) {
    EXPECT_THAT(refusal_of([&](Parts& parts) {
                  parts.change(name, 0,
                               std::numeric_limits<float>::quiet_NaN());
                }),
                HasSubstr(name));
  }
  EXPECT_THAT(refusal_of([](Parts& parts) {
                parts.change("held_out", 1,
                             std::numeric_limits<double>::infinity());
              }),
              HasSubstr("held_out"));
}

TEST(PointDetectorFile, numbers_that_no_training_makes_are_refused) {
  EXPECT_THAT(
      refusal_of([](Parts& p) { p.change("classes", 2, std::int64_t{3}); }),
      HasSubstr("a number below 3 is expected"));
  EXPECT_THAT(
      refusal_of([](Parts& p) { p.change("classes", 2, std::int64_t{-1}); }),
      HasSubstr("holds -1"));
  EXPECT_THAT(
      refusal_of([](Parts& p) { p.change("bank_rows", 0, std::int64_t{60}); }),
      HasSubstr("'bank_rows'"));
  EXPECT_THAT(
      refusal_of([](Parts& p) { p.change("bank_rows", 0, std::int64_t{59}); }),
      HasSubstr("not increasing"));
  EXPECT_THAT(refusal_of([](Parts& p) {
                p.change("class_labels", 0, std::int64_t{1000});
              }),
              HasSubstr("not increasing"));
  EXPECT_THAT(refusal_of([](Parts& p) { p.change("bank", 0, 3.0F); }),
              HasSubstr("not of length 1"));
  EXPECT_THAT(refusal_of([](Parts& p) { p.change("units", 1, 0.0); }),
              HasSubstr("not above 0"));
  EXPECT_THAT(refusal_of([](Parts& p) { p.change("held_out", 0, 1e9); }),
              HasSubstr("not increasing"));
  EXPECT_THAT(refusal_of([](Parts& p) {
                for (std::size_t i = 0; i < 48; ++i) {
                  p.change("classes", i, std::int64_t{0});
                }
              }),
              HasSubstr("a class without rows"));
}

TEST(PointDetectorFile, missing_and_wrong_parts_are_refused) {
  EXPECT_THAT(refusal_of([](Parts& p) { p.remove("bank"); }),
              HasSubstr("'bank' is missing"));
  EXPECT_THAT(refusal_of([](Parts& p) {
                p.remove("head.weights");
                p.remove("head.bias");
                p.remove("head.line");
              }),
              HasSubstr("heads that its scores need"));
  EXPECT_THAT(refusal_of([](Parts& p) { p.remove("plain.bias"); }),
              HasSubstr("plain.bias"));
  EXPECT_THAT(
      refusal_of([](Parts& p) { p.change("items", 5, std::uint8_t{0}); }),
      HasSubstr("one item per bank row"));
  EXPECT_THAT(refusal_of([](Parts& p) { p.metadata["format"] = "other"; }),
              HasSubstr("is not a detector of points"));
  EXPECT_THAT(refusal_of([](Parts& p) { p.metadata.erase("level"); }),
              HasSubstr("no 'level'"));
  EXPECT_THAT(refusal_of([](Parts& p) { p.metadata["level"] = "high"; }),
              HasSubstr("a number is expected"));
  EXPECT_THAT(refusal_of([](Parts& p) { p.metadata["level"] = "2"; }),
              HasSubstr("level"));
  EXPECT_THAT(refusal_of([](Parts& p) { p.metadata["scores"] = "head,"; }),
              HasSubstr("score"));
}

TEST(PointDetectorFile, a_cut_or_changed_file_is_refused_or_read) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.safetensors");
  write_point_detector(path, small_detector());
  const std::string bytes = read_bytes(path);
  const std::string changed = folder.file("changed.safetensors");
  for (std::size_t at = 0; at < bytes.size(); at += 97) {
    for (const bool is_cut : {false, true}) {
      std::string other = is_cut ? bytes.substr(0, at) : bytes;
      if (!is_cut) other[at] = static_cast<char>(other[at] ^ 0x55);
      std::ofstream(changed, std::ios::binary) << other;
      try {
        (void)read_point_detector(changed);
        EXPECT_FALSE(is_cut) << "cut at " << at;
      } catch (const IoError&) {
      }
    }
  }
}

TEST(PointDetectorFile, other_files_are_told_apart) {
  const TemporaryFolder folder;
  write_safetensors(folder.file("other.safetensors"), {}, {});
  EXPECT_FALSE(is_point_detector(folder.file("other.safetensors")));
  EXPECT_THROW(is_point_detector(folder.file("missing.safetensors")), IoError);
}

}  // namespace point_detector_file_test
}  // namespace sbog::detect
