// SPDX-License-Identifier: BSD-3-Clause
// benchmark_rods: RATTLE's time per rod and step along a swinging chain of 10^2 to 10^5 rods, beside that of
// solving as many tridiagonal systems by Thomas' algorithm as a step solves: factorisation, one right-hand
// side.
//   benchmark_rods [seconds]        mpirun -n 2 benchmark_rods [seconds]
// Wall time of all ranks together; the best of many short repetitions, `seconds` in all.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "la/petsc.hpp"
#include "parallel/mpi.hpp"
#include "rods/rattle.hpp"

namespace cotangent::benchmark {
namespace {

constexpr int repetitions = 20;

/// Seconds for one solve of a tridiagonal system of n rows by Thomas' algorithm, on this rank alone.
double thomas(std::size_t n, double seconds) {
  std::vector<double> lower(n, -0.99), diagonal(n, 2.01), upper(n, -0.98), c(n), x(n);
  double best = std::numeric_limits<double>::infinity(), sum = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const double start = parallel::wall_time();
    long count = 0;
    for (; parallel::wall_time() - start < seconds / repetitions; ++count) {
      c[0] = upper[0] / diagonal[0];
      x[0] = (1.0 + sum) / diagonal[0];
      for (std::size_t i = 1; i < n; ++i) {
        const double inverse = 1.0 / (diagonal[i] - lower[i] * c[i - 1]);
        c[i] = upper[i] * inverse;
        x[i] = (1.0 - lower[i] * x[i - 1]) * inverse;
      }
      for (std::size_t i = n - 1; i-- > 0;) x[i] -= c[i] * x[i + 1];
      sum = 1e-9 * x[0];
    }
    best = std::min(best, (parallel::wall_time() - start) / static_cast<double>(count));
  }
  return best;
}

void measure(std::int64_t rods, double seconds) {
  const double even = 1.0 / static_cast<double>(rods);
  const auto chain = rods::rod_chain<2>(rods, even, even, 1.0, 0.3, false);
  rods::RodOptions options;
  options.step = 0.02 * even;
  rods::RodRattle<2> rattle(chain, options);
  double best = std::numeric_limits<double>::infinity(), solves = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto before = rattle.effort();
    const double start = parallel::wall_time();
    do {
      for (int k = 0; k < 10; ++k) {
        if (rattle.advance() != Status::pending) throw Error("benchmark_rods: " + rattle.failure());
      }
    } while (parallel::any(parallel::rank() == 0 && parallel::wall_time() - start < seconds / repetitions));
    const double steps = static_cast<double>(rattle.effort().steps - before.steps);
    const double time = (parallel::wall_time() - start) / steps;
    if (time < best) {
      best = time;
      solves = static_cast<double>(rattle.effort().linear_solves - before.linear_solves) / steps;
    }
  }
  const double own = parallel::maximum(thomas(static_cast<std::size_t>(rods), seconds / 3)) * solves;
  if (parallel::rank() == 0)
    std::printf("%8lld %6d %12.1f %10.2f %14.1f %8.2f\n", static_cast<long long>(rods), parallel::size(),
                1e9 * best * even, solves, 1e9 * own * even, best / own);
  std::fflush(stdout);
}

}  // namespace
}  // namespace cotangent::benchmark

int main(int count, char** arguments) {
  const cotangent::parallel::Mpi mpi(count, arguments);
  const double seconds = count > 1 ? std::atof(arguments[1]) : 1.0;
  const cotangent::la::Petsc petsc;
  if (cotangent::parallel::rank() == 0)
    std::printf("%8s %6s %12s %10s %14s %8s\n", "rods", "ranks", "ns/rod/step", "solves", "Thomas alone",
                "ratio");
  for (const std::int64_t rods : {100, 1000, 10000, 100000}) cotangent::benchmark::measure(rods, seconds);
  return 0;
}
