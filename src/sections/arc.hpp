// SPDX-License-Identifier: BSD-3-Clause
// An arc of a trajectory over a given time, with the derivative of its end by its beginning: what the search
// for periodic orbits asks. A state is (q, v); so are all rows and columns of derivatives.
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "sections/flight.hpp"

namespace cotangent::sections {

struct Arc {
  Status status = Status::finished;
  std::vector<double> q, v;  ///< the end
  /// Of the end by the beginning, the method's own tangent map, row-major. Under constraints what isn't
  /// tangent to their manifold's tangent bundle is taken out of the beginning's deviations.
  std::vector<double> derivative;
  /// Under constraints: slopes of g and g' at the beginning, a row each; orthogonal to all that is tangent.
  std::vector<double> normals;
  std::vector<double> flow, end_flow;  ///< (q', v') at the beginning, behind its kick, and at the end
  double energy = 0;                   ///< at the beginning, before its kick
  std::vector<double> energy_slope;    ///< and its derivative by the state
  /// The integral of p dq, and whether it is as accurate as the end: of flights between walls and by a Gauss
  /// method. Else it is from the ends of steps by Gregory's rule, of order 9, with fewer than 15 of them as
  /// the method's polynomial between its steps.
  double action = 0;
  bool action_as_end = false;
};

/// A wall next to a place: its omega there, above 0 inside, and omega's slope.
struct WallAt {
  double omega;
  std::vector<double> slope;
};

class Arcs {
 public:
  virtual ~Arcs() = default;
  /// From t = 0 on over a time, in equal steps no longer than the method's: of what is kicked, in equal steps
  /// from kick to kick. A kick at t = 0 counts, one at the end doesn't. The method is one with a tangent map,
  /// of fixed steps; the start is on the manifold of what is constrained; nothing rolls.
  /// Over less than no time it goes the same way back, to t = 0, by steps of the other sign, and tells the
  /// end alone: of a symmetric method that is the inverse, of others the inverse as accurate as a step. Of a
  /// kick it is where what the kick changes velocities by doesn't depend on them.
  virtual Arc arc(const integrators::MethodOptions&, const Start&, double /*duration*/) const {
    throw Error("this problem's flights have no tangent map over an arc");
  }
  /// Whether motion is between walls and bounces off them.
  virtual bool between_walls() const { return false; }
  /// From anywhere inside through so many bounces, to the state behind the last.
  virtual Arc bounces(const Start&, std::int64_t /*count*/) const {
    throw Error("this problem's flights don't bounce");
  }
  /// The wall of those at rest that is left first next to a place.
  virtual WallAt wall(const std::vector<double>& /*q*/, const std::vector<double>& /*parameters*/) const {
    throw Error("this problem has no walls");
  }
};

}  // namespace cotangent::sections
