// SPDX-License-Identifier: BSD-3-Clause
// A section over the steps of any model in lanes: which steps may meet it, where they do, how far off a state
// is. A coordinate is looked at on the step's own polynomial; any other function on its interpolant there.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "integrators/stepper.hpp"
#include "numerics/insertion_sort.hpp"
#include "sections/bernstein_roots.hpp"
#include "sections/flight.hpp"

namespace cotangent::sections {

template <class R, int N>
class SectionOf {
  static constexpr int W = numerics::width_of<R>;
  using Mask = numerics::mask_of<R>;
  using State = integrators::State<R, N>;
  using System = integrators::AnySystem<R, N>;
  using Stepper = integrators::Stepper<R, N>;

 public:
  SectionOf(const Section& section, const System& system)
      : section_(section), smooth_(!system.kind().kicked), variables_(3 * N + system.parameters().size()) {
    angle_ = on_coordinate() && system.kind().angle[section.coordinate];
    for (int n = 0; n < N; ++n) {
      momenta_needed_ |= section.expression && section.expression->depends_on(2 * N + n);
      momenta_needed_ |= section.condition && section.condition->depends_on(2 * N + n);
    }
  }

  /// Lanes whose last step may meet the section. In the others it lies on one side throughout, or falls
  /// throughout where a rise is asked for, by bounds that round-off can't break.
  Mask suspects(const Stepper& method, const State& end) const {
    if (!on_coordinate()) return Mask(true);
    const int n = section_.coordinate;
    const State begin = method.begin();
    const R third = R(1.0 / 3) * method.step();
    // A cubic's Bernstein coefficients, and how far the step strays from it.
    const std::array<R, 4> c{
        begin.q[n] - R(section_.value), fma(third, begin.v[n], begin.q[n] - R(section_.value)),
        fma(-third, end.v[n], end.q[n] - R(section_.value)), end.q[n] - R(section_.value)};
    const auto bend = method.bend(n);
    const R low = numerics::lesser(numerics::lesser(c[0], c[1]), numerics::lesser(c[2], c[3]));
    const R high = numerics::larger(numerics::larger(c[0], c[1]), numerics::larger(c[2], c[3]));
    const R slack = fma(R(1e-12), numerics::larger(high, -low) + bend.position, round_off_);
    const R reach = fma(R(0.5), high - low, bend.position + slack);
    Mask result = numerics::absolute(from_level(R(0.5) * (low + high))) <= reach;
    if (section_.direction != 0) {
      const R up = section_.direction > 0 ? R(3.0) : R(-3.0);
      const R way =
          numerics::larger(up * (c[1] - c[0]), numerics::larger(up * (c[2] - c[1]), up * (c[3] - c[2])));
      // A contact at the step's end may lie as far beyond it as a parabola stays within round-off.
      result = result & (way + fma(R(1e7), slack, bend.slope) >= R(0.0));
    }
    return result;
  }

  /// Whether the section is an angle's, which may meet it many times in a step.
  bool on_angle() const { return angle_; }
  /// How many crossings a step of each lane may hold: as many as its polynomial has roots, on each of an
  /// angle's levels.
  R most_crossings(const Stepper& method, const State& end) const {
    constexpr double roots = integrators::max_degree;
    return angle_ ? R(roots) * fma(R(1 / turn), way(method, end), R(2.0)) : R(roots);
  }
  /// Lanes whose last step turns the section's angle no more often than can be looked at.
  Mask countable(const Stepper& method, const State& end) const {
    constexpr double most_turns = 1e6;
    return (way(method, end) <= R(turn * most_turns)) &
           (numerics::absolute(end.q[section_.coordinate]) <= R(0x1p50));
  }

  /// What a step holds of the section.
  struct Meeting {
    std::vector<double> crossings;  ///< theta of those in the direction asked for
    std::vector<double> contacts;   ///< theta of those where it is touched
  };

  /// Finds what the first `count` slots' steps hold. A `fresh` one begins with the trajectory: if that is on
  /// the section, it isn't met there. They end in `end`, at `last`: before their own end where a kick cuts
  /// them short.
  void meet(Stepper& steps, const System& system, int count, Mask fresh, const R& last, const State& end,
            std::array<Meeting, W>& meetings) {
    last_ = last;
    fill_polynomial(steps, system, end);
    R smallest = polynomial_[0], largest = polynomial_[0];
    for (int k = 1; k <= degree_; ++k) {
      smallest = numerics::lesser(polynomial_[k], smallest);
      largest = numerics::larger(polynomial_[k], largest);
    }
    const R spread = numerics::larger(largest, -smallest), touch = fma(R(1e-13), spread, round_off_);
    const R level = level_of(R(0.5) * (smallest + largest));
    std::array<R, integrators::max_degree + 1> shifted;
    for (int k = 0; k <= degree_; ++k) shifted[k] = polynomial_[k] - level;
    // The common case, all slots together: one root, on one level.
    const R variations = sign_variations(shifted.data(), degree_);
    const auto rests_at = [&](int near, int next) {
      return (shifted[near] == R(0.0)) & (shifted[next] == R(0.0));
    };
    Mask simple = (variations == R(1.0)) & !fresh & !rests_at(0, 1) & !rests_at(degree_, degree_ - 1);
    if (smooth_) {
      const R begin = reach_of_contact(shifted.data(), degree_, 1, touch),
              end = reach_of_contact(shifted.data() + degree_, degree_, -1, touch);
      simple = simple & (numerics::larger(begin, end) == R(0.0));
    }
    if (angle_) simple = simple & (largest - smallest < R(0.5 * turn));
    const R theta = only_root(shifted.data(), degree_, simple);
    for (int i = 0; i < count; ++i) {
      auto& meeting = meetings[i];
      meeting.crossings.clear();
      meeting.contacts.clear();
      if (numerics::lane(simple, i)) {
        const bool rising = numerics::lane(shifted[0], i) < 0;
        if (wanted(rising)) meeting.crossings.push_back(numerics::lane(theta, i));
      } else {
        const double start = numerics::lane(fresh, i) ? 1e-11 * numerics::lane(spread, i) : -1.0;
        meet_with_care(i, numerics::lane(smallest, i), numerics::lane(largest, i), numerics::lane(touch, i),
                       start, meeting);
      }
      for (auto* thetas : {&meeting.crossings, &meeting.contacts}) {
        for (double& theta : *thetas) theta *= numerics::lane(last_, i);
      }
    }
  }

  /// How far off the section states are.
  R distance(const System& system, const State& x) {
    if (on_coordinate()) return from_level(x.q[section_.coordinate] - R(section_.value));
    const auto p = momenta(system, x);
    R result;
    for (int i = 0; i < W; ++i) numerics::set_lane(result, i, expression_at(system, x, p, i));
    return result;
  }
  /// And how fast that changes in time, at theta of steps of length h.
  R rate(const State& x, const R& theta, const R& h) const {
    if (on_coordinate()) return x.v[section_.coordinate];
    R result;
    for (int i = 0; i < W; ++i) {
      Bernstein c;
      for (int k = 0; k <= degree_; ++k) c[k] = numerics::lane(polynomial_[k], i);
      const double last = numerics::lane(last_, i);
      numerics::set_lane(result, i,
                         slope(c, degree_, numerics::lane(theta, i) / last) / (last * numerics::lane(h, i)));
    }
    return result;
  }

  /// Whether crossings in these states count: the section's condition.
  Mask counted(const System& system, const State& x, Mask lanes) {
    if (!section_.condition) return lanes;
    const auto p = momenta(system, x);
    for (int i = 0; i < W; ++i) {
      if (!numerics::lane(lanes, i)) continue;
      fill_variables(system, x, p, i);
      numerics::set_lane(lanes, i, section_.condition->holds(variables_));
    }
    return lanes;
  }

 private:
  static constexpr double turn = 2 * std::numbers::pi;

  bool on_coordinate() const { return section_.coordinate >= 0; }
  /// No less than how far the section's coordinate goes in a step: a cubic's Bernstein coefficients, and how
  /// far the step strays from it.
  R way(const Stepper& method, const State& end) const {
    const int n = section_.coordinate;
    const State begin = method.begin();
    const R third = numerics::absolute(R(1.0 / 3) * method.step());
    const R slopes = numerics::absolute(begin.v[n]) + numerics::absolute(end.v[n]);
    return fma(third, slopes, numerics::absolute(end.q[n] - begin.q[n])) + R(2.0) * method.bend(n).position;
  }
  bool wanted(bool rising) const { return section_.direction == 0 || rising == (section_.direction > 0); }

  /// The nearest of the levels at which an angle meets the section; the one there is otherwise.
  R level_of(const R& s) const {
    if (!angle_) return R(0.0);
    constexpr double integer_part = 0x1.8p52;
    return R(turn) * ((s * R(1 / turn) + R(integer_part)) - R(integer_part));
  }
  R from_level(const R& s) const { return s - level_of(s); }

  void fill_polynomial(Stepper& steps, const System& system, const State& end) {
    if (!on_coordinate()) return interpolate_expression(steps, system, end);
    const int c = section_.coordinate;
    degree_ = steps.degree();
    steps.bernstein(c, polynomial_.data());
    if (any(last_ < R(1.0))) shorten_polynomial();
    // The ends are the states' own numbers, so that one step ends where the next begins, to the bit.
    const State begin = steps.begin();
    polynomial_[0] = begin.q[c];
    polynomial_[degree_] = end.q[c];
    for (int k = 0; k <= degree_; ++k) polynomial_[k] -= R(section_.value);
    // So are the slopes where one rests on the section, so that both steps see the same contact.
    const R way = last_ * steps.step() * R(1.0 / degree_);
    const auto rest = [&](int near, int next, const R& slope) {
      const Mask rests = (polynomial_[near] == R(0.0)) & ((polynomial_[next] == R(0.0)) | (slope == R(0.0)));
      polynomial_[next] = select(rests, slope, polynomial_[next]);
    };
    rest(0, 1, way * begin.v[c]);
    rest(degree_, degree_ - 1, -way * end.v[c]);
  }
  /// To its beginning up to `last_`, by de Casteljau's subdivision.
  void shorten_polynomial() {
    auto rest = polynomial_;
    for (int level = degree_; level >= 0; --level) {
      polynomial_[degree_ - level] = select(last_ < R(1.0), rest[0], polynomial_[degree_ - level]);
      for (int k = 0; k < level; ++k) rest[k] = fma(last_, rest[k + 1] - rest[k], rest[k]);
    }
  }

  /// Several roots or levels, contacts, a start that is on the section where it is no farther off than
  /// `start`.
  void meet_with_care(int slot, double smallest, double largest, double touch, double start,
                      Meeting& meeting) {
    const double first = angle_ ? std::ceil((smallest - touch) / turn) : 0;
    const double last = angle_ ? std::floor((largest + touch) / turn) : 0;
    if (!angle_ && (smallest > touch || largest < -touch)) return;
    Bernstein c;
    for (double m = first; m <= last; ++m) {
      for (int k = 0; k <= degree_; ++k) c[k] = numerics::lane(polynomial_[k], slot) - m * turn;
      int d = degree_;
      while (d > 0 && std::abs(c[0]) <= start) {
        // The start's root, or two of them where it rests there, are divided out; the others stay.
        for (int k = 0; k < d; ++k) c[k] = c[k + 1] * d / (k + 1);
        --d;
      }
      find_roots(c, d, touch, smooth_, roots_);
      meeting.contacts.insert(meeting.contacts.end(), roots_.contacts.begin(), roots_.contacts.end());
      for (const Root& root : roots_.crossings) {
        if (wanted(root.rising)) meeting.crossings.push_back(root.theta);
      }
    }
    // Where an angle falls it meets its levels the other way round.
    if (meeting.crossings.size() > 1 && meeting.crossings.front() > meeting.crossings.back())
      std::ranges::reverse(meeting.crossings);
    numerics::insertion_sort(meeting.crossings, [](double theta) { return theta; });
  }

  /// A general section along the steps, interpolated at Chebyshev points in Bernstein form.
  void interpolate_expression(Stepper& steps, const System& system, const State& end) {
    static const auto to_bernstein = bernstein_from_values();
    constexpr int d = integrators::max_degree;
    degree_ = d;
    std::array<R, d + 1> values;
    for (int k = 0; k <= d; ++k) {
      values[k] = distance(system, k == 0   ? steps.begin()
                                   : k == d ? end
                                            : steps.dense(last_ * R(chebyshev_point(k))));
    }
    for (int i = 0; i <= d; ++i) {
      R sum(0.0);
      for (int k = 0; k <= d; ++k) sum = fma(R(to_bernstein[i][k]), values[k], sum);
      polynomial_[i] = sum;
    }
    polynomial_[0] = values[0];
    polynomial_[d] = values[d];
  }

  double expression_at(const System& system, const State& x, const std::array<R, N>& p, int i) {
    fill_variables(system, x, p, i);
    return section_.expression->evaluate(variables_) - section_.value;
  }
  void fill_variables(const System& system, const State& x, const std::array<R, N>& p, int i) {
    for (int n = 0; n < N; ++n) {
      variables_[n] = numerics::lane(x.q[n], i);
      variables_[N + n] = numerics::lane(x.v[n], i);
      variables_[2 * N + n] = numerics::lane(p[n], i);
    }
    for (std::size_t k = 0; k < system.parameters().size(); ++k)
      variables_[3 * N + k] = numerics::lane(system.parameters()[k], i);
  }
  std::array<R, N> momenta(const System& system, const State& x) const {
    return momenta_needed_ ? system.momentum(x) : std::array<R, N>{};
  }

  Section section_;
  bool angle_ = false, momenta_needed_ = false;
  bool smooth_;  ///< whether a step goes on where the one before ends, without a kick
  const R round_off_{1e-13 * std::abs(section_.value)};  ///< of what is told apart from the section
  int degree_ = 0;
  R last_{1.0};  ///< where the steps looked at end, in parts of their lengths
  std::array<R, integrators::max_degree + 1> polynomial_;
  std::vector<double> variables_;  ///< of expressions
  Roots roots_;
};

}  // namespace cotangent::sections
