// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/work_precision/flights.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::studies {

namespace {

constexpr double timed = 0.05;  ///< seconds of repeated flights, which make a short time exact
constexpr int intervals = 32, samples_each = 16;

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The slope of the maxima of |E - E0| over intervals of time, by least squares.
double drift(const sections::TrajectoryRecord& flown, double time) {
  const auto& energies = flown.samples.energy;
  double square = 0, mixed = 0;
  for (int k = 0; k < intervals; ++k) {
    double largest = 0;
    for (int j = 0; j < samples_each; ++j) {
      const auto row = static_cast<std::size_t>(k * samples_each + j);
      if (row >= energies.size()) return std::numeric_limits<double>::quiet_NaN();
      largest = std::max(largest, std::abs(energies[row] - flown.energy));
    }
    const double t = k - 0.5 * (intervals - 1);
    square += t * t;
    mixed += t * largest;
  }
  return mixed / square * intervals / time;
}

std::int64_t steps_of(sections::TrajectoryBatch& flight) {
  std::int64_t most = 0;
  for (int lane = 0; lane < flight.lanes(); ++lane) {
    if (!flight.free(lane)) most = std::max(most, flight.flown(lane).steps);
  }
  return most;
}

bool flying(sections::TrajectoryBatch& flight) {
  bool some = false;
  for (int lane = 0; lane < flight.lanes(); ++lane) {
    some |= !flight.free(lane) && flight.flown(lane).status == Status::pending;
  }
  return some;
}

}  // namespace

Flights::Flights(const Comparison& comparison)
    : c_(comparison),
      dim_(static_cast<std::size_t>(c_.model.problem->dim())),
      width_(Row::state + 2 * dim_),
      lanes_(static_cast<std::size_t>(c_.model.problem->lanes())),
      groups_((c_.starts.size() + lanes_ - 1) / lanes_) {}

void Flights::state(run::StateFields& state) {
  earlier_.visit(state, tasks(), 1 + lanes_ * width_, flown_);
  std::ranges::move(earlier_.take_all(), std::back_inserter(flown_));
}

double Flights::estimate() const {
  double seconds = 0;
  const std::vector<sections::Start> starts = starts_of(0);
  for (std::size_t s = 0; s < c_.settings.size(); ++s) {
    const auto some = flight(s, true);
    const double begun = cpu_seconds();
    for (std::size_t k = 0; k < starts.size(); ++k) some->load(static_cast<int>(k), starts[k]);
    do some->advance(64);
    while (cpu_seconds() - begun < 0.02 && flying(*some));
    double samples = 0, lanes = 0;
    for (int lane = 0; lane < some->lanes(); ++lane) {
      if (some->free(lane)) continue;
      samples += static_cast<double>(some->flown(lane).sample_count);
      ++lanes;
    }
    const double share = samples / std::max(1.0, lanes) / (intervals * samples_each);
    const double once = (cpu_seconds() - begun) / std::max(share, 1e-6);
    seconds +=
        static_cast<double>(groups_) * (once + (s < Comparison::references ? 0 : std::max(once, timed)));
  }
  return seconds / parallel::size();
}

std::unique_ptr<sections::TrajectoryBatch> Flights::flight(std::size_t setting, bool sampled) const {
  sections::Observation watch;
  watch.stop.time = c_.time;
  if (sampled) watch.sample_every = c_.time / (intervals * samples_each);
  return c_.model.problem->fly(c_.settings[setting].options, watch, static_cast<int>(lanes_));
}

std::vector<sections::Start> Flights::starts_of(std::size_t group) const {
  std::vector<sections::Start> starts;
  for (std::size_t k = group * lanes_; k < std::min((group + 1) * lanes_, c_.starts.size()); ++k)
    starts.push_back((*c_.ensemble)[c_.starts[k]].start);
  return starts;
}

/// Loads a group of starts with one setting; false where there is none left.
bool Flights::take() {
  while (const auto task = sharing_->take()) {
    if (earlier_.known(*task)) continue;
    setting_ = static_cast<std::size_t>(*task) / groups_;
    starts_ = starts_of(static_cast<std::size_t>(*task) % groups_);
    under_way_.id = *task;
    sampled_ = true;
    flight_ = flight(setting_, sampled_);
    load();
    return true;
  }
  return false;
}

void Flights::load() {
  const double begun = cpu_seconds();
  for (std::size_t k = 0; k < starts_.size(); ++k) flight_->load(static_cast<int>(k), starts_[k]);
  once_ = cpu_seconds() - begun;
}

void Flights::advance(std::int64_t steps) {
  while (steps > 0 && (flight_ || take())) {
    const std::int64_t before = steps_of(*flight_);
    const double begun = cpu_seconds();
    flight_->advance(steps);
    once_ += cpu_seconds() - begun;
    steps -= std::max<std::int64_t>(1, steps_of(*flight_) - before);
    if (!flying(*flight_)) land();
  }
}

/// A group has come to its end: with samples it tells what it shows; without, the time that it takes.
void Flights::land() {
  if (sampled_) {
    under_way_.state.assign(1 + lanes_ * width_, 0.0);
    for (std::size_t k = 0; k < starts_.size(); ++k) {
      const sections::TrajectoryRecord& flown = flight_->flown(static_cast<int>(k));
      double* row = under_way_.state.data() + 1 + k * width_;
      row[Row::arrived] = flown.status == Status::finished ? 1 : 0;
      row[Row::failed] = is_failure(flown.status) ? 1 : 0;
      row[Row::steps] = static_cast<double>(flown.steps);
      row[Row::energy_error] = flown.energy_error;
      row[Row::constraint_error] = flown.constraint_error;
      // Of what is driven samples don't tell the energy that is owed.
      row[Row::drift] =
          c_.model.problem->worked_on() ? std::numeric_limits<double>::quiet_NaN() : drift(flown, c_.time);
      std::ranges::copy(flown.q, row + Row::state);
      std::ranges::copy(flown.v, row + Row::state + dim_);
    }
    sampled_ = false;
    spent_ = 0;
    least_ = std::numeric_limits<double>::infinity();
    flight_ = flight(setting_, sampled_);
  } else {
    for (int lane = 0; lane < flight_->lanes(); ++lane) flight_->release(lane);
    least_ = std::min(least_, once_);
    spent_ += once_;
  }
  if (spent_ < timed && setting_ >= Comparison::references) return load();
  under_way_.state.front() = spent_ > 0 ? least_ : 0;
  flown_.push_back(std::move(under_way_));
  flight_.reset();
}

ShownRows Flights::shown() const {
  const std::size_t labelled = 2 + width_;
  std::vector<std::vector<double>> to(static_cast<std::size_t>(parallel::size()));
  for (const CarriedTask& task : flown_) {
    const auto setting = static_cast<std::size_t>(task.id) / groups_,
               first = static_cast<std::size_t>(task.id) % groups_ * lanes_;
    for (std::size_t k = first, rank = 0; k < std::min(first + lanes_, c_.starts.size()); ++k) {
      while (c_.starts.size() * (rank + 1) / to.size() <= k) ++rank;  // whose even share it is of
      const auto row = task.state.begin() + static_cast<std::ptrdiff_t>(1 + (k - first) * width_);
      to[rank].push_back(static_cast<double>(setting));
      to[rank].push_back(static_cast<double>(k));
      to[rank].insert(to[rank].end(), row, row + static_cast<std::ptrdiff_t>(width_));
    }
  }
  const std::vector<double> came = parallel::exchange(std::move(to));
  const run::Share share = run::Share::even(std::ssize(c_.starts));
  ShownRows shown{share.first, share.count, width_, {}};
  shown.rows.resize(c_.settings.size() * static_cast<std::size_t>(share.count) * width_);
  for (std::size_t at = 0; at < came.size(); at += labelled) {
    const auto setting = static_cast<std::size_t>(came[at]);
    const double* row = shown.row(setting, static_cast<std::int64_t>(came[at + 1]) - share.first);
    std::copy_n(came.data() + at + 2, width_, shown.rows.begin() + (row - shown.rows.data()));
  }
  return shown;
}

std::vector<double> Flights::seconds() const {
  std::vector<double> seconds(c_.settings.size(), 0.0);
  for (const CarriedTask& task : flown_)
    seconds[static_cast<std::size_t>(task.id) / groups_] += task.state.front();
  return parallel::sum(std::move(seconds));
}

}  // namespace cotangent::studies
