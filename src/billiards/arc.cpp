// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/arc.hpp"

#include <algorithm>
#include <cmath>

#include "billiards/gas.hpp"
#include "integrators/gauss_tables.hpp"

namespace cotangent::billiards {

namespace {

/// The integral of v^2 over a lane's last flight, a polynomial in time: by as many of Gauss' nodes as it
/// asks.
template <int D>
double action_of(const Gas<D>& gas, int lane) {
  const auto rule = integrators::GaussTables::of(gas.path().terms + 2);
  double sum = 0;
  for (std::size_t i = 0; i < rule->c.size(); ++i) {
    const auto v = gas.path().velocity(rule->c[i] * gas.duration());
    for (std::size_t d = 0; d < D; ++d) sum += rule->b[i] * v[d][lane] * v[d][lane];
  }
  return gas.duration()[lane] * sum;
}

/// x'' at x.
template <int D>
Vector<D> acceleration_at(const Vector<D>& x, const Vector<D>& gravity, const Field<D>* field) {
  Vector<D> result = gravity, slope{};
  if (field != nullptr) field->potential(x, slope);
  for (std::size_t d = 0; d < D; ++d) result[d] -= slope[d];
  return result;
}

}  // namespace

template <int D>
sections::Arc fly_arc(const Domain<D>& domain, const Vector<D>& gravity, const Field<D>* field,
                      const sections::Start& start, const ArcEnd& end) {
  constexpr int width = Gas<D>::width, states = 2 * D;
  Vector<D> x, v;
  std::copy_n(start.q.begin(), D, x.begin());
  std::copy_n(start.v.begin(), D, v.begin());
  sections::Arc arc;
  arc.derivative.resize(states * states);
  arc.action_as_end = true;
  Gas<D> gas(domain, gravity, 1, field);
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
        const auto& there = i < D ? gas.displacement().q[static_cast<std::size_t>(i)]
                                  : gas.displacement().y[static_cast<std::size_t>(i - D)];
        arc.derivative[static_cast<std::size_t>(i * states + first + lane)] = size * there[lane];
      }
    }
  }
  for (std::size_t d = 0; d < D; ++d) {
    arc.q.push_back(gas.x()[d][0]);
    arc.v.push_back(gas.v()[d][0]);
  }
  Vector<D> end_x;
  std::copy_n(arc.q.begin(), D, end_x.begin());
  const Vector<D> here = acceleration_at<D>(x, gravity, field),
                  there = acceleration_at<D>(end_x, gravity, field);
  arc.flow.assign(v.begin(), v.end());
  arc.flow.insert(arc.flow.end(), here.begin(), here.end());
  arc.end_flow = arc.v;
  arc.end_flow.insert(arc.end_flow.end(), there.begin(), there.end());
  for (const double component : here) arc.energy_slope.push_back(-component);
  arc.energy_slope.insert(arc.energy_slope.end(), v.begin(), v.end());
  return arc;
}

template sections::Arc fly_arc<2>(const Domain<2>&, const Vector<2>&, const Field<2>*, const sections::Start&,
                                  const ArcEnd&);
template sections::Arc fly_arc<3>(const Domain<3>&, const Vector<3>&, const Field<3>*, const sections::Start&,
                                  const ArcEnd&);

}  // namespace cotangent::billiards
