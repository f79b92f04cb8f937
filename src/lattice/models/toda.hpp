// SPDX-License-Identifier: BSD-3-Clause
// Toda's chain, which is integrable: U(r) = e^-r + r - 1, r = q_n+1 - q_n. With a_n = e^(-r_n / 2) / 2 and
// b_n = q_n' / 2 the eigenvalues of the Jacobi matrix L (b on the diagonal, a beside it and around the
// corner) of a closed chain are constant, and so are the traces of its powers. The exact soliton moves at
// sinh(kappa) / kappa. Reference: Toda, J. Phys. Soc. Japan 22 (1967) 431; Flaschka, Phys. Rev. B 9 (1974)
// 1924; Henon, ibid. 1921.
#pragma once

#include "lattice/kernel.hpp"
#include "lattice/point.hpp"

namespace cotangent::lattice {

struct Toda {
  static constexpr std::string_view name = "toda";
  static constexpr std::string_view about = "Toda's chain: exponential bonds, integrable";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, 1> coordinates{{{"q"}}};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};

  struct Bond {
    static constexpr std::string_view name = "bond";
    static constexpr std::array<Offset, 2> sites{{{0, 0}, {1, 0}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto&, const auto&) const {
      using std::exp;
      const auto [a, b] = q;
      const auto stretch = a - b;
      return 1.0 + (stretch - exp(stretch));
    }
  };
  using Terms = std::tuple<UnitMass, Bond>;
  static LinearChain linear(const std::array<double, 0>&) { return {1.0, 0.0}; }

  static constexpr int powers = 8;
  static std::vector<std::string> invariant_names() {
    std::vector<std::string> names;
    for (int k = 1; k <= powers; ++k) names.push_back("tr L^" + std::to_string(k));
    return names;
  }
  static constexpr int invariant_reach = powers + 1;
  /// tr L^k = sum over i of (L^k)_ii, from the rows of L's powers, which reach k sites to either side.
  static std::vector<double> invariant_shares(const double* q, const double* v, const Grid& chain,
                                              const Range& range, const std::array<double, 0>&) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> shares(static_cast<std::size_t>(range.own * powers), nan);
    if (chain.length < 2 * powers + 1) return shares;
    std::vector<double> joints(static_cast<std::size_t>(range.own + 2 * invariant_reach), 0.0);
    double* const beside = joints.data() + invariant_reach;  // a_i joins i and i + 1
    for (std::int64_t i = -invariant_reach; i < range.own + powers; ++i) {
      beside[i] = 0.5 * std::exp(0.5 * (q[i] - q[i + 1]));
    }
    std::array<double, 2 * powers + 3> row, next;
    for (std::int64_t i = 0; i < range.own; ++i) {
      row.fill(0.0);
      row[powers + 1] = 1.0;  // the unit vector of i; place j is site i + j - powers - 1
      for (int k = 0; k < powers; ++k) {
        next.fill(0.0);
        for (int j = powers - k; j <= powers + 2 + k; ++j) {
          const std::int64_t site = i + j - powers - 1;
          const auto place = static_cast<std::size_t>(j);
          next[place] = 0.5 * v[site] * row[place] + beside[site - 1] * row[place - 1] +
                        (j < 2 * powers + 2 ? beside[site] * row[place + 1] : 0.0);
        }
        row = next;
        shares[static_cast<std::size_t>(i * powers + k)] = row[powers + 1];
      }
    }
    return shares;
  }
  /// e^-r_n - 1 = sinh^2 kappa / cosh^2 theta_n, theta_n = kappa (x_n - centre) - t sinh kappa; q itself is
  /// log((1 + e^(2 theta_(n-1))) / (1 + e^(2 theta_n))), written so that nothing overflows.
  static std::vector<Wave> waves() {
    return {{"soliton",
             "a compression that runs to the right",
             {{"kappa", 1.0, "its steepness"}, {"centre", 0.0, "where it begins, from the middle"}},
             "max(2*(kappa*(x - 1 - centre) - sinh(kappa)*t), 0) - max(2*(kappa*(x - centre) - "
             "sinh(kappa)*t), 0) "
             "+ log((1 + exp(-2*abs(kappa*(x - 1 - centre) - sinh(kappa)*t)))/"
             "(1 + exp(-2*abs(kappa*(x - centre) - sinh(kappa)*t))))",
             "sinh(kappa)*(tanh(kappa*(x - centre) - sinh(kappa)*t) - "
             "tanh(kappa*(x - 1 - centre) - sinh(kappa)*t))"}};
  }
};

}  // namespace cotangent::lattice
