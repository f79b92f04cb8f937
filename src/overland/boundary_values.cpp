// SPDX-License-Identifier: BSD-3-Clause
#include "overland/boundary_values.hpp"

#include <cmath>

namespace cotangent::overland {

BoundaryValues::BoundaryValues(const Landscape& landscape) : land_(landscape), halo_(landscape.mesh, 1) {
  const Mesh& mesh = land_.mesh;
  for (const auto& rule : land_.rules) varies_ = varies_ || rule.value.varies();
  sharers_.assign(mesh.size(), 0.0);
  for (const auto& side : mesh.sides) {
    if (land_.rules[static_cast<std::size_t>(side.boundary)].kind != BoundaryRule::Kind::depth) continue;
    for (const int end : side.ends) sharers_[static_cast<std::size_t>(end)] += 1;
  }
  halo_.add(sharers_);
  halo_.refresh(sharers_);
  for (const double count : sharers_) held_.push_back(count > 0);
}

void BoundaryValues::set(double from, double to) {
  if (known_ && !varies_) return;
  known_ = true;
  const Mesh& mesh = land_.mesh;
  std::vector<double> value;
  for (const auto& rule : land_.rules)
    value.push_back(rule.kind == BoundaryRule::Kind::discharge ? rule.value.mean(from, to)
                                                               : rule.value.value(to));
  depth_.assign(mesh.size(), 0.0);
  inflow_.assign(mesh.size(), 0.0);
  for (const auto& side : mesh.sides) {
    const auto boundary = static_cast<std::size_t>(side.boundary);
    const auto kind = land_.rules[boundary].kind;
    const Point& a = mesh.vertices[static_cast<std::size_t>(side.ends[0])];
    const Point& b = mesh.vertices[static_cast<std::size_t>(side.ends[1])];
    const double half = std::hypot((b[1] - a[1]) / 2, (a[0] - b[0]) / 2);
    for (const int end : side.ends) {
      const auto v = static_cast<std::size_t>(end);
      if (kind == BoundaryRule::Kind::discharge) inflow_[v] += value[boundary] * half;
      if (kind == BoundaryRule::Kind::depth) depth_[v] += value[boundary];
    }
  }
  for (auto* list : {&inflow_, &depth_}) {
    halo_.add(*list);
    halo_.refresh(*list);
  }
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    if (held_[v]) depth_[v] /= sharers_[v];
  }
}

}  // namespace cotangent::overland
