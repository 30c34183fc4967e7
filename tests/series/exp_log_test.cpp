// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detail/exp_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sbog::detail {
namespace exp_log_test {

TEST(ExpLog, exponentials_agree_with_long_double) {
  std::vector<double> values;
  for (int i = 0; i <= 20000; ++i) values.push_back(-0.035 * i);
  const std::vector<double> arguments = values;
  exponentials(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto truth = std::exp(static_cast<long double>(arguments[i]));
    EXPECT_NEAR(values[i] / static_cast<double>(truth), 1.0, 1e-15)
        << arguments[i];
  }
}

TEST(ExpLog, exponentials_of_far_negatives_vanish) {
  std::vector<double> values = {-800.0, -1e10, -1e300, 0.0};
  exponentials(values);
  EXPECT_EQ(values, (std::vector<double>{0.0, 0.0, 0.0, 1.0}));
}

TEST(ExpLog, logarithms_agree_with_long_double) {
  std::vector<double> values;
  for (int i = 1; i <= 20000; ++i) values.push_back(0.37 * i * i);
  values.insert(values.end(), {1e-300, 0.5, 0.999999, 1.0, 1.000001, 1e300});
  const std::vector<double> arguments = values;
  logarithms(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto truth = std::log(static_cast<long double>(arguments[i]));
    EXPECT_NEAR(values[i], static_cast<double>(truth),
                4e-16 * static_cast<double>(std::abs(truth)))
        << arguments[i];
  }
}

TEST(ExpLog, a_number_gives_the_same_bits_wherever_it_stands) {
  std::vector<double> together;
  for (int i = 0; i < 37; ++i) together.push_back(-0.3 * i);
  std::vector<double> logs;
  for (int i = 0; i < 37; ++i) logs.push_back(0.1 + 1.7 * i);
  std::vector<double> alone = together;
  std::vector<double> alone_logs = logs;
  exponentials(together);
  logarithms(logs);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    exponentials({&alone[i], 1});
    logarithms({&alone_logs[i], 1});
  }
  EXPECT_EQ(alone, together);
  EXPECT_EQ(alone_logs, logs);
}

}  // namespace exp_log_test
}  // namespace sbog::detail
