// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/invariant_manifolds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "integrators/gauss_tables.hpp"

namespace cotangent::chaos {

namespace {

/// Of the fundamental segment, in units of 1 + |x|: where the manifold is still straight to round-off.
constexpr double epsilon = 1e-5;

double angle(const PlanePoint& a, const PlanePoint& b) {
  return std::abs(std::atan2(a[0] * b[1] - a[1] * b[0], a.dot(b)));
}

/// Where the map takes it to z, led from w, which it takes to known.at. In parts of the straight way from
/// there to z, as many as it needs.
std::optional<PlaneImage> preimage(const PlaneMap& map, const PlanePoint& w, const PlanePoint& z) {
  const auto known = map(w);
  if (!known) return std::nullopt;
  for (int parts = 1; parts <= 1024; parts *= 4) {
    PlanePoint x = w;
    auto image = known;
    bool good = true;
    for (int part = 1; good && part <= parts; ++part) {
      const PlanePoint goal = known->at + (z - known->at) * (static_cast<double>(part) / parts);
      double before = std::numeric_limits<double>::infinity();
      good = false;
      for (int round = 0; round < 20; ++round) {
        const PlanePoint step = image->derivative.inverse() * (goal - image->at);
        const double size = step.norm(), enough = 1e-12 * (1 + x.norm());
        if (!(size < before)) {  // round-off, or not where Newton's iteration leads on
          good = before <= enough;
          break;
        }
        x += step;
        image = map(x);
        if (!image) break;
        good = size <= 1e-16 * (1 + x.norm());
        if (good) break;
        before = round == 0 ? 2 * size : size;
      }
    }
    if (good) return PlaneImage{x, image->derivative};
  }
  return std::nullopt;
}

}  // namespace

InvariantManifold::InvariantManifold(PlaneMap map, const PlaneImage& fixed, bool stable, int side)
    : map_(std::move(map)), fixed_(fixed.at), stable_(stable) {
  const Eigen::Matrix2d& d = fixed.derivative;
  const double half = d.trace() / 2, root = std::sqrt(half * half - d.determinant());
  const double large = half + std::copysign(root, half);
  multiplier_ = stable ? d.determinant() / large : large;
  if (!(large > 1) || !(d.determinant() / large < 1) || !(d.determinant() > 0))
    throw Error("manifolds grow from fixed points with a multiplier above 1 and one between 0 and 1");
  // (D - multiplier) e = 0: across the longer row.
  const PlanePoint a(d(0, 1), multiplier_ - d(0, 0)), b(multiplier_ - d(1, 1), d(1, 0));
  PlanePoint direction = a.norm() > b.norm() ? a : b;
  direction.normalize();
  const double leading = std::abs(direction[0]) > 1e-9 ? direction[0] : direction[1];
  if (leading < 0) direction = -direction;
  const double size = epsilon * (1 + fixed_.norm());
  const double growth = stable ? 1 / multiplier_ : multiplier_;
  begin_ = {fixed_ + side * size * direction, side * size * std::log(growth) * direction};
  if (const auto image = next(begin_, fixed_)) {
    end_of_first_ = *image;
  } else {
    end_ = End::lost;
  }
}

/// A cubic with these ends and tangents.
InvariantManifold::Place InvariantManifold::first(double s) const {
  const PlanePoint chord = end_of_first_.at - begin_.at, a = begin_.along, b = end_of_first_.along;
  const PlanePoint square = 3 * chord - 2 * a - b, cube = a + b - 2 * chord;
  return {begin_.at + s * (a + s * (square + s * cube)), a + s * (2 * square + 3 * s * cube)};
}

/// The next image, of the map; or of its inverse, led from a point that is near it.
std::optional<InvariantManifold::Place> InvariantManifold::next(const Place& place,
                                                                const PlanePoint& near) const {
  const auto image = stable_ ? preimage(map_, near, place.at) : map_(place.at);
  if (!image || !image->at.allFinite()) return std::nullopt;
  if (stable_) return Place{image->at, image->derivative.inverse() * place.along};
  return Place{image->at, image->derivative * place.along};
}

bool InvariantManifold::extend(Column& column, std::size_t count, const Column* neighbour) const {
  if (column.chain.empty()) column.chain.push_back(first(column.s));
  while (column.chain.size() < count) {
    const auto last = column.chain.size() - 1;
    // Without a neighbour: from the place itself, which is nearer to the fixed point.
    const PlanePoint near = neighbour ? neighbour->chain[last + 1].at : column.chain[last].at;
    const auto place = next(column.chain.back(), near);
    if (!place) return false;
    column.chain.push_back(*place);
  }
  return true;
}

void InvariantManifold::grow(const ManifoldRule& rule) {
  if (end_ != End::none) return;
  constexpr int beginning = 8;
  std::vector<Column> columns;
  for (int k = 0; k <= beginning; ++k)
    columns.push_back({static_cast<double>(k) / beginning, {first(static_cast<double>(k) / beginning)}});
  nodes_.push_back({0, columns.front().chain[0].at});
  const double least = 1e-10 * (1 + fixed_.norm());
  const auto too_far = [&](const Place& a, const Place& b) {
    const PlanePoint chord = b.at - a.at;
    const double distance = chord.norm();
    if (distance > rule.spacing) return true;
    return distance > least && std::max(angle(a.along, chord), angle(chord, b.along)) > rule.bend / 2;
  };
  for (std::size_t n = 0;; ++n) {
    if (!extend(columns.front(), n + 1, nullptr)) {
      end_ = End::lost;
      return;
    }
    for (std::size_t k = 0; k + 1 < columns.size();) {
      if (!extend(columns[k + 1], n + 1, &columns[k])) {
        end_ = End::lost;
        return;
      }
      const Column &left = columns[k], &right = columns[k + 1];
      if (right.s - left.s > 1e-13 && too_far(left.chain[n], right.chain[n])) {
        Column middle{(left.s + right.s) / 2, {}};
        if (!extend(middle, n + 1, &left)) {
          end_ = End::lost;
          return;
        }
        columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(k) + 1, std::move(middle));
        continue;
      }
      length_ += (right.chain[n].at - left.chain[n].at).norm();
      nodes_.push_back({static_cast<double>(n) + right.s, right.chain[n].at});
      ++k;
      if (length_ >= rule.length) end_ = End::reached;
      if (end_ == End::none && std::ssize(nodes_) >= rule.points) end_ = End::full;
      if (end_ != End::none) return;
    }
  }
}

std::optional<InvariantManifold::Place> InvariantManifold::at(double t) const {
  if (!(t >= 0) || nodes_.empty() || t > nodes_.back().t) return std::nullopt;
  const double n = std::floor(t), s = t - n;
  std::optional<Place> place = first(s);
  for (double k = 1; place && k <= n; ++k) {
    auto near = std::ranges::lower_bound(nodes_, k + s, {}, &Node::t);
    if (near == nodes_.end() || (near != nodes_.begin() && k + s - (near - 1)->t < near->t - k - s)) --near;
    place = next(*place, near->at);
  }
  return place;
}

std::optional<double> InvariantManifold::action(
    double from, double to, const std::function<double(const PlanePoint&)>& momentum) const {
  if (from > to) {
    const auto other = action(to, from, momentum);
    return other ? std::optional(-*other) : std::nullopt;
  }
  std::vector<double> ends{from};
  for (auto node = std::ranges::upper_bound(nodes_, from, {}, &Node::t); node != nodes_.end() && node->t < to;
       ++node)
    ends.push_back(node->t);
  ends.push_back(to);
  const auto nodes = integrators::GaussTables::of(4);
  double sum = 0;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    const double width = ends[k + 1] - ends[k];
    for (int i = 0; i < nodes->stages; ++i) {
      const auto place = at(ends[k] + width * nodes->c[i]);
      if (!place) return std::nullopt;
      sum += width * nodes->b[i] * momentum(place->at) * place->along[0];
    }
  }
  return sum;
}

namespace {

using Node = InvariantManifold::Node;

struct Box {
  Eigen::Array2d low, high;
};
constexpr std::size_t in_box = 32;  // chords

std::vector<Box> boxes(const std::vector<Node>& nodes, const PlanePoint& shift) {
  std::vector<Box> result;
  for (std::size_t first = 0; first + 1 < nodes.size(); first += in_box) {
    Box box{(nodes[first].at + shift).array(), (nodes[first].at + shift).array()};
    for (std::size_t k = first; k <= std::min(first + in_box, nodes.size() - 1); ++k) {
      box.low = box.low.min((nodes[k].at + shift).array());
      box.high = box.high.max((nodes[k].at + shift).array());
    }
    result.push_back(box);
  }
  return result;
}

/// Newton's iteration on U(t) = S(t') + shift, from where chords cross.
std::optional<HomoclinicPoint> refine(const InvariantManifold& unstable, const InvariantManifold& stable,
                                      const PlanePoint& shift, double t, double u) {
  std::optional<HomoclinicPoint> best;
  for (int round = 0; round < 30; ++round) {
    const auto a = unstable.at(t), b = stable.at(u);
    if (!a || !b) break;
    const PlanePoint off = a->at - b->at - shift;
    const double error = off.norm();
    if (best && !(error < best->error)) break;
    best = {t, u, a->at, error, std::numeric_limits<double>::quiet_NaN()};
    Eigen::Matrix2d slopes;
    slopes << a->along, -b->along;
    const PlanePoint step = slopes.fullPivLu().solve(off);
    if (!step.allFinite()) break;
    t -= step[0];
    u -= step[1];
  }
  if (!best || !(best->error <= 1e-10 * (1 + best->at.norm()))) return std::nullopt;
  return best;
}

}  // namespace

std::vector<HomoclinicPoint> homoclinic_points(const InvariantManifold& unstable,
                                               const InvariantManifold& stable, const PlanePoint& shift,
                                               const std::function<double(const PlanePoint&)>& momentum,
                                               std::size_t most) {
  const auto &u = unstable.nodes(), &s = stable.nodes();
  const auto u_boxes = boxes(u, {0, 0}), s_boxes = boxes(s, shift);
  std::vector<HomoclinicPoint> found;
  const auto chords = [&](std::size_t i, std::size_t j) {
    const PlanePoint a = u[i + 1].at - u[i].at, b = s[j + 1].at - s[j].at, c = s[j].at + shift - u[i].at;
    const double across = a[0] * b[1] - a[1] * b[0];
    if (across == 0) return;
    const double x = (c[0] * b[1] - c[1] * b[0]) / across, y = (c[0] * a[1] - c[1] * a[0]) / across;
    constexpr double rim = 0.05;  // the curves may cross where their chords just don't
    if (x < -rim || x > 1 + rim || y < -rim || y > 1 + rim) return;
    const auto point = refine(unstable, stable, shift, u[i].t + x * (u[i + 1].t - u[i].t),
                              s[j].t + y * (s[j + 1].t - s[j].t));
    if (point) found.push_back(*point);
  };
  for (std::size_t i = 0; i < u_boxes.size(); ++i) {
    for (std::size_t j = 0; j < s_boxes.size(); ++j) {
      if ((u_boxes[i].low > s_boxes[j].high).any() || (s_boxes[j].low > u_boxes[i].high).any()) continue;
      for (std::size_t k = i * in_box; k < std::min((i + 1) * in_box, u.size() - 1); ++k) {
        for (std::size_t l = j * in_box; l < std::min((j + 1) * in_box, s.size() - 1); ++l) chords(k, l);
      }
    }
  }
  std::ranges::sort(found, {}, &HomoclinicPoint::unstable);
  const auto again = std::ranges::unique(found, [](const auto& a, const auto& b) {
    return std::abs(a.unstable - b.unstable) < 1e-9 && std::abs(a.stable - b.stable) < 1e-9;
  });
  found.erase(again.begin(), again.end());
  if (found.size() > most) found.resize(most);
  for (std::size_t k = 0; k + 1 < found.size(); ++k) {
    const auto [low, high] = std::minmax(found[k].stable, found[k + 1].stable);
    const bool neighbours = std::ranges::none_of(
        found, [&](const auto& other) { return other.stable > low && other.stable < high; });
    if (!neighbours) continue;
    const auto along = unstable.action(found[k].unstable, found[k + 1].unstable, momentum),
               back = stable.action(found[k].stable, found[k + 1].stable, momentum);
    if (along && back) found[k].area = *along - *back;
  }
  return found;
}

}  // namespace cotangent::chaos
