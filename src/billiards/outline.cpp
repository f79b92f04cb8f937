// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/outline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace cotangent::billiards {

namespace {

/// omega on the lattice, a pack of points at a time.
std::vector<double> lattice_values(const Domain<2>& domain, const Vector<2>& low, const Vector<2>& step,
                                   int side) {
  std::vector<double> values(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (std::size_t k = 0; k < values.size(); k += numerics::native_width) {
    Point<2> x{};
    for (std::size_t i = 0; i < numerics::native_width && k + i < values.size(); ++i) {
      const std::size_t column = (k + i) % static_cast<std::size_t>(side);
      const std::size_t row = (k + i) / static_cast<std::size_t>(side);
      x[0].set(static_cast<int>(i), low[0] + step[0] * static_cast<double>(column));
      x[1].set(static_cast<int>(i), low[1] + step[1] * static_cast<double>(row));
    }
    const Pack omega = domain.omega(x, Pack(0.0));
    for (std::size_t i = 0; i < numerics::native_width && k + i < values.size(); ++i)
      values[k + i] = omega[static_cast<int>(i)];
  }
  return values;
}

/// Where omega changes sign between a point inside and one outside.
Vector<2> crossing(const Domain<2>& domain, Vector<2> inside, Vector<2> outside) {
  for (int halving = 0; halving < 50; ++halving) {
    const Vector<2> middle{0.5 * (inside[0] + outside[0]), 0.5 * (inside[1] + outside[1])};
    (domain.omega(middle) > 0 ? inside : outside) = middle;
  }
  return inside;
}

double distance(const Vector<2>& a, const Vector<2>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1]);
}

}  // namespace

Outline::Outline(const Domain<2>& domain, const Vector<2>& low, const Vector<2>& high, int squares)
    : low_(low), high_(high), bins_(std::max(squares / 4, 1)) {
  const int side = squares + 1;
  const Vector<2> step{(high[0] - low[0]) / squares, (high[1] - low[1]) / squares};
  const auto value = lattice_values(domain, low, step, side);
  const auto corner = [&](int i, int j) { return Vector<2>{low[0] + step[0] * i, low[1] + step[1] * j}; };
  const auto inside = [&](int i, int j) { return value[static_cast<std::size_t>(j * side + i)] > 0; };
  // An edge of the lattice by its lower end: 2 (j side + i), one more where it stands.
  std::map<int, int> next;
  std::map<int, Vector<2>> point;
  for (int j = 0; j < squares; ++j) {
    for (int i = 0; i < squares; ++i) {
      const int at = 2 * (j * side + i);
      const std::array<std::array<int, 2>, 4> corners{{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
      const std::array<int, 4> edges{at, at + 3, at + 2 * side, at + 1};
      std::vector<int> out,
          in;  // edges where a walk around the square leaves the domain, and where it enters
      for (std::size_t k = 0; k < 4; ++k) {
        const auto [a, b] = corners[k];
        const auto [c, d] = corners[(k + 1) % 4];
        if (inside(a, b) == inside(c, d)) continue;
        (inside(a, b) ? out : in).push_back(edges[k]);
        if (!point.contains(edges[k]))
          point[edges[k]] = inside(a, b) ? crossing(domain, corner(a, b), corner(c, d))
                                         : crossing(domain, corner(c, d), corner(a, b));
      }
      // Counter-clockwise around the square, from where the walk leaves to where it enters: inside on the
      // left.
      for (std::size_t k = 0; k < out.size(); ++k) next[out[k]] = in[k];
    }
  }
  double arc = 0;
  int loop = 0;
  const auto walk = [&](int begin) {
    points_.push_back({point[begin], arc, loop});
    for (auto at = next.find(begin); at != next.end();) {
      const int to = at->second;
      next.erase(at);
      arc += distance(points_.back().x, point[to]);
      points_.push_back({point[to], arc, loop});
      at = next.find(to);
    }
    ++loop;
  };
  // Loops that the border cuts first: each begins where no other chord ends.
  std::set<int> reached;
  for (const auto& [from, to] : next) reached.insert(to);
  std::vector<int> cut;
  for (const auto& [from, to] : next) {
    if (!reached.contains(from)) cut.push_back(from);
  }
  std::for_each(cut.rbegin(), cut.rend(), walk);
  while (!next.empty()) walk(next.begin()->first);
  chords_.resize(static_cast<std::size_t>(bins_ * bins_));
  for (std::size_t k = 0; k + 1 < points_.size(); ++k) {
    const auto &a = points_[k], &b = points_[k + 1];
    if (a.loop != b.loop) continue;
    for (int i = bin(std::min(a.x[0], b.x[0]), 0) - 1; i <= bin(std::max(a.x[0], b.x[0]), 0) + 1; ++i) {
      for (int j = bin(std::min(a.x[1], b.x[1]), 1) - 1; j <= bin(std::max(a.x[1], b.x[1]), 1) + 1; ++j) {
        if (i >= 0 && i < bins_ && j >= 0 && j < bins_)
          chords_[static_cast<std::size_t>(j * bins_ + i)].push_back(static_cast<std::int32_t>(k));
      }
    }
  }
}

int Outline::bin(double coordinate, int axis) const {
  const auto d = static_cast<std::size_t>(axis);
  const double share = (coordinate - low_[d]) / (high_[d] - low_[d]);
  return std::clamp(static_cast<int>(share * bins_), 0, bins_ - 1);
}

double Outline::area() const {
  double twice = 0;
  for (std::size_t k = 0; k + 1 < points_.size(); ++k) {
    const auto &a = points_[k], &b = points_[k + 1];
    if (a.loop == b.loop) twice += a.x[0] * b.x[1] - a.x[1] * b.x[0];
  }
  return 0.5 * twice;
}

double Outline::arc(const Vector<2>& x) const {
  double best = never, result = std::nan("");
  for (std::size_t d = 0; d < 2; ++d) {
    if (!(x[d] >= low_[d] && x[d] <= high_[d])) return result;
  }
  for (const std::int32_t k : chords_[static_cast<std::size_t>(bin(x[1], 1) * bins_ + bin(x[0], 0))]) {
    const auto &a = points_[static_cast<std::size_t>(k)], &b = points_[static_cast<std::size_t>(k) + 1];
    const Vector<2> along{b.x[0] - a.x[0], b.x[1] - a.x[1]}, from{x[0] - a.x[0], x[1] - a.x[1]};
    const double square = along[0] * along[0] + along[1] * along[1];
    const double share =
        square > 0 ? std::clamp((along[0] * from[0] + along[1] * from[1]) / square, 0.0, 1.0) : 0.0;
    const double off = std::hypot(from[0] - share * along[0], from[1] - share * along[1]);
    if (off >= best) continue;
    best = off;
    result = a.arc + share * (b.arc - a.arc);
  }
  return result;
}

Outline::Bounce Outline::bounce(const Vector<2>& x, const Vector<2>& v, const Vector<2>& normal) const {
  return {arc(x), (v[0] * normal[1] - v[1] * normal[0]) / std::hypot(v[0], v[1])};
}

}  // namespace cotangent::billiards
