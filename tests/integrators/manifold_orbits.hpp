// SPDX-License-Identifier: BSD-3-Clause
// What the tests of constrained motion share: particles on surfaces with their reference states, how far a
// state is off its manifold, and the symplectic form along a map of the cotangent bundle.
#pragma once

#include <random>

#include "integrators/rattle.hpp"
#include "mechanics/surfaces/ellipsoid.hpp"
#include "mechanics/surfaces/lemniscate.hpp"
#include "mechanics/surfaces/sphere.hpp"
#include "mechanics/surfaces/torus.hpp"
#include "orbits.hpp"
#include "reference/surface_states.hpp"

namespace cotangent::integrators {

template <class S, class R = double>
using On = mechanics::System<mechanics::ParticleOn<S>, R>;

/// A particle of mass 1 on a surface with its default shape.
template <class S, class R = double>
On<S, R> particle_on(double gravity) {
  On<S, R> system;
  system.parameters[S::parameters.size() + 1] = R(gravity);
  return system;
}

inline State<double, 3> start_of(const reference::SurfaceStates& states) {
  return {0.0, states.q, states.v};
}

/// |g| / |grad g| and |v . grad g| / |grad g|, the largest of all constraints.
struct Residual {
  double position = 0, velocity = 0;

  void include(const Residual& other) {
    position = std::max(position, other.position);
    velocity = std::max(velocity, other.velocity);
  }
};
template <class System>
Residual residual(const System& system, const State<double, System::dim>& x) {
  const auto at = system.constraint(x.q);
  Residual result;
  for (int k = 0; k < System::constraints; ++k) {
    double along = 0, size = 0;
    for (int n = 0; n < System::dim; ++n) {
      along += x.v[n] * at.gradient[k][n];
      size += at.gradient[k][n] * at.gradient[k][n];
    }
    result.include({std::abs(at.value[k]) / std::sqrt(size), std::abs(along) / std::sqrt(size)});
  }
  return result;
}

/// The nearest state on the manifold, its velocity tangent.
template <class System>
State<double, System::dim> projected(const System& system, State<double, System::dim> x) {
  if (!project_state(system, x.q, x.v, -1)) FAIL("the manifold isn't reached");
  return x;
}

/// The largest |omega(D Phi a, D Phi b) - omega(a, b)| over pairs of vectors a, b tangent to the cotangent
/// bundle at x, omega = dq ^ dp; tangent vectors and their images by differences of fourth order.
template <class System, class Map>
double symplectic_defect(const System& system, const State<double, System::dim>& x, const Map& map) {
  constexpr int N = System::dim, vectors = 5;
  constexpr double difference = 2e-4;
  using Vector = std::array<double, 2 * N>;
  const auto canonical = [&](const State<double, N>& at) {
    Vector z;
    const auto p = system.momentum(at.q, at.v, at.t);
    std::copy(at.q.begin(), at.q.end(), z.begin());
    std::copy(p.begin(), p.end(), z.begin() + N);
    return z;
  };
  const auto form = [](const Vector& a, const Vector& b) {
    double sum = 0;
    for (int n = 0; n < N; ++n) sum += a[n] * b[N + n] - a[N + n] * b[n];
    return sum;
  };
  std::mt19937_64 random{5};
  std::normal_distribution<double> normal;
  std::array<Vector, vectors> before{}, after{};
  for (int i = 0; i < vectors; ++i) {
    std::array<double, N> position, velocity;
    for (double& a : position) a = normal(random) / std::sqrt(N);
    for (double& a : velocity) a = normal(random) / std::sqrt(N);
    for (const int k : {-2, -1, 1, 2}) {
      auto moved = x;
      for (int n = 0; n < N; ++n) {
        moved.q[n] += k * difference * position[n];
        moved.v[n] += k * difference * velocity[n];
      }
      moved = projected(system, moved);
      const Vector here = canonical(moved), there = canonical(map(moved));
      const double weight = (k * k == 1 ? 8.0 : -1.0) * (k > 0 ? 1 : -1) / (12 * difference);
      for (int n = 0; n < 2 * N; ++n) {
        before[i][n] += weight * here[n];
        after[i][n] += weight * there[n];
      }
    }
  }
  double worst = 0;
  for (int i = 0; i < vectors; ++i) {
    for (int j = 0; j < i; ++j)
      worst = std::max(worst, std::abs(form(after[i], after[j]) - form(before[i], before[j])));
  }
  return worst;
}

/// How far one comes from the start by so many steps there and as many back.
template <template <class> class Method, class System>
double there_and_back(const System& system, const State<double, System::dim>& start, double step, int steps) {
  auto there = run<Method>(system, start, steps * step, fixed(step));
  there.t = 0;
  return distance(run<Method>(system, there, steps * step, fixed(-step)), start);
}

/// The least and largest of a quantity along fixed steps, less its value at the start, in equal windows of
/// time.
struct Window {
  double least = 0, most = 0, mean = 0;
};
template <template <class> class Method, class System, class Quantity>
std::vector<Window> windows(const System& system, const State<double, System::dim>& start, double step,
                            long steps, int count, const Quantity& quantity) {
  Method<System> method(fixed(step));
  method.start(system, start, true);
  const double first = quantity(start);
  std::vector<Window> result;
  for (int w = 0; w < count; ++w) {
    Window window{1e300, -1e300, 0};
    for (long i = 0; i < steps / count; ++i) {
      if (!method.advance(system, true)) FAIL("a step failed with status " << method.failure());
      const double off = quantity(method.end()) - first;
      window.least = std::min(window.least, off);
      window.most = std::max(window.most, off);
      window.mean += off * count / static_cast<double>(steps);
    }
    result.push_back(window);
  }
  return result;
}

}  // namespace cotangent::integrators
