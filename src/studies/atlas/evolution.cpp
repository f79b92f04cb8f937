// SPDX-License-Identifier: BSD-3-Clause
#include "studies/atlas/evolution.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <set>

#include "chaos/birkhoff.hpp"
#include "chaos/indicators.hpp"
#include "chaos/islands.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"
#include "studies/program/method_options.hpp"
#include "studies/program/multipliers.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// Numbers of an orbit in a checkpoint: its point, its own, and its outcome.
constexpr int orbit_width = 11;

}  // namespace

AtlasEvolution::AtlasEvolution(const AtlasPlan& atlas, const Ensemble& ensemble,
                               sections::TrajectoryBatch& flight)
    : atlas_(atlas),
      ensemble_(ensemble),
      flight_(flight),
      width_(atlas_answers().size()),
      tree_(atlas.width(), atlas.height(), atlas.levels),
      level_of_(static_cast<std::size_t>(atlas.width() * atlas.height()), -1),
      answers_(level_of_.size() * width_, nan),
      in_lane_(static_cast<std::size_t>(flight.lanes())) {}

std::span<double> AtlasEvolution::row(std::int64_t point) {
  return std::span(answers_).subspan(static_cast<std::size_t>(point) * width_, width_);
}

std::vector<io::DataSetSpec> AtlasEvolution::data_sets() const {
  const std::vector<std::int64_t> map{atlas_.height(), atlas_.width()};
  const auto side = [&](const char* path, const AtlasSide& side) {
    io::DataSetSpec set{path, io::DataType::float64, {std::ssize(side.values)}, side.unit, side.name};
    set.labels.push_back({"columns", {side.name}});
    return set;
  };
  std::vector<io::DataSetSpec> sets{side("/atlas/across", atlas_.across)};
  if (atlas_.up) sets.push_back(side("/atlas/up", *atlas_.up));
  sets.push_back(
      {"/atlas/level", io::DataType::int32, map, "1",
       "the level of refinement that looked at this point; -1: interpolated from its cell's corners"});
  for (const Answer& answer : atlas_answers())
    sets.push_back({"/atlas/" + answer.name, io::DataType::float64, map, "1", answer.meaning});
  std::ranges::move(studies::data_sets(atlas_.plan.method.solver), std::back_inserter(sets));
  return sets;
}

void AtlasEvolution::begin(run::Records& records) {
  if (parallel::rank() == 0) {
    records.rows("/atlas/across", 0, atlas_.width(), atlas_.across.values.data());
    if (atlas_.up) records.rows("/atlas/up", 0, atlas_.height(), atlas_.up->values.data());
  }
  share_level();
}

/// Goes through the levels as far as the checkpoint's points reach.
void AtlasEvolution::resume(run::Records& records) {
  learn();
  while (!ended_ && std::ranges::all_of(tree_.points(), [&](auto point) { return known(point); })) {
    ended_ = !refine();
    if (!ended_) learn();
  }
  earlier_ = std::ranges::count_if(level_of_, [](const auto level) { return level >= 0; });
  if (!ended_) begin(records);
}

void AtlasEvolution::state(run::StateFields& state) {
  std::vector<double> points, orbits;
  if (!state.reading()) {
    points = points_to_store();
    orbits = orbits_to_store();
  }
  state.loose_rows("points", static_cast<int>(width_ + 1), points);
  state.loose_rows("orbits", orbit_width, orbits);
  if (!state.reading()) return;
  parallel::agree([&] {
    for (auto at = points.begin(); at != points.end(); at += static_cast<std::ptrdiff_t>(width_ + 1)) {
      mine_.push_back(state.index("points", *at, std::ssize(level_of_)));
      std::copy_n(at + 1, width_, row(mine_.back()).begin());
    }
  });
  recall_orbits(state, orbits);
}

/// Of what all ranks know each rank stores a share; and each what it alone knows.
std::vector<double> AtlasEvolution::points_to_store() {
  std::vector<std::int64_t> numbers = mine_;
  const auto share = run::Share::even(std::ssize(level_of_));
  for (std::int64_t point = share.first; point < share.first + share.count; ++point) {
    if (known(point)) numbers.push_back(point);
  }
  std::vector<double> rows;
  rows.reserve(numbers.size() * (width_ + 1));
  for (const std::int64_t point : numbers) {
    rows.push_back(static_cast<double>(point));
    const auto answers = row(point);
    rows.insert(rows.end(), answers.begin(), answers.end());
  }
  return rows;
}

/// Of this rank's points under way; on rank 0 also those of an earlier start. Some of these another rank may
/// have taken meanwhile, and store once more.
std::vector<double> AtlasEvolution::orbits_to_store() const {
  std::vector<double> rows;
  const auto store = [&](std::int64_t point, std::int64_t orbit, const Outcome& o) {
    const std::array<double, orbit_width> row{static_cast<double>(point),
                                              static_cast<double>(orbit),
                                              static_cast<double>(o.status),
                                              o.escaped ? 1.0 : 0.0,
                                              o.verdict,
                                              o.exponent,
                                              o.rotation,
                                              o.islands,
                                              o.time,
                                              o.energy_error,
                                              o.steps};
    rows.insert(rows.end(), row.begin(), row.end());
  };
  std::set<const Point*> under_way{filling_.get()};
  for (const auto& point : in_lane_) under_way.insert(point.get());
  for (const Point* point : under_way) {
    for (std::int64_t k = 0; point && k < std::ssize(point->orbits); ++k) {
      if (point->has(k)) store(point->number, k, point->orbits[static_cast<std::size_t>(k)]);
    }
  }
  if (parallel::rank() > 0) return rows;
  for (const auto& [point, orbits] : carried_) {
    for (const CarriedOrbit& carried : orbits) {
      if (!known(point)) store(point, carried.orbit, carried.outcome);
    }
  }
  return rows;
}

/// Whichever rank takes a point, it has to know its orbits: so all learn all of them.
void AtlasEvolution::recall_orbits(const run::StateFields& state, const std::vector<double>& mine) {
  const std::int64_t each = ensemble_at(atlas_, ensemble_, 0).size();
  const std::vector<double> all =
      parallel::exchange(std::vector(static_cast<std::size_t>(parallel::size()), mine));
  for (std::size_t k = 0; k < all.size(); k += orbit_width) {
    const double* from = all.data() + k;
    Outcome outcome;
    outcome.status = static_cast<Status>(static_cast<int>(from[2]));
    outcome.escaped = from[3] != 0;
    outcome.verdict = from[4];
    outcome.exponent = from[5];
    outcome.rotation = from[6];
    outcome.islands = from[7];
    outcome.time = from[8];
    outcome.energy_error = from[9];
    outcome.steps = from[10];
    carried_[state.index("orbits", from[0], std::ssize(level_of_))].push_back(
        {state.index("orbits", from[1], each), outcome});
  }
}

/// Begins the level: its points that nobody has done are shared out.
void AtlasEvolution::share_level() {
  due_.clear();
  std::ranges::copy_if(tree_.points(), std::back_inserter(due_), [&](auto point) { return !known(point); });
  sharing_.reset();
  sharing_.emplace(std::ssize(due_));
}

/// Tells all ranks the answers of this level's points that any rank has, some thousands at a time. Each is
/// one rank's, and a sum with zeros doesn't change it.
void AtlasEvolution::learn() {
  std::ranges::sort(mine_);
  const std::span<const std::int64_t> points = tree_.points();
  constexpr std::size_t at_once = 1 << 14;
  for (std::size_t first = 0; first < points.size(); first += at_once) {
    const auto some = points.subspan(first, std::min(at_once, points.size() - first));
    std::vector<double> rows(some.size() * (width_ + 1), 0.0);
    for (std::size_t k = 0; k < some.size(); ++k) {
      if (!std::ranges::binary_search(mine_, some[k])) continue;
      rows[k * (width_ + 1)] = 1;
      std::ranges::copy(row(some[k]), rows.begin() + static_cast<std::ptrdiff_t>(k * (width_ + 1)) + 1);
    }
    rows = parallel::sum(std::move(rows));
    for (std::size_t k = 0; k < some.size(); ++k) {
      const double* from = rows.data() + k * (width_ + 1);
      if (*from == 0) continue;
      std::copy_n(from + 1, width_, row(some[k]).begin());
      level_of_[static_cast<std::size_t>(some[k])] = tree_.level();
    }
  }
  std::erase_if(mine_, [&](std::int64_t point) { return known(point); });
}

/// Halves the cells whose corners differ in an answer by more than the tolerance, or where only some have it.
bool AtlasEvolution::refine() {
  return tree_.refine([&](std::span<const std::int64_t> corners) {
    return std::ranges::any_of(atlas_.judged, [&](std::size_t answer) {
      double low = INFINITY, high = -INFINITY;
      int numbers = 0;
      for (const std::int64_t corner : corners) {
        const double x = row(corner)[answer];
        if (std::isnan(x)) continue;
        ++numbers;
        low = std::min(low, x);
        high = std::max(high, x);
      }
      return numbers > 0 && (numbers < 4 || high - low > atlas_.tolerance);
    });
  });
}

void AtlasEvolution::advance(std::int64_t steps, run::Records&) {
  fly(steps);
  if (parallel::any(!sharing_->exhausted() || any_flying(flight_))) return;
  learn();
  ended_ = !refine();
  if (!ended_) share_level();
}

void AtlasEvolution::fly(std::int64_t steps) {
  const auto next = [this](int lane, std::int64_t& left) { return fill(lane, left); };
  fly_full_lanes(flight_, steps, next, [this](int lane, sections::TrajectoryRecord& flown) {
    if (flown.status == Status::pending) return;
    auto& point = in_lane_[static_cast<std::size_t>(lane)];
    land(*point, flown.id, outcome(flown, point->starts.parameters(flown.id)));
    point.reset();
    flight_.release(lane);
  });
}

bool AtlasEvolution::take_point() {
  const auto index = sharing_->take();
  if (!index) return false;
  const std::int64_t number = due_[static_cast<std::size_t>(*index)];
  filling_ = std::make_shared<Point>(Point{number, ensemble_at(atlas_, ensemble_, number)});
  filling_->open = filling_->starts.size();
  filling_->orbits.resize(static_cast<std::size_t>(filling_->open));
  if (const auto carried = carried_.extract(number)) {
    for (const auto& [orbit, outcome] : carried.mapped()) {
      if (!filling_->has(orbit)) --filling_->open;
      filling_->orbits[static_cast<std::size_t>(orbit)] = outcome;
    }
    filling_->none = filling_->starts.random() && filling_->orbits.front().status == Status::infeasible_start;
    filling_->skip_known();
  }
  return true;
}

void AtlasEvolution::Point::skip_known() {
  while (next < std::ssize(orbits) && has(next)) ++next;
}

/// Puts the next orbit into a lane; one that ends where it starts counts as a step of the slice. Where the
/// first of random starts isn't found, none of this point is looked for.
bool AtlasEvolution::fill(int lane, std::int64_t& steps) {
  while (steps > 0) {
    if (!filling_ && !take_point()) return false;
    const std::shared_ptr<Point> point = filling_;
    const std::int64_t orbit = point->next++;
    point->skip_known();
    if (point->next == point->starts.size()) filling_.reset();
    EnsembleStart start;
    start.feasible = false;
    if (!point->none) start = point->starts[orbit];
    if (!start.feasible) {
      point->none = point->none || (orbit == 0 && point->starts.random());
      Outcome forbidden;
      forbidden.status = Status::infeasible_start;
      land(*point, orbit, forbidden);
      --steps;
      continue;
    }
    if (starts_outside(atlas_.plan, start.start)) {
      auto outside = ended_at(atlas_.plan, start.start);
      land(*point, orbit, outcome(outside, start.start.parameters));
      --steps;
      continue;
    }
    flight_.load(lane, start.start);
    if (flight_.flown(lane).status == Status::pending) {
      in_lane_[static_cast<std::size_t>(lane)] = point;
      return true;
    }
    land(*point, orbit, outcome(flight_.flown(lane), start.start.parameters));
    flight_.release(lane);
    --steps;
  }
  return false;
}

Outcome AtlasEvolution::outcome(sections::TrajectoryRecord& flown,
                                const std::vector<double>& parameters) const {
  Outcome result;
  if (flown.tallies.size() > 1) {
    result.verdict = flown.tallies[0];
    result.exponent = flown.tallies[1];
  }
  name_exit(atlas_.plan, parameters, flown);
  result.status = flown.status;
  if (atlas_.exit_tallies > 0 && flown.tallies.size() >= atlas_.exit_tallies)
    result.escaped = flown.tallies[flown.tallies.size() - atlas_.exit_tallies] >= 0;
  if (atlas_.plane >= 0 && result.verdict == static_cast<double>(chaos::Verdict::regular))
    see_crossings(flown, result);
  result.time = flown.t;
  result.energy_error = flown.energy_error;
  result.steps = static_cast<double>(flown.steps);
  return result;
}

/// By what part of a turn crossings go on about their own centre, on the average, whichever way; and how many
/// islands they visit.
void AtlasEvolution::see_crossings(const sections::TrajectoryRecord& flown, Outcome& result) const {
  const auto dim = static_cast<std::size_t>(atlas_.plan.model.problem->dim()),
             plane = static_cast<std::size_t>(atlas_.plane);
  std::vector<std::array<double, 2>> points;
  std::array<double, 2> centre{0, 0};
  for (std::size_t k = 0; k < flown.crossings.state.size(); k += 2 * dim) {
    points.push_back({flown.crossings.state[k + plane], flown.crossings.state[k + dim + plane]});
    for (std::size_t i = 0; i < 2; ++i) centre[i] += points.back()[i];
  }
  if (points.size() <= 2) return;
  for (double& x : centre) x /= static_cast<double>(points.size());
  result.rotation = std::abs(chaos::weighted_average(chaos::turns(points, centre)));
  result.islands = chaos::islands(points);
}

void AtlasEvolution::land(Point& point, std::int64_t orbit, const Outcome& outcome) {
  point.orbits[static_cast<std::size_t>(orbit)] = outcome;
  ++landed_;
  if (--point.open > 0) return;
  mine_.push_back(point.number);
  // A sum over ranks has no -0.
  std::ranges::transform(answers(point.orbits), row(point.number).begin(), [](double x) { return x + 0.0; });
}

/// Fills in what no level looked at, and enters the map.
void AtlasEvolution::finish(run::Records& records) {
  tree_.interpolate(
      [&](std::int64_t point, std::span<const std::int64_t> corners, std::span<const double> weights) {
        for (std::size_t k = 0; k < width_; ++k) {
          double sum = 0;
          for (std::size_t c = 0; c < corners.size(); ++c) {
            if (weights[c] > 0) sum += weights[c] * row(corners[c])[k];
          }
          row(point)[k] = sum;
        }
      });
  const std::int64_t line_bytes = 8 * atlas_.width() * static_cast<std::int64_t>(width_ + 1);
  const std::int64_t lines_at_once = std::max<std::int64_t>(1, run::Records::most_waiting / line_bytes);
  std::vector<double> line(static_cast<std::size_t>(atlas_.width()));
  for (std::int64_t y = 0; y < atlas_.height(); ++y) {
    records.one("/atlas/level", y, level_of_.data() + y * atlas_.width());
    for (std::size_t k = 0; k < width_; ++k) {
      for (std::int64_t x = 0; x < atlas_.width(); ++x)
        line[static_cast<std::size_t>(x)] = row(x + y * atlas_.width())[k];
      records.one("/atlas/" + atlas_answers()[k].name, y, line.data());
    }
    if ((y + 1) % lines_at_once == 0) records.flush();
  }
  studies::write(records, atlas_.plan.method.solver);
}

run::Progress AtlasEvolution::progress() const {
  const std::int64_t taken = sharing_ ? sharing_->taken() : 0;
  return {
      static_cast<double>(taken), static_cast<double>(due_.size()),
      fmt::format("level {} of {}: about {} of {} points", tree_.level(), atlas_.levels, taken, due_.size()),
      "points"};
}

std::vector<run::Line> AtlasEvolution::summary(const run::Effort& effort) {
  double points = 0, steps = 0, energy_error = 0;
  for (std::size_t point = 0; point < level_of_.size(); ++point) {
    if (level_of_[point] < 0) continue;
    ++points;
    const auto of = row(static_cast<std::int64_t>(point));
    energy_error = std::max(energy_error, of[width_ - 2]);
    steps += of[width_ - 1];
  }
  const std::int64_t each = ensemble_at(atlas_, ensemble_, 0).size();
  std::vector<run::Line> lines{
      {"points", fmt::format("{:.0f} of {}, {} starts each", points, level_of_.size(), each)},
      {"method", atlas_.billiard ? "exact flights" : in_words(atlas_.plan.method)},
      {"orbits",
       fmt::format("{:.0f}, {:.4g} a second", points * static_cast<double>(each),
                   (points - static_cast<double>(earlier_)) * static_cast<double>(each) / effort.wall)},
      {"steps", fmt::format("{:.0f}", steps)},
      {"energy error", fmt::format("{:.3g} at worst", energy_error)}};
  if (!ended_ && parallel::sum(landed_) == 0)
    lines.emplace_back("no further",
                       "not one orbit came to its end in this start, and the next begins them "
                       "anew: give it more time");
  if (const auto& solver = atlas_.plan.method.solver) lines.emplace_back("multipliers", solved_by(solver));
  return lines;
}

bool AtlasEvolution::failed() {
  const auto& list = atlas_answers();
  const auto at = static_cast<std::size_t>(std::ranges::find(list, "failed", &Answer::name) - list.begin());
  for (std::size_t point = 0; point < level_of_.size(); ++point) {
    if (level_of_[point] >= 0 && row(static_cast<std::int64_t>(point))[at] > 0) return true;
  }
  return false;
}

}  // namespace cotangent::studies
