// SPDX-License-Identifier: BSD-3-Clause
#include "rods/alike_molecules.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "ad/ad.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::rods {
namespace {

/// Rows of a molecule that goes in lanes, at most: a pack of larger ones is too large for the caches.
constexpr int most_rows = 64;

/// One number of each of some molecules, `stride` apart.
template <class R, std::size_t... k>
[[gnu::always_inline]] inline R strided(const double* from, std::size_t stride, std::index_sequence<k...>) {
  return R(typename R::Vector{from[k * stride]...});
}
template <class R>
[[gnu::always_inline]] inline R strided(const double* from, std::size_t stride) {
  if constexpr (R::width > numerics::native_width) {
    using Half = typename R::Half;
    return R(strided<Half>(from, stride), strided<Half>(from + Half::width * stride, stride));
  } else {
    return strided<R>(from, stride, std::make_index_sequence<R::width>{});
  }
}
/// Where there are fewer of them than lanes, the last fills these.
template <class R>
[[gnu::always_inline]] inline R strided(const double* from, std::size_t stride, std::size_t count) {
  if (count == R::width) [[likely]]
    return strided<R>(from, stride);
  R result;
  for (std::size_t k = 0; k < R::width; ++k)
    result.set(static_cast<int>(k), from[std::min(k, count - 1) * stride]);
  return result;
}
template <class R>
[[gnu::always_inline]] inline void store_strided(const R& x, double* to, std::size_t stride,
                                                 std::size_t count) {
  if (count == R::width) [[likely]] {
    for (std::size_t k = 0; k < R::width; ++k) to[k * stride] = x[static_cast<int>(k)];
  } else {
    for (std::size_t k = 0; k < count; ++k) to[k * stride] = x[static_cast<int>(k)];
  }
}

template <class R, std::size_t D>
[[gnu::always_inline]] inline R product(const std::array<R, D>& a, const std::array<R, D>& b) {
  R sum = a[0] * b[0];
  for (std::size_t d = 1; d < D; ++d) sum = fma(a[d], b[d], sum);
  return sum;
}

template <class R>
double largest(const R& x) {
  double result = 0;
  for (int k = 0; k < R::width; ++k) result = std::max(result, x[k]);
  return result;
}

/// The largest of what is taken; NaN where one is.
template <class R>
struct Largest {
  R most = R(0.0), sum = R(0.0);
  [[gnu::always_inline]] void take(const R& x) {
    most = max(x, most);
    sum += x;
  }
  R value() const { return select(sum == sum, most, sum); }
};

/// Whether rods and points are so many copies of the first `rows` and `points` of them.
template <int D>
bool repeats(const RodBlock<D>& block, int rows, int points) {
  for (int k = 0; k < block.own_count(); ++k) {
    const int past = k - rows;
    if (past >= 0 && block.length(k) != block.length(past)) return false;
    for (const auto& [end, before] :
         {std::pair(block.first_end(k), past < 0 ? 0 : block.first_end(past)),
          std::pair(block.second_end(k), past < 0 ? 0 : block.second_end(past))}) {
      if (past < 0 ? end >= points : end != (before < 0 ? before : before + points)) return false;
    }
  }
  for (int i = points; i < block.point_count(); ++i) {
    if (block.mass(i) != block.mass(i - points)) return false;
  }
  return true;
}

/// The rows of a molecule whose copies are all that this rank has; 0 where there is more, or none.
template <int D>
int rows_of_each(const RodBlock<D>& block) {
  const int rods = block.own_count(), points = block.point_count();
  if (block.known_count() != rods) return 0;
  for (int rows = 1; rows <= most_rows && 2 * rows <= rods; ++rows) {
    const int molecules = rods / rows;
    if (rods % rows == 0 && points % molecules == 0 && repeats(block, rows, points / molecules)) return rows;
  }
  return 0;
}

}  // namespace

template <int D>
std::optional<AlikeMolecules<D>> AlikeMolecules<D>::of(const RodBlock<D>& block) {
  const int rows = rows_of_each(block);
  if (parallel::any(rows == 0)) return std::nullopt;
  return AlikeMolecules(block, rows);
}

template <int D>
AlikeMolecules<D>::AlikeMolecules(const RodBlock<D>& block, int rows)
    : molecules_(static_cast<std::size_t>(block.own_count() / rows)),
      points_(static_cast<std::size_t>(block.point_count()) / molecules_) {
  const auto inverse_mass = [&](int point) { return block.moves(point) ? 1.0 / block.mass(point) : 0.0; };
  for (int k = 0; k < rows; ++k) {
    const int first = block.first_end(k), second = block.second_end(k);
    const bool holds = second < 0;
    rows_.push_back({static_cast<std::size_t>(first), static_cast<std::size_t>(holds ? first : second), holds,
                     block.length(k), inverse_mass(first), holds ? 0.0 : -inverse_mass(second)});
  }
  list_elimination(block);
  place_.resize(points_);
  before_ = moved_ = place_;
  gradient_.resize(rows_.size());
  old_gradient_ = gradient_;
  multiplier_.resize(rows_.size());
  solution_ = multiplier_;
  matrix_.resize(entries_.size());
}

template <int D>
void AlikeMolecules<D>::list_elimination(const RodBlock<D>& block) {
  const std::size_t rows = rows_.size();
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> place;
  const auto entry = [&](std::size_t row, std::size_t column) {
    const auto [found, is_new] = place.try_emplace({row, column}, entries_.size());
    if (is_new)
      entries_.push_back({row, column, block.weight(static_cast<int>(row), static_cast<int>(column))});
    return found->second;
  };
  const auto couple = [](const Row& a, const Row& b) {
    return a.first == b.first || a.first == b.second || a.second == b.first || a.second == b.second;
  };
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t j = 0; j < rows; ++j) {
      if (couple(rows_[k], rows_[j])) entry(k, j);
    }
  }
  for (std::size_t k = 0; k < rows; ++k) {
    Pivot pivot{entry(k, k), {}, {}};
    for (std::size_t j = k + 1; j < rows; ++j) {
      if (place.contains({j, k})) pivot.later.push_back({j, entry(j, k), entry(k, j)});
    }
    for (const Later& below : pivot.later) {
      for (const Later& right : pivot.later) pivot.changed.push_back(entry(below.row, right.row));
    }
    pivots_.push_back(std::move(pivot));
  }
}

template <int D>
template <class Visit>
void AlikeMolecules<D>::for_packs(const Visit& visit) const {
  for (std::size_t first = 0; first < molecules_; first += W) {
    if (!visit(Place{first, std::min(W, molecules_ - first)})) return;
  }
}

template <int D>
void AlikeMolecules<D>::load(const PointVectors& field, Place place, std::vector<Vector>& into) const {
  const std::size_t each = into.size();
  for (std::size_t d = 0; d < D; ++d) {
    const double* from = field[d].data() + place.first * each;
    for (std::size_t i = 0; i < each; ++i) into[i][d] = strided<R>(from + i, each, place.count);
  }
}

template <int D>
void AlikeMolecules<D>::store(const std::vector<Vector>& from, Place place, PointVectors& field) const {
  const std::size_t each = from.size();
  for (std::size_t d = 0; d < D; ++d) {
    double* to = field[d].data() + place.first * each;
    for (std::size_t i = 0; i < each; ++i) store_strided(from[i][d], to + i, each, place.count);
  }
}

/// What multipliers move the points by, M^-1 G^T y.
template <int D>
void AlikeMolecules<D>::spread(const std::vector<R>& multiplier, const std::vector<Vector>& along) {
  for (Vector& x : moved_) x.fill(R(0.0));
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    for (std::size_t d = 0; d < D; ++d) {
      const R way = multiplier[k] * along[k][d];
      moved_[row.first][d] = fma(R(row.first_weight), way, moved_[row.first][d]);
      if (!row.holds) moved_[row.second][d] = fma(R(row.second_weight), way, moved_[row.second][d]);
    }
  }
}

/// g, as right-hand sides, and G where the points are; the largest |g|^2 / |G|^2.
template <int D>
auto AlikeMolecules<D>::measure(const HoldingSurface<D>* surface) -> R {
  const auto numbers = [](R& x) { return reinterpret_cast<double*>(&x); };
  Largest<R> worst;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    Vector &G = gradient_[k], &q = place_[row.first];
    if (row.holds) {
      typename HoldingSurface<D>::Levels levels{W, {}, numbers(solution_[k]), {}};
      for (std::size_t d = 0; d < D; ++d) {
        levels.q[d] = numbers(q[d]);
        levels.gradient[d] = numbers(G[d]);
      }
      surface->find(levels);
    } else {
      Vector r;
      for (std::size_t d = 0; d < D; ++d) r[d] = q[d] - place_[row.second][d];
      const auto constraint = RodConstraint{}(ad::seed<0, D, 1, 0>(r), row.length);
      G = ad::gradient_of<D>(constraint);
      solution_[k] = ad::value(constraint);
    }
    worst.take(solution_[k] * solution_[k] / product(G, G));
  }
  return worst.value();
}

/// G v, as right-hand sides, and the largest |G v|^2 / |G|^2 and |v|^2.
template <int D>
auto AlikeMolecules<D>::find_rates() -> Rates {
  Largest<R> worst;
  R fastest(std::numeric_limits<double>::min());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    const Vector &G = gradient_[k], &v = place_[row.first];
    Vector w = v;
    R speed = product(v, v);
    if (!row.holds) {
      const Vector& other = place_[row.second];
      for (std::size_t d = 0; d < D; ++d) w[d] = v[d] - other[d];
      speed += product(other, other);
    }
    solution_[k] = product(G, w);
    worst.take(solution_[k] * solution_[k] / product(G, G));
    fastest = max(speed, fastest);
  }
  return {worst.value(), fastest};
}

/// From right-hand sides to multipliers, G those of gradient_ and G' on the right.
template <int D>
void AlikeMolecules<D>::solve(const std::vector<Vector>& right) {
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const auto& [row, column, weight] = entries_[e];
    matrix_[e] = R(weight) * product(gradient_[row], right[column]);
  }
  std::vector<R>& x = solution_;
  for (std::size_t k = 0; k < pivots_.size(); ++k) {
    const Pivot& pivot = pivots_[k];
    const R inverse = matrix_[pivot.diagonal] = R(1.0) / matrix_[pivot.diagonal];
    auto changed = pivot.changed.begin();
    for (const Later& below : pivot.later) {
      const R factor = -(matrix_[below.lower] * inverse);
      for (const Later& at : pivot.later) {
        R& entry = matrix_[*changed++];
        entry = fma(factor, matrix_[at.upper], entry);
      }
      x[below.row] = fma(factor, x[k], x[below.row]);
    }
  }
  for (std::size_t k = pivots_.size(); k-- > 0;) {
    R sum = x[k];
    for (const Later& at : pivots_[k].later) sum = fma(-matrix_[at.upper], x[at.row], sum);
    x[k] = sum * matrix_[pivots_[k].diagonal];
  }
}

template <int D>
auto AlikeMolecules<D>::constrain(RodBlock<D>& block, double* multiplier, const Bounds& bounds) -> Search {
  const HoldingSurface<D>* surface = block.surface() ? &*block.surface() : nullptr;
  const R close(bounds.tolerance * bounds.tolerance), near(bounds.noise * bounds.noise);
  const std::size_t rows = rows_.size();
  Search search;
  R worst(0.0);
  for_packs([&](Place at) {
    load(block.predicted, at, before_);
    load(block.old_gradient, at, old_gradient_);
    double* own = multiplier + at.first * rows;
    for (std::size_t k = 0; k < rows; ++k) multiplier_[k] = strided<R>(own + k, rows, at.count);
    Mask open(true);
    R error, past(0.0);
    for (int iteration = 0;; ++iteration) {
      spread(multiplier_, old_gradient_);
      for (std::size_t i = 0; i < points_; ++i) {
        for (std::size_t d = 0; d < D; ++d) place_[i][d] = before_[i][d] + moved_[i][d];
      }
      error = measure(surface);
      // As close as round-off lets it come, or as asked for:
      const Mask stalled = Mask(iteration > 0) & (error <= near) & (error >= R(0.0625) * past);
      open = open & !(error <= close) & !stalled;
      if (!any(open)) break;
      if (iteration == bounds.iterations || any(open & !isfinite(error))) {
        search.error = std::numeric_limits<double>::infinity();
        return false;
      }
      search.iterations = std::max(search.iterations, iteration + 1);
      past = error;
      solve(old_gradient_);
      for (std::size_t k = 0; k < rows; ++k)
        multiplier_[k] = select(open, multiplier_[k] - solution_[k], multiplier_[k]);
    }
    worst = max(error, worst);
    store(moved_, at, block.moved);
    store(gradient_, at, block.gradient);
    for (std::size_t k = 0; k < rows; ++k) store_strided(multiplier_[k], own + k, rows, at.count);
    return true;
  });
  search.error = std::max(search.error, std::sqrt(largest(worst)));
  return search;
}

template <int D>
auto AlikeMolecules<D>::make_tangent(RodBlock<D>& block) -> Tangency {
  constexpr int most_solves = 4;
  constexpr double close = 4e-15, far = 1e-8;  // of a speed; farther off, rods depend on each other
  Tangency found;
  R worst(0.0), fastest(0.0);
  for_packs([&](Place at) {
    load(block.velocity, at, place_);
    load(block.gradient, at, gradient_);
    Mask open(true);
    R past(std::numeric_limits<double>::infinity()), speed_square(0.0);
    Rates rates;
    for (int round = 0;; ++round) {
      rates = find_rates();
      const R share = rates.along_square / rates.speed_square;
      if (!all(isfinite(share))) return found.found = false;
      speed_square = max(rates.speed_square, speed_square);
      if (round > 0) open = open & (share > R(close * close)) & (share <= R(0.25) * past);
      if (round == most_solves || !any(open)) break;
      found.solves = std::max(found.solves, round + 1);
      past = share;
      solve(gradient_);
      for (R& y : solution_) y = select(open, y, R(0.0));
      spread(solution_, gradient_);
      for (std::size_t i = 0; i < points_; ++i) {
        for (std::size_t d = 0; d < D; ++d) place_[i][d] -= moved_[i][d];
      }
    }
    if (any(rates.along_square > R(far * far) * speed_square)) return found.found = false;
    worst = max(rates.along_square, worst);
    fastest = max(speed_square, fastest);
    store(place_, at, block.velocity);
    return true;
  });
  found.along_square = largest(worst);
  found.speed_square = largest(fastest);
  return found;
}

template class AlikeMolecules<2>;
template class AlikeMolecules<3>;

}  // namespace cotangent::rods
