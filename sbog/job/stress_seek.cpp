// SPDX-License-Identifier: Apache-2.0
// See stress_seek.h.
#include "sbog/job/stress_seek.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/data/npy.h"
#include "sbog/job/run_inputs.h"
#include "sbog/stress/sampler_space.h"

namespace sbog::job {
namespace {

// Apart from the draws of the run itself.
constexpr std::uint64_t kSeekSeed = 0x5EEC000000000000;
// Of epsilon: exp(-2.3) is a tenth.
constexpr double kUsualRadius = 2.3;

Matrix<double> ask_points(const StressModel& model, std::size_t batch,
                          MatrixView<const double> points) {
  Matrix<double> answers;
  for (std::size_t first = 0; first < points.rows(); first += batch) {
    const std::size_t count = std::min(batch, points.rows() - first);
    const std::shared_ptr<float[]> values(new float[count * points.cols()]);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < points.cols(); ++k) {
        values[i * points.cols() + k] =
            static_cast<float>(points(first + i, k));
      }
    }
    const Array array(
        "points", ElementType::kFloat32, {count, points.cols()},
        std::shared_ptr<const std::byte>(
            values, reinterpret_cast<const std::byte*>(values.get())));
    const Matrix<double> said = model({array, {}});
    if (said.rows() == 0) return {};
    if (answers.rows() == 0) {
      answers = Matrix<double>(points.rows(), said.cols());
    }
    if (said.rows() != count || said.cols() != answers.cols()) {
      throw IoError("--model", "gave " + std::to_string(said.rows()) + " x " +
                                   std::to_string(said.cols()) +
                                   " answers to " + std::to_string(count) +
                                   " points");
    }
    std::copy_n(said.data(), said.size(), answers.row(first).data());
  }
  return answers;
}

// What is made larger: confidence, the negative score, or the loss.
std::vector<double> losses_of(const Matrix<double>& answers,
                              const stress::Outcomes& known) {
  stress::Cases cases;
  cases.count = answers.rows();
  stress::AnswerRules rules;
  rules.task = known.task;
  rules.threshold = known.threshold;
  const stress::Outcomes read = read_answers(cases, answers.view(), {}, rules);
  std::vector<double> losses;
  for (const stress::CaseOutcome& one : read.cases) {
    losses.push_back(one.clearness);
  }
  return losses;
}

// As read_answers decides, on what losses_of gives.
bool is_failing(double loss, const stress::Outcomes& known) {
  switch (known.task) {
    case stress::Task::kClassifier:
      return loss >= known.threshold;
    case stress::Task::kDetector:
      return -loss <= known.threshold;
    case stress::Task::kLoss:
      break;
  }
  return loss > known.threshold;
}

std::size_t failing(const std::vector<double>& losses,
                    const stress::Outcomes& known) {
  return static_cast<std::size_t>(
      std::count_if(losses.begin(), losses.end(),
                    [&](double loss) { return is_failing(loss, known); }));
}

void write_sought(const FinishedRun& run, const stress::Outcomes& known,
                  StressSeek& seek) {
  const stress::SeekResult& found = seek.result;
  Matrix<float> points(found.points.rows(), found.points.cols());
  std::string table = "point,class,anchor_row,loss,failure\n";
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t k = 0; k < points.cols(); ++k) {
      points(i, k) = static_cast<float>(found.points(i, k));
    }
    const stress::SeekOrigin& from = seek.origins[i];
    table += std::to_string(i) + ',' + std::to_string(from.label) + ',' +
             std::to_string(from.anchor_row) + ',' +
             full_digits(found.losses[i]) +
             (is_failing(found.losses[i], known) ? ",1\n" : ",0\n");
  }
  seek.file = run.file("sought.npy");
  write_npy(seek.file, std::as_const(points).view());
  write_file_atomically(run.file("sought.csv"), table);
}

}  // namespace

void check_seek(const StressOptions& options, const FinishedRun& run) {
  if (options.seek.seek && run.kind() == "series") {
    throw InvalidArgument(
        "--seek: it moves points of the latent space, and the cases of a "
        "series are windows");
  }
  check_seek(options);
}

void check_seek(const StressOptions& options) {
  if (!options.seek.seek) return;
  if (!options.predictions.empty()) {
    throw InvalidArgument(
        "--seek: it asks the model again, which --predictions cannot");
  }
  if (options.failure != "accepted") {
    throw InvalidArgument(
        "--seek: it raises the confidence, which goes with --failure accepted");
  }
  if (options.seek.rounds == 0 || options.seek.budget < options.seek.rounds) {
    throw InvalidArgument(
        "--budget: at least one point for each round is expected, and at least "
        "one of --rounds");
  }
  if (options.seek.radius && !(*options.seek.radius >= 0.0)) {
    throw InvalidArgument("--radius: a number of at least 0 is expected");
  }
}

std::optional<StressSeek> seek_at(const SeekPlace& place,
                                  const StressOptions& options,
                                  const StressModel& model,
                                  const stress::Outcomes& outcomes,
                                  Events& events, const Context& context) {
  StressSeek seek;
  seek.epsilon = place.epsilon;
  seek.radius = options.seek.radius.value_or(kUsualRadius * seek.epsilon);
  Stage stage(events, context, "seeking failures");
  stress::SamplerSpace<float> space(place.problem, place.sampler,
                                    options.seed ^ kSeekSeed,
                                    {context.pool, nullptr});
  stress::SeekOptions how;
  how.rounds = options.seek.rounds;
  how.budget = options.seek.budget;
  how.epsilon = seek.epsilon;
  how.radius = seek.radius;
  how.seed = options.seed;
  bool is_first = true;
  bool is_stopped = false;
  const auto loss = [&](MatrixView<const double> points) {
    const Matrix<double> answers = ask_points(model, options.batch, points);
    if (answers.rows() == 0) {
      is_stopped = true;
      events.stop();
      return std::vector<double>(points.rows(), 0.0);
    }
    std::vector<double> losses = losses_of(answers, outcomes);
    if (is_first) seek.failures_before = failing(losses, outcomes);
    is_first = false;
    return losses;
  };
  seek.result = stress::seek_failures(space, loss, how, stage.context());
  if (is_stopped || events.is_stopped() ||
      seek.result.end == stress::SeekEnd::kCancelled) {
    return std::nullopt;
  }
  seek.failures = failing(seek.result.losses, outcomes);
  for (const std::size_t i : seek.result.origins) {
    seek.origins.push_back(space.origins()[i]);
  }
  return seek;
}

std::optional<StressSeek> seek_in_run(const FinishedRun& run,
                                      const StressOptions& options,
                                      const StressModel& model,
                                      const stress::Outcomes& outcomes,
                                      Events& events, const Context& context) {
  const GenerateOptions made = options_of_run(run);
  const RunInputs<float> inputs = load_run_inputs<float>(run, made);
  const SamplerOptions sampler = sampler_of_run(made, inputs);
  const SeekPlace place{inputs.problem(), sampler,
                        epsilon_of_run(run, sampler)};
  std::optional<StressSeek> seek =
      seek_at(place, options, model, outcomes, events, context);
  if (seek && seek->result.points.rows() > 0) {
    write_sought(run, outcomes, *seek);
  }
  return seek;
}

}  // namespace sbog::job
