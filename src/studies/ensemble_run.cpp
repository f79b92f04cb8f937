#include "studies/ensemble_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/checkpoint_file.hpp"
#include "parallel/mpi.hpp"
#include "parallel/signals.hpp"
#include "parallel/task_sharing.hpp"
#include "studies/ensemble_estimate.hpp"
#include "studies/ensemble_rows.hpp"
#include "studies/surface.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// How many rows a lane may keep before they are written.
constexpr std::size_t most_rows = 1 << 15;
const std::vector<std::string> ignored_at_resume{"output"};

/// A deck without its [output], for the fingerprint.
std::string comparable(const std::string& deck) {
  std::string text, line;
  bool skip = false;
  for (char c : deck + "\n") {
    line += c;
    if (c != '\n') continue;
    if (!line.empty() && line[0] == '[') skip = line.rfind("[output]", 0) == 0;
    if (!skip) text += line;
    line.clear();
  }
  return text;
}

/// Where the time goes, as the result and the summary name it.
enum Part { starting, integrating, writing, waiting, part_count };
const std::vector<std::string> part_names{"start", "integrate", "write", "wait"};

class Runner {
 public:
  Runner(Task& task, const std::string& study, const Plan& plan, const Ensemble& ensemble,
         sections::Flight& flight)
      : task_(task), plan_(plan), ensemble_(ensemble), flight_(flight), lanes_(flight.lanes()) {
    started_ = parallel::wall_time();
    state_.resize(flight.state_size());
    surface_ = plan.surface ? plan.surface : surface_of(plan, ensemble);
    content_ = {study,      task.deck.resolved(), data_sets(plan, ensemble),
                part_names, task.command_line,    "not linked",
                0};
    if (surface_) {
      const auto sets = data_sets(*surface_, plan.model.problem->coordinates()[0].unit);
      content_.data_sets.insert(content_.data_sets.end(), sets.begin(), sets.end());
    }
    for (const Given& given : plan.given) content_.data_sets.push_back(given.set);
    content_.extra_bytes =
        io::CheckpointFile::file_bytes(static_cast<std::int64_t>(lanes_) * parallel::size(), payload_bytes());
    const std::int64_t ranks = parallel::size();
    block_size_ = std::clamp<std::int64_t>(ensemble.size() / (64 * ranks), 1, 4096);
    block_count_ = (ensemble.size() + block_size_ - 1) / block_size_;
  }

  ExitCode run() {
    open_files();
    Progress progress(ensemble_.size());
    {
      parallel::TaskSharing sharing;
      sharing_ = &sharing;
      parallel::agree([&] {
        try {
          loop(progress);
        } catch (...) {
          sharing.request_stop();
          throw;
        }
      });
    }
    progress.finish();
    return finish();
  }

 private:
  std::int64_t payload_bytes() const { return static_cast<std::int64_t>(state_.size() * sizeof(double)); }

  void open_files() {
    const std::filesystem::path path = plan_.file;
    const auto checkpoint = io::checkpoint_path(path);
    // What a state means depends on the deck, on the model's memory layout and on how files are named: not at
    // all.
    const std::uint64_t fingerprint =
        io::fnv1a(std::to_string(state_.size()) + "\n" + comparable(content_.deck));
    std::vector<io::CheckpointState> carried;
    if (task_.resume) {
      const auto stored = io::stored_result(path);
      const std::string difference = io::difference(stored.deck, content_.deck, ignored_at_resume);
      parallel::agree([&] {
        if (!difference.empty()) {
          throw Error("--resume: " + path.string() + " was begun with another deck:\n" + difference);
        }
      });
      content_.deck = stored.deck;
      rows_.emplace(plan_, ensemble_, io::ResultFile::resume(path, content_));
      carried = io::CheckpointFile::read_all(checkpoint, fingerprint);
      for (const auto& state : carried) carried_[state.id] = state.payload;
    } else {
      rows_.emplace(plan_, ensemble_, io::ResultFile::create(path, content_));
    }
    checkpoint_.emplace(checkpoint, lanes_, payload_bytes(), fingerprint, carried);
    parallel::on_rank_zero([&] {
      if (plan_.samples > 0) rows_->write_sample_times();
      if (surface_) write(rows_->result(), *surface_);
      for (const Given& given : plan_.given) {
        auto& result = rows_->result();
        result.write_rows(result.data_set(given.set.path), 0, given.set.dims.front(), given.values.data());
      }
    });
    part_[starting] = parallel::wall_time() - started_;
  }

  void loop(Progress& progress) {
    const double began = parallel::wall_time();
    double last_checkpoint = began, last_poll = began, last_look = began;
    std::int64_t slice = 256;
    for (int turns = 1;; ++turns) {
      for (int lane = 0; lane < lanes_; ++lane) {
        if (flight_.free(lane) && !fill(lane)) break;
      }
      if (!flying()) break;
      flight_.advance(slice);
      bool whole = true;  // nobody landed before the slice was over
      for (int lane = 0; lane < lanes_; ++lane) {
        if (flight_.free(lane)) continue;
        sections::Flown& flown = flight_.flown(lane);
        if (flown.status != Status::pending) {
          land(lane, flown);
          whole = false;
        } else if (flown.crossings.count() + flown.samples.count() > most_rows) {
          rows_->flush(flown);
        }
      }
      // Trajectories may be shorter than a look at the clock is worth.
      if (!whole && turns < 16) continue;
      const double now = parallel::wall_time();
      // Slices of some 20 ms keep polls and flushes rare, and signals prompt.
      if (whole && turns == 1) {
        if (now - last_look < 0.01 && slice < (1 << 20)) slice *= 2;
        if (now - last_look > 0.04 && slice > 16) slice /= 2;
      }
      last_look = now;
      turns = 0;
      if (now - last_poll < 0.01) continue;
      last_poll = now;
      progress.show(std::min(taken_ * block_size_, ensemble_.size()), landed_);
      if (parallel::stop_signal() != 0 || now - started_ > 60 * plan_.wall_minutes) sharing_->request_stop();
      if (sharing_->stop_requested()) {
        stopped_ = true;
        break;
      }
      if (now - last_checkpoint > 60 * plan_.checkpoint_minutes) {
        save();
        last_checkpoint = parallel::wall_time();
      }
    }
    if (stopped_) save();
    for (auto& block : blocks_) rows_->write(block);
    if (stopped_) rows_->result().sync();
    part_[writing] += rows_->seconds();
    part_[integrating] = parallel::wall_time() - began - part_[writing];
  }

  bool flying() const {
    for (int lane = 0; lane < lanes_; ++lane) {
      if (!flight_.free(lane)) return true;
    }
    return false;
  }

  /// Puts the next trajectory into a lane. False where there is none left.
  bool fill(int lane) {
    while (true) {
      if (blocks_.empty() || blocks_.back().next >= blocks_.back().count) {
        if (exhausted_ || !take_block()) {
          exhausted_ = true;
          return false;
        }
        continue;
      }
      Block& block = blocks_.back();
      const std::int64_t row = block.next++, id = block.first + row;
      const auto at = static_cast<std::size_t>(row);
      if (block.status[at] != 0) {  // finished in an earlier run
        if (--block.open == 0) close(block);
        continue;
      }
      const EnsembleStart start = ensemble_[id];
      rows_->begin(block, start);
      if (!start.feasible) {
        sections::Flown none;
        none.id = id;
        none.status = Status::infeasible_start;
        none.energy = none.energy_error = none.constraint_error = none.t = nan;
        none.q.assign(start.start.q.size(), nan);
        none.v = none.q;
        settle(none);
        continue;
      }
      const auto carried = carried_.find(id);
      if (carried == carried_.end()) {
        flight_.load(lane, start.start);
      } else {
        std::memcpy(state_.data(), carried->second.data(),
                    std::min(carried->second.size(), state_.size() * sizeof(double)));
        flight_.restore(lane, start.start, state_);
        carried_.erase(carried);
      }
      if (flight_.flown(lane).status == Status::pending) return true;
      land(lane, flight_.flown(lane));  // a start that ends at once
    }
  }

  bool take_block() {
    const std::int64_t index = sharing_->take();
    if (index >= block_count_) return false;
    taken_ = index + 1;
    const std::int64_t first = index * block_size_;
    blocks_.push_back(rows_->block(first, std::min(block_size_, ensemble_.size() - first), task_.resume));
    return true;
  }

  void land(int lane, sections::Flown& flown) {
    settle(flown);
    flight_.release(lane);
  }

  /// Enters a trajectory that has ended into its block and into the counts.
  void settle(sections::Flown& flown) {
    const auto block = std::ranges::find_if(blocks_, [&](const Block& b) { return b.holds(flown.id); });
    rows_->land(*block, flown);
    ++landed_;
    ++count_[static_cast<std::size_t>(flown.status)];
    crossings_ += flown.crossing_count;
    steps_ += flown.steps;
    if (std::isfinite(flown.energy_error))
      worst_energy_error_ = std::max(worst_energy_error_, flown.energy_error);
    if (std::isfinite(flown.constraint_error))
      worst_constraint_error_ = std::max(worst_constraint_error_, flown.constraint_error);
    if (--block->open == 0) close(*block);
  }

  void close(Block& block) {
    rows_->write(block);
    if (&block != &blocks_.back() || block.next >= block.count) {
      blocks_.erase(blocks_.begin() + (&block - blocks_.data()));
    }
  }

  /// Writes the states of all trajectories under way, once the rows that they have behind them are on disk.
  void save() {
    for (int lane = 0; lane < lanes_; ++lane) {
      if (!flight_.free(lane)) rows_->flush(flight_.flown(lane));
    }
    const double before = parallel::wall_time();
    rows_->result().sync();
    for (int lane = 0; lane < lanes_; ++lane) {
      if (flight_.free(lane)) continue;
      flight_.save(lane, state_);
      checkpoint_->write(lane, flight_.flown(lane).id, std::as_bytes(std::span(state_)));
    }
    checkpoint_->sync();
    part_[writing] += parallel::wall_time() - before;
  }

  ExitCode finish() {
    const double arrived = parallel::wall_time();
    parallel::barrier();
    part_[waiting] += parallel::wall_time() - arrived;
    Summary summary;
    summary.file = plan_.file;
    summary.stopped = parallel::any(stopped_);
    summary.count = parallel::sum(std::vector<std::int64_t>(count_.begin(), count_.end()));
    summary.crossings = parallel::sum(crossings_);
    summary.steps = parallel::sum(steps_);
    summary.worst_energy_error = parallel::maximum(worst_energy_error_);
    summary.constrained = plan_.model.problem->multipliers() > 0;
    summary.rolling = plan_.model.problem->rolling() > 0;
    summary.worst_constraint_error = parallel::maximum(worst_constraint_error_);
    summary.parts = content_.parts;
    summary.part_seconds = parallel::sum(part_);
    for (double& seconds : summary.part_seconds) seconds /= parallel::size();
    summary.wall_seconds = parallel::wall_time() - started_;
    summary.orbits = ensemble_.size();
    checkpoint_.reset();
    rows_->result().close({summary.wall_seconds, summary.part_seconds});
    if (!summary.stopped) io::CheckpointFile::remove(io::checkpoint_path(plan_.file));
    print(summary);
    if (summary.stopped) return exit_stopped;
    for (std::size_t k = 0; k < summary.count.size(); ++k) {
      if (summary.count[k] > 0 && is_failure(static_cast<Status>(k))) return exit_trajectories_failed;
    }
    return exit_success;
  }

  Task& task_;
  const Plan& plan_;
  const Ensemble& ensemble_;
  sections::Flight& flight_;
  const int lanes_;
  std::vector<double> state_;
  std::optional<mechanics::Triangulation> surface_;
  io::ResultContent content_;
  std::int64_t block_size_ = 1, block_count_ = 0;

  parallel::TaskSharing* sharing_ = nullptr;
  std::optional<EnsembleRows> rows_;
  std::optional<io::CheckpointFile> checkpoint_;
  std::map<std::int64_t, std::vector<std::byte>> carried_;
  std::vector<Block> blocks_;
  bool exhausted_ = false, stopped_ = false;

  double started_ = 0;
  std::vector<double> part_ = std::vector<double>(part_count, 0.0);
  std::int64_t landed_ = 0, taken_ = 0, crossings_ = 0, steps_ = 0;
  std::array<std::int64_t, status_names.size()> count_{};
  double worst_energy_error_ = 0, worst_constraint_error_ = 0;
};

}  // namespace

ExitCode run_ensemble(Task& task, const std::string& study, const Plan& plan, const Ensemble& ensemble) {
  task.deck.finish();
  ensemble.refuse_if_none_feasible();
  const auto& problem = *plan.model.problem;
  const auto flight = problem.fly(plan.method, plan.watch, plan.lanes > 0 ? plan.lanes : problem.lanes());
  if (task.dry_run) parallel::on_rank_zero([&] { print(estimate(plan, ensemble, *flight)); });
  if (task.check || task.dry_run) return exit_success;
  return Runner(task, study, plan, ensemble, *flight).run();
}

}  // namespace cotangent::studies
