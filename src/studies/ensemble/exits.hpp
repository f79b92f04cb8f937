// SPDX-License-Identifier: BSD-3-Clause
// `[exits]` of a deck: named conditions, like left = "x < -2", with the first of which a trajectory ends.
// Each condition becomes a continuous function that is above 0 where it holds (a < b: b - a; and, or: the
// lesser, the larger of two), their largest a section that is crossed upwards once: exits are met as exactly
// as crossings are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "sections/problem.hpp"
#include "studies/program/formula_reader.hpp"

namespace cotangent::studies {

struct Task;
struct Plan;
class Ensemble;

struct Exits {
  std::vector<std::string> names;
  std::vector<expressions::Expression> depths;  ///< how far beyond each exit; of the problem's variables
  expressions::Expression depth;                ///< the largest of them

  /// The exit at which a state is, or beyond which it lies deepest.
  std::size_t nearest(std::span<const double> variables) const;
};

/// Reads a table of conditions over the names of these parts. Throws Error for those that have no two sides.
Exits read_named_exits(const io::Table& table, const Parts& parts);
/// Reads `[exits]`, where the deck has it, and makes them the section that is watched. Throws Error for
/// conditions that have no two sides.
void read_exits(Task& task, Plan& plan);
/// The data sets /exits/exit and /exits/time, a row for each trajectory.
std::vector<io::DataSetSpec> exit_tallies(const std::vector<std::string>& names, std::int64_t trajectories);
/// The same, as tallies of the trajectories; last of all tallies.
void tally_exits(Plan& plan, const Ensemble& ensemble);

/// Whether a start lies beyond an exit already: its trajectory ends there at t = 0.
bool starts_outside(const Plan& plan, const sections::Start& start);
/// What such a trajectory leaves behind.
sections::TrajectoryRecord ended_at(const Plan& plan, const sections::Start& start);
/// Says of a trajectory that has ended which exit it took (-1: none), and when: as tallies, and by its
/// status, which is left_domain where it escaped, finished where it stayed. Not of one that never flew.
void name_exit(const Plan& plan, const std::vector<double>& parameters, sections::TrajectoryRecord& flown);

}  // namespace cotangent::studies
