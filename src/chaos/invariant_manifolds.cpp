// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/invariant_manifolds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "integrators/gauss_tables.hpp"
#include "numerics/decompositions.hpp"

namespace cotangent::chaos {

namespace {

/// Of the fundamental segment, in units of 1 + |x|: where the manifold is still straight to round-off.
constexpr double epsilon = 1e-5;

/// Between two directions (Kahan).
double angle(const SectionPoint& a, const SectionPoint& b) {
  const SectionPoint one = a.norm() * b, other = b.norm() * a;
  return 2 * std::atan2((one - other).norm(), (one + other).norm());
}

/// The deviation that the map's derivative takes to this one, or next to it.
SectionPoint pulled_back(const SectionImage& image, const SectionPoint& deviation) {
  return image.basis * numerics::least_squares(image.derivative, deviation);
}
SectionPoint pushed_on(const SectionImage& image, const SectionPoint& deviation) {
  return image.derivative * (image.basis.transpose() * deviation);
}

struct Preimage {
  SectionPoint at;
  SectionImage image;
};
/// What the map takes to z, from where its way back leads: w. In parts of the straight way from w's image to
/// z, as many as it needs.
std::optional<Preimage> preimage(const SectionMap& map, const SectionPoint& z) {
  const auto w = map.back(z);
  const auto known = w ? map.image(*w) : std::nullopt;
  if (!known) return std::nullopt;
  const double way = (z - known->at).norm(), least = 1e-6 * (1 + z.norm());
  for (int parts = 1; parts <= 64 && (parts == 1 || way / parts > least); parts *= 4) {
    SectionPoint x = *w;
    auto image = known;
    bool good = true;
    for (int part = 1; good && part <= parts; ++part) {
      const SectionPoint goal = known->at + (z - known->at) * (static_cast<double>(part) / parts);
      double before = std::numeric_limits<double>::infinity();
      good = false;
      for (int round = 0; round < 20; ++round) {
        const SectionPoint step = pulled_back(*image, goal - image->at);
        const double size = step.norm(), enough = 1e-12 * (1 + x.norm());
        if (!(size < before)) {  // round-off, or not where Newton's iteration leads on
          good = before <= enough;
          break;
        }
        const auto there = map.onto(x + step);
        if (!there) break;
        x = *there;
        image = map.image(x);
        if (!image) break;
        good = size <= 1e-10 * (1 + x.norm());  // what is left is of the square of that
        if (good) break;
        before = round == 0 ? 2 * size : size;
      }
    }
    if (good) return Preimage{x, *image};
  }
  return std::nullopt;
}

}  // namespace

InvariantManifold::InvariantManifold(std::shared_ptr<const SectionMap> map, const SectionPoint& fixed,
                                     bool stable, int side)
    : map_(std::move(map)), fixed_(fixed), stable_(stable) {
  const auto image = map_->image(fixed);
  if (!image) throw Error("the map fails at the point that manifolds are to grow from");
  const Eigen::Matrix2d d = image->basis.transpose() * image->derivative;
  const double half = d.trace() / 2, determinant = numerics::determinant(d),
               root = std::sqrt(half * half - determinant);
  const double large = half + std::copysign(root, half);
  multiplier_ = stable ? determinant / large : large;
  if (!(large > 1) || !(determinant / large < 1) || !(determinant > 0))
    throw Error("manifolds grow from fixed points with a multiplier above 1 and one between 0 and 1");
  // (D - multiplier) e = 0: across the longer row.
  const Eigen::Vector2d a(d(0, 1), multiplier_ - d(0, 0)), b(multiplier_ - d(1, 1), d(1, 0));
  SectionPoint direction = image->basis * (a.norm() > b.norm() ? a : b);
  direction.normalize();
  const auto leading =
      std::ranges::find_if(direction, [](double component) { return std::abs(component) > 1e-9; });
  if (*leading < 0) direction = -direction;
  const double size = epsilon * (1 + fixed_.norm());
  const auto begin = map_->onto(fixed_ + side * size * direction);
  end_ = End::lost;
  const auto around = begin ? map_->image(*begin) : std::nullopt;
  if (!around) return;
  const SectionPoint along = side * size * std::log(growth()) * direction;  // tangent at the fixed point
  begin_ = {*begin, around->basis * (around->basis.transpose() * along)};
  SectionImage map_of_first;
  if (const auto there = next(begin_, map_of_first)) {
    end_of_first_ = *there;
    action_of_first_ = map_of_first.action;
    end_ = End::none;
  }
}

/// u = (g^s - 1)/(g - 1), g the growth: next to the fixed point the manifold is straight in u.
double InvariantManifold::first_share(double s) const {
  return std::expm1(std::log(growth()) * s) / (growth() - 1);
}

/// A cubic in u with these ends and tangents, brought onto the surface; its tangent is dz/du.
std::optional<InvariantManifold::Place> InvariantManifold::first_by(double u) const {
  const double rate = std::log(growth()) / (growth() - 1);
  const SectionPoint chord = end_of_first_.at - begin_.at, a = begin_.along / rate,
                     b = end_of_first_.along / (growth() * rate);
  const SectionPoint square = 3 * chord - 2 * a - b, cube = a + b - 2 * chord;
  const auto at = map_->onto(begin_.at + u * (a + u * (square + u * cube)));
  if (!at) return std::nullopt;
  return Place{*at, a + u * (2 * square + 3 * u * cube)};
}

std::optional<InvariantManifold::Place> InvariantManifold::first(double s) const {
  const double rate = std::log(growth());
  auto place = first_by(first_share(s));
  if (place) place->along *= std::exp(rate * s) * rate / (growth() - 1);  // du/ds
  return place;
}

/// The next image, of the map or of its inverse. `map` is what it makes of the one or of the other.
std::optional<InvariantManifold::Place> InvariantManifold::next(const Place& place, SectionImage& map) const {
  if (stable_) {
    const auto found = preimage(*map_, place.at);
    if (!found || !found->at.allFinite()) return std::nullopt;
    map = found->image;
    return Place{found->at, pulled_back(map, place.along)};
  }
  const auto image = map_->image(place.at);
  if (!image || !image->at.allFinite()) return std::nullopt;
  map = *image;
  return Place{map.at, pushed_on(map, place.along)};
}

/// So many places in the column; false where the motion fails before.
bool InvariantManifold::extend(Column& column, std::size_t count) const {
  if (column.chain.empty()) {
    const auto place = first(column.s);
    if (!place) return false;
    column.chain.push_back(*place);
  }
  while (column.chain.size() < count) {
    SectionImage map;
    const auto place = next(column.chain.back(), map);
    if (!place) return false;
    column.chain.push_back(*place);
    column.maps.push_back(std::move(map));
  }
  return true;
}

void InvariantManifold::grow(const ManifoldRule& rule) {
  if (end_ != End::none) return;
  constexpr int beginning = 8;
  constexpr double finest = 1e-13, edge = 1e-6;  // of s: of a curve; of a jump, or where motion fails
  std::vector<Column> columns;
  for (int k = 0; k <= beginning; ++k) columns.push_back({static_cast<double>(k) / beginning, {}, {}, false});
  nodes_.push_back({0, begin_.at});
  const double least = 1e-10 * (1 + fixed_.norm());
  const auto too_far = [&](const Place& a, const Place& b) {
    const SectionPoint chord = b.at - a.at;
    const double distance = chord.norm();
    if (distance > rule.spacing) return true;
    return distance > least && std::max(angle(a.along, chord), angle(chord, b.along)) > rule.bend / 2;
  };
  const auto jumps = [](const Place& a, const Place& b, double width) {
    return width < edge && (b.at - a.at).norm() > 10 * width * (a.along.norm() + b.along.norm());
  };
  const auto lives = [&](Column& column, std::size_t count) {
    column.ended = column.ended || !extend(column, count);
    return !column.ended;
  };
  for (std::size_t n = 0;; ++n) {
    Column &one = columns.front(), &other = columns.back();
    if (n < 2) {
      one.ended = !extend(one, n + 1);
    } else if (other.chain.size() >= n) {  // the segment ends where its image begins
      one.chain.push_back(other.chain[n - 1]);
      one.maps.push_back(other.maps[n - 2]);
    } else {
      one.ended = true;
    }
    bool any = !one.ended;
    for (std::size_t k = 0; k + 1 < columns.size();) {
      const bool before = lives(columns[k], n + 1), after = lives(columns[k + 1], n + 1),
                 both = before && after;
      any = any || after;
      if (!before && !after) {
        ++k;
        continue;
      }
      const Column &left = columns[k], &right = columns[k + 1];
      const double width = right.s - left.s;
      const bool jump = both && jumps(left.chain[n], right.chain[n], width);
      if (both ? !jump && width > finest && too_far(left.chain[n], right.chain[n]) : width > edge) {
        Column middle{(left.s + right.s) / 2, {}, {}, false};
        if (lives(middle, n + 1) || width > edge) {
          columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(k) + 1, std::move(middle));
          continue;
        }
      }
      const auto whole = static_cast<double>(n);
      const double chord = both ? (right.chain[n].at - left.chain[n].at).norm() : 0;
      if (both && !jump && chord <= rule.spacing) {
        length_ += chord;
      } else if (!nodes_.back().gap()) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        nodes_.push_back({whole + (left.s + right.s) / 2, SectionPoint::Constant(fixed_.size(), nan)});
      }
      if (after) nodes_.push_back({whole + right.s, right.chain[n].at});
      if (std::ssize(nodes_) > rule.points) nodes_.pop_back();  // a gap and the point behind it were two
      ++k;
      if (length_ >= rule.length) end_ = End::reached;
      if (end_ == End::none && std::ssize(nodes_) >= rule.points) end_ = End::full;
      if (end_ != End::none) return;
    }
    if (!any) {
      end_ = End::lost;
      return;
    }
  }
}

std::optional<InvariantManifold::Column> InvariantManifold::column_to(double t) const {
  if (!(t >= 0) || nodes_.empty() || t > nodes_.back().t) return std::nullopt;
  const double whole = std::floor(t);
  Column column{t - whole, {}, {}, false};
  if (!extend(column, static_cast<std::size_t>(whole) + 1)) return std::nullopt;
  return column;
}

std::optional<InvariantManifold::Place> InvariantManifold::at(double t) const {
  const auto column = column_to(t);
  return column ? std::optional(column->chain.back()) : std::nullopt;
}

std::optional<double> InvariantManifold::action(double from, double to) const {
  const auto [low, high] = std::minmax(from, to);
  for (auto node = std::ranges::upper_bound(nodes_, low, {}, &Node::t);
       node != nodes_.end() && node->t < high; ++node) {
    if (node->gap()) return std::nullopt;
  }
  if (std::isnan(action_of_first_)) {
    const auto whole = by_quadrature(low, high);
    return whole && from > to ? std::optional(-*whole) : whole;
  }
  const auto before = by_actions(from), after = by_actions(to);
  if (!before || !after) return std::nullopt;
  return *after - *before;
}

namespace {

/// The integral of p dz over a piece of a curve, `place_at` its places and tangents, by Gauss' nodes.
template <class PlaceAt>
std::optional<double> integral(const SectionMap& map, double from, double to, const PlaceAt& place_at) {
  const auto nodes = integrators::GaussTables::of(4);
  double sum = 0;
  for (int i = 0; i < nodes->stages; ++i) {
    const std::optional<InvariantManifold::Place> place = place_at(from + (to - from) * nodes->c[i]);
    if (!place) return std::nullopt;
    sum += (to - from) * nodes->b[i] * map.momentum(place->at).dot(place->along);
  }
  return sum;
}

}  // namespace

/// From t = 0 on. The integral I satisfies I(t + 1) = I(t) + I(1) + S(t) - S(0), S of the way from z(t) to
/// z(t + 1); of an inverse with the opposite signs before S, of the way from z(t + 1) to z(t).
std::optional<double> InvariantManifold::by_actions(double t) const {
  const auto column = column_to(t);
  if (!column) return std::nullopt;
  const auto on_first = [this](double u) { return first_by(u); };
  const auto begun = integral(*map_, 0, first_share(column->s), on_first),
             once = integral(*map_, 0, 1, on_first);
  if (!begun || !once) return std::nullopt;
  double sum = *begun;
  for (const SectionImage& map : column->maps)
    sum += *once + (stable_ ? -1 : 1) * (map.action - action_of_first_);
  return sum;
}

std::optional<double> InvariantManifold::by_quadrature(double from, double to) const {
  std::vector<double> ends{from};
  for (auto node = std::ranges::upper_bound(nodes_, from, {}, &Node::t); node != nodes_.end() && node->t < to;
       ++node)
    ends.push_back(node->t);
  ends.push_back(to);
  const auto place_at = [this](double t) { return at(t); };
  double sum = 0;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    const auto piece = integral(*map_, ends[k], ends[k + 1], place_at);
    if (!piece) return std::nullopt;
    sum += *piece;
  }
  return sum;
}

namespace {

using Node = InvariantManifold::Node;

struct Box {
  Eigen::ArrayXd low, high;
};
constexpr std::size_t in_box = 32;  // chords
constexpr double rim = 0.05;        // of a chord: the curves may cross where their chords just don't

/// Around the curve's chords, each box with room for what the curve is off them.
std::vector<Box> boxes(const std::vector<Node>& nodes, const SectionPoint& shift) {
  std::vector<Box> result;
  for (std::size_t first = 0; first + 1 < nodes.size(); first += in_box) {
    const auto infinite = Eigen::ArrayXd::Constant(shift.size(), std::numeric_limits<double>::infinity());
    Box box{infinite, -infinite};
    double longest = 0;
    for (std::size_t k = first; k <= std::min(first + in_box, nodes.size() - 1); ++k) {
      if (nodes[k].gap()) continue;
      box.low = box.low.min((nodes[k].at + shift).array());
      box.high = box.high.max((nodes[k].at + shift).array());
      if (k > first && !nodes[k - 1].gap())
        longest = std::max(longest, (nodes[k].at - nodes[k - 1].at).norm());
    }
    box.low -= rim * longest;
    box.high += rim * longest;
    result.push_back(box);
  }
  return result;
}

/// Newton's iteration on U(t) = S(t') + shift, from where chords cross.
std::optional<HomoclinicPoint> refine(const InvariantManifold& unstable, const InvariantManifold& stable,
                                      const SectionPoint& shift, double t, double u) {
  std::optional<HomoclinicPoint> best;
  for (int round = 0; round < 30; ++round) {
    const auto a = unstable.at(t), b = stable.at(u);
    if (!a || !b) break;
    const SectionPoint off = a->at - b->at - shift;
    const double error = off.norm();
    if (best && !(error < best->error)) break;
    best = {t, u, a->at, error, std::numeric_limits<double>::quiet_NaN()};
    Eigen::MatrixXd slopes(off.size(), 2);
    slopes << a->along, -b->along;
    const Eigen::VectorXd step = numerics::least_squares(slopes, off);
    if (!step.allFinite()) break;
    t -= step[0];
    u -= step[1];
  }
  if (!best || !(best->error <= 1e-10 * (1 + best->at.norm()))) return std::nullopt;
  return best;
}

}  // namespace

std::vector<HomoclinicPoint> homoclinic_points(const InvariantManifold& unstable,
                                               const InvariantManifold& stable, const SectionPoint& shift,
                                               std::size_t most) {
  const auto &u = unstable.nodes(), &s = stable.nodes();
  const auto u_boxes = boxes(u, SectionPoint::Zero(shift.size())), s_boxes = boxes(s, shift);
  std::vector<HomoclinicPoint> found;
  // Where two chords are nearest to one another: they cross, or in more dimensions nearly.
  const auto chords = [&](std::size_t i, std::size_t j) {
    if (u[i].gap() || u[i + 1].gap() || s[j].gap() || s[j + 1].gap()) return;
    const SectionPoint a = u[i + 1].at - u[i].at, b = s[j + 1].at - s[j].at, c = s[j].at + shift - u[i].at;
    const double aa = a.squaredNorm(), ab = a.dot(b), bb = b.squaredNorm(), ac = a.dot(c), bc = b.dot(c);
    const double across = aa * bb - ab * ab;
    const double x = (ac * bb - ab * bc) / across, y = (ac * ab - aa * bc) / across;
    if (!(x >= -rim && x <= 1 + rim && y >= -rim && y <= 1 + rim)) return;
    if ((x * a - y * b - c).norm() > 2 * rim * (std::sqrt(aa) + std::sqrt(bb))) return;
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
  const auto again = std::unique(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::abs(a.unstable - b.unstable) < 1e-9 && std::abs(a.stable - b.stable) < 1e-9;
  });
  found.erase(again, found.end());
  // Areas lie between neighbours among all crossings, those that aren't told, too.
  const auto told = std::min(found.size(), most);
  for (std::size_t k = 0; k < told && k + 1 < found.size(); ++k) {
    const double low = std::min(found[k].stable, found[k + 1].stable),
                 high = std::max(found[k].stable, found[k + 1].stable);
    const bool neighbours = std::ranges::none_of(
        found, [&](const auto& other) { return other.stable > low && other.stable < high; });
    if (!neighbours) continue;
    const auto along = unstable.action(found[k].unstable, found[k + 1].unstable),
               back = stable.action(found[k].stable, found[k + 1].stable);
    if (along && back) found[k].area = *along - *back;
  }
  found.erase(found.begin() + static_cast<std::ptrdiff_t>(told), found.end());
  return found;
}

}  // namespace cotangent::chaos
