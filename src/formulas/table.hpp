// SPDX-License-Identifier: BSD-3-Clause
// A large formula as a table of operations that one loop goes through, in place of an expression that the
// compiler unfolds with all derivatives: its time no more grows with the formula. The result has the type
// that the expression would have, so that whoever looks at its structure finds the same; and its bits: the
// rules are those of ad/arithmetic.hpp and ad/functions.hpp, where a derivative that is known to be 0 is
// added as 0 or left out. Derivatives are kept by those variables alone that an operation's value depends on.
// Limits: where a function's derivative is infinite, what is 0 by its structure may come out as NaN.
// Reference: Griewank, Walther, Evaluating Derivatives (2008), chapter 7, sparse forward mode.
#pragma once

#include <array>
#include <bit>
#include <tuple>
#include <utility>
#include <vector>

#include "expressions/tree.hpp"
#include "formulas/functions.hpp"
#include "formulas/table_plan.hpp"

namespace cotangent::formulas {

namespace table {

/// An operand's derivatives by the result's variables, 0 where it doesn't depend on one.
template <class R>
struct Operand {
  Operand(const R* numbers, const Block& block, Mask by) : numbers_(numbers) {
    const int n = block.variables();
    int k = 0;
    for (Mask rest = by; rest != 0; rest &= rest - 1, ++k) {
      const int variable = std::countr_zero(rest);
      if (!block.depends(variable)) {
        first_[k] = row_[k] = 0;
        continue;
      }
      const int place = block.place(variable);
      first_[k] = block.at + 1 + place;
      row_[k] = block.at + 1 + n + place * n - place * (place - 1) / 2 - place;
      place_[k] = place;
    }
    value = numbers[block.at];
  }
  const R& first(int i) const { return numbers_[first_[i]]; }
  const R& second(int i, int j) const {
    return numbers_[first_[i] != 0 && first_[j] != 0 ? row_[i] + place_[j] : 0];
  }
  R value;

 private:
  const R* numbers_;
  std::array<int, 64> first_, row_, place_;
};

/// A function's value and derivatives at a plain number, by the rules for jets.
template <class R>
struct Slopes {
  R value, d, dd{0.0};
};
template <class R, int Order>
Slopes<R> slopes(const auto& function, const R& x) {
  const auto f = function(ad::variable<0, 1, Order, 0>(x));
  Slopes<R> result{R(ad::value(f)), ad::gradient<0>(f)};
  if constexpr (Order == 2) result.dd = ad::hessian<0, 0>(f);
  return result;
}

/// Calls `then` with what an operation of one operand is.
template <Used used, class Then>
void with_function(const Row& row, const Then& then) {
#define COTANGENT_CASE(name)                                                               \
  case Operation::name:                                                                    \
    if constexpr (has<used>(Operation::name)) then([](const auto& x) { return name(x); }); \
    return;
  switch (row.operation) {
    COTANGENT_CASE(abs)
    COTANGENT_CASE(sqrt)
    COTANGENT_CASE(exp)
    COTANGENT_CASE(log)
    COTANGENT_CASE(sin)
    COTANGENT_CASE(cos)
    COTANGENT_CASE(tan)
    COTANGENT_CASE(asin)
    COTANGENT_CASE(acos)
    COTANGENT_CASE(atan)
    COTANGENT_CASE(sinh)
    COTANGENT_CASE(cosh)
    COTANGENT_CASE(tanh)
    default:
      break;
  }
#undef COTANGENT_CASE
  if constexpr ((used & whole_power) != 0) {
    if (row.b == 1) return then([n = static_cast<int>(row.number)](const auto& x) { return pow(x, n); });
  }
  if constexpr (has<used>(Operation::fixed_power)) {
    then([n = row.number](const auto& x) { return pow(x, n); });
  }
}

/// Sets a result's derivatives by those of its operands.
template <class R, int Order, class First, class Second>
void fill(R* numbers, const Block& result, const First& first, const Second& second) {
  const int n = result.variables();
  R* next = numbers + result.at + 1;
  for (int i = 0; i < n; ++i) *next++ = first(i);
  if constexpr (Order == 2) {
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j) *next++ = second(i, j);
  }
}

/// Each of a's numbers, changed.
template <class R, int Order, class Change>
void scale(R* numbers, const Plan::Step& step, const Block& a, const Change& change) {
  const int size = a.size(Order);
  for (int k = 1; k < size; ++k) numbers[step.result.at + k] = change(numbers[a.at + k]);
}

template <class R, int Order, Used used>
void one(R* numbers, const Plan::Step& step) {
  const R x = numbers[step.a.at];
  if (step.row.operation == Operation::negate) {
    numbers[step.result.at] = -x;
    return scale<R, Order>(numbers, step, step.a, [](const R& y) { return -y; });
  }
  with_function<used>(step.row, [&](const auto& function) {
    if (step.a.mask == 0) {
      numbers[step.result.at] = function(x);
      return;
    }
    const Slopes<R> f = slopes<R, Order>(function, x);
    numbers[step.result.at] = f.value;
    const int n = step.a.variables();
    const R* const g = numbers + step.a.at + 1;
    const R* h = g + n;
    fill<R, Order>(
        numbers, step.result, [&](int i) { return R(f.d * g[i]); },
        [&](int i, int j) { return fma(R(f.dd * g[i]), g[j], R(f.d * *h++)); });
  });
}

template <class R, int Order>
void sum(R* numbers, const Plan::Step& step, bool minus) {
  const Block &a = step.a, &b = step.b, &result = step.result;
  if (result.at != a.at) {
    const Operand<R> of(numbers, a, result.mask);
    numbers[result.at] = of.value;
    fill<R, Order>(
        numbers, result, [&](int i) { return of.first(i); }, [&](int i, int j) { return of.second(i, j); });
  }
  const R* next = numbers + b.at;
  const auto add = [&](int place) {
    R& to = numbers[place];
    to = minus ? R(to - *next++) : R(to + *next++);
  };
  add(result.at);
  for (Mask rest = b.mask; rest != 0; rest &= rest - 1) add(result.first(std::countr_zero(rest)));
  if constexpr (Order == 2) {
    for (Mask row = b.mask; row != 0; row &= row - 1)
      for (Mask rest = row; rest != 0; rest &= rest - 1)
        add(result.second(std::countr_zero(row), std::countr_zero(rest)));
  }
}

template <class R, int Order>
void product(R* numbers, const Plan::Step& step) {
  const R u = numbers[step.a.at], w = numbers[step.b.at];
  numbers[step.result.at] = u * w;
  if (step.b.mask == 0) return scale<R, Order>(numbers, step, step.a, [&](const R& y) { return w * y; });
  if (step.a.mask == 0) return scale<R, Order>(numbers, step, step.b, [&](const R& y) { return u * y; });
  const Operand<R> a(numbers, step.a, step.result.mask), b(numbers, step.b, step.result.mask);
  fill<R, Order>(
      numbers, step.result, [&](int i) { return fma(u, b.first(i), R(w * a.first(i))); },
      [&](int i, int j) {
        const R outer = fma(a.first(i), b.first(j), R(a.first(j) * b.first(i)));
        return fma(u, b.second(i, j), fma(w, a.second(i, j), outer));
      });
}

template <class R, int Order>
void quotient(R* numbers, const Plan::Step& step) {
  const R r = R(1.0) / numbers[step.b.at], q = numbers[step.a.at] / numbers[step.b.at], c = -(q * r);
  numbers[step.result.at] = q;
  if (step.b.mask == 0) return scale<R, Order>(numbers, step, step.a, [&](const R& y) { return r * y; });
  const Operand<R> a(numbers, step.a, step.result.mask), b(numbers, step.b, step.result.mask);
  const R* const first = numbers + step.result.at + 1;
  fill<R, Order>(
      numbers, step.result, [&](int i) { return fma(c, b.first(i), R(r * a.first(i))); },
      [&](int i, int j) {
        const R outer = fma(first[i], b.first(j), R(first[j] * b.first(i)));
        return fma(c, b.second(i, j), R(r * (a.second(i, j) - outer)));
      });
}

/// One of the two, lane by lane.
template <class R, int Order>
void chosen(R* numbers, const Plan::Step& step) {
  const Operand<R> a(numbers, step.a, step.result.mask), b(numbers, step.b, step.result.mask);
  const auto choose = [&](const auto& holds) {
    numbers[step.result.at] = select(holds, a.value, b.value);
    fill<R, Order>(
        numbers, step.result, [&](int i) { return R(select(holds, a.first(i), b.first(i))); },
        [&](int i, int j) { return R(select(holds, a.second(i, j), b.second(i, j))); });
  };
  // NaN in either operand comes through.
  if (step.row.operation == Operation::min)
    return choose(ad::detail::first_where(a.value < b.value, a.value));
  choose(ad::detail::first_where(a.value > b.value, a.value));
}

/// A function of two arguments.
template <class R, int Order, class Function>
void two(R* numbers, const Plan::Step& step, const Function& function) {
  const Operand<R> a(numbers, step.a, step.result.mask), b(numbers, step.b, step.result.mask);
  const auto f = function(ad::variable<0, 2, Order, 0>(a.value), ad::variable<1, 2, Order, 0>(b.value));
  numbers[step.result.at] = ad::value(f);
  const R by_a = ad::gradient<0>(f), by_b = ad::gradient<1>(f);
  R aa(0.0), ab(0.0), bb(0.0);
  if constexpr (Order == 2) {
    aa = ad::hessian<0, 0>(f);
    ab = ad::hessian<0, 1>(f);
    bb = ad::hessian<1, 1>(f);
  }
  fill<R, Order>(
      numbers, step.result, [&](int i) { return fma(by_a, a.first(i), R(by_b * b.first(i))); },
      [&](int i, int j) {
        const R u = fma(aa, a.first(i), R(ab * b.first(i))), w = fma(ab, a.first(i), R(bb * b.first(i)));
        const R bent = fma(u, a.first(j), R(w * b.first(j)));
        return fma(by_a, a.second(i, j), fma(by_b, b.second(i, j), bent));
      });
}

template <class R, int Order>
void power(R* numbers, const Plan::Step& step) {
  const R a = numbers[step.a.at], b = numbers[step.b.at];
  const bool of_base = step.b.mask == 0;
  if (!of_base && step.a.mask != 0)
    return two<R, Order>(numbers, step, [](const auto& x, const auto& y) { return pow(x, y); });
  const Slopes<R> f = of_base ? slopes<R, Order>([&](const auto& x) { return pow(x, b); }, a)
                              : slopes<R, Order>([&](const auto& x) { return pow(a, x); }, b);
  const Operand<R> by(numbers, of_base ? step.a : step.b, step.result.mask);
  numbers[step.result.at] = f.value;
  fill<R, Order>(
      numbers, step.result, [&](int i) { return R(f.d * by.first(i)); },
      [&](int i, int j) { return fma(R(f.dd * by.first(i)), by.first(j), R(f.d * by.second(i, j))); });
}

/// Two operands of which none has derivatives.
template <class R, Used used>
R plain(Operation operation, const R& a, const R& b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
#define COTANGENT_CASE(word, function)          \
  case Operation::word:                         \
    if constexpr (has<used>(Operation::word)) { \
      return function(a, b);                    \
    }                                           \
    break;
      COTANGENT_CASE(power, pow)
      COTANGENT_CASE(atan2, atan2)
      COTANGENT_CASE(hypot, hypot)
      COTANGENT_CASE(min, min)
      COTANGENT_CASE(max, max)
#undef COTANGENT_CASE
    default:
      break;
  }
  return a;
}

/// Goes through the rows; the inputs are in their places.
template <class R, int Order, Used used>
[[gnu::noinline]] void go_through(const Plan& plan, R* numbers) {
  for (const Plan::Step& step : plan.steps) {
    const Operation operation = step.row.operation;
    const std::size_t operands = expressions::operands(operation);
    const bool derived = operands == 2 && step.result.mask != 0;
    if (operands == 0) {
      numbers[step.result.at] = R(step.row.number);
    } else if (operands == 1) {
      one<R, Order, used>(numbers, step);
    } else if (!derived) {
      numbers[step.result.at] = plain<R, used>(operation, numbers[step.a.at], numbers[step.b.at]);
    } else if (operation == Operation::add || operation == Operation::subtract) {
      sum<R, Order>(numbers, step, operation == Operation::subtract);
    } else if (operation == Operation::multiply) {
      product<R, Order>(numbers, step);
    } else if (operation == Operation::divide) {
      quotient<R, Order>(numbers, step);
    }
    if constexpr (has<used>(Operation::power)) {
      if (derived && operation == Operation::power) power<R, Order>(numbers, step);
    }
    if constexpr (has<used>(Operation::atan2)) {
      if (derived && operation == Operation::atan2)
        two<R, Order>(numbers, step, [](const auto& x, const auto& y) { return atan2(x, y); });
    }
    if constexpr (has<used>(Operation::hypot)) {
      if (derived && operation == Operation::hypot)
        two<R, Order>(numbers, step, [](const auto& x, const auto& y) { return hypot(x, y); });
    }
    if constexpr (has<used>(Operation::min) || has<used>(Operation::max)) {
      if (derived && (operation == Operation::min || operation == Operation::max))
        chosen<R, Order>(numbers, step);
    }
  }
}

/// Calls `what` with each variable of a mask.
template <Mask mask>
COTANGENT_INLINE void each_variable(const auto& what) {
  constexpr auto variables = [] {
    std::array<int, static_cast<std::size_t>(std::popcount(mask))> all{};
    Mask rest = mask;
    for (int& variable : all) {
      variable = std::countr_zero(rest);
      rest &= rest - 1;
    }
    return all;
  }();
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    (what(Index<variables[K]>{}), ...);
  }
  (std::make_index_sequence<variables.size()>{});
}

/// The first of the types that is a jet, or the last.
template <class First, class... Rest>
struct Like {
  using type = typename Like<Rest...>::type;
};
template <class First, class... Rest>
requires(sizeof...(Rest) == 0 || ad::is_jet<First>) struct Like<First, Rest...> {
  using type = First;
};

}  // namespace table

/// What Table::rows make of inputs that are plain or carry derivatives, over the real type R.
template <class Table, class R, class... Input>
[[gnu::noinline]] auto looked_up(const Input&... input) {
  using J = typename table::Like<Input..., R>::type;
  constexpr std::size_t inputs = sizeof...(Input), count = Table::rows.size();
  constexpr table::Used used = table::used_by(Table::rows);
  if constexpr (!ad::is_jet<J>) {
    // Without derivatives: one number a place.
    std::vector<R> all{R(input)...};
    all.reserve(inputs + count);
    for (const Row& row : Table::rows) {
      const std::size_t operands = expressions::operands(row.operation);
      R next(row.number);
      if (operands == 2) next = table::plain<R, used>(row.operation, all[row.a], all[row.b]);
      if (operands == 1) {
        if (row.operation == expressions::Operation::negate)
          next = -all[row.a];
        else
          table::with_function<used>(row, [&](const auto& function) { next = function(all[row.a]); });
      }
      all.push_back(next);
    }
    return all.back();
  } else {
    constexpr int N = J::dimension, Order = J::order;
    constexpr std::array<ad::Sparsity<N>, inputs> given{ad::sparsity_of<Input, N>...};
    constexpr ad::Sparsity<N> S = table::structure<N>(Table::rows, given);
    static const table::Plan plan = [&] {
      std::array<table::Mask, inputs> masks;
      for (std::size_t i = 0; i < inputs; ++i) masks[i] = given[i].gradient;
      return table::Plan(Table::rows, masks, Order);
    }();
    thread_local std::vector<R> numbers(static_cast<std::size_t>(plan.size), R(0.0));
    std::size_t next = 0;
    const auto put = [&]<class X>(const X& x) {
      const table::Block& block = plan.inputs[next++];
      numbers[static_cast<std::size_t>(block.at)] = R(ad::value(x));
      if constexpr (ad::is_jet<X>) {
        constexpr table::Block own{X::sparsity.gradient, 0};
        R* const at = numbers.data() + block.at;
        table::each_variable<own.mask>([&]<int I>(table::Index<I>) {
          at[own.first(I)] = ad::gradient<I>(x);
          if constexpr (Order == 2)
            table::each_variable<own.mask>([&]<int K>(table::Index<K>) {
              if constexpr (K >= I) at[own.second(I, K)] = ad::hessian<I, K>(x);
            });
        });
      }
    };
    (put(input), ...);
    table::go_through<R, Order, used>(plan, numbers.data());
    constexpr table::Block result{S.gradient, 0};
    const R* const found = numbers.data() + plan.result.at;
    return ad::Jet<R, N, Order, S>::assemble(
        found[0],
        [&](auto i) COTANGENT_INLINE_LAMBDA -> const R& {
          constexpr int place = result.first(i);
          return found[place];
        },
        [&](auto i, auto j) COTANGENT_INLINE_LAMBDA -> const R& {
          constexpr int place = result.second(i, j);
          return found[place];
        });
  }
}

/// The same of arguments as a model's members have them, parameters last of those that are whole arrays.
template <class Table, class P, class... Argument>
auto looked_up_at(const P&, const Argument&... argument) {
  const auto whole = []<class A>(const A& a) {
    if constexpr (requires { std::tuple_size<A>::value; }) {
      return std::apply([](const auto&... one) { return std::tuple<decltype(one)...>(one...); }, a);
    } else {
      return std::tuple<const A&>(a);
    }
  };
  return std::apply([](const auto&... input) { return looked_up<Table, typename P::value_type>(input...); },
                    std::tuple_cat(whole(argument)...));
}

}  // namespace cotangent::formulas
