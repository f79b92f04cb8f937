// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS: ARKODE's ERKStep of order 8 and CVODE's Adams-Moulton of orders 1 to 12 with fixed-point
// iteration. Crossings by the libraries' own root finding on their interpolants, and for ARKODE also by a
// repeated step, since its interpolant has degree 5 at most. ERKStep's default table is Fehlberg's 13-7-8.
// ARKODE 6.4 takes a last stage at c = 1 for the derivative at the step's end, which Fehlberg's is not, and
// so runs at order 7; "erk8_fsal" has that derivative appended as a 14th stage, and order 8. (The symplectic
// SPRKStep came after 6.4.)
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <memory>
#include <nvector/nvector_serial.h>
#include <stdexcept>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "tools.hpp"

namespace cotangent::benchmark {
namespace {

void check(int flag, const char* call) {
  if (flag < 0) throw std::runtime_error(std::string(call) + " returned " + std::to_string(flag));
}
void silent(int, const char*, const char*, char*, void*) {}

struct Context {
  SUNContext context = nullptr;
  Context() { check(SUNContext_Create(nullptr, &context), "SUNContext_Create"); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { SUNContext_Free(&context); }
};

template <class Problem>
int derivative(realtype, N_Vector y, N_Vector dydt, void*) {
  Problem::derivative(*reinterpret_cast<const State*>(N_VGetArrayPointer_Serial(y)),
                      *reinterpret_cast<State*>(N_VGetArrayPointer_Serial(dydt)));
  return 0;
}
int section(realtype, N_Vector y, realtype* value, void*) {
  value[0] = N_VGetArrayPointer_Serial(y)[0];
  return 0;
}

/// An N_Vector that shows a State's memory.
class Vector {
 public:
  explicit Vector(SUNContext context) : vector_(N_VMake_Serial(4, state_.data(), context)) {
    N_VEnableFusedOps_Serial(vector_, SUNTRUE);  // a third of the time of a short step
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  ~Vector() { N_VDestroy(vector_); }
  State& state() { return state_; }
  N_Vector handle() { return vector_; }

 private:
  State state_{};
  N_Vector vector_;
};

/// Fehlberg's table with the derivative at the step's end as a last stage.
ARKodeButcherTable fehlberg_fsal() {
  ARKodeButcherTable fehlberg = ARKodeButcherTable_LoadERK(ARKODE_FEHLBERG_13_7_8);
  const int stages = fehlberg->stages;
  ARKodeButcherTable table = ARKodeButcherTable_Alloc(stages + 1, SUNTRUE);
  table->q = fehlberg->q;
  table->p = fehlberg->p;
  for (int i = 0; i < stages; ++i) {
    table->c[i] = fehlberg->c[i];
    table->b[i] = table->A[stages][i] = fehlberg->b[i];
    table->d[i] = fehlberg->d[i];
    for (int j = 0; j < stages; ++j) table->A[i][j] = fehlberg->A[i][j];
  }
  table->c[stages] = 1;
  ARKodeButcherTable_Free(fehlberg);
  return table;
}

template <class Problem, bool fsal>
class Arkode {
 public:
  Arkode(double tolerance, bool events) : y_(context_.context) {
    memory_ = ERKStepCreate(derivative<Problem>, 0, y_.handle(), context_.context);
    if (!memory_) throw std::runtime_error("ERKStepCreate failed");
    ERKStepSetErrHandlerFn(memory_, silent, nullptr);
    check(ERKStepSetOrder(memory_, 8), "ERKStepSetOrder");
    if constexpr (fsal) {
      ARKodeButcherTable table = fehlberg_fsal();
      check(ERKStepSetTable(memory_, table), "ERKStepSetTable");
      ARKodeButcherTable_Free(table);
    }
    check(ERKStepSStolerances(memory_, tolerance, tolerance), "ERKStepSStolerances");
    check(ERKStepSetMaxNumSteps(memory_, 100000000), "ERKStepSetMaxNumSteps");
    int direction = Problem::crosses(1, -1) ? 0 : 1;
    if (events) {
      check(ERKStepRootInit(memory_, 1, section), "ERKStepRootInit");
      check(ERKStepSetRootDirection(memory_, &direction), "ERKStepSetRootDirection");
    }
  }
  Arkode(const Arkode&) = delete;
  Arkode& operator=(const Arkode&) = delete;
  ~Arkode() { ERKStepFree(&memory_); }

  void begin(const State& y, double end) {
    y_.state() = y;
    check(ERKStepReInit(memory_, derivative<Problem>, 0, y_.handle()), "ERKStepReInit");
    check(ERKStepSetStopTime(memory_, end), "ERKStepSetStopTime");
  }
  /// True if it stopped on a crossing.
  bool evolve(double& t, double end, bool one_step) {
    const int flag = ERKStepEvolve(memory_, end, y_.handle(), &t, one_step ? ARK_ONE_STEP : ARK_NORMAL);
    check(flag, "ERKStepEvolve");
    return flag == ARK_ROOT_RETURN;
  }
  State& state() { return y_.state(); }
  void first_step(double h) { check(ERKStepSetInitStep(memory_, h), "ERKStepSetInitStep"); }

 private:
  Context context_;
  Vector y_;
  void* memory_ = nullptr;
};

template <class Problem>
class Cvode {
 public:
  Cvode(double tolerance, bool events) : y_(context_.context) {
    memory_ = CVodeCreate(CV_ADAMS, context_.context);
    if (!memory_) throw std::runtime_error("CVodeCreate failed");
    CVodeSetErrHandlerFn(memory_, silent, nullptr);
    check(CVodeInit(memory_, derivative<Problem>, 0, y_.handle()), "CVodeInit");
    check(CVodeSStolerances(memory_, tolerance, tolerance), "CVodeSStolerances");
    solver_ = SUNNonlinSol_FixedPoint(y_.handle(), 0, context_.context);
    check(CVodeSetNonlinearSolver(memory_, solver_), "CVodeSetNonlinearSolver");
    check(CVodeSetMaxNumSteps(memory_, 100000000), "CVodeSetMaxNumSteps");
    int direction = Problem::crosses(1, -1) ? 0 : 1;
    if (events) {
      check(CVodeRootInit(memory_, 1, section), "CVodeRootInit");
      check(CVodeSetRootDirection(memory_, &direction), "CVodeSetRootDirection");
    }
  }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;
  ~Cvode() {
    CVodeFree(&memory_);
    SUNNonlinSolFree(solver_);
  }

  void begin(const State& y, double end) {
    y_.state() = y;
    check(CVodeReInit(memory_, 0, y_.handle()), "CVodeReInit");
    check(CVodeSetStopTime(memory_, end), "CVodeSetStopTime");
  }
  bool evolve(double& t, double end, bool one_step) {
    const int flag = CVode(memory_, end, y_.handle(), &t, one_step ? CV_ONE_STEP : CV_NORMAL);
    check(flag, "CVode");
    return flag == CV_ROOT_RETURN;
  }
  State& state() { return y_.state(); }

 private:
  Context context_;
  Vector y_;
  SUNNonlinearSolver solver_ = nullptr;
  void* memory_ = nullptr;
};

/// All orbits with the library's own root finding; it returns to us at crossings alone, unless steps are
/// watched.
template <class Library, class Problem>
void with_own_roots(std::vector<Row>& rows, const Load<Problem>& load, const char* tool, const char* method,
                    double tolerance) {
  measure(rows, load, tool, method, setting("tolerance", tolerance),
          [&](std::span<const State> starts, double end, bool events, auto& watch) {
            Library library(tolerance, events);
            std::vector<State> final;
            for (std::size_t id = 0; id < starts.size(); ++id) {
              library.begin(starts[id], end);
              for (double t = 0; t < end;) {
                if (library.evolve(t, end, watch.sees_steps)) {
                  if (Problem::counts(library.state())) watch.crossing(int(id), t, library.state());
                } else {
                  watch.step(int(id), library.state());
                }
              }
              final.push_back(library.state());
            }
            return final;
          });
}

/// ARKODE step by step; a crossing is found by a second instance, which restarts at the step's beginning.
template <class Problem>
class Restarting {
 public:
  explicit Restarting(double tolerance) : main_(tolerance, false), local_(tolerance, false) {}
  void begin(const State& y, double end) {
    main_.begin(y, end);
    end_ = end;
  }
  void step(double& t, State& y) {
    before_ = y;
    main_.evolve(t, end_, true);
    y = main_.state();
  }
  State at(double dt) {
    local_.begin(before_, dt);
    local_.first_step(dt);
    for (double t = 0; t < dt;) local_.evolve(t, dt, false);
    return local_.state();
  }

 private:
  Arkode<Problem, true> main_, local_;
  State before_{};
  double end_ = 0;
};

template <class Problem>
void run(const Load<Problem>& load, std::vector<Row>& rows) {
  for (const double tolerance : {1e-11, 1e-12, 1e-13, 1e-14, 3e-15}) {
    with_own_roots<Arkode<Problem, false>>(rows, load, "arkode", "erk8", tolerance);
    measure_one_by_one(rows, load, "arkode", "erk8_fsal", setting("tolerance", tolerance),
                       Restarting<Problem>(tolerance));
    with_own_roots<Cvode<Problem>>(rows, load, "cvode", "adams", tolerance);
  }
}

}  // namespace

void sundials(const Load<HenonHeiles>& load, std::vector<Row>& rows) {
  run(load, rows);
}
void sundials(const Load<MagneticChain>& load, std::vector<Row>& rows) {
  run(load, rows);
}

}  // namespace cotangent::benchmark
