// study = "particles": particles that interact on a surface, spread over all ranks
// (particles/particle_dynamics.hpp moves them). Results are by id, whatever the ranks.
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <optional>

#include "io/xdmf.hpp"
#include "parallel/mpi.hpp"
#include "studies/particles/records.hpp"
#include "studies/program/multipliers.hpp"
#include "studies/program/report.hpp"
#include "studies/program/settings.hpp"
#include "studies/program/surface.hpp"

namespace cotangent::studies {

namespace {

class ParticleEvolution : public run::Evolution {
 public:
  ParticleEvolution(const ParticlePlan& plan, const ParticleStarts& starts,
                    const geometry::Triangulation& surface)
      : plan_(plan),
        starts_(starts),
        surface_(surface),
        pair_counts_(static_cast<std::size_t>(plan.pair_bins), 0.0) {}

  std::vector<io::DataSetSpec> data_sets() const override { return particle_data_sets(plan_, surface_); }

  bool complete(const run::Records& records) override {
    const auto share = run::Share::even(plan_.count);
    std::int64_t pending = 0, failed = 0;
    for (const auto status : records.read_rows<std::int32_t>("/particles/status", share.first, share.count)) {
      pending += status == static_cast<std::int32_t>(Status::pending);
      failed += is_failure(static_cast<Status>(status));
    }
    failed_ = parallel::sum(failed);
    return parallel::sum(pending) == 0;
  }

  void begin(run::Records& records) override {
    dynamics_.emplace(*plan_.motion, *plan_.pairs.kernel, plan_.options, starts_.make(surface_));
    judge_start(*dynamics_, *plan_.pairs.potential);
    if (plan_.surface_cells > 0 && parallel::rank() == 0) studies::write(records, surface_);
    sample(records);
  }

  void state(run::State& state) override {
    std::int64_t step = dynamics_ ? dynamics_->steps() : 0;
    if (dynamics_) constraint_error_ = std::max(constraint_error_, dynamics_->constraint_error());
    state.number("step", step);
    state.number("start_energy", start_energy_);
    state.number("energy_error", energy_error_);
    state.number("kinetic_sum", kinetic_sum_);
    state.number("constraint_error", constraint_error_);
    state.numbers("pair_counts", std::span(pair_counts_));
    auto particles = visit_particles(state, plan_.count, dynamics_ ? &dynamics_->particles() : nullptr);
    if (!state.reading()) return;
    resumed_at_ = step;
    dynamics_.emplace(*plan_.motion, *plan_.pairs.kernel, plan_.options, std::move(particles), step);
  }

  void advance(std::int64_t steps, run::Records&) override {
    const std::int64_t done = dynamics_->steps();
    const std::int64_t next = (done / plan_.sample_steps + 1) * plan_.sample_steps;
    dynamics_->advance(std::min({steps, next - done, plan_.steps - done}), plan_.go_on);
    failed_ = dynamics_->failed();
  }
  bool ended() const override { return dynamics_->steps() >= plan_.steps || (failed_ > 0 && !plan_.go_on); }

  void sample(run::Records& records) override {
    if (dynamics_->steps() % plan_.sample_steps != 0) return;
    const std::int64_t row = dynamics_->steps() / plan_.sample_steps;
    const ParticleTotals all = totals(*dynamics_, plan_.motion->mass());
    const double n = static_cast<double>(plan_.count), energy = all.kinetic + all.potential;
    if (row == 0) start_energy_ = energy;
    energy_error_ = std::max(energy_error_, std::abs(energy - start_energy_));
    kinetic_sum_ += all.kinetic;
    constraint_error_ = std::max(constraint_error_, dynamics_->constraint_error());
    if (plan_.pair_bins > 0 && row > 0) {
      const auto counts = parallel::sum(dynamics_->pair_counts(plan_.pair_bins));
      for (std::size_t k = 0; k < counts.size(); ++k) pair_counts_[k] += static_cast<double>(counts[k]);
    }
    records.one("/particles/sample_time", row, dynamics_->time());
    const double energies[3] = {all.kinetic, all.potential, energy};
    records.one("/particles/energy", row, energies);
    records.one("/particles/temperature", row, all.kinetic / n);
    records.one("/particles/constraint_error", row, constraint_error_);
    records.one("/particles/momentum", row, all.momentum.data());
    records.one("/particles/mean_square_displacement", row, all.squared_ways / n);
    if (row % plan_.frame_samples == 0)
      write_frame(records, dynamics_->particles(), dynamics_->time(), row / plan_.frame_samples);
  }

  /// How each particle ended, and NaN where nothing was reached.
  void finish(run::Records& records) override {
    const std::int64_t samples = dynamics_->steps() / plan_.sample_steps + 1;
    blank_particle_rows(records, plan_, samples);
    if (plan_.pair_bins > 0 && parallel::rank() == 0)
      write_pair_correlation(records, plan_, pair_counts_, surface_.area(), samples - 1);
    write_statuses(records, dynamics_->particles());
  }

  run::Progress progress() const override {
    const double end = static_cast<double>(plan_.steps) * plan_.options.step;
    return {static_cast<double>(dynamics_->steps()), static_cast<double>(plan_.steps),
            fmt::format("t = {:.4g} of {:.4g}", dynamics_->time(), end), "particle-steps",
            static_cast<double>(plan_.count)};
  }

  std::vector<run::Line> summary(const run::Effort& spent) override {
    const auto& effort = dynamics_->effort();
    const double steps = static_cast<double>(std::max<std::int64_t>(1, effort.steps - resumed_at_));
    const double kinetic = kinetic_sum_ / static_cast<double>(dynamics_->steps() / plan_.sample_steps + 1);
    return {
        {"particles",
         fmt::format("{}, to t = {:.6g}{}", plan_.count, dynamics_->time(),
                     failed_ > 0 ? fmt::format("; {} failed and stayed where they were", failed_) : "")},
        {"steps",
         fmt::format("{}, {:.3g} particle-steps a second; neighbours listed {} times, {:.1f} % of the "
                     "time; the load cut anew {} times",
                     effort.steps, steps * static_cast<double>(plan_.count) / std::max(spent.integrate, 1e-9),
                     effort.lists, 100 * effort.listing_seconds / std::max(spent.integrate, 1e-9),
                     effort.cuts)},
        {"energy error", fmt::format("{:.3g} at worst, in the samples, {:.3g} % of the mean kinetic energy",
                                     energy_error_, 100 * energy_error_ / kinetic)},
        {"constraint error", fmt::format("{:.3g} at worst, a length", constraint_error_)},
        {"multipliers", solved_by(plan_.options.solver)}};
  }
  bool failed() override { return failed_ > 0; }

 private:
  const ParticlePlan& plan_;
  const ParticleStarts& starts_;
  const geometry::Triangulation& surface_;
  std::optional<particles::ParticleDynamics> dynamics_;
  std::vector<double> pair_counts_;
  std::int64_t resumed_at_ = 0, failed_ = 0;
  double start_energy_ = 0, energy_error_ = 0, kinetic_sum_ = 0, constraint_error_ = 0;
};

ExitCode run(Task& task) {
  ParticlePlan plan = read_particle_plan(task);
  run::Settings settings = read_settings(task, "particles", "particles.h5");
  const ParticleStarts starts(task, plan);
  task.deck.finish();
  if (task.check) return exit_success;
  if (task.dry_run) {
    Estimate estimate;
    estimate.orbits = plan.count;
    estimate.file_bytes = 8 * (plan.frames * 6 * plan.count + plan.samples * 14) + 4 * plan.count;
    estimate.rank_bytes = (std::int64_t{80} << 20) + 550 * plan.count / parallel::size();
    // 60 ns a particle and step.
    estimate.seconds = 6e-8 * static_cast<double>(plan.steps) * static_cast<double>(plan.count) *
                       static_cast<double>(plan.options.shares.size()) / parallel::size();
    parallel::on_rank_zero([&] { print(estimate); });
    return exit_success;
  }
  const auto surface = starts.surface(std::max<std::int64_t>(plan.surface_cells, 60));
  plan.options.solver = multiplier_solver(task, plan.multipliers, true);
  if (plan.options.solver) settings.petsc = petsc_for_multipliers();
  ParticleEvolution evolution(plan, starts, surface);
  const ExitCode code = drive(task, evolution, settings);
  if (code != exit_stopped) {
    const auto times = io::File::open(settings.file).read<double>("/particles/time");
    io::write_particles_xdmf(settings.file, times, plan.count, 3, 0);
  }
  return code;
}

}  // namespace

Study particles_study() {
  return {"particles", "particles that interact on a surface, over all ranks", run, particles_example, true};
}

}  // namespace cotangent::studies
