// SPDX-License-Identifier: BSD-3-Clause
// Recursive descent over unit = power { ("*" | "/") power }, power = primary [ "^" exponent ].
#include "expressions/units.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace cotangent::expressions {

namespace {

constexpr double smallest = 1e-9;  ///< exponents that differ by less are the same: (1/3)*3

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> derived = {{
    {"rad", "1"},
    {"Hz", "1/s"},
    {"N", "kg*m/s^2"},
    {"J", "kg*m^2/s^2"},
    {"W", "kg*m^2/s^3"},
    {"Pa", "kg/m/s^2"},
    {"C", "A*s"},
    {"V", "kg*m^2/s^3/A"},
    {"F", "A^2*s^4/kg/m^2"},
    {"ohm", "kg*m^2/s^3/A^2"},
    {"S", "A^2*s^3/kg/m^2"},
    {"Wb", "kg*m^2/s^2/A"},
    {"T", "kg/s^2/A"},
    {"H", "kg*m^2/s^2/A^2"},
    {"sr", "1"},
}};

using Add = std::function<void(const std::string& name, double exponent)>;

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  /// The exponents, told by add(name, exponent).
  void read(const Add& add) {
    skip();
    product(0, add);
    if (at_ != text_.size()) refuse("expected *, / or ^");
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error("the unit '" + text_ + "' reads as none: " + what + " at column " + std::to_string(at_ + 1) +
                "; write it as 'kg*m^2/s^2'");
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    skip();
    return true;
  }
  bool letter() const {
    if (at_ == text_.size()) return false;
    const auto c = static_cast<unsigned char>(text_[at_]);
    return std::isalpha(c) || c == '_' || c == '%' || c >= 0x80;
  }
  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) refuse("expected a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    skip();
    return value;
  }
  double exponent() {
    if (!accept('(')) return number();
    double value = number();
    if (accept('/')) value /= number();
    if (!accept(')')) refuse("expected )");
    if (!std::isfinite(value)) refuse("expected a number");
    return value;
  }

  /// A factor's exponent stands behind it: it is looked up before the factor is told.
  void factor(double sign, int depth, const Add& add) {
    std::map<std::string, double> found;
    const auto keep = [&](const std::string& name, double power) { found[name] += power; };
    if (accept('(')) {
      product(depth + 1, keep);
      if (!accept(')')) refuse("expected )");
    } else if (letter()) {
      const std::size_t begin = at_;
      while (letter()) ++at_;
      const std::string name = text_.substr(begin, at_ - begin);
      skip();
      keep(name, 1);
    } else if (!accept('1')) {
      refuse("expected a unit or 1");
    }
    const double power = accept('^') ? exponent() : 1;
    for (const auto& [name, of] : found) add(name, sign * of * power);
  }
  void product(int depth, const Add& add) {
    if (depth > 20) refuse("nested too deeply");
    factor(1, depth, add);
    while (true) {
      if (accept('*')) {
        factor(1, depth, add);
      } else if (accept('/')) {
        factor(-1, depth, add);
      } else {
        return;
      }
    }
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6);
  return {text.data(), end.ptr};
}

}  // namespace

Dimension Dimension::parse(const std::string& unit) {
  Dimension result;
  Reader(unit).read([&](const std::string& name, double exponent) {
    for (const auto& [known, made_of] : derived) {
      if (known != name) continue;
      result = result * parse(std::string(made_of)).power(exponent);
      return;
    }
    Dimension base;
    base.exponents_[name] = 1;
    result = result * base.power(exponent);
  });
  return result;
}

Dimension Dimension::plus(const Dimension& other, double sign) const {
  Dimension result = *this;
  for (const auto& [name, exponent] : other.exponents_) result.exponents_[name] += sign * exponent;
  std::erase_if(result.exponents_, [](const auto& entry) { return std::abs(entry.second) < smallest; });
  return result;
}

Dimension Dimension::power(double exponent) const {
  Dimension result = *this;
  for (auto& entry : result.exponents_) entry.second *= exponent;
  std::erase_if(result.exponents_, [](const auto& entry) { return std::abs(entry.second) < smallest; });
  return result;
}

std::string Dimension::text() const {
  std::string above, below;
  for (const auto& [name, exponent] : exponents_) {
    const double size = std::abs(exponent);
    std::string factor = name;
    if (std::abs(size - 1) > smallest) {
      const std::string number = number_text(size);
      factor += "^" + number;
    }
    if (exponent > 0) {
      above += (above.empty() ? "" : "*") + factor;
    } else {
      below += "/" + factor;
    }
  }
  return (above.empty() ? "1" : above) + below;
}

}  // namespace cotangent::expressions
