// SPDX-License-Identifier: BSD-3-Clause
// Hard discs and spheres of equal radius and mass in a box, from event to event: pairs that touch exchange
// their velocities' normal parts,   v_i' = v_i - ((v_i - v_j).n) n,   walls mirror them or the box is
// periodic. Each particle keeps the time of its own clock, its next event alone in a heap, and the cell of a
// grid whose sides are no shorter than a diameter; an event concerns it and its neighbours' cells, so the
// cost of one hangs on the density and not on the number. An event that a partner has meanwhile missed is
// recomputed when it is due. Reference: Lubachevsky, J. Comput. Phys. 94 (1991) 255; Alder, Wainwright, J.
// Chem. Phys. 31 (1959) 459. Limits: unit mass, no gravity, at least three cells along each side, four
// where it is periodic: neighbours are then nearer than their images.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/error.hpp"

namespace cotangent::billiards {

template <int D>
class HardSpheres {
 public:
  using Vector = std::array<double, D>;
  struct Options {
    Vector box;  ///< sides; the box is [0, side] in each direction
    double radius = 0;
    bool periodic = true;
  };

  /// Throws an Error that names the first two that overlap, or one that is outside.
  HardSpheres(const Options& options, const std::vector<Vector>& x, const std::vector<Vector>& v);

  /// Goes on to a time, by at most so many events; returns how many there were. Where they are as many as
  /// that, the time may not be reached.
  std::int64_t advance(double time, std::int64_t events = std::numeric_limits<std::int64_t>::max());

  /// All that the motion goes on from, to the bit: numbers for each particle, and the sums.
  static std::size_t state_size(std::int64_t particles) {
    return static_cast<std::size_t>(particles) * (2 * D + 7) + 4;
  }
  std::vector<double> state() const;
  /// Of the same box, number and radius.
  void restore(std::span<const double> state);

  double time() const { return time_; }
  std::int64_t size() const { return static_cast<std::int64_t>(particles_.size()); }
  std::int64_t collisions() const { return collisions_; }
  std::int64_t wall_hits() const { return wall_hits_; }
  /// The sum of |v_i - v_j| times the diameter over all collisions of pairs: the virial of the pressure,
  ///   P A = N T (1 + virial / (D N T t)).
  double virial() const { return virial_; }
  Vector position(std::int64_t i) const;
  const Vector& velocity(std::int64_t i) const { return particles_[static_cast<std::size_t>(i)].v; }
  double energy() const;
  /// The nearest two surfaces: below zero by round-off at most.
  double least_gap() const;

 private:
  /// Instead of a partner. An idle particle had its event just now, and its next one isn't known yet: its
  /// `due` stays what it was, the least of all, so that the heap is one at any time.
  enum Kind : std::int32_t { crossing = -1, wall = -2, nothing = -3, idle = -4 };
  struct Particle {
    Vector x, v;
    double clock = 0, due = 0;  ///< when x was right; when the next event comes
    std::int32_t partner = nothing;
    std::int32_t axis = 0;  ///< of a crossing or a wall
    std::int32_t cell = 0, next = -1, before = -1;
  };

  Vector apart(const Particle& a, const Particle& b, double at) const;
  double meeting(const Particle& a, const Particle& b) const;
  template <class Function>
  void each_neighbour(std::int32_t cell, const Function& function) const;
  void move(Particle& p, double to) const;
  void enter(std::int32_t i, std::int32_t cell);
  void leave(std::int32_t i);
  void predict(std::int32_t i);
  void set(std::int32_t i, double due, std::int32_t partner, std::int32_t axis);
  void sift(std::int32_t place);
  bool earlier(std::int32_t a, std::int32_t b) const;
  void collide(std::int32_t i, std::int32_t j);
  void cross(std::int32_t i);

  Options options_;
  std::vector<Particle> particles_;
  std::vector<std::int32_t> heap_, place_;  // particles by the time of their event; where each stands
  std::vector<std::int32_t> first_;         // of each cell
  std::array<std::int32_t, D> cells_;
  Vector side_;  // of a cell
  double time_ = 0, virial_ = 0;
  std::int64_t collisions_ = 0, wall_hits_ = 0;
};

}  // namespace cotangent::billiards
