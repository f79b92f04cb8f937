// SPDX-License-Identifier: BSD-3-Clause
// Roots in Bernstein form: polynomials made of known roots, clusters, ends, contacts; one lane like another.
#include <algorithm>
#include <cmath>
#include <random>

#include "catch.hpp"
#include "numerics/lanes.hpp"
#include "sections/bernstein_roots.hpp"

using namespace cotangent;
using namespace cotangent::sections;

namespace {

struct Polynomial {
  Bernstein c{1.0};
  int d = 0;

  /// Multiplied by a + b theta.
  Polynomial times(double a, double b) const {
    Polynomial p{{}, d + 1};
    for (int k = 0; k <= d + 1; ++k) {
      const double share = static_cast<double>(k) / (d + 1);
      if (k <= d) p.c[k] += (1 - share) * a * c[k];
      if (k > 0) p.c[k] += share * (a + b) * c[k - 1];
    }
    return p;
  }
  Polynomial root(double r) const { return times(-r, 1.0); }
  /// Multiplied by (theta - a)^2 + b^2.
  Polynomial pair(double a, double b) const {
    Polynomial p = root(a).root(a), lift = times(1.0, 0.0).times(1.0, 0.0);
    for (int k = 0; k <= p.d; ++k) p.c[k] += b * b * lift.c[k];
    return p;
  }
  Polynomial plus(double a) const {
    Polynomial p = *this;
    for (int k = 0; k <= d; ++k) p.c[k] += a;
    return p;
  }
};

Roots roots_of(const Polynomial& p, double touch = 1e-15) {
  Roots roots;
  find_roots(p.c, p.d, touch, true, roots);
  return roots;
}

}  // namespace

TEST_CASE("Roots of random polynomials are found where they are, in order, with their directions") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> known(1 + trial % 5);
    for (double& r : known) r = uniform(random);
    std::sort(known.begin(), known.end());
    bool apart = true;
    for (std::size_t k = 1; k < known.size(); ++k) apart = apart && known[k] - known[k - 1] > 0.02;
    if (!apart) continue;
    Polynomial p = Polynomial{}.times(1.5 + uniform(random), 0.3).pair(uniform(random), 0.3);
    for (const double r : known) p = p.root(r);
    const Roots roots = roots_of(p.times(-1.2, 0.1).times(2.0, -1.5));
    REQUIRE(roots.crossings.size() == known.size());
    CHECK(roots.contacts.empty());
    for (std::size_t k = 0; k < known.size(); ++k) {
      CHECK(std::abs(roots.crossings[k].theta - known[k]) < 1e-10);
      // The polynomial's leading sign is negative, so the last root falls.
      CHECK(roots.crossings[k].rising == ((known.size() - k) % 2 == 0));
    }
  }
}

TEST_CASE("A single root is located to round-off, in lanes to the same bits as alone") {
  using R = numerics::Lanes<8>;
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 500; ++trial) {
    std::array<R, 11> c;
    std::array<Polynomial, 8> p;
    std::array<double, 8> known;
    for (int i = 0; i < 8; ++i) {
      known[i] = i == 0 ? std::pow(2.0, -1 - trial % 60) : uniform(random);
      p[i] = Polynomial{}.times(1.0 + uniform(random), 0.4).times(3.0, -1.0 - uniform(random));
      while (p[i].d < 9) p[i] = p[i].times(1.0, 0.2 * uniform(random));
      p[i] = p[i].root(known[i]);
      for (int k = 0; k <= 10; ++k) numerics::set_lane(c[k], i, p[i].c[k]);
    }
    const R together = only_root(c.data(), 10, numerics::Mask<8>(true));
    for (int i = 0; i < 8; ++i) {
      REQUIRE(sign_variations(p[i].c.data(), 10) == 1.0);
      CHECK(std::abs(together[i] - known[i]) < 4e-16);
      CHECK(together[i] == only_root(p[i].c.data(), 10, true));
      numerics::Mask<8> one(false);
      one.set(i, true);
      CHECK(only_root(c.data(), 10, one)[i] == together[i]);
    }
  }
}

TEST_CASE("Close roots are told apart as far as round-off allows") {
  for (const double gap : {1e-2, 1e-3, 1e-4, 1e-6}) {
    const Roots two = roots_of(Polynomial{}.times(1.0, 0.5).root(0.3).root(0.3 + gap), 1e-17);
    REQUIRE(two.crossings.size() == 2);
    CHECK(std::abs(two.crossings[0].theta - 0.3) < 1e-15 / gap + 1e-14);
    CHECK(std::abs(two.crossings[1].theta - 0.3 - gap) < 1e-15 / gap + 1e-14);
    CHECK(!two.crossings[0].rising);
    CHECK(two.crossings[1].rising);
  }
  const Roots three = roots_of(Polynomial{}.root(0.5 - 1e-3).root(0.5).root(0.5 + 1e-3), 1e-17);
  REQUIRE(three.crossings.size() == 3);
  for (int k = 0; k < 3; ++k) CHECK(std::abs(three.crossings[k].theta - (0.499 + 1e-3 * k)) < 1e-9);
  // A triple root changes sign: whatever round-off makes of it, a net rise remains.
  const Roots triple = roots_of(Polynomial{}.root(0.4).root(0.4).root(0.4));
  int net = 0;
  for (const Root& root : triple.crossings) {
    net += root.rising ? 1 : -1;
    CHECK(std::abs(root.theta - 0.4) < 1e-4);
  }
  CHECK(net == 1);
}

TEST_CASE("A root at an end belongs to one of the two steps that meet there") {
  // Zero counts as positive: a rise to zero ends in the first step, a fall from zero begins in the second.
  const Polynomial rising{{-1.0, -0.5, 0.0}, 2}, from_zero{{0.0, 0.5, 1.0}, 2};
  REQUIRE(roots_of(rising).crossings.size() == 1);
  CHECK(roots_of(rising).crossings[0].theta == 1.0);
  CHECK(roots_of(rising).crossings[0].rising);
  CHECK(roots_of(from_zero).crossings.empty());
  const Polynomial falling{{1.0, 0.5, 0.0}, 2}, below_zero{{0.0, -0.5, -1.0}, 2};
  CHECK(roots_of(falling).crossings.empty());
  REQUIRE(roots_of(below_zero).crossings.size() == 1);
  CHECK(roots_of(below_zero).crossings[0].theta == 0.0);
  CHECK(!roots_of(below_zero).crossings[0].rising);
}

TEST_CASE("A zero of any order at an end doesn't hide what leaves it") {
  const auto root = [](const Bernstein& c, int d, bool rising) {
    const Roots roots = roots_of({c, d});
    REQUIRE(roots.crossings.size() == 1);
    CHECK(roots.crossings[0].rising == rising);
    CHECK(only_root(c.data(), d, true) == within(roots.crossings[0].theta, 1e-15));
    return roots.crossings[0].theta;
  };
  const double third = 1.0 / 3;
  CHECK(root({0.0, 0.0, third, -3.0}, 3, false) == within(0.25, 1e-15));  // x^2 (1 - 4 x)
  CHECK(root({-3.0, third, 0.0, 0.0}, 3, true) == within(0.75, 1e-15));
  CHECK(root({0.0, 0.0, 0.0, 0.25, -3.0}, 4, false) == within(0.25, 1e-15));
  CHECK(root({0.0, 0.0, 0.0, -1.0}, 3, false) == 0.0);
  CHECK(root({-1.0, 0.0, 0.0, 0.0}, 3, true) == 1.0);
  // A contact is that of the step that ends there, from above and from below.
  for (const double side : {1.0, -1.0}) {
    const Roots ends = roots_of({{side, 0.0, 0.0}, 2}), begins = roots_of({{0.0, 0.0, side}, 2});
    CHECK(ends.contacts == std::vector{1.0});
    CHECK(begins.contacts.empty());
    CHECK(ends.crossings.empty());
    CHECK(begins.crossings.empty());
  }
}

TEST_CASE("Contacts are counted, neither lost nor taken for crossings") {
  const Polynomial contact = Polynomial{}.times(1.0, 0.5).root(0.4).root(0.4);
  for (const double lift : {0.0, 1e-16, 3e-15, -1e-16, -3e-15}) {
    const Roots roots = roots_of(contact.plus(lift), 1e-14);
    REQUIRE(roots.contacts.size() == 1);
    CHECK(std::abs(roots.contacts[0] - 0.4) < 1e-6);
    CHECK(roots.crossings.empty());
  }
  CHECK(roots_of(contact.plus(1e-8), 1e-14).contacts.empty());
  CHECK(roots_of(contact.plus(1e-8), 1e-14).crossings.empty());
  CHECK(roots_of(contact.plus(-1e-8), 1e-14).contacts.empty());
  CHECK(roots_of(contact.plus(-1e-8), 1e-14).crossings.size() == 2);
}

TEST_CASE("What passes by is no contact, nor is a flat crossing") {
  Polynomial flat = Polynomial{}.root(0.437).root(0.437), cube = flat.root(0.437);
  while (flat.d < 12) flat = flat.times(1.0, 0.1);
  int found = 0;
  for (double lift = 2e-14; lift < 1e-9; lift *= 1.01)
    found += static_cast<int>(roots_of(flat.plus(lift), 1e-14).contacts.size());
  CHECK(found == 0);
  for (const double lift : {-1e-15, 0.0, 1e-15}) {
    const Roots roots = roots_of(cube.plus(lift), 1e-14);
    CHECK(roots.crossings.size() == 1);
    CHECK(roots.contacts.empty());
  }
}

TEST_CASE("A contact where two steps meet is one, on whichever side and in however many parts it is found") {
  // (theta - 1 - shift)^2 + lift, cut at 1, and times a factor.
  int ends = 0;
  for (const double lift : {0.0, 3e-15, -3e-15, 1e-8, -1e-8}) {
    const bool touches = std::abs(lift) < 1e-14;
    for (const double shift : {0.0, 1e-12, -1e-12, 3e-8, -3e-8, 1e-3, -1e-3}) {
      INFO("lift " << lift << ", shift " << shift);
      std::size_t contacts = 0, crossings = 0;
      for (const double begin : {1.0, 0.0}) {
        const Polynomial square = Polynomial{}.root(begin + shift).root(begin + shift).plus(lift);
        const Roots roots = roots_of(square.times(1.0 + (1.0 - begin), 1.0), 1e-14);
        contacts += roots.contacts.size();
        crossings += roots.crossings.size();
        ends += std::count(roots.contacts.begin(), roots.contacts.end(), 1.0);
      }
      CHECK(contacts == (touches ? 1 : 0));
      CHECK(crossings == (lift == -1e-8 ? 2 : 0));
    }
  }
  CHECK(ends == 15);
  // What crosses there, however flat, is no contact.
  const Polynomial cube{{-1.0, 0.0, 0.0, 0.0}, 3}, beyond{{0.0, 0.0, 0.0, 1.0}, 3};
  for (const double lift : {1e-15, 0.0, -1e-15}) {
    CHECK(roots_of(cube.plus(lift), 1e-14).crossings.size() +
              roots_of(beyond.plus(lift), 1e-14).crossings.size() ==
          1);
  }
}

TEST_CASE("Values, slopes and interpolation agree with closed forms") {
  const Polynomial p = Polynomial{}.root(0.2).root(0.7).times(1.0, 2.0);
  const auto exact = [](double x) { return (x - 0.2) * (x - 0.7) * (1 + 2 * x); };
  for (const double x : {0.0, 0.13, 0.5, 0.99, 1.0}) {
    CHECK(evaluate(p.c, p.d, x) == within(exact(x), 1e-15));
    const double h = 1e-6, central = (exact(x + h) - exact(x - h)) / (2 * h);
    CHECK(slope(p.c, p.d, x) == within(central, 1e-9));
  }
  const auto matrix = bernstein_from_values();
  Bernstein c{};
  for (int i = 0; i <= integrators::max_degree; ++i) {
    for (int k = 0; k <= integrators::max_degree; ++k)
      c[i] += matrix[i][k] * std::sin(3 * chebyshev_point(k));
  }
  for (const double x : {0.05, 0.4, 0.77}) {
    CHECK(evaluate(c, integrators::max_degree, x) == within(std::sin(3 * x), 1e-11));
  }
}
