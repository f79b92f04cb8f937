// SPDX-License-Identifier: BSD-3-Clause
// study = "hard-spheres": independent systems of hard discs or spheres in periodic boxes, over packing
// fractions and seeds, shared over the ranks; of each the compressibility P A / (N T) after a warm-up, and
// where its particles end. A system starts from a close-packed lattice with Gaussian velocities at
// temperature 1, mean zero. A system is one rank's; a run goes on where each was, on any number of ranks.
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
  }

  void begin(run::Records&) override { sharing_.emplace(plan_.count()); }
  void resume(run::Records& records) override { begin(records); }

  void state(run::StateFields& state) override {
    const std::size_t width = 2 + billiards::HardSpheres<D>::state_size(plan_.size());
    std::vector<CarriedTask> under_way;
    if (spheres_ && !state.reading()) {
      std::vector<double> numbers = spheres_->state();
      numbers.insert(numbers.begin(), {reference_.energy, reference_.virial});
      under_way.push_back({system_, std::move(numbers)});
    }
    carried_.visit(state, plan_.count(), width, under_way);
  }

  /// Advances this rank's system by at most so many events.
  void advance(std::int64_t events, run::Records& records) override {
    if (!spheres_ && !take(records)) return;
    if (std::isnan(reference_.virial)) {
      if (spheres_->advance(plan_.warm_up, events) < events) reference_.virial = spheres_->virial();
    } else if (spheres_->advance(plan_.time, events) < events) {
      enter(records, plan_, system_, *spheres_, reference_, done_);
      spheres_.reset();
    }
  }
  bool ended() const override { return sharing_->exhausted() && !spheres_; }

  run::Progress progress() const override {
    const double left = spheres_ ? 1 - spheres_->time() / plan_.time : 0;
    const double done = std::max(0.0, static_cast<double>(sharing_->taken()) - left * parallel::size());
    return {done, static_cast<double>(plan_.count()),
            fmt::format("about {:.1f} of {} systems", done, plan_.count()), "systems"};
  }

  std::vector<run::Line> summary(const run::Effort& effort) override {
    return hard_spheres_summary(plan_, done_, effort.wall);
  }
  bool failed() override { return false; }

 private:
  /// The next system that isn't finished, first of those that were under way; false where there is none.
  bool take(const run::Records& records) {
    while (const auto next = carried_.empty() ? sharing_->take() : std::optional(carried_.next())) {
      const auto carried = carried_.take(*next);
      if (!carried && (carried_.known(*next) || (resumed_ && is_done(records, *next)))) continue;
      system_ = *next;
      spheres_.emplace(hard_spheres<D>(plan_, system_));
      reference_ = {spheres_->energy(), std::numeric_limits<double>::quiet_NaN()};
      if (carried) {
        reference_ = {carried->state[0], carried->state[1]};
        spheres_->restore(std::span(carried->state).subspan(2));
      }
      return true;
    }
    return false;
  }

  const HardSpheresPlan& plan_;
  std::optional<parallel::TaskSharing> sharing_;
  CarriedTasks carried_;
  std::int64_t system_ = 0;
  std::optional<billiards::HardSpheres<D>> spheres_;
  HardSphereReference reference_;  // of the system under way
  bool resumed_ = false;
  HardSpheresDone done_;
};

ExitCode run(Task& task) {
  const HardSpheresPlan plan = read_hard_spheres(task);
  const run::Settings settings = read_settings(task, "hard-spheres", "hard_spheres.h5");
  task.deck.finish();
  if (task.dry_run) parallel::on_rank_zero([&] { print(plan.estimate()); });
  if (task.check || task.dry_run) return exit_success;
  const auto move = [&](auto systems) { return drive(task, systems, settings); };
  return plan.dimension == 2 ? move(Systems<2>(plan)) : move(Systems<3>(plan));
}

}  // namespace

Study hard_spheres_study() {
  return {"hard-spheres", "hard discs or spheres that collide, in independent periodic boxes", run,
          hard_spheres_example};
}

}  // namespace cotangent::studies
