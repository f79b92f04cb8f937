// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/evolution.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

#include "parallel/mpi.hpp"
#include "studies/program/method_options.hpp"
#include "studies/program/multipliers.hpp"
#include "studies/program/surface.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

EnsembleEvolution::EnsembleEvolution(const Plan& plan, const Ensemble& ensemble,
                                     sections::TrajectoryBatch& flight)
    : plan_(plan),
      ensemble_(ensemble),
      flight_(flight),
      lanes_(flight.lanes()),
      constrained_(plan.model.problem->multipliers() > 0),
      surface_(plan.surface ? plan.surface : surface_of(plan, ensemble)),
      block_size_(block_size(plan, ensemble)),
      block_count_((ensemble.size() + block_size_ - 1) / block_size_) {}

std::vector<io::DataSetSpec> EnsembleEvolution::data_sets() const {
  std::vector<io::DataSetSpec> sets = studies::data_sets(plan_, ensemble_);
  if (surface_) {
    const auto shape = studies::data_sets(*surface_, plan_.model.problem->coordinates()[0].unit);
    sets.insert(sets.end(), shape.begin(), shape.end());
  }
  for (const Given& given : plan_.given) sets.push_back(given.set);
  if (plan_.averages) {
    const auto averages = studies::data_sets(*plan_.averages, ensemble_.size());
    sets.insert(sets.end(), averages.begin(), averages.end());
  }
  if (plan_.basins) std::ranges::move(studies::data_sets(*plan_.basins), std::back_inserter(sets));
  std::ranges::move(studies::data_sets(plan_.method.solver), std::back_inserter(sets));
  return sets;
}

void EnsembleEvolution::Counts::add(Status how, std::int64_t crossings_more, std::int64_t steps_more,
                                    double energy_off, double constraint_off) {
  ++status[static_cast<std::size_t>(how)];
  crossings += crossings_more;
  steps += steps_more;
  if (std::isfinite(energy_off)) energy_error = std::max(energy_error, energy_off);
  if (std::isfinite(constraint_off)) constraint_error = std::max(constraint_error, constraint_off);
}

/// Reads which trajectories were finished before the run was resumed, and counts them.
void EnsembleEvolution::recall(const run::Records& records) {
  resumed_ = true;
  constexpr std::int64_t most = 1 << 16;
  const auto share = run::Share::even(ensemble_.size());
  for (std::int64_t first = share.first; first < share.first + share.count; first += most) {
    const std::int64_t count = std::min(most, share.first + share.count - first);
    const auto column = [&]<class Number>(const char* path, Number) {
      return records.read_rows<Number>(path, first, count);
    };
    const auto status = column("/orbits/status", std::int32_t{});
    const auto crossings = column("/orbits/crossing_count", std::int64_t{}),
               steps = column("/orbits/steps", std::int64_t{});
    const auto energy = column("/orbits/energy_error", 0.0);
    const auto constraint = constrained_ ? column("/orbits/constraint_error", 0.0) : std::vector<double>{};
    for (std::size_t k = 0; k < status.size(); ++k) {
      if (status[k] == static_cast<std::int32_t>(Status::pending)) continue;
      counts_.add(static_cast<Status>(status[k]), crossings[k], steps[k], energy[k],
                  constrained_ ? constraint[k] : nan);
    }
  }
  earlier_crossings_ = counts_.crossings;
}

void EnsembleEvolution::begin(run::Records& records) {
  sharing_.emplace(block_count_);
  rows_.emplace(plan_, ensemble_, records);
  if (plan_.basins) enter_unknown(records, *plan_.basins);
  if (parallel::rank() != 0) return;
  constexpr std::int64_t piece = 1 << 16;
  for (std::int64_t first = 0; first < plan_.samples; first += piece) {
    std::vector<double> times(static_cast<std::size_t>(std::min(piece, plan_.samples - first)));
    for (std::size_t k = 0; k < times.size(); ++k)
      times[k] = static_cast<double>(first + static_cast<std::int64_t>(k)) * plan_.watch.sample_every;
    records.rows("/trajectory/time", first, std::ssize(times), times.data());
  }
  if (surface_) write(records, *surface_);
  for (const Given& given : plan_.given)
    records.rows(given.set.path, 0, given.set.dims.front(), given.values.data());
}

bool EnsembleEvolution::begin_last_part(run::Records& records) {
  if (!plan_.averages && !plan_.basins) return false;
  parallel::agree([&] { records.sync(); });
  if (!aftermath_.empty()) return false;
  if (plan_.averages)
    aftermath_.push_back(std::make_unique<AveragesMaker>(*plan_.averages, plan_, ensemble_, records));
  if (plan_.basins) aftermath_.push_back(std::make_unique<BasinBoundaries>(*plan_.basins, records));
  return true;
}

Aftermath* EnsembleEvolution::at_work() const {
  const auto at = std::ranges::find_if(aftermath_, [](const auto& one) { return !one->ended(); });
  return at == aftermath_.end() ? nullptr : at->get();
}

bool EnsembleEvolution::ended() const {
  return aftermath_.empty() ? sharing_->exhausted() && !any_flying(flight_) : at_work() == nullptr;
}

void EnsembleEvolution::finish(run::Records& records) {
  for (const auto& one : aftermath_) one->finish();
  studies::write(records, plan_.method.solver);
}

void EnsembleEvolution::resume(run::Records& records) {
  begin(records);
}

void EnsembleEvolution::state(run::StateFields& state) {
  std::vector<CarriedTask> under_way;
  for (int lane = 0; lane < lanes_ && !state.reading(); ++lane) {
    if (flight_.free(lane)) continue;
    under_way.push_back({flight_.flown(lane).id, std::vector<double>(flight_.state_size())});
    flight_.save(lane, under_way.back().state);
  }
  carried_.visit(state, ensemble_.size(), flight_.state_size(), under_way);
}

void EnsembleEvolution::advance(std::int64_t steps, run::Records&) {
  if (Aftermath* const one = at_work()) return one->advance();
  const auto next = [this](int lane, std::int64_t& left) { return fill(lane, left); };
  fly_full_lanes(flight_, steps, next, [this](int lane, sections::TrajectoryRecord& flown) {
    if (flown.status != Status::pending) {
      record_trajectory(flown);
      flight_.release(lane);
    } else if (flown.crossings.count() + flown.samples.count() > most_rows) {
      rows_->flush(flown);
    }
  });
}

/// Puts the next trajectory into a lane. A start that ends at once (infeasible, or at its end already)
/// counts as a step of the slice. False where there is no trajectory left, or the slice is over.
bool EnsembleEvolution::fill(int lane, std::int64_t& steps) {
  while (steps > 0) {
    if (blocks_.empty() || blocks_.back().next >= blocks_.back().count) {
      if (!take_block()) return false;
      continue;
    }
    Block& block = blocks_.back();
    const std::int64_t row = block.next++, id = block.first + row;
    const auto carried = carried_.take(id);
    if (block.status[static_cast<std::size_t>(row)] != 0 || (!carried && carried_.known(id))) {
      if (--block.open == 0)
        close(block);  // finished before the run was resumed, or another rank goes on with it
      continue;
    }
    const EnsembleStart start = ensemble_[id];
    rows_->begin(block, start);
    if (!start.feasible) {
      sections::TrajectoryRecord none;
      none.id = id;
      none.status = Status::infeasible_start;
      none.energy = none.energy_error = none.constraint_error = none.t = nan;
      none.q.assign(start.start.q.size(), nan);
      none.v = none.q;
      record_trajectory(none);
      --steps;
      continue;
    }
    if (starts_outside(plan_, start.start)) {
      sections::TrajectoryRecord outside = ended_at(plan_, start.start);
      record_trajectory(outside);
      --steps;
      continue;
    }
    carried ? flight_.restore(lane, start.start, carried->state) : flight_.load(lane, start.start);
    if (flight_.flown(lane).status == Status::pending) return true;
    record_trajectory(flight_.flown(lane));  // it ended where it started
    flight_.release(lane);
    --steps;
  }
  return false;
}

/// Gets the next block. After a resume, trajectories that the checkpoint gave to this rank come first, in
/// blocks of one each; the ordinary blocks skip them.
bool EnsembleEvolution::take_block() {
  if (!carried_.empty()) {
    blocks_.push_back(rows_->block(carried_.next(), 1, true));
    return true;
  }
  const auto index = sharing_->take();
  if (!index) return false;
  const std::int64_t first = *index * block_size_;
  blocks_.push_back(rows_->block(first, std::min(block_size_, ensemble_.size() - first), resumed_));
  return true;
}

/// Enters a trajectory that has ended into its block and into the counts.
void EnsembleEvolution::record_trajectory(sections::TrajectoryRecord& flown) {
  const auto block = std::ranges::find_if(blocks_, [&](const Block& b) { return b.holds(flown.id); });
  if (plan_.exits) name_exit(plan_, ensemble_.parameters(flown.id), flown);
  rows_->land(*block, flown);
  counts_.add(flown.status, flown.crossing_count, flown.steps, flown.energy_error, flown.constraint_error);
  if (--block->open == 0) close(*block);
}

void EnsembleEvolution::close(Block& block) {
  rows_->write(block);
  if (&block != &blocks_.back() || block.next >= block.count)
    blocks_.erase(blocks_.begin() + (&block - blocks_.data()));
}

void EnsembleEvolution::hand_over(run::Records&) {
  for (int lane = 0; lane < lanes_; ++lane) {
    if (!flight_.free(lane)) rows_->flush(flight_.flown(lane));
  }
  for (Block& block : blocks_) rows_->write(block);
}

/// The part of a lane's trajectory that is done, by crossings or by time, whichever is nearer to its end.
double EnsembleEvolution::share_flown(int lane) const {
  const sections::TrajectoryRecord& flown = flight_.flown(lane);
  double share = 0;
  if (const auto all = plan_.watch.stop.crossings; all > 0)
    share = static_cast<double>(flown.crossing_count) / static_cast<double>(all);
  if (plan_.samples > 0)
    share = std::max(share, static_cast<double>(flown.sample_count) / static_cast<double>(plan_.samples));
  return std::min(share, 1.0);
}

/// An estimate without communication: all trajectories that any rank has taken from the counter, less those
/// that are still to be done; of these each rank is supposed to have as many as this one.
run::Progress EnsembleEvolution::progress() const {
  if (!aftermath_.empty()) {
    const Aftermath* const now = at_work();
    const Aftermath& one = now ? *now : *aftermath_.back();
    const auto here = static_cast<double>(one.done()), share = static_cast<double>(one.all());
    return {here, share,
            fmt::format("{} of about {:.0f} of {} trajectories", one.name(), here * parallel::size(),
                        ensemble_.size()),
            "trajectories", static_cast<double>(parallel::size())};
  }
  double left = 0;
  if (!blocks_.empty()) left += static_cast<double>(blocks_.back().count - blocks_.back().next);
  for (int lane = 0; lane < lanes_; ++lane) {
    if (!flight_.free(lane)) left += 1 - share_flown(lane);
  }
  const auto all = static_cast<double>(ensemble_.size());
  const double taken = std::min(static_cast<double>(sharing_->taken() * block_size_), all),
               done = std::clamp(taken - left * parallel::size(), 0.0, all);
  return {done, all, fmt::format("about {:.0f} of {} trajectories", done, ensemble_.size()), "trajectories"};
}

std::vector<run::Line> EnsembleEvolution::summary(const run::Effort& effort) {
  const auto status = parallel::sum(std::vector<std::int64_t>(counts_.status.begin(), counts_.status.end()));
  const std::int64_t crossings = parallel::sum(counts_.crossings),
                     earlier = parallel::sum(earlier_crossings_);
  std::string landed = std::to_string(ensemble_.size());
  for (std::size_t k = 0; k < status.size(); ++k) {
    if (status[k] == 0) continue;
    landed += fmt::format("{} {} {}", landed.find(':') == std::string::npos ? ":" : ",", status[k],
                          status_names[k]);
  }
  std::vector<run::Line> lines{{"trajectories", landed}};
  if (!plan_.model.problem->methods().empty()) lines.emplace_back("method", in_words(plan_.method));
  if (crossings > 0)
    lines.emplace_back("crossings", fmt::format("{}, {:.4g} a second", crossings,
                                                static_cast<double>(crossings - earlier) / effort.wall));
  lines.emplace_back("steps", std::to_string(parallel::sum(counts_.steps)));
  lines.emplace_back("energy error", fmt::format("{:.3g} at worst", parallel::maximum(counts_.energy_error)));
  const double off = parallel::maximum(counts_.constraint_error);
  if (constrained_)
    lines.emplace_back("constraint error",
                       fmt::format("{:.3g} at worst, {}", off,
                                   plan_.model.problem->rolling() > 0 ? "a speed of slipping" : "a length"));
  for (const auto& one : aftermath_) {
    if (const auto line = one->line()) lines.push_back(*line);
  }
  if (plan_.method.solver) lines.emplace_back("multipliers", solved_by(plan_.method.solver));
  return lines;
}

bool EnsembleEvolution::failed() {
  // The judgements are made first: in one loop with the sum GCC 14.2 loses the first of them (AVX-512).
  static constexpr auto fails = [] {
    std::array<std::int64_t, status_names.size()> result{};
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = is_failure(static_cast<Status>(k)) ? 1 : 0;
    return result;
  }();
  const std::int64_t failed =
      std::inner_product(fails.begin(), fails.end(), counts_.status.begin(), std::int64_t{0});
  return parallel::sum(failed) > 0;
}

}  // namespace cotangent::studies
