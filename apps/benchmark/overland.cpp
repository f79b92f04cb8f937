// SPDX-License-Identifier: BSD-3-Clause
// Seconds of a step of overland flow against the number of cells, on any number of ranks: a dam break on a
// square over an undulating bed, conservative scheme with direct and Krylov solvers, and MINI.
//   mpirun -n 2 benchmark_overland [most cells, 100000] [fewest, 0] [direct|krylov|mini; all]
//     [-- options of PETSc, -water_...] > overland.csv
//   overland.py overland.csv -o overland.png
// Prints lines "scheme,solver,ranks,cells,seconds a step,Newton iterations a step,
// processor seconds a step of the busiest rank": on a busy machine the last says more than the first seconds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "la/petsc.hpp"
#include "overland/flow.hpp"
#include "parallel/mpi.hpp"

using namespace cotangent;
using namespace cotangent::overland;

namespace {

void measure(bool mini, bool direct, int n) {
  Landscape land;
  land.mesh = distribute(rectangle({0, 0}, {1, 1}, n, n), 0);
  land.area = dual_areas(land.mesh);
  land.rules.resize(land.mesh.boundaries.size());
  land.conveyance_at = [](const Point&) { return 1.0; };
  land.conveyance.assign(land.mesh.size(), 1.0);
  Water water;
  for (const auto& [x, y] : land.mesh.vertices) {
    land.bed.push_back(0.2 * x + 0.05 * std::sin(9 * x) * std::cos(11 * y));
    water.depth.push_back(x > 0.6 ? 0.5 : 0.0);
  }
  water.discharge.assign(2 * water.depth.size(), 0.0);
  water.infiltrated.assign(water.depth.size(), 0.0);
  SolverOptions options;
  options.direct = direct;
  if (mini) options.tolerance = 1e-8;
  const auto scheme = mini ? mini_scheme(land, {}, options) : conservative_scheme(land, 1, options);
  const Rain rain;
  const Infiltration soil;
  const int steps = 5;
  Flow flow(land, *scheme, rain, soil, {.step = 0.2 / n}, water);
  if (flow.advance(2 * 0.2 / n) != Status::finished) return;  // the first steps set everything up
  const double before = parallel::wall_time(), iterations = flow.progress().iterations;
  const std::clock_t begun = std::clock();
  if (flow.advance((2 + steps) * 0.2 / n) != Status::finished) return;
  const double each = (parallel::wall_time() - before) / steps;
  const double busy = parallel::maximum(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC / steps);
  if (parallel::rank() == 0) {
    std::printf("%s,%s,%d,%lld,%.4g,%.3g,%.4g\n", mini ? "mini" : "conservative",
                direct ? "direct" : "krylov", parallel::size(), static_cast<long long>(land.mesh.all_cells),
                each, (flow.progress().iterations - iterations) / steps, busy);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const parallel::Mpi mpi(argc, argv);
  const auto end = std::find(argv, argv + argc, std::string_view("--"));
  const la::Petsc petsc(end == argv + argc ? std::vector<std::string>{}
                                           : std::vector<std::string>(end + 1, argv + argc));
  argc = static_cast<int>(end - argv);
  const double most = argc > 1 ? std::atof(argv[1]) : 1e5;
  const double least = argc > 2 ? std::atof(argv[2]) : 0;
  const std::string wanted = argc > 3 ? argv[3] : "";
  for (const int n : {16, 32, 71, 158, 224, 354, 500}) {
    if (2.0 * n * n > 1.05 * most) break;
    if (2.0 * n * n < least) continue;
    if (wanted.empty() || wanted == "direct") measure(false, true, n);
    if (wanted.empty() || wanted == "krylov") measure(false, false, n);
    if (wanted == "mini" || (wanted.empty() && n <= 158)) measure(true, true, n);
  }
  return 0;
}
