// SPDX-License-Identifier: BSD-3-Clause
#include "studies/particles/records.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "core/error.hpp"
#include "core/names.hpp"
#include "parallel/mpi.hpp"
#include "parallel/reproducible_sums.hpp"
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

/// Asks for those of `count` particles of one mass. Collective.
void ask_totals(run::SampleSums& sums, const particles::ParticleDynamics& dynamics, std::int64_t count,
                double mass, std::function<void(const ParticleTotals&)> use) {
  const auto& particles = dynamics.particles();
  std::vector<double> kinetic, potential;
  dynamics.energies(kinetic, potential);
  std::vector<parallel::Numbers> columns;
  const auto add = [&](auto number) {
    columns.push_back(parallel::Numbers::each(static_cast<std::size_t>(particles.own), number));
  };
  add([&](std::size_t i) { return kinetic[i]; });
  add([&](std::size_t i) { return potential[i]; });
  add([&](std::size_t i) {
    double squared = 0;
    for (std::size_t n = 0; n < 3; ++n) {
      const double way = particles.position[4 * i + n] - particles.start[n][i];
      squared += way * way;
    }
    return squared;
  });
  for (std::size_t k = 0; k < 6; ++k) {
    add([&, k](std::size_t i) {
      const double* q = particles.position.data() + 4 * i;
      const auto way = displacement(k, {q[0], q[1], q[2]});
      double along = 0;
      for (std::size_t n = 0; n < 3; ++n) along += way[n] * particles.velocity[n][i];
      return mass * along;
    });
  }
  const double error = dynamics.own_constraint_error();
  sums.add(count, columns, std::span(&error, 1),
           [use = std::move(use)](std::span<const double> sum, std::span<const double> largest) {
             ParticleTotals totals{sum[0], sum[1], {}, sum[2], largest[0]};
             std::ranges::copy(sum.subspan(3), totals.momentum.begin());
             use(totals);
           });
}

/// A column of rows, one for each of this rank's own particles.
template <class Value>
std::vector<double> column(const particles::ParticleArrays& particles, int width, const Value& value) {
  std::vector<double> numbers(static_cast<std::size_t>(particles.own) * static_cast<std::size_t>(width));
  for (std::size_t i = 0, k = 0; i < static_cast<std::size_t>(particles.own); ++i) {
    for (std::size_t n = 0; n < static_cast<std::size_t>(width); ++n) numbers[k++] = value(i, n);
  }
  return numbers;
}

io::RowIds ids_of(const particles::ParticleArrays& particles) {
  return std::make_shared<std::vector<std::int64_t>>(particles.id.begin(),
                                                     particles.id.begin() + particles.own);
}

/// Positions and velocities at a time, as a frame. Collective.
void write_frame(run::Records& records, const particles::ParticleArrays& particles, double time,
                 std::int64_t frame) {
  const io::RowIds ids = ids_of(particles);
  records.one("/particles/time", frame, time);
  records.by_id("/particles/position", frame, ids, column(particles, 3, [&](std::size_t i, std::size_t n) {
                  return particles.position[4 * i + n];
                }));
  records.by_id("/particles/velocity", frame, ids,
                column(particles, 3, [&](std::size_t i, std::size_t n) { return particles.velocity[n][i]; }));
}

/// The particles' fields of a checkpoint, by id: of these, or read into an even share of so many.
std::vector<particles::Particle> visit_particles(run::StateFields& state, std::int64_t count,
                                                 const particles::ParticleArrays* particles) {
  run::Share share = run::Share::even(count);
  if (!state.reading()) share.ids = ids_of(*particles);
  std::vector<particles::Particle> read(state.reading() ? static_cast<std::size_t>(share.count) : 0);
  for (std::size_t i = 0; i < read.size(); ++i) read[i].id = share.first + static_cast<std::int64_t>(i);
  const auto field = [&](const char* name, int width, const auto& stored, const auto& take) {
    std::vector<double> values;
    if (!state.reading()) values = column(*particles, width, stored);
    state.rows(name, share, width, values);
    for (std::size_t i = 0, k = 0; i < read.size(); ++i) {
      for (std::size_t n = 0; n < static_cast<std::size_t>(width); ++n) take(read[i], n, values[k++]);
    }
  };
  using particles::Particle;
  field(
      "position", 3, [&](std::size_t i, std::size_t n) { return particles->position[4 * i + n]; },
      [](Particle& p, std::size_t n, double x) { p.q[n] = x; });
  field(
      "velocity", 3, [&](std::size_t i, std::size_t n) { return particles->velocity[n][i]; },
      [](Particle& p, std::size_t n, double x) { p.v[n] = x; });
  field(
      "start", 3, [&](std::size_t i, std::size_t n) { return particles->start[n][i]; },
      [](Particle& p, std::size_t n, double x) { p.start[n] = x; });
  field(
      "multiplier", 1, [&](std::size_t i, std::size_t) { return particles->multiplier[i]; },
      [](Particle& p, std::size_t, double x) { p.multiplier = x; });
  field(
      "status", 1, [&](std::size_t i, std::size_t) { return particles->status[i]; },
      [](Particle& p, std::size_t, double x) { p.status = static_cast<std::int64_t>(x); });
  return read;
}

}  // namespace

ParticleRecords::ParticleRecords(const ParticlePlan& plan, const geometry::Triangulation& surface,
                                 const geometry::Triangulation& shown)
    : plan_(plan),
      surface_(surface),
      shown_(shown),
      pair_counts_(static_cast<std::size_t>(plan.pair_bins), 0.0),
      own_pair_counts_(pair_counts_.size(), 0) {}

std::vector<io::DataSetSpec> ParticleRecords::data_sets() const {
  using io::DataType;
  const std::vector<std::string> axes{"x", "y", "z"};
  std::vector<std::string> statuses;
  for (const auto name : status_names) statuses.emplace_back(name);
  const std::int64_t n = plan_.count, f = plan_.frames, s = plan_.samples;
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
        {"conserved", conserved(plan_, surface_)}}},
      {"/particles/mean_square_displacement",
       DataType::float64,
       {s},
       "1",
       "from where they started, through the ambient space, a length squared"},
      {"/particles/status", DataType::int32, {n}, "1", "how each particle ended", {{"names", statuses}}}};
  if (plan_.pair_bins > 0) {
    sets.push_back({"/particles/pair_distance",
                    DataType::float64,
                    {plan_.pair_bins},
                    "1",
                    "middles of the intervals of distance in the ambient space"});
    sets.push_back(
        {"/particles/pair_correlation",
         DataType::float64,
         {plan_.pair_bins},
         "1",
         "pairs at this distance over those of as many particles spread evenly over a plane, mean of all "
         "samples but the start"});
  }
  if (plan_.surface_cells > 0) {
    const auto shape = studies::data_sets(shown_, "1");
    sets.insert(sets.end(), shape.begin(), shape.end());
  }
  return sets;
}

void ParticleRecords::write_start(run::Records& records) const {
  if (plan_.surface_cells > 0 && parallel::rank() == 0) studies::write(records, shown_);
}

void ParticleRecords::sample(run::Records& records, const particles::ParticleDynamics& dynamics) {
  if (dynamics.steps() % plan_.sample_steps != 0) return;
  const std::int64_t row = dynamics.steps() / plan_.sample_steps;
  ask_totals(sums_, dynamics, plan_.count, plan_.motion->mass(),
             [this, &records, row, time = dynamics.time()](const ParticleTotals& all) {
               enter(records, row, time, all);
             });
  if (plan_.pair_bins > 0 && row > 0) {
    const auto counts = dynamics.pair_counts(plan_.pair_bins);
    for (std::size_t k = 0; k < counts.size(); ++k) own_pair_counts_[k] += counts[k];
  }
  if (row % plan_.frame_samples == 0)
    write_frame(records, dynamics.particles(), dynamics.time(), row / plan_.frame_samples);
}

/// A sample, once its sums are known.
void ParticleRecords::enter(run::Records& records, std::int64_t row, double time, const ParticleTotals& all) {
  const double n = static_cast<double>(plan_.count), energy = all.kinetic + all.potential;
  if (row == 0) start_energy_ = energy;
  energy_error_ = std::max(energy_error_, std::abs(energy - start_energy_));
  kinetic_sum_ += all.kinetic;
  constraint_error_ = std::max(constraint_error_, all.constraint_error);
  const double energies[3] = {all.kinetic, all.potential, energy};
  records.one("/particles/sample_time", row, time);
  records.one("/particles/energy", row, energies);
  records.one("/particles/temperature", row, all.kinetic / n);
  records.one("/particles/constraint_error", row, constraint_error_);
  records.one("/particles/momentum", row, all.momentum.data());
  records.one("/particles/mean_square_displacement", row, all.squared_ways / n);
}

void ParticleRecords::hand_over() {
  sums_.make_waiting();
  const auto counts = parallel::sum(own_pair_counts_);
  for (std::size_t k = 0; k < counts.size(); ++k) pair_counts_[k] += static_cast<double>(counts[k]);
  std::ranges::fill(own_pair_counts_, 0);
}

void ParticleRecords::finish(run::Records& records, const particles::ParticleDynamics& dynamics) const {
  const std::int64_t samples = dynamics.steps() / plan_.sample_steps + 1;
  for (const char* name :
       {"sample_time", "energy", "temperature", "constraint_error", "momentum", "mean_square_displacement"})
    records.blank_from(std::string("/particles/") + name, samples);
  const std::int64_t frames = (samples - 1) / plan_.frame_samples + 1;
  for (const char* name : {"time", "position", "velocity"})
    records.blank_from(std::string("/particles/") + name, frames);
  if (plan_.pair_bins > 0 && parallel::rank() == 0) write_pair_correlation(records, samples - 1);
  const auto& ended = dynamics.particles();
  records.by_id("/particles/status", -1, ids_of(ended),
                column(ended, 1,
                       [&](std::size_t i, std::size_t) {
                         const bool pending = ended.status[i] == static_cast<std::int32_t>(Status::pending);
                         return pending ? static_cast<double>(Status::finished) : ended.status[i];
                       }),
                io::Turn::last);
}

/// The pairs counted in so many samples, over those of as many particles spread evenly.
void ParticleRecords::write_pair_correlation(run::Records& records, std::int64_t samples) const {
  std::vector<double> distance, correlation;
  const double width = plan_.options.correlation_cutoff / plan_.pair_bins,
               n = static_cast<double>(plan_.count);
  const double density = n / surface_.area();
  for (int k = 0; k < plan_.pair_bins; ++k) {
    distance.push_back((k + 0.5) * width);
    const double ring = std::numbers::pi * width * width * (2 * k + 1);
    const double even = n * density * ring * static_cast<double>(std::max<std::int64_t>(1, samples));
    correlation.push_back(pair_counts_[static_cast<std::size_t>(k)] / even);
  }
  records.rows("/particles/pair_distance", 0, plan_.pair_bins, distance.data());
  records.rows("/particles/pair_correlation", 0, plan_.pair_bins, correlation.data());
}

std::vector<particles::Particle> ParticleRecords::visit(run::StateFields& state,
                                                        const particles::ParticleDynamics* dynamics) {
  if (dynamics) constraint_error_ = std::max(constraint_error_, dynamics->constraint_error());
  state.number("start_energy", start_energy_);
  state.number("energy_error", energy_error_);
  state.number("kinetic_sum", kinetic_sum_);
  state.number("constraint_error", constraint_error_);
  state.numbers("pair_counts", std::span(pair_counts_));
  return visit_particles(state, plan_.count, dynamics ? &dynamics->particles() : nullptr);
}

std::vector<run::Line> ParticleRecords::describe(const particles::ParticleDynamics& dynamics,
                                                 std::int64_t failed, std::int64_t resumed_at,
                                                 double seconds) const {
  const auto& effort = dynamics.effort();
  const double spent = std::max(seconds, 1e-9);
  const double steps = static_cast<double>(std::max<std::int64_t>(1, effort.steps - resumed_at));
  const std::int64_t samples = dynamics.steps() / plan_.sample_steps + 1;
  const double kinetic = kinetic_sum_ / static_cast<double>(samples);
  return {
      {"particles",
       fmt::format("{}, to t = {:.6g}{}", plan_.count, dynamics.time(),
                   failed > 0 ? fmt::format("; {} failed and stayed where they were", failed) : "")},
      {"steps", fmt::format("{}, {:.3g} particle-steps a second; neighbours listed {} times, in {:.3g} s; "
                            "the load cut anew {} times",
                            effort.steps, steps * static_cast<double>(plan_.count) / spent, effort.lists,
                            effort.listing_seconds, effort.cuts)},
      {"energy error",
       fmt::format("{:.3g} at worst, in the samples", energy_error_) +
           (kinetic > 0 ? fmt::format(", {:.3g} % of the mean kinetic energy", 100 * energy_error_ / kinetic)
                        : std::string())},
      {"constraint error", fmt::format("{:.3g} at worst, a length", constraint_error_)}};
}

void judge_start(const particles::ParticleDynamics& dynamics, const particles::Potential& potential_law) {
  std::vector<double> kinetic, potential;
  dynamics.energies(kinetic, potential);
  const auto force = dynamics.forces();
  parallel::agree([&] {
    const auto& particles = dynamics.particles();
    for (int i = 0; i < particles.own; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (std::isfinite(potential[k]) && std::isfinite(force[0][k] + force[1][k] + force[2][k])) continue;
      for (const int row : dynamics.lists().of(i)) {
        const auto other = static_cast<std::size_t>(row);
        if (std::equal(particles.position.begin() + 4 * i, particles.position.begin() + 4 * i + 3,
                       particles.position.begin() + 4 * static_cast<std::ptrdiff_t>(other)))
          throw Error(fmt::format("particles {} and {} start at one point, where {} or its force is infinite",
                                  particles.id[k], particles.id[other], potential_law.name()));
      }
      throw Error(
          fmt::format("particle {} starts with an energy or a force that isn't finite", particles.id[k]));
    }
  });
}

}  // namespace cotangent::studies
