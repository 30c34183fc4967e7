// SPDX-License-Identifier: Apache-2.0
// Tasks of latents: the made one, and a data folder in miniature.
#include "paper/latent_tasks.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/data/npy.h"

namespace sbog::paper {
namespace latent_tasks_test {

using testing_support::TemporaryFolder;

// Rows (cos a, sin a) that tell where they come from: no angle comes twice.
class Folder {
 public:
  void write(const std::string& file, std::size_t rows) {
    Matrix<float> points(rows, 2);
    for (std::size_t i = 0; i < rows; ++i) {
      const double angle = 1e-4 * static_cast<double>(next_++);
      points(i, 0) = static_cast<float>(2.0 * std::cos(angle));
      points(i, 1) = static_cast<float>(2.0 * std::sin(angle));
    }
    write_npy(path(file), points.view());
  }
  void write_labelled(const std::string& points, const std::string& labels,
                      std::size_t classes, std::size_t per_class) {
    write(points, classes * per_class);
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < classes * per_class; ++i) {
      numbers.push_back(static_cast<std::int64_t>(i % classes));
    }
    write_npy(path(labels), std::span<const std::int64_t>(numbers));
  }
  void write_clinc() {
    std::filesystem::create_directories(path("clinc150"));
    for (const auto& [part, rows] :
         {std::pair("train", 22U), std::pair("val", 2U),
          std::pair("test", 3U)}) {
      write_labelled(std::string("clinc150/bge-small_") + part + ".npy",
                     std::string("clinc150/") + part + "_labels.npy", 60, rows);
      write(std::string("clinc150/bge-small_oos_") + part + ".npy", 5);
    }
  }
  void write_cifar() {
    std::filesystem::create_directories(path("cifar100-densenet"));
    for (const std::string part : {"train", "test"}) {
      write_labelled("cifar100-densenet/" + part + ".npy",
                     "cifar100-densenet/" + part + "_labels.npy", 3, 25);
    }
    for (const std::string set :
         {"svhn", "textures", "tiny-imagenet", "cifar-10"}) {
      write("cifar100-densenet/ood_" + set + ".npy", 4);
    }
  }
  std::string path(const std::string& file) const { return folder_.file(file); }
  std::string data() const { return folder_.path().string(); }

 private:
  TemporaryFolder folder_;
  std::size_t next_ = 0;
};

using Rows = std::set<std::pair<float, float>>;

void add(const Matrix<float>& points, Rows& rows) {
  for (std::size_t i = 0; i < points.rows(); ++i) {
    rows.insert({points(i, 0), points(i, 1)});
  }
}

Rows rows_of(const Matrix<float>& points) {
  Rows rows;
  add(points, rows);
  return rows;
}

bool are_apart(const Matrix<float>& a, const Matrix<float>& b) {
  Rows both = rows_of(a);
  add(b, both);
  return both.size() == a.rows() + b.rows();
}

TEST(LatentTasks, the_made_task_needs_no_folder) {
  const Settings settings{Size::kSmall, {1}};
  ASSERT_EQ(list_latent_tasks(settings), std::vector<std::string>{"made"});
  const LatentTask task = load_latent_task("made", 1, "");
  EXPECT_EQ(task.bank.class_count(), 4u);
  EXPECT_EQ(task.test.labels.size(), task.test.known.rows());
  EXPECT_GT(task.test.unknown.at(0).second.rows(), 0u);
  EXPECT_TRUE(are_apart(task.bank.points, task.test.known));
  EXPECT_NE(latents_obstacle({Size::kFull, {1}}), "");
}

TEST(LatentTasks, a_folder_gives_what_it_has) {
  Folder folder;
  Settings settings{Size::kFull, {1}};
  settings.data = folder.data();
  EXPECT_THROW(list_latent_tasks(settings), IoError);
  folder.write_clinc();
  EXPECT_EQ(
      list_latent_tasks(settings),
      (std::vector<std::string>{"clinc150", "clinc150-near", "clinc150-ten"}));
  folder.write_cifar();
  settings.sets = {"cifar100-densenet"};
  EXPECT_EQ(list_latent_tasks(settings), settings.sets);
  EXPECT_THROW(load_latent_task("nothing", 1, settings.data), InvalidArgument);
}

TEST(LatentTasks, intents_are_left_out_once_each) {
  Folder folder;
  folder.write_clinc();
  std::set<std::int64_t> banked;
  std::vector<std::set<std::int64_t>> known;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const LatentTask task =
        load_latent_task("clinc150-near", seed, folder.data());
    EXPECT_EQ(task.bank.class_count(), 30u);
    EXPECT_EQ(task.bank.rows(), 30u * 22);
    EXPECT_EQ(task.validation.unknown[0].second.rows(), 30u * 2);
    EXPECT_EQ(task.test.unknown[0].second.rows(), 30u * 3);
    EXPECT_EQ(task.test.known.rows(), 30u * 3);
    EXPECT_TRUE(are_apart(task.test.known, task.test.unknown[0].second));
    known.emplace_back(task.bank.class_labels.begin(),
                       task.bank.class_labels.end());
    EXPECT_EQ(std::set(task.test.labels.begin(), task.test.labels.end()),
              known.back());
  }
  banked.insert(known[0].begin(), known[0].end());
  banked.insert(known[1].begin(), known[1].end());
  EXPECT_EQ(banked.size(), 60u);  // two groups of thirty
  EXPECT_EQ(known[2], known[0]);  // and then from the first again
}

TEST(LatentTasks, ten_rows_are_drawn_by_the_seed) {
  Folder folder;
  folder.write_clinc();
  const LatentTask one = load_latent_task("clinc150-ten", 1, folder.data());
  EXPECT_EQ(detect::class_sizes(one.bank), std::vector<std::size_t>(60, 10));
  EXPECT_EQ(one.held_out.rows(), 600u);
  EXPECT_TRUE(are_apart(one.bank.points, one.held_out));
  const LatentTask two = load_latent_task("clinc150-ten", 2, folder.data());
  EXPECT_NE(rows_of(one.bank.points), rows_of(two.bank.points));
  EXPECT_TRUE(is_keyed_by_seed("clinc150-ten"));
  EXPECT_FALSE(is_keyed_by_seed("clinc150"));
}

TEST(LatentTasks, textures_are_for_choosing_and_the_others_for_reading) {
  Folder folder;
  folder.write_cifar();
  const LatentTask task =
      load_latent_task("cifar100-densenet", 1, folder.data());
  EXPECT_EQ(task.bank.rows(), 3u * 5);
  EXPECT_EQ(task.held_out.rows(), 3u * 20);
  EXPECT_TRUE(are_apart(task.bank.points, task.held_out));
  EXPECT_EQ(task.validation.known.rows(), 3u * 20);
  EXPECT_EQ(task.test.known.rows(), 3u * 5);
  EXPECT_TRUE(are_apart(task.validation.known, task.test.known));
  ASSERT_EQ(task.validation.unknown.size(), 1u);
  EXPECT_EQ(task.validation.unknown[0].first, "textures");
  EXPECT_EQ(task.test.unknown.size(), 3u);
  const LatentTask whole = load_whole_set("cifar100-densenet", folder.data());
  EXPECT_EQ(whole.bank.rows(), 75u);
  EXPECT_EQ(whole.test.unknown.size(), 4u);
  for (std::size_t i = 0; i < task.test.known.rows(); ++i) {
    EXPECT_NEAR(norm_of<float>(task.test.known.row(i)), 1.0, 1e-6);
  }
}

}  // namespace latent_tasks_test
}  // namespace sbog::paper
