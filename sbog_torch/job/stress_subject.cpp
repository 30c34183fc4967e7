// SPDX-License-Identifier: Apache-2.0
// Models under test that need LibTorch: detectors of images, and TorchScript
// on points, windows and images; see jobs.h.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/job/answer_shape.h"
#include "sbog/job/stress_images.h"
#include "sbog_torch/job/image_scorer.h"
#include "sbog_torch/job/jobs.h"
#include "sbog_torch/nn/script_model.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::torch_jobs {
namespace {

// Cases that go through a program together.
constexpr std::size_t kChunk = 256;

// Cases [first, first + count) as float32 of the shape that they have; bytes of
// images as numbers from 0 to 1.
torch::Tensor to_input(const Array& cases, const LoadedMatrix<float>& values,
                       std::size_t first, std::size_t count) {
  std::vector<std::int64_t> shape;
  for (const std::size_t extent : cases.shape()) {
    shape.push_back(static_cast<std::int64_t>(extent));
  }
  shape[0] = static_cast<std::int64_t>(count);
  torch::Tensor input = torch::empty(shape, torch::kFloat32);
  const auto rows = values.view().subrows(first, count);
  std::copy_n(rows.data(), count * values.cols(), input.data_ptr<float>());
  return shape.size() == 4 ? input / 255.0 : input;
}

// A tensor of numbers as an array of its shape.
Array to_array(const torch::Tensor& tensor, const std::string& name) {
  const torch::Tensor values = tensor.to(torch::kFloat64).contiguous();
  std::vector<std::size_t> shape;
  for (const std::int64_t extent : values.sizes()) {
    shape.push_back(static_cast<std::size_t>(extent));
  }
  const auto count = static_cast<std::size_t>(values.numel());
  const std::shared_ptr<double[]> copy(
      new double[std::max<std::size_t>(1, count)]);
  std::copy_n(values.data_ptr<double>(), count, copy.get());
  return {name, ElementType::kFloat64, std::move(shape),
          std::shared_ptr<const std::byte>(
              copy, reinterpret_cast<const std::byte*>(copy.get()))};
}

// Answers of a program; empty when stopped. Whatever it does wrong is a fault
// of its file.
Matrix<double> ask_script(torch::jit::Module& module, const std::string& path,
                          const Array& cases, job::Events& events) {
  nn::use_one_torch_thread();
  const torch::NoGradGuard no_gradients;
  const LoadedMatrix<float> values = to_matrix<float>(cases);
  const job::AskedCases all = job::asked_cases(cases);
  Matrix<double> answers;
  for (std::size_t first = 0; first < all.count; first += kChunk) {
    if (events.is_stopped()) return {};
    const std::size_t count = std::min(kChunk, all.count - first);
    torch::Tensor out;
    try {
      out = nn::run_script(module, to_input(cases, values, first, count),
                           "the TorchScript model");
    } catch (const InvalidArgument& error) {
      throw IoError(path, error.what());
    }
    if (out.is_complex()) throw IoError(path, "answered complex numbers");
    const Matrix<double> some = job::shaped_answers(path, to_array(out, path),
                                                    {count, all.width, first});
    if (first == 0) answers = Matrix<double>(all.count, some.cols());
    if (some.cols() != answers.cols()) {
      throw IoError(path, "answered with " + std::to_string(answers.cols()) +
                              " columns, then with " +
                              std::to_string(some.cols()));
    }
    std::copy_n(some.data(), some.size(), answers.row(first).data());
  }
  return answers;
}

job::StressSubject open_script(const job::SubjectOptions& options,
                               job::Events& events) {
  const auto module =
      std::make_shared<torch::jit::Module>(nn::load_script(options.model));
  job::StressSubject subject;
  subject.words = "TorchScript " + options.model;
  subject.model = [module, path = options.model,
                   &events](const job::StressBatch& batch) {
    return ask_script(*module, path, batch.values, events);
  };
  return subject;
}

// Scores of images are high for known ones; what is asked for is the reverse.
job::StressSubject open_image_detector(const job::SubjectOptions& options,
                                       job::Events& events,
                                       const Context& context) {
  const auto scorer =
      std::make_shared<const ImageScorer>(load_image_scorer(options.model));
  if (options.level && !scorer->threshold_at) {
    throw InvalidArgument(
        "--level: a detector on pixels has the one threshold of its training; "
        "give --threshold");
  }
  job::StressSubject subject;
  subject.words = "detector of images (score " + scorer->score + ")";
  subject.task = stress::Task::kDetector;
  const double threshold =
      options.level ? scorer->threshold_at(*options.level) : scorer->threshold;
  if (std::isfinite(threshold)) subject.threshold = -threshold;
  const Context quiet{context.pool, nullptr};
  subject.model = [scorer, &events, quiet](const job::StressBatch& batch) {
    nn::use_one_torch_thread();
    const ImageSet images = job::images_of_cases(batch.values);
    if (images.shape != scorer->shape) {
      throw InvalidArgument("--model: it knows images of " +
                            to_string(scorer->shape) + ", the cases are " +
                            to_string(images.shape));
    }
    if (events.is_stopped()) return Matrix<double>();
    const ImageVerdicts found = scorer->run(images, quiet);
    Matrix<double> scores(images.count(), 1);
    for (std::size_t i = 0; i < images.count(); ++i) {
      scores(i, 0) = -found.scores[i];
    }
    return scores;
  };
  return subject;
}

}  // namespace

job::StressSubject open_subject(const job::SubjectOptions& options,
                                job::Events& events, const Context& context) {
  nn::use_one_torch_thread();
  return job::is_script_model(options.model)
             ? open_script(options, events)
             : open_image_detector(options, events, context);
}

}  // namespace sbog::torch_jobs
