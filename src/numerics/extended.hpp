// SPDX-License-Identifier: BSD-3-Clause
// Extended precision, the same on every processor: a double-double, the sum of two doubles, of 106 bits. What
// a compiler calls long double has 64 bits on x86 and 113 on 64-bit ARM, so that tables made by it differ in
// last bits. Nothing here may be contracted to fused multiply-adds: flags.cmake sees to it. Reference:
// Dekker, A floating-point technique for extending the available precision (1971); Hida, Li, Bailey, Library
// for double-double and quad-double arithmetic (2001).
#pragma once

#include <cmath>
#include <compare>
#include <limits>

namespace cotangent::numerics {

class Extended {
 public:
  constexpr Extended() = default;
  /// high + low, the second at most half a unit in the last place of the first.
  constexpr Extended(double high, double low = 0) : high_(high), low_(low) {}
  /// Rounded to the nearest.
  constexpr explicit operator double() const { return high_; }

  constexpr Extended operator-() const { return {-high_, -low_}; }
  friend Extended operator+(const Extended& a, const Extended& b) {
    const Extended high = sum(a.high_, b.high_), low = sum(a.low_, b.low_);
    const Extended once = ordered_sum(high.high_, high.low_ + low.high_);
    return ordered_sum(once.high_, once.low_ + low.low_);
  }
  friend Extended operator-(const Extended& a, const Extended& b) { return a + -b; }
  friend Extended operator*(const Extended& a, const Extended& b) {
    const double high = a.high_ * b.high_;
    return ordered_sum(high, std::fma(a.high_, b.high_, -high) + (a.high_ * b.low_ + a.low_ * b.high_));
  }
  friend Extended operator/(const Extended& a, const Extended& b) {  // long division, by three digits
    Extended quotient = 0, rest = a;
    for (int digit = 0; digit < 3; ++digit) {
      const Extended next = rest.high_ / b.high_;
      quotient = quotient + next;
      rest = rest - next * b;
    }
    return quotient;
  }
  Extended& operator+=(const Extended& b) { return *this = *this + b; }
  Extended& operator-=(const Extended& b) { return *this = *this - b; }
  Extended& operator*=(const Extended& b) { return *this = *this * b; }
  Extended& operator/=(const Extended& b) { return *this = *this / b; }

  friend constexpr bool operator==(const Extended& a, const Extended& b) = default;
  friend constexpr auto operator<=>(const Extended& a, const Extended& b) = default;

  friend Extended abs(const Extended& a) { return a.high_ < 0 ? -a : a; }
  friend Extended sqrt(const Extended& a) {
    if (a.high_ <= 0) return std::sqrt(a.high_);
    const Extended root = std::sqrt(a.high_);
    return root + (a - root * root).high_ / (2 * root.high_);
  }
  /// Of an angle of at most a quarter turn, by its series.
  friend Extended sin(const Extended& angle) {
    const Extended square = angle * angle;
    Extended term = angle, result = angle;
    for (int n = 2; n < 40; n += 2) {
      term *= -square / (n * (n + 1));
      result += term;
    }
    return result;
  }
  friend bool isfinite(const Extended& a) { return std::isfinite(a.high_); }

 private:
  static Extended ordered_sum(double a, double b) {  // |a| >= |b|
    const double whole = a + b;
    return {whole, b - (whole - a)};
  }
  static Extended sum(double a, double b) {
    const double whole = a + b, part = whole - a;
    return {whole, (a - (whole - part)) + (b - part)};
  }
  double high_ = 0, low_ = 0;
};

inline constexpr Extended extended_pi{3.141592653589793116, 1.2246467991473532e-16};

}  // namespace cotangent::numerics

template <>
class std::numeric_limits<cotangent::numerics::Extended> : public std::numeric_limits<double> {
  using Extended = cotangent::numerics::Extended;

 public:
  static constexpr int digits = 106, digits10 = 31;
  static constexpr Extended epsilon() noexcept { return 0x1p-105; }
  static constexpr Extended min() noexcept { return 0x1p-969; }  // whose second double is not yet subnormal
};
