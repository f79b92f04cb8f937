// SPDX-License-Identifier: BSD-3-Clause
#include "rods/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/error.hpp"
#include "parallel/mpi.hpp"
#include "parallel/reproducible_sums.hpp"

namespace cotangent::rods {

template <int D>
RodPairs<D>::RodPairs(const RodBlock<D>& block, const RodPairOptions& options)
    : block_(block),
      options_(options),
      image_(options.periods),
      range_(options.kernel->cut().radius),
      skin_(options.skin > 0 ? options.skin : 0.12 * range_),
      decomposition_(Grid(range_ > 0 ? range_ + skin_ : 1.0, options.periods)) {
  if (!options.joined) find_joined();
  for (int d = 0; d < D; ++d) force_[d].assign(block.position[d].size(), 0.0);
}

template <int D>
void RodPairs<D>::find_joined() {
  struct Joined {
    std::int64_t point, other;
  };
  std::vector<std::vector<Joined>> tell(static_cast<std::size_t>(parallel::size()));
  for (int k = block_.own_begin(); k < block_.own_begin() + block_.own_count(); ++k) {
    const int a = block_.first_end(k), b = block_.second_end(k);
    if (b < 0) continue;
    for (const auto& [end, other] : {std::pair(a, b), std::pair(b, a)})
      tell[static_cast<std::size_t>(block_.ranks_of(end).front())].push_back(
          {block_.point(end), block_.point(other)});
  }
  auto joined = parallel::exchange(std::move(tell));
  std::ranges::sort(joined, {}, [](const Joined& pair) { return std::pair(pair.point, pair.other); });
  auto next = joined.begin();
  for (int i = 0; i < block_.point_count(); ++i) {
    joined_begin_.push_back(joined_.size());
    for (; next != joined.end() && next->point == block_.point(i); ++next) joined_.push_back(next->other);
  }
  joined_begin_.push_back(joined_.size());
}

template <int D>
std::span<const std::int64_t> RodPairs<D>::joined_to(int point) const {
  if (joined_begin_.empty()) return {};
  const auto i = static_cast<std::size_t>(point);
  return std::span(joined_).subspan(joined_begin_[i], joined_begin_[i + 1] - joined_begin_[i]);
}

template <int D>
void RodPairs<D>::redistribute() {
  std::vector<particles::Particle> mine;
  for (int i = 0; i < block_.point_count(); ++i) {
    if (!block_.owns_point(i)) continue;
    particles::Particle p;
    p.id = block_.point(i);
    for (int d = 0; d < D; ++d)
      p.q[static_cast<std::size_t>(d)] = block_.position[d][static_cast<std::size_t>(i)];
    // Nobody asks where a point began: what goes with it is who reports it, and as which of its points.
    p.start = {static_cast<double>(parallel::rank()), static_cast<double>(i), 0.0};
    mine.push_back(p);
  }
  particles_.assign(mine);
  decomposition_.exchange_particles(particles_);
  plan();
  neighbours_.build(particles_, decomposition_, range_ + skin_, unfelt_);
  for (auto& f : sum_) f.assign(static_cast<std::size_t>(particles_.padded), 0.0);
  listed_at_ = block_.position;
  moves_ = 0;
  ++lists_made_;
}

/// By rank, what goes there: positions of points of the block, forces on rows of the cloud.
template <int D>
struct RodPairs<D>::Routes {
  explicit Routes(std::size_t ranks) : positions(ranks), forces(ranks), announced(ranks) {}

  std::vector<std::vector<std::int32_t>> positions, forces;
  /// Which forces come: on which of its points to the rank that reports it, on ~ which of all to the others.
  std::vector<std::vector<std::int64_t>> announced;

  void announce(std::size_t rank, int row, std::int64_t as) {
    forces[rank].push_back(row);
    announced[rank].push_back(as);
  }
};

/// By the rank that reports them: which of its points are summed here, and in which rows.
template <int D>
struct RodPairs<D>::Elsewhere {
  std::vector<std::vector<std::int64_t>> points;
  std::vector<std::vector<int>> rows;
};

template <int D>
void RodPairs<D>::not_felt(int row, std::span<const std::int64_t> others) {
  if (!unfelt_.empty()) unfelt_[static_cast<std::size_t>(row)] = others;
}

/// Each rank asks those that report its points for their positions, and who else knows them; and tells all
/// that do which forces will come.
template <int D>
void RodPairs<D>::plan() {
  Routes routes(static_cast<std::size_t>(parallel::size()));
  Elsewhere elsewhere = sort_rows(routes);
  arrive_at_.clear();
  for (const auto& rows : elsewhere.rows) arrive_at_.insert(arrive_at_.end(), rows.begin(), rows.end());
  if (parallel::size() == 1) return;
  told_ = ask(std::move(elsewhere.points), routes);
  take_answers(routes);
  come_to_.clear();
  for (const std::int64_t as : parallel::exchange(std::move(routes.announced)))
    come_to_.push_back(as >= 0 ? static_cast<int>(as) : block_.place_of_point(~as));
  there_ = parallel::HaloPlan(routes.positions, D);
  back_ = parallel::HaloPlan(routes.forces, D);
  sent_.resize(D * static_cast<std::size_t>(block_.point_count()));
  arrived_.resize(D * arrive_at_.size());
  summed_.resize(D * static_cast<std::size_t>(particles_.own));
  came_.resize(D * come_to_.size());
}

/// What stays on this rank, and returns to points of its own; the rest it hands back.
template <int D>
typename RodPairs<D>::Elsewhere RodPairs<D>::sort_rows(Routes& routes) {
  const auto ranks = static_cast<std::size_t>(parallel::size());
  Elsewhere elsewhere{std::vector<std::vector<std::int64_t>>(ranks), std::vector<std::vector<int>>(ranks)};
  stay_.clear();
  return_.clear();
  unfelt_.assign(joined_begin_.empty() ? 0 : static_cast<std::size_t>(particles_.own), {});
  for (int row = 0; row < particles_.own; ++row) {
    const auto k = static_cast<std::size_t>(row);
    const auto rank = static_cast<std::size_t>(particles_.start[0][k]);
    const auto point = static_cast<std::int32_t>(particles_.start[1][k]);
    if (rank == static_cast<std::size_t>(parallel::rank())) {
      stay_.push_back({point, row});
      return_.push_back({point, row});
      not_felt(row, joined_to(point));
      for (const std::int32_t other : block_.ranks_of(point).subspan(1))
        routes.announce(static_cast<std::size_t>(other), row, ~particles_.id[k]);
    } else {
      elsewhere.points[rank].push_back(point);
      elsewhere.rows[rank].push_back(row);
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t k = 0; k < elsewhere.rows[r].size(); ++k)
      routes.announce(r, elsewhere.rows[r][k], elsewhere.points[r][k]);
  }
  return elsewhere;
}

/// The answers of those that report these points, in the order of `arrive_at_`: how many other ranks know the
/// point, these; how many points it doesn't feel, these.
template <int D>
std::vector<std::int64_t> RodPairs<D>::ask(std::vector<std::vector<std::int64_t>> points,
                                           Routes& routes) const {
  std::vector<std::int64_t> from_each;
  const auto asked = parallel::exchange(std::move(points), &from_each);
  std::vector<std::vector<std::int64_t>> tell(from_each.size());
  auto next = asked.begin();
  for (std::size_t r = 0; r < tell.size(); ++r) {
    for (std::int64_t k = 0; k < from_each[r]; ++k) {
      const auto point = static_cast<std::int32_t>(*next++);
      routes.positions[r].push_back(point);
      const auto others = block_.ranks_of(point).subspan(1);
      const auto joined = joined_to(point);
      tell[r].push_back(std::ssize(others));
      tell[r].insert(tell[r].end(), others.begin(), others.end());
      tell[r].push_back(std::ssize(joined));
      tell[r].insert(tell[r].end(), joined.begin(), joined.end());
    }
  }
  return parallel::exchange(std::move(tell));
}

template <int D>
void RodPairs<D>::take_answers(Routes& routes) {
  const std::int64_t* word = told_.data();
  for (const int row : arrive_at_) {
    const std::int64_t id = particles_.id[static_cast<std::size_t>(row)];
    for (std::int64_t others = *word++; others > 0; --others) {
      const auto rank = static_cast<int>(*word++);
      if (rank == parallel::rank()) {
        return_.push_back({block_.place_of_point(id), row});
      } else {
        routes.announce(static_cast<std::size_t>(rank), row, ~id);
      }
    }
    const auto count = static_cast<std::size_t>(*word++);
    not_felt(row, {word, count});
    word += count;
  }
}

template <int D>
void RodPairs<D>::bring_positions() {
  if (parallel::size() > 1) {
    for (int d = 0; d < D; ++d) {
      const std::vector<double>& x = block_.position[d];
      for (std::size_t i = 0; i < x.size(); ++i) sent_[D * i + static_cast<std::size_t>(d)] = x[i];
    }
    there_.start(sent_.data(), arrived_.data());
  }
  double* q = particles_.position.data();
  for (const auto& [point, row] : stay_) {
    for (int d = 0; d < D; ++d)
      q[4 * std::ptrdiff_t{row} + d] = block_.position[d][static_cast<std::size_t>(point)];
  }
  if (parallel::size() == 1) return;
  there_.finish();
  const double* from = arrived_.data();
  for (const int row : arrive_at_) {
    std::copy_n(from, D, q + 4 * std::ptrdiff_t{row});
    from += D;
  }
  auto& halo = decomposition_.halo();
  halo.start(q, q + 4 * std::ptrdiff_t{particles_.padded});
  halo.finish();
}

/// How far any point has come since the lists were made.
template <int D>
double RodPairs<D>::farthest() const {
  double most = 0;
  for (std::size_t i = 0; i < listed_at_[0].size(); ++i) {
    double squared = 0;
    for (int d = 0; d < D; ++d) {
      const double way = block_.position[d][i] - listed_at_[d][i];
      squared += way * way;
    }
    most = std::max(most, squared);
  }
  return std::sqrt(parallel::maximum(most));
}

template <int D>
void RodPairs<D>::choose_skin(double way) {
  if (options_.skin > 0) return;
  const double best = particles::cheapest_skin(range_, way, options_.periods);
  if (std::abs(best - skin_) < 0.25 * skin_) return;
  skin_ = best;
  decomposition_.change(Grid(range_ + skin_, options_.periods));
}

template <int D>
const typename RodPairs<D>::PointVectors& RodPairs<D>::forces() {
  const double way = farthest();
  if (lists_made_ == 0 || way > 0.5 * skin_) {
    if (lists_made_ > 0) choose_skin(way / static_cast<double>(moves_ + 1));
    redistribute();
  } else {
    bring_positions();
    ++moves_;
  }
  options_.kernel->forces(neighbours_, particles_.position.data(), image_, 0,
                          particles_.padded / particles::pack,
                          {sum_[0].data(), sum_[1].data(), sum_[2].data()});
  const bool alone = parallel::size() == 1;
  if (!alone) {
    for (std::size_t d = 0; d < D; ++d) {
      for (std::size_t i = 0; D * i < summed_.size(); ++i) summed_[D * i + d] = sum_[d][i];
    }
    back_.start(summed_.data(), came_.data());
  }
  for (std::size_t d = 0; d < D; ++d) {
    for (const auto& [point, row] : return_)
      force_[d][static_cast<std::size_t>(point)] = sum_[d][static_cast<std::size_t>(row)];
  }
  if (alone) return force_;
  back_.finish();
  for (std::size_t d = 0; d < D; ++d) {
    for (std::size_t i = 0; i < come_to_.size(); ++i)
      force_[d][static_cast<std::size_t>(come_to_[i])] = came_[D * i + d];
  }
  return force_;
}

template <int D>
std::vector<double> RodPairs<D>::energies() const {
  std::vector<double> energy(static_cast<std::size_t>(particles_.padded), 0.0);
  options_.kernel->energies(neighbours_, particles_.position.data(), image_, 0,
                            particles_.padded / particles::pack, energy.data());
  energy.resize(static_cast<std::size_t>(particles_.own));
  return energy;
}

template <int D>
double RodPairs<D>::energy() const {
  const std::vector<double> each = energies();
  const std::span<const double> columns[] = {each};
  return parallel::reproducible_sums(columns).front();
}

template <int D>
void RodPairs<D>::judge() const {
  const std::vector<double> each = energies();
  const auto place = [&](int row) {
    const double* q = particles_.position.data() + 4 * std::ptrdiff_t{row};
    return std::array{q[0], q[1], q[2]};
  };
  parallel::agree([&] {
    for (int i = 0; i < particles_.own; ++i) {
      if (std::isfinite(each[static_cast<std::size_t>(i)])) continue;
      const std::int64_t here = particles_.id[static_cast<std::size_t>(i)];
      std::ostringstream text;
      for (const int row : neighbours_.of(i)) {
        const auto a = place(i), b = place(row);
        std::array r{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        if (image_.squared_distance(r) > 0) continue;
        const std::int64_t other = particles_.id[static_cast<std::size_t>(row)];
        text << "points " << std::min(here, other) << " and " << std::max(here, other)
             << " are at one place, where the energy of their pair is infinite";
        throw Error(text.str());
      }
      text << "point " << here << ": the energy of its pairs isn't finite";
      throw Error(text.str());
    }
  });
}

template class RodPairs<2>;
template class RodPairs<3>;

}  // namespace cotangent::rods
