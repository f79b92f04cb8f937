// SPDX-License-Identifier: BSD-3-Clause
// Who may solve for the multipliers of constraints, beside each lane for itself (manifold.hpp): one solver
// for all systems of a batch at once, which sees their constraints' values and gradients and knows nothing
// else of them. A batch holds systems side by side, none of whose constraints feels another's coordinates:
// constraint k of system i is row `constraints i + k`, coordinate n is number `dim i + n`.
#pragma once

namespace cotangent::integrators {

struct BatchShape {
  int systems = 0, constraints = 0, dim = 0;
  bool operator==(const BatchShape&) const = default;
};

/// The equations g(base + D lambda) = 0 of a batch, as Newton's method meets them.
class ManifoldEquations {
 public:
  virtual ~ManifoldEquations() = default;
  virtual BatchShape shape() const = 0;
  /// Where Newton's method begins. Lambda and g have systems * constraints numbers, system after system.
  virtual void guess(double* lambda) const = 0;
  /// g at this lambda; zero for systems that are open no more, whose lambda then stays what it is.
  virtual void residual(const double* lambda, double* g) = 0;
  /// G = grad g at the lambda last looked at, [systems, constraints, dim], and D, [systems, dim,
  /// constraints]; both row-major.
  virtual void jacobian(double* gradients, double* directions) const = 0;
  /// Takes the lambda last looked at as Newton's next iterate. Returns whether any system is still open.
  virtual bool accept(const double* lambda) = 0;
};

class MultiplierSolver {
 public:
  virtual ~MultiplierSolver() = default;
  /// Newton's method with the matrix G D until no system is open; where it fails, some stay open.
  virtual void solve(ManifoldEquations& equations) = 0;
  /// Solves G D mu = b, in place of b; false where that fails, and b is lost. The blocks as above.
  virtual bool solve(const BatchShape& shape, const double* gradients, const double* directions,
                     double* b) = 0;
};

}  // namespace cotangent::integrators
