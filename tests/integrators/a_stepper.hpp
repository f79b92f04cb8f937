// SPDX-License-Identifier: BSD-3-Clause
// A stepper for tests, which hand it their systems as they are, as they do methods (integrators/method.hpp).
#pragma once

#include <memory>

#include "integrators/make_stepper.hpp"

namespace cotangent::integrators {

/// A model for tests that follow no neighbours: half of what its methods compile to would be their tangent
/// maps.
template <class Model>
struct Plain : Model {
  static constexpr bool tangent_maps = false;
};

template <class System>
class AStepper {
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Mask = numerics::mask_of<R>;
  using Any = AnySystemOf<System>;

 public:
  AStepper(std::unique_ptr<StepperFor<System>> stepper) : stepper_(std::move(stepper)) {}
  AStepper& operator*() { return *this; }
  AStepper* operator->() { return this; }

  void start(const System& system, const State<R, N>& x, Mask lanes) {
    stepper_->start(Any(system), x, lanes);
  }
  Mask advance(const System& system, Mask active) { return stepper_->advance(Any(system), active); }
  State<R, N> begin() const { return stepper_->begin(); }
  State<R, N> end() const { return stepper_->end(); }
  R begin_time() const { return stepper_->begin_time(); }
  R step() const { return stepper_->step(); }
  State<R, N> dense(const R& theta) { return stepper_->dense(theta); }
  State<R, N> again(const System& system, const R& theta, Mask lanes) {
    return stepper_->again(Any(system), theta, lanes);
  }
  R failure() const { return stepper_->failure(); }
  R work(const System& system, const R& part) { return stepper_->work(Any(system), part); }

 private:
  std::unique_ptr<StepperFor<System>> stepper_;
};

}  // namespace cotangent::integrators
