// SPDX-License-Identifier: BSD-3-Clause
// RATTLE for points joined by rods, distributed over ranks:
//   q' = q + h v + (h^2/2) M^-1 (f + G(q)^T lambda),    g(q') = 0                       Newton, by SNES
//   v' = v + (h/2) M^-1 (f + f' + G(q)^T lambda + G(q')^T mu),    G(q') v' = 0             linear, by KSP
// with f the forces of gravity and of pairs (pairs.hpp); f' is that at q'.
// Order 2, symmetric, symplectic on the constraint manifold. The matrix of Newton's method is
// G(q') M^-1 G(q)^T. Reference: Andersen, J. Comput. Phys. 52 (1983) 24; Leimkuhler, Reich, Simulating
// Hamiltonian dynamics (2004), 7.2. Newton starts from multipliers extrapolated over the last two steps, and
// stops at the tolerance (a length, |g| / |grad g|) or where round-off lets it come no closer.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "core/status.hpp"
#include "rods/pairs.hpp"

namespace cotangent::rods {

enum class Formulation { schur, saddle_point };

struct RodOptions {
  double step = 0;
  double tolerance = 0;  ///< of a rod's length, as a length; 0: default_tolerance()
  Formulation formulation = Formulation::schur;
  int iterations = 30;   ///< of Newton's method, at most
  bool project = false;  ///< a start that isn't on the constraints is moved there, and its velocities are
  RodPairOptions pairs;
};

/// What the iterations took since the beginning.
struct RodEffort {
  std::int64_t steps = 0, newton_iterations = 0, linear_solves = 0, linear_iterations = 0;
};

/// All that the next step depends on: of the points that this rank reports, and of its rods.
struct RodMemory {
  std::int64_t steps = 0, newton_iterations = 0, linear_solves = 0, linear_iterations = 0;
  double constraint_error = 0, velocity_error = 0;
  std::vector<double> position, velocity;  ///< rows, one a point
  std::vector<double> last, before;        ///< the position multipliers of the last two steps

  bool operator==(const RodMemory&) const = default;
};

template <int D>
class RodRattle {
 public:
  /// 1e-14 of the system's extent.
  static double default_tolerance(double extent) { return 1e-14 * extent; }
  /// What round-off leaves of a rod's length: no tolerance may be smaller.
  static double round_off(double extent) { return std::numeric_limits<double>::epsilon() * extent; }

  /// PETSc must be active. Throws Error where the options make no sense, or the start isn't on the
  /// constraints. Collective, as all that follows unless it says otherwise.
  RodRattle(RodBlock<D> block, const RodOptions& options);
  /// Of a system that all ranks have.
  RodRattle(const RodSystem<D>& system, const RodOptions& options)
      : RodRattle(RodBlock<D>(share_of(system)), options) {}
  ~RodRattle();
  RodRattle(RodRattle&&) noexcept;

  /// What solves for the multipliers, in words: of ours or of PETSc's, by their types.
  std::string solver() const;
  /// A step taken back: every solver has then asked for its options.
  void rehearse();
  /// One step. Status::pending where it succeeded; else why not, with the state as it was before.
  Status advance();
  /// Why the last step failed, in plain words.
  const std::string& failure() const;

  double time() const;
  /// The state of this rank's part, by known points; not collective.
  const RodBlock<D>& block() const;
  double kinetic_energy() const;
  /// Of gravity and of pairs; of pairs alone, the same bits on any number of ranks.
  double potential_energy() const;
  double pair_energy() const;
  /// How often the neighbours of points that feel each other have been listed.
  std::int64_t lists() const;
  /// The largest |g| / |grad g| of any rod, a length.
  double constraint_error() const;
  /// The largest |G v| / |G| of any rod over the largest speed.
  double velocity_error() const;
  /// The multipliers lambda of this rank's rods where the points are now, by d2g/dt2 = 0; 2 l lambda is the
  /// force along a rod, negative where it pulls.
  std::vector<double> multipliers();
  const RodEffort& effort() const;

  RodMemory memory() const;
  /// Takes it back: from as many ranks to the same bits, shared out anew from others to round-off.
  void restore(const RodMemory& memory);

 private:
  struct Solvers;
  std::unique_ptr<Solvers> solvers_;
};

extern template class RodRattle<2>;
extern template class RodRattle<3>;

}  // namespace cotangent::rods
