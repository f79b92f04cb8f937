// SPDX-License-Identifier: BSD-3-Clause
// What all schemes share: the landscape, the water on it, what the sky and the boundaries do, and the ledger.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "overland/friction.hpp"
#include "overland/mesh.hpp"
#include "overland/time_series.hpp"

namespace cotangent::overland {

/// What a named part of the boundary does.
struct BoundaryRule {
  enum class Kind { closed, free, depth, discharge };
  Kind kind = Kind::closed;
  TimeSeries value = 0;  ///< the depth, or the discharge per length that comes in
};

/// All that stays as it is while the water flows.
struct Landscape {
  Mesh mesh;
  std::vector<double> bed;          ///< at the vertices, as all lists below
  std::vector<double> area;         ///< of the dual cells
  std::vector<double> conveyance;   ///< the law's c: sqrt(g / k), 1 / n
  std::vector<BoundaryRule> rules;  ///< one for each name of the mesh's boundary
  FrictionLaw law;
  double gravity = 1;
  std::function<double(const Point&)> conveyance_at;  ///< the same field at any point
};

/// Of such depths at the vertices, on all ranks: the same bits on any number of them. Collective.
double volume(const Landscape& land, const std::vector<double>& depth);

/// Steps that a scheme may look back.
inline constexpr int most_earlier = 1;

/// The water as it was before a step.
struct Earlier {
  double time = 0;
  std::vector<double> depth, discharge;
};

/// Depths below this move nothing, and needn't be known, nor volumes: their powers would underflow.
inline constexpr double dry = 1e-100;

/// The water at a time.
struct Water {
  double time = 0;
  std::vector<double> depth;        ///< ghosts included, as below
  std::vector<double> discharge;    ///< per width, two numbers a vertex
  std::vector<double> infiltrated;  ///< infiltrated so far, a depth
  std::vector<double> rate;         ///< -div q as the last step had it; empty before one
  std::vector<Earlier> earlier;     ///< the last steps' starts, newest first, as far as the scheme wants them
  /// Of a scheme whose depths are the cells' (rt0.hpp), of each of this rank's cells: its depth, and the
  /// discharge per width out over the side opposite to each vertex. The depths above are then their means.
  std::vector<double> cells;
};

/// Volumes of water since the start. storage = start + rain - infiltration + inflow - outflow + clipped.
struct Ledger {
  double rain = 0, infiltration = 0, inflow = 0, outflow = 0;
  double clipped = 0;  ///< what holding depths above 0 has added
  void add(const Ledger& other) {
    rain += other.rain;
    infiltration += other.infiltration;
    inflow += other.inflow;
    outflow += other.outflow;
    clipped += other.clipped;
  }
  double balance() const { return rain - infiltration + inflow - outflow + clipped; }
};

/// How a step went.
struct Outcome {
  bool converged = false;
  std::string why;      ///< in plain words, where it failed
  int iterations = 0;   ///< Newton's, the most of any stage
  double error = 0;     ///< estimate of the step's own error, volume over volume
  Ledger ledger;        ///< of this step alone, on all ranks
  double identity = 0;  ///< |change of storage - what the ledger says|, over the volume

  /// Of a step that has kept so much water more, all sums over the whole land, and whose error is estimated
  /// as `wrong`, a volume.
  void close(double kept, double volume, double wrong) {
    volume = std::max(volume, dry);
    identity = std::abs(kept - ledger.balance()) / volume;
    error = wrong / volume;
  }
};

/// How the linear systems are solved.
struct SolverOptions {
  bool direct = true;
  double tolerance = 1e-9;  ///< of Newton's method: largest residual, as a depth
  int most_iterations = 30;
  double step_tolerance = 0;  ///< what a step that adapts may get wrong (SteppingOptions); 0: fixed steps
};

/// One method: it moves the water by a step, or leaves it where it was and says why.
class Scheme {
 public:
  virtual ~Scheme() = default;
  /// `rain` is the rate at each vertex, constant over the step. Collective.
  virtual Outcome step(Water& water, double dt, const std::vector<double>& rain) = 0;
  /// Forgets all that isn't in the water, such as factorisations: a run that was stopped here goes on to the
  /// same bits.
  virtual void forget() = 0;
  /// The integral of |q| over this rank's cells.
  virtual double discharge_integral(const Water& water) const = 0;
};

/// What the mixed scheme leaves open.
struct MiniOptions {
  bool lumped = true;     ///< the storage term: at the vertices, or by the consistent mass matrix
  double epsilon = 1e-5;  ///< rounds |q| off, in the Jacobian alone
  int degree = 8;         ///< of the quadrature: 6 or 8
  bool bound = true;      ///< depths are held at h >= 0
  bool odd = false;       ///< at h < 0 g h^(a/p) is -g |h|^(a/p), as Shapero's h^3, and not 0
};
/// The mixed form with the MINI element and depths held above 0; backward Euler.
std::unique_ptr<Scheme> mini_scheme(const Landscape& landscape, const MiniOptions& mini,
                                    const SolverOptions& options);
/// What solves its systems on so many vertices, in words.
std::string mini_solver(std::int64_t vertices, const SolverOptions& options);
/// The mixed form with depths constant in cells and discharges of Raviart and Thomas; backward Euler. Its
/// water begins by rt0_start().
std::unique_ptr<Scheme> rt0_scheme(const Landscape& landscape, double epsilon, const SolverOptions& options);
std::string rt0_solver(std::int64_t vertices, const SolverOptions& options);
/// Water at rest of these depths of this rank's cells. Collective.
Water rt0_start(const Landscape& landscape, const std::vector<double>& depths);
/// Vertex-centred finite volumes; `stages` 1 (backward Euler) or 2 (SDIRK2).
std::unique_ptr<Scheme> conservative_scheme(const Landscape& landscape, int stages,
                                            const SolverOptions& options);
std::string conservative_solver(std::int64_t vertices, const SolverOptions& options);

}  // namespace cotangent::overland
