// SPDX-License-Identifier: BSD-3-Clause
#include "studies/lattice/deck.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "core/error.hpp"
#include "core/names.hpp"
#include "integrators/gauss_tables.hpp"
#include "integrators/lobatto_tables.hpp"
#include "io/given_file.hpp"
#include "io/hdf5.hpp"
#include "lattice/compositions.hpp"
#include "parallel/mpi.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/lattice/statement.hpp"
#include "studies/program/formula_model.hpp"
#include "studies/program/formula_reader.hpp"
#include "studies/program/petsc_options.hpp"

namespace cotangent::studies {

const char* const lattice_example = R"deck(# Two kinks of the phi-four field that meet.
study = "lattice"

[model]
name = "phi-four"            # cotangent --list
spacing = 0.1
sites = 800                  # or [64, 48], a grid
boundary = "free"            # periodic | free | fixed (the ends are held where they are); of a grid also two of them
# or, for name, terms of one's own over a site's coordinates and its neighbours':
# coordinates = ["q"]        # or { q = "rad" }; angles = ["q"]
# neighbours = { right = 1 } # so many sites along x, or [1, 0] along x and y
# parameters = { k = 1.0 }   # one called spacing is the distance of sites
# terms = { site = "q_dot^2/2", bond = "-k*(right.q - q)^2/2" }    # of L; where = { ... } names parts
# constraints = { rod = "(right.q - q)^2 - 1" }                    # kept zero
# copies = "network.h5"      # instead of a grid: data sets /bond [copies, 2] of site numbers, one for each term that joins sites
# held = [0]                 # sites that stay where they are

[start]
wave = "kink-pair"           # a motion that the model knows (cotangent --describe phi-four), with its options
speed = 0.3
distance = 20.0
# or: modes = [1.0, 0.0]     amplitudes of the first modes of small oscillations
# or: q = "exp(-x^2)", q_dot = "0"   formulas of x, y, site, sites and the model's parameters
# or: list = [[q, q_dot], ...] or file = "start.h5", data sets /q and /v [sites, coordinates]
# random = { q = 0.0, v = 1e-3, seed = 1 }   normal, keyed by site, of mean 0, added to any of these

[method]
name = "gauss"               # or lobatto-pair, the default under constraints; or Stormer-Verlet and its compositions: stormer-verlet | verlet-kahan-li-8 ...
stages = 4
step = 0.05
solver = "auto"              # auto | fixed-point | newton
# [solver]
# collocation = "petsc"      # Newton's systems of all ranks as one matrix, by the KSP that options after -- choose (-stage_ksp_type ...); or "substructures"

[stop]
time = 60.0

[output]
every = 0.5                  # time between samples of the energies
frames_every = 0.5           # and between whole states
file = "lattice.h5"
)deck";

std::array<double, 2> LatticePlan::place(std::int64_t site) const {
  const double spacing = model->spacing(parameters);
  const auto middle = [](std::int64_t count) { return 0.5 * static_cast<double>(count - 1); };
  if (network) return {static_cast<double>(site), 0.0};
  const std::int64_t column = site % grid.length, row = site / grid.length;
  return {spacing * (static_cast<double>(column) - middle(grid.length)),
          spacing * (static_cast<double>(row) - middle(grid.rows))};
}

namespace {
const std::vector<std::string> place_names{"x", "y", "t", "site", "sites"};
}

std::vector<double> LatticePlan::variables(std::int64_t site, double time) const {
  const auto [x, y] = place(site);
  return {x, y, time, static_cast<double>(site), static_cast<double>(sites())};
}

namespace {

using lattice::Boundary;
using lattice::Range;

/// This rank's even share of so many.
Range share_of(std::int64_t count) {
  return Range::of_rank(count, parallel::rank(), parallel::size());
}

void read_network(const io::Table& table, LatticePlan& plan) {
  lattice::Network network;
  network.sites = table.integer_at_least("sites", 1);
  network.terms = plan.model->terms();
  const std::string path = table.input_file("copies");
  parallel::agree([&] {
    const io::File file = io::open_given(table, "copies");
    std::vector<std::string> joining;
    for (const auto& term : network.terms) {
      if (term.sites.size() > 1) joining.push_back(term.name);
    }
    for (const std::string& name : file.names_in("/")) {
      const bool of_start = name == "q" || name == "v";
      if (!of_start && std::ranges::count(joining, name) == 0)
        unknown_name("term", name, joining, "by which " + path + " has copies, " + table.where("copies"));
    }
    for (const auto& term : network.terms) {
      std::vector<std::int64_t>& share = network.copies.emplace_back();
      if (term.sites.size() == 1) {
        const Range own = share_of(network.sites);
        share.resize(static_cast<std::size_t>(own.own));
        std::iota(share.begin(), share.end(), own.first);
        continue;
      }
      const std::string name = "/" + term.name;
      if (!file.contains(name)) continue;
      const io::DataSet set = file.data_set(name);
      if (set.dims().size() != 2 || set.dims()[1] != std::ssize(term.sites))
        throw table.error("copies", fmt::format("{} must have {} columns, the numbers of a copy's sites",
                                                name, term.sites.size()));
      const Range rows = share_of(set.dims()[0]);
      share.resize(static_cast<std::size_t>(rows.own * set.row_size()));
      if (rows.own > 0) set.read_rows(rows.first, rows.own, share.data());
    }
  });
  try {
    network.check();
  } catch (const Error& error) {
    throw table.error("copies", error.what());
  }
  plan.network = std::move(network);
}

/// The modes of a grid, if they are known.
void find_modes(LatticePlan& plan) {
  const auto linear = plan.model->linear(plan.parameters);
  if (!linear || !plan.grid.chain() || plan.dim() != 1) return;
  const bool known = plan.grid.along == Boundary::free    ? linear->free_ends
                     : plan.grid.along == Boundary::fixed ? linear->fixed_ends
                                                          : true;
  if (known)
    plan.modes.emplace(plan.grid, *linear);
  else
    plan.no_modes += fmt::format(
        "; the ends of this one, {}, lack copies of terms that change them: "
        "boundary = \"periodic\"{}",
        plan.grid.along == Boundary::free ? "free" : "fixed",
        plan.grid.along == Boundary::free && linear->fixed_ends ? " or \"fixed\"" : "");
}

void read_sites(const io::Table& table, LatticePlan& plan) {
  if (table.has("copies")) {
    read_network(table, plan);
  } else {
    std::vector<double> sites;
    try {
      sites = table.numbers("sites");
    } catch (const Error&) {
      sites = {static_cast<double>(table.integer_at_least("sites", 2))};
    }
    if (sites.empty() || sites.size() > 2 ||
        std::ranges::any_of(sites, [](double n) { return !(n >= 2 && n <= 1e9 && n == std::floor(n)); }))
      throw table.error("sites", "must be a whole number above 1, or two of them: a grid");
    plan.grid.length = static_cast<std::int64_t>(sites[0]);
    plan.grid.rows = sites.size() > 1 ? static_cast<std::int64_t>(sites[1]) : 1;
    const std::vector<std::string> names{"periodic", "free", "fixed"};
    std::vector<std::string> ends = table.texts("boundary", {"periodic"});
    const auto boundary = [&](const std::string& name) {
      const auto at = std::ranges::find(names, name);
      if (at == names.end()) unknown_name("boundary", name, names, table.where("boundary"));
      return static_cast<Boundary>(at - names.begin());
    };
    if (ends.empty() || ends.size() > sites.size())
      throw table.error("boundary", "must be one of periodic, free, fixed; of a grid also a list of two");
    plan.grid.along = boundary(ends.front());
    plan.grid.across = plan.grid.chain() ? Boundary::free : boundary(ends.back());
    try {
      lattice::check_grid(plan.grid, plan.model->terms());
    } catch (const Error& error) {
      throw table.error("sites", error.what());
    }
    find_modes(plan);
  }
  for (const double site : table.numbers("held", {})) {
    if (!(site >= 0 && site < static_cast<double>(plan.sites())) || site != std::floor(site))
      throw table.error("held",
                        fmt::format("{} is no site; they are numbered 0 to {}", site, plan.sites() - 1));
    plan.held.push_back(static_cast<std::int64_t>(site));
  }
  if (plan.held.empty()) return;
  plan.modes.reset();
  plan.no_modes += "; sites that are held have no part in them: without held";
}

/// A formula of the sites' places and of constants, from `[start]`.
expressions::Expression read_formula(const io::Table& table, const std::string& key, std::string_view text,
                                     const std::vector<expressions::Constant>& constants) {
  try {
    return expressions::Expression::parse(std::string(text), place_names, constants);
  } catch (const Error& error) {
    throw table.error(key, error.what());
  }
}

void read_modes(const io::Table& table, LatticePlan& plan) {
  if (!plan.modes) throw table.error("modes", plan.no_modes);
  plan.mode_amplitudes = table.numbers("modes");
  if (std::ssize(plan.mode_amplitudes) > plan.modes->count())
    throw table.error("modes", fmt::format("there are {}", plan.modes->count()));
}

/// Throws Error where a wave doesn't close on itself, and the grid does. Collective.
void judge_closing(const io::Table& table, const LatticePlan& plan) {
  if (plan.network || plan.grid.along != Boundary::periodic) return;
  const auto at = [&](std::int64_t column) {
    auto variables = plan.variables(0, 0.0);
    variables[0] += plan.model->spacing(plan.parameters) * static_cast<double>(column);
    return plan.q[0].evaluate(variables);
  };
  const Range columns = share_of(plan.grid.length);
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (std::int64_t column = columns.first; column < columns.first + columns.own; ++column) {
    least = std::min(least, at(column));
    most = std::max(most, at(column));
  }
  const double first = at(0), next = at(plan.grid.length),
               range = parallel::maximum(most) - parallel::minimum(least);
  if (std::abs(next - first) > 1e-3 * range)
    throw table.error("wave",
                      fmt::format("doesn't close on itself, as the chain does: it comes to {:.6g} where it "
                                  "begins with {:.6g}; boundary = \"free\"",
                                  next, first));
}

/// Collective.
void read_wave(const io::Table& table, std::vector<expressions::Constant> constants, LatticePlan& plan) {
  const auto waves = plan.model->waves();
  std::vector<std::string> names;
  for (const auto& wave : waves) names.emplace_back(wave.name);
  if (names.empty()) throw table.error("wave", called(plan.model->name()) + " knows none");
  const std::string name = table.choice("wave", names);
  const auto& wave = *std::ranges::find(waves, name, [](const auto& w) { return w.name; });
  for (const auto& option : wave.options) {
    const std::string key(option.name);
    const double value = table.number(key, option.value);
    constants.push_back({key, value});
    if ((key == "speed" || key == "frequency") && !(std::abs(value) < 1))
      throw table.error(key, "must be below 1");
    if (key == "frequency" && !(value > 0)) throw table.error(key, "must be above 0");
  }
  plan.q.push_back(read_formula(table, "wave", wave.q, constants));
  plan.q_dot.push_back(read_formula(table, "wave", wave.q_dot, constants));
  judge_closing(table, plan);
  plan.exact = wave.exact && !plan.network;
}

void read_list(const io::Table& table, LatticePlan& plan) {
  const auto rows = table.rows("list");
  const auto width = static_cast<std::size_t>(plan.dim());
  if (std::ssize(rows) != plan.sites())
    throw table.error("list", fmt::format("has {} rows, and there are {} sites", rows.size(), plan.sites()));
  for (const auto& row : rows) {
    if (row.size() != 2 * width)
      throw table.error("list",
                        fmt::format("a row must have {} numbers: coordinates, then velocities", 2 * width));
    plan.start_q.insert(plan.start_q.end(), row.begin(), row.begin() + plan.dim());
    plan.start_v.insert(plan.start_v.end(), row.begin() + plan.dim(), row.end());
  }
}

/// Collective.
void read_start_file(const io::Table& table, LatticePlan& plan) {
  plan.start_file = table.input_file("file");
  parallel::agree([&] {
    const io::File file = io::open_given(table, "file");
    for (const char* set : {"/q", "/v"}) {
      if (!file.contains_data_set(set)) throw table.error("file", std::string("has no data set ") + set);
      if (file.dims(set) != std::vector<std::int64_t>{plan.sites(), plan.dim()})
        throw table.error(
            "file", fmt::format("{} must be of {} sites with {} coordinates", set, plan.sites(), plan.dim()));
    }
  });
}

void read_start(Task& task, LatticePlan& plan) {
  const io::Table table = task.deck.table("start");
  const auto coordinates = plan.model->coordinates();
  std::vector<expressions::Constant> constants;  // parameters and options don't change during a run
  for (std::size_t k = 0; k < plan.parameters.size(); ++k)
    constants.push_back({std::string(plan.model->parameters()[k].name), plan.parameters[k]});
  std::vector<std::string> given;
  for (const char* kind : {"modes", "wave", "list", "file"}) {
    if (table.has(kind)) given.emplace_back(kind);
  }
  if (std::ranges::any_of(coordinates, [&](const auto& c) {
        return table.has(c.name) || table.has(std::string(c.name) + "_dot");
      }))
    given.emplace_back("a formula");
  if (given.size() > 1) throw table.error("give one of " + given[0] + " and " + given[1] + ", not both");
  if (table.has("random")) {
    const io::Table random = table.table("random");
    plan.random_q = random.at_least("q", 0.0, 0.0);
    plan.random_v = random.at_least("v", 0.0, 0.0);
    plan.seed = static_cast<std::uint64_t>(random.integer("seed", 1));
  } else if (given.empty()) {
    throw table.error("give the start: modes, wave, formulas of the coordinates, list, file or random");
  }
  if (given.empty()) return;
  if (given[0] == "modes") {
    read_modes(table, plan);
  } else if (given[0] == "wave") {
    read_wave(table, std::move(constants), plan);
  } else if (given[0] == "list") {
    read_list(table, plan);
  } else if (given[0] == "file") {
    read_start_file(table, plan);
  } else {
    for (const auto& c : coordinates) {
      const std::string key(c.name), rate = key + "_dot";
      plan.q.push_back(read_formula(table, key, table.text(key, "0"), constants));
      plan.q_dot.push_back(read_formula(table, rate, table.text(rate, "0"), constants));
    }
  }
}

void read_method(Task& task, LatticePlan& plan) {
  const io::Table table = task.deck.table("method");
  std::vector<std::string> names{"gauss", "lobatto-pair"};
  for (const auto& composition : lattice::compositions()) names.push_back(composition.name);
  const bool constrained = plan.model->constraints() > 0;
  plan.method = table.choice("name", constrained ? "lobatto-pair" : "gauss", names);
  if (constrained && plan.method != "lobatto-pair")
    throw table.error("name",
                      "keeps no constraints, and " + called(plan.model->name()) + " has some: lobatto-pair");
  plan.step = table.positive("step");
  const io::Table solver = task.deck.table("solver");
  plan.assembled = solver.choice("collocation", "substructures", {"substructures", "petsc"}) == "petsc";
  if (plan.assembled && plan.method != "gauss")
    throw solver.error("collocation", "is how Newton's method solves the systems of gauss");
  const bool separable = plan.model->separable();
  if (plan.method == "lobatto-pair") {
    plan.stages = static_cast<int>(table.integer_at_least("stages", integrators::LobattoTables::least, 3));
    if (plan.stages > integrators::LobattoTables::most)
      throw table.error("stages", fmt::format("at most {}", integrators::LobattoTables::most));
    return;
  }
  if (plan.method != "gauss") {
    if (!separable)
      throw table.error("name", "needs a constant, diagonal mass matrix, which " +
                                    called(plan.model->name()) + " doesn't have: gauss");
    plan.composition_coefficients =
        std::ranges::find(lattice::compositions(), plan.method, &lattice::Composition::name)->coefficients;
    return;
  }
  plan.stages = static_cast<int>(table.integer_at_least("stages", 1, 4));
  if (plan.stages > integrators::max_stages)
    throw table.error("stages", fmt::format("at most {}", integrators::max_stages));
  plan.solver = table.choice("solver", "auto", {"auto", "fixed-point", "newton"});
  if (plan.assembled && plan.solver == "fixed-point")
    throw solver.error("collocation", "[method] solver = \"fixed-point\" solves no systems");
  if (plan.solver == "fixed-point" && !separable)
    throw table.error("solver", "fixed-point needs a constant, diagonal mass matrix, which " +
                                    called(plan.model->name()) + " doesn't have");
}

void choose_lattice(const Lattices& list, const io::Table& model, LatticePlan& plan) {
  std::vector<std::string> names;
  for (const auto& one : list) names.push_back(one->name());
  const std::string name = model.choice("name", names);
  plan.model = std::ranges::find(list, name, [](const auto& m) { return m->name(); })->get();
  for (const auto& parameter : plan.model->parameters()) {
    const std::string key(parameter.name);
    plan.parameters.push_back(key == "spacing" ? model.positive(key, parameter.value)
                                               : model.number(key, parameter.value));
  }
}

/// The formulas in `[start]` of a lattice that isn't loaded yet, over its parameters and then places. Throws
/// Error where one of them is wrong: before they are compiled.
std::vector<expressions::Tree> stated_start(const io::Table& start,
                                            const formulas::LatticeStatement& statement) {
  std::vector<std::string> names;
  for (const auto& parameter : statement.parameters) names.push_back(parameter.name);
  names.insert(names.end(), place_names.begin(), place_names.end());
  std::vector<expressions::Tree> trees;
  const auto read = [&](const std::string& key) {
    if (!start.has(key)) return;
    try {
      trees.push_back(expressions::parse(start.text(key), expressions::Language::value, names));
    } catch (const Error& error) {
      throw start.error(key, error.what());
    }
  };
  for (const auto& q : statement.coordinates) {
    read(q.name);
    read(q.name + "_dot");
  }
  return trees;
}

/// A warning for each parameter that neither a term nor the start has; the spacing tells where sites are.
void warn_of_unused(Task& task, const io::Table& model, const formulas::LatticeStatement& statement,
                    const std::vector<expressions::Tree>& start) {
  for (std::size_t k = 0; k < statement.parameters.size(); ++k) {
    const bool used =
        static_cast<int>(k) == statement.spacing ||
        std::ranges::any_of(
            statement.terms,
            [&](const auto& term) { return term.value.mentions(statement.first_parameter() + k); }) ||
        std::ranges::any_of(start, [&](const expressions::Tree& tree) { return tree.mentions(k); });
    const std::string& name = statement.parameters[k].name;
    if (!used)
      task.warnings.push_back(
          fmt::format("parameter '{}' is in no formula, {}", name, model.table("parameters").where(name)));
  }
}

/// Collective.
void state_lattice(Task& task, const io::Table& model, LatticePlan& plan) {
  const formulas::LatticeStatement statement = read_lattice_statement(model);
  warn_of_unused(task, model, statement, stated_start(task.deck.table("start"), statement));
  const io::Table terms = model.table("terms");
  std::string shown;
  for (const std::string& name : terms.keys())
    shown += (shown.empty() ? "" : "; ") + name + " = " + terms.text(name);
  formulas::LoadedLattice loaded = load_or_show(
      model, "terms", shown, [&] { return formulas::load(statement, compiled_files(task, model)); });
  note_compiled(task, loaded.how);
  plan.stated = std::move(loaded.model);
  plan.model = plan.stated.get();
  for (const auto& parameter : statement.parameters) plan.parameters.push_back(parameter.value);
}

/// Throws Error for options of PETSc that would have no effect: most often they are misspelt.
void judge_options(const Task& task, const LatticePlan& plan) {
  if (task.petsc_options.empty()) return;
  const bool pair = plan.method == "lobatto-pair";
  if ((plan.method != "gauss" && !pair) || plan.solver == "fixed-point")
    throw Error("the PETSc options after -- would have no effect: " + plan.method +
                (plan.method == "gauss" ? " with solver = \"fixed-point\"" : "") +
                " solves no linear systems");
  for (const std::string& word : task.petsc_options) {
    const auto begins = [&](const char* with) { return word.starts_with(with); };
    if (begins("-") && !(word.size() > 1 && (std::isdigit(static_cast<unsigned char>(word[1])) != 0)) &&
        !begins(pair ? "-pair_" : "-stage_") && !begins("-mass_") && !begins("-log") && !begins("-options_"))
      refuse_petsc_option(
          word, pair ? std::vector<std::string>{"-pair_"} : std::vector<std::string>{"-stage_", "-mass_"});
  }
}

}  // namespace

LatticePlan read_lattice_plan(Task& task) {
  LatticePlan plan;
  const io::Table model = task.deck.table("model"), stop = task.deck.table("stop"),
                  output = task.deck.table("output");
  if (model.has("terms") || model.has("coordinates"))
    state_lattice(task, model, plan);
  else
    choose_lattice(task.stated.lattices, model, plan);
  read_sites(model, plan);
  read_start(task, plan);
  read_method(task, plan);
  const double time = stop.positive("time");
  plan.steps = whole(stop, "time", time, plan.step, "steps");
  const double usual = static_cast<double>(std::max<std::int64_t>(1, plan.steps / 200)) * plan.step;
  const double every = output.positive("every", usual);
  plan.sample_steps = whole(output, "every", every, plan.step, "steps");
  plan.samples = plan.steps / plan.sample_steps + 1;
  plan.frame_samples =
      whole(output, "frames_every", output.positive("frames_every", every), every, "samples");
  plan.frames = (plan.samples - 1) / plan.frame_samples + 1;
  plan.mode_count = output.integer_at_least("modes", 0, 0);
  if (plan.mode_count > 0 && !plan.modes) throw output.error("modes", plan.no_modes);
  if (plan.modes && plan.mode_count > plan.modes->count())
    throw output.error("modes", fmt::format("there are {}", plan.modes->count()));
  judge_options(task, plan);
  return plan;
}

}  // namespace cotangent::studies
