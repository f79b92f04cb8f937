// SPDX-License-Identifier: BSD-3-Clause
// The driver and its checkpoint, by the smallest evolution that has all.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <thread>

#include "damped_oscillators.hpp"
#include "io/scratch_folder.hpp"
#include "io/seal.hpp"
#include "mpi_test.hpp"
#include "parallel/signals.hpp"
#include "parallel/task_sharing.hpp"
#include "run/checkpoint.hpp"

using namespace cotangent;
using test::DampedOscillators;

namespace {

run::Settings settings(const std::filesystem::path& file) {
  run::Settings settings;
  settings.study = "oscillators";
  settings.deck = "study = \"oscillators\"\n\n[model]\nc = 0.02\n\n[output]\nfile = \"a.h5\"\n";
  settings.file = file;
  return settings;
}

/// Every number of a result, as it is read.
std::vector<double> numbers(const std::filesystem::path& path) {
  parallel::barrier();
  const io::File file = io::File::open(path);
  std::vector<double> all;
  for (const char* set :
       {"/oscillators/time", "/oscillators/q", "/oscillators/energy", "/oscillators/status"}) {
    const auto values = file.read<double>(set);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 8 * a.size()) == 0;
}

std::string bytes_of(const std::filesystem::path& path) {
  parallel::barrier();
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A run that its clock stops at the first look.
void stop_early(const std::filesystem::path& file) {
  DampedOscillators evolution;
  run::Settings brief = settings(file);
  brief.wall_minutes = 1e-9;
  CHECK_ALL(run::drive(evolution, brief) == exit_stopped);
  CHECK_ALL(evolution.step() < evolution.steps);
}

}  // namespace

TEST_CASE("a run ends with all its rows and without a checkpoint, however they are written") {
  const test::ScratchFolder folder;
  DampedOscillators plain;
  CHECK_ALL(run::drive(plain, settings(folder / "plain.h5")) == exit_success);
  const auto expected = numbers(folder / "plain.h5");
  CHECK_ALL(expected.size() == static_cast<std::size_t>(plain.samples() * (plain.count + 2) + 1));
  CHECK_ALL(!std::filesystem::exists(io::checkpoint_path(folder / "plain.h5")));
  // The last position of the first oscillator against the formula of damped oscillations.
  const double t = 0.01 * static_cast<double>(plain.steps), omega = std::sqrt(1 - 1e-4);
  const double exact = std::exp(-0.01 * t) * (std::cos(omega * t) + 0.01 / omega * std::sin(omega * t));
  const auto q = io::File::open(folder / "plain.h5").read<double>("/oscillators/q");
  CHECK_ALL(std::abs(q[static_cast<std::size_t>((plain.samples() - 1) * plain.count)] - exact) < 0.02);
  SECTION("by each rank alone") {
    DampedOscillators evolution;
    run::Settings other = settings(folder / "other.h5");
    other.options.collective = false;
    CHECK_ALL(run::drive(evolution, other) == exit_success);
    CHECK_ALL(same(numbers(folder / "other.h5"), expected));
  }
  SECTION("with hints for MPI-IO") {
    DampedOscillators evolution;
    run::Settings other = settings(folder / "other.h5");
    other.options.hints = {{"cb_nodes", "1"}, {"romio_cb_write", "enable"}};
    CHECK_ALL(run::drive(evolution, other) == exit_success);
    CHECK_ALL(same(numbers(folder / "other.h5"), expected));
  }
  SECTION("compressed") {
    DampedOscillators evolution, large;
    large.count = 3001;
    run::Settings other = settings(folder / "other.h5");
    CHECK_ALL(run::drive(large, other) == exit_success);
    const auto whole = numbers(folder / "other.h5");
    const auto length = std::filesystem::file_size(folder / "other.h5");
    other.options.compression = 4;
    DampedOscillators again;
    again.count = large.count;
    parallel::barrier();
    CHECK_ALL(run::drive(again, other) == exit_success);
    CHECK_ALL(same(numbers(folder / "other.h5"), whole));
    CHECK_ALL(std::filesystem::file_size(folder / "other.h5") < length * 95 / 100);
    CHECK_ALL(io::File::open(folder / "other.h5").text_attribute("/oscillators/q", "meaning") == "positions");
    CHECK_ALL(io::File::open(folder / "other.h5").read_text("/deck") == other.deck);
    CHECK_ALL(io::File::open(folder / "other.h5").read<std::int64_t>("/run/starts").front() == 1);
    other.resume = true;  // a complete and compressed result is one, and is left as it is
    parallel::barrier();
    const auto file_of = [&] {
      struct stat of = {};
      ::stat((folder / "other.h5").c_str(), &of);
      return of.st_ino;
    };
    const auto before = file_of();
    DampedOscillators complete;
    complete.count = large.count;
    CHECK_ALL(run::drive(complete, other) == exit_success);
    CHECK_ALL(complete.step() == 0);
    CHECK_ALL(file_of() == before);
    CHECK_ALL(same(numbers(folder / "other.h5"), whole));
    // One that couldn't be compressed is, when there is room.
    run::Settings later = settings(folder / "later.h5");
    DampedOscillators first, second;
    first.count = second.count = large.count;
    CHECK_ALL(run::drive(first, later) == exit_success);
    later.resume = true;
    later.options.compression = 4;
    CHECK_ALL(run::drive(second, later) == exit_success);
    CHECK_ALL(second.step() == 0);
    CHECK_ALL(std::filesystem::file_size(folder / "later.h5") < length * 95 / 100);
    CHECK_ALL(same(numbers(folder / "later.h5"), whole));
  }
  SECTION("frames in single precision, the rest as before") {
    DampedOscillators evolution;
    run::Settings other = settings(folder / "other.h5");
    other.options.single_precision = true;
    CHECK_ALL(run::drive(evolution, other) == exit_success);
    const io::File file = io::File::open(folder / "other.h5"), whole = io::File::open(folder / "plain.h5");
    CHECK_ALL(file.data_set("/oscillators/q").type() == io::DataType::float32);
    const auto narrow = file.read<double>("/oscillators/q");
    bool rounded = narrow.size() == q.size();
    for (std::size_t i = 0; rounded && i < q.size(); ++i)
      rounded = narrow[i] == static_cast<double>(static_cast<float>(q[i]));
    CHECK_ALL(rounded);
    CHECK_ALL(same(file.read<double>("/oscillators/energy"), whole.read<double>("/oscillators/energy")));
  }
}

TEST_CASE("a run that was stopped goes on to the same bits") {
  const test::ScratchFolder folder;
  DampedOscillators whole;
  run::drive(whole, settings(folder / "whole.h5"));
  stop_early(folder / "cut.h5");
  CHECK_ALL(std::filesystem::exists(io::checkpoint_path(folder / "cut.h5")));
  CHECK_ALL(!same(numbers(folder / "cut.h5"), numbers(folder / "whole.h5")));
  DampedOscillators rest;
  run::Settings resumed = settings(folder / "cut.h5");
  resumed.resume = true;
  CHECK_ALL(run::drive(rest, resumed) == exit_success);
  CHECK_ALL(same(numbers(folder / "cut.h5"), numbers(folder / "whole.h5")));
  CHECK_ALL(!std::filesystem::exists(io::checkpoint_path(folder / "cut.h5")));
  CHECK_ALL(io::File::open(folder / "cut.h5").read<std::int64_t>("/run/starts").front() == 2);
  DampedOscillators nothing_left;
  CHECK_ALL(run::drive(nothing_left, resumed) == exit_success);
  CHECK_ALL(nothing_left.step() == 0);
}

TEST_CASE("to go on where nothing is yet is to begin; where another deck was, it is refused") {
  const test::ScratchFolder folder;
  DampedOscillators whole;
  run::Settings resumed = settings(folder / "first.h5");
  resumed.resume = true;
  CHECK_ALL(run::drive(whole, resumed) == exit_success);
  CHECK_ALL(whole.step() == whole.steps);
  resumed.deck = "study = \"oscillators\"\n\n[model]\nc = 0.03\n\n[output]\nfile = \"a.h5\"\n";
  DampedOscillators other;
  const auto text = test::text_thrown<Error>([&] { run::drive(other, resumed); });
  CHECK_ALL((text.find("begun with another deck") != std::string::npos &&
             text.find("[model] c: 0.02") != std::string::npos));
}

TEST_CASE("a signal stops a run within a slice") {
  const test::ScratchFolder folder;
  parallel::install_signal_handlers();
  if (parallel::rank() == 0) std::raise(SIGUSR1);
  DampedOscillators evolution;
  CHECK_ALL(run::drive(evolution, settings(folder / "cut.h5")) == exit_stopped);
  parallel::install_signal_handlers();  // and forgets it
  CHECK_ALL(evolution.step() < evolution.steps);
}

TEST_CASE("a motion that fails leaves NaN where it didn't come, and a status") {
  const test::ScratchFolder folder;
  DampedOscillators evolution;
  evolution.fails_at = 1003;
  CHECK_ALL(run::drive(evolution, settings(folder / "a.h5")) == exit_trajectories_failed);
  parallel::barrier();
  const io::File file = io::File::open(folder / "a.h5");
  const auto q = file.read<double>("/oscillators/q");
  const auto reached =
      static_cast<std::size_t>((1003 / DampedOscillators::sample_steps + 1) * evolution.count);
  CHECK_ALL((std::isfinite(q[reached - 1]) && std::isnan(q[reached]) && std::isnan(q.back())));
  CHECK_ALL(file.read<std::int32_t>("/oscillators/status").front() ==
            static_cast<std::int32_t>(Status::non_finite));
  DampedOscillators again;
  run::Settings resumed = settings(folder / "a.h5");
  resumed.resume = true;
  CHECK_ALL(run::drive(again, resumed) == exit_trajectories_failed);
  CHECK_ALL(again.step() == 0);
}

TEST_CASE("where motion failed early, what is left blank goes to the file by pieces") {
  const test::ScratchFolder folder;
  io::ResultContent content;
  constexpr std::int64_t rows = 400, width = 1 << 13;  // of 64 kB each
  content.data_sets = {{"/frames", io::DataType::float64, {rows, width}, "1", "as of many particles"}};
  io::ResultFile result = io::ResultFile::create(folder / "blank.h5", content);
  run::Records records(result, true);
  records.blank_from("/frames", 1);
  CHECK_ALL(parallel::sum(records.waiting_bytes()) <=
            run::Records::most_waiting + (1 << 20) * parallel::size());
  result.close({});
  parallel::barrier();
  const io::File file = io::File::open(folder / "blank.h5");
  const auto first = file.read_rows<double>("/frames", 0, 1),
             last = file.read_rows<double>("/frames", rows - 1, 1);
  CHECK_ALL(std::ranges::count(first, 0.0) == width);
  CHECK_ALL(std::ranges::all_of(last, [](double x) { return std::isnan(x); }));
}

TEST_CASE("a checkpoint that doesn't fit is refused by name, and left whole") {
  const test::ScratchFolder folder;
  const auto result = folder / "cut.h5", checkpoint = io::checkpoint_path(result);
  stop_early(result);
  run::Settings resumed = settings(result);
  resumed.resume = true;
  const auto refusal = [&](DampedOscillators&& evolution) {
    const std::string before = bytes_of(checkpoint);
    std::string text;
    ExitCode code = exit_success;
    try {
      run::drive(evolution, resumed);
    } catch (const Error& error) {
      text = error.what();
      code = error.code();
    }
    CHECK_ALL(code == exit_bad_input);
    CHECK_ALL(text.find(checkpoint.string()) != std::string::npos);
    CHECK_ALL(bytes_of(checkpoint) == before);
    return text;
  };
  const auto says = [](const std::string& text, const std::string& part) {
    const bool found = text.find(part) != std::string::npos;
    if (!found && parallel::rank() == 0) WARN(text);
    return found;
  };
  SECTION("a field of another name") {
    DampedOscillators renamed;
    renamed.field = "velocities";
    const std::string text = refusal(std::move(renamed));
    CHECK_ALL((says(text, "has no field 'velocities'") && says(text, "it holds 'velocity'")));
  }
  const auto plant = [&](DampedOscillators&& evolution) {
    run::write_checkpoint(checkpoint, {resumed.study, resumed.deck}, {}, evolution);
  };
  SECTION("a field that is missing, and one too many") {
    struct Fewer : DampedOscillators {
      void state(run::StateFields& state) override {
        double worst = 0;
        std::int64_t step = 5;
        std::vector<double> q(static_cast<std::size_t>(run::Share::even(count).count));
        state.number("step", step);
        state.number("worst", worst);
        state.rows("position", run::Share::even(count), 1, q);
      }
    };
    struct More : Fewer {
      void state(run::StateFields& state) override {
        Fewer::state(state);
        std::vector<double> v(static_cast<std::size_t>(run::Share::even(count).count));
        double mood = 0;
        state.rows("velocity", run::Share::even(count), 1, v);
        state.number("mood", mood);
      }
    };
    plant(Fewer());
    CHECK_ALL(says(refusal(DampedOscillators()), "has no field 'velocity'"));
    plant(More());
    CHECK_ALL(says(refusal(DampedOscillators()), "holds a field 'mood'"));
  }
  SECTION("a field of another shape") {
    struct Wider : DampedOscillators {
      void state(run::StateFields& state) override {
        const run::Share share = run::Share::even(count);
        double worst = 0;
        std::int64_t step = 5;
        std::vector<double> q(static_cast<std::size_t>(2 * share.count)), v(q.size() / 2);
        state.number("step", step);
        state.number("worst", worst);
        state.rows("position", share, 2, q);
        state.rows("velocity", share, 1, v);
      }
    };
    plant(Wider());
    CHECK_ALL(says(refusal(DampedOscillators()),
                   "the field 'position' is float64 [37, 2], this run would go on from float64 [37, 1]"));
  }
  SECTION("another version, another study, another deck, no checkpoint at all") {
    const auto strange = [&](std::int64_t version, const std::string& study, const std::string& deck) {
      parallel::on_rank_zero([&] {
        io::File file = io::File::create(checkpoint);
        file.write_attribute("/", "format", std::string("cotangent checkpoint"));
        file.write_attribute("/", "format_version", version);
        file.write_attribute("/", "study", study);
        file.write_text("/deck", deck);
        file.create_group("/state");
      });
      io::seal(checkpoint);
    };
    strange(7, resumed.study, resumed.deck);
    CHECK_ALL(says(refusal(DampedOscillators()), "another version: format_version = 7"));
    strange(run::checkpoint_version, "pendulums", resumed.deck);
    CHECK_ALL(says(refusal(DampedOscillators()), "study = \"pendulums\""));
    strange(run::checkpoint_version, resumed.study, "[model]\nc = 0.5\n");
    CHECK_ALL(says(refusal(DampedOscillators()), "[model] c: 0.5"));
    parallel::on_rank_zero([&] { std::ofstream(checkpoint) << "torn"; });
    CHECK_ALL(says(refusal(DampedOscillators()), "has no checksum at its end"));
    io::seal(checkpoint);
    CHECK_ALL(says(refusal(DampedOscillators()), "not a checkpoint"));
  }
}

namespace {

/// Numbers worked out by whichever rank is free, one a unit, with two under way on each.
class Squares : public run::Evolution {
 public:
  std::int64_t count = 301, breaks_at = -1;
  double pause = 0;

  bool together() const override { return false; }
  std::vector<io::DataSetSpec> data_sets() const override {
    return {{"/squares", io::DataType::int64, {count}, "1", "of 1, 2, 3 ..."}};
  }
  void begin(run::Records&) override {}
  void recall(const run::Records& records) override {
    const auto known = records.read_rows<std::int64_t>("/squares", 0, count);
    done_.assign(known.begin(), known.end());
  }
  void state(run::StateFields& state) override {
    std::vector<double> under_way(pending_.begin(), pending_.end());
    state.loose_rows("under_way", 1, under_way);
    if (state.reading()) pending_.assign(under_way.begin(), under_way.end());
  }
  void advance(std::int64_t units, run::Records& records) override {
    for (; units > 0 && !ended(); --units) {
      if (pending_.empty()) {
        const auto next = sharing_.take();
        if (!next || (!done_.empty() && done_[static_cast<std::size_t>(*next)] != 0)) continue;
        pending_.push_back(*next);
      }
      const std::int64_t task = pending_.back(), square = (task + 1) * (task + 1);
      pending_.pop_back();
      if (task == breaks_at) throw Error("the number " + std::to_string(task) + " is bad");
      records.rows("/squares", task, 1, &square);
      if (pause > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    }
  }
  bool ended() const override { return sharing_.exhausted() && pending_.empty(); }
  run::Progress progress() const override { return {}; }
  std::vector<run::Line> summary(const run::Effort&) override { return {}; }
  bool failed() override { return false; }

 private:
  parallel::TaskSharing sharing_{count};
  std::vector<std::int64_t> pending_;
  std::vector<double> done_;
};

}  // namespace

TEST_CASE("ranks that go on at their own pace share the work, stop and go on together") {
  const test::ScratchFolder folder;
  const auto right = [&](const std::filesystem::path& path) {
    parallel::barrier();
    const auto squares = io::File::open(path).read<std::int64_t>("/squares");
    bool all = squares.size() == 301;
    for (std::size_t k = 0; k < squares.size(); ++k)
      all = all && squares[k] == static_cast<std::int64_t>((k + 1) * (k + 1));
    return all;
  };
  {
    Squares squares;
    CHECK_ALL(run::drive(squares, settings(folder / "a.h5")) == exit_success);
  }
  CHECK_ALL(right(folder / "a.h5"));
  run::Settings brief = settings(folder / "b.h5");
  {
    Squares slow;
    slow.pause = 0.02;
    brief.wall_minutes = 0.05 / 60;
    CHECK_ALL(run::drive(slow, brief) == exit_stopped);
  }
  CHECK_ALL(!right(folder / "b.h5"));
  {
    Squares rest;
    brief.wall_minutes = 10;
    brief.resume = true;
    CHECK_ALL(run::drive(rest, brief) == exit_success);
  }
  CHECK_ALL(right(folder / "b.h5"));
}

TEST_CASE("a rank whose time is up takes one slice, and no more while the others agree") {
  const test::ScratchFolder folder;
  Squares squares;
  run::Settings brief = settings(folder / "a.h5");
  brief.wall_minutes = 1e-9;
  CHECK_ALL(run::drive(squares, brief) == exit_stopped);
  parallel::barrier();
  const auto found = io::File::open(folder / "a.h5").read<std::int64_t>("/squares");
  CHECK_ALL(std::count_if(found.begin(), found.end(), [](std::int64_t s) { return s > 0; }) ==
            parallel::size());
}

TEST_CASE("what one rank throws while others work is thrown on all") {
  const test::ScratchFolder folder;
  Squares squares;
  squares.breaks_at = 123;
  squares.pause = 0.0005;
  CHECK_ALL(test::text_thrown<Error>([&] { run::drive(squares, settings(folder / "a.h5")); }) ==
            "the number 123 is bad");
}

namespace {

/// Rank 0 is slow: its first slice lasts until the last rank, which has told the others meanwhile that it
/// goes on, leaves a slice half done.
class HalfDone : public run::Evolution {
 public:
  HalfDone(std::filesystem::path fails, int signal) : fails_(std::move(fails)), signal_(signal) {}

  bool together() const override { return false; }
  std::vector<io::DataSetSpec> data_sets() const override {
    return {{"/done", io::DataType::int64, {1}, "1", "slices"}};
  }
  void begin(run::Records&) override {}
  void state(run::StateFields& state) override { state.number("done", done_); }
  void advance(std::int64_t, run::Records&) override {
    using std::chrono::milliseconds;
    if (parallel::rank() == parallel::size() - 1 && ++done_ == 2) {
      std::ofstream{fails_};
      throw FileError("the last rank's disk");
    }
    std::this_thread::sleep_for(milliseconds(15));  // longer than from look to look
    if (parallel::rank() > 0 || parallel::size() == 1) return;
    while (!std::filesystem::exists(fails_)) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(15));
    if (signal_ != 0) std::raise(signal_);
  }
  bool ended() const override { return false; }
  run::Progress progress() const override { return {}; }
  std::vector<run::Line> summary(const run::Effort&) override { return {}; }
  bool failed() override { return false; }

 private:
  std::filesystem::path fails_;
  int signal_;
  double done_ = 0;
};

}  // namespace

TEST_CASE("what a rank has left half done is neither stored nor called a stop") {
  const test::ScratchFolder folder;
  parallel::install_signal_handlers();
  run::Settings often = settings(folder / "a.h5");
  int signal = 0;
  SECTION("where a checkpoint is due") {
    often.checkpoint_minutes = parallel::size() == 1 ? 10 : 1e-9;
  }
  SECTION("where a signal stops the run") {
    signal = SIGUSR1;
  }
  HalfDone evolution(folder / "fails", signal);
  CHECK_ALL(test::text_thrown<FileError>([&] { run::drive(evolution, often); }) == "the last rank's disk");
  parallel::install_signal_handlers();  // and forgets it
  CHECK_ALL(!std::filesystem::exists(io::checkpoint_path(often.file)));
}

namespace {

/// Each rank enters one row, and works on until it is in the file.
class FewRows : public run::Evolution {
 public:
  explicit FewRows(std::filesystem::path file) : file_(std::move(file)) {}

  bool seen() const { return seen_; }
  bool together() const override { return false; }
  std::vector<io::DataSetSpec> data_sets() const override {
    return {{"/row", io::DataType::int64, {parallel::size()}, "1", "of each rank"},
            {"/status", io::DataType::int32, {parallel::size()}, "1", "of each rank"}};
  }
  void begin(run::Records&) override {}
  void state(run::StateFields&) override {}
  void advance(std::int64_t, run::Records& records) override {
    const std::int64_t row = 17;
    const std::int32_t status = 1;
    if (slices_++ == 0) {
      records.rows("/row", parallel::rank(), 1, &row);
      records.rows("/status", parallel::rank(), 1, &status, io::Turn::last);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const io::File file = io::File::open(file_);
    seen_ = file.read_rows<std::int64_t>("/row", parallel::rank(), 1).front() == row &&
            file.read_rows<std::int32_t>("/status", parallel::rank(), 1).front() == status;
  }
  bool ended() const override { return seen_ || slices_ > 2000; }
  run::Progress progress() const override { return {}; }
  std::vector<run::Line> summary(const run::Effort&) override { return {}; }
  bool failed() override { return false; }

 private:
  std::filesystem::path file_;
  int slices_ = 0;
  bool seen_ = false;
};

}  // namespace

TEST_CASE("few rows, too, go to the file while the run lasts") {
  const test::ScratchFolder folder;
  FewRows evolution(folder / "a.h5");
  CHECK_ALL(run::drive(evolution, settings(folder / "a.h5")) == exit_success);
  CHECK_ALL(evolution.seen());
}

namespace {

/// Each rank enters its own row; the last part makes of the next rank's what is in the second data set.
class TwoParts : public run::Evolution {
 public:
  int stops_at = -1;  ///< the slice of the last part in which a signal comes

  bool together() const override { return false; }
  std::vector<io::DataSetSpec> data_sets() const override {
    return {{"/first", io::DataType::int64, {parallel::size()}, "1", "of each rank"},
            {"/second", io::DataType::int64, {parallel::size(), slices}, "1", "of its neighbour's"}};
  }
  void begin(run::Records&) override {}
  void state(run::StateFields& state) override {
    std::vector<double> entered{entered_ ? 1.0 : 0.0};
    state.rows("entered", run::Share::even(parallel::size()), 1, entered);
    entered_ = entered.front() != 0;
  }
  void advance(std::int64_t, run::Records& records) override {
    const std::int64_t rank = parallel::rank(), row = 10 + rank;
    if (slice_ < 0) {
      records.rows("/first", rank, 1, &row);
      entered_ = true;
      return;
    }
    const auto next = records.read_rows<std::int64_t>("/first", (rank + 1) % parallel::size(), 1).front();
    const std::int64_t value = 100 * next + slice_;
    records.slab("/second", std::array{rank, slice_}, std::array<std::int64_t, 2>{1, 1}, &value);
    if (slice_++ == stops_at) std::raise(SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(15));  // longer than from look to look
  }
  bool ended() const override { return slice_ < 0 ? entered_ : slice_ == slices; }
  bool begin_last_part(run::Records& records) override {
    if (slice_ >= 0) return false;
    parallel::agree([&] { records.sync(); });
    slice_ = 0;
    return true;
  }
  std::int64_t slice() const { return slice_; }
  run::Progress progress() const override { return {}; }
  std::vector<run::Line> summary(const run::Effort&) override { return {}; }
  bool failed() override { return false; }

 private:
  static constexpr std::int64_t slices = 20;
  bool entered_ = false;
  std::int64_t slice_ = -1;
};

}  // namespace

TEST_CASE("what is made of all rows at the end is stopped, too, and made when the run goes on") {
  const test::ScratchFolder folder;
  parallel::install_signal_handlers();
  TwoParts stopped, rest;
  stopped.stops_at = 2;
  run::Settings both = settings(folder / "a.h5");
  CHECK_ALL(run::drive(stopped, both) == exit_stopped);
  CHECK_ALL((stopped.slice() > 2 && stopped.slice() < 20));
  parallel::install_signal_handlers();  // and forgets it
  both.resume = true;
  CHECK_ALL(run::drive(rest, both) == exit_success);
  parallel::barrier();
  const auto second = io::File::open(both.file).read<std::int64_t>("/second");
  bool right = true;
  for (std::size_t k = 0; k < second.size(); ++k) {
    const auto rank = static_cast<std::int64_t>(k) / 20, slice = static_cast<std::int64_t>(k) % 20;
    right = right && second[k] == 100 * (10 + (rank + 1) % parallel::size()) + slice;
  }
  CHECK_ALL(right);
}
