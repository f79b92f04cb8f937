// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/arc.hpp"

#include <algorithm>
#include <cmath>

#include "billiards/gas.hpp"

namespace cotangent::billiards {

namespace {

/// The integral of v^2 over a lane's last flight: of a polynomial of the second degree.
template <int D>
double action_of(const Gas<D>& gas, int lane) {
  const auto square = [&](double part) {
    const auto v = gas.path().velocity(part * gas.duration());
    double sum = 0;
    for (std::size_t d = 0; d < D; ++d) sum += v[d][lane] * v[d][lane];
    return sum;
  };
  return gas.duration()[lane] / 6 * (square(0) + 4 * square(0.5) + square(1));
}

}  // namespace

template <int D>
sections::Arc fly_arc(const Domain<D>& domain, const Vector<D>& gravity, const sections::Start& start,
                      const ArcEnd& end) {
  constexpr int width = Gas<D>::width, states = 2 * D;
  Vector<D> x, v;
  std::copy_n(start.q.begin(), D, x.begin());
  std::copy_n(start.v.begin(), D, v.begin());
  sections::Arc arc;
  arc.derivative.resize(states * states);
  Gas<D> gas(domain, gravity);
  gas.watch_tangent();
  for (int first = 0; first < states; first += width) {  // the displacements, a pack at a time
    const int count = std::min(width, states - first);
    for (int lane = 0; lane < count; ++lane) {
      gas.load(lane, start.id, x, v);
      const auto unit = static_cast<std::size_t>(first + lane);
      Vector<D> dx{}, dv{};
      (unit < D ? dx[unit] : dv[unit - D]) = 1;
      gas.displace(lane, dx, dv);
    }
    if (first == 0) arc.energy = gas.energy()[0];
    while (any(gas.active()) && gas.bounces(0) < end.bounces) {  // all lanes fly as one
      gas.advance(end.time);
      if (first == 0) arc.action += action_of(gas, 0);
    }
    for (int lane = 0; lane < count; ++lane) {
      const Status status = gas.status(lane);
      if (status != Status::finished && status != Status::pending) arc.status = status;
      const double size = std::exp(gas.stretching()[lane]);
      for (int i = 0; i < states; ++i) {
        const auto& there = i < D ? gas.displacement().x[static_cast<std::size_t>(i)]
                                  : gas.displacement().v[static_cast<std::size_t>(i - D)];
        arc.derivative[static_cast<std::size_t>(i * states + first + lane)] = size * there[lane];
      }
    }
  }
  for (std::size_t d = 0; d < D; ++d) {
    arc.q.push_back(gas.x()[d][0]);
    arc.flow.push_back(v[d]);
    arc.end_flow.push_back(gas.v()[d][0]);
    arc.energy_slope.push_back(-gravity[d]);
  }
  arc.v = arc.end_flow;
  for (auto* flow : {&arc.flow, &arc.end_flow}) flow->insert(flow->end(), gravity.begin(), gravity.end());
  arc.energy_slope.insert(arc.energy_slope.end(), v.begin(), v.end());
  return arc;
}

template sections::Arc fly_arc<2>(const Domain<2>&, const Vector<2>&, const sections::Start&, const ArcEnd&);
template sections::Arc fly_arc<3>(const Domain<3>&, const Vector<3>&, const sections::Start&, const ArcEnd&);

}  // namespace cotangent::billiards
