// SPDX-License-Identifier: BSD-3-Clause
// The algebra A(N): triplets (s, g, H) of value, gradient and symmetric Hessian of a function of N variables,
//   (s,g,H)(t,k,K) = (s t, s k + t g, s K + g k^T + k g^T + t H)       Chan (2018), (2.9)
// over any real type: double, or a pack of SIMD lanes. The type carries the sparsity, so only derivatives
// that can be nonzero are stored and computed, and a constant costs what a constant costs. Order 1 leaves out
// H. Reference: V. P. Chan, The design, implementation, and applications of a novel numerical solver: the
// Lagrangian solver (master's thesis, OIST, 2018), chapter 2.
#pragma once

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ad/rules.hpp"
#include "ad/sparsity.hpp"

namespace cotangent::ad {

namespace detail {
template <int I>
using Index = std::integral_constant<int, I>;
template <int N>
using Indices = std::make_integer_sequence<int, N>;
}  // namespace detail

/// What enters the algebra over Real as a constant: a plain number or a Real.
template <class C, class Real>
concept ConstantOf = std::is_arithmetic_v<C> || std::same_as<C, Real>;

/// Value, gradient and (Order 2) Hessian of a function of N variables whose structure is S.
template <class Real, int N, int Order, Sparsity<N> S>
class Jet {
  static_assert(Order == 1 || Order == 2);
  using Layout = detail::Layout<N, S>;
  static constexpr int gradient_count = Layout::gradient_count;
  static constexpr int hessian_count = Order == 2 ? Layout::hessian_count : 0;

 public:
  using real_type = Real;
  static constexpr int dimension = N;
  static constexpr int order = Order;
  static constexpr Sparsity<N> sparsity = S;

  Jet() = default;

  /// A constant.
  template <ConstantOf<Real> C>
  COTANGENT_INLINE Jet(const C& constant) requires(S.unit == 0) {
    part_[0] = Real(constant);
  }

  /// The triplet (s, g, H); of H, the upper half is read.
  COTANGENT_INLINE Jet(const Real& s, const std::array<Real, N>& g,
                       const std::array<std::array<Real, N>, N>& H) requires(S == full<N> && Order == 2)
      : Jet(assemble(
            s, [&](auto i) COTANGENT_INLINE_LAMBDA { return g[i]; },
            [&](auto i, auto j) COTANGENT_INLINE_LAMBDA { return H[i][j]; })) {}

  /// The same function, with a type that allows for more.
  template <Sparsity<N> T>
  COTANGENT_INLINE Jet(const Jet<Real, N, Order, T>& other) requires(detail::covers(S, T) && S != T)
      : Jet(assemble(
            other.value(), [&](auto i) COTANGENT_INLINE_LAMBDA { return other.first(i); },
            [&](auto i, auto j) COTANGENT_INLINE_LAMBDA { return other.second(i, j); })) {}

  COTANGENT_INLINE const Real& value() const { return part_[0]; }

  /// df/dx_I: a Real, or the type of zero or one.
  template <int I>
  COTANGENT_INLINE auto first(detail::Index<I>) const {
    if constexpr (!S.depends(I)) {
      return detail::Zero{};
    } else if constexpr ((S.unit >> I & 1) != 0) {
      return detail::One{};
    } else {
      return part_[1 + Layout::place(I)];
    }
  }

  /// d2f/dx_I dx_J: a Real, or the type of zero.
  template <int I, int J>
  COTANGENT_INLINE auto second(detail::Index<I>, detail::Index<J>) const {
    static_assert(Order == 2, "a jet of first order has no Hessian");
    if constexpr (!S.has_second(I, J)) {
      return detail::Zero{};
    } else {
      return part_[1 + gradient_count + Layout::place(I, J)];
    }
  }

  /// The jet with value s, first derivatives g(i) and second derivatives h(i, j), asked for where stored.
  template <class G, class H>
  COTANGENT_INLINE static Jet assemble(const Real& s, [[maybe_unused]] const G& g,
                                       [[maybe_unused]] const H& h) {
    Jet f;
    f.part_[0] = s;
    const auto fill_gradient = [&]<int... K>(std::integer_sequence<int, K...>) COTANGENT_INLINE_LAMBDA {
      ((f.part_[1 + K] = detail::number<Real>(g(detail::Index<Layout::gradient_index[K]>{}))), ...);
    };
    fill_gradient(detail::Indices<gradient_count>{});
    const auto fill_hessian = [&]<int... K>(std::integer_sequence<int, K...>) COTANGENT_INLINE_LAMBDA {
      ((f.part_[1 + gradient_count + K] = detail::number<Real>(
            h(detail::Index<Layout::hessian_index[K][0]>{}, detail::Index<Layout::hessian_index[K][1]>{}))),
       ...);
    };
    fill_hessian(detail::Indices<hessian_count>{});
    return f;
  }

  template <class B>
  COTANGENT_INLINE Jet& operator+=(const B& b) {
    return become(*this + b);
  }
  template <class B>
  COTANGENT_INLINE Jet& operator-=(const B& b) {
    return become(*this - b);
  }
  template <class B>
  COTANGENT_INLINE Jet& operator*=(const B& b) {
    return become(*this * b);
  }
  template <class B>
  COTANGENT_INLINE Jet& operator/=(const B& b) {
    return become(*this / b);
  }

 private:
  template <class B>
  COTANGENT_INLINE Jet& become(const B& b) {
    static_assert(detail::covers(S, B::sparsity),
                  "the result has derivatives that this variable's type has no room for: give it a name of "
                  "its own (auto c = a + b), or accumulate in dense(a)");
    return *this = b;
  }

  // s, then g, then H. No std::array: each access would be a call, and the compiler's time for inlining them
  // grows with their number squared.
  Real part_[1 + gradient_count + hessian_count]{};
};

/// The whole algebra: every derivative stored.
template <int N>
using A = Jet<double, N, 2, full<N>>;

namespace detail {
template <class T>
inline constexpr bool is_jet = false;
template <class Real, int N, int Order, Sparsity<N> S>
inline constexpr bool is_jet<Jet<Real, N, Order, S>> = true;
}  // namespace detail

/// Whether T, const or a reference or not, is a jet.
template <class T>
inline constexpr bool is_jet = detail::is_jet<std::remove_cvref_t<T>>;

/// The value of a jet; of a plain real, itself.
template <class T>
COTANGENT_INLINE auto value(const T& f) {
  if constexpr (is_jet<T>) {
    return f.value();
  } else {
    return f;
  }
}

/// The structure of a T's derivatives in N variables; of a plain real, empty.
template <class T, int N>
inline constexpr Sparsity<N> sparsity_of = [] {
  if constexpr (is_jet<T>) {
    return std::remove_cvref_t<T>::sparsity;
  } else {
    return Sparsity<N>{};
  }
}();

/// Whether df/dx_I of a T can be nonzero.
template <class T, int I>
inline constexpr bool depends = [] {
  if constexpr (is_jet<T>) {
    return std::remove_cvref_t<T>::sparsity.depends(I);
  } else {
    return false;
  }
}();

/// Whether d2f/dx_I dx_J of a T can be nonzero.
template <class T, int I, int J>
inline constexpr bool has_second = [] {
  if constexpr (is_jet<T>) {
    return std::remove_cvref_t<T>::sparsity.has_second(I, J);
  } else {
    return false;
  }
}();

/// The degree of a T in the velocities: 0, 1, 2; 3 where it is higher or no polynomial.
template <class T>
inline constexpr int degree = [] {
  if constexpr (is_jet<T>) {
    return std::remove_cvref_t<T>::sparsity.degree;
  } else {
    return 0;
  }
}();

/// df/dx_I; zero of a plain real.
template <int I, class T>
COTANGENT_INLINE auto gradient(const T& f) {
  if constexpr (is_jet<T>) {
    return detail::number<typename T::real_type>(f.first(detail::Index<I>{}));
  } else {
    return T(0.0);
  }
}

/// d2f/dx_I dx_J; zero of a plain real.
template <int I, int J, class T>
COTANGENT_INLINE auto hessian(const T& f) {
  if constexpr (is_jet<T>) {
    return detail::number<typename T::real_type>(f.second(detail::Index<I>{}, detail::Index<J>{}));
  } else {
    return T(0.0);
  }
}

/// All N first derivatives, zeros included.
template <int N, class T>
COTANGENT_INLINE auto gradient_of(const T& f) {
  const auto all = [&]<int... I>(std::integer_sequence<int, I...>) COTANGENT_INLINE_LAMBDA {
    return std::array{gradient<I>(f)...};
  };
  return all(detail::Indices<N>{});
}

/// All second derivatives in N variables, zeros included.
template <int N, class T>
COTANGENT_INLINE auto hessian_of(const T& f) {
  const auto row = [&]<int I, int... J>(detail::Index<I>, std::integer_sequence<int, J...>)
      COTANGENT_INLINE_LAMBDA {
    return std::array{hessian<I, J>(f)...};
  };
  const auto all = [&]<int... I>(std::integer_sequence<int, I...> columns) COTANGENT_INLINE_LAMBDA {
    // Not deduced: from one row alone, std::array{row} would be that row.
    return std::array<decltype(row(detail::Index<0>{}, columns)), N>{row(detail::Index<I>{}, columns)...};
  };
  return all(detail::Indices<N>{});
}

/// The variable number K of Total, with value x: the triplet (x, e_K, 0). Degree is 1 for a velocity, else 0.
template <int K, int Total, int Order, int Degree, class Real>
COTANGENT_INLINE auto variable(const Real& x) {
  static_assert(0 <= K && K < Total);
  using Variable = Jet<Real, Total, Order, detail::variable<Total>(K, Degree)>;
  return Variable::assemble(x, 0, 0);
}

/// The variables First, First + 1, ... of Total, each with a type of its own: `auto [x, y] = q;`.
template <int First, int Total, int Order, int Degree, class Real, std::size_t N>
COTANGENT_INLINE auto seed(const std::array<Real, N>& x) {
  const auto all = [&]<int... K>(std::integer_sequence<int, K...>) COTANGENT_INLINE_LAMBDA {
    return std::tuple(variable<First + K, Total, Order, Degree>(x[K])...);
  };
  return all(detail::Indices<static_cast<int>(N)>{});
}

/// Values without derivatives, as jets of the same algebra: they cost what plain reals cost, and every
/// function of this layer is found for them by argument.
template <int Total, int Order, class Real, std::size_t N>
COTANGENT_INLINE auto constants(const std::array<Real, N>& x) {
  const auto all = [&]<int... K>(std::integer_sequence<int, K...>) COTANGENT_INLINE_LAMBDA {
    return std::tuple(Jet<Real, Total, Order, Sparsity<Total>{}>(x[K])...);
  };
  return all(detail::Indices<static_cast<int>(N)>{});
}

/// The same function in a type with room for every derivative: for loops and accumulators.
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto dense(const Jet<Real, N, Order, S>& f) {
  return Jet<Real, N, Order, full<N>>(f);
}

}  // namespace cotangent::ad
