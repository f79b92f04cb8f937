// What a result of study = "particles" holds, and the momenta among it.
#pragma once

#include <array>

#include "io/result_file.hpp"
#include "studies/particle_plan.hpp"

namespace cotangent::studies {

/// The translation, or rotation, that belongs to a momentum: Px, Py, Pz, Lx, Ly, Lz.
std::array<double, 3> displacement(std::size_t momentum, const mechanics::SpacePoint& q);

/// The data sets of a plan; those of momenta name the ones that the surface's symmetry keeps.
std::vector<io::DataSetSpec> particle_data_sets(const ParticlePlan& plan,
                                                const mechanics::Triangulation& surface);

}  // namespace cotangent::studies
