// SPDX-License-Identifier: BSD-3-Clause
#include "studies/landscape/report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "studies/program/formula_model.hpp"
#include "studies/program/report.hpp"

namespace cotangent::studies {

namespace {

/// Right-aligned: with decimals where the largest number of its kind is of a common size, else with a power
/// of ten; no -0.000000.
std::string number_text(double x, double largest, int width, int decimals) {
  const bool common = largest == 0 || (largest >= 1e-3 && largest < 1e7);
  if (!common) return fmt::format("{:>{}.{}e}", x, width, decimals - (decimals > 6 ? 0 : 2));
  return fmt::format("{:>{}.{}f}", std::abs(x) < 0.5 * std::pow(10, -decimals) ? 0.0 : x, width, decimals);
}

/// Places and energies in columns whose numbers are alike.
class Columns {
 public:
  Columns(const LandscapeSurvey& survey, const LandscapeFindings& all)
      : x_(std::max(std::abs(survey.x.from), std::abs(survey.x.to))),
        y_(std::max(std::abs(survey.y.from), std::abs(survey.y.to))) {
    for (const List* list : {&all.stationary, &all.boundary, &all.changes}) {
      for (std::int64_t row = 0; row < list->size(); ++row)
        energy_ = std::max(energy_, std::abs(list->at(row, "energy")));
    }
  }
  std::string x(double value, int width = 12) const { return number_text(value, x_, width, 6); }
  std::string y(double value, int width = 12) const { return number_text(value, y_, width, 6); }
  std::string energy(double value, int width = 21) const { return number_text(value, energy_, width, 12); }

 private:
  double x_, y_, energy_ = 0;
};

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
  return fmt::format("{}between {} and {}", passes.at(row, "lowest") != 0 ? "" : "a higher way ",
                     end_text(passes, row, "from"), end_text(passes, row, "to"));
}

std::string heading(const LandscapeSurvey& survey, int indent, const std::string& first,
                    const std::string& second) {
  return fmt::format("{:>{}}  {:<19}{:>12}{:>12}{:>21}\n", first, indent, second, survey.x.name,
                     survey.y.name, "U");
}

/// For each stationary point of a landscape the row of the pass over it, -1 if there is none.
std::vector<std::int64_t> passes_over(const LandscapeFindings& all, std::size_t k) {
  const std::int64_t first = all.first_point[k];
  std::vector<std::int64_t> over(static_cast<std::size_t>(all.first_point[k + 1] - first), -1);
  for (std::int64_t row = all.first_pass[k]; row < all.first_pass[k + 1]; ++row) {
    if (all.passes.word(row, "kind") != "saddle") continue;
    over[static_cast<std::size_t>(all.passes.at(row, "number")) - static_cast<std::size_t>(first)] = row;
  }
  return over;
}

/// Wells and lowest passes, or with all the rest.
std::string landscape_text(const LandscapeSurvey& survey, const LandscapeFindings& all,
                           const Columns& columns, std::int64_t index, bool whole) {
  const auto k = static_cast<std::size_t>(index);
  const std::int64_t first = all.first_point[k], last = all.first_point[k + 1];
  const List &points = all.stationary, &passes = all.passes;
  const std::string parameters = survey.parameters_text(survey.parameters[static_cast<std::size_t>(index)]);
  std::string text =
      fmt::format("{}: {}{}\n", parameters.empty() ? called(survey.statement->name()) : parameters,
                  counts_text(points, first, last), all.complete[k] != 0 ? "" : " (some may be missing)");
  const auto line = [&](const std::string& row, const std::string& what, const List& list, std::int64_t at,
                        const std::string& more) {
    text += fmt::format("{:>7}  {:<19}{}{}{}{}\n", row, what, columns.x(list.at(at, "x")),
                        columns.y(list.at(at, "y")), columns.energy(list.at(at, "energy")),
                        more.empty() ? "" : "   " + more);
  };
  if (last > first) text += heading(survey, 7, "row", "type");
  const std::vector<std::int64_t> over = passes_over(all, k);
  for (std::int64_t row = first; row < last; ++row) {
    const std::string& type = points.word(row, "type");
    const std::int64_t pass = over[static_cast<std::size_t>(row - first)];
    const bool lowest = pass >= 0 && passes.at(pass, "lowest") != 0;
    if (!whole && type != "minimum" && !lowest) continue;
    std::string more = pass >= 0 ? pass_text(passes, pass) : "";
    if (survey.passes && type == "minimum") {
      const double out = points.at(row, "escape_energy");
      more = std::isfinite(out) ? "left at " + columns.energy(out, 0) : "no pass leads out";
    }
    line(std::to_string(row), type, points, row, more);
  }
  for (std::int64_t pass = all.first_pass[k]; pass < all.first_pass[k + 1]; ++pass) {
    const std::string& kind = passes.word(pass, "kind");
    if (kind == "saddle" || (!whole && passes.at(pass, "lowest") == 0)) continue;
    line("", kind == "contact" ? "contact" : "boundary saddle", passes, pass, pass_text(passes, pass));
  }
  for (std::int64_t edge = all.first_edge[k]; edge < all.first_edge[k + 1]; ++edge) {
    if (all.boundary.word(edge, "minimum") == "no") continue;
    line("", "lowest on boundary", all.boundary, edge, "");
    break;
  }
  return text;
}

std::string changes_text(const LandscapeSurvey& survey, const Columns& columns, const List& changes) {
  const auto& [parameter, range] = *survey.changes;
  const std::string name = survey.statement->parameters()[parameter].name;
  std::string text =
      fmt::format("changes with {} from {} to {}: {}\n", name, range.first, range.last, changes.size());
  const double largest = std::max(std::abs(range.first), std::abs(range.last));
  if (changes.size() > 0) text += heading(survey, 18, name, "kind");
  for (std::int64_t row = 0; row < changes.size(); ++row) {
    text += fmt::format("{}  {:<19}{}{}{}", number_text(changes.at(row, "parameter"), largest, 18, 12),
                        changes.word(row, "kind"), columns.x(changes.at(row, "x")),
                        columns.y(changes.at(row, "y")), columns.energy(changes.at(row, "energy")));
    if (changes.word(row, "kind") == "energy_coincidence") {
      text += fmt::format("   level with ({}, {})", columns.x(changes.at(row, "partner_x"), 0),
                          columns.y(changes.at(row, "partner_y"), 0));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string findings_text(const LandscapeSurvey& survey, const LandscapeFindings& all) {
  constexpr std::int64_t most = 16;
  const std::int64_t shown = survey.stationary ? std::min(most, survey.count()) : 0;
  const Columns columns(survey, all);
  std::string text;
  for (std::int64_t k = 0; k < shown; ++k)
    text += landscape_text(survey, all, columns, k, survey.count() == 1) + "\n";
  if (shown > 0 && survey.count() > shown) {
    text += fmt::format("and {} landscapes more in the file\n\n", survey.count() - shown);
  }
  if (survey.changes) text += changes_text(survey, columns, all.changes) + "\n";
  return text;
}

std::string estimate_text(const LandscapeSurvey& survey, const std::string& file, std::int64_t grid_bytes) {
  constexpr int samples = 2000;
  const double started = parallel::wall_time();
  for (int k = 0; k < samples; ++k) {
    survey.potential(survey.x[k % survey.x.count], survey.y[k % survey.y.count], survey.parameters.front());
  }
  const double each = (parallel::wall_time() - started) / samples;
  // A search asks for U about 50 000 times, and costs twice that; a step of a change is two searches and
  // more.
  const double searches = (survey.stationary ? static_cast<double>(survey.count()) : 0.0) +
                          (survey.changes ? 2.4 * survey.changes->range.steps : 0.0);
  const double cells = survey.search.cells * survey.search.cells / 4096.0;
  const double asked =
      static_cast<double>(survey.count() * survey.x.count * survey.y.count) + 1e5 * cells * searches;
  std::string text = fmt::format("would run       {} landscapes of {} x {} points over {} and {}{}\n",
                                 survey.count(), survey.x.count, survey.y.count, survey.x.name, survey.y.name,
                                 survey.stationary ? ", with their stationary points" : "");
  if (survey.changes) {
    text += fmt::format("                changes with {} in {} steps\n",
                        survey.statement->parameters()[survey.changes->parameter].name,
                        survey.changes->range.steps);
  }
  // Rows of grids wait until there are some megabytes of them.
  const double waiting = std::min(16e6, 2.0 * static_cast<double>(grid_bytes) / parallel::size());
  text += fmt::format(
      "result file     {}, {:.3g} MB and the lists\nmemory          about {} a rank\n"
      "time            about {:.2g} s on {} rank{}\n",
      file, static_cast<double>(grid_bytes) / 1e6,
      run::size_text(static_cast<double>(program_bytes()) + waiting), each * asked / parallel::size(),
      parallel::size(), parallel::size() == 1 ? "" : "s");
  return text;
}

}  // namespace cotangent::studies
