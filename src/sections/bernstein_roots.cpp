#include "sections/bernstein_roots.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numerics/polynomials.hpp"

namespace cotangent::sections {

namespace {

constexpr double narrow = 0x1p-26;  // below this, two roots can't be told apart from a contact

int sign_variations(const Bernstein& c, int d) {
  int count = 0;
  for (int k = 0; k < d; ++k) count += (c[k] < 0) != (c[k + 1] < 0);
  return count;
}

bool turns(const Bernstein& c, int d) {
  int count = 0;
  for (int k = 0; k + 2 <= d; ++k) count += (c[k + 1] - c[k] < 0) != (c[k + 2] - c[k + 1] < 0);
  return count > 0;
}

/// Binomial coefficients C(d, k).
constexpr auto binomials = [] {
  std::array<Bernstein, integrators::max_degree + 1> c{};
  for (int d = 0; d <= integrators::max_degree; ++d) {
    c[d][0] = 1;
    for (int k = 1; k <= d; ++k) c[d][k] = c[d][k - 1] * (d - k + 1) / k;
  }
  return c;
}();

/// The one root inside. With u = theta / (1 - theta) the polynomial is (1 - theta)^d sum_k C(d, k) c_k u^k:
/// on the half where u <= 1 (the other one is mirrored) Newton's method by Horner's rule, kept in a shrinking
/// bracket.
double polish(const Bernstein& c, int d) {
  Bernstein a;
  double middle = 0;
  for (int k = 0; k <= d; ++k) {
    a[k] = binomials[d][k] * c[k];
    middle += a[k];
  }
  const bool rising = c[0] < 0;
  const bool mirrored = (middle < 0) == rising;  // the root lies beyond the middle
  if (mirrored) std::reverse(a.begin(), a.begin() + d + 1);
  const double near = mirrored ? c[d] : c[0];
  const double scaled_middle = middle / static_cast<double>(1 << d);
  double low = 0, high = 1;  // the root of sum a_k u^k; near end at u = 0, the middle at u = 1
  double theta = 0.5 * near / (near - scaled_middle);
  double u = near == 0 ? 0.0 : std::clamp(theta / (1 - theta), 0.0, 1.0);
  for (int iteration = 0; iteration < 60; ++iteration) {
    double value = a[d], slope = 0;
    for (int k = d - 1; k >= 0; --k) {
      slope = std::fma(slope, u, value);
      value = std::fma(value, u, a[k]);
    }
    if (value == 0) break;
    ((value < 0) == (near < 0) ? low : high) = u;
    double next = u - value / slope;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const double change = std::abs(next - u);
    u = next;
    if (change <= 0x1p-30) break;  // quadratic: what is left is below round-off
  }
  theta = u / (1 + u);
  return mirrored ? 1 - theta : theta;
}

void search(const Bernstein& c, int d, double touch, double low, double width, Roots& roots) {
  const int variations = sign_variations(c, d);
  if (variations == 1) {
    roots.crossings.push_back({low + width * polish(c, d), c[0] < 0});
    return;
  }
  if (variations == 0) {
    const double nearest = std::abs(*std::min_element(
        c.begin(), c.begin() + d + 1, [](double a, double b) { return std::abs(a) < std::abs(b); }));
    if (nearest > touch || !turns(c, d)) return;
    if (width < 1e-3) {
      ++roots.grazing;
      return;
    }
  } else if (width < narrow) {
    if (variations % 2 == 0) {
      ++roots.grazing;
    } else {
      roots.crossings.push_back({low + 0.5 * width, c[0] < 0});
    }
    return;
  }
  Bernstein left = c, right = c;
  for (int level = d; level > 0; --level) {
    left[d - level] = right[0];
    for (int k = 0; k < level; ++k) right[k] = 0.5 * (right[k] + right[k + 1]);
  }
  left[d] = right[0];
  search(left, d, touch, low, 0.5 * width, roots);
  search(right, d, touch, low + 0.5 * width, 0.5 * width, roots);
}

}  // namespace

void find_roots(const Bernstein& coefficients, int d, double touch, Roots& roots) {
  roots.crossings.clear();
  roots.grazing = 0;
  search(coefficients, d, touch, 0.0, 1.0, roots);
}

double evaluate(const Bernstein& coefficients, int d, double theta) {
  Bernstein b = coefficients;
  for (int level = d; level > 0; --level) {
    for (int k = 0; k < level; ++k) b[k] = std::fma(theta, b[k + 1] - b[k], b[k]);
  }
  return b[0];
}

double slope(const Bernstein& coefficients, int d, double theta) {
  Bernstein differences{};
  for (int k = 0; k < d; ++k) differences[k] = d * (coefficients[k + 1] - coefficients[k]);
  return evaluate(differences, d - 1, theta);
}

double chebyshev_point(int k) {
  return 0.5 * (1.0 - std::cos(std::numbers::pi * k / integrators::max_degree));
}

std::array<Bernstein, integrators::max_degree + 1> bernstein_from_values() {
  constexpr int d = integrators::max_degree;
  std::vector<numerics::Extended> nodes;
  for (int k = 0; k <= d; ++k) nodes.push_back(chebyshev_point(k));
  const auto m = numerics::bernstein_of_integral(nodes, 0, d);
  std::array<Bernstein, d + 1> result{};
  for (int i = 0; i <= d; ++i) {
    for (int k = 0; k <= d; ++k) result[i][k] = static_cast<double>(m(i, k));
  }
  return result;
}

}  // namespace cotangent::sections
