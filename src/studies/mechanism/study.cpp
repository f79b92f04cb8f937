// study = "mechanism": point masses joined by rods, in free space or held on a surface, spread over all ranks
// (rods/rattle.hpp has the method). A run goes on from a checkpoint on the same number of ranks to
// the same bits, on another to round-off.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/names.hpp"
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
      : plan_(plan), rattle_(std::move(block), plan.options), rows_(plan, rattle_.block()) {
    refuse_unknown_options(rattle_);
  }

  std::string solver() const { return rattle_.solver(); }
  std::int64_t rod_count() const { return rows_.rod_count(); }
  std::int64_t point_count() const { return rattle_.block().point_runs().count; }

  std::vector<io::DataSetSpec> data_sets() const override { return rows_.data_sets(); }

  bool complete(const run::Records& records) override {
    status_ = static_cast<Status>(records.read<std::int32_t>("/particles/status").front());
    return status_ != Status::pending;
  }

  void begin(run::Records& records) override {
    rows_.write_start(records);
    start_energy_ = rattle_.kinetic_energy() + rattle_.potential_energy();
    sample(records);
  }

  void state(run::State& state) override {
    const auto& block = rattle_.block();
    rods::RodMemory memory = state.reading() ? rods::RodMemory{} : rattle_.memory();
    const run::Share points{point_count(), 0, block.reported_count(),
                            std::make_shared<const std::vector<std::int64_t>>(block.reported())};
    const run::Share rods{block.rod_runs().count, block.first_rod(), block.own_count(), nullptr};
    state.number("step", memory.steps);
    state.number("newton_iterations", memory.newton_iterations);
    state.number("linear_solves", memory.linear_solves);
    state.number("linear_iterations", memory.linear_iterations);
    state.number("constraint_error", memory.constraint_error);
    state.number("velocity_error", memory.velocity_error);
    state.number("start_energy", start_energy_);
    state.numbers("worst", std::span(worst_));
    state.rows("position", points, D, memory.position);
    state.rows("velocity", points, D, memory.velocity);
    state.rows("multiplier", rods, 1, memory.last);
    state.rows("multiplier_before", rods, 1, memory.before);
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
      worst_[1] = std::max(worst_[1], rattle_.constraint_error());
      worst_[2] = std::max(worst_[2], rattle_.velocity_error());
    }
  }
  bool ended() const override { return status_ != Status::pending || rattle_.effort().steps >= plan_.steps; }

  /// After a failure, the last good state.
  void sample(run::Records& records) override {
    const std::int64_t done = rattle_.effort().steps, row = done / plan_.sample_steps;
    if (done % plan_.sample_steps == 0 && status_ == Status::pending) return write(records, row);
    if (status_ != Status::pending) write(records, row + 1);
  }

  void finish(run::Records& records) override {
    const bool failed = status_ != Status::pending;
    if (failed) rows_.blank_from(records, rattle_.effort().steps / plan_.sample_steps + 2);
    if (!failed) status_ = Status::finished;
    const auto code = static_cast<std::int32_t>(status_);
    records.one("/particles/status", 0, &code, io::Turn::last);
    if (parallel::rank() == 0) records.rows("/particles/worst", 0, 3, worst_.data());
  }

  run::Progress progress() const override {
    return {static_cast<double>(rattle_.effort().steps), static_cast<double>(plan_.steps),
            fmt::format("t = {:.4g} of {:.4g}", rattle_.time(),
                        static_cast<double>(plan_.steps) * plan_.options.step)};
  }

  std::vector<run::Line> summary(const run::Effort& spent) override {
    const auto& effort = rattle_.effort();
    const double steps = static_cast<double>(std::max<std::int64_t>(effort.steps, 1));
    const auto points = static_cast<double>(point_count());
    std::string how = fmt::format("{}, {} to t = {:.6g}", rod_count(), name(status_), rattle_.time());
    if (is_failure(status_)) how += ": " + rattle_.failure() + "; a smaller step may go on";
    std::string counts = fmt::format("{}, {:.2f} Newton iterations and {:.2f} linear solves a step",
                                     effort.steps, static_cast<double>(effort.newton_iterations) / steps,
                                     static_cast<double>(effort.linear_solves) / steps);
    if (plan_.pairs.kernel)
      counts += fmt::format(
          "; {:.3g} point-steps a second, neighbours listed {} times",
          static_cast<double>(effort.steps - resumed_at_) * points / std::max(spent.integrate, 1e-9),
          rattle_.lists());
    return {{"rods", how},
            {"steps", counts},
            {"multipliers", solver()},
            {"energy error", fmt::format("{:.3g} at worst, in the samples", worst_[0])},
            {"constraint error", fmt::format("{:.3g} at worst, a length", worst_[1])},
            {"velocity error", fmt::format("{:.3g} at worst, of the largest speed", worst_[2])}};
  }
  bool failed() override { return is_failure(status_); }

 private:
  void write(run::Records& records, std::int64_t row) {
    const std::vector<double> multipliers = rattle_.multipliers();
    const double kinetic = rattle_.kinetic_energy(), potential = rattle_.potential_energy();
    worst_[0] = std::max(worst_[0], std::abs(kinetic + potential - start_energy_));
    if (row >= plan_.samples) return;
    rows_.write(records, row,
                {rattle_.time(),
                 {kinetic, potential, kinetic + potential},
                 rattle_.pair_energy(),
                 rattle_.constraint_error()},
                multipliers);
  }

  const MechanismPlan& plan_;
  rods::RodRattle<D> rattle_;
  MechanismRecords<D> rows_;
  Status status_ = Status::pending;
  std::int64_t resumed_at_ = 0;
  double start_energy_ = 0;
  std::vector<double> worst_{0, 0, 0};  // errors of energy, constraints, velocities
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
  if (code != exit_stopped) {
    const auto times = io::File::open(settings.file).read<double>("/particles/time");
    io::write_particles_xdmf(settings.file, times, mechanism.point_count(), D, mechanism.rod_count());
  }
  return code;
}

ExitCode run(Task& task) {
  return read_dimension(task) == 2 ? run_in<2>(task) : run_in<3>(task);
}

}  // namespace

Study mechanism_study() {
  return {"mechanism", "point masses joined by rods, free or held on a surface, over all ranks", run,
          mechanism_example, true};
}

}  // namespace cotangent::studies
