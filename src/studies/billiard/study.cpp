// study = "billiard": a gas of particles inside any walls, from one collision to the next, with what their
// walls take; and, where asked for, how neighbouring motions part.
#include "studies/ensemble/study.hpp"

#include <algorithm>
#include <cmath>

#include "core/names.hpp"
#include "studies/billiard/problem.hpp"

namespace cotangent::studies {

namespace {

constexpr const char* example = R"(# Particles that fall within three circles.
study = "billiard"

[domain]
dimension = 2
inside = "left or right or bowl"    # not, and, or, parentheses; all sets together unless given
sets = [                            # cotangent --list; --describe circle
  { name = "left", set = "circle", centre = [-2.0, 0.0], radius = 1.0 },
  { name = "right", set = "circle", centre = [2.0, 0.0], radius = 1.0 },
  { name = "bowl", set = "circle", centre = [0.0, -2.0], radius = 2.23606797749979 },
]                                   # of each also: restitution, or temperature of a rough wall; velocity,
                                    # amplitude, frequency, phase of a moving one

[forces]
gravity = [0.0, -10.0]
# potential = "harmonic"            # or in a field; cotangent --list, --describe harmonic

# [method]                          # exact flights; or, for comparison, the source's
# name = "leapfrog"                 # with mended = true: with the kick that it leaves out
# step = 1e-3

[ensemble]
random = { count = 500, seed = 1, x = [-4.0, 4.0], y = [-4.5, 1.0] }     # at rest unless x_dot, y_dot
# or: list = [[0.3, 0.2, 0.0, 0.0]]                                      # whole states

[stop]
time = 10.0
# collisions = 100                  # of each particle

[output]
every = 0.02                        # time between samples; 0: none
collisions = 0                      # how many of each particle are recorded
# lyapunov = true                   # the rate at which neighbours part
file = "billiard.h5"
)";

constexpr double infinity = std::numeric_limits<double>::infinity();

template <int D>
billiards::Vector<D> read_vector(const io::Table& table, const char* key) {
  const auto numbers = table.numbers(key, std::vector<double>(D, 0.0));
  if (numbers.size() != D) throw table.error(key, "must hold " + std::to_string(D) + " numbers");
  billiards::Vector<D> result;
  std::copy_n(numbers.begin(), D, result.begin());
  return result;
}

template <int D>
void read_set(const io::Table& table, const Sets& sets, std::vector<std::string>& names,
              billiards::Domain<D>& domain) {
  std::vector<billiards::SetKind> kinds;
  std::vector<std::string> valid;
  for (const auto& kind : sets) {
    if (kind.dim != D) continue;
    valid.push_back(kind.name);
    kinds.push_back(kind);
  }
  const std::string what = table.choice("set", valid);
  const std::string name = table.text("name", what);
  if (std::ranges::count(names, name) > 0) throw table.error("name", "stands for two sets");
  if (name == "and" || name == "or" || name == "not") throw table.error("name", "is a word of `inside`");
  names.push_back(name);
  const auto& kind = *std::ranges::find(kinds, what, &billiards::SetKind::name);
  std::vector<double> parameters;
  for (const auto& p : kind.parameters) {
    const std::string key(p.name);
    parameters.push_back(key[0] == 'n' || key == "level" || key == "k" ? table.number(key, p.value)
                                                                       : table.positive(key, p.value));
  }
  billiards::Place<D> place;
  place.centre = read_vector<D>(table, "centre");
  place.velocity = read_vector<D>(table, "velocity");
  place.amplitude = read_vector<D>(table, "amplitude");
  place.frequency = table.number("frequency", 0.0);
  place.phase = table.number("phase", 0.0);
  billiards::Law law;
  law.restitution = table.at_least("restitution", 0.0, 1.0);
  if (law.restitution > 1) throw table.error("restitution", "a wall gives back at most what it gets: 0 to 1");
  if (table.has("temperature")) law.temperature = table.at_least("temperature", 0.0);
  domain.add(name, kind, parameters, place, law);
}

template <int D>
billiards::Domain<D> read_domain(const io::Table& table, const Sets& sets, std::vector<std::string>& names) {
  billiards::Domain<D> domain;
  for (const io::Table& set : table.tables("sets")) read_set<D>(set, sets, names, domain);
  if (names.empty()) throw table.error("sets", "give at least one: sets = [{ set = \"circle\" }]");
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
  return domain;
}

/// `[forces] potential`: a field by its name, with its parameters beside it.
template <int D>
std::shared_ptr<const billiards::Field<D>> read_field(const io::Table& table, const Fields& fields) {
  std::vector<std::string> valid;
  for (const auto& kind : fields) {
    if (kind.dim == D) valid.push_back(kind.name);
  }
  const auto& kind =
      *std::ranges::find(fields, table.choice("potential", valid), &billiards::FieldKind::name);
  std::vector<double> parameters;
  for (const auto& p : kind.parameters) parameters.push_back(table.number(std::string(p.name), p.value));
  return std::get<billiards::MakeField<D>>(kind.make)(parameters);
}

/// The box of all points inside, found on nested grids about the starts.
template <int D>
std::array<billiards::Vector<D>, 2> box_of(const billiards::Domain<D>& domain, const Ensemble& ensemble) {
  billiards::Vector<D> low, high;
  low.fill(infinity);
  high.fill(-infinity);
  for (std::int64_t k = 0; k < std::min<std::int64_t>(ensemble.size(), 64); ++k) {
    const EnsembleStart start = ensemble[ensemble.scattered(k)];
    if (!start.feasible) continue;
    for (std::size_t d = 0; d < D; ++d) {
      low[d] = std::min(low[d], start.start.q[d]);
      high[d] = std::max(high[d], start.start.q[d]);
    }
  }
  double side = 1e-3;
  for (std::size_t d = 0; d < D; ++d) side = std::max(side, high[d] - low[d]);
  const auto start_low = low, start_high = high;
  const double start_side = side;
  bool grown = true;
  // Grown until nothing inside lies beyond; an unbounded domain is cut around its starts.
  constexpr int points = 65;
  for (int turn = 0; turn < 32 && grown; ++turn) {  // from a lone start to whatever size
    billiards::Vector<D> from = low, to = high, least, most;
    for (std::size_t d = 0; d < D; ++d) {
      from[d] -= 0.5 * side;
      to[d] += 0.5 * side;
    }
    least.fill(infinity);
    most.fill(-infinity);
    int all = 1;
    for (int d = 0; d < D; ++d) all *= points;
    for (int k = 0; k < all; ++k) {
      billiards::Vector<D> x;
      for (std::size_t d = 0, rest = static_cast<std::size_t>(k); d < D; ++d, rest /= points)
        x[d] = from[d] + (to[d] - from[d]) * static_cast<double>(rest % points) / (points - 1);
      if (!(domain.omega(x) > 0)) continue;
      for (std::size_t d = 0; d < D; ++d) {
        least[d] = std::min(least[d], x[d]);
        most[d] = std::max(most[d], x[d]);
      }
    }
    grown = false;
    for (std::size_t d = 0; d < D; ++d) {
      grown = grown || least[d] < low[d] - 0.01 * side || most[d] > high[d] + 0.01 * side;
      low[d] = std::min(low[d], least[d]);
      high[d] = std::max(high[d], most[d]);
      side = std::max(side, high[d] - low[d]);
    }
  }
  if (grown) {
    low = start_low;
    high = start_high;
    side = start_side;
  }
  const double border = grown ? 1.0 : 0.05;
  for (std::size_t d = 0; d < D; ++d) {
    low[d] -= border * side;
    high[d] += border * side;
  }
  return {low, high};
}

/// The outline as the result holds it.
Given outline_set(const billiards::Outline& outline) {
  Given given{{"/domain/outline",
               io::DataType::float64,
               {static_cast<std::int64_t>(outline.points().size()), 4},
               "1",
               "loops of points on omega = 0 at t = 0, the domain on their left",
               {{"columns", {"x", "y", "arc", "loop"}}}},
              {}};
  for (const auto& place : outline.points())
    given.values.insert(given.values.end(),
                        {place.x[0], place.x[1], place.arc, static_cast<double>(place.loop)});
  return given;
}

/// The walls of a domain in space as triangles, their normals into it, from points where rays from the starts
/// meet them; nothing where it has no bounds.
std::optional<geometry::Triangulation> walls_of(const billiards::Domain<3>& domain, const Ensemble& ensemble,
                                                std::int64_t cells) {
  using geometry::SpacePoint;
  const geometry::LevelFunction omega = [&](const SpacePoint& x) {
    geometry::LevelPoint level;
    level.value = domain.omega(x, level.gradient);
    return level;
  };
  std::vector<SpacePoint> points;
  for (std::int64_t k = 0; k < std::min<std::int64_t>(ensemble.size(), 64); ++k) {
    const EnsembleStart start = ensemble[ensemble.scattered(k)];
    if (!start.feasible) continue;
    for (std::size_t side = 0; side < 6; ++side) {
      const auto along_ray = [&](double distance) {
        SpacePoint x{start.start.q[0], start.start.q[1], start.start.q[2]};
        x[side / 2] += side % 2 == 0 ? -distance : distance;
        return x;
      };
      double inside = 0, outside = 1e-3;
      while (domain.omega(along_ray(outside)) > 0 && outside < 1e6) outside *= 1.3;
      if (!(outside < 1e6)) continue;
      for (int halving = 0; halving < 60; ++halving) {
        const double middle = 0.5 * (inside + outside);
        (domain.omega(along_ray(middle)) > 0 ? inside : outside) = middle;
      }
      points.push_back(along_ray(inside));
    }
  }
  if (points.empty()) return std::nullopt;
  const auto box = geometry::surface_box(omega, points);
  if (!box) return std::nullopt;
  return geometry::triangulate(omega, points, box->longest() / static_cast<double>(cells));
}

/// `[method]`: exact flights unless it names the source's leapfrog.
template <int D>
void read_flight(const io::Table& table, const billiards::Domain<D>& domain, const Plan& plan,
                 BilliardRules<D>& rules) {
  if (table.choice("name", "exact", {"exact", "leapfrog"}) == "exact") return;
  rules.step = table.positive("step");
  rules.mended = table.boolean("mended", false);
  if (rules.field) throw table.error("name", "the source's leapfrog knows gravity alone");
  for (const auto& member : domain.members()) {
    if (member.region.size() > 1 || member.region.front().size() > 1 || !member.law.elastic() ||
        member.place.moves())
      throw table.error("name",
                        "the source's leapfrog knows sets of one smooth wall, elastic and at rest; \"" +
                            member.name + "\" is none");
  }
  if (!std::isfinite(plan.watch.stop.time) || plan.watch.stop.crossings > 0)
    throw table.error("name", "the source's leapfrog runs to stop.time");
  if (plan.collisions > 0 || rules.tangent)
    throw table.error("name", "the source's leapfrog records no collisions");
  const double each = plan.watch.sample_every / rules.step;
  if (std::abs(each - std::round(each)) > 1e-9 * each)
    throw table.error("step", "output.every must be a whole number of steps");
}

template <int D>
ExitCode run_in(Task& task) {
  Plan plan;
  const io::Table table = task.deck.table("domain"), stop = task.deck.table("stop"),
                  output = task.deck.table("output");
  auto domain = read_domain<D>(table, task.stated.sets, plan.walls);
  BilliardRules<D> rules;
  const io::Table forces = task.deck.table("forces");
  rules.gravity = read_vector<D>(forces, "gravity");
  if (forces.has("potential")) rules.field = read_field<D>(forces, task.stated.fields);
  bool rough = false, still = true;
  for (const auto& member : domain.members()) {
    rough = rough || member.law.rough();
    still = still && member.law.elastic() && !member.place.moves();
  }
  if (rough) rules.seed = static_cast<std::uint64_t>(table.integer("seed", 1));
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
  if (rules.tangent && (!still || rules.field))
    throw output.error("lyapunov", "is for elastic walls at rest, and gravity alone");
  plan.watch.sample_every =
      output.at_least("every", 0.0, std::isfinite(plan.watch.stop.time) ? plan.watch.stop.time / 500 : 0.0);
  if (plan.watch.sample_every > 0) {
    if (!std::isfinite(plan.watch.stop.time)) throw output.error("every", "samples need stop.time");
    plan.samples = samples_until(plan.watch.stop.time, plan.watch.sample_every);
  }
  read_flight(task.deck.table("method"), domain, plan, rules);
  const auto problem = make_billiard<D>(domain, rules);
  std::unique_ptr<sections::Problem> recording;  // the same with an outline, which needs the starts
  plan.model.problem = problem.get();
  const Ensemble ensemble(task, plan.model, std::nullopt);
  if constexpr (D == 2) {
    const auto [low, high] = box_of<D>(domain, ensemble);
    const auto outline = std::make_shared<billiards::Outline>(domain, low, high, 600);
    plan.given = {outline_set(*outline)};
    if (plan.collisions > 0 && still) {
      rules.outline = outline;
      plan.birkhoff = true;
      recording = make_billiard<D>(domain, rules);
      plan.model.problem = recording.get();
    }
  }
  if constexpr (D == 3) {
    const std::int64_t cells = output.integer_at_least("surface_cells", 0, 60);
    if (cells > 200) throw output.error("surface_cells", "at most 200 cubes fill the longest side");
    if (cells > 0) plan.surface = walls_of(domain, ensemble, cells);
  }
  const auto members = static_cast<std::int64_t>(plan.walls.size());
  plan.tallies = {{"/orbits/impulse",
                   io::DataType::float64,
                   {ensemble.size(), members},
                   "1",
                   "what the walls of each set took, of a particle of unit mass",
                   {{"columns", plan.walls}}},
                  {"/orbits/samples_within",
                   io::DataType::float64,
                   {ensemble.size(), members},
                   "1",
                   "how many samples lie in each set",
                   {{"columns", plan.walls}}}};
  if (rules.tangent)
    plan.tallies.push_back({"/orbits/lyapunov",
                            io::DataType::float64,
                            {ensemble.size()},
                            "1",
                            "rate of stretching of a displacement over the whole time"});
  return run_ensemble(task, "billiard", plan, ensemble);
}

ExitCode run(Task& task) {
  const io::Table table = task.deck.table("domain");
  const std::int64_t dimension = table.integer("dimension", 2);
  if (dimension != 2 && dimension != 3) throw table.error("dimension", "must be 2 or 3");
  return dimension == 2 ? run_in<2>(task) : run_in<3>(task);
}

}  // namespace

Study billiard_study() {
  return {"billiard", "a gas of particles inside any walls, collision by collision", run, example};
}

}  // namespace cotangent::studies
