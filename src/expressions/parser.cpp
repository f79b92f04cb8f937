// SPDX-License-Identifier: BSD-3-Clause
// Recursive descent over the grammar of README.md. Values and truths share one grammar, since only what
// stands behind a parenthesis tells "(q1 + 1) > 0" from "(q1 > 0)"; the kinds are checked at every operator.
// A set is a truth, that a point belongs to it, and its language what is left of the grammar where names are
// truths.
#include "expressions/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/names.hpp"
#include "expressions/not_finite.hpp"
#include "expressions/place.hpp"

namespace cotangent::expressions {

namespace {

enum class Kind { value, truth };

constexpr int most_nested = 400;  ///< parentheses count twice
constexpr std::size_t most_nodes = std::size_t{1} << 18;
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
         std::span<const Constant> constants, Units* units)
      : text_(text), language_(language), names_(names), constants_(constants), units_(units) {}

  Tree parse() {
    const Kind wanted = language_ == Language::value ? Kind::value : Kind::truth;
    skip();
    if (at_end()) refuse("expected " + std::string(whole()), 0);
    const Kind found = disjunction();
    if (!at_end()) unexpected(of_sets() ? "expected 'and' or 'or'" : "expected an operator");
    if (found != wanted) refuse_whole(wanted);
    if (units_) units_->whole = all_known_ ? dimensions_.back() : std::nullopt;
    if (units_ && all_known_ && !misfit_.empty()) throw Error(misfit_);
    return graph_.tree(waiting_.back());
  }
  std::optional<std::size_t> not_finite() const { return not_finite_; }

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
    const bool shown = text_.size() <= most_shown && text_.find('\n') == std::string::npos;
    const std::string of = shown ? " of '" + text_ + "'" : "";
    if (position >= text_.size()) return "at the end" + of;
    const auto [line, begin] = line_of(text_, position);
    return "at " + (line > 0 ? "line " + std::to_string(line + 1) + ", " : std::string()) + "column " +
           std::to_string(position - begin + 1) + of;
  }
  [[noreturn]] void refuse(const std::string& what, std::size_t position, std::string_view hint = "") const {
    throw Error(what + " " + at(position) + std::string(hint) + marked(text_, position));
  }
  [[noreturn]] void refuse_name(std::string_view what, const std::string& word,
                                const std::vector<std::string>& valid, std::size_t position) const {
    throw Error(unknown_name_text(what, word, valid, at(position)) + marked(text_, position));
  }
  [[noreturn]] void unexpected(const std::string& expected) const {
    for (const Hint& hint : hints)
      if (rest().starts_with(hint.sign) && (hint.of_sets || !of_sets()))
        refuse(expected, position_, hint.text);
    refuse(expected, position_);
  }
  [[noreturn]] void refuse_whole(Kind wanted) const {
    const std::string text = text_.size() > most_shown ? text_.substr(0, most_shown) + "..." : text_;
    throw Error("'" + text + "' " +
                (wanted == Kind::truth
                     ? "is a value where a condition is needed; compare it, as in '" + text + " > 0'"
                     : "is a condition where a value is needed"));
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
  /// Sets may be called half-plane or 2: there is no minus between them, and no number. A dot before a letter
  /// is a part of a value's name: right.u is the neighbour's u.
  bool begins_name(char c) const { return is_letter(c) || (of_sets() && is_digit(c)); }
  bool continues_name(char c) const { return is_letter(c) || is_digit(c) || (of_sets() && c == '-'); }
  std::string_view peek_name() const {
    const auto left = rest();
    if (left.empty() || !begins_name(left[0])) return {};
    std::size_t length = 1;
    const auto dotted = [&] {
      return !of_sets() && left[length] == '.' && length + 1 < left.size() && is_letter(left[length + 1]);
    };
    while (length < left.size() && (continues_name(left[length]) || dotted())) ++length;
    return left.substr(0, length);
  }
  bool accept_word(std::string_view word) { return peek_name() == word && accept(word); }

  // Operands, and their dimensions where units are given: none of a zero, which fits to any.
  void push_number(double value) {
    waiting_.push_back(graph_.number(value));
    dimensions_.push_back(value == 0 ? std::nullopt : std::optional(Dimension{}));
  }
  void push_name(std::size_t name) {
    waiting_.push_back(graph_.name(name));
    dimensions_.push_back(units_ ? units_->names[name] : std::nullopt);
    all_known_ = all_known_ && dimensions_.back();
  }
  /// The first place where dimensions don't fit counts, once it is known that those of all names are.
  void misfit(const std::string& what, std::size_t position) {
    if (misfit_.empty()) misfit_ = what + " " + at(position) + marked(text_, position);
  }

  /// An operation on the last operand, or the last two. The last one, or the call, begins at a place.
  void apply(Operation operation, std::size_t position) {
    if (units_) apply_to_dimensions(operation, position);
    const Graph::Id last = waiting_.back();
    if (operands(operation) == 2) waiting_.pop_back();
    Graph::Id& result = waiting_.back();
    result = operands(operation) == 2 ? graph_.apply(operation, result, last) : graph_.apply(operation, last);
    const Node& made = graph_.nodes()[result];
    const Node& divisor = graph_.nodes()[last];
    if (!not_finite_ &&
        (!std::isfinite(made.number) || (made.operation == Operation::divide &&
                                         divisor.operation == Operation::number && divisor.number == 0)))
      not_finite_ = position;
    if (graph_.nodes().size() > most_nodes)
      refuse("too long", position_, ": at most " + std::to_string(most_nodes) + " different operations");
  }
  void apply_to_dimensions(Operation operation, std::size_t position) {
    const std::optional<Dimension> last = dimensions_.back();
    if (operands(operation) == 2) dimensions_.pop_back();
    std::optional<Dimension>& result = dimensions_.back();
    const auto number_wanted = [&](const std::optional<Dimension>& given, const std::string& what) {
      if (given && !given->none())
        misfit(what + " of unit " + given->text() + ", where it must be 1", position);
    };
    switch (operation) {
      case Operation::negate:
      case Operation::abs:
        break;
      case Operation::sqrt:
        if (result) result = result->power(0.5);
        break;
      case Operation::multiply:
      case Operation::divide:
        if (result && last)
          result = operation == Operation::multiply ? *result * *last : *result / *last;
        else
          result = std::nullopt;
        break;
      case Operation::power: {
        number_wanted(last, "an exponent");
        const Node& exponent = graph_.nodes()[waiting_.back()];
        if (result && exponent.operation == Operation::number) {
          result = result->power(exponent.number);
        } else {
          number_wanted(result, "the base of an exponent that is no number, itself");
          result = Dimension{};
        }
        break;
      }
      case Operation::add:
      case Operation::subtract:
      case Operation::hypot:
      case Operation::min:
      case Operation::max:
      case Operation::atan2:
      case Operation::less:
      case Operation::less_equal:
      case Operation::greater:
      case Operation::greater_equal:
      case Operation::equal:
      case Operation::unequal:
        if (result && last && *result != *last)
          misfit("unit " + last->text() + " doesn't fit to " + result->text() + ":", position);
        if (!result) result = last;
        if (operation == Operation::atan2 || operation >= Operation::less) result = Dimension{};
        break;
      default:  // functions of one argument; truths are numbers
        number_wanted(result, "an argument");
        result = Dimension{};
        if (operands(operation) == 2) number_wanted(last, "an argument");
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
      apply(operation, right);
    }
    return left;
  }

  Kind negation() {
    const Nesting nesting(*this);
    if (!accept_word("not")) return of_sets() ? primary() : comparison();
    const std::size_t begin = position_;
    demand(negation(), Kind::truth, begin);
    apply(Operation::negation, begin);
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
    apply(found->operation, right);
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
      apply(plus ? Operation::add : Operation::subtract, right);
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
      apply(times ? Operation::multiply : Operation::divide, right);
    }
  }
  Kind unary() {
    const Nesting nesting(*this);
    const bool minus = accept("-");
    if (!minus && !accept("+")) return power();
    const std::size_t begin = position_;
    demand(unary(), Kind::value, begin);
    if (minus) apply(Operation::negate, begin);
    return Kind::value;
  }
  Kind power() {
    const std::size_t begin = position_;
    const Kind base = primary();
    if (!accept("^")) return base;
    demand(base, Kind::value, begin);
    const std::size_t exponent = position_;
    demand(unary(), Kind::value, exponent);
    apply(Operation::power, exponent);
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
    push_number(value);
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
      if (found == names_.end()) refuse_name("set", word, {names_.begin(), names_.end()}, begin);
      push_name(static_cast<std::size_t>(found - names_.begin()));
      return Kind::truth;
    }
    if (rest().starts_with("(")) return call(word, begin);
    const auto constant =
        std::find_if(constants_.begin(), constants_.end(), [&](const Constant& c) { return c.name == word; });
    if (constant != constants_.end()) {
      push_number(constant->value);
    } else if (found != names_.end()) {
      push_name(static_cast<std::size_t>(found - names_.begin()));
    } else if (word == "pi") {
      push_number(std::numbers::pi);
    } else if (function_called(word) != nullptr) {
      refuse("'" + word + "' is a function and needs (...)", begin);
    } else {
      std::vector<std::string> valid = variables();
      valid.emplace_back("pi");
      refuse_name("name", word, valid, begin);
    }
    return Kind::value;
  }

  /// The names that stand for values, pi apart.
  std::vector<std::string> variables() const {
    std::vector<std::string> all;  // what has no name can't be written
    std::ranges::copy_if(names_, std::back_inserter(all),
                         [](const std::string& name) { return !name.empty(); });
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
      refuse_name("function", word, valid, begin);
    }
    accept("(");
    std::size_t given = 0, argument = begin;
    if (!rest().starts_with(")")) {
      do {
        argument = position_;
        demand(disjunction(), Kind::value, argument);
        // Of more than two arguments the first two are one already.
        if (++given > 1 && function->arguments == any_number) apply(function->operation, argument);
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
    if (function->arguments != any_number) apply(function->operation, argument);
    return Kind::value;
  }

  /// Counts the calls within calls, so that a text cannot exhaust the stack.
  struct Nesting {
    explicit Nesting(Parser& parser) : depth(parser.depth_) {
      if (++depth > most_nested)
        parser.refuse("nested too deeply", parser.position_,
                      ": at most " + std::to_string(most_nested / 2) +
                          " parentheses within one another, or " + std::to_string(most_nested) +
                          " signs or powers");
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
  Units* units_;
  std::size_t position_ = 0;
  int depth_ = 0;
  Graph graph_;
  std::vector<Graph::Id> waiting_;                    ///< operands, for their operation
  std::vector<std::optional<Dimension>> dimensions_;  ///< of the operands
  bool all_known_ = true;                             ///< the dimensions of all names so far
  std::string misfit_;
  std::optional<std::size_t> not_finite_;  ///< where the first such number comes out
};

}  // namespace

Tree parse(const std::string& text, Language language, std::span<const std::string> names,
           std::span<const Constant> constants, Units* units) {
  return Parser(text, language, names, constants, units).parse();
}

std::optional<std::size_t> place_not_finite(const std::string& text, Language language,
                                            std::span<const std::string> names) {
  Parser parser(text, language, names, {}, nullptr);
  parser.parse();
  return parser.not_finite();
}

}  // namespace cotangent::expressions
