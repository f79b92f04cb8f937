// SPDX-License-Identifier: BSD-3-Clause
// study = "periodic-orbits": orbits that close, their stability, the families that they belong to and where
// these bifurcate (chaos/closure.hpp and chaos/continuation.hpp have the mathematics).
//
// Once the search is over the number of orbits is known: the file is made, and each rank follows the families
// of every size()-th of them. The search, of seconds as a rule, has no checkpoint: it comes first whenever a
// run goes on.
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "studies/periodic_orbits/evolution.hpp"
#include "studies/program/report.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

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
                      foretold_searches(survey), run::size_text(static_cast<double>(program_bytes()))));
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
