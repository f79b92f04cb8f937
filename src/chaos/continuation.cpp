// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/continuation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/error.hpp"
#include "numerics/decompositions.hpp"
#include "sections/lone_flight.hpp"

namespace cotangent::chaos {

namespace {

using Eigen::Index;

/// 0 where the multipliers are exp(+- 2 pi i k / n).
double distance(const ClosedOrbit& orbit, int n, int k) {
  const double scale = n <= 2 ? 1 + orbit.contraction() : 2;
  return orbit.trace() - scale * std::cos(2 * std::numbers::pi * k / n);
}
/// Below it a distance is round-off.
constexpr double no_distance = 1e-12;

/// What the equations leave free, on the side of the tangent before.
Unknowns tangent_at(const Closure& closure, const ClosedOrbit& orbit, const Unknowns& before) {
  const Scales scales(closure, orbit);
  const Index rows = orbit.jacobian.rows();
  Eigen::MatrixXd a(rows + 1, before.size());
  a.topRows(rows) = orbit.jacobian;
  a.row(rows) = before.transpose();
  Eigen::VectorXd b = Eigen::VectorXd::Zero(rows + 1);
  b[rows] = 1;
  const Unknowns tangent = numerics::least_squares(scales.apply(a), b).cwiseProduct(scales.columns);
  return tangent / tangent.norm();
}

/// So many directions that the equations leave free, of unit length.
Eigen::MatrixXd free_directions(const Closure& closure, const ClosedOrbit& orbit, Index count) {
  const Scales scales(closure, orbit);
  const Eigen::MatrixXd directions =
      scales.columns.asDiagonal() *
      numerics::right_singular_vectors(scales.apply(orbit.jacobian)).rightCols(count);
  return directions.colwise().normalized();
}

/// Whether an orbit is one of the family that goes along a tangent from z.
bool lies_on(const Closure& closure, const ClosedOrbit& orbit, const Unknowns& z, const Unknowns& along) {
  const Unknowns away = orbit.unknowns - z, guess = z + along.dot(away) * along;
  const auto next = close(closure, guess, Condition{along, guess}, 16);
  return next && (next->unknowns - orbit.unknowns).norm() <= 1e-3 * away.norm();
}

/// A place between a and b at which a function changes its sign, by false position; an end that stays for a
/// second time weighs half (the Illinois method: Dowell, Jarratt, BIT 11 (1971) 168).
struct SignChange {
  double a, b, at_a, at_b;
  enum { neither, a_stayed, b_stayed } last = neither;

  double between() const { return b - at_b * (b - a) / (at_b - at_a); }
  void narrow(double place, double value) {
    if ((value > 0) == (at_b > 0)) {
      b = place;
      at_b = value;
      if (last == a_stayed) at_a /= 2;
      last = a_stayed;
    } else {
      a = place;
      at_a = value;
      if (last == b_stayed) at_b /= 2;
      last = b_stayed;
    }
  }
};

}  // namespace

std::optional<ClosedOrbit> with_value(const Closure& closure, const ClosedOrbit& orbit) {
  Unknowns z(closure.unknowns());
  z.head(orbit.unknowns.size()) = orbit.unknowns;
  z[z.size() - 1] =
      *closure.continued < 0 ? orbit.energy : orbit.parameters[static_cast<std::size_t>(*closure.continued)];
  return evaluate(closure, z);
}

Family::Family(const Closure& closure, const ContinuationRule& rule, const ClosedOrbit& start,
               const std::optional<Unknowns>& tangent)
    : closure_(closure), rule_(rule), orbit_(start), step_(rule.step) {
  if (orbit_.value() == rule.to) end_ = End::reached;
  if (tangent) {
    tangent_ = *tangent;
    if (closure_.plane) stand_across();
    return;
  }
  tangent_ = free_directions(closure_, orbit_, 1);
  const Index last = tangent_.size() - 1;
  if (tangent_[last] * (rule.to - orbit_.value()) < 0) tangent_ = -tangent_;
}

Family::Family(const Closure& closure, const ContinuationRule& rule, const std::vector<double>& saved)
    : closure_(closure), rule_(rule) {
  const Index size = closure.unknowns();
  const Eigen::Map<const Eigen::VectorXd> numbers(saved.data(), 2 * size + 2);
  const auto n = closure.problem->dim();
  closure_.stand_across({saved.begin(), saved.begin() + n}, {saved.begin() + n, saved.begin() + 2 * n});
  const auto orbit = evaluate(closure_, numbers.head(size));
  if (!orbit) throw Error("an orbit of the checkpoint can't be flown");
  orbit_ = *orbit;
  tangent_ = numbers.segment(size, size);
  step_ = numbers[2 * size];
  end_ = static_cast<End>(static_cast<int>(numbers[2 * size + 1]));
}

std::vector<double> Family::save() const {
  std::vector<double> saved(orbit_.unknowns.data(), orbit_.unknowns.data() + orbit_.unknowns.size());
  saved.insert(saved.end(), tangent_.data(), tangent_.data() + tangent_.size());
  saved.push_back(step_);
  saved.push_back(static_cast<double>(end_));
  return saved;
}

std::optional<ClosedOrbit> Family::along(double arc) const {
  const Unknowns guess = orbit_.unknowns + arc * tangent_;
  return close(closure_, guess, Condition{tangent_, guess}, 16);
}

std::vector<Bifurcation> Family::advance() {
  std::vector<Bifurcation> passed;
  while (end_ == End::none) {
    const Unknowns guess = orbit_.unknowns + step_ * tangent_;
    int taken = 0;
    auto next = close(closure_, guess, Condition{tangent_, guess}, 16, &taken);
    double arc = step_;
    bool last = false;
    const double here = orbit_.value();
    if (next && (next->value() - rule_.to) * (here - rule_.to) <= 0 && here != rule_.to) {
      // The value asked for lies between: to it, at that value.
      const double part = (rule_.to - here) / (next->value() - here);
      Condition at{Unknowns::Zero(guess.size()), orbit_.unknowns + part * (next->unknowns - orbit_.unknowns)};
      at.direction[guess.size() - 1] = 1;
      at.from[guess.size() - 1] = rule_.to;
      next = close(closure_, at.from, at, 16, &taken);
      last = next.has_value();
      if (next) arc = tangent_.dot(next->unknowns - orbit_.unknowns);
    }
    if (next) {
      const Unknowns tangent = tangent_at(closure_, *next, tangent_);
      const double moved = std::abs(next->trace() - orbit_.trace());
      const double allowed = rule_.trace * (1 + std::min(std::abs(next->trace()), std::abs(orbit_.trace())));
      const double strayed = (next->unknowns - orbit_.unknowns - arc * tangent_).norm();
      if (tangent.dot(tangent_) > 0.9 && strayed <= 0.5 * step_ && moved <= allowed) {
        locate(*next, tangent, arc, passed);
        if (!last && taken <= 8 && moved <= 0.5 * allowed) step_ = std::min(1.5 * step_, rule_.largest);
        orbit_ = *next;
        tangent_ = tangent;
        if (last) end_ = End::reached;
        if (closure_.plane && !last) {
          begin_at_quarter();
          stand_across();
        }
        return passed;
      }
    }
    step_ /= 2;
    if (step_ < 1e-9 * rule_.largest) end_ = End::lost;
  }
  return passed;
}

void Family::stand_across() {
  const Unknowns z = orbit_.unknowns;
  closure_.stand_across(orbit_.q, orbit_.v);
  if (const auto orbit = evaluate(closure_, z)) orbit_ = *orbit;
  tangent_ = tangent_at(closure_, orbit_, tangent_);
}

/// Near a quarter of its flight an orbit begins where it is; else there, the tangent with it by the
/// derivative of the flight between.
void Family::begin_at_quarter() {
  const auto& problem = *closure_.problem;
  const auto fly = [&](const std::vector<double>& q, const std::vector<double>& v, double time) {
    return problem.arc(closure_.method, {0, q, v, orbit_.parameters}, time);
  };
  sections::Observation watch;
  watch.stop.time = std::numeric_limits<double>::infinity();
  watch.stop.crossings = closure_.returns;
  const auto flown =
      sections::fly_alone(problem, closure_.method, watch, {0, orbit_.q, orbit_.v, orbit_.parameters});
  if (flown.status != Status::finished || flown.crossings.time.empty()) return;
  const double begin = flown.crossings.time.back() - orbit_.period, end = flown.crossings.time.front();
  const double shift = begin + (end - begin) / 4;
  if (!(begin < 0) || std::abs(shift) < (end - begin) / 8) return;
  const auto there = fly(orbit_.q, orbit_.v, shift > 0 ? shift : orbit_.period + shift);
  const auto between = shift > 0 ? there : fly(there.q, there.v, -shift);
  if (there.status != Status::finished || between.status != Status::finished) return;
  const Index n = problem.dim(), m = 2 * n;
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd derivative = Eigen::Map<const ByRows>(between.derivative.data(), m, m);
  Unknowns z = orbit_.unknowns, tangent = tangent_;
  z.head(n) = Eigen::Map<const Eigen::VectorXd>(there.q.data(), n);
  z.segment(n, n) = Eigen::Map<const Eigen::VectorXd>(there.v.data(), n);
  const Eigen::VectorXd state = tangent_.head(m);
  tangent.head(m) = shift > 0 ? Eigen::VectorXd(derivative * state) : numerics::solve(derivative, state);
  tangent /= tangent.norm();
  Closure closure = closure_;
  closure.stand_across(there.q, there.v);
  const auto orbit = close(closure, z, Condition{tangent, z}, 16);
  if (!orbit) return;
  orbit_ = *orbit;
  tangent_ = tangent;
}

void Family::locate(const ClosedOrbit& next, const Unknowns& tangent, double arc,
                    std::vector<Bifurcation>& passed) const {
  if (orbit_.transverse.rows() != 2) return;
  std::vector<std::pair<double, Bifurcation>> found;
  for (const int n : rule_.turns) {
    for (int k = n == 1 ? 0 : 1; 2 * k <= n; ++k) {
      if (std::gcd(n, k) != 1 || (n > 2 && orbit_.contraction() != 1)) continue;
      SignChange change{0, arc, distance(orbit_, n, k), distance(next, n, k)};
      const double here = std::abs(change.at_a), there = std::abs(change.at_b);
      if ((change.at_a > 0) == (change.at_b > 0)) continue;
      if (std::max(here, there) <= no_distance) continue;  // throughout
      double best_arc = arc, best = there;
      ClosedOrbit orbit = next;
      if (here < best) std::tie(best_arc, best, orbit) = std::tuple(0.0, here, orbit_);
      for (int round = 0; round < 60 && std::abs(change.b - change.a) > 1e-15 * std::abs(arc); ++round) {
        const double middle = change.between();
        const auto tried = along(middle);
        if (!tried) break;
        const double value = distance(*tried, n, k);
        if (std::abs(value) >= best && std::abs(value) < no_distance) break;
        if (std::abs(value) < best)
          std::tie(best_arc, best, orbit) = std::tuple(middle, std::abs(value), *tried);
        if (value == 0) break;
        change.narrow(middle, value);
      }
      const Index last = tangent.size() - 1;
      const bool fold = n == 1 && tangent[last] * tangent_[last] < 0;
      // Where another family branches off, the equations leave more free than this family's tangent.
      const Unknowns between = tangent_ + best_arc / arc * (tangent - tangent_);
      found.push_back(
          {best_arc, {n, k, fold, orbit, n == 1 ? between : tangent_at(closure_, orbit, tangent_)}});
    }
  }
  std::ranges::stable_sort(found, {}, [](const auto& pair) { return pair.first; });
  for (auto& [place, bifurcation] : found) passed.push_back(std::move(bifurcation));
}

namespace {

/// A bifurcation as one of orbits of n times the period.
struct Branching {
  Closure closure;
  int n;
  Unknowns z, along;       ///< the orbit, n times over, and the family's tangent
  Eigen::MatrixXd across;  ///< the other directions that are free there: of two, a period turns them by k / n
  Eigen::MatrixXd dual;    ///< of their plane, so that dual^T across = 1
  Eigen::MatrixXd others;  ///< an orthonormal basis of what is orthogonal to them

  /// Of two of these.
  Unknowns at_angle(double angle) const {
    return std::cos(angle) * across.col(0) + std::sin(angle) * across.col(1);
  }
  Unknowns dual_at(double angle) const {
    return std::cos(angle) * dual.col(0) + std::sin(angle) * dual.col(1);
  }
};

/// What directions that are free at n times an orbit become after the orbit once.
Eigen::MatrixXd returned(const Closure& closure, const ClosedOrbit& once, const Eigen::MatrixXd& directions) {
  const Index m = closure.states();
  Eigen::MatrixXd result = directions;
  auto states = result.topRows(m);
  states += once.jacobian.topLeftCorner(m, m) * directions.topRows(m) +
            once.jacobian.col(once.jacobian.cols() - 1).head(m) * directions.bottomRows(1);
  if (closure.strobed()) return result;
  const Eigen::VectorXd flow = once.jacobian.col(m).head(m);
  const Eigen::RowVectorXd plane = once.jacobian.row(m).head(m);
  states -= flow * (plane * states) / plane.dot(flow);
  return result;
}

/// What a period makes of two directions across is a map L with L^n = 1. The mean of |L^j x|^2 over all its
/// powers is a form that L keeps: in a basis that is orthonormal by it, of one area with the other, L is a
/// turn.
void make_turn(Branching& at, const Closure& closure, const ClosedOrbit& once) {
  const Eigen::Matrix2d map = at.across.transpose() * returned(closure, once, at.across);
  Eigen::Matrix2d power = Eigen::Matrix2d::Identity(), form = Eigen::Matrix2d::Zero();
  for (int j = 0; j < at.n; ++j, power = map * power) form += power.transpose() * power;
  form /= std::sqrt(form(0, 0) * form(1, 1) - form(0, 1) * form(1, 0));
  const double a = std::sqrt(form(0, 0)), b = form(0, 1) / a;  // by Cholesky
  at.across *= Eigen::Matrix2d{{1 / a, -b}, {0, a}};
  at.dual *= Eigen::Matrix2d{{a, 0}, {b, 1 / a}};
}

std::optional<Branching> branching(const Closure& closure, const Bifurcation& at) {
  Branching result{closure, at.n, at.orbit.unknowns, at.tangent, {}, {}, {}};
  result.closure.stand_across(at.orbit.q, at.orbit.v);
  const Closure single = result.closure;
  result.closure.returns *= at.n;
  if (!closure.strobed()) {
    result.z[closure.states()] *= at.n;
    result.along[closure.states()] *= at.n;
  }
  result.along /= result.along.norm();
  const auto repeated = evaluate(result.closure, result.z);
  if (!repeated) return std::nullopt;
  const Index count = at.n > 2 ? 3 : 2;
  const Eigen::MatrixXd free =
      numerics::orthonormal_basis(free_directions(result.closure, *repeated, count)).leftCols(count);
  const Eigen::VectorXd inside = free.transpose() * result.along;
  result.across = result.dual = free * numerics::orthonormal_basis(inside).rightCols(count - 1);
  result.others = numerics::orthonormal_basis(result.across).rightCols(result.z.size() - count + 1);
  if (at.n > 2) {
    const auto once = evaluate(single, at.orbit.unknowns);
    if (!once) return std::nullopt;
    make_turn(result, single, *once);
  }
  return result;
}

/// A state beside a branching, as near to closing as it comes by what the family goes through, which brings
/// orbits at this amplitude to turns of k / n; and by how much it then moves inward or outward in a period.
/// Where that changes its sign an orbit closes.
struct Beside {
  Unknowns z;
  double drift = 0;
};
/// None where the motion fails.
std::optional<Beside> beside(const Branching& at, const Unknowns& direction, double distance) {
  Beside result{at.z + distance * direction};
  const Eigen::MatrixXd& along = at.others;
  const Index m = at.closure.states();
  const Eigen::MatrixXd plane = at.across.topRows(m);
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    const auto orbit = evaluate(at.closure, result.z);
    if (!orbit) return std::nullopt;
    if (round + 1 == rounds) {
      const Eigen::Vector2d turned = numerics::least_squares(plane, (orbit->jacobian * at.along).head(m)),
                            off = numerics::least_squares(plane, orbit->residual.head(m));
      result.drift = turned[0] * off[1] - turned[1] * off[0];
      break;
    }
    const Scales scales(at.closure, *orbit);
    Eigen::MatrixXd a = orbit->jacobian * along;
    a.array().colwise() /= scales.rows.array();
    result.z -= along * numerics::least_squares(a, orbit->residual.cwiseQuotient(scales.rows));
  }
  return result;
}

/// The orbit next to a guess that lies as far along a direction.
std::optional<Offspring> branch(const Branching& at, const Unknowns& direction, const Unknowns& guess) {
  const auto orbit = close(at.closure, guess, Condition{direction, guess}, 16);
  if (!orbit) return std::nullopt;
  return Offspring{at.closure, *orbit, tangent_at(at.closure, *orbit, direction)};
}

/// The angles about a branching at which orbits close, by false position between equal parts: eight times as
/// many as orbits have points without a symmetry.
std::vector<double> closing_angles(const Branching& at, double distance) {
  const int parts = 16 * at.n;
  const double part = 2 * std::numbers::pi / parts;
  const auto drift = [&](double angle) {
    const auto there = beside(at, at.at_angle(angle), distance);
    return there ? there->drift : std::numeric_limits<double>::quiet_NaN();
  };
  const auto differ = [](double a, double b) { return (a < 0 && b >= 0) || (a >= 0 && b < 0); };
  std::vector<double> found;
  double before = drift(0);
  for (int k = 1; k <= parts; ++k) {
    const double next = drift(k * part);
    if (differ(before, next)) {
      SignChange change{(k - 1) * part, k * part, before, next};
      double angle = change.a, last = change.b;
      for (int round = 0; round < 30 && std::abs(angle - last) > 1e-6; ++round) {
        last = angle;
        angle = change.between();
        const double here = drift(angle);
        if (std::isnan(here)) break;
        change.narrow(angle, here);
      }
      found.push_back(angle);
    }
    before = next;
  }
  return found;
}

/// The angles at which an orbit beside a branching returns, n times.
std::vector<double> angles_of(const Branching& at, const ClosedOrbit& orbit) {
  const auto& problem = *at.closure.problem;
  const Index n = problem.dim();
  const double period = orbit.period / at.n;
  sections::Start here{0, orbit.q, orbit.v, orbit.parameters};
  Unknowns off = orbit.unknowns - at.z;
  std::vector<double> result;
  for (int k = 0; k < at.n; ++k) {
    for (Index i = 0; i < n; ++i) {
      const auto d = static_cast<std::size_t>(i);
      off[i] = here.q[d] - at.z[i];
      off[n + i] = here.v[d] - at.z[n + i];
      if (problem.coordinates()[d].angle) off[i] = std::remainder(off[i], 2 * std::numbers::pi);
    }
    const Eigen::Vector2d place = at.dual.transpose() * off;
    result.push_back(std::atan2(place[1], place[0]));
    const double time =
        at.closure.strobed() ? period : passing_time(at.closure, orbit.v, here, period, 2 * period);
    auto arc = problem.arc(at.closure.method, here, time);
    if (arc.status != Status::finished) break;
    here.q = std::move(arc.q);
    here.v = std::move(arc.v);
  }
  return result;
}

/// Orbits of n > 2 times the period that branch off: a chain of n points about the other orbit's.
struct Chain {
  Offspring offspring;
  std::pair<bool, bool> kind;  ///< whether it is unstable, and on which side it lies
  int round;                   ///< of distances, each twice the one before
  std::vector<double> angles;

  /// Whether it has a point there; those of two chains of one kind lie between each other.
  bool passes(double angle) const {
    const double apart = std::numbers::pi / 4 / static_cast<double>(angles.size());
    return std::ranges::any_of(angles, [&](double other) {
      return std::abs(std::remainder(angle - other, 2 * std::numbers::pi)) < apart;
    });
  }
};

/// Of each kind all that there are at the first distance at which there is one: up to two kinds, as a rule a
/// stable and an unstable one. The first of each kind come first.
std::vector<Chain> chains(const Branching& from, double value, double distance) {
  std::vector<Chain> all;
  Index kinds = 0;
  // Near by, all orbits nearly close: one that does is told from the others by a trace that isn't 2, and lies
  // where the drift vanishes.
  const auto closes = [&](const ClosedOrbit& orbit, const Unknowns& guess) {
    const double off = std::abs(orbit.trace() - 2);
    return off > 1e-6 && orbit.error <= 1e-4 * distance * off &&
           (orbit.unknowns - guess).norm() < 0.1 * distance;
  };
  for (int round = 0; round <= 5 && kinds < 2; ++round, distance *= 2) {
    for (const double angle : closing_angles(from, distance)) {
      const auto guess = beside(from, from.at_angle(angle), distance);
      if (!guess) continue;
      auto one = branch(from, from.dual_at(angle), guess->z);
      if (!one || !closes(one->orbit, guess->z)) continue;
      const ClosedOrbit& orbit = one->orbit;
      const std::pair kind{orbit.trace() > 2, orbit.value() > value};
      const auto alike = [&](const Chain& other) { return other.kind == kind; };
      if (std::ranges::any_of(all, [&](const Chain& other) {
            return alike(other) && (other.round < round || other.passes(angle));
          }))
        continue;
      auto angles = angles_of(from, orbit);
      const bool first = std::ranges::none_of(all, alike);
      all.insert(first ? all.begin() + kinds++ : all.end(),
                 Chain{std::move(*one), kind, round, std::move(angles)});
    }
  }
  return all;
}

}  // namespace

std::vector<Offspring> branch_off(const Closure& closure, const Bifurcation& at, double distance) {
  if (at.fold) return {};
  const auto from = branching(closure, at);
  if (!from) return {};
  if (at.n <= 2) {
    Unknowns direction = from->across.col(0);
    Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    if (direction[largest] < 0) direction = -direction;
    auto one = branch(*from, direction, from->z + distance * direction);
    if (!one || lies_on(from->closure, one->orbit, from->z, from->along)) return {};
    return {std::move(*one)};
  }
  std::vector<Offspring> all;
  for (Chain& chain : chains(*from, at.orbit.value(), distance)) all.push_back(std::move(chain.offspring));
  return all;
}

}  // namespace cotangent::chaos
