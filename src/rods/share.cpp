// SPDX-License-Identifier: BSD-3-Clause
#include "rods/share.hpp"

#include <algorithm>
#include <cmath>

#include "rods/refuse.hpp"

namespace cotangent::rods {

using detail::refuse;
namespace {

template <class Vector>
bool is_finite(const Vector& x) {
  return std::ranges::all_of(x, [](double part) { return std::isfinite(part); });
}

/// Of a system's rods, cut between molecules where these follow one another.
template <int D>
parallel::Partition runs_of_molecules(const RodSystem<D>& system) {
  const std::vector<std::size_t> molecules = system.molecules();
  const auto molecule = [&](std::int64_t k) {
    return molecules[static_cast<std::size_t>(system.rods[static_cast<std::size_t>(k)].first)];
  };
  const std::int64_t rods = std::ssize(system.rods);
  std::vector<std::int64_t> end(molecules.size(), 0);  // of each molecule's rods
  for (std::int64_t k = 0; k < rods; ++k) end[molecule(k)] = k + 1;
  std::vector<std::int64_t> cuts;  // through none
  std::int64_t open = 0;
  for (std::int64_t k = 0; k < rods; ++k) {
    if (open <= k) cuts.push_back(k);
    open = std::max(open, end[molecule(k)]);
  }
  cuts.push_back(rods);
  return parallel::cut_between(rods, parallel::size(), [&](std::int64_t k) {
    const auto after = std::ranges::upper_bound(cuts, k);
    return std::pair(*std::prev(after), *after);
  });
}

}  // namespace

template <int D>
void RodShare<D>::expect_points(parallel::Partition points) {
  point_runs = std::move(points);
  const auto own = static_cast<std::size_t>(point_runs.size(parallel::rank()));
  position.assign(own, {});
  velocity.assign(own, {});
  mass.assign(own, 1.0);
}

template <int D>
double RodShare<D>::extent() const {
  double largest = longest_molecule;
  for (const Vector& q : position) {
    for (const double x : q) largest = std::max(largest, std::abs(x));
  }
  return parallel::maximum(largest);
}

template <int D>
void RodShare<D>::check() const {
  if (rod_runs.count() == 0) refuse("there is no rod");
  parallel::agree([this] {
    for (std::size_t i = 0; i < mass.size(); ++i) {
      const std::int64_t point = first_point() + static_cast<std::int64_t>(i);
      if (!(mass[i] > 0)) refuse("point ", point, ": mass = ", mass[i], " must be positive");
      if (!is_finite(position[i]) || !is_finite(velocity[i]))
        refuse("point ", point, ": a position or velocity that isn't finite");
      if (mass[i] == fixed && velocity[i] != Vector{})
        refuse("point ", point, " is fixed and can't have a velocity");
    }
  });
  const std::int64_t n = point_runs.count();
  const auto exists = [n](std::int64_t point) { return point >= 0 && point < n; };
  parallel::agree([&] {
    std::int64_t k = first_rod();
    for (const Rod& rod : rods) {
      if (rod.holds()) {
        if (!surface) refuse("rod ", k, " holds a point on a surface, and there is none");
        if (!exists(rod.first)) refuse("rod ", k, " holds point ", rod.first, "; there are ", n);
      } else {
        if (!(rod.length > 0) || !std::isfinite(rod.length))
          refuse("rod ", k, ": length = ", rod.length, " must be positive");
        for (const std::int64_t end : {rod.first, rod.second}) {
          if (!exists(end)) refuse("rod ", k, " ends at point ", end, "; there are ", n);
        }
        if (rod.first == rod.second) refuse("rod ", k, " joins point ", rod.first, " to itself");
      }
      ++k;
    }
  });
}

template <int D>
RodShare<D> share_of(const RodSystem<D>& system) {
  const std::size_t points = system.mass.size();
  if (system.position.size() != points || system.velocity.size() != points)
    refuse(points, " masses, ", system.position.size(), " positions and ", system.velocity.size(),
           " velocities don't go together");
  for (std::size_t k = 0; k < system.rods.size(); ++k) {  // before molecules are looked for
    for (const std::int64_t end : {system.rods[k].first, system.rods[k].second}) {
      if (end != nowhere && (end < 0 || end >= static_cast<std::int64_t>(points)))
        refuse("rod ", k, " ends at point ", end, "; there are ", points);
    }
  }
  RodShare<D> share;
  share.expect_points(parallel::even_partition(std::ssize(system.mass), parallel::size()));
  for (std::size_t i = 0; i < share.mass.size(); ++i) {
    const std::size_t from = static_cast<std::size_t>(share.first_point()) + i;
    share.position[i] = system.position[from];
    share.velocity[i] = system.velocity[from];
    share.mass[i] = system.mass[from];
  }
  share.rod_runs = runs_of_molecules(system);
  const auto begin = system.rods.begin() + share.first_rod();
  share.rods.assign(begin, begin + share.rod_runs.size(parallel::rank()));
  share.longest_molecule = system.longest_molecule();
  share.gravity = system.gravity;
  share.surface = system.surface;
  return share;
}

std::int64_t RodChains::before(std::int64_t rod) const {
  if (!held) return rod;
  const std::int64_t molecule = rod / rods, within = rod % rods;
  const std::int64_t points =
      molecule * points_each() + (within == 0 ? 0 : std::min(within + 1, points_each()));
  return rod + points - (std::ranges::lower_bound(fixed, points) - fixed.begin());
}

std::int64_t RodChains::rod_at(std::int64_t entry) const {
  std::int64_t rod = 0;
  for (std::int64_t step = std::int64_t{1} << 62; step > 0; step /= 2) {
    if (step <= molecules * rods - rod && before(rod + step) <= entry) rod += step;
  }
  return rod;
}

parallel::Partition RodChains::point_runs(int ranks) const {
  const std::int64_t each = points_each();
  return parallel::cut_between(point_count(), ranks, [each](std::int64_t point) {
    const std::int64_t first = point / each * each;
    return std::pair(first, first + each);
  });
}

parallel::Partition RodChains::rod_runs(int ranks) const {
  return parallel::cut_between(rod_count(), ranks, [this](std::int64_t entry) {
    const std::int64_t first = rod_at(entry) / rods * rods;
    return std::pair(before(first), before(first + rods));
  });
}

std::vector<Rod> RodChains::run(std::int64_t first, std::int64_t last, double length) const {
  std::int64_t rod = rod_at(first);
  std::vector<Rod> all;
  all.reserve(static_cast<std::size_t>(last - first));
  for (std::int64_t next = before(rod); next < last; ++rod) {
    const auto put = [&](const Rod& entry) {
      if (next >= first && next < last) all.push_back(entry);
      ++next;
    };
    const auto hold = [&](std::int64_t point) {
      if (held && !std::ranges::binary_search(fixed, point)) put({point, nowhere, 0.0});
    };
    const std::int64_t within = rod % rods, start = rod / rods * points_each();
    if (within == 0) hold(start);
    if (within + 1 < points_each()) hold(start + within + 1);
    put({start + within, start + (within + 1) % points_each(), length});
  }
  return all;
}

double RodChains::longest_molecule(double length) const {
  double sum = 0;
  for (std::int64_t k = 0; k < rods; ++k) sum += length;
  return sum;
}

template struct RodShare<2>;
template struct RodShare<3>;
template RodShare<2> share_of(const RodSystem<2>&);
template RodShare<3> share_of(const RodSystem<3>&);

}  // namespace cotangent::rods
