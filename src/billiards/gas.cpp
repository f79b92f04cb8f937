// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/gas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "billiards/points.hpp"
#include "numerics/random.hpp"

namespace cotangent::billiards {

namespace {

constexpr double first_step = 0.1;  // of arcs in a field; tried smaller where it is too long
constexpr int most_low = 1000;      // hops lower than round-off

}  // namespace

template <int D>
Gas<D>::Gas(const Domain<D>& domain, const Vector<D>& gravity, std::uint64_t seed, const Field<D>* field)
    : domain_(domain),
      g_(gravity),
      seed_(seed),
      active_(false),
      hit_(false),
      under_way_(false),
      corner_(false),
      around_{std::vector<Pack>(domain.walls().size()),
              std::vector<PackMask>(domain.walls().size(), PackMask(false)),
              std::vector<PackMask>(domain.walls().size(), PackMask(false))} {
  path_.g = gravity;
  if (field != nullptr) course_ = field->course(gravity);
  wall_.fill(-1);
  for (const Cell& cell : domain.region()) {
    degree_.resize(std::max(degree_.size(), cell.size()), 0);
    for (std::size_t slot = 0; slot < cell.size(); ++slot) {
      const int degree = domain.walls()[static_cast<std::size_t>(cell[slot].wall)]->degree(path_.falls());
      degree_[slot] = std::max(degree_[slot], degree);
    }
  }
}

template <int D>
Pack Gas<D>::energy(const Point<D>& x, const Point<D>& v) const {
  Pack sum = 0.5 * dot<D>(v, v);
  if (course_) sum += course_->potential(x);
  for (int d = 0; d < D; ++d) sum = fma(Pack(-g_[d]), x[d], sum);
  return sum;
}

template <int D>
void Gas<D>::load(int lane, std::int64_t id, const Vector<D>& x, const Vector<D>& v) {
  const auto at = static_cast<std::size_t>(lane);
  bool finite = true;
  PackMask only(false);
  only.set(lane, true);
  for (int d = 0; d < D; ++d) {
    x_[d].set(lane, x[d]);
    v_[d].set(lane, v[d]);
    displacement_.q[d].set(lane, std::cos(1.0 + d));
    displacement_.y[d].set(lane, 0.0);
    finite = finite && std::isfinite(x[d]) && std::isfinite(v[d]);
  }
  normalise<D>(displacement_, only);
  for (Pack* number : {&t_.value, &t_.low, &duration_, &from_, &energy_error_, &stretching_})
    number->set(lane, 0.0);
  if (frame_) frame_->begin(lane, id);
  step_.set(lane, first_step);
  id_[at] = id;
  bounces_[at] = 0;
  hops_[at] = arcs_[at] = low_[at] = 0;
  wall_[at] = -1;
  for (PackMask& lanes : around_.on) lanes.set(lane, false);
  status_[at] = Status::pending;
  active_.set(lane, true);
  reference_.set(lane, energy()[lane]);
  if (!finite) return end(lane, Status::non_finite);
  value_walls(x_, t_.value);
  cell_[at] = cell_of(lane);
  // On a wall, within round-off to either side, a start may move inward, without a hit there.
  const int inside = cell_[at];
  for (int w = 0; w < static_cast<int>(domain_.walls().size()) && wall_[at] < 0; ++w) {
    const Contact<D> c = domain_.walls()[static_cast<std::size_t>(w)]->contact(x_, t_.value);
    const double size = std::sqrt(dot<D>(c.gradient, c.gradient)[lane]);
    double inward = 0, extent = domain_.length();
    for (int d = 0; d < D; ++d) {
      inward += (v[d] - c.velocity[d][lane]) * c.gradient[d][lane];
      extent += std::abs(x[d]);
    }
    if (!(std::abs(c.value[lane]) <= corner_width * extent * size) || inward == 0) continue;
    wall_[at] = w;
    sign_[at] = inward > 0 ? 1.0 : -1.0;
    value_walls(x_, t_.value);
    look_around({only, wall_, Pack(sign_[at]), x_, v_, t_.value, Pack(extent)}, c);
    cell_[at] = cell_of(lane);
    if (cell_[at] < 0) cell_[at] = cell_beyond(lane, sign_[at]);
    const auto is_wall = [&](const Side& side) { return side.wall == w; };
    if (cell_[at] >= 0 && std::ranges::any_of(domain_.region()[static_cast<std::size_t>(cell_[at])], is_wall))
      break;
    wall_[at] = -1;
    cell_[at] = inside;
    for (PackMask& lanes : around_.on) lanes.set(lane, false);
  }
  if (cell_[at] < 0) end(lane, Status::infeasible_start);
}

template <int D>
void Gas<D>::end(int lane, Status status) {
  status_[static_cast<std::size_t>(lane)] = status;
  active_.set(lane, false);
}

template <int D>
void Gas<D>::advance(double limit) {
  path_.x = x_;
  path_.v = v_;
  path_.start = t_.value;
  begun_ = t_;
  Pack reach = (Pack(limit) - t_.value) - t_.low;
  PackMask arcs(false);  // whose arc ends before the limit
  if (course_) {
    const PackMask solved = course_->begin(path_, step_, active_), moves = t_.value + path_.length > t_.value;
    for (int i = 0; i < width; ++i) {
      if (!active_[i] || (solved[i] && moves[i])) continue;
      duration_.set(i, 0.0);
      end(i, Status::step_too_small);
    }
    arcs = active_ & (path_.length < reach);
    reach = min(reach, path_.length);
  }
  find_hits(reach);
  arcs = arcs & active_ & !hit_ & !under_way_;
  if (std::isinf(limit)) {  // for ever, without a wall: the state is the last that was finite
    PackMask lost = active_ & !(hit_ | under_way_ | arcs);
    numerics::for_lanes(arcs, [&](int i) {
      if (++arcs_[static_cast<std::size_t>(i)] >= most_approaches) lost.set(i, true);
    });
    arcs = arcs & !lost;
    numerics::for_lanes(lost, [&](int i) {
      duration_.set(i, 0.0);
      end(i, Status::left_domain);
    });
  }
  const PackMask hits = hit_;
  Point<D> x, v;
  fly(x, v);
  if (course_ && any(hits)) {
    duration_ = select(hits, polished(duration_, contact(x, path_.start + duration_, hits), v), duration_);
    fly(x, v);
  }
  auto t = begun_;
  t.add(duration_);
  t = select(hit_ | under_way_ | arcs, t, {Pack(limit), Pack(0.0)});
  from_ = select(hit_ | arcs, Pack(0.0), from_);
  x_ = select<D>(active_, x, x_);
  v_ = select<D>(active_, v, v_);
  if (course_) {
    step_ = select(hit_ | arcs, course_->next_step(), step_);
    for (PackMask& lanes : around_.on) lanes = lanes & !arcs;
    numerics::for_lanes(arcs, [&](int i) { hops_[static_cast<std::size_t>(i)] = 0; });
  }
  t_ = select(active_, t, t_);
  if (tangential_) carry(active_, &displacement_, 1);
  if (any(arcs)) {
    if (tangential_)
      stretching_ = select(arcs, stretching_ + log(normalise<D>(displacement_, arcs)), stretching_);
    if (frame_) follow_deviations(arcs, nullptr);
  }
  if (any(hits)) bounce(hits);
  const Pack error = note_error();
  if (any(arcs)) restore_energy(arcs);
  const PackMask finite = error <= Pack(std::numeric_limits<double>::max());
  const PackMask goes_on = under_way_ | arcs | (hits & (t.value != begun_.value));
  numerics::for_lanes(active_ & !(finite & goes_on), [&](int i) {
    if (!finite[i]) return end(i, Status::non_finite);
    if (!hits[i]) return end(i, Status::finished);
    end(i, member_hit(i).law.elastic() ? Status::grazing : Status::collapsed);
  });
}

/// The state at the end of each lane's flight.
template <int D>
void Gas<D>::fly(Point<D>& x, Point<D>& v) {
  if (!course_) {
    x = path_.position(duration_);
    v = path_.velocity(duration_);
    return;
  }
  const PackMask moved = active_ & (duration_ > Pack(0.0));
  course_->solve(duration_, moved, x, v);
  x = select<D>(moved, x, path_.x);
  v = select<D>(moved, v, path_.v);
}

/// How far the energy is from that of the start, before it is put right.
template <int D>
Pack Gas<D>::note_error() {
  const Pack error = abs(energy() - reference_);
  energy_error_ = select(active_ & (error > energy_error_), error, energy_error_);
  return error;
}

/// Displacements along the flight.
template <int D>
void Gas<D>::carry(PackMask lanes, Displacement<D>* displacements, std::size_t count) {
  if (course_) {
    const PackMask moved = lanes & (duration_ > Pack(0.0));
    if (any(moved)) course_->carry(duration_, moved, displacements, count);
    return;
  }
  const Pack time = select(lanes, duration_, Pack(0.0));
  for (std::size_t k = 0; k < count; ++k)
    displacements[k].q = plus<D>(displacements[k].q, time, displacements[k].y);
}

/// Over the flight, and off the wall where the lanes have come to one.
template <int D>
void Gas<D>::follow_deviations(PackMask lanes, const Arrival<D>* arrival) {
  frame_->follow(lanes, path_.start, duration_, [&](auto& deviations) {
    carry(lanes, deviations.data(), deviations.size());
    if (arrival != nullptr) reflect<D>(*arrival, lanes, deviations.data(), deviations.size());
  });
}

template <int D>
void Gas<D>::bounce(PackMask hits) {
  const Point<D> at = x_, v = v_;
  arriving_ = v;
  const Contact<D> contact = this->contact(at, t_.value, hits);
  Pack sign, restitution(1.0);
  for (int i = 0; i < width; ++i) sign.set(i, sign_[static_cast<std::size_t>(i)]);
  numerics::for_lanes(hits, [&](int i) { restitution.set(i, member_hit(i).law.restitution); });
  const Pack gg = dot<D>(contact.gradient, contact.gradient), inverse = 1.0 / gg;
  Pack bend(0.0);
  for (int d = 0; d < D; ++d) bend += dot<D>(contact.hessian[d], contact.hessian[d]);
  const Pack far = extent(v, duration_);
  // Of a normal whose direction hangs on the point's round-off nothing can be said.
  const PackMask far_off = hits & (contact.value * contact.value > 1e-20 * far * far * gg);
  const PackMask blunt = gg > select(far_off, Pack(1e-6), Pack(1e-18)) * far * far * bend;
  PackMask singular = hits & !blunt;
  const PackMask met = hits & !(far_off | singular);
  if (const PackMask unsure = singular & (far_off | !isfinite(gg)); any(unsure))
    singular = singular & !(unsure & missed(contact));
  Point<D> relative;
  for (int d = 0; d < D; ++d) relative[d] = v[d] - contact.velocity[d];
  const Pack speed = min(sign * dot<D>(relative, contact.gradient), Pack(0.0));  // inward already: none
  const Pack factor = -(1.0 + restitution) * speed * inverse * sign, norm = sqrt(gg);
  x_ = select<D>(hits, plus<D>(at, -(contact.value * inverse), contact.gradient), x_);
  v_ = select<D>(hits, plus<D>(v, factor, contact.gradient), v_);
  for (int d = 0; d < D; ++d) normal_[d] = sign * contact.gradient[d] / norm;
  // About four times how far a hop as long as the last one will lead off the wall.
  const Pack rise = -restitution * speed / norm * duration_;
  if (tangential_ || frame_) {
    const Point<D> acceleration = course_ ? course_->acceleration(at) : spread<D>(g_);
    const Arrival<D> arrival{contact, normal_, v, acceleration, sign, restitution};
    if (tangential_) {
      reflect<D>(arrival, met, &displacement_, 1);
      stretching_ = select(met, stretching_ + log(normalise<D>(displacement_, met)), stretching_);
    }
    if (frame_) follow_deviations(met, &arrival);
  }
  numerics::for_lanes(met, [&](int i) {
    const auto lane = static_cast<std::size_t>(i);
    ++bounces_[lane];
    hops_[lane] = arcs_[lane] = 0;
    const auto& member = member_hit(i);
    if (member.law.rough()) throw_back(i, member.law);
    // Near a wall that swings round-off can keep up hops that are lower than itself, without end.
    low_[lane] = !member.law.elastic() && rise[i] < 3e-14 * far[i] ? low_[lane] + 1 : 0;
    if (corner_[i] || low_[lane] > most_low) end(i, corner_[i] ? Status::corner : Status::collapsed);
    if (!member.law.elastic() || member.place.moves())
      reference_.set(i, reference_[i] + (energy(x_, v_)[i] - energy(at, v)[i]));
  });
  if (const PackMask none = hits & !met; any(none)) set_back(none, singular, at, v);
  Point<D> change;
  for (int d = 0; d < D; ++d) change[d] = v_[d] - v[d];
  kick_ = dot<D>(change, normal_);
  note_error();
  restore_energy(hits);
}

/// Whether flights have passed their walls: omega is as far from zero as half way there. To a singular point
/// it falls, whatever its derivatives; behind a steep wall they are as large as it is.
template <int D>
PackMask Gas<D>::missed(const Contact<D>& arrival) const {
  const Pack half = 0.5 * duration_;
  return !(abs(arrival.value) < abs(contact(path_.position(half), path_.start + half, hit_).value));
}

/// What was no bounce leaves the last state that is known: at a singular point that with which it came there,
/// or, where this is no place on the wall, that at the flight's beginning.
template <int D>
void Gas<D>::set_back(PackMask none, PackMask singular, const Point<D>& at, const Point<D>& arriving) {
  const PackMask astray = none & !singular;
  x_ = select<D>(none, select<D>(astray, path_.x, at), x_);
  v_ = select<D>(none, select<D>(astray, path_.v, arriving), v_);
  t_ = select(astray, begun_, t_);
  duration_ = select(astray, Pack(0.0), duration_);
  hit_ = hit_ & !none;
  numerics::for_lanes(none, [&](int i) {
    end(i, singular[i] ? Status::singular_wall : corner_[i] ? Status::corner : Status::step_too_small);
  });
}

/// Round-off adds up along periodic orbits, whose hits repeat it: the speed is set anew from the energy.
template <int D>
void Gas<D>::restore_energy(PackMask lanes) {
  const Pack twice = dot<D>(v_, v_), excess = energy() - reference_;
  const Pack scale = select(lanes & (abs(excess) < 1e-10 * twice), 1.0 - excess / twice, Pack(1.0));
  for (int d = 0; d < D; ++d) v_[d] *= scale;
}

/// A rough wall forgets how it was hit: along it Gaussian velocities, across it those of a flux.
template <int D>
void Gas<D>::throw_back(int lane, const Law& law) {
  constexpr std::uint64_t far = std::uint64_t{1} << 61;  // beyond what starts draw
  const auto at = static_cast<std::size_t>(lane);
  const auto stream = static_cast<std::uint64_t>(id_[at]);
  const std::uint64_t draw = far + 2 * static_cast<std::uint64_t>(bounces_[at]);
  const auto xi = numerics::normals(seed_, stream, draw), eta = numerics::normals(seed_, stream, draw + 1);
  const double speed = std::sqrt(law.temperature);
  Vector<D> n, velocity;
  double along = 0;
  for (int d = 0; d < D; ++d) {
    n[d] = normal_[d][lane];
    velocity[d] = speed * xi[static_cast<std::size_t>(d)];
    along += velocity[d] * n[d];
  }
  const double across = speed * std::hypot(eta[0], eta[1]);  // v exp(-v^2 / (2 T)), a flux's
  const auto& place = member_hit(lane).place;
  const Point<D> wall = place.speed(t_.value);
  for (int d = 0; d < D; ++d) v_[d].set(lane, velocity[d] + (across - along) * n[d] + wall[d][lane]);
}

template <int D>
void Gas<D>::save(int lane, double* state) const {
  const auto at = static_cast<std::size_t>(lane);
  for (const Point<D>* part : {&x_, &v_, &displacement_.q, &displacement_.y}) {
    for (int d = 0; d < D; ++d) *state++ = (*part)[d][lane];
  }
  for (const Pack* number : {&t_.value, &t_.low, &from_, &reference_, &energy_error_, &stretching_, &step_})
    *state++ = (*number)[lane];
  *state++ = wall_[at];
  *state++ = cell_[at];
  *state++ = sign_[at];
  *state++ = hops_[at];
  *state++ = arcs_[at];
  *state++ = low_[at];
  for (const PackMask& lanes : around_.on) *state++ = lanes[lane] ? 1 : 0;
  *state++ = static_cast<double>(bounces_[at]);
  if (frame_) frame_->save(lane, state);
}

template <int D>
void Gas<D>::restore(int lane, std::int64_t id, const double* state) {
  const auto at = static_cast<std::size_t>(lane);
  for (Point<D>* part : {&x_, &v_, &displacement_.q, &displacement_.y}) {
    for (int d = 0; d < D; ++d) (*part)[d].set(lane, *state++);
  }
  for (Pack* number : {&t_.value, &t_.low, &from_, &reference_, &energy_error_, &stretching_, &step_})
    number->set(lane, *state++);
  id_[at] = id;
  wall_[at] = static_cast<int>(*state++);
  cell_[at] = static_cast<int>(*state++);
  sign_[at] = *state++;
  hops_[at] = static_cast<int>(*state++);
  arcs_[at] = static_cast<int>(*state++);
  low_[at] = static_cast<int>(*state++);
  for (PackMask& lanes : around_.on) lanes.set(lane, *state++ != 0);
  bounces_[at] = static_cast<std::int64_t>(*state++);
  status_[at] = Status::pending;
  duration_.set(lane, 0.0);
  active_.set(lane, true);
  if (frame_) frame_->restore(lane, state);
}

template class Gas<2>;
template class Gas<3>;

}  // namespace cotangent::billiards
