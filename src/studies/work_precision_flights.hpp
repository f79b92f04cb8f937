// The flights of a work-precision study: every method with every step or tolerance, on every start.
// Seconds are CPU time of the thread, the least of several flights without samples; energies come from a
// flight with samples before them. Rows depend on method and start alone, not on rank or lane. Limits: rows
// of all flights are held in memory, on every rank.
#pragma once

#include <string>
#include <vector>

#include "parallel/task_sharing.hpp"
#include "studies/study.hpp"

namespace cotangent::studies {

/// One method with one step or tolerance: a row of the result.
struct Setting {
  int method;  ///< -1: the reference
  int index;   ///< among those of its method
  integrators::MethodOptions options;
};

struct Comparison {
  static constexpr int references = 2;

  ModelChoice model;
  std::vector<std::string> names;
  std::vector<Setting> settings;  ///< the reference at its step, at half of it, and all others
  std::vector<sections::Start> starts;
  double time = 0;
  std::string file;

  std::int64_t rows() const { return std::ssize(settings) - references; }
};

/// What one trajectory has shown, as numbers that ranks can add up: places of a row, the last state at its
/// end.
struct Row {
  enum : std::size_t { arrived, failed, steps, energy_error, constraint_error, drift, state };
};

class Flights {
 public:
  explicit Flights(const Comparison& comparison);

  /// All settings on all starts, shared out over the ranks; afterwards every rank has all rows. Collective.
  void run();
  /// How long that takes, by the pace of a few hundredths of a second of each setting.
  double estimate() const;

  double at(std::size_t setting, std::size_t start, std::size_t place) const {
    return rows_[(setting * c_.starts.size() + start) * width_ + place];
  }
  /// For one flight of all starts.
  double seconds(std::size_t setting) const { return seconds_[setting]; }

 private:
  std::unique_ptr<sections::Flight> flight(std::size_t setting, bool sampled) const;
  void load(sections::Flight& flight, std::size_t group) const;
  void fly_group(sections::Flight& flight, std::size_t group);
  void fly(std::size_t setting, std::size_t group);

  const Comparison& c_;
  const std::size_t dim_, width_, lanes_, groups_;
  std::vector<double> rows_, seconds_;
  parallel::TaskSharing* sharing_ = nullptr;
};

}  // namespace cotangent::studies
