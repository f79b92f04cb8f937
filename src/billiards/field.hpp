// SPDX-License-Identifier: BSD-3-Clause
// Potentials U(x) in which particles of unit mass fly between walls,
//   x'' = -grad U(x) + g,
// solved by Gauss collocation with step control, arc by arc: each arc is a polynomial in time, on which walls
// are found as on any other path. An arc depends on the state at its beginning and the step alone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "billiards/tangent.hpp"
#include "expressions/tree.hpp"
#include "mechanics/lagrangian.hpp"

namespace cotangent::billiards {

/// A pack of flights in a potential.
template <int D>
class FieldTrajectory {
 public:
  virtual ~FieldTrajectory() = default;
  virtual Pack potential(const Point<D>& x) const = 0;
  /// From path.x and path.v the arc of the lanes asked for, at most `step` long: fills path.bend,
  /// path.length. Returns the lanes that have one; where no step is small enough there is none.
  virtual PackMask begin(Path<D>& path, const Pack& step, PackMask lanes) = 0;
  /// The step that the last arc proposes for the next.
  virtual Pack next_step() const = 0;
  /// The state at s > 0 on the last arc, by a step of its own.
  virtual void solve(const Pack& s, PackMask lanes, Point<D>& x, Point<D>& v) = 0;
  /// Carries displacements from the arc's beginning to there.
  virtual void carry(const Pack& s, PackMask lanes, Displacement<D>* displacements, std::size_t count) = 0;
  /// x'' at x.
  virtual Point<D> acceleration(const Point<D>& x) const = 0;
};

template <int D>
class Field {
 public:
  virtual ~Field() = default;
  virtual std::unique_ptr<FieldTrajectory<D>> course(const Vector<D>& gravity) const = 0;
  /// U and its gradient.
  virtual double potential(const Vector<D>& x, Vector<D>& gradient) const = 0;
};
template <int D>
using MakeField = std::function<std::unique_ptr<Field<D>>(const std::vector<double>&)>;

/// A kind of field that a deck can name.
struct FieldKind {
  std::string name, about;
  int dim = 0;
  std::vector<mechanics::Parameter> parameters;
  std::variant<MakeField<2>, MakeField<3>> make;
  /// U, of the coordinates and then the parameters. Throws an Error where it uses what decks have no word
  /// for.
  std::function<expressions::Tree()> formula = nullptr;
};

/// The kinds of fields/, in the order of their list.
std::vector<FieldKind> built_in_fields();

}  // namespace cotangent::billiards
