// SPDX-License-Identifier: BSD-3-Clause
#include "overland/similar.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent::overland {

namespace {

std::vector<double> times(double factor, std::vector<double> values) {
  for (double& value : values) value *= factor;
  return values;
}

Landscape similar_land(Landscape land, double length, double time) {
  for (Point& p : land.mesh.vertices) p = {length * p[0], length * p[1]};
  land.bed = times(length, std::move(land.bed));
  land.area = times(length * length, std::move(land.area));
  for (auto& rule : land.rules) {
    const bool is_depth = rule.kind == BoundaryRule::Kind::depth;
    rule.value = rule.value.scaled(time, is_depth ? length : length * length / time);
  }
  if (land.conveyance_at) {
    land.conveyance_at = [at = land.conveyance_at, length](const Point& p) {
      return at({p[0] / length, p[1] / length});
    };
  }
  return land;
}

Water similar_water(Water water, double length, double time) {
  water.time *= time;
  water.depth = times(length, std::move(water.depth));
  water.discharge = times(length * length / time, std::move(water.discharge));
  water.rate = times(length / time, std::move(water.rate));
  for (Earlier& earlier : water.earlier) {
    earlier.time *= time;
    earlier.depth = times(length, std::move(earlier.depth));
    earlier.discharge = times(length * length / time, std::move(earlier.discharge));
  }
  return water;
}

class Similar : public Scheme {
 public:
  Similar(const Landscape& land, double length, const MakeScheme& make)
      : length_(length),
        time_(std::pow(length, 2 - land.law.depth_power)),
        land_(similar_land(land, 1 / length_, 1 / time_)),
        scheme_(make(land_)) {}

  Outcome step(Water& water, double dt, const std::vector<double>& rain) override {
    Water similar = similar_water(water, 1 / length_, 1 / time_);
    Outcome outcome = scheme_->step(similar, dt / time_, times(time_ / length_, rain));
    const double volume = length_ * length_ * length_;
    Ledger& l = outcome.ledger;
    for (double* entry : {&l.rain, &l.infiltration, &l.inflow, &l.outflow, &l.clipped}) *entry *= volume;
    if (!outcome.converged) return outcome;
    const double end = water.time + dt;
    water = similar_water(std::move(similar), length_, time_);
    water.time = end;
    return outcome;
  }
  void forget() override { scheme_->forget(); }
  double discharge_integral(const Water& water) const override {
    Water similar;
    similar.discharge = water.discharge;
    return std::pow(length_, 4) / time_ *
           scheme_->discharge_integral(similar_water(std::move(similar), 1 / length_, 1 / time_));
  }

 private:
  double length_, time_;  // the small land's units
  Landscape land_;
  std::unique_ptr<Scheme> scheme_;
};

}  // namespace

std::unique_ptr<Scheme> scheme_at_unit_size(const Landscape& landscape, const MakeScheme& make) {
  const double area = volume(landscape, std::vector<double>(landscape.mesh.size(), 1.0));
  // A power of two, by which depths are divided without rounding.
  const double length = std::exp2(std::round(0.5 * std::log2(area)));
  if (length >= 1) return make(landscape);
  return std::make_unique<Similar>(landscape, length, make);
}

}  // namespace cotangent::overland
