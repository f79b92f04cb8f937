// SPDX-License-Identifier: BSD-3-Clause
#include "run/terminal.hpp"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

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

/// {"progress": {"done": 3, "all": 10, "text": "t = 3 of 10", "unit": "steps", "rate": 2,
/// "seconds_left": 3.5}}: the rate in units a second; the last two are null until they are known.
std::string as_json(const Progress& progress, double rate) {
  const auto quoted = [](const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return result + '"';
  };
  const auto known = [&](double value) { return rate > 0 ? fmt::format("{:.6g}", value) : "null"; };
  return fmt::format(
      R"({{"progress": {{"done": {:.17g}, "all": {:.17g}, "text": {}, "unit": {}, "rate": {}, "seconds_left": {}}}}})",
      progress.done, progress.all, quoted(progress.text), quoted(progress.unit), known(rate * progress.each),
      known((progress.all - progress.done) / rate));
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

Terminal::Terminal(Telling telling)
    : started_(parallel::wall_time()),
      terminal_(telling == Telling::text && on_terminal()),
      json_(telling == Telling::json) {
  next_ = started_ + (json_ ? 0.0 : terminal_ ? 0.5 : 5.0);
}

void Terminal::show(const Progress& progress) {
  const double now = parallel::wall_time();
  // Where so much less is done than before, another part of the run has begun.
  const double before = std::exchange(last_, progress.done);
  if (first_ < 0 || progress.done < before / 2) {
    first_ = progress.done;
    started_ = now;
  }
  const bool all = !(progress.done < progress.all);
  if (json_ && !all) shown_ = false;
  // Programs that watch are told, once, that all is done.
  if (all ? !json_ || shown_ : now < next_) return;
  next_ = now + (json_ ? 0.2 : terminal_ ? 0.5 : 10.0);
  const double rate = now > started_ ? (progress.done - first_) / (now - started_) : 0.0;
  if (json_) {
    shown_ = all;
    return say(as_json(progress, rate) + "\n");
  }
  std::string line = fmt::format("{} ({:.0f} %)", progress.text, 100 * progress.done / progress.all);
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
