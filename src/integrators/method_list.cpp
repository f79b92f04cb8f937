// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/method_list.hpp"

#include <algorithm>

#include "integrators/methods.hpp"
#include "mechanics/models/chaplygin_sleigh.hpp"
#include "mechanics/models/harmonic_oscillator.hpp"
#include "mechanics/surfaces/sphere.hpp"

namespace cotangent::integrators {

namespace {

/// Names and texts don't depend on the system; any of each kind serves.
template <class Visit>
void for_each_method(MotionKind motion, const Visit& visit) {
  using Free = mechanics::System<mechanics::HarmonicOscillator, double>;
  using OnManifold = mechanics::System<mechanics::ParticleOn<mechanics::Sphere>, double>;
  using General = mechanics::System<mechanics::ChaplyginSleigh, double>;
  if (motion == MotionKind::free) for_each_free_method<Free>(visit);
  if (motion == MotionKind::on_manifold) for_each_manifold_method<OnManifold>(visit);
  if (motion == MotionKind::on_manifold) for_each_general_method<OnManifold>(visit);
  if (motion == MotionKind::general) for_each_general_method<General>(visit);
}

}  // namespace

std::vector<std::string> method_names(MotionKind motion) {
  std::vector<std::string> names;
  for_each_method(motion, [&]<class Method>() { names.emplace_back(Method::name); });
  return names;
}

std::vector<MethodInfo> method_list() {
  std::vector<MethodInfo> list;
  const auto put = [&](MotionKind motion, bool MethodInfo::*kind) {
    for_each_method(motion, [&]<class Method>() {
      const std::string name(Method::name);
      auto at = std::ranges::find(list, name, &MethodInfo::name);
      if (at == list.end()) {
        list.push_back({name, std::string(Method::about), {Method::options.begin(), Method::options.end()}});
        at = list.end() - 1;
        if constexpr (requires { Method::least_tolerance(1); }) at->least_tolerance = Method::least_tolerance;
      }
      (*at).*kind = true;
      at->tangent = at->tangent || requires(Method & method) {
        method.has_tangent();
      };
    });
  };
  put(MotionKind::free, &MethodInfo::free);
  put(MotionKind::on_manifold, &MethodInfo::constrained);
  put(MotionKind::general, &MethodInfo::rolling);
  return list;
}

}  // namespace cotangent::integrators
