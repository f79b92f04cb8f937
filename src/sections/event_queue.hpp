// SPDX-License-Identifier: BSD-3-Clause
// What happens inside steps: crossings, samples, the end, the way out of the domain. Steps in which something
// may happen are taken out of the lanes that flew them and wait here, to be worked on a full pack at a time;
// what comes out is in the order of each trajectory's time and depends on its own step alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "numerics/insertion_sort.hpp"
#include "sections/section_of.hpp"
#include "sections/timetable.hpp"

namespace cotangent::sections {

/// A step that waits, with what its trajectory's record needs to know.
struct QueuedStep {
  int lane = 0;
  bool fresh = false;                  ///< begins where the trajectory does
  bool leaves = false;                 ///< the model's domain, somewhere, as it seems
  bool ended_outside = false;          ///< of it
  double until = 0;                    ///< its end, or the kick that cuts it short
  double part = 1;                     ///< of its length up to there
  std::int64_t most_crossings = 0;     ///< of a surface, that there may be in it
  DueInStep due{};                     ///< what comes at times in it
  double steps = 0, energy_error = 0;  ///< of the trajectory, this step included
  double constraint_error = 0;
};

template <class R, int N>
class EventQueue {
  static constexpr int W = numerics::width_of<R>;
  using Mask = numerics::mask_of<R>;
  using State = integrators::State<R, N>;
  using System = integrators::AnySystem<R, N>;
  using Stepper = integrators::Stepper<R, N>;

 public:
  enum class Kind { crossing, contact, strobe, sample, end, exit };
  struct Event {
    Kind kind;
    double theta;
    integrators::State<double, N> x;
    double energy;                     ///< of samples
    std::array<double, N> multiplier;  ///< as many as there are, then zeros
    bool counted;                      ///< false for a crossing that fails the section's condition
    double due;                        ///< the time of what happens at a time
  };

  /// For steps of a method, and a system of their own.
  EventQueue(std::unique_ptr<System> system, std::unique_ptr<Stepper> steps, const Observation& watch)
      : system_(std::move(system)), steps_(std::move(steps)), watch_(watch) {
    if (watch.section) section_.emplace(*watch.section, *system_);
    strobes_ = watch.section && watch.section->strobe;
  }

  /// Gives all slots numbers to hold.
  void begin(const System& system, const State& x) {
    std::ranges::copy(system.parameters(), system_->parameters().begin());
    steps_->start(*system_, x, Mask(true));
  }

  bool full() const { return size_ == W; }
  /// How many crossings there may be in the steps of a lane that wait.
  std::int64_t most_crossings(int lane) const {
    std::int64_t most = 0;
    for (int i = 0; i < size_; ++i) {
      if (queued_[i].lane != lane) continue;
      most += strobes_ ? queued_[i].due.strobe_end - queued_[i].due.first_strobe : queued_[i].most_crossings;
    }
    return most;
  }
  const std::optional<SectionOf<R, N>>& section() const { return section_; }

  /// Takes over a lane's last step; of a kicked system the state, too, in which it ended.
  void push(const Stepper& method, const System& system, const QueuedStep& step, const State& end) {
    if (system_->kind().kicked) integrators::copy_lane<R>(end, step.lane, ends_, size_);
    steps_->take(size_, method, step.lane);
    const auto from = system.parameters();
    if (!from.empty())
      integrators::copy_lane<R>(from.front(), step.lane, system_->parameters().front(), size_, from.size());
    queued_[size_++] = step;
  }

  /// Works on all that wait: for each step in order happen(step, event) for its events in the order of time.
  template <class Happen>
  void resolve(const Happen& happen) {
    if (size_ == 0) return;
    steps_->refine(*system_);
    exact_ = steps_->dense_is_exact();
    list_events();
    std::size_t rounds = 0;
    for (int i = 0; i < size_; ++i) rounds = std::max(rounds, events_[i].size());
    for (std::size_t round = 0; round < rounds; ++round) locate(round);
    for (int i = 0; i < size_; ++i) {
      for (const Event& event : events_[i]) {
        if (event.counted) happen(queued_[i], event);
      }
    }
    size_ = 0;
  }

 private:
  /// Whether the section is a surface that steps meet.
  bool met() const { return section_ && !strobes_; }

  void list_events() {
    const R begin = steps_->begin_time(), h = steps_->step();
    const auto theta_in = [&](int i, double time) {
      return std::clamp((time - numerics::lane(begin, i)) / numerics::lane(h, i), 0.0, 1.0);
    };
    R last_of(1.0);
    for (int i = 0; i < size_; ++i) numerics::set_lane(last_of, i, queued_[i].part);
    if (met()) {
      Mask fresh(false);
      for (int i = 0; i < size_; ++i) numerics::set_lane(fresh, i, queued_[i].fresh);
      const State end = system_->kind().kicked ? ends_ : steps_->end();
      section_->meet(*steps_, *system_, size_, fresh, last_of, end, meetings_);
    }
    const R exit = way_out(last_of);
    for (int i = 0; i < size_; ++i) {
      auto& events = events_[i];
      events.clear();
      const auto theta_of = [&](double time) { return theta_in(i, time); };
      const double last = numerics::lane(last_of, i);
      const auto put = [&](Kind kind, double theta, double due = 0.0) {
        if (theta <= last) events.push_back({kind, theta, {}, 0.0, {}, true, due});
      };
      const auto put_time = [&](Kind kind, double time) { put(kind, theta_of(time), time); };
      if (met()) {
        for (const double theta : meetings_[i].crossings) put(Kind::crossing, theta);
        for (const double theta : meetings_[i].contacts) put(Kind::contact, theta);
      }
      for (std::int64_t k = queued_[i].due.first_strobe; k < queued_[i].due.strobe_end; ++k) {
        put_time(Kind::strobe, queued_[i].due.strobe[k]);
      }
      for (std::int64_t k = queued_[i].due.first_sample; k < queued_[i].due.sample_end; ++k) {
        put_time(Kind::sample, static_cast<double>(k) * watch_.sample_every);
      }
      if (queued_[i].until >= watch_.stop.time) put_time(Kind::end, watch_.stop.time);
      if (queued_[i].leaves) put(Kind::exit, numerics::lane(exit, i));
      // Of few, as nearly all steps have, and of many.
      if (events.size() <= 64)
        numerics::insertion_sort(events, [](const Event& event) { return event.theta; });
      else
        std::ranges::stable_sort(events, {}, &Event::theta);
    }
  }

  /// Where steps that end at `last` leave the model's domain, by bisection: the last place inside. More than
  /// that where they end inside and their own polynomial's middle is inside, too: what suspected them was a
  /// cubic, which is less accurate.
  R way_out(const R& last) {
    R low(0.0), high = last;
    if (system_->kind().bounded) {
      Mask leaves(false);
      Mask ended_outside(false);
      for (int i = 0; i < size_; ++i) {
        numerics::set_lane(leaves, i, queued_[i].leaves);
        numerics::set_lane(ended_outside, i, queued_[i].ended_outside);
      }
      if (!any(leaves)) return low;
      const auto inside = [&](const R& theta) { return system_->domain(steps_->dense(theta).q) > R(0.0); };
      const Mask first_half = !inside(R(0.5) * last), leaves_at_all = first_half | ended_outside;
      high = select(first_half, R(0.5) * last, high);
      for (int iteration = 0; iteration < 52; ++iteration) {
        const R middle = R(0.5) * (low + high);
        const Mask is_inside = inside(middle);
        low = select(is_inside, middle, low);
        high = select(is_inside, high, middle);
      }
      low = select(leaves_at_all, low, R(2.0));
    }
    return low;
  }

  /// Fills in the states of the round-th events of all slots. Of contacts none is asked for.
  void locate(std::size_t round) {
    Mask crossing(false), strobe(false), other(false);
    bool sampled = false;
    R theta(0.0);
    for (int i = 0; i < size_; ++i) {
      if (round >= events_[i].size()) continue;
      const Event& event = events_[i][round];
      if (event.kind == Kind::contact) continue;
      numerics::set_lane(theta, i, event.theta);
      numerics::set_lane(event.kind == Kind::crossing ? crossing : other, i, true);
      numerics::set_lane(strobe, i, event.kind == Kind::strobe);
      sampled |= event.kind == Kind::sample;
    }
    if (!any(crossing | other)) return;
    State x{};
    Mask counted(false);
    if (any(crossing)) {
      x = onto_section(theta, crossing);
      counted = section_->counted(*system_, x, crossing);
    }
    if (any(other)) x = select(other, state_at(theta, other), x);
    if (any(strobe)) counted = counted | section_->counted(*system_, x, strobe);
    const R energy = sampled ? system_->energy(x) : R(0.0);
    const int multipliers = system_->kind().multipliers;
    std::array<R, N> multiplier{};
    if (sampled && multipliers > 0) multiplier = system_->multiplier(x);
    for (int i = 0; i < size_; ++i) {
      if (round >= events_[i].size()) continue;
      Event& event = events_[i][round];
      event.x.t = event.kind == Kind::strobe ? event.due : numerics::lane(x.t, i);
      for (int n = 0; n < N; ++n) {
        event.x.q[n] = numerics::lane(x.q[n], i);
        event.x.v[n] = numerics::lane(x.v[n], i);
      }
      event.energy = numerics::lane(energy, i);
      for (int k = 0; k < multipliers; ++k) {
        event.multiplier[k] = numerics::lane(multiplier[k], i);
      }
      const bool on_section = event.kind == Kind::crossing || event.kind == Kind::strobe;
      event.counted = !on_section || numerics::lane(counted, i);
    }
  }

  State state_at(const R& theta, Mask slots) {
    const Mask again = slots & !exact_;
    if (!any(again)) return steps_->dense(theta);
    const State x = steps_->again(*system_, theta, again);
    return any(slots & exact_) ? select(exact_, steps_->dense(theta), x) : x;
  }

  /// States on the section, by Newton's method in theta, each iterate a state of the method; the last bit of
  /// the way, where what is left of Taylor's series lies below round-off, along the acceleration.
  State onto_section(R theta, Mask open) {
    const R h = steps_->step();
    State x = state_at(theta, open);
    for (int iteration = 0; iteration < 8; ++iteration) {
      const R change = -section_->distance(*system_, x) / section_->rate(x, theta, h);
      const Mask near = open & (numerics::absolute(change) <= R(0x1p-25) * h);
      if (any(near)) {
        const auto a = system_->acceleration(x);
        State y;
        y.t = x.t + change;
        for (int n = 0; n < N; ++n) {
          y.q[n] = fma(change, fma(R(0.5) * change, a[n], x.v[n]), x.q[n]);
          y.v[n] = fma(change, a[n], x.v[n]);
        }
        x = select(near, y, x);
      }
      // A rate of zero, or nowhere to go: the state stays what it is.
      const R next = numerics::lesser(numerics::larger(theta + change / h, R(0.0)), R(1.0));
      open = open & !near & (numerics::absolute(change) <= h) & (next != theta);
      if (!any(open)) break;
      theta = select(open, next, theta);
      x = select(open, state_at(theta, open), x);
    }
    return x;
  }

  std::unique_ptr<System> system_;
  std::unique_ptr<Stepper> steps_;  ///< slot by slot the last step of another one's lane
  Observation watch_;
  std::optional<SectionOf<R, N>> section_;
  bool strobes_ = false;
  int size_ = 0;
  Mask exact_{false};
  std::array<QueuedStep, W> queued_;
  State ends_{};  ///< of a kicked system's steps
  std::array<typename SectionOf<R, N>::Meeting, W> meetings_;
  std::array<std::vector<Event>, W> events_;
};

}  // namespace cotangent::sections
