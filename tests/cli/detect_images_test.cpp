// SPDX-License-Identifier: Apache-2.0
// Detectors of images from the outside: every score, which options it has, and
// that points without images are enough for one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "sbog/base/matrix.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"
#include "sbog/image/png.h"
#include "sbog/image/shapes.h"

namespace sbog::testing_support {
namespace detect_images_test {

using nlohmann::json;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// 160 images of 12 x 12 pixels and a network of two blocks.
const std::string kSmall = "demo:shapes --limit 20 --side 12 --seed 3 ";
const std::string kTest = "demo:shapes-test --limit 8 --side 12 ";

void expect_refused(const TemporaryFolder& folder, const std::string& line,
                    const std::string& hint) {
  SCOPED_TRACE(line);
  const ToolResult run = run_tool(folder, line + " --quiet");
  EXPECT_THAT(run.exit_code, ::testing::AnyOf(2, 3)) << run.err;
  EXPECT_EQ(told_lines(run.err), 1u) << run.err;
  EXPECT_THAT(run.err, ::testing::StartsWith("sbog: "));
  EXPECT_THAT(run.err, HasSubstr(hint));
}

// Ends the test when the command failed: what it did not tell cannot be read.
json told(const ToolResult& run) {
  if (run.exit_code != 0) throw std::runtime_error(run.err);
  return json::parse(run.out);
}

void train_model(const TemporaryFolder& folder, const std::string& options) {
  const ToolResult run =
      run_tool(folder, "train image " + kSmall + options + " --out m");
  ASSERT_EQ(run.exit_code, 0) << run.err;
}

TEST(DetectImages, points_without_images_train_a_head_that_scores_images) {
  const TemporaryFolder folder;
  train_model(
      folder,
      "--widths 4,8 --latent 8 --epochs 2 --held-out 0.25 --decoder none");
  ASSERT_LE(run_tool(folder, "generate " + kSmall +
                                 "--model m --decoder none --count 4 --out run")
                .exit_code,
            1);
  const std::string train = "detect train " + kSmall + "--model m ";
  const json head = told(run_tool(
      folder, train + "--score head --outliers run --epochs 3 --out d --json"));
  EXPECT_EQ(head["score"], "head");
  EXPECT_EQ(head["held_out"], 40);  // what the model kept apart
  EXPECT_EQ(head["bank"], 120);
  EXPECT_EQ(head["outliers"],
            read_npy(folder.file("run/outliers.npy")).shape()[0]);
  EXPECT_TRUE(head.contains("accuracy_before"));
  const std::string line = "detect score d " + kTest +
                           "--outside demo:noise --out s.csv --json --threads ";
  const json scored = told(run_tool(folder, line + "1"));
  EXPECT_EQ(scored["score"], "head");
  EXPECT_EQ(scored["images"], 64);
  EXPECT_EQ(scored["threshold"], head["threshold"]);
  EXPECT_TRUE(scored.contains("accuracy"));
  EXPECT_GE(scored["outside"]["auroc"], 0.0);
  const std::string table = read_bytes(folder.file("s.csv"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 65);
  // The same command gives the same folder, on any number of threads.
  told(run_tool(folder, train +
                            "--score head --outliers run --epochs 3 --out e "
                            "--json --threads 3"));
  EXPECT_EQ(read_bytes(folder.file("d/detector.safetensors")),
            read_bytes(folder.file("e/detector.safetensors")));
  EXPECT_EQ(told(run_tool(folder, line + "3")), scored);
  // A network on pixels has nothing to learn from such a run.
  expect_refused(folder, "detect train " + kSmall + "--outliers run --out x",
                 "--score head");
  // A run of another model, or no model at all.
  ASSERT_EQ(run_tool(folder,
                     "train image demo:shapes --limit 20 --side 12 "
                     "--widths 4,8 --latent 8 --epochs 1 --seed 4 "
                     "--decoder none --out other")
                .exit_code,
            0);
  expect_refused(folder,
                 "detect train " + kSmall +
                     "--model other --score head --outliers run --out x",
                 "run was made with another model than other");
  expect_refused(folder,
                 "detect train demo:shapes --limit 19 --side 12 --model m "
                 "--score knn --out x",
                 "trained on other images");
  expect_refused(folder, train + "--score knn --out d", "empty folder");
  expect_refused(folder, "detect score m " + kTest, "detector.safetensors");
  expect_refused(folder, "detect score d demo:shapes-test", "1 x 12 x 12");
  expect_refused(folder, "detect score d " + kTest + "--gap 3", "--gap");
  fs::resize_file(folder.file("d/detector.safetensors"), 300);
  expect_refused(folder, "detect score d " + kTest, "detector.safetensors");
  EXPECT_FALSE(fs::exists(folder.file("x")));
}

TEST(DetectImages, the_encoder_of_a_model_goes_on_to_learn) {
  const TemporaryFolder folder;
  train_model(
      folder,
      "--widths 4,8 --latent 8 --epochs 2 --decoder-epochs 1 --held-out 0.25");
  ASSERT_LE(run_tool(folder, "generate " + kSmall +
                                 "--model m --variation detail --count 4 "
                                 "--out run")
                .exit_code,
            1);
  const std::string train = "detect train " + kSmall + "--model m --json ";
  const json before = told(run_tool(folder, train + "--out a"));
  EXPECT_EQ(before["held_out"], 40);  // what the model kept apart
  EXPECT_EQ(before["accuracy"], before["accuracy_before"]);
  const json after = told(
      run_tool(folder, train + "--outliers run --exposure-epochs 1 --out b"));
  EXPECT_EQ(after["accuracy_before"], before["accuracy"]);
  EXPECT_NE(after["threshold"], before["threshold"]);
  const json scored =
      told(run_tool(folder, "detect score b " + kTest + "--json"));
  EXPECT_EQ(scored["score"], "lse");
  EXPECT_EQ(scored["images"], 64);
}

TEST(DetectImages, nearness_and_energy_need_no_training) {
  const TemporaryFolder folder;
  train_model(folder, "--widths 4,8 --latent 8 --epochs 1 --decoder none");
  const std::string train = "detect train " + kSmall + "--model m ";
  const json knn =
      told(run_tool(folder, train + "--score knn --level 0.9 --out k --json"));
  EXPECT_EQ(knn["neighbours"], 5);
  EXPECT_EQ(knn["outliers"], 0);
  const json all = told(run_tool(
      folder, train + "--score knn --level 0.9 --neighbours 99 --out a "
                      "--json"));
  EXPECT_LT(all["threshold"], knn["threshold"]);
  expect_refused(folder, train + "--score knn --neighbours 999 --out x",
                 "from 1 to the ");
  const json soe = told(run_tool(
      folder, train + "--score soe --epsilon 0.1 --level 0.5 --out s --json"));
  EXPECT_EQ(soe["epsilon"], 0.1);
  const json sum = told(run_tool(
      folder, train + "--score sum --outliers-per-epoch 60 --out t --json"));
  EXPECT_EQ(sum["scores"], json::parse(R"(["head", "rmd", "mean"])"));
  EXPECT_GT(sum["outliers"], 0);
  for (const char* name : {"k", "s"}) {
    const json scored = told(run_tool(
        folder, std::string("detect score ") + name + " " + kTest + "--json"));
    EXPECT_EQ(scored["score"], std::string(name) == "k" ? "knn" : "soe");
    EXPECT_GE(scored["outlier_share"], 0.0);
  }
  const ToolResult words =
      run_tool(folder, train + "--score knn --neighbours 5 --out w");
  EXPECT_THAT(words.out, HasSubstr("score knn (5 neighbours)"));
  EXPECT_THAT(words.err, HasSubstr("too few held-out images (16)"));
}

TEST(DetectImages, an_option_that_the_score_does_not_have_is_refused_by_name) {
  const TemporaryFolder folder;
  const std::string train = "detect train demo:shapes --out x ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--score knn --model m --outliers r",
       "--outliers: the score knn learns nothing from outliers"},
      {"--score soe --model m --outliers r",
       "--outliers: the score soe learns nothing from outliers"},
      {"--score knn", "--score knn: it needs --model"},
      {"--score head --outliers r", "--score head: it needs --model"},
      {"--model m --epochs 3", "--epochs: the encoder of --model"},
      {"--model m --score msp --held-out 0.1",
       "--held-out: the encoder of --model"},
      {"--score knn --model m --epochs 3", "--epochs: the score knn"},
      {"--score soe --model m --weight 2", "--weight: the score soe"},
      {"--score soe --model m --loss hinge", "--loss: the score soe"},
      {"--score soe --model m --neighbours 3", "--neighbours: the score soe"},
      {"--score knn --model m --epsilon 0.1", "--epsilon: the score knn"},
      {"--score head --model m --epsilon 0.1", "--epsilon: the score head"},
      {"--score head --model m --held-out 0.1", "--held-out: the score head"},
      {"--score head --model m --outliers r --exposure-epochs 1",
       "--exposure-epochs: the score head"},
      {"--neighbours 3", "--neighbours: the score lse"},
      {"--score msp --epsilon 0.1", "--epsilon: the score msp"},
      {"--weight 2", "--weight: it is about outliers"},
      {"--exposure-epochs 2", "--exposure-epochs: it is about outliers"},
      {"--score head --model m --loss hinge", "--loss: the score head"},
      {"--score rmd --model m --radius 2", "--radius: the score rmd"},
      {"--score sum --sum rmd --model m", "--sum: at least two scores"},
      {"--level 0", "--level: "},
      {"--level 1.5", "--level: "},
      {"--score magic", "--score"},
      {"--score knn --model absent", "absent"}};
  for (const auto& [words, hint] : cases) {
    expect_refused(folder, train + words, hint);
  }
  expect_refused(folder, "detect train demo:series --out x --score msp",
                 "--score: this option is not for series");
  EXPECT_TRUE(folder.is_empty());
}

TEST(DetectImages, features_alone_make_no_detector) {
  const TemporaryFolder folder;
  Matrix<float> rows(160, 10);
  for (std::size_t i = 0; i < 160; ++i) {
    for (std::size_t k = 0; k < 10; ++k) {
      rows(i, k) = 0.01F * static_cast<float>((i * 37 + k * 11) % 19);
    }
  }
  write_npy(folder.file("f.npy"), rows.view());
  train_model(folder, "--encoder f.npy --decoder none");
  expect_refused(folder,
                 "detect train " + kSmall + "--model m --score knn --out x",
                 "m: the model knows features of its own images alone");
  expect_refused(folder, "detect train " + kSmall + "--model m --out x",
                 "m: its encoder comes from elsewhere");
}

TEST(DetectImages, names_with_commas_and_quotes_stay_one_field) {
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"a, b", "the \"new\" one"};
  ShapesOptions options;
  options.count = 10 * kShapeClasses;
  options.height = options.width = 12;
  const ImageSet images = make_shapes(options);
  for (std::size_t i = 0; i < images.count(); ++i) {
    const auto label = static_cast<std::size_t>(images.labels[i]);
    if (label > 1) continue;
    const fs::path inner = fs::path(folder.file("p")) / names[label];
    fs::create_directories(inner);
    write_png((inner / (std::to_string(i) + ".png")).string(), images.shape,
              images.pixels.row(i));
  }
  const json trained = told(
      run_tool(folder,
               "detect train p --kind image --score msp --epochs 1 --out d "
               "--json"));
  EXPECT_EQ(trained["score"], "msp");
  EXPECT_LE(trained["threshold"], 1.0);
  const json scored =
      told(run_tool(folder, "detect score d p --out s.csv --json"));
  EXPECT_EQ(scored["score"], "msp");
  CsvOptions read;
  read.header = CsvHeader::kPresent;
  read.columns = {"class", "is_outlier"};
  read.text_columns = {"class_name"};
  const CsvTable table = read_csv(folder.file("s.csv"), read);
  ASSERT_EQ(table.values.rows(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(table.texts[0][i],
              names[static_cast<std::size_t>(table.values(i, 0))]);
  }
}

}  // namespace detect_images_test
}  // namespace sbog::testing_support
