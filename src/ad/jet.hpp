// The algebra A(N): triplets (s, g, H) of value, gradient and symmetric Hessian of a function of N variables,
//   (s,g,H)(t,k,K) = (s t, s k + t g, s K + g k^T + k g^T + t H)       thesis on the Lagrangian solver, (2.9)
// over any real type: double, or a pack of SIMD lanes. The type carries the sparsity, so only derivatives
// that can be nonzero are stored and computed, and a constant costs what a constant costs. Order 1 leaves out
// H. A jet times a constant, or divided by one, multiplies the derivatives (by the reciprocal); the value is
// always rounded as plain evaluation rounds it. Comparisons compare values.
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
}

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
  template <class C>
  requires(std::is_arithmetic_v<C> || std::same_as<C, Real>) && (S.unit == 0) COTANGENT_INLINE
      Jet(const C& constant) {
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
  requires(detail::covers(S, T) && S != T) COTANGENT_INLINE Jet(const Jet<Real, N, Order, T>& other)
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
    [&]<std::size_t... K>(std::index_sequence<K...>) COTANGENT_INLINE_LAMBDA {
      ((f.part_[1 + K] = detail::number<Real>(g(detail::Index<Layout::gradient_index[K]>{}))), ...);
    }
    (std::make_index_sequence<gradient_count>{});
    if constexpr (Order == 2) {
      [&]<std::size_t... K>(std::index_sequence<K...>) COTANGENT_INLINE_LAMBDA {
        ((f.part_[1 + gradient_count + K] = detail::number<Real>(
              h(detail::Index<Layout::hessian_index[K][0]>{}, detail::Index<Layout::hessian_index[K][1]>{}))),
         ...);
      }
      (std::make_index_sequence<hessian_count>{});
    }
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

  std::array<Real, 1 + gradient_count + hessian_count> part_{};  // s, then g, then H
};

/// The whole algebra: every derivative stored.
template <int N>
using A = Jet<double, N, 2, full<N>>;

template <class T>
inline constexpr bool is_jet = false;
template <class Real, int N, int Order, Sparsity<N> S>
inline constexpr bool is_jet<Jet<Real, N, Order, S>> = true;

namespace detail {

template <class A, class B>
inline constexpr bool same_algebra = false;
template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
inline constexpr bool same_algebra<Jet<Real, N, Order, S>, Jet<Real, N, Order, T>> = true;
template <class Real, int N, int Order, Sparsity<N> S, class C>
requires(std::is_arithmetic_v<C> ||
         std::same_as<C, Real>) inline constexpr bool same_algebra<Jet<Real, N, Order, S>, C> = true;
template <class Real, int N, int Order, Sparsity<N> S, class C>
requires(std::is_arithmetic_v<C> ||
         std::same_as<C, Real>) inline constexpr bool same_algebra<C, Jet<Real, N, Order, S>> = true;

/// The jet of the same algebra as Like whose structure is S.
template <class Like, auto S>
using JetLike = Jet<typename Like::real_type, Like::dimension, Like::order, S>;

/// x as a jet of the algebra of Like: a constant becomes a jet without derivatives.
template <class Like, class X>
COTANGENT_INLINE decltype(auto) lift(const X& x) {
  if constexpr (is_jet<X>) {
    return (x);
  } else {
    return JetLike<Like, Sparsity<Like::dimension>{}>(x);
  }
}

/// 1 / x, in scalar arithmetic where x is a plain number.
template <class Real, class X>
COTANGENT_INLINE Real reciprocal(const X& x) {
  if constexpr (is_jet<X>) {
    return Real(1.0) / x.value();
  } else if constexpr (std::is_arithmetic_v<X>) {
    return Real(1.0 / static_cast<double>(x));
  } else {
    return Real(1.0) / x;
  }
}

}  // namespace detail

/// Two jets of one algebra, or one of them and a constant: a plain number or a Real.
template <class A, class B>
concept Operands = detail::same_algebra<A, B>;

/// The value of a jet; of a plain real, itself.
template <class T>
COTANGENT_INLINE auto value(const T& f) {
  if constexpr (is_jet<T>) {
    return f.value();
  } else {
    return f;
  }
}

/// The structure of f's derivatives in N variables; of a plain real, empty.
template <class T, int N>
inline constexpr Sparsity<N> sparsity_of = {};
template <class Real, int N, int Order, Sparsity<N> S>
inline constexpr Sparsity<N> sparsity_of<Jet<Real, N, Order, S>, N> = S;

/// Whether df/dx_I can be nonzero, by the type of f.
template <class T, int I>
inline constexpr bool depends = false;
template <class Real, int N, int Order, Sparsity<N> S, int I>
inline constexpr bool depends<Jet<Real, N, Order, S>, I> = S.depends(I);

/// Whether d2f/dx_I dx_J can be nonzero, by the type of f.
template <class T, int I, int J>
inline constexpr bool has_second = false;
template <class Real, int N, int Order, Sparsity<N> S, int I, int J>
inline constexpr bool has_second<Jet<Real, N, Order, S>, I, J> = S.has_second(I, J);

/// The degree of f in the velocities, by its type: 0, 1, 2; 3 where it is higher or f is no polynomial.
template <class T>
inline constexpr int degree = 0;
template <class Real, int N, int Order, Sparsity<N> S>
inline constexpr int degree<Jet<Real, N, Order, S>> = S.degree;

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
  return [&]<int... I>(std::integer_sequence<int, I...>) COTANGENT_INLINE_LAMBDA {
    return std::array{gradient<I>(f)...};
  }
  (std::make_integer_sequence<int, N>{});
}

/// All second derivatives in N variables, zeros included.
template <int N, class T>
COTANGENT_INLINE auto hessian_of(const T& f) {
  const auto row = [&]<int I, int... J>(detail::Index<I>, std::integer_sequence<int, J...>)
      COTANGENT_INLINE_LAMBDA {
    return std::array{hessian<I, J>(f)...};
  };
  return [&]<int... I>(std::integer_sequence<int, I...> all) COTANGENT_INLINE_LAMBDA {
    return std::array{row(detail::Index<I>{}, all)...};
  }
  (std::make_integer_sequence<int, N>{});
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
  return [&]<int... K>(std::integer_sequence<int, K...>) COTANGENT_INLINE_LAMBDA {
    return std::tuple(variable<First + K, Total, Order, Degree>(x[K])...);
  }
  (std::make_integer_sequence<int, static_cast<int>(N)>{});
}

/// Values without derivatives, as jets of the same algebra: they cost what plain reals cost, and every
/// function of this layer is found for them by argument.
template <int Total, int Order, class Real, std::size_t N>
COTANGENT_INLINE auto constants(const std::array<Real, N>& x) {
  return [&]<int... K>(std::integer_sequence<int, K...>) COTANGENT_INLINE_LAMBDA {
    return std::tuple(Jet<Real, Total, Order, Sparsity<Total>{}>(x[K])...);
  }
  (std::make_integer_sequence<int, static_cast<int>(N)>{});
}

/// The same function in a type with room for every derivative: for loops and accumulators.
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto dense(const Jet<Real, N, Order, S>& f) {
  return Jet<Real, N, Order, full<N>>(f);
}

namespace detail {

template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto add(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, T>& b) {
  return Jet<Real, N, Order, sum(S, T)>::assemble(
      a.value() + b.value(),
      [&](auto i) COTANGENT_INLINE_LAMBDA { return plus<Real>(a.first(i), b.first(i)); },
      [&](auto i, auto j) COTANGENT_INLINE_LAMBDA { return plus<Real>(a.second(i, j), b.second(i, j)); });
}

template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto subtract(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, T>& b) {
  return Jet<Real, N, Order, difference(S, T)>::assemble(
      a.value() - b.value(),
      [&](auto i) COTANGENT_INLINE_LAMBDA { return plus<Real>(a.first(i), negative<Real>(b.first(i))); },
      [&](auto i, auto j)
          COTANGENT_INLINE_LAMBDA { return plus<Real>(a.second(i, j), negative<Real>(b.second(i, j))); });
}

template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto multiply(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, T>& b) {
  return Jet<Real, N, Order, product(S, T)>::assemble(
      a.value() * b.value(),
      [&](auto i) COTANGENT_INLINE_LAMBDA {
        return multiply_add<Real>(a.value(), b.first(i), times<Real>(b.value(), a.first(i)));
      },
      [&](auto i, auto j) COTANGENT_INLINE_LAMBDA {
        const auto outer = multiply_add<Real>(a.first(i), b.first(j), times<Real>(a.first(j), b.first(i)));
        return multiply_add<Real>(a.value(), b.second(i, j),
                                  multiply_add<Real>(b.value(), a.second(i, j), outer));
      });
}

/// a / b, given r = 1 / b: q' = r a' - q r b', q'' = r (a'' - q' b' - b' q') - q r b''.
template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto divide(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, T>& b,
                             const Real& r) {
  const Real q = a.value() / b.value();
  const Real c = -(q * r);
  const auto first = [&](auto i) COTANGENT_INLINE_LAMBDA {
    return multiply_add<Real>(c, b.first(i), times<Real>(r, a.first(i)));
  };
  return Jet<Real, N, Order, quotient(S, T)>::assemble(q, first, [&](auto i, auto j) COTANGENT_INLINE_LAMBDA {
    const auto outer = multiply_add<Real>(first(i), b.first(j), times<Real>(first(j), b.first(i)));
    const auto numerator = plus<Real>(a.second(i, j), negative<Real>(outer));
    return multiply_add<Real>(c, b.second(i, j), times<Real>(r, numerator));
  });
}

}  // namespace detail

template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto operator+(const Jet<Real, N, Order, S>& a) {
  return a;
}
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto operator-(const Jet<Real, N, Order, S>& a) {
  return Jet<Real, N, Order, detail::difference(Sparsity<N>{}, S)>::assemble(
      -a.value(), [&](auto i) COTANGENT_INLINE_LAMBDA { return detail::negative<Real>(a.first(i)); },
      [&](auto i, auto j) COTANGENT_INLINE_LAMBDA { return detail::negative<Real>(a.second(i, j)); });
}

template <class A, class B>
requires Operands<A, B> COTANGENT_INLINE auto operator+(const A& a, const B& b) {
  return detail::add(detail::lift<B>(a), detail::lift<A>(b));
}
template <class A, class B>
requires Operands<A, B> COTANGENT_INLINE auto operator-(const A& a, const B& b) {
  return detail::subtract(detail::lift<B>(a), detail::lift<A>(b));
}
template <class A, class B>
requires Operands<A, B> COTANGENT_INLINE auto operator*(const A& a, const B& b) {
  return detail::multiply(detail::lift<B>(a), detail::lift<A>(b));
}
template <class A, class B>
requires Operands<A, B> COTANGENT_INLINE auto operator/(const A& a, const B& b) {
  const auto& numerator = detail::lift<B>(a);
  using Real = typename std::remove_cvref_t<decltype(numerator)>::real_type;
  return detail::divide(numerator, detail::lift<A>(b), detail::reciprocal<Real>(b));
}

#define COTANGENT_COMPARISON(op)                                                      \
  template <class A, class B>                                                         \
  requires Operands<A, B> COTANGENT_INLINE auto operator op(const A& a, const B& b) { \
    return detail::lift<B>(a).value() op detail::lift<A>(b).value();                  \
  }
COTANGENT_COMPARISON(<)
COTANGENT_COMPARISON(>)
COTANGENT_COMPARISON(<=)
COTANGENT_COMPARISON(>=)
COTANGENT_COMPARISON(==)
COTANGENT_COMPARISON(!=)
#undef COTANGENT_COMPARISON

}  // namespace cotangent::ad
