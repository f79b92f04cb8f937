// SPDX-License-Identifier: BSD-3-Clause
// The name that was probably meant, and the text that says so.
#include "catch.hpp"
#include "core/error.hpp"
#include "core/names.hpp"

using namespace cotangent;

namespace {
const std::vector<std::string> methods = {"gauss", "chebyshev-lobatto", "rk4", "stormer-verlet",
                                          "implicit-midpoint"};
const std::vector<std::string> none;

std::string refusal(const std::string& what, const std::string& name, const std::vector<std::string>& valid,
                    const std::string& where) {
  try {
    unknown_name(what, name, valid, where);
  } catch (const Error& error) {
    CHECK(error.code() == exit_bad_input);
    return error.what();
  }
}
}  // namespace

TEST_CASE("the nearest name survives a slip of each kind") {
  CHECK(nearest("gaus", methods) == "gauss");    // a letter lost
  CHECK(nearest("gausss", methods) == "gauss");  // one too many
  CHECK(nearest("gausz", methods) == "gauss");   // one wrong
  CHECK(nearest("guass", methods) == "gauss");   // two swapped
  CHECK(nearest("GAUSS", methods) == "gauss");   // capitals
  CHECK(nearest("stormer_verlet", methods) == "stormer-verlet");
  CHECK(nearest("chebyshev", methods) == "chebyshev-lobatto");  // cut short
  CHECK(nearest("rk8", methods) == "rk4");
  CHECK(nearest("", methods) == "rk4");  // the shortest
  CHECK(nearest("gauss", none).empty());
}

TEST_CASE("capitals and dashes weigh less than letters, and the first of equals wins") {
  const std::vector<std::string> names = {"q2", "Q1", "q1"};
  CHECK(nearest("q1", names) == "q1");
  CHECK(nearest("q3", names) == "q2");
  const std::vector<std::string> parameters = {"p-q2", "p_q1"};
  CHECK(nearest("p_q2", parameters) == "p-q2");
}

TEST_CASE("the refusal names what, where, the nearest and all valid names") {
  CHECK(refusal("method", "gaus", methods, "in [method] name (deck.toml:3)") ==
        "unknown method 'gaus' in [method] name (deck.toml:3); did you mean 'gauss'? "
        "Valid: gauss, chebyshev-lobatto, rk4, stormer-verlet, implicit-midpoint");
}

TEST_CASE("nothing is suggested where nothing is near") {
  CHECK(refusal("method", "leapfrog", {"gauss", "rk4"}, "") ==
        "unknown method 'leapfrog'; valid: gauss, rk4");
  CHECK(refusal("model", "x", {"y"}, "") == "unknown model 'x'; valid: y");
  CHECK(refusal("model", "kepler", none, "after --describe") == "unknown model 'kepler' after --describe");
}
