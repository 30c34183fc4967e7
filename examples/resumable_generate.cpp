// SPDX-License-Identifier: Apache-2.0
// A run that can be stopped and goes on: resumable_generate FOLDER [OUTPUTS]
// stops after that many outputs, or at Ctrl-C; call it again to go on.
#include <csignal>
#include <iostream>
#include <string>

#include "sbog/job/generate.h"

struct Progress : sbog::job::Events {
  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    std::cout << done << " of " << total << "\n";
    return done < stop_at;
  }
  std::uint64_t stop_at = ~std::uint64_t{0};
} events;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (argc > 2) events.stop_at = std::stoull(argv[2]);
  std::signal(SIGINT, [](int) { events.stop(); });
  auto options = sbog::job::default_generate_options(sbog::job::Kind::kPoints);
  options.input = "demo:bank";
  options.labels = "demo:labels";
  options.out = argv[1];
  options.part = 20;
  options.resume = true;
  sbog::ThreadPool pool;
  const auto result = sbog::job::run(options, events, {&pool, nullptr});
  const bool is_done = result.status == sbog::job::Status::kDone;
  std::cout << (is_done ? "done: " : "stopped: ") << result.produced
            << " outliers in " << result.out << "\n";
}
