// SPDX-License-Identifier: BSD-3-Clause
// benchmark_peers: integrators at equal energy error, one thread. Prints a table and writes one CSV file.
//   benchmark_peers [output=benchmark.csv] [side=8] [time=2000] [repeats=3] [tool=NAME] [problem=NAME]
//   [check=BOUND]
// The load is side x side orbits to the given time (the default takes about 20 minutes, side=4 five). With
// `check`, the exit code is 1 unless each method, in the best of its settings, finds every crossing of the
// reference and is within BOUND of it.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

#include "core/error.hpp"
#include "tools.hpp"

namespace cotangent::benchmark {
namespace {

struct Tool {
  const char* name;
  void (*henon_heiles)(const Load<HenonHeiles>&, std::vector<Row>&);
  void (*magnetic_chain)(const Load<MagneticChain>&, std::vector<Row>&);
};

const std::vector<Tool>& tools() {
  static const std::vector<Tool> all = {
#define TOOL(tool) {#tool, tool, tool},
      COTANGENT_BENCHMARK_TOOLS
#undef TOOL
  };
  return all;
}

using Options = std::map<std::string, std::string>;

Options parsed(int count, char** arguments) {
  Options options = {{"output", "benchmark.csv"},
                     {"side", "8"},
                     {"time", "2000"},
                     {"repeats", "3"},
                     {"tool", ""},
                     {"problem", ""},
                     {"check", ""}};
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    if (equals == std::string::npos || !options.contains(key)) {
      std::string valid;
      for (const auto& [name, value] : options) valid += " " + name + "=" + value;
      throw Error("benchmark_peers: argument '" + argument + "' is not one of" + valid);
    }
    options[key] = argument.substr(equals + 1);
  }
  return options;
}

double positive(const Options& options, const std::string& key) {
  const std::string& text = options.at(key);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0 && std::isfinite(value))) {
    throw Error("benchmark_peers: " + key + "=" + text + " must be a positive number");
  }
  return value;
}

int whole(const Options& options, const std::string& key) {
  const double value = positive(options, key);
  if (value != std::floor(value) || value > 1000) {
    throw Error("benchmark_peers: " + key + "=" + options.at(key) + " must be a whole number from 1 to 1000");
  }
  return int(value);
}

void write(const std::vector<Row>& rows, const std::string& path) {
  std::ofstream file(path);
  file << "tool,method,setting,problem,events,orbits,time,seconds,time_per_second,crossings_per_second,"
          "energy_error,relative_energy_error,position_error,section_error,missed\n";
  file.precision(6);
  for (const Row& r : rows) {
    file << r.tool << ',' << r.method << ',' << r.setting << ',' << r.problem << ',' << r.events << ','
         << r.orbits << ',' << r.time << ',' << r.seconds << ',' << r.time_per_second << ','
         << r.crossings_per_second << ',' << r.energy_error << ',' << r.relative_energy_error << ','
         << r.position_error << ',' << r.section_error << ',' << r.missed << '\n';
  }
  file.close();
  if (!file) throw FileError("benchmark_peers: can't write " + path);
}

/// Whether each method, in one of its settings, finds every crossing and is within `bound` of the reference.
bool verified(const std::vector<Row>& rows, double bound) {
  std::map<std::string, std::pair<long, double>> best;
  for (const Row& row : rows) {
    const std::pair result(row.missed, std::max(row.position_error, row.section_error));
    const auto [place, is_new] = best.try_emplace(row.problem + ", " + row.tool + ", " + row.method, result);
    if (result < place->second) place->second = result;
  }
  bool good = !best.empty();
  for (const auto& [name, result] : best) {
    if (result.first == 0 && result.second <= bound) continue;
    std::fprintf(stderr, "%s: at best %ld crossings missed, %.2e off the reference\n", name.c_str(),
                 result.first, result.second);
    good = false;
  }
  return good;
}

template <class Problem, class Function>
void run(const Options& options, Function Tool::*function, std::vector<Row>& rows) {
  if (const std::string& only = options.at("problem"); !only.empty() && only != Problem::name) return;
  const Load<Problem> load(whole(options, "side"), positive(options, "time"), whole(options, "repeats"));
  const bool meets =
      std::any_of(load.truth.begin(), load.truth.end(), [](auto& t) { return !t.crossings.empty(); });
  if (!options.at("check").empty() && !meets) {
    throw Error("benchmark_peers: time=" + options.at("time") + " is too short for a check: no orbit of " +
                Problem::name + " meets the section");
  }
  for (const Tool& tool : tools()) {
    if (const std::string& only = options.at("tool"); !only.empty() && only != tool.name) continue;
    (tool.*function)(load, rows);
  }
}

int benchmark(int count, char** arguments) {
  const Options options = parsed(count, arguments);
  std::printf("%-15s %-13s %-22s %-16s %-7s %10s %10s %9s %9s %9s %9s %6s\n", "problem", "tool", "method",
              "setting", "", "time/s", "cross./s", "|E-E0|", "relative", "position", "section", "missed");
  std::vector<Row> rows;
  run<HenonHeiles>(options, &Tool::henon_heiles, rows);
  run<MagneticChain>(options, &Tool::magnetic_chain, rows);
  if (rows.empty()) {
    std::string names;
    for (const Tool& tool : tools()) names += std::string(" ") + tool.name;
    throw Error("benchmark_peers: tool=" + options.at("tool") + " problem=" + options.at("problem") +
                " leaves nothing to run; tools:" + names + "; problems: henon-heiles magnetic-chain");
  }
  write(rows, options.at("output"));
  if (!options.at("check").empty() && !verified(rows, positive(options, "check")))
    return exit_trajectories_failed;
  return exit_success;
}

}  // namespace
}  // namespace cotangent::benchmark

int main(int count, char** arguments) {
  try {
    return cotangent::benchmark::benchmark(count, arguments);
  } catch (const cotangent::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.code();
  }
}
