// SPDX-License-Identifier: BSD-3-Clause
// study = "mechanism": point masses joined by rods, in free space or held on a surface, spread over all ranks
// (rods/rattle.hpp has the method). A run goes on from a checkpoint on the same number of ranks to
// the same bits, on another to round-off.
#include <algorithm>

#include "io/xdmf.hpp"
#include "la/petsc.hpp"
#include "parallel/mpi.hpp"
#include "studies/mechanism/records.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

template <int D>
class Mechanism : public run::Evolution {
 public:
  Mechanism(const MechanismPlan& plan, rods::RodBlock<D>&& block)
      : plan_(plan), rattle_(std::move(block), plan.options), records_(plan, rattle_) {
    refuse_unknown_options(rattle_);
  }

  std::string solver() const { return rattle_.solver(); }
  std::vector<io::DataSetSpec> data_sets() const override { return records_.data_sets(); }

  void begin(run::Records& records) override {
    records_.write_start(records);
    records_.observe();
    records_.sample(records, 0);
  }

  void state(run::StateFields& state) override {
    rods::RodMemory memory = state.reading() ? rods::RodMemory{} : rattle_.memory();
    records_.visit(state, memory);
    if (!state.reading()) return;
    rattle_.restore(memory);
    resumed_at_ = memory.steps;
  }

  void advance(std::int64_t steps, run::Records&) override {
    const std::int64_t done = rattle_.effort().steps;
    const std::int64_t next = (done / plan_.sample_steps + 1) * plan_.sample_steps;
    const std::int64_t until = std::min({done + steps, next, plan_.steps});
    while (rattle_.effort().steps < until && status_ == Status::pending) {
      status_ = rattle_.advance();
      records_.observe();
    }
  }
  bool ended() const override { return status_ != Status::pending || rattle_.effort().steps >= plan_.steps; }
  /// After a failure, the last good state.
  void sample(run::Records& records) override {
    if (status_ != Status::pending) return records_.sample(records, row() + 1);
    if (rattle_.effort().steps % plan_.sample_steps == 0) records_.sample(records, row());
  }

  void finish(run::Records& records) override {
    if (status_ == Status::pending) status_ = Status::finished;
    records_.finish(records, status_, row() + 1);
  }

  run::Progress progress() const override {
    return run::Progress::of_steps(rattle_.effort().steps, plan_.steps, plan_.options.step);
  }
  std::vector<run::Line> summary(const run::Effort& spent) override {
    return records_.describe(status_, resumed_at_, spent.integrate);
  }
  bool failed() override { return is_failure(status_); }

 private:
  std::int64_t row() const { return rattle_.effort().steps / plan_.sample_steps; }

  const MechanismPlan& plan_;
  rods::RodRattle<D> rattle_;
  MechanismRecords<D> records_;
  Status status_ = Status::pending;
  std::int64_t resumed_at_ = 0;
};

template <int D>
ExitCode run_in(Task& task) {
  rods::RodShare<D> rods = read_rods<D>(task);
  MechanismPlan plan = read_plan<D>(task, rods);
  run::Settings settings = read_settings(task, "mechanism", "mechanism.h5");
  task.deck.finish();
  rods::RodBlock<D> block = block_of<D>(task, plan, std::move(rods));
  if (task.check) return exit_success;
  const la::Petsc petsc(task.petsc_options);
  if (task.dry_run) {
    const Estimate estimate = estimated<D>(task, plan, block);
    parallel::on_rank_zero([&] { print(estimate); });
    return exit_success;
  }
  Mechanism<D> mechanism(plan, std::move(block));
  settings.petsc = la::petsc_version() + "; multipliers: " + mechanism.solver();
  const ExitCode code = drive(task, mechanism, settings);
  if (code != exit_stopped) io::write_particles_xdmf(settings.file);
  return code;
}

ExitCode run(Task& task) {
  const io::Table model = task.deck.table("model");
  model.choice("name", {"rod-chain"});
  return read_dimension(model) == 2 ? run_in<2>(task) : run_in<3>(task);
}

}  // namespace

Study mechanism_study() {
  return {"mechanism", "point masses joined by rods, free or held on a surface, over all ranks", run,
          mechanism_example, true};
}

}  // namespace cotangent::studies
