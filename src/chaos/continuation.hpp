// SPDX-License-Identifier: BSD-3-Clause
// A family of periodic orbits, followed by pseudo-arclength: from an orbit z, with t the unit tangent of the
// family, the next one solves the equations of closing and t . (z' - z - h t) = 0, so that folds are no
// obstacle. The step h adapts to how Newton's method converges, to how the tangent turns and to how far the
// trace moves. Between two orbits each passage of the trace through 2 cos(2 pi k / n) is located: n = 1 a
// fold or a branching, n = 2 a doubling of the period, n > 2 where orbits of n times the period touch.
// References: Keller, Numerical solution of bifurcation and nonlinear eigenvalue problems (1977); Doedel,
// Keller, Kernevez, Int. J. Bifurcation and Chaos 1 (1991) 493 and 745; Meyer, Generic bifurcation of
// periodic points, Trans. Amer. Math. Soc. 149 (1970) 95.
#pragma once

#include "chaos/closure.hpp"

namespace cotangent::chaos {

/// How far and how finely.
struct ContinuationRule {
  double to = 0;                      ///< the value at which it ends
  double step = 0.01, largest = 0.1;  ///< first and largest h
  double trace = 0.5;                 ///< how far the trace may move in a step, of 1 + |trace|
  std::vector<int> turns = {1, 2};    ///< the n that are located
};

struct Bifurcation {
  int n = 1, k = 0;   ///< the multipliers are exp(+- 2 pi i k / n)
  bool fold = false;  ///< of n = 1: the value turns back
  ClosedOrbit orbit;
  Unknowns tangent;
};

class Family {
 public:
  enum class End { none = 0, reached = 1, lost = 2 };

  /// From an orbit of the closure; the tangent, where none is given, leads towards rule.to.
  Family(const Closure& closure, const ContinuationRule& rule, const ClosedOrbit& start,
         const std::optional<Unknowns>& tangent = std::nullopt);
  /// What save() has given.
  Family(const Closure& closure, const ContinuationRule& rule, const std::vector<double>& saved);
  std::vector<double> save() const;
  static std::size_t saved_size(const Closure& closure) {
    return 2 * static_cast<std::size_t>(closure.unknowns()) + 2;
  }

  const ClosedOrbit& orbit() const { return orbit_; }
  End end() const { return end_; }
  /// To the next orbit, unless the family has ended; what was passed on the way, in order.
  std::vector<Bifurcation> advance();

 private:
  std::optional<ClosedOrbit> along(double arc) const;
  /// Where orbits begin on a plane, each has its own, across its velocity.
  void stand_across();
  /// Between walls the flights of a family's orbits move: away from a plane that stays.
  void begin_at_quarter();
  void locate(const ClosedOrbit& next, const Unknowns& tangent, double arc,
              std::vector<Bifurcation>& passed) const;

  Closure closure_;
  ContinuationRule rule_;
  ClosedOrbit orbit_;
  Unknowns tangent_;
  double step_;
  End end_ = End::none;
};

/// An orbit of n times the period that branches off at a bifurcation, and the tangent of its family there.
struct Offspring {
  Closure closure;
  ClosedOrbit orbit;
  Unknowns tangent;
};
/// Those that begin at a bifurcation that is no fold, so far from it. For n = 1 and 2 one: a symmetry may map
/// it to another. For n > 2 there are as a rule a stable and an unstable one, at n = 3 the unstable on either
/// side; with a symmetry of the family's orbits that isn't one of n times the period, several of each, which
/// come behind the first of each. Their residues vanish as the distance to the power n - 2, with a symmetry
/// faster: where one is too small to follow a family by, the distance is doubled, up to 2^5 times.
/// Meyer (1970); R. S. MacKay, Renormalisation in area-preserving maps (1993).
std::vector<Offspring> branch_off(const Closure& closure, const Bifurcation& at, double distance);

/// A closure with what shall be continued, and an orbit of the closure without as one of it.
std::optional<ClosedOrbit> with_value(const Closure& closure, const ClosedOrbit& orbit);

}  // namespace cotangent::chaos
