// SPDX-License-Identifier: BSD-3-Clause
// Sets of points, each stated by where its omega(x, p) is positive, and nothing else. A struct in sets/ has
//   name, about, dim, parameters, and operator()(x, p)
// which returns omega, or several of them put together by all_of, any_of and none_of: a square less a disc is
//   all_of(a*a - x*x, a*a - y*y, x*x + y*y - r*r).
// Where not all parameters make sense, static objection(p) says what is wrong with them, as of surfaces.
// One formula serves as it stands for values, derivatives (ad), polynomials in time and intervals. Smooth
// pieces of the boundary are walls; of corners between them each piece knows nothing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ad/ad.hpp"
#include "mechanics/lagrangian.hpp"

namespace cotangent::billiards {

using mechanics::Parameter;

/// Where all (any, none) of the parts are positive.
template <class... Parts>
struct AllOf {
  std::tuple<Parts...> parts;
};
template <class... Parts>
struct AnyOf {
  std::tuple<Parts...> parts;
};
template <class Part>
struct NoneOf {
  std::tuple<Part> parts;
};
template <class... Parts>
constexpr AllOf<Parts...> all_of(const Parts&... parts) {
  return {{parts...}};
}
template <class... Parts>
constexpr AnyOf<Parts...> any_of(const Parts&... parts) {
  return {{parts...}};
}
template <class Part>
constexpr NoneOf<Part> none_of(const Part& part) {
  return {{part}};
}
template <class... Parts>
constexpr auto none_of(const Parts&... parts) requires(sizeof...(Parts) > 1) {
  return none_of(any_of(parts...));
}

/// A wall and the side of it that is meant: omega > 0 (sign +1) or omega < 0 (sign -1).
struct Side {
  int wall;
  double sign;
  friend bool operator==(const Side&, const Side&) = default;
};
/// Where all sides hold.
using Cell = std::vector<Side>;
/// A union of cells: every Boolean combination is one.
using Region = std::vector<Cell>;

inline Region united(Region a, const Region& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
/// Contradictions are left out, and so is what a side says twice. Throws an Error where there are too many
/// cells: outside of n sets of k walls each there are k^n.
Region intersected(const Region& a, const Region& b);
Region complement(const Region& a);

namespace detail {

template <class T>
struct Formula {  // a wall
  static constexpr int walls = 1;
  static auto list(const T& omega) { return std::tuple(omega); }
  static Region region(int first) { return {{{first, 1.0}}}; }
};
template <class... Parts>
struct FormulaOfParts {
  static constexpr int walls = (Formula<Parts>::walls + ...);
  static auto list(const auto& combination) {
    return std::apply([](const auto&... part) { return std::tuple_cat(Formula<Parts>::list(part)...); },
                      combination.parts);
  }
  static std::vector<Region> regions(int first) {
    std::vector<Region> result;
    ((result.push_back(Formula<Parts>::region(first)), first += Formula<Parts>::walls), ...);
    return result;
  }
};
template <class... Parts>
struct Formula<AnyOf<Parts...>> : FormulaOfParts<Parts...> {
  static Region region(int first) {
    Region result;
    for (const Region& part : FormulaOfParts<Parts...>::regions(first)) result = united(result, part);
    return result;
  }
};
template <class... Parts>
struct Formula<AllOf<Parts...>> : FormulaOfParts<Parts...> {
  static Region region(int first) {
    Region result{{}};
    for (const Region& part : FormulaOfParts<Parts...>::regions(first)) result = intersected(result, part);
    return result;
  }
};
template <class Part>
struct Formula<NoneOf<Part>> : FormulaOfParts<Part> {
  static Region region(int first) { return complement(Formula<Part>::region(first)); }
};

template <class Set>
using ValuesOf = decltype(Set{}(std::array<double, Set::dim>{},
                                std::array<double, Set::parameters.size()>{}));

}  // namespace detail

template <class Set>
inline constexpr int wall_count = detail::Formula<detail::ValuesOf<Set>>::walls;

/// omega of the set's wall number K.
template <class Set, int K, class X, class P>
[[gnu::always_inline]] inline auto wall_value(const X& x, const P& p) {
  const auto values = Set{}(x, p);
  return std::get<K>(detail::Formula<std::remove_const_t<decltype(values)>>::list(values));
}

/// The set as a region of its walls, which are numbered from `first` on.
template <class Set>
Region region_of(int first) {
  return detail::Formula<detail::ValuesOf<Set>>::region(first);
}

}  // namespace cotangent::billiards
