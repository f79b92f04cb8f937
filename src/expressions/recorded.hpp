// SPDX-License-Identifier: BSD-3-Clause
// A scalar that records: each operation on it grows a graph, so that a template called with it writes down
// its own formula, operation by operation in the order of the code. A product of a value with itself is its
// power; else nothing is rearranged, and the formula has the bits of the code. Reference: Griewank, Walther,
// Evaluating Derivatives (2008), 2.2, evaluation traces. Limits: what decks have no word for (erf, a choice
// by a comparison) throws an Error that names it; an integer power by pow(x, n) has the value's bits, its
// derivatives are those of the products.
#pragma once

#include <type_traits>

#include "expressions/tree.hpp"

namespace cotangent::expressions {

/// Throws an Error: what decks have no word for.
[[noreturn]] void unwritable(const char* word);

/// A number, or a node of a graph that outlives it.
class Recorded {
 public:
  Recorded() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> Recorded(Number number) : number_(static_cast<double>(number)) {}
  Recorded(Graph& graph, Graph::Id node) : graph_(&graph), node_(node) {}

  /// Its formula.
  Tree tree() const;

  friend Recorded operator+(const Recorded& a, const Recorded& b) { return of(Operation::add, a, b); }
  friend Recorded operator-(const Recorded& a, const Recorded& b) { return of(Operation::subtract, a, b); }
  friend Recorded operator*(const Recorded& a, const Recorded& b) { return of(Operation::multiply, a, b); }
  friend Recorded operator/(const Recorded& a, const Recorded& b) { return of(Operation::divide, a, b); }
  friend Recorded operator-(const Recorded& a) { return of(Operation::negate, a); }
  friend Recorded operator+(const Recorded& a) { return a; }
  Recorded& operator+=(const Recorded& b) { return *this = *this + b; }
  Recorded& operator-=(const Recorded& b) { return *this = *this - b; }
  Recorded& operator*=(const Recorded& b) { return *this = *this * b; }
  Recorded& operator/=(const Recorded& b) { return *this = *this / b; }

  friend Recorded integer_power(const Recorded& a, int n) { return power(a, n); }
  friend Recorded fma(const Recorded&, const Recorded&, const Recorded&) { unwritable("fma"); }

  static Recorded of(Operation operation, const Recorded& a);
  static Recorded of(Operation operation, const Recorded& a, const Recorded& b);
  /// By multiplications, those of core/real.hpp.
  static Recorded power(const Recorded& a, int n);

 private:
  Graph::Id in(Graph& graph) const { return graph_ ? node_ : graph.number(number_); }

  Graph* graph_ = nullptr;  ///< none of a number
  Graph::Id node_ = 0;
  double number_ = 0;
};

#define COTANGENT_RECORDED(name)             \
  inline Recorded name(const Recorded& a) {  \
    return Recorded::of(Operation::name, a); \
  }
COTANGENT_RECORDED(abs)
COTANGENT_RECORDED(sqrt)
COTANGENT_RECORDED(exp)
COTANGENT_RECORDED(log)
COTANGENT_RECORDED(sin)
COTANGENT_RECORDED(cos)
COTANGENT_RECORDED(tan)
COTANGENT_RECORDED(asin)
COTANGENT_RECORDED(acos)
COTANGENT_RECORDED(atan)
COTANGENT_RECORDED(sinh)
COTANGENT_RECORDED(cosh)
COTANGENT_RECORDED(tanh)
#undef COTANGENT_RECORDED
inline Recorded square(const Recorded& a) {
  return a * a;
}
#define COTANGENT_RECORDED(name)                               \
  inline Recorded name(const Recorded& a, const Recorded& b) { \
    return Recorded::of(Operation::name, a, b);                \
  }
COTANGENT_RECORDED(atan2)
COTANGENT_RECORDED(hypot)
COTANGENT_RECORDED(min)
COTANGENT_RECORDED(max)
#undef COTANGENT_RECORDED
inline Recorded pow(const Recorded& a, const Recorded& b) {
  return Recorded::of(Operation::power, a, b);
}
inline Recorded pow(const Recorded& a, int n) {
  return Recorded::power(a, n);
}
inline Recorded pow(const Recorded& a, double b) {
  return pow(a, Recorded(b));
}

struct RecordedSinCos {
  Recorded sin, cos;
};
inline RecordedSinCos sincos(const Recorded& a) {
  return {sin(a), cos(a)};
}

// What decks have no word for.
#define COTANGENT_UNWRITABLE(name)        \
  inline Recorded name(const Recorded&) { \
    unwritable(#name);                    \
  }
COTANGENT_UNWRITABLE(cbrt)
COTANGENT_UNWRITABLE(expm1)
COTANGENT_UNWRITABLE(log1p)
COTANGENT_UNWRITABLE(asinh)
COTANGENT_UNWRITABLE(acosh)
COTANGENT_UNWRITABLE(atanh)
COTANGENT_UNWRITABLE(erf)
#undef COTANGENT_UNWRITABLE
/// What a comparison gives: nothing can be chosen by it.
struct RecordedTruth {
  // Friends, as fma above: functions of a name that cotangent has too would hide those in this namespace.
  friend RecordedTruth operator&(RecordedTruth, RecordedTruth) { return {}; }
  friend RecordedTruth operator|(RecordedTruth, RecordedTruth) { return {}; }
  friend RecordedTruth operator!(RecordedTruth) { return {}; }
  friend Recorded select(RecordedTruth, const Recorded&, const Recorded&) { unwritable("select"); }
  friend bool any(RecordedTruth) { unwritable("any"); }
  friend bool all(RecordedTruth) { unwritable("all"); }
};
#define COTANGENT_RECORDED(comparison)                                         \
  inline RecordedTruth operator comparison(const Recorded&, const Recorded&) { \
    return {};                                                                 \
  }
COTANGENT_RECORDED(<)
COTANGENT_RECORDED(<=)
COTANGENT_RECORDED(>)
COTANGENT_RECORDED(>=)
COTANGENT_RECORDED(==)
COTANGENT_RECORDED(!=)
#undef COTANGENT_RECORDED
}  // namespace cotangent::expressions
