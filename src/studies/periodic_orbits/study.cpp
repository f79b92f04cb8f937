// SPDX-License-Identifier: BSD-3-Clause
// study = "periodic-orbits": orbits that close, their stability, the families that they belong to and where
// these bifurcate (chaos/closure.hpp and chaos/continuation.hpp have the mathematics).
//
// Once the search is over the number of orbits is known: the file is made, and each rank follows the families
// of every size()-th of them, an orbit of each in turn. A family depends on its first orbit alone. The
// search, of seconds as a rule, has no checkpoint: it comes first whenever a run goes on.
#include <algorithm>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "studies/periodic_orbits/records.hpp"
#include "studies/periodic_orbits/tangles.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

/// The families that follow from one orbit, one after the other: its own, then those that branch off.
class Lineage {
 public:
  Lineage(const OrbitSurvey& survey, const FoundOrbit& found, std::int64_t first_family)
      : survey_(survey), first_(first_family), closure_(found.closure) {
    closure_.continued = survey.continued;
    if (const auto start = chaos::with_value(closure_, found.orbit))
      family_.emplace(closure_, survey.rule, *start);
    row_.returns = closure_.returns;
  }

  bool ended() const { return !family_; }
  std::int64_t orbits() const { return orbits_; }

  /// One more orbit.
  void advance(run::Records& records) {
    if (row_.points == 0) {
      enter(records);
    } else {
      const auto passed = family_->advance();
      for (const auto& bifurcation : passed) meet(bifurcation, records);
      if (family_->end() != chaos::Family::End::lost) enter(records);
    }
    if (family_->end() != chaos::Family::End::none)
      row_.end = static_cast<int>(family_->end());
    else if (row_.points == survey_.points)
      row_.end = static_cast<int>(FamilyEnd::full);
    if (row_.end == 0) return;
    hand_over(records);
    family_.reset();
    while (!family_ && !waiting_.empty()) {
      begin(waiting_.front());
      waiting_.erase(waiting_.begin());
    }
  }
  void hand_over(run::Records& records) const {
    if (family_) enter_family_row(records, first_ + number_, row_);
  }

  /// So many numbers hold a lineage of the survey.
  static int width(const OrbitSurvey& survey) {
    chaos::Closure closure = survey.closure(1, {}, 0);
    closure.continued = survey.continued;
    const int own = 9 + static_cast<int>(chaos::Family::saved_size(closure));
    return own + static_cast<int>(survey.offspring) * (2 + 2 * closure.unknowns());
  }
  void save(std::vector<double>& out) const {
    const auto end = out.size() + static_cast<std::size_t>(width(survey_));
    for (const int n : {family_ ? 1 : 0, number_, known_, closure_.returns, row_.points, row_.bifurcations,
                        row_.returns, row_.parent, static_cast<int>(waiting_.size())})
      out.push_back(n);
    const auto saved = family_ ? family_->save() : std::vector<double>(chaos::Family::saved_size(closure_));
    out.insert(out.end(), saved.begin(), saved.end());
    for (const Waiting& next : waiting_) {
      out.push_back(next.returns);
      out.push_back(next.parent);
      for (const auto* part : {&next.unknowns, &next.tangent})
        out.insert(out.end(), part->data(), part->data() + part->size());
    }
    out.resize(end, 0.0);
  }
  void restore(const double* in) {
    const auto whole = [&] { return static_cast<int>(*in++); };
    const bool flying = whole() != 0;
    number_ = whole();
    known_ = whole();
    closure_.returns = whole();
    row_ = {};
    row_.points = whole();
    row_.bifurcations = whole();
    row_.returns = whole();
    row_.parent = whole();
    const int waiting = whole();
    const auto size = static_cast<std::ptrdiff_t>(chaos::Family::saved_size(closure_));
    family_.reset();
    if (flying) family_.emplace(closure_, survey_.rule, std::vector<double>(in, in + size));
    in += size;
    waiting_.clear();
    const auto unknowns = closure_.unknowns();
    for (int k = 0; k < waiting; ++k) {
      Waiting next{whole(), whole(), {}, {}};
      for (auto* part : {&next.unknowns, &next.tangent}) {
        *part = Eigen::Map<const chaos::Unknowns>(in, unknowns);
        in += unknowns;
      }
      waiting_.push_back(std::move(next));
    }
  }

 private:
  /// The first orbit of a family that has branched off.
  struct Waiting {
    int returns, parent;
    chaos::Unknowns unknowns, tangent;
  };

  void enter(run::Records& records) {
    enter_family(records, first_ + number_, row_.points++, family_->orbit());
    ++orbits_;
  }
  void meet(const chaos::Bifurcation& bifurcation, run::Records& records) {
    if (row_.bifurcations < survey_.bifurcations)
      enter_bifurcation(records, first_ + number_, row_.bifurcations++, bifurcation);
    if (bifurcation.n > 2 || bifurcation.fold || known_ == survey_.offspring) return;
    const auto child = chaos::branch_off(closure_, bifurcation, survey_.branch);
    if (!child) return;
    if ((child->orbit.value() - survey_.rule.to) * (bifurcation.orbit.value() - survey_.rule.to) <= 0) return;
    ++known_;
    waiting_.push_back(
        {child->closure.returns, static_cast<int>(first_) + number_, child->orbit.unknowns, child->tangent});
  }
  void begin(const Waiting& next) {
    closure_.returns = next.returns;
    ++number_;
    row_ = {};
    row_.returns = next.returns;
    row_.parent = next.parent;
    if (const auto start = chaos::evaluate(closure_, next.unknowns))
      family_.emplace(closure_, survey_.rule, *start, next.tangent);
  }

  const OrbitSurvey& survey_;
  const std::int64_t first_;
  chaos::Closure closure_;
  std::optional<chaos::Family> family_;
  FamilyRow row_;
  int number_ = 0, known_ = 0;  ///< of the family, and how many have branched off, of this orbit's
  std::vector<Waiting> waiting_;
  std::int64_t orbits_ = 0;
};

class FamiliesEvolution : public run::Evolution {
 public:
  FamiliesEvolution(const OrbitSurvey& survey, const FoundOrbits& found, double search_seconds)
      : survey_(survey), found_(found), search_seconds_(search_seconds), tangles_(survey, found) {
    auto ids = std::make_shared<std::vector<std::int64_t>>();
    for (std::int64_t k = parallel::rank(); k < std::ssize(found.orbits); k += parallel::size()) {
      ids->push_back(k);
      if (survey.continued)
        lineages_.emplace_back(survey, found.orbits[static_cast<std::size_t>(k)], k * (1 + survey.offspring));
    }
    share_ = {std::ssize(found.orbits), 0, std::ssize(*ids), ids};
  }

  bool together() const override { return false; }
  std::vector<io::DataSetSpec> data_sets() const override {
    auto sets = orbit_data_sets(survey_, found_);
    std::ranges::move(tangles_.data_sets(), std::back_inserter(sets));
    return sets;
  }
  bool complete(const run::Records& records) override {
    return records.read<std::int32_t>("/orbits/complete").front() == 1;
  }
  void begin(run::Records& records) override {
    if (parallel::rank() == 0) enter_orbits(records, survey_, found_);
    for (const std::int64_t orbit : *share_.ids) {
      enter_path(records, survey_, orbit, found_.orbits[static_cast<std::size_t>(orbit)]);
      for (std::int64_t k = 0; survey_.continued && k <= survey_.offspring; ++k)
        blank_family(records, survey_, orbit * (1 + survey_.offspring) + k);
    }
    tangles_.begin(records);
  }
  void state(run::StateFields& state) override {
    const int width = Lineage::width(survey_);
    std::vector<double> rows;
    if (state.reading()) {
      rows.resize(lineages_.size() * static_cast<std::size_t>(width));
    } else {
      for (const Lineage& lineage : lineages_) lineage.save(rows);
    }
    if (survey_.continued && share_.all > 0) state.rows("lineages", share_, width, rows);
    tangles_.state(state);
    if (!state.reading()) return;
    for (std::size_t k = 0; k < lineages_.size(); ++k)
      lineages_[k].restore(rows.data() + k * static_cast<std::size_t>(width));
  }

  void advance(std::int64_t units, run::Records& records) override {
    for (auto& lineage : lineages_) {
      for (; units > 0 && !lineage.ended(); --units) lineage.advance(records);
    }
    for (; units > 0 && !tangles_.ended(); --units) tangles_.advance(records);
  }
  bool ended() const override { return tangles_.ended() && std::ranges::all_of(lineages_, &Lineage::ended); }
  void hand_over(run::Records& records) override {
    for (const auto& lineage : lineages_) lineage.hand_over(records);
  }

  /// When all ranks' rows are on disk: what is made of them, and that this was all.
  void finish(run::Records& records) override {
    parallel::agree([&] { records.sync(); });
    tangles_.finish(records);
    parallel::agree([&] { records.sync(); });
    const std::int32_t complete = 1;
    records.one("/orbits/complete", 0, &complete);
  }

  run::Progress progress() const override {
    const auto done = std::ranges::count_if(lineages_, &Lineage::ended);
    const auto all = std::ssize(lineages_) + tangles_.all();
    std::string text = fmt::format("{} of {} orbits followed", done, lineages_.size());
    if (tangles_.all() > 0)
      text += fmt::format(", {} of {} manifolds grown", tangles_.done(), tangles_.all());
    if (all == 0) return {1, 1, text, "orbits", 1};  // nothing is followed
    return {static_cast<double>(done + tangles_.done()), static_cast<double>(all), text, "orbits", 1};
  }
  std::vector<run::Line> summary(const run::Effort&) override {
    std::int64_t orbits = 0, stable = 0;
    for (const auto& lineage : lineages_) orbits += lineage.orbits();
    orbits = parallel::sum(orbits);
    for (const auto& found : found_.orbits)
      stable += chaos::stability(found.orbit) == chaos::Stability::stable;
    std::vector<run::Line> lines{
        {"periodic orbits",
         fmt::format("{}, {} of them stable, from {} searches ({}): {} came to one again, {} "
                     "didn't close, {} flew off, {} had no start",
                     found_.orbits.size(), stable, found_.tasks, run::duration(search_seconds_), found_.again,
                     found_.not_closed, found_.flown_off, found_.infeasible)}};
    if (survey_.continued) lines.emplace_back("followed", fmt::format("through {} orbits", orbits));
    for (auto& line : tangles_.summary()) lines.push_back(std::move(line));
    return lines;
  }
  bool failed() override { return found_.orbits.empty(); }

 private:
  const OrbitSurvey& survey_;
  const FoundOrbits& found_;
  const double search_seconds_;
  run::Share share_;
  std::vector<Lineage> lineages_;
  Tangles tangles_;
};

ExitCode run(Task& task) {
  const OrbitSurvey survey = read_orbit_survey(task);
  const run::Settings settings = read_settings(task, "periodic-orbits", "periodic_orbits.h5");
  task.deck.finish();
  survey.starts->refuse_if_none_feasible();
  if (task.check) return exit_success;
  if (task.dry_run) {
    parallel::on_rank_zero([&] {
      run::say(fmt::format("{} searches; how many orbits they find decides what is followed\n",
                           survey.starts->size() * std::ssize(survey.returns)));
    });
    return exit_success;
  }
  const double started = parallel::wall_time();
  const FoundOrbits found = search(survey);
  if (found.orbits.empty())
    throw Error(
        fmt::format("no periodic orbit found: of {} searches {} didn't close, {} flew off, {} had no "
                    "start; begin nearer to one, or with other returns",
                    found.tasks, found.not_closed, found.flown_off, found.infeasible));
  FamiliesEvolution evolution(survey, found, parallel::wall_time() - started);
  return drive(task, evolution, settings);
}

}  // namespace

Study periodic_orbits_study() {
  return {"periodic-orbits", "periodic orbits, their families and bifurcations", run,
          periodic_orbits_example};
}

}  // namespace cotangent::studies
