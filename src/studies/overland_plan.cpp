#include "studies/overland_plan.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "core/names.hpp"
#include "overland/projection.hpp"
#include "parallel/mpi.hpp"

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
depth = 0.3                  # a field; or: level = 0.2, the water's surface
where = "x > 1.5"            # elsewhere dry
# projection = "nodal"       # nodal | centroid: the source's, L2 from the cells' middles, then clamped

[friction]
law = "darcy-weisbach"       # darcy-weisbach (k) | manning (n) | power (c, depth_power, slope_power)
coefficient = 1.0            # a field
gravity = 1.0

[rain]
rate = 0.0                   # or: table = [[time, rate], ...]; or: rasters = [{ from = 0.0, file = "a.asc" }, ...]

[infiltration]
law = "none"                 # none | constant (rate) | green-ampt (conductivity, suction, deficit)

[boundary.left]
kind = "free"                # closed | free | depth | discharge; with value for the last two

[method]
name = "conservative"        # conservative | mini
time = "sdirk2"              # sdirk2 | backward-euler
tolerance = 1e-3             # of each step, volume over volume; or: step = 0.01, fixed

[stop]
time = 2.0

[output]
every = 0.1
file = "overland.h5"
)";

namespace {

const std::vector<std::string> coordinates{"x", "y"};

/// A path that the deck gives: beside the deck if it is there, else as it stands.
std::string path(const Task& task, const std::string& name) {
  const auto beside = std::filesystem::path(task.deck_file).parent_path() / name;
  std::error_code unknown;
  return std::filesystem::exists(beside, unknown) ? beside.string() : name;
}

/// Rank 0 reads, all have it.
overland::Raster shared_raster(const std::string& file) {
  overland::Raster raster;
  std::vector<std::byte> bytes;
  parallel::on_rank_zero([&] {
    raster = overland::read_raster(file);
    const auto values = std::as_bytes(std::span(raster.values));
    bytes.assign(values.begin(), values.end());
    const double head[5] = {static_cast<double>(raster.columns), static_cast<double>(raster.rows), raster.x,
                            raster.y, raster.size};
    const auto numbers = std::as_bytes(std::span(head));
    bytes.insert(bytes.end(), numbers.begin(), numbers.end());
  });
  bytes = parallel::broadcast(std::move(bytes));
  std::vector<double> all(bytes.size() / sizeof(double));
  std::ranges::copy(bytes, std::as_writable_bytes(std::span(all)).begin());
  const auto head = all.end() - 5;
  raster = {file,    static_cast<int>(head[0]),   static_cast<int>(head[1]), head[2], head[3],
            head[4], {all.begin(), all.end() - 5}};
  return raster;
}

void read_mesh(Task& task, OverlandPlan& plan) {
  const io::Table table = task.deck.table("mesh"), bed = task.deck.table("bed");
  if (table.has("file") + table.has("raster") + table.has("cells") != 1)
    throw table.error("give one of file, raster, and cells (of a rectangle, with from and to)");
  std::function<overland::Triangles()> make;
  std::string source;
  if (table.has("file")) {
    source = path(task, table.text("file"));
    make = [source] { return overland::read_gmsh(source); };
  } else if (table.has("raster")) {
    source = path(task, table.text("raster"));
    plan.ground = shared_raster(source);
    make = [&plan] { return overland::triangles(*plan.ground); };
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
    make = [=] {
      return overland::rectangle({from[0], from[1]}, {to[0], to[1]}, static_cast<int>(cells[0]),
                                 static_cast<int>(cells[1]));
    };
  }
  if (bed.has("raster")) {
    if (bed.has("height")) throw bed.error("give height or raster, not both");
    plan.ground = shared_raster(path(task, bed.text("raster")));
  }
  plan.refine = static_cast<int>(table.integer_at_least("refine", 0, 0));
  if (plan.refine > 10) throw table.error("refine", "at most 10: each makes four cells of one");
  std::string names;
  std::int64_t counts[2] = {0, 0};
  parallel::on_rank_zero([&] {
    plan.triangles = make();
    overland::judge(plan.triangles, source);
    for (const auto& name : plan.triangles.boundaries) names += name + "\n";
    std::int64_t vertices = std::ssize(plan.triangles.vertices), cells = std::ssize(plan.triangles.cells),
                 sides = std::ssize(plan.triangles.sides);
    for (int k = 0; k < plan.refine; ++k) {
      vertices += (3 * cells + sides) / 2;
      cells *= 4;
      sides *= 2;
    }
    counts[0] = vertices;
    counts[1] = cells;
  });
  names = parallel::broadcast(names);
  plan.vertices = parallel::broadcast(counts[0]);
  plan.cells = parallel::broadcast(counts[1]);
  for (std::size_t at = 0, end = 0; (end = names.find('\n', at)) != std::string::npos; at = end + 1)
    plan.boundaries.push_back(names.substr(at, end - at));
}

void read_boundaries(Task& task, OverlandPlan& plan) {
  const io::Table all = task.deck.table("boundary");
  plan.rules.resize(plan.boundaries.size());
  for (const auto& name : all.keys()) {
    const auto found = std::ranges::find(plan.boundaries, name);
    if (found == plan.boundaries.end()) {
      std::string known;
      for (const auto& other : plan.boundaries) known += (known.empty() ? "" : ", ") + other;
      throw all.error(name, fmt::format("the mesh has no boundary of this name; it has: {}", known));
    }
    const io::Table table = all.table(name);
    BoundaryRule& rule = plan.rules[static_cast<std::size_t>(found - plan.boundaries.begin())];
    const std::string kind = table.choice("kind", {"closed", "free", "depth", "discharge"});
    if (kind == "free") rule.kind = BoundaryRule::Kind::free;
    if (kind == "depth") rule.kind = BoundaryRule::Kind::depth;
    if (kind == "discharge") rule.kind = BoundaryRule::Kind::discharge;
    if (kind == "depth" || kind == "discharge") rule.value = table.at_least("value", 0.0);
  }
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
  plan.method = table.choice("name", "conservative", {"conservative", "mini"});
  if (plan.method == "mini") {
    plan.mini.lumped = table.choice("storage", "lumped", {"lumped", "consistent"}) == "lumped";
    plan.mini.epsilon = table.positive("epsilon", 1e-5);
    plan.mini.degree = static_cast<int>(table.integer("quadrature", 8));
    if (plan.mini.degree != 6 && plan.mini.degree != 8) throw table.error("quadrature", "must be 6 or 8");
    plan.stages = 1;
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
  }
  plan.solver.direct = solver.choice("linear", "direct", {"direct", "krylov"}) == "direct";
  plan.solver.tolerance = solver.positive("tolerance", plan.method == "mini" ? 1e-8 : 1e-9);
  plan.solver.most_iterations = static_cast<int>(solver.integer_at_least("most_iterations", 1, 50));
}

void read_output(Task& task, OverlandPlan& plan) {
  const io::Table stop = task.deck.table("stop"), output = task.deck.table("output");
  plan.time = stop.positive("time");
  plan.every = output.positive("every", plan.time / 50);
  if (!(plan.every <= plan.time)) throw output.error("every", "must not be longer than [stop] time");
  plan.samples = static_cast<std::int64_t>(std::ceil(plan.time / plan.every * (1 - 1e-12))) + 1;
  const double frames = output.positive("frames_every", plan.every) / plan.every;
  plan.frame_samples = std::max<std::int64_t>(1, std::llround(frames));
  if (std::abs(frames - static_cast<double>(plan.frame_samples)) > 1e-9 * frames)
    throw output.error("frames_every", "must be a multiple of every");
  plan.frames = (plan.samples - 1) / plan.frame_samples + 1;
  plan.file = output.text("file", "overland.h5");
  plan.checkpoint_minutes = output.positive("checkpoint_minutes", 10.0);
  plan.wall_minutes = output.positive("wall_minutes", std::numeric_limits<double>::infinity());
}

/// Refuses a value that isn't finite, or below the least that it may be.
double judged(const io::Table& table, const std::string& key, double value, double least,
              const overland::Point& p) {
  if (std::isfinite(value) && value >= least) return value;
  const bool finite = std::isfinite(value);
  throw table.error(key, fmt::format("is {} at ({:.6g}, {:.6g}), must be {}", value, p[0], p[1],
                                     !finite     ? "finite"
                                     : least > 0 ? "positive"
                                                 : "at least 0"));
}

}  // namespace

Field::Field(const io::Table& table, const std::string& key, std::optional<double> fallback) : key_(key) {
  if (!table.has(key) && fallback) {
    number_ = table.number(key, *fallback);
    return;
  }
  std::string text;
  try {
    text = table.text(key);
  } catch (const Error&) {
    number_ = table.number(key);
    return;
  }
  try {
    expression_ = sections::Expression::parse(text, coordinates);
  } catch (const Error& error) {
    throw table.error(key, error.what());
  }
}

OverlandPlan read_overland_plan(Task& task) {
  OverlandPlan plan;
  read_output(task, plan);
  read_friction(task, plan);
  read_method(task, plan);
  read_mesh(task, plan);
  read_boundaries(task, plan);
  return plan;
}

OverlandFields::OverlandFields(Task& task, const OverlandPlan& plan)
    : plan_(plan),
      bed_(task.deck.table("bed")),
      initial_(task.deck.table("initial")),
      friction_(task.deck.table("friction")),
      rain_table_(task.deck.table("rain")),
      height_(bed_, "height", 0.0),
      friction_field_(friction_, "coefficient") {
  if (initial_.has("level"))
    level_.emplace(initial_, "level");
  else
    depth_.emplace(initial_, "depth", 0.0);
  if (initial_.has("where")) {
    try {
      where_ = sections::Condition::parse(initial_.text("where"), coordinates);
    } catch (const Error& error) {
      throw initial_.error("where", error.what());
    }
  }
  projection_ = initial_.choice("projection", "nodal", {"nodal", "centroid"});
  if (rain_table_.has("table") + rain_table_.has("rasters") + rain_table_.has("rate") > 1)
    throw rain_table_.error("give one of rate, table and rasters");
  if (rain_table_.has("table")) {
    for (const auto& row : rain_table_.rows("table")) {
      if (row.size() != 2) throw rain_table_.error("table", "needs rows [time, rate]");
      if (!(row[1] >= 0)) throw rain_table_.error("table", "has a rate below 0");
      if (!sky_.table.empty() && !(row[0] > sky_.table.back().first))
        throw rain_table_.error("table", "has times that don't rise");
      sky_.table.emplace_back(row[0], row[1]);
    }
  } else if (rain_table_.has("rasters")) {
    for (const auto& entry : rain_table_.tables("rasters")) {
      const double from = entry.number("from");
      if (!rasters_.empty() && !(from > rasters_.back().first)) throw entry.error("from", "must rise");
      rasters_.emplace_back(from, shared_raster(path(task, entry.text("file"))));
    }
  } else {
    sky_.constant = rain_table_.at_least("rate", 0.0, 0.0);
  }
  const io::Table soil = task.deck.table("infiltration");
  const std::string law = soil.choice("law", "none", {"none", "constant", "green-ampt"});
  if (law == "constant") {
    infiltration_ = {overland::Infiltration::Law::constant, soil.at_least("rate", 0.0), 0};
  } else if (law == "green-ampt") {
    const double conductivity = soil.positive("conductivity");
    const double suction = soil.positive("suction") * soil.positive("deficit");
    infiltration_ = {overland::Infiltration::Law::green_ampt, conductivity, suction};
  }
}

overland::Landscape OverlandFields::landscape() const {
  overland::Landscape land;
  land.mesh = overland::distribute([this] { return plan_.triangles; }, plan_.refine);
  land.area = overland::dual_areas(land.mesh);
  land.rules = plan_.rules;
  land.law = plan_.law;
  land.gravity = plan_.gravity;
  const bool weisbach = friction_.text("law", "darcy-weisbach") == "darcy-weisbach";
  const bool manning = !weisbach && plan_.law.depth_power == 5.0 / 3.0 && friction_.text("law") == "manning";
  land.conveyance_at = [this, weisbach, manning](const overland::Point& p) {
    const double k = judged(friction_, "coefficient", friction_field_(p), 1e-300, p);
    return weisbach ? std::sqrt(plan_.gravity / k) : manning ? 1 / k : k;
  };
  parallel::agree([&] {
    for (const auto& p : land.mesh.vertices) {
      const double height = plan_.ground ? plan_.ground->value(p) : height_(p);
      land.bed.push_back(judged(bed_, plan_.ground ? "raster" : "height", height,
                                -std::numeric_limits<double>::infinity(), p));
      land.conveyance.push_back(land.conveyance_at(p));
    }
    for (std::size_t c = 0; c < land.mesh.cells.size(); ++c) land.conveyance_at(land.mesh.middle(c));
  });
  return land;
}

overland::Water OverlandFields::water(const overland::Landscape& land) const {
  const auto start = [this](const overland::Point& p, double bed) {
    if (where_ && !where_->holds(p)) return 0.0;
    if (!level_) return judged(initial_, "depth", (*depth_)(p), 0.0, p);
    const double level = judged(initial_, "level", (*level_)(p), -std::numeric_limits<double>::infinity(), p);
    return std::max(0.0, level - bed);
  };
  overland::Water water;
  const std::size_t n = land.mesh.size();
  if (projection_ == "centroid") {
    std::vector<double> values;
    parallel::agree([&] {
      for (std::size_t c = 0; c < land.mesh.cells.size(); ++c) {
        double bed = 0;
        for (const int v : land.mesh.cells[c]) bed += land.bed[static_cast<std::size_t>(v)] / 3;
        values.push_back(start(land.mesh.middle(c), bed));
      }
    });
    water.depth = overland::projected(land.mesh, values);
  } else {
    parallel::agree([&] {
      for (std::size_t v = 0; v < n; ++v) water.depth.push_back(start(land.mesh.vertices[v], land.bed[v]));
    });
  }
  water.discharge.assign(2 * n, 0.0);
  water.soaked.assign(n, 0.0);
  return water;
}

overland::Rain OverlandFields::rain(const overland::Landscape& land) const {
  overland::Rain rain = sky_;
  parallel::agree([&] {
    for (const auto& [from, raster] : rasters_) {
      std::vector<double> values;
      for (const auto& p : land.mesh.vertices)
        values.push_back(judged(rain_table_, "rasters", raster.value(p), 0.0, p));
      rain.fields.emplace_back(from, std::move(values));
    }
  });
  return rain;
}

}  // namespace cotangent::studies
