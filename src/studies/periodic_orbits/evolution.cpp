// SPDX-License-Identifier: BSD-3-Clause
#include "studies/periodic_orbits/evolution.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "parallel/mpi.hpp"

namespace cotangent::studies {

OrbitsEvolution::OrbitsEvolution(const OrbitSurvey& survey, const FoundOrbits& found)
    : survey_(survey),
      found_(found),
      share_(run::Share::in_turn(std::ssize(found.orbits))),
      families_(survey, found, share_),
      tangles_(survey, found) {}

std::vector<io::DataSetSpec> OrbitsEvolution::data_sets() const {
  auto sets = orbit_data_sets(survey_, found_);
  std::ranges::move(tangles_.data_sets(), std::back_inserter(sets));
  return sets;
}

void OrbitsEvolution::begin(run::Records& records) {
  if (parallel::rank() == 0) enter_orbits(records, survey_, found_);
  for (const std::int64_t orbit : *share_.ids)
    enter_path(records, survey_, orbit, found_.orbits[static_cast<std::size_t>(orbit)]);
  families_.begin(records);
  tangles_.begin(records);
}

void OrbitsEvolution::state(run::StateFields& state) {
  families_.state(state);
  tangles_.state(state);
}

void OrbitsEvolution::advance(std::int64_t units, run::Records& records) {
  for (; crosses_ && units > 0 && !ended(); --units) tangles_.cross_next(records);
  if (crosses_) return;
  units = families_.advance(units, records);
  for (; units > 0 && !tangles_.ended(); --units) tangles_.advance(records);
}

bool OrbitsEvolution::ended() const {
  return crosses_ ? tangles_.crossed() == tangles_.all() : tangles_.ended() && families_.ended();
}

bool OrbitsEvolution::begin_last_part(run::Records& records) {
  if (crosses_ || !survey_.manifolds) return false;
  parallel::agree([&] { records.sync(); });
  crosses_ = true;
  return true;
}

run::Progress OrbitsEvolution::progress() const {
  const auto done = families_.done(), all = families_.all() + 2 * tangles_.all();
  std::string text = fmt::format("{} of {} orbits followed", done, families_.all());
  if (tangles_.all() > 0) text += fmt::format(", {} of {} manifolds grown", tangles_.done(), tangles_.all());
  if (crosses_) text += fmt::format(", {} of {} crossed", tangles_.crossed(), tangles_.all());
  if (all == 0) return {1, 1, text, "orbits", 1};  // nothing is followed
  return {static_cast<double>(done + tangles_.done() + tangles_.crossed()), static_cast<double>(all), text,
          "orbits", 1};
}

std::vector<run::Line> OrbitsEvolution::summary(const run::Effort&) {
  const std::int64_t orbits = parallel::sum(families_.orbits());
  std::vector<run::Line> lines{{"periodic orbits", describe(found_)}};
  if (survey_.continued) lines.emplace_back("followed", fmt::format("through {} orbits", orbits));
  for (auto& line : tangles_.summary()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace cotangent::studies
