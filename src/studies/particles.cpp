// study = "particles": particles that interact on a surface, spread over all ranks (particles/swarm.hpp moves
// them). Results are by id, whatever the ranks: each rank writes the rows of a run of ids.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "io/checkpoint_file.hpp"
#include "io/result_file.hpp"
#include "io/xdmf.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"
#include "studies/long_run.hpp"
#include "studies/particle_checkpoint.hpp"
#include "studies/particle_rows.hpp"
#include "studies/report.hpp"
#include "studies/surface.hpp"

namespace cotangent::studies {

namespace {

using particles::Particle;

class ParticleRun {
 public:
  ParticleRun(Task& task, const ParticlePlan& plan, const ParticleStarts& starts,
              const mechanics::Triangulation& surface)
      : task_(task),
        plan_(plan),
        starts_(starts),
        surface_(surface),
        states_(plan.count, 64 + plan.pair_bins) {}

  ExitCode run() {
    started_ = parallel::wall_time();
    open();
    part_[0] = parallel::wall_time() - started_;
    if (!ended_) loop();
    if (ended_) {
      io::CheckpointFile::remove(io::checkpoint_path(plan_.file));
      io::write_particles_xdmf(plan_.file, result_->template read<double>(set("time")), plan_.count, 3, 0);
    }
    const double wall = parallel::wall_time() - started_;
    result_->close({wall, {part_, part_ + 3}});
    report(wall);
    if (!ended_) return exit_stopped;
    return failed_ > 0 ? exit_trajectories_failed : exit_success;
  }

 private:
  int set(const char* name) const { return result_->data_set(std::string("/particles/") + name); }
  static std::int64_t first_id(std::int64_t count, int rank) { return count * rank / parallel::size(); }
  /// The rank that writes a particle's rows.
  int writer(std::int64_t id) const {
    int rank = static_cast<int>(id * parallel::size() / plan_.count);
    while (rank + 1 < parallel::size() && first_id(plan_.count, rank + 1) <= id) ++rank;
    while (first_id(plan_.count, rank) > id) --rank;
    return rank;
  }

  io::ResultContent content() const {
    io::ResultContent content;
    content.study = "particles";
    content.deck = task_.deck.resolved();
    content.data_sets = particle_data_sets(plan_, surface_);
    content.parts = {"start", "integrate", "write"};
    content.command_line = task_.command_line;
    content.extra_bytes =
        io::CheckpointFile::file_bytes(states_.lanes() * parallel::size(), states_.payload());
    return content;
  }

  void open() {
    const io::ResultContent content = this->content();
    pair_sums_.assign(static_cast<std::size_t>(plan_.pair_bins), 0);
    result_.emplace(begin_result(task_, plan_.file, content));
    if (task_.resume) {
      const auto status = result_->read<std::int32_t>(set("status"));
      if (status.front() != static_cast<std::int32_t>(Status::pending)) {
        ended_ = true;
        failed_ = std::ranges::count_if(status, [](auto s) { return is_failure(static_cast<Status>(s)); });
        return;
      }
    }
    const auto carried = carried_states(task_, plan_.file, content);
    auto stored = states_.restored(carried);
    checkpoint_.emplace(io::checkpoint_path(plan_.file), states_.lanes(), states_.payload(),
                        fingerprint(content), carried);
    if (stored) {
      resumed_at_ = stored->step;
      start_energy_ = stored->whole.at(0);
      energy_error_ = stored->whole.at(1);
      kinetic_sum_ = stored->whole.at(2);
      constraint_error_ = stored->whole.at(3);
      for (std::size_t k = 0; k < pair_sums_.size(); ++k)
        pair_sums_[k] = static_cast<std::int64_t>(stored->whole.at(4 + k));
      swarm_.emplace(*plan_.motion, *plan_.pairs.kernel, plan_.options, std::move(stored->particles),
                     resumed_at_);
      return;
    }
    swarm_.emplace(*plan_.motion, *plan_.pairs.kernel, plan_.options, starts_.make(surface_));
    judge_start();
    if (plan_.surface_cells > 0) parallel::on_rank_zero([&] { write(*result_, surface_); });
    sample();
  }

  /// Refuses particles so close that their energy isn't a number.
  void judge_start() {
    std::vector<double> kinetic, potential;
    swarm_->energies(kinetic, potential);
    parallel::agree([&] {
      const auto& cloud = swarm_->cloud();
      for (int i = 0; i < cloud.own; ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (std::isfinite(potential[k])) continue;
        for (const int row : swarm_->lists().of(i)) {
          const auto other = static_cast<std::size_t>(row);
          if (std::equal(cloud.position.begin() + 4 * i, cloud.position.begin() + 4 * i + 3,
                         cloud.position.begin() + 4 * static_cast<std::ptrdiff_t>(other)))
            throw Error(fmt::format("particles {} and {} start at one point, where {} is infinite",
                                    cloud.id[k], cloud.id[other], plan_.pairs.potential->name()));
        }
        throw Error(fmt::format("particle {} starts with an energy that isn't finite", cloud.id[k]));
      }
    });
  }

  void loop() {
    Clock clock(started_, plan_.wall_minutes, plan_.checkpoint_minutes);
    const std::int64_t first = swarm_->steps();
    bool stopped = false;
    std::int64_t slice = 8;  // steps between two looks at clock and signals: about a second
    while (swarm_->steps() < plan_.steps && !stopped) {
      const double before = parallel::wall_time();
      const std::int64_t done_before = swarm_->steps();
      const std::int64_t next = (done_before / plan_.sample_steps + 1) * plan_.sample_steps;
      swarm_->advance(std::min({slice, next - done_before, plan_.steps - done_before}), plan_.go_on);
      const double after = parallel::wall_time();
      part_[1] += after - before;
      const std::int64_t done = swarm_->steps();
      const double each = (after - before) / static_cast<double>(done - done_before);
      slice =
          parallel::broadcast(static_cast<std::int64_t>(std::clamp(0.5 / std::max(each, 1e-9), 1.0, 1e5)));
      failed_ = swarm_->failed();
      const bool enough = failed_ > 0 && !plan_.go_on;
      if (done % plan_.sample_steps == 0) sample();
      const Wish wish = clock.wish();
      if (wish != Wish::go_on && done < plan_.steps && !enough) {
        save();
        clock.stored();
        stopped = wish == Wish::stop;
      }
      if (enough) break;
      if (clock.line_due() && done < plan_.steps) {
        const double rate = static_cast<double>(done - first) / (after - started_);
        fmt::print("t = {:.4g} of {:.4g} ({:.0f} %), {:.3g} particle-steps a second, {:.3g} s left\n",
                   swarm_->time(), static_cast<double>(plan_.steps) * plan_.options.step,
                   100.0 * static_cast<double>(done) / static_cast<double>(plan_.steps),
                   rate * static_cast<double>(plan_.count), static_cast<double>(plan_.steps - done) / rate);
        std::fflush(stdout);
      }
    }
    if (!stopped) finish();
  }

  /// What is to be written of each particle, at the ranks that write it, in the order of the ids. Collective.
  template <class Row>
  std::vector<Row> by_id() const {
    const auto& cloud = swarm_->cloud();
    std::vector<std::size_t> count(static_cast<std::size_t>(parallel::size()), 0);
    std::vector<std::vector<Row>> to(count.size());
    for (int i = 0; i < cloud.own; ++i)
      ++count[static_cast<std::size_t>(writer(cloud.id[static_cast<std::size_t>(i)]))];
    for (std::size_t r = 0; r < to.size(); ++r) to[r].reserve(count[r]);
    for (int i = 0; i < cloud.own; ++i) {
      const Particle p = cloud.particle(i);
      to[static_cast<std::size_t>(writer(p.id))].emplace_back(p);
    }
    auto mine = parallel::exchange(std::move(to));
    std::ranges::sort(mine, {}, &Row::id);
    return mine;
  }
  struct Moment {
    std::int64_t id = 0;
    std::array<double, 3> q{}, v{};
    Moment() = default;
    explicit Moment(const Particle& p) : id(p.id), q(p.q), v(p.v) {}
  };
  struct End {
    std::int64_t id = 0, status = 0;
    End() = default;
    explicit End(const Particle& p) : id(p.id), status(p.status) {}
  };

  /// Everything that is known at this time, as the next rows. Collective.
  void sample() {
    const double before = parallel::wall_time();
    const std::int64_t row = swarm_->steps() / plan_.sample_steps;
    const ParticleTotals all = totals(*swarm_, plan_.motion->mass());
    const double error = swarm_->constraint_error(), n = static_cast<double>(plan_.count);
    const double energy[3] = {all.kinetic, all.potential, all.kinetic + all.potential};
    const double temperature = all.kinetic / n, spread = all.squared_ways / n, time = swarm_->time();
    if (row == 0) start_energy_ = energy[2];
    energy_error_ = std::max(energy_error_, std::abs(energy[2] - start_energy_));
    kinetic_sum_ += all.kinetic;
    constraint_error_ = std::max(constraint_error_, error);
    if (plan_.pair_bins > 0 && row > 0) {
      const auto counts = parallel::sum(swarm_->pair_counts(plan_.pair_bins));
      for (std::size_t k = 0; k < counts.size(); ++k) pair_sums_[k] += counts[k];
    }
    const bool frame = row % plan_.frame_samples == 0;
    const auto mine = frame ? by_id<Moment>() : std::vector<Moment>{};
    parallel::agree([&] {
      if (parallel::rank() == 0) {
        result_->write_rows(set("sample_time"), row, 1, &time);
        result_->write_rows(set("energy"), row, 1, energy);
        result_->write_rows(set("temperature"), row, 1, &temperature);
        result_->write_rows(set("constraint_error"), row, 1, &constraint_error_);
        result_->write_rows(set("momentum"), row, 1, all.momentum.data());
        result_->write_rows(set("mean_square_displacement"), row, 1, &spread);
      }
      if (frame) write_frame(row / plan_.frame_samples, time, mine);
    });
    part_[2] += parallel::wall_time() - before;
  }

  void write_frame(std::int64_t row, double time, const std::vector<Moment>& mine) {
    if (parallel::rank() == 0) result_->write_rows(set("time"), row, 1, &time);
    if (mine.empty()) return;
    const std::int64_t offset[3] = {row, mine.front().id, 0}, count[3] = {1, std::ssize(mine), 3};
    std::vector<double> numbers;
    numbers.reserve(3 * mine.size());
    for (const auto& [name, part] : {std::pair("position", &Moment::q), std::pair("velocity", &Moment::v)}) {
      numbers.clear();
      for (const Moment& p : mine) numbers.insert(numbers.end(), (p.*part).begin(), (p.*part).end());
      result_->write(set(name), offset, count, numbers.data());
    }
  }

  /// How each particle ended, and NaN where nothing was reached.
  void finish() {
    const double before = parallel::wall_time();
    ended_ = true;
    const auto mine = by_id<End>();
    parallel::agree([&] {
      std::vector<std::int32_t> status;
      for (const End& p : mine) {
        const bool pending = p.status == static_cast<std::int64_t>(Status::pending);
        status.push_back(pending ? static_cast<std::int32_t>(Status::finished)
                                 : static_cast<std::int32_t>(p.status));
      }
      const std::int64_t row = swarm_->steps() / plan_.sample_steps + 1;
      if (parallel::rank() == 0) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const std::vector<double> blank(6, nan);
        for (std::int64_t later = row; later < plan_.samples; ++later) {
          for (const char* name : {"sample_time", "energy", "temperature", "constraint_error", "momentum",
                                   "mean_square_displacement"})
            result_->write_rows(set(name), later, 1, blank.data());
        }
        const std::int64_t frames = (row - 1) / plan_.frame_samples + 1;
        const std::vector<double> none(frames < plan_.frames ? static_cast<std::size_t>(3 * plan_.count) : 0,
                                       nan);
        for (std::int64_t later = frames; later < plan_.frames; ++later) {
          for (const char* name : {"time", "position", "velocity"})
            result_->write_rows(set(name), later, 1, none.data());
        }
        if (plan_.pair_bins > 0) write_pairs(row - 1);
      }
      result_->sync();
      if (!mine.empty()) result_->write_rows(set("status"), mine.front().id, std::ssize(mine), status.data());
    });
    part_[2] += parallel::wall_time() - before;
  }

  void write_pairs(std::int64_t samples) {
    std::vector<double> distance, correlation;
    const double width = plan_.options.sight / plan_.pair_bins, n = static_cast<double>(plan_.count);
    const double density = n / surface_.area();
    for (int k = 0; k < plan_.pair_bins; ++k) {
      distance.push_back((k + 0.5) * width);
      const double ring = std::numbers::pi * width * width * (2 * k + 1);
      const double even = n * density * ring * static_cast<double>(std::max<std::int64_t>(1, samples));
      correlation.push_back(static_cast<double>(pair_sums_[static_cast<std::size_t>(k)]) / even);
    }
    result_->write_rows(set("pair_distance"), 0, plan_.pair_bins, distance.data());
    result_->write_rows(set("pair_correlation"), 0, plan_.pair_bins, correlation.data());
  }

  /// A generation of the checkpoint. Collective.
  void save() {
    const double before = parallel::wall_time();
    constraint_error_ = std::max(constraint_error_, swarm_->constraint_error());
    std::vector<double> whole{start_energy_, energy_error_, kinetic_sum_, constraint_error_};
    for (const std::int64_t pairs : pair_sums_) whole.push_back(static_cast<double>(pairs));
    const auto mine = ParticleCheckpoint::gathered(swarm_->cloud());
    parallel::agree([&] {
      result_->sync();
      states_.write(*checkpoint_, swarm_->steps(), mine, whole);
    });
    part_[2] += parallel::wall_time() - before;
  }

  void report(double wall) {
    if (parallel::rank() != 0) return;
    std::string text;
    if (!swarm_) {
      text = fmt::format("result            {} was complete\n", plan_.file);
    } else {
      const auto& effort = swarm_->effort();
      const double steps = static_cast<double>(std::max<std::int64_t>(1, effort.steps - resumed_at_));
      const double samples = static_cast<double>(swarm_->steps() / plan_.sample_steps + 1);
      const double kinetic = kinetic_sum_ / samples;
      text = ended_ ? fmt::format("result            {}\n", plan_.file)
                    : fmt::format("stopped at t = {:.6g}; go on with --resume. So far in {}\n",
                                  swarm_->time(), plan_.file);
      text += fmt::format("particles         {}, to t = {:.6g}{}\n", plan_.count, swarm_->time(),
                          failed_ > 0 ? fmt::format("; {} failed and stayed where they were", failed_) : "");
      text += fmt::format(
          "steps             {}, {:.3g} particle-steps a second; neighbours listed {} times, {:.1f} % of the "
          "time; the load cut anew {} times\n",
          effort.steps, steps * static_cast<double>(plan_.count) / std::max(part_[1], 1e-9), effort.lists,
          100 * effort.listing_seconds / std::max(part_[1], 1e-9), effort.cuts);
      text += fmt::format(
          "energy error      {:.3g} at worst, in the samples, {:.3g} % of the mean kinetic energy\n",
          energy_error_, 100 * energy_error_ / kinetic);
      text += fmt::format("constraint error  {:.3g} at worst, a length\n", constraint_error_);
    }
    text += fmt::format(
        "time              {:.3g} s on {} ranks: start {:.1f} %, integrate {:.1f} %, write {:.1f} %\n", wall,
        parallel::size(), 100 * part_[0] / wall, 100 * part_[1] / wall, 100 * part_[2] / wall);
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  Task& task_;
  const ParticlePlan& plan_;
  const ParticleStarts& starts_;
  const mechanics::Triangulation& surface_;
  std::optional<particles::Swarm> swarm_;
  std::optional<io::ResultFile> result_;
  std::optional<io::CheckpointFile> checkpoint_;
  ParticleCheckpoint states_;
  std::vector<std::int64_t> pair_sums_;
  std::int64_t resumed_at_ = 0, failed_ = 0;
  bool ended_ = false;
  double start_energy_ = 0, energy_error_ = 0, kinetic_sum_ = 0, constraint_error_ = 0;
  double started_ = 0, part_[3] = {0, 0, 0};
};

ExitCode run(Task& task) {
  ParticlePlan plan = read_particle_plan(task);
  const ParticleStarts starts(task, plan);
  task.deck.finish();
  if (task.check) return exit_success;
  if (task.dry_run) {
    Estimate estimate;
    estimate.orbits = plan.count;
    estimate.file_bytes = 8 * (plan.frames * 6 * plan.count + plan.samples * 14) + 4 * plan.count;
    estimate.rank_bytes = (std::int64_t{48} << 20) + 400 * plan.count / parallel::size();
    // 60 ns a particle and step.
    estimate.seconds = 6e-8 * static_cast<double>(plan.steps) * static_cast<double>(plan.count) *
                       static_cast<double>(plan.options.shares.size()) / parallel::size();
    parallel::on_rank_zero([&] { print(estimate); });
    return exit_success;
  }
  const auto surface = starts.surface(std::max<std::int64_t>(plan.surface_cells, 60));
  return ParticleRun(task, plan, starts, surface).run();
}

}  // namespace

Study particles_study() {
  return {"particles", "particles that interact on a surface, over all ranks", run, particles_example};
}

}  // namespace cotangent::studies
