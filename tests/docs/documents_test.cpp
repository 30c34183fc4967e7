// SPDX-License-Identifier: Apache-2.0
// Every page of the project that a user reads, run as written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "docs/check_document.h"
#include "sbog/base/philox.h"
#include "sbog/data/npy.h"
#include "sbog/image/png.h"
#include "sbog/image/read_images.h"
#include "sbog/image/shapes.h"
#include "sbog/series/synthetic_plant.h"

namespace sbog::testing_support {
namespace documents_test {

namespace fs = std::filesystem;

constexpr const char* kRoot = SBOG_SOURCE_DIR;

std::vector<std::string> texts_below(const fs::path& folder,
                                     const std::string& ending) {
  std::vector<std::string> texts;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().string().ends_with(ending)) {
      texts.push_back(read_bytes(entry.path()));
    }
  }
  return texts;
}

const DocumentWorld& world() {
  static const DocumentWorld kWorld = {
      texts_below(fs::path(kRoot) / "examples", ".cpp"),
      texts_below(fs::path(kRoot) / "tests/consumer", "CMakeLists.txt"),
      SBOG_HAS_TORCH != 0};
  return kWorld;
}

// Embeddings that stand for the reader's own: three classes in 16 dimensions,
// with texts, new ones and some of something else.
void write_points(const TemporaryFolder& folder) {
  constexpr std::size_t kPoints = 450;
  constexpr std::size_t kDim = 16;
  Matrix<float> points(kPoints, kDim);
  std::vector<std::int64_t> labels(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) {
    labels[i] = static_cast<std::int64_t>(i % 3);
    PhiloxStream(11, 0, 0, i).normals(0, points.row(i));
    points(i, i % 3) += 6.0F;
  }
  write_npy(folder.file("embeddings.npy"), points.view());
  write_npy(folder.file("labels.npy"), std::span<const std::int64_t>(labels));
  std::ofstream questions(folder.file("questions.txt"));
  for (std::size_t i = 0; i < kPoints; ++i)
    questions << "question " << i << '\n';
  std::ofstream(folder.file("intents.txt")) << "balance\ntransfer\nweather\n";
  Matrix<float> fresh(120, kDim);
  Matrix<float> other(60, kDim);
  for (std::size_t i = 0; i < fresh.rows(); ++i) {
    PhiloxStream(13, 0, 0, i).normals(0, fresh.row(i));
    fresh(i, i % 3) += 6.0F;
  }
  for (std::size_t i = 0; i < other.rows(); ++i) {
    PhiloxStream(14, 0, 0, i).normals(0, other.row(i));
  }
  write_npy(folder.file("new-embeddings.npy"), fresh.view());
  write_npy(folder.file("other-embeddings.npy"), other.view());
}

// Tables that stand for the reader's own: a plant, with times.
void write_tables(const TemporaryFolder& folder) {
  const Series plant = synthetic_plant(2600, 3);
  const std::pair<const char*, std::size_t> tables[] = {
      {"telemetry.csv", 0}, {"normal.csv", 0}, {"new.csv", 1300}};
  for (const auto& [name, first] : tables) {
    std::ofstream file(folder.file(name));
    file << "time";
    for (const std::string& channel : plant.channels) file << ',' << channel;
    file << '\n';
    for (std::size_t t = first; t < first + 1300; ++t) {
      file << plant.times[t];
      for (std::size_t c = 0; c < plant.channels.size(); ++c) {
        file << ',' << plant.values(t, c);
      }
      file << '\n';
    }
  }
}

// A table of people: pay follows from age and job, some ages are missing.
void write_people(const TemporaryFolder& folder) {
  std::ofstream file(folder.file("people.csv"));
  file << "age,job,pay,town\n";
  for (std::size_t i = 0; i < 400; ++i) {
    std::vector<double> z(2);
    PhiloxStream(15, 0, 0, i).normals(0, std::span<double>(z));
    const bool is_cook = i % 3 != 0;
    const int age = static_cast<int>(40.0 + 10.0 * z[0]);
    if (i % 10 != 7) file << age;
    file << (is_cook ? ",cook," : ",smith,")
         << 1000 + 30 * age + (is_cook ? 0 : 900) + static_cast<int>(50 * z[1])
         << (i % 2 == 0 ? ",north\n" : ",south\n");
  }
}

// Pictures that stand for the reader's own: shapes as PNG files, a folder per
// class, and features of them in the order in which they are read.
void write_pictures(const TemporaryFolder& folder) {
  ShapesOptions options;
  options.count = 8 * kShapeClasses;
  const auto write = [&](const char* name, const ImageSet& images) {
    for (std::size_t i = 0; i < images.count(); ++i) {
      const auto label = static_cast<std::size_t>(images.labels[i]);
      const fs::path inner =
          fs::path(folder.file(name)) / images.class_names[label];
      fs::create_directories(inner);
      write_png((inner / (std::to_string(100 + i) + ".png")).string(),
                images.shape, images.pixels.row(i));
    }
  };
  write("new", make_shapes(options));
  write("other", make_unseen_shapes(options));
  options.first = 100;
  options.count = 30 * kShapeClasses;
  const ImageSet photos = make_shapes(options);
  write("photos", photos);
  const ImageSet read = read_images(folder.file("photos"));
  Matrix<float> features(read.count(), 12);
  for (std::size_t i = 0; i < read.count(); ++i) {
    PhiloxStream(12, 0, 0, i).normals(0, features.row(i));
    features(i, static_cast<std::size_t>(read.labels[i])) += 4.0F;
  }
  write_npy(folder.file("photo-features.npy"), features.view());
}

std::vector<std::string> pages() {
  std::vector<std::string> names = {"README.md"};
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(kRoot) / "docs")) {
    // Below reference/ is what `make docs` made.
    const bool is_made = entry.path().parent_path().filename() == "reference";
    if (entry.path().extension() == ".md" && !is_made) {
      names.push_back(fs::relative(entry.path(), kRoot));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Documents : public ::testing::TestWithParam<std::string> {};

TEST_P(Documents, say_what_is) {
  const TemporaryFolder folder;
  write_points(folder);
  write_tables(folder);
  write_people(folder);
  write_pictures(folder);
  DocumentCheck check(folder, world());
  EXPECT_THAT(check.run(read_bytes(fs::path(kRoot) / GetParam())),
              ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Pages, Documents, ::testing::ValuesIn(pages()),
                         [](const auto& page) {
                           std::string name = page.param;
                           for (char& c : name) {
                             if (std::isalnum(c) == 0) c = '_';
                           }
                           return name;
                         });

}  // namespace documents_test
}  // namespace sbog::testing_support
