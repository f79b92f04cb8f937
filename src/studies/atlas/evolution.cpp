// SPDX-License-Identifier: BSD-3-Clause
#include "studies/atlas/evolution.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "chaos/birkhoff.hpp"
#include "chaos/indicators.hpp"
#include "parallel/mpi.hpp"
#include "studies/program/method_options.hpp"
#include "studies/program/multipliers.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

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
  state.loose_rows("points", static_cast<int>(width_ + 1), mine_);
}

/// Begins the level: its points that nobody has done are shared out.
void AtlasEvolution::share_level() {
  due_.clear();
  std::ranges::copy_if(tree_.points(), std::back_inserter(due_), [&](auto point) { return !known(point); });
  sharing_.reset();
  sharing_.emplace();
  exhausted_ = false;
  taken_ = 0;
}

/// Tells all ranks the answers of this level's points that any rank has. Each is one rank's, and a sum with
/// zeros doesn't change it.
void AtlasEvolution::learn() {
  const auto& points = tree_.points();
  std::vector<double> rows(points.size() * (width_ + 1), 0.0);
  for (std::size_t k = 0; k < mine_.size(); k += width_ + 1) {
    const auto at = std::ranges::lower_bound(points, static_cast<std::int64_t>(mine_[k]));
    if (at == points.end() || *at != static_cast<std::int64_t>(mine_[k])) continue;
    double* to = rows.data() + static_cast<std::size_t>(at - points.begin()) * (width_ + 1);
    *to = 1;
    std::copy_n(mine_.begin() + static_cast<std::ptrdiff_t>(k) + 1, width_, to + 1);
  }
  rows = parallel::sum(std::move(rows));
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double* from = rows.data() + k * (width_ + 1);
    if (*from == 0) continue;
    std::copy_n(from + 1, width_, row(points[k]).begin());
    level_of_[static_cast<std::size_t>(points[k])] = tree_.level();
  }
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
  if (parallel::any(!exhausted_ || any_flying(flight_))) return;
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
  const std::int64_t index = exhausted_ ? std::ssize(due_) : sharing_->take();
  exhausted_ = index >= std::ssize(due_);
  taken_ = std::min(index + 1, std::ssize(due_));
  if (exhausted_) return false;
  const std::int64_t number = due_[static_cast<std::size_t>(index)];
  filling_ = std::make_shared<Point>(Point{number, ensemble_at(atlas_, ensemble_, number)});
  filling_->open = filling_->starts.size();
  filling_->orbits.resize(static_cast<std::size_t>(filling_->open));
  return true;
}

/// Puts the next orbit into a lane; one that ends where it starts counts as a step of the slice. Where the
/// first of random starts isn't found, none of this point is looked for.
bool AtlasEvolution::fill(int lane, std::int64_t& steps) {
  while (steps > 0) {
    if (!filling_ && !take_point()) return false;
    const std::shared_ptr<Point> point = filling_;
    const std::int64_t orbit = point->next++;
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
  settle(atlas_.plan, parameters, flown);
  result.status = flown.status;
  if (atlas_.exit_tallies > 0 && flown.tallies.size() >= atlas_.exit_tallies)
    result.escaped = flown.tallies[flown.tallies.size() - atlas_.exit_tallies] >= 0;
  if (atlas_.plane >= 0 && result.verdict == static_cast<double>(chaos::Verdict::regular))
    result.rotation = rotation(flown);
  result.time = flown.t;
  result.energy_error = flown.energy_error;
  result.steps = static_cast<double>(flown.steps);
  return result;
}

/// By what part of a turn crossings go on about their own centre, on the average, whichever way.
double AtlasEvolution::rotation(const sections::TrajectoryRecord& flown) const {
  const auto dim = static_cast<std::size_t>(atlas_.plan.model.problem->dim()),
             plane = static_cast<std::size_t>(atlas_.plane);
  std::vector<std::array<double, 2>> points;
  std::array<double, 2> centre{0, 0};
  for (std::size_t k = 0; k < flown.crossings.state.size(); k += 2 * dim) {
    points.push_back({flown.crossings.state[k + plane], flown.crossings.state[k + dim + plane]});
    for (std::size_t i = 0; i < 2; ++i) centre[i] += points.back()[i];
  }
  for (double& x : centre) x /= static_cast<double>(points.size());
  return points.size() > 2 ? std::abs(chaos::weighted_average(chaos::turns(points, centre))) : nan;
}

void AtlasEvolution::land(Point& point, std::int64_t orbit, const Outcome& outcome) {
  point.orbits[static_cast<std::size_t>(orbit)] = outcome;
  if (--point.open > 0) return;
  mine_.push_back(static_cast<double>(point.number));
  for (const double x : answers(point.orbits)) mine_.push_back(x + 0.0);  // a sum over ranks has no -0
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
  std::vector<double> line(static_cast<std::size_t>(atlas_.width()));
  for (std::int64_t y = 0; y < atlas_.height(); ++y) {
    records.one("/atlas/level", y, level_of_.data() + y * atlas_.width());
    for (std::size_t k = 0; k < width_; ++k) {
      for (std::int64_t x = 0; x < atlas_.width(); ++x)
        line[static_cast<std::size_t>(x)] = row(x + y * atlas_.width())[k];
      records.one("/atlas/" + atlas_answers()[k].name, y, line.data());
    }
  }
}

run::Progress AtlasEvolution::progress() const {
  const auto all = static_cast<double>(due_.size()), done = static_cast<double>(taken_);
  return {
      done, all,
      fmt::format("level {} of {}: about {} of {} points", tree_.level(), atlas_.levels, taken_, due_.size()),
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
