// SPDX-License-Identifier: BSD-3-Clause
// What a struct has to say to be a model, checked before anything is made of it: whoever forgets a part reads
// one sentence that names it. A member whose name a model may use (constraint, rolling, force, dissipation,
// kick, domain, objection) but that can't be called as models are would else be passed over without a word.
#pragma once

#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

namespace detail {

/// Two bases' members of one name can't be told apart: so it shows that M has one, whatever that takes.
struct OptionalMembers {
  int constraint, rolling, force, dissipation, kick, domain, objection;
};
template <class M>
struct WithOptionalMembers : M, OptionalMembers {};

template <class T>
concept Number = ad::detail::is_jet<T> ||(std::is_arithmetic_v<T> && !std::same_as<T, bool>);
template <class T>
inline constexpr bool are_numbers = Number<T>;
template <class... T>
inline constexpr bool are_numbers<std::tuple<T...>> = (Number<T> && ...);

template <class M>
concept Named = requires {
  typename std::integral_constant<std::size_t, std::string_view(M::name).size()>;
};
template <class M>
concept Described = requires {
  typename std::integral_constant<std::size_t, std::string_view(M::about).size()>;
};
template <class M>
concept Dimensioned = requires {
  typename std::enable_if_t<(M::dim > 0)>;
};
template <class M>
concept Parametrised = requires {
  typename std::integral_constant<std::size_t, M::parameters.size()>;
  requires std::same_as<std::remove_cvref_t<decltype(M::parameters)>,
                        std::array<Parameter, M::parameters.size()>>;
};
template <class M>
concept Coordinated = Dimensioned<M> && requires {
  requires std::same_as<std::remove_cvref_t<decltype(M::coordinates)>, std::array<Coordinate, M::dim>>;
};

/// Every coordinate has a name, and no two have the same.
template <class M>
constexpr bool coordinates_differ() {
  for (std::size_t i = 0; i < M::coordinates.size(); ++i) {
    if (M::coordinates[i].name.empty()) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (M::coordinates[i].name == M::coordinates[j].name) return false;
    }
  }
  return true;
}

/// What a model's members are called with: arguments that carry derivatives as System's do.
template <class M>
struct Arguments {
  using Point = std::array<double, M::dim>;
  using Q = decltype(ad::seed<0, 2 * M::dim, 2, 0>(std::declval<Point>()));
  using V = decltype(ad::seed<M::dim, 2 * M::dim, 2, 1>(std::declval<Point>()));
  using Along = decltype(ad::seed<0, M::dim, 2, 0>(std::declval<Point>()));
  using P = std::array<double, M::parameters.size()>;
};

template <class M>
constexpr bool constraint_is_stated() {
  if constexpr (requires { &WithOptionalMembers<M>::constraint; }) {
    return true;
  } else {
    using Along = typename Arguments<M>::Along;
    using P = typename Arguments<M>::P;
    constexpr bool callable = has_moving_constraint<M> || requires(const M& m, const Along& q, const P& p) {
      m.constraint(q, p);
    };
    static_assert(callable,
                  "a model's constraint takes (q, p) or (q, p, t), and is const: auto constraint(const "
                  "auto& q, const auto& p) const");
    if constexpr (callable) {
      constexpr bool numbers =
          are_numbers<decltype(constraint_components<M>(std::declval<Along>(), std::declval<P>(), 0.0))>;
      static_assert(numbers,
                    "a model's constraint returns g, which is 0 on the manifold: a number, or a "
                    "std::tuple of numbers");
      return numbers;
    } else {
      return false;
    }
  }
}

template <class M>
constexpr bool rolling_is_stated() {
  if constexpr (requires { &WithOptionalMembers<M>::rolling; }) {
    return true;
  } else {
    using Q = typename Arguments<M>::Q;
    using V = typename Arguments<M>::V;
    using P = typename Arguments<M>::P;
    constexpr bool callable = requires(const M& m, const Q& q, const V& v, const P& p) {
      m.rolling(q, v, p);
    };
    static_assert(callable,
                  "a model's rolling takes (q, v, p), and is const: auto rolling(const auto& q, const "
                  "auto& v, const auto& p) const");
    if constexpr (callable) {
      constexpr bool numbers = are_numbers<decltype(std::declval<const M&>().rolling(
          std::declval<const Q&>(), std::declval<const V&>(), std::declval<const P&>()))>;
      static_assert(numbers,
                    "a model's rolling returns r, which is 0 where nothing slips: a number, or a "
                    "std::tuple of numbers");
      return numbers;
    } else {
      return false;
    }
  }
}

template <class M>
constexpr bool force_is_stated() {
  if constexpr (requires { &WithOptionalMembers<M>::force; }) {
    return true;
  } else {
    using Q = typename Arguments<M>::Q;
    using V = typename Arguments<M>::V;
    using P = typename Arguments<M>::P;
    constexpr bool callable = Forced<M, Q, V, P> || ForcedInTime<M, Q, V, P, double>;
    static_assert(callable,
                  "a model's force takes (q, v, p) or (q, v, p, t), and is const: auto force(const auto& q, "
                  "const auto& v, const auto& p) const");
    if constexpr (callable) {
      constexpr bool numbers = are_numbers<decltype(force_components<M>(std::declval<Q>(), std::declval<V>(),
                                                                        std::declval<P>(), 0.0))>;
      static_assert(numbers, "a model's force returns dim generalised forces: a std::tuple of numbers");
      return numbers;
    } else {
      return false;
    }
  }
}

template <class M>
constexpr bool dissipation_is_stated() {
  if constexpr (requires { &WithOptionalMembers<M>::dissipation; }) {
    return true;
  } else {
    using Q = typename Arguments<M>::Q;
    using V = typename Arguments<M>::V;
    using P = typename Arguments<M>::P;
    constexpr bool callable = Dissipates<M, Q, V, P> || DissipatesInTime<M, Q, V, P, double>;
    static_assert(callable,
                  "a model's dissipation takes (q, v, p) or (q, v, p, t), and is const: auto "
                  "dissipation(const auto& q, const auto& v, const auto& p) const");
    if constexpr (callable) {
      constexpr bool number =
          Number<decltype(dissipation_at<M>(std::declval<Q>(), std::declval<V>(), std::declval<P>(), 0.0))>;
      static_assert(number, "a model's dissipation returns Rayleigh's function, one number");
      return number;
    } else {
      return false;
    }
  }
}

template <class M>
constexpr bool domain_is_stated() {
  if constexpr (requires { &WithOptionalMembers<M>::domain; }) {
    return true;
  } else {
    using Point = typename Arguments<M>::Point;
    using P = typename Arguments<M>::P;
    constexpr bool callable = requires(const M& m, const Point& q, const P& p) {
      m.domain(q, p);
    };
    static_assert(callable,
                  "a model's domain takes (q, p), and is const: auto domain(const auto& q, const "
                  "auto& p) const");
    if constexpr (callable) {
      constexpr bool number = Number<std::remove_cvref_t<decltype(std::declval<const M&>().domain(
          std::declval<const Point&>(), std::declval<const P&>()))>>;
      static_assert(number, "a model's domain returns a number, positive inside, 0 where a trajectory ends");
      return number;
    } else {
      return false;
    }
  }
}

template <class M>
constexpr bool kick_is_stated() {
  if constexpr (requires { &WithOptionalMembers<M>::kick; }) {
    return true;
  } else {
    static_assert(has_kick<M>,
                  "a model that is kicked has V and its period, both const: auto kick(const auto& q, const "
                  "auto& p) const, auto kick_every(const auto& p) const");
    constexpr bool is_free = constraint_count<M> == 0 && rolling_count<M> == 0;
    static_assert(is_free, "a model that is kicked moves freely, without constraints and rolling");
    return has_kick<M> && is_free;
  }
}

template <class M>
constexpr bool objection_is_stated() {
  if constexpr (requires { &WithOptionalMembers<M>::objection; }) {
    return true;
  } else {
    using P = typename Arguments<M>::P;
    constexpr bool callable = requires(const P& p) {
      { M::objection(p) } -> std::convertible_to<std::optional<std::string>>;
    };
    static_assert(callable,
                  "a model's objection is static std::optional<std::string> objection(const "
                  "std::array<double, N>& p), N the number of parameters");
    return callable;
  }
}

/// The call operator and the optional members.
template <class M>
constexpr bool members_are_stated() {
  using Q = typename Arguments<M>::Q;
  using V = typename Arguments<M>::V;
  using P = typename Arguments<M>::P;
  constexpr bool changes_nothing = std::invocable<const M&, Q, V> || std::invocable<const M&, Q, V, P> ||
                                   std::invocable<const M&, Q, V, P, double>;
  if constexpr (!changes_nothing) {
    constexpr bool changes_itself =
        std::invocable<M&, Q, V> || std::invocable<M&, Q, V, P> || std::invocable<M&, Q, V, P, double>;
    static_assert(!changes_itself, "a model's call operator is const: auto operator()(...) const { ... }");
    static_assert(changes_itself, "a model's call operator takes (q, v), (q, v, p) or (q, v, p, t)");
    return false;
  } else {
    using L =
        decltype(std::declval<System<M, double>>().lagrangian(std::declval<Q>(), std::declval<V>(), 0.0));
    constexpr bool returns = Number<L>;
    static_assert(returns, "a model's call operator returns the Lagrangian, one number");
    return returns && constraint_is_stated<M>() && rolling_is_stated<M>() && force_is_stated<M>() &&
           dissipation_is_stated<M>() && domain_is_stated<M>() && kick_is_stated<M>() &&
           objection_is_stated<M>();
  }
}

}  // namespace detail

/// Whether M says all that a model has to; what it leaves out, or has of another kind, is an error of the
/// compiler's that says so.
template <class M>
constexpr bool is_stated() {
  static_assert(detail::Named<M>,
                "a model has a name: static constexpr std::string_view name = \"spring-pair\";");
  static_assert(detail::Described<M>,
                "a model says what it is: static constexpr std::string_view about = \"Two masses ...\";");
  static_assert(detail::Dimensioned<M>, "a model counts its coordinates: static constexpr int dim = 2;");
  static_assert(
      !detail::Dimensioned<M> || detail::Coordinated<M>,
      "a model's coordinates are a static constexpr std::array<Coordinate, dim>, one for each of q");
  static_assert(
      detail::Parametrised<M>,
      "a model's parameters are a static constexpr std::array<Parameter, N> of {name, default, meaning}, "
      "N = 0 where it has none");
  if constexpr (detail::Named<M> && detail::Described<M> && detail::Coordinated<M> &&
                detail::Parametrised<M>) {
    constexpr bool differ = detail::coordinates_differ<M>();
    static_assert(differ, "each of a model's dim coordinates has a name of its own");
    return detail::members_are_stated<M>() && differ;
  } else {
    return false;
  }
}

}  // namespace cotangent::mechanics
