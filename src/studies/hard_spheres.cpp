// study = "hard-spheres": independent systems of hard discs or spheres in periodic boxes, over packing
// fractions and seeds, shared over the ranks; of each the compressibility P A / (N T) after a warm-up, and
// where its particles end. A system starts from a close-packed lattice with Gaussian velocities at
// temperature 1, mean zero. A run that was stopped goes on with the systems that aren't finished, on any
// number of ranks.
#include "billiards/hard_spheres.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "core/random.hpp"
#include "core/status.hpp"
#include "io/result_file.hpp"
#include "parallel/mpi.hpp"
#include "parallel/signals.hpp"
#include "parallel/task_sharing.hpp"
#include "studies/long_run.hpp"
#include "studies/report.hpp"
#include "studies/study.hpp"

namespace cotangent::studies {

namespace {

constexpr const char* example = R"(# The equation of state of hard discs.
study = "hard-spheres"

[model]
dimension = 2
lattice = 20                 # cells along each side: 400 discs; in space 4 spheres a cell
packing = [0.1, 0.3, 0.5]    # area or volume taken, a number, a list or a range
systems = 2                  # independent ones at each packing
seed = 1

[stop]
warm_up = 10.0               # in units of lattice length and thermal speed
time = 40.0

[output]
file = "hard_spheres.h5"
)";

struct Plan {
  int lattice = 0;
  std::vector<double> packing;
  std::int64_t systems = 1;
  std::uint64_t seed = 1;
  double warm_up = 0, time = 0;
  std::string file;
  std::int64_t count() const { return static_cast<std::int64_t>(packing.size()) * systems; }
};

/// A close-packed lattice of length 1 between neighbours: triangular, or face-centred cubic.
template <int D>
std::vector<std::array<double, D>> close_packed(int side, std::array<double, D>& box) {
  std::vector<std::array<double, D>> x;
  if constexpr (D == 2) {
    const double height = std::sqrt(0.75);
    for (int k = 0; k < side * side; ++k) {
      const int i = k % side, j = k / side;
      x.push_back({i + 0.5 * (j % 2) + 0.25, (j + 0.5) * height});
    }
    box = {static_cast<double>(side), side * height};
  } else {
    const double a = std::numbers::sqrt2;
    for (int k = 0; k < 4 * side * side * side; ++k) {
      const int corner = k % 4, i = k / 4 % side, j = k / 4 / side % side, l = k / 4 / side / side;
      x.push_back({(i + 0.25 + (corner == 1 || corner == 2 ? 0.5 : 0.0)) * a,
                   (j + 0.25 + (corner == 1 || corner == 3 ? 0.5 : 0.0)) * a,
                   (l + 0.25 + (corner == 2 || corner == 3 ? 0.5 : 0.0)) * a});
    }
    box = {side * a, side * a, side * a};
  }
  return x;
}

template <int D>
billiards::HardSpheres<D> start(const Plan& plan, std::int64_t system) {
  typename billiards::HardSpheres<D>::Options options;
  const auto x = close_packed<D>(plan.lattice, options.box);
  const double packing = plan.packing[static_cast<std::size_t>(system / plan.systems)];
  double each = packing / static_cast<double>(x.size());
  for (const double side : options.box) each *= side;
  options.radius = D == 2 ? std::sqrt(each / std::numbers::pi) : std::cbrt(0.75 * each / std::numbers::pi);
  std::vector<std::array<double, D>> v(x.size());
  std::array<double, D> mean{};
  const auto seed = plan.seed + static_cast<std::uint64_t>(system);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t d = 0; d < D; ++d) {
      const auto id = static_cast<std::int64_t>(i);
      v[i][d] = std::sqrt(-2 * std::log1p(-uniform(seed, id, 2 * d))) *
                std::cos(2 * std::numbers::pi * uniform(seed, id, 2 * d + 1));
      mean[d] += v[i][d] / static_cast<double>(x.size());
    }
  }
  double twice = 0;
  for (auto& one : v) {
    for (std::size_t d = 0; d < D; ++d) {
      one[d] -= mean[d];
      twice += one[d] * one[d];
    }
  }
  const double scale = std::sqrt(static_cast<double>(D * x.size()) / twice);
  for (auto& one : v) {
    for (double& component : one) component *= scale;
  }
  return billiards::HardSpheres<D>(options, x, v);
}

template <int D>
class Systems {
 public:
  Systems(Task& task, const Plan& plan) : task_(task), plan_(plan) {}

  ExitCode run() {
    const double began = parallel::wall_time();
    const io::ResultContent content = this->content();
    io::ResultFile result = begin_result(task_, plan_.file, content, {"output"});
    const auto status = result.read<std::int32_t>(result.data_set("/orbits/status"));
    std::int64_t events = 0;
    double worst = 0;
    {
      parallel::TaskSharing sharing;
      parallel::agree([&] {
        for (std::int64_t k = sharing.take(); k < plan_.count() && !sharing.stop_requested();
             k = sharing.take()) {
          if (status[static_cast<std::size_t>(k)] != 0) continue;
          if (!fly(result, k, events, worst)) sharing.request_stop();
        }
      });
      parallel::barrier();
      stopped_ = sharing.stop_requested();
    }
    const double wall = parallel::wall_time() - began;
    const std::int64_t all = parallel::sum(events);
    worst = parallel::maximum(worst);
    result.close({wall, {wall}});
    parallel::on_rank_zero([&] {
      fmt::print(
          "{}            {}\nsystems           {} of {} particles\ncollisions        {}, {:.3g} a second\n"
          "energy error      {:.3g} at worst, relative\ntime              {:.3g} s on {} ranks\n",
          stopped_ ? "stopped, go on with --resume; so far in" : "result", plan_.file, plan_.count(),
          start<D>(plan_, 0).size(), all, static_cast<double>(all) / wall, worst, wall, parallel::size());
      std::fflush(stdout);
    });
    return stopped_ ? exit_stopped : exit_success;
  }

 private:
  io::ResultContent content() const {
    using io::DataType;
    const std::int64_t s = plan_.count(), n = start<D>(plan_, 0).size();
    std::vector<std::string> axes{"x", "y", "z"}, statuses;
    axes.resize(D);
    for (const auto name : status_names) statuses.emplace_back(name);
    io::ResultContent content;
    content.study = "hard-spheres";
    content.deck = task_.deck.resolved();
    content.command_line = task_.command_line;
    content.parts = {"integrate"};
    content.data_sets = {
        {"/systems/packing", DataType::float64, {s}, "1", "area or volume taken"},
        {"/systems/compressibility",
         DataType::float64,
         {s},
         "1",
         "P A / (N T), from the virial after the warm-up"},
        {"/systems/collisions", DataType::int64, {s}, "1", "of pairs, from the beginning"},
        {"/systems/position", DataType::float64, {s, n, D}, "1", "at the end", {{"columns", axes}}},
        {"/systems/velocity", DataType::float64, {s, n, D}, "1", "at the end", {{"columns", axes}}},
        {"/orbits/energy_error", DataType::float64, {s}, "1", "|E - E0| / E0 at the end"},
        {"/orbits/status", DataType::int32, {s}, "1", "how the system ended", {{"names", statuses}}}};
    return content;
  }

  /// One system from its start to its end; false where a signal stops it.
  bool fly(io::ResultFile& result, std::int64_t k, std::int64_t& events, double& worst) const {
    auto spheres = start<D>(plan_, k);
    const double energy = spheres.energy();
    double warm = 0;
    const int stretches = 64;
    for (int part = 1; part <= 2 * stretches; ++part) {
      const double share = static_cast<double>(part) / stretches;
      spheres.advance(part <= stretches ? share * plan_.warm_up
                                        : plan_.warm_up + (share - 1) * (plan_.time - plan_.warm_up));
      if (part == stretches) warm = spheres.virial();
      if (parallel::stop_signal() != 0) return false;
    }
    const double error = std::abs(spheres.energy() / energy - 1),
                 packing = plan_.packing[static_cast<std::size_t>(k / plan_.systems)];
    const double z = 1 + (spheres.virial() - warm) / (2 * spheres.energy() * (plan_.time - plan_.warm_up));
    const std::int64_t hits = spheres.collisions();
    std::vector<double> x, v;
    for (std::int64_t i = 0; i < spheres.size(); ++i) {
      const auto place = spheres.position(i), speed = spheres.velocity(i);
      x.insert(x.end(), place.begin(), place.end());
      v.insert(v.end(), speed.begin(), speed.end());
    }
    const auto put = [&](const char* path, const auto* values) {
      result.write_rows(result.data_set(path), k, 1, values);
    };
    put("/systems/packing", &packing);
    put("/systems/compressibility", &z);
    put("/systems/collisions", &hits);
    put("/systems/position", x.data());
    put("/systems/velocity", v.data());
    put("/orbits/energy_error", &error);
    const auto finished = static_cast<std::int32_t>(Status::finished);
    put("/orbits/status", &finished);
    events += hits;
    worst = std::max(worst, error);
    return true;
  }

  Task& task_;
  const Plan& plan_;
  bool stopped_ = false;
};

ExitCode run(Task& task) {
  const io::Table model = task.deck.table("model"), stop = task.deck.table("stop");
  const std::int64_t dimension = model.integer("dimension", 2);
  if (dimension != 2 && dimension != 3) throw model.error("dimension", "must be 2 or 3");
  Plan plan;
  const std::int64_t lattice = model.integer_at_least("lattice", 4);
  if (lattice > 4000) throw model.error("lattice", "at most 4000 cells fit in memory");
  if (dimension == 2 && lattice % 2 != 0) throw model.error("lattice", "must be even, for its rows to close");
  plan.lattice = static_cast<int>(lattice);
  plan.packing = model.axis("packing");
  const double densest = std::numbers::pi / (dimension == 2 ? std::sqrt(12.0) : std::sqrt(18.0));
  for (const double packing : plan.packing) {
    if (!(packing > 0 && packing < densest))
      throw model.error(
          "packing", fmt::format("overlapping: a lattice takes less than {:.4f}, and more than 0", densest));
  }
  plan.systems = model.integer_at_least("systems", 1, 1);
  plan.seed = static_cast<std::uint64_t>(model.integer("seed", 1));
  plan.warm_up = stop.at_least("warm_up", 0.0, 10.0);
  plan.time = stop.positive("time");
  if (!(plan.time > plan.warm_up)) throw stop.error("time", "must be beyond warm_up");
  plan.file = task.deck.table("output").text("file", "hard_spheres.h5");
  task.deck.finish();
  if (task.check) return exit_success;
  if (task.dry_run) {
    Estimate estimate;
    estimate.orbits = plan.count();
    const std::int64_t n = dimension == 2 ? lattice * lattice : 4 * lattice * lattice * lattice;
    estimate.file_bytes = 8 * plan.count() * (2 * dimension * n + 5);
    estimate.rank_bytes = (std::int64_t{32} << 20) + 150 * n;
    parallel::on_rank_zero([&] { print(estimate); });
    return exit_success;
  }
  return dimension == 2 ? Systems<2>(task, plan).run() : Systems<3>(task, plan).run();
}

}  // namespace

Study hard_spheres_study() {
  return {"hard-spheres", "hard discs or spheres that collide, in independent periodic boxes", run, example};
}

}  // namespace cotangent::studies
