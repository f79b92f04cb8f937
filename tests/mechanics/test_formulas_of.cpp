// SPDX-License-Identifier: BSD-3-Clause
// Every built-in struct, recorded, printed as decks write it, and parsed: the same tree, and over doubles the
// bits of the struct itself.
#include <bit>
#include <cstdint>
#include <random>

#include "catch.hpp"
#include "core/error.hpp"
#include "expressions/evaluate.hpp"
#include "expressions/parser.hpp"
#include "expressions/print.hpp"
#include "mechanics/formulas_of.hpp"
#include "tests/all_models.hpp"
#include "tests/all_potentials.hpp"

using namespace cotangent;
using namespace cotangent::mechanics;
using expressions::Tree;

namespace {

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> result;
  for (const double value : values) result.push_back(std::bit_cast<std::uint64_t>(value));
  return result;
}
/// A number, or a tuple of them, as a list.
template <class Value>
std::vector<double> listed(const Value& value) {
  if constexpr (detail::is_tuple<Value>)
    return std::apply([](const auto&... one) { return std::vector<double>{one...}; }, value);
  else
    return {value};
}
std::vector<double> evaluated(const std::vector<Tree>& trees, const std::vector<double>& values) {
  std::vector<double> result;
  for (const Tree& tree : trees) result.push_back(expressions::evaluate<double>(tree, values));
  return result;
}
void reads_back(const std::vector<Tree>& trees, const std::vector<std::string>& names) {
  for (const Tree& tree : trees) {
    const std::string text = expressions::text(tree, names);
    INFO(text);
    CHECK(expressions::parse(text, expressions::Language::value, names) == tree);
  }
}

template <class M>
void circle() {
  INFO(M::name);
  constexpr std::size_t dim = M::dim, count = M::parameters.size();
  std::vector<std::string> names;
  for (const auto& c : M::coordinates) names.emplace_back(c.name);
  for (const auto& c : M::coordinates) names.push_back(std::string(c.name) + "_dot");
  for (const auto& parameter : M::parameters) names.emplace_back(parameter.name);
  names.emplace_back("time");
  const Formulas formulas = formulas_of<M>();
  const std::vector<Tree> lagrangian{formulas.lagrangian};
  std::vector<Tree> domain;
  if (formulas.domain) domain.push_back(*formulas.domain);
  CHECK(domain.size() == (has_domain<M> ? 1 : 0));
  CHECK(static_cast<int>(formulas.constraint.size()) == constraint_count<M>);
  CHECK(static_cast<int>(formulas.rolling.size()) == rolling_count<M>);
  for (const auto& trees : {lagrangian, formulas.constraint, formulas.rolling, domain})
    reads_back(trees, names);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int draw = 0; draw < 20; ++draw) {
    std::array<double, dim> q, v;
    std::array<double, count> p;
    for (double& x : q) x = uniform(random);
    for (double& x : v) x = uniform(random);
    for (std::size_t k = 0; k < count; ++k) p[k] = M::parameters[k].value * (1.5 + uniform(random));
    std::vector<double> values(q.begin(), q.end());
    values.insert(values.end(), v.begin(), v.end());
    values.insert(values.end(), p.begin(), p.end());
    values.push_back(0.0);
    CHECK(bits(evaluated(lagrangian, values)) == bits({lagrangian_at<M>(q, v, p, 0.0)}));
    if constexpr (constraint_count<M> != 0)
      CHECK(bits(evaluated(formulas.constraint, values)) == bits(listed(M{}.constraint(q, p))));
    if constexpr (has_rolling<M>)
      CHECK(bits(evaluated(formulas.rolling, values)) == bits(listed(M{}.rolling(q, v, p))));
    if constexpr (has_domain<M>) CHECK(bits(evaluated(domain, values)) == bits(listed(M{}.domain(q, p))));
  }
}

template <class P>
void circle_of_potential() {
  INFO(P::name);
  std::vector<std::string> names{"s"};
  for (const auto& parameter : P::parameters) names.emplace_back(parameter.name);
  const Tree tree = potential_formula<P>();
  reads_back({tree}, names);
  for (const double s : {0.3, 0.9, 1.1, 2.7}) {
    std::array<double, P::parameters.size()> p;
    std::vector<double> values{s};
    for (std::size_t k = 0; k < p.size(); ++k) values.push_back(p[k] = 1.1 * P::parameters[k].value);
    CHECK(bits(evaluated({tree}, values)) == bits({P{}(s, p)}));
  }
}

/// All of a list of types, which counts them.
struct Circles {
  template <class... M>
  struct Of {
    static std::size_t run() {
      (circle<M>(), ...);
      return sizeof...(M);
    }
  };
};
struct CirclesOfPotentials {
  template <class... P>
  struct Of {
    static std::size_t run() {
      (circle_of_potential<P>(), ...);
      return sizeof...(P);
    }
  };
};

struct Unwritable {
  static constexpr int dim = 1;
  static constexpr std::array<Coordinate, 1> coordinates{{{"x"}}};
  static constexpr std::array<Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v) const {
    using ad::erf, ad::square;
    const auto [x] = q;
    const auto [x_dot] = v;
    return square(x_dot) - erf(x);
  }
};

}  // namespace

TEST_CASE("Each built-in model is its formula: printed, parsed, evaluated") {
  CHECK(AllModels<Circles>::run() >= 26);
}

TEST_CASE("So is each pair potential") {
  CHECK(AllPotentials<CirclesOfPotentials>::run() >= 5);
}

TEST_CASE("What a formula can't say is said") {
  CHECK_THROWS_WITH(formulas_of<Unwritable>(), ContainsSubstring("erf"));
}

TEST_CASE("Recording keeps the order, and shortens what a product of equals is") {
  using expressions::Recorded;
  expressions::Graph graph;
  const auto [x, y] = recorded_names<2>(graph, 0);
  const std::vector<std::string> names{"x", "y"};
  const auto text = [&](const Recorded& f) { return expressions::text(f.tree(), names); };
  CHECK(text(x * x) == "x^2");
  CHECK(text(x * x * x) == "x^3");
  CHECK(text(x * (x * x)) == "x*x^2");  // whose derivatives round differently
  CHECK(text(2 * x + 1.0 / 3 * y) == "2*x + 0.3333333333333333*y");
  CHECK(text(y + (x + 2.0) - 1) == "y + (x + 2) - 1");
  CHECK(text(pow(x, 2.5) * sincos(y).cos) == "x^2.5*cos(y)");
  CHECK(text(pow(x, 4) + pow(2, x) + max(x, 1)) == "(x^2)^2 + 2^x + max(x, 1)");
  CHECK(text(Recorded(2.0) * 3 + 1) == "7");
}
