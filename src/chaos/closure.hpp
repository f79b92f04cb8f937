// SPDX-License-Identifier: BSD-3-Clause
// The equations of a periodic orbit, phi_T(x) = x, and what its derivative says of it. Unknown are the state
// x = (q, v) on the section, the period T, and one number that may be continued: the energy or a parameter.
// To the 2N equations of closing come s(q) = 0, linear in q, and E(x) = E; where a strobe gives T, neither.
// They are more than the unknowns, since energy and time make two of them dependent, but they agree: Gauss
// and Newton's method converges as fast as Newton's. An angle closes modulo 2 pi: how often it turns is the
// orbit's winding.
//
// Under constraints the unknown state stands for the one next to it on the manifold, pi(x): the equations are
// phi_T(pi(x)) = x, which no other x solves than one on the manifold, and their derivative is D P, P the
// projection onto what is tangent there.
//
// The derivative D of phi_T is the product of the method's own tangent maps (sections/arc.hpp). With f the
// flow and g the energy's slope, D f = f and g D = g: on the complement of both (within
// what is tangent to the manifold) it is the derivative of the
// return map on the section and the energy surface, whose eigenvalues are the multipliers. Of one degree of
// freedom across, with trace t: residue (2 - t)/4; stable where |t| < 2, inverse hyperbolic where t < -2.
// References: Greene, J. Math. Phys. 20 (1979) 1183 (residues); Munoz-Almaraz, Freire, Galan, Doedel,
// Vanderbauwhede, Physica D 181 (2003) 1 (continuation where integrals make equations dependent).
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

#include "sections/problem.hpp"

namespace cotangent::chaos {

/// Units in which an orbit's numbers are of order 1. They are powers of 64: what has such numbers as it
/// stands keeps them.
struct Units {
  double length = 1, time = 1;  ///< an angle's unit is the radian
  /// For an orbit by a state of it and a quarter of the time from return to return.
  static Units of(const sections::Problem& problem, const std::vector<double>& q,
                  const std::vector<double>& v, double quarter);
  /// Those of all numbers of a state.
  Eigen::VectorXd of_state(const sections::Problem& problem) const;
};

/// normal . q = value
struct Plane {
  std::vector<double> normal;
  double value = 0;

  /// That through a state's place, across its velocity.
  static Plane across(const std::vector<double>& q, const std::vector<double>& v);
};

/// An orthonormal basis of all that is orthogonal to some vectors of so many numbers, in columns.
Eigen::MatrixXd orthogonal_complement(const std::vector<Eigen::VectorXd>& vectors, int size);
/// Those in a list of numbers, one after the other.
std::vector<Eigen::VectorXd> vectors_of(const std::vector<double>& numbers, int size);

/// What closes: a problem's motion by a method, after so many periods of the strobe or whenever its period T
/// is over, on a section that is a coordinate; or, where there is no such section, on a plane.
struct Closure {
  const sections::Problem* problem = nullptr;
  integrators::MethodOptions method;
  sections::Section section;
  int returns = 1;
  std::vector<double> parameters;
  double energy = 0;  ///< where nothing else fixes the orbit among its family
  /// What is continued: a parameter's number, or the energy where that is -1.
  std::optional<int> continued = std::nullopt;
  double way = 1;                             ///< how far that is to be followed: where it passes 0, its size
  std::optional<Plane> plane = std::nullopt;  ///< where the section is no coordinate and no strobe
  Units units = {};

  /// Continues one of these, which is at its first value, to another.
  void continue_to(int number, double to);
  bool strobed() const { return section.strobe.has_value(); }
  int states() const { return 2 * problem->dim(); }
  /// How many unknowns there are: the state, T, what is continued.
  int unknowns() const { return states() + (strobed() ? 0 : 1) + (continued ? 1 : 0); }
  /// By how much a state is off another, in the units, angles modulo 2 pi.
  Eigen::VectorXd difference(const double* a, const double* b) const;
  /// Where orbits begin on a plane: on that across this state's velocity.
  void stand_across(const std::vector<double>& q, const std::vector<double>& v) {
    if (plane) plane = Plane::across(q, v);
  }
};

using Unknowns = Eigen::VectorXd;

/// An orbit as its equations see it.
struct ClosedOrbit {
  Unknowns unknowns;
  std::vector<double> q, v, parameters;  ///< the state on the manifold
  std::vector<std::int64_t> winding;     ///< of each coordinate, 0 where it isn't an angle
  double period = 0, energy = 0, action = 0;
  double error = 0;                              ///< |phi_T(x) - x|
  Eigen::MatrixXd transverse;                    ///< the return map's derivative, in the closure's units
  std::vector<std::complex<double>> multiplier;  ///< by falling modulus
  Eigen::MatrixXd jacobian;                      ///< of all equations
  Eigen::VectorXd residual;

  double trace() const { return transverse.trace(); }
  double residue() const { return (2 - trace()) / 4; }
  /// Of the return map's derivative: 1 unless motion is damped.
  double contraction() const;
  /// What is continued.
  double value() const { return unknowns[unknowns.size() - 1]; }
};

enum class Stability { unstable = 0, stable = 1, inverse = 2 };
/// Stable where no multiplier leaves the unit circle; inverse where the largest that does is negative.
Stability stability(const ClosedOrbit& orbit);

/// The equations at these unknowns z; nothing where the motion fails.
std::optional<ClosedOrbit> evaluate(const Closure& closure, const Unknowns& z);

/// What brings the equations' derivative and its unknowns to order 1, in powers of 64: where they are of that
/// order, nothing.
struct Scales {
  Eigen::VectorXd rows, columns;
  Scales(const Closure& closure, const ClosedOrbit& orbit);
  /// Of the equations' derivative, with a row more.
  Eigen::MatrixXd apply(const Eigen::MatrixXd& jacobian) const;
};

/// One more equation, direction . (unknowns - from) = 0.
struct Condition {
  Unknowns direction, from;
};
/// The orbit next to a guess, to round-off; nothing where the iteration doesn't get there. Damped steps may
/// bring it in from far off.
std::optional<ClosedOrbit> close(const Closure& closure, const Unknowns& guess,
                                 const std::optional<Condition>& condition, int iterations = 30,
                                 int* taken = nullptr);

/// The time next to this one, and up to `most`, after which a flight from here passes the section or plane on
/// which orbits begin, in the direction of this velocity: by Newton's method, where it flies that way.
double passing_time(const Closure& closure, const std::vector<double>& velocity, const sections::Start& from,
                    double about, double most);

/// Unknowns from a state that is near an orbit, without what is continued; nothing where so many steps meet
/// no section.
std::optional<Unknowns> first_return(const Closure& closure, const std::vector<double>& q,
                                     const std::vector<double>& v, std::int64_t patience = 100'000);

}  // namespace cotangent::chaos
