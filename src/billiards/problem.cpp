// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "billiards/arc.hpp"
#include "billiards/domain_family.hpp"
#include "billiards/leapfrog.hpp"

namespace cotangent::billiards {

namespace {

using sections::TrajectoryRecord;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Lanes whose starts have the same parameters share a gas; where parameters change, two work side by side
/// until the first is empty.
template <int D>
class BilliardFlight final : public sections::TrajectoryBatch {
  using Particles = Gas<D>;

 public:
  BilliardFlight(const DomainFamily<D>& family, const BilliardRules<D>& rules,
                 const sections::Observation& watch, int lanes)
      : family_(family),
        rules_(rules),
        watch_(watch),
        lanes_(std::clamp(lanes, 1, Particles::width)),
        members_(family.usual().members().size()),
        rates_(rules.tangent ? 1 + members_ : 0),
        tallies_(3 * members_ + rates_ + (rules.exits.empty() ? 0 : 3)),
        room_(static_cast<std::size_t>(lanes_)),
        record_(static_cast<std::size_t>(lanes_)) {
    rooms_.push_back(make_room(family.at({})));
  }

  int lanes() const override { return lanes_; }
  bool free(int lane) const override { return at(lane).id < 0; }
  TrajectoryRecord& flown(int lane) override { return record_[static_cast<std::size_t>(lane)]; }
  void release(int lane) override { flown(lane).begin({}); }

  void load(int lane, const sections::Start& start) override {
    begin(lane, start);
    TrajectoryRecord& r = flown(lane);
    Vector<D> x, v;
    std::copy_n(start.q.begin(), D, x.begin());
    std::copy_n(start.v.begin(), D, v.begin());
    Particles& gas = gas_of(lane);
    gas.load(lane, start.id, x, v);
    r.energy = gas.energy()[lane];
    if (gas.status(lane) != Status::pending) return land(lane, gas.status(lane));
    if (watch_.sample_every > 0) sample(lane, gas.x(), gas.v(), 0.0);
  }

  void advance(std::int64_t steps) override {
    bool flies = true, landed = false;
    for (std::int64_t k = 0; k < steps && flies && !landed; ++k) {
      flies = false;
      for (const auto& room : rooms_) {
        const auto flying = room->gas.active();
        if (!any(flying)) continue;
        flies = true;
        const auto before = room->gas.time(), stretched = room->gas.stretching();
        room->gas.advance(watch_.stop.time);
        for (int lane = 0; lane < lanes_; ++lane) {
          if (!flying[lane]) continue;
          follow(lane, before[lane], stretched[lane]);
          landed = landed || flown(lane).status != Status::pending;
        }
      }
    }
  }

  std::size_t state_size() const override { return rooms_.front()->gas.state_size() + 4 + tallies_; }
  void save(int lane, std::span<double> state) const override {
    const Particles& gas = gas_of(lane);
    gas.save(lane, state.data());
    const TrajectoryRecord& r = at(lane);
    double* own = state.data() + gas.state_size();
    own[0] = static_cast<double>(r.crossing_count);
    own[1] = static_cast<double>(r.sample_count);
    own[2] = static_cast<double>(r.steps);
    own[3] = r.energy;
    std::ranges::copy(r.tallies, own + 4);
  }
  void restore(int lane, const sections::Start& start, std::span<const double> state) override {
    begin(lane, start);
    Particles& gas = gas_of(lane);
    gas.restore(lane, start.id, state.data());
    TrajectoryRecord& r = flown(lane);
    const double* own = state.data() + gas.state_size();
    r.crossing_count = static_cast<std::int64_t>(own[0]);
    r.sample_count = static_cast<std::int64_t>(own[1]);
    r.steps = static_cast<std::int64_t>(own[2]);
    r.energy = own[3];
    std::copy_n(own + 4, tallies_, r.tallies.begin());
  }

 private:
  /// A domain and the particles in it.
  struct Room {
    std::shared_ptr<const Domain<D>> domain;
    Particles gas;
  };
  std::shared_ptr<Room> make_room(const std::shared_ptr<const Domain<D>>& domain) const {
    auto room = std::make_shared<Room>(
        Room{domain, Particles(*domain, rules_.gravity, rules_.seed, rules_.field.get())});
    if (rules_.tangent) room->gas.watch_tangent();
    if (watch_.growth) room->gas.watch_growth(*watch_.growth);
    return room;
  }
  const TrajectoryRecord& at(int lane) const { return record_[static_cast<std::size_t>(lane)]; }
  Particles& gas_of(int lane) { return room_[static_cast<std::size_t>(lane)]->gas; }
  const Particles& gas_of(int lane) const { return room_[static_cast<std::size_t>(lane)]->gas; }
  const Domain<D>& domain_of(int lane) const { return *room_[static_cast<std::size_t>(lane)]->domain; }

  /// The room with these parameters, made in place of an empty one if there is none.
  std::shared_ptr<Room> room_with(const std::vector<double>& parameters) {
    const auto domain = family_.at(parameters);
    const auto known = std::ranges::find(rooms_, domain, &Room::domain);
    if (known != rooms_.end()) return *known;
    std::erase_if(rooms_, [](const auto& room) { return !any(room->gas.active()); });
    return rooms_.emplace_back(make_room(domain));
  }

  void begin(int lane, const sections::Start& start) {
    TrajectoryRecord& r = flown(lane);
    r.begin(start);
    room_[static_cast<std::size_t>(lane)] = room_with(start.parameters);
    r.tallies.assign(tallies_, 0.0);
    if (!rules_.exits.empty()) std::ranges::copy(std::array{-1.0, nan, nan}, r.tallies.end() - 3);
  }

  /// What the flight of a lane, begun at a time and so far stretched, leaves behind.
  void follow(int lane, double begun, double stretched) {
    TrajectoryRecord& r = flown(lane);
    const Particles& gas = gas_of(lane);
    ++r.steps;
    const double end = r.t = gas.time()[lane];
    while (watch_.sample_every > 0) {
      const double due = static_cast<double>(r.sample_count) * watch_.sample_every;
      if (due > end || due > watch_.stop.time) break;
      const Pack s(due - begun);
      sample(lane, gas.path().position(s), gas.path().velocity(s), due);
    }
    const bool bounced = gas.bounces(lane) > r.crossing_count;
    if (const int exit = bounced ? exit_at(lane) : -1; exit >= 0) return leave(lane, exit, stretched);
    if (bounced) {
      const int wall = domain_of(lane).member_of(gas.wall(lane));
      if (r.crossing_count < rules_.collisions) {
        r.crossings.time.push_back(end);
        for (int d = 0; d < D; ++d) r.crossings.q.push_back(gas.x()[d][lane]);
        for (int d = 0; d < D; ++d) r.crossings.v.push_back(gas.v()[d][lane]);
        r.crossings.wall.push_back(wall);
        if constexpr (D == 2) {
          if (rules_.outline) add_birkhoff(lane);
        }
      }
      ++r.crossing_count;
      r.tallies[static_cast<std::size_t>(wall)] += gas.kick()[lane];
      r.tallies[2 * members_ + static_cast<std::size_t>(wall)] += 1;
    }
    Status status = gas.status(lane);
    const std::int64_t wanted = watch_.stop.crossings;
    if (status == Status::finished && wanted > 0 && rules_.exits.empty()) status = Status::time_limit;
    if (status == Status::pending && wanted > 0 && r.crossing_count >= wanted) status = Status::finished;
    constexpr std::int64_t between = 64;  // looks at what deviations tell
    if (status == Status::pending && watch_.stop.decided && bounced && r.crossing_count % between == 0 &&
        gas.deviations().decided(lane))
      status = Status::decided;
    if (status != Status::pending) land(lane, status);
  }

  /// The exit in which a lane has met the wall, the deepest where several meet; -1: none.
  int exit_at(int lane) const {
    const Particles& gas = gas_of(lane);
    Vector<D> at;
    for (std::size_t d = 0; d < D; ++d) at[d] = gas.x()[d][lane];
    int found = -1;
    double deepest = 0;
    for (std::size_t k = 0; k < rules_.exits.size(); ++k) {
      const double depth = rules_.exits[k].evaluate(at);
      if (!(depth > deepest)) continue;
      deepest = depth;
      found = static_cast<int>(k);
    }
    return found;
  }

  /// Lets a lane out where it has met the wall, as if it hadn't bounced there.
  void leave(int lane, int exit, double stretched) {
    TrajectoryRecord& r = flown(lane);
    land(lane, Status::left_domain, stretched);
    for (std::size_t d = 0; d < D; ++d) r.v[d] = gas_of(lane).arriving()[d][lane];
    double* const left = &r.tallies[r.tallies.size() - 3];
    left[0] = exit;
    left[1] = r.t;
    left[2] = static_cast<double>(r.crossing_count);
  }

  /// Arc length, and the velocity along the outline, which has the domain on its left.
  void add_birkhoff(int lane) {
    TrajectoryRecord& r = flown(lane);
    const Particles& gas = gas_of(lane);
    const auto of = [&](const Point<D>& all) { return Vector<2>{all[0][lane], all[1][lane]}; };
    const auto [arc, tangential] = rules_.outline->bounce(of(gas.x()), of(gas.v()), of(gas.normal()));
    r.crossings.arc.push_back(arc);
    r.crossings.tangential.push_back(tangential);
  }

  void sample(int lane, const Point<D>& x, const Point<D>& v, double t) {
    TrajectoryRecord& r = flown(lane);
    std::array<double, D> place, velocity;
    for (int d = 0; d < D; ++d) {
      place[d] = x[d][lane];
      velocity[d] = v[d][lane];
    }
    r.add_sample(t, place, velocity, gas_of(lane).energy(x, v)[lane], {});
    const Domain<D>& domain = domain_of(lane);
    for (std::size_t m = 0; m < members_; ++m)
      r.tallies[members_ + m] += domain.omega(domain.members()[m].region, x, Pack(t))[lane] > 0 ? 1 : 0;
  }

  void land(int lane, Status status) { land(lane, status, gas_of(lane).stretching()[lane]); }
  void land(int lane, Status status, double stretched) {
    TrajectoryRecord& r = flown(lane);
    Particles& gas = gas_of(lane);
    gas.release(lane);
    r.status = status;
    r.t = gas.time()[lane];
    r.energy_error = gas.energy_error()[lane];
    for (std::size_t d = 0; d < D; ++d) {
      r.q[d] = gas.x()[d][lane];
      r.v[d] = gas.v()[d][lane];
    }
    if (rules_.tangent) {
      r.tallies[3 * members_] = r.t > 0 ? stretched / r.t : 0.0;
      for (std::size_t m = 0; m < members_; ++m) {
        const double bounces = r.tallies[2 * members_ + m];
        r.tallies[3 * members_ + 1 + m] = bounces > 0 ? stretched / bounces : nan;
      }
    }
    if (!watch_.growth) return;
    std::vector<double> growth;
    gas.deviations().finish(lane, growth);
    r.tallies.insert(r.tallies.begin(), growth.begin(), growth.end());
  }

  const DomainFamily<D>& family_;
  const BilliardRules<D>& rules_;
  const sections::Observation watch_;
  const int lanes_;
  const std::size_t members_, rates_, tallies_;  ///< of the tallies those that aren't the growth's
  std::vector<std::shared_ptr<Room>> rooms_;  ///< those of the last starts, and all in which anything flies
  std::vector<std::shared_ptr<Room>> room_;   ///< of each lane
  std::vector<TrajectoryRecord> record_;
};

/// Morita's method (leapfrog.hpp), one particle at a time.
template <int D>
class LeapfrogFlight final : public sections::TrajectoryBatch {
 public:
  LeapfrogFlight(const Domain<D>& domain, const BilliardRules<D>& rules, const sections::Observation& watch,
                 const sections::StateFunctions& functions)
      : domain_(domain),
        rules_(rules),
        watch_(watch),
        functions_(functions),
        exact_(domain, rules.gravity),
        tallies_(3 * domain.members().size() + (rules.stepped.compare ? SteppedComparison::numbers : 0)) {}

  int lanes() const override { return 1; }
  bool free(int) const override { return record_.id < 0; }
  TrajectoryRecord& flown(int) override { return record_; }
  void release(int) override { record_.begin({}); }

  void load(int, const sections::Start& start) override {
    begin(start);
    particle_.set = first_member<D>(domain_, particle_.x);
    record_.energy = energy();
    if (particle_.set < 0) return land(Status::infeasible_start);
    if (watch_.sample_every > 0) sample();
  }

  void advance(std::int64_t steps) override {
    for (std::int64_t k = 0; k < steps && record_.status == Status::pending; ++k) {
      const Falling<D> before = particle_;
      const SteppedHit hit = linearised_step<D>(domain_, rules_.gravity, rules_.stepped, particle_);
      if (hit.wall >= 0) {
        ++record_.crossing_count;
        record_
            .tallies[2 * domain_.members().size() + static_cast<std::size_t>(domain_.member_of(hit.wall))] +=
            1;
      }
      if (rules_.stepped.compare) compare(before, hit);
      ++record_.steps;
      record_.energy_error = std::max(record_.energy_error, std::abs(energy() - record_.energy));
      const double due = static_cast<double>(record_.sample_count) * watch_.sample_every;
      if (watch_.sample_every > 0 && due <= time() + 0.5 * rules_.stepped.step) sample();
      if (!std::isfinite(energy())) {
        land(Status::non_finite);
      } else if (static_cast<double>(record_.steps + 1) * rules_.stepped.step >
                 watch_.stop.time * (1 + 1e-12)) {
        land(Status::finished);
      }
    }
  }

  std::size_t state_size() const override { return 2 * D + 6 + tallies_; }
  void save(int, std::span<double> state) const override {
    auto at = std::copy_n(particle_.x.begin(), D, state.begin());
    at = std::copy_n(particle_.v.begin(), D, at);
    for (const double number :
         {static_cast<double>(particle_.set), static_cast<double>(record_.crossing_count),
          static_cast<double>(record_.sample_count), static_cast<double>(record_.steps), record_.energy,
          record_.energy_error})
      *at++ = number;
    std::ranges::copy(record_.tallies, at);
  }
  void restore(int, const sections::Start& start, std::span<const double> state) override {
    begin(start);
    const double* at = state.data();
    for (double& component : particle_.x) component = *at++;
    for (double& component : particle_.v) component = *at++;
    particle_.set = static_cast<int>(*at++);
    for (std::int64_t* count : {&record_.crossing_count, &record_.sample_count, &record_.steps})
      *count = static_cast<std::int64_t>(*at++);
    record_.energy = *at++;
    record_.energy_error = *at++;
    std::copy_n(at, tallies_, record_.tallies.begin());
  }

 private:
  void begin(const sections::Start& start) {
    record_.begin(start);
    record_.tallies.assign(tallies_, 0.0);
    std::fill_n(record_.tallies.begin(), domain_.members().size(), nan);  // impulses: nobody counts them
    std::copy_n(start.q.begin(), D, particle_.x.begin());
    std::copy_n(start.v.begin(), D, particle_.v.begin());
  }
  double time() const { return static_cast<double>(record_.steps) * rules_.stepped.step; }
  /// Flies the step that has led to this hit, or to none, exactly. What begins outside can't be.
  void compare(const Falling<D>& before, const SteppedHit& hit) {
    exact_.load(0, record_.id, before.x, before.v);
    if (exact_.status(0) != Status::pending) return;
    double first = 0;
    while (exact_.active()[0]) {
      exact_.advance(rules_.stepped.step);
      if (exact_.hit()[0] && exact_.bounces(0) == 1) first = exact_.time()[0];
    }
    const double more = static_cast<double>(exact_.bounces(0)) - (hit.wall >= 0 ? 1 : 0);
    double* const count = &record_.tallies[3 * domain_.members().size()];
    SteppedComparison all{count[0], count[1], count[2], count[3]};
    (more > 0 ? all.missed : all.invented) += std::abs(more);
    if (hit.wall >= 0) {
      if (!(hit.lambda >= 0 && hit.lambda <= 1)) ++all.off;
      if (first > 0) all.late = std::max(all.late, std::abs(hit.lambda * rules_.stepped.step - first));
    }
    std::ranges::copy(std::array{all.missed, all.invented, all.off, all.late}, count);
  }
  double energy() const { return functions_.energy(particle_.x, particle_.v, {}); }
  void sample() {
    auto& rows = record_.samples;
    rows.time.push_back(time());
    rows.q.insert(rows.q.end(), particle_.x.begin(), particle_.x.end());
    rows.v.insert(rows.v.end(), particle_.v.begin(), particle_.v.end());
    rows.energy.push_back(energy());
    ++record_.sample_count;
    const std::size_t members = domain_.members().size();
    for (std::size_t m = 0; m < members; ++m)
      record_.tallies[members + m] += holds<D>(domain_, static_cast<int>(m), particle_.x) ? 1 : 0;
  }
  void land(Status status) {
    record_.status = status;
    record_.t = time();
    record_.q.assign(particle_.x.begin(), particle_.x.end());
    record_.v.assign(particle_.v.begin(), particle_.v.end());
  }

  const Domain<D>& domain_;
  const BilliardRules<D>& rules_;
  const sections::Observation watch_;
  const sections::StateFunctions& functions_;
  Gas<D> exact_;
  const std::size_t tallies_;
  Falling<D> particle_;
  TrajectoryRecord record_;
};

template <int D>
class Billiard final : public sections::Problem {
  using Values = sections::Values;

 public:
  Billiard(const Domain<D>& domain, const BilliardRules<D>& rules) : family_(domain), rules_(rules) {}

  std::string name() const override { return "billiard"; }
  std::string about() const override { return "particles that fly freely and bounce off walls"; }
  std::vector<sections::CoordinateInfo> coordinates() const override {
    std::vector<sections::CoordinateInfo> list{{"x", "1"}, {"y", "1"}, {"z", "1"}};
    list.resize(D);
    return list;
  }
  std::vector<sections::ParameterInfo> parameters() const override { return family_.parameters(); }
  std::optional<std::string> objection(Values parameters) const override {
    return parameters.empty() ? std::nullopt : family_.usual().objection(parameters);
  }
  double energy(Values q, Values v, Values) const override {
    double sum = 0;
    for (std::size_t d = 0; d < D; ++d) sum += 0.5 * v[d] * v[d];
    return sum + potential(q, {}).value;
  }
  std::vector<double> momentum(Values, Values v, Values, double) const override {
    return {v.begin(), v.end()};
  }
  std::vector<double> mass_matrix(Values, Values, Values) const override {
    std::vector<double> unit(D * D, 0.0);
    for (std::size_t d = 0; d < D; ++d) unit[d * D + d] = 1;
    return unit;
  }
  Potential potential(Values q, Values) const override {
    Potential u{0, {}, std::vector<double>(D * D, 0.0)};
    for (std::size_t d = 0; d < D; ++d) {
      u.value -= rules_.gravity[d] * q[d];
      u.gradient.push_back(-rules_.gravity[d]);
    }
    if (rules_.field) {
      Vector<D> x, gradient;
      std::copy_n(q.begin(), D, x.begin());
      u.value += rules_.field->potential(x, gradient);
      for (std::size_t d = 0; d < D; ++d) u.gradient[d] += gradient[d];
    }
    return u;
  }
  bool has_domain() const override { return true; }
  double domain(Values q, Values parameters) const override {
    Vector<D> x;
    std::copy_n(q.begin(), D, x.begin());
    return family_.at(parameters)->omega(x);
  }
  bool starts_inside() const override { return true; }
  bool has_friction() const override {
    return std::ranges::any_of(family_.usual().members(),
                               [](const Member<D>& member) { return !member.law.elastic(); });
  }
  int lanes() const override { return Gas<D>::width; }
  std::unique_ptr<sections::TrajectoryBatch> fly(const integrators::MethodOptions&,
                                                 const sections::Observation& watch,
                                                 int lanes) const override {
    if (rules_.stepped.step > 0)
      return std::make_unique<LeapfrogFlight<D>>(family_.usual(), rules_, watch, *this);
    return std::make_unique<BilliardFlight<D>>(family_, rules_, watch, lanes);
  }
  sections::Arc arc(const integrators::MethodOptions& method, const sections::Start& start,
                    double duration) const override {
    const auto domain = family_.at(start.parameters);
    if (!keeps_neighbours(*domain)) return Problem::arc(method, start, duration);
    return fly_arc<D>(*domain, rules_.gravity, rules_.field.get(), start, {.time = duration});
  }
  bool between_walls() const override { return true; }
  sections::Arc bounces(const sections::Start& start, std::int64_t count) const override {
    const auto domain = family_.at(start.parameters);
    if (!keeps_neighbours(*domain)) return Problem::bounces(start, count);
    return fly_arc<D>(*domain, rules_.gravity, rules_.field.get(), start, {.bounces = count});
  }
  sections::WallAt wall(const std::vector<double>& q, const std::vector<double>& parameters) const override {
    Vector<D> x, slope;
    std::copy_n(q.begin(), D, x.begin());
    const double omega = family_.at(parameters)->omega(x, slope);
    return {omega, {slope.begin(), slope.end()}};
  }

 private:
  /// Whether arcs are those of motion that keeps its energy, and tell how neighbours part.
  bool keeps_neighbours(const Domain<D>& domain) const {
    return rules_.stepped.step == 0 && std::ranges::all_of(domain.members(), [](const Member<D>& member) {
             return member.law.elastic() && !member.place.moves();
           });
  }

  const DomainFamily<D> family_;
  const BilliardRules<D> rules_;
};

}  // namespace

template <int D>
std::unique_ptr<sections::Problem> make_billiard(const Domain<D>& domain, const BilliardRules<D>& rules) {
  return std::make_unique<Billiard<D>>(domain, rules);
}
template std::unique_ptr<sections::Problem> make_billiard<2>(const Domain<2>&, const BilliardRules<2>&);
template std::unique_ptr<sections::Problem> make_billiard<3>(const Domain<3>&, const BilliardRules<3>&);

}  // namespace cotangent::billiards
