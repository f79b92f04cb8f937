#include "particles/rod_block.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace cotangent::particles {
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

}  // namespace

template <int D>
RodBlock<D>::RodBlock(const RodSystem<D>& system, int rank, int ranks)
    : all_rods_(std::ssize(system.rods)), ranks_(ranks), gravity_(system.gravity), surface_(system.surface) {
  first_rod_ = first_of(rank);
  const std::int64_t last_rod = first_of(rank + 1);
  own_count_ = static_cast<int>(last_rod - first_rod_);

  // The rods at each point, in the order of all.
  const std::size_t points = system.mass.size();
  std::vector<std::size_t> begin(points + 1, 0);
  for (const auto& rod : system.rods) {
    ++begin[static_cast<std::size_t>(rod.first) + 1];
    if (!rod.holds()) ++begin[static_cast<std::size_t>(rod.second) + 1];
  }
  for (std::size_t i = 0; i < points; ++i) begin[i + 1] += begin[i];
  std::vector<std::int64_t> at(begin.back());
  std::vector<std::size_t> filled(begin.begin(), begin.end() - 1);
  for (std::int64_t k = 0; k < all_rods_; ++k) {
    const auto& rod = system.rods[static_cast<std::size_t>(k)];
    for (const std::int64_t end : {rod.first, rod.second}) {
      if (end != nowhere) at[filled[static_cast<std::size_t>(end)]++] = k;
    }
  }

  std::set<std::int64_t> known, near;
  for (std::int64_t k = first_rod_; k < last_rod; ++k) {
    known.insert(known.end(), k);
    const auto& rod = system.rods[static_cast<std::size_t>(k)];
    for (const std::int64_t end : {rod.first, rod.second}) {
      if (end == nowhere) continue;
      near.insert(end);
      const auto i = static_cast<std::size_t>(end);
      if (system.mass[i] == fixed) continue;
      known.insert(at.begin() + static_cast<std::ptrdiff_t>(begin[i]),
                   at.begin() + static_cast<std::ptrdiff_t>(begin[i + 1]));
    }
  }
  rod_.assign(known.begin(), known.end());
  point_.assign(near.begin(), near.end());
  own_begin_ = own_count_ > 0 ? place(first_rod_) : 0;

  std::map<std::int64_t, int> local;
  for (const std::int64_t i : point_) {
    local.emplace_hint(local.end(), i, static_cast<int>(local.size()));
    const auto global = static_cast<std::size_t>(i);
    for (int d = 0; d < D; ++d) {
      position[d].push_back(system.position[global][d]);
      velocity[d].push_back(system.velocity[global][d]);
    }
    for (int d = 0; d < D; ++d) acceleration_[d].push_back(system.mass[global] == fixed ? 0.0 : gravity_[d]);
    mass_.push_back(system.mass[global]);
    inverse_mass_.push_back(1.0 / system.mass[global]);
    const std::int64_t reporter = at[begin[global]];
    owned_.push_back(reporter >= first_rod_ && reporter < last_rod);
  }
  // The point of no concern: it takes what foreign rods do to points that aren't known here.
  inverse_mass_.push_back(0.0);
  const auto place_of = [&](std::int64_t i) {
    const auto found = local.find(i);
    return found == local.end() ? point_count() : found->second;
  };
  for (const std::int64_t k : rod_) {
    const auto& rod = system.rods[static_cast<std::size_t>(k)];
    ends_.push_back({place_of(rod.first), place_of(rod.second)});
    length_.push_back(rod.length);
  }
  for (int d = 0; d < D; ++d) {
    gradient[d].assign(rod_.size(), 0.0);
    moved_[d].assign(inverse_mass_.size(), 0.0);
  }
  old_gradient = gradient;
  predicted_ = before_position_ = position;
  before_velocity_ = velocity;
  find_runs();
}

template <int D>
void RodBlock<D>::find_runs() {
  const auto own_begin = static_cast<std::size_t>(own_begin_),
             own_end = own_begin + static_cast<std::size_t>(own_count_);
  for (std::size_t k = 0; k < ends_.size(); ++k) {
    const auto first = static_cast<std::size_t>(ends_[k][0]), second = static_cast<std::size_t>(ends_[k][1]);
    const bool goes_on = !runs_.empty() && k != own_begin && k != own_end &&
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

}  // namespace cotangent::particles
