// SPDX-License-Identifier: BSD-3-Clause
// A large Lagrangian of one's own, as a list of local terms: stretchings y of a DNA strand's base pairs, each
// in a Morse well, neighbours coupled by springs. Lengths in the well's width, times in that of its mass.
//   L = sum of y'^2 / 2 - depth (exp(-y) - 1)^2  -  sum over bonds of coupling (y_n+1 - y_n)^2 / 2
// Reference: Peyrard, Bishop, Phys. Rev. Lett. 62 (1989) 2755.
#include "studies/program/program.hpp"

namespace lattice = cotangent::lattice;
namespace mechanics = cotangent::mechanics;

struct PeyrardBishop {
  static constexpr std::string_view name = "peyrard-bishop";
  static constexpr std::string_view about = "DNA strand: base pairs in Morse wells, neighbours coupled";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"y"}}};
  static constexpr std::array<mechanics::Parameter, 2> parameters{
      {{"depth", 1.0, "of a pair's well"}, {"coupling", 0.1, "of neighbours"}}};

  struct Pair {
    static constexpr std::string_view name = "pair";
    static constexpr std::array<lattice::Offset, 1> sites{{{0, 0}}};

    auto operator()(const auto& q, const auto& v, const auto& p) const {
      using cotangent::ad::square;
      const auto [y] = q;
      const auto [y_dot] = v;
      return 0.5 * square(y_dot) - p[0] * square(exp(-y) - 1.0);
    }
  };
  struct Bond {
    static constexpr std::string_view name = "bond";
    static constexpr std::array<lattice::Offset, 2> sites{{{0, 0}, {1, 0}}};

    auto operator()(const auto& q, const auto&, const auto& p) const {
      const auto [left, right] = q;
      return (-0.5 * p[1]) * cotangent::ad::square(right - left);
    }
  };
  using Terms = std::tuple<Pair, Bond>;
};

int main(int argc, char** argv) {
  return cotangent::studies::run_program(argc, argv, cotangent::studies::own<PeyrardBishop>());
}
