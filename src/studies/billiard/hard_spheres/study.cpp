// SPDX-License-Identifier: BSD-3-Clause
// study = "hard-spheres": independent systems of hard discs or spheres in periodic boxes, over packing
// fractions and seeds, shared over the ranks; of each the compressibility P A / (N T) after a warm-up, and
// where its particles end. A system starts from a close-packed lattice with Gaussian velocities at
// temperature 1, mean zero. A system is one rank's. A run that was stopped goes on where each system was, on
// any number of ranks.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "billiards/hard_spheres.hpp"
#include "parallel/mpi.hpp"
#include "parallel/task_sharing.hpp"
#include "studies/billiard/hard_spheres/records.hpp"
#include "studies/billiard/hard_spheres/start.hpp"
#include "studies/program/carried_tasks.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The systems as an Evolution: each rank moves one at a time.
template <int D>
class Systems : public run::Evolution {
 public:
  explicit Systems(const HardSpheresPlan& plan) : plan_(plan) {}

  bool together() const override { return false; }

  std::vector<io::DataSetSpec> data_sets() const override { return hard_sphere_data_sets(plan_); }

  void recall(const run::Records& records) override {
    resumed_ = true;
    done_ = hard_spheres_done(records, plan_);
    earlier_ = done_.collisions;
  }

  void begin(run::Records&) override { sharing_.emplace(); }
  void resume(run::Records&) override { sharing_.emplace(); }

  void state(run::StateFields& state) override {
    const std::size_t width = 2 + billiards::HardSpheres<D>::state_size(plan_.size());
    std::vector<CarriedTask> under_way;
    if (spheres_ && !state.reading()) {
      under_way.push_back({system_, {reference_.energy, reference_.virial}});
      const std::vector<double> inner = spheres_->state();
      under_way.back().state.insert(under_way.back().state.end(), inner.begin(), inner.end());
    }
    carried_.visit(state, plan_.count(), width, under_way);
  }

  /// Advances this rank's system by at most so many events.
  void advance(std::int64_t events, run::Records& records) override {
    if (!spheres_ && !take(records)) return;
    if (std::isnan(reference_.virial)) {
      if (spheres_->advance(plan_.warm_up, events) < events) reference_.virial = spheres_->virial();
    } else if (spheres_->advance(plan_.time, events) < events) {
      done_.energy_error =
          std::max(done_.energy_error, enter(records, plan_, system_, *spheres_, reference_));
      done_.collisions += spheres_->collisions();
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
    const std::int64_t all = parallel::sum(done_.collisions), here = all - parallel::sum(earlier_);
    return {
        {"systems", fmt::format("{} of {} particles", plan_.count(), plan_.size())},
        {"collisions", fmt::format("{}, {:.3g} a second", all, static_cast<double>(here) / effort.wall)},
        {"energy error", fmt::format("{:.3g} at worst, relative", parallel::maximum(done_.energy_error))}};
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
      spheres_.emplace(hard_spheres<D>(plan_, system_));
      reference_ = state ? HardSphereReference{state->state[0], state->state[1]}
                         : HardSphereReference{spheres_->energy(), nan};
      if (state) spheres_->restore(std::span(state->state).subspan(2));
      return true;
    }
    return false;
  }

  const HardSpheresPlan& plan_;
  std::optional<parallel::TaskSharing> sharing_;
  CarriedTasks carried_;
  std::int64_t system_ = 0, taken_ = 0;
  std::optional<billiards::HardSpheres<D>> spheres_;
  HardSphereReference reference_;  // of the system under way
  bool resumed_ = false, exhausted_ = false;
  HardSpheresDone done_;
  std::int64_t earlier_ = 0;  // collisions before this start
};

template <int D>
ExitCode fly(Task& task, const HardSpheresPlan& plan, const run::Settings& settings) {
  Systems<D> systems(plan);
  return drive(task, systems, settings);
}

ExitCode run(Task& task) {
  const HardSpheresPlan plan = read_hard_spheres(task);
  const run::Settings settings = read_settings(task, "hard-spheres", "hard_spheres.h5");
  task.deck.finish();
  if (task.dry_run) parallel::on_rank_zero([&] { print(plan.estimate()); });
  if (task.check || task.dry_run) return exit_success;
  return plan.dimension == 2 ? fly<2>(task, plan, settings) : fly<3>(task, plan, settings);
}

}  // namespace

Study hard_spheres_study() {
  return {"hard-spheres", "hard discs or spheres that collide, in independent periodic boxes", run,
          hard_spheres_example};
}

}  // namespace cotangent::studies
