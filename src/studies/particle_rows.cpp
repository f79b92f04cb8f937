#include "studies/particle_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/names.hpp"
#include "parallel/exchange.hpp"
#include "studies/surface.hpp"

namespace cotangent::studies {

namespace {

constexpr std::array<const char*, 6> momentum_names{"Px", "Py", "Pz", "Lx", "Ly", "Lz"};

/// The translation, or rotation, that belongs to a momentum.
std::array<double, 3> displacement(std::size_t momentum, const mechanics::SpacePoint& q) {
  std::array<double, 3> d{};
  const std::size_t n = momentum % 3;
  if (momentum < 3) {
    d[n] = 1;
  } else {
    d[(n + 1) % 3] = -q[(n + 2) % 3];
    d[(n + 2) % 3] = q[(n + 1) % 3];
  }
  return d;
}

/// Names of the momenta that the surface and the outer forces leave alone.
std::vector<std::string> conserved(const ParticlePlan& plan, const mechanics::Triangulation& surface) {
  std::vector<std::string> names;
  const auto& periods = plan.options.periods;
  for (std::size_t k = 0; k < 6; ++k) {
    const bool turned = k >= 3 && (periods[(k + 1) % 3] > 0 || periods[(k + 2) % 3] > 0);
    bool kept = !turned;
    const std::size_t stride = std::max<std::size_t>(1, surface.vertices.size() / 500);
    for (std::size_t i = 0; i < surface.vertices.size() && kept; i += stride) {
      const auto& q = surface.vertices[i];
      const auto way = displacement(k, q);
      const auto force = plan.problem->potential(q, plan.parameters).gradient;
      double size = 0, across = 0, along_force = 0, strength = 0;
      for (std::size_t n = 0; n < 3; ++n) {
        size += way[n] * way[n];
        across += way[n] * surface.normals[i][n];
        along_force += way[n] * force[n];
        strength += force[n] * force[n];
      }
      kept = std::abs(across) <= 1e-9 * std::sqrt(size) &&
             std::abs(along_force) <= 1e-9 * std::sqrt(size * strength);
    }
    if (kept && !plan.options.bath) names.emplace_back(momentum_names[k]);
  }
  return names;
}

}  // namespace

ParticleTotals totals(const particles::Swarm& swarm, double mass) {
  const auto& cloud = swarm.cloud();
  std::vector<double> kinetic, potential;
  swarm.energies(kinetic, potential);
  std::vector<parallel::Numbers> columns;
  const auto add = [&](auto number) {
    columns.push_back(parallel::Numbers::each(static_cast<std::size_t>(cloud.own), number));
  };
  add([&](std::size_t i) { return kinetic[i]; });
  add([&](std::size_t i) { return potential[i]; });
  add([&](std::size_t i) {
    double squared = 0;
    for (std::size_t n = 0; n < 3; ++n) {
      const double way = cloud.position[4 * i + n] - cloud.start[n][i];
      squared += way * way;
    }
    return squared;
  });
  for (std::size_t k = 0; k < 6; ++k) {
    add([&, k](std::size_t i) {
      const double* q = cloud.position.data() + 4 * i;
      const auto way = displacement(k, {q[0], q[1], q[2]});
      double along = 0;
      for (std::size_t n = 0; n < 3; ++n) along += way[n] * cloud.velocity[n][i];
      return mass * along;
    });
  }
  const auto sums = parallel::reproducible_sums(columns);
  ParticleTotals totals{sums[0], sums[1], {}, sums[2]};
  std::copy_n(sums.begin() + 3, 6, totals.momentum.begin());
  return totals;
}

std::vector<io::DataSetSpec> particle_data_sets(const ParticlePlan& plan,
                                                const mechanics::Triangulation& surface) {
  using io::DataType;
  const std::vector<std::string> axes{"x", "y", "z"};
  std::vector<std::string> statuses;
  for (const auto name : status_names) statuses.emplace_back(name);
  const std::int64_t n = plan.count, f = plan.frames, s = plan.samples;
  std::vector<io::DataSetSpec> sets{
      {"/particles/time", DataType::float64, {f}, "1", "times of the frames; NaN where the run ended before"},
      {"/particles/position",
       DataType::float64,
       {f, n, 3},
       "1",
       "positions, by particle; along periodic axes where they travelled to",
       {{"columns", axes}}},
      {"/particles/velocity", DataType::float64, {f, n, 3}, "1", "velocities", {{"columns", axes}}},
      {"/particles/sample_time", DataType::float64, {s}, "1", "times of all samples below"},
      {"/particles/energy",
       DataType::float64,
       {s, 3},
       "1",
       "of all particles",
       {{"columns", {"kinetic", "potential", "total"}}}},
      {"/particles/temperature",
       DataType::float64,
       {s},
       "1",
       "kinetic energy per degree of freedom, twice: two degrees a particle"},
      {"/particles/constraint_error",
       DataType::float64,
       {s},
       "1",
       "largest |g| / |grad g| of any particle so far, a length"},
      {"/particles/momentum",
       DataType::float64,
       {s, 6},
       "1",
       "linear and angular momentum of all; `conserved` names those that the surface's symmetry keeps",
       {{"columns", {momentum_names.begin(), momentum_names.end()}},
        {"conserved", conserved(plan, surface)}}},
      {"/particles/mean_square_displacement",
       DataType::float64,
       {s},
       "1",
       "from where they started, through the ambient space, a length squared"},
      {"/particles/status", DataType::int32, {n}, "1", "how each particle ended", {{"names", statuses}}}};
  if (plan.pair_bins > 0) {
    sets.push_back({"/particles/pair_distance",
                    DataType::float64,
                    {plan.pair_bins},
                    "1",
                    "middles of the intervals of distance in the ambient space"});
    sets.push_back(
        {"/particles/pair_correlation",
         DataType::float64,
         {plan.pair_bins},
         "1",
         "pairs at this distance over those of as many particles spread evenly over a plane, mean of all "
         "samples but the start"});
  }
  if (plan.surface_cells > 0) {
    const auto shape = data_sets(surface, "1");
    sets.insert(sets.end(), shape.begin(), shape.end());
  }
  return sets;
}

}  // namespace cotangent::studies
