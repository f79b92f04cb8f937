// SPDX-License-Identifier: BSD-3-Clause
#include "rods/block.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "rods/refuse.hpp"

namespace cotangent::rods {

using detail::refuse;
namespace {

/// The largest of nonnegative numbers, NaN being larger than all: their bits are ordered as they are, and
/// integers can be compared many at a time.
class Largest {
 public:
  // The sign is masked by hand: of a square the compiler knows that it is none, and a NaN has one all the
  // same.
  void see(double x) { bits_ = std::max(bits_, std::bit_cast<std::int64_t>(x) & 0x7fffffffffffffff); }
  double value() const {
    const double x = std::bit_cast<double>(bits_);
    return x < std::numeric_limits<double>::infinity() ? x : std::numeric_limits<double>::infinity();
  }

 private:
  std::int64_t bits_ = 0;
};

template <int D, class Field>
auto pointers(Field& field, std::size_t from) {
  std::array<decltype(field[0].data()), D> result;
  for (int d = 0; d < D; ++d) result[d] = field[d].data() + from;
  return result;
}

template <int D>
double product(const std::array<double, D>& a, const std::array<double, D>& b) {
  double sum = a[0] * b[0];
  for (int d = 1; d < D; ++d) sum += a[d] * b[d];
  return sum;
}

template <int D>
std::array<double, D> difference(const std::array<double, D>& a, const std::array<double, D>& b) {
  std::array<double, D> result;
  for (int d = 0; d < D; ++d) result[d] = a[d] - b[d];
  return result;
}

}  // namespace

template <int D>
RodBlock<D>::RodBlock(RodShare<D> share)
    : rod_runs_(share.rod_runs),
      point_runs_(share.point_runs),
      extent_(share.extent()),
      first_rod_(share.first_rod()),
      own_count_(static_cast<int>(share.rods.size())),
      here_(parallel::rank()),
      gravity_(share.gravity),
      surface_(share.surface) {
  share.check();
  find_points(share);
  share.position = share.velocity = {};
  share.mass = {};
  const std::vector<NumberedRod> foreign = ask_for_rods(share.rods);
  for (const auto& [rod, number] : foreign) foreign_.push_back(number);
  own_begin_ = static_cast<int>(std::ranges::lower_bound(foreign_, first_rod_) - foreign_.begin());

  // The point of no concern: it takes what foreign rods do to points that aren't known here.
  inverse_mass_.push_back(0.0);
  const std::size_t known = foreign.size() + share.rods.size();
  ends_.reserve(known);
  length_.reserve(known);
  const auto take = [&](const Rod& rod) {
    const auto place = [&](std::int64_t point) {
      const int at = place_of_point(point);
      return at < point_count() && point_[static_cast<std::size_t>(at)] == point ? at : point_count();
    };
    ends_.push_back({place(rod.first), place(rod.second)});
    length_.push_back(rod.length);
  };
  const auto own_begin = foreign.begin() + own_begin_;
  for (auto next = foreign.begin(); next != own_begin; ++next) take(next->rod);
  std::ranges::for_each(share.rods, take);
  for (auto next = own_begin; next != foreign.end(); ++next) take(next->rod);
  share.rods = {};
  for (int d = 0; d < D; ++d) {
    gradient[d].assign(known, 0.0);
    moved_[d].assign(inverse_mass_.size(), 0.0);
  }
  old_gradient = gradient;
  predicted_ = before_position_ = position;
  before_velocity_ = velocity;
  find_runs();
}

/// Points are kept by formula, and known wherever a rod ends at them: whoever keeps one tells those who know
/// it where it is and of each other.
template <int D>
void RodBlock<D>::find_points(const RodShare<D>& share) {
  for (const Rod& rod : share.rods) {
    point_.push_back(rod.first);
    if (!rod.holds()) point_.push_back(rod.second);
  }
  std::ranges::sort(point_);
  point_.erase(std::unique(point_.begin(), point_.end()), point_.end());
  point_.shrink_to_fit();

  struct Start {
    std::array<double, D> position, velocity;
    double mass;
  };
  std::vector<int> whom;
  std::vector<std::int64_t> about;
  for (const std::int64_t point : point_) {
    if (share.has(point)) continue;
    whom.push_back(point_runs_.rank_of(point));
    about.push_back(point);
  }
  using Asker = std::pair<std::int64_t, std::int32_t>;
  std::vector<Asker> askers;  // of points that are kept here
  const std::vector<Start> starts = parallel::ask(whom, about, [&](std::int64_t point, int asker) {
    askers.emplace_back(point, asker);
    const std::size_t i = share.at(point);
    return Start{share.position[i], share.velocity[i], share.mass[i]};
  });
  auto next = starts.begin();
  for (auto* field : {&position, &velocity, &acceleration_}) {
    for (auto& part : *field) part.reserve(point_.size());
  }
  for (const std::int64_t point : point_) {
    const std::size_t i = share.at(point);
    const Start start =
        share.has(point) ? Start{share.position[i], share.velocity[i], share.mass[i]} : *next++;
    for (int d = 0; d < D; ++d) {
      position[d].push_back(start.position[d]);
      velocity[d].push_back(start.velocity[d]);
      acceleration_[d].push_back(start.mass == fixed ? 0.0 : gravity_[d]);
    }
    mass_.push_back(start.mass);
    inverse_mass_.push_back(1.0 / start.mass);
  }

  // Of the points kept here, by whom each is known, in the order of the ranks.
  std::vector<char> joined(share.mass.size(), 0);
  for (const auto& asker : askers) joined[share.at(asker.first)] = 1;
  for (const std::int64_t point : point_) {
    if (!share.has(point)) continue;
    if (std::exchange(joined[share.at(point)], 1) != 0) askers.emplace_back(point, here_);
  }
  parallel::agree([&] {
    const auto lonely = std::ranges::find(joined, 0);
    if (lonely != joined.end())
      refuse("point ", share.first_point() + (lonely - joined.begin()), " has no rod");
  });
  std::ranges::sort(askers);
  std::vector<std::vector<std::int64_t>> tell(static_cast<std::size_t>(point_runs_.ranks));
  for (auto one = askers.begin(); one != askers.end();) {
    const auto end = std::ranges::upper_bound(one, askers.end(), one->first, {}, &Asker::first);
    for (auto to = one; to != end && end - one > 1; ++to) {
      auto& text = tell[static_cast<std::size_t>(to->second)];
      text.insert(text.end(), {one->first, end - one});
      for (auto rank = one; rank != end; ++rank) text.push_back(rank->second);
    }
    one = end;
  }
  const std::vector<std::int64_t> told = parallel::exchange(std::move(tell));
  for (auto word = told.begin(); word != told.end();) {
    const int point = place_of_point(*word++);
    const auto count = static_cast<std::size_t>(*word++);
    shared_.push_back({point, sharers_.size(), sharers_.size() + count});
    for (std::size_t k = 0; k < count; ++k) sharers_.push_back(static_cast<std::int32_t>(*word++));
  }
  for (int i = 0; i < point_count(); ++i) owned_.push_back(ranks_of(i).front() == here_);
}

template <int D>
std::span<const std::int32_t> RodBlock<D>::ranks_of(int i) const {
  const auto found = std::ranges::lower_bound(shared_, i, {}, &Shared::point);
  if (found == shared_.end() || found->point != i) return {&here_, 1};
  return std::span(sharers_).subspan(found->begin, found->end - found->begin);
}

template <int D>
std::vector<std::int64_t> RodBlock<D>::reported() const {
  std::vector<std::int64_t> points;
  for (int i = 0; i < point_count(); ++i) {
    if (owns_point(i)) points.push_back(point(i));
  }
  return points;
}

template <int D>
std::vector<double> RodBlock<D>::reported(const Field& field) const {
  std::vector<double> rows;
  rows.reserve(D * owned_.size());
  for (std::size_t i = 0; i < owned_.size(); ++i) {
    for (int d = 0; d < D && owned_[i] != 0; ++d) rows.push_back(field[d][i]);
  }
  return rows;
}

template <int D>
void RodBlock<D>::take_reported(std::span<const double> rows, Field& field) const {
  std::vector<int> whom, copies;
  std::vector<std::int64_t> about;
  auto next = rows.begin();
  for (int i = 0; i < point_count(); ++i) {
    if (owns_point(i)) {
      for (int d = 0; d < D; ++d) field[d][static_cast<std::size_t>(i)] = *next++;
    } else {
      whom.push_back(ranks_of(i).front());
      about.push_back(point(i));
      copies.push_back(i);
    }
  }
  const auto answers = parallel::ask(whom, about, [&](std::int64_t point, int) {
    return at(field, static_cast<std::size_t>(place_of_point(point)));
  });
  for (std::size_t k = 0; k < copies.size(); ++k) {
    for (int d = 0; d < D; ++d)
      field[d][static_cast<std::size_t>(copies[k])] = answers[k][static_cast<std::size_t>(d)];
  }
}

/// Other ranks' rods that end at moving points known here, in their order.
template <int D>
auto RodBlock<D>::ask_for_rods(const std::vector<Rod>& own) const -> std::vector<NumberedRod> {
  std::vector<std::vector<NumberedRod>> tell(static_cast<std::size_t>(rod_runs_.ranks));
  parallel::agree([&] {
    for (std::size_t k = 0; k < own.size(); ++k) {
      const std::int64_t number = first_rod_ + static_cast<std::int64_t>(k);
      int still = 0;
      for (const std::int64_t end : {own[k].first, own[k].second}) {
        if (end == nowhere) continue;
        const int i = place_of_point(end);
        if (!moves(i)) {
          if (own[k].holds()) refuse("rod ", number, " holds a point that is fixed");
          if (++still == 2) refuse("rod ", number, " joins two fixed points");
          continue;
        }
        for (const std::int32_t rank : ranks_of(i)) {
          auto& list = tell[static_cast<std::size_t>(rank)];
          if (rank != here_ && (list.empty() || list.back().number != number))
            list.push_back({own[k], number});
        }
      }
    }
  });
  return parallel::exchange(std::move(tell));
}

template <int D>
void RodBlock<D>::check_start(double tolerance) const {
  const double far_off = tolerance * extent_;
  parallel::agree([&] {
    for (int k = 0; k < own_count_; ++k) {
      const auto known = static_cast<std::size_t>(own_begin_ + k);
      const auto a = static_cast<std::size_t>(ends_[known][0]);
      const auto q = at(position, a), v = at(velocity, a);
      if (second_end(own_begin_ + k) < 0) {
        const auto [value, slope] = surface_->level(q);
        const double size = std::sqrt(product<D>(slope, slope)), rate = product<D>(slope, v) / size;
        if (!(std::abs(value) <= far_off * size))
          refuse("point ", point_[a], " is off the surface by ", value / size);
        if (!(std::abs(rate) <= tolerance * std::sqrt(product<D>(v, v))))
          refuse("point ", point_[a], " would leave the surface at a rate of ", rate,
                 ": its velocity isn't tangent");
        continue;
      }
      const auto b = static_cast<std::size_t>(ends_[known][1]);
      const auto other_v = at(velocity, b);
      const auto r = difference<D>(q, at(position, b)), w = difference<D>(v, other_v);
      const double apart = std::sqrt(product<D>(r, r)), length = length_[known];
      if (!(std::abs(apart - length) <= tolerance * length))
        refuse("rod ", first_rod_ + k, " is ", length, " long, and its points ", point_[a], " and ",
               point_[b], " are ", apart, " apart");
      const double along = product<D>(r, w) / apart;
      const double speed = std::sqrt(product<D>(v, v)) + std::sqrt(product<D>(other_v, other_v));
      if (!(std::abs(along) <= tolerance * speed))
        refuse("rod ", first_rod_ + k, " would change its length at a rate of ", along,
               ": the velocities of its points aren't tangent");
    }
  });
}

template <int D>
void RodBlock<D>::find_runs() {
  const auto own_begin = static_cast<std::size_t>(own_begin_),
             own_end = own_begin + static_cast<std::size_t>(own_count_);
  for (std::size_t k = 0; k < ends_.size(); ++k) {
    const auto first = static_cast<std::size_t>(ends_[k][0]), second = static_cast<std::size_t>(ends_[k][1]);
    // A hold, whose second end follows the last point, is a run by itself.
    const bool goes_on = !runs_.empty() && k != own_begin && k != own_end && second < position[0].size() &&
                         first == runs_.back().first + runs_.back().count &&
                         second == runs_.back().second + runs_.back().count;
    if (goes_on) {
      ++runs_.back().count;
    } else {
      runs_.push_back({k, 1, first, second});
    }
  }
  for (const Run& run : runs_) {
    if (run.begin >= own_begin && run.begin < own_end) own_runs_.push_back(run);
  }
}

template <int D>
std::vector<int> RodBlock<D>::foreign() const {
  std::vector<int> list;
  for (int k = 0; k < known_count(); ++k) {
    if (k < own_begin_ || k >= own_begin_ + own_count_) list.push_back(k);
  }
  return list;
}

template <int D>
double RodBlock<D>::weight(int own, int known) const {
  double sum = 0;
  const auto& a = ends_[static_cast<std::size_t>(own)];
  const auto& b = ends_[static_cast<std::size_t>(known)];
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      if (a[i] == b[j]) sum += (i == j ? 1.0 : -1.0) * inverse_mass_[static_cast<std::size_t>(a[i])];
    }
  }
  return sum;
}

template <int D>
void RodBlock<D>::predict(double h) {
  for (int d = 0; d < D; ++d) {
    const double half = 0.5 * h;
    const double *q = position[d].data(), *v = velocity[d].data(), *a = acceleration_[d].data();
    double* __restrict next = predicted_[d].data();
    for (std::size_t i = 0; i < position[d].size(); ++i) next[i] = q[i] + h * (v[i] + half * a[i]);
  }
}

template <int D>
void RodBlock<D>::feel(const Field& force, double h) {
  for (int d = 0; d < D; ++d) {
    const double *f = force[d].data(), *w = inverse_mass_.data();
    double* __restrict a = acceleration_[d].data(), * __restrict v = velocity[d].data();
    for (std::size_t i = 0; i < position[d].size(); ++i) {
      const double now = w[i] > 0 ? gravity_[d] + w[i] * f[i] : 0.0;
      v[i] += 0.5 * h * (now - a[i]);
      a[i] = now;
    }
  }
}

template <int D>
void RodBlock<D>::spread(std::span<const double> x, const Field& along, Field& moved) const {
  // First all second ends, then all first ones: the order at a point is the same on every rank.
  for (auto& part : moved) std::ranges::fill(part, 0.0);
  for (const Run& run : runs_) {
    const double *y = x.data() + run.begin, *w = inverse_mass_.data() + run.second;
    for (int d = 0; d < D; ++d) {
      const double* G = along[d].data() + run.begin;
      double* __restrict at = moved[d].data() + run.second;
      for (std::size_t k = 0; k < run.count; ++k) at[k] -= w[k] * (y[k] * G[k]);
    }
  }
  for (const Run& run : runs_) {
    const double *y = x.data() + run.begin, *w = inverse_mass_.data() + run.first;
    for (int d = 0; d < D; ++d) {
      const double* G = along[d].data() + run.begin;
      double* __restrict at = moved[d].data() + run.first;
      for (std::size_t k = 0; k < run.count; ++k) at[k] += w[k] * (y[k] * G[k]);
    }
  }
}

template <int D>
double RodBlock<D>::constrain(std::span<const double> multiplier, std::span<double> g) {
  spread(multiplier, old_gradient, moved_);
  return measure_at(
      [this](int d, std::size_t from) {
        return [q = predicted_[d].data() + from, m = moved_[d].data() + from](std::size_t k) {
          return q[k] + m[k];
        };
      },
      g);
}

template <int D>
double RodBlock<D>::measure(std::span<double> g) {
  return measure_at(
      [this](int d, std::size_t from) {
        return [q = position[d].data() + from](std::size_t k) { return q[k]; };
      },
      g);
}

template <int D>
template <class Place>
double RodBlock<D>::measure_at(const Place& place, std::span<double> g) {
  Largest worst;  // of the squares: no root is taken
  for (const Run& run : own_runs_) {
    const auto slope = pointers<D>(gradient, run.begin);
    const double* length = length_.data() + run.begin;
    double* __restrict value = g.data() + (run.begin - static_cast<std::size_t>(own_begin_));
    if (holds(run)) {
      std::array<double, D> q;
      for (int d = 0; d < D; ++d) q[d] = place(d, run.first)(0);
      const auto [level, G] = surface_->level(q);
      value[0] = level;
      for (int d = 0; d < D; ++d) slope[d][0] = G[d];
      worst.see(level * level / product<D>(G, G));
      continue;
    }
    const auto ends = [&]<int... d>(std::integer_sequence<int, d...>) {
      return std::tuple(std::pair(place(d, run.first), place(d, run.second))...);
    }
    (std::make_integer_sequence<int, D>{});
#pragma GCC ivdep
    for (std::size_t k = 0; k < run.count; ++k) {
      const auto r = std::apply(
          [k](const auto&... end) { return std::array<double, D>{(end.first(k) - end.second(k))...}; }, ends);
      const auto constraint = RodConstraint{}(ad::seed<0, D, 1, 0>(r), length[k]);
      const auto G = ad::gradient_of<D>(constraint);
      value[k] = ad::value(constraint);
      for (int d = 0; d < D; ++d) slope[d][k] = G[d];
      worst.see(value[k] * value[k] / product<D>(G, G));
    }
  }
  return std::sqrt(worst.value());
}

template <int D>
void RodBlock<D>::accept(double h) {
  before_position_.swap(position);
  before_velocity_.swap(velocity);
  const double rate = h == 0 ? 0.0 : 1.0 / h;
  for (int d = 0; d < D; ++d) {
    const double *from = predicted_[d].data(), *moved = moved_[d].data(),
                 *before = before_velocity_[d].data(), *a = acceleration_[d].data();
    double* __restrict q = position[d].data(), * __restrict v = velocity[d].data();
    for (std::size_t i = 0; i < position[d].size(); ++i) {
      q[i] = from[i] + moved[i];
      v[i] = before[i] + (h * a[i] + moved[i] * rate);
    }
  }
}

template <int D>
void RodBlock<D>::revert() {
  before_position_.swap(position);
  before_velocity_.swap(velocity);
}

template <int D>
double RodBlock<D>::rates(std::span<double> rate) const {
  Largest worst, fastest;
  fastest.see(std::numeric_limits<double>::min());
  for (const Run& run : own_runs_) {
    double* __restrict value = rate.data() + (run.begin - static_cast<std::size_t>(own_begin_));
    if (holds(run)) {
      const auto v = at(velocity, run.first), slope = at(gradient, run.begin);
      value[0] = product<D>(slope, v);
      worst.see(value[0] * value[0] / product<D>(slope, slope));
      fastest.see(product<D>(v, v));
      continue;
    }
    const auto a = pointers<D>(velocity, run.first), b = pointers<D>(velocity, run.second),
               G = pointers<D>(gradient, run.begin);
#pragma GCC ivdep
    for (std::size_t k = 0; k < run.count; ++k) {
      double along = 0, square = 0, speed = 0;
      for (int d = 0; d < D; ++d) {
        along += G[d][k] * (a[d][k] - b[d][k]);
        square += G[d][k] * G[d][k];
        speed += a[d][k] * a[d][k] + b[d][k] * b[d][k];
      }
      value[k] = along;
      worst.see(along * along / square);
      fastest.see(speed);
    }
  }
  return std::sqrt(worst.value() / fastest.value());
}

template <int D>
void RodBlock<D>::push(std::span<const double> multiplier, double factor) {
  spread(multiplier, gradient, moved_);
  for (int d = 0; d < D; ++d) {
    for (std::size_t i = 0; i < velocity[d].size(); ++i) velocity[d][i] += factor * moved_[d][i];
  }
}

template <int D>
void RodBlock<D>::accelerations(std::span<double> result) const {
  for (int k = 0; k < own_count_; ++k) {
    const auto known = static_cast<std::size_t>(own_begin_ + k);
    const auto a = static_cast<std::size_t>(ends_[known][0]), b = static_cast<std::size_t>(ends_[known][1]);
    std::array<double, D> r, w, f;
    if (b == position[0].size()) {
      f = at(acceleration_, a);
      const auto q = at(position, a);
      result[static_cast<std::size_t>(k)] =
          product<D>(surface_->level(q).gradient, f) + surface_->curvature(q, at(velocity, a));
      continue;
    }
    for (int d = 0; d < D; ++d) {
      r[d] = position[d][a] - position[d][b];
      w[d] = velocity[d][a] - velocity[d][b];
      f[d] = acceleration_[d][a] - acceleration_[d][b];
    }
    const auto g = RodConstraint{}(ad::seed<0, D, 2, 0>(r), length_[known]);
    double sum = product<D>(ad::gradient_of<D>(g), f);
    const auto H = ad::hessian_of<D>(g);
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) sum += w[i] * H[i][j] * w[j];
    }
    result[static_cast<std::size_t>(k)] = sum;
  }
}

template <int D>
void RodBlock<D>::apply(std::span<const double> x, const Field& left, const Field& right,
                        std::span<double> y) const {
  Field moved = moved_;
  spread(x, right, moved);
  for (int k = 0; k < own_count_; ++k) {
    const auto known = static_cast<std::size_t>(own_begin_ + k);
    const auto a = static_cast<std::size_t>(ends_[known][0]), b = static_cast<std::size_t>(ends_[known][1]);
    double sum = 0;
    for (int d = 0; d < D; ++d) sum += left[d][known] * (moved[d][a] - moved[d][b]);
    y[static_cast<std::size_t>(k)] = sum;
  }
}

template <int D>
double RodBlock<D>::reach() const {
  Largest largest;
  for (const auto& part : position) {
    for (const double x : part) largest.see(x);
  }
  return largest.value();
}

template <int D>
double RodBlock<D>::kinetic_energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    if (!owned_[i] || mass_[i] == fixed) continue;
    for (int d = 0; d < D; ++d) sum += 0.5 * mass_[i] * (velocity[d][i] * velocity[d][i]);
  }
  return sum;
}

template <int D>
double RodBlock<D>::potential_energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    if (!owned_[i] || mass_[i] == fixed) continue;
    for (int d = 0; d < D; ++d) sum -= mass_[i] * gravity_[d] * position[d][i];
  }
  return sum;
}

template class RodBlock<2>;
template class RodBlock<3>;

}  // namespace cotangent::rods
