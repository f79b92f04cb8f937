// SPDX-License-Identifier: BSD-3-Clause
#include "studies/periodic_orbits/families.hpp"

#include <algorithm>

namespace cotangent::studies {

/// The families that follow from one orbit, one after the other: its own, then those that branch off.
class Families::Lineage {
 public:
  Lineage(const OrbitSurvey& survey, const FoundOrbit& found, std::int64_t first_family)
      : survey_(survey), first_(first_family), closure_(found.closure) {
    closure_.continue_to(*survey.continued, survey.rule.to);
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
    const int own = 10 + static_cast<int>(chaos::Family::saved_size(closure));
    return own + static_cast<int>(survey.offspring) * (2 + 2 * closure.unknowns());
  }
  void save(std::vector<double>& out) const {
    const auto end = out.size() + static_cast<std::size_t>(width(survey_));
    for (const int n :
         {family_ ? 1 : 0, number_, known_, closure_.returns, row_.points, row_.bifurcations, row_.returns,
          row_.parent, static_cast<int>(waiting_.size()), static_cast<int>(orbits_)})
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
    orbits_ = whole();
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
    if (known_ == survey_.offspring) return;
    for (const auto& child : chaos::branch_off(closure_, bifurcation, survey_.branch)) {
      if (known_ == survey_.offspring) return;
      if ((child.orbit.value() - survey_.rule.to) * (bifurcation.orbit.value() - survey_.rule.to) <= 0)
        continue;
      ++known_;
      waiting_.push_back(
          {child.closure.returns, static_cast<int>(first_) + number_, child.orbit.unknowns, child.tangent});
    }
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

Families::Families(const OrbitSurvey& survey, const FoundOrbits& found, const run::Share& share)
    : survey_(survey), share_(share) {
  if (!survey.continued) return;
  for (const std::int64_t k : *share.ids)
    lineages_.emplace_back(survey, found.orbits[static_cast<std::size_t>(k)], k * (1 + survey.offspring));
}
Families::~Families() = default;

void Families::begin(run::Records& records) const {
  if (!survey_.continued) return;
  for (const std::int64_t orbit : *share_.ids) {
    for (std::int64_t k = 0; k <= survey_.offspring; ++k)
      blank_family(records, survey_, orbit * (1 + survey_.offspring) + k);
  }
}

void Families::state(run::StateFields& state) {
  if (!survey_.continued || share_.all == 0) return;
  const int width = Lineage::width(survey_);
  std::vector<double> rows;
  if (state.reading()) {
    rows.resize(lineages_.size() * static_cast<std::size_t>(width));
  } else {
    for (const Lineage& lineage : lineages_) lineage.save(rows);
  }
  state.rows("lineages", share_, width, rows);
  if (!state.reading()) return;
  for (std::size_t k = 0; k < lineages_.size(); ++k)
    lineages_[k].restore(rows.data() + k * static_cast<std::size_t>(width));
}

std::int64_t Families::advance(std::int64_t orbits, run::Records& records) {
  for (auto& lineage : lineages_) {
    for (; orbits > 0 && !lineage.ended(); --orbits) lineage.advance(records);
  }
  return orbits;
}

std::int64_t Families::done() const {
  return std::ranges::count_if(lineages_, &Lineage::ended);
}
std::int64_t Families::all() const {
  return std::ssize(lineages_);
}
void Families::hand_over(run::Records& records) const {
  for (const auto& lineage : lineages_) lineage.hand_over(records);
}
std::int64_t Families::orbits() const {
  std::int64_t orbits = 0;
  for (const auto& lineage : lineages_) orbits += lineage.orbits();
  return orbits;
}

}  // namespace cotangent::studies
