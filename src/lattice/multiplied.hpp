// SPDX-License-Identifier: BSD-3-Clause
// A model whose terms are kept on g(q) = 0 by constraints, each a local term too: a struct with a name, the
// places of its sites, and a call operator g(q, p). As one more Lagrangian, L + sum of lambda g, in which a
// copy's multiplier lambda is a further coordinate of its first site: forces of constraints, g itself and all
// second derivatives follow from the same automatic differentiation, with the same pattern.
#pragma once

#include "lattice/term.hpp"

namespace cotangent::lattice {

/// How many constraints a model states: M::Constraints, a tuple; 0 where there is none.
template <class M>
inline constexpr int constraints_of = [] {
  if constexpr (requires { typename M::Constraints; })
    return static_cast<int>(std::tuple_size_v<typename M::Constraints>);
  else
    return 0;
}();

template <class M>
struct Multiplied {
  static constexpr int dim = M::dim + constraints_of<M>;
  static constexpr std::array<mechanics::Parameter, M::parameters.size()> parameters{};  ///< so many

 private:
  /// A copy's own coordinates, without multipliers.
  template <int Sites>
  [[gnu::always_inline]] static auto coordinates(const auto& all) {
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return std::tuple(std::get<I / M::dim * dim + I % M::dim>(all)...);
    }
    (std::make_integer_sequence<int, Sites * M::dim>{});
  }
  template <class T>
  struct Moving {
    static constexpr auto sites = T::sites;
    [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
      constexpr int n = static_cast<int>(sites.size());
      return T{}(coordinates<n>(q), coordinates<n>(v), p);
    }
  };
  template <class T, int K>
  struct Held {
    static constexpr auto sites = T::sites;
    [[gnu::always_inline]] auto operator()(const auto& q, const auto&, const auto& p) const {
      return std::get<M::dim + K>(q) * T{}(coordinates<static_cast<int>(sites.size())>(q), p);
    }
  };
  template <class... T, class... G, int... K>
  static std::tuple<Moving<T>..., Held<G, K>...> all(std::tuple<T...>*, std::tuple<G...>*,
                                                     std::integer_sequence<int, K...>);

 public:
  using Terms =
      decltype(all(static_cast<typename M::Terms*>(nullptr), static_cast<typename M::Constraints*>(nullptr),
                   std::make_integer_sequence<int, constraints_of<M>>{}));
};

}  // namespace cotangent::lattice
