// SPDX-License-Identifier: Apache-2.0
// From the words of a command line to a command and its options; see command.h.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>

#include "about/build_facts.h"
#include "command.h"
#include "sbog/run/config_file.h"

namespace sbog::cli {
namespace {

using Given = std::vector<Assignment>;

// How much help shows.
enum class HelpDepth { kBasic, kAll };

// Help is made before the words are parsed, so its depth is looked up first.
HelpDepth help_depth(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--help-all") return HelpDepth::kAll;
  }
  return HelpDepth::kBasic;
}

std::string group_of(const OptionInfo& option, HelpDepth depth) {
  const bool is_all = depth == HelpDepth::kAll;
  if (!is_all && option.level == OptionLevel::kAdvanced) return "";
  return is_all && !option.stage.empty() ? option.stage : "Options";
}

void add_option(CLI::App& app, const OptionInfo& option,
                const std::string& name, const std::string& group,
                Given& given) {
  const std::string spelling = command_line_name(option);
  const std::string help = option.help + option_notes(option);
  CLI::Option* made = nullptr;
  if (option.type == OptionType::kFlag) {
    made = app.add_flag_callback(
        name,
        [&given, option, spelling] {
          given.push_back({option.name, {"true"}, spelling});
        },
        help);
  } else {
    made = app.add_option_function<std::vector<std::string>>(
        name,
        [&given, option, spelling](const std::vector<std::string>& values) {
          given.push_back({option.name, values, spelling});
        },
        help);
    made->type_name(value_word(option));
    // A list is one word with commas; what follows is another argument.
    if (!option.is_positional || !option.is_list) {
      made->allow_extra_args(false);
    }
    if (option.is_list) {
      made->delimiter(',');
    } else {
      made->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
  if (!option.is_positional) made->group(group);
}

void add_options(CLI::App& app, const std::vector<OptionInfo>& options,
                 HelpDepth depth, Given& given) {
  for (const OptionInfo& option : options) {
    // The seed is an option of the whole tool.
    if (option.name == "seed" && app.get_parent() != nullptr) continue;
    add_option(app, option, command_line_name(option), group_of(option, depth),
               given);
    for (const std::string& other : option.other_names) {
      add_option(app, option, "--" + dashed(other), "", given);
    }
  }
}

std::string footer_of(const Command& command, HelpDepth depth) {
  const bool has_more = std::any_of(
      command.options.begin(), command.options.end(), [](const OptionInfo& o) {
        return o.level == OptionLevel::kAdvanced && o.name != "seed";
      });
  std::string footer;
  if (depth == HelpDepth::kAll && !command.details.empty()) {
    footer = command.details + "\n\n";
  } else if (has_more || !command.details.empty()) {
    footer = "--help-all shows every option and more words.\n\n";
  }
  return footer + "Examples:\n" + command.examples;
}

// The command line as CLI11 sees it, and what it gathered.
struct CommandLine {
  CLI::App app{
      "sbog makes structured outliers: weakly supported by your data, still "
      "of their class.",
      "sbog"};
  Given common;
  std::map<const CLI::App*, std::pair<const Command*, Given>> commands;
};

CLI::App* place_of(CLI::App& app, const std::string& name) {
  CLI::App* place = &app;
  std::istringstream words(name);
  for (std::string word; words >> word;) {
    const auto found = place->get_subcommands(
        [&](const CLI::App* below) { return below->check_name(word); });
    place = found.empty() ? place->add_subcommand(word) : found.front();
    place->fallthrough();
  }
  return place;
}

std::unique_ptr<CommandLine> make_command_line(HelpDepth depth) {
  auto line = std::make_unique<CommandLine>();
  CLI::App& app = line->app;
  app.set_version_flag("--version", version_text,
                       "Tell the version and how it was built, and exit");
  app.set_help_flag("-h,--help", "Show the options that people use");
  app.set_help_all_flag("--help-all", "Show every option, by stage");
  app.require_subcommand(1);
  app.fallthrough();
  add_options(app, common_option_table().infos(), depth, line->common);
  for (const Command& group : command_groups()) {
    CLI::App* place = place_of(app, group.name);
    place->description(group.description);
    place->footer(footer_of(group, depth));
    place->require_subcommand(1);
  }
  for (const Command& command : all_commands()) {
    CLI::App* place = place_of(app, command.name);
    place->description(command.description);
    place->footer(footer_of(command, depth));
    auto& [chosen, given] = line->commands[place];
    chosen = &command;
    add_options(*place, command.options, depth, given);
  }
  return line;
}

// The innermost command that was called.
const CLI::App* called(const CLI::App& app) {
  const CLI::App* place = &app;
  while (!place->get_subcommands().empty()) {
    place = place->get_subcommands().front();
  }
  return place;
}

std::string words_of(const CLI::App& app) {
  std::string words = app.get_name();
  for (const CLI::App* place = &app; !place->get_subcommands().empty();) {
    place = place->get_subcommands().front();
    words += " " + place->get_name();
  }
  return words;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* place = &app; place != nullptr;
       place = place->get_parent()) {
    for (const CLI::Option* option : place->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.push_back("--" + name);
      }
    }
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* below :
       app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(below->get_name());
  }
  return names;
}

std::string unknown_command(const std::string& word, const CLI::App& place) {
  if (word == "paper") {
    return "the tables of the paper are made by another program, see "
           "sbog-paper --help";
  }
  const std::string near = nearest_name(word, command_names(place));
  return "'" + word + "' is no command" +
         (near.empty() ? "" : "; did you mean '" + near + "'?");
}

// A sentence about words that nothing expected, with the nearest name. Errors
// are told apart by their codes: those about words bear the name of a command.
std::string refusal_of(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty()) return error.what();
  const CLI::App& place = *called(app);
  const std::string& word = left.front();
  const bool is_option = word.starts_with("-");
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  // Where no command was found, the first word was meant to be one.
  if (code == CLI::ExitCodes::RequiredError && !is_option) {
    return unknown_command(word, place);
  }
  if (code != CLI::ExitCodes::ExtrasError) return error.what();
  if (!is_option) {
    return command_names(place).empty()
               ? "'" + word + "' is one argument too many"
               : unknown_command(word, place);
  }
  const std::string near = nearest_name(word, option_names(place));
  return word + ": there is no such option" +
         (near.empty() ? "" : "; did you mean '" + near + "'?");
}

int fail(const std::string& sentence, int code) {
  std::fprintf(stderr, "sbog: %s\n", sentence.c_str());
  return code;
}

// Sections of a configuration are commands.
void check_sections(const std::string& path) {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.push_back(command.name);
  try {
    check_config_sections(path, names);
  } catch (const InvalidArgument& error) {
    throw WrongUse(error.what());
  }
}

// What the files and the words set, the words last.
int run_called(CommandLine& line) {
  auto& [command, words] = line.commands.at(called(line.app));
  CommonOptions common = options_of(common_option_table(), line.common);
  Given given;
  if (!common.config.empty()) {
    check_sections(common.config);
    Given above = read_config(common.config, "");
    above.insert(above.end(), line.common.begin(), line.common.end());
    given = read_config(common.config, command->name);
    // A run keeps its seed among its options.
    for (const Assignment& assignment : given) {
      if (assignment.name == "seed") above.insert(above.begin(), assignment);
    }
    common = options_of(common_option_table(), above);
  }
  given.insert(given.end(), words.begin(), words.end());
  const bool has_seed = std::any_of(
      command->options.begin(), command->options.end(),
      [](const OptionInfo& option) { return option.name == "seed"; });
  if (has_seed) {
    given.push_back({"seed", {std::to_string(common.seed)}, "--seed"});
  }
  Session session(common);
  return command->run(given, session);
}

// What was printed must have arrived; a reader that went away is no mistake to
// tell anybody about.
int flushed(int code) {
  errno = 0;
  std::cout.flush();
  const bool is_fine =
      std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (is_fine) return code;
  if (errno == EPIPE) return kInputOutput;
  return fail("standard output: cannot be written", kInputOutput);
}

int run_words(int argc, const char* const* argv) {
  const std::unique_ptr<CommandLine> line =
      make_command_line(help_depth(argc, argv));
  const auto see_help = [&] {
    return " (see " + words_of(line->app) + " --help)";
  };
  try {
    line->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return line->app.exit(error);
    return fail(refusal_of(error, line->app) + see_help(), kWrongUse);
  }
  try {
    return run_called(*line);
  } catch (const WrongUse& error) {
    return fail(error.what() + see_help(), kWrongUse);
  } catch (const InvalidArgument& error) {
    return fail(error.what(), kWrongUse);
  } catch (const IoError& error) {
    return fail(error.what(), kInputOutput);
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory for this job", kInputOutput);
  } catch (const std::system_error& error) {
    const bool is_short =
        error.code() == std::errc::resource_unavailable_try_again;
    return fail(
        is_short ? "there is not enough memory for more threads" : error.what(),
        kInputOutput);
  }
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  // A closed pipe fails a write; it does not end a run.
  std::signal(SIGPIPE, SIG_IGN);
  // So does the largest size that the system allows for a file.
  std::signal(SIGXFSZ, SIG_IGN);
  return flushed(run_words(argc, argv));
}

}  // namespace sbog::cli
