#include "studies/report.hpp"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "core/status.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::studies {

namespace {

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  return fmt::format("{:.3g} h", seconds / 3600);
}

std::string size(double bytes) {
  for (const char* unit : {"B", "kB", "MB", "GB"}) {
    if (bytes < 1000) return fmt::format("{:.3g} {}", bytes, unit);
    bytes /= 1000;
  }
  return fmt::format("{:.3g} TB", bytes);
}

/// Whether somebody watches. mpirun hands its ranks a terminal even where its own output goes to a file, so
/// what the parent writes to counts as well.
bool on_terminal() {
  std::error_code unknown;
  const auto parents =
      std::filesystem::read_symlink(fmt::format("/proc/{}/fd/1", getppid()), unknown).string();
  return isatty(fileno(stdout)) != 0 &&
         (unknown || parents.starts_with("/dev/pts/") || parents.starts_with("/dev/tty"));
}

}  // namespace

Progress::Progress(std::int64_t orbits)
    : orbits_(orbits), started_(parallel::wall_time()), terminal_(on_terminal()) {
  next_ = started_ + (terminal_ ? 0.5 : 5.0);
}

void Progress::show(std::int64_t begun, std::int64_t landed) {
  const double now = parallel::wall_time();
  if (parallel::rank() != 0 || now < next_) return;
  next_ = now + (terminal_ ? 0.5 : 10.0);
  const double elapsed = now - started_, share = static_cast<double>(begun) / static_cast<double>(orbits_);
  std::string line = fmt::format("{} of {} trajectories begun ({:.0f} %), {:.3g} a second on rank 0", begun,
                                 orbits_, 100 * share, static_cast<double>(landed) / elapsed);
  if (share > 0.02 && share < 1) line += ", " + duration(elapsed * (1 - share) / share) + " left";
  std::fputs((terminal_ ? "\r" + line + "\033[K" : line + "\n").c_str(), stdout);
  std::fflush(stdout);
  shown_ = true;
}

void Progress::finish() {
  if (shown_ && terminal_ && parallel::rank() == 0) std::fputs("\r\033[K", stdout);
}

void print(const Summary& s) {
  if (parallel::rank() != 0) return;
  std::string text;
  if (s.stopped) {
    text += fmt::format("stopped; go on with --resume. So far in {}\n", s.file);
  } else {
    text += fmt::format("result          {}\n", s.file);
  }
  text += fmt::format("trajectories    {}", s.orbits);
  const char* separator = ": ";
  for (std::size_t k = 0; k < s.count.size(); ++k) {
    if (s.count[k] == 0) continue;
    text += fmt::format("{}{} {}", separator, s.count[k], status_names[k]);
    separator = ", ";
  }
  text += "\n";
  if (s.crossings > 0) {
    text += fmt::format("crossings       {}, {:.4g} a second\n", s.crossings,
                        static_cast<double>(s.crossings) / s.wall_seconds);
  }
  text += fmt::format("steps           {}\n", s.steps);
  text += fmt::format("energy error    {:.3g} at worst\n", s.worst_energy_error);
  if (s.constrained) {
    text += fmt::format("constraint      {:.3g} at worst, {}\n", s.worst_constraint_error,
                        s.rolling ? "a speed of slipping" : "a length");
  }
  text += fmt::format("time            {}", duration(s.wall_seconds));
  for (std::size_t k = 0; k < s.parts.size(); ++k) {
    text +=
        fmt::format("{}{} {:.1f} %", k == 0 ? " on " + std::to_string(parallel::size()) + " ranks: " : ", ",
                    s.parts[k], 100 * s.part_seconds[k] / s.wall_seconds);
  }
  std::fputs((text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

void print(const Estimate& e) {
  std::fputs(
      fmt::format("would run       {} trajectories on {} ranks\n"
                  "result file     {}\n"
                  "memory          about {} a rank\n"
                  "time            about {}\n",
                  e.orbits, parallel::size(), size(static_cast<double>(e.file_bytes)),
                  size(static_cast<double>(e.rank_bytes)), e.seconds > 0 ? duration(e.seconds) : "unknown")
          .c_str(),
      stdout);
}

}  // namespace cotangent::studies
