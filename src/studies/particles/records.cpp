#include "studies/particles/records.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "core/names.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"
#include "studies/program/surface.hpp"

namespace cotangent::studies {

namespace {

constexpr std::array<const char*, 6> momentum_names{"Px", "Py", "Pz", "Lx", "Ly", "Lz"};

/// The translation, or rotation, that belongs to a momentum.
std::array<double, 3> displacement(std::size_t momentum, const geometry::SpacePoint& q) {
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
std::vector<std::string> conserved(const ParticlePlan& plan, const geometry::Triangulation& surface) {
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

ParticleTotals totals(const particles::ParticleDynamics& swarm, double mass) {
  const auto& cloud = swarm.particles();
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
                                                const geometry::Triangulation& surface) {
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
       {{"columns", axes}},
       true},
      {"/particles/velocity", DataType::float64, {f, n, 3}, "1", "velocities", {{"columns", axes}}, true},
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

void judge_start(const particles::ParticleDynamics& swarm, const particles::Potential& potential_law) {
  std::vector<double> kinetic, potential;
  swarm.energies(kinetic, potential);
  parallel::agree([&] {
    const auto& cloud = swarm.particles();
    for (int i = 0; i < cloud.own; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (std::isfinite(potential[k])) continue;
      for (const int row : swarm.lists().of(i)) {
        const auto other = static_cast<std::size_t>(row);
        if (std::equal(cloud.position.begin() + 4 * i, cloud.position.begin() + 4 * i + 3,
                       cloud.position.begin() + 4 * static_cast<std::ptrdiff_t>(other)))
          throw Error(fmt::format("particles {} and {} start at one point, where {} is infinite", cloud.id[k],
                                  cloud.id[other], potential_law.name()));
      }
      throw Error(fmt::format("particle {} starts with an energy that isn't finite", cloud.id[k]));
    }
  });
}

namespace {

/// A column of rows, one for each of the cloud's own particles.
template <class Value>
std::vector<double> column(const particles::ParticleArrays& cloud, int width, const Value& value) {
  std::vector<double> numbers(static_cast<std::size_t>(cloud.own) * static_cast<std::size_t>(width));
  for (std::size_t i = 0, k = 0; i < static_cast<std::size_t>(cloud.own); ++i) {
    for (std::size_t n = 0; n < static_cast<std::size_t>(width); ++n) numbers[k++] = value(i, n);
  }
  return numbers;
}

io::RowIds ids_of(const particles::ParticleArrays& cloud) {
  return std::make_shared<std::vector<std::int64_t>>(cloud.id.begin(), cloud.id.begin() + cloud.own);
}

}  // namespace

void write_frame(run::Records& records, const particles::ParticleArrays& cloud, double time,
                 std::int64_t frame) {
  const io::RowIds ids = ids_of(cloud);
  records.one("/particles/time", frame, time);
  records.by_id("/particles/position", frame, ids,
                column(cloud, 3, [&](std::size_t i, std::size_t n) { return cloud.position[4 * i + n]; }));
  records.by_id("/particles/velocity", frame, ids,
                column(cloud, 3, [&](std::size_t i, std::size_t n) { return cloud.velocity[n][i]; }));
}

void blank_particle_rows(run::Records& records, const ParticlePlan& plan, std::int64_t samples) {
  for (const char* name :
       {"sample_time", "energy", "temperature", "constraint_error", "momentum", "mean_square_displacement"})
    records.blank_from(std::string("/particles/") + name, samples);
  const std::int64_t frames = (samples - 1) / plan.frame_samples + 1;
  for (const char* name : {"time", "position", "velocity"})
    records.blank_from(std::string("/particles/") + name, frames);
}

void write_pair_correlation(run::Records& records, const ParticlePlan& plan,
                            const std::vector<double>& pair_counts, double area, std::int64_t samples) {
  std::vector<double> distance, correlation;
  const double width = plan.options.sight / plan.pair_bins, n = static_cast<double>(plan.count);
  const double density = n / area;
  for (int k = 0; k < plan.pair_bins; ++k) {
    distance.push_back((k + 0.5) * width);
    const double ring = std::numbers::pi * width * width * (2 * k + 1);
    const double even = n * density * ring * static_cast<double>(std::max<std::int64_t>(1, samples));
    correlation.push_back(pair_counts[static_cast<std::size_t>(k)] / even);
  }
  records.rows("/particles/pair_distance", 0, plan.pair_bins, distance.data());
  records.rows("/particles/pair_correlation", 0, plan.pair_bins, correlation.data());
}

void write_statuses(run::Records& records, const particles::ParticleArrays& cloud) {
  records.by_id("/particles/status", -1, ids_of(cloud),
                column(cloud, 1,
                       [&](std::size_t i, std::size_t) {
                         const bool pending = cloud.status[i] == static_cast<std::int32_t>(Status::pending);
                         return pending ? static_cast<double>(Status::finished) : cloud.status[i];
                       }),
                io::Turn::last);
}

std::vector<particles::Particle> visit_particles(run::State& state, std::int64_t count,
                                                 const particles::ParticleArrays* cloud) {
  run::Share share = run::Share::even(count);
  if (!state.reading()) share.ids = ids_of(*cloud);
  std::vector<particles::Particle> read(state.reading() ? static_cast<std::size_t>(share.count) : 0);
  for (std::size_t i = 0; i < read.size(); ++i) read[i].id = share.first + static_cast<std::int64_t>(i);
  const auto field = [&](const char* name, int width, const auto& stored, const auto& take) {
    std::vector<double> values;
    if (!state.reading()) values = column(*cloud, width, stored);
    state.rows(name, share, width, values);
    for (std::size_t i = 0, k = 0; i < read.size(); ++i) {
      for (std::size_t n = 0; n < static_cast<std::size_t>(width); ++n) take(read[i], n, values[k++]);
    }
  };
  using particles::Particle;
  field(
      "position", 3, [&](std::size_t i, std::size_t n) { return cloud->position[4 * i + n]; },
      [](Particle& p, std::size_t n, double x) { p.q[n] = x; });
  field(
      "velocity", 3, [&](std::size_t i, std::size_t n) { return cloud->velocity[n][i]; },
      [](Particle& p, std::size_t n, double x) { p.v[n] = x; });
  field(
      "start", 3, [&](std::size_t i, std::size_t n) { return cloud->start[n][i]; },
      [](Particle& p, std::size_t n, double x) { p.start[n] = x; });
  field(
      "multiplier", 1, [&](std::size_t i, std::size_t) { return cloud->multiplier[i]; },
      [](Particle& p, std::size_t, double x) { p.multiplier = x; });
  field(
      "status", 1, [&](std::size_t i, std::size_t) { return cloud->status[i]; },
      [](Particle& p, std::size_t, double x) { p.status = static_cast<std::int64_t>(x); });
  return read;
}

}  // namespace cotangent::studies
