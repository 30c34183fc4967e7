// SPDX-License-Identifier: Apache-2.0
// Energies of FOLDER/queries.npy against FOLDER/bank.npy, for bench/python:
//   score_rows FOLDER EPSILON THREADS
// Each line on standard input is answered by the seconds of one call, by the
// clock on the wall and by that of the processor, so that calls from elsewhere
// can take turns with these. A line "fresh" has threads of its own made for its
// call, as a call from Python has.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

#include "sbog/base/thread_pool.h"
#include "sbog/data/npy.h"
#include "sbog/energy/energy_model.h"

namespace {

int run(char** argv) {
  using namespace sbog;
  const std::string folder = argv[1];
  const auto bank = to_matrix<float>(read_npy(folder + "/bank.npy"));
  const auto queries = to_matrix<float>(read_npy(folder + "/queries.npy"));
  EnergyOptions options;
  options.epsilon = std::stod(argv[2]);
  const EnergyModel<float> model({bank.view(), {}, {}}, options);
  const std::size_t threads = std::stoul(argv[3]);
  ThreadPool kept(threads);
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::clock_t worked = std::clock();
    const auto begin = std::chrono::steady_clock::now();
    std::optional<ThreadPool> fresh;
    if (line == "fresh") fresh.emplace(threads);
    const auto result =
        model.evaluate(queries.view(), {}, {fresh ? &*fresh : &kept, nullptr});
    fresh.reset();
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - begin;
    if (result.status != SolveStatus::kDone) return 1;
    std::printf("%.9g %.9g\n", seconds.count(),
                static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "score_rows: FOLDER EPSILON THREADS\n");
    return 2;
  }
  try {
    return run(argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "score_rows: %s\n", error.what());
    return 3;
  }
}
