// SPDX-License-Identifier: BSD-3-Clause
#include "landscapes/alike_sides.hpp"

#include <algorithm>
#include <cmath>

#include "landscapes/detail.hpp"

namespace cotangent::landscapes {

AlikeSides::AlikeSides(const Window& window)
    : given_(window),
      unit_(std::exp2(std::trunc(std::log2((window.y1 - window.y0) / (window.x1 - window.x0))))) {
  if (!std::isnormal(unit_)) unit_ = 1;  // no window at all, which is told elsewhere
}

Window AlikeSides::window() const {
  Window window = given_;
  window.y0 /= unit_;
  window.y1 /= unit_;
  window.unit_y *= unit_;
  return window;
}

Jet2 AlikeSides::scaled(Jet2 jet) const {
  jet.gradient[1] *= unit_;
  jet.hessian[1] *= unit_;
  jet.hessian[2] *= unit_ * unit_;
  return jet;
}

Potential AlikeSides::there(const Potential& potential) const {
  return [this, &potential](double x, double y) { return scaled(potential(x, y * unit_)); };
}
PotentialFamily AlikeSides::there(const PotentialFamily& family) const {
  return [this, &family](double x, double y, double parameter) {
    return scaled(family(x, y * unit_, parameter));
  };
}
Domain AlikeSides::there(const Domain& domain) const {
  return [this, &domain](double x, double y) { return domain(x, y * unit_); };
}

Landscape AlikeSides::back(Landscape found, const Potential& given) const {
  if (unit_ == 1) return found;
  for (StationaryPoint& p : found.stationary.points) {
    p.point = back(p.point);
    const detail::Spectrum s = detail::spectrum(detail::at(given, p.point).hessian);
    p.eigenvalues = s.value;
    p.soft_direction = s.direction[0];
    p.uncertainty *= std::max(1.0, unit_);
  }
  for (BoundaryExtremum& b : found.boundary) {
    b.point = back(b.point);
    // Along the boundary U has no slope there: all of the gradient points outwards, or inwards.
    b.outward_slope = std::copysign(detail::length(detail::at(given, b.point).gradient), b.outward_slope);
  }
  for (Pass& pass : found.passes) pass.point = back(pass.point);
  return found;
}

std::vector<Bifurcation> AlikeSides::back(std::vector<Bifurcation> found) const {
  for (Bifurcation& change : found) {
    change.point = back(change.point);
    change.partner = back(change.partner);
  }
  return found;
}

}  // namespace cotangent::landscapes
