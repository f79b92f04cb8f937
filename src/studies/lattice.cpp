// study = "lattice": a large Lagrangian as a sum of local terms, moved over all ranks. Each rank writes the
// rows of its sites; sums are the same to the bit on any number of ranks. The state is checkpointed in runs
// of sites, all of one step, in two generations; a run goes on from the last that is whole, on any number of
// ranks.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "integrators/gauss_tables.hpp"
#include "integrators/lobatto_spark.hpp"
#include "io/checkpoint_file.hpp"
#include "io/result_file.hpp"
#include "io/xdmf.hpp"
#include "la/petsc.hpp"
#include "parallel/mpi.hpp"
#include "studies/lattice_checkpoint.hpp"
#include "studies/lattice_samples.hpp"
#include "studies/long_run.hpp"
#include "studies/report.hpp"

namespace cotangent::studies {

namespace {

/// Numbers of a site in a checkpoint: collocation by Newton's method stores most, positions, momenta, what
/// they owe, where its matrices come from, and the stages.
std::int64_t most_components(const LatticePlan& plan) {
  return (6 + 2 * integrators::max_stages) * plan.dim();
}
enum Kind { verlet, fixed_point, newton, pair };

class LatticeRun {
 public:
  LatticeRun(Task& task, const LatticePlan& plan)
      : task_(task),
        plan_(plan),
        lattice_(plan.network ? lattice::lattice_on(*plan.network, *plan.model)
                              : lattice::lattice_on(plan.grid, *plan.model)),
        invariants_(invariants_of(plan, lattice_)),
        states_(plan.sites(), lattice_.here.range, most_components(plan)) {
    for (const std::int64_t site : plan.held) {
      const std::int64_t place = site - lattice_.here.range.first;
      if (place >= 0 && place < lattice_.own()) lattice_.held[static_cast<std::size_t>(place)] = 1;
    }
    kernel_ = plan.model->kernel(plan.parameters, lattice_.here);
    if (plan.model->constraints() > 0) multiplied_ = plan.model->multiplied(plan.parameters, lattice_.here);
  }

  ExitCode run() {
    started_ = parallel::wall_time();
    lattice::Field q, v;
    start_lattice(plan_, lattice_, q, v);
    kind_ = plan_.method == "lobatto-pair"                    ? pair
            : plan_.method != "gauss"                         ? verlet
            : plan_.solver == "newton" || !lattice_.separable ? newton
                                                              : fixed_point;
    make(std::move(q), std::move(v));
    open();
    part_[0] = parallel::wall_time() - started_;
    if (status_ == Status::pending) loop();
    const bool ended = status_ != Status::pending;
    if (ended) {
      io::CheckpointFile::remove(io::checkpoint_path(plan_.file));
      if (plan_.grid.rows > 1 && !plan_.network)
        io::write_grid_xdmf(plan_.file, result_->template read<double>(set("frame_time")), plan_.grid.length,
                            plan_.grid.rows);
    }
    const double wall = parallel::wall_time() - started_;
    result_->close({wall, {part_, part_ + 3}});
    report(wall);
    return !ended ? exit_stopped : is_failure(status_) ? exit_trajectories_failed : exit_success;
  }

 private:
  int set(const char* name) const { return result_->data_set(std::string("/lattice/") + name); }
  bool on_grid() const { return !plan_.network && plan_.grid.rows > 1; }

  void make(lattice::Field q, lattice::Field v) {
    if (kind_ == pair) {
      std::vector<lattice::TermInfo> constraints;
      for (auto& term : plan_.model->terms()) {
        if (term.constraint) constraints.push_back(term);
      }
      method_ = lattice::make_lobatto_pair(lattice_, multiplied_ ? *multiplied_ : *kernel_, constraints,
                                           integrators::LobattoTables::of(plan_.stages), std::move(q),
                                           std::move(v));
      return;
    }
    method_ =
        kind_ == verlet ? lattice::make_verlet(lattice_, *kernel_, plan_.shares, std::move(q), std::move(v))
        : kind_ == newton
            ? lattice::make_gauss_newton(lattice_, *kernel_, plan_.stages, std::move(q), std::move(v))
            : lattice::make_gauss_fixed_point(lattice_, *kernel_, plan_.stages, std::move(q), std::move(v));
  }

  io::ResultContent content() const {
    io::ResultContent content;
    content.study = "lattice";
    content.deck = task_.deck.resolved();
    content.command_line = task_.command_line;
    content.petsc_version = la::petsc_version();
    content.parts = {"start", "integrate", "write"};
    content.data_sets = lattice_data_sets(plan_);
    content.extra_bytes =
        io::CheckpointFile::file_bytes(states_.lanes() * parallel::size(), states_.payload());
    return content;
  }

  void open() {
    const io::ResultContent content = this->content();
    result_.emplace(begin_result(task_, plan_.file, content));
    if (task_.resume) {
      status_ = static_cast<Status>(result_->read<std::int32_t>(set("status")).front());
      complete_ = status_ != Status::pending;
      if (complete_) return;
    }
    const auto carried = carried_states(task_, plan_.file, content);
    const auto stored = states_.restored(carried);
    checkpoint_.emplace(io::checkpoint_path(plan_.file), states_.lanes(), states_.payload(),
                        fingerprint(content), carried);
    if (stored) return restore(*stored);
    write_places();
    sample();
  }

  void write_places() {
    std::vector<double> places;
    for (std::int64_t i = 0; i < lattice_.own(); ++i) {
      const auto at = plan_.place(lattice_.here.range.first + i);
      places.insert(places.end(), at.begin(), at.end());
    }
    parallel::agree([&] {
      if (lattice_.own() > 0)
        result_->write_rows(set("place"), lattice_.here.range.first, lattice_.own(), places.data());
      const std::int64_t shape[2] = {plan_.network ? plan_.sites() : plan_.grid.length,
                                     plan_.network ? 1 : plan_.grid.rows};
      if (parallel::rank() == 0) result_->write_rows(set("shape"), 0, 2, shape);
    });
  }

  /// One step; where the fixed point isn't found and the deck leaves the choice, by Newton's method from here
  /// on.
  Status step() {
    if (kind_ == fixed_point && plan_.solver == "auto") {
      const Status status = method_->attempt(plan_.step);
      if (status == Status::pending) return status;
      lattice::Field q = method_->position(), v = method_->velocity();
      kind_ = newton;
      make(std::move(q), std::move(v));
      switched_at_ = steps_;
    }
    const double before = method_->time();
    const Status status = lattice::advance(*method_, plan_.step);
    if (status != Status::pending) part_of_step_ = method_->time() - before;
    return status;
  }

  void loop() {
    Clock clock(started_, plan_.wall_minutes, plan_.checkpoint_minutes);
    const std::int64_t first = steps_;
    std::int64_t slice = 4;  // steps between two looks at clock and signals
    while (steps_ < plan_.steps && status_ == Status::pending) {
      const double before = parallel::wall_time();
      const std::int64_t done_before = steps_;
      const std::int64_t next = (steps_ / plan_.sample_steps + 1) * plan_.sample_steps;
      const std::int64_t until = std::min({steps_ + slice, next, plan_.steps});
      while (steps_ < until && status_ == Status::pending) {
        status_ = step();
        if (status_ == Status::pending) ++steps_;
      }
      const double after = parallel::wall_time();
      part_[1] += after - before;
      if (status_ != Status::pending) break;
      const double each =
          (after - before) / static_cast<double>(std::max<std::int64_t>(1, steps_ - done_before));
      slice =
          parallel::broadcast(static_cast<std::int64_t>(std::clamp(0.3 / std::max(each, 1e-9), 1.0, 1e6)));
      if (steps_ % plan_.sample_steps == 0) sample();
      const Wish wish = clock.wish();
      if (wish != Wish::go_on && steps_ < plan_.steps) {
        save();
        clock.stored();
        if (wish == Wish::stop) return;
      }
      if (clock.line_due() && steps_ < plan_.steps) {
        const double rate = static_cast<double>(steps_ - first) / (after - started_);
        fmt::print("t = {:.4g} of {:.4g} ({:.0f} %), {:.3g} steps a second, {:.3g} s left\n", time(),
                   static_cast<double>(plan_.steps) * plan_.step,
                   100.0 * static_cast<double>(steps_) / static_cast<double>(plan_.steps), rate,
                   static_cast<double>(plan_.steps - steps_) / rate);
        std::fflush(stdout);
      }
    }
    finish();
  }

  double time() const { return static_cast<double>(steps_) * plan_.step; }

  /// What is known at this time, as the next rows. Collective.
  void sample() {
    const double before = parallel::wall_time();
    const std::int64_t row = steps_ / plan_.sample_steps;
    const LatticeSample now = sample_lattice(plan_, lattice_, *kernel_, *method_, invariants_, time());
    if (row == 0) start_energy_ = now.energy[2];
    energy_error_ = std::max(energy_error_, std::abs(now.energy[2] - start_energy_));
    exact_error_ = std::max(exact_error_, now.exact_error);
    constraint_error_ = std::max(constraint_error_, now.constraint_error);
    parallel::agree([&] { write(*result_, plan_, lattice_, now, row); });
    part_[2] += parallel::wall_time() - before;
  }

  /// How it ended and where, and NaN where nothing was reached.
  void finish() {
    const double before = parallel::wall_time();
    if (status_ == Status::pending) status_ = Status::finished;
    const lattice::Field q = method_->position(), v = method_->velocity();
    parallel::agree([&] {
      write_last(*result_, lattice_, time() + part_of_step_, q, v);
      result_->sync();
      write_blank_samples(*result_, plan_, lattice_, steps_ / plan_.sample_steps + 1);
      if (parallel::rank() != 0) return;
      const auto code = static_cast<std::int32_t>(status_);
      result_->write_rows(set("status"), 0, 1, &code);
    });
    part_[2] += parallel::wall_time() - before;
  }

  /// A generation of the checkpoint. Collective.
  void save() {
    const double before = parallel::wall_time();
    const auto state = method_->site_state();
    std::vector<double> common = method_->common_state();
    common.insert(common.begin(), {static_cast<double>(kind_), start_energy_, energy_error_, exact_error_,
                                   constraint_error_});
    parallel::agree([&] {
      result_->sync();
      states_.write(*checkpoint_, steps_, state, common);
    });
    part_[2] += parallel::wall_time() - before;
  }

  /// Takes over a generation. Collective.
  void restore(const LatticeCheckpoint::State& stored) {
    const std::vector<double>& common = stored.common;
    const auto kind = static_cast<Kind>(common.at(0));
    if (kind != kind_) {
      lattice::Field q = method_->position(), v = method_->velocity();
      kind_ = kind;
      make(std::move(q), std::move(v));
    }
    start_energy_ = common.at(1);
    energy_error_ = common.at(2);
    exact_error_ = common.at(3);
    constraint_error_ = common.at(4);
    states_.read(stored, method_->site_state());
    method_->restore({common.begin() + 5, common.end()});
    steps_ = stored.step;
  }

  void report(double wall) {
    if (parallel::rank() != 0) return;
    if (complete_) {
      fmt::print("result            {} was complete\n", plan_.file);
      return;
    }
    auto& effort = method_->effort();
    const double steps = static_cast<double>(std::max<std::int64_t>(effort.steps, 1));
    const bool ended = status_ != Status::pending;
    std::string text =
        ended ? fmt::format("result            {}\n", plan_.file)
              : fmt::format("stopped at t = {:.6g}; go on with --resume. So far in {}\n", time(), plan_.file);
    text += fmt::format("lattice           {} sites, {} to t = {:.6g}", plan_.sites(),
                        ended ? std::string(name(status_)) : "pending", time() + part_of_step_);
    if (is_failure(status_)) text += ": " + method_->failure();
    text += fmt::format("\nmethod            {}{}\n", plan_.method,
                        kind_ == verlet                    ? ""
                        : kind_ == newton || kind_ == pair ? ", Newton's method"
                                                           : ", fixed-point iteration");
    if (switched_at_ >= 0)
      text += fmt::format(
          "                  the fixed-point iteration doesn't contract: Newton's method from step "
          "{} on; solver = \"newton\" or a smaller step avoids that\n",
          switched_at_);
    text += fmt::format("steps             {}, {:.3g} ns a site and step, {:.2f} iterations a step{}\n",
                        effort.steps, 1e9 * part_[1] / steps / static_cast<double>(plan_.sites()),
                        static_cast<double>(effort.iterations) / steps,
                        effort.halved > 0 ? fmt::format("; {} taken again in halves", effort.halved) : "");
    if (kind_ == newton || kind_ == pair)
      text += fmt::format("linear systems    {} factorised, {} solved\n", effort.factorisations,
                          effort.linear_solves);
    text += fmt::format("energy error      {:.3g} at worst, in the samples; relative {:.3g}\n", energy_error_,
                        energy_error_ / std::abs(start_energy_));
    if (plan_.model->constraints() > 0)
      text += fmt::format("constraint error  {:.3g} at worst, in the samples\n", constraint_error_);
    if (plan_.exact) text += fmt::format("exact motion      missed by {:.3g} at worst\n", exact_error_);
    text += fmt::format(
        "time              {:.3g} s on {} ranks: start {:.1f} %, integrate {:.1f} %, write {:.1f} %\n", wall,
        parallel::size(), 100 * part_[0] / wall, 100 * part_[1] / wall, 100 * part_[2] / wall);
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  Task& task_;
  const LatticePlan& plan_;
  lattice::Lattice lattice_;
  std::optional<lattice::Invariants> invariants_;
  std::unique_ptr<lattice::Kernel> kernel_, multiplied_;  // the other where there are constraints
  std::unique_ptr<lattice::Method> method_;
  Kind kind_ = fixed_point;
  std::optional<io::ResultFile> result_;
  std::optional<io::CheckpointFile> checkpoint_;
  LatticeCheckpoint states_;
  std::int64_t steps_ = 0, switched_at_ = -1;
  Status status_ = Status::pending;
  bool complete_ = false;
  double part_of_step_ = 0;  // that went well, of one that failed
  double start_energy_ = 0, energy_error_ = 0, exact_error_ = 0, constraint_error_ = 0, started_ = 0,
         part_[3] = {0, 0, 0};
};

ExitCode run(Task& task) {
  const LatticePlan plan = read_lattice_plan(task);
  if (task.check) return exit_success;
  const la::Petsc petsc(task.petsc_options);
  if (task.dry_run) {
    Estimate estimate;
    estimate.orbits = 1;
    const std::int64_t n = plan.sites() * plan.dim();
    const bool by_newton =
        plan.solver == "newton" || plan.method == "lobatto-pair" || !plan.model->separable();
    estimate.file_bytes =
        8 * (2 * n + plan.frames * (2 * n + 3 * plan.sites() * (plan.grid.rows > 1 ? 1 : 0)) +
             plan.samples * (4 + plan.mode_count) + 2 * plan.sites());
    estimate.rank_bytes =
        (std::int64_t{48} << 20) +
        (by_newton ? 600 + 420 * plan.dim() : 8 * (12 + 2 * plan.stages)) * n / parallel::size();
    // 3 ns a coordinate and stage in each of some 8 iterations; Newton's method takes 30 times as long.
    estimate.seconds = 2.5e-8 * static_cast<double>(plan.steps) * static_cast<double>(n) *
                       std::max<double>(plan.stages, static_cast<double>(plan.shares.size()) / 8) *
                       (by_newton ? 30 : 1) / parallel::size();
    parallel::on_rank_zero([&] { print(estimate); });
    return exit_success;
  }
  return LatticeRun(task, plan).run();
}

}  // namespace

Study lattice_study() {
  return {"lattice", "large Lagrangians as sums of local terms, over all ranks", run, lattice_example, true};
}

}  // namespace cotangent::studies
