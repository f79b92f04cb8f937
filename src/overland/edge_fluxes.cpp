// SPDX-License-Identifier: BSD-3-Clause
#include "overland/edge_fluxes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cotangent::overland {

namespace {

// Below this root slope (a slope of 1e-12) friction is linear: Newton's matrix needs a derivative at rest.
constexpr double epsilon = 1e-6;
template <int N>
using Scalar = ad::Jet<double, N, 1, ad::full<N>>;
template <int K, int N>
Scalar<N> variable(double x) {
  return ad::dense(ad::variable<K, N, 1, 1>(x));
}

/// a - b of levels, 0 within their rounding: so that a lake's level is flat to the bit.
double drop(double bed_a, double depth_a, double bed_b, double depth_b) {
  const double difference = (bed_a - bed_b) + (depth_a - depth_b);
  const double size = std::abs(bed_a) + std::abs(bed_b) + std::abs(depth_a) + std::abs(depth_b);
  return std::abs(difference) <= 2 * std::numeric_limits<double>::epsilon() * size ? 0.0 : difference;
}

/// m^a at the face between an upper and a lower vertex; see the head of edge_fluxes.hpp.
template <class S>
S mobility(const FrictionLaw& law, const S& up, const S& down, double bed_drop) {
  const S fall = up - down + bed_drop;
  const S twice = 2.0 * up;
  const S steep = 3.0 * fall;
  const S share = twice.value() >= steep.value() ? S(0.5) : S(up / steep);
  const S mean = up + share * (down - up);
  return FrictionLaw::power(mean.value() > twice.value() ? twice : mean, law.depth_power);
}

}  // namespace

EdgeFluxes::EdgeFluxes(const Landscape& landscape) : land_(landscape) {
  const Mesh& mesh = land_.mesh;
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    const Shape s = shape(mesh, c);
    Cell cell{s.gradient, {}, {}, {}, s.area};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(mesh.cells[c][(k + 1) % 3]);
      const auto j = static_cast<std::size_t>(mesh.cells[c][(k + 2) % 3]);
      for (std::size_t d = 0; d < 2; ++d) cell.edge[k][d] = mesh.vertices[j][d] - mesh.vertices[i][d];
      const Point &a = s.gradient[(k + 1) % 3], &b = s.gradient[(k + 2) % 3];
      cell.weight[k] = -s.area * (a[0] * b[0] + a[1] * b[1]);  // cot / 2
      if (std::abs(cell.weight[k]) < 1e-12) cell.weight[k] = 0;
      cell.conveyance[k] = 0.5 * (land_.conveyance[i] + land_.conveyance[j]);
    }
    cells_.push_back(cell);
  }
  root_.resize(cells_.size());
  roots_.resize(cells_.size());
  for (const auto& side : mesh.sides) {
    if (land_.rules[static_cast<std::size_t>(side.boundary)].kind != BoundaryRule::Kind::free) continue;
    const auto& a = mesh.vertices[static_cast<std::size_t>(side.ends[0])];
    const auto& b = mesh.vertices[static_cast<std::size_t>(side.ends[1])];
    outlets_.push_back({side.ends, side.cell, {(b[1] - a[1]) / 2, (a[0] - b[0]) / 2}});
  }
}

void EdgeFluxes::begin(const std::vector<double>& depth) {
  for (std::size_t c = 0; c < cells_.size(); ++c) root_[c] = land_.law.root_slope(slope(c, depth));
}

void EdgeFluxes::follow(const std::vector<double>& change) {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    for (std::size_t d = 0; d < 2; ++d) {
      root_[c][d] += roots_[c].correction[d];
      for (std::size_t k = 0; k < 3; ++k)
        root_[c][d] += roots_[c].by_depth[k][d] * change[static_cast<std::size_t>(land_.mesh.cells[c][k])];
    }
  }
}

Point EdgeFluxes::slope(std::size_t c, const std::vector<double>& depth, bool of_water) const {
  const auto& vertex = land_.mesh.cells[c];
  std::array<double, 3> bed{}, h{};
  double level = 0, wet = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    bed[k] = land_.bed[static_cast<std::size_t>(vertex[k])];
    h[k] = depth[static_cast<std::size_t>(vertex[k])];
    if (!(h[k] > dry)) continue;
    level += bed[k] + h[k];
    wet += 1;
  }
  for (std::size_t k = 0; k < 3 && of_water && wet > 0; ++k) {
    if (!(h[k] > dry)) bed[k] = std::min(bed[k], level / wet);  // a bank doesn't tilt the water beside it
  }
  Point s{};
  for (std::size_t k = 1; k < 3; ++k) {
    const double fall = drop(bed[0], h[0], bed[k], h[k]);
    for (std::size_t d = 0; d < 2; ++d) s[d] += fall * cells_[c].gradient[k][d];
  }
  return s;
}

EdgeFluxes::Root EdgeFluxes::root(std::size_t c, const std::vector<double>& depth) const {
  const std::array<Scalar<2>, 2> s{variable<0, 2>(root_[c][0]), variable<1, 2>(root_[c][1])};
  const auto defect = land_.law.root_slope_defect(s, slope(c, depth), epsilon);
  const double a = ad::gradient<0>(defect[0]), b = ad::gradient<1>(defect[0]);
  const double e = ad::gradient<0>(defect[1]), f = ad::gradient<1>(defect[1]);
  const double determinant = a * f - b * e;
  const auto solved = [&](const Point& y) {
    return Point{(f * y[0] - b * y[1]) / determinant, (a * y[1] - e * y[0]) / determinant};
  };
  Root r;
  r.correction = solved({-defect[0].value(), -defect[1].value()});
  for (std::size_t k = 0; k < 3; ++k) {
    const Point& g = cells_[c].gradient[k];
    r.by_depth[k] = solved({-g[0], -g[1]});
  }
  return r;
}

EdgeFluxes::Flux EdgeFluxes::edge(std::size_t c, std::size_t k, const std::vector<double>& depth) const {
  const Root& root = roots_[c];
  const Cell& cell = cells_[c];
  Flux flux;
  if (cell.weight[k] == 0) return flux;
  const std::size_t at_i = (k + 1) % 3, at_j = (k + 2) % 3;
  const auto i = static_cast<std::size_t>(land_.mesh.cells[c][at_i]);
  const auto j = static_cast<std::size_t>(land_.mesh.cells[c][at_j]);
  const Point& e = cell.edge[k];
  // Between equal levels nothing flows, however the slope across them was rounded.
  const bool level = drop(land_.bed[i], depth[i], land_.bed[j], depth[j]) == 0;
  const auto along_edge = [&](const Point& s) { return level ? 0.0 : s[0] * e[0] + s[1] * e[1]; };
  const double along = along_edge(root_[c]);
  const bool forth = along > 0 || (along == 0 && land_.bed[i] + depth[i] >= land_.bed[j] + depth[j]);
  const bool narrow = cell.weight[k] < 0;
  const double least = narrow ? std::min(depth[i], depth[j]) : depth[forth ? i : j];
  if (!(least > dry)) return flux;
  const auto hi = variable<0, 3>(depth[i]);
  const auto hj = variable<1, 3>(depth[j]);
  const auto t = variable<2, 3>(along);
  const auto m = narrow  ? FrictionLaw::power(depth[i] < depth[j] ? hi : hj, land_.law.depth_power)
                 : forth ? mobility(land_.law, hi, hj, land_.bed[i] - land_.bed[j])
                         : mobility(land_.law, hj, hi, land_.bed[j] - land_.bed[i]);
  const Scalar<3> f = cell.weight[k] * cell.conveyance[k] * (m * t);
  const double by_t = ad::gradient<2>(f);
  flux.value = f.value() + by_t * along_edge(root.correction);
  flux.slope[at_i] = ad::gradient<0>(f);
  flux.slope[at_j] = ad::gradient<1>(f);
  for (std::size_t n = 0; n < 3; ++n)
    flux.slope[n] += by_t * (root.by_depth[n][0] * e[0] + root.by_depth[n][1] * e[1]);
  return flux;
}

EdgeFluxes::Flux EdgeFluxes::outlet(std::size_t o, std::size_t end, const std::vector<double>& depth) const {
  const Outlet& outlet = outlets_[o];
  const auto c = static_cast<std::size_t>(outlet.cell);
  const Root& root = roots_[c];
  const auto v = static_cast<std::size_t>(outlet.ends[end]);
  const double through = root_[c][0] * outlet.normal[0] + root_[c][1] * outlet.normal[1];
  Flux flux;
  if (!(depth[v] > dry) || !(through > 0)) return flux;
  const auto h = variable<0, 2>(depth[v]);
  const auto t = variable<1, 2>(through);
  const Scalar<2> f = land_.conveyance[v] * (FrictionLaw::power(h, land_.law.depth_power) * t);
  const double by_t = ad::gradient<1>(f);
  const auto part = [&](const Point& s) {
    return by_t * (s[0] * outlet.normal[0] + s[1] * outlet.normal[1]);
  };
  flux.value = f.value() + part(root.correction);
  for (std::size_t n = 0; n < 3; ++n) {
    flux.slope[n] = part(root.by_depth[n]);
    if (land_.mesh.cells[c][n] == outlet.ends[end]) flux.slope[n] += ad::gradient<0>(f);
  }
  return flux;
}

void EdgeFluxes::values(const std::vector<double>& depth, std::vector<double>& through,
                        std::vector<double>& out) const {
  through.clear();
  out.clear();
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    for (std::size_t k = 0; k < 3; ++k) through.push_back(edge(c, k, depth).value);
  }
  for (std::size_t o = 0; o < outlets_.size(); ++o) {
    for (std::size_t end = 0; end < 2; ++end) out.push_back(std::max(0.0, outlet(o, end, depth).value));
  }
}

}  // namespace cotangent::overland
