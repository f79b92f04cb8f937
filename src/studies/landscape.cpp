// study = "landscape": U over two coordinates, for every value of the model's parameters: a grid of energies,
// the admissible region, all stationary points, the passes between wells and out of them, and the values of
// one parameter at which any of this changes (mechanics/landscape.hpp has the mathematics).
//
// Once the search is over the sizes of all lists are known: the file is made, and each rank fills its share
// of the grids, row by row. Seconds, as a rule, so there is no checkpoint: a run that is stopped begins
// again.
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "parallel/signals.hpp"
#include "studies/landscape_report.hpp"

namespace cotangent::studies {

namespace {

constexpr const char* example =
    R"(# Three magnetised balls, upright in one well or in two: the energy landscape as the magnets grow stronger.
study = "landscape"

[model]
name = "magnetic-chain"      # cotangent --list
alpha = [17, 18, 20]         # a number, a list or { from, to, count }: one landscape for each value

[landscape]
x = { coordinate = "t", from = -3.14159, to = 3.14159, count = 101 }   # one full turn of an angle is periodic
y = { coordinate = "s", from = -3.14159, to = 3.14159, count = 101 }
# at = { r = 1.0 }           # where the other coordinates stay, in a model with more than two; else 0
stationary = true            # minima, saddles, maxima, and the extrema of U where the admissible region ends
passes = true                # where the ways down from each saddle lead, and the energy that leaves each well
cells = 64                   # the search begins with 64 x 64 cells
changes = { parameter = "alpha", from = 16, to = 20, steps = 8 }       # folds, forks, ... in between

[output]
file = "landscape.h5"
)";

std::vector<io::DataSetSpec> grids(const LandscapeSurvey& survey) {
  using io::DataType;
  const auto& [x, y] = std::tie(survey.x, survey.y);
  std::vector<std::int64_t> grid{survey.count(), x.count, y.count};
  if (survey.count() == 1) grid.erase(grid.begin());
  std::vector<io::DataSetSpec> sets{
      {"/landscape/x", DataType::float64, {x.count}, x.units, "coordinate " + x.name, {{"name", {x.name}}}},
      {"/landscape/y", DataType::float64, {y.count}, y.units, "coordinate " + y.name, {{"name", {y.name}}}},
      {"/landscape/energy", DataType::float64, grid, "1",
       "potential energy U = -L(q, 0); NaN where not finite"},
      {"/landscape/admissible", DataType::int32, grid, "1",
       "1 in the model's domain where U is finite; 0 too where not yet computed"}};
  return sets;
}

std::vector<io::DataSetSpec> data_sets(const LandscapeSurvey& survey, const LandscapeFindings& findings) {
  using io::DataType;
  std::vector<io::DataSetSpec> sets = grids(survey);
  std::vector<std::string> names;
  for (const auto& p : survey.problem->parameters()) names.push_back(p.name);
  if (!names.empty()) {
    sets.push_back({"/landscape/parameters",
                    DataType::float64,
                    {survey.count(), static_cast<std::int64_t>(names.size())},
                    "model",
                    "the parameters of each landscape",
                    {{"columns", names}}});
  }
  if (survey.stationary) {
    sets.push_back({"/landscape/complete",
                    DataType::int32,
                    {survey.count()},
                    "1",
                    "1 where no cell of the search stayed undecided and the indices of the points add up"});
  }
  for (const List* list : findings.lists(survey)) {
    for (auto& set : list->data_sets()) sets.push_back(std::move(set));
  }
  return sets;
}

/// What rank 0 writes: all but the grids.
void write_lists(io::ResultFile& file, const LandscapeSurvey& survey, const LandscapeFindings& findings) {
  for (const auto& [path, side] : {std::pair{"/landscape/x", &survey.x}, {"/landscape/y", &survey.y}}) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < side->count; ++i) values.push_back((*side)[i]);
    file.write_rows(file.data_set(path), 0, side->count, values.data());
  }
  if (!survey.parameters.front().empty()) {
    const int set = file.data_set("/landscape/parameters");
    for (std::int64_t k = 0; k < survey.count(); ++k) {
      file.write_rows(set, k, 1, survey.parameters[static_cast<std::size_t>(k)].data());
    }
  }
  if (survey.stationary) {
    file.write_rows(file.data_set("/landscape/complete"), 0, survey.count(), findings.complete.data());
  }
  for (const List* list : findings.lists(survey)) list->write(file);
}

/// This rank's rows of all grids.
void write_grids(io::ResultFile& file, const LandscapeSurvey& survey) {
  const int energy_set = file.data_set("/landscape/energy"),
            admissible_set = file.data_set("/landscape/admissible");
  const std::int64_t rows = survey.count() * survey.x.count;
  const std::int64_t first = rows * parallel::rank() / parallel::size(),
                     last = rows * (parallel::rank() + 1) / parallel::size();
  std::vector<double> energy(static_cast<std::size_t>(survey.y.count));
  std::vector<std::int32_t> admissible(energy.size());
  for (std::int64_t row = first; row < last; ++row) {
    if (const int signal = parallel::stop_signal()) {
      throw Error(fmt::format("stopped by {}: {} is incomplete", parallel::signal_name(signal), survey.file),
                  exit_stopped);
    }
    const std::int64_t k = row / survey.x.count, i = row % survey.x.count;
    const auto& values = survey.parameters[static_cast<std::size_t>(k)];
    for (std::size_t j = 0; j < energy.size(); ++j) {
      const double x = survey.x[i], y = survey.y[static_cast<std::int64_t>(j)];
      const double u = survey.potential(x, y, values).value;
      energy[j] = std::isfinite(u) ? u : std::numeric_limits<double>::quiet_NaN();
      admissible[j] = std::isfinite(u) && survey.domain(x, y, values) > 0 ? 1 : 0;
    }
    std::vector<std::int64_t> offset{k, i, 0}, count{1, 1, survey.y.count};
    if (survey.count() == 1) {
      offset.erase(offset.begin());
      count.erase(count.begin());
    }
    file.write(energy_set, offset, count, energy.data());
    file.write(admissible_set, offset, count, admissible.data());
  }
}

ExitCode run(Task& task) {
  const LandscapeSurvey survey = read_survey(task);
  if (task.check) return exit_success;
  if (task.dry_run) {
    std::int64_t bytes = 0;
    for (const auto& set : grids(survey)) bytes += set.bytes();
    print_estimate(survey, bytes);
    return exit_success;
  }
  const double started = parallel::wall_time();
  const LandscapeFindings findings = search(survey);
  const double searched = parallel::wall_time();
  io::ResultContent content;
  content.study = "landscape";
  content.deck = task.deck.resolved();
  content.data_sets = data_sets(survey, findings);
  content.parts = {"search", "grid"};
  content.command_line = task.command_line;
  io::ResultFile file = io::ResultFile::create(survey.file, content);
  parallel::on_rank_zero([&] { write_lists(file, survey, findings); });
  parallel::agree([&] { write_grids(file, survey); });
  const double ended = parallel::wall_time();
  file.close({ended - started, {searched - started, ended - searched}});
  print_findings(survey, findings, ended - started);
  return findings.incomplete() + findings.unresolved() > 0 ? exit_trajectories_failed : exit_success;
}

}  // namespace

Study landscape_study() {
  return {"landscape", "energy landscapes: a grid of U, stationary points, passes, and how they change", run,
          example};
}

}  // namespace cotangent::studies
