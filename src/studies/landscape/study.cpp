// SPDX-License-Identifier: BSD-3-Clause
// study = "landscape": U over two coordinates, for every value of the model's parameters: a grid of energies,
// the admissible region, all stationary points, the passes between wells and out of them, and the values of
// one parameter at which stationary points change (landscapes/landscape.hpp has the mathematics).
//
// Once the search is over the sizes of all lists are known: the file is made, and each rank fills its share
// of the grids. The search, of seconds as a rule, has no checkpoint: it comes first whenever a run goes on.
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "studies/landscape/records.hpp"
#include "studies/landscape/report.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

/// All grids, row by row, after the search: each rank an equal share of the rows that come next.
class GridEvolution : public run::Evolution {
 public:
  GridEvolution(const LandscapeSurvey& survey, const LandscapeFindings& findings, double search_seconds)
      : survey_(survey), findings_(findings), search_seconds_(search_seconds) {}

  std::vector<io::DataSetSpec> data_sets() const override { return landscape_data_sets(survey_, findings_); }

  void begin(run::Records& records) override { enter_findings(records, survey_, findings_); }

  void state(run::StateFields& state) override {
    state.number("rows", done_);
    state.index("rows", static_cast<double>(done_), all() + 1);
  }

  /// So many rows on each rank.
  void advance(std::int64_t rows, run::Records& records) override {
    const std::int64_t batch = std::min(rows * parallel::size(), all() - done_);
    const std::int64_t first = done_ + batch * parallel::rank() / parallel::size(),
                       last = done_ + batch * (parallel::rank() + 1) / parallel::size();
    for (std::int64_t row = first; row < last; ++row) enter_grid_row(records, survey_, row);
    done_ += batch;
  }
  bool ended() const override { return done_ >= all(); }

  run::Progress progress() const override {
    return {static_cast<double>(done_), static_cast<double>(all()),
            fmt::format("{} of {} rows", done_, all()), "points", static_cast<double>(survey_.y.count)};
  }
  std::vector<run::Line> summary(const run::Effort&) override {
    std::vector<run::Line> lines{
        {"landscapes", fmt::format("{} of {} x {} points, after a search of {}", survey_.count(),
                                   survey_.x.count, survey_.y.count, run::duration(search_seconds_))}};
    if (const auto n = findings_.incomplete(); n > 0)
      lines.emplace_back("INCOMPLETE",
                         fmt::format("{} of {} landscapes may miss stationary points", n, survey_.count()));
    if (const auto n = findings_.astray(); n > 0)
      lines.emplace_back("ASTRAY",
                         fmt::format("{} of {} descents from passes: escape energies may be too high", n,
                                     2 * findings_.passes.size()));
    if (const auto n = findings_.unresolved(); n > 0)
      lines.emplace_back("UNRESOLVED", fmt::format("{} changes", n));
    return lines;
  }
  bool failed() override { return findings_.incomplete() + findings_.astray() + findings_.unresolved() > 0; }

 private:
  std::int64_t all() const { return survey_.count() * survey_.x.count; }

  const LandscapeSurvey& survey_;
  const LandscapeFindings& findings_;
  const double search_seconds_;
  std::int64_t done_ = 0;
};

ExitCode run(Task& task) {
  const LandscapeSurvey survey = read_survey(task);
  const run::Settings settings = read_settings(task, "landscape", "landscape.h5");
  task.deck.finish();
  if (task.check) return exit_success;
  if (task.dry_run) {
    std::int64_t bytes = 0;
    for (const auto& set : landscape_grids(survey)) bytes += set.bytes();
    parallel::on_rank_zero([&] { run::say(estimate_text(survey, settings.file, bytes)); });
    return exit_success;
  }
  if (const auto code = complete_already(task, settings)) return *code;
  const double started = parallel::wall_time();
  const LandscapeFindings findings = search(survey, settings);
  parallel::on_rank_zero([&] { run::say(findings_text(survey, findings)); });
  GridEvolution evolution(survey, findings, parallel::wall_time() - started);
  return drive(task, evolution, settings);
}

}  // namespace

Study landscape_study() {
  return {"landscape", "energy landscapes: a grid of U, stationary points, passes, and how they change", run,
          landscape_example};
}

}  // namespace cotangent::studies
