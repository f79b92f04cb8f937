// SPDX-License-Identifier: BSD-3-Clause
#include "rods/block.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/release.hpp"
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

template <int D, class PointVectors>
auto pointers(PointVectors& field, std::size_t from) {
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
    : KnownRods(share.rod_runs, share.point_runs, share.rods),
      extent_(share.extent()),
      gravity_(share.gravity),
      surface_(share.surface) {
  share.check();
  take_points(share);
  share.position = share.velocity = {};
  release(share.mass);
  length_ = find_rods(share.rods, [this](int point) { return moves(point); });
  release(share.rods);
  // The point of no concern: it takes what foreign rods do to points that aren't known here.
  inverse_mass_.push_back(0.0);
  for (int d = 0; d < D; ++d) {
    gradient[d].assign(length_.size(), 0.0);
    moved[d].assign(inverse_mass_.size(), 0.0);
  }
  old_gradient = gradient;
  predicted = before_position_ = position;
  before_velocity_ = velocity;
  find_series();
}

/// Where the known points are at the beginning.
template <int D>
void RodBlock<D>::take_points(const RodShare<D>& share) {
  struct Start {
    std::array<double, D> position, velocity;
    double mass;
  };
  for (auto* field : {&position, &velocity, &acceleration_}) {
    for (auto& part : *field) part.reserve(static_cast<std::size_t>(point_count()));
  }
  const auto tell = [&](std::int64_t point) {
    const std::size_t i = share.at(point);
    return Start{share.position[i], share.velocity[i], share.mass[i]};
  };
  find_points(tell, [&](const Start& start) {
    for (int d = 0; d < D; ++d) {
      position[d].push_back(start.position[d]);
      velocity[d].push_back(start.velocity[d]);
      acceleration_[d].push_back(start.mass == fixed ? 0.0 : gravity_[d]);
    }
    mass_.push_back(start.mass);
    inverse_mass_.push_back(1.0 / start.mass);
  });
}

template <int D>
std::vector<double> RodBlock<D>::reported(const PointVectors& field) const {
  std::vector<double> rows;
  rows.reserve(D * static_cast<std::size_t>(reported_count()));
  for (int i = 0; i < point_count(); ++i) {
    for (int d = 0; d < D && owns_point(i); ++d) rows.push_back(field[d][static_cast<std::size_t>(i)]);
  }
  return rows;
}

template <int D>
void RodBlock<D>::take_reported(std::span<const double> rows, PointVectors& field) const {
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

template <int D>
void RodBlock<D>::check_start(double tolerance) const {
  const double far_off = tolerance * extent_, noise = 16 * std::numeric_limits<double>::epsilon() * extent_;
  parallel::agree([&] {
    for (int k = 0; k < own_count(); ++k) {
      const int known = own_begin() + k, first = first_end(known), second = second_end(known);
      const auto a = static_cast<std::size_t>(first);
      const auto q = at(position, a), v = at(velocity, a);
      if (second < 0) {
        const auto [value, slope] = surface_->level(q);
        const double size = std::sqrt(product<D>(slope, slope)), rate = product<D>(slope, v) / size;
        if (!(std::abs(value) <= far_off * size))
          refuse("point ", point(first), " is off the surface by ", value / size);
        if (!(std::abs(rate) <= tolerance * std::sqrt(product<D>(v, v))))
          refuse("point ", point(first), " would leave the surface at a rate of ", rate,
                 ": its velocity isn't tangent");
        continue;
      }
      const auto b = static_cast<std::size_t>(second);
      const auto other_v = at(velocity, b);
      const auto r = difference<D>(q, at(position, b)), w = difference<D>(v, other_v);
      const double apart = std::sqrt(product<D>(r, r)), length = length_[static_cast<std::size_t>(known)];
      if (!(std::abs(apart - length) <= std::max(tolerance * length, noise)))
        refuse("rod ", rod(known), " is ", length, " long, and its points ", point(first), " and ",
               point(second), " are ", apart, " apart");
      const double along = product<D>(r, w) / apart;
      const double speed = std::sqrt(product<D>(v, v)) + std::sqrt(product<D>(other_v, other_v));
      if (!(std::abs(along) <= tolerance * speed))
        refuse("rod ", rod(known), " would change its length at a rate of ", along,
               ": the velocities of its points aren't tangent");
    }
  });
}

template <int D>
void RodBlock<D>::find_series() {
  const std::size_t own_first = static_cast<std::size_t>(own_begin()), all = length_.size(),
                    own_end = own_first + static_cast<std::size_t>(own_count());
  const auto ends_of = [this](std::size_t k) { return ends(static_cast<int>(k)); };
  own_series_ = series_of(ends_of, own_first, own_end, point_count());
  series_ = series_of(ends_of, 0, own_first, point_count());
  const auto after = series_of(ends_of, own_end, all, point_count());
  series_.insert(series_.end(), own_series_.begin(), own_series_.end());
  series_.insert(series_.end(), after.begin(), after.end());
  for (std::size_t k = own_first; k < own_end; ++k) {
    const auto [first, second] = ends_of(k);
    if (second == point_count()) holds_.push_back({k, static_cast<std::size_t>(first)});
  }
}

template <int D>
double RodBlock<D>::weight(int own, int known) const {
  double sum = 0;
  const auto &a = ends(own), &b = ends(known);
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
    double* __restrict next = predicted[d].data();
    for (std::size_t i = 0; i < position[d].size(); ++i) next[i] = q[i] + h * (v[i] + half * a[i]);
  }
}

template <int D>
void RodBlock<D>::feel(const PointVectors& force, double h) {
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
void RodBlock<D>::spread(std::span<const double> x, const PointVectors& along, PointVectors& to) const {
  // First all second ends, then all first ones: the order at a point is the same on every rank.
  for (auto& part : to) std::ranges::fill(part, 0.0);
  const auto add = [&](const RodSeries& series, std::size_t end, double sign) {
    if (end == position[0].size()) return;  // the point of no concern
    const double *y = x.data() + series.begin, *w = inverse_mass_.data() + end;
    for (int d = 0; d < D; ++d) {
      const double* G = along[d].data() + series.begin;
      double* __restrict at = to[d].data() + end;
      in_strides(series, [&](auto rods, auto points) {
        for (std::size_t k = 0; k < series.count; ++k)
          at[k * points] += sign * (w[k * points] * (y[k * rods] * G[k * rods]));
      });
    }
  };
  for (const RodSeries& series : series_) add(series, series.second, -1.0);
  for (const RodSeries& series : series_) add(series, series.first, 1.0);
}

template <int D>
double RodBlock<D>::constrain(std::span<const double> multiplier, std::span<double> g) {
  spread(multiplier, old_gradient, moved);
  return measure_at(
      [this](int d, std::size_t from) {
        return [q = predicted[d].data() + from, m = moved[d].data() + from](std::size_t k) {
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

/// Of own holds, many at once: the surface takes them in lanes.
template <int D>
template <class Place>
double RodBlock<D>::measure_holds(const Place& place, std::span<double> g) {
  constexpr std::size_t most = 64;
  using Row = std::array<double, most>;
  Row value;
  std::array<Row, D> q, slope;
  typename HoldingSurface<D>::Levels levels{0, {}, value.data(), {}};
  for (int d = 0; d < D; ++d) {
    levels.q[d] = q[d].data();
    levels.gradient[d] = slope[d].data();
  }
  Largest worst;
  for (std::size_t begin = 0; begin < holds_.size(); begin += most) {
    const std::span rows(holds_.data() + begin, levels.count = std::min(most, holds_.size() - begin));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (int d = 0; d < D; ++d) q[d][k] = place(d, rows[k].point)(0);
    }
    surface_->find(levels);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::array<double, D> G;
      for (int d = 0; d < D; ++d) gradient[d][rows[k].known] = G[d] = slope[d][k];
      g[rows[k].known - static_cast<std::size_t>(own_begin())] = value[k];
      worst.see(value[k] * value[k] / product<D>(G, G));
    }
  }
  return worst.value();
}

template <int D>
template <class Place>
double RodBlock<D>::measure_at(const Place& place, std::span<double> g) {
  Largest worst;  // of the squares: no root is taken
  worst.see(measure_holds(place, g));
  for (const RodSeries& series : own_series_) {
    const auto slope = pointers<D>(gradient, series.begin);
    const double* length = length_.data() + series.begin;
    double* __restrict value = g.data() + (series.begin - static_cast<std::size_t>(own_begin()));
    if (holds(series)) continue;
    const auto ends = [&]<int... d>(std::integer_sequence<int, d...>) {
      return std::tuple(std::pair(place(d, series.first), place(d, series.second))...);
    }
    (std::make_integer_sequence<int, D>{});
    in_strides(series, [&](auto rods, auto points) {
#pragma GCC ivdep
      for (std::size_t k = 0; k < series.count; ++k) {
        const auto r = std::apply(
            [i = k * points](const auto&... end) {
              return std::array<double, D>{(end.first(i) - end.second(i))...};
            },
            ends);
        const auto constraint = RodConstraint{}(ad::seed<0, D, 1, 0>(r), length[k * rods]);
        const auto G = ad::gradient_of<D>(constraint);
        const double off = ad::value(constraint);
        value[k * rods] = off;
        for (int d = 0; d < D; ++d) slope[d][k * rods] = G[d];
        worst.see(off * off / product<D>(G, G));
      }
    });
  }
  return std::sqrt(worst.value());
}

template <int D>
void RodBlock<D>::accept(double h) {
  before_position_.swap(position);
  before_velocity_.swap(velocity);
  const double rate = h == 0 ? 0.0 : 1.0 / h;
  for (int d = 0; d < D; ++d) {
    const double *from = predicted[d].data(), *way = moved[d].data(), *before = before_velocity_[d].data(),
                 *a = acceleration_[d].data();
    double* __restrict q = position[d].data(), * __restrict v = velocity[d].data();
    for (std::size_t i = 0; i < position[d].size(); ++i) {
      q[i] = from[i] + way[i];
      v[i] = before[i] + (h * a[i] + way[i] * rate);
    }
  }
}

template <int D>
void RodBlock<D>::revert() {
  before_position_.swap(position);
  before_velocity_.swap(velocity);
}

template <int D>
auto RodBlock<D>::rates(std::span<double> rate) const -> Rates {
  Largest worst, fastest;
  fastest.see(std::numeric_limits<double>::min());
  for (const RodSeries& series : own_series_) {
    double* __restrict value = rate.data() + (series.begin - static_cast<std::size_t>(own_begin()));
    if (holds(series)) {
      for (std::size_t k = 0; k < series.count; ++k) {
        const auto v = at(velocity, series.first + k * series.points),
                   slope = at(gradient, series.begin + k * series.rods);
        const double along = product<D>(slope, v);
        value[k * series.rods] = along;
        worst.see(along * along / product<D>(slope, slope));
        fastest.see(product<D>(v, v));
      }
      continue;
    }
    const auto a = pointers<D>(velocity, series.first), b = pointers<D>(velocity, series.second),
               G = pointers<D>(gradient, series.begin);
    in_strides(series, [&](auto rods, auto points) {
#pragma GCC ivdep
      for (std::size_t k = 0; k < series.count; ++k) {
        const std::size_t rod = k * rods, i = k * points;
        double along = 0, square = 0, speed = 0;
        for (int d = 0; d < D; ++d) {
          along += G[d][rod] * (a[d][i] - b[d][i]);
          square += G[d][rod] * G[d][rod];
          speed += a[d][i] * a[d][i] + b[d][i] * b[d][i];
        }
        value[rod] = along;
        worst.see(along * along / square);
        fastest.see(speed);
      }
    });
  }
  return {worst.value(), fastest.value()};
}

template <int D>
void RodBlock<D>::push(std::span<const double> multiplier, double factor) {
  spread(multiplier, gradient, moved);
  for (int d = 0; d < D; ++d) {
    for (std::size_t i = 0; i < velocity[d].size(); ++i) velocity[d][i] += factor * moved[d][i];
  }
}

template <int D>
void RodBlock<D>::accelerations(std::span<double> result) const {
  for (int k = 0; k < own_count(); ++k) {
    const auto known = static_cast<std::size_t>(own_begin() + k);
    const auto [first, second] = ends(own_begin() + k);
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
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
void RodBlock<D>::apply(std::span<const double> x, const PointVectors& left, const PointVectors& right,
                        std::span<double> y) const {
  PointVectors way = moved;
  spread(x, right, way);
  for (int k = 0; k < own_count(); ++k) {
    const auto known = static_cast<std::size_t>(own_begin() + k);
    const auto [first, second] = ends(own_begin() + k);
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
    double sum = 0;
    for (int d = 0; d < D; ++d) sum += left[d][known] * (way[d][a] - way[d][b]);
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
    if (!owns_point(static_cast<int>(i)) || mass_[i] == fixed) continue;
    for (int d = 0; d < D; ++d) sum += 0.5 * mass_[i] * (velocity[d][i] * velocity[d][i]);
  }
  return sum;
}

template <int D>
double RodBlock<D>::potential_energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    if (!owns_point(static_cast<int>(i)) || mass_[i] == fixed) continue;
    for (int d = 0; d < D; ++d) sum -= mass_[i] * gravity_[d] * position[d][i];
  }
  return sum;
}

template class RodBlock<2>;
template class RodBlock<3>;

}  // namespace cotangent::rods
