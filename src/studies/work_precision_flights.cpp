#include "studies/work_precision_flights.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "parallel/signals.hpp"
#include "studies/report.hpp"

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
double drift(const sections::Flown& flown, double time) {
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

bool flying(sections::Flight& flight) {
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
      groups_((c_.starts.size() + lanes_ - 1) / lanes_),
      rows_(c_.settings.size() * c_.starts.size() * width_, 0.0),
      seconds_(c_.settings.size(), 0.0) {}

void Flights::run() {
  const auto tasks = static_cast<std::int64_t>(c_.settings.size() * groups_);
  const auto all = static_cast<std::int64_t>(c_.settings.size() * c_.starts.size());
  Progress progress(all);
  {
    parallel::TaskSharing sharing;
    sharing_ = &sharing;
    parallel::agree([&] {
      try {
        std::int64_t landed = 0;
        for (std::int64_t task = sharing.take(); task < tasks; task = sharing.take()) {
          progress.show(task * all / tasks, landed);
          fly(static_cast<std::size_t>(task) / groups_, static_cast<std::size_t>(task) % groups_);
          landed += all / tasks;
        }
      } catch (...) {
        sharing.request_stop();
        throw;
      }
    });
  }
  progress.finish();
  // Each number is one rank's and 0 elsewhere: the sums are exact.
  rows_ = parallel::sum(std::move(rows_));
  seconds_ = parallel::sum(std::move(seconds_));
}

double Flights::estimate() const {
  double seconds = 0;
  for (std::size_t s = 0; s < c_.settings.size(); ++s) {
    const auto some = flight(s, true);
    const double begun = cpu_seconds();
    load(*some, 0);
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

std::unique_ptr<sections::Flight> Flights::flight(std::size_t setting, bool sampled) const {
  sections::Watch watch;
  watch.stop.time = c_.time;
  if (sampled) watch.sample_every = c_.time / (intervals * samples_each);
  return c_.model.problem->fly(c_.settings[setting].options, watch, static_cast<int>(lanes_));
}

void Flights::load(sections::Flight& flight, std::size_t group) const {
  for (std::size_t k = group * lanes_; k < std::min((group + 1) * lanes_, c_.starts.size()); ++k) {
    flight.load(static_cast<int>(k - group * lanes_), c_.starts[k]);
  }
}

/// Lets a group fly to its end.
void Flights::fly_group(sections::Flight& flight, std::size_t group) {
  load(flight, group);
  while (flying(flight)) {
    flight.advance(4096);
    const int signal = parallel::stop_signal();
    if (signal == 0 && !sharing_->stop_requested()) continue;
    throw Error(fmt::format("stopped{}: {} is incomplete",
                            signal == 0 ? "" : fmt::format(" by {}", parallel::signal_name(signal)), c_.file),
                exit_stopped);
  }
}

/// A group of starts: once with samples, for what it shows; then without them, for the time it takes.
void Flights::fly(std::size_t setting, std::size_t group) {
  const auto shown = flight(setting, true);
  fly_group(*shown, group);
  for (std::size_t k = group * lanes_; k < std::min((group + 1) * lanes_, c_.starts.size()); ++k) {
    const sections::Flown& flown = shown->flown(static_cast<int>(k - group * lanes_));
    double* row = rows_.data() + (setting * c_.starts.size() + k) * width_;
    row[Row::arrived] = flown.status == Status::finished ? 1 : 0;
    row[Row::failed] = is_failure(flown.status) ? 1 : 0;
    row[Row::steps] = static_cast<double>(flown.steps);
    row[Row::energy_error] = flown.energy_error;
    row[Row::constraint_error] = flown.constraint_error;
    row[Row::drift] = drift(flown, c_.time);
    std::ranges::copy(flown.q, row + Row::state);
    std::ranges::copy(flown.v, row + Row::state + dim_);
  }
  if (setting < Comparison::references) return;
  double least = std::numeric_limits<double>::infinity(), spent = 0;
  const auto bare = flight(setting, false);
  while (spent < timed) {
    const double begun = cpu_seconds();
    fly_group(*bare, group);
    const double once = cpu_seconds() - begun;
    for (int lane = 0; lane < bare->lanes(); ++lane) bare->release(lane);
    least = std::min(least, once);
    spent += once;
  }
  seconds_[setting] += least;
}

}  // namespace cotangent::studies
