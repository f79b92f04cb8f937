// SPDX-License-Identifier: BSD-3-Clause
// Signals that ask a run to stop: they set a flag which the loops poll between two slices of work.
//
// SIGTERM and SIGINT (a scheduler's or the user's end of the job), SIGUSR1 and SIGUSR2 (a scheduler's warning
// ahead of it, forwarded by mpirun to all ranks), SIGHUP (the terminal is gone; under nohup it stays
// ignored), SIGXCPU (the limit of processor time, which comes again each second). SIGXFSZ is ignored, so that
// a file-size limit is an error of the write.
#pragma once

namespace cotangent::parallel {

/// Installs the handlers. SIGINT or SIGTERM a second or more after the first of them has its usual effect.
void install_signal_handlers();
/// The last signal that asked this rank to stop, 0 if none has.
int stop_signal() noexcept;
/// "SIGTERM", "SIGHUP" and so on, for messages.
const char* signal_name(int signal) noexcept;

}  // namespace cotangent::parallel
