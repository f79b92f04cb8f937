// SPDX-License-Identifier: BSD-3-Clause
#include "studies/particles/pair_choice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "formulas/pair_potential.hpp"
#include "studies/program/formula_reader.hpp"

namespace cotangent::studies {

namespace {

/// A potential that the deck states.
std::vector<double> read_stated(Task& task, const io::Table& table, PairChoice& choice) {
  if (table.has("name")) throw table.error("name", "give name or potential, not both");
  const FormulaReader formulas(table, {"r"});
  const formulas::PairStatement statement{formulas.values().size(), formulas.read_varying("potential", 1)};
  formulas.warn_of_unused(task, 1, {&statement.potential, 1});
  formulas::LoadedPotential loaded = load_or_show(table, "potential", table.text("potential"), [&] {
    return formulas::load(statement, compiled_files(task, table));
  });
  note_compiled(task, loaded.how);
  choice.stated = std::move(loaded.potential);
  choice.potential = choice.stated.get();
  return formulas.values();
}

/// A potential of the list.
std::vector<double> read_named(const Potentials& list, const io::Table& table, PairChoice& choice) {
  std::vector<std::string> names;
  for (const auto& potential : list) names.push_back(potential->name());
  const std::string name = table.choice("name", names);
  choice.potential = std::ranges::find(list, name, [](const auto& p) { return p->name(); })->get();
  std::vector<double> values;
  for (const auto& parameter : choice.potential->parameters()) {
    const std::string key(parameter.name);
    values.push_back(table.number(key, parameter.value));
    if (parameter.unit == "length" && !(values.back() > 0))
      throw table.error(key, "must be positive: it is a length");
  }
  return values;
}

}  // namespace

bool has_potential(const io::Table& table) {
  return table.has("name") || table.has("potential");
}

PairChoice read_potential(Task& task) {
  using particles::CutMode;
  PairChoice choice;
  const io::Table table = task.deck.table("potential");
  const std::vector<double> values = table.has("potential")
                                         ? read_stated(task, table, choice)
                                         : read_named(task.stated.potentials, table, choice);
  const auto usual = choice.potential->usual_cut(values);
  if (table.has("cut") && table.has("tail")) throw table.error("give cut or tail, not both");
  if (choice.potential->ends() && table.has("tail"))
    throw table.error(
        "tail", fmt::format("{} ends by itself, at {}: leave it out", choice.potential->name(), *usual));
  double cut = 0;
  if (table.has("cut") || (usual && !table.has("tail"))) {
    cut = usual ? table.at_least("cut", 0.0, *usual) : table.at_least("cut", 0.0);
    if (choice.potential->ends() && cut > *usual)
      throw table.error(
          "cut", fmt::format("{} ends by itself, at {}: at most that", choice.potential->name(), *usual));
  } else {
    const double tail = table.positive("tail", 1e-12);
    const auto range = choice.potential->range(values, tail);
    if (!range) throw table.error("tail", "the potential never falls below it: give cut");
    if (choice.stated && !(*range > 0))
      throw table.error("tail", "the potential isn't felt from 1e-6 to 1e6: give cut");
    cut = *range;
  }
  const std::string mode = table.choice("mode", "shifted", {"cut", "shifted", "switched"});
  const double from = mode == "switched" ? table.positive("switch_from", 0.9 * cut) : cut;
  if (mode == "switched" && !(from < cut))
    throw table.error("switch_from", fmt::format("must be smaller than the cut-off {}", cut));
  choice.kernel = choice.potential->kernel(values, cut,
                                           mode == "cut"       ? CutMode::cut
                                           : mode == "shifted" ? CutMode::shifted
                                                               : CutMode::switched,
                                           from);
  return choice;
}

particles::Periods read_periods(const io::Table& model, std::size_t dimension) {
  particles::Periods periods{};
  const auto given = model.numbers("periods", std::vector<double>(dimension, 0.0));
  if (given.size() != dimension || std::ranges::any_of(given, [](double p) { return p < 0; }))
    throw model.error("periods", fmt::format("must be {} lengths, 0 along an axis that isn't periodic",
                                             dimension == 2 ? "two" : "three"));
  std::ranges::copy(given, periods.begin());
  return periods;
}

void check_periods(const io::Table& model, const particles::Periods& periods, double range, double skin) {
  for (const double period : periods) {
    const double least = range + std::max(skin, 0.02 * range);
    if (period > 0 && !(2 * least < period))
      throw model.error(
          "periods",
          fmt::format("the range of the neighbour lists, {:.4g} (cut-off, or pair_distance, and skin), "
                      "must be less than half the period {:.4g}: a particle would see another twice",
                      least, period));
  }
}

}  // namespace cotangent::studies
