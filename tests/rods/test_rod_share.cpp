// SPDX-License-Identifier: BSD-3-Clause
// What each rank makes of a system of rods, and asks the others for: as if it held the whole.
#include <algorithm>
#include <map>
#include <set>

#include "dense_rattle.hpp"
#include "la/petsc.hpp"
#include "numerics/random.hpp"

using namespace cotangent;
using namespace cotangent::particles;
using namespace cotangent::rods;

namespace {

bool same(const std::vector<Rod>& a, const std::vector<Rod>& b) {
  return std::ranges::equal(a, b, [](const Rod& x, const Rod& y) {
    return x.first == y.first && x.second == y.second && x.length == y.length;
  });
}

/// All rods of the chains by the way of a whole system.
std::vector<Rod> as_a_whole(const RodChains& chains, double length) {
  RodSystem<3> system;
  for (std::int64_t m = 0; m < chains.molecules; ++m) {
    const std::int64_t first = m * chains.points_each();
    for (std::int64_t k = 0; k < chains.rods; ++k)
      system.rods.push_back({first + k, first + (k + 1) % chains.points_each(), length});
  }
  system.mass.assign(static_cast<std::size_t>(chains.point_count()), 1.0);
  for (const std::int64_t point : chains.fixed) system.mass[static_cast<std::size_t>(point)] = fixed;
  if (chains.held) system.hold_on(test::ellipsoid());
  return system.rods;
}

/// The same rods in an order that leaves nobody's neighbours with him, and the points numbered anew.
RodSystem<3> shuffled(RodSystem<3> system) {
  const std::size_t points = system.mass.size();
  REQUIRE(points % 7 != 0);
  REQUIRE(system.rods.size() % 5 != 0);
  const auto moved = [&](std::int64_t point) {
    return point == nowhere ? nowhere
                            : static_cast<std::int64_t>((7 * static_cast<std::size_t>(point) + 3) % points);
  };
  RodSystem<3> other = system;
  for (std::size_t i = 0; i < points; ++i) {
    const auto to = static_cast<std::size_t>(moved(static_cast<std::int64_t>(i)));
    other.position[to] = system.position[i];
    other.velocity[to] = system.velocity[i];
    other.mass[to] = system.mass[i];
  }
  for (std::size_t k = 0; k < system.rods.size(); ++k) {
    const Rod& rod = system.rods[5 * k % system.rods.size()];
    other.rods[k] = {moved(rod.first), moved(rod.second), rod.length};
  }
  return other;
}

/// A block against what the whole system says of it.
void check_block(const RodSystem<3>& system) {
  const RodBlock<3> block(share_of(system));
  const int here = parallel::rank();
  const parallel::Runs runs{std::ssize(system.rods), parallel::size()};
  std::map<std::int64_t, std::set<int>> ranks_at;
  std::map<std::int64_t, std::set<std::int64_t>> rods_at;
  for (std::int64_t k = 0; k < runs.count; ++k) {
    const Rod& rod = system.rods[static_cast<std::size_t>(k)];
    for (const std::int64_t end : {rod.first, rod.second}) {
      if (end == nowhere) continue;
      ranks_at[end].insert(runs.rank_of(k));
      rods_at[end].insert(k);
    }
  }
  std::set<std::int64_t> points, rods;
  for (std::int64_t k = runs.begin(here); k < runs.begin(here + 1); ++k) {
    rods.insert(k);
    for (const std::int64_t end :
         {system.rods[static_cast<std::size_t>(k)].first, system.rods[static_cast<std::size_t>(k)].second}) {
      if (end == nowhere) continue;
      points.insert(end);
      if (system.mass[static_cast<std::size_t>(end)] != fixed)
        rods.insert(rods_at[end].begin(), rods_at[end].end());
    }
  }
  bool fine = block.point_count() == std::ssize(points) && block.known_count() == std::ssize(rods) &&
              block.own_count() == runs.size(here);
  int i = 0;
  for (const std::int64_t point : points) {
    const auto whole = static_cast<std::size_t>(point);
    const auto known = block.ranks_of(i);
    fine = fine && block.point(i) == point && block.place_of_point(point) == i &&
           std::ranges::equal(known, ranks_at[point]) && block.owns_point(i) == (known.front() == here) &&
           block.mass(i) == system.mass[whole];
    for (std::size_t d = 0; d < 3 && fine; ++d)
      fine = block.position[d][static_cast<std::size_t>(i)] == system.position[whole][d] &&
             block.velocity[d][static_cast<std::size_t>(i)] == system.velocity[whole][d];
    ++i;
  }
  int k = 0;
  for (const std::int64_t rod : rods) {
    const Rod& whole = system.rods[static_cast<std::size_t>(rod)];
    const auto end = [&](int known) { return known < 0 ? nowhere : block.point(known); };
    const auto here_if_known = [&](std::int64_t point) { return points.contains(point) ? point : nowhere; };
    fine = fine && block.rod(k) == rod && block.place(rod) == k &&
           end(block.first_end(k)) == here_if_known(whole.first) &&
           end(block.second_end(k)) == here_if_known(whole.second);
    ++k;
  }
  CHECK_ALL(fine);
  CHECK_ALL(block.extent() == system.extent());
  CHECK_ALL(parallel::sum(std::int64_t{block.reported_count()}) == std::ssize(system.mass));
}

}  // namespace

TEST_CASE("chains by number have the rods and holds of a whole system, wherever a run begins and ends") {
  for (const std::int64_t molecules : {1, 4}) {
    for (const bool closed : {false, true}) {
      for (const bool held : {false, true}) {
        for (const auto& nails : {std::vector<std::int64_t>{}, {0}, {1, 2, 5}}) {
          const RodChains chains{
              molecules, 5, closed, held, {nails.begin(), nails.end() - (closed && !nails.empty() ? 1 : 0)}};
          const std::vector<Rod> whole = as_a_whole(chains, 0.3);
          REQUIRE(chains.rod_count() == std::ssize(whole));
          bool fine = true;
          for (std::int64_t first = 0; first <= std::ssize(whole); ++first) {
            for (std::int64_t last = first; last <= std::ssize(whole); ++last)
              fine =
                  fine && same(chains.run(first, last, 0.3), {whole.begin() + first, whole.begin() + last});
          }
          CHECK(fine);
          RodSystem<3> one;
          one.rods = as_a_whole({1, 5, closed, false, {}}, 0.3);
          one.position.assign(6, {});
          CHECK(chains.longest_molecule(0.3) == one.longest_molecule());
        }
      }
    }
  }
}

TEST_CASE("a rank knows of foreign rods and points what it would know from the whole") {
  const auto net = test::net(5);
  check_block(net);
  check_block(shuffled(net));
  check_block(test::held_chain(11));
  check_block(shuffled(test::held_chain(10)));
  check_block(shuffled(test::uneven_chain<3>(31, 3.0, true, false)));
}

TEST_CASE("rods in any order move as they do in their own, on all ranks") {
  const la::Petsc petsc;
  RodOptions options;
  options.step = 0.01;
  options.project = true;
  for (const Formulation formulation : {Formulation::schur, Formulation::saddle_point}) {
    options.formulation = formulation;
    const auto in_order = test::held_chain(11);
    const std::size_t points = in_order.mass.size();
    RodRattle<3> first(in_order, options), second(shuffled(in_order), options);
    for (int k = 0; k < 20; ++k) {
      REQUIRE(first.advance() == Status::pending);
      REQUIRE(second.advance() == Status::pending);
    }
    const auto x = test::state(first, points), y = test::state(second, points);
    double apart = 0, control = 0;
    for (std::size_t i = 0; i < points; ++i) {
      const std::size_t to = (7 * i + 3) % points;
      for (std::size_t d = 0; d < 3; ++d) {
        apart = std::max(apart, std::abs(x[3 * i + d] - y[3 * to + d]));
        control = std::max(control, std::abs(x[3 * i + d] - in_order.position[i][d]));
      }
    }
    INFO("apart " << apart << ", moved " << control);
    CHECK_ALL(apart < 1e-12);
    CHECK_ALL(control > 1e-2);
  }
}

TEST_CASE("copies of a point take back the bits of the one that reports it") {
  RodBlock<3> block(share_of(shuffled(test::net(5))));
  const auto rows = block.reported(block.position);
  auto blank = block.position;
  for (auto& part : blank) std::ranges::fill(part, -7.0);
  block.take_reported(rows, blank);
  CHECK_ALL(blank == block.position);
}
