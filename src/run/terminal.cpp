// SPDX-License-Identifier: BSD-3-Clause
#include "run/terminal.hpp"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "parallel/mpi.hpp"

namespace cotangent::run {

namespace {

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

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  return fmt::format("{:.3g} h", seconds / 3600);
}

std::string size_text(double bytes) {
  for (const char* unit : {"B", "kB", "MB", "GB"}) {
    if (bytes < 1000) return fmt::format("{:.3g} {}", bytes, unit);
    bytes /= 1000;
  }
  return fmt::format("{:.3g} TB", bytes);
}

void say(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

Terminal::Terminal() : started_(parallel::wall_time()), terminal_(on_terminal()) {
  next_ = started_ + (terminal_ ? 0.5 : 5.0);
}

void Terminal::show(const Progress& progress) {
  const double now = parallel::wall_time();
  if (first_ < 0) {
    first_ = progress.done;
    started_ = now;
  }
  if (now < next_ || !(progress.done < progress.all)) return;
  next_ = now + (terminal_ ? 0.5 : 10.0);
  std::string line = fmt::format("{} ({:.0f} %)", progress.text, 100 * progress.done / progress.all);
  const double rate = (progress.done - first_) / (now - started_);
  if (rate > 0)
    line += fmt::format(", {:.3g} {} a second, {} left", rate * progress.each, progress.unit,
                        duration((progress.all - progress.done) / rate));
  say(terminal_ ? "\r" + line + "\033[K" : line + "\n");
  shown_ = true;
}

void Terminal::finish() {
  if (shown_ && terminal_ && parallel::rank() == 0) say("\r\033[K");
}

}  // namespace cotangent::run
