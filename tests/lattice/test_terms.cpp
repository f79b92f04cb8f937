// SPDX-License-Identifier: BSD-3-Clause
// Terms and their copies: bits on any number of ranks, lists and grids alike, forces and second derivatives
// against the energy, and what can't be a lattice.
#include <numeric>
#include <random>

#include "la/petsc.hpp"
#include "lattice/model_of.hpp"
#include "lattices.hpp"

using namespace cotangent;
using namespace cotangent::test;

namespace {

/// The bonds of a chain whose sites have numbers in no order.
std::vector<std::int64_t> shuffled_chain(std::int64_t n, std::uint64_t seed) {
  std::vector<std::int64_t> site(static_cast<std::size_t>(n)), bonds;
  std::iota(site.begin(), site.end(), 0);
  std::shuffle(site.begin(), site.end(), std::mt19937_64(seed));
  for (std::size_t k = 1; k < site.size(); ++k) bonds.insert(bonds.end(), {site[k - 1], site[k]});
  return bonds;
}

lattice::Network bonds_of(const lattice::Model& model, std::int64_t n, std::vector<std::int64_t> bonds) {
  lattice::Network network{n, model.terms(), {std::vector<std::int64_t>(static_cast<std::size_t>(n))}};
  std::iota(network.copies[0].begin(), network.copies[0].end(), 0);
  network.copies.push_back(std::move(bonds));
  return network;
}

/// A term of this name on these sites, and a model of one coordinate that has it, first, and a kinetic
/// energy.
struct Line {
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, 1> coordinates{{{"q"}}};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  struct Mass {
    static constexpr std::string_view name = "mass";
    static constexpr std::array<lattice::Offset, 1> sites{{{0, 0}}};
    auto operator()(const auto&, const auto& v, const auto&) const {
      const auto [rate] = v;
      return 0.5 * ad::square(rate);
    }
  };
};
/// A beam's bending, from a copy's middle or from its end.
template <int From>
struct Beam : Line {
  static constexpr std::string_view name = "beam", about = "bends";
  struct Bend {
    static constexpr std::string_view name = "bend";
    static constexpr std::array<lattice::Offset, 3> sites{{{0, 0}, {-1 - From, 0}, {From == 0 ? 1 : -1, 0}}};
    auto operator()(const auto& q, const auto&, const auto&) const {
      const auto [here, left, right] = q;
      if constexpr (From == 0)
        return -0.5 * ad::square(left - 2.0 * here + right) - 0.1 * ad::square(ad::square(right - left));
      else
        return -0.5 * ad::square(left - 2.0 * right + here) - 0.1 * ad::square(ad::square(here - left));
    }
  };
  using Terms = std::tuple<Bend, Line::Mass>;
};
/// A soap film's area, from a corner of each cell.
struct Film : Line {
  static constexpr std::string_view name = "film", about = "has an area";
  struct Area {
    static constexpr std::string_view name = "area";
    static constexpr std::array<lattice::Offset, 3> sites{{{0, 0}, {1, 0}, {0, 1}}};
    auto operator()(const auto& q, const auto&, const auto&) const {
      const auto [here, right, up] = q;
      return -sqrt(1.0 + ad::square(right - here) + ad::square(up - here));
    }
  };
  using Terms = std::tuple<Area, Line::Mass>;
};
/// A plate's bending, by all neighbours.
struct Plate : Line {
  static constexpr std::string_view name = "plate", about = "bends both ways";
  struct Bend {
    static constexpr std::string_view name = "bend";
    static constexpr std::array<lattice::Offset, 5> sites{{{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
    auto operator()(const auto& q, const auto&, const auto&) const {
      const auto [here, left, right, down, up] = q;
      return -0.1 * ad::square(left + right + down + up - 4.0 * here);
    }
  };
  using Terms = std::tuple<Bend, Line::Mass>;
};

/// All copies that a grid holds, one by one.
lattice::Network listed(const lattice::Grid& grid, const lattice::Model& model) {
  lattice::Network network{grid.sites(), model.terms(), {}};
  for (const auto& term : network.terms) {
    auto& list = network.copies.emplace_back();
    std::vector<std::int64_t> sites(term.sites.size());
    for (std::int64_t place = 0; place < grid.sites(); ++place) {
      if (grid.copy(term.sites, place, sites.data())) list.insert(list.end(), sites.begin(), sites.end());
    }
  }
  return network;
}

}  // namespace

TEST_CASE("copies that reach to both sides, or around a corner, give on a grid what they give as a list") {
  const la::Petsc petsc;
  const auto moves = [&]<class M>(const M*, const lattice::Grid& grid) {
    Bench rows(std::make_unique<lattice::ModelOf<M>>(), grid);
    lattice::check_grid(grid, rows.model().terms());
    Bench list(std::make_unique<lattice::ModelOf<M>>(), listed(grid, rows.model()));
    list.lattice.held = rows.lattice.held;
    rows.start(0.5);
    list.start(0.5);
    const auto compare = [&](const auto& make) {
      const auto a = make(rows), b = make(list);
      const double energy = rows.energy(*a);
      const double error = distance(rows.run(*a, 0.1, 10), list.run(*b, 0.1, 10));
      CAPTURE(M::name, grid.length, grid.rows, a->solver(), error, energy);
      CHECK_ALL(error < 1e-13);
      CHECK_ALL(std::abs(rows.energy(*a) - energy) < 1e-5 * std::abs(energy));
    };
    compare([](Bench& bench) { return bench.fixed_point(3); });
    compare([](Bench& bench) { return bench.newton(3); });
    compare([](Bench& bench) { return bench.verlet("verlet-kahan-li-8"); });
  };
  using enum Boundary;
  for (const Boundary end : {periodic, free, fixed}) {
    moves(static_cast<const Beam<0>*>(nullptr), {64, 1, end, free});
    moves(static_cast<const Beam<0>*>(nullptr), {5, 1, end, free});
    for (const Boundary other : {periodic, free}) {
      if (end != periodic && other != periodic) continue;  // no copy would hold the corners
      moves(static_cast<const Film*>(nullptr), {10, 8, end, other});
      moves(static_cast<const Plate*>(nullptr), {16, 12, end, other});
    }
  }
  moves(static_cast<const Plate*>(nullptr), {64, 6, periodic, periodic});
}

TEST_CASE("a term may be told from a copy's middle or from its end") {
  const lattice::Grid grid{64, 1, Boundary::periodic, Boundary::free};
  Bench middle(std::make_unique<lattice::ModelOf<Beam<0>>>(), grid),
      end(std::make_unique<lattice::ModelOf<Beam<1>>>(), grid);
  middle.start(0.5);
  end.start(0.5);
  CHECK_ALL(distance(middle.run(*middle.fixed_point(4), 0.1, 20), end.run(*end.fixed_point(4), 0.1, 20)) <
            1e-13);
  // Two places of a smaller one would be the same site, whichever way it is told.
  for (const auto& terms : {middle.model().terms(), end.model().terms()}) {
    for (const std::int64_t length : {3, 4, 5}) {
      const std::string text = text_thrown<Error>([&] {
        lattice::check_grid({length, 1, Boundary::periodic, Boundary::free}, terms);
      });
      CAPTURE(length, text);
      CHECK_ALL(text.empty() == (length == 5));
      CHECK_ALL(length == 5 || text.ends_with("meet itself: it needs 5 sites along x"));
    }
  }
}

TEST_CASE("a chain given as a list moves as the grid does") {
  const la::Petsc petsc;
  const std::int64_t n = 40;
  Bench grid("fput-alpha", {n, 1, Boundary::periodic, Boundary::free});
  lattice::Network network;
  network.sites = n;
  network.copies.resize(2);
  for (std::int64_t i = 0; i < n; ++i) {
    network.copies[0].push_back(i);
    network.copies[1].insert(network.copies[1].end(), {i, (i + 1) % n});
  }
  Bench list("fput-alpha", network);
  grid.start(0.5);
  list.start(0.5);
  const auto a = grid.run(*grid.fixed_point(4), 0.2, 20);
  CHECK_ALL(distance(list.run(*list.fixed_point(4), 0.2, 20), a) < 1e-15);
  CHECK_ALL(distance(list.run(*list.verlet("stormer-verlet"), 0.2, 20),
                     grid.run(*grid.verlet("stormer-verlet"), 0.2, 20)) < 1e-15);
  CHECK_ALL(distance(list.run(*list.newton(4), 0.2, 20), a) < 1e-13);
}

TEST_CASE("forces are the energy's differences, second derivatives the forces'") {
  const la::Petsc petsc;
  for (const char* name : {"elastic-sheet", "double-pendulum-chain", "phi-four"}) {
    const bool sheet = std::string(name) == "elastic-sheet";
    Bench bench(name, sheet ? lattice::Grid{7, 6, Boundary::periodic, Boundary::free}
                            : lattice::Grid{9, 1, Boundary::periodic, Boundary::free});
    bench.start(0.3);
    const auto& lattice = bench.lattice;
    const auto field = [&] {
      return SiteField(lattice.dim, lattice.here.left, lattice.own(), lattice.here.right);
    };
    lattice::Ghosts ghosts(lattice.sites, lattice.here.range, lattice.halo(lattice.here.reach));
    const auto gradient = [&](std::int64_t site, int coordinate, double shift, bool velocity) {
      SiteField q = field(), v = field(), by_q = field(), by_v = field();
      for (int c = 0; c < lattice.dim; ++c) {
        std::copy_n(bench.q[c], lattice.own(), q[c]);
        std::copy_n(bench.v[c], lattice.own(), v[c]);
      }
      const std::int64_t place = site - lattice.here.range.first;
      if (place >= 0 && place < lattice.own()) (velocity ? v : q)[coordinate][place] += shift;
      ghosts.exchange(lattice::components({&q, &v}));
      bench.kernel->gradient(lattice::components(std::as_const(q)).data(),
                             lattice::components(std::as_const(v)).data(), lattice::components(by_q).data(),
                             lattice::components(by_v).data());
      return std::array{by_q, by_v};
    };
    const auto& pattern = bench.kernel->pattern();
    lattice::SecondDerivatives h;
    SiteField q = field(), v = field();
    for (int c = 0; c < lattice.dim; ++c) {
      std::copy_n(bench.q[c], lattice.own(), q[c]);
      std::copy_n(bench.v[c], lattice.own(), v[c]);
    }
    ghosts.exchange(lattice::components({&q, &v}));
    bench.kernel->second_derivatives(lattice::components(std::as_const(q)).data(),
                                     lattice::components(std::as_const(v)).data(), h);
    double worst = 0, size = 0;
    for (const std::int64_t site : {std::int64_t{0}, std::int64_t{4}, lattice.sites - 1}) {
      for (int d = 0; d < lattice.dim; ++d) {
        const double e = 1e-5;
        const auto up = gradient(site, d, e, false), down = gradient(site, d, -e, false);
        for (std::int64_t i = 0; i < lattice.own(); ++i) {
          for (int c = 0; c < lattice.dim; ++c) {
            double stored = 0;
            for (std::int64_t k = pattern.begin[static_cast<std::size_t>(i)];
                 k < pattern.begin[static_cast<std::size_t>(i) + 1]; ++k) {
              const std::int64_t at =
                  (lattice.here.range.first + pattern.place[static_cast<std::size_t>(k)] + lattice.sites) %
                  lattice.sites;
              if (at == site)
                stored += h.force[static_cast<std::size_t>((k * lattice.dim + c) * lattice.dim + d)];
            }
            worst = std::max(worst, std::abs(stored - (up[0][c][i] - down[0][c][i]) / (2 * e)));
            size = std::max(size, std::abs(stored));
          }
        }
      }
    }
    CAPTURE(name, worst, size);
    CHECK_ALL(parallel::maximum(worst) < 1e-6 * parallel::maximum(size));
  }
}

TEST_CASE("ranks that share a network know of their sites what one rank would, in the same order") {
  const std::int64_t n = 301;
  const Bench toda("toda", {8, 1, Boundary::free, Boundary::free});
  const lattice::Network whole = bonds_of(toda.model(), n, shuffled_chain(n, 7));
  const lattice::Network part = shared(whole);
  part.check();
  const lattice::Lattice here = lattice::lattice_on(part, toda.model());
  const auto site = [&](std::int32_t place) {
    return place < here.own() ? here.here.range.first + place
                              : here.ghosts[static_cast<std::size_t>(place - here.own())].site;
  };
  for (std::size_t t = 0; t < 2; ++t) {
    const auto& list = here.here.lists[t];
    std::vector<std::int64_t> found, expected;
    for (const std::int32_t place : list.place) found.push_back(site(place));
    for (std::size_t k = 0; k < whole.copies[t].size(); k += static_cast<std::size_t>(list.sites)) {
      const auto copy = whole.copies[t].begin() + static_cast<std::ptrdiff_t>(k);
      if (std::any_of(copy, copy + list.sites, [&](std::int64_t s) { return here.here.range.holds(s); }))
        expected.insert(expected.end(), copy, copy + list.sites);
    }
    CHECK_ALL(found == expected);
    CHECK_ALL(parallel::size() == 1 || expected.size() < whole.copies[t].size());
  }
  CHECK_ALL(std::ranges::is_sorted(here.ghosts, {}, &lattice::Ghost::site));
}

TEST_CASE("one piece or several, however sites are numbered: the first that isn't joined is named") {
  const Bench toda("toda", {8, 1, Boundary::free, Boundary::free});
  for (const std::int64_t n : {2, 5, 64, 1000}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      auto chain = shuffled_chain(n, seed);
      const auto refusal = [&](const std::vector<std::int64_t>& bonds) {
        const auto network = bonds_of(toda.model(), n, bonds);
        return text_thrown<Error>([&] { shared(network).check(); });
      };
      CHECK_ALL(refusal(chain).empty());
      const std::int64_t cut = static_cast<std::int64_t>(seed) * (n - 1) / 7 * 2;
      chain.erase(chain.begin() + cut, chain.begin() + cut + 2);
      // By hand: labels that fall along the bonds until nothing changes.
      std::vector<std::int64_t> label(static_cast<std::size_t>(n));
      std::iota(label.begin(), label.end(), 0);
      for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t k = 0; k < chain.size(); k += 2) {
          auto &a = label[static_cast<std::size_t>(chain[k])],
               &b = label[static_cast<std::size_t>(chain[k + 1])];
          changed = changed || a != b;
          a = b = std::min(a, b);
        }
      }
      const auto lost = std::ranges::find_if(label, [](std::int64_t l) { return l != 0; }) - label.begin();
      CAPTURE(n, seed, lost);
      CHECK_ALL(refusal(chain) == "disconnected sites: no chain of terms joins site " + std::to_string(lost) +
                                      " to site 0; they would be two lattices");
    }
  }
}

TEST_CASE("what is no lattice is refused, with the place of the fault") {
  lattice::Network network;
  network.sites = 4;
  network.terms = Bench("toda", {8, 1, Boundary::free, Boundary::free}).model().terms();
  network.copies = {{0, 1, 2, 3}, {0, 1, 1, 2, 2, 3}};
  const auto refusal = [&](std::vector<std::int64_t> bonds) {
    auto changed = network;
    changed.copies[1] = std::move(bonds);
    return text_thrown<Error>([&] { shared(changed).check(); });
  };
  CHECK_ALL(refusal(network.copies[1]).empty());
  CHECK_ALL(refusal({0, 1, 1, 4, 2, 3}) ==
            "term 'bond', copy 1 refers to site 4, which isn't there: there are 4, numbered from 0");
  CHECK_ALL(refusal({0, 1, -1, 2, 2, 3}).find("copy 1 refers to site -1") != std::string::npos);
  CHECK_ALL(refusal({0, 1, 1, 2, 3, 3}) == "term 'bond', copy 2 joins site 3 to itself");
  CHECK_ALL(refusal({0, 1, 2, 3}).find("disconnected sites: no chain of terms joins site 2") == 0);
  const auto grid = [&](std::int64_t length) {
    return text_thrown<Error>([&] {
      lattice::check_grid({length, 1, Boundary::periodic, Boundary::free}, network.terms);
    });
  };
  CHECK_ALL(grid(3).empty());
  CHECK_ALL(grid(2).find("meet itself") != std::string::npos);
}

TEST_CASE("more sites than a rank can count are refused before there are any") {
  const Bench toda("toda", {8, 1, Boundary::free, Boundary::free});
  const std::int64_t most = std::int64_t{1} << 31, ranks = parallel::size();
  const auto refusal = [&](const auto& places) {
    return text_thrown<Error>([&] { (void)lattice::lattice_on(places, toda.model()); });
  };
  lattice::Network network;
  network.sites = ranks * most;
  const std::string why =
      "a rank holds fewer than 2^31 sites of a lattice, and this one has 2147483648 and 0 of its neighbours: "
      "start more ranks";
  CHECK_ALL(refusal(lattice::Grid{ranks * most, 1, Boundary::free, Boundary::free}) == why);
  CHECK_ALL(refusal(network) == why);
  CHECK_ALL(refusal(lattice::Grid{ranks * 1000, 1, Boundary::free, Boundary::free}).empty());
}
