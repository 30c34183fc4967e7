// SPDX-License-Identifier: Apache-2.0
// A program of somebody else that uses the installed library.
#include <sbog/base/checksum.h>
#include <sbog/base/matrix.h>
#include <sbog/base/philox.h>
#include <sbog/base/thread_pool.h>
#include <sbog/data/npy.h>
#include <sbog/energy/energy_model.h>

#include <cmath>
#include <cstdio>

int main() {
  sbog::Matrix<double> points(100, 3);
  sbog::ThreadPool pool(2);
  pool.parallel_for(points.rows(), [&](std::size_t i, std::size_t) {
    sbog::PhiloxStream(42, 0, 0, i).normals(0, points.row(i));
  });
  sbog::Checksum checksum;
  double sum = 0;
  for (const double value : points.elements()) sum += value * value;
  checksum.update(points.data(), points.size() * sizeof(double));
  std::printf("mean square %.3f, checksum %s\n", sum / 300,
              sbog::checksum_hex(checksum.digest()).c_str());
  if (!(std::abs(sum / 300 - 1) < 0.3)) return 1;

  const sbog::EnergyModel<double> model({points, {}, {}}, {});
  const sbog::EnergyResult scored = model.evaluate_bank();
  sbog::write_npy("energies.npy", std::span<const double>(scored.energies));
  std::printf("first energy %.6f\n", scored.energies[0]);
  return scored.energies[0] > 0 && sbog::read_npy("energies.npy").size() == 100
             ? 0
             : 1;
}
