// SPDX-License-Identifier: BSD-3-Clause
#include "studies/billiard/hard_spheres/records.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "parallel/mpi.hpp"

namespace cotangent::studies {

std::vector<io::DataSetSpec> hard_sphere_data_sets(const HardSpheresPlan& plan) {
  using io::DataType;
  const std::int64_t s = plan.count();
  std::vector<std::string> axes{"x", "y", "z"}, statuses;
  axes.resize(static_cast<std::size_t>(plan.dimension));
  for (const auto name : status_names) statuses.emplace_back(name);
  const auto vectors = [&](const char* path) {
    return io::DataSetSpec{path, DataType::float64, {s, plan.size(), plan.dimension},
                           "1",  "at the end",      {{"columns", axes}},
                           true};
  };
  return {{"/systems/packing", DataType::float64, {s}, "1", "area or volume taken"},
          {"/systems/compressibility",
           DataType::float64,
           {s},
           "1",
           "P A / (N T), from the virial after the warm-up"},
          {"/systems/collisions", DataType::int64, {s}, "1", "of pairs, from the beginning"},
          vectors("/systems/position"),
          vectors("/systems/velocity"),
          {"/orbits/energy_error", DataType::float64, {s}, "1", "|E - E0| / E0 at the end"},
          {"/orbits/status", DataType::int32, {s}, "1", "how the system ended", {{"names", statuses}}}};
}

HardSpheresDone hard_spheres_done(const run::Records& records, const HardSpheresPlan& plan) {
  const auto share = run::Share::even(plan.count());
  const auto column = [&]<class Number>(const char* path, Number) {
    return records.read_rows<Number>(path, share.first, share.count);
  };
  const auto status = column("/orbits/status", std::int32_t{});
  const auto collisions = column("/systems/collisions", std::int64_t{});
  const auto error = column("/orbits/energy_error", 0.0);
  HardSpheresDone done;
  for (std::size_t k = 0; k < status.size(); ++k) {
    if (status[k] == 0) continue;
    done.collisions += collisions[k];
    done.energy_error = std::max(done.energy_error, error[k]);
  }
  done.earlier = done.collisions;
  return done;
}

bool is_done(const run::Records& records, std::int64_t system) {
  return records.read_rows<std::int32_t>("/orbits/status", system, 1).front() != 0;
}

std::vector<run::Line> hard_spheres_summary(const HardSpheresPlan& plan, const HardSpheresDone& done,
                                            double seconds) {
  const std::int64_t all = parallel::sum(done.collisions), here = all - parallel::sum(done.earlier);
  return {{"systems", fmt::format("{} of {} particles", plan.count(), plan.size())},
          {"collisions", fmt::format("{}, {:.3g} a second", all, static_cast<double>(here) / seconds)},
          {"energy error", fmt::format("{:.3g} at worst, relative", parallel::maximum(done.energy_error))}};
}

template <int D>
void enter(run::Records& records, const HardSpheresPlan& plan, std::int64_t system,
           const billiards::HardSpheres<D>& spheres, const HardSphereReference& reference,
           HardSpheresDone& done) {
  const double error = std::abs(spheres.energy() / reference.energy - 1), packing = plan.packing_of(system);
  const double z =
      1 + (spheres.virial() - reference.virial) / (2 * spheres.energy() * (plan.time - plan.warm_up));
  const std::int64_t hits = spheres.collisions();
  std::vector<double> x, v;
  for (std::int64_t i = 0; i < spheres.size(); ++i) {
    const auto place = spheres.position(i), speed = spheres.velocity(i);
    x.insert(x.end(), place.begin(), place.end());
    v.insert(v.end(), speed.begin(), speed.end());
  }
  records.rows("/systems/packing", system, 1, &packing);
  records.rows("/systems/compressibility", system, 1, &z);
  records.rows("/systems/collisions", system, 1, &hits);
  records.rows("/systems/position", system, 1, x.data());
  records.rows("/systems/velocity", system, 1, v.data());
  records.rows("/orbits/energy_error", system, 1, &error);
  const auto finished = static_cast<std::int32_t>(Status::finished);
  records.rows("/orbits/status", system, 1, &finished, io::Turn::last);
  done.energy_error = std::max(done.energy_error, error);
  done.collisions += hits;
}

template void enter(run::Records&, const HardSpheresPlan&, std::int64_t, const billiards::HardSpheres<2>&,
                    const HardSphereReference&, HardSpheresDone&);
template void enter(run::Records&, const HardSpheresPlan&, std::int64_t, const billiards::HardSpheres<3>&,
                    const HardSphereReference&, HardSpheresDone&);

}  // namespace cotangent::studies
