// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/signals.hpp"

#include <csignal>
#include <initializer_list>

namespace cotangent::parallel {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void remember(int signal) {
  received = signal;
}

}  // namespace

void install_signal_handlers() {
  received = 0;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (signal == SIGHUP && action.sa_handler == SIG_IGN) continue;  // nohup: it stays ignored
    action = {};
    action.sa_handler = remember;
    sigemptyset(&action.sa_mask);
    // A scheduler may warn more than once, and a terminal that closes says so twice; an impatient user gets
    // through at the second time.
    const bool impatient = signal == SIGTERM || signal == SIGINT;
    action.sa_flags = SA_RESTART | (impatient ? static_cast<int>(SA_RESETHAND) : 0);
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
