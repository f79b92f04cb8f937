#include "studies/lattice_samples.hpp"

#include <algorithm>
#include <cmath>

#include "core/status.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

int index(const io::ResultFile& result, const char* name) {
  return result.data_set(std::string("/lattice/") + name);
}
bool on_grid(const LatticePlan& plan) {
  return !plan.network && plan.grid.rows > 1;
}
bool has_invariants(const LatticePlan& plan) {
  return !plan.model->invariant_names().empty() && plan.grid.chain() && !plan.network;
}

/// Columns whose sums are the amplitudes of a mode and their rates.
void add_mode(const LatticePlan& plan, const lattice::Lattice& lattice, std::int64_t k,
              const lattice::Field& q, const lattice::Field& v, std::vector<std::vector<double>>& columns) {
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
std::vector<double> by_site(const lattice::Field& field, std::int64_t own) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < own; ++i) {
    for (int c = 0; c < field.components(); ++c) values.push_back(field[c][i]);
  }
  return values;
}

void write_frame(io::ResultFile& result, const LatticePlan& plan, const lattice::Lattice& lattice,
                 const LatticeSample& sample, std::int64_t row) {
  const auto& [time, energy, error, slack, modes, invariants, q, v] = sample;
  const std::int64_t d = plan.dim();
  if (parallel::rank() == 0) result.write_rows(index(result, "frame_time"), row, 1, &time);
  const std::int64_t first = lattice.here.range.first, own = lattice.own();
  if (own == 0) return;
  std::vector<double> places;
  for (std::int64_t i = 0; i < own && on_grid(plan); ++i) {
    const auto at = plan.place(first + i);
    places.push_back(at[0] + (d == 3 ? q[0][i] : 0.0));
    places.push_back(at[1] + (d == 3 ? q[1][i] : 0.0));
    places.push_back(d == 3 ? q[2][i] : q[0][i]);
  }
  const std::int64_t offset[3] = {row, first, 0}, count[3] = {1, own, d}, in_space[3] = {1, own, 3};
  result.write(index(result, "q"), offset, count, by_site(q, own).data());
  result.write(index(result, "v"), offset, count, by_site(v, own).data());
  if (on_grid(plan)) result.write(index(result, "position"), offset, in_space, places.data());
}

}  // namespace

std::optional<lattice::Invariants> invariants_of(const LatticePlan& plan, const lattice::Lattice& lattice) {
  if (!has_invariants(plan)) return std::nullopt;
  return std::optional<lattice::Invariants>(std::in_place, lattice, *plan.model, plan.parameters);
}

LatticeSample sample_lattice(const LatticePlan& plan, const lattice::Lattice& lattice,
                             lattice::Kernel& kernel, lattice::Method& method,
                             std::optional<lattice::Invariants>& invariants, double time) {
  const std::int64_t own = lattice.own();
  LatticeSample sample;
  sample.time = time;
  sample.q = sample.v = lattice::Field(plan.dim(), lattice.here.left, own, lattice.here.right);
  const lattice::Field &position = method.position(), &velocity = method.velocity();
  for (int c = 0; c < plan.dim(); ++c) {
    std::copy_n(position[c], own, sample.q[c]);
    std::copy_n(velocity[c], own, sample.v[c]);
  }
  method.fill_ghosts(sample.q);
  method.fill_ghosts(sample.v);
  std::vector<std::vector<double>> columns(2, std::vector<double>(static_cast<std::size_t>(own)));
  kernel.energies(components(std::as_const(sample.q)).data(), components(std::as_const(sample.v)).data(),
                  columns[0].data(), columns[1].data());
  for (std::int64_t k = 1; k <= plan.mode_count; ++k) add_mode(plan, lattice, k, sample.q, sample.v, columns);
  const std::vector<std::span<const double>> spans(columns.begin(), columns.end());
  const auto sums = parallel::reproducible_sums(spans);
  sample.energy = {sums[0], sums[1], sums[0] + sums[1]};
  sample.mode_energy = mode_energies(plan, sums);
  if (plan.exact) {
    for (std::int64_t i = 0; i < own; ++i) {
      const double exact = plan.q[0].evaluate(plan.variables(lattice.here.range.first + i, time));
      sample.exact_error = std::max(sample.exact_error, std::abs(sample.q[0][i] - exact));
    }
    sample.exact_error = parallel::maximum(sample.exact_error);
  }
  if (plan.model->constraints() > 0) sample.constraint_error = method.constraint_error();
  if (invariants) sample.invariant = (*invariants)(sample.q, sample.v);
  return sample;
}

std::vector<io::DataSetSpec> lattice_data_sets(const LatticePlan& plan) {
  using io::DataType;
  const std::int64_t n = plan.sites(), f = plan.frames, s = plan.samples, d = plan.dim();
  std::vector<std::string> statuses, names, rates;
  for (const auto name : status_names) statuses.emplace_back(name);
  for (const auto& c : plan.model->coordinates()) {
    names.emplace_back(c.name);
    rates.push_back(std::string(c.name) + "_dot");
  }
  std::vector<io::DataSetSpec> sets{

      {"/lattice/time", DataType::float64, {s}, "1", "of the samples; NaN where the run ended before"},
      {"/lattice/energy",
       DataType::float64,
       {s, 3},
       "1",
       "of the samples",
       {{"columns", {"kinetic", "potential", "total"}}}},
      {"/lattice/frame_time", DataType::float64, {f}, "1", "of the whole states"},
      {"/lattice/q", DataType::float64, {f, n, d}, "1", "coordinates, by site", {{"columns", names}}},
      {"/lattice/v", DataType::float64, {f, n, d}, "1", "their velocities", {{"columns", rates}}},
      {"/lattice/last_time", DataType::float64, {1}, "1", "until which all steps went well"},
      {"/lattice/last_q", DataType::float64, {n, d}, "1", "coordinates there", {{"columns", names}}},
      {"/lattice/last_v", DataType::float64, {n, d}, "1", "their velocities", {{"columns", rates}}},
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
  if (on_grid(plan))
    sets.push_back({"/lattice/position",
                    DataType::float64,
                    {f, n, 3},
                    "1",
                    d == 3 ? "places of the sites in space" : "x, y and the first coordinate",
                    {{"columns", {"x", "y", "z"}}}});
  return sets;
}

void write(io::ResultFile& result, const LatticePlan& plan, const lattice::Lattice& lattice,
           const LatticeSample& sample, std::int64_t row) {
  const auto put = [&](const char* name, const double* values) {
    result.write_rows(index(result, name), row, 1, values);
  };
  if (parallel::rank() == 0) {
    put("time", &sample.time);
    put("energy", sample.energy.data());
    if (plan.exact) put("exact_error", &sample.exact_error);
    if (plan.model->constraints() > 0) put("constraint_error", &sample.constraint_error);
    if (has_invariants(plan)) put("invariant", sample.invariant.data());
    if (plan.mode_count > 0) put("mode_energy", sample.mode_energy.data());
  }
  if (row % plan.frame_samples == 0) write_frame(result, plan, lattice, sample, row / plan.frame_samples);
}

void write_last(io::ResultFile& result, const lattice::Lattice& lattice, double time, const lattice::Field& q,
                const lattice::Field& v) {
  if (parallel::rank() == 0) result.write_rows(index(result, "last_time"), 0, 1, &time);
  const std::int64_t own = lattice.own();
  if (own == 0) return;
  const auto put = [&](const char* name, const lattice::Field& field) {
    const std::vector<double> values = by_site(field, own);
    result.write_rows(index(result, name), lattice.here.range.first, own, values.data());
  };
  put("last_q", q);
  put("last_v", v);
}

void write_blank_samples(io::ResultFile& result, const LatticePlan& plan, const lattice::Lattice& lattice,
                         std::int64_t reached) {
  const std::int64_t own = lattice.own(), d = plan.dim(), frames = (reached - 1) / plan.frame_samples + 1;
  std::vector<double> blank;
  const auto of_sites = [&](const char* name, std::int64_t columns) {
    blank.resize(static_cast<std::size_t>(own * columns), nan);
    for (std::int64_t frame = frames; own > 0 && frame < plan.frames; ++frame) {
      const std::int64_t offset[3] = {frame, lattice.here.range.first, 0}, count[3] = {1, own, columns};
      result.write(index(result, name), offset, count, blank.data());
    }
  };
  of_sites("q", d);
  of_sites("v", d);
  if (on_grid(plan)) of_sites("position", 3);
  if (parallel::rank() != 0) return;
  const auto of_all = [&](const char* name, std::int64_t columns, std::int64_t from, std::int64_t rows) {
    if (from >= rows) return;
    blank.assign(static_cast<std::size_t>((rows - from) * columns), nan);
    result.write_rows(index(result, name), from, rows - from, blank.data());
  };
  of_all("time", 1, reached, plan.samples);
  of_all("energy", 3, reached, plan.samples);
  of_all("frame_time", 1, frames, plan.frames);
  if (plan.mode_count > 0) of_all("mode_energy", plan.mode_count, reached, plan.samples);
  if (plan.exact) of_all("exact_error", 1, reached, plan.samples);
  if (plan.model->constraints() > 0) of_all("constraint_error", 1, reached, plan.samples);
  if (has_invariants(plan))
    of_all("invariant", std::ssize(plan.model->invariant_names()), reached, plan.samples);
}

}  // namespace cotangent::studies
