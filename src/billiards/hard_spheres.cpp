// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/hard_spheres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace cotangent::billiards {

namespace {
constexpr double forever = std::numeric_limits<double>::infinity();
}

template <int D>
HardSpheres<D>::HardSpheres(const Options& options, const std::vector<Vector>& x,
                            const std::vector<Vector>& v)
    : options_(options), particles_(x.size()), place_(x.size()) {
  std::int32_t all = 1;
  // Of three cells around a periodic box a neighbour's other image could be the nearer one.
  const double few = options.periodic ? 4 : 3;
  for (int d = 0; d < D; ++d) {
    // About one particle a cell where they are sparse, but so few in any case.
    const double sparse = options.box[d] / std::max(few, std::pow(static_cast<double>(x.size()), 1.0 / D));
    const double least = std::max(2 * options.radius * (1 + 1e-12), sparse * (1 - 1e-12));
    cells_[d] = static_cast<std::int32_t>(options.box[d] / least);
    if (cells_[d] < few)
      throw Error("hard spheres: the box must be at least four diameters wide, three where it has walls");
    side_[d] = options.box[d] / cells_[d];
    all *= cells_[d];
  }
  first_.assign(static_cast<std::size_t>(all), -1);
  const double margin = options.periodic ? 0.0 : options.radius;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Particle& p = particles_[i];
    p.x = x[i];
    p.v = v[i];
    std::int32_t cell = 0;
    for (int d = D - 1; d >= 0; --d) {
      if (!(p.x[d] >= margin && p.x[d] <= options.box[d] - margin))
        throw Error("hard spheres: particle " + std::to_string(i) + " is outside of the box");
      cell = cell * cells_[d] + std::min(static_cast<std::int32_t>(p.x[d] / side_[d]), cells_[d] - 1);
    }
    enter(static_cast<std::int32_t>(i), cell);
  }
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(size()); ++i) {
    each_neighbour(particles_[static_cast<std::size_t>(i)].cell, [&](std::int32_t j) {
      if (j <= i) return;
      const Vector r =
          apart(particles_[static_cast<std::size_t>(i)], particles_[static_cast<std::size_t>(j)], 0);
      double square = 0;
      for (double component : r) square += component * component;
      if (square < 4 * options.radius * options.radius * (1 - 1e-14))
        throw Error("hard spheres: particles " + std::to_string(i) + " and " + std::to_string(j) +
                    " overlap");
    });
  }
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(size()); ++i) {
    heap_.push_back(i);
    place_[static_cast<std::size_t>(i)] = i;
    particles_[static_cast<std::size_t>(i)].due = forever;
  }
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(size()); ++i) predict(i);
}

template <int D>
typename HardSpheres<D>::Vector HardSpheres<D>::position(std::int64_t i) const {
  Particle p = particles_[static_cast<std::size_t>(i)];
  move(p, time_);
  for (int d = 0; d < D && options_.periodic; ++d)
    p.x[d] -= options_.box[d] * std::floor(p.x[d] / options_.box[d]);
  return p.x;
}

template <int D>
double HardSpheres<D>::energy() const {
  double sum = 0;
  for (const Particle& p : particles_) {
    for (double component : p.v) sum += 0.5 * component * component;
  }
  return sum;
}

/// From a to b at a time, the nearest of b's images.
template <int D>
typename HardSpheres<D>::Vector HardSpheres<D>::apart(const Particle& a, const Particle& b, double at) const {
  Vector r;
  for (int d = 0; d < D; ++d) {
    r[d] = b.x[d] + (at - b.clock) * b.v[d] - (a.x[d] + (at - a.clock) * a.v[d]);
    if (options_.periodic) r[d] -= options_.box[d] * std::nearbyint(r[d] / options_.box[d]);
  }
  return r;
}

/// When two touch, from a's clock on: the smaller root of |r + u s| = 2 radius where they approach.
template <int D>
double HardSpheres<D>::meeting(const Particle& a, const Particle& b) const {
  const Vector r = apart(a, b, a.clock);
  double ru = 0, rr = 0, uu = 0;
  for (int d = 0; d < D; ++d) {
    const double u = b.v[d] - a.v[d];
    ru += r[d] * u;
    rr += r[d] * r[d];
    uu += u * u;
  }
  if (ru >= 0) return forever;
  const double gap = rr - 4 * options_.radius * options_.radius, discriminant = ru * ru - uu * gap;
  if (discriminant < 0) return forever;
  return a.clock + std::max(gap / (std::sqrt(discriminant) - ru), 0.0);
}

template <int D>
template <class Function>
void HardSpheres<D>::each_neighbour(std::int32_t cell, const Function& function) const {
  std::array<std::int32_t, D> at;
  int around = 1;
  for (int d = 0; d < D; ++d) {
    at[d] = cell % cells_[d];
    cell /= cells_[d];
    around *= 3;
  }
  for (int k = 0; k < around; ++k) {
    std::int32_t other = 0, stride = 1;
    bool there = true;
    for (int d = 0, rest = k; d < D; ++d, rest /= 3) {
      std::int32_t c = at[d] + rest % 3 - 1;
      if (c < 0 || c >= cells_[d]) {
        there = there && options_.periodic;
        c += c < 0 ? cells_[d] : -cells_[d];
      }
      other += stride * c;
      stride *= cells_[d];
    }
    if (!there) continue;
    for (std::int32_t j = first_[static_cast<std::size_t>(other)]; j >= 0;
         j = particles_[static_cast<std::size_t>(j)].next)
      function(j);
  }
}

template <int D>
double HardSpheres<D>::least_gap() const {
  double least = forever;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(size()); ++i) {
    const Particle& p = particles_[static_cast<std::size_t>(i)];
    each_neighbour(p.cell, [&](std::int32_t j) {
      if (j <= i) return;
      double square = 0;
      for (double component : apart(p, particles_[static_cast<std::size_t>(j)], time_))
        square += component * component;
      least = std::min(least, std::sqrt(square) - 2 * options_.radius);
    });
  }
  return least;
}

template <int D>
void HardSpheres<D>::move(Particle& p, double to) const {
  for (int d = 0; d < D; ++d) p.x[d] += (to - p.clock) * p.v[d];
  p.clock = to;
}

template <int D>
void HardSpheres<D>::enter(std::int32_t i, std::int32_t cell) {
  Particle& p = particles_[static_cast<std::size_t>(i)];
  std::int32_t& first = first_[static_cast<std::size_t>(cell)];
  p.cell = cell;
  p.before = -1;
  p.next = first;
  if (first >= 0) particles_[static_cast<std::size_t>(first)].before = i;
  first = i;
}

template <int D>
void HardSpheres<D>::leave(std::int32_t i) {
  const Particle& p = particles_[static_cast<std::size_t>(i)];
  (p.before >= 0 ? particles_[static_cast<std::size_t>(p.before)].next
                 : first_[static_cast<std::size_t>(p.cell)]) = p.next;
  if (p.next >= 0) particles_[static_cast<std::size_t>(p.next)].before = p.before;
}

template <int D>
bool HardSpheres<D>::earlier(std::int32_t a, std::int32_t b) const {
  const double s = particles_[static_cast<std::size_t>(a)].due,
               t = particles_[static_cast<std::size_t>(b)].due;
  return s < t || (s == t && a < b);
}

/// Puts what stands at a place of the heap where it belongs.
template <int D>
void HardSpheres<D>::sift(std::int32_t place) {
  const std::int32_t i = heap_[static_cast<std::size_t>(place)],
                     count = static_cast<std::int32_t>(heap_.size());
  const auto put = [&](std::int32_t at, std::int32_t particle) {
    heap_[static_cast<std::size_t>(at)] = particle;
    place_[static_cast<std::size_t>(particle)] = at;
  };
  while (place > 0 && earlier(i, heap_[static_cast<std::size_t>((place - 1) / 2)])) {
    put(place, heap_[static_cast<std::size_t>((place - 1) / 2)]);
    place = (place - 1) / 2;
  }
  while (2 * place + 1 < count) {
    std::int32_t child = 2 * place + 1;
    if (child + 1 < count &&
        earlier(heap_[static_cast<std::size_t>(child + 1)], heap_[static_cast<std::size_t>(child)]))
      ++child;
    if (!earlier(heap_[static_cast<std::size_t>(child)], i)) break;
    put(place, heap_[static_cast<std::size_t>(child)]);
    place = child;
  }
  put(place, i);
}

template <int D>
void HardSpheres<D>::set(std::int32_t i, double due, std::int32_t partner, std::int32_t axis) {
  Particle& p = particles_[static_cast<std::size_t>(i)];
  p.due = due;
  p.partner = partner;
  p.axis = axis;
  sift(place_[static_cast<std::size_t>(i)]);
}

/// The next event of a particle whose clock is right. A partner that had a later one is claimed from whom it
/// had it with, who then flies on without: its event is found out when it is due.
template <int D>
void HardSpheres<D>::predict(std::int32_t i) {
  Particle& p = particles_[static_cast<std::size_t>(i)];
  const std::int32_t had = p.partner >= 0 ? p.partner : nothing;  // claimed while it had no event of its own
  double due = had >= 0 ? p.due : forever;
  std::int32_t partner = had, axis = 0, cell = p.cell;
  for (int d = 0; d < D; ++d) {
    const std::int32_t at = cell % cells_[d];
    cell /= cells_[d];
    if (p.v[d] == 0) continue;
    const bool up = p.v[d] > 0;
    const bool last = !options_.periodic && at == (up ? cells_[d] - 1 : 0);
    const double edge =
        last ? (up ? options_.box[d] - options_.radius : options_.radius) : (at + (up ? 1 : 0)) * side_[d];
    const double when = p.clock + std::max((edge - p.x[d]) / p.v[d], 0.0);
    if (when < due) {
      due = when;
      partner = last ? wall : crossing;
      axis = d;
    }
  }
  each_neighbour(p.cell, [&](std::int32_t j) {
    if (j == i) return;
    const Particle& q = particles_[static_cast<std::size_t>(j)];
    const double when = meeting(p, q);
    if (when < due && (when <= q.due || q.partner == idle)) {
      due = when;
      partner = j;
    }
  });
  if (had >= 0 && partner != had) particles_[static_cast<std::size_t>(had)].partner = nothing;
  if (partner >= 0 && partner != had) {
    Particle& q = particles_[static_cast<std::size_t>(partner)];
    // Whom it leaves has a meeting that won't be: at that time he looks again.
    if (q.partner >= 0 && q.partner != i &&
        particles_[static_cast<std::size_t>(q.partner)].partner == partner)
      particles_[static_cast<std::size_t>(q.partner)].partner = nothing;
    set(partner, due, i, 0);
  }
  set(i, due, partner, axis);
}

template <int D>
void HardSpheres<D>::collide(std::int32_t i, std::int32_t j) {
  Particle &p = particles_[static_cast<std::size_t>(i)], &q = particles_[static_cast<std::size_t>(j)];
  move(q, p.clock);
  const Vector r = apart(p, q, p.clock);
  double across = 0, square = 0;
  for (int d = 0; d < D; ++d) {
    across += (q.v[d] - p.v[d]) * r[d];
    square += r[d] * r[d];
  }
  for (int d = 0; d < D; ++d) {
    const double change = across / square * r[d];
    p.v[d] += change;
    q.v[d] -= change;
  }
  virial_ -= across;
  ++collisions_;
}

template <int D>
void HardSpheres<D>::cross(std::int32_t i) {
  Particle& p = particles_[static_cast<std::size_t>(i)];
  std::int32_t stride = 1;
  for (int d = 0; d < p.axis; ++d) stride *= cells_[d];
  const std::int32_t count = cells_[p.axis], at = p.cell / stride % count;
  const bool up = p.v[p.axis] > 0;
  std::int32_t to = at + (up ? 1 : -1);
  double edge = (at + (up ? 1 : 0)) * side_[p.axis];
  if (to < 0 || to >= count) {
    to += up ? -count : count;
    edge += up ? -options_.box[p.axis] : options_.box[p.axis];
  }
  p.x[p.axis] = edge;
  leave(i);
  enter(i, p.cell + (to - at) * stride);
}

template <int D>
std::int64_t HardSpheres<D>::advance(double time, std::int64_t events) {
  for (std::int64_t count = 0; count < events; ++count) {
    const std::int32_t i = heap_.empty() ? -1 : heap_.front();
    if (i < 0 || particles_[static_cast<std::size_t>(i)].due > time) {
      time_ = time;
      return count;
    }
    Particle& p = particles_[static_cast<std::size_t>(i)];
    move(p, p.due);
    time_ = p.clock;
    if (p.partner >= 0) {
      const std::int32_t j = p.partner;
      collide(i, j);
      p.partner = particles_[static_cast<std::size_t>(j)].partner = idle;
      predict(i);
      // Unless the first has found it again at once.
      if (particles_[static_cast<std::size_t>(j)].partner == idle) predict(j);
    } else {
      if (p.partner == crossing) cross(i);
      if (p.partner == wall) {
        p.v[p.axis] = -p.v[p.axis];
        ++wall_hits_;
      }
      predict(i);
    }
  }
  return events;
}

namespace {

/// One after another, what a particle's numbers are: whole ones too are exact as doubles.
template <class Particle, class Function>
void each_number(Particle& p, const Function& function) {
  for (auto& component : p.x) function(component);
  for (auto& component : p.v) function(component);
  function(p.clock);
  function(p.due);
  for (auto* number : {&p.partner, &p.axis, &p.cell, &p.next, &p.before}) function(*number);
}

}  // namespace

template <int D>
std::vector<double> HardSpheres<D>::state() const {
  std::vector<double> state{time_, virial_, static_cast<double>(collisions_),
                            static_cast<double>(wall_hits_)};
  state.reserve(state_size(size()));
  for (const Particle& p : particles_)
    each_number(p, [&](const auto& number) { state.push_back(static_cast<double>(number)); });
  return state;
}

template <int D>
void HardSpheres<D>::restore(std::span<const double> state) {
  time_ = state[0];
  virial_ = state[1];
  collisions_ = static_cast<std::int64_t>(state[2]);
  wall_hits_ = static_cast<std::int64_t>(state[3]);
  std::ranges::fill(first_, -1);
  std::size_t at = 4;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(size()); ++i) {
    Particle& p = particles_[static_cast<std::size_t>(i)];
    each_number(p, [&](auto& number) { number = static_cast<std::decay_t<decltype(number)>>(state[at++]); });
    if (p.before < 0) first_[static_cast<std::size_t>(p.cell)] = i;
  }
  // Whatever its order, a heap hands out one particle after another the same way.
  std::ranges::sort(heap_, [this](std::int32_t a, std::int32_t b) { return earlier(a, b); });
  for (std::size_t place = 0; place < heap_.size(); ++place)
    place_[static_cast<std::size_t>(heap_[place])] = static_cast<std::int32_t>(place);
}

template class HardSpheres<2>;
template class HardSpheres<3>;

}  // namespace cotangent::billiards
