// Flight for one model: the lanes advance together, and what happens inside a step (crossings,
// samples, the end) is found on the step's polynomial, lane by lane, and handled in the order of time.
// A lane's record depends on its own start alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "integrators/stepper.hpp"
#include "sections/bernstein_roots.hpp"
#include "sections/problem.hpp"

namespace cotangent::sections {

template <class System>
class FlightOf final : public Flight {
  using R = typename System::Real;
  static constexpr int N = System::dim;
  static constexpr int W = numerics::width_of<R>;
  using Mask = numerics::mask_of<R>;
  using State = integrators::State<R, N>;

 public:
  FlightOf(std::unique_ptr<integrators::Stepper<System>> method, const Watch& watch, int lanes)
      : method_(std::move(method)), watch_(watch), lanes_(std::clamp(lanes, 1, W)) {
    if (watch_.section) {
      const auto& s = *watch_.section;
      wanted_ = watch_.section->coordinate;
      angle_ = wanted_ >= 0 && System::Model::coordinates[wanted_].angle;
      for (int n = 0; n < N; ++n) {
        momenta_needed_ |= s.expression && s.expression->depends_on(2 * N + n);
        momenta_needed_ |= s.condition && s.condition->depends_on(2 * N + n);
      }
    }
  }

  int lanes() const override { return lanes_; }
  bool free(int lane) const override { return record_[lane].id < 0; }
  Flown& flown(int lane) override { return record_[lane]; }
  void release(int lane) override { record_[lane] = Flown{}; }

  void load(int lane, const Start& start) override {
    State x = idle(lane, start);
    Mask only(false);
    numerics::set_lane(only, lane, true);
    method_->start(system_, x, only);
    auto& r = begin_record(lane, start);
    r.energy = numerics::lane(system_.energy(x.q, x.v, x.t), lane);
    const auto a = system_.acceleration(x.q, x.v, x.t);
    bool finite = std::isfinite(r.energy), regular = true;
    for (int n = 0; n < N; ++n) {
      finite = finite && std::isfinite(start.q[n]) && std::isfinite(start.v[n]);
      regular = regular && std::isfinite(numerics::lane(a[n], lane));
    }
    if (!finite) return land(lane, Status::non_finite);
    if (!regular || singular(x, lane)) return land(lane, Status::singular_mass_matrix);
    if (!(numerics::lane(system_.domain(x.q), lane) > 0)) return land(lane, Status::left_domain);
    numerics::set_lane(energy_, lane, r.energy);
    numerics::set_lane(energy_error_, lane, 0.0);
    if (watch_.sample_every > 0) sample(lane, x);
    fresh_[lane] = true;
    numerics::set_lane(active_, lane, true);
  }

  void advance(std::int64_t steps) override {
    for (std::int64_t k = 0; k < steps && any(active_); ++k) {
      if (step()) return;
    }
  }

  std::size_t state_size() const override { return method_->memory_size() + 8; }

  void save(int lane, std::span<double> state) const override {
    method_->save(lane, state.data());
    const auto& r = record_[lane];
    double* own = state.data() + method_->memory_size();
    own[0] = static_cast<double>(r.crossing_count);
    own[1] = static_cast<double>(r.sample_count);
    own[2] = static_cast<double>(r.grazing_count);
    own[3] = static_cast<double>(r.steps);
    own[4] = numerics::lane(energy_, lane);
    own[5] = numerics::lane(energy_error_, lane);
    own[6] = static_cast<double>(since_crossing_[lane]);
    own[7] = fresh_[lane] ? 1.0 : 0.0;
  }

  void restore(int lane, const Start& start, std::span<const double> state) override {
    idle(lane, start);
    method_->load(lane, state.data());
    method_->resume(system_);
    const double* own = state.data() + method_->memory_size();
    auto& r = begin_record(lane, start);
    r.crossing_count = static_cast<std::int64_t>(own[0]);
    r.sample_count = static_cast<std::int64_t>(own[1]);
    r.grazing_count = static_cast<std::int64_t>(own[2]);
    r.steps = static_cast<std::int64_t>(own[3]);
    r.energy = own[4];
    numerics::set_lane(energy_, lane, own[4]);
    numerics::set_lane(energy_error_, lane, own[5]);
    since_crossing_[lane] = static_cast<std::int64_t>(own[6]);
    fresh_[lane] = own[7] != 0;
    numerics::set_lane(active_, lane, true);
  }

 private:
  enum class Kind { crossing, sample, end };
  struct Event {
    double theta;
    Kind kind;
  };

  Flown& begin_record(int lane, const Start& start) {
    auto& r = record_[lane];
    r = Flown{};
    r.id = start.id;
    r.q = start.q;
    r.v = start.v;
    since_crossing_[lane] = 0;
    return r;
  }

  /// Puts the start into a lane of the system; lanes never used yet get it too, so that they hold numbers.
  State idle(int lane, const Start& start) {
    const bool first = !ready_;
    ready_ = true;
    for (int k = 0; k < System::parameter_count; ++k) {
      if (first) system_.parameters[k] = R(start.parameters[k]);
      numerics::set_lane(system_.parameters[k], lane, start.parameters[k]);
    }
    State x = first ? State{} : method_->end();
    for (int n = 0; n < N; ++n) {
      if (first) {
        x.q[n] = R(start.q[n]);
        x.v[n] = R(start.v[n]);
      }
      numerics::set_lane(x.q[n], lane, start.q[n]);
      numerics::set_lane(x.v[n], lane, start.v[n]);
    }
    numerics::set_lane(x.t, lane, 0.0);
    if (first) method_->start(system_, x, Mask(true));
    return x;
  }

  bool singular(const State& x, int lane) const {
    const auto h = system_.hessian(x.q, x.v, x.t).vv;
    double largest = 0;
    for (const auto& row : h) {
      for (const auto& entry : row) largest = std::max(largest, std::abs(numerics::lane(entry, lane)));
    }
    // A zero row or a solution beyond all proportion.
    for (int n = 0; n < N; ++n) {
      std::array<R, N> unit{};
      unit[n] = R(1.0);
      const auto column = numerics::solve<R, N>(h, unit);
      for (const auto& entry : column) {
        const double x_n = numerics::lane(entry, lane);
        if (!(std::abs(x_n) * largest < 1e14)) return true;
      }
    }
    return false;
  }

  void land(int lane, Status status) {
    auto& r = record_[lane];
    r.status = status;
    r.energy_error = numerics::lane(energy_error_, lane);
    numerics::set_lane(active_, lane, false);
    landed_ = true;
  }
  void land_at(int lane, Status status, const State& x) {
    auto& r = record_[lane];
    r.t = numerics::lane(x.t, lane);
    for (int n = 0; n < N; ++n) {
      r.q[n] = numerics::lane(x.q[n], lane);
      r.v[n] = numerics::lane(x.v[n], lane);
    }
    land(lane, status);
  }

  void sample(int lane, const State& x) {
    auto& r = record_[lane];
    r.samples.push_back(numerics::lane(x.t, lane));
    for (int n = 0; n < N; ++n) r.samples.push_back(numerics::lane(x.q[n], lane));
    for (int n = 0; n < N; ++n) r.samples.push_back(numerics::lane(x.v[n], lane));
    r.samples.push_back(numerics::lane(system_.energy(x.q, x.v, x.t), lane));
    ++r.sample_count;
  }

  /// One step of all lanes. True where one of them landed.
  bool step() {
    landed_ = false;
    const Mask took = method_->advance(system_, active_);
    const R failure = method_->failure();
    if (any(active_ & (failure != R(0.0)))) {
      for (int i = 0; i < lanes_; ++i) {
        if (numerics::lane(active_, i) && numerics::lane(failure, i) != 0) {
          land_at(i, static_cast<Status>(static_cast<int>(numerics::lane(failure, i))), method_->end());
        }
      }
    }
    const Mask flying = took & active_;
    const State end = method_->end();
    const R error = numerics::absolute(system_.energy(end.q, end.v, end.t) - energy_);
    const Mask bad = flying & !(error <= R(std::numeric_limits<double>::max()));
    if (any(bad)) {
      for (int i = 0; i < lanes_; ++i) {
        if (numerics::lane(bad, i)) land_at(i, Status::non_finite, method_->begin());
      }
    }
    const Mask good = flying & !bad;
    energy_error_ = select(good, numerics::larger(error, energy_error_), energy_error_);
    refined_ = false;
    for (int i = 0; i < lanes_; ++i) {
      if (numerics::lane(good, i)) {
        ++record_[i].steps;
        ++since_crossing_[i];
      }
    }
    events_in_step(good, end);
    return landed_;
  }

  void events_in_step(Mask good, const State& end) {
    bool some = false;
    for (auto& list : events_) list.clear();
    if (watch_.section) some |= find_crossings(good, end);
    for (int i = 0; i < lanes_; ++i) {
      if (!numerics::lane(good, i)) continue;
      const double t1 = numerics::lane(end.t, i), h = numerics::lane(method_->step(), i);
      const double t0 = numerics::lane(method_->begin_time(), i);
      if (watch_.sample_every > 0) {
        for (std::int64_t k = record_[i].sample_count;; ++k) {
          const double time = static_cast<double>(k) * watch_.sample_every;
          if (!(time <= t1) || time > watch_.stop.time) break;
          events_[i].push_back({std::clamp((time - t0) / h, 0.0, 1.0), Kind::sample});
          some = true;
        }
      }
      if (t1 >= watch_.stop.time) {
        events_[i].push_back({std::clamp((watch_.stop.time - t0) / h, 0.0, 1.0), Kind::end});
        some = true;
      }
    }
    if (some) handle_events(good);
    if constexpr (mechanics::has_domain<typename System::Model>) watch_domain(good & active_, end);
    if (watch_.section) {
      for (int i = 0; i < lanes_; ++i) {
        if (numerics::lane(good & active_, i) && since_crossing_[i] >= watch_.stop.patience) {
          land_at(i, Status::section_not_met, end);
        }
      }
    }
  }

  /// Ends lanes whose step left the model's domain, at the place where it did.
  void watch_domain(Mask good, const State& end) {
    const State begin = method_->begin();
    std::array<R, N> middle;
    for (int n = 0; n < N; ++n) {
      middle[n] = R(0.5) * (begin.q[n] + end.q[n]) + method_->step() * R(0.125) * (begin.v[n] - end.v[n]);
    }
    const Mask outside = good & ((system_.domain(end.q) <= R(0.0)) | (system_.domain(middle) <= R(0.0)));
    if (!any(outside)) return;
    R low(0.0), high = select(system_.domain(middle) <= R(0.0), R(0.5), R(1.0));
    for (int iteration = 0; iteration < 50; ++iteration) {
      const R theta = R(0.5) * (low + high);
      const Mask inside = system_.domain(method_->dense(theta).q) > R(0.0);
      low = select(inside, theta, low);
      high = select(inside, high, theta);
    }
    const State x = method_->dense(low);
    for (int i = 0; i < lanes_; ++i) {
      if (numerics::lane(outside, i)) land_at(i, Status::left_domain, x);
    }
  }

  /// Fills events_ with the section's crossings in this step; true where there are any.
  bool find_crossings(Mask good, const State& end) {
    const Section& section = *watch_.section;
    const int d = wanted_ >= 0 ? method_->degree() : integrators::max_degree;
    const R value(section.value);
    if (wanted_ >= 0) {
      method_->bernstein(wanted_, polynomial_.data());
      for (int k = 1; k < d; ++k) polynomial_[k] -= value;
      // The ends are the states' own numbers, so that one step ends where the next begins, to the bit.
      polynomial_[0] = method_->begin().q[wanted_] - value;
      polynomial_[d] = end.q[wanted_] - value;
    } else {
      interpolate_expression(end);
    }
    R smallest = polynomial_[0], largest = polynomial_[0];
    for (int k = 1; k <= d; ++k) {
      smallest = numerics::lesser(polynomial_[k], smallest);
      largest = numerics::larger(polynomial_[k], largest);
    }
    const R touch = R(1e-13) * numerics::larger(largest, -smallest);
    if (!angle_ && !any(good & (smallest <= touch) & (largest >= -touch))) {
      for (int i = 0; i < lanes_; ++i) fresh_[i] = fresh_[i] && !numerics::lane(good, i);
      return false;
    }
    bool some = false;
    for (int i = 0; i < lanes_; ++i) {
      if (!numerics::lane(good, i)) continue;
      const bool fresh = fresh_[i];
      fresh_[i] = false;
      const double low = numerics::lane(smallest, i), high = numerics::lane(largest, i);
      const double near = numerics::lane(touch, i);
      constexpr double turn = 2 * std::numbers::pi;
      const double first = angle_ ? std::ceil((low - near) / turn) : 0, last = angle_ ? std::floor((high + near) / turn) : 0;
      if (!angle_ && (low > near || high < -near)) continue;
      for (double m = first; m <= last; ++m) some |= roots_of_lane(i, d, m * turn, near, fresh);
      if (last > first) {
        std::sort(events_[i].begin(), events_[i].end(), [](auto& a, auto& b) { return a.theta < b.theta; });
      }
    }
    return some;
  }

  bool roots_of_lane(int i, int d, double level, double touch, bool fresh) {
    Bernstein& c = coefficients_[i];
    for (int k = 0; k <= d; ++k) c[k] = numerics::lane(polynomial_[k], i) - level;
    if (fresh && std::abs(c[0]) <= 1e2 * touch) {
      // The start lies on the section: its root is divided out, the others stay.
      Bernstein quotient{};
      for (int k = 0; k < d; ++k) quotient[k] = c[k + 1] * d / (k + 1);
      find_roots(quotient, d - 1, touch, roots_);
    } else {
      find_roots(c, d, touch, roots_);
    }
    record_[i].grazing_count += roots_.grazing;
    bool some = false;
    const int direction = watch_.section->direction;
    for (const Root& root : roots_.crossings) {
      if (direction != 0 && root.rising != (direction > 0)) continue;
      events_[i].push_back({root.theta, Kind::crossing});
      some = true;
    }
    return some;
  }

  double expression_at(const State& x, const std::array<R, N>& p, int i) {
    fill_variables(x, p, i);
    return watch_.section->expression->evaluate(variables_) - watch_.section->value;
  }
  void fill_variables(const State& x, const std::array<R, N>& p, int i) {
    for (int n = 0; n < N; ++n) {
      variables_[n] = numerics::lane(x.q[n], i);
      variables_[N + n] = numerics::lane(x.v[n], i);
      variables_[2 * N + n] = numerics::lane(p[n], i);
    }
    for (int k = 0; k < System::parameter_count; ++k) {
      variables_[3 * N + k] = numerics::lane(system_.parameters[k], i);
    }
  }
  std::array<R, N> momenta(const State& x) const {
    return momenta_needed_ ? system_.momentum(x.q, x.v, x.t) : std::array<R, N>{};
  }

  /// A general section along the step, interpolated at Chebyshev points in Bernstein form.
  void interpolate_expression(const State& end) {
    static const auto to_bernstein = bernstein_from_values();
    constexpr int d = integrators::max_degree;
    refine();
    std::array<R, d + 1> values;
    for (int k = 0; k <= d; ++k) {
      const State x = k == 0 ? method_->begin() : k == d ? end : method_->dense(R(chebyshev_point(k)));
      const auto p = momenta(x);
      for (int i = 0; i < lanes_; ++i) numerics::set_lane(values[k], i, expression_at(x, p, i));
    }
    for (int i = 0; i <= d; ++i) {
      R sum(0.0);
      for (int k = 0; k <= d; ++k) sum = fma(R(to_bernstein[i][k]), values[k], sum);
      polynomial_[i] = sum;
    }
    polynomial_[0] = values[0];
    polynomial_[d] = values[d];
  }

  void refine() {
    if (refined_) return;
    refined_ = true;
    method_->refine(system_);
    exact_ = method_->dense_is_exact();
  }

  State state_at(const R& theta, Mask lanes) {
    const Mask again = lanes & !exact_;
    if (!any(again)) return method_->dense(theta);
    const State x = method_->again(system_, theta, again);
    return any(lanes & exact_) ? select(exact_, method_->dense(theta), x) : x;
  }

  /// Brings the lanes' states onto the section: Newton's method in theta, each iterate a state of the method.
  State onto_section(R& theta, Mask lanes) {
    State x = state_at(theta, lanes);
    const bool linear = wanted_ >= 0;
    if (linear && all((!lanes) | exact_)) return x;
    Mask open = lanes;
    for (int iteration = 0; iteration < 8 && any(open); ++iteration) {
      const auto p = momenta(x);
      for (int i = 0; i < lanes_; ++i) {
        if (!numerics::lane(open, i)) continue;
        const double at = numerics::lane(theta, i), h = numerics::lane(method_->step(), i);
        const double s = linear ? wrapped(numerics::lane(x.q[wanted_], i) - watch_.section->value) : expression_at(x, p, i);
        const double rate = linear ? h * numerics::lane(x.v[wanted_], i) : slope(coefficients_[i], integrators::max_degree, at);
        const double change = rate != 0 ? -s / rate : 0.0;
        const double next = std::clamp(at + change, 0.0, 1.0);
        if (!(std::abs(change) > 0x1p-50) || next == at) {
          numerics::set_lane(open, i, false);
        } else {
          numerics::set_lane(theta, i, next);
        }
      }
      if (any(open)) x = select(open, state_at(theta, open), x);
    }
    return x;
  }
  double wrapped(double s) const {
    return angle_ ? std::remainder(s, 2 * std::numbers::pi) : s;
  }

  void handle_events(Mask good) {
    for (int i = 0; i < lanes_; ++i) {
      if (numerics::lane(good, i)) {
        std::stable_sort(events_[i].begin(), events_[i].end(),
                         [](const Event& a, const Event& b) { return a.theta < b.theta; });
      }
    }
    refine();
    for (std::size_t round = 0;; ++round) {
      Mask crossing(false), other(false);
      R theta(0.0);
      for (int i = 0; i < lanes_; ++i) {
        if (!numerics::lane(good & active_, i) || round >= events_[i].size()) continue;
        numerics::set_lane(theta, i, events_[i][round].theta);
        numerics::set_lane(events_[i][round].kind == Kind::crossing ? crossing : other, i, true);
      }
      if (!any(crossing | other)) return;
      State x{};
      if (any(crossing)) x = onto_section(theta, crossing);
      if (any(other)) {
        const State y = state_at(theta, other);
        x = any(crossing) ? select(other, y, x) : y;
      }
      const auto p = momenta(x);
      for (int i = 0; i < lanes_; ++i) {
        if (!numerics::lane(crossing | other, i)) continue;
        switch (events_[i][round].kind) {
          case Kind::sample: sample(i, x); break;
          case Kind::end:
            land_at(i, watch_.section && watch_.stop.crossings > 0 ? Status::time_limit : Status::finished, x);
            break;
          case Kind::crossing: record_crossing(i, x, p); break;
        }
      }
    }
  }

  void record_crossing(int i, const State& x, const std::array<R, N>& p) {
    if (watch_.section->condition) {
      fill_variables(x, p, i);
      if (!watch_.section->condition->holds(variables_)) return;
    }
    auto& r = record_[i];
    r.crossings.push_back(numerics::lane(x.t, i));
    for (int n = 0; n < N; ++n) r.crossings.push_back(numerics::lane(x.q[n], i));
    for (int n = 0; n < N; ++n) r.crossings.push_back(numerics::lane(x.v[n], i));
    ++r.crossing_count;
    since_crossing_[i] = 0;
    if (watch_.stop.crossings > 0 && r.crossing_count >= watch_.stop.crossings) land_at(i, Status::finished, x);
  }

  System system_;
  std::unique_ptr<integrators::Stepper<System>> method_;
  Watch watch_;
  int lanes_, wanted_ = -1;
  bool angle_ = false, momenta_needed_ = false, ready_ = false, landed_ = false, refined_ = false;
  Mask active_{false}, exact_{false};
  R energy_{0.0}, energy_error_{0.0};
  std::array<Flown, W> record_;
  std::array<std::int64_t, W> since_crossing_{};
  std::array<bool, W> fresh_{};
  std::array<std::vector<Event>, W> events_;
  std::array<Bernstein, W> coefficients_;
  std::array<R, integrators::max_degree + 1> polynomial_;
  std::array<double, 3 * N + System::parameter_count> variables_;
  Roots roots_;
};

}  // namespace cotangent::sections
