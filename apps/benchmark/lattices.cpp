// SPDX-License-Identifier: BSD-3-Clause
// benchmark_lattices: collocation of large chains over all ranks.
//   scaling [s]         a FPUT-beta chain of 10^3 to 10^6 sites: ns a site and step, memory a site
//   newton MODEL [s]    10^5 sites of a chain by Newton's method: the same
//   peers               1024 sites, time for the same largest energy error up to t = 500: by Gauss, by
//                       compositions of Stormer-Verlet, and by ARKODE, if SUNDIALS is there
// Wall time of all ranks together. All start with the same few waves of unit amplitude.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <sys/resource.h>

#include "la/petsc.hpp"
#include "lattice/compositions.hpp"
#include "lattice/network.hpp"
#include "parallel/mpi.hpp"
#include "parallel/reproducible_sums.hpp"
#include "peer_chain.hpp"

namespace cotangent::benchmark {
namespace {

using lattice::SiteField;

struct Chain {
  explicit Chain(std::int64_t sites, const std::string& name = "fput-beta") {
    for (auto& one : lattice::built_in_models()) {
      if (one->name() == name) model = std::move(one);
    }
    const lattice::Grid grid{sites, 1, lattice::Boundary::periodic, lattice::Boundary::free};
    here = lattice::lattice_on(grid, *model);
    kernel = model->kernel(std::vector(model->parameters().size(), 1.0), here.here);
    q = v = SiteField(here.dim, 0, here.own(), 0);
    for (std::int64_t i = 0; i < here.own(); ++i) {
      const auto [x, y] = peer_start(here.here.range.first + i, sites);
      for (int c = 0; c < here.dim; ++c) {
        q[c][i] = x;
        v[c][i] = y;
      }
    }
  }
  double energy(lattice::Method& method) {
    SiteField at(1, here.here.left, here.own(), here.here.right), rate = at;
    std::copy_n(method.position()[0], here.own(), at[0]);
    std::copy_n(method.velocity()[0], here.own(), rate[0]);
    method.fill_ghosts(at);
    std::vector<double> kinetic(static_cast<std::size_t>(here.own())), potential = kinetic;
    kernel->energies(lattice::components(std::as_const(at)).data(),
                     lattice::components(std::as_const(rate)).data(), kinetic.data(), potential.data());
    const std::span<const double> columns[2] = {kinetic, potential};
    const auto sums = parallel::reproducible_sums(columns);
    return sums[0] + sums[1];
  }
  std::unique_ptr<lattice::Model> model;
  lattice::Lattice here;
  std::unique_ptr<lattice::Kernel> kernel;
  SiteField q, v;
};

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

void scaling(int stages) {
  if (parallel::rank() == 0)
    std::printf("%9s %6s %14s %12s %14s\n", "sites", "ranks", "ns/site/step", "iterations", "bytes a site");
  for (const std::int64_t sites : {1000, 10000, 100000, 1000000}) {
    const double before = peak_memory();
    Chain chain(sites);
    const auto method = lattice::make_gauss_fixed_point(chain.here, *chain.kernel, stages, chain.q, chain.v);
    double best = HUGE_VAL;
    const std::int64_t steps = std::max<std::int64_t>(1, 100000 / sites);
    const int repetitions = sites > 100000 ? 40 : 400;  // short ones: a machine is rarely quiet
    for (int k = 0; k < 3; ++k) lattice::advance(*method, 0.2);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      parallel::barrier();
      const double start = parallel::wall_time();
      for (std::int64_t k = 0; k < steps; ++k) lattice::advance(*method, 0.2);
      best = std::min(best, parallel::maximum(parallel::wall_time() - start) / static_cast<double>(steps));
    }
    const double memory = parallel::sum(peak_memory() - before);
    if (parallel::rank() == 0)
      std::printf(
          "%9lld %6d %14.1f %12.2f %14.0f\n", static_cast<long long>(sites), parallel::size(),
          1e9 * best / static_cast<double>(sites),
          static_cast<double>(method->effort().iterations) / static_cast<double>(method->effort().steps),
          memory / static_cast<double>(sites));
    std::fflush(stdout);
  }
}

void newton(const char* name, int stages) {
  constexpr std::int64_t sites = 100000;
  constexpr int steps = 10;
  const la::Petsc petsc;
  const double before = peak_memory();
  Chain chain(sites, name);
  const auto method = lattice::make_gauss_newton(chain.here, *chain.kernel, stages, chain.q, chain.v);
  const double start = parallel::wall_time();
  for (int k = 0; k < steps; ++k) lattice::advance(*method, 0.05);
  const double seconds = parallel::maximum(parallel::wall_time() - start);
  method->velocity();
  const double memory = parallel::sum(peak_memory() - before);
  const auto& effort = method->effort();
  if (parallel::rank() == 0)
    std::printf("%s, %d ranks: %.1f ns/site/step, %.2f iterations, %lld factorisations, %.0f bytes a site\n",
                name, parallel::size(), 1e9 * seconds / steps / static_cast<double>(sites),
                static_cast<double>(effort.iterations) / static_cast<double>(effort.steps),
                static_cast<long long>(effort.factorisations), memory / static_cast<double>(sites));
}

/// One method at one step: the largest relative energy error at whole times, and the seconds of the steps.
template <class Make>
void row(const char* name, double step, const Make& make) {
  Chain chain(peer_sites);
  const auto method = make(chain);
  const double start_energy = chain.energy(*method);
  const int steps = static_cast<int>(std::lround(peer_every / step));
  double seconds = 0, error = 0;
  for (int sample = 0; sample < static_cast<int>(peer_time / peer_every); ++sample) {
    const double start = parallel::wall_time();
    for (int k = 0; k < steps; ++k) lattice::advance(*method, step);
    seconds += parallel::wall_time() - start;
    error = std::max(error, std::abs(chain.energy(*method) / start_energy - 1));
  }
  std::printf("%-24s %9.5f %12.3g %10.4f\n", name, step, error, seconds);
  std::fflush(stdout);
}

void peers() {
  std::printf("%-24s %9s %12s %10s\n", "method", "step", "energy error", "seconds");
  for (const int stages : {4, 6, 8}) {
    for (const double parts : {4, 5, 6, 7, 8, 10, 16, 20}) {
      row(("gauss, " + std::to_string(stages) + " stages").c_str(), peer_every / parts, [&](Chain& chain) {
        return lattice::make_gauss_fixed_point(chain.here, *chain.kernel, stages, chain.q, chain.v);
      });
    }
  }
  for (const auto& composition : lattice::compositions()) {
    if (composition.order < 8) continue;
    for (const double parts : {4, 5, 6, 7, 8, 9, 10, 16, 20, 32, 40}) {
      row(composition.name.c_str(), peer_every / parts, [&](Chain& chain) {
        return lattice::make_verlet(chain.here, *chain.kernel, composition.coefficients, chain.q, chain.v);
      });
    }
  }
  peer_rows();
}

}  // namespace
}  // namespace cotangent::benchmark

int main(int count, char** arguments) {
  const cotangent::parallel::Mpi mpi(count, arguments);
  if (count > 1 && std::strcmp(arguments[1], "peers") == 0) {
    cotangent::benchmark::peers();
  } else if (count > 2 && std::strcmp(arguments[1], "newton") == 0) {
    cotangent::benchmark::newton(arguments[2], count > 3 ? std::atoi(arguments[3]) : 4);
  } else {
    cotangent::benchmark::scaling(count > 2 ? std::atoi(arguments[2]) : 4);
  }
  return 0;
}
