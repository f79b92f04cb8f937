// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/sparse_system.hpp"

namespace cotangent::lattice {

SparseSystem::SparseSystem(const Lattice& lattice, const Pattern& pattern, bool complex, const char* prefix,
                           BlockSystem::Solver solver, const SparseSystem* like)
    : lattice_(&lattice),
      complex_(complex),
      system_(lattice, pattern, lattice.dim * (complex ? 2 : 1), prefix, solver,
              like != nullptr ? &like->system_ : nullptr) {}

void SparseSystem::fill(const SecondDerivatives& derivatives, std::complex<double> first,
                        std::complex<double> second) {
  const int dim = lattice_->dim, parts = complex_ ? 2 : 1, width = dim * parts;
  const bool whole = first != 0.0 || second != 0.0;
  system_.fill([&](std::int64_t site, std::int64_t block, std::span<const std::int64_t> places,
                   std::span<double> values) {
    const bool held = lattice_->held[static_cast<std::size_t>(site)] != 0;
    const int length = static_cast<int>(std::ssize(places)) * width;
    const auto at = [&](int i, int j) -> double& { return values[static_cast<std::size_t>(i * length + j)]; };
    auto entry = static_cast<std::size_t>(block * dim * dim);
    for (int k = 0; k < std::ssize(places); ++k) {
      const bool own = places[static_cast<std::size_t>(k)] == site;
      for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j, ++entry) {
          std::complex<double> value = derivatives.mass[entry];
          if (whole) value += first * derivatives.gyration[entry] + second * derivatives.force[entry];
          if (held) value = own && i == j ? 1.0 : 0.0;
          const int r = i * parts, c = k * width + j * parts;
          at(r, c) = value.real();
          if (parts == 1) continue;
          at(r + 1, c + 1) = value.real();
          at(r + 1, c) = value.imag();
          at(r, c + 1) = -value.imag();
        }
      }
    }
  });
}

}  // namespace cotangent::lattice
