// SPDX-License-Identifier: BSD-3-Clause
// A program of one's own: a model that fails on rank 1 alone, where no other rank expects it; one with two
// knife edges at one point, of directions a and b, dependent where they are parallel; a surface, in the place
// of the built-in sphere; a set, a field and a pair potential.
#include <stdexcept>

#include "mechanics/surface.hpp"
#include "parallel/mpi.hpp"
#include "studies/program/program.hpp"

struct Wayward {
  static constexpr std::string_view name = "wayward";
  static constexpr std::string_view about = "a free particle whose rank 1 gives up";
  static constexpr int dim = 1;
  static constexpr std::array<cotangent::mechanics::Coordinate, dim> coordinates{{{"x"}}};
  static constexpr std::array<cotangent::mechanics::Parameter, 0> parameters{};

  auto operator()(const auto& q, const auto& v) const {
    if (cotangent::parallel::rank() == 1) throw std::runtime_error("rank 1 gives up");
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * x_dot * x_dot - 0.5 * x * x;
  }
};

struct TwoEdges {
  static constexpr std::string_view name = "two-edges";
  static constexpr std::string_view about = "two knife edges at one point";
  static constexpr int dim = 4;
  static constexpr std::array<cotangent::mechanics::Coordinate, dim> coordinates{
      {{"x"}, {"y"}, {"a"}, {"b"}}};
  static constexpr std::array<cotangent::mechanics::Parameter, 0> parameters{};

  auto operator()(const auto&, const auto& v) const {
    using cotangent::ad::square;
    const auto [u, w, a_dot, b_dot] = v;
    return 0.5 * (square(u) + square(w) + square(a_dot) + square(b_dot));
  }
  auto rolling(const auto& q, const auto& v, const auto&) const {
    const auto [x, y, a, b] = q;
    const auto [u, w, a_dot, b_dot] = v;
    return std::tuple(w * cos(a) - u * sin(a), w * cos(b) - u * sin(b));
  }
};

struct Cushion {
  static constexpr std::string_view name = "sphere";
  static constexpr std::string_view about = "x^4 + y^4 + z^4 = a^4";
  static constexpr std::array<cotangent::mechanics::Parameter, 1> parameters{{{"a", 1.0, "half its width"}}};

  auto operator()(const auto& q, const auto& p) const {
    using cotangent::ad::square;
    const auto [x, y, z] = q;
    const auto [a] = p;
    return square(square(x)) + square(square(y)) + square(square(z)) - square(square(a));
  }
};

struct Diamond {
  static constexpr std::string_view name = "diamond";
  static constexpr std::string_view about = "|x| + |y| < size";
  static constexpr int dim = 2;
  static constexpr std::array<cotangent::mechanics::Parameter, 1> parameters{
      {{"size", 1.0, "half a diagonal"}}};

  auto operator()(const auto& q, const auto& p) const {
    const auto& [x, y] = q;
    const auto [a] = p;
    return cotangent::billiards::all_of(a - x - y, a - x + y, a + x - y, a + x + y);
  }
};

struct Saddle {
  static constexpr std::string_view name = "saddle";
  static constexpr std::string_view about = "x y times a strength";
  static constexpr int dim = 2;
  static constexpr std::array<cotangent::mechanics::Parameter, 1> parameters{{{"strength", 1.0, "of it"}}};

  auto potential(const auto& q, const auto& p) const {
    const auto& [x, y] = q;
    return p[0] * (x * y);
  }
};

struct Spring {
  static constexpr std::string_view name = "spring";
  static constexpr std::string_view about = "springs between all particles nearer than the cut-off";
  static constexpr std::array<cotangent::mechanics::Parameter, 1> parameters{{{"stiffness", 1.0, "of one"}}};

  auto operator()(const auto& s, const auto& p) const { return s * (0.5 * p[0]); }
  static double scale(const std::array<double, 1>&) { return 1.0; }
};

int main(int argc, char** argv) {
  return cotangent::studies::run_program(
      argc, argv,
      cotangent::studies::own<Wayward, TwoEdges, cotangent::mechanics::ParticleOn<Cushion>, Diamond, Saddle,
                              Spring>());
}
