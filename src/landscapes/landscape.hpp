// SPDX-License-Identifier: BSD-3-Clause
// Energy landscapes of two coordinates: stationary points of U(x, y), the mountain passes between its wells
// and out of its admissible region, and the parameter values at which stationary points or the order of their
// energies change.
//
//   stationary: grad U = 0;  pass energy: the least, over paths, of the highest U on the way (minimax)
//
// Goresky and MacPherson, Stratified Morse Theory (1988), for wells and passes; Neumaier, Interval Methods
// (1990), chapter 5, for the exclusion and uniqueness tests, which serve here with sampled in place of proved
// bounds; Kuznetsov, Elements of Applied Bifurcation Theory (2004), chapter 10, for folds and branch points.
// Limits: U is twice differentiable where admissible; what is finer than a cell of the search at once in the
// domain's shape is not seen. Results say whether they are complete.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace cotangent::landscapes {

using Point = std::array<double, 2>;

/// A scalar with its first and second derivatives; the Hessian as xx, xy, yy.
struct Jet2 {
  double value;
  std::array<double, 2> gradient;
  std::array<double, 3> hessian;
};

/// U(x, y), its parameters fixed; asked for at admissible points, and in a stencil's or Newton step's reach
/// of them.
using Potential = std::function<Jet2(double x, double y)>;
/// U(x, y) with one parameter free.
using PotentialFamily = std::function<Jet2(double x, double y, double parameter)>;
/// Positive where (x, y) is admissible; continuous, with a regular zero line.
using Domain = std::function<double(double x, double y)>;

/// The rectangle searched; a periodic coordinate is an angle whose period is the rectangle's side.
struct Window {
  double x0, x1, y0, y1;
  bool periodic_x = false, periodic_y = false;
  double unit_y = 1;  ///< what messages multiply y by
};

/// How finely to search: cells along each side, and how often a cell that stays undecided may be quartered.
struct Search {
  int cells = 64;
  int depth = 24;
};

enum class StationaryType { minimum, saddle, maximum, degenerate };

/// A zero of grad U, to the precision of double.
struct StationaryPoint {
  Point point;
  double energy;
  StationaryType type;
  std::array<double, 2> eigenvalues;  ///< of the Hessian, ascending
  Point soft_direction;               ///< unit eigenvector of the lower eigenvalue
  int index;           ///< Poincaré index: +1 extremum, -1 saddle, counted for a degenerate point
  double uncertainty;  ///< of the position: round-off divided by the smallest |eigenvalue|
};

/// The stationary points of a landscape by rising energy, and the evidence that none is missing.
struct StationaryPoints {
  std::vector<StationaryPoint> points;
  /// Turns of grad U along the boundary of the admissible region, which equal the sum of the indices inside;
  /// absent where grad U vanishes on the boundary.
  std::optional<int> boundary_index;
  /// Cells that the search could neither clear nor resolve.
  int undecided = 0;

  int count(StationaryType type) const;
  int index_sum() const;
  /// Nothing undecided, and the indices add up.
  bool complete() const { return undecided == 0 && boundary_index && *boundary_index == index_sum(); }
};

/// All stationary points in the admissible part of the window. Throws Error if U is not finite there.
StationaryPoints stationary_points(const Potential& potential, const Domain& domain, const Window& window,
                                   Search search = {});

/// An extremum of U along the line domain = 0.
struct BoundaryExtremum {
  Point point;
  double energy;
  bool minimum;
  double outward_slope;  ///< dU along the outward normal: positive where a well leans against the boundary
};

/// The extrema of U on the boundary inside the window, by rising energy. The first one need not be a minimum:
/// the lowest energy on the boundary may lie on the window's edge. Throws Error if U is not finite there.
std::vector<BoundaryExtremum> boundary_extrema(const Potential& potential, const Domain& domain,
                                               const Window& window, Search search = {});

/// Where a descent ends; `number` counts stationary points or boundary extrema, and is -1 elsewhere.
struct End {
  enum class Kind {
    stationary,   ///< a minimum, or by symmetry a lower saddle
    boundary,     ///< a boundary minimum to which U falls outwards; -1 where a corner keeps it from view
    window_edge,  ///< out of a window that is not periodic
    astray        ///< no end known: none found, or a degenerate point from which no single way leads on
  };
  Kind kind;
  int number;
  bool operator==(const End&) const = default;
};

/// A place where two descents part. A saddle is one by its index, -1, whether or not its Hessian is singular;
/// from a point of lower index, where more valleys meet, both ends are astray. A boundary saddle is a maximum
/// along the boundary to which U falls outwards; a contact is a boundary minimum to which U rises: its ends
/// are itself and the well behind.
struct Pass {
  enum class Kind { saddle, boundary_saddle, contact };
  Kind kind;
  int number;  ///< of the stationary point, or of the boundary extremum
  Point point;
  double energy;
  std::array<End, 2> ends;
};

/// Where steepest descent leads from each saddle, both ways (along the boundary where it arrives there), by
/// rising energy.
std::vector<Pass> passes(const Potential& potential, const Domain& domain, const Window& window,
                         const StationaryPoints& stationary, const std::vector<BoundaryExtremum>& boundary);

/// Stationary points, boundary and passes of one landscape.
struct Landscape {
  StationaryPoints stationary;
  std::vector<BoundaryExtremum> boundary;
  std::vector<Pass> passes;
};

/// All of it: a survey of U over a window, with or without the passes. As bifurcations() it works with a unit
/// of y by which the window's sides are alike, so that x and y may be as unlike as they are; descents are
/// steepest in these units.
Landscape landscape(const Potential& potential, const Domain& domain, const Window& window,
                    Search search = {}, bool with_passes = true);

/// How a landscape hangs together below an energy that rises from pass to pass.
struct Connectivity {
  /// For each stationary point the least energy that leads over a pass to the boundary or out of the window;
  /// infinite where no pass leads there, as in a window at whose edge U still rises.
  std::vector<double> escape_energy;
  /// For each pass whether no lower way leads from one of its sides to the other; symmetric passes alike.
  std::vector<bool> lowest;
};

/// Kruskal's algorithm over the passes. Ends that are astray join nothing: where there are any, escape
/// energies are upper bounds.
Connectivity connectivity(const Landscape& landscape);

enum class BifurcationKind {
  fold,                ///< two stationary points are born or die
  pitchfork,           ///< one that persists changes type, two more join it on one side
  transcritical,       ///< two cross and exchange their types
  boundary_crossing,   ///< one enters or leaves the admissible region, or the window
  energy_coincidence,  ///< a saddle passes the energy of another stationary point
  unresolved           ///< the stationary points differ across an interval and none of the above was found
};

/// A parameter value at which the landscape changes.
struct Bifurcation {
  BifurcationKind kind;
  double parameter;
  Point point;
  double energy;
  Point partner;  ///< of an energy coincidence the other point, else the point itself
};

struct ParameterRange {
  double first, last;
  int steps;
};

/// The values of the parameter that a family may be asked for.
struct ParameterBounds {
  double low, high;
};

/// Every change over a range, by rising parameter: the stationary points', and of their energies; passes and
/// what lies on the boundary are not followed. The family is asked for values of the parameter within bounds,
/// of the range if none are given: wider ones make derivatives at its ends better. Intervals in which
/// stationary points do not continue one by one are halved down to 1e-4 of the range; changes that undo one
/// another within one step are not seen.
std::vector<Bifurcation> bifurcations(const PotentialFamily& family, const Domain& domain,
                                      const Window& window, ParameterRange range, Search search = {},
                                      std::optional<ParameterBounds> bounds = std::nullopt);

}  // namespace cotangent::landscapes
