// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/view_bank.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "series/support.h"

namespace sbog {
namespace view_bank_test {

SignalSet three_signals(std::size_t rows, std::size_t channels) {
  SignalSet signals;
  for (std::size_t s = 0; s < kSignalCount; ++s) {
    signals[s] = testing_support::to_float(
        testing_support::normal_rows(rows, channels, 50 + s));
  }
  return signals;
}

std::vector<std::size_t> every_other(std::size_t n) {
  std::vector<std::size_t> rows;
  for (std::size_t t = 0; t < n; t += 2) rows.push_back(t);
  return rows;
}

TEST(ViewBank, gives_the_energies_of_its_parts) {
  const SignalSet signals = three_signals(120, 3);
  const std::vector<std::size_t> rows = every_other(120);
  const ViewBank bank(signals, rows, {});
  const SignalEnergies energies = bank.evaluate(signals, {10, 50});
  ASSERT_EQ(energies.joint.rows(), 40u);
  for (std::size_t s = 0; s < kSignalCount; ++s) {
    const Matrix<float> atoms = copy_rows<float>(signals[s].view(), rows);
    const JointEnergy joint(atoms);
    const std::vector<double> expected =
        joint.evaluate(signals[s].view().subrows(10, 40));
    for (std::size_t t = 0; t < 40; ++t) {
      EXPECT_EQ(energies.joint(t, s), expected[t]);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      std::vector<float> column;
      for (const std::size_t row : rows) column.push_back(signals[s](row, c));
      const LineEnergy line(column, 0.01);
      for (std::size_t t = 0; t < 40; ++t) {
        EXPECT_EQ(energies.lines[s](t, c),
                  static_cast<float>(line(signals[s](10 + t, c))));
      }
    }
  }
}

TEST(ViewBank, thinned_atoms_are_evenly_spaced) {
  const SignalSet signals = three_signals(100, 2);
  std::vector<std::size_t> all(100);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const ViewBank thinned(signals, all, {25, 50, true});
  const ViewBank lines(signals, every_other(100), {0, 0, true});
  EXPECT_EQ(thinned.joint(Signal::kLevel)->atom_count(), 25u);
  const SignalEnergies a = thinned.evaluate(signals, {0, 100});
  const SignalEnergies b = lines.evaluate(signals, {0, 100});
  for (std::size_t i = 0; i < a.lines[0].size(); ++i) {
    EXPECT_EQ(a.lines[0].data()[i], b.lines[0].data()[i]);
  }
}

TEST(ViewBank, is_the_same_for_any_number_of_threads) {
  const SignalSet signals = three_signals(600, 3);
  const std::vector<std::size_t> rows = every_other(600);
  ThreadPool pool(3);
  const ViewBank one(signals, rows, {});
  const ViewBank three(signals, rows, {}, {&pool, nullptr});
  const SignalEnergies a = one.evaluate(signals, {0, 600});
  const SignalEnergies b = three.evaluate(signals, {0, 600}, {&pool, nullptr});
  for (std::size_t i = 0; i < a.joint.size(); ++i) {
    EXPECT_EQ(a.joint.data()[i], b.joint.data()[i]);
  }
  for (std::size_t i = 0; i < a.lines[1].size(); ++i) {
    EXPECT_EQ(a.lines[1].data()[i], b.lines[1].data()[i]);
  }
}

TEST(ViewBank, leaves_joint_energies_out_when_they_are_not_needed) {
  const SignalSet signals = three_signals(60, 2);
  const ViewBank bank(signals, every_other(60), {0, 0, false});
  EXPECT_EQ(bank.joint(Signal::kResidual), nullptr);
  EXPECT_EQ(bank.evaluate(signals, {0, 60}).joint.rows(), 0u);
}

TEST(ViewBank, refuses_no_rows) {
  EXPECT_THROW(ViewBank(three_signals(9, 1), {}, {}), InvalidArgument);
}

}  // namespace view_bank_test
}  // namespace sbog
