// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/tangent.hpp"

#include "billiards/points.hpp"

namespace cotangent::billiards {

template <int D>
void reflect(const Arrival<D>& arrival, PackMask hits, Displacement<D>* displacements, std::size_t count) {
  const Contact<D>& contact = arrival.contact;
  const Point<D>& n = arrival.normal;
  const Pack back = 1.0 + arrival.restitution;
  const Pack scale = arrival.sign / sqrt(dot<D>(contact.gradient, contact.gradient));
  const Point<D> u = plus<D>(arrival.velocity, Pack(-1.0), contact.velocity);
  const Pack across = dot<D>(u, n), wall_hastens = dot<D>(contact.acceleration, n);
  for (std::size_t k = 0; k < count; ++k) {
    auto& [dx, dv] = displacements[k];
    const Pack delay = -dot<D>(dx, n) / across;
    Point<D> turn = times<D>(contact.hessian, plus<D>(dx, delay, u));
    for (int d = 0; d < D; ++d) turn[d] *= scale;
    turn = plus<D>(turn, -dot<D>(turn, n), n);
    Point<D> out = plus<D>(dv, delay, arrival.acceleration);
    const Pack bent = dot<D>(out, n) - delay * wall_hastens + dot<D>(u, turn);
    out = plus<D>(plus<D>(out, -back * bent, n), -back * across, turn);
    out = plus<D>(out, -delay, arrival.acceleration);
    dx = select<D>(hits, plus<D>(dx, -back * dot<D>(dx, n), n), dx);
    dv = select<D>(hits, out, dv);
  }
}

template <int D>
Pack normalise(Displacement<D>& displacement, PackMask lanes) {
  auto& [dx, dv] = displacement;
  const Pack size = sqrt(dot<D>(dx, dx) + dot<D>(dv, dv));
  for (int d = 0; d < D; ++d) {
    dx[d] = select(lanes, dx[d] / size, dx[d]);
    dv[d] = select(lanes, dv[d] / size, dv[d]);
  }
  return size;
}

template void reflect<2>(const Arrival<2>&, PackMask, Displacement<2>*, std::size_t);
template void reflect<3>(const Arrival<3>&, PackMask, Displacement<3>*, std::size_t);
template Pack normalise<2>(Displacement<2>&, PackMask);
template Pack normalise<3>(Displacement<3>&, PackMask);

}  // namespace cotangent::billiards
