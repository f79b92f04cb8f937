// SPDX-License-Identifier: BSD-3-Clause
// Reverse mode: the gradient of a scalar of many inputs at a small multiple of its cost, whatever their
// number. A tape notes of each operation its arguments and its partial derivatives by them; one sweep
// backwards, from the adjoint 1 of the result, adds up
//   adjoint(argument) += adjoint(result) * d result / d argument.
// Over any real type, so also in lanes. The gradient takes 4 to 10 times the function's own time, in lanes 1
// to 4, however many the inputs. For up to 40 inputs jets are quicker, for their structure is known to the
// compiler, and for a sum of local terms jets of each term are; see
// apps/benchmark/gradients.cpp. Reference: Griewank, Walther, Evaluating Derivatives (2008), 3.2 and 4.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ad/functions.hpp"

namespace cotangent::ad {

template <PlainReal Real>
class Tape;

/// A number whose making is on a tape. It must not outlive the tape, nor the tape's next clear().
template <PlainReal R>
class Recorded {
 public:
  using Real = R;

  const Real& value() const { return value_; }

 private:
  friend class Tape<Real>;
  Recorded(const Real& value, std::int32_t place, Tape<Real>* tape)
      : value_(value), place_(place), tape_(tape) {}

  Real value_;
  std::int32_t place_;
  Tape<Real>* tape_;
};

template <PlainReal Real>
class Tape {
 public:
  using Number = Recorded<Real>;

  /// An input: gradients are by these.
  Number variable(const Real& value) { return note(value, 0, Real(0.0), 0, Real(0.0)); }

  /// A function of one or two recorded numbers, with its partial derivatives.
  static Number function(const Number& a, const Real& value, const Real& by_a) {
    return a.tape_->note(value, a.place_, by_a, 0, Real(0.0));
  }
  static Number function(const Number& a, const Number& b, const Real& value, const Real& by_a,
                         const Real& by_b) {
    return a.tape_->note(value, a.place_, by_a, b.place_, by_b);
  }

  /// Sweeps back from a result; adjoint() then knows its derivatives by everything recorded before it.
  void sweep(const Number& result) {
    adjoint_.assign(static_cast<std::size_t>(result.place_) + 1, Real(0.0));
    adjoint_.back() = Real(1.0);
    for (std::int32_t k = result.place_; k > 0; --k) {
      const Note& note = notes_[static_cast<std::size_t>(k)];
      const Real mine = adjoint_[static_cast<std::size_t>(k)];
      // The place 0 is nobody's: arguments that aren't there add nothing to it.
      Real& first = adjoint_[static_cast<std::size_t>(note.first)];
      first = fma(mine, note.by_first, first);
      Real& second = adjoint_[static_cast<std::size_t>(note.second)];
      second = fma(mine, note.by_second, second);
    }
  }
  /// The derivative of the last sweep's result by a number; 0 for one recorded after it.
  Real adjoint(const Number& x) const {
    const auto place = static_cast<std::size_t>(x.place_);
    return place < adjoint_.size() ? adjoint_[place] : Real(0.0);
  }

  /// How many operations and inputs are noted.
  std::size_t size() const { return notes_.size() - 1; }
  /// Forgets everything, and keeps the memory.
  void clear() { notes_.resize(1); }

 private:
  struct Note {
    std::int32_t first = 0, second = 0;
    Real by_first{0.0}, by_second{0.0};
  };

  Number note(const Real& value, std::int32_t first, const Real& by_first, std::int32_t second,
              const Real& by_second) {
    notes_.push_back({first, second, by_first, by_second});
    return Number(value, static_cast<std::int32_t>(notes_.size() - 1), this);
  }

  std::vector<Note> notes_{1};
  std::vector<Real> adjoint_;
};

/// What stands beside a recorded number without a derivative of its own.
template <class C, class Real>
concept PlainBeside = std::convertible_to<C, Real>;

template <class Real>
Recorded<Real> operator+(const Recorded<Real>& a, const Recorded<Real>& b) {
  return Tape<Real>::function(a, b, a.value() + b.value(), Real(1.0), Real(1.0));
}
template <class Real>
Recorded<Real> operator-(const Recorded<Real>& a, const Recorded<Real>& b) {
  return Tape<Real>::function(a, b, a.value() - b.value(), Real(1.0), Real(-1.0));
}
template <class Real>
Recorded<Real> operator*(const Recorded<Real>& a, const Recorded<Real>& b) {
  return Tape<Real>::function(a, b, a.value() * b.value(), b.value(), a.value());
}
template <class Real>
Recorded<Real> operator/(const Recorded<Real>& a, const Recorded<Real>& b) {
  const Real reciprocal = Real(1.0) / b.value(), ratio = a.value() / b.value();
  return Tape<Real>::function(a, b, ratio, reciprocal, -(ratio * reciprocal));
}
template <class Real>
Recorded<Real> operator-(const Recorded<Real>& a) {
  return Tape<Real>::function(a, -a.value(), Real(-1.0));
}
template <class Real, PlainBeside<Real> C>
Recorded<Real> operator+(const Recorded<Real>& a, const C& c) {
  return Tape<Real>::function(a, a.value() + Real(c), Real(1.0));
}
template <class Real, PlainBeside<Real> C>
Recorded<Real> operator+(const C& c, const Recorded<Real>& a) {
  return a + c;
}
template <class Real, PlainBeside<Real> C>
Recorded<Real> operator-(const Recorded<Real>& a, const C& c) {
  return Tape<Real>::function(a, a.value() - Real(c), Real(1.0));
}
template <class Real, PlainBeside<Real> C>
Recorded<Real> operator-(const C& c, const Recorded<Real>& a) {
  return Tape<Real>::function(a, Real(c) - a.value(), Real(-1.0));
}
template <class Real, PlainBeside<Real> C>
Recorded<Real> operator*(const Recorded<Real>& a, const C& c) {
  return Tape<Real>::function(a, a.value() * Real(c), Real(c));
}
template <class Real, PlainBeside<Real> C>
Recorded<Real> operator*(const C& c, const Recorded<Real>& a) {
  return a * c;
}
template <class Real, PlainBeside<Real> C>
Recorded<Real> operator/(const Recorded<Real>& a, const C& c) {
  return Tape<Real>::function(a, a.value() / Real(c), Real(1.0) / Real(c));
}
template <class Real, PlainBeside<Real> C>
Recorded<Real> operator/(const C& c, const Recorded<Real>& a) {
  const Real ratio = Real(c) / a.value();
  return Tape<Real>::function(a, ratio, -(ratio / a.value()));
}
template <class Real, class B>
auto& operator+=(Recorded<Real>& a, const B& b) {
  return a = a + b;
}
template <class Real, class B>
auto& operator-=(Recorded<Real>& a, const B& b) {
  return a = a - b;
}
template <class Real, class B>
auto& operator*=(Recorded<Real>& a, const B& b) {
  return a = a * b;
}

template <class Real>
Recorded<Real> square(const Recorded<Real>& a) {
  return Tape<Real>::function(a, a.value() * a.value(), a.value() + a.value());
}
template <class Real>
Recorded<Real> sqrt(const Recorded<Real>& a) {
  using std::sqrt;
  const Real root = sqrt(a.value());
  return Tape<Real>::function(a, root, Real(0.5) / root);
}
template <class Real>
Recorded<Real> exp(const Recorded<Real>& a) {
  using std::exp;
  const Real value = exp(a.value());
  return Tape<Real>::function(a, value, value);
}
template <class Real>
Recorded<Real> log(const Recorded<Real>& a) {
  using std::log;
  return Tape<Real>::function(a, log(a.value()), Real(1.0) / a.value());
}
template <class Real>
struct RecordedSinCos {
  Recorded<Real> sin, cos;
};
/// sin and cos, each with its note.
template <class Real>
RecordedSinCos<Real> sincos(const Recorded<Real>& a) {
  using cotangent::sincos;
  const auto [s, c] = sincos(a.value());
  return {Tape<Real>::function(a, s, c), Tape<Real>::function(a, c, -s)};
}
template <class Real>
Recorded<Real> sin(const Recorded<Real>& a) {
  using cotangent::sincos;
  const auto [s, c] = sincos(a.value());
  return Tape<Real>::function(a, s, c);
}
template <class Real>
Recorded<Real> cos(const Recorded<Real>& a) {
  using cotangent::sincos;
  const auto [s, c] = sincos(a.value());
  return Tape<Real>::function(a, c, -s);
}
template <class Real>
Recorded<Real> abs(const Recorded<Real>& a) {
  const auto negative = a.value() < Real(0.0);
  return Tape<Real>::function(
      a, select(negative, -a.value(), a.value()),
      select(negative, Real(-1.0), select(a.value() > Real(0.0), Real(1.0), Real(0.0))));
}
template <class Real>
Recorded<Real> pow(const Recorded<Real>& a, int n) {
  return Tape<Real>::function(a, pow(a.value(), n),
                              n == 0 ? Real(0.0) : Real(1.0 * n) * pow(a.value(), n - 1));
}

/// f and its gradient: f(inputs) is called with recorded numbers, its result recorded too. The tape's memory
/// serves again.
template <PlainReal Real, class F>
Real reverse_gradient(Tape<Real>& tape, const F& f, std::span<const Real> x, std::span<Real> gradient) {
  tape.clear();
  std::vector<Recorded<Real>> inputs;
  inputs.reserve(x.size());
  for (const Real& value : x) inputs.push_back(tape.variable(value));
  const Recorded<Real> result = f(std::span<const Recorded<Real>>(inputs));
  tape.sweep(result);
  for (std::size_t n = 0; n < x.size(); ++n) gradient[n] = tape.adjoint(inputs[n]);
  return result.value();
}

}  // namespace cotangent::ad
