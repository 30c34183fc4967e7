// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detector_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"
#include "series/support.h"

namespace sbog {
namespace detector_file_test {

using testing_support::read_bytes;
using testing_support::TemporaryFolder;
using testing_support::waves;
using testing_support::write_text;

TEST(DetectorFile, a_detector_comes_back_with_the_same_scores) {
  const TemporaryFolder folder;
  const Series test = waves(120, 3, 131);
  for (const DetectorKind kind :
       {DetectorKind::kViews, DetectorKind::kViewsBatch,
        DetectorKind::kChannel}) {
    DetectorOptions options;
    options.kind = kind;
    options.is_causal = kind == DetectorKind::kChannel;
    options.joint_rows = 90;
    options.line_rows = 110;
    options.level = 0.95;
    Series train = waves(200, 3, 130, true);
    train.channels = {"flow", "level of the tank", ""};
    const Detector detector = train_detector(train, options);
    const std::string path = folder.file("model.safetensors");
    write_detector(path, detector);
    const Detector back = read_detector(path);
    EXPECT_EQ(back.state().channels, train.channels);
    EXPECT_EQ(back.options().kind, kind);
    EXPECT_EQ(back.options().is_causal, options.is_causal);
    EXPECT_EQ(back.options().joint_rows, 90u);
    EXPECT_EQ(back.options().line_rows, 110u);
    EXPECT_EQ(back.options().level, 0.95);
    const DetectorScores a = detector.score(test.values);
    const DetectorScores b = back.score(test.values);
    EXPECT_EQ(a.scores, b.scores);
    EXPECT_EQ(a.threshold, b.threshold);
  }
}

// A written detector, its tensors changed by `change`, read again.
class Forged {
 public:
  Forged() {
    DetectorOptions options;
    options.kind = DetectorKind::kChannel;
    path_ = folder_.file("model.safetensors");
    write_detector(path_, train_detector(waves(60, 2, 132), options));
    const SafetensorsFile file = read_safetensors(path_);
    for (const NamedArray& tensor : file.tensors) tensors_.push_back(tensor);
    metadata_ = file.metadata;
  }

  Array& tensor(const std::string& name) {
    for (NamedArray& one : tensors_) {
      if (one.name == name) return one.array;
    }
    throw std::logic_error(name);
  }
  void remove(const std::string& name) {
    std::erase_if(tensors_,
                  [&](const NamedArray& one) { return one.name == name; });
  }
  std::map<std::string, std::string>& metadata() { return metadata_; }

  // The message with which the file is refused.
  std::string refusal() const {
    const std::string path = folder_.file("forged.safetensors");
    write_safetensors(path, tensors_, metadata_);
    try {
      (void)read_detector(path);
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(path));
      return error.what();
    }
    return "";
  }
  const std::string& path() const { return path_; }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
  std::vector<NamedArray> tensors_;
  std::map<std::string, std::string> metadata_;
};

Array doubles(std::vector<std::size_t> shape, double value) {
  std::size_t count = 1;
  for (const std::size_t n : shape) count *= n;
  Matrix<double> values(count, 1);
  for (double& x : values.elements()) x = value;
  const Array flat = to_array(std::move(values), "forged");
  return {"forged", ElementType::kFloat64, std::move(shape),
          flat.shared_bytes()};
}

TEST(DetectorFile, an_unchanged_copy_is_accepted) {
  EXPECT_EQ(Forged().refusal(), "");
}

TEST(DetectorFile, lies_in_tensors_are_refused) {
  using Change = std::function<void(Forged&)>;
  const std::map<std::string, Change> changes = {
      {"missing", [](Forged& f) { f.remove("held_out"); }},
      {"unit is not above 0",
       [](Forged& f) { f.tensor("scaling.units") = doubles({2}, 0.0); }},
      {"a unit",
       [](Forged& f) {
         f.tensor("channels.units") = doubles({3, 2}, -1);
       }},
      {"NaN",
       [](Forged& f) {
         f.tensor("scaling.medians") = doubles({2}, std::nan(""));
       }},
      {"is float64",
       [](Forged& f) {
         f.tensor("rows") = doubles({60, 2}, 0.5);
       }},
      {"(59, 3)",
       [](Forged& f) {
         f.tensor("held_out") = doubles({59, 3}, 1.0);
       }},
      {"negative",
       [](Forged& f) {
         f.tensor("held_out") = doubles({60, 3}, -1.0);
       }},
      {"coefficients",
       [](Forged& f) {
         f.tensor("regression.coefficients") = doubles({6, 2}, 0.0);
       }},
      {"names", [](Forged& f) { f.tensor("names") = doubles({4}, 65.0); }},
      {"fewer training rows",
       [](Forged& f) {
         f.tensor("rows") = doubles({3, 2}, 0.0);
       }},
  };
  for (const auto& [word, change] : changes) {
    Forged forged;
    change(forged);
    EXPECT_THAT(forged.refusal(), ::testing::HasSubstr(word));
  }
}

TEST(DetectorFile, lies_in_the_options_are_refused) {
  for (const auto& [key, value] :
       std::map<std::string, std::string>{{"format", "other"},
                                          {"detector", "magic"},
                                          {"causal", "yes"},
                                          {"joint_rows", "-1"},
                                          {"line_rows", "3x"},
                                          {"level", "1.5"}}) {
    Forged forged;
    forged.metadata()[key] = value;
    EXPECT_NE(forged.refusal(), "") << key;
    forged.metadata().erase(key);
    EXPECT_NE(forged.refusal(), "") << key;
  }
}

TEST(DetectorFile, every_cut_of_the_file_is_refused) {
  const Forged forged;
  const std::string bytes = read_bytes(forged.path());
  const std::string path = forged.folder().file("cut");
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    write_text(path, bytes.substr(0, size));
    EXPECT_THROW((void)read_detector(path), IoError) << size;
  }
}

TEST(DetectorFile, another_safetensors_file_is_no_detector) {
  const TemporaryFolder folder;
  const std::string path = folder.file("other.safetensors");
  write_safetensors(path, std::vector<NamedArray>{{"x", doubles({2}, 1.0)}});
  EXPECT_THROW((void)read_detector(path), IoError);
  EXPECT_THROW((void)read_detector(folder.file("absent")), IoError);
}

}  // namespace detector_file_test
}  // namespace sbog
