// SPDX-License-Identifier: BSD-3-Clause
// ARKODE's ERKStep at order 8 (Fehlberg 13-7-8, its highest in SUNDIALS 6.4) on the chain, its forces by
// hand: fixed steps, and steps by tolerance.
#include <arkode/arkode_erkstep.h>
#include <chrono>
#include <cstdio>
#include <nvector/nvector_serial.h>
#include <vector>

#include "peer_chain.hpp"

namespace cotangent::benchmark {
namespace {

constexpr int n = static_cast<int>(peer_sites);

int derivative(realtype, N_Vector y, N_Vector dydt, void*) {
  const double* q = N_VGetArrayPointer_Serial(y);
  const double* v = q + n;
  double* rate = N_VGetArrayPointer_Serial(dydt);
  std::vector<double>& bond = *[] {
    static std::vector<double> forces(n + 1);
    return &forces;
  }();
  for (int i = 0; i < n - 1; ++i) {
    const double r = q[i + 1] - q[i];
    bond[static_cast<std::size_t>(i) + 1] = r + r * r * r;
  }
  const double r = q[0] - q[n - 1];
  bond[0] = bond[n] = r + r * r * r;
  for (int i = 0; i < n; ++i) {
    rate[i] = v[i];
    rate[n + i] = bond[static_cast<std::size_t>(i) + 1] - bond[static_cast<std::size_t>(i)];
  }
  return 0;
}

double energy(const double* y) {
  long double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double r = y[(i + 1) % n] - y[i], v = y[n + i];
    sum += 0.5 * v * v + r * r * (0.5 + 0.25 * r * r);
  }
  return static_cast<double>(sum);
}

void row(double step, double tolerance) {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(2 * n, context);
  N_VEnableFusedOps_Serial(y, SUNTRUE);
  double* values = N_VGetArrayPointer_Serial(y);
  for (int i = 0; i < n; ++i) {
    const auto [q, v] = peer_start(i, peer_sites);
    values[i] = q;
    values[n + i] = v;
  }
  void* memory = ERKStepCreate(derivative, 0, y, context);
  ERKStepSetOrder(memory, 8);
  ERKStepSStolerances(memory, tolerance > 0 ? tolerance : 1e-6, tolerance > 0 ? tolerance : 1e-6);
  ERKStepSetMaxNumSteps(memory, 100000000);
  if (step > 0) ERKStepSetFixedStep(memory, step);
  const double start_energy = energy(values);
  double seconds = 0, error = 0, t = 0;
  for (double end = peer_every; end <= peer_time; end += peer_every) {
    ERKStepSetStopTime(memory, end);
    const auto start = std::chrono::steady_clock::now();
    if (ERKStepEvolve(memory, end, y, &t, ARK_NORMAL) < 0) {
      error = HUGE_VAL;
      break;
    }
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    error = std::max(error, std::abs(energy(values) / start_energy - 1));
  }
  std::printf("%-24s %9.3g %12.3g %10.4f\n", step > 0 ? "ARKODE 8, fixed steps" : "ARKODE 8, tolerance",
              step > 0 ? step : tolerance, error, seconds);
  std::fflush(stdout);
  ERKStepFree(&memory);
  N_VDestroy(y);
  SUNContext_Free(&context);
}

}  // namespace

void peer_rows() {
  for (const double parts : {4.0, 8.0, 10.0, 16.0, 20.0, 32.0, 40.0}) row(peer_every / parts, 0);
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) row(0, tolerance);
}

}  // namespace cotangent::benchmark
