// SPDX-License-Identifier: Apache-2.0
// The sbog tool: dispatches to a subcommand and turns errors into one sentence
// and an exit code.
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "about/build_facts.h"
#include "command_line.h"
#include "commands.h"
#include "exit_code.h"
#include "libtorch.h"
#include "sbog/base/errors.h"

namespace sbog::cli {
namespace {

int fail(const std::string& sentence, int code) {
  std::fprintf(stderr, "sbog: %s\n", sentence.c_str());
  return code;
}

// The words of the command that was called, as far as they were understood.
std::string command_of(const CLI::App& app) {
  std::string words = app.get_name();
  for (auto called = app.get_subcommands(); !called.empty();
       called = called.front()->get_subcommands()) {
    words += " " + called.front()->get_name();
  }
  return words;
}

// Help is made before the words are parsed, so its depth is looked up first.
HelpDepth help_depth(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--help-all") return HelpDepth::kAll;
  }
  return HelpDepth::kBasic;
}

int run(int argc, char** argv) {
  CLI::App app(
      "sbog makes structured outliers: weakly supported by your data, still "
      "of their class.",
      "sbog");
  app.set_version_flag("--version", version_text,
                       "Tell the version and how it was built, and exit");
  app.set_help_flag("-h,--help", "The options that people use");
  app.set_help_all_flag("--help-all", "Every option, by stage");
  app.require_subcommand(1);
  app.fallthrough();
  app.option_defaults()->always_capture_default();
  CommonOptions common;
  int exit_code = kDone;
  app.add_option("--threads", common.threads, "Worker threads, 0 = all cores");
  app.add_option("--seed", common.seed, "Seed of everything that is drawn");
  app.add_flag("--quiet", common.is_quiet, "No notes and no progress line");
  app.add_flag("--json", common.is_json, "Machine-readable result on stdout");
  app.set_config("--config", "", "Read options from a TOML file");
  const HelpDepth depth = help_depth(argc, argv);
  for (const Command& command : all_commands()) {
    add_command(app, command, depth, common, exit_code);
  }
  add_generate(app, common, exit_code);
  add_train(app, common, exit_code);
  add_detect(app, common, exit_code);
  add_demo(app, common, exit_code);
  add_doctor(app, common, exit_code);
  add_completion(app, common, exit_code);
  add_man(app, common, exit_code);
  catch_interrupt();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help, version
    const bool is_paper = argc > 1 && std::string_view(argv[1]) == "paper";
    return fail(std::string(error.what()) + " (see " +
                    (is_paper ? "sbog-paper" : command_of(app)) + " --help)",
                kWrongUse);
  } catch (const InvalidArgument& error) {
    return fail(error.what(), kWrongUse);
  } catch (const IoError& error) {
    return fail(error.what(), kInputOutput);
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory for this job", kInputOutput);
  }
  return exit_code;
}

}  // namespace

std::vector<Command> all_commands() {
  return {score_command(), merge_command(), dro_command(), train_group(),
          train_series_command()};
  return {score_command(),   merge_command(), evaluate_command(),
          certify_command(), dro_command(),   report_command()};
}

}  // namespace sbog::cli

int main(int argc, char** argv) {
  sbog::cli::prepare_program(argv);
  try {
    return sbog::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sbog: unexpected: %s\n", error.what());
    return sbog::cli::kInputOutput;
  }
}
