#include "studies/ensemble_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "integrators/methods.hpp"
#include "io/checkpoint_file.hpp"
#include "numerics/lanes.hpp"
#include "parallel/mpi.hpp"
#include "parallel/signals.hpp"
#include "parallel/task_sharing.hpp"
#include "studies/report.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> ignored_at_resume{"output"};

/// The data sets of an ensemble's result.
std::vector<io::DataSetSpec> data_sets(const Plan& plan, const Ensemble& ensemble) {
  using io::DataType;
  const std::int64_t n = ensemble.size();
  const auto& problem = *plan.model.problem;
  const std::int64_t dim = problem.dim();
  std::vector<std::string> columns, statuses;
  for (const auto& c : problem.coordinates()) columns.push_back(c.name);
  for (const auto& c : problem.coordinates()) columns.push_back(c.name + "_dot");
  for (const auto name : status_names) statuses.emplace_back(name);
  std::vector<std::string> names(columns.begin(), columns.begin() + dim);
  std::string unit = "1";
  for (const auto& c : problem.coordinates()) unit = c.unit == unit || columns.empty() ? unit : c.unit;

  std::vector<io::DataSetSpec> sets{
      {"/orbits/initial",
       DataType::float64,
       {n, 2 * dim},
       unit,
       "state at t = 0: q, then v",
       {{"columns", columns}}},
      {"/orbits/final",
       DataType::float64,
       {n, 2 * dim},
       unit,
       "the last good state: q, then v",
       {{"columns", columns}}},
      {"/orbits/status", DataType::int32, {n}, "1", "how the trajectory ended", {{"names", statuses}}},
      {"/orbits/time", DataType::float64, {n}, "1", "time of the last good state"},
      {"/orbits/energy", DataType::float64, {n}, "1", "energy at t = 0"},
      {"/orbits/energy_error", DataType::float64, {n}, "1", "largest |E - E0| over all steps"},
      {"/orbits/crossing_count", DataType::int64, {n}, "1", "crossings of the section"},
      {"/orbits/grazing_count", DataType::int64, {n}, "1", "contacts with the section without a crossing"},
      {"/orbits/steps", DataType::int64, {n}, "1", "steps taken"}};
  const auto parameters = ensemble.parameter_columns();
  sets.push_back({"/orbits/parameters",
                  DataType::float64,
                  {n, static_cast<std::int64_t>(parameters.size())},
                  "1",
                  "what varies over the ensemble: model parameters and energy",
                  {{"columns", parameters}}});
  if (plan.watch.section) {
    const std::int64_t m = plan.watch.stop.crossings;
    sets.push_back({"/section/points",
                    DataType::float64,
                    {n, m, 2 * dim},
                    unit,
                    "states on the section, unused places NaN",
                    {{"columns", columns}}});
    sets.push_back(
        {"/section/time", DataType::float64, {n, m}, "1", "times of the crossings, unused places NaN"});
  }
  if (plan.samples > 0) {
    sets.push_back({"/trajectory/time", DataType::float64, {plan.samples}, "1", "times of the samples"});
    sets.push_back({"/trajectory/q",
                    DataType::float64,
                    {n, plan.samples, dim},
                    unit,
                    "coordinates",
                    {{"columns", names}}});
    sets.push_back({"/trajectory/v",
                    DataType::float64,
                    {n, plan.samples, dim},
                    unit,
                    "velocities",
                    {{"columns", names}}});
    sets.push_back(
        {"/trajectory/energy", DataType::float64, {n, plan.samples}, "1", "energy of the samples"});
  }
  return sets;
}

/// A block of contiguous ids whose orbits' rows are written together once all have landed.
struct Block {
  std::int64_t first = 0, count = 0, next = 0, open = 0;
  std::vector<char> done;  // landed in this run
  std::vector<double> initial, final, time, energy, energy_error, parameters;
  std::vector<std::int32_t> status;
  std::vector<std::int64_t> crossings, grazing, steps;
};

class Runner {
 public:
  Runner(Task& task, const std::string& study, const Plan& plan, const Ensemble& ensemble)
      : task_(task), plan_(plan), ensemble_(ensemble), dim_(plan.model.problem->dim()) {
    const int native = numerics::native_width;
    flight_ = plan.model.problem->fly(plan.method, plan.watch, plan.lanes > 0 ? plan.lanes : native);
    lanes_ = flight_->lanes();
    state_.resize(flight_->state_size());
    content_ = {study,
                task.deck.resolved(),
                data_sets(plan, ensemble),
                {"start", "integrate", "write", "wait"},
                task.command_line,
                "not linked",
                0};
    content_.extra_bytes =
        io::CheckpointFile::file_bytes(static_cast<std::int64_t>(lanes_) * parallel::size(), payload_bytes());
    const std::int64_t ranks = parallel::size();
    block_size_ = std::clamp<std::int64_t>(ensemble.size() / (16 * ranks), 1, 256);
    block_count_ = (ensemble.size() + block_size_ - 1) / block_size_;
  }

  std::int64_t payload_bytes() const { return static_cast<std::int64_t>(state_.size() * sizeof(double)); }
  const io::ResultContent& content() const { return content_; }
  sections::Flight& flight() { return *flight_; }

  ExitCode run() {
    started_ = parallel::wall_time();
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
      result_.emplace(io::ResultFile::resume(path, content_));
      carried = io::CheckpointFile::read_all(checkpoint, fingerprint);
      for (const auto& state : carried) carried_[state.id] = state.payload;
    } else {
      result_.emplace(io::ResultFile::create(path, content_));
    }
    checkpoint_.emplace(checkpoint, lanes_, payload_bytes(), fingerprint, carried);
    for (const auto& set : content_.data_sets) handle_[set.path] = result_->data_set(set.path);
    if (plan_.samples > 0 && parallel::rank() == 0) {
      std::vector<double> times(static_cast<std::size_t>(plan_.samples));
      for (std::size_t k = 0; k < times.size(); ++k)
        times[k] = static_cast<double>(k) * plan_.watch.sample_every;
      result_->write_rows(handle_.at("/trajectory/time"), 0, plan_.samples, times.data());
    }
    part_[0] = parallel::wall_time() - started_;
  }

  /// A deck without its [output], for the fingerprint.
  static std::string comparable(const std::string& deck) {
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

  void loop(Progress& progress) {
    double last_checkpoint = parallel::wall_time(), last_poll = last_checkpoint;
    std::int64_t slice = 256;
    while (true) {
      for (int lane = 0; lane < lanes_; ++lane) {
        if (flight_->free(lane) && !fill(lane)) break;
      }
      if (!flying()) break;
      const double before = parallel::wall_time();
      flight_->advance(slice);
      const double after = parallel::wall_time();
      part_[1] += after - before;
      // Slices of some 20 ms keep polls and flushes rare, and signals prompt.
      if (after - before < 0.01 && slice < (1 << 20)) slice *= 2;
      if (after - before > 0.04 && slice > 16) slice /= 2;
      for (int lane = 0; lane < lanes_; ++lane) {
        if (flight_->free(lane)) continue;
        sections::Flown& flown = flight_->flown(lane);
        if (flown.status != Status::pending) {
          land(lane, flown);
        } else if (flown.crossings.size() + flown.samples.size() > (1u << 18)) {
          flush(flown);
        }
      }
      if (after - last_poll < 0.01) continue;
      last_poll = after;
      progress.show(std::min(taken_ * block_size_, ensemble_.size()), landed_);
      if (parallel::stop_signal() != 0 || after - started_ > 60 * plan_.wall_minutes)
        sharing_->request_stop();
      if (sharing_->stop_requested()) {
        stopped_ = true;
        break;
      }
      if (after - last_checkpoint > 60 * plan_.checkpoint_minutes) {
        save();
        last_checkpoint = parallel::wall_time();
      }
    }
    if (stopped_) save();
    for (auto& block : blocks_) write(block);
    if (stopped_) result_->sync();
  }

  bool flying() const {
    for (int lane = 0; lane < lanes_; ++lane) {
      if (!flight_->free(lane)) return true;
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
      std::copy(start.start.q.begin(), start.start.q.end(), block.initial.begin() + row * 2 * dim_);
      std::copy(start.start.v.begin(), start.start.v.end(), block.initial.begin() + row * 2 * dim_ + dim_);
      const auto parameters = ensemble_.parameter_row(id);
      std::copy(parameters.begin(), parameters.end(),
                block.parameters.begin() + row * static_cast<std::int64_t>(parameters.size()));
      if (!start.feasible) {
        sections::Flown none;
        none.id = id;
        none.status = Status::infeasible_start;
        none.energy = none.energy_error = none.t = nan;
        none.q.assign(static_cast<std::size_t>(dim_), nan);
        none.v = none.q;
        settle(none);
        continue;
      }
      const auto carried = carried_.find(id);
      if (carried == carried_.end()) {
        flight_->load(lane, start.start);
      } else {
        std::memcpy(state_.data(), carried->second.data(),
                    std::min(carried->second.size(), state_.size() * sizeof(double)));
        flight_->restore(lane, start.start, state_);
        carried_.erase(carried);
      }
      if (flight_->flown(lane).status == Status::pending) return true;
      land(lane, flight_->flown(lane));  // a start that ends at once
    }
  }

  bool take_block() {
    const std::int64_t index = sharing_->take();
    if (index >= block_count_) return false;
    taken_ = index + 1;
    Block block;
    block.first = index * block_size_;
    block.count = block.open = std::min(block_size_, ensemble_.size() - block.first);
    const auto n = static_cast<std::size_t>(block.count), d = static_cast<std::size_t>(2 * dim_);
    block.done.assign(n, 0);
    block.initial.assign(n * d, 0);
    block.final.assign(n * d, 0);
    block.parameters.assign(n * ensemble_.parameter_columns().size(), 0);
    for (auto* numbers : {&block.time, &block.energy, &block.energy_error}) numbers->assign(n, 0);
    for (auto* numbers : {&block.crossings, &block.grazing, &block.steps}) numbers->assign(n, 0);
    block.status.assign(n, 0);
    if (task_.resume) {
      block.status = result_->read_rows<std::int32_t>(handle_.at("/orbits/status"), block.first, block.count);
    }
    blocks_.push_back(std::move(block));
    return true;
  }

  void land(int lane, sections::Flown& flown) {
    settle(flown);
    flight_->release(lane);
  }

  /// Writes what is left of a trajectory's rows and enters it into its block.
  void settle(sections::Flown& flown) {
    flush(flown);
    pad(flown);
    const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) {
      return flown.id >= b.first && flown.id < b.first + b.count;
    });
    const std::int64_t row = flown.id - block->first;
    const auto at = static_cast<std::size_t>(row);
    std::copy(flown.q.begin(), flown.q.end(), block->final.begin() + row * 2 * dim_);
    std::copy(flown.v.begin(), flown.v.end(), block->final.begin() + row * 2 * dim_ + dim_);
    block->time[at] = flown.t;
    block->energy[at] = flown.energy;
    block->energy_error[at] = flown.energy_error;
    block->crossings[at] = flown.crossing_count;
    block->grazing[at] = flown.grazing_count;
    block->steps[at] = flown.steps;
    block->status[at] = static_cast<std::int32_t>(flown.status);
    block->done[at] = 1;
    ++landed_;
    ++count_[static_cast<std::size_t>(flown.status)];
    crossings_ += flown.crossing_count;
    steps_ += flown.steps;
    if (std::isfinite(flown.energy_error))
      worst_energy_error_ = std::max(worst_energy_error_, flown.energy_error);
    if (--block->open == 0) close(*block);
  }

  void close(Block& block) {
    write(block);
    if (&block != &blocks_.back() || block.next >= block.count) {
      blocks_.erase(blocks_.begin() + (&block - blocks_.data()));
    }
  }

  /// Writes the rows of a block that this run has landed; the status, which vouches for the rest, last.
  void write(Block& block) {
    const double before = parallel::wall_time();
    const std::int64_t columns = static_cast<std::int64_t>(ensemble_.parameter_columns().size());
    for (std::int64_t first = 0; first < block.count;) {
      std::int64_t last = first;
      while (last < block.count && block.done[static_cast<std::size_t>(last)]) ++last;
      if (last == first) {
        ++first;
        continue;
      }
      const std::int64_t count = last - first, row = block.first + first;
      const auto put = [&](const char* path, const auto& values, std::int64_t width) {
        if (width > 0) result_->write_rows(handle_.at(path), row, count, values.data() + first * width);
      };
      put("/orbits/initial", block.initial, 2 * dim_);
      put("/orbits/final", block.final, 2 * dim_);
      put("/orbits/time", block.time, 1);
      put("/orbits/energy", block.energy, 1);
      put("/orbits/energy_error", block.energy_error, 1);
      put("/orbits/crossing_count", block.crossings, 1);
      put("/orbits/grazing_count", block.grazing, 1);
      put("/orbits/steps", block.steps, 1);
      put("/orbits/parameters", block.parameters, columns);
      put("/orbits/status", block.status, 1);
      std::fill(block.done.begin() + first, block.done.begin() + last, 0);
      first = last;
    }
    part_[2] += parallel::wall_time() - before;
  }

  /// Writes the rows that a trajectory has gathered, and forgets them.
  void flush(sections::Flown& flown) {
    const double before = parallel::wall_time();
    const std::int64_t width = 2 * dim_;
    const std::int64_t rows = static_cast<std::int64_t>(flown.crossings.size()) / (1 + width);
    if (rows > 0) {
      times_.resize(static_cast<std::size_t>(rows));
      values_.resize(static_cast<std::size_t>(rows * width));
      for (std::int64_t k = 0; k < rows; ++k) {
        const double* row = flown.crossings.data() + k * (1 + width);
        times_[static_cast<std::size_t>(k)] = row[0];
        std::copy_n(row + 1, width, values_.begin() + k * width);
      }
      const std::int64_t first = flown.crossing_count - rows;
      put("/section/time", {flown.id, first}, {1, rows}, times_);
      put("/section/points", {flown.id, first, 0}, {1, rows, width}, values_);
      flown.crossings.clear();
    }
    const std::int64_t samples = static_cast<std::int64_t>(flown.samples.size()) / (2 + width);
    if (samples > 0) {
      std::vector<double> q, v, energy;
      for (std::int64_t k = 0; k < samples; ++k) {
        const double* row = flown.samples.data() + k * (2 + width);
        q.insert(q.end(), row + 1, row + 1 + dim_);
        v.insert(v.end(), row + 1 + dim_, row + 1 + width);
        energy.push_back(row[1 + width]);
      }
      const std::int64_t first = flown.sample_count - samples;
      put("/trajectory/q", {flown.id, first, 0}, {1, samples, dim_}, q);
      put("/trajectory/v", {flown.id, first, 0}, {1, samples, dim_}, v);
      put("/trajectory/energy", {flown.id, first}, {1, samples}, energy);
      flown.samples.clear();
    }
    part_[2] += parallel::wall_time() - before;
  }

  /// NaN in the places that a trajectory leaves unused.
  void pad(const sections::Flown& flown) {
    const double before = parallel::wall_time();
    const auto fill = [&](const char* path, std::int64_t used, std::int64_t all, std::int64_t width) {
      constexpr std::int64_t chunk = 1 << 16;
      for (std::int64_t first = used; first < all; first += chunk) {
        const std::int64_t rows = std::min(chunk, all - first);
        values_.assign(static_cast<std::size_t>(rows * std::max<std::int64_t>(width, 1)), nan);
        if (width > 0)
          put(path, {flown.id, first, 0}, {1, rows, width}, values_);
        else
          put(path, {flown.id, first}, {1, rows}, values_);
      }
    };
    if (plan_.watch.section) {
      fill("/section/time", flown.crossing_count, plan_.watch.stop.crossings, 0);
      fill("/section/points", flown.crossing_count, plan_.watch.stop.crossings, 2 * dim_);
    }
    if (plan_.samples > 0) {
      fill("/trajectory/q", flown.sample_count, plan_.samples, dim_);
      fill("/trajectory/v", flown.sample_count, plan_.samples, dim_);
      fill("/trajectory/energy", flown.sample_count, plan_.samples, 0);
    }
    part_[2] += parallel::wall_time() - before;
  }

  void put(const char* path, const std::vector<std::int64_t>& offset, const std::vector<std::int64_t>& count,
           const std::vector<double>& values) {
    result_->write(handle_.at(path), offset, count, values.data());
  }

  /// Writes the states of all trajectories under way, after the rows that they have behind them.
  void save() {
    const double before = parallel::wall_time();
    for (int lane = 0; lane < lanes_; ++lane) {
      if (flight_->free(lane)) continue;
      flight_->save(lane, state_);
      sections::Flown& flown = flight_->flown(lane);
      flush(flown);
      checkpoint_->write(lane, flown.id, std::as_bytes(std::span(state_)));
    }
    checkpoint_->sync();
    part_[2] += parallel::wall_time() - before;
  }

  ExitCode finish() {
    const double waiting = parallel::wall_time();
    parallel::barrier();
    part_[3] += parallel::wall_time() - waiting;
    Summary summary;
    summary.file = plan_.file;
    summary.stopped = parallel::any(stopped_);
    summary.count = parallel::sum(std::vector<std::int64_t>(count_.begin(), count_.end()));
    summary.crossings = parallel::sum(crossings_);
    summary.steps = parallel::sum(steps_);
    summary.worst_energy_error = parallel::maximum(worst_energy_error_);
    summary.parts = content_.parts;
    summary.part_seconds = parallel::sum(part_);
    for (double& seconds : summary.part_seconds) seconds /= parallel::size();
    summary.wall_seconds = parallel::wall_time() - started_;
    summary.orbits = ensemble_.size();
    checkpoint_.reset();
    result_->close({summary.wall_seconds, summary.part_seconds});
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
  const std::int64_t dim_;
  std::unique_ptr<sections::Flight> flight_;
  int lanes_ = 0;
  std::vector<double> state_;
  io::ResultContent content_;
  std::int64_t block_size_ = 1, block_count_ = 0;

  parallel::TaskSharing* sharing_ = nullptr;
  std::optional<io::ResultFile> result_;
  std::optional<io::CheckpointFile> checkpoint_;
  std::map<std::string, int, std::less<>> handle_;
  std::map<std::int64_t, std::vector<std::byte>> carried_;
  std::vector<Block> blocks_;
  bool exhausted_ = false, stopped_ = false;

  double started_ = 0;
  std::vector<double> part_ = std::vector<double>(4, 0.0), times_, values_;
  std::int64_t landed_ = 0, taken_ = 0, crossings_ = 0, steps_ = 0;
  std::array<std::int64_t, status_names.size()> count_{};
  double worst_energy_error_ = 0;
};

/// How long it would take, from a fraction of a second's flight of the first feasible starts.
Estimate estimate(Runner& runner, const Plan& plan, const Ensemble& ensemble) {
  Estimate result;
  result.orbits = ensemble.size();
  for (const auto& set : runner.content().data_sets) result.file_bytes += set.bytes();
  sections::Flight& flight = runner.flight();
  result.rank_bytes = 2 * flight.lanes() * runner.payload_bytes() + (std::int64_t{32} << 20);
  std::int64_t id = 0, feasible = 0, looked = 0;
  for (int lane = 0; lane < flight.lanes() && id < ensemble.size(); ++id, ++looked) {
    const EnsembleStart start = ensemble[id];
    if (!start.feasible) continue;
    ++feasible;
    flight.load(lane, start.start);
    if (flight.flown(lane).status == Status::pending)
      ++lane;
    else
      flight.release(lane);
  }
  const double before = parallel::wall_time();
  std::int64_t crossings = 0;
  double time = 0;
  while (parallel::wall_time() - before < 0.2) {
    flight.advance(64);
    bool some = false;
    for (int lane = 0; lane < flight.lanes(); ++lane)
      some |= !flight.free(lane) && flight.flown(lane).status == Status::pending;
    if (!some) break;
  }
  const double seconds = parallel::wall_time() - before;
  for (int lane = 0; lane < flight.lanes(); ++lane) {
    if (flight.free(lane)) continue;
    auto& flown = flight.flown(lane);
    crossings += flown.crossing_count;
    if (!flown.crossings.empty())
      time += flown.crossings[flown.crossings.size() -
                              static_cast<std::size_t>(2 * plan.model.problem->dim() + 1)];
    if (!flown.samples.empty())
      time =
          std::max(time, static_cast<double>(flown.sample_count) * plan.watch.sample_every * flight.lanes());
  }
  const double all = static_cast<double>(ensemble.size()) * static_cast<double>(feasible) /
                     static_cast<double>(std::max<std::int64_t>(looked, 1));
  double work = 0;
  if (plan.watch.section && crossings > 0)
    work = all * static_cast<double>(plan.watch.stop.crossings) / static_cast<double>(crossings);
  if (time > 0 && std::isfinite(plan.watch.stop.time)) {
    const double by_time = all * plan.watch.stop.time / time;
    work = work > 0 ? std::min(work, by_time) : by_time;
  }
  result.seconds = work * seconds / parallel::size();
  return result;
}

}  // namespace

void read_method(Task& task, Plan& plan) {
  const io::Table table = task.deck.table("method");
  std::vector<std::string> names;
  for (const auto& method : integrators::method_list()) names.push_back(method.name);
  plan.method.name = table.choice("name", "gauss", names);
  plan.method.stages = static_cast<int>(table.integer_at_least("stages", 1, plan.method.stages));
  if (table.has("tolerance")) plan.method.tolerance = table.positive("tolerance");
  if (!plan.method.tolerance && !table.has("step")) {
    throw table.error("give step (fixed) or tolerance (adaptive)");
  }
  plan.method.step = plan.method.tolerance ? table.positive("step", 0.01) : table.positive("step");
  plan.method.treatment = table.choice("treatment", plan.method.treatment, {"A", "C", "E"});
  plan.lanes = static_cast<int>(table.integer_at_least("lanes", 0, 0));
}

void read_output(Task& task, Plan& plan, const std::string& name) {
  const io::Table table = task.deck.table("output");
  plan.file = table.text("file", name);
  plan.checkpoint_minutes = table.positive("checkpoint_minutes", 10.0);
  plan.wall_minutes = table.number("wall_minutes", std::numeric_limits<double>::infinity());
}

ExitCode run_ensemble(Task& task, const std::string& study, const Plan& plan, const Ensemble& ensemble) {
  Runner runner(task, study, plan, ensemble);
  if (task.dry_run) {
    if (parallel::rank() == 0) print(estimate(runner, plan, ensemble));
    return exit_success;
  }
  return runner.run();
}

}  // namespace cotangent::studies
