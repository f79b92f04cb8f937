// SPDX-License-Identifier: BSD-3-Clause
// Recursive descent over the grammar of expression.hpp. Values and truths share one grammar, since only what
// stands behind a parenthesis tells "(q1 + 1) > 0" from "(q1 > 0)"; the kinds are checked at every operator.
#include "expressions/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>
#include <string_view>

#include "core/error.hpp"
#include "core/names.hpp"

namespace cotangent::expressions::detail {

namespace {

constexpr int most_nested = 200;
constexpr std::size_t any_number = 0;

struct Function {
  std::string_view name;
  Operation operation;
  std::size_t arguments;  ///< any_number: two or more
};
constexpr std::array functions = {
    Function{"sqrt", Operation::sqrt, 1},        Function{"exp", Operation::exp, 1},
    Function{"log", Operation::log, 1},          Function{"sin", Operation::sin, 1},
    Function{"cos", Operation::cos, 1},          Function{"tan", Operation::tan, 1},
    Function{"asin", Operation::asin, 1},        Function{"acos", Operation::acos, 1},
    Function{"atan", Operation::atan, 1},        Function{"atan2", Operation::atan2, 2},
    Function{"sinh", Operation::sinh, 1},        Function{"cosh", Operation::cosh, 1},
    Function{"tanh", Operation::tanh, 1},        Function{"abs", Operation::abs, 1},
    Function{"hypot", Operation::hypot, 2},      Function{"min", Operation::min, any_number},
    Function{"max", Operation::max, any_number},
};

struct Comparison {
  std::string_view sign;
  Operation operation;
};
/// The longer signs first, so that <= isn't read as <.
constexpr std::array comparisons = {
    Comparison{"<=", Operation::less_equal}, Comparison{">=", Operation::greater_equal},
    Comparison{"==", Operation::equal},      Comparison{"!=", Operation::unequal},
    Comparison{"<", Operation::less},        Comparison{">", Operation::greater},
};

struct Hint {
  std::string_view sign, text;
};
constexpr std::array hints = {
    Hint{"=", "; a comparison is written =="},
    Hint{"&", "; write 'and'"},
    Hint{"|", "; write 'or'"},
    Hint{"!", "; write 'not'"},
    Hint{"**", "; a power is written ^"},
    Hint{",", "; a decimal point is written ."},
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Parser {
 public:
  Parser(const std::string& text, std::span<const std::string> variables)
      : text_(text), variables_(variables) {}

  Program parse(Kind wanted) {
    skip();
    if (at_end()) refuse(wanted == Kind::value ? "expected an expression" : "expected a condition", 0);
    const Kind found = disjunction();
    if (!at_end()) unexpected("expected an operator");
    if (found != wanted)
      throw Error("'" + text_ + "' " +
                  (wanted == Kind::truth
                       ? "is a value where a condition is needed; compare it, as in '" + text_ + " > 0'"
                       : "is a condition where a value is needed"));
    check_pending();
    return std::move(program_);
  }

 private:
  // Places and refusals.
  bool at_end() const { return position_ == text_.size(); }
  std::string_view rest() const { return std::string_view(text_).substr(position_); }

  std::string at(std::size_t position) const {
    if (position >= text_.size()) return "at the end of '" + text_ + "'";
    return "at column " + std::to_string(position + 1) + " of '" + text_ + "'";
  }
  [[noreturn]] void refuse(const std::string& what, std::size_t position, std::string_view hint = "") const {
    throw Error(what + " " + at(position) + std::string(hint));
  }
  [[noreturn]] void unexpected(const std::string& expected) const {
    for (const Hint& hint : hints)
      if (rest().starts_with(hint.sign)) refuse(expected, position_, hint.text);
    refuse(expected, position_);
  }
  void demand(Kind kind, Kind wanted, std::size_t position) const {
    if (kind == wanted) return;
    refuse(
        wanted == Kind::value ? "a condition where a value is needed" : "a value where a condition is needed",
        position);
  }

  // Tokens. Blanks behind a token are skipped with it.
  void skip() { position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size()); }
  bool accept(std::string_view sign) {
    if (!rest().starts_with(sign)) return false;
    position_ += sign.size();
    skip();
    return true;
  }
  std::string_view peek_name() const {
    std::size_t length = 0;
    const auto left = rest();
    while (length < left.size() && (is_letter(left[length]) || (length > 0 && is_digit(left[length]))))
      ++length;
    return left.substr(0, length);
  }
  bool accept_word(std::string_view word) { return peek_name() == word && accept(word); }

  // The program grows; an operation on constants is done at once.
  void emit(Operation operation) {
    const std::size_t n = operands(operation);
    const auto is_constant = [](const Instruction& step) { return step.operation == Operation::constant; };
    const auto first = program_.end() - static_cast<std::ptrdiff_t>(n);
    if (!std::all_of(first, program_.end(), is_constant)) {
      program_.push_back({operation});
      return;
    }
    const double value =
        n == 1 ? apply(operation, first[0].constant) : apply(operation, first[0].constant, first[1].constant);
    program_.erase(first + 1, program_.end());
    program_.back().constant = value;
  }
  void check_pending() const {
    std::size_t pending = 0;
    for (const Instruction& step : program_) {
      pending += 1 - operands(step.operation);  // unsigned, and the sum is never negative
      if (pending > most_pending) throw Error("'" + text_ + "' is nested too deeply");
    }
  }

  // The grammar, loosest first.
  Kind disjunction() {
    return joined("or", Operation::disjunction, [this] { return conjunction(); });
  }
  Kind conjunction() {
    return joined("and", Operation::conjunction, [this] { return negation(); });
  }
  template <class Operand>
  Kind joined(std::string_view word, Operation operation, const Operand& operand) {
    const std::size_t begin = position_;
    const Kind left = operand();
    while (accept_word(word)) {
      demand(left, Kind::truth, begin);
      const std::size_t right = position_;
      demand(operand(), Kind::truth, right);
      emit(operation);
    }
    return left;
  }

  Kind negation() {
    if (!accept_word("not")) return comparison();
    const Nesting nesting(*this);
    const std::size_t begin = position_;
    demand(negation(), Kind::truth, begin);
    emit(Operation::negation);
    return Kind::truth;
  }

  const Comparison* accept_comparison() {
    for (const Comparison& comparison : comparisons)
      if (accept(comparison.sign)) return &comparison;
    return nullptr;
  }
  Kind comparison() {
    const std::size_t begin = position_;
    const Kind left = sum();
    const Comparison* const found = accept_comparison();
    if (!found) return left;
    demand(left, Kind::value, begin);
    const std::size_t right = position_;
    demand(sum(), Kind::value, right);
    emit(found->operation);
    const std::size_t again = position_;
    if (accept_comparison()) refuse("a second comparison", again, "; write 'a < b and b < c'");
    return Kind::truth;
  }

  Kind sum() {
    const std::size_t begin = position_;
    const Kind left = product();
    while (true) {
      const bool plus = accept("+");
      if (!plus && !accept("-")) return left;
      demand(left, Kind::value, begin);
      const std::size_t right = position_;
      demand(product(), Kind::value, right);
      emit(plus ? Operation::add : Operation::subtract);
    }
  }
  Kind product() {
    const std::size_t begin = position_;
    const Kind left = unary();
    while (true) {
      if (rest().starts_with("**")) return left;  // refused by whoever meets it, with a hint
      const bool times = accept("*");
      if (!times && !accept("/")) return left;
      demand(left, Kind::value, begin);
      const std::size_t right = position_;
      demand(unary(), Kind::value, right);
      emit(times ? Operation::multiply : Operation::divide);
    }
  }
  Kind unary() {
    const Nesting nesting(*this);
    const bool minus = accept("-");
    if (!minus && !accept("+")) return power();
    const std::size_t begin = position_;
    demand(unary(), Kind::value, begin);
    if (minus) emit(Operation::negate);
    return Kind::value;
  }
  Kind power() {
    const std::size_t begin = position_;
    const Kind base = primary();
    if (!accept("^")) return base;
    demand(base, Kind::value, begin);
    const std::size_t exponent = position_;
    demand(unary(), Kind::value, exponent);
    emit(Operation::power);
    return Kind::value;
  }

  Kind primary() {
    if (accept("(")) {
      const Kind kind = disjunction();
      if (!accept(")")) unexpected("expected ')'");
      return kind;
    }
    if (at_end()) unexpected("expected a value");
    const char c = text_[position_];
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) return name();
    unexpected("expected a value");
  }

  Kind number() {
    double value = 0;
    const char* const begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) refuse("a number beyond the reach of doubles", position_);
    if (error != std::errc()) refuse("expected a number", position_);
    position_ += static_cast<std::size_t>(end - begin);
    program_.push_back({Operation::constant, 0, value});
    if (!at_end() && (is_letter(text_[position_]) || text_[position_] == '.'))
      refuse("expected an operator", position_);
    skip();
    return Kind::value;
  }

  Kind name() {
    const std::size_t begin = position_;
    const std::string word(peek_name());
    accept(word);
    if (word == "and" || word == "or" || word == "not") refuse("expected a value", begin);
    if (rest().starts_with("(")) return call(word, begin);
    const auto variable = std::find(variables_.begin(), variables_.end(), word);
    if (variable != variables_.end()) {
      program_.push_back({Operation::variable, static_cast<std::size_t>(variable - variables_.begin())});
    } else if (word == "pi") {
      program_.push_back({Operation::constant, 0, std::numbers::pi});
    } else if (std::any_of(functions.begin(), functions.end(),
                           [&](const Function& f) { return f.name == word; })) {
      refuse("'" + word + "' is a function and needs (...)", begin);
    } else {
      std::vector<std::string> valid(variables_.begin(), variables_.end());
      valid.push_back("pi");
      unknown_name("name", word, valid, at(begin));
    }
    return Kind::value;
  }

  Kind call(const std::string& word, std::size_t begin) {
    const auto function =
        std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == word; });
    if (function == functions.end()) {
      if (std::find(variables_.begin(), variables_.end(), word) != variables_.end())
        refuse("'" + word + "' is a variable, not a function,", begin);
      std::vector<std::string> valid;
      for (const Function& f : functions) valid.emplace_back(f.name);
      unknown_name("function", word, valid, at(begin));
    }
    accept("(");
    std::size_t given = 0;
    if (!rest().starts_with(")")) {
      do {
        const std::size_t argument = position_;
        demand(disjunction(), Kind::value, argument);
        // Of more than two arguments the first two are one already.
        if (++given > 1 && function->arguments == any_number) emit(function->operation);
      } while (accept(","));
    }
    if (!accept(")")) unexpected("expected ',' or ')'");
    const bool fits = function->arguments == any_number ? given >= 2 : given == function->arguments;
    if (!fits)
      refuse("'" + word + "' takes " +
                 (function->arguments == any_number ? "two arguments or more"
                  : function->arguments == 1        ? "one argument"
                                                    : "two arguments") +
                 ", not " + std::to_string(given) + ",",
             begin);
    if (function->arguments != any_number) emit(function->operation);
    return Kind::value;
  }

  /// Counts the calls within calls, so that a text cannot exhaust the stack.
  struct Nesting {
    explicit Nesting(Parser& parser) : depth(parser.depth_) {
      if (++depth > most_nested) throw Error("'" + parser.text_.substr(0, 40) + "...' is nested too deeply");
    }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --depth; }
    int& depth;
  };

  const std::string& text_;
  std::span<const std::string> variables_;
  std::size_t position_ = 0;
  int depth_ = 0;
  Program program_;
};

}  // namespace

Program parse_program(const std::string& text, std::span<const std::string> variable_names, Kind wanted) {
  return Parser(text, variable_names).parse(wanted);
}

}  // namespace cotangent::expressions::detail
