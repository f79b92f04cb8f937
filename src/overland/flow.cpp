// SPDX-License-Identifier: BSD-3-Clause
#include "overland/flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallel/mpi.hpp"
#include "parallel/reproducible_sums.hpp"

namespace cotangent::overland {

Flow::Flow(const Landscape& landscape, Scheme& scheme, const Rain& rain, const Infiltration& infiltration,
           const SteppingOptions& options, Water water)
    : land_(landscape),
      scheme_(scheme),
      rain_(rain),
      infiltration_(infiltration),
      options_(options),
      water_(std::move(water)),
      boundary_(landscape) {
  const std::span<const double> own(land_.area.data(), static_cast<std::size_t>(land_.mesh.own));
  const std::vector<std::span<const double>> columns{own};
  all_area_ = parallel::reproducible_sums(columns)[0];
  progress_.start_storage = storage();
  progress_.last_discharge = mean_discharge();
  progress_.step = options_.step;
  shortest_ = options_.step / 4096;
  for (const auto& rule : land_.rules) {
    if (rule.kind != BoundaryRule::Kind::depth) continue;
    for (const auto& row : rule.value.rows()) turns_.push_back(row.first);
  }
  std::ranges::sort(turns_);
}

double Flow::storage() const {
  return volume(land_, water_.depth);
}

double Flow::balance_error() const {
  const double now = storage(), start = progress_.start_storage;
  const Ledger& l = progress_.ledger;
  const double size = std::max({now, start, l.rain, l.inflow, dry});
  return std::abs(now - start - l.balance()) / size;
}

double Flow::mean_discharge() const {
  return parallel::sum(scheme_.discharge_integral(water_)) / all_area_;
}

std::vector<double> Flow::mean_rain(double from, double to) const {
  std::vector<double> rain;
  const auto rains = [&] { rain = rain_.mean(from, to, water_.depth.size()); };
  if (rain_.at)
    parallel::agree(rains);  // a formula may refuse what it finds on one rank
  else
    rains();
  return rain;
}

std::vector<double> Flow::depth_of_inflow(double from, double to) {
  boundary_.set(from, to);
  std::vector<double> depth = boundary_.inflow();
  for (std::size_t v = 0; v < depth.size(); ++v) depth[v] *= (to - from) / land_.area[v];
  return depth;
}

std::vector<double> Flow::infiltrated_at_rest(double dt, int parts) {
  std::vector<double> infiltrated = water_.infiltrated, depth = water_.depth;
  const double part = dt / parts;
  for (int k = 0; k < parts; ++k) {
    const double from = water_.time + k * part, to = water_.time + (k + 1) * part;
    const std::vector<double> rain = mean_rain(from, to), inflow = depth_of_inflow(from, to);
    for (std::size_t v = 0; v < depth.size(); ++v) {
      const auto [of_rain, room] = infiltration_.share(rain[v], infiltrated[v], part);
      const double wet = depth[v] + inflow[v] + rain[v] * part - of_rain;
      const double soaks = std::clamp(wet, 0.0, room);
      infiltrated[v] += of_rain + soaks;
      depth[v] = wet - soaks;
    }
  }
  return infiltrated;
}

Flow::Soil Flow::soak_rain(double dt, std::vector<double>& rain) {
  Soil soil;
  if (infiltration_.law == Infiltration::Law::none) return soil;
  const bool adaptive = options_.tolerance > 0, steady = !rain_.varies();
  if (adaptive && !steady) soil.at_rest = infiltrated_at_rest(dt, 2);
  std::vector<double> taken, inflow;
  if (adaptive && steady) inflow = depth_of_inflow(water_.time, water_.time + dt);
  for (std::size_t v = 0; v < rain.size(); ++v) {
    double& infiltrated = water_.infiltrated[v];
    const double fallen = rain[v] * dt;
    const auto [of_rain, room] = infiltration_.share(rain[v], infiltrated, dt);
    taken.push_back(of_rain);
    soil.room.push_back(room);
    infiltrated += of_rain;
    if (adaptive && steady)
      soil.at_rest.push_back(infiltrated +
                             std::clamp(water_.depth[v] + inflow[v] + fallen - of_rain, 0.0, room));
    rain[v] = (fallen - of_rain) / dt;
  }
  soil.ledger.rain = soil.ledger.infiltration = volume(land_, taken);
  return soil;
}

void Flow::soak(double share, Soil& soil) {
  if (infiltration_.law == Infiltration::Law::none) return;
  std::vector<double> taken;
  for (std::size_t v = 0; v < water_.depth.size(); ++v) {
    double& depth = water_.depth[v];
    const double before = depth;
    depth -= std::min(std::max(0.0, depth), share * soil.room[v]);
    taken.push_back(before - depth);
    water_.infiltrated[v] += taken[v];
    soil.room[v] -= taken[v];
  }
  soil.ledger.infiltration += volume(land_, taken);
}

double Flow::soil_error(const Soil& soil) const {
  if (infiltration_.law == Infiltration::Law::none || options_.tolerance == 0) return 0;
  std::vector<double> wrong, all;
  for (std::size_t v = 0; v < soil.at_rest.size(); ++v) {
    wrong.push_back(0.5 * std::abs(water_.infiltrated[v] - soil.at_rest[v]));
    all.push_back(water_.depth[v] + water_.infiltrated[v]);
  }
  return volume(land_, wrong) / std::max(volume(land_, all), dry);
}

bool Flow::try_step(double dt) {
  const Water before = water_;
  const double start = water_.time;
  std::vector<double> rain = mean_rain(start, start + dt);
  Soil soil = soak_rain(dt, rain);
  soak(0.5, soil);
  last_ = scheme_.step(water_, dt, rain);
  if (last_.converged) {
    soak(1, soil);
    last_.error += soil_error(soil);
  }
  progress_.iterations += last_.iterations;
  const bool rough =
      options_.tolerance > 0 && last_.error > 2 * options_.tolerance && dt > options_.smallest * (1 + 1e-9);
  if (!last_.converged || rough) {
    why_ = last_.converged ? "the error of a step stays above the tolerance" : last_.why;
    water_ = before;
    progress_.retries += 1;
    return false;
  }
  progress_.ledger.add(soil.ledger);
  progress_.ledger.add(last_.ledger);
  progress_.worst_identity = std::max(progress_.worst_identity, last_.identity);
  progress_.steps += 1;
  const double discharge = mean_discharge();
  progress_.discharge_time += dt * (progress_.last_discharge + discharge) / 2;
  progress_.last_discharge = discharge;
  return true;
}

double Flow::goal(double to) const {
  const auto turn = std::ranges::upper_bound(turns_, water_.time + shortest_);
  return turn != turns_.end() && *turn < to - shortest_ ? *turn : to;
}

Status Flow::advance(double to, std::int64_t steps) {
  const bool adaptive = options_.tolerance > 0;
  if (begin_ == to_) {
    begin_ = water_.time;
    done_ = 0;
    part_ = adaptive ? progress_.step : options_.step;
  }
  to_ = to;
  for (; water_.time < to; --steps) {
    if (steps == 0) return Status::pending;
    if (adaptive ? adaptive_step() : fixed_step()) continue;
    return adaptive && last_.converged ? Status::step_too_small : Status::newton_diverged;
  }
  begin_ = to_;
  return Status::finished;
}

/// Steps end where the fixed ones do, whatever their parts. False where no part is short enough, as below.
bool Flow::fixed_step() {
  const auto count = std::max<std::int64_t>(1, std::llround((to_ - begin_) / options_.step));
  const double end = done_ + 1 >= count ? to_
                                        : begin_ + (to_ - begin_) * static_cast<double>(done_ + 1) /
                                                       static_cast<double>(count);
  const double left = end - water_.time;
  const bool last = part_ >= left * (1 - 1e-9);
  if (try_step(last ? left : part_)) {
    if (last) {
      water_.time = end;
      ++done_;
      part_ = options_.step;
    }
    return true;
  }
  part_ = std::min(part_, left) / 2;
  return part_ >= shortest_;
}

bool Flow::adaptive_step() {
  const double end = goal(to_), left = end - water_.time, part = part_;
  // Two equal ones rather than one and a tiny rest.
  const double dt = part >= left * (1 - 1e-9) ? left : part > left / 2 ? left / 2 : part;
  const bool went_well = try_step(dt);
  if (went_well) {
    if (dt == left) water_.time = end;
    const double wish = 0.9 * std::sqrt(options_.tolerance / std::max(last_.error, 1e-300));
    double factor = std::clamp(wish, 0.3, 1.5);
    if (last_.iterations > options_.many)
      factor = std::min(factor, 1 / 1.5);
    else if (last_.iterations >= options_.few)
      factor = std::min(factor, 1.0);
    // A step cut short by a sample's time says little against the length it would have had.
    double next = dt * factor;
    if (dt < part && factor >= 1) next = std::max(part, factor > 1 ? std::min(dt * wish, 1.5 * part) : next);
    const double least = last_.iterations > options_.many ? 0 : std::min(options_.smallest, 1.5 * dt);
    part_ = std::clamp(next, least, options_.largest);
  } else {
    part_ = last_.converged
                ? std::max(options_.smallest,
                           dt * std::clamp(0.9 * std::sqrt(options_.tolerance / last_.error), 0.2, 0.7))
                : 0.5 * dt;
  }
  progress_.step = part_;
  return went_well || part_ >= shortest_;
}

}  // namespace cotangent::overland
