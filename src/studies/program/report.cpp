// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/report.hpp"

#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "run/terminal.hpp"

namespace cotangent::studies {

std::int64_t program_bytes(bool calls_petsc) {
  // As measured with Open MPI: 28 MB with few models on a rank alone, 37 MB with all of them under mpirun.
  constexpr std::int64_t own = std::int64_t{31} << 20, libraries = std::int64_t{14} << 20,
                         begun = std::int64_t{9} << 20;
#ifdef COTANGENT_OPENS_PETSC_LATE
  const bool loaded = calls_petsc;
#else
  const bool loaded = true;
#endif
  return own + (loaded ? libraries : 0) + (calls_petsc ? begun : 0);
}

void print(const Estimate& e) {
  constexpr double longest = 3.2e10;  // seconds
  run::say(
      fmt::format("would run       {} trajectories on {} ranks\n"
                  "result file     {}\n"
                  "memory          about {} a rank\n"
                  "time            {}\n",
                  e.orbits, parallel::size(), run::size_text(static_cast<double>(e.file_bytes)),
                  run::size_text(static_cast<double>(e.rank_bytes)),
                  e.seconds > longest ? "out of reach: more than a thousand years"
                  : e.seconds > 0     ? "about " + run::duration(e.seconds)
                                      : "unknown"));
}

}  // namespace cotangent::studies
