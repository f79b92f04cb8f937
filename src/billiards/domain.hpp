// SPDX-License-Identifier: BSD-3-Clause
// Domains: sets, placed and named, and a region put together of them; what the deck or a program composes.
// The region is a union of cells (set.hpp), each an intersection of sides of walls.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "billiards/wall_of.hpp"
#include "mechanics/formulas_of.hpp"

namespace cotangent::billiards {

template <int D>
using Walls = std::vector<std::shared_ptr<const Wall<D>>>;
template <int D>
using MakeWalls = std::function<Walls<D>(const std::vector<double>&, const Place<D>&)>;

/// A kind of set that a deck can name.
struct SetKind {
  std::string name, about;
  int dim = 0;
  std::vector<Parameter> parameters;
  std::function<Region(int)> region;  ///< given the number of its first wall
  std::variant<MakeWalls<2>, MakeWalls<3>> walls;
  /// Its walls' omegas, of the coordinates and then the parameters. Throws an Error where the set uses what
  /// decks have no word for.
  std::function<std::vector<expressions::Tree>()> formulas = nullptr;
  /// What is wrong with parameters for which the set makes no sense.
  std::function<std::optional<std::string>(const std::vector<double>&)> objection = nullptr;
};

/// What a set's struct states: its call operator called with a scalar that records.
template <class Set>
std::vector<expressions::Tree> formulas_of_walls() {
  expressions::Graph graph;
  const auto x = mechanics::recorded_names<Set::dim>(graph, 0);
  const auto p = mechanics::recorded_names<Set::parameters.size()>(graph, Set::dim);
  const auto values = Set{}(x, p);
  return mechanics::recorded_trees(detail::Formula<std::remove_const_t<decltype(values)>>::list(values));
}

namespace detail {
template <class Set>
std::array<double, Set::parameters.size()> parameters_of(const std::vector<double>& values) {
  std::array<double, Set::parameters.size()> p{};
  std::copy_n(values.begin(), p.size(), p.begin());
  return p;
}
template <class Set>
std::optional<std::string> objection_of(const std::vector<double>& values) {
  if constexpr (requires { Set::objection(parameters_of<Set>(values)); })
    return Set::objection(parameters_of<Set>(values));
  else
    return std::nullopt;
}
}  // namespace detail

/// The kind that a struct states.
template <class Set>
SetKind kind_of() {
  constexpr int D = Set::dim;
  const MakeWalls<D> walls = [](const std::vector<double>& values, const Place<D>& place) {
    const auto p = detail::parameters_of<Set>(values);
    Walls<D> list;
    const auto add = [&]<int... K>(std::integer_sequence<int, K...>) {
      (list.push_back(std::make_shared<WallOf<Set, K>>(p, place)), ...);
    };
    add(std::make_integer_sequence<int, wall_count<Set>>{});
    return list;
  };
  return {std::string(Set::name),
          std::string(Set::about),
          D,
          {Set::parameters.begin(), Set::parameters.end()},
          region_of<Set>,
          walls,
          formulas_of_walls<Set>,
          detail::objection_of<Set>};
}
/// The kinds of sets/, in the order of their list.
std::vector<SetKind> built_in_sets();

/// How walls throw particles back: n' = -restitution n of the velocity's normal part; or, at a temperature,
/// as a rough wall does (Maxwell): Gaussian along the wall, and a flux's distribution across it. Unit mass.
struct Law {
  double restitution = 1, temperature = -1;  ///< negative: smooth

  bool rough() const { return temperature >= 0; }
  bool elastic() const { return restitution == 1 && !rough(); }
};

template <int D>
struct Member {
  std::string name;
  Region region;
  Law law;
  Place<D> place;
  MakeWalls<D> walls;
  std::function<std::optional<std::string>(const std::vector<double>&)> objection;
  std::vector<std::string> parameter_names;
  std::vector<double> parameters;
};

template <int D>
class Domain {
 public:
  /// Places a set. Its region is not yet part of the domain's. Its parameters have the kind's names, unless
  /// others are given.
  void add(const std::string& name, const SetKind& kind, const std::vector<double>& parameters,
           const Place<D>& place = {}, const Law& law = {}, const std::vector<std::string>& names = {});
  template <class Set>
  void add(const std::string& name, const std::array<double, Set::parameters.size()>& parameters,
           const Place<D>& place = {}, const Law& law = {}) {
    add(name, kind_of<Set>(), {parameters.begin(), parameters.end()}, place, law);
  }
  /// What is inside, in the names of sets with not, and, or (from the strongest to the weakest) and
  /// parentheses: "bowl and not (left or right)". Throws like expressions::parse.
  void enclose(const std::string& expression);
  /// The union of all sets.
  void enclose_all();

  /// What is wrong with parameters, those of all members one after the other.
  std::optional<std::string> objection(std::span<const double> parameters) const;
  /// The same domain with others.
  Domain at(std::span<const double> parameters) const;

  /// A length of the domain's own, with which round-off of its walls' formulas grows: how far the nearest of
  /// them is from its set's centre, along the axes; 0 where none is met.
  double length() const { return nearest_ < never ? nearest_ : 0.0; }

  const Walls<D>& walls() const { return walls_; }
  const Region& region() const { return region_; }
  const std::vector<Member<D>>& members() const { return members_; }
  /// The member that a wall belongs to.
  int member_of(int wall) const { return member_of_[static_cast<std::size_t>(wall)]; }

  /// The largest over cells of the smallest omega of its sides: above 0 inside.
  Pack omega(const Point<D>& x, const Pack& t) const { return omega(region_, x, t); }
  Pack omega(const Region& region, const Point<D>& x, const Pack& t) const;
  double omega(const Vector<D>& x, double t = 0) const;
  /// With the gradient of the side that it is taken from.
  double omega(const Vector<D>& x, Vector<D>& gradient) const;
  /// The same as a length: omega / |grad omega| of the walls.
  double depth(const Vector<D>& x, double t = 0) const;

 private:
  Walls<D> walls_;
  Region region_;
  std::vector<Member<D>> members_;
  std::vector<int> member_of_;
  double nearest_ = never;
};

}  // namespace cotangent::billiards
