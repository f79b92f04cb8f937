// SPDX-License-Identifier: BSD-3-Clause
// study = "lattice": a large Lagrangian as a sum of local terms, moved over all ranks. Each rank enters the
// rows of its sites; sums are the same to the bit on any number of ranks.
#include <fmt/format.h>

#include "io/xdmf.hpp"
#include "la/petsc.hpp"
#include "parallel/mpi.hpp"
#include "studies/lattice/estimate.hpp"
#include "studies/lattice/motion.hpp"
#include "studies/lattice/records.hpp"
#include "studies/program/report.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

class LatticeEvolution : public run::Evolution {
 public:
  explicit LatticeEvolution(LatticePlan& plan) : plan_(plan), motion_(plan), records_(plan, motion_) {}

  std::string solver() { return motion_.method().solver(); }
  std::vector<io::DataSetSpec> data_sets() const override { return lattice_data_sets(plan_); }
  void begin(run::Records& records) override {
    records_.enter_places(records);
    sample(records);
  }
  void state(run::StateFields& state) override {
    state.number("step", steps_);
    motion_.visit(state);
    records_.visit(state);
    if (!state.reading()) return;
    resumed_at_ = steps_;
    samples_ = steps_ / plan_.sample_steps + 1;
  }

  void advance(std::int64_t steps, run::Records&) override {
    const std::int64_t next = (steps_ / plan_.sample_steps + 1) * plan_.sample_steps;
    const std::int64_t until = std::min({steps_ + steps, next, plan_.steps});
    for (; steps_ < until && status_ == Status::pending; steps_ += status_ == Status::pending)
      status_ = motion_.step(steps_);
  }
  bool ended() const override { return steps_ >= plan_.steps || status_ != Status::pending; }
  void sample(run::Records& records) override {
    if (status_ != Status::pending || steps_ % plan_.sample_steps != 0) return;
    status_ = motion_.method().solve_velocity();
    if (status_ == Status::pending) {
      records_.enter(records, time(), steps_ / plan_.sample_steps);
      samples_ = steps_ / plan_.sample_steps + 1;
    }
  }
  void finish(run::Records& records) override {
    if (status_ == Status::pending) status_ = motion_.method().solve_velocity();
    if (status_ == Status::pending) status_ = Status::finished;
    records_.finish(records, last_time(), samples_);
    const auto code = static_cast<std::int32_t>(status_);
    records.one("/lattice/status", 0, &code, io::Turn::last);
  }

  run::Progress progress() const override { return run::Progress::of_steps(steps_, plan_.steps, plan_.step); }
  std::vector<run::Line> summary(const run::Effort& spent) override {
    std::vector<run::Line> lines{
        {"lattice", fmt::format("{} sites, {} to t = {:.6g}{}", plan_.sites(), name(status_), last_time(),
                                is_failure(status_) ? ": " + motion_.method().failure() : "")}};
    motion_.describe(lines, static_cast<double>(steps_ - resumed_at_), spent.integrate);
    records_.describe(lines);
    return lines;
  }
  bool failed() override { return is_failure(status_); }

 private:
  double time() const { return static_cast<double>(steps_) * plan_.step; }
  /// The time until which all went well; it may lie within a step that failed, where parts of it were done.
  double last_time() const { return time() + motion_.part_of_step(); }

  const LatticePlan& plan_;
  LatticeMotion motion_;
  LatticeRecords records_;
  std::int64_t steps_ = 0, resumed_at_ = 0, samples_ = 0;
  Status status_ = Status::pending;
};

ExitCode run(Task& task) {
  LatticePlan plan = read_lattice_plan(task);
  run::Settings settings = read_settings(task, "lattice", "lattice.h5");
  task.deck.finish();
  if (task.check) return exit_success;
  const la::Petsc petsc(task.petsc_options);
  if (task.dry_run) {
    parallel::on_rank_zero([&] { print(estimate(plan, settings.options)); });
    return exit_success;
  }
  LatticeEvolution evolution(plan);
  settings.petsc = la::petsc_version() + ": " + evolution.solver();
  const ExitCode code = drive(task, evolution, settings);
  if (code != exit_stopped && plan.on_grid())
    io::write_grid_xdmf(settings.file, plan.grid.length, plan.grid.rows);
  return code;
}

}  // namespace

Study lattice_study() {
  return {"lattice", "large Lagrangians as sums of local terms, over all ranks", run, lattice_example, true};
}

}  // namespace cotangent::studies
