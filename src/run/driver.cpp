// SPDX-License-Identifier: BSD-3-Clause
#include "run/driver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "io/run_lock.hpp"
#include "parallel/agreement.hpp"
#include "parallel/failure.hpp"
#include "parallel/mpi.hpp"
#include "parallel/signals.hpp"
#include "run/checkpoint.hpp"
#include "run/earlier.hpp"
#include "run/terminal.hpp"

namespace cotangent::run {

namespace {

/// The parts into which a run's wall time is divided; the result and the summary name them so.
enum Part { starting, integrating, sampling, writing, waiting, part_count };
const std::vector<std::string> part_names{"start", "integrate", "sample", "write", "wait"};

/// What a rank asks for between two slices, in rising urgency: all ranks do what the most urgent asks for.
enum class Wish : std::int64_t { go_on, write, store, stop, fail };

class Driver {
 public:
  Driver(Evolution& evolution, const Settings& settings)
      : evolution_(evolution),
        settings_(settings),
        started_(settings.began),
        checkpoint_(io::checkpoint_path(settings.file)),
        owner_{settings.study, settings.deck},
        terminal_(settings.telling) {}

  ExitCode run() {
    open();
    part_[starting] = parallel::wall_time() - started_;
    if (!ended_) evolution_.together() ? loop_together() : loop_apart();
    return close();
  }

 private:
  void open() {
    // Rank 0 alone, before anybody looks at the file: another rank that asked would find its own run's lock.
    parallel::on_rank_zero([&] { lock_.emplace(settings_.file); });
    io::ResultContent content;
    content.study = settings_.study;
    content.deck = settings_.deck;
    content.data_sets = evolution_.data_sets();
    content.parts = part_names;
    content.command_line = settings_.command_line;
    content.petsc_version = settings_.petsc;
    content.formulas = settings_.formulas;
    content.options = settings_.options;
    const auto earlier = earlier_result(settings_);
    const bool goes_on = earlier.has_value();
    if (goes_on) {
      ended_ = earlier->ended;
      owner_.number = earlier->checkpoints;
    }
    result_.emplace(goes_on ? io::ResultFile::resume(settings_.file, content)
                            : io::ResultFile::create(settings_.file, content));
    if (lock_ && !lock_->lacking().empty())
      say(fmt::format("{} can't be locked ({}): nothing keeps a second run away from it\n", settings_.file,
                      lock_->lacking()));
    records_.emplace(*result_, evolution_.together());
    if (ended_) return;
    if (goes_on) evolution_.recall(*records_);
    if (goes_on && read_checkpoint(checkpoint_, owner_, evolution_)) {
      evolution_.resume(*records_);
    } else {
      if (goes_on && parallel::rank() == 0)
        say("--resume: " + settings_.file +
            " has no checkpoint: what it doesn't hold yet begins from its start\n");
      evolution_.begin(*records_);
      const std::int64_t bytes = checkpoint_bytes(evolution_);
      parallel::on_rank_zero(
          [&] { io::require_space(checkpoint_, bytes, 3); });  // one being written beside two
    }
  }

  /// For motions whose steps are collective: all ranks take slices of steps together, then look at clock and
  /// signals together. A slice is no longer than to the next sample, so a look comes after as many slices as
  /// take the time.
  void loop_together() {
    constexpr double goal = 0.3;  // seconds that a slice, and all from look to look, should take
    std::int64_t units = 1, slices = 1;
    while (!evolution_.ended()) {
      const double before = parallel::wall_time();
      const auto bytes_before = records_->waiting_bytes();
      double seconds = 0;
      std::int64_t done = 0;
      for (; done < slices && !evolution_.ended(); ++done) seconds = advance(units);
      if (evolution_.ended()) break;
      // Rank 0 says how long and how many the next slices are, none so many that too much would wait on a
      // rank.
      const bool first = parallel::rank() == 0;
      const std::int64_t bytes = records_->waiting_bytes() - bytes_before,
                         fit = Records::most_waiting * done / std::max<std::int64_t>(bytes, 1);
      const auto agreed = parallel::maximum(
          std::vector{static_cast<std::int64_t>(wish()), first ? next_slice(units, seconds, goal) : 0,
                      first ? next_slice(slices, parallel::wall_time() - before, goal) : 0, -fit});
      units = agreed[1];
      slices = std::max<std::int64_t>(1, std::min(agreed[2], -agreed[3]));
      if (obey(static_cast<Wish>(agreed[0]))) return;
      tell();
    }
    end();
  }

  /// For motions in which ranks don't wait for one another: each takes slices at its own pace, and between
  /// them sees what all ranks have agreed on (Agreement). One that wants to stop takes no more of them while
  /// it waits for the others to agree; each start of a run takes one at least, so that it gets on.
  void loop_apart() {
    constexpr double goal = 0.02, between_looks = 0.01;
    parallel::Agreement agreement;
    std::exception_ptr failure;
    std::int64_t units = 1;
    double last_look = parallel::wall_time(), idle_since = 0;
    Wish wanted = Wish::go_on;
    while (true) {
      const bool idle = wanted >= Wish::stop || evolution_.ended();
      if (idle) {
        if (idle_since == 0) idle_since = parallel::wall_time();
        if (agreement.pending()) std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
      try {
        if (!idle) units = next_slice(units, advance(units), goal);
        if (!failure) measure(writing, [&] { records_->flush_old(); });
      } catch (...) {
        failure = std::current_exception();
      }
      wanted = failure ? Wish::fail : wish();
      const double now = parallel::wall_time();
      if (!idle && now - last_look < between_looks) continue;
      last_look = now;
      if (!agreement.pending())
        agreement.propose(static_cast<std::int64_t>(wanted), evolution_.ended() ? 0 : 1);
      const auto reached = agreement.reached();
      if (!reached) continue;
      if (idle_since > 0) part_[waiting] += parallel::wall_time() - std::exchange(idle_since, 0);
      const auto wish = static_cast<Wish>((*reached)[0]);
      const bool all_ended = (*reached)[1] == 0;
      if (wish != Wish::go_on || all_ended) {
        // A rank may have failed after it proposed something else: what it left half done is never stored.
        parallel::agree([&] {
          if (failure) std::rethrow_exception(failure);
        });
        if (all_ended) hand_over();
        if (all_ended && !evolution_.begin_last_part(*records_)) return end();
        if (!all_ended && obey(wish)) return;
      }
      tell();
    }
  }

  /// A slice, with the samples that belong to its end; returns how long the motion took.
  double advance(std::int64_t units) {
    const double before = parallel::wall_time();
    measure(integrating, [&] { evolution_.advance(units, *records_); });
    const double moved = parallel::wall_time();
    measure(sampling, [&] { evolution_.sample(*records_); });
    return moved - before;
  }

  /// Does what belongs to a part of the time, but for what it writes at once.
  void measure(Part part, const std::function<void()>& work) {
    const double before = parallel::wall_time(), written = records_->seconds();
    work();
    const double writing_meanwhile = records_->seconds() - written;
    part_[part] += parallel::wall_time() - before - writing_meanwhile;
    part_[writing] += writing_meanwhile;
  }

  /// How many units the next slice has, so that it takes about `goal` seconds; at most twice, at least half
  /// as many as the last.
  static std::int64_t next_slice(std::int64_t units, double seconds, double goal) {
    const double factor = std::clamp(goal / std::max(seconds, 1e-9), 0.5, 2.0);
    return std::clamp<std::int64_t>(std::llround(static_cast<double>(units) * factor), 1, 1 << 20);
  }

  Wish wish() const {
    const double now = parallel::wall_time();
    if (parallel::stop_signal() != 0 || now - started_ > 60 * settings_.wall_minutes) return Wish::stop;
    if (parallel::rank() == 0 && now - stored_ > 60 * settings_.checkpoint_minutes) return Wish::store;
    return evolution_.together() && records_->waiting_bytes() > Records::most_waiting ? Wish::write
                                                                                      : Wish::go_on;
  }

  /// Does what all agreed on; true where the run stops.
  bool obey(Wish wish) {
    const bool stores = wish == Wish::store || wish == Wish::stop;
    if (stores) hand_over();
    const double before = parallel::wall_time();
    if (wish == Wish::write) records_->flush();
    if (stores) store();
    part_[writing] += parallel::wall_time() - before;
    stopped_ = wish == Wish::stop;
    return stopped_;
  }

  void hand_over() {
    const auto work = [&] { measure(sampling, [&] { evolution_.hand_over(*records_); }); };
    evolution_.together() ? work() : parallel::agree(work);
  }

  /// Writes a checkpoint. The rows of all that happened before it go to the disk first: a run that goes on
  /// from it doesn't write them again.
  void store() {
    owner_.number = result_->count_checkpoint();
    if (evolution_.together()) {
      records_->flush();
      parallel::agree([&] { result_->rows().sync(); });
    } else {
      parallel::agree([&] { records_->sync(); });
    }
    write_checkpoint(checkpoint_, owner_, settings_.options, evolution_);
    stored_ = parallel::wall_time();
  }

  void end() {
    hand_over();
    measure(sampling, [&] { evolution_.finish(*records_); });
  }

  void tell() {
    if (parallel::rank() == 0) terminal_.show(evolution_.progress());
  }

  ExitCode close() {
    if (!ended_) tell();
    terminal_.finish();
    const double arrived = parallel::wall_time();
    parallel::barrier();
    part_[waiting] += parallel::wall_time() - arrived;
    const std::vector<Line> lines =
        ended_ ? std::vector<Line>{}
               : evolution_.summary({parallel::wall_time() - started_, part_[integrating]});
    const ExitCode code = ended_                ? *ended_
                          : stopped_            ? exit_stopped
                          : evolution_.failed() ? exit_trajectories_failed
                                                : exit_success;
    const double before = parallel::wall_time();
    result_->rows().flush_together();
    part_[writing] += parallel::wall_time() - before;
    part_ = parallel::sum(part_);
    const double wall = parallel::wall_time() - started_;
    std::vector<double> parts = part_;
    for (double& seconds : parts) seconds /= parallel::size();
    result_->close({wall, parts, code});
    if (!stopped_) remove_checkpoint(checkpoint_);  // not before the result has all
    parallel::on_rank_zero([&] { report(lines, wall, parts); });
    return code;
  }

  void report(const std::vector<Line>& lines, double wall, const std::vector<double>& parts) const {
    if (ended_) return say_complete(settings_);
    std::string text = stopped_ ? fmt::format("stopped; go on with --resume. So far in {}\n", settings_.file)
                                : fmt::format("{:<17} {}\n", "result", settings_.file);
    if (!settings_.formulas.empty()) text += fmt::format("{:<17} {}\n", "formulas", settings_.formulas);
    for (const std::string& warning : settings_.warnings) text += "warning: " + warning + "\n";
    for (const auto& [name, what] : lines) text += fmt::format("{:<17} {}\n", name, what);
    text += fmt::format("{:<17} {} on {} ranks", "time", duration(wall), parallel::size());
    for (std::size_t k = 0; k < parts.size(); ++k)
      text += fmt::format("{} {} {:.1f} %", k == 0 ? ":" : ",", part_names[k], 100 * parts[k] / wall);
    say(text + "\n");
  }

  Evolution& evolution_;
  const Settings& settings_;
  const double started_;
  const std::filesystem::path checkpoint_;
  CheckpointOwner owner_;
  std::optional<io::RunLock> lock_;  // outlives what it protects
  std::optional<io::ResultFile> result_;
  std::optional<Records> records_;
  Terminal terminal_;
  std::optional<ExitCode> ended_;  // of an earlier start, which came to the run's end
  bool stopped_ = false;
  double stored_ = parallel::wall_time();
  std::vector<double> part_ = std::vector<double>(part_count, 0.0);
};

}  // namespace

ExitCode drive(Evolution& evolution, const Settings& settings) {
  Driver driver(evolution, settings);
  try {
    return driver.run();
  } catch (const Error& error) {  // while the driver and the evolution are whole: their ends are collective
    parallel::end_if_alone(error.code(), error.what());
    throw;
  } catch (const std::bad_alloc&) {
    parallel::end_if_alone(exit_internal_error, parallel::out_of_memory);
    throw;
  } catch (const std::exception& error) {
    parallel::end_if_alone(exit_internal_error, error.what());
    throw;
  }
}

}  // namespace cotangent::run
