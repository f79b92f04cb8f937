// SPDX-License-Identifier: BSD-3-Clause
// benchmark_billiards: collisions a second on one core, of single particles and of 10^4 hard discs, with the
// worst energy error over 10^4 bounces of each particle and how far outside any was; then how many particles
// end otherwise than they should.
//   benchmark_billiards [million collisions in each domain, default 3] [domain ...]
// Domains are named as in the table; without any, all are measured.
// Beside it, as a yardstick for the machine and of what certainty costs: in this language the scheme
// of A. Morita, "Reinventing the wheel: simulating collisions" (blog KakkoKari), a leapfrog with a fixed
// step in the unit circle, in its steps a second.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numbers>
#include <string_view>

#include "billiards/gas.hpp"
#include "billiards/hard_spheres.hpp"
#include "billiards/leapfrog.hpp"
#include "billiards/sets/circle.hpp"
#include "numerics/random.hpp"

namespace cotangent::benchmark {
namespace {

using namespace billiards;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <int D>
void measure(const char* name, const Domain<D>& domain, const Vector<D>& gravity, double box,
             double millions) {
  constexpr std::int64_t bounces = 10000;
  Gas<D> gas(domain, gravity);
  std::int64_t id = 0, hits = 0, ended = 0, corners = 0;
  double energy = 0, outside = 0;
  const auto load = [&](int lane) {
    while (true) {
      Vector<D> x, v;
      for (std::size_t d = 0; d < D; ++d) {
        x[d] = box * (2 * numerics::uniform(1, id, d) - 1);
        v[d] = 2 * numerics::uniform(1, id, D + d) - 1;
      }
      ++id;
      if (!(domain.omega(x) > 0)) continue;
      gas.load(lane, id, x, v);
      return;
    }
  };
  for (int lane = 0; lane < Gas<D>::width; ++lane) load(lane);
  const auto all = static_cast<std::int64_t>(1e6 * millions);
  const double begin = processor_seconds();
  while (hits < all) {
    gas.advance(1e12);
    for (int lane = 0; lane < Gas<D>::width; ++lane) {
      hits += gas.hit()[lane] ? 1 : 0;
      const Status status = gas.status(lane);
      if (status == Status::pending && gas.bounces(lane) < bounces) continue;
      if (status == Status::corner || status == Status::singular_wall) {
        ++corners;
      } else if (status != Status::pending) {
        ++ended;
      }
      Vector<D> x;
      for (std::size_t d = 0; d < D; ++d) x[d] = gas.x()[d][lane];
      if (status == Status::pending) outside = std::max(outside, -domain.depth(x));
      energy = std::max(energy, gas.energy_error()[lane]);
      load(lane);
    }
  }
  const double seconds = processor_seconds() - begin;
  std::printf("%-22s %8.3g collisions/s  energy %.1e  outside %.1e  corners and cusps %ld  lost %ld\n", name,
              static_cast<double>(hits) / seconds, energy, outside, static_cast<long>(corners),
              static_cast<long>(ended));
}

void yardstick(const Domain<2>& disc) {
  Falling<2> particle{{0.3, 0.2}, {0.0, 0.0}, 0};
  const double begin = processor_seconds();
  const int steps = 1000000;
  int hits = 0;
  for (int k = 0; k < steps; ++k)
    hits +=
        linearised_step<2>(disc, {0.0, -10.0}, {.step = 1e-3, .mended = true}, particle).wall >= 0 ? 1 : 0;
  const double seconds = processor_seconds() - begin;
  std::printf("leapfrog, step 1e-3    %8.3g steps/s, %.3g collisions/s\n", steps / seconds, hits / seconds);
}

template <int D>
void measure_set(const SetKind& kind, double millions) {
  Domain<D> domain;
  std::vector<double> parameters;
  for (const auto& p : kind.parameters) parameters.push_back(p.value);
  domain.add(kind.name, kind, parameters);
  domain.enclose_all();
  Vector<D> gravity{};
  gravity[D - 1] = kind.name.starts_with("half") ? -1.0 : 0.0;
  measure<D>(kind.name.c_str(), domain, gravity, 1.5, millions);
}

/// 10^4 hard discs at packing fraction 0.5, from a lattice, in a periodic box.
void measure_discs(double millions) {
  constexpr int side = 100;
  const double height = std::sqrt(0.75), radius = std::sqrt(0.5 * height / std::numbers::pi);
  std::vector<Vector<2>> x, v;
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      x.push_back({i + 0.5 * (j % 2) + 0.25, (j + 0.5) * height});
      v.push_back({numerics::uniform(1, side * j + i, 0) - 0.5, numerics::uniform(1, side * j + i, 1) - 0.5});
    }
  }
  HardSpheres<2> discs({{side, side * height}, radius, true}, x, v);
  const double energy = discs.energy(), begin = processor_seconds();
  double time = 0;
  while (static_cast<double>(discs.collisions()) < 1e6 * millions) discs.advance(time += 1.0);
  const double seconds = processor_seconds() - begin;
  std::printf("hard discs, 10^4       %8.3g collisions/s  energy %.1e  overlap %.1e  in %ld collisions\n",
              static_cast<double>(discs.collisions()) / seconds, std::abs(discs.energy() / energy - 1),
              std::max(-discs.least_gap(), 0.0), static_cast<long>(discs.collisions()));
}

}  // namespace
}  // namespace cotangent::benchmark

int main(int count, char** arguments) {
  using namespace cotangent::benchmark;
  const double millions = count > 1 ? std::atof(arguments[1]) : 3.0;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto asked = [&](std::string_view name) {
    return count < 3 || std::find(arguments + 2, arguments + count, name) != arguments + count;
  };
  Domain<2> disc, circles;
  disc.add<Circle>("disc", {1.0});
  disc.enclose_all();
  circles.add<Circle>("left", {1.0}, {{-2.0, 0.0}});
  circles.add<Circle>("right", {1.0}, {{2.0, 0.0}});
  circles.add<Circle>("bowl", {std::sqrt(5.0)}, {{0.0, -2.0}});
  circles.enclose_all();
  yardstick(disc);
  if (asked("circle, gravity")) measure<2>("circle, gravity", disc, {0.0, -10.0}, 1.0, millions);
  if (asked("three circles, gravity")) {
    measure<2>("three circles, gravity", circles, {0.0, -10.0}, 4.0, millions);
  }
  if (asked("hard discs, 10^4")) measure_discs(millions);
  for (const SetKind& kind : built_in_sets()) {
    if (asked(kind.name)) kind.dim == 2 ? measure_set<2>(kind, millions) : measure_set<3>(kind, millions);
  }
}
