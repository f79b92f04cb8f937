// SPDX-License-Identifier: BSD-3-Clause
// A pack of particles that fly freely in a domain and bounce off its walls, each from one collision to the
// next:
//   x(s) = x + v s + g s^2 / 2  (or an arc in a field),   v' = v - (1 + restitution) (u.n) n,   u = v -
//   (wall's velocity)
// exactly, but for round-off. A flight ends where the cell that holds it is left and no other cell holds the
// point: in a union, with the last set left. After a hit the point is moved onto the wall (by round-off), and
// the wall's root at time zero is divided out of the next flight.
// Corners: a hit within `corner_width` of a second wall of another direction ends the particle as `corner`;
// where walls join smoothly (the stadium's) or coincide (an edge of two sets) it goes on. Unit mass.
#pragma once

#include "billiards/corner.hpp"
#include "billiards/field.hpp"
#include "billiards/tangent.hpp"
#include "core/status.hpp"
#include "numerics/compensated.hpp"
#include "sections/deviation_frame.hpp"

namespace cotangent::billiards {

template <int D>
class Gas {
 public:
  static constexpr int width = numerics::native_width;

  Gas(const Domain<D>& domain, const Vector<D>& gravity, std::uint64_t seed = 1,
      const Field<D>* field = nullptr);

  /// A particle at rest or not at t = 0; of its status the lane then tells: pending, or infeasible_start.
  void load(int lane, std::int64_t id, const Vector<D>& x, const Vector<D>& v);
  void release(int lane) { active_.set(lane, false); }
  /// Flies all active lanes to their next hit, or where they pass from one cell to another (their state is
  /// then still that of the flight's beginning), or to the end of their arc in a field, or to `limit` (and
  /// there their status is `finished`). Where the limit is infinite and there is no hit, it is `left_domain`,
  /// in a field after 400 arcs.
  void advance(double limit);

  /// The flight that advance() has flown, how long it was, and who ended it with a hit. One that met no wall
  /// where it should, or a point without a normal, was none: their particle ends there or where it set out.
  const Path<D>& path() const { return path_; }
  Pack duration() const { return duration_; }
  PackMask hit() const { return hit_; }
  int wall(int lane) const { return wall_[static_cast<std::size_t>(lane)]; }
  /// The inward normal where it ended, and the change of the velocity along it.
  const Point<D>& normal() const { return normal_; }
  Pack kick() const { return kick_; }
  /// The velocity with which it came there.
  const Point<D>& arriving() const { return arriving_; }

  PackMask active() const { return active_; }
  Status status(int lane) const { return status_[static_cast<std::size_t>(lane)]; }
  const Point<D>& x() const { return x_; }
  const Point<D>& v() const { return v_; }
  /// Of all flights, summed up with what rounding owes: equal ones would all be rounded to the same side.
  Pack time() const { return t_.value; }
  /// Of each lane: what walls that aren't elastic or at rest have given it in all is part of the balance.
  Pack energy_error() const { return energy_error_; }
  Pack energy() const { return energy(x_, v_); }
  Pack energy(const Point<D>& x, const Point<D>& v) const;
  std::int64_t bounces(int lane) const { return bounces_[static_cast<std::size_t>(lane)]; }

  /// Carries a displacement along (tangent.hpp), normalised at each hit and after each arc in a field; the
  /// sum of logarithms is the Lyapunov exponent's. Of what rough walls do to it nothing is known.
  void watch_tangent() { tangential_ = true; }
  /// Sets that of a lane, loaded before.
  void displace(int lane, const Vector<D>& dx, const Vector<D>& dv) {
    for (int d = 0; d < D; ++d) {
      displacement_.q[d].set(lane, dx[d]);
      displacement_.y[d].set(lane, dv[d]);
    }
  }
  const Displacement<D>& displacement() const { return displacement_; }
  Pack stretching() const { return stretching_; }
  /// Carries deviations along as the rule says, from hit to hit and arc to arc.
  void watch_growth(const sections::GrowthRule& rule) { frame_.emplace(rule); }
  /// What becomes of them, where they are watched.
  const sections::DeviationFrame<Pack, D>& deviations() const { return *frame_; }

  /// All that the rest of a lane's motion depends on, as state_size() numbers.
  std::size_t state_size() const {
    return 4 * D + 14 + around_.on.size() + (frame_ ? frame_->state_size() : 0);
  }
  void save(int lane, double* state) const;
  void restore(int lane, std::int64_t id, const double* state);

 private:
  void find_hits(const Pack& limit);
  Pack exits(std::size_t slot, const Pack& from, const Pack& limit, PackMask& lanes);
  Contact<D> contact(const Point<D>& x, const Pack& t, PackMask lanes) const {
    return own_contact<D>(domain_, wall_, x, t, lanes);
  }
  void value_walls(const Point<D>& x, const Pack& t);
  PackMask look_around(const Passage<D>& passage, const Contact<D>& contact);
  void bounce(PackMask hits);
  [[gnu::noinline]] PackMask missed(const Contact<D>& arrival) const;
  [[gnu::noinline]] void set_back(PackMask none, PackMask singular, const Point<D>& at,
                                  const Point<D>& arriving);
  void carry(PackMask lanes, Displacement<D>* displacements, std::size_t count);
  void follow_deviations(PackMask lanes, const Arrival<D>* arrival);
  void fly(Point<D>& x, Point<D>& v);
  /// What a point's round-off is relative to, to which a flight has come with a velocity: the numbers that it
  /// is computed from, and a length of the walls' own.
  Pack extent(const Point<D>& v, const Pack& duration) const {
    Pack sum(domain_.length());
    for (int d = 0; d < D; ++d) sum = fma(abs(v[d]), duration, sum + abs(path_.x[d]));
    return sum;
  }
  static Pack polished(const Pack& duration, const Contact<D>& contact, const Point<D>& v);
  Pack note_error();
  void restore_energy(PackMask lanes);
  void throw_back(int lane, const Law& law);
  int cell_of(int lane) const;
  int cell_beyond(int lane, double sign);
  const Member<D>& member_hit(int lane) const {
    return domain_
        .members()[static_cast<std::size_t>(domain_.member_of(wall_[static_cast<std::size_t>(lane)]))];
  }
  void end(int lane, Status status);

  const Domain<D>& domain_;
  Vector<D> g_;
  std::uint64_t seed_;
  bool tangential_ = false;

  std::unique_ptr<FieldTrajectory<D>> course_;  // in a field
  Path<D> path_;
  Point<D> x_{}, v_{}, normal_{}, arriving_{};
  numerics::Compensated<Pack> t_, begun_;  // now, and where the flight began
  Pack from_{}, duration_{}, kick_{}, reference_{}, energy_error_{}, stretching_{}, step_{};
  Displacement<D> displacement_{};
  std::optional<sections::DeviationFrame<Pack, D>> frame_;
  PackMask active_, hit_, under_way_, corner_;
  std::array<Side, width> next_{};  // the side that each lane may leave first
  Surroundings around_;             // where the lanes came to their own walls
  std::vector<int> degree_;  // the highest of all cells' sides of this number, whatever cells lanes are in
  LaneWalls wall_{};
  // Of passages from cell to cell on the way, those that lead no further counting as many; of arcs since the
  // last hit, where there is no limit; of the last hits on walls that take energy, those after hops lower
  // than round-off.
  std::array<int, width> cell_{}, hops_{}, arcs_{}, low_{};
  std::array<double, width> sign_{};
  std::array<std::int64_t, width> id_{}, bounces_{};
  std::array<Status, width> status_{};
};

}  // namespace cotangent::billiards
