// SPDX-License-Identifier: Apache-2.0
// A run that can be stopped and goes on: resumable_generate FOLDER [OUTPUTS]
// stops after that many outputs, or at Ctrl-C; call it again to go on.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "sbog/job/generate.h"

class Progress : public sbog::job::Events {
 public:
  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    std::printf("%llu of %llu\n", static_cast<unsigned long long>(done),
                static_cast<unsigned long long>(total));
    return done < stop_at;
  }
  std::uint64_t stop_at = ~std::uint64_t{0};
};

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  static Progress events;
  if (argc > 2) events.stop_at = std::strtoull(argv[2], nullptr, 10);
  std::signal(SIGINT, [](int) { events.stop(); });
  auto options = sbog::job::default_generate_options(sbog::job::Kind::kPoints);
  options.input = "demo:bank";
  options.labels = "demo:labels";
  options.out = argv[1];
  options.part = 20;
  options.resume = true;
  sbog::ThreadPool pool;
  const auto result = sbog::job::run(options, events, {&pool, nullptr});
  const bool is_stopped = result.status == sbog::job::Status::kStopped;
  std::printf("%s: %zu outliers in %s\n", is_stopped ? "stopped" : "done",
              result.produced, result.out.c_str());
}
