// study = "overland": rain water over a landscape (overland/flow.hpp moves it). Vertices and cells stand in
// the file by ids that don't depend on the ranks; their numbers are collected on rank 0, which writes. A
// checkpoint is one state, of a sample's time: at each sample the scheme forgets what isn't in it, so that a
// run that was stopped goes on to the same bits on as many ranks.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/names.hpp"
#include "io/checkpoint_file.hpp"
#include "io/result_file.hpp"
#include "io/xdmf.hpp"
#include "la/petsc.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"
#include "studies/long_run.hpp"
#include "studies/overland_checkpoint.hpp"
#include "studies/overland_fields.hpp"
#include "studies/report.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<overland::Scheme> make_scheme(const OverlandPlan& plan, const overland::Landscape& land) {
  return plan.method == "mini" ? overland::mini_scheme(land, plan.mini, plan.solver)
                               : overland::conservative_scheme(land, plan.stages, plan.solver);
}

class OverlandRun {
 public:
  OverlandRun(Task& task, const OverlandPlan& plan, OverlandFields& fields)
      : task_(task),
        plan_(plan),
        started_(parallel::wall_time()),
        land_(fields.landscape()),
        rows_(land_.mesh),
        rain_(fields.rain(land_)),
        scheme_(make_scheme(plan, land_)),
        flow_(land_, *scheme_, rain_, fields.infiltration(), plan.stepping, fields.water(land_)) {}

  ExitCode run() {
    open();
    part_[0] = parallel::wall_time() - started_;
    if (status_ == Status::pending) loop();
    if (status_ != Status::pending) {
      io::CheckpointFile::remove(io::checkpoint_path(plan_.file));
      io::write_water_xdmf(plan_.file, result_->read<double>(set("time")));
    }
    const double wall = parallel::wall_time() - started_;
    result_->close({wall, {part_, part_ + 3}});
    report(wall);
    if (status_ == Status::pending) return exit_stopped;
    return is_failure(status_) ? exit_trajectories_failed : exit_success;
  }

 private:
  int set(const char* name) const { return result_->data_set(std::string("/water/") + name); }

  io::ResultContent content() const {
    using io::DataType;
    const std::int64_t n = plan_.vertices, f = plan_.frames, s = plan_.samples;
    std::vector<std::string> statuses;
    for (const auto name : status_names) statuses.emplace_back(name);
    io::ResultContent content;
    content.study = "overland";
    content.deck = task_.deck.resolved();
    content.command_line = task_.command_line;
    content.petsc_version = la::petsc_version();
    content.parts = {"start", "flow", "write"};
    const auto real = [](const char* path, std::vector<std::int64_t> dims, const char* units,
                         const char* meaning, std::vector<std::string> columns = {}) {
      io::DataSetSpec spec{path, DataType::float64, std::move(dims), units, meaning};
      if (!columns.empty()) spec.labels = {{"columns", std::move(columns)}};
      return spec;
    };
    content.data_sets = {
        real("/mesh/vertices", {n, 2}, "1", "by rising y, then x", {"x", "y"}),
        {"/mesh/cells", DataType::int64, {plan_.cells, 3}, "1", "triangles: rows of /mesh/vertices"},
        real("/mesh/bed", {n}, "1", "elevation of the bed"),
        real("/mesh/conveyance", {n}, "1", "c of q = c h^a S^p: sqrt(g / k), 1 / n, or as given"),
        real("/water/time", {f}, "1", "times of the frames; NaN where the run ended before"),
        real("/water/depth", {f, n}, "1", "depth h at the vertices"),
        real("/water/discharge", {f, n, 2}, "1", "discharge per width q", {"qx", "qy"}),
        real("/water/sample_time", {s}, "1", "times of all samples below"),
        real("/water/volume", {s}, "1", "all water on the land"),
        real("/water/ledger", {s, 5}, "1",
             "volumes since the start; volume = start + rain - infiltration + inflow - outflow + clipped",
             {"rain", "infiltration", "inflow", "outflow", "clipped"}),
        real("/water/balance_error", {s}, "1", "|volume - start - ledger| / the largest of them"),
        real("/water/identity_error", {s}, "1",
             "the same of single steps, over the volume: the largest so far; 0 where depths are given"),
        real("/water/mean_discharge", {s}, "1", "|q|, mean over the domain"),
        real("/water/mean_discharge_so_far", {s}, "1", "the same, mean over time"),
        real("/water/lowest_depth", {s}, "1", "the least depth anywhere"),
        real("/water/effort", {s, 3}, "1", "so far", {"steps", "newton_iterations", "steps_done_again"}),
        {"/water/status", DataType::int32, {1}, "1", "how the run ended", {{"names", statuses}}}};
    content.extra_bytes =
        io::CheckpointFile::file_bytes(parallel::size(), overland_state_bytes(plan_.vertices));
    return content;
  }

  void open() {
    const io::ResultContent content = this->content();
    result_.emplace(begin_result(task_, plan_.file, content));
    if (task_.resume) {
      status_ = static_cast<Status>(result_->read<std::int32_t>(set("status")).front());
      if (status_ != Status::pending) return;
    }
    const auto carried = carried_states(task_, plan_.file, content);
    checkpoint_.emplace(io::checkpoint_path(plan_.file), 1, overland_state_bytes(plan_.vertices),
                        fingerprint(content), carried);
    if (!carried.empty()) {
      sample_ = restore_overland(carried.front().payload, land_.mesh, flow_);
    } else {
      write_mesh();
      sample();
    }
  }

  void write_mesh() {
    const overland::Mesh& mesh = land_.mesh;
    std::vector<double> x;
    for (const auto& p : mesh.vertices) x.insert(x.end(), p.begin(), p.end());
    const auto points = rows_.gathered(x, 2), bed = rows_.gathered(land_.bed, 1),
               conveyance = rows_.gathered(land_.conveyance, 1);
    using Cell = std::array<std::int64_t, 3>;
    std::vector<std::vector<Cell>> to(static_cast<std::size_t>(parallel::size()));
    for (const auto& cell : mesh.cells) {
      Cell ids{};
      for (std::size_t k = 0; k < 3; ++k) ids[k] = mesh.id[static_cast<std::size_t>(cell[k])];
      std::rotate(ids.begin(), std::ranges::min_element(ids), ids.end());
      to[0].push_back(ids);
    }
    auto cells = parallel::exchange(std::move(to));
    std::ranges::sort(cells);
    parallel::on_rank_zero([&] {
      result_->write_rows(result_->data_set("/mesh/vertices"), 0, plan_.vertices, points.data());
      result_->write_rows(result_->data_set("/mesh/bed"), 0, plan_.vertices, bed.data());
      result_->write_rows(result_->data_set("/mesh/conveyance"), 0, plan_.vertices, conveyance.data());
      result_->write_rows(result_->data_set("/mesh/cells"), 0, plan_.cells, cells.data()->data());
    });
  }

  /// Everything that is known at this sample, as the next rows. Collective.
  void sample() {
    const double before = parallel::wall_time();
    const overland::Water& water = flow_.water();
    const overland::Progress& p = flow_.progress();
    const double volume = flow_.storage(), balance = flow_.balance_error(), mean = flow_.mean_discharge();
    const double ledger[5] = {p.ledger.rain, p.ledger.infiltration, p.ledger.inflow, p.ledger.outflow,
                              p.ledger.clipped};
    const double effort[3] = {p.steps, p.iterations, p.retries};
    const double so_far = water.time > 0 ? p.discharge_time / water.time : mean;
    double least = std::numeric_limits<double>::infinity();
    for (const double h : water.depth) least = std::min(least, h);
    least = parallel::minimum(least);
    worst_balance_ = std::max(worst_balance_, balance);
    const bool frame = sample_ % plan_.frame_samples == 0;
    const auto depth = frame ? rows_.gathered(water.depth, 1) : std::vector<double>{};
    const auto discharge = frame ? rows_.gathered(water.discharge, 2) : std::vector<double>{};
    parallel::on_rank_zero([&] {
      const auto put = [&](const char* name, const double* values) {
        result_->write_rows(set(name), sample_, 1, values);
      };
      put("sample_time", &water.time);
      put("volume", &volume);
      put("ledger", ledger);
      put("balance_error", &balance);
      put("identity_error", &p.worst_identity);
      put("mean_discharge", &mean);
      put("mean_discharge_so_far", &so_far);
      put("lowest_depth", &least);
      put("effort", effort);
      if (!frame) return;
      const std::int64_t row = sample_ / plan_.frame_samples;
      result_->write_rows(set("time"), row, 1, &water.time);
      result_->write_rows(set("depth"), row, 1, depth.data());
      result_->write_rows(set("discharge"), row, 1, discharge.data());
    });
    part_[2] += parallel::wall_time() - before;
  }

  void loop() {
    Clock clock(started_, plan_.wall_minutes, plan_.checkpoint_minutes);
    const double begun = flow_.water().time;
    while (sample_ + 1 < plan_.samples) {
      const double before = parallel::wall_time();
      scheme_->forget();
      const Status reached = flow_.advance(plan_.sample_time(sample_ + 1));
      part_[1] += parallel::wall_time() - before;
      judge_options();
      if (reached != Status::finished) {
        status_ = reached;
        break;
      }
      ++sample_;
      sample();
      const bool last = sample_ + 1 == plan_.samples;
      const Wish wish = clock.wish();
      if (wish != Wish::go_on && !last) {
        save();
        clock.stored();
        if (wish == Wish::stop) return;
      }
      if (clock.line_due() && !last) {
        const double rate = (flow_.water().time - begun) / (parallel::wall_time() - started_);
        fmt::print("t = {:.4g} of {:.4g} ({:.0f} %), {:.0f} steps, {:.3g} s left\n", flow_.water().time,
                   plan_.time, 100 * flow_.water().time / plan_.time, flow_.progress().steps,
                   (plan_.time - flow_.water().time) / rate);
        std::fflush(stdout);
      }
    }
    if (status_ == Status::pending) status_ = Status::finished;
    finish();
  }

  /// A PETSc option that nothing has asked for after the first solve is misspelt.
  void judge_options() {
    if (judged_) return;
    judged_ = true;
    for (const std::string& option : la::unused_options()) {
      if (option.starts_with("-no_signal_handler") || option.starts_with("-skip_petscrc") ||
          option.find("mat_mumps") != std::string::npos)
        continue;
      throw Error("PETSc option '" + option.substr(0, option.find(' ')) +
                  "' after --: nothing in this run asks for it; this study's options begin with -water_");
    }
  }

  void finish() {
    parallel::on_rank_zero([&] {
      const std::vector<double> blank(static_cast<std::size_t>(2 * plan_.vertices + 5), nan);
      for (std::int64_t row = sample_ + 1; row < plan_.samples; ++row) {
        for (const char* name : {"sample_time", "volume", "ledger", "balance_error", "identity_error",
                                 "mean_discharge", "mean_discharge_so_far", "lowest_depth", "effort"})
          result_->write_rows(set(name), row, 1, blank.data());
      }
      for (std::int64_t row = sample_ / plan_.frame_samples + 1; row < plan_.frames; ++row) {
        for (const char* name : {"time", "depth", "discharge"})
          result_->write_rows(set(name), row, 1, blank.data());
      }
      result_->sync();
      const auto status = static_cast<std::int32_t>(status_);
      result_->write_rows(set("status"), 0, 1, &status);
    });
  }

  void save() {
    const auto state = overland_state(sample_, flow_, rows_);
    parallel::on_rank_zero([&] {
      result_->sync();
      checkpoint_->write(0, 0, std::as_bytes(std::span(state)));
      checkpoint_->sync();
    });
  }

  void report(double wall) {
    if (parallel::rank() != 0) return;
    const overland::Progress& p = flow_.progress();
    std::string text = status_ == Status::pending
                           ? fmt::format("stopped at t = {:.6g}; go on with --resume. So far in {}\n",
                                         flow_.water().time, plan_.file)
                           : fmt::format("result            {}\n", plan_.file);
    text += fmt::format("water             on {} vertices, {} cells; {} to t = {:.6g}", plan_.vertices,
                        plan_.cells, status_ == Status::pending ? "pending" : std::string(name(status_)),
                        flow_.water().time);
    if (is_failure(status_)) text += ": " + flow_.why() + advice();
    text += fmt::format(
        "\nsteps             {:.0f}, {:.2f} Newton iterations a step; {:.0f} done again smaller\n", p.steps,
        p.iterations / std::max(1.0, p.steps), p.retries);
    text += fmt::format(
        "ledger            rain {:.6g}, infiltration {:.6g}, inflow {:.6g}, outflow {:.6g}, clipped {:.3g}\n"
        "balance error     {:.3g} at worst, in the samples\n"
        "time              {:.3g} s on {} ranks: start {:.1f} %, flow {:.1f} %, write {:.1f} %\n",
        p.ledger.rain, p.ledger.infiltration, p.ledger.inflow, p.ledger.outflow, p.ledger.clipped,
        worst_balance_, wall, parallel::size(), 100 * part_[0] / wall, 100 * part_[1] / wall,
        100 * part_[2] / wall);
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  std::string advice() const {
    if (status_ == Status::step_too_small) return "; a larger tolerance may go on";
    return plan_.method == "mini"
               ? "; a smaller step, epsilon between 1e-6 and 1e-4, or method = \"conservative\" "
                 "may go on"
               : "; a smaller step or [solver] linear = \"direct\" may go on";
  }

  Task& task_;
  const OverlandPlan& plan_;
  double started_;
  overland::Landscape land_;
  VertexRows rows_;
  overland::Rain rain_;
  std::unique_ptr<overland::Scheme> scheme_;
  overland::Flow flow_;
  std::optional<io::ResultFile> result_;
  std::optional<io::CheckpointFile> checkpoint_;
  std::int64_t sample_ = 0;
  Status status_ = Status::pending;
  bool judged_ = false;
  double worst_balance_ = 0, part_[3] = {0, 0, 0};
};

ExitCode run(Task& task) {
  const la::Petsc petsc(task.petsc_options);
  OverlandPlan plan = read_overland_plan(task);
  OverlandFields fields(task, plan);
  task.deck.finish();
  if (task.check) return exit_success;
  if (task.dry_run) {
    Estimate estimate;
    estimate.orbits = 1;
    estimate.file_bytes =
        8 * (plan.frames * 3 * plan.vertices + plan.samples * 18 + 4 * plan.vertices + 3 * plan.cells);
    // Measured, of 2 x 10^4 to 2.5 x 10^5 vertices on 1 to 8 ranks: bytes a vertex; a factorisation's entries
    // grow as n log n, and MUMPS takes three times the room.
    const double n = static_cast<double>(plan.vertices), depth = std::log2(std::max(2.0, n));
    const bool mini = plan.method == "mini", across = parallel::size() > 1;
    const double unknowns = mini ? 3 * n : n, factor = (mini ? 300 : 50) * depth * (across ? 3 : 1);
    const double each = !plan.solver.direct ? (mini ? 10500 : 1900) : (mini ? 3000 : 1700) + factor;
    estimate.rank_bytes = (std::int64_t{60} << 20) + static_cast<std::int64_t>(each * n / parallel::size());
    const double steps =
        plan.stepping.tolerance > 0 ? static_cast<double>(3 * plan.samples) : plan.time / plan.stepping.step;
    estimate.seconds = steps * 3 * plan.stages * 6e-6 * unknowns / parallel::size();
    parallel::on_rank_zero([&] { print(estimate); });
    return exit_success;
  }
  return OverlandRun(task, plan, fields).run();
}

}  // namespace

Study overland_study() {
  return {"overland", "rain water that runs over a landscape, depths never negative", run, overland_example,
          true};
}

}  // namespace cotangent::studies
