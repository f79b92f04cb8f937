// SPDX-License-Identifier: BSD-3-Clause
// TrajectoryBatch for any model of N coordinates: the lanes advance together; steps in which something may
// happen go to a queue, and what did happen comes back from it a little later, when its trajectory may have
// flown a few steps too many. A lane's record depends on its own start alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "sections/deviation_frame.hpp"
#include "sections/deviations.hpp"
#include "sections/event_queue.hpp"
#include "sections/flight_state.hpp"
#include "sections/regularity.hpp"

namespace cotangent::sections {

template <class R, int N>
class TrajectoryBatchOf final : public TrajectoryBatch {
  static constexpr int W = numerics::width_of<R>;
  using Mask = numerics::mask_of<R>;
  using State = integrators::State<R, N>;
  using System = integrators::AnySystem<R, N>;
  using Stepper = integrators::Stepper<R, N>;
  using Queue = EventQueue<R, N>;

 public:
  /// Both steppers are of the same method and options.
  TrajectoryBatchOf(std::unique_ptr<System> system, std::unique_ptr<Stepper> method,
                    std::unique_ptr<Stepper> method_inside, const Observation& watch, int lanes)
      : system_(std::move(system)),
        method_(std::move(method)),
        queue_(system_->copy(), std::move(method_inside), watch),
        watch_(watch),
        lanes_(std::clamp(lanes, 1, W)) {
    if (!watch.growth) return;
    if (!method_->has_tangent()) throw Error("the method has no tangent map with these options");
    deviations_.emplace(*watch.growth);
  }

  int lanes() const override { return lanes_; }
  bool free(int lane) const override { return record_[lane].id < 0; }
  TrajectoryRecord& flown(int lane) override { return record_[lane]; }
  void release(int lane) override { record_[lane].begin({}); }

  void load(int lane, const Start& start) override {
    State x = idle(lane, start);
    Mask only(false);
    numerics::set_lane(only, lane, true);
    method_->start(*system_, x, only);
    auto& r = record_[lane];
    r.begin(start);
    if (deviations_ && multipliers_ == 0) deviations_->begin(lane, start.id);
    if (deviations_ && multipliers_ > 0)
      deviations_->begin(lane, start.id, [&](auto& deviation) { system_->make_tangent(x, deviation); });
    r.energy = numerics::lane(system_->energy(x), lane);
    const auto a = system_->acceleration(x);
    bool finite = std::isfinite(r.energy), regular = true;
    for (int n = 0; n < N; ++n) {
      finite = finite && std::isfinite(start.q[n]) && std::isfinite(start.v[n]);
      regular = regular && std::isfinite(numerics::lane(a[n], lane));
    }
    if (!finite) return land(lane, Status::non_finite);
    if (dependent_constraints(*system_, x, lane)) return land(lane, Status::singular_constraint);
    if (!regular || singular_mass_matrix(*system_, x, lane)) return land(lane, Status::singular_mass_matrix);
    if (!(numerics::lane(system_->domain(x.q), lane) > 0)) return land(lane, Status::left_domain);
    flight_.begin(lane, r);
    if (watch_.sample_every > 0) r.add_sample(0.0, start.q, start.v, r.energy, given(multipliers(lane, x)));
    take_up(lane, 0.0);
  }

  void advance(std::int64_t steps) override {
    landed_ = false;
    while (steps > 0 && any(active_) && !landed_) steps -= step(steps);
    resolve_events();
    for (int i = 0; i < lanes_; ++i) {
      if (numerics::lane(active_, i))
        record_[i].steps = static_cast<std::int64_t>(numerics::lane(flight_.track.steps, i));
    }
  }

  std::size_t state_size() const override {
    return method_->memory_size() + FlightState<R>::size(works_) +
           (deviations_ ? deviations_->state_size() : 0);
  }

  void save(int lane, std::span<double> state) const override {
    method_->save(lane, state.data());
    double* const own = state.data() + method_->memory_size();
    flight_.save(lane, record_[lane], works_, own);
    if (deviations_) deviations_->save(lane, own + FlightState<R>::size(works_));
  }

  void restore(int lane, const Start& start, std::span<const double> state) override {
    idle(lane, start);
    method_->load(lane, state.data());
    method_->resume(*system_);
    const double* const own = state.data() + method_->memory_size();
    record_[lane].begin(start);
    flight_.restore(lane, own, works_, record_[lane]);
    if (deviations_) deviations_->restore(lane, own + FlightState<R>::size(works_));
    take_up(lane, numerics::lane(method_->end().t, lane));
  }

 private:
  /// Lets a lane fly that has come so far.
  void take_up(int lane, double t) {
    timetable_.begin(*system_, lane, t, record_[lane].sample_count);
    plan_look(lane);
    numerics::set_lane(active_, lane, true);
  }

  /// Puts the start into a lane of the system; lanes never used yet get it too, so that they hold numbers.
  State idle(int lane, const Start& start) {
    const bool first = !ready_;
    ready_ = true;
    const auto parameters = system_->parameters();
    for (std::size_t k = 0; k < std::min(parameters.size(), start.parameters.size()); ++k) {
      if (first) parameters[k] = R(start.parameters[k]);
      numerics::set_lane(parameters[k], lane, start.parameters[k]);
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
    if (first) {
      method_->start(*system_, x, Mask(true));
      queue_.begin(*system_, x);
    }
    return x;
  }

  void land(int lane, Status status) {
    auto& r = record_[lane];
    r.status = status;
    if (deviations_) deviations_->finish(lane, r.tallies);
    numerics::set_lane(active_, lane, false);
    landed_ = true;
  }
  /// At a state, after so many steps with so large an error of the energy.
  void land_at(int lane, Status status, const State& x) {
    auto& r = record_[lane];
    r.steps = static_cast<std::int64_t>(numerics::lane(flight_.track.steps, lane));
    r.energy_error = numerics::lane(flight_.track.energy_error, lane);
    r.constraint_error = std::sqrt(numerics::lane(flight_.track.constraint_error_squared, lane));
    r.t = numerics::lane(x.t, lane);
    for (int n = 0; n < N; ++n) {
      r.q[n] = numerics::lane(x.q[n], lane);
      r.v[n] = numerics::lane(x.v[n], lane);
    }
    land(lane, status);
  }

  using Multipliers = std::array<double, N>;  ///< as many as there are, then zeros
  Multipliers multipliers(int lane, const State& x) const {
    Multipliers result{};
    if (multipliers_ > 0) {
      const auto lambda = system_->multiplier(x);
      for (int k = 0; k < multipliers_; ++k) result[k] = numerics::lane(lambda[k], lane);
    }
    return result;
  }

  std::span<const double> given(const Multipliers& lambda) const {
    return std::span(lambda).first(static_cast<std::size_t>(multipliers_));
  }

  /// One step of all lanes, or as many as nothing happens in, at most so many; returns how many.
  std::int64_t step(std::int64_t most) {
    const auto passed =
        method_->pass(*system_, active_, timetable_.next(), flight_.track, looks_at_each_step_ ? 1 : most);
    const Mask took = passed.took;
    R t = passed.t, energy = passed.energy, part(1.0);
    State end;  // where more of it is asked for than that
    if (asks_for_end_) end = method_->end();
    Mask kicked(false);
    if (kicked_) {
      kicked = cut_at_kicks(took & active_, end, part);
      t = end.t;
      energy = system_->energy(end);
    }
    R gained = energy - flight_.track.energy;
    if (works_) {
      auto work = flight_.work;
      if (system_->kind().driven) work.add(method_->work(*system_, part));
      flight_.work = numerics::select(took & active_, work, flight_.work);
      gained = (gained - flight_.work.value) - flight_.work.low;
    }
    const R error = numerics::absolute(gained);
    Mask fine = took & (error <= R(std::numeric_limits<double>::max()));
    if (counts_turns_) fine = fine & queue_.section()->countable(*method_, method_->end());
    Mask listed = fine;
    if (has_ticks_) listed = fine & timetable_.can_list(method_->begin_time(), t);
    if (any(active_ & !listed)) land_failed(took, fine, listed, asks_for_end_ ? end : method_->end());
    const Mask good = listed & active_;
    flight_.track.energy_error =
        select(good, numerics::larger(error, flight_.track.energy_error), flight_.track.energy_error);
    // Rarely does an error grow beyond all before: only then is it computed.
    if (multipliers_ > 0 && any(good & passed.farther)) {
      const R off = method_->constraint_error_squared(*system_);
      flight_.track.constraint_error_squared =
          select(good, numerics::larger(off, flight_.track.constraint_error_squared),
                 flight_.track.constraint_error_squared);
    }
    flight_.track.steps += select(good, R(1.0), R(0.0));
    if (deviations_ || kicked_) {
      State behind = end;
      if (any(kicked)) behind.v = system_->kicked_velocity(end);
      if (deviations_) follow_deviations(good, part, kicked & good, end, behind);
      watch_step(good, t, end, part);
      if (any(kicked & good)) kick(kicked & good, end, behind);
    } else {
      watch_step(good, t, end, part);
    }
    if (may_miss_) {
      const auto lost = [&] {
        return good & active_ & (flight_.track.steps - flight_.last_crossing >= patience_);
      };
      if (any(lost())) {
        resolve_events();
        const State there = asks_for_end_ ? end : method_->end();
        numerics::for_lanes(lost(), [&](int i) { land_at(i, Status::section_not_met, there); });
      }
    }
    if (deviations_ && watch_.stop.decided && any(good & active_ & (flight_.track.steps >= next_look_)))
      land_decided(end);
    return passed.steps;
  }

  /// Takes deviations over the first `part` of a step, and those of kicked lanes over the kick at its end.
  /// What round-off leaves of them beside what constraints and rolling allow is taken out: else it wouldn't
  /// shrink as they do, and in the end stand in for those that shrink.
  void follow_deviations(Mask good, const R& part, Mask kicked, const State& end, const State& behind) {
    const auto move = [&](std::vector<integrators::Deviation<R, N>>& frame) {
      method_->tangent(*system_, part, good, frame.data(), static_cast<int>(frame.size()));
      if (any(kicked)) {
        auto fresh = frame;
        sections::kick<R, N>(*system_, end, behind, method_->momenta(), fresh);
        for (std::size_t k = 0; k < frame.size(); ++k)
          frame[k] = integrators::select_reals<R>(kicked, fresh[k], frame[k]);
      }
      if (stays_tangent_) return;
      for (auto& d : frame) {
        auto tangent = d;
        system_->make_tangent(behind, tangent);
        d = integrators::select_reals<R>(good, tangent, d);
      }
    };
    deviations_->follow(good, method_->begin_time(), part * method_->step(), move);
  }

  /// Lanes whose deviations tell enough; after every so many of their own steps one looks.
  [[gnu::noinline, gnu::cold]] void land_decided(const State& end) {
    numerics::for_lanes(active_ & (flight_.track.steps >= next_look_), [&](int i) {
      plan_look(i);
      if (!deviations_->decided(i)) return;
      resolve_events();
      if (numerics::lane(active_, i)) land_at(i, Status::decided, end);
    });
  }
  void plan_look(int lane) {
    constexpr double between = 64;
    const double steps = numerics::lane(flight_.track.steps, lane);
    numerics::set_lane(next_look_, lane, between * (std::floor(steps / between) + 1));
  }

  /// Lanes whose step reaches a kick end there instead, in the state just before it, by the method's own step
  /// of that length; `part` is what they flew of it.
  Mask cut_at_kicks(Mask took, State& end, R& part) {
    const Mask due = took & (end.t >= timetable_.next_kick());
    if (any(due)) {
      const R theta = (timetable_.next_kick() - method_->begin_time()) / method_->step();
      part = select(due, numerics::lesser(theta, R(1.0)), R(1.0));
      State x = method_->again(*system_, part, due);
      x.t = timetable_.next_kick();
      end = select(due, x, end);
    }
    return due;
  }

  /// Kicks lanes that have come to it: they begin anew behind the kick, and what it did to their energy is no
  /// error.
  void kick(Mask kicked, const State& end, const State& behind) {
    auto work = flight_.work;
    work.add(system_->energy(behind) - system_->energy(end));
    flight_.work = numerics::select(kicked, work, flight_.work);
    method_->start(*system_, behind, kicked);
    numerics::for_lanes(kicked, [&](int i) { timetable_.plan_kick(i, numerics::lane(end.t, i)); });
  }

  /// Lanes whose step failed, or led to no number, or holds more than can be listed.
  [[gnu::noinline, gnu::cold]] void land_failed(Mask took, Mask fine, Mask listed, const State& end) {
    const R failure = method_->failure();
    const Mask failed = active_ & !took & (failure != R(0.0));
    if (any(failed)) {
      resolve_events();
      numerics::for_lanes(failed & active_, [&](int i) {
        auto status = static_cast<Status>(static_cast<int>(numerics::lane(failure, i)));
        if (dependent_constraints(*system_, end, i)) status = Status::singular_constraint;
        land_at(i, status, end);
      });
    }
    const Mask bad = active_ & took & !listed;
    if (any(bad)) {
      resolve_events();
      numerics::for_lanes(bad & active_, [&](int i) {
        const bool finite = numerics::lane(fine, i);
        land_at(i, finite ? Status::crowded_step : Status::non_finite, method_->begin());
      });
    }
  }

  /// Puts the steps in which something may happen into the queue, of which a part was flown.
  void watch_step(Mask good, const R& t, const State& end, const R& part) {
    const Mask ended_outside = good & outside(end.q), leaves = ended_outside | (good & passes_outside(end));
    Mask some = leaves | (good & (t >= timetable_.next()));
    if (queue_.section() && !watch_.section->strobe)
      some = some | (good & (flight_.fresh | queue_.section()->suspects(*method_, method_->end())));
    if (!any(some)) {
      flight_.fresh = flight_.fresh & !good;
      return;
    }
    bool at_once = any(leaves | (good & (t >= R(watch_.stop.time))));
    R most_crossings(0.0);
    if (queue_.section() && !watch_.section->strobe)
      most_crossings = queue_.section()->most_crossings(*method_, method_->end());
    numerics::for_lanes(some & active_, [&](int i) {
      QueuedStep step{
          .lane = i,
          .fresh = numerics::lane(flight_.fresh, i),
          .leaves = numerics::lane(leaves, i),
          .ended_outside = numerics::lane(ended_outside, i),
          .until = numerics::lane(t, i),
          .part = numerics::lane(part, i),
          .steps = numerics::lane(flight_.track.steps, i),
          .energy_error = numerics::lane(flight_.track.energy_error, i),
          .constraint_error = std::sqrt(numerics::lane(flight_.track.constraint_error_squared, i))};
      step.most_crossings = static_cast<std::int64_t>(numerics::lane(most_crossings, i));
      step.due = timetable_.take(i, step.until);
      queue_.push(*method_, *system_, step, end);
      // Deviations may not go on beyond the step with the last crossing; and steps that turn an angle many
      // times are looked at before they are more than were asked for.
      at_once |= (deviations_ || counts_turns_) && watch_.stop.crossings > 0 &&
                 record_[i].crossing_count + queue_.most_crossings(i) >= watch_.stop.crossings;
      if (queue_.full()) resolve_events();
    });
    flight_.fresh = flight_.fresh & !good;
    if (at_once) resolve_events();
  }

  /// Lanes that are out of the model's domain.
  Mask outside(const std::array<R, N>& q) const {
    return system_->kind().bounded ? !(system_->domain(q) > R(0.0)) : Mask(false);
  }
  /// Lanes that are so, by a cubic, in the middle of their step: the step's own polynomial decides
  /// (EventQueue). What leaves and comes back within half a step is missed.
  Mask passes_outside(const State& end) const {
    if (system_->kind().bounded) {
      const State begin = method_->begin();
      const R step = kicked_ ? end.t - begin.t : method_->step();
      std::array<R, N> middle;
      for (int n = 0; n < N; ++n) {
        middle[n] = R(0.5) * (begin.q[n] + end.q[n]) + step * R(0.125) * (begin.v[n] - end.v[n]);
      }
      return outside(middle);
    } else {
      return Mask(false);
    }
  }

  /// Empties the queue into the records.
  void resolve_events() {
    queue_.resolve([&](const QueuedStep& step, const typename Queue::Event& event) {
      if (numerics::lane(active_, step.lane)) happen(step, event);
    });
  }

  void happen(const QueuedStep& step, const typename Queue::Event& event) {
    const int lane = step.lane;
    auto& r = record_[lane];
    const auto stop = [&](Status status) {
      r.steps = static_cast<std::int64_t>(step.steps);
      r.energy_error = step.energy_error;
      r.constraint_error = step.constraint_error;
      r.t = event.x.t;
      r.q.assign(event.x.q.begin(), event.x.q.end());
      r.v.assign(event.x.v.begin(), event.x.v.end());
      land(lane, status);
    };
    switch (event.kind) {
      case Queue::Kind::contact:
        ++r.grazing_count;
        return;
      case Queue::Kind::sample:
        return r.add_sample(event.x.t, event.x.q, event.x.v, event.energy, given(event.multiplier));
      case Queue::Kind::exit:
        return stop(Status::left_domain);
      case Queue::Kind::end:
        return stop(watch_.section && watch_.stop.crossings > 0 ? Status::time_limit : Status::finished);
      case Queue::Kind::crossing:
      case Queue::Kind::strobe:
        r.add_crossing(event.x.t, event.x.q, event.x.v);
        numerics::set_lane(flight_.last_crossing, lane, step.steps);
        if (watch_.stop.crossings > 0 && r.crossing_count >= watch_.stop.crossings) stop(Status::finished);
    }
  }

  std::unique_ptr<System> system_;
  const bool kicked_ = system_->kind().kicked;
  const bool works_ = system_->kind().driven || kicked_;  ///< the energy isn't kept
  const int multipliers_ = system_->kind().multipliers;
  std::unique_ptr<Stepper> method_;
  const bool stays_tangent_ = method_->stays_tangent();
  std::optional<DeviationFrame<R, N>> deviations_;
  Queue queue_;
  Observation watch_;
  /// Whether each step's end is asked for, beyond its time and energy.
  const bool asks_for_end_ = kicked_ || watch_.growth || system_->kind().bounded;
  const bool looks_at_each_step_ = asks_for_end_ || works_ || watch_.section;
  /// Whether a step may meet the section many times: on the levels of an angle.
  const bool counts_turns_ = queue_.section() && !watch_.section->strobe && queue_.section()->on_angle();
  /// Whether a trajectory may never meet the section. A strobe is sure to come.
  const bool may_miss_ = watch_.section && (!watch_.section->strobe || watch_.section->condition);
  const bool has_ticks_ = watch_.sample_every > 0 || (watch_.section && watch_.section->strobe);
  Timetable<R> timetable_{watch_};
  int lanes_;
  bool ready_ = false, landed_ = false;
  const R patience_{static_cast<double>(watch_.stop.patience)};
  Mask active_{false};
  FlightState<R> flight_;
  R next_look_{0.0};  ///< whether the growth is decided, in steps
  std::array<TrajectoryRecord, W> record_;
};

/// Both steppers are of the same method and options.
template <class R, int N>
std::unique_ptr<TrajectoryBatch> make_trajectory_batch(
    std::unique_ptr<integrators::AnySystem<R, N>> system, std::unique_ptr<integrators::Stepper<R, N>> method,
    std::unique_ptr<integrators::Stepper<R, N>> method_inside, const Observation& watch, int lanes) {
  return std::make_unique<TrajectoryBatchOf<R, N>>(std::move(system), std::move(method),
                                                   std::move(method_inside), watch, lanes);
}

}  // namespace cotangent::sections
