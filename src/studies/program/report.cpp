// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/report.hpp"

#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "run/terminal.hpp"

namespace cotangent::studies {

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
