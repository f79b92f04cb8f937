// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/source.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>

#include "core/error.hpp"
#include "expressions/print.hpp"

namespace cotangent::formulas {

namespace {

std::string joined(std::span<const std::string> words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

std::string statement(const std::string& name, const std::string& value) {
  return "    const auto " + name + " = " + value + ";\n";
}

/// The rows of a table, as its initializer has them. Whole powers are the products that power<n> of
/// functions.hpp makes.
class Rows {
 public:
  using Operation = expressions::Operation;

  explicit Rows(int inputs) : inputs_(inputs) {}

  void add(const expressions::Tree& tree) {
    std::vector<int> places;
    for (const expressions::Node& node : tree.nodes()) {
      const auto of = [&](int k) { return places[node.operand[static_cast<std::size_t>(k)]]; };
      switch (expressions::operands(node.operation)) {
        case 0:
          places.push_back(node.operation == Operation::name ? static_cast<int>(node.name)
                                                             : row(Operation::number, 0, 0, node.number));
          break;
        case 1:
          places.push_back(node.operation == Operation::fixed_power ? power(of(0), node.number)
                                                                    : row(node.operation, of(0)));
          break;
        default:
          places.push_back(row(node.operation, of(0), of(1)));
      }
    }
    if (places.back() != inputs_ + count_ - 1)  // an input alone, or a row that stood before
      append(Operation::multiply, places.back(), row(Operation::number, 0, 0, 1.0), 0);
  }
  int count() const { return count_; }
  const std::string& text() const { return text_; }

 private:
  int row(Operation operation, int a, int b = 0, double number = 0) {
    const auto key = std::tuple(operation, a, b, std::bit_cast<std::uint64_t>(number));
    const auto found = places_.find(key);
    return found != places_.end() ? found->second : places_[key] = append(operation, a, b, number);
  }
  int append(Operation operation, int a, int b, double number) {
    if (operation == Operation::negation || operation > Operation::max)
      throw Error("a comparison where a smooth function is needed");
    text_ += "    {" + std::to_string(static_cast<int>(operation)) + ", " + std::to_string(a) + ", " +
             std::to_string(b) + ", " + expressions::cpp_number(number) + "},\n";
    return inputs_ + count_++;
  }
  int power(int a, double exponent) {
    if (!expressions::is_whole_power(exponent))
      return row(Operation::fixed_power, a, exponent == std::floor(exponent) && std::abs(exponent) < 1e5,
                 exponent);
    return power(a, static_cast<int>(exponent));
  }
  int power(int a, int n) {
    const auto one = [&] { return row(Operation::number, 0, 0, 1.0); };
    if (n < 0) return row(Operation::divide, one(), power(a, -n));
    if (n == 0) return one();
    if (n == 1) return a;
    if (n % 2 != 0) return row(Operation::multiply, power(a, n - 1), a);
    const int root = power(a, n / 2);
    return row(Operation::multiply, root, root);
  }

  int inputs_, count_ = 0;
  std::string text_;
  std::map<std::tuple<Operation, int, int, std::uint64_t>, int> places_;
};

std::string heads(std::span<const Argument> arguments) {
  std::vector<std::string> heads;
  for (const Argument& argument : arguments)
    heads.push_back("[[maybe_unused]] const auto& " + argument.letter);
  return joined(heads);
}

}  // namespace

std::vector<std::string> numbered(const std::string& letter, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(letter + std::to_string(i));
  return names;
}

std::vector<std::string> names_of(std::span<const Argument> arguments) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments)
    std::ranges::move(numbered(argument.letter, argument.count), std::back_inserter(names));
  return names;
}

std::string member(const std::string& name, std::span<const Argument> arguments,
                   std::span<const expressions::Tree> values, std::span<const std::string> names,
                   const std::string& already) {
  std::string body;
  for (const Argument& argument : arguments) {
    if (argument.apart && argument.count > 0)
      body += "    const auto [" + joined(numbered(argument.letter, argument.count)) +
              "] = " + argument.letter + ";\n";
  }
  body += already;
  const expressions::Printed code = expressions::cpp(values, names);
  for (const expressions::Part& part : code.parts) body += statement(part.name, part.value);
  const std::string result = joined(code.values);
  return "  [[gnu::always_inline]] auto " + name + "(" + heads(arguments) + ") const {\n" + body +
         "    return " + (values.size() > 1 ? "std::tuple(" + result + ")" : result) + ";\n  }\n";
}

std::string member_by_tables(const std::string& name, std::span<const Argument> arguments,
                             std::span<const expressions::Tree> values, const std::string& table) {
  std::size_t inputs = 0;
  std::string given;
  for (const Argument& argument : arguments) {
    inputs += argument.apart ? argument.count : 1;
    given += ", " + argument.letter;
  }
  std::string text;
  std::vector<std::string> results;
  for (const expressions::Tree& value : values) {
    Rows rows(static_cast<int>(inputs));
    rows.add(value);
    const std::string own = table + std::to_string(results.size());
    text += "  struct " + own + " {\n    static constexpr std::array<Row, " + std::to_string(rows.count()) +
            "> rows{{\n" + rows.text() + "    }};\n  };\n";
    results.push_back("looked_up_at<" + own + ">(p" + given + ")");
  }
  const std::string result = joined(results);
  return text + "  auto " + name + "(" + heads(arguments) + ") const {\n    return " +
         (values.size() > 1 ? "std::tuple(" + result + ")" : result) + ";\n  }\n";
}

std::size_t unfolded_size(std::span<const expressions::Tree> values, std::size_t variables) {
  std::size_t size = 0;
  for (const expressions::Tree& value : values) {
    std::vector<std::uint64_t> masks;
    for (const expressions::Node& node : value.nodes()) {
      const std::size_t operands = expressions::operands(node.operation);
      std::uint64_t mask = node.operation == expressions::Operation::name && node.name < variables
                               ? std::uint64_t{1} << node.name
                               : 0;
      for (std::size_t k = 0; k < operands; ++k) mask |= masks[node.operand[k]];
      masks.push_back(mask);
      const auto n = static_cast<std::size_t>(std::popcount(mask));
      if (operands > 0) size += 1 + n + n * (n + 1) / 2;
    }
  }
  return size;
}

std::string unit(const std::string& name, const std::string& members, const std::string& macro) {
  return "#include \"formulas/printed.hpp\"\n\nnamespace cotangent::formulas {\nnamespace {\nstruct " + name +
         " {\n" + members + "};\n}  // namespace\n" + macro + "(" + name +
         ")\n}  // namespace cotangent::formulas\n";
}

}  // namespace cotangent::formulas
