// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a system of rods, and a step's algebra on it: its own rods; copies of all points that
// they join; and of the other ranks' rods that end at these points, the multipliers and gradients. A point's
// copies see the same forces in the same order, so they keep the same bits, and only what belongs to foreign
// rods ever crosses ranks.
//
// With gradients G_k = dg_k/dr of r = q_a - q_b, a multiplier vector moves the points by M^-1 G^T Lambda, and
//   (G M^-1 G'^T)_kj = w_kj (G_k . G'_j),      w_kj = sum over common points c of +-1/m_c,
// so that the matrix of the multipliers is a constant pattern of weights times products of gradients.
// Loops over rods run over series of them (series.hpp).
#pragma once

#include <cmath>
#include <span>

#include "rods/known_rods.hpp"
#include "rods/series.hpp"
#include "rods/share.hpp"

namespace cotangent::rods {

template <int D>
class RodBlock : public KnownRods {
 public:
  using KnownRods::reported;

  /// A vector for each rod or point, coordinate by coordinate.
  using PointVectors = std::array<std::vector<double>, D>;

  /// What this rank needs of all shares: its own, and by what other ranks say of its rods' ends. Throws Error
  /// where the system makes no sense: what check() refuses, a rod between two fixed points, a point without a
  /// rod. Collective.
  explicit RodBlock(RodShare<D> share);
  /// Throws Error where a rod isn't as long as its points are apart, or they move along it, by more than
  /// `tolerance` relative to the rod, and to the points' speed. Collective.
  void check_start(double tolerance) const;

  /// The size of what may be reached at the beginning.
  double extent() const { return extent_; }
  /// That points are held on.
  const std::optional<HoldingSurface<D>>& surface() const { return surface_; }
  /// Rows of a field that is given for all known points, of those that this rank reports.
  std::vector<double> reported(const PointVectors& field) const;
  /// The other way, and to copies on other ranks. Collective.
  void take_reported(std::span<const double> rows, PointVectors& field) const;
  double length(int known) const { return length_[static_cast<std::size_t>(known)]; }
  double mass(int i) const { return mass_[static_cast<std::size_t>(i)]; }
  bool moves(int i) const { return inverse_mass_[static_cast<std::size_t>(i)] > 0; }

  /// w_kj of two known rods, the first an own one.
  double weight(int own, int known) const;

  /// Gradients G of all known rods; those of foreign ones are filled in by the halo.
  PointVectors gradient, old_gradient;
  PointVectors position, velocity;
  /// Where multipliers begin to act in a step, and by how much they have moved each point from there.
  PointVectors predicted, moved;

  /// Takes forces on the known points, beside gravity, as they are where the points are now; for a step h
  /// that accept() has made with those before, corrects the velocities to the mean of both. With h = 0 the
  /// velocities stay.
  void feel(const PointVectors& force, double h);

  /// The prediction q + h v + h^2 f / 2, where multipliers begin to act.
  void predict(double h);
  /// Uses the positions themselves as the prediction.
  void predict_here() { predicted = position; }
  /// Moves the predicted points by M^-1 G_old^T Lambda, given for all known rods; writes g and G of the own
  /// rods there and returns their largest |g| / |grad g|; infinity where a number isn't finite.
  double constrain(std::span<const double> multiplier, std::span<double> g);
  /// Makes the moved points the new ones, whoever moved them, and, for a step h, gives the points the
  /// velocity of half a kick and of the multipliers, and another half kick. With h = 0 the velocities stay.
  void accept(double h);
  /// Takes the last accept() and all push() since back; forces have to be felt anew.
  void revert();

  /// G of the own rods where the points are; returns the largest error of a rod, as constrain() does.
  double measure(std::span<double> g);
  /// G v of the own rods; returns the squares of the largest |G v| / |G| and of the largest speed.
  struct Rates {
    double along_square, speed_square;
  };
  Rates rates(std::span<double> rate) const;
  /// v += factor M^-1 G^T mu, given for all known rods.
  void push(std::span<const double> multiplier, double factor);
  /// d2g/dt2 of free flight, v.Hv + G.f, of the own rods.
  void accelerations(std::span<double> result) const;
  /// G M^-1 G'^T x of the own rods, with the gradients given for G and G', and x, for all known ones.
  void apply(std::span<const double> x, const PointVectors& left, const PointVectors& right,
             std::span<double> y) const;

  /// The largest coordinate of a known point.
  double reach() const;

  /// Of the points that this rank reports.
  double kinetic_energy() const;
  double potential_energy() const;

 private:
  /// Whether these are holds. Their second end is then the point of no concern.
  bool holds(const RodSeries& series) const { return series.second == position[0].size(); }
  std::array<double, D> at(const PointVectors& field, std::size_t i) const {
    std::array<double, D> x;
    for (int d = 0; d < D; ++d) x[d] = field[d][i];
    return x;
  }
  void take_points(const RodShare<D>& share);
  void find_series();
  void spread(std::span<const double> x, const PointVectors& along, PointVectors& moved) const;
  template <class Place>
  double measure_holds(const Place& place, std::span<double> g);
  template <class Place>
  double measure_at(const Place& place, std::span<double> g);

  double extent_ = 0;
  std::vector<double> length_, mass_, inverse_mass_;
  std::vector<RodSeries> series_, own_series_;
  struct Hold {
    std::size_t known, point;
  };
  std::vector<Hold> holds_;  // own ones
  std::array<double, D> gravity_{};
  std::optional<HoldingSurface<D>> surface_;
  PointVectors acceleration_;  // by gravity and the forces felt; 0 for a fixed point
  PointVectors before_position_, before_velocity_;
};

extern template class RodBlock<2>;
extern template class RodBlock<3>;

}  // namespace cotangent::rods
