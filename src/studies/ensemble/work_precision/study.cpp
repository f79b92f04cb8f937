// SPDX-License-Identifier: BSD-3-Clause
// study = "work-precision": what a method's precision costs, for many methods on the same trajectories.
//
// Each of `[[methods]]` flies the ensemble to `[stop] time` with each of its steps or tolerances. Precision
// is the largest |E - E0|, the drift of the energy (the slope of the least squares line through the maxima of
// |E - E0| over 32 intervals), and the distance at the end from a reference: Gauss collocation, flown twice,
// so that its own error is known. Work is steps, and seconds of one core: CPU time of the thread, the least
// of several flights. Seconds differ from run to run, so they stand in /run, which comparisons of results
// leave out. Starts are spread over the ranks; all know the ids of those that are feasible, eight bytes each.
#include <algorithm>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "studies/ensemble/work_precision/records.hpp"
#include "studies/program/report.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

class WorkPrecision : public run::Evolution {
 public:
  explicit WorkPrecision(const Comparison& c) : c_(c), flights_(c) {}

  bool together() const override { return false; }
  std::vector<io::DataSetSpec> data_sets() const override { return comparison_data_sets(c_); }
  void begin(run::Records&) override { flights_.begin(); }
  void resume(run::Records&) override { flights_.begin(); }
  void state(run::StateFields& state) override { flights_.state(state); }
  void advance(std::int64_t steps, run::Records&) override { flights_.advance(steps); }
  bool ended() const override { return flights_.ended(); }

  /// Each rank enters the starts of its share, and the reference's ends.
  void finish(run::Records& records) override {
    const ShownRows shown = flights_.shown();
    all_ = verdicts(c_, shown);
    seconds_ = flights_.seconds();
    if (parallel::rank() == 0) enter_verdicts(records, c_, all_, seconds_);
    enter_starts(records, c_, shown);
  }

  run::Progress progress() const override {
    const auto all = static_cast<double>(flights_.tasks()), taken = static_cast<double>(flights_.taken());
    return {taken, all, fmt::format("{} of {} flights begun", flights_.taken(), flights_.tasks()), "flights"};
  }
  std::vector<run::Line> summary(const run::Effort&) override {
    const std::string what = fmt::format("{} methods with {} steps or tolerances in all, on {} starts",
                                         c_.names.size(), c_.rows(), c_.starts.size());
    return {{"comparison", all_.empty() ? what : what + "\n" + comparison_table(c_, all_, seconds_)}};
  }
  bool failed() override {
    return std::ranges::any_of(all_, [](const Verdict& v) { return v.failed > 0; });
  }

 private:
  const Comparison& c_;
  Flights flights_;
  std::vector<Verdict> all_;
  std::vector<double> seconds_;
};

ExitCode run(Task& task) {
  Comparison c = read_comparison(task);
  const run::Settings settings = read_settings(task, "work-precision", "work_precision.h5");
  task.deck.finish();
  judge_starts(task.deck.table("ensemble"), c);
  if (task.check) return exit_success;
  if (task.dry_run) {
    const double seconds = Flights(c).estimate();
    parallel::on_rank_zero([&] {
      run::say(
          fmt::format("would run       {} methods with {} steps or tolerances in all, on {} starts\n"
                      "result file     {}\nmemory          about {} a rank\n"
                      "time            about {:.2g} s on {} ranks\n",
                      c.names.size(), c.rows(), c.starts.size(), settings.file,
                      run::size_text(static_cast<double>(program_bytes() + Flights(c).rank_bytes())), seconds,
                      parallel::size()));
    });
    return exit_success;
  }
  WorkPrecision evolution(c);
  return drive(task, evolution, settings);
}

}  // namespace

Study work_precision_study() {
  return {"work-precision", "what the precision of methods costs, on one ensemble", run,
          work_precision_example};
}

}  // namespace cotangent::studies
