// SPDX-License-Identifier: BSD-3-Clause
// What a deck says of how an ensemble flies: the model, the method, and what is watched.
#pragma once

#include <string>
#include <vector>

#include "geometry/triangulation.hpp"
#include "io/hdf5.hpp"
#include "studies/ensemble/averages.hpp"
#include "studies/ensemble/basins.hpp"
#include "studies/ensemble/exits.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// What is known before the run, and goes into the result as it is.
struct Given {
  io::DataSetSpec set;
  std::vector<double> values;
};

/// The model, and what else a deck says of how to fly it.
struct Plan {
  ModelChoice model;
  integrators::MethodOptions method;
  sections::Observation watch;
  std::int64_t samples = 0;        ///< rows of /trajectory, where there are samples
  std::int64_t surface_cells = 0;  ///< cubes along the longest side of the surface's triangulation; 0: none
  std::int64_t collisions = 0;     ///< rows of /collisions for each trajectory
  bool birkhoff = false;           ///< /collisions holds arc length and tangential velocity too
  std::vector<std::string> walls;  ///< names of the sets that /collisions/wall numbers
  std::vector<io::DataSetSpec> tallies;  ///< what TrajectoryRecord::tallies holds, a row per trajectory each
  std::shared_ptr<const Exits> exits;    ///< at which trajectories end; they then are what is watched
  std::optional<geometry::Triangulation> surface;  ///< to be drawn, where it isn't that of the model
  std::shared_ptr<const Averages> averages;        ///< made when all trajectories have ended
  std::optional<StartGrid> basins;                 ///< whose boundaries are then judged
  std::vector<Given> given;
  /// The two columns that `[plot] axes` names, where /section/points lacks one of them, a momentum.
  std::vector<std::string> plot_axes;
  int lanes = 0;  ///< 0: all that the processor has

  /// Whether crossings are those of a section that the deck wants to see.
  bool shows_crossings() const { return watch.section && !exits; }
};

/// Reads `name` (where it may be left out, Gauss collocation, or RATTLE for constrained motion) and the
/// options that this method takes, but not its step and tolerance; refuses the options that only others take,
/// and methods that don't suit the problem.
integrators::MethodOptions read_options(const io::Table& table, const sections::Problem& problem, bool named);
/// Reads `[method]` and `[solver]`.
void read_method(Task& task, Plan& plan);
/// How many steps, or samples, of the length `step` make up `time`, the value of the key: a whole number.
std::int64_t whole(const io::Table& table, const std::string& key, double time, double step,
                   const std::string& of);
/// The end of a flight, at the next of equally spaced times where that is later by round-off alone: 0.3 is
/// meant to hold the third of tenths, 3 * 0.1 is more.
double end_at(double time, const sections::Ticks& ticks);
/// How many samples are due at 0, every, 2 every ... up to a time. Throws Error where they can't be counted.
std::int64_t samples_until(const io::Table& output, double time, double every);
/// Reads `[plot] axes`: two columns to draw against each other, among coordinates, with `whole_states` also
/// velocities, momenta and the parameters that are swept; and then `skip`, how many of each trajectory's
/// crossings aren't drawn. The plot tool finds them in the deck that the result holds.
void read_plot(Task& task, Plan& plan, bool whole_states);
/// Reads what `[output]` says of the surface on which a particle moves, if it moves on one.
void read_surface(Task& task, Plan& plan);

}  // namespace cotangent::studies
