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
#include "studies/landscape_survey.hpp"

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

// --- the file ---

std::vector<io::DataSetSpec> data_sets(const LandscapeSurvey& survey, const LandscapeFindings* findings) {
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
  const auto parameters = survey.problem->parameters();
  if (!parameters.empty()) {
    std::vector<std::string> names;
    for (const auto& p : parameters) names.push_back(p.name);
    sets.push_back({"/landscape/parameters",
                    DataType::float64,
                    {survey.count(), static_cast<std::int64_t>(names.size())},
                    "model",
                    "the parameters of each landscape",
                    {{"columns", names}}});
  }
  if (findings == nullptr) return sets;
  if (survey.stationary) {
    sets.push_back(
        {"/landscape/complete",
         DataType::int32,
         {survey.count()},
         "1",
         "1 where no cell of the search stayed undecided and the indices of the stationary points add up"});
  }
  for (const List* list : findings->lists(survey)) {
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

// --- what the user is told ---

std::string parameter_text(const LandscapeSurvey& survey, std::int64_t k) {
  std::string text;
  const auto infos = survey.problem->parameters();
  for (std::size_t p = 0; p < infos.size(); ++p) {
    text += fmt::format("{}{} = {}", p == 0 ? "" : ", ", infos[p].name,
                        survey.parameters[static_cast<std::size_t>(k)][p]);
  }
  return text.empty() ? survey.problem->name() : text;
}

/// "3 minima, 9 saddles, 2 maxima"
std::string counts_text(const List& points, std::int64_t first, std::int64_t last) {
  std::string text;
  for (const auto& [one, many] : {std::pair{"minimum", "minima"},
                                  {"saddle", "saddles"},
                                  {"maximum", "maxima"},
                                  {"degenerate", "degenerate"}}) {
    int count = 0;
    for (std::int64_t row = first; row < last; ++row) count += points.word(row, "type") == one ? 1 : 0;
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
  }
  return text.empty() ? "no stationary point" : text;
}

std::string end_text(const List& passes, std::int64_t row, const std::string& side) {
  const std::string& kind = passes.word(row, side + "_kind");
  if (kind == "stationary") return fmt::format("{}", passes.at(row, side));
  return kind == "boundary"      ? "the boundary"
         : kind == "window_edge" ? "the window's edge"
                                 : "nowhere (the descent went astray)";
}

std::string pass_text(const List& passes, std::int64_t row) {
  return fmt::format("between {} and {}{}", end_text(passes, row, "from"), end_text(passes, row, "to"),
                     passes.at(row, "lowest") != 0 ? "" : ", which a lower way joins");
}

std::string landscape_text(const LandscapeSurvey& survey, const LandscapeFindings& all, std::int64_t k) {
  const auto part = static_cast<std::size_t>(k);
  const std::int64_t first = all.first_point[part], last = all.first_point[part + 1];
  const List &points = all.stationary, &passes = all.passes;
  std::string text = fmt::format("{}: {}{}\n", parameter_text(survey, k), counts_text(points, first, last),
                                 all.complete[part] != 0 ? "" : " (some may be missing)");
  const auto line = [&](const std::string& row, const std::string& what, const List& list, std::int64_t at,
                        const std::string& more) {
    text += fmt::format("{:>7}  {:<16}{:>12.6f}{:>12.6f}{:>21.12f}   {}\n", row, what, list.at(at, "x"),
                        list.at(at, "y"), list.at(at, "energy"), more);
  };
  if (last > first)
    text +=
        fmt::format("{:>7}  {:<16}{:>12}{:>12}{:>21}\n", "row", "type", survey.x.name, survey.y.name, "U");
  for (std::int64_t row = first; row < last; ++row) {
    std::string more;
    if (survey.passes && points.word(row, "type") == "minimum") {
      const double out = points.at(row, "escape_energy");
      more = std::isfinite(out) ? fmt::format("left at {:.12f}", out) : "never left";
    }
    for (std::int64_t pass = all.first_pass[part]; pass < all.first_pass[part + 1]; ++pass) {
      if (passes.word(pass, "kind") == "saddle" && passes.at(pass, "number") == static_cast<double>(row))
        more = pass_text(passes, pass);
    }
    line(std::to_string(row), points.word(row, "type"), points, row, more);
  }
  for (std::int64_t pass = all.first_pass[part]; pass < all.first_pass[part + 1]; ++pass) {
    const std::string& kind = passes.word(pass, "kind");
    if (kind != "saddle")
      line("", kind == "contact" ? "contact" : "boundary saddle", passes, pass, pass_text(passes, pass));
  }
  if (all.first_edge[part + 1] > all.first_edge[part]) {
    line("", "boundary's least", all.boundary, all.first_edge[part], "");
  }
  return text;
}

std::string changes_text(const LandscapeSurvey& survey, const List& changes) {
  const auto& [parameter, range] = *survey.changes;
  const std::string name = survey.problem->parameters()[parameter].name;
  std::string text =
      fmt::format("changes with {} from {} to {}: {}\n", name, range.first, range.last, changes.size());
  if (changes.size() > 0)
    text +=
        fmt::format("{:>18}  {:<19}{:>12}{:>12}{:>21}\n", name, "kind", survey.x.name, survey.y.name, "U");
  for (std::int64_t row = 0; row < changes.size(); ++row) {
    text += fmt::format("{:>18.12f}  {:<19}{:>12.6f}{:>12.6f}{:>21.12f}", changes.at(row, "parameter"),
                        changes.word(row, "kind"), changes.at(row, "x"), changes.at(row, "y"),
                        changes.at(row, "energy"));
    if (changes.word(row, "kind") == "energy_coincidence") {
      text += fmt::format("   level with ({:.6f}, {:.6f})", changes.at(row, "partner_x"),
                          changes.at(row, "partner_y"));
    }
    text += "\n";
  }
  return text;
}

/// Says on rank 0 what would run, and what it would take by the speed of the potential.
void print_estimate(const LandscapeSurvey& survey) {
  const double started = parallel::wall_time();
  constexpr int samples = 2000;
  double sum = 0;
  for (int k = 0; k < samples; ++k)
    sum +=
        survey
            .potential(survey.x[k % survey.x.count], survey.y[k % survey.y.count], survey.parameters.front())
            .value;
  const double each = (parallel::wall_time() - started) / samples + 0 * (std::isfinite(sum) ? 0.0 : 1.0);
  // A search asks for U about 50 000 times, a step with its halvings for that of two searches and a bit.
  const double cells = survey.search.cells * survey.search.cells / 4096.0;
  const double asked = static_cast<double>(survey.count() * survey.x.count * survey.y.count) +
                       (survey.stationary ? 5e4 * cells * static_cast<double>(survey.count()) : 0.0) +
                       (survey.changes ? 1.2e5 * cells * survey.changes->range.steps : 0.0);
  double bytes = 0;
  for (const auto& set : data_sets(survey, nullptr)) bytes += static_cast<double>(set.bytes());
  if (parallel::rank() != 0) return;
  std::string text = fmt::format("would run       {} landscapes of {} x {} points over {} and {}{}\n",
                                 survey.count(), survey.x.count, survey.y.count, survey.x.name, survey.y.name,
                                 survey.stationary ? ", with their stationary points" : "");
  if (survey.changes)
    text += fmt::format("                changes with {} in {} steps\n",
                        survey.problem->parameters()[survey.changes->parameter].name,
                        survey.changes->range.steps);
  text += fmt::format(
      "result file     {}, {:.3g} MB and the lists\nmemory          a few MB a rank\ntime            about "
      "{:.2g} s on {} ranks\n",
      survey.file, bytes / 1e6, each * asked / parallel::size(), parallel::size());
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

ExitCode report(const LandscapeSurvey& survey, const LandscapeFindings& all, double seconds) {
  std::int64_t incomplete = std::ranges::count(all.complete, 0), unresolved = 0;
  for (std::int64_t row = 0; row < all.changes.size(); ++row)
    unresolved += all.changes.word(row, "kind") == "unresolved" ? 1 : 0;
  if (parallel::rank() == 0) {
    constexpr std::int64_t most = 16;
    std::string text;
    for (std::int64_t k = 0; survey.stationary && k < std::min(most, survey.count()); ++k)
      text += landscape_text(survey, all, k) + "\n";
    if (survey.stationary && survey.count() > most)
      text += fmt::format("and {} landscapes more in the file\n\n", survey.count() - most);
    if (survey.changes) text += changes_text(survey, all.changes) + "\n";
    if (incomplete > 0)
      text += fmt::format("{} of {} landscapes may miss stationary points\n", incomplete, survey.count());
    if (unresolved > 0) text += fmt::format("{} changes are unresolved\n", unresolved);
    text += fmt::format("result          {}\ntime            {:.3g} s on {} ranks\n", survey.file, seconds,
                        parallel::size());
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  return incomplete + unresolved > 0 ? exit_trajectories_failed : exit_success;
}

ExitCode run(Task& task) {
  const LandscapeSurvey survey = read_survey(task);
  if (task.check) return exit_success;
  if (task.dry_run) {
    print_estimate(survey);
    return exit_success;
  }
  const double started = parallel::wall_time();
  const LandscapeFindings findings = search(survey);
  const double searched = parallel::wall_time();
  io::ResultContent content;
  content.study = "landscape";
  content.deck = task.deck.resolved();
  content.data_sets = data_sets(survey, &findings);
  content.parts = {"search", "grid"};
  content.command_line = task.command_line;
  io::ResultFile file = io::ResultFile::create(survey.file, content);
  parallel::on_rank_zero([&] { write_lists(file, survey, findings); });
  parallel::agree([&] { write_grids(file, survey); });
  const double ended = parallel::wall_time();
  file.close({ended - started, {searched - started, ended - searched}});
  return report(survey, findings, ended - started);
}

}  // namespace

Study landscape_study() {
  return {"landscape", "energy landscapes: a grid of U, stationary points, passes, and how they change", run,
          example};
}

}  // namespace cotangent::studies
