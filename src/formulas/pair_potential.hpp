// SPDX-License-Identifier: BSD-3-Clause
// A pair potential stated by a formula U(r, p), printed as a struct like those of mechanics/potentials, which
// are functions of s = r^2: even powers of r, and of what is proportional to r or 1/r, become powers of s, so
// that a root is drawn only where the formula needs one. Quotients by what doesn't depend on r, and of it,
// become products: one division serves for the derivative too. The second half is what the printed source
// uses.
#pragma once

#include <memory>
#include <string>

#include "expressions/tree.hpp"
#include "formulas/compiled_files.hpp"
#include "formulas/functions.hpp"
#include "particles/pair_kernel_of.hpp"

namespace cotangent::formulas {

/// The names are counted: r, then as many parameters as there are.
struct PairStatement {
  std::size_t parameters = 0;
  expressions::Tree potential;
};

/// The same function with powers of s, which is a further name behind the parameters, where r isn't needed.
expressions::Tree of_squared_distance(const PairStatement& statement);

/// The C++ source of a shared object that has this potential.
std::string source(const PairStatement& statement);

struct LoadedPotential {
  std::unique_ptr<particles::Potential> potential;
  std::string how;  ///< as Library::how()
};
/// The potential that a statement makes. Collective.
LoadedPotential load(const PairStatement& statement, const CompiledFiles& files = {});

namespace pairs {

/// a^n where the type needn't know the degree: as potentials are written by hand, with fewer operations for
/// the derivative.
template <int n, class R>
[[gnu::always_inline]] inline auto power(const R& a) {
  using ad::pow;
  if constexpr (n < 0) {
    return 1.0 / power<-n>(a);
  } else if constexpr (n == 0) {
    return 1.0;
  } else if constexpr (n == 1) {
    return a;
  } else if constexpr (n % 2 == 0 && n > 2) {
    return pow(power<n / 2>(a), 2);
  } else {
    return pow(a, n);
  }
}

}  // namespace pairs

}  // namespace cotangent::formulas

/// The one symbol that a shared object exports.
#define COTANGENT_FORMULA_POTENTIAL(P)                                                                       \
  extern "C" [[gnu::visibility("default")]] cotangent::particles::Potential* cotangent_formula_potential() { \
    return std::make_unique<cotangent::particles::PotentialOf<P>>().release();                               \
  }
