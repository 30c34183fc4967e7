// SPDX-License-Identifier: Apache-2.0
// Every file of the corpus: what is valid counts 0, 1, 2, ..., and what is
// malformed is refused with one line that names the file.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/data/idx.h"
#include "sbog/data/npy.h"
#include "sbog/data/npz.h"
#include "sbog/data/safetensors.h"
#include "test_paths.h"

namespace sbog {
namespace corpus_test {

namespace fs = std::filesystem;
using Reader = std::function<std::vector<Array>(const std::string& path)>;

std::vector<Array> read_all_npz(const std::string& path) {
  std::vector<Array> arrays;
  for (const auto& name : npz_members(path)) {
    arrays.push_back(read_npz(path, name));
  }
  return arrays;
}

std::vector<Array> read_all_safetensors(const std::string& path) {
  std::vector<Array> arrays;
  for (auto& tensor : read_safetensors(path).tensors) {
    arrays.push_back(std::move(tensor.array));
  }
  return arrays;
}

const std::map<std::string, Reader> kReaders = {
    {"npy", [](const auto& path) { return std::vector{read_npy(path)}; }},
    {"npz", read_all_npz},
    {"csv",
     [](const auto& path) {
       return std::vector{to_array(read_csv(path).values, path)};
     }},
    {"idx", [](const auto& path) { return std::vector{read_idx(path)}; }},
    {"safetensors", read_all_safetensors},
    {"index",
     [](const auto& path) {
       read_safetensors_index(path);
       return std::vector<Array>{};
     }},
};

// At least this many malformed files belong to each format.
const std::map<std::string, std::size_t> kLeastMalformed = {
    {"npy", 35}, {"npz", 30},   {"csv", 20},
    {"idx", 25}, {"index", 15}, {"safetensors", 60}};

std::vector<std::string> files_of(const std::string& kind,
                                  const std::string& format) {
  const fs::path folder =
      fs::path(SBOG_SOURCE_DIR) / "tests" / "data" / kind / format;
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void expect_counting(const Array& array) {
  const auto matrix = to_matrix<double>(array);
  const bool is_bool = array.type() == ElementType::kBool;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const auto expected = static_cast<double>(is_bool ? i % 2 : i);
    ASSERT_EQ(matrix.view().data()[i], expected) << array.name() << " " << i;
  }
}

// The refusal of a reader; empty when it accepts the file.
std::string refusal(const Reader& reader, const std::string& path) {
  try {
    reader(path);
  } catch (const IoError& error) {
    return error.what();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Corpus, valid_files_count_in_row_order) {
  for (const auto& [format, reader] : kReaders) {
    const auto paths = files_of("valid", format);
    EXPECT_FALSE(paths.empty()) << format;
    for (const auto& path : paths) {
      EXPECT_EQ(refusal(reader, path), "");
      for (const Array& array : reader(path)) expect_counting(array);
    }
  }
}

TEST(Corpus, malformed_files_are_refused_in_one_line_that_names_them) {
  for (const auto& [format, reader] : kReaders) {
    const auto paths = files_of("malformed", format);
    EXPECT_GE(paths.size(), kLeastMalformed.at(format)) << format;
    for (const auto& path : paths) {
      const std::string message = refusal(reader, path);
      EXPECT_TRUE(message.starts_with(path)) << path << " gave: " << message;
      EXPECT_GT(message.size(), path.size() + 10) << message;
      EXPECT_LT(message.size(), path.size() + 300) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

}  // namespace corpus_test
}  // namespace sbog
