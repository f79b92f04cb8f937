// SPDX-License-Identifier: BSD-3-Clause
#include "rods/molecules.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "numerics/random.hpp"
#include "parallel/records.hpp"
#include "rods/molecule_sieve.hpp"

namespace cotangent::rods {

using particles::NumberedPoint;

namespace {

/// Draws of a trial; SurfacePoints takes the first two.
constexpr std::uint64_t turn_draw = 2, tilt_draw = 3, velocity_draw = 4;

template <int D>
using Vector = std::array<double, D>;

template <int D>
geometry::SpacePoint in_space(const Vector<D>& q) {
  geometry::SpacePoint x{};
  std::ranges::copy(q, x.begin());
  return x;
}

template <int D>
Vector<D> flat(const geometry::SpacePoint& x) {
  Vector<D> q;
  std::copy_n(x.begin(), D, q.begin());
  return q;
}

/// A rotation drawn evenly of all: by an angle, or by a quaternion of normal numbers.
template <int D>
std::array<Vector<D>, D> rotation(std::uint64_t seed, std::uint64_t draw) {
  if constexpr (D == 2) {
    const double angle = 2 * std::numbers::pi * numerics::uniforms(seed, draw, turn_draw)[0];
    return {{{std::cos(angle), -std::sin(angle)}, {std::sin(angle), std::cos(angle)}}};
  } else {
    const auto n = numerics::normals(seed, draw, turn_draw);
    double w = numerics::normals(seed, draw, tilt_draw)[0], x = n[0], y = n[1], z = n[2];
    const double size = std::sqrt(w * w + x * x + y * y + z * z);
    for (double* part : {&w, &x, &y, &z}) *part /= size;
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
  }
}

/// Whether two points that no rod joins are closer than nine tenths of the first rod.
bool meets_itself(const RodSystem<3>& chain) {
  const double least = 0.9 * chain.rods.front().length;
  for (std::size_t i = 2; i < chain.position.size(); ++i) {
    for (std::size_t j = 0; j + 1 < i; ++j) {
      double squared = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double way = chain.position[i][d] - chain.position[j][d];
        squared += way * way;
      }
      if (squared < least * least) return true;
    }
  }
  return false;
}

/// This rank's trials of a batch: their points, one trial after the other, and those that don't fit anywhere.
struct Trials {
  std::vector<NumberedPoint> points;
  std::vector<std::uint64_t> misfits;
};
template <int D>
Trials trials_of(const MoleculeTrial<D>& trial, std::uint64_t first, std::uint64_t last) {
  const parallel::Runs runs{static_cast<std::int64_t>(last - first), parallel::size()};
  const auto run = [&](int rank) { return first + static_cast<std::uint64_t>(runs.begin(rank)); };
  Trials own;
  parallel::agree([&] {
    for (std::uint64_t draw = run(parallel::rank()); draw < run(parallel::rank() + 1); ++draw) {
      const auto points = trial(draw);
      if (!points) own.misfits.push_back(draw);
      for (std::size_t i = 0; points && i < points->size(); ++i)
        own.points.push_back({draw, in_space<D>((*points)[i])});
    }
  });
  return own;
}

/// As many trials as may do, of which so large a part is kept; but so few that a rank's points stay in its
/// caches, and the fate of all trials takes each rank little memory.
std::uint64_t batch(std::int64_t missing, double yield, std::int64_t points_each) {
  const std::int64_t ranks = parallel::size(), most_points = 8192 * std::min<std::int64_t>(ranks, 64);
  const auto most = static_cast<double>(std::max(most_points / points_each, ranks));
  return static_cast<std::uint64_t>(std::clamp(static_cast<double>(missing) / yield, 1.0, most));
}

}  // namespace

template <int D>
RodSystem<D> copies(const RodSystem<D>& molecule, std::int64_t count) {
  RodSystem<D> all = molecule;
  for (std::int64_t k = 1; k < count; ++k) {
    const std::int64_t first = std::ssize(all.mass);
    for (const auto& rod : molecule.rods)
      all.rods.push_back({first + rod.first, first + rod.second, rod.length});
    all.mass.insert(all.mass.end(), molecule.mass.begin(), molecule.mass.end());
    all.position.insert(all.position.end(), molecule.position.begin(), molecule.position.end());
  }
  all.velocity.assign(all.mass.size(), {});
  return all;
}

template <int D>
void scatter(std::int64_t count, double apart, const Periods& periods, const MoleculeTrial<D>& trial,
             const parallel::Partition& points, const PutPoint<D>& put) {
  const std::int64_t each = points.count() / count;
  const std::uint64_t most = 1000 * static_cast<std::uint64_t>(count) + 10000;
  MoleculeSieve sieve(apart, periods);
  std::uint64_t tried = 0;
  for (std::int64_t placed = 0; placed < count;) {
    if (tried == most) {
      std::ostringstream text;
      text << "there is room for " << placed << " of the " << count << " molecules, their points " << apart
           << " apart: of " << most << " places tried, no other would do";
      throw Error(text.str());
    }
    const double yield = static_cast<double>(placed + 1) / static_cast<double>(tried + 1);
    const std::uint64_t first =
        std::exchange(tried, std::min(most, tried + batch(count - placed, yield, each)));
    const Trials own = trials_of<D>(trial, first, tried);
    const std::vector<char> kept = sieve.take(first, tried, own.points, own.misfits);
    std::vector<std::int64_t> molecule(kept.size(), -1);
    for (std::size_t k = 0; k < kept.size() && placed < count; ++k) {
      if (kept[k] != 0) molecule[k] = placed++;
    }
    auto to = parallel::for_ranks<NumberedPoint>();
    for (std::size_t i = 0; i < own.points.size(); ++i) {
      const std::int64_t at = molecule[own.points[i].number - first];
      if (at < 0) continue;
      const std::int64_t point = at * each + static_cast<std::int64_t>(i) % each;
      to[static_cast<std::size_t>(points.rank_of(point))].push_back(
          {static_cast<std::uint64_t>(point), own.points[i].q});
    }
    for (const auto& [point, q] : parallel::exchange(std::move(to)))
      put(static_cast<std::int64_t>(point), flat<D>(q));
  }
}

template <int D>
RodSystem<D> scattered(const RodSystem<D>& molecule, std::int64_t count, double apart, const Periods& periods,
                       const MoleculeTrial<D>& trial) {
  RodSystem<D> all = copies(molecule, count);
  std::vector<NumberedPoint> own;
  scatter<D>(count, apart, periods, trial, parallel::even_partition(std::ssize(all.mass), parallel::size()),
             [&](std::int64_t point, const Vector<D>& q) {
               own.push_back({static_cast<std::uint64_t>(point), in_space<D>(q)});
             });
  for (const auto& [point, q] : parallel::everywhere(own)) all.position[point] = flat<D>(q);
  return all;
}

template <int D>
MoleculeTrial<D> in_box(const RodSystem<D>& molecule, const std::array<double, D>& box, std::uint64_t seed) {
  auto shape = molecule.position;
  Vector<D> middle{};
  for (const auto& q : shape) {
    for (std::size_t d = 0; d < D; ++d) middle[d] += q[d] / static_cast<double>(shape.size());
  }
  for (auto& q : shape) {
    for (std::size_t d = 0; d < D; ++d) q[d] -= middle[d];
  }
  return [shape, box, seed](std::uint64_t draw) {
    const auto xy = numerics::uniforms(seed, draw, 0), z = numerics::uniforms(seed, draw, 1);
    const auto turn = rotation<D>(seed, draw);
    std::vector<Vector<D>> points;
    for (const auto& q : shape) {
      Vector<D> x{};
      for (std::size_t d = 0; d < D; ++d) {
        x[d] = box[d] * (d < 2 ? xy[d] : z[0]);
        for (std::size_t n = 0; n < D; ++n) x[d] += turn[d][n] * q[n];
      }
      points.push_back(x);
    }
    return std::optional(points);
  };
}

MoleculeTrial<3> along_surface(const RodSystem<3>& chain, const HoldingSurface<3>& surface,
                               const SurfacePoints& points, std::uint64_t seed) {
  return [&chain, &surface, &points, seed](std::uint64_t draw) -> std::optional<std::vector<Vector<3>>> {
    const auto from = points.draw(seed, draw);
    if (!from) return std::nullopt;
    RodSystem<3> laid = chain;
    try {
      lay_along(laid, surface, *from, numerics::normals(seed, draw, turn_draw));
    } catch (const Error&) {
      return std::nullopt;  // too much bent there
    }
    if (meets_itself(laid)) return std::nullopt;
    return laid.position;
  };
}

namespace {
template <int D>
void heat(const std::vector<double>& mass, std::int64_t first, std::vector<Vector<D>>& velocity,
          double temperature, std::uint64_t seed) {
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (mass[i] == fixed) continue;
    const auto v = numerics::normals(seed, static_cast<std::uint64_t>(first) + i, velocity_draw);
    for (std::size_t d = 0; d < D; ++d) velocity[i][d] = std::sqrt(temperature / mass[i]) * v[d];
  }
}
}  // namespace

template <int D>
void heat(RodSystem<D>& system, double temperature, std::uint64_t seed) {
  heat<D>(system.mass, 0, system.velocity, temperature, seed);
}
template <int D>
void heat(RodShare<D>& share, double temperature, std::uint64_t seed) {
  heat<D>(share.mass, share.first_point(), share.velocity, temperature, seed);
}

template void scatter<2>(std::int64_t, double, const Periods&, const MoleculeTrial<2>&,
                         const parallel::Partition&, const PutPoint<2>&);
template void scatter<3>(std::int64_t, double, const Periods&, const MoleculeTrial<3>&,
                         const parallel::Partition&, const PutPoint<3>&);
template void heat(RodShare<2>&, double, std::uint64_t);
template void heat(RodShare<3>&, double, std::uint64_t);
template RodSystem<2> copies(const RodSystem<2>&, std::int64_t);
template RodSystem<3> copies(const RodSystem<3>&, std::int64_t);
template RodSystem<2> scattered<2>(const RodSystem<2>&, std::int64_t, double, const Periods&,
                                   const MoleculeTrial<2>&);
template RodSystem<3> scattered<3>(const RodSystem<3>&, std::int64_t, double, const Periods&,
                                   const MoleculeTrial<3>&);
template MoleculeTrial<2> in_box<2>(const RodSystem<2>&, const std::array<double, 2>&, std::uint64_t);
template MoleculeTrial<3> in_box<3>(const RodSystem<3>&, const std::array<double, 3>&, std::uint64_t);
template void heat(RodSystem<2>&, double, std::uint64_t);
template void heat(RodSystem<3>&, double, std::uint64_t);

}  // namespace cotangent::rods
