// SPDX-License-Identifier: BSD-3-Clause
// A model whose formulas are evaluated node by node, over all lanes at once: for machines without a compiler.
// Its struct goes through the same templates as any other; what a compiler would see of its formulas, that
// the mass matrix is constant, it states by its form. Limits: 4 coordinates, 16 parameters, the method that
// is its motion's default; free motion, or a particle on a surface in space.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "expressions/evaluate.hpp"
#include "mechanics/formulas.hpp"
#include "mechanics/lagrangian.hpp"

namespace cotangent::formulas {

enum class Form {
  newtonian,  ///< L = K(v) - U(q), K quadratic
  general,    ///< any L(q, v, t), with forces
  on_surface  ///< as newtonian, on g(q) = 0
};

inline constexpr std::size_t most_interpreted_parameters = 16;

/// Room for the most of them, as many as the deck has.
class InterpretedParameters {
 public:
  static constexpr std::size_t size() { return most_interpreted_parameters; }
  const mechanics::Parameter& operator[](std::size_t k) const { return all_[k]; }
  const mechanics::Parameter* begin() const { return all_.data(); }
  const mechanics::Parameter* end() const { return begin() + count_; }
  std::size_t count() const { return count_; }
  void set(std::span<const mechanics::Parameter> given) {
    count_ = given.size();
    std::ranges::copy(given, all_.begin());
  }

 private:
  std::array<mechanics::Parameter, most_interpreted_parameters> all_{};
  std::size_t count_ = 0;
};

namespace detail {

template <class T>
struct Dense {
  using type = T;
};
template <class Real, int N, int Order, ad::Sparsity<N> S>
struct Dense<ad::Jet<Real, N, Order, S>> {
  using type = ad::Jet<Real, N, Order, ad::full<N>>;
};
/// The type in which two arguments of a formula meet, with room for every derivative.
template <class A, class B>
using Met = typename Dense<std::conditional_t<ad::is_jet<A>, A, B>>::type;

template <class X>
using First = std::remove_cvref_t<std::tuple_element_t<0, X>>;

/// f as a polynomial of the variables that its arguments x are: the same value and derivatives, in a type
/// that says of which variables.
template <class F, class X>
auto recomposed(const F& f, const X& x) {
  if constexpr (!ad::is_jet<F>) {
    return f;
  } else {
    constexpr int n = static_cast<int>(std::tuple_size_v<X>);
    const auto slope = ad::gradient_of<n>(f);
    const auto step = [&](auto i) {
      const auto& variable = std::get<i>(x);
      return variable - ad::value(variable);
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto linear = ((slope[I] * step(std::integral_constant<std::size_t, I>{})) + ...);
      if constexpr (F::order == 1) {
        return ad::value(f) + linear;
      } else {
        const auto bend = ad::hessian_of<n>(f);
        const auto row = [&](auto i) {
          return step(i) * ((bend[i][I] * step(std::integral_constant<std::size_t, I>{})) + ...);
        };
        return ad::value(f) + linear + 0.5 * (row(std::integral_constant<std::size_t, I>{}) + ...);
      }
    }
    (std::make_index_sequence<std::tuple_size_v<X>>{});
  }
}

/// The values of x, as the variables of a dense jet where x are jets.
template <class X>
auto own_variables(const X& x) {
  constexpr int n = static_cast<int>(std::tuple_size_v<X>);
  using Argument = First<X>;
  if constexpr (ad::is_jet<Argument>) {
    using R = typename Argument::real_type;
    using F = ad::Jet<R, n, Argument::order, ad::full<n>>;
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return std::array<F, n>{F(ad::variable<I, n, Argument::order, 0>(R(ad::value(std::get<I>(x)))))...};
    }
    (std::make_integer_sequence<int, n>{});
  } else {
    return x;
  }
}

}  // namespace detail

template <int Dim, Form form>
struct InterpretedModel {
  static inline std::string_view name, about;
  static constexpr std::string_view method{};  ///< the one compiled: that of its motion by default
  static constexpr int dim = Dim;
  static inline std::array<mechanics::Coordinate, dim> coordinates;
  static inline InterpretedParameters parameters;
  static inline const mechanics::Formulas* formulas;

  template <class Q, class V, class P>
  auto operator()(const Q& q, const V& v, const P& p) const requires(form != Form::general) {
    using R = typename P::value_type;
    const auto real = [](const auto&... x) { return std::array<R, dim>{R(ad::value(x))...}; };
    const std::array<R, dim> place = std::apply(real, q), rest{};
    const auto at_rest = [&](const auto& x) {
      using F = typename std::remove_cvref_t<decltype(x)>::value_type;
      return value<F>(formulas->lagrangian, x, rest, p);
    }(detail::own_variables(q));
    const auto moving = [&](const auto& x) {
      using F = typename std::remove_cvref_t<decltype(x)>::value_type;
      return value<F>(formulas->lagrangian, place, x, p);
    }(detail::own_variables(v));
    return detail::recomposed(at_rest, q) + (detail::recomposed(moving, v) - R(ad::value(at_rest)));
  }
  template <class Q, class V, class P, class T>
  auto operator()(const Q& q, const V& v, const P& p, const T& t) const requires(form == Form::general) {
    return general(formulas->lagrangian, q, v, p, t);
  }

  template <class Q, class P>
  auto constraint(const Q& q, const P& p) const requires(form == Form::on_surface) {
    return of_places(formulas->constraint[0], q, p);
  }
  template <class Q, class P>
  auto domain(const Q& q, const P& p) const {
    using F = decltype(of_places(formulas->lagrangian, q, p));
    return formulas->domain ? of_places(*formulas->domain, q, p) : F(1.0);
  }
  template <class Q, class V, class P, class T>
  auto force(const Q& q, const V& v, const P& p, const T& t) const requires(form == Form::general) {
    using F = decltype(general(formulas->lagrangian, q, v, p, t));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple((formulas->force.empty() ? F(0.0) : general(formulas->force[I], q, v, p, t))...);
    }
    (std::make_index_sequence<dim>{});
  }
  template <class Q, class V, class P, class T>
  auto dissipation(const Q& q, const V& v, const P& p, const T& t) const requires(form == Form::general) {
    using F = decltype(general(formulas->lagrangian, q, v, p, t));
    return formulas->dissipation ? general(*formulas->dissipation, q, v, p, t) : F(0.0);
  }

 private:
  template <class F, class Q, class V, class P, class T = double>
  [[gnu::noinline]] static F value(const expressions::Tree& tree, const Q& q, const V& v, const P& p,
                                   const T& t = T(0.0)) {
    std::array<F, 2 * dim + most_interpreted_parameters + 1> values;
    const auto put = [&](std::size_t from) {
      return [&values, from](const auto&... x) mutable { ((values[from++] = F(x)), ...); };
    };
    std::apply(put(0), q);
    std::apply(put(dim), v);
    for (std::size_t k = 0; k < parameters.count(); ++k) values[2 * dim + k] = F(p[k]);
    values[2 * dim + parameters.count()] = F(t);
    return expressions::evaluate<F>(tree, std::span<const F>(values));
  }
  template <class Q, class V, class P, class T>
  static auto general(const expressions::Tree& tree, const Q& q, const V& v, const P& p, const T& t) {
    using F =
        detail::Met<detail::First<Q>, detail::Met<detail::First<V>, detail::Met<T, typename P::value_type>>>;
    return value<F>(tree, q, v, p, t);
  }
  template <class Q, class P>
  static auto of_places(const expressions::Tree& tree, const Q& q, const P& p) {
    using F = detail::Met<detail::First<Q>, typename P::value_type>;
    return value<F>(tree, q, std::array<typename P::value_type, dim>{}, p);
  }
};

}  // namespace cotangent::formulas
