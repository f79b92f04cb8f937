// SPDX-License-Identifier: BSD-3-Clause
#include "studies/overland/records.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/names.hpp"
#include "core/release.hpp"
#include "overland/edges.hpp"
#include "parallel/mpi.hpp"
#include "parallel/records.hpp"

namespace cotangent::studies {

namespace {

constexpr const char* frames[] = {"time", "depth", "discharge"};
constexpr const char* samples[] = {"sample_time",           "volume",         "ledger",
                                   "balance_error",         "identity_error", "mean_discharge",
                                   "mean_discharge_so_far", "lowest_depth",   "effort"};

std::string path(const char* name) {
  return std::string("/water/") + name;
}

/// Of rows for all of this rank's vertices those that it owns.
std::vector<double> own_rows(const overland::Mesh& mesh, const std::vector<double>& values, int width) {
  return {values.begin(), values.begin() + std::ptrdiff_t{width} * mesh.own};
}
/// What cells hold of their vertices, from the one of lowest id on; or back.
std::vector<double> turned(const overland::Mesh& mesh, std::vector<double> cells, bool to_lowest) {
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    const auto lowest = std::ranges::min_element(mesh.cells[c], {},
                                                 [&](int v) { return mesh.id[static_cast<std::size_t>(v)]; });
    const auto by = lowest - mesh.cells[c].begin();
    const auto first = cells.begin() + static_cast<std::ptrdiff_t>(4 * c + 1);
    std::rotate(first, first + (to_lowest ? by : (3 - by) % 3), first + 3);
  }
  return cells;
}
io::RowIds own_ids(const overland::Mesh& mesh) {
  return std::make_shared<std::vector<std::int64_t>>(mesh.id.begin(), mesh.id.begin() + mesh.own);
}

}  // namespace

std::vector<io::DataSetSpec> overland_data_sets(const OverlandPlan& plan) {
  using io::DataType;
  const std::int64_t n = plan.vertices, f = plan.frames, s = plan.samples;
  std::vector<std::string> statuses;
  for (const auto name : status_names) statuses.emplace_back(name);
  const auto real = [](const std::string& path, std::vector<std::int64_t> dims, const char* meaning,
                       std::vector<std::string> columns = {}, bool frame = false) {
    io::DataSetSpec spec{path, DataType::float64, std::move(dims), "1", meaning, {}, frame};
    if (!columns.empty()) spec.labels = {{"columns", std::move(columns)}};
    return spec;
  };
  return {real("/mesh/vertices", {n, 2}, "by rising y, then x", {"x", "y"}),
          {"/mesh/cells", DataType::int64, {plan.cells, 3}, "1", "triangles: rows of /mesh/vertices"},
          real("/mesh/bed", {n}, "elevation of the bed"),
          real("/mesh/conveyance", {n}, "c of q = c h^a S^p: sqrt(g / k), 1 / n, or as given"),
          real("/water/time", {f}, "times of the frames; NaN where the run ended before"),
          real("/water/depth", {f, n}, "depth h at the vertices", {}, true),
          real("/water/discharge", {f, n, 2}, "discharge per width q", {"qx", "qy"}, true),
          real("/water/sample_time", {s}, "times of all samples below"),
          real("/water/volume", {s}, "all water on the land"),
          real("/water/ledger", {s, 5},
               "volumes since the start; volume = start + rain - infiltration + inflow - outflow + clipped",
               {"rain", "infiltration", "inflow", "outflow", "clipped"}),
          real("/water/balance_error", {s}, "|volume - start - ledger| / the largest of them"),
          real("/water/identity_error", {s},
               "the same of single steps, over the volume: the largest so far; 0 where depths are given"),
          real("/water/mean_discharge", {s}, "|q|, mean over the domain"),
          real("/water/mean_discharge_so_far", {s}, "the same, mean over time"),
          real("/water/lowest_depth", {s}, "the least depth anywhere"),
          real("/water/effort", {s, 3}, "so far", {"steps", "newton_iterations", "steps_done_again"}),
          {"/water/status", DataType::int32, {1}, "1", "how the run ended", {{"names", statuses}}}};
}

void write_landscape(run::Records& records, const overland::Landscape& land) {
  const overland::Mesh& mesh = land.mesh;
  const io::RowIds ids = own_ids(mesh);
  std::vector<double> points;
  for (const auto& p : mesh.vertices) points.insert(points.end(), p.begin(), p.end());
  records.by_id("/mesh/vertices", -1, ids, own_rows(mesh, points, 2));
  records.by_id("/mesh/bed", -1, ids, own_rows(mesh, land.bed, 1));
  records.by_id("/mesh/conveyance", -1, ids, own_rows(mesh, land.conveyance, 1));
  records.flush();  // else these rows would stay in memory while the solver needs it
  std::vector<std::array<std::int64_t, 3>> cells;
  for (const auto& cell : mesh.cells) {
    auto& row = cells.emplace_back();
    std::ranges::transform(cell, row.begin(), [&](int v) { return mesh.id[static_cast<std::size_t>(v)]; });
    std::rotate(row.begin(), std::ranges::min_element(row), row.end());
  }
  cells = parallel::sorted(std::move(cells), std::less<>());
  const auto first = parallel::sum_before(std::ssize(cells));
  const std::int64_t none = 0;
  records.rows("/mesh/cells", first, std::ssize(cells), cells.empty() ? &none : cells.front().data());
  release(cells);
  records.flush();
}

void write_sample(run::Records& records, std::int64_t row, const overland::Flow& flow, double balance) {
  const overland::Water& water = flow.water();
  const overland::Progress& p = flow.progress();
  const double ledger[] = {p.ledger.rain, p.ledger.infiltration, p.ledger.inflow, p.ledger.outflow,
                           p.ledger.clipped};
  const double effort[] = {p.steps, p.iterations, p.retries};
  const double mean = flow.mean_discharge();
  double least = std::numeric_limits<double>::infinity();
  for (const double h : water.depth) least = std::min(least, h);
  const auto put = [&](const char* name, auto value) { records.one(path(name), row, value); };
  put("sample_time", water.time);
  put("volume", flow.storage());
  put("ledger", ledger);
  put("balance_error", balance);
  put("identity_error", p.worst_identity);
  put("mean_discharge", mean);
  put("mean_discharge_so_far", water.time > 0 ? p.discharge_time / water.time : mean);
  put("lowest_depth", parallel::minimum(least));
  put("effort", effort);
}

void write_frame(run::Records& records, std::int64_t row, const overland::Mesh& mesh,
                 const overland::Water& water) {
  const io::RowIds ids = own_ids(mesh);
  records.one("/water/time", row, water.time);
  records.by_id("/water/depth", row, ids, own_rows(mesh, water.depth, 1));
  records.by_id("/water/discharge", row, ids, own_rows(mesh, water.discharge, 2));
}

void blank_overland_rows(run::Records& records, const OverlandPlan& plan, std::int64_t known) {
  for (const char* name : samples) records.blank_from(path(name), known);
  for (const char* name : frames) records.blank_from(path(name), (known - 1) / plan.frame_samples + 1);
}

std::vector<run::Line> overland_summary(const OverlandPlan& plan, const overland::Flow& flow, Status status,
                                        double balance) {
  const overland::Progress& p = flow.progress();
  const auto& l = p.ledger;
  const std::string why = is_failure(status) ? ": " + flow.why() + plan.advice(status) : "";
  return {{"water", fmt::format("on {} vertices, {} cells; {} to t = {:.6g}{}", plan.vertices, plan.cells,
                                name(status), flow.water().time, why)},
          {"steps", fmt::format("{:.0f}, {:.2f} Newton iterations a step; {:.0f} done again smaller", p.steps,
                                p.iterations / std::max(1.0, p.steps), p.retries)},
          {"solver", plan.solver_text()},
          {"ledger",
           fmt::format("rain {:.6g}, infiltration {:.6g}, inflow {:.6g}, outflow {:.6g}, clipped {:.3g}",
                       l.rain, l.infiltration, l.inflow, l.outflow, l.clipped)},
          {"balance error", fmt::format("{:.3g} at worst, in the samples", balance)}};
}

void visit_water(run::StateFields& state, const overland::Mesh& mesh, overland::Water& water,
                 overland::Progress& progress) {
  state.number("time", water.time);
  overland::Ledger& ledger = progress.ledger;
  for (const auto& [name, number] : {std::pair{"rain", &ledger.rain},
                                     {"infiltration", &ledger.infiltration},
                                     {"inflow", &ledger.inflow},
                                     {"outflow", &ledger.outflow},
                                     {"clipped", &ledger.clipped},
                                     {"start_storage", &progress.start_storage},
                                     {"worst_identity", &progress.worst_identity},
                                     {"discharge_time", &progress.discharge_time},
                                     {"last_discharge", &progress.last_discharge},
                                     {"next_step", &progress.step},
                                     {"steps", &progress.steps},
                                     {"newton_iterations", &progress.iterations},
                                     {"steps_done_again", &progress.retries}})
    state.number(name, *number);

  // Read, a rank has the rows of the vertices that it only sees as well.
  run::Share share{mesh.all_vertices, 0, 0, own_ids(mesh)};
  if (state.reading()) share.ids = std::make_shared<std::vector<std::int64_t>>(mesh.id);
  const auto field = [&](const std::string& name, int width, std::vector<double>& values) {
    if (!state.reading()) values.resize(mesh.size() * static_cast<std::size_t>(width), 0.0);
    std::vector<double> rows = state.reading() ? std::vector<double>{} : own_rows(mesh, values, width);
    state.rows(name, share, width, rows);
    if (state.reading()) values = std::move(rows);
  };
  field("depth", 1, water.depth);
  field("discharge", 2, water.discharge);
  field("infiltrated", 1, water.infiltrated);
  field("rate", 1, water.rate);
  if (parallel::any(!water.cells.empty())) {  // some ranks may have none
    const auto ids = std::make_shared<std::vector<std::int64_t>>(overland::cell_ids(mesh));
    std::vector<double> rows = turned(mesh, water.cells, true);
    state.rows("cells", {mesh.all_cells, 0, 0, ids}, 4, rows);
    water.cells = turned(mesh, rows, false);
  }
  // What the scheme looks back at, as much of it as there is.
  std::int64_t known = std::ssize(water.earlier);
  state.number("earlier_count", known);
  state.index("earlier_count", static_cast<double>(known), overland::most_earlier + 1);
  water.earlier.resize(overland::most_earlier);
  for (int k = 0; k < overland::most_earlier; ++k) {
    overland::Earlier& earlier = water.earlier[static_cast<std::size_t>(k)];
    state.number(fmt::format("earlier_{}_time", k), earlier.time);
    field(fmt::format("earlier_{}_depth", k), 1, earlier.depth);
    field(fmt::format("earlier_{}_discharge", k), 2, earlier.discharge);
  }
  water.earlier.resize(static_cast<std::size_t>(known));
}

}  // namespace cotangent::studies
