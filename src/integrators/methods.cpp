// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/methods.hpp"

#include <algorithm>

#include "mechanics/models/chaplygin_sleigh.hpp"
#include "mechanics/models/harmonic_oscillator.hpp"
#include "mechanics/surfaces/sphere.hpp"

namespace cotangent::integrators {

std::vector<MethodInfo> method_list() {
  std::vector<MethodInfo> list;
  // Names and texts don't depend on the system; any of each kind serves.
  const auto put = [&]<class System>(bool MethodInfo::*kind) {
    detail::for_each_method<System>([&]<class Method>() {
      const std::string name(Method::name);
      auto at = std::ranges::find(list, name, &MethodInfo::name);
      if (at == list.end()) {
        list.push_back({name, std::string(Method::about), {Method::options.begin(), Method::options.end()}});
        at = list.end() - 1;
      }
      (*at).*kind = true;
    });
  };
  put.operator()<mechanics::System<mechanics::HarmonicOscillator, double>>(&MethodInfo::free);
  put.operator()<mechanics::System<mechanics::ParticleOn<mechanics::Sphere>, double>>(
      &MethodInfo::constrained);
  put.operator()<mechanics::System<mechanics::ChaplyginSleigh, double>>(&MethodInfo::rolling);
  return list;
}

}  // namespace cotangent::integrators
