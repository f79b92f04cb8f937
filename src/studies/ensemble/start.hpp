// SPDX-License-Identifier: BSD-3-Clause
// Where the trajectories of an ensemble start: the product of the parameters' axes, the energies, and the
// points that `[ensemble]` describes. A start on an energy surface leaves out one coordinate or velocity,
// which follows from E(q, v) = E. Starts are computed one by one from their id, so that nothing grows with
// their number, but for the lists that the deck itself holds, and every rank can compute any.
//   grid   = { q2 = [from, to, count], ... }   the product; what isn't named is the section's or solved for
//   random = { count = n, seed = s, q2 = [from, to], ... }   uniform in the box, infeasible draws drawn again
//   list   = [[q..., v...], ...]               whole states
//   points = [{ q2 = value, ... }, ...]        as the grid's: what isn't named is the section's or solved for
//   file   = "starts.h5"                       a data set /starts of whole states
// Under constraints a start must lie on the manifold with its velocity tangent, and roll where it has to, or
// `project = true` moves it there: whole states in all coordinates, the same in every study; what is put on
// the section with its coordinate held. An energy then scales the velocity, and what isn't named is 0. Random
// numbers: Philox-like counters keyed by (seed, id), after Salmon et al. (2011).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "studies/ensemble/stored_starts.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// A start, or why there is none.
struct EnsembleStart {
  sections::Start start;
  bool feasible = true;
};

class Ensemble {
 public:
  /// Reads `[ensemble]`, given the section where there is one. Throws an Error for what can't be. Collective.
  Ensemble(Task& task, const ModelChoice& model, const std::optional<sections::Section>& section);

  /// The same points at these parameters and this energy alone (none: each point has its own), with variables
  /// of the grid held at values: what a deck would say that had no other. No starts from a file.
  Ensemble at(const std::vector<double>& parameters, std::optional<double> energy,
              const std::map<int, double>& held) const;
  /// The values that are swept, and how: of a parameter, of the energy, of a variable of the grid.
  const std::vector<double>& energy_values() const { return energy_; }
  std::vector<double> grid_values(int variable) const;
  /// How many values each variable of a grid has, the last one's varying fastest; none of what is no grid.
  std::vector<std::int64_t> grid_counts() const;
  bool random() const { return kind_ == Kind::random; }

  std::int64_t size() const { return points_ * energies() * combinations_; }
  EnsembleStart operator[](std::int64_t id) const;
  /// Whether the next id's start is another point of the same energy and parameters.
  bool is_followed(std::int64_t id) const { return id % points_ + 1 < points_; }
  /// Of a start that is followed, not of random ones: at such a part of the way to the next one.
  EnsembleStart between(std::int64_t id, double part) const;
  /// Those of the start of this id.
  std::vector<double> parameters(std::int64_t id) const;
  /// The shortest time between two of a strobe's, over all parameters; infinite without a strobe.
  double shortest_strobe() const { return shortest_strobe_; }
  /// All ids in an order that spreads over the whole: index 0, 1, 2 ... below size(), and below 2^17.
  std::int64_t scattered(std::int64_t index) const;
  /// Throws an Error where not one start is feasible. Of large ensembles a scattered part is judged, so that
  /// it takes a second at most; then they pass even if all of that part is infeasible.
  void refuse_if_none_feasible() const;
  /// Why the motion isn't determined at any feasible start: the mass matrix or the constraints are singular.
  /// None where one start has both regular, or where there are too many to look at. The flight's first lane
  /// has to be free.
  std::optional<Status> singular_everywhere(sections::TrajectoryBatch& flight) const;

  /// The columns of /orbits/parameters: the parameters with more than one value, and the energy where given.
  std::vector<std::string> parameter_columns() const;
  std::vector<double> parameter_row(std::int64_t id) const;

 private:
  enum class Kind { grid, random, list, file };
  struct Range {
    int variable;
    double from, to;
    std::int64_t count;
  };
  static double place(const Range& range, std::int64_t index);
  /// Throws an Error where so many starts can't be counted.
  std::int64_t product(std::int64_t a, std::int64_t b) const;
  std::int64_t energies() const { return energy_.empty() ? 1 : static_cast<std::int64_t>(energy_.size()); }
  std::vector<double> parameters_of(std::int64_t combination) const;
  std::optional<double> energy(std::int64_t id) const;
  EnsembleStart start_of(std::int64_t id, const std::vector<double>& state, bool feasible) const;
  /// Completes a state and puts it where it belongs; false where none like it is a start.
  bool make_start(std::vector<double>& state, std::optional<double> energy,
                  const std::vector<double>& parameters) const;
  /// Puts a state onto its manifold and energy, or judges whether it is there.
  bool constrain(std::vector<double>& state, std::optional<double> energy,
                 const std::vector<double>& parameters) const;
  /// Completes a state of which variable `missing_` isn't known. False where no real one has this energy.
  bool complete(std::vector<double>& state, double energy, const std::vector<double>& parameters) const;
  bool acceptable(const std::vector<double>& state, const std::vector<double>& parameters,
                  bool strictly) const;
  /// What acceptable() asks of the section, as messages name it; empty where it asks nothing.
  std::string asked_at_section() const;
  void read_grid();
  void read_random();
  void read_points();
  void read_states(const std::string& kind);
  void read_ranges(const io::Table& table, const std::string& what, bool counted);
  void find_box(const io::Table& table);
  void choose_missing(const io::Table& table);
  std::vector<double> base_state(std::int64_t point) const;
  /// Whole states fly from wherever they lie, as in free motion; what is put on the section has to cross it.
  bool whole_states() const { return (kind_ == Kind::list || kind_ == Kind::file) && ranges_.empty(); }
  /// The coordinate that a projection leaves as it is: the section's of what is put there; else -1.
  int held_coordinate() const { return section_ && !whole_states() ? section_->coordinate : -1; }

  static constexpr std::int64_t most_judged = 1 << 17;
  static constexpr double most_starts = 0x1p53;  ///< ids are kept as doubles, too
  const sections::Problem* problem_;
  std::vector<std::vector<double>> axes_;
  std::optional<sections::Section> section_;
  io::Table table_;
  std::vector<std::string> names_;
  std::vector<double> energy_;
  Kind kind_ = Kind::grid;
  std::vector<Range> ranges_;
  std::vector<std::vector<double>> list_;
  std::shared_ptr<const StoredStarts> stored_;
  std::int64_t points_ = 1, combinations_ = 1;
  double shortest_strobe_ = std::numeric_limits<double>::infinity();
  std::uint64_t seed_ = 0;
  int dim_, missing_ = -1;
  bool constrained_ = false, project_ = false;
};

}  // namespace cotangent::studies
