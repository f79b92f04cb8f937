// SPDX-License-Identifier: BSD-3-Clause
#include "studies/lattice/records.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "parallel/reproducible_sums.hpp"
#include "studies/program/units.hpp"

namespace cotangent::studies {

namespace {

/// Data sets by sample, and by frame.
constexpr std::string_view of_each_sample[] = {"/lattice/time",        "/lattice/energy",
                                               "/lattice/mode_energy", "/lattice/invariant",
                                               "/lattice/exact_error", "/lattice/constraint_error"};
constexpr std::string_view of_each_frame[] = {"/lattice/frame_time", "/lattice/q", "/lattice/v",
                                              "/lattice/position"};

/// They are constant in a closed chain that nothing holds.
bool has_invariants(const LatticePlan& plan) {
  return !plan.model->invariant_names().empty() && plan.grid.chain() && plan.grid.closed() && !plan.network &&
         plan.held.empty();
}

/// Columns whose sums are the amplitudes of a mode and their rates.
void add_mode(const LatticePlan& plan, const lattice::Lattice& lattice, std::int64_t k,
              const lattice::SiteField& q, const lattice::SiteField& v,
              std::vector<std::vector<double>>& columns) {
  for (const bool second : {false, true}) {
    if (second && !plan.modes->pairs()) continue;
    std::vector<double> at, rate;
    for (std::int64_t i = 0; i < lattice.own(); ++i) {
      const double shape = plan.modes->shape(k, lattice.here.range.first + i, second);
      at.push_back(shape * q[0][i]);
      rate.push_back(shape * v[0][i]);
    }
    columns.push_back(std::move(at));
    columns.push_back(std::move(rate));
  }
}
std::vector<double> mode_energies(const LatticePlan& plan, const std::vector<double>& sums) {
  std::vector<double> energies;
  std::size_t at = 2;
  for (std::int64_t k = 1; k <= plan.mode_count; ++k) {
    double energy = 0;
    for (int half = 0; half < (plan.modes->pairs() ? 2 : 1); ++half, at += 2)
      energy += 0.5 * (sums[at + 1] * sums[at + 1] + plan.modes->squared_frequency(k) * sums[at] * sums[at]);
    energies.push_back(energy);
  }
  return energies;
}

/// Site after site, all its components.
std::vector<double> by_site(const lattice::SiteField& field, std::int64_t own) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(own * field.components()));
  for (std::int64_t i = 0; i < own; ++i) {
    for (int c = 0; c < field.components(); ++c) values.push_back(field[c][i]);
  }
  return values;
}

}  // namespace

std::vector<io::DataSetSpec> lattice_data_sets(const LatticePlan& plan) {
  using io::DataType;
  const std::int64_t n = plan.sites(), f = plan.frames, s = plan.samples, d = plan.dim();
  const CoordinateColumns coordinates(plan.model->coordinates());
  const auto& [names, rates, units, rate_units] = coordinates;
  std::vector<std::string> statuses;
  for (const auto name : status_names) statuses.emplace_back(name);
  std::vector<std::string> position_units{"1", "1", units.front()};
  if (d == 3) position_units = units;
  std::vector<io::DataSetSpec> sets{
      {"/lattice/time", DataType::float64, {s}, "1", "of the samples; NaN where the run ended before"},
      {"/lattice/energy",
       DataType::float64,
       {s, 3},
       "1",
       "of the samples",
       {{"columns", {"kinetic", "potential", "total"}}}},
      {"/lattice/frame_time", DataType::float64, {f}, "1", "of the whole states"},
      {"/lattice/q", DataType::float64, {f, n, d}, units, "coordinates, by site", {{"columns", names}}, true},
      {"/lattice/v",
       DataType::float64,
       {f, n, d},
       rate_units,
       "their velocities",
       {{"columns", rates}},
       true},
      {"/lattice/last_time", DataType::float64, {1}, "1", "until which all steps went well"},
      {"/lattice/last_q", DataType::float64, {n, d}, units, "coordinates there", {{"columns", names}}},
      {"/lattice/last_v", DataType::float64, {n, d}, rate_units, "their velocities", {{"columns", rates}}},
      {"/lattice/place",
       DataType::float64,
       {n, 2},
       "1",
       "where sites are, 0 in the middle",
       {{"columns", {"x", "y"}}}},
      {"/lattice/shape", DataType::int64, {2}, "1", "sites along x, rows along y"},
      {"/lattice/status", DataType::int32, {1}, "1", "how the run ended", {{"names", statuses}}}};
  if (plan.mode_count > 0)
    sets.push_back({"/lattice/mode_energy",
                    DataType::float64,
                    {s, plan.mode_count},
                    "1",
                    "energies of the modes of small oscillations, the first first"});
  if (const auto invariants = plan.model->invariant_names(); !invariants.empty() && has_invariants(plan))
    sets.push_back({"/lattice/invariant",
                    DataType::float64,
                    {s, std::ssize(invariants)},
                    "1",
                    "integrals of the motion",
                    {{"columns", invariants}}});
  if (plan.exact)
    sets.push_back({"/lattice/exact_error",
                    DataType::float64,
                    {s},
                    "1",
                    "largest |q - q_exact|, which is the continuum's where sites are close"});
  if (plan.model->constraints() > 0)
    sets.push_back(
        {"/lattice/constraint_error", DataType::float64, {s}, "1", "largest |g| of any constraint"});
  if (plan.on_grid())
    sets.push_back({"/lattice/position",
                    DataType::float64,
                    {f, n, 3},
                    position_units,
                    d == 3 ? "places of the sites in space" : "x, y and the first coordinate",
                    {{"columns", {"x", "y", "z"}}},
                    true});
  return sets;
}

LatticeRecords::LatticeRecords(const LatticePlan& plan, const LatticeMotion& motion)
    : plan_(plan), motion_(motion) {
  if (has_invariants(plan)) invariants_.emplace(motion.lattice(), *plan.model, plan.parameters);
}

void LatticeRecords::enter_places(run::Records& records) const {
  const lattice::Range& range = motion_.lattice().here.range;
  std::vector<double> places;
  for (std::int64_t i = 0; i < range.own; ++i) {
    const auto at = plan_.place(range.first + i);
    places.insert(places.end(), at.begin(), at.end());
  }
  records.rows("/lattice/place", range.first, range.own, places.data());
  const std::int64_t shape[2] = {plan_.network ? plan_.sites() : plan_.grid.length,
                                 plan_.network ? 1 : plan_.grid.rows};
  if (parallel::rank() == 0) records.rows("/lattice/shape", 0, 2, shape);
}

void LatticeRecords::enter(run::Records& records, double time, std::int64_t row) {
  const lattice::Lattice& lattice = motion_.lattice();
  lattice::Method& method = motion_.method();
  const std::int64_t own = lattice.own();
  lattice::SiteField q(plan_.dim(), lattice.here.left, own, lattice.here.right), v = q;
  const lattice::SiteField &position = method.position(), &velocity = method.velocity();
  for (int c = 0; c < plan_.dim(); ++c) {
    std::copy_n(position[c], own, q[c]);
    std::copy_n(velocity[c], own, v[c]);
  }
  method.fill_ghosts(q);
  method.fill_ghosts(v);
  std::vector<std::vector<double>> columns(2, std::vector<double>(static_cast<std::size_t>(own)));
  motion_.kernel().energies(components(std::as_const(q)).data(), components(std::as_const(v)).data(),
                            columns[0].data(), columns[1].data());
  for (std::int64_t k = 1; k <= plan_.mode_count; ++k) add_mode(plan_, lattice, k, q, v, columns);
  const std::vector<std::span<const double>> spans(columns.begin(), columns.end());
  const auto sums = parallel::reproducible_sums(spans);
  const double energy[3] = {sums[0], sums[1], sums[0] + sums[1]};
  if (row == 0) start_energy_ = energy[2];
  energy_error_ = std::max(energy_error_, std::abs(energy[2] - start_energy_));
  records.one("/lattice/time", row, time);
  records.one("/lattice/energy", row, energy);
  if (plan_.mode_count > 0) records.one("/lattice/mode_energy", row, mode_energies(plan_, sums).data());
  if (invariants_) records.one("/lattice/invariant", row, (*invariants_)(q, v).data());
  if (plan_.exact) {
    double error = 0;
    for (std::int64_t i = 0; i < own; ++i)
      error = std::max(
          error,
          std::abs(q[0][i] - plan_.q[0].evaluate(plan_.variables(lattice.here.range.first + i, time))));
    error = parallel::maximum(error);
    exact_error_ = std::max(exact_error_, error);
    records.one("/lattice/exact_error", row, error);
  }
  if (plan_.model->constraints() > 0) {
    const double error = method.constraint_error();
    constraint_error_ = std::max(constraint_error_, error);
    records.one("/lattice/constraint_error", row, error);
  }
  if (row % plan_.frame_samples == 0) enter_frame(records, time, row / plan_.frame_samples, q, v);
}

void LatticeRecords::enter_frame(run::Records& records, double time, std::int64_t frame,
                                 const lattice::SiteField& q, const lattice::SiteField& v) const {
  const std::int64_t first = motion_.lattice().here.range.first, own = motion_.lattice().own();
  const int d = plan_.dim();
  records.one("/lattice/frame_time", frame, time);
  const auto put = [&](const char* path, int columns, const std::vector<double>& values) {
    const std::int64_t offset[3] = {frame, first, 0}, count[3] = {1, own, columns};
    records.slab(path, offset, count, values.data());
  };
  put("/lattice/q", d, by_site(q, own));
  put("/lattice/v", d, by_site(v, own));
  if (!plan_.on_grid()) return;
  std::vector<double> places;
  for (std::int64_t i = 0; i < own; ++i) {
    const auto at = plan_.place(first + i);
    places.push_back(at[0] + (d == 3 ? q[0][i] : 0.0));
    places.push_back(at[1] + (d == 3 ? q[1][i] : 0.0));
    places.push_back(d == 3 ? q[2][i] : q[0][i]);
  }
  put("/lattice/position", 3, places);
}

void LatticeRecords::finish(run::Records& records, double time, std::int64_t reached) {
  const lattice::Range& range = motion_.lattice().here.range;
  lattice::Method& method = motion_.method();
  records.one("/lattice/last_time", 0, time);
  records.rows("/lattice/last_q", range.first, range.own, by_site(method.position(), range.own).data());
  records.rows("/lattice/last_v", range.first, range.own, by_site(method.velocity(), range.own).data());
  const std::int64_t frames = (reached - 1) / plan_.frame_samples + 1;
  for (const auto& set : lattice_data_sets(plan_)) {
    const bool of_frames = std::ranges::count(of_each_frame, set.path) > 0;
    if (of_frames || std::ranges::count(of_each_sample, set.path) > 0)
      records.blank_from(set.path, of_frames ? frames : reached);
  }
}

void LatticeRecords::visit(run::StateFields& state) {
  state.number("start_energy", start_energy_);
  state.number("energy_error", energy_error_);
  state.number("exact_error", exact_error_);
  state.number("constraint_error", constraint_error_);
}

void LatticeRecords::describe(std::vector<run::Line>& lines) const {
  lines.emplace_back("energy error", fmt::format("{:.3g} at worst, in the samples; relative {:.3g}",
                                                 energy_error_, energy_error_ / std::abs(start_energy_)));
  if (plan_.model->constraints() > 0)
    lines.emplace_back("constraint error", fmt::format("{:.3g} at worst, in the samples", constraint_error_));
  if (plan_.exact) lines.emplace_back("exact motion", fmt::format("missed by {:.3g} at worst", exact_error_));
}

}  // namespace cotangent::studies
