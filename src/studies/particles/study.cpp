// SPDX-License-Identifier: BSD-3-Clause
// study = "particles": particles that interact on a surface, spread over all ranks
// (particles/particle_dynamics.hpp moves them). Results are by id, whatever the ranks.
#include <algorithm>
#include <iterator>
#include <optional>

#include "io/xdmf.hpp"
#include "parallel/mpi.hpp"
#include "studies/particles/records.hpp"
#include "studies/program/multipliers.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

class ParticleEvolution : public run::Evolution {
 public:
  ParticleEvolution(const ParticlePlan& plan, const ParticleStarts& starts,
                    const geometry::Triangulation& surface, const geometry::Triangulation& shown)
      : plan_(plan), starts_(starts), surface_(surface), records_(plan, surface, shown) {}

  std::vector<io::DataSetSpec> data_sets() const override {
    auto sets = records_.data_sets();
    std::ranges::move(studies::data_sets(plan_.options.solver), std::back_inserter(sets));
    return sets;
  }

  void begin(run::Records& records) override {
    dynamics_.emplace(*plan_.motion, *plan_.pairs.kernel, plan_.options, starts_.make(surface_));
    judge_start(*dynamics_, *plan_.pairs.potential);
    records_.write_start(records);
    sample(records);
  }

  void state(run::StateFields& state) override {
    std::int64_t step = dynamics_ ? dynamics_->steps() : 0;
    state.number("step", step);
    auto particles = records_.visit(state, dynamics_ ? &*dynamics_ : nullptr);
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

  void sample(run::Records& records) override { records_.sample(records, *dynamics_); }
  void hand_over(run::Records&) override { records_.hand_over(); }
  void finish(run::Records& records) override {
    records_.finish(records, *dynamics_);
    studies::write(records, plan_.options.solver);
  }

  run::Progress progress() const override {
    auto progress = run::Progress::of_steps(dynamics_->steps(), plan_.steps, plan_.options.step);
    progress.unit = "particle-steps";
    progress.each = static_cast<double>(plan_.count);
    return progress;
  }

  std::vector<run::Line> summary(const run::Effort& spent) override {
    auto lines = records_.describe(*dynamics_, failed_, resumed_at_, spent.integrate);
    lines.emplace_back("multipliers", solved_by(plan_.options.solver));
    return lines;
  }
  bool failed() override { return failed_ > 0; }

 private:
  const ParticlePlan& plan_;
  const ParticleStarts& starts_;
  const geometry::Triangulation& surface_;
  ParticleRecords records_;
  std::optional<particles::ParticleDynamics> dynamics_;
  std::int64_t resumed_at_ = 0, failed_ = 0;
};

ExitCode run(Task& task) {
  ParticlePlan plan = read_particle_plan(task);
  run::Settings settings = read_settings(task, "particles", "particles.h5");
  const ParticleStarts starts(task, plan);
  task.deck.finish();
  if (task.dry_run) {
    const std::size_t triangles = starts.surface(least_surface_cells).triangles.size();
    parallel::on_rank_zero([&] { print(estimate(plan, settings.options, triangles)); });
  }
  if (task.check || task.dry_run) return exit_success;
  const auto surface = starts.surface(std::max(plan.surface_cells, least_surface_cells));
  std::optional<geometry::Triangulation> coarser;
  if (plan.surface_cells > 0 && plan.surface_cells < least_surface_cells)
    coarser = starts.surface(plan.surface_cells);
  count_pairs_where_bounded(task, plan, surface);
  plan.options.solver = multiplier_solver(task, plan.multipliers, true);
  if (plan.options.solver) settings.petsc = petsc_for_multipliers();
  ParticleEvolution evolution(plan, starts, surface, coarser ? *coarser : surface);
  const ExitCode code = drive(task, evolution, settings);
  if (code != exit_stopped) io::write_particles_xdmf(settings.file);
  return code;
}

}  // namespace

Study particles_study() {
  return {"particles", "particles that interact on a surface, over all ranks", run, particles_example, true};
}

}  // namespace cotangent::studies
