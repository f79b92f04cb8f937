// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/domain.hpp"

#include <algorithm>
#include <cmath>

#include "expressions/parser.hpp"

namespace cotangent::billiards {

namespace {

/// How far a wall at rest is from a point, along the axes; infinite where it isn't met.
template <int D>
double distance(const Wall<D>& wall, const Vector<D>& from) {
  const Pack begin(0.0);  // the point may lie on it
  const Search search{PackMask(true), wall.value(spread<D>(from), begin) == begin, begin, Pack(never)};
  const int degree = wall.degree(false);
  double least = never;
  for (int ray = 0; ray < 4 * D; ++ray) {
    Path<D> path{};
    path.x = spread<D>(from);
    path.v[ray / 4] = Pack(ray % 4 < 2 ? 1.0 : -1.0);
    const double side = ray % 2 == 0 ? 1.0 : -1.0;
    Coefficients c{};
    if (degree >= 0) wall.expand(path, c);
    for (Pack& coefficient : c) coefficient *= side;
    const double root = (degree >= 0 ? first_root(c, degree, search) : wall.exit(path, side, search))[0];
    if (root > 0) least = std::min(least, root);  // from the wrong side it's 0
  }
  return least;
}

/// Of a member's walls, as if it were at rest, the nearest to its centre.
template <int D>
double nearest_wall(const Member<D>& member) {
  double least = never;
  for (const auto& wall : member.walls(member.parameters, {member.place.centre}))
    least = std::min(least, distance<D>(*wall, member.place.centre));
  return least;
}

}  // namespace

template <int D>
void Domain<D>::add(const std::string& name, const SetKind& kind, const std::vector<double>& parameters,
                    const Place<D>& place, const Law& law, const std::vector<std::string>& names) {
  const auto& make = std::get<MakeWalls<D>>(kind.walls);
  const Walls<D> more = make(parameters, place);
  members_.push_back({name, kind.region(static_cast<int>(walls_.size())), law, place, make, kind.objection,
                      names, parameters});
  for (std::size_t k = names.size(); k < parameters.size(); ++k)
    members_.back().parameter_names.emplace_back(kind.parameters[k].name);
  walls_.insert(walls_.end(), more.begin(), more.end());
  member_of_.resize(walls_.size(), static_cast<int>(members_.size()) - 1);
  nearest_ = std::min(nearest_, nearest_wall<D>(members_.back()));
}

template <int D>
std::optional<std::string> Domain<D>::objection(std::span<const double> parameters) const {
  for (const Member<D>& member : members_) {
    const auto own = parameters.first(member.parameters.size());
    parameters = parameters.subspan(own.size());
    if (!member.objection) continue;
    if (const auto objection = member.objection({own.begin(), own.end()}))
      return member.name + ": " + *objection;
  }
  return std::nullopt;
}

template <int D>
Domain<D> Domain<D>::at(std::span<const double> parameters) const {
  Domain other = *this;
  other.walls_.clear();
  other.nearest_ = never;
  for (Member<D>& member : other.members_) {
    std::ranges::copy(parameters.first(member.parameters.size()), member.parameters.begin());
    parameters = parameters.subspan(member.parameters.size());
    const Walls<D> walls = member.walls(member.parameters, member.place);
    other.walls_.insert(other.walls_.end(), walls.begin(), walls.end());
    other.nearest_ = std::min(other.nearest_, nearest_wall<D>(member));
  }
  return other;
}

template <int D>
void Domain<D>::enclose(const std::string& expression) {
  using expressions::Node, expressions::Operation;
  std::vector<std::string> names;
  for (const Member<D>& member : members_) names.push_back(member.name);
  const expressions::Tree tree = expressions::parse(expression, expressions::Language::set, names);
  const auto set = [this](const Node& node) { return members_[node.name].region; };
  const auto outside = [](const Node&, const Region& a) { return complement(a); };
  const auto joined = [](const Node& node, const Region& a, const Region& b) {
    return node.operation == Operation::conjunction ? intersected(a, b) : united(a, b);
  };
  region_ = tree.fold<Region>(set, outside, joined);
}

template <int D>
void Domain<D>::enclose_all() {
  region_.clear();
  for (const Member<D>& member : members_) region_ = united(region_, member.region);
}

template <int D>
Pack Domain<D>::omega(const Region& region, const Point<D>& x, const Pack& t) const {
  Pack best(-never);
  for (const Cell& cell : region) {
    Pack least(never);
    for (const Side& side : cell)
      least = min(side.sign * walls_[static_cast<std::size_t>(side.wall)]->value(x, t), least);
    best = max(least, best);
  }
  return best;
}

template <int D>
double Domain<D>::omega(const Vector<D>& x, double t) const {
  return omega(spread<D>(x), Pack(t))[0];
}

template <int D>
double Domain<D>::omega(const Vector<D>& x, Vector<D>& gradient) const {
  double best = -never;
  for (const Cell& cell : region_) {
    double least = never;
    const Side* nearest = nullptr;
    for (const Side& side : cell) {
      const double value =
          side.sign * walls_[static_cast<std::size_t>(side.wall)]->value(spread<D>(x), Pack(0.0))[0];
      if (value < least) nearest = &side;
      least = std::min(least, value);
    }
    if (!(least > best) || nearest == nullptr) continue;
    best = least;
    const Contact<D> c = walls_[static_cast<std::size_t>(nearest->wall)]->contact(spread<D>(x), Pack(0.0));
    for (int d = 0; d < D; ++d) gradient[d] = nearest->sign * c.gradient[d][0];
  }
  return best;
}

template <int D>
double Domain<D>::depth(const Vector<D>& x, double t) const {
  double best = -never;
  for (const Cell& cell : region_) {
    double least = never;
    for (const Side& side : cell) {
      const Contact<D> c = walls_[static_cast<std::size_t>(side.wall)]->contact(spread<D>(x), Pack(t));
      double square = 0;
      for (int d = 0; d < D; ++d) square += c.gradient[d][0] * c.gradient[d][0];
      least = std::min(least, side.sign * c.value[0] / std::sqrt(square));
    }
    best = std::max(best, least);
  }
  return best;
}

template class Domain<2>;
template class Domain<3>;

}  // namespace cotangent::billiards
