// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/start.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>

#include "core/names.hpp"
#include "expressions/place.hpp"
#include "numerics/random.hpp"
#include "parallel/mpi.hpp"
#include "sections/energy_roots.hpp"
#include "studies/program/formula_reader.hpp"

namespace cotangent::studies {

namespace {

/// To parts of their sizes, whatever the units, and what numbers of order 1 in a formula round by.
bool is_on_manifold(const sections::Manifold::Distance& off, std::span<const double> q,
                    std::span<const double> v) {
  const auto slack = [](std::span<const double> x) {
    double size = 0;
    for (const double number : x) size = std::max(size, std::abs(number));
    return 1e-10 * size + 1e-14;
  };
  return off.position <= slack(q) && off.velocity <= slack(v);
}

}  // namespace

Ensemble::Ensemble(Task& task, const ModelChoice& model, const std::optional<sections::Section>& section)
    : problem_(model.problem),
      axes_(model.axes),
      section_(section),
      table_(task.deck.table("ensemble")),
      dim_(model.problem->dim()) {
  const io::Table& table = table_;
  names_ = problem_->variable_names();
  names_.resize(static_cast<std::size_t>(2 * dim_));
  for (const auto& axis : axes_) combinations_ = product(combinations_, std::ssize(axis));
  if (table.has("energy")) energy_ = table.axis("energy");
  constrained_ = problem_->multipliers() > 0;
  if (constrained_) project_ = table.boolean("project", false);
  for (std::int64_t c = 0; c < combinations_; ++c) {
    const auto parameters = parameters_of(c);
    if (const auto objection = problem_->objection(parameters))
      throw task.deck.table("model").error(*objection);
    if (section_ && section_->strobe) {
      const double every = section_->strobe->every.evaluate(parameters),
                   phase = section_->strobe->phase.evaluate(parameters);
      if (!(every > 0) || !std::isfinite(every) || !std::isfinite(phase))
        throw task.deck.table("section").error(
            every > 0 && std::isfinite(every) ? "value" : "every",
            fmt::format("must be {} for all parameters: every = {}, value = {}",
                        every > 0 ? "finite" : "above zero", every, phase));
      shortest_strobe_ = std::min(shortest_strobe_, every);
    }
  }

  const std::vector<std::string> kinds{"grid", "random", "list", "points", "file"};
  std::vector<std::string> given;
  for (const auto& kind : kinds) {
    if (table.has(kind)) given.push_back(kind);
  }
  if (given.size() != 1) {
    throw table.error(given.empty() ? "give the starts: one of grid, random, list, points, file"
                                    : "give one of " + given[0] + " and " + given[1] + ", not both");
  }
  if (given[0] == "grid")
    read_grid();
  else if (given[0] == "random")
    read_random();
  else if (given[0] == "points")
    read_points();
  else
    read_states(given[0]);
  product(product(points_, energies()), combinations_);  // there are no more
}

std::int64_t Ensemble::product(std::int64_t a, std::int64_t b) const {
  if (static_cast<double>(a) * static_cast<double>(b) > most_starts)
    throw table_.error("has more starts than can be counted, 2^53");
  return a * b;
}

void Ensemble::read_grid() {
  kind_ = Kind::grid;
  read_ranges(table_.table("grid"), "grid", true);
  choose_missing(table_);
  for (const auto& range : ranges_) points_ = product(points_, range.count);
}

void Ensemble::read_random() {
  kind_ = Kind::random;
  const io::Table random = table_.table("random");
  points_ = random.integer_at_least("count", 1);
  seed_ = static_cast<std::uint64_t>(random.integer("seed", 1));
  read_ranges(random, "random", false);
  const std::size_t named = ranges_.size();
  if (!constrained_) find_box(table_);
  if (ranges_.size() > named && combinations_ > 1)  // it would be that of the first parameters alone
    throw random.error("parameters are swept: give the box of " +
                       names_[static_cast<std::size_t>(ranges_[named].variable)] + " = [from, to]");
  choose_missing(table_);
}

void Ensemble::read_points() {
  kind_ = Kind::list;
  std::vector<std::string> known;
  for (const io::Table& point : table_.tables("points")) {
    std::vector<double> state(static_cast<std::size_t>(2 * dim_), 0.0);
    if (section_ && section_->coordinate >= 0)
      state[static_cast<std::size_t>(section_->coordinate)] = section_->value;
    std::vector<std::string> here;
    for (const auto& key : point.keys()) {
      const auto at = std::find(names_.begin(), names_.end(), key);
      if (at == names_.end()) throw point.error(key, unknown_name_text("variable", key, names_, "in points"));
      const double number = point.number(key);
      if (section_ && at - names_.begin() == section_->coordinate && number != section_->value)
        throw point.error(key, "is the section's own coordinate, held at its value");
      state[static_cast<std::size_t>(at - names_.begin())] = number;
      here.push_back(key);
      if (list_.empty()) ranges_.push_back({static_cast<int>(at - names_.begin()), 0, 0, 1});
    }
    if (list_.empty()) known = here;
    if (here != known) throw point.error("every point names the same variables, in the same order");
    list_.push_back(state);
  }
  if (list_.empty()) throw table_.error("points", "holds no point");
  choose_missing(table_);
  points_ = static_cast<std::int64_t>(list_.size());
}

/// Whole states, from a list or a file.
void Ensemble::read_states(const std::string& kind) {
  kind_ = kind == "list" ? Kind::list : Kind::file;
  if (!energy_.empty() && !constrained_) {
    throw table_.error("energy",
                       "whole states have their energy; leave it out, or give points without one velocity");
  }
  if (kind_ == Kind::file) {
    parallel::agree([&] { stored_ = std::make_shared<const StoredStarts>(table_, "file", 2 * dim_); });
    points_ = stored_->size();
    return;
  }
  list_ = table_.rows("list");
  for (const auto& row : list_) {
    if (row.size() != static_cast<std::size_t>(2 * dim_)) {
      throw table_.error("list", "a state has " + std::to_string(2 * dim_) + " numbers, q then v, not " +
                                     std::to_string(row.size()));
    }
  }
  if (list_.empty()) throw table_.error("list", "holds no state");
  points_ = static_cast<std::int64_t>(list_.size());
}

void Ensemble::read_ranges(const io::Table& table, const std::string& what, bool counted) {
  for (const auto& key : table.keys()) {
    if (!counted && (key == "count" || key == "seed")) continue;
    const auto at = std::find(names_.begin(), names_.end(), key);
    if (at == names_.end()) throw table.error(key, unknown_name_text("variable", key, names_, "in " + what));
    const int variable = static_cast<int>(at - names_.begin());
    if (section_ && variable == section_->coordinate) {
      throw table.error(key, "is the section's own coordinate, held at its value");
    }
    const auto numbers = table.numbers(key);
    if (numbers.size() != (counted ? 3u : 2u)) {
      throw table.error(key, counted ? "a range is [from, to, count]" : "a range is [from, to]");
    }
    Range range{variable, numbers[0], numbers[1], 1};
    if (counted) {
      if (!(numbers[2] >= 1) || !(numbers[2] <= most_starts) || numbers[2] != std::floor(numbers[2]))
        throw table.error(key, "the count must be a whole number above 0, at most 2^53");
      range.count = static_cast<std::int64_t>(numbers[2]);
    }
    ranges_.push_back(range);
  }
}

void Ensemble::choose_missing(const io::Table& table) {
  if (constrained_) return;
  std::vector<int> missing;
  for (int k = 0; k < 2 * dim_; ++k) {
    const bool named =
        std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.variable == k; });
    if (!named && !(section_ && k == section_->coordinate)) missing.push_back(k);
  }
  const auto list_of = [&](const std::vector<int>& variables) {
    std::string text;
    for (int k : variables) text += (text.empty() ? "" : ", ") + names_[static_cast<std::size_t>(k)];
    return text;
  };
  if (energy_.empty()) {
    if (problem_->starts_inside() && std::ranges::all_of(missing, [&](int k) { return k >= dim_; })) return;
    if (!missing.empty()) throw table.error("give energy, or these too: " + list_of(missing));
    return;
  }
  if (missing.empty()) throw table.error("energy", "leave out one velocity, which follows from the energy");
  if (missing.size() > 1)
    throw table.error("one velocity follows from the energy; give all but one of: " + list_of(missing));
  if (missing[0] < dim_) {
    throw table.error("the one variable left out, " + list_of(missing) + ", must be a velocity");
  }
  missing_ = missing[0];
}

std::vector<double> Ensemble::parameters(std::int64_t id) const {
  return parameters_of(id / points_ / energies());
}

std::vector<double> Ensemble::parameters_of(std::int64_t combination) const {
  std::vector<double> values(axes_.size());
  for (std::size_t k = axes_.size(); k-- > 0;) {
    const auto count = static_cast<std::int64_t>(axes_[k].size());
    values[k] = axes_[k][static_cast<std::size_t>(combination % count)];
    combination /= count;
  }
  return values;
}

double Ensemble::place(const Range& range, std::int64_t index) {
  return range.count == 1 ? range.from
                          : range.from + (range.to - range.from) * static_cast<double>(index) /
                                             static_cast<double>(range.count - 1);
}

std::vector<double> Ensemble::base_state(std::int64_t point) const {
  if (kind_ == Kind::list) return list_[static_cast<std::size_t>(point)];
  if (kind_ == Kind::file) return (*stored_)[point];
  std::vector<double> state(static_cast<std::size_t>(2 * dim_), 0.0);
  if (section_ && section_->coordinate >= 0)
    state[static_cast<std::size_t>(section_->coordinate)] = section_->value;
  for (std::size_t k = ranges_.size(); k-- > 0;) {
    const Range& range = ranges_[k];
    const std::int64_t index = point % range.count;
    point /= range.count;
    state[static_cast<std::size_t>(range.variable)] = place(range, index);
  }
  return state;
}

bool Ensemble::acceptable(const std::vector<double>& state, const std::vector<double>& parameters,
                          bool strictly) const {
  const std::span q(state.data(), static_cast<std::size_t>(dim_)),
      v(state.data() + dim_, static_cast<std::size_t>(dim_));
  if (!section_) return true;
  if (section_->coordinate >= 0 && section_->direction != 0) {
    const double rate = v[static_cast<std::size_t>(section_->coordinate)] * section_->direction;
    if (strictly ? rate <= 0 : rate < 0) return false;
  }
  return !section_->condition || section_->condition->holds(problem_->variables(q, v, parameters, 0));
}

std::string Ensemble::asked_at_section() const {
  if (!section_) return {};
  const bool direction = section_->coordinate >= 0 && section_->direction != 0;
  const bool condition = section_->condition.has_value();
  if (direction && condition) return "the section's direction and condition";
  if (direction) return "the section's direction";
  return condition ? "the section's condition" : "";
}

bool Ensemble::complete(std::vector<double>& state, double energy,
                        const std::vector<double>& parameters) const {
  const std::span q(state.data(), static_cast<std::size_t>(dim_)),
      v(state.data() + dim_, static_cast<std::size_t>(dim_));
  const auto accept = [&](double velocity) {
    state[static_cast<std::size_t>(missing_)] = velocity;
    return acceptable(state, parameters, false);
  };
  return sections::velocity_of_energy(*problem_, q, v, missing_ - dim_, parameters, energy, accept)
      .has_value();
}

bool Ensemble::constrain(std::vector<double>& state, std::optional<double> energy,
                         const std::vector<double>& parameters) const {
  const std::span q(state.data(), static_cast<std::size_t>(dim_)),
      v(state.data() + dim_, static_cast<std::size_t>(dim_));
  if (project_ && !problem_->project(q, v, parameters, held_coordinate())) return false;
  if (energy) {
    // What constraints move has a least velocity, across all that they leave free; of others that is rest.
    std::vector<double> least(v.size(), 0.0), place(q.begin(), q.end());
    if (problem_->driven() && !problem_->project(place, least, parameters, -1)) return false;
    const auto factor = sections::factor_of_energy(*problem_, q, least, v, parameters, *energy);
    if (!factor) return false;
    for (std::size_t k = 0; k < v.size(); ++k)
      if (v[k] != least[k]) v[k] = least[k] + *factor * (v[k] - least[k]);
  }
  if (!is_on_manifold(problem_->off_manifold(q, v, parameters), q, v)) return false;
  return whole_states() || acceptable(state, parameters, kind_ == Kind::random);
}

std::optional<double> Ensemble::energy(std::int64_t id) const {
  // An id counts points first, then energies, then combinations of parameters.
  if (energy_.empty()) return std::nullopt;
  return energy_[static_cast<std::size_t>(id / points_ % energies())];
}

bool Ensemble::make_start(std::vector<double>& state, std::optional<double> energy,
                          const std::vector<double>& parameters) const {
  if (constrained_) {
    if (!constrain(state, energy, parameters)) return false;
  } else if (missing_ >= 0) {
    if (!complete(state, *energy, parameters)) return false;
  } else if (random() && !acceptable(state, parameters, true)) {
    return false;
  }
  if (!problem_->starts_inside() || (missing_ >= 0 && !random())) return true;
  // A start on the wall, to round-off, is let pass, unless it is drawn: if its velocity leads outward the
  // flight ends it at once.
  const std::span q(state.data(), static_cast<std::size_t>(dim_));
  return problem_->domain(q, parameters) > (random() ? 0 : -1e-9);
}

EnsembleStart Ensemble::start_of(std::int64_t id, const std::vector<double>& state, bool feasible) const {
  return {{id, {state.begin(), state.begin() + dim_}, {state.begin() + dim_, state.end()}, parameters(id)},
          feasible};
}

EnsembleStart Ensemble::operator[](std::int64_t id) const {
  const std::int64_t point = id % points_;
  const auto parameters = this->parameters(id);
  std::vector<double> state;
  bool feasible = false;
  if (random()) {
    std::uint64_t number = 0;
    for (int attempt = 0; attempt < 20000 && !feasible; ++attempt) {
      state = base_state(point);
      for (const Range& range : ranges_) {
        state[static_cast<std::size_t>(range.variable)] =
            range.from +
            (range.to - range.from) * numerics::uniform(seed_, static_cast<std::uint64_t>(id), number++);
      }
      feasible = make_start(state, energy(id), parameters);
    }
  } else {
    state = base_state(point);
    feasible = make_start(state, energy(id), parameters);
  }
  if (!feasible && missing_ >= 0)
    state[static_cast<std::size_t>(missing_)] = std::numeric_limits<double>::quiet_NaN();
  return start_of(id, state, feasible);
}

EnsembleStart Ensemble::between(std::int64_t id, double part) const {
  const std::int64_t point = id % points_;
  auto state = base_state(point);
  const auto next = base_state(point + 1);
  for (std::size_t k = 0; k < state.size(); ++k) state[k] += part * (next[k] - state[k]);
  if (constrained_) {  // between two states of a manifold is none
    const std::span all(state);
    const auto [q, v] =
        std::pair(all.first(static_cast<std::size_t>(dim_)), all.last(static_cast<std::size_t>(dim_)));
    if (!problem_->project(q, v, parameters(id), held_coordinate())) return {{}, false};
  }
  const bool feasible = make_start(state, energy(id), parameters(id));
  return start_of(id, state, feasible);
}

Ensemble Ensemble::at(const std::vector<double>& parameters, std::optional<double> energy,
                      const std::map<int, double>& held) const {
  Ensemble one = *this;
  for (std::size_t k = 0; k < parameters.size(); ++k) one.axes_[k] = {parameters[k]};
  one.combinations_ = 1;
  if (energy) one.energy_ = {*energy};
  for (Range& range : one.ranges_) {
    const auto value = held.find(range.variable);
    if (value == held.end()) continue;
    one.points_ /= range.count;
    range = {range.variable, value->second, value->second, 1};
  }
  return one;
}

std::vector<double> Ensemble::grid_values(int variable) const {
  std::vector<double> values;
  for (const Range& range : ranges_) {
    if (kind_ != Kind::grid || range.variable != variable) continue;
    for (std::int64_t k = 0; k < range.count; ++k) values.push_back(place(range, k));
  }
  return values;
}

std::vector<std::int64_t> Ensemble::grid_counts() const {
  std::vector<std::int64_t> counts;
  for (const Range& range : ranges_) {
    if (kind_ == Kind::grid) counts.push_back(range.count);
  }
  return counts;
}

std::int64_t Ensemble::scattered(std::int64_t index) const {
  auto stride = static_cast<std::int64_t>(static_cast<double>(size()) / std::numbers::phi);
  while (std::gcd(stride, size()) != 1) ++stride;
  return index * stride % size();
}

void Ensemble::refuse_if_none_feasible() const {
  const bool drawn_for_section = kind_ == Kind::random && section_;
  if (missing_ < 0 && !constrained_ && !problem_->starts_inside() && !drawn_for_section) return;
  const std::int64_t judged = kind_ == Kind::random ? 20 : most_judged;
  for (std::int64_t k = 0; k < std::min(size(), judged); ++k) {
    if ((*this)[scattered(k)].feasible) return;
  }
  // Not all were judged: one of the others may be feasible. Draws of one energy are all alike.
  if (size() > judged && (kind_ != Kind::random || energies() * combinations_ > 1)) return;
  const std::string asked = asked_at_section();
  if (constrained_) {
    const auto first = (*this)[0].start;
    const auto off = problem_->off_manifold(first.q, first.v, first.parameters);
    if (!project_ && (!std::isfinite(off.position) || !std::isfinite(off.velocity)))
      throw table_.error(
          "no start is on the manifold g = 0: at the first a constraint isn't finite, or its slope grad g "
          "vanishes, or it follows from others; move the starts, or state the manifold by a g whose slope "
          "doesn't vanish there");
    if (project_ || is_on_manifold(off, first.q, first.v)) {
      throw table_.error("no start is feasible: each fails to reach the manifold or the energy" +
                         (asked.empty() || whole_states() ? "" : ", or " + asked) + "; move the starts");
    }
    throw table_.error(
        (problem_->rolling() > 0
             ? "no start rolls without slipping, on its manifold: the first is off by |g| / |grad g| = "
             : "no start is on the manifold g = 0 with its velocity tangent: the first is off by |g| / |grad "
               "g| = ") +
        fmt::format("{:.3g} and its velocity by {:.3g}", off.position, off.velocity) +
        " (at most 1e-10 of their sizes); project = true moves them there");
  }
  if (missing_ < 0 && problem_->starts_inside())
    throw table_.error("no start is inside the domain: it is empty, or elsewhere");
  if (missing_ < 0)
    throw table_.error("random", "no start is feasible: no draw has " + asked + "; move the box");
  throw table_.error("energy", "no start is feasible: at none of the " + std::to_string(size()) +
                                   " points does a real " + names_[static_cast<std::size_t>(missing_)] +
                                   " give this energy" + (asked.empty() ? "" : ", with " + asked) +
                                   "; raise the energy, or move the points to where U is lower");
}

std::optional<Status> Ensemble::singular_everywhere(sections::TrajectoryBatch& flight) const {
  if (size() > most_judged) return std::nullopt;
  std::optional<Status> first;
  for (std::int64_t k = 0; k < size(); ++k) {
    const EnsembleStart start = (*this)[scattered(k)];
    if (!start.feasible) continue;
    flight.load(0, start.start);
    const Status status = flight.flown(0).status;
    flight.release(0);
    if (status != Status::singular_mass_matrix && status != Status::singular_constraint) return std::nullopt;
    if (!first) first = status;
  }
  return first;
}

std::vector<std::string> Ensemble::parameter_columns() const {
  std::vector<std::string> columns;
  const auto parameters = problem_->parameters();
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (axes_[k].size() > 1) columns.push_back(parameters[k].name);
  }
  if (energy_.size() > 1) columns.emplace_back("energy");
  return columns;
}

std::vector<double> Ensemble::parameter_row(std::int64_t id) const {
  const auto parameters = this->parameters(id);
  std::vector<double> row;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (axes_[k].size() > 1) row.push_back(parameters[k]);
  }
  if (energy_.size() > 1) row.push_back(energy_[static_cast<std::size_t>(id / points_ % energies())]);
  return row;
}

}  // namespace cotangent::studies
