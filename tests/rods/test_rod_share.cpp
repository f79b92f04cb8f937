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

/// Molecules of the same rods, given by places of points in one, far from each other.
RodSystem<3> molecules(int count, const std::vector<std::pair<int, int>>& rods, bool held) {
  RodSystem<3> system;
  int points = 0;
  for (const auto& [a, b] : rods) points = std::max({points, a + 1, b + 1});
  for (int m = 0; m < count; ++m) {
    const std::int64_t first = std::ssize(system.mass);
    for (int i = 0; i < points; ++i) {
      const auto u = numerics::uniform(5, static_cast<std::uint64_t>(first + i), 0),
                 v = numerics::uniform(5, static_cast<std::uint64_t>(first + i), 1);
      system.position.push_back({10.0 * m + u, v, u * v});
      const bool still = m % 3 == 1 && i == 0 && !held;
      system.velocity.push_back(still ? std::array{0.0, 0.0, 0.0} : std::array{v, -u, u - v});
      system.mass.push_back(still ? fixed : 1.0 + u);
    }
    for (const auto& [a, b] : rods) system.rods.push_back({first + a, first + b, 1.0 + 0.1 * a});
  }
  if (held) system.hold_on(test::ellipsoid());
  return system;
}

/// What a block's loops over runs of rods give, against one rod after the other, to the bit.
void check_loops(const RodSystem<3>& system) {
  RodBlock<3> block(share_of(system));
  const auto known = static_cast<std::size_t>(block.known_count()),
             own = static_cast<std::size_t>(block.own_count());
  std::vector<double> multiplier(known), rate(own), g(own);
  for (std::size_t k = 0; k < known; ++k) {
    const auto rod = static_cast<std::uint64_t>(block.rod(static_cast<int>(k)));
    multiplier[k] = numerics::uniform(9, rod, 0) - 0.5;
    for (std::size_t d = 0; d < 3; ++d) block.gradient[d][k] = numerics::uniform(9, rod, d + 1) - 0.5;
  }
  const auto ends = [&](std::size_t k) {
    return std::pair(block.first_end(static_cast<int>(k)), block.second_end(static_cast<int>(k)));
  };
  const auto vector = [](const RodBlock<3>::PointVectors& field, auto i) {
    return std::array{field[0][static_cast<std::size_t>(i)], field[1][static_cast<std::size_t>(i)],
                      field[2][static_cast<std::size_t>(i)]};
  };
  bool same = true;
  block.rates(rate);
  for (std::size_t k = 0; k < own; ++k) {
    const auto rod = static_cast<std::size_t>(block.own_begin()) + k;
    const auto [first, second] = ends(rod);
    const auto G = vector(block.gradient, rod), a = vector(block.velocity, first),
               b = second < 0 ? std::array{0.0, 0.0, 0.0} : vector(block.velocity, second);
    double along = 0;
    for (std::size_t d = 0; d < 3; ++d) along += G[d] * (a[d] - b[d]);
    same = same && rate[k] == along;
  }
  CHECK_ALL(same);
  auto moved = block.velocity;
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<double> sum(static_cast<std::size_t>(block.point_count()), 0.0);
    for (const bool firsts : {false, true}) {
      for (std::size_t k = 0; k < known; ++k) {
        const auto [first, second] = ends(k);
        const int end = firsts ? first : second;
        if (end < 0) continue;
        const double w = 1.0 / block.mass(end), push = w * (multiplier[k] * block.gradient[d][k]);
        sum[static_cast<std::size_t>(end)] += firsts ? push : -push;
      }
    }
    for (std::size_t i = 0; i < sum.size(); ++i) moved[d][i] += 0.25 * sum[i];
  }
  block.push(multiplier, 0.25);
  CHECK_ALL(block.velocity == moved);
  block.measure(g);
  same = true;
  for (std::size_t k = 0; k < own; ++k) {
    const auto rod = static_cast<std::size_t>(block.own_begin()) + k;
    const auto [first, second] = ends(rod);
    const auto a = vector(block.position, first), G = vector(block.gradient, rod);
    if (second < 0) {
      const auto level = block.surface()->level(a);
      same = same && g[k] == level.value && G == level.gradient;
      continue;
    }
    const auto b = vector(block.position, second);
    const double length = system.rods[static_cast<std::size_t>(block.rod(static_cast<int>(rod)))].length;
    std::array<double, 3> r;
    for (std::size_t d = 0; d < 3; ++d) {
      r[d] = a[d] - b[d];
      same = same && G[d] == 2 * r[d];
    }
    const double square = r[0] * r[0] + (r[1] * r[1] + r[2] * r[2]);
    same = same && g[k] == square - length * length;
  }
  CHECK_ALL(same);
}

}  // namespace

TEST_CASE("loops over molecules, chains and nets do what one rod after the other does, to the bit") {
  using Rods = std::vector<std::pair<int, int>>;
  for (const bool held : {false, true}) {
    for (const int count : {1, 2, 3, 11}) {
      for (const Rods& rods : {Rods{{0, 1}}, Rods{{0, 1}, {1, 2}, {2, 0}}, Rods{{1, 0}, {1, 2}, {1, 3}},
                               Rods{{0, 1}, {2, 3}, {1, 2}, {0, 2}}})
        check_loops(molecules(count, rods, held));
    }
    // Two kinds, one after the other, and chains that are long and as often repeated.
    RodSystem<3> both = molecules(6, {{0, 1}, {1, 2}}, false);
    const RodSystem<3> more = molecules(5, {{0, 2}, {2, 1}}, false);
    const std::int64_t shift = std::ssize(both.mass);
    both.position.insert(both.position.end(), more.position.begin(), more.position.end());
    both.velocity.insert(both.velocity.end(), more.velocity.begin(), more.velocity.end());
    both.mass.insert(both.mass.end(), more.mass.begin(), more.mass.end());
    for (const Rod& rod : more.rods) both.rods.push_back({rod.first + shift, rod.second + shift, rod.length});
    if (held) {
      std::ranges::replace(both.mass, fixed, 2.0);
      both.hold_on(test::ellipsoid());
    }
    check_loops(both);
    Rods chain;
    for (int k = 0; k < 12; ++k) chain.push_back({k, k + 1});
    check_loops(molecules(3, chain, held));
  }
  check_loops(test::net(5));
  check_loops(shuffled(test::net(5)));
  // Triangles in a strip share points: what is repeated isn't apart.
  RodSystem<3> strip = molecules(12, {{0, 1}}, false);
  strip.rods.clear();
  for (std::int64_t i = 0; i + 2 < std::ssize(strip.mass); ++i) {
    strip.rods.push_back({i, i + 2, 1.0});
    strip.rods.push_back({i + 2, i + 1, 1.0});
    strip.rods.push_back({i + 1, i, 1.0});
  }
  std::ranges::replace(strip.mass, fixed, 2.0);
  check_loops(strip);
}

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

TEST_CASE("molecules that are small beside a rank's share are whole, and a long chain is cut evenly") {
  const RodChains dumbbells{500, 1, false, true};  // of two points that are held, and a rod
  const auto rods = dumbbells.rod_runs(3), points = dumbbells.point_runs(3);
  const std::array cuts{0, 166, 333, 500};
  for (int r = 0; r < 4; ++r) {
    CHECK(rods.begin(r) == 3 * cuts[static_cast<std::size_t>(r)]);
    CHECK(points.begin(r) == 2 * cuts[static_cast<std::size_t>(r)]);
  }
  for (const std::int64_t molecules : {1, 3, 10, 29}) {
    for (const bool held : {false, true}) {
      for (const bool closed : {false, true}) {
        for (const auto& nails : {std::vector<std::int64_t>{}, {1, 2, 5}}) {
          const RodChains chains{molecules, 7, closed, held, nails};
          const auto per_molecule = [&](const parallel::Partition& runs, std::int64_t all, int r) {
            return static_cast<double>(runs.begin(r) * molecules) / static_cast<double>(all);
          };
          for (const int ranks : {1, 2, 3, 5, 14}) {
            const auto runs = chains.rod_runs(ranks), keep = chains.point_runs(ranks);
            CHECK(runs.count() == chains.rod_count());
            CHECK(keep.count() == chains.point_count());
            for (int r = 0; r < ranks; ++r) {
              CHECK((runs.size(r) == 0 || runs.rank_of(runs.begin(r)) == r));
              if (molecules < 2 * ranks || !nails.empty()) continue;
              CHECK(per_molecule(runs, chains.rod_count(), r) == std::floor(molecules * r / ranks));
              CHECK(per_molecule(keep, chains.point_count(), r) == std::floor(molecules * r / ranks));
            }
            if (molecules > 1) continue;
            for (int r = 0; r < ranks; ++r)
              CHECK(runs.begin(r) == parallel::Runs{chains.rod_count(), ranks}.begin(r));
          }
        }
      }
    }
  }
}

TEST_CASE("a block of small molecules knows no foreign rods, whatever stands beside them") {
  const auto dumbbells = molecules(500, {{0, 1}}, true);
  const RodBlock<3> whole(share_of(dumbbells));
  CHECK_ALL(whole.foreign().empty());
  CHECK_ALL(whole.reported_count() == whole.point_count());
  CHECK_ALL(3 * whole.point_count() == 2 * whole.own_count());
  std::vector<std::pair<int, int>> long_chain;
  for (int k = 0; k < 600; ++k) long_chain.push_back({k, k + 1});
  const RodBlock<3> cut(share_of(molecules(1, long_chain, false)));
  CHECK_ALL(cut.foreign().empty() == (parallel::size() == 1));
  CHECK_ALL(cut.own_count() == 600 / parallel::size());
  // A long chain before triangles: where a cut falls into it, it is cut.
  auto both = molecules(1, long_chain, false);
  const auto triangles = molecules(100, {{0, 1}, {1, 2}, {2, 0}}, false);
  const std::int64_t shift = std::ssize(both.mass);
  for (const Rod& rod : triangles.rods)
    both.rods.push_back({rod.first + shift, rod.second + shift, rod.length});
  both.mass.insert(both.mass.end(), triangles.mass.begin(), triangles.mass.end());
  both.position.insert(both.position.end(), triangles.position.begin(), triangles.position.end());
  both.velocity.insert(both.velocity.end(), triangles.velocity.begin(), triangles.velocity.end());
  const RodBlock<3> mixed(share_of(both));
  const auto& runs = mixed.rod_runs();
  bool between = true, even = true;
  for (int r = 1; r < parallel::size(); ++r) {
    const std::int64_t first = runs.begin(r), evenly = parallel::Runs{900, parallel::size()}.begin(r);
    between = between && (first < 600 || (first - 600) % 3 == 0);
    even = even && first <= evenly && evenly - first < 3 && (first > 600 || first == evenly);
  }
  CHECK_ALL(between);
  CHECK_ALL(even);
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
