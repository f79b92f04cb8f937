// SPDX-License-Identifier: BSD-3-Clause
// A term of a large Lagrangian L = sum over terms, sum over their copies, of L_term(q, v) on a few sites. A
// term is a struct with a name, the places of its sites relative to a copy's own place, and a call operator
// templated on the scalar; it takes its coordinates apart with `auto [a, b] = q;`, all of the first site,
// then all of the next. Gradient and Hessian of each copy follow by automatic differentiation, with the
// sparsity that its formula has; its parameters may be scalars that record, as any model's. A model is a
// struct that lists its terms:
//   dim           coordinates of a site
//   parameters    as any model's; Terms = std::tuple<...>
// Reference: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), I.4 for such lattices.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <tuple>

#include "mechanics/formulas_of.hpp"

namespace cotangent::lattice {

/// Where a site of a copy is: so many sites along x and y from the copy's place.
struct Offset {
  int x = 0, y = 0;
};
/// How far two sites of a copy are apart, along x and y.
inline std::array<std::int64_t, 2> distance(const Offset& a, const Offset& b) {
  return {std::abs(std::int64_t{a.x} - b.x), std::abs(std::int64_t{a.y} - b.y)};
}

/// A term of a model.
template <class T, class Model>
struct TermOf {
  static constexpr int sites = static_cast<int>(T::sites.size());
  static constexpr int count = sites * Model::dim;  ///< coordinates of a copy
  static_assert(T::sites[0].x == 0 && T::sites[0].y == 0, "a copy's place is its first site");
  static_assert(2 * count <= 64, "a term has at most 32 coordinates");

  template <class R>
  using Values = std::array<R, count>;

  /// L of a copy; arguments may carry derivatives or not.
  [[gnu::always_inline]] static auto lagrangian(const auto& q, const auto& v, const auto& p) {
    return T{}(q, v, p);
  }

 private:
  using Parameters = std::array<double, Model::parameters.size()>;
  template <class R>
  using Seeded = decltype(T{}(ad::seed<0, 2 * count, 2, 0>(std::declval<Values<R>>()),
                              ad::seed<count, 2 * count, 2, 1>(std::declval<Values<R>>()),
                              std::declval<Parameters>()));
  static constexpr auto sparsity = ad::sparsity_of<Seeded<double>, 2 * count>;

 public:
  /// L depends on coordinate i of the copy, or on its velocity.
  static constexpr bool depends_on_position(int i) { return sparsity.depends(i); }
  static constexpr bool depends_on_velocity(int i) { return sparsity.depends(count + i); }
  static constexpr bool has_force = [] {
    for (int i = 0; i < count; ++i) {
      if (depends_on_position(i)) return true;
    }
    return false;
  }();
  static constexpr bool has_momentum = [] {
    for (int i = 0; i < count; ++i) {
      if (depends_on_velocity(i)) return true;
    }
    return false;
  }();
  /// Whether the term is v^T M v / 2 - U(q) with M constant and diagonal.
  static constexpr bool separable = [] {
    if (sparsity.degree > 2) return false;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j) {
        if (sparsity.has_second(i, count + j)) return false;
        if (i != j && sparsity.has_second(count + i, count + j)) return false;
      }
    }
    return true;
  }();
};

/// What a term adds to L, or keeps zero: Model::formulas().
template <class T, class Model>
expressions::Tree term_formula() {
  constexpr std::size_t count = T::sites.size() * Model::dim;
  expressions::Graph graph;
  const auto q = mechanics::recorded_names<count>(graph, 0),
             v = mechanics::recorded_names<count>(graph, count);
  const auto p = mechanics::recorded_names<Model::parameters.size()>(graph, 2 * count);
  if constexpr (requires { T{}(q, v, p); }) {
    return mechanics::recorded_trees(T{}(q, v, p))[0];
  } else {
    return mechanics::recorded_trees(T{}(q, p))[0];
  }
}

}  // namespace cotangent::lattice
