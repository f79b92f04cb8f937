// SPDX-License-Identifier: BSD-3-Clause
// GSL: Runge-Kutta Prince-Dormand 8(9) with step control and with fixed steps, and Adams of variable order.
// None has dense output, so a crossing is found by repeating a shorter Prince-Dormand step.
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <memory>
#include <stdexcept>

#include "tools.hpp"

namespace cotangent::benchmark {
namespace {

void check(int status) {
  if (status != GSL_SUCCESS) throw std::runtime_error(gsl_strerror(status));
}

template <class Problem>
int derivative(double, const double y[], double dydt[], void*) {
  Problem::derivative(*reinterpret_cast<const State*>(y), *reinterpret_cast<State*>(dydt));
  return GSL_SUCCESS;
}

struct Free {
  void operator()(gsl_odeiv2_step* step) const { gsl_odeiv2_step_free(step); }
  void operator()(gsl_odeiv2_driver* driver) const { gsl_odeiv2_driver_free(driver); }
};
using Step = std::unique_ptr<gsl_odeiv2_step, Free>;
using Driver = std::unique_ptr<gsl_odeiv2_driver, Free>;

template <class Problem>
class Stepping {
 public:
  /// With tolerance 0, equal steps of length h.
  Stepping(const gsl_odeiv2_step_type* type, double tolerance, double h)
      : tolerance_(tolerance),
        h_asked_(h),
        system_(new gsl_odeiv2_system{derivative<Problem>, nullptr, 4, nullptr}),
        driver_(
            gsl_odeiv2_driver_alloc_y_new(system_.get(), type, h, tolerance > 0 ? tolerance : 1, tolerance)),
        local_(gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, 4)) {}

  void begin(const State&, double end) {
    check(gsl_odeiv2_driver_reset(driver_.get()));
    end_ = end;
    count_ = std::max(1L, std::lround(end / h_asked_));
    index_ = 0;
    h_ = h_asked_;
  }
  void step(double& t, State& y) {
    before_ = y;
    auto& d = *driver_;
    if (tolerance_ > 0) {
      check(gsl_odeiv2_evolve_apply(d.e, d.c, d.s, d.sys, &t, end_, &h_, y.data()));
    } else {
      check(gsl_odeiv2_step_apply(d.s, t, end_ / double(count_), y.data(), error_.data(), nullptr, nullptr,
                                  d.sys));
      t = ++index_ == count_ ? end_ : double(index_) * (end_ / double(count_));
    }
  }
  State at(double dt) {
    State y = before_;
    check(
        gsl_odeiv2_step_apply(local_.get(), 0, dt, y.data(), error_.data(), nullptr, nullptr, system_.get()));
    return y;
  }

 private:
  double tolerance_, h_asked_, h_ = 0, end_ = 0;
  long count_ = 1, index_ = 0;
  std::unique_ptr<gsl_odeiv2_system> system_;
  Driver driver_;
  Step local_;
  State before_{}, error_{};
};

template <class Problem>
void run(const Load<Problem>& load, std::vector<Row>& rows, std::initializer_list<double> steps) {
  gsl_set_error_handler_off();
  for (const double tol :
       {1e-10, 3e-11, 1e-11, 3e-12, 1e-12, 3e-13, 1e-13, 3e-14, 1e-14, 3e-15, 1e-15, 3e-16}) {
    measure_one_by_one(rows, load, "gsl", "rk8pd", setting("tolerance", tol),
                       Stepping<Problem>(gsl_odeiv2_step_rk8pd, tol, 0.01));
  }
  for (const double tol : {1e-11, 1e-12, 1e-13, 1e-14, 1e-15}) {
    measure_one_by_one(rows, load, "gsl", "msadams", setting("tolerance", tol),
                       Stepping<Problem>(gsl_odeiv2_step_msadams, tol, 1e-3));
  }
  for (const double h : steps) {
    measure_one_by_one(rows, load, "gsl", "rk8pd_fixed", setting("step", h),
                       Stepping<Problem>(gsl_odeiv2_step_rk8pd, 0, h));
  }
}

}  // namespace

void gsl(const Load<HenonHeiles>& load, std::vector<Row>& rows) {
  run(load, rows, {0.25, 0.2, 0.15, 0.12, 0.1, 0.085, 0.07, 0.06, 0.055});
}
void gsl(const Load<MagneticChain>& load, std::vector<Row>& rows) {
  run(load, rows, {0.12, 0.1, 0.085, 0.07, 0.06, 0.05, 0.045, 0.04});
}

}  // namespace cotangent::benchmark
