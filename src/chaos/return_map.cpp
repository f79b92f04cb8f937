// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/return_map.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.hpp"
#include "sections/energy_roots.hpp"

namespace cotangent::chaos {

bool ReturnMap::serves(const sections::Problem& problem, const sections::Section& section) {
  if (problem.multipliers() > 0) return false;
  if (section.strobe) return problem.dim() == 1;
  return problem.dim() == 2 && section.coordinate >= 0 && !problem.driven() && !problem.kicked();
}

ReturnMap::ReturnMap(const Closure& closure, const ClosedOrbit& orbit, int times)
    : closure_(closure), energy_(orbit.energy), period_(orbit.period * times) {
  if (!serves(*closure.problem, closure.section)) throw Error("its returns are no map of a plane");
  closure_.returns *= times;
  closure_.parameters = orbit.parameters;
  if (!closure.strobed()) {
    across_ = closure.section.coordinate;
    coordinate_ = 1 - across_;
    side_ = orbit.v[static_cast<std::size_t>(across_)] < 0 ? -1 : 1;
    if (orbit.v[static_cast<std::size_t>(across_)] == 0) throw Error("the orbit doesn't cross its section");
  }
  const auto k = static_cast<std::size_t>(coordinate_);
  turns_ = 2 * std::numbers::pi * static_cast<double>(orbit.winding[k]) * times;
  fixed_ = {orbit.q[k], orbit.v[k]};
}

std::optional<ReturnMap::Lifted> ReturnMap::lift(const PlanePoint& z) const {
  const auto dim = static_cast<std::size_t>(closure_.problem->dim()),
             k = static_cast<std::size_t>(coordinate_);
  Lifted x{std::vector<double>(dim), std::vector<double>(dim)};
  x.q[k] = z[0];
  x.v[k] = z[1];
  if (across_ < 0) return x;
  x.q[static_cast<std::size_t>(across_)] = closure_.section.value;
  const auto velocity =
      sections::velocity_of_energy(*closure_.problem, x.q, x.v, across_, closure_.parameters, energy_,
                                   [&](double v) { return v * side_ > 0; });
  if (!velocity) return std::nullopt;
  x.v[static_cast<std::size_t>(across_)] = *velocity;
  return x;
}

double ReturnMap::momentum(const PlanePoint& z) const {
  const auto x = lift(z);
  if (!x) return std::numeric_limits<double>::quiet_NaN();
  return closure_.problem->momentum(x->q, x->v, closure_.parameters)[static_cast<std::size_t>(coordinate_)];
}

std::optional<PlaneImage> ReturnMap::operator()(const PlanePoint& z) const {
  const auto from = lift(z);
  if (!from) return std::nullopt;
  auto image = across_ < 0 ? by_strobe(*from) : by_section(*from);
  if (image) image->at[0] -= turns_;
  return image;
}

std::optional<PlaneImage> ReturnMap::by_strobe(const Lifted& from) const {
  const auto arc = closure_.problem->arc(closure_.method, {0, from.q, from.v, closure_.parameters}, period_);
  if (arc.status != Status::finished) return std::nullopt;
  PlaneImage image{{arc.q[0], arc.v[0]}, {}};
  image.derivative << arc.derivative[0], arc.derivative[1], arc.derivative[2], arc.derivative[3];
  return image;
}

std::optional<PlaneImage> ReturnMap::by_section(const Lifted& from) const {
  const auto guess = first_return(closure_, from.q, from.v);
  if (!guess) return std::nullopt;
  const auto a = static_cast<std::size_t>(across_), c = static_cast<std::size_t>(coordinate_);
  double time = (*guess)[4];
  const sections::CoordinateInfo section = closure_.problem->coordinates()[a];
  // The flight's steps aren't the arc's, whose ends are the same to round-off: Newton's iteration on the time
  // of return, and where it moves no more by the flow alone.
  sections::Arc arc;
  double late = 0;
  for (int round = 0; round < 4; ++round) {
    arc = closure_.problem->arc(closure_.method, {0, from.q, from.v, closure_.parameters}, time);
    if (arc.status != Status::finished || !(std::abs(arc.v[a]) > 0)) return std::nullopt;
    late = arc.q[a] - closure_.section.value;
    if (section.angle) late = std::remainder(late, 2 * std::numbers::pi);
    late /= arc.v[a];
    if (std::abs(late) <= 1e-11 * time) break;
    time -= late;
  }
  // Columns of dx by the plane's coordinate and velocity, on section and energy surface.
  Eigen::Matrix<double, 4, 2> dx = Eigen::Matrix<double, 4, 2>::Zero();
  dx(coordinate_, 0) = 1;
  dx(2 + coordinate_, 1) = 1;
  for (int k = 0; k < 2; ++k)
    dx(2 + across_, k) = -arc.energy_slope[(k == 0 ? 0 : 2) + c] / arc.energy_slope[2 + a];
  const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> derivative(arc.derivative.data());
  const Eigen::Map<const Eigen::Vector4d> flow(arc.end_flow.data());
  const Eigen::Matrix<double, 4, 2> there = derivative * dx;
  const Eigen::Matrix<double, 4, 2> on_section = there - flow * (there.row(across_) / flow[across_]);
  PlaneImage image{{arc.q[c] - late * flow[coordinate_], arc.v[c] - late * flow[2 + coordinate_]}, {}};
  image.derivative << on_section.row(coordinate_), on_section.row(2 + coordinate_);
  return image;
}

}  // namespace cotangent::chaos
