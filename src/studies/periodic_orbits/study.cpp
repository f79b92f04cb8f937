// SPDX-License-Identifier: BSD-3-Clause
// study = "periodic-orbits": orbits that close, their stability, the families that they belong to and where
// these bifurcate (chaos/closure.hpp and chaos/continuation.hpp have the mathematics).
//
// Once the search is over the number of orbits is known: the file is made, and each rank follows the families
// of every size()-th of them. The search, of seconds as a rule, has no checkpoint: it comes first whenever a
// run goes on.
#include <algorithm>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "studies/periodic_orbits/families.hpp"
#include "studies/periodic_orbits/tangles.hpp"
#include "studies/program/report.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

class OrbitsEvolution : public run::Evolution {
 public:
  OrbitsEvolution(const OrbitSurvey& survey, const FoundOrbits& found)
      : survey_(survey),
        found_(found),
        share_(run::Share::in_turn(std::ssize(found.orbits))),
        families_(survey, found, share_),
        tangles_(survey, found) {}

  bool together() const override { return false; }
  std::vector<io::DataSetSpec> data_sets() const override {
    auto sets = orbit_data_sets(survey_, found_);
    std::ranges::move(tangles_.data_sets(), std::back_inserter(sets));
    return sets;
  }
  void begin(run::Records& records) override {
    if (parallel::rank() == 0) enter_orbits(records, survey_, found_);
    for (const std::int64_t orbit : *share_.ids)
      enter_path(records, survey_, orbit, found_.orbits[static_cast<std::size_t>(orbit)]);
    families_.begin(records);
    tangles_.begin(records);
  }
  void state(run::StateFields& state) override {
    families_.state(state);
    tangles_.state(state);
  }

  void advance(std::int64_t units, run::Records& records) override {
    for (; crosses_ && units > 0 && !ended(); --units) tangles_.cross_next(records);
    if (crosses_) return;
    units = families_.advance(units, records);
    for (; units > 0 && !tangles_.ended(); --units) tangles_.advance(records);
  }
  bool ended() const override {
    return crosses_ ? tangles_.crossed() == tangles_.all() : tangles_.ended() && families_.ended();
  }
  void hand_over(run::Records& records) override { families_.hand_over(records); }

  /// Manifolds cross those of all ranks, once their rows are on disk.
  bool begin_last_part(run::Records& records) override {
    if (crosses_ || !survey_.manifolds) return false;
    parallel::agree([&] { records.sync(); });
    crosses_ = true;
    return true;
  }
  void finish(run::Records& records) override { tangles_.finish(records); }

  run::Progress progress() const override {
    const auto done = families_.done(), all = families_.all() + 2 * tangles_.all();
    std::string text = fmt::format("{} of {} orbits followed", done, families_.all());
    if (tangles_.all() > 0)
      text += fmt::format(", {} of {} manifolds grown", tangles_.done(), tangles_.all());
    if (crosses_) text += fmt::format(", {} of {} crossed", tangles_.crossed(), tangles_.all());
    if (all == 0) return {1, 1, text, "orbits", 1};  // nothing is followed
    return {static_cast<double>(done + tangles_.done() + tangles_.crossed()), static_cast<double>(all), text,
            "orbits", 1};
  }
  std::vector<run::Line> summary(const run::Effort&) override {
    const std::int64_t orbits = parallel::sum(families_.orbits());
    std::vector<run::Line> lines{{"periodic orbits", describe(found_)}};
    if (survey_.continued) lines.emplace_back("followed", fmt::format("through {} orbits", orbits));
    for (auto& line : tangles_.summary()) lines.push_back(std::move(line));
    return lines;
  }
  bool failed() override { return false; }

 private:
  const OrbitSurvey& survey_;
  const FoundOrbits& found_;
  const run::Share share_;  ///< of the orbits found
  Families families_;
  Tangles tangles_;
  bool crosses_ = false;  ///< all manifolds are grown
};

/// How many there will be, of a dry run.
std::string searches(const OrbitSurvey& survey) {
  const auto starts = survey.starts->size(), numbers = std::ssize(survey.returns);
  if (!survey.reversal.empty())
    return fmt::format(
        "searches between {} starts on the symmetry line, where orbits of {} cross it", starts,
        numbers == 1 ? "one number of returns" : fmt::format("{} numbers of returns", numbers));
  return fmt::format(
      "{}{} searches", survey.recurrences > 0 ? "at most " : "",
      starts * numbers * std::max<std::int64_t>(survey.recurrences > 0 ? survey.closest : 1, 1));
}

ExitCode run(Task& task) {
  const OrbitSurvey survey = read_orbit_survey(task);
  const run::Settings settings = read_settings(task, "periodic-orbits", "periodic_orbits.h5");
  task.deck.finish();
  survey.starts->refuse_if_none_feasible();
  if (task.check) return exit_success;
  if (task.dry_run) {
    parallel::on_rank_zero([&] {
      run::say(
          fmt::format("{}; how many orbits they find decides what is followed\n"
                      "memory          about {} a rank, but for these\n",
                      searches(survey), run::size_text(static_cast<double>(program_bytes()))));
    });
    return exit_success;
  }
  if (const auto code = complete_already(task, settings)) return *code;
  const FoundOrbits found = search(survey, settings);
  OrbitsEvolution evolution(survey, found);
  return drive(task, evolution, settings);
}

}  // namespace

Study periodic_orbits_study() {
  return {"periodic-orbits", "periodic orbits, their families and bifurcations", run,
          periodic_orbits_example};
}

}  // namespace cotangent::studies
