// SPDX-License-Identifier: Apache-2.0
// Banks of all signals; see view_bank.h.
#include "sbog/series/view_bank.h"

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace {

// Long enough that the atoms of a channel, once in the cache, serve many rows.
constexpr std::size_t kChunkRows = 4096;

std::vector<std::size_t> thinned(std::span<const std::size_t> rows,
                                 std::size_t count) {
  std::vector<std::size_t> chosen = evenly_spaced(rows.size(), count);
  for (std::size_t& row : chosen) row = rows[row];
  return chosen;
}

}  // namespace

ViewBank::ViewBank(const SignalSet& signals, std::span<const std::size_t> rows,
                   const BankOptions& options, const Context& context) {
  if (rows.empty()) throw InvalidArgument("ViewBank: rows are expected");
  const std::vector<std::size_t> atoms = thinned(rows, options.line_rows);
  const std::size_t channels = signals[0].cols();
  for (std::size_t s = 0; s < kSignalCount; ++s) {
    std::vector<std::unique_ptr<LineEnergy>> built(channels);
    parallel_for(context, channels, [&](std::size_t c, std::size_t) {
      std::vector<float> column(atoms.size());
      for (std::size_t i = 0; i < atoms.size(); ++i) {
        column[i] = signals[s](atoms[i], c);
      }
      built[c] = std::make_unique<LineEnergy>(column, kLineEpsilon);
    });
    for (auto& line : built) lines_[s].push_back(std::move(*line));
    if (!options.needs_joint) continue;
    joints_[s] = std::make_unique<JointEnergy>(
        copy_rows<float>(signals[s].view(), thinned(rows, options.joint_rows)));
  }
}

SignalEnergies ViewBank::evaluate(const SignalSet& signals, RowRange range,
                                  const Context& context) const {
  SignalEnergies energies;
  const bool has_joint = joints_[0] != nullptr;
  energies.joint = Matrix<double>(has_joint ? range.size() : 0, kSignalCount);
  const std::size_t chunks = (range.size() + kChunkRows - 1) / kChunkRows;
  for (std::size_t s = 0; s < kSignalCount; ++s) {
    const MatrixView<const float> rows =
        signals[s].view().subrows(range.first, range.size());
    Matrix<float>& out = energies.lines[s];
    out = Matrix<float>(rows.rows(), rows.cols());
    parallel_for(
        context, chunks * rows.cols(), [&](std::size_t task, std::size_t) {
          const std::size_t c = task / chunks;
          const std::size_t first = task % chunks * kChunkRows;
          const std::size_t end = std::min(first + kChunkRows, rows.rows());
          std::vector<double> column(end - first);
          for (std::size_t t = first; t < end; ++t) {
            column[t - first] = rows(t, c);
          }
          lines_[s][c].evaluate(column);
          for (std::size_t t = first; t < end; ++t) {
            out(t, c) = static_cast<float>(column[t - first]);
          }
        });
    if (!has_joint) continue;
    const std::vector<double> joint = joints_[s]->evaluate(rows, context);
    for (std::size_t t = 0; t < joint.size(); ++t) {
      energies.joint(t, s) = joint[t];
    }
  }
  return energies;
}

}  // namespace sbog
