// Terms and their copies: bits on any number of ranks, lists and grids alike, forces and second derivatives
// against the energy, and what can't be a lattice.
#include "la/petsc.hpp"
#include "lattices.hpp"

using namespace cotangent;
using namespace cotangent::test;

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
      return Field(lattice.dim, lattice.here.left, lattice.own(), lattice.here.right);
    };
    lattice::Ghosts ghosts(lattice.sites, lattice.here.range, lattice.halo(lattice.here.reach));
    const auto gradient = [&](std::int64_t site, int coordinate, double shift, bool velocity) {
      Field q = field(), v = field(), by_q = field(), by_v = field();
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
    Field q = field(), v = field();
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

TEST_CASE("what is no lattice is refused, with the place of the fault") {
  lattice::Network network;
  network.sites = 4;
  network.terms = Bench("toda", {8, 1, Boundary::free, Boundary::free}).model().terms();
  network.copies = {{0, 1, 2, 3}, {0, 1, 1, 2, 2, 3}};
  const auto refusal = [&](std::vector<std::int64_t> bonds) {
    auto changed = network;
    changed.copies[1] = std::move(bonds);
    return text_thrown<Error>([&] { changed.check(); });
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
