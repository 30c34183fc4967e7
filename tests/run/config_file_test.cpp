// SPDX-License-Identifier: Apache-2.0
// Options to TOML and back.
#include "sbog/run/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace config_file_test {

struct Options {
  std::string path = "a \"quoted\" \\ name\twith tab";
  double epsilon = 0.1;
  std::size_t anchor_count = 12;
  bool resume = true;
  std::vector<std::string> columns = {"T °C", "p"};
  std::vector<double> box;
  std::optional<double> ceiling;
};

OptionTable<Options> table() {
  OptionTable<Options> made;
  made.add("path", &Options::path, "Path");
  made.add("epsilon", &Options::epsilon, "Temperature");
  made.add("anchor_count", &Options::anchor_count, "Anchors");
  made.add("resume", &Options::resume, "Go on").flag();
  made.add("columns", &Options::columns, "Columns");
  made.add("box", &Options::box, "Bounds");
  made.add("ceiling", &Options::ceiling, "Ceiling");
  return made;
}

TEST(ConfigFile, what_is_written_reads_back_to_the_same_options) {
  const Options first;
  const std::string text = config_text("generate", table().values(first));
  Options second;
  second.path = second.columns[0] = "other";
  second.epsilon = 7.0;
  second.resume = false;
  table().apply(parse_config(text, "config.toml", "generate"), second);
  EXPECT_EQ(second.path, first.path);
  EXPECT_EQ(second.epsilon, first.epsilon);
  EXPECT_EQ(second.anchor_count, first.anchor_count);
  EXPECT_EQ(second.resume, first.resume);
  EXPECT_EQ(second.columns, first.columns);
  EXPECT_FALSE(second.ceiling.has_value());
}

TEST(ConfigFile, lines_have_the_names_of_the_command_line) {
  const std::string text = config_text("detect train", table().values({}));
  EXPECT_THAT(text, testing::StartsWith("[detect.train]\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nanchor-count = 12\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nepsilon = 0.1\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nresume = true\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("ceiling")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("box")));
}

TEST(ConfigFile, sections_are_told_apart) {
  const std::string text =
      "seed = 3\n[generate]\nepsilon = 1\n[detect.train]\nlevel = 0.5\n";
  const auto root = parse_config(text, "f", "");
  ASSERT_EQ(root.size(), 1u);
  EXPECT_EQ(root[0].name, "seed");
  EXPECT_EQ(root[0].values, std::vector<std::string>{"3"});
  EXPECT_EQ(parse_config(text, "f", "detect train").at(0).name, "level");
  EXPECT_TRUE(parse_config(text, "f", "score").empty());
}

TEST(ConfigFile, sections_of_no_command_are_refused_with_the_nearest) {
  const std::vector<std::string> commands = {"score", "generate",
                                             "detect train"};
  check_sections("[generate]\na = 1\n[detect.train]\n[detect]\n", "f",
                 commands);
  for (const auto& [text, message] :
       {std::pair{"[genrate]\n",
                  "f: [genrate] is no command; did you mean [generate]?"},
        std::pair{"[detect.trian]\n",
                  "f: [detect.trian] is no command; did you mean "
                  "[detect.train]?"},
        std::pair{"[score.more]\na = 1\n", "f: [score.more] is no command"},
        std::pair{"a = 1\nx = {y = 1}\n", "f: [x] is no command"}}) {
    try {
      check_sections(text, "f", commands);
      ADD_FAILURE() << text;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(message));
    }
  }
  EXPECT_THROW(check_sections("[", "f", commands), IoError);
}

TEST(ConfigFile, messages_name_the_file_and_the_line) {
  try {
    parse_config("a = 1\nb = [1,\n", "f.toml", "");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("f.toml: line "));
  }
  EXPECT_THROW(parse_config("a = 2020-01-01\n", "f", ""), IoError);
  EXPECT_THROW(read_config("/nowhere/at/all.toml", ""), IoError);
}

TEST(ConfigFile, what_is_nested_deeply_is_refused) {
  std::string path = "a";
  while (path.size() < 60000) path += ".a";
  for (const std::string& text :
       {"[" + path + "]\n", path + " = 1\n", "x = {" + path + " = 1}\n",
        "x = [\n{" + path + " = 1}\n]\n"}) {
    EXPECT_THROW(parse_config(text, "f", ""), IoError);
  }
  std::string list = "x = [0.5";
  for (int i = 0; i < 200; ++i) list += ", 1.5";
  EXPECT_EQ(parse_config(list + "]\n", "f", "").at(0).values.size(), 201u);
}

TEST(ConfigFile, letters_beyond_ascii_stand_within_quotes) {
  const auto value_of = [](const std::string& text) {
    const auto found = parse_config(text, "c.toml", "");
    return found.empty() ? std::string("nothing") : found[0].values[0];
  };
  EXPECT_EQ(value_of("\xEF\xBB\xBFpath = \"T \u00E9 \\\" \u00E9\" # \u00E9"),
            "T \u00E9 \" \u00E9");
  EXPECT_EQ(value_of("path = 'C:\\ \u00E9'"), "C:\\ \u00E9");
  EXPECT_EQ(value_of("path = \"\"\"\n\u00E9 \"\" \u00E9\"\"\"\""),
            "\u00E9 \"\" \u00E9\"");
  EXPECT_EQ(value_of("path = '''\u00E9 '' \u00E9'''"), "\u00E9 '' \u00E9");
  EXPECT_EQ(value_of("\"\u00E9\" = ''"), "");
  // The last two were found by the fuzzer: toml++ went where nothing is
  // defined.
  for (const char* text :
       {"\u00E9 = 1", "a = 1 \u00E9", "a = \"\"\u00E9", "a = 'b'\u3042",
        "a = \"\"\"b\"\"\"\"\"\u00E9", "a = 'b\nc = \u00E9",
        "[g\uFED4enerate[nchor'-rul...e =KKKKquota 5 tre\nradus",
        "a = 0.01x'\u00E9"}) {
    try {
      parse_config(text, "c.toml", "");
      ADD_FAILURE() << text;
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("c.toml: line ")) << text;
    }
  }
  for (const char* text : {"\u00E9 = 1", "a = 1 \u00E9"}) {
    try {
      parse_config(text, "c.toml", "");
      ADD_FAILURE() << text;
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("within quotes only"));
    }
  }
}

TEST(ConfigFile, what_is_not_utf8_is_refused_with_its_line) {
  try {
    parse_config("a = 1\nb = '\xE9'", "c.toml", "");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "c.toml: line 2: UTF-8 is expected");
  }
}

TEST(ConfigFile, a_file_that_is_too_large_is_refused) {
  const testing_support::TemporaryFolder folder;
  const std::string path = folder.file("c.toml");
  write_file_atomically(path, "#" + std::string((1 << 20) + 1, 'x'));
  EXPECT_THROW(read_config(path, ""), IoError);
}

}  // namespace config_file_test
}  // namespace sbog
