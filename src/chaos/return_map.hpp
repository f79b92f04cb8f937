// SPDX-License-Identifier: BSD-3-Clause
// The return map of a problem as a map of a surface onto itself, about a periodic orbit that is its fixed
// point: from strobe to strobe of what is driven or kicked; from crossing to crossing of a section on a
// coordinate, within the energy surface; between walls, from bounce to bounce.
//
// Of free motion the surface is the plane of one coordinate and its velocity: the other coordinate's velocity
// follows from the energy. Under constraints and between walls there are no such coordinates for all of it,
// and its points are whole states: those on the manifold, on the section or just behind a bounce, and of the
// energy.
//
// The derivative is that of the method's own tangent map: with D that of the flight over the time of return,
// f' the flow at its end and c the slope of the section there (of the wall: of omega),
//   dz' = D dz - f' (c . D dz) / (c . f').
// To a section lead whole steps and a last, shorter one: so the map is continuous where their number changes.
#pragma once

#include "chaos/closure.hpp"
#include "chaos/invariant_manifolds.hpp"

namespace cotangent::chaos {

class ReturnMap final : public SectionMap {
 public:
  /// Of an orbit that closes, over `times` its returns, about its beginning or, if `point` isn't 0, its state
  /// after so many returns; of a billiard about its first bounce, or one after it. The closure's problem must
  /// outlive the map. Throws an Error where the returns are no map of a surface, or the orbit doesn't cross
  /// its section.
  ReturnMap(const Closure& closure, const ClosedOrbit& orbit, int times, int point = 0);
  /// Which numbers of a state (q, v) make a point; none where a problem's returns are no map of a surface.
  static std::vector<int> columns(const sections::Problem& problem, const sections::Section& section);

  const SectionPoint& fixed_point() const { return fixed_; }
  /// The next point and the derivative; nothing where no motion has this energy, or it doesn't return. An
  /// angle goes back by the orbit's own turns.
  std::optional<SectionImage> image(const SectionPoint& z) const override;
  /// By the flight back, with steps of the other sign: as near to the point whose image this is as the
  /// method's steps back are to its inverse and its last, shorter step before a section to a first one.
  std::optional<SectionPoint> back(const SectionPoint& z) const override;
  std::optional<SectionPoint> onto(const SectionPoint& z) const override;
  /// NaN where no motion has this energy.
  SectionPoint momentum(const SectionPoint& z) const override;

 private:
  struct State {
    std::vector<double> q, v;
  };
  /// A flight to the next return: its end, and what becomes of deviations (of states) that stay on the
  /// surface.
  struct Return {
    State end;
    Eigen::MatrixXd basis, derivative;
    double action;  ///< NaN: the surface isn't of one energy
  };
  State after(const State& start, int returns) const;
  bool whole() const { return std::ssize(columns_) == closure_.states(); }  ///< points are states
  std::optional<State> state_of(const SectionPoint& z) const;
  SectionPoint point_of(const State& state) const;
  std::optional<State> fly_back(const State& from, double time) const;
  std::optional<State> back_to_section(const State& from) const;
  std::optional<State> crossing_before(const State& here, double time) const;
  bool counts(const State& crossing) const;  ///< as the section's condition says
  std::optional<State> back_to_wall(const State& from) const;
  State reflected_back(State state) const;
  double above_section(const State& state) const;
  std::optional<Return> to_strobe(const State& from) const;
  std::optional<Return> to_section(const State& from) const;
  std::optional<Return> to_wall(const State& from) const;
  Eigen::MatrixXd tangent_plane(const sections::Arc& arc, const Eigen::VectorXd& section) const;
  bool onto_wall(State& state) const;
  bool to_energy(State& state) const;

  Closure closure_;
  std::vector<int> columns_;
  int across_ = -1;  ///< the section's coordinate; -1: a strobe or walls
  double side_ = 1;  ///< the sign of its velocity
  double energy_ = 0, period_ = 0;
  std::vector<double> turned_;  ///< by the orbit, of each coordinate
  SectionPoint fixed_;
};

}  // namespace cotangent::chaos
