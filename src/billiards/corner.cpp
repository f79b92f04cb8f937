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

/// Whether two walls' gradients at a point are parallel, given their squares and their product.
auto tangent(const auto& along, const auto& square, const auto& other_square) {
  return along * along >= (1.0 - 1e-6) * (square * other_square);
}

/// Whether the domain about a lane's point changes with the side of its own wall, and of another one there.
struct Shapers {
  bool own, other;
};
template <int D>
Shapers shapers(const Domain<D>& domain, const Passage<D>& passage, std::span<const PackMask> on, int lane,
                std::size_t own, std::size_t other) {
  const auto& walls = domain.walls();
  std::vector<Vector<D>> gradient(walls.size());
  std::vector<double> value(walls.size());
  for (std::size_t w = 0; w < walls.size(); ++w) {
    const Contact<D> contact = walls[w]->contact(passage.x, passage.t);
    value[w] = contact.value[lane];
    for (int d = 0; d < D; ++d) gradient[w][d] = contact.gradient[d][lane];
  }
  const auto product = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (int d = 0; d < D; ++d) sum += gradient[a][d] * gradient[b][d];
    return sum;
  };
  const auto tie = [&](std::size_t w, std::size_t one) {
    const double along = product(w, one);
    return on[w][lane] && tangent(along, product(w, w), product(one, one)) ? std::copysign(1.0, along) : 0.0;
  };
  // Of each wall the sides that go with these of the two.
  const auto inside = [&](double side, double other_side) {
    std::vector<double> sides = value;
    for (std::size_t w = 0; w < walls.size(); ++w) {
      const double tied = tie(w, own), other_tied = tie(w, other);
      if (tied != 0 || other_tied != 0) sides[w] = tied != 0 ? tied * side : other_tied * other_side;
    }
    return std::ranges::any_of(domain.region(), [&](const Cell& cell) {
      return std::ranges::all_of(
          cell, [&](const Side& s) { return s.sign * sides[static_cast<std::size_t>(s.wall)] > 0; });
    });
  };
  const bool both = inside(1, 1), first = inside(1, -1), second = inside(-1, 1), neither = inside(-1, -1);
  return {both != second || first != neither, both != first || second != neither};
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
PackMask look_around(const Domain<D>& domain, const Passage<D>& passage, const Contact<D>& contact,
                     Surroundings& around) {
  auto& [side, on, along_own] = around;
  const auto& walls = domain.walls();
  PackMask crowded(false);
  const Pack gg = dot<D>(contact.gradient, contact.gradient);
  const Pack near = corner_width * passage.extent;
  for (std::size_t w = 0; w < walls.size(); ++w) {
    const PackMask mine = passage.lanes & lanes_where(passage.own, static_cast<int>(w));
    const PackMask others = passage.lanes & !mine;
    const Pack value = side[w];
    side[w] = select(mine, passage.sign, value);
    on[w] = (on[w] & !passage.lanes) | mine;
    along_own[w] = PackMask(false);
    if (!any(others & (value * value <= 1e18 * near * near * gg))) continue;  // far, whatever its gradient
    const Contact<D> other = walls[w]->contact(passage.x, passage.t);
    const Pack size = dot<D>(other.gradient, other.gradient),
               along = dot<D>(other.gradient, contact.gradient);
    const PackMask here = others & (other.value * other.value <= near * near * size);
    if (!any(here)) continue;
    on[w] = on[w] | here;
    const PackMask tied = here & tangent(along, size, gg), opposite = tied & (along < Pack(0.0));
    along_own[w] = tied & !opposite;
    crowded = crowded | (here & !tied);
    // Through an edge in common they come to the other side of both; of a wall across theirs the side is the
    // one to which they go, unless they fly along it.
    const Point<D> u = plus<D>(passage.v, Pack(-1.0), other.velocity);
    const Pack rate = dot<D>(u, other.gradient);
    const PackMask goes = here & !tied & (rate * rate > 1e-12 * (dot<D>(u, u) * size));
    side[w] = select(goes, rate, select(opposite, -passage.sign, side[w]));
  }
  return crowded;
}

template <int D>
Junction junction(const Domain<D>& domain, const Passage<D>& passage, std::span<const PackMask> on) {
  Junction result{PackMask(false), {}};
  result.instead.fill(-1);
  for (std::size_t w = 0; w < on.size(); ++w) {
    const PackMask others = passage.lanes & on[w] & !lanes_where(passage.own, static_cast<int>(w));
    numerics::for_lanes(others, [&](int i) {
      const auto lane = static_cast<std::size_t>(i);
      const Shapers by = shapers<D>(domain, passage, on, i, static_cast<std::size_t>(passage.own[lane]), w);
      if (by.own && by.other) result.corner.set(i, true);
      if (!by.own && by.other) result.instead[lane] = static_cast<int>(w);
    });
  }
  return result;
}

template Contact<2> own_contact<2>(const Domain<2>&, const LaneWalls&, const Point<2>&, const Pack&,
                                   PackMask);
template Contact<3> own_contact<3>(const Domain<3>&, const LaneWalls&, const Point<3>&, const Pack&,
                                   PackMask);
template PackMask look_around<2>(const Domain<2>&, const Passage<2>&, const Contact<2>&, Surroundings&);
template PackMask look_around<3>(const Domain<3>&, const Passage<3>&, const Contact<3>&, Surroundings&);
template Junction junction<2>(const Domain<2>&, const Passage<2>&, std::span<const PackMask>);
template Junction junction<3>(const Domain<3>&, const Passage<3>&, std::span<const PackMask>);

}  // namespace cotangent::billiards
