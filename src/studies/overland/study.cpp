// SPDX-License-Identifier: BSD-3-Clause
// study = "overland": rain water over a landscape (overland/flow.hpp moves it). Vertices and cells stand in
// the file by ids that don't depend on the ranks. At each sample the scheme forgets what isn't in the water's
// state: a run that was stopped goes on from its last sample, to the same bits on one rank. Across ranks
// PETSc's solvers don't repeat theirs.
#include <fmt/format.h>

#include "io/xdmf.hpp"
#include "parallel/mpi.hpp"
#include "studies/overland/records.hpp"
#include "studies/overland/start.hpp"
#include "studies/program/report.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

class OverlandEvolution : public run::Evolution {
 public:
  OverlandEvolution(const OverlandPlan& plan, OverlandFields& fields) : plan_(plan), sheet_(plan, fields) {}

  std::vector<io::DataSetSpec> data_sets() const override { return overland_data_sets(plan_); }

  void begin(run::Records& records) override {
    write_landscape(records, sheet_.land);
    sample(records);
  }
  void state(run::StateFields& state) override {
    state.number("sample", sample_);
    state.number("balance_error", worst_balance_);
    auto [water, progress] = under_way_ ? last_sample_ : now();
    visit_water(state, sheet_.land.mesh, water, progress);
    if (state.reading()) sheet_.flow.restore(std::move(water), progress);
  }

  /// A start's first advance goes to the next sample, however soon it is to stop, so that it gets on.
  void advance(std::int64_t steps, run::Records&) override {
    if (!std::exchange(under_way_, true)) {
      sheet_.scheme->forget();
      last_sample_ = now();
    }
    if (!std::exchange(gets_on_, true)) steps = std::numeric_limits<std::int64_t>::max();
    const Status reached = sheet_.flow.advance(plan_.sample_time(sample_ + 1), steps);
    if (!std::exchange(judged_, true)) refuse_unknown_options();
    under_way_ = reached == Status::pending;
    if (under_way_) return;
    if (reached != Status::finished) {
      status_ = reached;
    } else if (++sample_ + 1 == plan_.samples) {
      status_ = Status::finished;
    }
  }
  bool ended() const override { return status_ != Status::pending; }

  void sample(run::Records& records) override {
    if (under_way_ || is_failure(status_)) return;
    const double balance = sheet_.flow.balance_error();
    worst_balance_ = std::max(worst_balance_, balance);
    write_sample(records, sample_, sheet_.flow, balance);
    if (sample_ % plan_.frame_samples == 0)
      write_frame(records, sample_ / plan_.frame_samples, sheet_.land.mesh, sheet_.flow.water());
  }
  void finish(run::Records& records) override {
    blank_overland_rows(records, plan_, sample_ + 1);
    const auto status = static_cast<std::int32_t>(status_);
    records.one("/water/status", 0, &status, io::Turn::last);
  }

  run::Progress progress() const override {
    return {static_cast<double>(sample_), static_cast<double>(plan_.samples - 1),
            fmt::format("t = {:.4g} of {:.4g}, {:.0f} steps", sheet_.flow.water().time, plan_.time,
                        sheet_.flow.progress().steps),
            "samples"};
  }
  std::vector<run::Line> summary(const run::Effort&) override {
    return overland_summary(plan_, sheet_.flow, status_, worst_balance_);
  }
  bool failed() override { return is_failure(status_); }

 private:
  struct Moment {
    overland::Water water;
    overland::Progress progress;
  };
  Moment now() const { return {sheet_.flow.water(), sheet_.flow.progress()}; }

  const OverlandPlan& plan_;
  OverlandSheet sheet_;
  Moment last_sample_;  ///< while steps to the next are under way
  std::int64_t sample_ = 0;
  Status status_ = Status::pending;
  bool under_way_ = false, gets_on_ = false, judged_ = false;
  double worst_balance_ = 0;
};

ExitCode run(Task& task) {
  const la::Petsc petsc(task.petsc_options);
  run::Settings settings = read_settings(task, "overland", "overland.h5");
  OverlandPlan plan = read_overland_plan(task);
  OverlandFields fields(task, plan);
  task.deck.finish();
  if (task.dry_run) parallel::on_rank_zero([&] { print(plan.estimate(settings.options)); });
  if (task.check || task.dry_run) return exit_success;
  settings.petsc = la::petsc_version() + ": " + plan.solver_text();
  OverlandEvolution evolution(plan, fields);
  const ExitCode code = drive(task, evolution, settings);
  if (code != exit_stopped) io::write_water_xdmf(settings.file);
  return code;
}

}  // namespace

Study overland_study() {
  return {"overland", "rain water that runs over a landscape, depths never negative", run, overland_example,
          true};
}

}  // namespace cotangent::studies
