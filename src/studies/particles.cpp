// study = "particles": particles that interact on a surface, spread over all ranks (particles/swarm.hpp moves
// them). Results are by id, whatever the ranks: each rank writes the rows of a run of ids. The state is
// checkpointed in chunks of ids, all of one step, in two generations; a run goes on from the last generation
// that is whole, on any number of ranks, to the same bits.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "io/checkpoint_file.hpp"
#include "io/result_file.hpp"
#include "io/xdmf.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"
#include "parallel/signals.hpp"
#include "studies/particle_plan.hpp"
#include "studies/report.hpp"
#include "studies/surface.hpp"

namespace cotangent::studies {

namespace {

using particles::Particle;

constexpr std::int64_t chunk = 1024;  // particles in a checkpoint's slot
constexpr std::array<const char*, 6> momentum_names{"Px", "Py", "Pz", "Lx", "Ly", "Lz"};

/// The translation, or rotation, that belongs to a momentum.
std::array<double, 3> displacement(std::size_t momentum, const mechanics::SpacePoint& q) {
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

class ParticleRun {
 public:
  ParticleRun(Task& task, const ParticlePlan& plan, const ParticleStarts& starts,
              const mechanics::Triangulation& surface)
      : task_(task), plan_(plan), starts_(starts), surface_(surface) {}

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
  std::int64_t chunks() const { return (plan_.count + chunk - 1) / chunk; }

  io::ResultContent content() const {
    using io::DataType;
    const std::vector<std::string> axes{"x", "y", "z"};
    std::vector<std::string> statuses;
    for (const auto name : status_names) statuses.emplace_back(name);
    const std::int64_t n = plan_.count, f = plan_.frames, s = plan_.samples;
    io::ResultContent content;
    content.study = "particles";
    content.deck = task_.deck.resolved();
    content.data_sets = {
        {"/particles/time",
         DataType::float64,
         {f},
         "1",
         "times of the frames; NaN where the run ended before"},
        {"/particles/position",
         DataType::float64,
         {f, n, 3},
         "1",
         "positions, by particle; along periodic axes where they travelled to",
         {{"columns", axes}}},
        {"/particles/velocity", DataType::float64, {f, n, 3}, "1", "velocities", {{"columns", axes}}},
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
         {{"columns", {momentum_names.begin(), momentum_names.end()}}, {"conserved", conserved()}}},
        {"/particles/mean_square_displacement",
         DataType::float64,
         {s},
         "1",
         "from where they started, through the ambient space, a length squared"},
        {"/particles/status", DataType::int32, {n}, "1", "how each particle ended", {{"names", statuses}}}};
    if (plan_.pair_bins > 0) {
      content.data_sets.push_back({"/particles/pair_distance",
                                   DataType::float64,
                                   {plan_.pair_bins},
                                   "1",
                                   "middles of the intervals of distance in the ambient space"});
      content.data_sets.push_back(
          {"/particles/pair_correlation",
           DataType::float64,
           {plan_.pair_bins},
           "1",
           "pairs at this distance over those of as many particles spread evenly over a plane, mean of all "
           "samples but the start"});
    }
    if (plan_.surface_cells > 0) {
      const auto sets = data_sets(surface_, "1");
      content.data_sets.insert(content.data_sets.end(), sets.begin(), sets.end());
    }
    content.parts = {"start", "integrate", "write"};
    content.command_line = task_.command_line;
    content.extra_bytes = io::CheckpointFile::file_bytes(lanes() * parallel::size(), payload());
    return content;
  }

  /// Names of the momenta that the surface and the outer forces leave alone.
  std::vector<std::string> conserved() const {
    std::vector<std::string> names;
    const auto& periods = plan_.options.periods;
    for (std::size_t k = 0; k < 6; ++k) {
      const bool turned = k >= 3 && (periods[(k + 1) % 3] > 0 || periods[(k + 2) % 3] > 0);
      bool kept = !turned;
      const std::size_t stride = std::max<std::size_t>(1, surface_.vertices.size() / 500);
      for (std::size_t i = 0; i < surface_.vertices.size() && kept; i += stride) {
        const auto& q = surface_.vertices[i];
        const auto way = displacement(k, q);
        const auto force = plan_.problem->potential(q, plan_.parameters).gradient;
        double size = 0, across = 0, along_force = 0, strength = 0;
        for (std::size_t n = 0; n < 3; ++n) {
          size += way[n] * way[n];
          across += way[n] * surface_.normals[i][n];
          along_force += way[n] * force[n];
          strength += force[n] * force[n];
        }
        kept = std::abs(across) <= 1e-9 * std::sqrt(size) &&
               std::abs(along_force) <= 1e-9 * std::sqrt(size * strength);
      }
      if (kept && !plan_.options.bath) names.emplace_back(momentum_names[k]);
    }
    return names;
  }

  /// Slots of a rank: its chunks and, on rank 0, what belongs to all, in two generations.
  int lanes() const { return 2 * static_cast<int>((chunks() + parallel::size() - 1) / parallel::size() + 1); }
  std::int64_t payload() const {
    const auto numbers =
        std::max<std::int64_t>(sizeof(Particle) / sizeof(double) * chunk, 64 + plan_.pair_bins);
    return static_cast<std::int64_t>(sizeof(double)) * (2 + numbers);
  }

  void open() {
    const auto checkpoint = io::checkpoint_path(plan_.file);
    io::ResultContent content = this->content();
    const std::string deck = content.deck.substr(0, content.deck.find("[output]"));
    const std::uint64_t fingerprint = io::fnv1a("particles\n" + deck);
    pair_sums_.assign(static_cast<std::size_t>(plan_.pair_bins), 0);
    std::vector<io::CheckpointState> carried;
    std::optional<std::vector<Particle>> stored;
    if (task_.resume) {
      const auto earlier = io::stored_result(plan_.file);
      const std::string difference = io::difference(
          earlier.deck, content.deck,
          std::vector<std::string>{"output.file", "output.checkpoint_minutes", "output.wall_minutes"});
      if (!difference.empty())
        throw Error("--resume: " + plan_.file + " was begun with another deck:\n" + difference);
      content.deck = earlier.deck;
      result_.emplace(io::ResultFile::resume(plan_.file, content));
      const auto status = result_->template read<std::int32_t>(set("status"));
      if (status.front() != static_cast<std::int32_t>(Status::pending)) {
        ended_ = true;
        failed_ = std::ranges::count_if(status, [](auto s) { return is_failure(static_cast<Status>(s)); });
        return;
      }
      carried = io::CheckpointFile::read_all(checkpoint, fingerprint);
      stored = restored(carried);
    } else {
      result_.emplace(io::ResultFile::create(plan_.file, content));
    }
    checkpoint_.emplace(checkpoint, lanes(), payload(), fingerprint, carried);
    if (stored) {
      swarm_.emplace(*plan_.motion, *plan_.pairs.kernel, plan_.options, std::move(*stored), resumed_at_);
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
        const auto rows = swarm_->lists().of_pack(i / particles::pack);
        for (std::size_t at = k % particles::pack; at < rows.size(); at += particles::pack) {
          const auto other = static_cast<std::size_t>(rows[at]);
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
    double last_checkpoint = parallel::wall_time(), next_line = last_checkpoint + 5;
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
      const bool first_rank = parallel::rank() == 0;
      const bool stop =
          parallel::stop_signal() != 0 || (first_rank && after - started_ > 60 * plan_.wall_minutes);
      const bool store = first_rank && after - last_checkpoint > 60 * plan_.checkpoint_minutes;
      const std::int64_t wish = parallel::maximum(std::int64_t{stop ? 2 : store ? 1 : 0});
      if (wish > 0 && done < plan_.steps && !enough) {
        save();
        last_checkpoint = parallel::wall_time();
        stopped = wish == 2;
      }
      if (enough) break;
      if (first_rank && after > next_line && done < plan_.steps) {
        const double rate = static_cast<double>(done - first) / (after - started_);
        fmt::print("t = {:.4g} of {:.4g} ({:.0f} %), {:.3g} particle-steps a second, {:.3g} s left\n",
                   swarm_->time(), static_cast<double>(plan_.steps) * plan_.options.step,
                   100.0 * static_cast<double>(done) / static_cast<double>(plan_.steps),
                   rate * static_cast<double>(plan_.count), static_cast<double>(plan_.steps - done) / rate);
        std::fflush(stdout);
        next_line = after + 10;
      }
    }
    if (!stopped) finish();
  }

  /// This rank's particles to the ranks that write them, in the order of their ids.
  std::vector<Particle> by_id() const {
    std::vector<std::vector<Particle>> to(static_cast<std::size_t>(parallel::size()));
    const auto& cloud = swarm_->cloud();
    for (int i = 0; i < cloud.own; ++i) {
      const Particle p = cloud.particle(i);
      to[static_cast<std::size_t>(writer(p.id))].push_back(p);
    }
    auto mine = parallel::exchange(to);
    std::ranges::sort(mine, {}, &Particle::id);
    return mine;
  }

  /// Everything that is known at this time, as the next rows. Collective.
  void sample() {
    const double before = parallel::wall_time();
    const std::int64_t row = swarm_->steps() / plan_.sample_steps;
    const auto& cloud = swarm_->cloud();
    const auto own = static_cast<std::size_t>(cloud.own);
    std::array<std::vector<double>, 9> column;
    swarm_->energies(column[0], column[1]);
    for (std::size_t c = 2; c < 9; ++c) column[c].resize(own);
    const double mass = plan_.motion->mass();
    for (std::size_t i = 0; i < own; ++i) {
      const double* q = cloud.position.data() + 4 * i;
      for (std::size_t k = 0; k < 6; ++k) {
        const auto way = displacement(k, {q[0], q[1], q[2]});
        double sum = 0;
        for (std::size_t n = 0; n < 3; ++n) sum += way[n] * cloud.velocity[n][i];
        column[2 + k][i] = mass * sum;
      }
      double squared = 0;
      for (std::size_t n = 0; n < 3; ++n) squared += (q[n] - cloud.start[n][i]) * (q[n] - cloud.start[n][i]);
      column[8][i] = squared;
    }
    std::vector<std::span<const double>> columns(column.begin(), column.end());
    const auto sums = parallel::reproducible_sums(columns);
    const double error = swarm_->constraint_error(), n = static_cast<double>(plan_.count);
    const double energy[3] = {sums[0], sums[1], sums[0] + sums[1]};
    const double temperature = sums[0] / n, spread = sums[8] / n, time = swarm_->time();
    if (row == 0) start_energy_ = energy[2];
    energy_error_ = std::max(energy_error_, std::abs(energy[2] - start_energy_));
    kinetic_sum_ += energy[0];
    constraint_error_ = std::max(constraint_error_, error);
    if (plan_.pair_bins > 0 && row > 0) {
      const auto counts = parallel::sum(swarm_->pair_counts(plan_.pair_bins));
      for (std::size_t k = 0; k < counts.size(); ++k) pair_sums_[k] += counts[k];
    }
    const bool frame = row % plan_.frame_samples == 0;
    const auto mine = frame ? by_id() : std::vector<Particle>{};
    parallel::agree([&] {
      if (parallel::rank() == 0) {
        result_->write_rows(set("sample_time"), row, 1, &time);
        result_->write_rows(set("energy"), row, 1, energy);
        result_->write_rows(set("temperature"), row, 1, &temperature);
        result_->write_rows(set("constraint_error"), row, 1, &constraint_error_);
        result_->write_rows(set("momentum"), row, 1, sums.data() + 2);
        result_->write_rows(set("mean_square_displacement"), row, 1, &spread);
      }
      if (frame) write_frame(row / plan_.frame_samples, time, mine);
    });
    part_[2] += parallel::wall_time() - before;
  }

  void write_frame(std::int64_t row, double time, const std::vector<Particle>& mine) {
    if (parallel::rank() == 0) result_->write_rows(set("time"), row, 1, &time);
    if (mine.empty()) return;
    std::vector<double> position, velocity;
    for (const Particle& p : mine) {
      position.insert(position.end(), p.q.begin(), p.q.end());
      velocity.insert(velocity.end(), p.v.begin(), p.v.end());
    }
    const std::int64_t offset[3] = {row, mine.front().id, 0}, count[3] = {1, std::ssize(mine), 3};
    result_->write(set("position"), offset, count, position.data());
    result_->write(set("velocity"), offset, count, velocity.data());
  }

  /// How each particle ended, and NaN where nothing was reached.
  void finish() {
    const double before = parallel::wall_time();
    ended_ = true;
    const auto mine = by_id();
    parallel::agree([&] {
      std::vector<std::int32_t> status;
      for (const Particle& p : mine) {
        const bool pending = p.status == static_cast<std::int64_t>(Status::pending);
        status.push_back(pending ? static_cast<std::int32_t>(Status::finished)
                                 : static_cast<std::int32_t>(p.status));
      }
      const std::int64_t row = swarm_->steps() / plan_.sample_steps + 1;
      if (parallel::rank() == 0) {
        const std::vector<double> blank(static_cast<std::size_t>(3 * plan_.count + 6),
                                        std::numeric_limits<double>::quiet_NaN());
        for (std::int64_t later = row; later < plan_.samples; ++later) {
          for (const char* name : {"sample_time", "energy", "temperature", "constraint_error", "momentum",
                                   "mean_square_displacement"})
            result_->write_rows(set(name), later, 1, blank.data());
        }
        for (std::int64_t later = (row - 1) / plan_.frame_samples + 1; later < plan_.frames; ++later) {
          for (const char* name : {"time", "position", "velocity"})
            result_->write_rows(set(name), later, 1, blank.data());
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
    const std::int64_t generation = generation_++ % 2;
    constraint_error_ = std::max(constraint_error_, swarm_->constraint_error());
    std::vector<std::vector<Particle>> to(static_cast<std::size_t>(parallel::size()));
    const auto& cloud = swarm_->cloud();
    for (int i = 0; i < cloud.own; ++i) {
      const Particle p = cloud.particle(i);
      to[static_cast<std::size_t>(p.id / chunk % parallel::size())].push_back(p);
    }
    auto mine = parallel::exchange(to);
    std::ranges::sort(mine, {}, &Particle::id);
    parallel::agree([&] {
      result_->sync();
      const auto put = [&](int lane, std::int64_t id, std::span<const std::byte> what) {
        const std::int64_t step = swarm_->steps(), count = std::ssize(what);
        std::vector<std::byte> bytes(16 + what.size());
        std::memcpy(bytes.data(), &step, 8);
        std::memcpy(bytes.data() + 8, &count, 8);
        std::ranges::copy(what, bytes.begin() + 16);
        checkpoint_->write(2 * lane + static_cast<int>(generation), 2 * id + generation, bytes);
      };
      int lane = 0;
      for (std::size_t i = 0; i < mine.size(); ++lane) {
        const std::int64_t number = mine[i].id / chunk;
        std::size_t end = i;
        while (end < mine.size() && mine[end].id / chunk == number) ++end;
        put(lane, number, std::as_bytes(std::span(mine).subspan(i, end - i)));
        i = end;
      }
      if (parallel::rank() == 0) {
        std::vector<double> whole{start_energy_, energy_error_, kinetic_sum_, constraint_error_};
        for (const std::int64_t pairs : pair_sums_) whole.push_back(static_cast<double>(pairs));
        put(lane, chunks(), std::as_bytes(std::span(whole)));
      }
      checkpoint_->sync();
    });
    part_[2] += parallel::wall_time() - before;
  }

  /// This rank's share of the newest whole generation; nothing where there is none.
  std::optional<std::vector<Particle>> restored(const std::vector<io::CheckpointState>& carried) {
    std::map<std::int64_t, std::vector<const io::CheckpointState*>> by_step;
    for (const auto& state : carried) {
      std::int64_t step = 0;
      std::memcpy(&step, state.payload.data(), 8);
      by_step[step].push_back(&state);
    }
    for (auto at = by_step.rbegin(); at != by_step.rend(); ++at) {
      if (std::ssize(at->second) < chunks() + 1) continue;
      resumed_at_ = at->first;
      std::vector<Particle> mine;
      for (const auto* state : at->second) {
        const std::int64_t number = state->id / 2;
        const std::span<const std::byte> what = std::span(state->payload).subspan(16);
        if (number == chunks()) {
          std::vector<double> whole(what.size() / sizeof(double));
          std::memcpy(whole.data(), what.data(), what.size());
          start_energy_ = whole.at(0);
          energy_error_ = whole.at(1);
          kinetic_sum_ = whole.at(2);
          constraint_error_ = whole.at(3);
          for (std::size_t k = 0; k < pair_sums_.size(); ++k)
            pair_sums_[k] = static_cast<std::int64_t>(whole.at(4 + k));
        } else if (number % parallel::size() == parallel::rank()) {
          const std::size_t before = mine.size();
          mine.resize(before + what.size() / sizeof(Particle));
          std::memcpy(static_cast<void*>(mine.data() + before), what.data(), what.size());
        }
      }
      generation_ = (at->second.front()->id + 1) % 2;
      return mine;
    }
    return std::nullopt;
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
  std::vector<std::int64_t> pair_sums_;
  std::int64_t generation_ = 0, resumed_at_ = 0, failed_ = 0;
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
