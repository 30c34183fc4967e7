// SPDX-License-Identifier: Apache-2.0
// Golden vectors, the layout of the counters, and the laws of the draws. The
// statistical tests have written seeds: they pass or fail the same every time.
#include "sbog/base/philox.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "oracle/golden.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace philox_test {

using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

TEST(Philox, gives_the_known_answers) {
  const auto cases = golden::entry("/rng/philox4x32_10");
  ASSERT_EQ(cases.size(), 3u);
  for (const auto& known : cases) {
    const PhiloxBlock block =
        philox4x32(golden::to_words<Counter>(known.at("counter")),
                   golden::to_words<Key>(known.at("key")));
    EXPECT_EQ(block.words, golden::to_words<Counter>(known.at("out")));
  }
}

TEST(Philox, the_layout_example_holds_from_counter_to_normals) {
  const auto example = golden::entry("/rng/layout_example");
  const PhiloxBlock block =
      philox4x32(golden::to_words<Counter>(example.at("counter")),
                 golden::to_words<Key>(example.at("key")));
  EXPECT_EQ(block.words, golden::to_words<Counter>(example.at("out")));
  const double u1 = to_uniform(block.low64());
  const double u2 = to_uniform(block.high64());
  EXPECT_NEAR(u1, golden::to_double(example.at("u1")), 1e-15);
  EXPECT_NEAR(u2, golden::to_double(example.at("u2")), 1e-15);
  const auto expected = golden::to_vector(example.at("box_muller"));
  const auto pair = box_muller(u1, u2);
  EXPECT_NEAR(pair[0], expected[0], 1e-14);
  EXPECT_NEAR(pair[1], expected[1], 1e-14);

  const PhiloxStream stream(example.at("seed"), example.at("cls"),
                            example.at("round"), example.at("k"));
  std::array<double, 2> drawn{};
  stream.normals(example.at("j"), drawn);
  EXPECT_EQ(drawn, pair);
}

/// z + sigma xi, divided by its norm.
std::vector<double> project(std::span<const double> raw, double sigma,
                            std::span<const double> xi) {
  const auto norm = [](std::span<const double> x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return std::sqrt(sum);
  };
  std::vector<double> out(raw.begin(), raw.end());
  const double raw_norm = norm(raw);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = out[i] / raw_norm + sigma * xi[i];
  }
  const double out_norm = norm(out);
  for (double& value : out) value /= out_norm;
  return out;
}

TEST(PhiloxStream, the_golden_run_draws_these_anchors_and_proposals) {
  const auto run = golden::entry("/algorithm1_end_to_end");
  const auto bank = golden::to_matrix(run.at("bank_raw"));
  const auto anchors = golden::to_indices(run.at("anchors"));
  int checked = 0;
  for (const auto& output : run.at("outputs")) {
    if (output.at("status") != "ok") continue;
    const PhiloxStream stream(run.at("seed"), run.at("cls"), output.at("round"),
                              output.at("k"));
    const std::size_t anchor = anchors.at(stream.anchor_index(anchors.size()));
    EXPECT_EQ(anchor, output.at("anchor").get<std::size_t>());
    std::array<double, 3> xi{};
    stream.normals(output.at("j"), xi);
    const auto proposal =
        project(bank.row(anchor), golden::to_double(run.at("sigma")), xi);
    const auto expected = golden::to_vector(output.at("v"));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(proposal[i], expected[i], 1e-12);
    }
    ++checked;
  }
  EXPECT_EQ(checked, 4);
}

TEST(ToUniform, stays_within_zero_and_one_and_ignores_the_low_bits) {
  EXPECT_EQ(to_uniform(0), 0x1.0p-54);
  EXPECT_EQ(to_uniform(0x7FF), 0x1.0p-54);
  EXPECT_EQ(to_uniform(0x800), 0x1.8p-53);
  EXPECT_LE(to_uniform(std::numeric_limits<std::uint64_t>::max()), 1.0);
  EXPECT_EQ(to_uniform(std::uint64_t{1} << 63), 0.5);
}

TEST(BoxMuller, the_ends_of_the_uniform_give_finite_normals) {
  const double smallest = to_uniform(0);
  EXPECT_NEAR(box_muller(smallest, smallest)[0], std::sqrt(108 * std::log(2.0)),
              1e-12);
  EXPECT_EQ(box_muller(1.0, 0.25)[0], 0.0);
  EXPECT_TRUE(std::isfinite(box_muller(smallest, 1.0)[1]));
}

PhiloxStream any_stream(Counter& counter, Key& key) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto cls = *rc::gen::inRange<std::uint32_t>(0, 65535);
  const auto round = *rc::gen::inRange<std::uint32_t>(0, 65536);
  const auto k = *rc::gen::arbitrary<std::uint32_t>();
  key = {static_cast<std::uint32_t>(seed & 0xFFFFFFFFu),
         static_cast<std::uint32_t>(seed >> 32)};
  counter = {k, cls * 65536 + round, 0, 0};
  return {seed, cls, round, k};
}

RC_GTEST_PROP(PhiloxStream, the_anchor_draw_is_a_128_bit_multiply_high, ()) {
  Counter counter;
  Key key;
  const PhiloxStream stream = any_stream(counter, key);
  counter[2] = 0xFFFFFFFFu;
  __extension__ using Wide = unsigned __int128;
  const auto count = *rc::gen::oneOf(
      rc::gen::inRange<std::uint64_t>(1, 1000),
      rc::gen::suchThat(rc::gen::arbitrary<std::uint64_t>(),
                        [](std::uint64_t value) { return value > 0; }));
  const Wide product = Wide{philox4x32(counter, key).low64()} * count;
  const auto expected = static_cast<std::uint64_t>(product >> 64);
  RC_ASSERT(stream.anchor_index(count) == expected);
  RC_ASSERT(stream.anchor_index(count) < count);
}

RC_GTEST_PROP(PhiloxStream, the_pick_is_the_uniform_of_its_own_counter, ()) {
  Counter counter;
  Key key;
  const PhiloxStream stream = any_stream(counter, key);
  counter[2] = 0xFFFFFFFEu;
  RC_ASSERT(stream.pick_uniform() ==
            to_uniform(philox4x32(counter, key).low64()));
}

TEST(PhiloxStream, the_uniform_of_a_proposal_is_the_last_block_of_its_counter) {
  const PhiloxStream stream(0x0123456789abcdefULL, 7, 3, 11);
  const PhiloxBlock bits = philox4x32({11, 7 * 65536 + 3, 5, 0xffffffffU},
                                      {0x89abcdefU, 0x01234567U});
  EXPECT_EQ(stream.uniform(5), to_uniform(bits.low64()));
  EXPECT_NE(stream.uniform(5), stream.uniform(6));
  EXPECT_THROW((void)stream.uniform(0xffffffffU), InvalidArgument);
}

RC_GTEST_PROP(PhiloxStream, normals_come_two_per_block_for_any_length, ()) {
  Counter counter;
  Key key;
  const PhiloxStream stream = any_stream(counter, key);
  counter[2] = *rc::gen::suchThat(
      rc::gen::arbitrary<std::uint32_t>(),
      [](std::uint32_t value) { return value < 0xFFFFFFFEu; });
  std::vector<double> drawn(*rc::gen::inRange<std::size_t>(0, 40));
  std::vector<float> rounded(drawn.size());
  stream.normals(counter[2], drawn);
  stream.normals(counter[2], rounded);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    counter[3] = static_cast<std::uint32_t>(i / 2);
    const PhiloxBlock block = philox4x32(counter, key);
    const auto pair =
        box_muller(to_uniform(block.low64()), to_uniform(block.high64()));
    RC_ASSERT(drawn[i] == pair[i % 2]);
    RC_ASSERT(rounded[i] == static_cast<float>(pair[i % 2]));
  }
}

TEST(PhiloxStream, numbers_outside_the_layout_are_refused) {
  EXPECT_NO_THROW(PhiloxStream(1, 65534, 65535, 0xFFFFFFFFu));
  EXPECT_THROW(PhiloxStream(1, 65535, 0, 0), InvalidArgument);
  EXPECT_THROW(PhiloxStream(1, 0, 65536, 0), InvalidArgument);
  EXPECT_THROW(PhiloxStream(1, 0, 0, std::uint64_t{1} << 32), InvalidArgument);
  const PhiloxStream stream(1, 0, 0, 0);
  std::array<double, 1> out{};
  EXPECT_NO_THROW(stream.normals(0xFFFFFFFDu, out));
  EXPECT_THROW(stream.normals(0xFFFFFFFEu, out), InvalidArgument);
  EXPECT_THROW(stream.normals(0xFFFFFFFFu, out), InvalidArgument);
  EXPECT_THROW(static_cast<void>(stream.anchor_index(0)), InvalidArgument);
}

/// 2000 proposals of 100 coordinates.
std::vector<double> many_normals(std::uint64_t seed) {
  std::vector<double> out(200000);
  const PhiloxStream stream(seed, 2, 5, 11);
  for (std::uint32_t j = 0; j < 2000; ++j) {
    stream.normals(j, std::span(out).subspan(std::size_t{j} * 100, 100));
  }
  return out;
}

double mean_product(std::span<const double> x, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < x.size(); ++i) sum += x[i] * x[i + lag];
  return sum / static_cast<double>(x.size() - lag);
}

TEST(PhiloxStream, the_normals_have_the_moments_of_the_normal_law) {
  const std::vector<double> x = many_normals(20240917);
  std::array<double, 4> moment{};
  for (const double value : x) {
    for (int p = 0; p < 4; ++p) moment[p] += std::pow(value, p + 1);
  }
  for (double& value : moment) value /= static_cast<double>(x.size());
  // Five standard errors; the p-th moment has variance m_2p - m_p^2.
  const double error = 5 / std::sqrt(static_cast<double>(x.size()));
  EXPECT_NEAR(moment[0], 0, error);
  EXPECT_NEAR(moment[1], 1, error * std::sqrt(2.0));
  EXPECT_NEAR(moment[2], 0, error * std::sqrt(15.0));
  EXPECT_NEAR(moment[3], 3, error * std::sqrt(96.0));
}

TEST(PhiloxStream, coordinates_and_proposals_are_uncorrelated) {
  const std::vector<double> x = many_normals(7);
  const double error = 5 / std::sqrt(static_cast<double>(x.size()));
  for (const std::size_t lag : {1u, 2u, 99u, 100u}) {
    EXPECT_NEAR(mean_product(x, lag), 0, error) << "lag " << lag;
  }
}

/// Pearson's statistic against equal chances.
double chi_square(const std::vector<int>& counts) {
  double total = 0;
  for (const int count : counts) total += count;
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) {
    sum += (count - expected) * (count - expected) / expected;
  }
  return sum;
}

TEST(PhiloxStream, the_normals_fill_equally_likely_cells_equally) {
  std::vector<int> counts(64, 0);
  for (const double value : many_normals(42)) {
    const double level = 0.5 * std::erfc(-value / std::sqrt(2.0));
    ++counts[std::min<std::size_t>(63, static_cast<std::size_t>(level * 64))];
  }
  // 63 degrees of freedom: mean 63, the 1e-5 quantile 120, and not too good.
  EXPECT_LT(chi_square(counts), 120);
  EXPECT_GT(chi_square(counts), 25);
}

TEST(PhiloxStream, the_anchor_draw_is_uniform) {
  for (const std::size_t anchors : {2u, 7u, 256u}) {
    std::vector<int> counts(anchors, 0);
    for (std::uint64_t k = 0; k < 100000; ++k) {
      ++counts[PhiloxStream(3, 1, 4, k).anchor_index(anchors)];
    }
    const double freedom = static_cast<double>(anchors - 1);
    EXPECT_LT(chi_square(counts), freedom + 5 * std::sqrt(2 * freedom) + 10);
  }
}

TEST(PhiloxStream, seed_class_round_and_output_each_change_the_draw) {
  const double base = PhiloxStream(1, 2, 3, 4).pick_uniform();
  EXPECT_NE(PhiloxStream(2, 2, 3, 4).pick_uniform(), base);
  EXPECT_NE(PhiloxStream((std::uint64_t{1} << 32) + 1, 2, 3, 4).pick_uniform(),
            base);
  EXPECT_NE(PhiloxStream(1, 3, 3, 4).pick_uniform(), base);
  EXPECT_NE(PhiloxStream(1, 2, 4, 4).pick_uniform(), base);
  EXPECT_NE(PhiloxStream(1, 2, 3, 5).pick_uniform(), base);
}

}  // namespace philox_test
}  // namespace sbog
