// SPDX-License-Identifier: Apache-2.0
// The self-check: everything that can be wrong with a number is noticed.
#include "about/self_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <stdexcept>

namespace sbog::cli {
namespace self_check_test {

using ::testing::HasSubstr;

constexpr std::array<std::size_t, 2> kThreads = {1, 3};

CheckResult check_one(const GoldenCheck& check) {
  const std::array checks = {check};
  return run_self_check(checks, kernel_targets(), kThreads).at(0);
}

GoldenCheck constant(double expected, double tolerance, double value) {
  return {"constant", expected, tolerance,
          [value](const Context&) { return std::vector<double>{value}; }};
}

std::size_t supported_count() {
  std::size_t count = 0;
  for (const KernelTarget& target : kernel_targets()) {
    count += target.is_supported ? 1 : 0;
  }
  return count;
}

TEST(SelfCheck, all_known_numbers_come_out_on_every_target) {
  const std::vector<GoldenCheck> checks = golden_checks();
  EXPECT_GE(checks.size(), 12u);
  for (const CheckResult& result :
       run_self_check(checks, kernel_targets(), kThreads)) {
    EXPECT_TRUE(result.is_well()) << result.name << " " << result.fault;
    EXPECT_EQ(result.ways, supported_count() * kThreads.size());
  }
}

TEST(SelfCheck, a_wrong_known_number_is_a_fault) {
  for (GoldenCheck check : golden_checks()) {
    // Off by a hundredth of a per mille: more than any tolerance.
    check.expected *= 1.0 + 1e-5;
    const CheckResult result = check_one(check);
    EXPECT_FALSE(result.is_well()) << check.name;
    EXPECT_THAT(result.fault, HasSubstr("expected")) << check.name;
  }
}

TEST(SelfCheck, the_tolerance_is_relative_and_kept) {
  EXPECT_TRUE(check_one(constant(1000.0, 1e-3, 1000.9)).is_well());
  EXPECT_FALSE(check_one(constant(1000.0, 1e-3, 1001.1)).is_well());
  EXPECT_TRUE(check_one(constant(-2.0, 0.0, -2.0)).is_well());
  EXPECT_FALSE(check_one(constant(-2.0, 0.0, -2.0000000000001)).is_well());
}

TEST(SelfCheck, what_is_no_number_is_a_fault) {
  EXPECT_FALSE(
      check_one(constant(1.0, 1e-3, std::numeric_limits<double>::quiet_NaN()))
          .is_well());
  EXPECT_FALSE(
      check_one(constant(1.0, 1e-3, std::numeric_limits<double>::infinity()))
          .is_well());
}

TEST(SelfCheck, one_wrong_value_among_many_is_a_fault) {
  GoldenCheck check = constant(1.0, 1e-9, 1.0);
  check.compute = [](const Context&) {
    std::vector<double> values(100, 1.0);
    values[57] = 1.5;
    return values;
  };
  const CheckResult result = check_one(check);
  EXPECT_FALSE(result.is_well());
  EXPECT_EQ(result.value, 1.5);
}

TEST(SelfCheck, bits_that_depend_on_the_threads_are_a_fault) {
  GoldenCheck check = constant(1.0, 1e-9, 1.0);
  check.compute = [](const Context& context) {
    return std::vector<double>{1.0 +
                               (worker_count(context) == 1 ? 0.0 : 1e-15)};
  };
  const CheckResult result = check_one(check);
  EXPECT_THAT(result.fault, HasSubstr("other bits"));
  EXPECT_THAT(result.fault, HasSubstr("3 threads"));
}

TEST(SelfCheck, an_exception_and_an_empty_answer_are_faults) {
  GoldenCheck check = constant(1.0, 1e-9, 1.0);
  check.compute = [](const Context&) -> std::vector<double> {
    throw std::runtime_error("out of luck");
  };
  EXPECT_THAT(check_one(check).fault, HasSubstr("out of luck"));
  check.compute = [](const Context&) { return std::vector<double>{}; };
  EXPECT_THAT(check_one(check).fault, HasSubstr("nothing was computed"));
}

TEST(SelfCheck, targets_that_the_cpu_lacks_are_left_out) {
  const std::array checks = {constant(1.0, 1e-9, 1.0)};
  const std::vector<KernelTarget> none = {{1, "unheard of", false}};
  const CheckResult result = run_self_check(checks, none, kThreads).at(0);
  EXPECT_EQ(result.ways, 0u);
  EXPECT_FALSE(result.is_well());
}

}  // namespace self_check_test
}  // namespace sbog::cli
