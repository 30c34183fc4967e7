// SPDX-License-Identifier: Apache-2.0
// Tables of options: setting from texts, defaults, order, messages.
#include "sbog/base/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog {
namespace option_table_test {

enum class Colour { kRed, kBlue };

Colour parse_colour(std::string_view name) {
  if (name == "red") return Colour::kRed;
  if (name == "blue" || name == "azure") return Colour::kBlue;
  throw InvalidArgument("red or blue is expected, got '" + std::string(name) +
                        "'");
}
const char* colour_name(Colour colour) {
  return colour == Colour::kRed ? "red" : "blue";
}

struct Inner {
  double epsilon = 0.02;
  std::optional<double> ceiling;
};

struct Outer {
  std::string input;
  std::string profile = "plain";
  std::size_t anchor_count = 7;
  bool is_resumed = false;
  bool semantic = true;
  std::vector<double> box;
  std::vector<std::string> columns;
  Colour colour = Colour::kRed;
  std::string size = "small";
  Inner inner;
};

OptionTable<Inner> inner_table() {
  OptionTable<Inner> table;
  table.stage("Energy");
  table.add("epsilon", &Inner::epsilon, "Sinkhorn temperature").basic();
  table.add("ceiling", &Inner::ceiling, "Highest energy above the threshold");
  return table;
}

OptionTable<Outer> outer_table() {
  OptionTable<Outer> table;
  table.add("input", &Outer::input, "Points, one per row").positional();
  table.add("profile", &Outer::profile, "Named set of defaults").order(1);
  table.settle(1, [](Outer& options, const GivenOptions& given) {
    if (options.profile == "wide") options.inner.epsilon = 0.5;
    if (given.contains("box")) options.anchor_count = 1;
  });
  table.add("anchor_count", &Outer::anchor_count, "Bank points to start from")
      .also("anchors");
  table.add("resume", &Outer::is_resumed, "Go on with a run").flag();
  table.add("semantic", &Outer::semantic, "Test against class anchors")
      .reads("with", "true")
      .reads("without", "false");
  table.add("box", &Outer::box, "Bounds");
  table.add("columns", &Outer::columns, "Columns to keep");
  table.add_enum("colour", &Outer::colour, parse_colour, colour_name,
                 {"red", "blue"}, "Colour of the points");
  table.add("size", &Outer::size, "Size of the points")
      .choices({"small", "large"});
  table.include(inner_table(), &Outer::inner);
  return table;
}

Assignment given(const std::string& name, std::vector<std::string> values) {
  return {name, std::move(values), "--" + dashed(name)};
}

Outer applied(std::vector<Assignment> assignments) {
  Outer options;
  outer_table().apply(assignments, options);
  return options;
}

std::string message_of(std::vector<Assignment> assignments) {
  try {
    applied(std::move(assignments));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(OptionTable, texts_reach_their_members) {
  const Outer options =
      applied({given("input", {"bank.npy"}), given("anchor_count", {"12"}),
               given("resume", {"true"}), given("semantic", {"false"}),
               given("box", {"0.5", "-2"}), given("columns", {"a", "b"}),
               given("colour", {"azure"}), given("size", {"large"}),
               given("epsilon", {"1e-3"}), given("ceiling", {"4"})});
  EXPECT_EQ(options.input, "bank.npy");
  EXPECT_TRUE(options.is_resumed);
  EXPECT_FALSE(options.semantic);
  EXPECT_THAT(options.box, testing::ElementsAre(0.5, -2.0));
  EXPECT_THAT(options.columns, testing::ElementsAre("a", "b"));
  EXPECT_EQ(options.colour, Colour::kBlue);
  EXPECT_EQ(options.size, "large");
  EXPECT_EQ(options.inner.epsilon, 1e-3);
  EXPECT_EQ(options.inner.ceiling, 4.0);
}

TEST(OptionTable, a_part_may_give_some_of_its_options) {
  OptionTable<Outer> table;
  table.include(inner_table(), &Outer::inner, {"ceiling"});
  ASSERT_EQ(table.entries().size(), 1u);
  EXPECT_EQ(table.entries()[0].info().name, "ceiling");
}

TEST(OptionTable, what_differs_from_the_start_is_named) {
  EXPECT_TRUE(outer_table().changed({}).empty());
  Outer options;
  options.anchor_count = 8;
  options.inner.ceiling = 1.0;
  const std::vector<OptionInfo> changed = outer_table().changed(options);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].name, "anchor_count");
  EXPECT_EQ(changed[1].name, "ceiling");
}

TEST(OptionTable, another_name_is_accepted) {
  EXPECT_EQ(applied({given("anchors", {"3"})}).anchor_count, 3u);
}

TEST(OptionTable, a_profile_is_applied_before_what_overrides_it) {
  const Outer wide = applied({given("profile", {"wide"})});
  EXPECT_EQ(wide.inner.epsilon, 0.5);
  const Outer both =
      applied({given("epsilon", {"0.1"}), given("profile", {"wide"})});
  EXPECT_EQ(both.inner.epsilon, 0.1);
}

TEST(OptionTable, a_default_may_follow_from_what_was_given) {
  EXPECT_EQ(applied({given("box", {"1"})}).anchor_count, 1u);
}

TEST(OptionTable, the_last_assignment_wins) {
  EXPECT_EQ(
      applied({given("anchor_count", {"1"}), given("anchor_count", {"2"})})
          .anchor_count,
      2u);
}

TEST(OptionTable, messages_name_the_option_and_what_is_expected) {
  EXPECT_EQ(message_of({given("anchor_count", {"-1"})}),
            "--anchor-count: a whole number of at least 0 is expected, got "
            "'-1'");
  EXPECT_EQ(message_of({given("epsilon", {"nan"})}),
            "--epsilon: a finite number is expected, got 'nan'");
  EXPECT_EQ(message_of({given("semantic", {"maybe"})}),
            "--semantic: true or false is expected, got 'maybe'");
  EXPECT_EQ(message_of({given("size", {"lagre"})}),
            "--size: one of small, large is expected, got 'lagre'; did you "
            "mean 'large'?");
  EXPECT_EQ(message_of({given("colour", {"green"})}),
            "--colour: red or blue is expected, got 'green'");
  EXPECT_EQ(message_of({given("epsilon", {"1", "2"})}),
            "--epsilon: one value is expected, got 2");
  EXPECT_EQ(message_of({given("anchor_cuont", {"1"})}),
            "--anchor-cuont: there is no such option; did you mean "
            "'anchor-count'?");
  EXPECT_EQ(message_of({given("zebra", {"1"})}),
            "--zebra: there is no such option");
}

TEST(OptionTable, a_required_option_that_is_missing_is_named) {
  try {
    outer_table().check_required(Outer());
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "INPUT is required");
  }
}

TEST(OptionTable, defaults_come_from_the_struct_and_its_profiles) {
  Outer wide;
  wide.inner.epsilon = 0.5;
  wide.inner.ceiling = 2.0;
  const auto infos = outer_table().infos(Outer(), {{"wide", wide, kForAll}});
  const auto text = [&](const char* name) {
    for (const OptionInfo& info : infos) {
      if (info.name == name) return info.default_text;
    }
    return std::string("missing");
  };
  EXPECT_EQ(text("epsilon"), "0.02; wide 0.5");
  EXPECT_EQ(text("ceiling"), "wide 2");
  EXPECT_EQ(text("anchor_count"), "7");
  EXPECT_EQ(text("resume"), "");
  EXPECT_EQ(text("colour"), "red");
}

TEST(OptionTable, words_stand_for_no_value_and_profiles_follow_them) {
  OptionTable<Inner> table;
  table.add("ceiling", &Inner::ceiling, "Highest energy").without("none");
  table.add("epsilon", &Inner::epsilon, "Temperature").kinds(kForPoints);
  const std::vector<OptionInfo> infos = table.infos(
      Inner(),
      {{"series", {0.1, 2.0}, kForSeries}, {"cap", {0.3, 1.0}, kForAll}});
  EXPECT_EQ(infos[0].default_text, "none; series 2; cap 1");
  // An option for points has no default of a series.
  EXPECT_EQ(infos[1].default_text, "0.02; cap 0.3");
}

TEST(OptionTable, values_read_back_to_the_same_struct) {
  const Outer first = applied({given("input", {"x"}), given("epsilon", {"0.1"}),
                               given("box", {"0.30000000000000004"}),
                               given("colour", {"blue"})});
  std::vector<Assignment> assignments;
  for (const BoundOption& option : outer_table().values(first)) {
    if (option.values) {
      assignments.push_back(given(option.info.name, *option.values));
    }
  }
  const Outer second = applied(assignments);
  EXPECT_EQ(second.inner.epsilon, 0.1);
  EXPECT_EQ(second.box, first.box);
  EXPECT_EQ(second.colour, Colour::kBlue);
  EXPECT_FALSE(second.inner.ceiling.has_value());
}

TEST(OptionTable, names_translate) {
  EXPECT_EQ(dashed("anchor_count"), "anchor-count");
  EXPECT_EQ(undashed("--anchor-count"), "anchor_count");
  EXPECT_EQ(undashed("anchor_count"), "anchor_count");
  EXPECT_EQ(undashed("--"), "");
}

TEST(OptionTable, a_word_of_before_is_read_as_its_value) {
  Outer options;
  outer_table().apply(std::vector{given("semantic", {"without"})}, options);
  EXPECT_FALSE(options.semantic);
  outer_table().apply(std::vector{given("semantic", {"with"})}, options);
  EXPECT_TRUE(options.semantic);
  EXPECT_THROW(
      outer_table().apply(std::vector{given("semantic", {"both"})}, options),
      InvalidArgument);
}

}  // namespace option_table_test
}  // namespace sbog
