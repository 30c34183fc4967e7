// SPDX-License-Identifier: Apache-2.0
// Level, residual, variability; see signals.h.
#include "sbog/series/signals.h"

#include <algorithm>
#include <cmath>

namespace sbog {
namespace {

constexpr std::size_t kWindow = kVariabilityWindow;

// Deviations of the kWindow rows row_at(0), row_at(1), ..., oldest first. The
// order is fixed, so that a stream gives the bits of the batch. In double: the
// sum of equal floats is then exact and a flat window has deviation 0.
template <class RowAt>
void deviations(const RowAt& row_at, std::span<double> mean,
                std::span<double> square, std::span<float> out) {
  const std::size_t channels = out.size();
  std::fill(mean.begin(), mean.end(), 0.0);
  std::fill(square.begin(), square.end(), 0.0);
  for (std::size_t i = 0; i < kWindow; ++i) {
    const float* row = row_at(i);
    for (std::size_t c = 0; c < channels; ++c) mean[c] += row[c];
  }
  for (double& m : mean) m /= static_cast<double>(kWindow);
  for (std::size_t i = 0; i < kWindow; ++i) {
    const float* row = row_at(i);
    for (std::size_t c = 0; c < channels; ++c) {
      const double apart = row[c] - mean[c];
      square[c] += apart * apart;
    }
  }
  for (std::size_t c = 0; c < channels; ++c) {
    out[c] =
        static_cast<float>(std::sqrt(square[c] / static_cast<double>(kWindow)));
  }
}

}  // namespace

std::string_view to_string(Signal signal) {
  switch (signal) {
    case Signal::kLevel:
      return "level";
    case Signal::kResidual:
      return "residual";
    case Signal::kVariability:
      return "variability";
  }
  return "unknown";
}

Matrix<float> variability(MatrixView<const float> rows, WindowSide side) {
  Matrix<float> result(rows.rows(), rows.cols());
  std::vector<double> mean(rows.cols());
  std::vector<double> square(rows.cols());
  const std::size_t before =
      side == WindowSide::kCentred ? kWindow / 2 : kWindow - 1;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    const auto row_at = [&](std::size_t i) {
      const std::size_t shifted = t + i;
      const std::size_t place = shifted >= before ? shifted - before : 0;
      return rows.row(std::min(place, rows.rows() - 1)).data();
    };
    deviations(row_at, mean, square, result.row(t));
  }
  return result;
}

SignalSet make_signals(MatrixView<const float> rows,
                       const Autoregression& autoregression, WindowSide side) {
  SignalSet signals;
  signals[0] = Matrix<float>(rows.rows(), rows.cols());
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    std::copy_n(rows.row(t).data(), rows.cols(), signals[0].row(t).data());
  }
  signals[1] = autoregression.residuals(rows);
  signals[2] = variability(rows, side);
  return signals;
}

SignalStream::SignalStream(const Autoregression& autoregression)
    : autoregression_(&autoregression),
      ring_(kWindow, autoregression.channel_count()) {}

std::span<const float> SignalStream::past(std::size_t lag) const {
  return ring_.row((next_ + kWindow - 1 - lag) % kWindow);
}

void SignalStream::push(std::span<const float> row, MatrixView<float> out) {
  if (!is_started_) {  // what came before the start repeats row 0
    for (std::size_t i = 0; i < kWindow; ++i) {
      std::copy(row.begin(), row.end(), ring_.row(i).begin());
    }
    is_started_ = true;
  }
  std::copy(row.begin(), row.end(), ring_.row(next_).begin());
  next_ = (next_ + 1) % kWindow;
  std::copy(row.begin(), row.end(), out.row(0).begin());
  autoregression_->residual(row, {past(1), past(2), past(3)}, out.row(1));
  std::vector<double> mean(row.size());
  std::vector<double> square(row.size());
  const auto row_at = [&](std::size_t i) {
    return ring_.row((next_ + i) % kWindow).data();
  };
  deviations(row_at, mean, square, out.row(2));
}

}  // namespace sbog
