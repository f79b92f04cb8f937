// SPDX-License-Identifier: BSD-3-Clause
#include "sections/bernstein_roots.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/polynomials.hpp"

namespace cotangent::sections {

namespace {

constexpr double narrow = 0x1p-26;  // below this, two roots can't be told apart from a contact

bool turns(const Bernstein& c, int d) {
  int count = 0;
  for (int k = 0; k + 2 <= d; ++k) count += (c[k + 1] - c[k] < 0) != (c[k + 2] - c[k + 1] < 0);
  return count > 0;
}

void search(const Bernstein& c, int d, double touch, double low, double width, Roots& roots) {
  const int variations = static_cast<int>(sign_variations(c.data(), d));
  if (variations == 1) {
    roots.crossings.push_back({low + width * only_root(c.data(), d, true), c[0] < 0});
    return;
  }
  if (variations == 0) {
    const double nearest = std::abs(*std::min_element(
        c.begin(), c.begin() + d + 1, [](double a, double b) { return std::abs(a) < std::abs(b); }));
    if (nearest > touch || !turns(c, d)) return;
    if (width < 1e-3) {  // all but a parabola, touched at its vertex
      const double falls = c[0] - c[1], rises = c[d] - c[d - 1], share = falls / (falls + rises);
      const double vertex = share >= 0 && share <= 1 ? share : 0.5;
      if (width < narrow || std::abs(evaluate(c, d, vertex)) <= touch) {
        roots.contacts.push_back(low + width * vertex);
        return;
      }
    }
  } else if (width < narrow) {
    if (variations % 2 == 0) {
      roots.contacts.push_back(low + 0.5 * width);
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

/// Two crossings between which the polynomial stays within `touch` are a contact, and two contacts one. None
/// is where it crosses as flat as that.
void join_contacts(const Bernstein& coefficients, int d, double touch, Roots& roots) {
  const auto near = [&](double theta) { return std::abs(evaluate(coefficients, d, theta)) <= touch; };
  auto& crossings = roots.crossings;
  std::size_t kept = 0;
  for (const Root root : crossings) {
    const double middle = kept > 0 ? 0.5 * (crossings[kept - 1].theta + root.theta) : 0.0;
    if (kept > 0 && near(middle)) {
      roots.contacts.push_back(middle);
      --kept;
    } else {
      crossings[kept++] = root;
    }
  }
  crossings.resize(kept);
  auto& contacts = roots.contacts;
  std::sort(contacts.begin(), contacts.end());
  const auto same = [&](double one, double other) { return near(0.5 * (one + other)); };
  contacts.erase(std::unique(contacts.begin(), contacts.end(), same), contacts.end());
  std::erase_if(contacts, [&](double contact) {
    return std::any_of(crossings.begin(), crossings.end(),
                       [&](const Root& root) { return same(contact, root.theta); });
  });
}

/// Contacts where steps meet, whatever was found of them on this side, are those of the steps that end there.
void settle_ends(const Bernstein& c, int d, double touch, Roots& roots) {
  const double begin = reach_of_contact(c.data(), d, 1, touch),
               end = reach_of_contact(c.data() + d, d, -1, touch);
  const auto there = [&](double theta) {
    return (begin > 0 && theta <= begin) || (end > 0 && theta >= 1 - end);
  };
  std::erase_if(roots.crossings, [&](const Root& root) { return there(root.theta); });
  std::erase_if(roots.contacts, there);
  if (end > 0) roots.contacts.push_back(1.0);
}

}  // namespace

void find_roots(const Bernstein& coefficients, int d, double touch, bool smooth, Roots& roots) {
  roots.crossings.clear();
  roots.contacts.clear();
  // Zeros at the ends are divided out. Zero counts as positive: of those of odd order a fall from it is a
  // crossing, and a rise to it.
  Bernstein c = coefficients;
  int left = d, at_begin = 0, at_end = 0;
  for (; left > 0 && c[0] == 0; ++at_begin, --left) {
    for (int k = 0; k < left; ++k) c[k] = c[k + 1] * left / (k + 1);
  }
  for (; left > 0 && c[left] == 0; ++at_end, --left) {
    for (int k = 0; k < left; ++k) c[k] = c[k] * left / (left - k);
  }
  if (at_begin % 2 == 1 && c[0] < 0) roots.crossings.push_back({0.0, false});
  search(c, left, touch, 0.0, 1.0, roots);
  if (at_end % 2 == 1 && c[left] < 0) roots.crossings.push_back({1.0, true});
  if (at_end > 0 && at_end % 2 == 0) roots.contacts.push_back(1.0);
  join_contacts(coefficients, d, touch, roots);
  if (smooth) settle_ends(coefficients, d, touch, roots);
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
  static const auto points = [] {
    std::vector<double> result;
    for (const numerics::Extended& node : numerics::chebyshev_lobatto_nodes(integrators::max_degree))
      result.push_back(static_cast<double>((1 + node) / 2));
    return result;
  }();
  return points[k];
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
