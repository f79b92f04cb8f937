#include "integrators/methods.hpp"

#include "mechanics/models/harmonic_oscillator.hpp"

namespace cotangent::integrators {

std::vector<MethodInfo> method_list() {
  std::vector<MethodInfo> list;
  // Names and texts don't depend on the system; any serves.
  using System = mechanics::System<mechanics::HarmonicOscillator, double>;
  detail::for_each_method<System>([&]<class Method>() {
    list.push_back({std::string(Method::name),
                    std::string(Method::about),
                    {Method::options.begin(), Method::options.end()}});
  });
  return list;
}

}  // namespace cotangent::integrators
