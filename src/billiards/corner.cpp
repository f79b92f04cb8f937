// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/corner.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "billiards/points.hpp"

namespace cotangent::billiards {

namespace {

/// The lanes whose entry is `value`.
PackMask lanes_where(const LaneWalls& entries, int value) {
  PackMask mask(false);
  for (int i = 0; i < numerics::native_width; ++i) mask.set(i, entries[static_cast<std::size_t>(i)] == value);
  return mask;
}

/// Whether the domain about a point on a lane's wall changes with the side of another wall through it. Walls
/// that are tangent to the lane's own have its side.
template <int D>
bool shaped_by(const Domain<D>& domain, int own, int other, int lane, const Point<D>& x, const Pack& t,
               const Contact<D>& contact) {
  const auto& walls = domain.walls();
  std::vector<double> value(walls.size()), tied(walls.size(), 0.0);
  for (std::size_t w = 0; w < walls.size(); ++w) {
    const Contact<D> c = walls[w]->contact(x, t);
    const double size =
        std::sqrt(dot<D>(c.gradient, c.gradient)[lane] * dot<D>(contact.gradient, contact.gradient)[lane]);
    const double along = dot<D>(c.gradient, contact.gradient)[lane] / size;
    value[w] = c.value[lane];
    if (std::abs(along) > 1 - 1e-6 && std::abs(c.value[lane]) < 1e-9 * size) tied[w] = along;
  }
  const auto inside = [&](double side, double other_side) {
    return std::ranges::any_of(domain.region(), [&](const Cell& cell) {
      return std::ranges::all_of(cell, [&](const Side& s) {
        const auto w = static_cast<std::size_t>(s.wall);
        const double here = s.wall == own     ? side
                            : s.wall == other ? other_side
                            : tied[w] != 0    ? tied[w] * side
                                              : value[w];
        return s.sign * here > 0;
      });
    });
  };
  return inside(1, 1) != inside(1, -1) || inside(-1, 1) != inside(-1, -1);
}

}  // namespace

template <int D>
Contact<D> own_contact(const Domain<D>& domain, const LaneWalls& own, const Point<D>& x, const Pack& t,
                       PackMask lanes) {
  const auto& walls = domain.walls();
  if (walls.size() == 1) return walls[0]->contact(x, t);
  Contact<D> result{};
  for (int w = 0; w < static_cast<int>(walls.size()); ++w) {
    const PackMask mine = lanes & lanes_where(own, w);
    if (!any(mine)) continue;
    const Contact<D> here = walls[static_cast<std::size_t>(w)]->contact(x, t);
    result.value = select(mine, here.value, result.value);
    result.gradient = select<D>(mine, here.gradient, result.gradient);
    result.velocity = select<D>(mine, here.velocity, result.velocity);
    for (int d = 0; d < D; ++d) result.hessian[d] = select<D>(mine, here.hessian[d], result.hessian[d]);
    result.acceleration = select<D>(mine, here.acceleration, result.acceleration);
  }
  return result;
}

template <int D>
PackMask corners(const Domain<D>& domain, const LaneWalls& own, std::span<const Pack> values,
                 const Point<D>& x, const Pack& t, const Contact<D>& contact, PackMask lanes) {
  const auto& walls = domain.walls();
  PackMask result(false);
  const Pack gg = dot<D>(contact.gradient, contact.gradient);
  Pack near(corner_width);
  for (int d = 0; d < D; ++d) near += corner_width * abs(x[d]);
  for (int w = 0; w < static_cast<int>(walls.size()) && walls.size() > 1; ++w) {
    const PackMask others = lanes & !lanes_where(own, w);
    if (!any(others)) continue;
    const Wall<D>& wall = *walls[static_cast<std::size_t>(w)];
    const Pack& value = values[static_cast<std::size_t>(w)];
    if (!any(others & (value * value <= 1e18 * near * near * gg))) continue;  // far, whatever its gradient
    const Contact<D> other = wall.contact(x, t);
    const Pack size = dot<D>(other.gradient, other.gradient),
               along = dot<D>(other.gradient, contact.gradient);
    const PackMask meets = others & (other.value * other.value <= near * near * size);
    const PackMask bends = meets & (along * along < (1.0 - 1e-6) * (size * gg));
    if (!any(bends)) continue;
    for (int i = 0; i < numerics::native_width; ++i) {
      const int lane_wall = own[static_cast<std::size_t>(i)];
      if (bends[i] && shaped_by<D>(domain, lane_wall, w, i, x, t, contact)) result.set(i, true);
    }
  }
  return result;
}

template Contact<2> own_contact<2>(const Domain<2>&, const LaneWalls&, const Point<2>&, const Pack&,
                                   PackMask);
template Contact<3> own_contact<3>(const Domain<3>&, const LaneWalls&, const Point<3>&, const Pack&,
                                   PackMask);
template PackMask corners<2>(const Domain<2>&, const LaneWalls&, std::span<const Pack>, const Point<2>&,
                             const Pack&, const Contact<2>&, PackMask);
template PackMask corners<3>(const Domain<3>&, const LaneWalls&, std::span<const Pack>, const Point<3>&,
                             const Pack&, const Contact<3>&, PackMask);

}  // namespace cotangent::billiards
