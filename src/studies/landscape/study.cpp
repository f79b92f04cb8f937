// study = "landscape": U over two coordinates, for every value of the model's parameters: a grid of energies,
// the admissible region, all stationary points, the passes between wells and out of them, and the values of
// one parameter at which any of this changes (landscapes/landscape.hpp has the mathematics).
//
// Once the search is over the sizes of all lists are known: the file is made, and each rank fills its share
// of the grids. The search, of seconds as a rule, has no checkpoint: it comes first whenever a run goes on.
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "studies/landscape/report.hpp"
#include "studies/program/settings.hpp"

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

/// All grids, row by row, after the search: each rank an equal share of the rows that come next.
class GridEvolution : public run::Evolution {
 public:
  GridEvolution(const LandscapeSurvey& survey, const LandscapeFindings& findings, double search_seconds)
      : survey_(survey), findings_(findings), search_seconds_(search_seconds) {}

  std::vector<io::DataSetSpec> data_sets() const override { return studies::data_sets(survey_, findings_); }

  /// All but the grids, by one rank.
  void begin(run::Records& records) override {
    if (parallel::rank() != 0) return;
    for (const auto& [path, side] : {std::pair{"/landscape/x", &survey_.x}, {"/landscape/y", &survey_.y}}) {
      std::vector<double> values;
      for (std::int64_t i = 0; i < side->count; ++i) values.push_back((*side)[i]);
      records.rows(path, 0, side->count, values.data());
    }
    for (std::int64_t k = 0; k < survey_.count() && !survey_.parameters.front().empty(); ++k)
      records.one("/landscape/parameters", k, survey_.parameters[static_cast<std::size_t>(k)].data());
    if (survey_.stationary)
      records.rows("/landscape/complete", 0, survey_.count(), findings_.complete.data());
    for (const List* list : findings_.lists(survey_)) list->write(records);
  }

  void state(run::State& state) override { state.number("rows", done_); }

  /// So many rows on each rank.
  void advance(std::int64_t rows, run::Records& records) override {
    const std::int64_t batch = std::min(rows * parallel::size(), all() - done_);
    const std::int64_t first = done_ + batch * parallel::rank() / parallel::size(),
                       last = done_ + batch * (parallel::rank() + 1) / parallel::size();
    for (std::int64_t row = first; row < last; ++row) enter(row, records);
    done_ += batch;
  }
  bool ended() const override { return done_ >= all(); }

  run::Progress progress() const override {
    return {static_cast<double>(done_), static_cast<double>(all()),
            fmt::format("{} of {} rows", done_, all()), "points", static_cast<double>(survey_.y.count)};
  }
  std::vector<run::Line> summary(const run::Effort&) override {
    std::vector<run::Line> lines{
        {"landscapes", fmt::format("{} of {} x {} points, after a search of {}", survey_.count(),
                                   survey_.x.count, survey_.y.count, run::duration(search_seconds_))}};
    if (const auto n = findings_.incomplete(); n > 0)
      lines.emplace_back("INCOMPLETE",
                         fmt::format("{} of {} landscapes may miss stationary points", n, survey_.count()));
    if (const auto n = findings_.unresolved(); n > 0)
      lines.emplace_back("UNRESOLVED", fmt::format("{} changes", n));
    return lines;
  }
  bool failed() override { return findings_.incomplete() + findings_.unresolved() > 0; }

 private:
  std::int64_t all() const { return survey_.count() * survey_.x.count; }

  void enter(std::int64_t row, run::Records& records) const {
    std::vector<double> energy(static_cast<std::size_t>(survey_.y.count));
    std::vector<std::int32_t> admissible(energy.size());
    const std::int64_t k = row / survey_.x.count, i = row % survey_.x.count;
    const auto& values = survey_.parameters[static_cast<std::size_t>(k)];
    for (std::size_t j = 0; j < energy.size(); ++j) {
      const double x = survey_.x[i], y = survey_.y[static_cast<std::int64_t>(j)];
      const double u = survey_.potential(x, y, values).value;
      energy[j] = std::isfinite(u) ? u : std::numeric_limits<double>::quiet_NaN();
      admissible[j] = std::isfinite(u) && survey_.domain(x, y, values) > 0 ? 1 : 0;
    }
    const std::array<std::int64_t, 3> offset{k, i, 0}, count{1, 1, survey_.y.count};
    const std::size_t skip = survey_.count() == 1 ? 1 : 0;
    records.slab("/landscape/energy", std::span(offset).subspan(skip), std::span(count).subspan(skip),
                 energy.data());
    records.slab("/landscape/admissible", std::span(offset).subspan(skip), std::span(count).subspan(skip),
                 admissible.data());
  }

  const LandscapeSurvey& survey_;
  const LandscapeFindings& findings_;
  const double search_seconds_;
  std::int64_t done_ = 0;
};

ExitCode run(Task& task) {
  const LandscapeSurvey survey = read_survey(task);
  const run::Settings settings = read_settings(task, "landscape", "landscape.h5");
  task.deck.finish();
  if (task.check) return exit_success;
  if (task.dry_run) {
    std::int64_t bytes = 0;
    for (const auto& set : grids(survey)) bytes += set.bytes();
    parallel::on_rank_zero([&] { run::say(estimate_text(survey, settings.file, bytes)); });
    return exit_success;
  }
  const double started = parallel::wall_time();
  const LandscapeFindings findings = search(survey);
  parallel::on_rank_zero([&] { run::say(findings_text(survey, findings)); });
  GridEvolution evolution(survey, findings, parallel::wall_time() - started);
  return drive(task, evolution, settings);
}

}  // namespace

Study landscape_study() {
  return {"landscape", "energy landscapes: a grid of U, stationary points, passes, and how they change", run,
          example};
}

}  // namespace cotangent::studies
