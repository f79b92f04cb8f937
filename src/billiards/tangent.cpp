// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/tangent.hpp"

#include "billiards/points.hpp"

namespace cotangent::billiards {

template <int D>
void Tangent<D>::reflect(const Contact<D>& contact, const Pack& sign, const Point<D>& n,
                         const Point<D>& velocity, const Vector<D>& g, PackMask hits) {
  Point<D>& dx = this->x;
  Point<D>& dv = this->v;
  const Pack across = dot<D>(velocity, n), delay = -dot<D>(dx, n) / across;
  const Point<D> shifted = plus<D>(dx, delay, velocity);
  Point<D> turn = times<D>(contact.hessian, shifted);  // of the normal: (1 - n n^T) H shifted / |grad omega|
  const Pack scale = sign / sqrt(dot<D>(contact.gradient, contact.gradient));
  for (int d = 0; d < D; ++d) turn[d] *= scale;
  turn = plus<D>(turn, -dot<D>(turn, n), n);
  Point<D> out = dv;
  for (int d = 0; d < D; ++d) out[d] = fma(delay, Pack(g[d]), out[d]);
  const Pack bent = dot<D>(out, n) + dot<D>(velocity, turn);
  out = plus<D>(plus<D>(out, -2.0 * bent, n), -2.0 * across, turn);
  for (int d = 0; d < D; ++d) out[d] = fma(-delay, Pack(g[d]), out[d]);
  dx = select<D>(hits, plus<D>(dx, -2.0 * dot<D>(dx, n), n), dx);
  dv = select<D>(hits, out, dv);
}

template <int D>
Pack Tangent<D>::normalise(PackMask lanes) {
  const Pack size = sqrt(dot<D>(x, x) + dot<D>(v, v));
  for (int d = 0; d < D; ++d) {
    x[d] = select(lanes, x[d] / size, x[d]);
    v[d] = select(lanes, v[d] / size, v[d]);
  }
  return size;
}

template struct Tangent<2>;
template struct Tangent<3>;

}  // namespace cotangent::billiards
