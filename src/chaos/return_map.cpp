// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/return_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/error.hpp"
#include "numerics/decompositions.hpp"
#include "sections/energy_roots.hpp"
#include "sections/lone_flight.hpp"

namespace cotangent::chaos {

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double norm(const std::vector<double>& a) {
  return std::sqrt(dot(a, a));
}

constexpr double patience = 100;  ///< periods of the orbit, until the next return

Eigen::MatrixXd derivative_of(const sections::Arc& arc, Eigen::Index size) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(arc.derivative.data(), size, size);
}
Eigen::VectorXd vector_of(const std::vector<double>& numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), std::ssize(numbers));
}

}  // namespace

std::vector<int> ReturnMap::columns(const sections::Problem& problem, const sections::Section& section) {
  const int n = problem.dim(), held = 2 * problem.constraints();
  std::vector<int> all(static_cast<std::size_t>(2 * n));
  std::iota(all.begin(), all.end(), 0);
  const auto coordinates = problem.coordinates();
  const bool several_angles = std::ranges::count_if(coordinates, &sections::CoordinateInfo::angle) > 1;
  if (problem.rolling() > 0) return {};
  if (problem.between_walls()) return n == 2 ? all : std::vector<int>{};
  if (section.strobe) return 2 * n - held == 2 && !several_angles ? all : std::vector<int>{};
  if (section.coordinate < 0 || problem.driven() || problem.kicked() || 2 * n - held != 4) return {};
  if (held == 0) return {1 - section.coordinate, 3 - section.coordinate};
  return several_angles ? std::vector<int>{} : all;
}

ReturnMap::ReturnMap(const Closure& closure, const ClosedOrbit& orbit, int times, int point)
    : closure_(closure),
      columns_(columns(*closure.problem, closure.section)),
      energy_(orbit.energy),
      period_(orbit.period * times) {
  if (columns_.empty()) throw Error("its returns are no map of a surface");
  closure_.returns *= times;
  closure_.parameters = orbit.parameters;
  for (const auto winding : orbit.winding)
    turned_.push_back(2 * std::numbers::pi * static_cast<double>(winding) * times);
  State state{orbit.q, orbit.v};
  if (closure.problem->between_walls()) {
    state = after(state, point + 1);
  } else {
    if (!closure.strobed()) {
      across_ = closure.section.coordinate;
      const double velocity = orbit.v[static_cast<std::size_t>(across_)];
      side_ = velocity < 0 ? -1 : 1;
      if (velocity == 0) throw Error("the orbit doesn't cross its section");
    }
    if (point > 0) state = after(state, point);
  }
  const auto start = onto(point_of(state));
  if (!start) throw Error("the orbit doesn't cross its section");
  fixed_ = *start;
  // The orbit has equal steps, the map's last one is its own: to the method's accuracy they are the same.
  for (int round = 0; round < 6; ++round) {
    const auto there = image(fixed_);
    if (!there) throw Error("the orbit doesn't return to its section");
    const Eigen::MatrixXd off_identity =
        there->basis.transpose() * there->derivative - Eigen::Matrix2d::Identity();
    const SectionPoint step =
        there->basis * numerics::solve(off_identity, there->basis.transpose() * (fixed_ - there->at));
    const auto next = onto(fixed_ + step);
    if (!next || !step.allFinite()) break;
    fixed_ = *next;
    if (step.norm() <= 1e-15 * (1 + fixed_.norm())) break;
  }
}

ReturnMap::State ReturnMap::after(const State& start, int returns) const {
  if (closure_.strobed()) {
    const auto arc = closure_.problem->arc(closure_.method, {0, start.q, start.v, closure_.parameters},
                                           period_ / closure_.returns * returns);
    return {arc.q, arc.v};
  }
  sections::Observation watch;
  if (!closure_.problem->between_walls()) watch.section = closure_.section;
  watch.stop.crossings = returns;
  const auto flown = sections::fly_alone(*closure_.problem, closure_.method, watch,
                                         {0, start.q, start.v, closure_.parameters});
  return {flown.q, flown.v};
}

SectionPoint ReturnMap::point_of(const State& state) const {
  const auto n = std::ssize(state.q);
  SectionPoint z(std::ssize(columns_));
  for (Eigen::Index k = 0; k < z.size(); ++k) {
    const auto column = columns_[static_cast<std::size_t>(k)];
    z[k] = column < n ? state.q[static_cast<std::size_t>(column)]
                      : state.v[static_cast<std::size_t>(column - n)];
  }
  return z;
}

std::optional<ReturnMap::State> ReturnMap::state_of(const SectionPoint& z) const {
  const auto n = static_cast<std::size_t>(closure_.problem->dim());
  State x{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const auto column = static_cast<std::size_t>(columns_[k]);
    (column < n ? x.q[column] : x.v[column - n]) = z[static_cast<Eigen::Index>(k)];
  }
  if (whole() || across_ < 0) return x;
  x.q[static_cast<std::size_t>(across_)] = closure_.section.value;
  const auto velocity =
      sections::velocity_of_energy(*closure_.problem, x.q, x.v, across_, closure_.parameters, energy_,
                                   [&](double v) { return v * side_ > 0; });
  if (!velocity) return std::nullopt;
  x.v[static_cast<std::size_t>(across_)] = *velocity;
  return x;
}

SectionPoint ReturnMap::momentum(const SectionPoint& z) const {
  const auto x = state_of(z);
  const auto n = static_cast<std::size_t>(closure_.problem->dim());
  if (!x) return SectionPoint::Constant(z.size(), std::numeric_limits<double>::quiet_NaN());
  return point_of({closure_.problem->momentum(x->q, x->v, closure_.parameters, 0), std::vector<double>(n)});
}

/// By Newton's iteration along omega's slope, to round-off.
bool ReturnMap::onto_wall(State& state) const {
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 50; ++round) {
    const auto [omega, slope] = closure_.problem->wall(state.q, closure_.parameters);
    const double size = norm(slope), off = std::abs(omega) / size;
    if (!(off < before)) return before <= 1e-12 * (1 + norm(state.q));
    for (std::size_t d = 0; d < slope.size(); ++d) state.q[d] -= omega / (size * size) * slope[d];
    before = off;
    if (off <= 1e-16) break;
  }
  return dot(closure_.problem->wall(state.q, closure_.parameters).slope, state.v) > 0;
}

/// By its speed, in the direction that it has: where constraints allow that, they allow any multiple.
bool ReturnMap::to_energy(State& state) const {
  const auto& problem = *closure_.problem;
  double change = 0;
  for (int round = 0; round < 50; ++round) {
    const double off = problem.energy(state.q, state.v, closure_.parameters) - energy_;
    const auto mass = problem.mass_matrix(state.q, state.v, closure_.parameters);
    double slope = 0;  // of the energy by the logarithm of the speed
    for (std::size_t i = 0; i < state.v.size(); ++i) {
      for (std::size_t j = 0; j < state.v.size(); ++j)
        slope += state.v[i] * mass[i * state.v.size() + j] * state.v[j];
    }
    change = off / slope;
    if (!(std::abs(change) < 0.9)) return false;
    for (double& velocity : state.v) velocity -= change * velocity;
    if (std::abs(change) <= 1e-15) return true;
  }
  return std::abs(change) <= 1e-12;  // round-off, which won't be less
}

std::optional<SectionPoint> ReturnMap::onto(const SectionPoint& z) const {
  if (!whole()) return z;
  auto state = *state_of(z);
  if (closure_.problem->between_walls()) {
    if (!onto_wall(state)) return std::nullopt;
  } else {
    if (across_ >= 0) state.q[static_cast<std::size_t>(across_)] = closure_.section.value;
    if (closure_.problem->constraints() > 0 &&
        !closure_.problem->project(state.q, state.v, closure_.parameters, across_))
      return std::nullopt;
    if (across_ >= 0 && !(state.v[static_cast<std::size_t>(across_)] * side_ > 0)) return std::nullopt;
  }
  if (!closure_.strobed() && !to_energy(state)) return std::nullopt;
  return point_of(state);
}

std::optional<SectionImage> ReturnMap::image(const SectionPoint& z) const {
  const auto from = state_of(z);
  if (!from) return std::nullopt;
  auto next = closure_.strobed()                  ? to_strobe(*from)
              : closure_.problem->between_walls() ? to_wall(*from)
                                                  : to_section(*from);
  if (!next) return std::nullopt;
  for (std::size_t k = 0; k < turned_.size(); ++k) next->end.q[k] -= turned_[k];
  const auto at = onto(point_of(next->end));
  if (!at) return std::nullopt;
  return SectionImage{*at, next->basis(columns_, Eigen::all), next->derivative(columns_, Eigen::all),
                      next->action};
}

/// Of what deviates at the beginning of a flight and stays on the surface. In the plane of one coordinate it
/// is that coordinate and its velocity which deviate, and the section's velocity with them.
Eigen::MatrixXd ReturnMap::tangent_plane(const sections::Arc& arc, const Eigen::VectorXd& section) const {
  const int size = closure_.states();
  if (whole()) {
    auto without = vectors_of(arc.normals, size);
    if (!closure_.strobed()) {
      without.push_back(vector_of(arc.energy_slope));
      without.push_back(section);
    }
    return orthogonal_complement(without, size);
  }
  Eigen::MatrixXd plane = Eigen::MatrixXd::Zero(size, 2);
  for (Eigen::Index k = 0; k < 2; ++k) {
    const auto column = static_cast<std::size_t>(columns_[static_cast<std::size_t>(k)]);
    plane(static_cast<Eigen::Index>(column), k) = 1;
    plane(size / 2 + across_, k) =
        -arc.energy_slope[column] / arc.energy_slope[static_cast<std::size_t>(size / 2 + across_)];
  }
  return plane;
}

std::optional<ReturnMap::Return> ReturnMap::to_strobe(const State& from) const {
  const auto arc = closure_.problem->arc(closure_.method, {0, from.q, from.v, closure_.parameters}, period_);
  if (arc.status != Status::finished) return std::nullopt;
  const Eigen::MatrixXd plane = tangent_plane(arc, {});
  return Return{{arc.q, arc.v},
                plane,
                derivative_of(arc, plane.rows()) * plane,
                std::numeric_limits<double>::quiet_NaN()};
}

std::optional<ReturnMap::Return> ReturnMap::to_section(const State& from) const {
  const auto steps = static_cast<std::int64_t>(patience * std::ceil(period_ / closure_.method.step));
  const auto guess = first_return(closure_, from.q, from.v, steps);
  if (!guess) return std::nullopt;
  const auto a = static_cast<std::size_t>(across_);
  const auto size = static_cast<Eigen::Index>(closure_.states());
  const auto fly = [&](const State& state, double time) {
    return closure_.problem->arc(closure_.method, {0, state.q, state.v, closure_.parameters}, time);
  };
  const Eigen::VectorXd slope = Eigen::VectorXd::Unit(size, across_);
  State last = from;
  Eigen::MatrixXd plane, there;
  double action = 0;
  const auto begin = [&](const sections::Arc& arc) {
    plane = tangent_plane(arc, slope);
    there = plane;
  };
  // Whole steps, and a last one that ends on the section.
  const double step = closure_.method.step, whole = std::ceil((*guess)[size] / step - 1e-6) - 1;
  if (whole > 0) {
    const auto arc = fly(from, whole * step);
    if (arc.status != Status::finished) return std::nullopt;
    begin(arc);
    there = derivative_of(arc, size) * there;
    last = {arc.q, arc.v};
    action = arc.action;
  }
  double rest = (*guess)[size] - std::max(whole, 0.0) * step, late = 0;
  sections::Arc arc;
  // Its length by Newton's iteration, and where that moves no more by the flow alone.
  for (int round = 0; round < 6; ++round) {
    arc = fly(last, rest);
    if (arc.status != Status::finished || !(std::abs(arc.v[a]) > 0)) return std::nullopt;
    late = above_section({arc.q, arc.v}) / arc.v[a];
    if (std::abs(late) <= 1e-12 * step || !(rest - late > 0)) break;
    rest -= late;
  }
  if (whole <= 0) begin(arc);
  there = derivative_of(arc, size) * there;
  const Eigen::VectorXd flow = vector_of(arc.end_flow);
  const auto momentum = closure_.problem->momentum(arc.q, arc.v, closure_.parameters, 0);
  action += arc.action - late * dot(momentum, arc.v);
  if (!arc.action_as_end) action = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < arc.q.size(); ++k) {
    arc.q[k] -= late * flow[static_cast<Eigen::Index>(k)];
    arc.v[k] -= late * flow[static_cast<Eigen::Index>(k) + size / 2];
  }
  return Return{{arc.q, arc.v}, plane, there - flow * (there.row(across_) / flow[across_]), action};
}

std::optional<ReturnMap::Return> ReturnMap::to_wall(const State& from) const {
  const auto arc = closure_.problem->bounces({0, from.q, from.v, closure_.parameters}, closure_.returns);
  if (arc.status != Status::finished) return std::nullopt;
  const auto slope_at = [&](const std::vector<double>& q) {
    auto slope = closure_.problem->wall(q, closure_.parameters).slope;
    slope.resize(static_cast<std::size_t>(closure_.states()));
    return vector_of(slope);
  };
  const Eigen::VectorXd flow = vector_of(arc.end_flow), slope = slope_at(arc.q);
  const Eigen::MatrixXd plane = tangent_plane(arc, slope_at(from.q)),
                        there = derivative_of(arc, slope.size()) * plane;
  return Return{
      {arc.q, arc.v}, plane, there - flow * (slope.transpose() * there / slope.dot(flow)), arc.action};
}

std::optional<SectionPoint> ReturnMap::back(const SectionPoint& z) const {
  auto from = state_of(z);
  if (!from) return std::nullopt;
  for (std::size_t k = 0; k < turned_.size(); ++k) from->q[k] += turned_[k];
  const auto before = closure_.strobed()                  ? fly_back(*from, period_)
                      : closure_.problem->between_walls() ? back_to_wall(*from)
                                                          : back_to_section(*from);
  return before ? onto(point_of(*before)) : std::nullopt;
}

std::optional<ReturnMap::State> ReturnMap::fly_back(const State& from, double time) const {
  auto arc = closure_.problem->arc(closure_.method, {0, from.q, from.v, closure_.parameters}, -time);
  if (arc.status != Status::finished) return std::nullopt;
  return State{std::move(arc.q), std::move(arc.v)};
}

std::optional<ReturnMap::State> ReturnMap::back_to_section(const State& from) const {
  const double step = closure_.method.step;
  const int direction = closure_.section.direction;
  State here = from;
  double above = -side_ * std::numeric_limits<double>::min();  // just before it crosses
  int left = closure_.returns;
  for (double flown = 0; flown <= patience * period_; flown += step) {
    auto there = fly_back(here, step);
    if (!there) return std::nullopt;
    const double next = above_section(*there);
    const bool crosses = (next > 0) != (above > 0) && std::abs(next - above) < std::numbers::pi;
    if (crosses && (direction == 0 || (above > 0) == (direction > 0))) {
      const auto crossing = crossing_before(here, step * above / (above - next));
      if (!crossing) return std::nullopt;
      if (counts(*crossing) && --left == 0) return crossing;
    }
    here = std::move(*there);
    above = next;
  }
  return std::nullopt;
}

/// By Newton's iteration on how long before it is.
std::optional<ReturnMap::State> ReturnMap::crossing_before(const State& here, double time) const {
  for (int round = 0; round < 8 && time > 0; ++round) {
    auto there = fly_back(here, time);
    if (!there) return std::nullopt;
    const double late = above_section(*there) / there->v[static_cast<std::size_t>(across_)];
    if (!(std::abs(late) > 1e-12 * closure_.method.step)) return there;
    time += late;
  }
  return std::nullopt;
}

bool ReturnMap::counts(const State& crossing) const {
  const auto& condition = closure_.section.condition;
  if (!condition) return true;
  std::vector<double> variables = crossing.q;
  const auto momentum = closure_.problem->momentum(crossing.q, crossing.v, closure_.parameters, 0);
  for (const auto* part : {&crossing.v, &momentum, &closure_.parameters})
    variables.insert(variables.end(), part->begin(), part->end());
  return condition->holds(variables);
}

/// Elastic walls at rest and fields of force lead back what flies with the opposite velocity.
std::optional<ReturnMap::State> ReturnMap::back_to_wall(const State& from) const {
  const State start = reflected_back(from);
  const auto arc = closure_.problem->bounces({0, start.q, start.v, closure_.parameters}, closure_.returns);
  if (arc.status != Status::finished) return std::nullopt;
  return reflected_back({arc.q, arc.v});
}

/// Behind a bounce: against what arrived there.
ReturnMap::State ReturnMap::reflected_back(State state) const {
  const auto normal = closure_.problem->wall(state.q, closure_.parameters).slope;
  const double twice = 2 * dot(state.v, normal) / dot(normal, normal);
  for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] = twice * normal[k] - state.v[k];
  return state;
}

/// By how much a state is beyond the section.
double ReturnMap::above_section(const State& state) const {
  const auto a = static_cast<std::size_t>(across_);
  const double above = state.q[a] - closure_.section.value;
  return closure_.problem->coordinates()[a].angle ? std::remainder(above, 2 * std::numbers::pi) : above;
}

}  // namespace cotangent::chaos
