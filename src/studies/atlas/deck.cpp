// SPDX-License-Identifier: BSD-3-Clause
#include "studies/atlas/deck.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/names.hpp"
#include "studies/atlas/answers.hpp"
#include "studies/billiard/deck.hpp"
#include "studies/ensemble/section.hpp"
#include "studies/program/units.hpp"

namespace cotangent::studies {

namespace {

/// All that can be a side: what the deck sweeps, and the variables of its grid.
std::vector<AtlasSide> sides(const AtlasPlan& atlas, const Ensemble& ensemble) {
  const sections::Problem& problem = *atlas.plan.model.problem;
  std::vector<AtlasSide> all;
  const auto parameters = problem.parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (atlas.plan.model.axes[k].size() > 1)
      all.push_back({parameters[k].name, parameter_units(parameters, {parameters[k].name})[0],
                     AtlasSide::Kind::parameter, static_cast<int>(k), atlas.plan.model.axes[k]});
  }
  if (ensemble.energy_values().size() > 1)
    all.push_back({"energy", "1", AtlasSide::Kind::energy, 0, ensemble.energy_values()});
  const CoordinateColumns columns(problem.coordinates());
  const auto names = columns.state_names(), units = columns.state_units();
  for (int k = 0; k < 2 * problem.dim(); ++k) {
    const auto values = ensemble.grid_values(k);
    const auto at = static_cast<std::size_t>(k);
    if (values.size() > 1) all.push_back({names[at], units[at], AtlasSide::Kind::variable, k, values});
  }
  return all;
}

std::optional<sections::Section> read_model_motion(Task& task, AtlasPlan& atlas) {
  Plan& plan = atlas.plan;
  plan.model = read_model(task, true);
  read_method(task, plan);
  const auto section = read_section(task, *plan.model.problem);
  const io::Table stop = task.deck.table("stop");
  plan.watch.stop.patience = std::numeric_limits<std::int64_t>::max() / 2;
  read_exits(task, plan);
  if (plan.exits) atlas.exit_tallies = 2;
  if (stop.has("crossings")) {
    if (plan.exits) throw stop.error("crossings", "orbits that look for an exit aren't watched on a section");
    if (!section) throw stop.error("crossings", "of what? give a section");
    plan.watch.section = section;
    plan.watch.stop.crossings = stop.integer_at_least("crossings", 1);
  }
  return section;
}

template <int D>
void read_billiard_motion(Task& task, AtlasPlan& atlas) {
  if (!task.petsc_options.empty())
    throw Error("PETSc option '" + task.petsc_options.front() +
                "' after --: nothing in this run asks for it: flights between walls solve no systems");
  BilliardSetting<D> setting = read_setting<D>(task);
  if (!setting.follows_neighbours())
    throw task.deck.table("domain").error(
        "an atlas is for walls that aren't rough (temperature): how neighbours part there is random");
  if (!read_wall_exits(task, D, setting.rules.exits).empty()) atlas.exit_tallies = 3;
  atlas.billiard = billiards::make_billiard<D>(setting.domain, setting.rules);
  atlas.plan.model = {atlas.billiard.get(), nullptr, std::move(setting.axes)};
}

}  // namespace

std::optional<sections::Section> read_moving(Task& task, AtlasPlan& atlas) {
  atlas.plan.watch.stop.time = task.deck.table("stop").positive("time");
  if (!task.deck.root().has("domain")) return read_model_motion(task, atlas);
  read_dimension(task.deck.table("domain")) == 2 ? read_billiard_motion<2>(task, atlas)
                                                 : read_billiard_motion<3>(task, atlas);
  return std::nullopt;
}

void read_atlas(Task& task, AtlasPlan& atlas, const Ensemble& ensemble) {
  const io::Table table = task.deck.table("atlas");
  const auto all = sides(atlas, ensemble);
  std::vector<std::string> names, swept;
  for (const AtlasSide& side : all) {
    names.push_back(side.name);
    if (side.kind != AtlasSide::Kind::variable) swept.push_back(side.name);
  }
  if (names.empty())
    throw table.error(
        "a map needs a side: a parameter or the energy with more than one value, or a variable "
        "of [ensemble] grid");
  const auto chosen = [&](const char* key, const std::string& usual) {
    const std::string name = usual.empty() ? table.text(key) : table.text(key, usual);
    if (std::ranges::count(names, name) == 0) unknown_name("side", name, names, table.where(key));
    return *std::ranges::find(all, name, &AtlasSide::name);
  };
  atlas.across = chosen("across", swept.empty() ? "" : swept[0]);
  const auto next = std::ranges::find_if(swept, [&](const auto& name) { return name != atlas.across.name; });
  if (table.has("up") || next != swept.end()) atlas.up = chosen("up", next == swept.end() ? "" : *next);
  if (atlas.up && atlas.up->name == atlas.across.name) throw table.error("up", "is what lies across already");
  for (const std::string& name : swept) {
    if (name != atlas.across.name && name != atlas.up->name)
      throw table.error(fmt::format("a map has two sides, {} and {}: give {} one value", atlas.across.name,
                                    atlas.up->name, name));
  }
  const std::int64_t levels = table.integer_at_least("levels", 0, 0);
  if (levels > 16) throw table.error("levels", "at most 16");
  atlas.levels = static_cast<int>(levels);
  const std::int64_t coarse = std::int64_t{1} << atlas.levels;
  for (const AtlasSide* side : {&atlas.across, atlas.up ? &*atlas.up : nullptr}) {
    if (side == nullptr) continue;
    const std::int64_t intervals = std::ssize(side->values) - 1;
    if (intervals % coarse != 0)
      throw table.error("levels",
                        fmt::format("each level halves the intervals: with {} levels {} takes a multiple of "
                                    "{} and one more, {} say, not {}",
                                    atlas.levels, side->name, coarse, (intervals / coarse + 1) * coarse + 1,
                                    intervals + 1));
  }
  atlas.tolerance = table.positive("tolerance", 0.1);
  const auto& answers = atlas_answers();
  std::vector<std::string> known;
  for (const Answer& answer : answers) known.push_back(answer.name);
  for (const std::string& name : table.texts("refine", {"chaotic", "escaped", "left", "forbidden"})) {
    const auto at = std::ranges::find(known, name);
    if (at == known.end()) unknown_name("answer", name, known, table.where("refine"));
    atlas.judged.push_back(static_cast<std::size_t>(at - known.begin()));
  }
}

Ensemble ensemble_at(const AtlasPlan& atlas, const Ensemble& ensemble, std::int64_t point) {
  std::vector<double> parameters;
  for (const auto& axis : atlas.plan.model.axes) parameters.push_back(axis[0]);
  std::optional<double> energy;
  if (!ensemble.energy_values().empty()) energy = ensemble.energy_values()[0];
  std::map<int, double> held;
  const auto put = [&](const AtlasSide& side, std::int64_t k) {
    const double value = side.values[static_cast<std::size_t>(k)];
    if (side.kind == AtlasSide::Kind::parameter) parameters[static_cast<std::size_t>(side.index)] = value;
    if (side.kind == AtlasSide::Kind::energy) energy = value;
    if (side.kind == AtlasSide::Kind::variable) held[side.index] = value;
  };
  put(atlas.across, point % atlas.width());
  if (atlas.up) put(*atlas.up, point / atlas.width());
  return ensemble.at(parameters, energy, held);
}

}  // namespace cotangent::studies
