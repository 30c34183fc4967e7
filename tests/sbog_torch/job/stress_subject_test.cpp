// SPDX-License-Identifier: Apache-2.0
// Models under test that need LibTorch: what they answer, and what is said
// about files that do not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include <filesystem>
#include <fstream>

#include "sbog/base/errors.h"
#include "sbog/detect/point_detector.h"
#include "sbog/job/stress_images.h"
#include "sbog_torch/image/detector.h"
#include "sbog_torch/image/latent_detector.h"
#include "sbog_torch/job/image_scorer.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace stress_subject_test {

using namespace testing_support;
using ::testing::HasSubstr;
using ::testing::Not;

std::string write_script(const TemporaryFolder& folder,
                         const std::string& body) {
  torch::jit::Module module("model");
  module.define("def forward(self, x):\n    " + body + "\n");
  module.save(folder.file("m.pt"));
  return folder.file("m.pt");
}

job::SubjectOptions options_for(const std::string& model, job::Kind kind) {
  job::SubjectOptions options;
  options.model = model;
  options.kind = kind;
  return options;
}

// 0, 1, 2, ... in this shape.
Array counting(std::vector<std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  const std::shared_ptr<double[]> values(new double[count]);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
  return {"cases", ElementType::kFloat64, std::move(shape),
          std::shared_ptr<const std::byte>(
              values, reinterpret_cast<const std::byte*>(values.get()))};
}

Matrix<double> answers_of(const std::string& path, const Array& cases) {
  static job::Events events;
  return job::open_subject(options_for(path, job::Kind::kPoints), events, {})
      .model({cases, {}});
}

TEST(StressScript, points_windows_and_images_come_in_their_own_shape) {
  const TemporaryFolder folder;
  const std::string first = write_script(
      folder,
      "return torch.stack([x.flatten(1)[:, 0], x.flatten(1)[:, 1]], 1)");
  const Matrix<double> points = answers_of(first, counting({600, 5}));
  ASSERT_EQ(points.rows(), 600u);  // more than go through together
  ASSERT_EQ(points.cols(), 2u);
  for (std::size_t i = 0; i < 600; ++i) {
    EXPECT_EQ(points(i, 0), 5.0 * static_cast<double>(i));
    EXPECT_EQ(points(i, 1), 5.0 * static_cast<double>(i) + 1.0);
  }
  // A score for each row of a window, as windows x rows or as one list.
  for (const char* body : {"return x.sum(2)", "return x.sum(2).reshape(-1)"}) {
    const Matrix<double> windows =
        answers_of(write_script(folder, body), counting({3, 4, 2}));
    ASSERT_EQ(windows.rows(), 3u);
    ASSERT_EQ(windows.cols(), 4u);
    EXPECT_EQ(windows(2, 3), 22.0 + 23.0);
  }
  const ImageSet images = small_images();
  const Matrix<double> means =
      answers_of(write_script(folder, "return x.mean([1, 2, 3])"),
                 job::array_of_images(images, "cases"));
  ASSERT_EQ(means.rows(), images.count());
  ASSERT_EQ(means.cols(), 1u);
  for (std::size_t i = 0; i < 5; ++i) {
    double sum = 0.0;
    for (const std::uint8_t pixel : images.pixels.row(i)) sum += pixel;
    EXPECT_NEAR(means(i, 0), sum / 255.0 / 144.0, 1e-6);
  }
}

TEST(StressScript, files_and_answers_that_do_not_fit_get_one_sentence) {
  const TemporaryFolder folder;
  const auto fault = [&](const std::string& path) -> std::string {
    try {
      answers_of(path, counting({3, 4}));
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path));
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  };
  const auto of_body = [&](const char* body) {
    return fault(write_script(folder, body));
  };
  EXPECT_THAT(of_body("return x / 0.0 * 0.0"), HasSubstr("case 0 with NaN"));
  EXPECT_THAT(of_body("return x[:2]"), HasSubstr("2 x 4"));
  EXPECT_THAT(of_body("return x.reshape(3, 2, 2)"), HasSubstr("3 x 2 x 2"));
  EXPECT_THAT(of_body("return x.sum()"), HasSubstr("one number"));
  EXPECT_THAT(of_body("return (x, x)"), HasSubstr("a tensor"));
  EXPECT_THAT(of_body("return torch.matmul(x, torch.zeros([7, 7]))"),
              HasSubstr("fails on an input of 3 x 4"));
  EXPECT_THAT(of_body("return torch.complex(x, x)"), HasSubstr("complex"));
  EXPECT_THAT(fault(folder.file("none.pt")), HasSubstr("no such file"));
  std::ofstream(folder.file("text.pt")) << "this is no program";
  EXPECT_THAT(fault(folder.file("text.pt")), HasSubstr("TorchScript"));
  const std::string cut = write_script(folder, "return x");
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
  EXPECT_THAT(fault(cut), HasSubstr("TorchScript"));
}

TEST(StressScript, a_stop_is_heard) {
  const TemporaryFolder folder;
  job::Events events;
  const job::StressSubject subject = job::open_subject(
      options_for(write_script(folder, "return x"), job::Kind::kPoints), events,
      {});
  EXPECT_FALSE(subject.task.has_value());
  events.stop();
  EXPECT_EQ(subject.model({counting({3, 4}), {}}).rows(), 0u);
}

std::string pixel_detector(const TemporaryFolder& folder) {
  nn::use_one_torch_thread();
  image::EncoderOptions network = image::options_for(small_images());
  network.widths = {4, 6};
  network.latent = 8;
  image::Detector detector(network, 1);
  detector.threshold = 1.5;
  detector.save(folder.file("d"));
  return folder.file("d");
}

TEST(StressImageDetector, scores_are_larger_for_what_is_less_known) {
  const TemporaryFolder folder;
  job::Events events;
  const std::string path = pixel_detector(folder);
  job::SubjectOptions options = options_for(path, job::Kind::kImages);
  const job::StressSubject subject = job::open_subject(options, events, {});
  EXPECT_EQ(subject.task, stress::Task::kDetector);
  EXPECT_EQ(subject.threshold, -1.5);
  const ImageSet images = small_images();
  const Matrix<double> scores =
      subject.model({job::array_of_images(images, "cases"), {}});
  const ImageVerdicts expected = load_image_scorer(path).run(images, {});
  ASSERT_EQ(scores.rows(), images.count());
  for (std::size_t i = 0; i < images.count(); ++i) {
    EXPECT_EQ(scores(i, 0), -expected.scores[i]);
  }
  ImageSet wide = images.with_shape({1, 12, 13});
  wide.pixels = Matrix<std::uint8_t>(images.count(), wide.shape.size());
  EXPECT_THROW(subject.model({job::array_of_images(wide, "cases"), {}}),
               InvalidArgument);
  options.level = 0.9;
  EXPECT_THROW(job::open_subject(options, events, {}), InvalidArgument);
  options.level.reset();
  options.kind = job::Kind::kPoints;
  EXPECT_THROW(job::open_subject(options, events, {}), InvalidArgument);
}

TEST(StressImageDetector, one_on_embeddings_has_a_threshold_at_every_level) {
  const TemporaryFolder folder;
  image::ImageModel model = image::load_image_model(small_model());
  detect::PointDetectorOptions options;
  options.scores = {detect::PointScore::kMean};
  options.level = 0.9;
  const Matrix<float> calibration = image::embed_with(model, small_images());
  detect::PointDetector points = *detect::train_point_detector(
      image::labelled_bank(model), calibration, options);
  const double at_half = points.threshold(0.5);
  const double usual = points.threshold(0.9);
  image::LatentDetector(std::move(model), std::move(points))
      .save(folder.file("d"));
  job::Events events;
  job::SubjectOptions how = options_for(folder.file("d"), job::Kind::kImages);
  EXPECT_EQ(job::open_subject(how, events, {}).threshold, usual);
  how.level = 0.5;
  EXPECT_EQ(job::open_subject(how, events, {}).threshold, at_half);
}

}  // namespace stress_subject_test
}  // namespace sbog::torch_jobs
