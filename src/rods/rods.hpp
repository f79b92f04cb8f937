// SPDX-License-Identifier: BSD-3-Clause
// Point masses joined by rods, under uniform gravity, in free space or held on a surface: the Lagrangian's
// constraints are a sum of local terms,
//   g_k(q) = |q_a - q_b|^2 - l_k^2 = 0          for each rod k between the points a and b,
//   g_k(q) = g(q_a) = 0                         for each point a that is held on the surface g = 0.
// To all that follows a hold is a rod whose second end is nowhere: its gradient with respect to q_a - 0 is
// that of g, and only there does it differ.
// A point of infinite mass stays where it is: an anchor. The constraint is stated once, by RodConstraint; its
// derivatives are those of our algebra. A constraint's error is a length, |g| / |grad_a g|.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "ad/ad.hpp"

namespace cotangent::rods {

/// g as a function of r = q_a - q_b.
struct RodConstraint {
  auto operator()(const auto& r, double length) const {
    const auto squares = [](const auto&... x) { return (ad::square(x) + ...); };
    return std::apply(squares, r) - length * length;
  }
};

/// A surface as rods know it: g with its gradient, and the second derivative of g(q + s v) by s.
template <int D>
struct HoldingSurface {
  using Vector = std::array<double, D>;
  struct Level {
    double value;
    Vector gradient;
  };
  /// Points and what g is there: in each array a number for every point.
  struct Levels {
    std::size_t count;
    std::array<const double*, D> q;
    double* value;
    std::array<double*, D> gradient;
  };
  std::function<Level(const Vector& q)> level;
  std::function<double(const Vector& q, const Vector& v)> curvature;
  std::function<void(const Levels& points)> levels = {};  ///< all along the motion; none: level(), one by one

  void find(const Levels& points) const;
};

/// The second end of a rod that holds its first one on the surface.
inline constexpr std::int64_t nowhere = -1;

/// The mass of a point that doesn't move.
inline constexpr double fixed = std::numeric_limits<double>::infinity();

struct Rod {
  std::int64_t first = 0, second = 0;  ///< the points that it joins; or nowhere, a point that it holds
  double length = 0;

  bool holds() const { return second == nowhere; }
};

/// The joined points at the beginning, all of them: for systems that fit on one rank (share.hpp has
/// others).
template <int D>
struct RodSystem {
  using Vector = std::array<double, D>;

  std::vector<Vector> position, velocity;
  std::vector<double> mass;
  std::vector<Rod> rods;
  Vector gravity{};
  std::optional<HoldingSurface<D>> surface;

  /// Holds all points that move on a surface: each hold stands before the first rod that ends there.
  void hold_on(const HoldingSurface<D>& holding);
  /// To each point the one that stands for its molecule.
  std::vector<std::size_t> molecules() const;
  /// All rods of the longest molecule in a line.
  double longest_molecule() const;
  /// The size of what may be reached: the largest coordinate, or the longest molecule.
  double extent() const;
};

extern template struct HoldingSurface<2>;
extern template struct HoldingSurface<3>;
extern template struct RodSystem<2>;
extern template struct RodSystem<3>;

/// A chain: `rods` rods of equal length hung from a fixed point at the origin, or bent to a regular polygon
/// that closes on itself (`closed`); the angle is that of the first rod, counted from straight down, and at
/// rest.
template <int D>
RodSystem<D> rod_chain(std::int64_t rods, double length, double mass, double gravity, double angle,
                       bool closed);

/// Its points one after the other, none of which is kept.
template <int D>
void walk_chain(std::int64_t rods, double length, double angle, bool closed,
                const std::function<void(std::int64_t point, const std::array<double, D>& q)>& visit);

/// A walk along a surface in steps of given lengths, from a point on it in a direction, of which the tangent
/// part counts: each step ends on the surface, in the plane of the last one and the normal, so that short
/// ones follow a geodesic.
class SurfaceWalk {
 public:
  SurfaceWalk(const HoldingSurface<3>& surface, std::array<double, 3> from, std::array<double, 3> direction)
      : surface_(surface), at_(from), direction_(direction) {}
  /// Throws Error where the surface bends too much for the length.
  const std::array<double, 3>& step(double length);

 private:
  const HoldingSurface<3>& surface_;
  std::array<double, 3> at_, direction_;
  std::int64_t steps_ = 0;
};

/// Lays a chain, rods from each point to the next, along a surface.
void lay_along(RodSystem<3>& chain, const HoldingSurface<3>& surface, std::array<double, 3> from,
               std::array<double, 3> direction);

extern template void walk_chain<2>(std::int64_t, double, double, bool,
                                   const std::function<void(std::int64_t, const std::array<double, 2>&)>&);
extern template void walk_chain<3>(std::int64_t, double, double, bool,
                                   const std::function<void(std::int64_t, const std::array<double, 3>&)>&);
extern template RodSystem<2> rod_chain(std::int64_t, double, double, double, double, bool);
extern template RodSystem<3> rod_chain(std::int64_t, double, double, double, double, bool);

}  // namespace cotangent::rods
