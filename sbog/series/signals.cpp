// SPDX-License-Identifier: Apache-2.0
// Level, residual, variability; see signals.h.
#include "sbog/series/signals.h"

#include <algorithm>
#include <array>

#include "sbog/series/detail/signal_kernel.h"

namespace sbog {
namespace {

constexpr std::size_t kWindow = kVariabilityWindow;

// The rows of one window, oldest first: the order is fixed, so that a stream
// gives the bits of the batch.
using WindowRows = std::array<const float*, kWindow>;

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
  const std::size_t before =
      side == WindowSide::kCentred ? kWindow / 2 : kWindow - 1;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    WindowRows window;
    for (std::size_t i = 0; i < kWindow; ++i) {
      const std::size_t place = t + i >= before ? t + i - before : 0;
      window[i] = rows.row(std::min(place, rows.rows() - 1)).data();
    }
    detail::deviations(window, result.row(t));
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
  WindowRows window;
  for (std::size_t i = 0; i < kWindow; ++i) {
    window[i] = ring_.row((next_ + i) % kWindow).data();
  }
  detail::deviations(window, out.row(2));
}

}  // namespace sbog
