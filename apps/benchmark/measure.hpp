// SPDX-License-Identifier: BSD-3-Clause
// What is measured, alike for every tool: processor time of one thread for a load of orbits (best of some
// repetitions; slow tools get an eighth of the load), and in separate runs, which are not timed, the largest
// energy error of all orbits after any step, the error of the states at an early time, and that of all
// crossings until then.
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "reference.hpp"

namespace cotangent::benchmark {

/// One line of the result.
struct Row {
  std::string tool, method, setting, problem;
  bool events = false;
  std::size_t orbits = 0;  ///< As many were timed.
  double time = 0, seconds = 0;
  double time_per_second = 0;       ///< Units of orbit time a second.
  double crossings_per_second = 0;  ///< Zero without events.
  double energy_error = 0;          ///< max |E - E0| over all orbits and steps.
  double relative_energy_error = 0;
  double position_error = 0;  ///< Largest component's error of any orbit at the check time.
  double section_error = 0;   ///< The same of any crossing until then.
  long missed = 0;            ///< Crossings until then that were not found, and found ones that don't exist.
};

/// The load: the starts, how far they run, and the truth at an earlier time.
template <class Problem>
struct Load {
  std::vector<State> starts;
  double time = 0, check_time = 0;
  int repeats = 1;
  std::vector<Reference> truth;

  Load(int side, double end, int repetitions)
      : starts(Problem::starts(side)), time(end), check_time(std::min(end, 100.0)), repeats(repetitions) {
    for (const State& start : starts) truth.push_back(reference<Problem>(start, check_time));
  }
};

/// Watches a timed run: counts the crossings, and keeps a sum that the compiler can't drop.
struct Counting {
  static constexpr bool sees_steps = false;
  long count = 0;
  double sum = 0;
  void step(int, const State&) {}
  void crossing(int, double time, const State& y) {
    ++count;
    sum += time + y[1] + y[2] + y[3];
  }
};

/// Watches a run that is checked: energy after each step, and all crossings.
template <class Problem>
struct Checking {
  static constexpr bool sees_steps = true;
  std::vector<double> initial;
  std::vector<std::vector<Crossing<double>>> crossings;
  double energy_error = 0;

  explicit Checking(const std::vector<State>& starts) : crossings(starts.size()) {
    for (const State& start : starts) initial.push_back(Problem::energy(start));
  }
  void step(int id, const State& y) {
    const double error = std::abs(Problem::energy(y) - initial[id]);
    if (!(error <= energy_error)) energy_error = error;  // a NaN is kept, too
  }
  void crossing(int id, double time, const State& y) { crossings[id].push_back({time, y}); }
};

inline double largest_difference(const State& a, const State& b) {
  double error = 0;
  for (int k = 0; k < 4; ++k) error = std::max(error, std::abs(a[k] - b[k]));
  return error;
}

/// Compares one orbit's crossings with the truth; two are the same if their times agree to 1e-3.
inline void compare(Row& row, const std::vector<Crossing<double>>& truth,
                    const std::vector<Crossing<double>>& found) {
  std::size_t matched = 0;
  for (std::size_t i = 0, k = 0; i < truth.size() && k < found.size();) {
    const double late = found[k].time - truth[i].time;
    if (std::abs(late) < 1e-3) {
      row.section_error = std::max(row.section_error, largest_difference(truth[i++].state, found[k++].state));
      ++matched;
    } else {
      ++(late > 0 ? i : k);
    }
  }
  row.missed += long(truth.size() - matched) + long(found.size() - matched);
}

inline void print(const Row& row) {
  std::printf("%-15s %-13s %-22s %-16s %-7s %10.3g %10.3g %9.2e %9.2e %9.2e %9.2e %6ld\n",
              row.problem.c_str(), row.tool.c_str(), row.method.c_str(), row.setting.c_str(),
              row.events ? "events" : "-", row.time_per_second, row.crossings_per_second, row.energy_error,
              row.relative_energy_error, row.position_error, row.section_error, row.missed);
  std::fflush(stdout);
}

/// Measures run(starts, end, events, watch), which returns the last states, with and without events, and
/// appends two rows. A tool that gives up (an exception) is reported and leaves none.
template <class Problem, class Run>
void measure(std::vector<Row>& rows, const Load<Problem>& load, const std::string& tool,
             const std::string& method, const std::string& setting, Run&& run) {
  try {
    Row row{.tool = tool, .method = method, .setting = setting, .problem = Problem::name};
    row.time = load.time;
    {
      Checking<Problem> watch(load.starts);
      const std::clock_t start = std::clock();
      run(load.starts, load.time, false, watch);
      const bool slow = std::clock() - start > CLOCKS_PER_SEC && load.starts.size() >= 64;
      row.orbits = slow ? load.starts.size() / 8 : load.starts.size();
      row.energy_error = watch.energy_error;
      row.relative_energy_error = watch.energy_error / std::abs(Problem::energy_level);
    }
    {
      Checking<Problem> watch(load.starts);
      const std::vector<State> final = run(load.starts, load.check_time, true, watch);
      for (std::size_t i = 0; i < final.size(); ++i) {
        row.position_error = std::max(row.position_error, largest_difference(final[i], load.truth[i].final));
        compare(row, load.truth[i].crossings, watch.crossings[i]);
      }
    }
    const std::span timed(load.starts.data(), row.orbits);
    for (const bool events : {false, true}) {
      row.events = events;
      row.seconds = std::numeric_limits<double>::infinity();
      Counting watch;
      for (int i = 0; i < load.repeats; ++i) {
        watch = {};
        const std::clock_t start = std::clock();
        run(timed, load.time, events, watch);
        row.seconds = std::min(row.seconds, double(std::clock() - start) / CLOCKS_PER_SEC);
      }
      row.seconds = std::max(row.seconds, 1.0 / CLOCKS_PER_SEC);
      row.time_per_second = double(row.orbits) * row.time / row.seconds;
      row.crossings_per_second = double(watch.count) / row.seconds;
      rows.push_back(row);
      print(row);
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s, %s, %s, %s: %s\n", Problem::name, tool.c_str(), method.c_str(), setting.c_str(),
                 failure.what());
  }
}

/// The same for a tool that takes one orbit at a time, by the interface of `march`.
template <class Problem, class Tool>
void measure_one_by_one(std::vector<Row>& rows, const Load<Problem>& load, const std::string& name,
                        const std::string& method, const std::string& setting, Tool&& tool) {
  measure(rows, load, name, method, setting,
          [&](std::span<const State> starts, double end, bool events, auto& watch) {
            std::vector<State> final;
            for (std::size_t id = 0; id < starts.size(); ++id) {
              final.push_back(march<Problem>(tool, starts[id], int(id), end, events, watch));
            }
            return final;
          });
}

inline std::string setting(const char* what, double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%s=%.4g", what, value);
  return text;
}

}  // namespace cotangent::benchmark
