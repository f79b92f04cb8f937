// SPDX-License-Identifier: BSD-3-Clause
// The gradient of a scalar of 4, 40 and 400 inputs: the energy of a closed chain (a sum of terms of two
// neighbours), a nested function and a mean field, where all inputs meet. In units of the time that the
// function alone takes:
//   forward   jets over all inputs, their structure known to the compiler; 40 at a time where there are more
//   terms     jets of each local term over its two inputs, added up: what partial separability allows
//   reverse   the tape of src/ad/reverse.hpp, one number at a time, and in packs of lanes
//   adol-c    tapes of ADOL-C (Debian: libadolc-dev; left out where it isn't there): each time recorded anew,
//   as
//             functions with branches need, and recorded once
// Each is checked against the gradient by hand. Run: benchmark_gradients [seconds of each measurement]
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ad/ad.hpp"
#include "ad/reverse.hpp"
#include "numerics/lanes.hpp"

#ifdef COTANGENT_ADOLC
#include <adolc/adolc.h>
#endif

using namespace cotangent;

namespace {

double least_time = 0.2;

/// The energy of two neighbours.
template <class A, class B>
auto bond(const A& x, const B& y) {
  using std::sin;
  const auto s = sin(y - x);
  return 0.5 * s * s + 0.25 * s * s * s * s - 0.1 * s * x * y;
}

struct Chain {
  static constexpr const char* name = "chain";
  static constexpr bool local = true;
  template <class X>
  auto operator()(const X& x) const {
    std::remove_cvref_t<decltype(x[0])> sum = bond(x[x.size() - 1], x[0]);
    for (std::size_t k = 1; k < x.size(); ++k) sum = sum + bond(x[k - 1], x[k]);
    return sum;
  }
  template <class... X, std::size_t... I>
  static auto at(const std::tuple<X...>& x, std::index_sequence<I...>) {
    return (bond(std::get<I>(x), std::get<(I + 1) % sizeof...(X)>(x)) + ...);
  }
  static std::vector<double> by_hand(const std::vector<double>& x);
};

/// r <- r cos x_k + sin x_k, from 1.
struct Nested {
  static constexpr const char* name = "nested";
  static constexpr bool local = false;
  template <class X>
  auto operator()(const X& x) const {
    using std::cos, std::sin;
    std::remove_cvref_t<decltype(x[0])> r = cos(x[0]) + sin(x[0]);
    for (std::size_t k = 1; k < x.size(); ++k) r = r * cos(x[k]) + sin(x[k]);
    return r;
  }
  template <class Tuple, std::size_t... I>
  static auto at(const Tuple& x, std::index_sequence<I...>) {
    return after<1>(cos(std::get<0>(x)) + sin(std::get<0>(x)), x);
  }
  static std::vector<double> by_hand(const std::vector<double>& x) {
    std::vector<double> g(x.size()), r{1.0};
    for (const double y : x) r.push_back(r.back() * std::cos(y) + std::sin(y));
    double adjoint = 1;
    for (std::size_t k = x.size(); k-- > 0; adjoint *= std::cos(x[k])) {
      g[k] = adjoint * (std::cos(x[k]) - std::sin(x[k]) * r[k]);
    }
    return g;
  }

 private:
  template <std::size_t K, class R, class Tuple>
  static auto after(const R& r, const Tuple& x) {
    if constexpr (K == std::tuple_size_v<Tuple>) {
      return r;
    } else {
      return after<K + 1>(r * cos(std::get<K>(x)) + sin(std::get<K>(x)), x);
    }
  }
};

/// The potential of a mean field, that of N rotors which attract each other alike: n/2 (1 - |m|^2), m the
/// mean of (cos x_k, sin x_k). Antoni, Ruffo, Phys. Rev. E 52 (1995) 2361.
struct MeanField {
  static constexpr const char* name = "mean field";
  static constexpr bool local = false;
  template <class X>
  auto operator()(const X& x) const {
    using std::cos, std::sin;
    std::remove_cvref_t<decltype(x[0])> along = cos(x[0]), across = sin(x[0]);
    for (std::size_t k = 1; k < x.size(); ++k) {
      along = along + cos(x[k]);
      across = across + sin(x[k]);
    }
    const auto n = static_cast<double>(x.size());
    return 0.5 * n - 0.5 / n * (along * along + across * across);
  }
  template <class... X, std::size_t... I>
  static auto at(const std::tuple<X...>& x, std::index_sequence<I...>) {
    const auto along = (cos(std::get<I>(x)) + ...), across = (sin(std::get<I>(x)) + ...);
    constexpr double n = sizeof...(X);
    return 0.5 * n - 0.5 / n * (along * along + across * across);
  }
  static std::vector<double> by_hand(const std::vector<double>& x) {
    double along = 0, across = 0;
    for (const double y : x) {
      along += std::cos(y) / static_cast<double>(x.size());
      across += std::sin(y) / static_cast<double>(x.size());
    }
    std::vector<double> g;
    for (const double y : x) g.push_back(along * std::sin(y) - across * std::cos(y));
    return g;
  }
};

std::vector<double> Chain::by_hand(const std::vector<double>& x) {
  std::vector<double> g(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::size_t j = (k + 1) % x.size();
    const double s = std::sin(x[j] - x[k]), c = std::cos(x[j] - x[k]);
    const double by_s = s + s * s * s - 0.1 * x[k] * x[j];
    g[k] += -c * by_s - 0.1 * s * x[j];
    g[j] += c * by_s - 0.1 * s * x[k];
  }
  return g;
}

/// A jet over N inputs, whose type doesn't depend on which.
template <int N>
using Dense = ad::Jet<double, N, 1, ad::full<N>>;

/// All inputs at once, each of a type of its own, where there are N of them; else N at a time.
template <class F, int N>
void forward(const std::vector<double>& x, std::vector<double>& g) {
  const auto each = [&]<std::size_t... I>(std::index_sequence<I...>) {
    if (x.size() == N) {
      std::array<double, N> inputs;
      std::copy(x.begin(), x.end(), inputs.begin());
      const auto jets = ad::seed<0, N, 1, 0>(inputs);
      const auto gradient = ad::gradient_of<N>(F::at(jets, std::index_sequence<I...>{}));
      std::copy(gradient.begin(), gradient.end(), g.begin());
      return;
    }
    std::vector<Dense<N>> jets(x.size());
    for (std::size_t first = 0; first < x.size(); first += N) {
      for (std::size_t k = 0; k < x.size(); ++k) jets[k] = Dense<N>(x[k]);
      ((jets[first + I] = Dense<N>(ad::variable<I, N, 1, 0>(x[first + I]))), ...);
      const auto gradient = ad::gradient_of<N>(F{}(jets));
      std::copy(gradient.begin(), gradient.end(), g.begin() + static_cast<std::ptrdiff_t>(first));
    }
  };
  each(std::make_index_sequence<N>{});
}

void terms(const std::vector<double>& x, std::vector<double>& g) {
  std::fill(g.begin(), g.end(), 0.0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::size_t j = k + 1 < x.size() ? k + 1 : 0;
    const auto [a, b] = ad::seed<0, 2, 1, 0>(std::array{x[k], x[j]});
    const auto gradient = ad::gradient_of<2>(bond(a, b));
    g[k] += gradient[0];
    g[j] += gradient[1];
  }
}

/// Seconds of one call, the best of several rounds.
template <class Call>
double seconds(const Call& call) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    double spent = 0;
    long calls = 0;
    while (spent < least_time / 5) {
      for (int k = 0; k < 16; ++k) call();
      calls += 16;
      spent = std::chrono::duration<double>(Clock::now() - start).count();
    }
    best = std::min(best, spent / static_cast<double>(calls));
  }
  return best;
}

template <class F, int N>
void compare(std::size_t n) {
  const F energy;
  std::vector<double> x(n), g(n);
  for (std::size_t k = 0; k < n; ++k) x[k] = std::sin(1.7 * static_cast<double>(k) + 0.3);
  const auto expected = F::by_hand(x);
  [[maybe_unused]] volatile double sink = 0;
  const double plain = seconds([&] {
    x[0] += 1e-300;
    sink = energy(x);
  });
  std::printf("%s, %zu inputs: the function takes %.3g us\n", F::name, n, 1e6 * plain);
  const auto report = [&](const char* name, double per_call, const std::vector<double>& found) {
    double worst = 0;
    for (std::size_t k = 0; k < n; ++k) worst = std::max(worst, std::abs(found[k] - expected[k]));
    std::printf("  %-28s %8.1f times that, off by %.1e\n", name, per_call / plain, worst);
    if (!(worst < 1e-12)) std::exit(1);
  };
  const double by_forward = seconds([&] { forward<F, N>(x, g); });
  report("forward", by_forward, g);
  if constexpr (F::local) {
    const double by_terms = seconds([&] { terms(x, g); });
    report("forward, term by term", by_terms, g);
  }
  ad::Tape<double> tape;
  const auto f = [&](auto inputs) { return energy(inputs); };
  const double by_tape = seconds([&] { ad::reverse_gradient<double>(tape, f, x, g); });
  report("reverse", by_tape, g);
  using Pack = numerics::Lanes<numerics::native_width>;
  ad::Tape<Pack> packs;
  std::vector<Pack> xs(x.begin(), x.end()), gs(n);
  const double by_packs = seconds([&] { ad::reverse_gradient<Pack>(packs, f, xs, gs); });
  for (std::size_t k = 0; k < n; ++k) g[k] = gs[k][numerics::native_width - 1];
  report("reverse in lanes, each", by_packs / numerics::native_width, g);
#ifdef COTANGENT_ADOLC
  const auto record = [&] {
    trace_on(1);
    std::vector<adouble> inputs(n);
    for (std::size_t k = 0; k < n; ++k) inputs[k] <<= x[k];
    double value = 0;
    adouble result = energy(inputs);
    result >>= value;
    trace_off();
  };
  const double by_adolc = seconds([&] {
    record();
    gradient(1, static_cast<int>(n), x.data(), g.data());
  });
  report("ADOL-C, recorded each time", by_adolc, g);
  record();
  const double by_kept = seconds([&] { gradient(1, static_cast<int>(n), x.data(), g.data()); });
  report("ADOL-C, recorded once", by_kept, g);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) least_time = std::stod(argv[1]);
  compare<Chain, 4>(4);
  compare<Chain, 40>(40);
  compare<Chain, 40>(400);
  compare<Nested, 4>(4);
  compare<Nested, 40>(40);
  compare<Nested, 40>(400);
  compare<MeanField, 4>(4);
  compare<MeanField, 40>(40);
  compare<MeanField, 40>(400);
#ifndef COTANGENT_ADOLC
  std::printf("ADOL-C was not found when this was built\n");
#endif
}
