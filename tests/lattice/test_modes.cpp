// SPDX-License-Identifier: BSD-3-Clause
// Modes of small oscillations: orthonormal, as many as a chain has, and each moves as an oscillator of its
// own.
#include <algorithm>
#include <cmath>

#include "lattice/modes.hpp"
#include "mpi_test.hpp"

using namespace cotangent::lattice;

TEST_CASE("modes are orthonormal and oscillate each by itself", "[one-rank]") {
  const LinearChain linear{1.5, 0.25};
  for (const std::int64_t n : {2, 3, 8, 9}) {
    for (const Boundary ends : {Boundary::periodic, Boundary::free, Boundary::fixed}) {
      const Modes modes(Grid{n, 1, ends, ends}, linear);
      struct Shape {
        std::int64_t k;
        std::vector<double> q;
      };
      std::vector<Shape> shapes;
      for (std::int64_t k = 1; k <= modes.count(); ++k) {
        const bool two = modes.pairs() && 2 * k != n;  // the shortest wave is alone
        for (int half = 0; half < (two ? 2 : 1); ++half) {
          shapes.push_back({k, {}});
          for (std::int64_t site = 0; site < n; ++site)
            shapes.back().q.push_back(modes.shape(k, site, half == 1));
        }
      }
      INFO(n << " sites, ends " << static_cast<int>(ends));
      CHECK(std::ssize(shapes) == (ends == Boundary::fixed ? n - 2 : n - 1));  // but for what moves as one
      for (const Shape& shape : shapes) {
        const std::vector<double>& q = shape.q;
        for (const Shape& other : shapes) {
          double product = 0;
          for (std::size_t i = 0; i < q.size(); ++i) product += q[i] * other.q[i];
          CHECK(std::abs(product - (&shape == &other ? 1.0 : 0.0)) < 1e-14);
        }
        const auto at = [&](std::int64_t i) {
          if (ends == Boundary::periodic) return q[static_cast<std::size_t>((i + n) % n)];
          return q[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, n - 1))];  // no force from beyond
        };
        for (std::int64_t i = ends == Boundary::fixed ? 1 : 0; i < (ends == Boundary::fixed ? n - 1 : n);
             ++i) {
          const double force =
              linear.stiffness * (at(i + 1) - 2 * at(i) + at(i - 1)) - linear.on_site * at(i);
          CHECK(std::abs(force + modes.squared_frequency(shape.k) * at(i)) < 1e-14);
        }
      }
    }
  }
}
