// SPDX-License-Identifier: Apache-2.0
// One training step of the pretext stage (150 windows of 200 samples) on one
// core: ours, which gathers its windows, and LibTorch, which copies a batch
// that is ready. Both do forward, InfoNCE, backward and AdamW. Runs take turns
// and the shortest counts, in processor time, as both use one thread:
//   training_step [RUNS]
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <string>

#include "sbog/base/matrix.h"
#include "sbog/nn/random.h"
#include "sbog/series/pretext.h"
#include "sbog_torch/series/torch_encoder.h"

namespace {

using namespace sbog;

constexpr std::size_t kWidth = 200;
constexpr std::size_t kRows = 1500;

Matrix<double> make_series(std::size_t channels) {
  Matrix<double> series(kRows, channels);
  nn::Draws draws(1, nn::Purpose::kPairs, channels);
  for (double& value : series.elements()) value = draws.normal();
  return series;
}

// The anchors, positives and negatives of one batch, a row each.
Matrix<float> make_batch(const series::WindowSource& windows,
                         std::size_t batch) {
  const series::Triplets triplets(windows, {});
  Matrix<float> rows(3 * batch, windows.channels() * kWidth);
  for (std::size_t b = 0; b < batch; ++b) {
    const auto window = [&](std::size_t row) {
      return MatrixView<float>(rows.row(row).data(), windows.channels(),
                               kWidth);
    };
    triplets.fill_anchor(20 * b, window(b));
    triplets.fill_positive(20 * b, window(batch + b));
    triplets.fill_negative(20 * b, window(2 * batch + b));
  }
  return rows;
}

// The shortest processor time of the runs so far, in milliseconds.
class BestClock {
 public:
  template <class Work>
  void run(const Work& work) {
    const std::clock_t start = std::clock();
    work();
    const double taken = 1e3 * static_cast<double>(std::clock() - start) /
                         static_cast<double>(CLOCKS_PER_SEC);
    if (taken < best_) best_ = taken;
  }
  double milliseconds() const { return best_; }

 private:
  double best_ = std::numeric_limits<double>::infinity();
};

void compare(std::size_t channels, int runs) {
  const Matrix<double> values = make_series(channels);
  const series::WindowSource windows(values, WindowOptions{kWidth, 1, false});
  series::PretextOptions options;
  options.epochs = 1000;
  series::PretextTrainer ours(windows, options);
  series::TorchEncoder theirs(
      ours.encoder().options(), ours.encoder().parameters(),
      ours.encoder().buffers(), series::TorchEncoder::Precision::kFloat);
  const Matrix<float> batch = make_batch(windows, options.batch);
  BestClock our_time;
  BestClock their_time;
  double sum = 0.0;
  for (int run = 0; run < runs; ++run) {
    our_time.run([&] { sum += ours.step(); });
    their_time.run([&] {
      sum += theirs.train_step(batch, options.temperature, options.optimiser);
    });
  }
  std::printf(
      "channels %2zu: sbog %.2f ms, LibTorch %.2f ms, ratio %.1f "
      "(mean loss %.3f)\n",
      channels, our_time.milliseconds(), their_time.milliseconds(),
      their_time.milliseconds() / our_time.milliseconds(), sum / (2.0 * runs));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int runs = argc > 1 ? std::stoi(argv[1]) : 30;
    for (const std::size_t channels : {38, 55}) compare(channels, runs);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "training_step: %s\n", error.what());
    return 3;
  }
}
