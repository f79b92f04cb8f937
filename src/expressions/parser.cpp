// SPDX-License-Identifier: BSD-3-Clause
// Recursive descent over the grammar of README.md. Values and truths share one grammar, since only what
// stands behind a parenthesis tells "(q1 + 1) > 0" from "(q1 > 0)"; the kinds are checked at every operator.
// A set is a truth, that a point belongs to it, and its language what is left of the grammar where names are
// truths.
#include "expressions/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>
#include <string_view>

#include "core/error.hpp"
#include "core/names.hpp"
#include "expressions/evaluate.hpp"

namespace cotangent::expressions {

namespace {

enum class Kind { value, truth };

constexpr int most_nested = 400;  ///< parentheses count twice
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

const Function* function_called(std::string_view name) {
  for (const Function& function : functions)
    if (function.name == name) return &function;
  return nullptr;
}

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
  bool of_sets;  ///< as well as of values
};
constexpr std::array hints = {
    Hint{"=", "; a comparison is written ==", false},
    Hint{"&", "; write 'and'", true},
    Hint{"|", "; write 'or'", true},
    Hint{"!", "; write 'not'", true},
    Hint{"**", "; a power is written ^", false},
    Hint{",", "; a decimal point is written .", false},
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Parser {
 public:
  Parser(const std::string& text, Language language, std::span<const std::string> names,
         std::span<const Constant> constants)
      : text_(text), language_(language), names_(names), constants_(constants) {}

  Tree parse() {
    const Kind wanted = language_ == Language::value ? Kind::value : Kind::truth;
    skip();
    if (at_end()) refuse("expected " + std::string(whole()), 0);
    const Kind found = disjunction();
    if (!at_end()) unexpected(of_sets() ? "expected 'and' or 'or'" : "expected an operator");
    if (found != wanted)
      throw Error("'" + text_ + "' " +
                  (wanted == Kind::truth
                       ? "is a value where a condition is needed; compare it, as in '" + text_ + " > 0'"
                       : "is a condition where a value is needed"));
    if (tree_.pending() > most_pending) throw Error("'" + text_ + "' is nested too deeply");
    return std::move(tree_);
  }

 private:
  bool of_sets() const { return language_ == Language::set; }
  std::string_view whole() const {
    return of_sets() ? "a set" : language_ == Language::value ? "an expression" : "a condition";
  }
  std::string operand() const { return of_sets() ? "expected a set" : "expected a value"; }

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
      if (rest().starts_with(hint.sign) && (hint.of_sets || !of_sets()))
        refuse(expected, position_, hint.text);
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
  /// Sets may be called half-plane or 2: there is no minus between them, and no number.
  bool begins_name(char c) const { return is_letter(c) || (of_sets() && is_digit(c)); }
  bool continues_name(char c) const { return is_letter(c) || is_digit(c) || (of_sets() && c == '-'); }
  std::string_view peek_name() const {
    const auto left = rest();
    if (left.empty() || !begins_name(left[0])) return {};
    std::size_t length = 1;
    while (length < left.size() && continues_name(left[length])) ++length;
    return left.substr(0, length);
  }
  bool accept_word(std::string_view word) { return peek_name() == word && accept(word); }

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
      tree_.apply(operation);
    }
    return left;
  }

  Kind negation() {
    const Nesting nesting(*this);
    if (!accept_word("not")) return of_sets() ? primary() : comparison();
    const std::size_t begin = position_;
    demand(negation(), Kind::truth, begin);
    tree_.apply(Operation::negation);
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
    tree_.apply(found->operation);
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
      tree_.apply(plus ? Operation::add : Operation::subtract);
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
      tree_.apply(times ? Operation::multiply : Operation::divide);
    }
  }
  Kind unary() {
    const Nesting nesting(*this);
    const bool minus = accept("-");
    if (!minus && !accept("+")) return power();
    const std::size_t begin = position_;
    demand(unary(), Kind::value, begin);
    if (minus) tree_.apply(Operation::negate);
    return Kind::value;
  }
  Kind power() {
    const std::size_t begin = position_;
    const Kind base = primary();
    if (!accept("^")) return base;
    demand(base, Kind::value, begin);
    const std::size_t exponent = position_;
    demand(unary(), Kind::value, exponent);
    tree_.apply(Operation::power);
    return Kind::value;
  }

  Kind primary() {
    if (accept("(")) {
      const Kind kind = disjunction();
      if (!accept(")")) unexpected("expected ')'");
      return kind;
    }
    if (at_end()) unexpected(operand());
    const char c = text_[position_];
    if (begins_name(c)) return name();
    if (!of_sets() && (is_digit(c) || c == '.')) return number();
    unexpected(operand());
  }

  Kind number() {
    double value = 0;
    const char* const begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) refuse("a number beyond the reach of doubles", position_);
    if (error != std::errc()) refuse("expected a number", position_);
    position_ += static_cast<std::size_t>(end - begin);
    tree_.add_number(value);
    if (!at_end() && (is_letter(text_[position_]) || text_[position_] == '.'))
      refuse("expected an operator", position_);
    skip();
    return Kind::value;
  }

  Kind name() {
    const std::size_t begin = position_;
    const std::string word(peek_name());
    accept(word);
    if (word == "and" || word == "or" || word == "not") refuse(operand(), begin);
    const auto found = std::find(names_.begin(), names_.end(), word);
    if (of_sets()) {
      if (found == names_.end()) unknown_name("set", word, names_, at(begin));
      tree_.add_name(static_cast<std::size_t>(found - names_.begin()));
      return Kind::truth;
    }
    if (rest().starts_with("(")) return call(word, begin);
    const auto constant =
        std::find_if(constants_.begin(), constants_.end(), [&](const Constant& c) { return c.name == word; });
    if (constant != constants_.end()) {
      tree_.add_number(constant->value);
    } else if (found != names_.end()) {
      tree_.add_name(static_cast<std::size_t>(found - names_.begin()));
    } else if (word == "pi") {
      tree_.add_number(std::numbers::pi);
    } else if (function_called(word) != nullptr) {
      refuse("'" + word + "' is a function and needs (...)", begin);
    } else {
      std::vector<std::string> valid = variables();
      valid.emplace_back("pi");
      unknown_name("name", word, valid, at(begin));
    }
    return Kind::value;
  }

  /// The names that stand for values, pi apart.
  std::vector<std::string> variables() const {
    std::vector<std::string> all(names_.begin(), names_.end());
    for (const Constant& constant : constants_) all.push_back(constant.name);
    return all;
  }

  Kind call(const std::string& word, std::size_t begin) {
    const Function* const function = function_called(word);
    if (function == nullptr) {
      const std::vector<std::string> all = variables();
      if (std::find(all.begin(), all.end(), word) != all.end())
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
        if (++given > 1 && function->arguments == any_number) tree_.apply(function->operation);
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
    if (function->arguments != any_number) tree_.apply(function->operation);
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
  Language language_;
  std::span<const std::string> names_;
  std::span<const Constant> constants_;
  std::size_t position_ = 0;
  int depth_ = 0;
  Tree tree_;
};

}  // namespace

Tree parse(const std::string& text, Language language, std::span<const std::string> names,
           std::span<const Constant> constants) {
  return Parser(text, language, names, constants).parse();
}

}  // namespace cotangent::expressions
