// SPDX-License-Identifier: Apache-2.0
// `sbog generate` and `sbog report` in a row; see demo_run.h.
#include "demo_run.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "commands.h"
#include "sbog/base/thread_pool.h"
#include "sbog/job/report.h"
#include "session.h"

namespace sbog::cli {

std::vector<std::string> demo_words(const std::string& kind,
                                    const std::string& out) {
  std::vector<std::string> words = {"generate"};
  const auto add = [&](std::initializer_list<const char*> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (kind == "series") {
    add({"demo:plant", "--count", "12"});
  } else if (kind == "image") {
    add({"demo:shapes", "--count", "24", "--epochs", "8", "--latent", "32",
         "--decoder-epochs", "30"});
  } else {
    add({"demo:bank", "--labels", "demo:labels", "--count", "50"});
  }
  words.insert(words.end(), {"--out", out});
  return words;
}

int demo_run(const std::string& kind, const std::string& out,
             const CommonOptions& common, std::string& report) {
  // The same way as from the command line, so that what is printed can be
  // typed.
  int exit_code = 0;
  CLI::App app;
  add_generate(app, common, exit_code);
  std::vector<std::string> words = demo_words(kind, out);
  words.insert(words.end(), {"--resume", "--no-report"});
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  app.parse(words);
  if (is_interrupted()) return exit_code;
  job::ReportOptions options;
  options.run = out;
  ConsoleEvents events(common.is_quiet);
  ThreadPool pool(common.threads);
  report = run(options, events, {&pool, nullptr}).path;
  return exit_code;
}

}  // namespace sbog::cli
