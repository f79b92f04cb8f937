// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/signals.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <initializer_list>

namespace cotangent::parallel {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void remember(int signal) {
  received = signal;
}

/// Nanoseconds of the clock when SIGTERM or SIGINT first came; 0 if none has.
std::atomic<std::int64_t> asked = 0;

/// Twice within a second is one request: `timeout` sends its signal to the program and to the program's
/// group. An impatient user gets through later.
extern "C" void remember_or_end(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t at = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  if (asked == 0) asked = at;
  if (at - asked < 1'000'000'000) {
    received = signal;
  } else {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void install_signal_handlers() {
  received = 0;
  asked = 0;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (signal == SIGHUP && action.sa_handler == SIG_IGN) continue;  // nohup: it stays ignored
    action = {};
    // A scheduler may warn more than once, and a terminal that closes says so twice.
    action.sa_handler = signal == SIGTERM || signal == SIGINT ? remember_or_end : remember;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

int stop_signal() noexcept {
  return received;
}

const char* signal_name(int signal) noexcept {
  switch (signal) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGHUP:
      return "SIGHUP";
    case SIGXCPU:
      return "SIGXCPU";
    default:
      return "no signal";
  }
}

}  // namespace cotangent::parallel
