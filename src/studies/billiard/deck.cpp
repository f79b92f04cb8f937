// SPDX-License-Identifier: BSD-3-Clause
#include "studies/billiard/deck.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "formulas/field.hpp"
#include "formulas/wall.hpp"
#include "studies/program/formula_reader.hpp"

namespace cotangent::studies {

const char* const billiard_example = R"deck(# Particles that fall within three circles.
study = "billiard"

[domain]
dimension = 2
inside = "left or right or bowl"    # not, and, or, parentheses; their union unless given
sets = [                            # cotangent --list; --describe circle; parameters may be swept: radius = [0.9, 1.0]
  { name = "left", set = "circle", centre = [-2.0, 0.0], radius = 1.0 },
  { name = "right", set = "circle", centre = [2.0, 0.0], radius = 1.0 },
  { name = "bowl", set = "circle", centre = [0.0, -2.0], radius = 2.23606797749979 },
]                                   # or, above 0 inside, { name = "disc", omega = "1 - x^2 - y^2" }, with
                                    # parameters = { a = 1.0 } where it names them
                                    # of each also: restitution, or temperature of a rough wall; velocity,
                                    # amplitude, frequency, phase of a moving one

[forces]
gravity = [0.0, -10.0]
# potential = "harmonic"            # or in a field; cotangent --list, --describe harmonic; or by a formula,
                                    # "0.5*k*(x^2 + y^2)", parameters = { k = 1.0 }

# [method]                          # exact flights; or, for comparison, Morita's
# name = "leapfrog"                 # or "euler"; with mended = true: with the kick that he leaves out
# step = 1e-3
# search = "one-ended"              # or "two-ended": for the wall on a step's way
# compare = false                   # true: count what steps miss, each beside the exact flight

[ensemble]
random = { count = 500, seed = 1, x = [-4.0, 4.0], y = [-4.5, 1.0] }     # at rest unless x_dot, y_dot
# or: list = [[0.3, 0.2, 0.0, 0.0]]                                      # whole states

[stop]
time = 10.0
# collisions = 100                  # of each particle
# decided = true                    # or as soon as indicators say that it is chaotic

# [exits]                           # parts of the wall that let particles out
# hole = "x > 2.9 and abs(y) < 0.1"

# [indicators]                      # between walls that aren't rough
# list = ["lyapunov", "sali"]       # and spectrum, gali-2, gali-3, gali-4, megno

[output]
every = 0.02                        # time between samples; 0: none
collisions = 0                      # how many of each particle are recorded
# lyapunov = true                   # the rate at which neighbours part, by time and by bounces off each set
file = "billiard.h5"
)deck";

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <int D>
billiards::Vector<D> read_vector(const io::Table& table, const char* key) {
  const auto numbers = table.numbers(key, std::vector<double>(D, 0.0));
  if (numbers.size() != D) throw table.error(key, "must hold " + std::to_string(D) + " numbers");
  billiards::Vector<D> result;
  std::copy_n(numbers.begin(), D, result.begin());
  return result;
}

/// What intervals and the derivatives by time can take: how else to find where a path meets a wall?
void judge_operations(const expressions::Tree& omega) {
  using expressions::Operation;
  for (const expressions::Node& node : omega.nodes()) {
    const Operation o = node.operation;
    const bool smooth = o == Operation::number || o == Operation::name || o == Operation::negate ||
                        (o == Operation::fixed_power && node.number == std::round(node.number)) ||
                        (o >= Operation::sqrt && o <= Operation::cos) ||
                        (o >= Operation::add && o <= Operation::divide);
    if (!smooth)
      throw Error(
          "a wall is made of + - * /, whole powers, sqrt, exp, log, sin and cos; corners are made by "
          "`inside`");
  }
}

/// What formulas of places may name.
std::vector<std::string> places(int dim) {
  std::vector<std::string> names{"x", "y", "z"};
  names.resize(static_cast<std::size_t>(dim));
  return names;
}

/// A set that the deck states: omega = "..." of x, y, in space z, and what `parameters` and `where` name.
template <int D>
billiards::SetKind read_omega(Task& task, const io::Table& table, std::vector<std::string>& names,
                              std::vector<std::vector<double>>& axes) {
  if (table.has("set")) throw table.error("set", "give set or omega, not both");
  const FormulaReader formulas(table, places(D), FormulaReader::Parameters::swept);
  formulas::WallStatement statement{D, formulas.values().size(), formulas.read_varying("omega", D)};
  try {
    judge_operations(statement.omega);
  } catch (const Error& error) {
    throw table.error("omega", error.what());
  }
  names = formulas.parameters();
  axes = formulas.axes();
  const std::string own = table.text("name");
  formulas.warn_of_unused(task, D, {&statement.omega, 1});
  formulas::LoadedWall loaded = load_or_show(table, "omega", table.text("omega"), [&] {
    return formulas::load(statement, compiled_files(task, table));
  });
  note_compiled(task, loaded.how);
  loaded.kind.name = own;
  return std::move(loaded.kind);
}

/// A set of the lists, by its name, with its parameters beside it.
template <int D>
billiards::SetKind read_kind(const io::Table& table, const Sets& sets,
                             std::vector<std::vector<double>>& axes) {
  std::vector<std::string> valid;
  for (const auto& kind : sets) {
    if (kind.dim == D) valid.push_back(kind.name);
  }
  const auto& kind = *std::ranges::find_if(
      sets, [what = table.choice("set", valid)](const auto& k) { return k.dim == D && k.name == what; });
  for (const auto& p : kind.parameters) {
    const std::string key(p.name);
    axes.push_back(table.axis(key, p.value));
    if (p.unit == "length" && !std::ranges::all_of(axes.back(), [](double value) { return value > 0; }))
      throw table.error(key, "must be positive: it is a length");
  }
  return kind;
}

/// Looks at each combination of a set's parameters.
void judge_parameters(const io::Table& table, const billiards::SetKind& kind,
                      const std::vector<std::vector<double>>& axes) {
  if (!kind.objection) return;
  std::vector<std::size_t> at(axes.size(), 0);
  for (std::size_t turned = 0; turned < axes.size();) {
    std::vector<double> values;
    for (std::size_t k = 0; k < axes.size(); ++k) values.push_back(axes[k][at[k]]);
    if (const auto objection = kind.objection(values))
      throw table.error(std::string(kind.parameters.front().name), *objection);
    for (turned = 0; turned < axes.size() && ++at[turned] == axes[turned].size(); ++turned) at[turned] = 0;
  }
}

/// Where a set stands, and how it moves.
template <int D>
billiards::Place<D> read_place(const io::Table& table) {
  billiards::Place<D> place;
  place.centre = read_vector<D>(table, "centre");
  place.velocity = read_vector<D>(table, "velocity");
  place.amplitude = read_vector<D>(table, "amplitude");
  place.frequency = table.number("frequency", 0.0);
  place.phase = table.number("phase", 0.0);
  if (place.swings() && place.frequency == 0)
    throw table.error("amplitude",
                      "is a set's that swings as amplitude*sin(frequency*t + phase): give frequency");
  for (const char* key : {"frequency", "phase"}) {
    if (table.has(key) && !table.has("amplitude"))
      throw table.error(key, "is a set's that swings as amplitude*sin(frequency*t + phase): give amplitude");
  }
  return place;
}

/// How it throws back.
billiards::Law read_law(const io::Table& table) {
  billiards::Law law;
  law.restitution = table.at_least("restitution", 0.0, 1.0);
  if (law.restitution > 1) throw table.error("restitution", "a wall gives back at most what it gets: 0 to 1");
  if (!table.has("temperature")) return law;
  law.temperature = table.at_least("temperature", 0.0);
  if (table.has("restitution"))
    throw table.error("restitution", "is a smooth wall's; one with a temperature throws back by that alone");
  return law;
}

template <int D>
void read_set(Task& task, const io::Table& table, BilliardSetting<D>& setting) {
  std::vector<std::string>& names = setting.walls;
  std::vector<std::string> parameters;
  std::vector<std::vector<double>> axes;
  const bool stated = table.has("omega");
  const billiards::SetKind kind =
      stated ? read_omega<D>(task, table, parameters, axes) : read_kind<D>(table, task.stated.sets, axes);
  const std::string name = table.text("name", kind.name);
  if (std::ranges::count(names, name) > 0) throw table.error("name", "stands for two sets");
  if (name == "and" || name == "or" || name == "not") throw table.error("name", "is a word of `inside`");
  names.push_back(name);
  const billiards::Place<D> place = read_place<D>(table);
  const billiards::Law law = read_law(table);
  judge_parameters(table, kind, axes);
  std::vector<double> values;
  for (const auto& axis : axes) values.push_back(axis.front());
  setting.domain.add(name, kind, values, place, law, parameters);
  setting.axes.insert(setting.axes.end(), axes.begin(), axes.end());
}

template <int D>
void read_domain(Task& task, const io::Table& table, BilliardSetting<D>& setting) {
  billiards::Domain<D>& domain = setting.domain;
  for (const io::Table& set : table.tables("sets")) read_set<D>(task, set, setting);
  if (setting.walls.empty()) throw table.error("sets", "give at least one: sets = [{ set = \"circle\" }]");
  if (table.has("inside")) {
    try {
      domain.enclose(table.text("inside"));
    } catch (const Error& e) {
      throw table.error("inside", e.what());
    }
  } else {
    domain.enclose_all();
  }
  if (domain.region().empty()) throw table.error("inside", "encloses nothing: the domain is empty");
}

/// A field that the deck states: U of x, y, in space z, and what `parameters` and `where` name.
template <int D>
billiards::FieldKind read_stated_field(Task& task, const io::Table& table, std::vector<double>& values) {
  const FormulaReader formulas(table, places(D));
  values = formulas.values();
  const formulas::FieldStatement statement{D, values.size(), formulas.read_varying("potential", D)};
  formulas.warn_of_unused(task, D, {&statement.potential, 1});
  formulas::LoadedField loaded = load_or_show(table, "potential", table.text("potential"), [&] {
    return formulas::load(statement, compiled_files(task, table));
  });
  note_compiled(task, loaded.how);
  return std::move(loaded.kind);
}

/// Whether a text is a word, perhaps with hyphens, that no coordinate stands in: "x - y" is none.
bool is_word(const std::string& text, const std::vector<std::string>& coordinates) {
  std::string word;
  for (const char c : text + '-') {
    if (c != '-') {
      if (std::isalpha(static_cast<unsigned char>(c)) == 0) return false;
      word += c;
    } else if (word.empty() || std::ranges::count(coordinates, word) > 0) {
      return false;
    } else {
      word.clear();
    }
  }
  return true;
}

/// `[forces] potential`: a field by its name, with its parameters beside it, or by a formula.
template <int D>
std::shared_ptr<const billiards::Field<D>> read_field(Task& task, const io::Table& table) {
  std::vector<std::string> valid;
  for (const auto& kind : task.stated.fields) {
    if (kind.dim == D) valid.push_back(kind.name);
  }
  const std::string text = table.text("potential");
  const bool is_name = std::ranges::count(valid, text) > 0 || is_word(text, places(D));
  std::vector<double> parameters;
  if (!is_name)
    return std::get<billiards::MakeField<D>>(read_stated_field<D>(task, table, parameters).make)(parameters);
  const auto& kind =
      *std::ranges::find(task.stated.fields, table.choice("potential", valid), &billiards::FieldKind::name);
  for (const auto& p : kind.parameters) parameters.push_back(table.number(std::string(p.name), p.value));
  return std::get<billiards::MakeField<D>>(kind.make)(parameters);
}

/// `[method]`: exact flights unless it names one of Morita's (billiards/leapfrog.hpp).
template <int D>
void read_flight(const io::Table& table, const Plan& plan, BilliardSetting<D>& setting) {
  billiards::BilliardRules<D>& rules = setting.rules;
  const std::string name = table.choice("name", "exact", {"exact", "leapfrog", "euler"});
  if (name == "exact") return;
  billiards::SteppedFlight& flight = rules.stepped;
  flight.fall = name == "euler" ? billiards::Fall::euler : billiards::Fall::leapfrog;
  flight.step = table.positive("step");
  flight.mended = table.boolean("mended", false);
  const bool both_ends = table.choice("search", "one-ended", {"one-ended", "two-ended"}) == "two-ended";
  flight.expansion = both_ends ? billiards::Expansion::both_ends : billiards::Expansion::start;
  flight.compare = table.boolean("compare", false);
  if (rules.field) throw table.error("name", "Morita's method knows gravity alone");
  for (const auto& member : setting.domain.members()) {
    if (member.region.size() > 1 || member.region.front().size() > 1 || !member.law.elastic() ||
        member.place.moves())
      throw table.error("name", "Morita's method knows sets of one smooth wall, elastic and at rest; \"" +
                                    member.name + "\" is none");
  }
  billiards::Region all_sets;
  for (const auto& member : setting.domain.members()) all_sets = billiards::united(all_sets, member.region);
  if (!std::ranges::is_permutation(setting.domain.region(), all_sets))
    throw table.error("name", "Morita's method flies in the union of all sets, not in another inside");
  if (!std::isfinite(plan.watch.stop.time) || plan.watch.stop.crossings > 0)
    throw table.error("name", "Morita's method runs to stop.time");
  if (plan.collisions > 0 || rules.tangent)
    throw table.error("name", "Morita's method records no collisions");
  if (!rules.exits.empty()) throw table.error("name", "Morita's method knows no exits");
  if (plan.model.swept()) throw table.error("name", "Morita's method runs at one value of each parameter");
  const double each = plan.watch.sample_every / flight.step;
  if (std::abs(each - std::round(each)) > 1e-9 * each)
    throw table.error("step", "output.every must be a whole number of steps");
}

}  // namespace

template <int D>
BilliardSetting<D> read_setting(Task& task) {
  BilliardSetting<D> setting;
  const io::Table table = task.deck.table("domain"), forces = task.deck.table("forces");
  read_domain<D>(task, table, setting);
  setting.rules.gravity = read_vector<D>(forces, "gravity");
  if (forces.has("potential")) setting.rules.field = read_field<D>(task, forces);
  for (const auto& member : setting.domain.members()) {
    setting.rough = setting.rough || member.law.rough();
    setting.still = setting.still && member.law.elastic() && !member.place.moves();
  }
  if (setting.rough) setting.rules.seed = static_cast<std::uint64_t>(table.integer("seed", 1));
  return setting;
}

template BilliardSetting<2> read_setting(Task& task);
template BilliardSetting<3> read_setting(Task& task);

std::vector<std::string> read_wall_exits(Task& task, int dimension,
                                         std::vector<expressions::Expression>& depths) {
  if (!task.deck.root().has("exits")) return {};
  Exits read = read_named_exits(task.deck.table("exits"), Parts(places(dimension)));
  depths = std::move(read.depths);
  return std::move(read.names);
}

template <int D>
BilliardPlan<D> read_billiard(Task& task) {
  BilliardPlan<D> billiard;
  auto& [plan, setting, exits, surface_cells] = billiard;
  const io::Table stop = task.deck.table("stop"), output = task.deck.table("output");
  setting = read_setting<D>(task);
  billiards::BilliardRules<D>& rules = setting.rules;
  plan.walls = setting.walls;
  plan.model.axes = setting.axes;
  plan.watch.stop.time = stop.number("time", infinity);
  if (!(plan.watch.stop.time > 0)) throw stop.error("time", "must be positive");
  if (stop.has("collisions")) plan.watch.stop.crossings = stop.integer_at_least("collisions", 1);
  if (!std::isfinite(plan.watch.stop.time) && plan.watch.stop.crossings == 0)
    throw stop.error("give time, collisions, or both");
  if (!std::isfinite(plan.watch.stop.time) && rules.field)
    throw stop.error("time", "must be given: in a potential, flights that meet no wall have no end");
  plan.collisions = output.integer_at_least("collisions", 0, plan.watch.stop.crossings);
  rules.collisions = plan.collisions;
  rules.tangent = output.boolean("lyapunov", false);
  if (rules.tangent && !setting.follows_neighbours())
    throw output.error("lyapunov", "is for exact flights between walls that aren't rough: no temperature");
  plan.watch.sample_every =
      output.at_least("every", 0.0, std::isfinite(plan.watch.stop.time) ? plan.watch.stop.time / 500 : 0.0);
  if (plan.watch.sample_every > 0) {
    if (!std::isfinite(plan.watch.stop.time)) throw output.error("every", "samples need stop.time");
    plan.watch.stop.time = end_at(plan.watch.stop.time, {plan.watch.sample_every, 0.0});
    plan.samples = samples_until(output, plan.watch.stop.time, plan.watch.sample_every);
  }
  exits = read_wall_exits(task, D, rules.exits);
  read_flight(task.deck.table("method"), plan, setting);
  if (D == 3) {
    surface_cells = output.integer_at_least("surface_cells", 0, 60);
    if (surface_cells > 200) throw output.error("surface_cells", "at most 200 cubes fill the longest side");
  }
  return billiard;
}

template BilliardPlan<2> read_billiard(Task& task);
template BilliardPlan<3> read_billiard(Task& task);

}  // namespace cotangent::studies
