// All roots in [0, 1] of a polynomial in Bernstein form, by the sign variations of its coefficients and de
// Casteljau's subdivision: no variation, no root; one variation, exactly one. Zero counts as positive.
// Reference: Farouki, The Bernstein polynomial basis: a centennial retrospective (2012), 6.
#pragma once

#include <array>
#include <vector>

#include "integrators/method.hpp"

namespace cotangent::sections {

using Bernstein = std::array<double, integrators::max_degree + 1>;

/// A root: where it is, and whether the polynomial goes from negative to positive there.
struct Root {
  double theta;
  bool rising;
};

struct Roots {
  std::vector<Root> crossings;  ///< in ascending order
  int grazing = 0;              ///< contacts within `touch` of zero without a change of sign
};

/// Finds the roots of the polynomial with these coefficients, degree d. Contacts closer to zero than `touch`
/// that don't change sign, or whose two roots lie closer than round-off can tell, count as grazing.
void find_roots(const Bernstein& coefficients, int d, double touch, Roots& roots);

/// The value, and the derivative, at theta.
double evaluate(const Bernstein& coefficients, int d, double theta);
double slope(const Bernstein& coefficients, int d, double theta);

/// The k-th of max_degree + 1 Chebyshev points on [0, 1], ends included.
double chebyshev_point(int k);
/// From values at these points to Bernstein coefficients of degree max_degree.
std::array<Bernstein, integrators::max_degree + 1> bernstein_from_values();

}  // namespace cotangent::sections
