// SPDX-License-Identifier: BSD-3-Clause
// The part of Gas that looks for hits: which side of its cell each lane leaves first, and what stands there:
// a wall, another cell, a corner.
#include <algorithm>

#include "billiards/gas.hpp"
#include "billiards/points.hpp"

namespace cotangent::billiards {

namespace {

constexpr int most_hops = 1'000'000;  // on a flight
constexpr double no_way = 0x1p-40;    // of the time: a hop that leads no further

}  // namespace

template <int D>
void Gas<D>::value_walls(const Point<D>& x, const Pack& t) {
  for (std::size_t w = 0; w < around_.side.size(); ++w) around_.side[w] = domain_.walls()[w]->value(x, t);
}

/// Where lanes have come to their own walls; returns those that are on others of another direction.
template <int D>
PackMask Gas<D>::look_around(const Passage<D>& passage, const Contact<D>& contact) {
  if (around_.on.size() == 1) {
    around_.on[0] = around_.on[0] | passage.lanes;
    around_.side[0] = select(passage.lanes, passage.sign, around_.side[0]);
    return PackMask(false);
  }
  return billiards::look_around<D>(domain_, passage, contact, around_);
}

/// A cell that holds where the lane goes on, by its sides of the walls; -1: none.
template <int D>
int Gas<D>::cell_of(int lane) const {
  const auto holds = [&](const Side& side) {
    return side.sign * around_.side[static_cast<std::size_t>(side.wall)][lane] > 0;
  };
  for (std::size_t c = 0; c < domain_.region().size(); ++c) {
    if (std::ranges::all_of(domain_.region()[c], holds)) return static_cast<int>(c);
  }
  return -1;
}

/// The same, walls that coincide with the lane's own being left with it.
template <int D>
int Gas<D>::cell_beyond(int lane, double sign) {
  bool again = false;
  for (std::size_t w = 0; w < around_.along.size(); ++w) {
    if (!around_.along[w][lane]) continue;
    around_.side[w].set(lane, sign);
    again = true;
  }
  return again ? cell_of(lane) : -1;
}

/// When the lanes asked for leave the side number `slot` of their cells: polynomials all together, of
/// whatever wall; others wall by wall. Lanes whose cell has fewer sides are taken out.
template <int D>
Pack Gas<D>::exits(std::size_t slot, const Pack& from, const Pack& limit, PackMask& lanes) {
  PackMask together(false), on_wall(false);
  Coefficients c{};
  Pack result = limit;
  for (int i = 0; i < width; ++i) {
    if (!lanes[i]) continue;
    const Cell& cell = domain_.region()[static_cast<std::size_t>(cell_[static_cast<std::size_t>(i)])];
    if (slot >= cell.size()) {
      lanes.set(i, false);
    } else {
      next_[static_cast<std::size_t>(i)] = cell[slot];
      on_wall.set(i, around_.on[static_cast<std::size_t>(cell[slot].wall)][i]);
    }
  }
  PackMask open = lanes;
  for (int i = 0; i < width; ++i) {
    if (!open[i]) continue;
    const Side side = next_[static_cast<std::size_t>(i)];
    PackMask here(false);
    for (int j = i; j < width; ++j) here.set(j, open[j] && next_[static_cast<std::size_t>(j)] == side);
    open = open & !here;
    const Wall<D>& wall = *domain_.walls()[static_cast<std::size_t>(side.wall)];
    const int its = path_.terms > 0 ? -1 : wall.degree(path_.falls());
    if (its < 0) {
      result = select(here, wall.exit(path_, side.sign, {here, here & on_wall, from, limit}), result);
      continue;
    }
    Coefficients own{};
    wall.expand(path_, own);
    for (int k = 0; k <= its; ++k) c[k] = select(here, side.sign * own[k], c[k]);
    together = together | here;
  }
  if (!any(together)) return result;
  return select(together, first_root(c, degree_[slot], {together, together & on_wall, from, limit}), result);
}

/// For each active lane the duration up to its hit or the limit, and the wall that it hits; or, where it
/// passes from one cell to another, the time from which the next call searches on, so that no lane waits for
/// it.
template <int D>
void Gas<D>::find_hits(const Pack& limit) {
  const bool one_cell = domain_.region().size() == 1;
  PackMask found(false), unknown(false), lost(false);
  Pack first = limit;
  std::array<Side, width> left{};
  for (std::size_t slot = 0;; ++slot) {
    PackMask here = active_;
    const Pack at = exits(slot, from_, first, here);
    if (!any(here)) break;
    const PackMask sooner = here & (at < first);
    first = select(sooner, at, first);
    found = found | sooner;
    unknown = unknown | (here & (at != at));
    numerics::for_lanes(
        sooner, [&](int i) { left[static_cast<std::size_t>(i)] = next_[static_cast<std::size_t>(i)]; });
  }
  // A side that wasn't found doesn't matter where it is known not to be left before another.
  for (std::size_t slot = 0; any(unknown); ++slot) {
    PackMask here = unknown;
    const Pack at = exits(slot, from_, first, here);
    if (!any(here)) break;
    lost = lost | (here & (at != at));
  }
  numerics::for_lanes(found, [&](int i) {
    if (hops_[static_cast<std::size_t>(i)] >= most_hops) lost.set(i, true);
  });
  hit_ = under_way_ = corner_ = PackMask(false);
  duration_ = select(active_ & !lost, first, Pack(0.0));
  numerics::for_lanes(lost, [&](int i) { end(i, Status::step_too_small); });
  found = found & !lost;
  if (!any(found)) return;
  Pack far(0.0);
  numerics::for_lanes(found, [&](int i) {
    const auto lane = static_cast<std::size_t>(i);
    wall_[lane] = left[lane].wall;
    sign_[lane] = left[lane].sign;
    far.set(i, -left[lane].sign);
  });
  const Contact<D> contact = this->contact(path_.position(first), path_.start + first, found);
  const Pack arrival = polished(first, contact, path_.velocity(first));
  Passage<D> passage{
      found, wall_, far, path_.position(arrival), path_.velocity(arrival), path_.start + arrival, {}};
  passage.extent = extent(passage.v, arrival);
  if (around_.on.size() > 1) value_walls(path_.position(first), path_.start + first);
  const PackMask crowded = look_around(passage, contact), further = first - from_ > no_way * first;
  numerics::for_lanes(found, [&](int i) {
    const auto lane = static_cast<std::size_t>(i);
    int next = one_cell ? -1 : cell_of(i);
    if (!one_cell && next < 0) next = cell_beyond(i, far[i]);
    (next < 0 ? hit_ : under_way_).set(i, true);
    if (next < 0) return;
    cell_[lane] = next;
    sign_[lane] = far[i];
    hops_[lane] += further[i] ? 1 : most_hops / most_approaches;
  });
  if (any(crowded)) {
    passage.lanes = crowded;
    const Junction met = junction<D>(domain_, passage, around_.on);
    corner_ = met.corner;
    numerics::for_lanes(hit_ & crowded, [&](int i) {
      const auto lane = static_cast<std::size_t>(i);
      if (met.instead[lane] < 0) return;
      wall_[lane] = met.instead[lane];
      sign_[lane] = around_.side[static_cast<std::size_t>(wall_[lane])][i] > 0 ? -1.0 : 1.0;
    });
    hit_ = hit_ | corner_;
    under_way_ = under_way_ & !hit_;
  }
  for (std::size_t w = 0; any(under_way_) && w < around_.on.size(); ++w) {
    const PackMask ahead = around_.along[w] & (around_.side[w] * far < Pack(0.0));  // still to be left
    around_.on[w] = around_.on[w] & !(under_way_ & ahead);
  }
  from_ = select(under_way_, first, from_);
  duration_ = select(under_way_, Pack(0.0), course_ ? duration_ : select(hit_, arrival, duration_));
}

/// The last step of Newton's method, in time, with the formula itself: so x and v stay on one path.
template <int D>
Pack Gas<D>::polished(const Pack& duration, const Contact<D>& contact, const Point<D>& v) {
  Pack slope(0.0);
  for (int d = 0; d < D; ++d) slope = fma(v[d] - contact.velocity[d], contact.gradient[d], slope);
  const Pack shift = -(contact.value / slope);
  return select(abs(shift) <= 1e-3 * duration, duration + shift, duration);
}

template void Gas<2>::value_walls(const Point<2>&, const Pack&);
template void Gas<3>::value_walls(const Point<3>&, const Pack&);
template PackMask Gas<2>::look_around(const Passage<2>&, const Contact<2>&);
template PackMask Gas<3>::look_around(const Passage<3>&, const Contact<3>&);
template int Gas<2>::cell_of(int) const;
template int Gas<3>::cell_of(int) const;
template int Gas<2>::cell_beyond(int, double);
template int Gas<3>::cell_beyond(int, double);
template void Gas<2>::find_hits(const Pack&);
template void Gas<3>::find_hits(const Pack&);
template Pack Gas<2>::polished(const Pack&, const Contact<2>&, const Point<2>&);
template Pack Gas<3>::polished(const Pack&, const Contact<3>&, const Point<3>&);

}  // namespace cotangent::billiards
