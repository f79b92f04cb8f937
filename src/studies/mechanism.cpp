// study = "mechanism": point masses joined by rods, in free space or held on a surface, spread over all ranks
// (particles/rod_rattle.hpp has the method). Each rank writes the rows of its points; the state is
// checkpointed by all ranks at one step, and a run goes on from the last step that all of them have stored:
// on the same number of ranks to the same bits, on another to round-off.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "core/names.hpp"
#include "io/checkpoint_file.hpp"
#include "io/result_file.hpp"
#include "io/xdmf.hpp"
#include "la/petsc.hpp"
#include "parallel/mpi.hpp"
#include "studies/long_run.hpp"
#include "studies/mechanism_rows.hpp"
#include "studies/report.hpp"

namespace cotangent::studies {

namespace {

template <int D>
class Mechanism {
 public:
  Mechanism(Task& task, const MechanismPlan& plan, particles::RodBlock<D>&& block)
      : task_(task),
        plan_(plan),
        rattle_(std::move(block), plan.options),
        rows_(plan, rattle_.block()) {
    refuse_unknown_options();
  }

  io::ResultContent content() const {
    io::ResultContent content;
    content.study = "mechanism";
    content.deck = task_.deck.resolved();
    content.data_sets = rows_.data_sets();
    content.parts = {"start", "integrate", "write"};
    content.command_line = task_.command_line;
    content.petsc_version = la::petsc_version();
    content.extra_bytes = io::CheckpointFile::file_bytes(2 * parallel::size(), 8 * payload_);
    return content;
  }

  ExitCode run() {
    started_ = parallel::wall_time();
    payload_ = parallel::maximum(static_cast<std::int64_t>(packed().size()));
    open();
    part_[0] = parallel::wall_time() - started_;
    if (status_ == Status::pending) loop();
    if (status_ != Status::pending) {
      io::CheckpointFile::remove(io::checkpoint_path(plan_.file));
      io::write_particles_xdmf(plan_.file, result_->template read<double>(set("time")),
                               point_count(), D, rows_.rod_count());
    }
    const double wall = parallel::wall_time() - started_;
    result_->close({wall, {part_, part_ + 3}});
    report(wall);
    if (status_ == Status::pending) return exit_stopped;
    return is_failure(status_) ? exit_trajectories_failed : exit_success;
  }

 private:
  /// A PETSc option that nothing has asked for by the end of a step is misspelt.
  void refuse_unknown_options() {
    if (la::unused_options().empty()) return;
    rattle_.rehearse();
    const std::vector<std::string> unused = la::unused_options();
    if (unused.empty()) return;
    std::vector<std::string> common{"-log_view", "-options_left"};
    for (const char* system : {"position_", "velocity_", "position_saddle_", "velocity_saddle_"}) {
      for (const char* option :
           {"ksp_type", "ksp_rtol", "ksp_atol", "ksp_max_it", "ksp_monitor", "ksp_converged_reason",
            "ksp_gmres_restart", "pc_type", "pc_factor_mat_solver_type", "pc_factor_shift_type"})
        common.push_back(std::string("-") + system + option);
    }
    for (const char* option : {"type", "monitor", "converged_reason", "linesearch_type", "max_it"})
      common.push_back(std::string("-position_snes_") + option);
    const std::string name = unused.front().substr(0, unused.front().find(' '));
    const std::string meant = nearest(name, common);
    throw Error("PETSc option '" + name + "' after --: nothing in this run asks for it" +
                (is_likely(name, meant) ? "; did you mean '" + meant + "'?"
                                        : "; the solvers' options begin with -position_ and -velocity_"));
  }

  std::int64_t point_count() const { return rattle_.block().point_runs().count; }
  int set(const char* name) const { return result_->data_set(std::string("/particles/") + name); }

  /// This rank's state for the checkpoint: the number of ranks, the step, the worst errors, the memory, which
  /// points and rods it is of.
  std::vector<double> packed() const {
    const particles::RodMemory memory = rattle_.memory();
    const std::vector<std::int64_t> points = rattle_.block().reported();
    std::vector<double> state{static_cast<double>(parallel::size()),
                              static_cast<double>(memory.steps),
                              energy_,
                              worst_[0],
                              worst_[1],
                              worst_[2],
                              static_cast<double>(memory.newton_iterations),
                              static_cast<double>(memory.linear_solves),
                              static_cast<double>(memory.linear_iterations),
                              memory.constraint_error,
                              memory.velocity_error,
                              static_cast<double>(points.size()),
                              static_cast<double>(rattle_.block().first_rod()),
                              static_cast<double>(rattle_.block().own_count())};
    state.insert(state.end(), points.begin(), points.end());
    for (const auto* rows : {&memory.position, &memory.velocity, &memory.last, &memory.before})
      state.insert(state.end(), rows->begin(), rows->end());
    return state;
  }

  /// What of one rank's state this rank now needs.
  void unpack(const std::vector<double>& state, particles::RodMemory& memory) {
    const auto& block = rattle_.block();
    const std::vector<std::int64_t> mine = block.reported();
    energy_ = state[2];
    std::copy_n(state.begin() + 3, 3, worst_);
    const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
    memory.steps = whole(state[1]);
    memory.newton_iterations = whole(state[6]);
    memory.linear_solves = whole(state[7]);
    memory.linear_iterations = whole(state[8]);
    memory.constraint_error = state[9];
    memory.velocity_error = state[10];
    memory.position.resize(D * mine.size());
    memory.velocity.resize(D * mine.size());
    memory.last.resize(static_cast<std::size_t>(block.own_count()));
    memory.before.resize(memory.last.size());
    const std::int64_t points = whole(state[11]), first = whole(state[12]), rods = whole(state[13]);
    const double *number = state.data() + 14, *row = number + points, *rod = row + 2 * D * points;
    for (std::int64_t i = 0; i < points; ++i) {
      const auto found = std::ranges::lower_bound(mine, whole(number[i]));
      if (found == mine.end() || *found != whole(number[i])) continue;
      std::copy_n(row + D * i, D, memory.position.begin() + D * (found - mine.begin()));
      std::copy_n(row + D * (points + i), D, memory.velocity.begin() + D * (found - mine.begin()));
    }
    for (std::int64_t k = 0; k < rods; ++k) {
      const std::int64_t own = first + k - block.first_rod();
      if (own < 0 || own >= block.own_count()) continue;
      memory.last[static_cast<std::size_t>(own)] = rod[k];
      memory.before[static_cast<std::size_t>(own)] = rod[rods + k];
    }
  }

  void open() {
    const io::ResultContent content = this->content();
    result_.emplace(begin_result(task_, plan_.file, content, {"output"}));
    if (task_.resume) {
      status_ = static_cast<Status>(result_->template read<std::int32_t>(set("status")).front());
      const auto worst = result_->template read<double>(set("worst"));
      if (status_ != Status::pending) {
        std::ranges::copy(worst, worst_);
        return;
      }
    }
    const auto carried = carried_states(task_, plan_.file, content);
    for (const auto& state : carried)
      payload_ = std::max(payload_, std::ssize(state.payload) / 8);  // longer where ranks were fewer
    restore(carried);
    checkpoint_.emplace(io::checkpoint_path(plan_.file), 2, 8 * payload_, fingerprint(content), carried);
    if (rattle_.effort().steps == 0) begin();
  }

  /// Goes on from the last step that all ranks have stored, if there is one.
  void restore(const std::vector<io::CheckpointState>& carried) {
    // By step and number of ranks that stored it; of each rank, in order, what it stored.
    std::map<std::pair<double, double>, std::map<std::int64_t, std::vector<double>>> stored;
    std::map<std::pair<double, double>, std::int64_t> slot;
    for (const auto& state : carried) {
      std::vector<double> numbers(state.payload.size() / sizeof(double));
      std::memcpy(numbers.data(), state.payload.data(), state.payload.size());
      const std::pair key(numbers.at(1), numbers.at(0));
      slot[key] = state.id % 2;
      stored[key][state.id / 2] = std::move(numbers);
    }
    for (auto last = stored.rbegin(); last != stored.rend(); ++last) {
      if (static_cast<double>(last->second.size()) < last->first.second) continue;
      particles::RodMemory memory;
      for (const auto& [rank, numbers] : last->second) unpack(numbers, memory);
      rattle_.restore(memory);
      resumed_at_ = rattle_.effort().steps;
      stored_ = slot[last->first] + 1;  // what it goes on from stays until the next one is whole
      return;
    }
  }

  void begin() {
    parallel::agree([&] { rows_.write_start(*result_); });
    energy_ = rattle_.kinetic_energy() + rattle_.potential_energy();
    sample(0);
  }

  void loop() {
    Clock clock(started_, plan_.wall_minutes, plan_.checkpoint_minutes);
    const std::int64_t first = rattle_.effort().steps;
    while (rattle_.effort().steps < plan_.steps) {
      const double before = parallel::wall_time();
      const std::int64_t step = rattle_.effort().steps;
      const std::int64_t until =
          std::min({step + poll_, plan_.steps, (step / plan_.sample_steps + 1) * plan_.sample_steps});
      while (rattle_.effort().steps < until && status_ == Status::pending) {
        status_ = rattle_.advance();
        worst_[1] = std::max(worst_[1], rattle_.constraint_error());
        worst_[2] = std::max(worst_[2], rattle_.velocity_error());
      }
      const double after = parallel::wall_time();
      part_[1] += after - before;
      const std::int64_t done = rattle_.effort().steps;
      if (status_ != Status::pending) {
        sample((done + plan_.sample_steps - 1) / plan_.sample_steps +
               (done % plan_.sample_steps == 0 ? 1 : 0));
        break;
      }
      if (done % plan_.sample_steps == 0) sample(done / plan_.sample_steps);
      const Wish wish = clock.wish();
      if (wish != Wish::go_on && done < plan_.steps) {
        save();
        clock.stored();
      }
      if (wish == Wish::stop) return;
      if (clock.line_due() && done < plan_.steps) {
        const double rate = static_cast<double>(done - first) / (after - started_);
        fmt::print("t = {:.4g} of {:.4g} ({:.0f} %), {:.3g} steps a second, {:.3g} s left\n", rattle_.time(),
                   static_cast<double>(plan_.steps) * plan_.options.step,
                   100.0 * static_cast<double>(done) / static_cast<double>(plan_.steps), rate,
                   static_cast<double>(plan_.steps - done) / rate);
        std::fflush(stdout);
      }
    }
    if (status_ == Status::pending) status_ = Status::finished;
    parallel::on_rank_zero([&] {
      const auto code = static_cast<std::int32_t>(status_);
      result_->write_rows(set("worst"), 0, 3, worst_);
      result_->write_rows(set("status"), 0, 1, &code);
    });
  }

  void save() {
    const double before = parallel::wall_time();
    parallel::agree([&] {
      result_->sync();
      const std::vector<double> state = packed();
      const int slot =
          static_cast<int>(stored_++ % 2);  // two slots in turn: a torn pair leaves the older one whole
      checkpoint_->write(slot, 2 * parallel::rank() + slot, std::as_bytes(std::span(state)));
      checkpoint_->sync();
    });
    part_[2] += parallel::wall_time() - before;
  }

  /// The state as row `row`; after a failure, NaN in all rows that follow. Collective.
  void sample(std::int64_t row) {
    const double before = parallel::wall_time();
    const std::vector<double> multiplier = rattle_.multipliers();
    const double kinetic = rattle_.kinetic_energy(), potential = rattle_.potential_energy();
    const typename MechanismRows<D>::Scalars scalars{rattle_.time(),
                                                     {kinetic, potential, kinetic + potential},
                                                     rattle_.pair_energy(),
                                                     rattle_.constraint_error()};
    worst_[0] = std::max(worst_[0], std::abs(scalars.energy[2] - energy_));
    parallel::agree([&] {
      if (row < plan_.samples) rows_.write(*result_, row, scalars, multiplier);
      if (status_ != Status::pending) {
        for (std::int64_t later = row + 1; later < plan_.samples; ++later)
          rows_.write_nothing(*result_, later);
      }
    });
    part_[2] += parallel::wall_time() - before;
  }

  void report(double wall) {
    if (parallel::rank() != 0) return;
    const auto& effort = rattle_.effort();
    const double steps = static_cast<double>(std::max<std::int64_t>(effort.steps, 1));
    std::string text = status_ == Status::pending
                           ? fmt::format("stopped at t = {:.6g}; go on with --resume. So far in {}\n",
                                         rattle_.time(), plan_.file)
                           : fmt::format("result            {}\n", plan_.file);
    text += fmt::format("rods              {}, {} to t = {:.6g}", rows_.rod_count(),
                        status_ == Status::pending ? "pending" : std::string(name(status_)), rattle_.time());
    const std::string listed =
        plan_.pairs.kernel
            ? fmt::format("; {:.3g} point-steps a second, neighbours listed {} times",
                          static_cast<double>(effort.steps - resumed_at_) *
                              static_cast<double>(point_count()) / std::max(part_[1], 1e-9),
                          rattle_.lists())
            : "";
    if (is_failure(status_)) text += ": " + rattle_.failure() + "; a smaller step may go on";
    text += fmt::format(
        "\nsteps             {}, {:.2f} Newton iterations and {:.2f} linear solves a step{}\n"
        "energy error      {:.3g} at worst, in the samples\n"
        "constraint error  {:.3g} at worst, a length\n"
        "velocity error    {:.3g} at worst, of the largest speed\n"
        "time              {:.3g} s on {} ranks: start {:.1f} %, integrate {:.1f} %, write {:.1f} %\n",
        effort.steps, static_cast<double>(effort.newton_iterations) / steps,
        static_cast<double>(effort.linear_solves) / steps, listed, worst_[0], worst_[1], worst_[2], wall,
        parallel::size(), 100 * part_[0] / wall, 100 * part_[1] / wall, 100 * part_[2] / wall);
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  static constexpr std::int64_t poll_ = 64;
  Task& task_;
  const MechanismPlan& plan_;
  particles::RodRattle<D> rattle_;
  MechanismRows<D> rows_;
  std::optional<io::ResultFile> result_;
  std::optional<io::CheckpointFile> checkpoint_;
  std::int64_t payload_ = 0, stored_ = 0, resumed_at_ = 0;
  Status status_ = Status::pending;
  double energy_ = 0, worst_[3] = {0, 0, 0}, started_ = 0, part_[3] = {0, 0, 0};
};

template <int D>
ExitCode run_in(Task& task) {
  particles::RodShare<D> rods = read_rods<D>(task);
  MechanismPlan plan = read_plan<D>(task, rods);
  particles::RodBlock<D> block = block_of<D>(task, plan, std::move(rods));
  if (task.check) return exit_success;
  const la::Petsc petsc(task.petsc_options);
  if (task.dry_run) {
    Estimate estimate;
    estimate.orbits = 1;
    const std::int64_t points = block.point_runs().count, joined = block.rod_runs().count;
    estimate.file_bytes = 8 * plan.samples * (2 * D * points + joined + 6);
    estimate.rank_bytes = (std::int64_t{48} << 20) + 8 * points * (30 * D + 40) / parallel::size();
    // 100 ns a rod and step, on a surface 400 ns and as much a hold, 200 ns a point that feels others, and
    // what PETSc's calls take.
    const double each = (block.surface() ? 4e-7 : 1e-7) * static_cast<double>(joined) +
                        (plan.pairs.kernel ? 2e-7 : 0.0) * static_cast<double>(points);
    estimate.seconds = static_cast<double>(plan.steps) * (2e-5 + each / parallel::size());
    parallel::on_rank_zero([&] { print(estimate); });
    return exit_success;
  }
  return Mechanism<D>(task, plan, std::move(block)).run();
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
