// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/method.hpp"

#include <cmath>

#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {
Status advance_in_parts(Method& method, double h, int depth) {
  const Status status = method.attempt(h);
  if (status == Status::pending || status == Status::singular_mass_matrix || depth == most_halvings)
    return status;
  ++method.effort().halved;
  const Status first = advance_in_parts(method, h / 2, depth + 1);
  return first == Status::pending ? advance_in_parts(method, h / 2, depth + 1) : first;
}
}  // namespace

Status advance(Method& method, double h) {
  return advance_in_parts(method, h, 0);
}

std::vector<double*> components(SiteField& field) {
  return components({&field});
}
std::vector<const double*> components(const SiteField& field) {
  std::vector<const double*> result;
  for (int c = 0; c < field.components(); ++c) result.push_back(field[c]);
  return result;
}
std::vector<double*> components(std::initializer_list<SiteField*> fields) {
  std::vector<double*> result;
  for (SiteField* field : fields) {
    for (int c = 0; c < field->components(); ++c) result.push_back((*field)[c]);
  }
  return result;
}

SiteField inverse_masses(const Lattice& lattice, Kernel& kernel, const SiteField& at, std::int64_t left,
                         std::int64_t right) {
  SiteField result(lattice.dim, left, lattice.own(), right);
  const auto into = components(result);
  kernel.masses(components(at).data(), into.data());
  parallel::agree([&] {
    for (std::int64_t i = 0; i < lattice.own(); ++i) {
      for (int c = 0; c < lattice.dim; ++c) {
        double& mass = into[static_cast<std::size_t>(c)][i];
        const bool held = lattice.held[static_cast<std::size_t>(i)] != 0;
        if (!held && !(std::abs(mass) > 0 && std::isfinite(mass)))
          throw Error("singular mass matrix: site " + std::to_string(lattice.here.range.first + i) +
                      " has mass " + std::to_string(mass) + " in its coordinate " + std::to_string(c + 1));
        mass = held ? 0.0 : 1.0 / mass;
      }
    }
  });
  return result;
}

}  // namespace cotangent::lattice
