// study = "hard-spheres": independent systems of hard discs or spheres in periodic boxes, over packing
// fractions and seeds, shared over the ranks; of each the compressibility P A / (N T) after a warm-up, and
// where its particles end. A system starts from a close-packed lattice with Gaussian velocities at
// temperature 1, mean zero. A system is one rank's. A run that was stopped goes on where each system was, on
// any number of ranks.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "billiards/hard_spheres.hpp"
#include "core/random.hpp"
#include "parallel/mpi.hpp"
#include "parallel/task_sharing.hpp"
#include "studies/program/carried_tasks.hpp"
#include "studies/program/report.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

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
  std::int64_t count() const { return static_cast<std::int64_t>(packing.size()) * systems; }
  /// Particles of a system.
  std::int64_t size(int dimension) const {
    const auto side = static_cast<std::int64_t>(lattice);
    return dimension == 2 ? side * side : 4 * side * side * side;
  }
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

/// One system a rank at a time.
template <int D>
class Systems : public run::Evolution {
 public:
  explicit Systems(const Plan& plan) : plan_(plan), size_(plan.size(D)) {}

  bool together() const override { return false; }

  std::vector<io::DataSetSpec> data_sets() const override {
    using io::DataType;
    const std::int64_t s = plan_.count();
    std::vector<std::string> axes{"x", "y", "z"}, statuses;
    axes.resize(D);
    for (const auto name : status_names) statuses.emplace_back(name);
    return {
        {"/systems/packing", DataType::float64, {s}, "1", "area or volume taken"},
        {"/systems/compressibility",
         DataType::float64,
         {s},
         "1",
         "P A / (N T), from the virial after the warm-up"},
        {"/systems/collisions", DataType::int64, {s}, "1", "of pairs, from the beginning"},
        {"/systems/position", DataType::float64, {s, size_, D}, "1", "at the end", {{"columns", axes}}, true},
        {"/systems/velocity", DataType::float64, {s, size_, D}, "1", "at the end", {{"columns", axes}}, true},
        {"/orbits/energy_error", DataType::float64, {s}, "1", "|E - E0| / E0 at the end"},
        {"/orbits/status", DataType::int32, {s}, "1", "how the system ended", {{"names", statuses}}}};
  }

  bool complete(const run::Records& records) override {
    resumed_ = true;
    const auto share = run::Share::even(plan_.count());
    const auto column = [&]<class Number>(const char* path, Number) {
      return records.read_rows<Number>(path, share.first, share.count);
    };
    const auto status = column("/orbits/status", std::int32_t{});
    const auto hits = column("/systems/collisions", std::int64_t{});
    const auto error = column("/orbits/energy_error", 0.0);
    std::int64_t pending = 0;
    for (std::size_t k = 0; k < status.size(); ++k) {
      pending += status[k] == 0;
      if (status[k] == 0) continue;
      collisions_ += hits[k];
      worst_ = std::max(worst_, error[k]);
    }
    earlier_ = collisions_;
    return parallel::sum(pending) == 0;
  }

  void begin(run::Records&) override { sharing_.emplace(); }
  void resume(run::Records&) override { sharing_.emplace(); }

  void state(run::State& state) override {
    const std::size_t width = 2 + billiards::HardSpheres<D>::state_size(size_);
    std::vector<CarriedTask> under_way;
    if (spheres_ && !state.reading()) {
      under_way.push_back({system_, {energy_, warm_}});
      const std::vector<double> inner = spheres_->state();
      under_way.back().state.insert(under_way.back().state.end(), inner.begin(), inner.end());
    }
    carried_.visit(state, width, under_way);
  }

  /// So many events.
  void advance(std::int64_t events, run::Records& records) override {
    if (!spheres_ && !take(records)) return;
    if (std::isnan(warm_)) {
      if (spheres_->advance(plan_.warm_up, events) < events) warm_ = spheres_->virial();
    } else if (spheres_->advance(plan_.time, events) < events) {
      enter(records);
      spheres_.reset();
    }
  }
  bool ended() const override { return exhausted_ && !spheres_; }

  run::Progress progress() const override {
    const auto all = static_cast<double>(plan_.count());
    const double left = spheres_ ? 1 - spheres_->time() / plan_.time : 0;
    const double done =
        std::clamp(std::min(static_cast<double>(taken_), all) - left * parallel::size(), 0.0, all);
    return {done, all, fmt::format("about {:.1f} of {} systems", done, plan_.count()), "systems"};
  }

  std::vector<run::Line> summary(const run::Effort& effort) override {
    const std::int64_t all = parallel::sum(collisions_), here = all - parallel::sum(earlier_);
    return {{"systems", fmt::format("{} of {} particles", plan_.count(), size_)},
            {"collisions", fmt::format("{}, {:.3g} a second", all, static_cast<double>(here) / effort.wall)},
            {"energy error", fmt::format("{:.3g} at worst, relative", parallel::maximum(worst_))}};
  }
  bool failed() override { return false; }

 private:
  /// The next system that isn't finished, first of those that were under way; false where there is none.
  bool take(const run::Records& records) {
    while (!exhausted_) {
      const bool carried = !carried_.empty();
      system_ = carried ? carried_.next() : sharing_->take();
      if (!carried) taken_ = system_ + 1;
      exhausted_ = !carried && system_ >= plan_.count();
      const auto state = carried_.take(system_);
      if (exhausted_ || (!state && carried_.known(system_))) continue;
      if (resumed_ && records.read_rows<std::int32_t>("/orbits/status", system_, 1).front() != 0) continue;
      spheres_.emplace(start<D>(plan_, system_));
      energy_ = state ? state->state[0] : spheres_->energy();
      warm_ = state ? state->state[1] : nan;
      if (state) spheres_->restore(std::span(state->state).subspan(2));
      return true;
    }
    return false;
  }

  /// The rows of a system that has come to its end.
  void enter(run::Records& records) {
    const double error = std::abs(spheres_->energy() / energy_ - 1),
                 packing = plan_.packing[static_cast<std::size_t>(system_ / plan_.systems)];
    const double z =
        1 + (spheres_->virial() - warm_) / (2 * spheres_->energy() * (plan_.time - plan_.warm_up));
    const std::int64_t hits = spheres_->collisions();
    std::vector<double> x, v;
    for (std::int64_t i = 0; i < spheres_->size(); ++i) {
      const auto place = spheres_->position(i), speed = spheres_->velocity(i);
      x.insert(x.end(), place.begin(), place.end());
      v.insert(v.end(), speed.begin(), speed.end());
    }
    records.rows("/systems/packing", system_, 1, &packing);
    records.rows("/systems/compressibility", system_, 1, &z);
    records.rows("/systems/collisions", system_, 1, &hits);
    records.rows("/systems/position", system_, 1, x.data());
    records.rows("/systems/velocity", system_, 1, v.data());
    records.rows("/orbits/energy_error", system_, 1, &error);
    const auto finished = static_cast<std::int32_t>(Status::finished);
    records.rows("/orbits/status", system_, 1, &finished, io::Turn::last);
    collisions_ += hits;
    worst_ = std::max(worst_, error);
  }

  const Plan& plan_;
  const std::int64_t size_;
  std::optional<parallel::TaskSharing> sharing_;
  CarriedTasks carried_;
  std::int64_t system_ = 0, taken_ = 0;
  std::optional<billiards::HardSpheres<D>> spheres_;
  double energy_ = 0, warm_ = nan;  // of the system under way: at its start; its virial after the warm-up
  bool resumed_ = false, exhausted_ = false;
  std::int64_t collisions_ = 0, earlier_ = 0;
  double worst_ = 0;
};

template <int D>
ExitCode fly(Task& task, const Plan& plan, const run::Settings& settings) {
  Systems<D> systems(plan);
  return drive(task, systems, settings);
}

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
  const run::Settings settings = read_settings(task, "hard-spheres", "hard_spheres.h5");
  task.deck.finish();
  if (task.check) return exit_success;
  if (task.dry_run) {
    Estimate estimate;
    estimate.orbits = plan.count();
    const std::int64_t n = plan.size(static_cast<int>(dimension));
    estimate.file_bytes = 8 * plan.count() * (2 * dimension * n + 5);
    // Particles, heap and cells; a checkpoint's copies of the state.
    estimate.rank_bytes = program_bytes + (60 + 16 * dimension + 4 * 8 * (2 * dimension + 7)) * n;
    parallel::on_rank_zero([&] { print(estimate); });
    return exit_success;
  }
  return dimension == 2 ? fly<2>(task, plan, settings) : fly<3>(task, plan, settings);
}

}  // namespace

Study hard_spheres_study() {
  return {"hard-spheres", "hard discs or spheres that collide, in independent periodic boxes", run, example};
}

}  // namespace cotangent::studies
