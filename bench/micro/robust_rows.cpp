// SPDX-License-Identifier: Apache-2.0
// Robust logits of FOLDER/similarities.npy (samples * classes x atoms) with the
// costs of FOLDER/costs.npy (samples x atoms), for bench/compare:
//   robust_rows FOLDER EPSILON RADIUS THREADS REPEATS
// Values go to FOLDER/values.npy, tilted laws to FOLDER/tilted.npy; the
// shortest time is printed as JSON.
#include <cstdio>
#include <exception>
#include <string>

#include "measure.h"
#include "sbog/base/thread_pool.h"
#include "sbog/data/npy.h"
#include "sbog/dro/robust_logits.h"

namespace {

int run(char** argv) {
  using namespace sbog;
  const std::string folder = argv[1];
  RobustOptions options;
  options.epsilon = std::stod(argv[2]);
  options.radius = std::stod(argv[3]);
  ThreadPool pool(std::stoul(argv[4]));
  const auto similarities =
      to_matrix<float>(read_npy(folder + "/similarities.npy"));
  const auto costs = to_matrix<float>(read_npy(folder + "/costs.npy"));
  Matrix<float> values(costs.rows(), similarities.rows() / costs.rows());
  Matrix<float> tilted(similarities.rows(), similarities.cols());
  bench::BestTime best;
  SolveStatus status = SolveStatus::kDone;
  for (unsigned long i = 0; i < std::stoul(argv[5]); ++i) {
    best.run([&] {
      status = robust_logits<float>({similarities.view(), costs.view(), {}, {}},
                                    options, {values, {}, tilted, {}},
                                    Context{&pool, nullptr});
    });
  }
  write_npy(folder + "/values.npy", values.view());
  write_npy(folder + "/tilted.npy", tilted.view());
  std::printf("{\"seconds\": %.9g}\n", best.seconds());
  return status == SolveStatus::kDone ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr,
                 "robust_rows: FOLDER EPSILON RADIUS THREADS REPEATS\n");
    return 2;
  }
  try {
    return run(argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "robust_rows: %s\n", error.what());
    return 3;
  }
}
