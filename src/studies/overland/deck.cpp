// SPDX-License-Identifier: BSD-3-Clause
#include "studies/overland/deck.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "studies/program/petsc_options.hpp"

namespace cotangent::studies {

using overland::BoundaryRule;

const char* const overland_example =
    R"(# Water let go from a corner runs over a gentle slope and out at the left.
study = "overland"

[mesh]
from = [0.0, 0.0]            # a rectangle, with boundaries left, right, bottom, top
to = [2.0, 1.0]
cells = [24, 12]
# or: file = "dam.msh"       # Gmsh 2.2 or 4.1; physical curves name the boundaries
# or: raster = "hill.asc"    # an ESRI ASCII grid, which is the bed as well
# refine = 1                 # halve all edges so many times

[bed]
height = "0.1*x"             # a number or an expression in x and y; or: raster = "hill.asc"

[initial]
depth = 0.3                  # a number, an expression, or { raster = "depth.asc" }; or: level = 0.2, the water's surface
where = "x > 1.5"            # elsewhere dry
# projection = "nodal"       # nodal | centroid: Shapero's, L2 from the cells' middles, then clamped

[friction]
law = "darcy-weisbach"       # darcy-weisbach (k) | manning (n) | power (c, depth_power, slope_power)
coefficient = 1.0            # a number, an expression, or { raster = "manning.asc" }
gravity = 1.0

[rain]
rate = 0.0                   # or a formula of x, y and t: "1e-3*(1 + x)*t"; or, linear between its rows and 0 outside: table = [[time, rate], ...]; or: rasters = [{ from = 0.0, file = "a.asc" }, ...]

[infiltration]
law = "none"                 # none | constant (rate) | green-ampt (conductivity, suction, deficit)

[boundary.left]
kind = "free"                # closed | free | depth | discharge
# where = "y < 0.5"          # of another name than the mesh's own: of all of the boundary the sides whose middles are there
# value = 0.05               # the last two kinds'; or: table = [[time, value], ...], which of a depth must span the run

[method]
name = "conservative"        # conservative | mini | rt0
time = "sdirk2"              # sdirk2 | backward-euler
tolerance = 1e-3             # of each step, volume over volume; or: step = 0.01, fixed
# first_step = 0.01          # with a tolerance, as the next two
# smallest_step = 0.01       # no error makes steps shorter
# largest_step = 0.1         # by default every
# storage = "lumped"         # mini alone, as all below: lumped | consistent, as Shapero has it
# epsilon = 1e-5             # by which |q| is rounded off in the Jacobian: a thousandth of |q|, or less; rt0's |s|, 1e-3
# quadrature = 8             # its degree
# bound = true               # false: depths may fall below 0
# below_zero = "dry"         # dry | odd: water's discharge there: none, or by Shapero's h^3 uphill

# [solver]
# linear = "automatic"       # automatic: direct on one rank, krylov on more | direct | krylov
# tolerance = 1e-9           # of Newton's method
# most_iterations = 50       # of a step, before it is taken again, smaller

[stop]
time = 2.0

[output]
every = 0.1
# frames_every = 0.1         # a multiple of every
file = "overland.h5"
)";

std::string deck_path(const Task& task, const std::string& name) {
  const auto beside = std::filesystem::path(task.deck_file).parent_path() / name;
  std::error_code unknown;
  return std::filesystem::exists(beside, unknown) ? beside.string() : name;
}

overland::Raster deck_raster(const Task& task, const std::string& name) {
  overland::Raster raster = overland::open_raster(deck_path(task, name));
  if (task.check || task.dry_run) raster.load({});
  return raster;
}

overland::TimeSeries read_time_series(const io::Table& table) {
  overland::TimeSeries::Table rows;
  for (const auto& row : table.rows("table")) {
    const auto refuse = [&](const char* why) {
      throw table.error("table", fmt::format("row {}, [{}]: {}", rows.size() + 1, fmt::join(row, ", "), why));
    };
    if (row.size() != 2) refuse("each row must be [time, value]");
    if (!(row[1] >= 0)) refuse("the value must be at least 0");
    if (!rows.empty() && !(row[0] > rows.back().first)) refuse("times must rise");
    rows.emplace_back(row[0], row[1]);
  }
  if (rows.size() < 2) throw table.error("table", "needs at least two rows, each [time, value]");
  return overland::TimeSeries(std::move(rows));
}

expressions::Condition read_where(const io::Table& table) {
  const std::vector<std::string> coordinates{"x", "y"};
  try {
    return expressions::Condition::parse(table.text("where"), coordinates);
  } catch (const Error& error) {
    throw table.error("where", error.what());
  }
}

namespace {

void read_mesh(Task& task, OverlandPlan& plan) {
  const io::Table table = task.deck.table("mesh"), bed = task.deck.table("bed");
  if (table.has("file") + table.has("raster") + table.has("cells") != 1)
    throw table.error("give one of file, raster, and cells (of a rectangle, with from and to)");
  std::string source;
  if (table.has("file")) {
    source = deck_path(task, table.input_file("file"));
    plan.triangles = overland::read_gmsh(source);
  } else if (table.has("raster")) {
    source = deck_path(task, table.input_file("raster"));
    plan.ground = overland::open_raster(source);
    plan.triangles = overland::triangles(*plan.ground);
  } else {
    source = table.where("cells");
    const auto from = table.numbers("from", {0.0, 0.0}), to = table.numbers("to", {1.0, 1.0});
    const auto cells = table.numbers("cells");
    for (const auto& [key, list] : {std::pair{"from", &from}, {"to", &to}, {"cells", &cells}}) {
      if (list->size() != 2) throw table.error(key, "needs two numbers");
    }
    if (!(from[0] < to[0] && from[1] < to[1]))
      throw table.error("to", "must be to the right of and above from");
    for (const double n : cells) {
      if (!(n >= 1 && n <= 1e5 && n == std::floor(n))) throw table.error("cells", "needs two whole numbers");
    }
    plan.triangles = overland::rectangle({from[0], from[1]}, {to[0], to[1]}, static_cast<int>(cells[0]),
                                         static_cast<int>(cells[1]));
  }
  overland::judge(plan.triangles, source);
  if (bed.has("raster")) {
    if (bed.has("height")) throw bed.error("give height or raster, not both");
    plan.ground = deck_raster(task, bed.input_file("raster"));
  }
  const std::int64_t refine = table.integer_at_least("refine", 0, 0);
  if (refine > 10) throw table.error("refine", "at most 10: each makes four cells of one");
  plan.refine = static_cast<int>(refine);
  plan.vertices = plan.triangles.all_vertices;
  plan.cells = plan.triangles.all_cells;
  std::int64_t sides = plan.triangles.all_sides;
  for (int k = 0; k < plan.refine; ++k) {
    plan.vertices += (3 * plan.cells + sides) / 2;
    plan.cells *= 4;
    sides *= 2;
  }
}

void read_boundaries(Task& task, OverlandPlan& plan) {
  const io::Table all = task.deck.table("boundary");
  auto& boundaries = plan.triangles.boundaries;
  plan.rules.resize(boundaries.size());
  for (const auto& name : all.keys()) {
    const io::Table table = all.table(name);
    auto found = std::ranges::find(boundaries, name);
    if (table.has("where")) {
      if (found != boundaries.end())
        throw all.error(name, "the mesh has a boundary of this name: give what is elsewhere another");
      plan.parts.push_back({static_cast<int>(std::ssize(boundaries)), table, read_where(table)});
      boundaries.push_back(name);
      plan.rules.emplace_back();
      found = boundaries.end() - 1;
    } else if (found == boundaries.end()) {
      throw all.error(name, fmt::format("the mesh has no boundary of this name; it has: {}; of a part of "
                                        "these say where it is: where = \"y < 1\"",
                                        fmt::join(boundaries, ", ")));
    }
    BoundaryRule& rule = plan.rules[static_cast<std::size_t>(found - boundaries.begin())];
    const std::string kind = table.choice("kind", {"closed", "free", "depth", "discharge"});
    if (kind != "closed" && plan.method == "rt0")
      throw table.error("kind", "the method rt0 has closed boundaries alone");
    if (kind == "free") rule.kind = BoundaryRule::Kind::free;
    if (kind == "depth") rule.kind = BoundaryRule::Kind::depth;
    if (kind == "discharge") rule.kind = BoundaryRule::Kind::discharge;
    if (kind != "depth" && kind != "discharge") continue;
    if (table.has("value") == table.has("table")) throw table.error("give one of value and table");
    rule.value = table.has("table") ? read_time_series(table) : table.at_least("value", 0.0);
    const auto& rows = rule.value.rows();
    if (kind == "depth" && !rows.empty() && !(rows.front().first <= 0 && rows.back().first >= plan.time))
      throw table.error("table", fmt::format("a depth is needed from time 0 to [stop] time = {}; the rows go "
                                             "from {} to {}",
                                             plan.time, rows.front().first, rows.back().first));
  }
  const auto closed = [](const BoundaryRule& rule) { return rule.kind == BoundaryRule::Kind::closed; };
  const auto walls = std::ranges::count_if(plan.rules, closed);
  if (plan.method == "mini" && walls > 0 && walls < std::ssize(plan.rules))
    task.warnings.emplace_back(
        "[method] mini holds water at closed sides still along them, too, as Shapero does: where water is to "
        "flow along a wall too little leaves; name = \"conservative\" lets it flow there");
  const auto open = [](const BoundaryRule& rule) { return rule.kind == BoundaryRule::Kind::free; };
  if (plan.method == "mini" && std::ranges::any_of(plan.rules, open))
    task.warnings.emplace_back(
        "[method] mini lets water through free sides both ways, as if the land went on: it comes in uphill; "
        "name = \"conservative\" lets it out alone");
}

void read_friction(Task& task, OverlandPlan& plan) {
  const io::Table table = task.deck.table("friction");
  const std::string law = table.choice("law", "darcy-weisbach", {"darcy-weisbach", "manning", "power"});
  if (law == "darcy-weisbach") plan.gravity = table.positive("gravity", 1.0);
  if (law == "manning") plan.law.depth_power = 5.0 / 3.0;
  if (law == "power") {
    plan.law.depth_power = table.at_least("depth_power", 1.0);
    plan.law.slope_power = table.positive("slope_power");
    if (plan.law.slope_power > 1)
      throw table.error("slope_power", "must be at most 1: friction grows with speed");
  }
}

void read_method(Task& task, OverlandPlan& plan) {
  const io::Table table = task.deck.table("method"), solver = task.deck.table("solver");
  plan.method = table.choice("name", "conservative", {"conservative", "mini", "rt0"});
  if (plan.method == "mini") {
    plan.mini.lumped = table.choice("storage", "lumped", {"lumped", "consistent"}) == "lumped";
    plan.mini.epsilon = table.positive("epsilon", 1e-5);
    plan.mini.degree = static_cast<int>(table.integer("quadrature", 8));
    if (plan.mini.degree != 6 && plan.mini.degree != 8) throw table.error("quadrature", "must be 6 or 8");
    plan.mini.bound = table.boolean("bound", true);
    plan.mini.odd = table.choice("below_zero", "dry", {"dry", "odd"}) == "odd";
    plan.stages = 1;
  } else if (plan.method == "rt0") {
    plan.mini.epsilon = table.positive("epsilon", 1e-3);
    plan.stages = 1;
    const io::Table soil = task.deck.table("infiltration");
    if (soil.text("law", "none") != "none") throw soil.error("law", "the method rt0 has no soil");
  } else {
    plan.stages = table.choice("time", "sdirk2", {"sdirk2", "backward-euler"}) == "sdirk2" ? 2 : 1;
  }
  if (table.has("step") == table.has("tolerance"))
    throw table.error("give step (fixed) or tolerance (adaptive)");
  if (table.has("step")) {
    plan.stepping.step = table.positive("step");
  } else {
    plan.stepping.tolerance = table.positive("tolerance");
    plan.stepping.step = table.positive("first_step", std::min(1e-2, plan.every));
    plan.stepping.largest = table.positive("largest_step", plan.every);
    if (table.has("smallest_step")) plan.stepping.smallest = table.positive("smallest_step");
    if (!(plan.stepping.smallest <= std::min(plan.stepping.step, plan.stepping.largest)))
      throw table.error("smallest_step", "must not be longer than first_step and largest_step");
    plan.solver.step_tolerance = plan.stepping.tolerance;
  }
  // Across ranks the direct one takes 1.6 to 11 times as long as Krylov's (table in src/overland/README.md).
  const std::string linear = solver.choice("linear", "automatic", {"automatic", "direct", "krylov"});
  plan.solver.direct = linear == "direct" || (linear == "automatic" && parallel::size() == 1);
  plan.solver.tolerance = solver.positive("tolerance", plan.method == "conservative" ? 1e-9 : 1e-8);
  const std::int64_t most = solver.integer_at_least("most_iterations", 1, 50);
  if (most > 1'000'000) throw solver.error("most_iterations", "at most a million");
  plan.solver.most_iterations = static_cast<int>(most);
}

void read_output(Task& task, OverlandPlan& plan) {
  const io::Table stop = task.deck.table("stop"), output = task.deck.table("output");
  plan.time = stop.positive("time");
  plan.every = output.positive("every", plan.time / 50);
  if (!(plan.every <= plan.time)) throw output.error("every", "must not be longer than [stop] time");
  if (!(plan.time / plan.every < 0x1p53))
    throw output.error("every",
                       fmt::format("{:.3g} samples can't be counted: give fewer, or a shorter [stop] time",
                                   plan.time / plan.every));
  plan.samples = static_cast<std::int64_t>(std::ceil(plan.time / plan.every * (1 - 1e-12))) + 1;
  const double frames = output.positive("frames_every", plan.every) / plan.every;
  plan.frame_samples = std::max<std::int64_t>(1, std::llround(frames));
  if (std::abs(frames - static_cast<double>(plan.frame_samples)) > 1e-9 * frames)
    throw output.error("frames_every", "must be a multiple of every");
  plan.frames = (plan.samples - 1) / plan.frame_samples + 1;
}

}  // namespace

std::unique_ptr<overland::Scheme> OverlandPlan::scheme(const overland::Landscape& land) const {
  return method == "mini"  ? overland::mini_scheme(land, mini, solver)
         : method == "rt0" ? overland::rt0_scheme(land, mini.epsilon, solver)
                           : overland::conservative_scheme(land, stages, solver);
}

std::string OverlandPlan::solver_text() const {
  std::string text = method == "mini"  ? overland::mini_solver(vertices, solver)
                     : method == "rt0" ? overland::rt0_solver(vertices, solver)
                                       : overland::conservative_solver(vertices, solver);
  if (!petsc_options.empty()) text += fmt::format(", but for the options {}", fmt::join(petsc_options, " "));
  return text;
}

std::string OverlandPlan::advice(Status status) const {
  if (status == Status::step_too_small) return "; a larger tolerance may go on";
  if (method == "mini")
    return "; a smaller step, an epsilon of a thousandth of the |q| that is to come, or method = "
           "\"conservative\" may go on";
  return method == "rt0" ? "; a smaller step, another epsilon, or method = \"conservative\" may go on"
                         : "; a smaller step or [solver] linear = \"direct\" may go on";
}

Estimate OverlandPlan::estimate(const io::FileOptions& options) const {
  Estimate estimate;
  estimate.orbits = 1;
  estimate.file_bytes = (options.single_precision ? 4 : 8) * frames * 3 * vertices +
                        8 * (samples * 18 + 4 * vertices + 3 * cells);
  // Measured, of 2 x 10^4 to 2.5 x 10^5 vertices on 1 to 8 ranks: bytes a vertex; a factorisation's entries
  // grow as n log n, and MUMPS takes three times the room.
  const double n = static_cast<double>(vertices), depth = std::log2(std::max(2.0, n));
  const bool is_mini = method != "conservative", across = parallel::size() > 1;
  const double unknowns = method == "rt0" ? 5 * n
                          : is_mini       ? 3 * n
                                          : n,
               factor = (is_mini ? 300 : 50) * depth * (across ? 3 : 1);
  const double each = !solver.direct ? (is_mini ? 10500 : 1900) : (is_mini ? 3000 : 1700) + factor;
  estimate.rank_bytes = program_bytes(true) + static_cast<std::int64_t>(each * n / parallel::size());
  const double steps = stepping.tolerance > 0 ? static_cast<double>(3 * samples) : time / stepping.step;
  estimate.seconds = steps * 3 * stages * 6e-6 * unknowns / parallel::size();
  return estimate;
}

void refuse_unknown_options() {
  refuse_unused_petsc_options({"-water_"}, {"-no_signal_handler", "-skip_petscrc", "mat_mumps"});
}

OverlandPlan read_overland_plan(Task& task) {
  OverlandPlan plan;
  plan.petsc_options = task.petsc_options;
  read_output(task, plan);
  read_friction(task, plan);
  read_method(task, plan);
  read_mesh(task, plan);
  read_boundaries(task, plan);
  return plan;
}

}  // namespace cotangent::studies
