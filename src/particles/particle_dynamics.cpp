// SPDX-License-Identifier: BSD-3-Clause
#include "particles/particle_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "core/release.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::particles {

namespace {

/// Packs that stay in a core's cache while they are worked on.
constexpr int run_length = 32;
/// What a particle's motion costs, in neighbours felt: measured for Lennard-Jones particles on a torus.
constexpr int motion_work = 12;

}  // namespace

ParticleDynamics::ParticleDynamics(const SurfaceMotion& motion, const PairKernel& kernel,
                                   const ParticleDynamicsOptions& options, std::vector<Particle> particles,
                                   std::int64_t steps_done)
    : motion_(motion),
      kernel_(kernel),
      options_(options),
      image_(options.periods),
      range_(std::max(kernel.cut().radius, options.correlation_cutoff)),
      skin_(options.skin > 0 ? options.skin : 0.12 * range_),
      decomposition_(Grid(range_ > 0 ? range_ + skin_ : 1.0, options.periods)) {
  effort_.steps = steps_done;
  particles_.assign(particles);
  release(particles);
  redistribute();
  if (steps_done == 0) {
    auto all = block({0, particles_.padded / pack}, {});
    motion_.begin(all);
  }
  const auto lost =
      std::count_if(particles_.status.begin(), particles_.status.begin() + particles_.own,
                    [](std::int32_t s) { return s != static_cast<std::int32_t>(Status::pending); });
  failed_ = parallel::sum(static_cast<std::int64_t>(lost));
}

void ParticleDynamics::choose_skin(double way) {
  if (options_.skin > 0) return;
  const double best = cheapest_skin(range_, way, options_.periods);
  if (std::abs(best - skin_) < 0.25 * skin_) return;
  skin_ = best;
  decomposition_.change(Grid(range_ + skin_, options_.periods));
}

void ParticleDynamics::redistribute() {
  const double before = parallel::wall_time();
  decomposition_.exchange_particles(particles_, work());
  if (range_ > 0) {
    const double radius = kernel_.cut().radius;
    lists_.build(particles_, decomposition_, radius > 0 ? radius + skin_ : 0.0, {},
                 options_.correlation_cutoff > 0 ? options_.correlation_cutoff + skin_ : 0.0);
  }
  for (std::size_t n = 0; n < 3; ++n) {
    listed_at_[n].resize(static_cast<std::size_t>(particles_.own));
    for (std::size_t i = 0; i < listed_at_[n].size(); ++i) listed_at_[n][i] = particles_.position[4 * i + n];
  }
  allowance_ = range_ > 0 ? 0.5 * skin_ : std::numeric_limits<double>::infinity();
  plan_runs();
  moves_ = 0;
  ++effort_.lists;
  effort_.cuts = decomposition_.cuts();
  effort_.listing_seconds += parallel::wall_time() - before;
}

void ParticleDynamics::plan_runs() {
  border_.clear();
  inner_.clear();
  const auto& seen = decomposition_.on_border();
  constexpr int together = group / pack;
  const int packs = particles_.padded / pack;
  if (options_.solver) {
    border_.push_back({0, packs});  // on every rank, of no particles too: the solver waits for all
    room_.assign(6 * static_cast<std::size_t>(particles_.padded), 0.0);
    return;
  }
  for (int p = 0; p < packs;) {
    const bool border = seen[static_cast<std::size_t>(p / together)] != 0;
    Run run{p, together};
    while (run.packs < run_length && p + run.packs < packs &&
           (seen[static_cast<std::size_t>((p + run.packs) / together)] != 0) == border)
      run.packs += together;
    run.packs = std::min(run.packs, packs - p);
    (border ? border_ : inner_).push_back(run);
    p += run.packs;
  }
}

ParticleBlock ParticleDynamics::block(Run run, std::array<double*, 3> force) {
  const std::ptrdiff_t i = std::ptrdiff_t{pack} * run.first;
  ParticleBlock b;
  b.count = pack * run.packs;
  b.position = particles_.position.data() + 4 * i;
  b.next = particles_.next.data() + 4 * i;
  for (std::size_t n = 0; n < 3; ++n) {
    b.velocity[n] = particles_.velocity[n].data() + i;
    b.force[n] = force[n];
  }
  b.multiplier = particles_.multiplier.data() + i;
  b.id = particles_.id.data() + i;
  b.status = particles_.status.data() + i;
  b.solver = options_.solver.get();
  return b;
}

template <ParticleDynamics::Half half>
void ParticleDynamics::work(double h_close, double h_open, std::int64_t draw) {
  using Numbers = std::array<double, pack * run_length>;
  alignas(64) std::array<Numbers, 3> force{}, gradient;
  std::array<double*, 3> at{force[0].data(), force[1].data(), force[2].data()},
      slope{gradient[0].data(), gradient[1].data(), gradient[2].data()};
  for (std::size_t n = 0; n < 3 && options_.solver; ++n) {
    at[n] = room_.data() + n * static_cast<std::size_t>(particles_.padded);
    slope[n] = at[n] + 3 * static_cast<std::ptrdiff_t>(particles_.padded);
  }
  const auto* bath = options_.bath ? &*options_.bath : nullptr;
  const auto each = [&](const Run& run) {
    if (kernel_.cut().radius > 0)
      kernel_.forces(lists_, particles_.position.data(), image_, run.first, run.packs, at);
    auto b = block(run, at);
    if constexpr (half == Half::both) b.gradient = slope;
    if constexpr (half != Half::open) report_.take(motion_.close(b, h_close));
    if constexpr (half != Half::close) report_.take(motion_.open(b, h_open, bath, draw));
  };
  for (const Run& run : border_) each(run);
  if constexpr (half != Half::close) {
    if (range_ > 0)
      decomposition_.halo().start(particles_.next.data(),
                                  particles_.next.data() + 4 * std::ptrdiff_t{particles_.padded});
  }
  for (const Run& run : inner_) each(run);
}

void ParticleDynamics::move_on() {
  const double before = parallel::wall_time();
  if (range_ > 0) decomposition_.halo().finish();
  std::swap(particles_.position, particles_.next);
  allowance_ -= std::sqrt(report_.moved_squared);
  report_.moved_squared = 0;
  ++moves_;
  // The bound adds up every step's fastest particle: before the lists are made anew, look how far any came.
  if (range_ > 0 && parallel::any(allowance_ < 0)) {
    double farthest = 0;
    for (int i = 0; i < particles_.own; ++i) {
      const auto k = static_cast<std::size_t>(i);
      double squared = 0;
      for (std::size_t n = 0; n < 3; ++n) {
        const double way = particles_.position[4 * k + n] - listed_at_[n][k];
        squared += way * way;
      }
      farthest = std::max(farthest, squared);
    }
    farthest = std::sqrt(parallel::maximum(farthest));
    effort_.waiting_seconds += parallel::wall_time() - before;
    if (farthest > 0.4 * skin_) {
      choose_skin(farthest / static_cast<double>(moves_));
      redistribute();
    } else {
      allowance_ = 0.5 * skin_ - farthest;
    }
    return;
  }
  effort_.waiting_seconds += parallel::wall_time() - before;
}

double ParticleDynamics::share(std::int64_t part) const {
  return options_.step * options_.composition_coefficients[static_cast<std::size_t>(part) %
                                                           options_.composition_coefficients.size()];
}

void ParticleDynamics::advance(std::int64_t steps, bool go_on) {
  if (steps <= 0) return;
  const std::int64_t parts = std::ssize(options_.composition_coefficients), all = steps * parts;
  const std::int64_t first = effort_.steps * parts;
  report_.failed = false;
  work<Half::open>(0.0, share(0), first);
  move_on();
  std::int64_t part = 1;
  for (; part < all; ++part) {
    if (part % parts == 0) {
      ++effort_.steps;
      if (!go_on && parallel::any(report_.failed)) break;
    }
    work<Half::both>(share(part - 1), share(part), first + part);
    move_on();
  }
  if (part == all) ++effort_.steps;
  work<Half::close>(share(part - 1), 0.0, 0);
  const auto lost =
      std::count_if(particles_.status.begin(), particles_.status.begin() + particles_.own,
                    [](std::int32_t s) { return s != static_cast<std::int32_t>(Status::pending); });
  failed_ = parallel::sum(static_cast<std::int64_t>(lost));
}

std::vector<std::int32_t> ParticleDynamics::work() const {
  auto work = lists_.lengths(particles_.own);
  for (std::int32_t& w : work) w += motion_work;
  return work;
}

double ParticleDynamics::own_constraint_error() const {
  return std::sqrt(report_.error_squared);
}

double ParticleDynamics::constraint_error() const {
  return parallel::maximum(own_constraint_error());
}

void ParticleDynamics::energies(std::vector<double>& kinetic, std::vector<double>& potential) const {
  const auto size = static_cast<std::size_t>(particles_.padded);
  std::vector<double> pairs(size, 0.0);
  kinetic.assign(size, 0.0);
  potential.assign(size, 0.0);
  motion_.energies(const_cast<ParticleDynamics*>(this)->block({0, particles_.padded / pack}, {}),
                   kinetic.data(), potential.data());
  if (kernel_.cut().radius > 0)
    kernel_.energies(lists_, particles_.position.data(), image_, 0, particles_.padded / pack, pairs.data());
  for (std::size_t i = 0; i < size; ++i) potential[i] += pairs[i];
  kinetic.resize(static_cast<std::size_t>(particles_.own));
  potential.resize(static_cast<std::size_t>(particles_.own));
}

std::array<std::vector<double>, 3> ParticleDynamics::forces() const {
  std::array<std::vector<double>, 3> force;
  for (auto& f : force) f.assign(static_cast<std::size_t>(particles_.padded), 0.0);
  if (kernel_.cut().radius > 0)
    kernel_.forces(lists_, particles_.position.data(), image_, 0, particles_.padded / pack,
                   {force[0].data(), force[1].data(), force[2].data()});
  for (auto& f : force) f.resize(static_cast<std::size_t>(particles_.own));
  return force;
}

std::vector<std::int64_t> ParticleDynamics::pair_counts(int bins) const {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins), 0);
  const double scale = bins / options_.correlation_cutoff;
  for (int i = 0; i < particles_.padded; ++i) {
    const int p = i / pack;
    const std::uint32_t place = lists_.particles(p)[i % pack];
    if (place >= 4 * static_cast<std::uint32_t>(particles_.own)) continue;  // padding
    const double* q = particles_.position.data() + place;
    for (const auto others : {lists_.neighbours(p), lists_.seen(p)}) {
      for (auto k = static_cast<std::size_t>(i % pack); k < others.size(); k += pack) {
        const double* other = particles_.position.data() + others[k];
        std::array<double, 3> r{q[0] - other[0], q[1] - other[1], q[2] - other[2]};
        const double bin = std::sqrt(image_.squared_distance(r)) * scale;
        if (bin < bins) ++counts[static_cast<std::size_t>(bin)];
      }
    }
  }
  return counts;
}

}  // namespace cotangent::particles
