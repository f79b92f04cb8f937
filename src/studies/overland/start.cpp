// SPDX-License-Identifier: BSD-3-Clause
#include "studies/overland/start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/release.hpp"
#include "overland/projection.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::studies {

namespace {

const std::vector<std::string> coordinates{"x", "y"};

/// Refuses a value that isn't finite, or below the least that it may be.
double judged(const io::Table& table, const std::string& key, double value, double least,
              const overland::Point& p) {
  if (std::isfinite(value) && value >= least) return value;
  const bool finite = std::isfinite(value);
  throw table.error(key, fmt::format("is {} at ({:.6g}, {:.6g}), must be {}", value, p[0], p[1],
                                     !finite     ? "finite"
                                     : least > 0 ? "positive"
                                                 : "at least 0"));
}

/// A key's formula; nothing where it isn't given as a text.
std::optional<expressions::Expression> formula(const io::Table& table, const std::string& key,
                                               const std::vector<std::string>& names) {
  std::string text;
  try {
    text = table.text(key);
  } catch (const Error&) {
    return std::nullopt;
  }
  try {
    return expressions::Expression::parse(text, names);
  } catch (const Error& error) {
    throw table.error(key, error.what());
  }
}

}  // namespace

MeshField::MeshField(const Task& task, const io::Table& table, const std::string& key,
                     std::optional<double> fallback) {
  if (table.holds_table(key)) {
    raster_ = deck_raster(task, table.table(key).input_file("raster"));
    return;
  }
  if (!table.has(key) && fallback) {
    number_ = table.number(key, *fallback);
    return;
  }
  expression_ = formula(table, key, coordinates);
  if (!expression_) number_ = table.number(key);
}

OverlandFields::OverlandFields(Task& task, OverlandPlan& plan)
    : plan_(plan),
      bed_(task.deck.table("bed")),
      initial_(task.deck.table("initial")),
      friction_(task.deck.table("friction")),
      rain_table_(task.deck.table("rain")),
      height_(plan.ground ? MeshField(*std::move(plan.ground)) : MeshField(task, bed_, "height", 0.0)),
      friction_field_(task, friction_, "coefficient"),
      water_(initial_.has("level") ? MeshField(task, initial_, "level")
                                   : MeshField(task, initial_, "depth", 0.0)),
      level_(initial_.has("level")) {
  if (initial_.has("where")) where_ = read_where(initial_);
  projection_ = initial_.choice("projection", "nodal", {"nodal", "centroid"});
  if (rain_table_.has("table") + rain_table_.has("rasters") + rain_table_.has("rate") > 1)
    throw rain_table_.error("give one of rate, table and rasters");
  if (rain_table_.has("table")) {
    sky_.rate = read_time_series(rain_table_);
  } else if (rain_table_.has("rasters")) {
    for (const auto& entry : rain_table_.tables("rasters")) {
      const double from = entry.number("from");
      if (!rasters_.empty() && !(from > rasters_.back().first)) throw entry.error("from", "must rise");
      rasters_.emplace_back(from, deck_raster(task, entry.input_file("file")));
    }
  } else {
    rain_rate_ = formula(rain_table_, "rate", {"x", "y", "t"});
    if (!rain_rate_) sky_.rate = rain_table_.at_least("rate", 0.0, 0.0);
  }
  const io::Table soil = task.deck.table("infiltration");
  const std::string law = soil.choice("law", "none", {"none", "constant", "green-ampt"});
  if (law == "constant") {
    infiltration_ = {overland::Infiltration::Law::constant, soil.at_least("rate", 0.0), 0};
  } else if (law == "green-ampt") {
    const double conductivity = soil.positive("conductivity");
    const double suction = soil.positive("suction") * soil.positive("deficit");
    infiltration_ = {overland::Infiltration::Law::green_ampt, conductivity, suction};
  }
}

/// The parts of the boundary that the deck makes itself.
void OverlandFields::part_boundaries(overland::Mesh& mesh) const {
  std::vector<std::int64_t> sides(plan_.parts.size());
  for (auto& side : mesh.sides) {
    const auto &a = mesh.vertices[static_cast<std::size_t>(side.ends[0])],
               &b = mesh.vertices[static_cast<std::size_t>(side.ends[1])];
    const std::array middle{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2};
    const auto part = std::ranges::find_if(plan_.parts, [&](const auto& p) { return p.where.holds(middle); });
    if (part == plan_.parts.end()) continue;
    side.boundary = part->boundary;
    ++sides[static_cast<std::size_t>(part - plan_.parts.begin())];
  }
  for (std::size_t k = 0; k < sides.size(); ++k) {
    if (parallel::sum(sides[k]) == 0)
      throw plan_.parts[k].table.error(
          "where", "no side of the boundary, or none that is in no part before, has its middle there");
  }
}

overland::Landscape OverlandFields::landscape() {
  overland::Landscape land;
  land.mesh = overland::distribute(std::move(plan_.triangles), plan_.refine);
  part_boundaries(land.mesh);
  for (MeshField* field : {&height_, &friction_field_}) field->load(land.mesh.vertices);
  land.area = overland::dual_areas(land.mesh);
  land.rules = plan_.rules;
  land.law = plan_.law;
  land.gravity = plan_.gravity;
  const bool weisbach = friction_.text("law", "darcy-weisbach") == "darcy-weisbach";
  const bool manning = !weisbach && plan_.law.depth_power == 5.0 / 3.0 && friction_.text("law") == "manning";
  land.conveyance_at = [this, weisbach, manning](const overland::Point& p) {
    const double k = judged(friction_, "coefficient", friction_field_(p), 1e-300, p);
    return weisbach ? std::sqrt(plan_.gravity / k) : manning ? 1 / k : k;
  };
  parallel::agree([&] {
    for (const auto& p : land.mesh.vertices) {
      land.bed.push_back(judged(bed_, height_.is_raster() ? "raster" : "height", height_(p),
                                -std::numeric_limits<double>::infinity(), p));
      land.conveyance.push_back(land.conveyance_at(p));
    }
    for (std::size_t c = 0; c < land.mesh.cells.size(); ++c) land.conveyance_at(land.mesh.middle(c));
  });
  height_.release();
  return land;
}

overland::Water OverlandFields::water(const overland::Landscape& land) {
  water_.load(land.mesh.vertices);
  const auto start = [this](const overland::Point& p, double bed) {
    if (where_ && !where_->holds(p)) return 0.0;
    if (!level_) return judged(initial_, "depth", water_(p), 0.0, p);
    const double level = judged(initial_, "level", water_(p), -std::numeric_limits<double>::infinity(), p);
    return std::max(0.0, level - bed);
  };
  overland::Water water;
  const std::size_t n = land.mesh.size();
  if (projection_ == "centroid" || plan_.method == "rt0") {
    std::vector<double> values;
    parallel::agree([&] {
      for (std::size_t c = 0; c < land.mesh.cells.size(); ++c) {
        double bed = 0;
        for (const int v : land.mesh.cells[c]) bed += land.bed[static_cast<std::size_t>(v)] / 3;
        values.push_back(start(land.mesh.middle(c), bed));
      }
    });
    water_.release();
    if (plan_.method == "rt0") return overland::rt0_start(land, values);
    water.depth = overland::projected(land.mesh, values);
  } else {
    parallel::agree([&] {
      for (std::size_t v = 0; v < n; ++v) water.depth.push_back(start(land.mesh.vertices[v], land.bed[v]));
    });
    water_.release();
  }
  water.discharge.assign(2 * n, 0.0);
  water.infiltrated.assign(n, 0.0);
  return water;
}

overland::Rain OverlandFields::rain(const overland::Landscape& land) {
  overland::Rain rain = sky_;
  for (auto& entry : rasters_) {
    overland::Raster& raster = entry.second;
    raster.load(raster.around(land.mesh.vertices));
    std::vector<double> values;
    parallel::agree([&] {
      for (const auto& p : land.mesh.vertices)
        values.push_back(judged(rain_table_, "rasters", raster.value(p), 0.0, p));
    });
    rain.fields.emplace_back(entry.first, std::move(values));
    release(raster.values);
  }
  if (!rain_rate_) return rain;
  const auto rates = [this, &land](double time, std::span<double> to) {
    const bool even = !rain_rate_->depends_on(0) && !rain_rate_->depends_on(1);
    for (std::size_t v = 0; v < to.size(); ++v) {
      const auto& p = land.mesh.vertices[v];
      if (even && v > 0) {
        to[v] = to[0];
        continue;
      }
      to[v] = rain_rate_->evaluate(std::array{p[0], p[1], time});
      if (!(std::isfinite(to[v]) && to[v] >= 0))
        throw rain_table_.error(
            "rate", fmt::format("is {} at ({:.6g}, {:.6g}) and t = {:.6g}, must be {}", to[v], p[0], p[1],
                                time, std::isfinite(to[v]) ? "at least 0" : "finite"));
    }
  };
  if (rain_rate_->depends_on(2)) {
    rain.at = rates;
  } else {  // as a raster from the beginning on
    std::vector<double> values(land.mesh.vertices.size());
    parallel::agree([&] { rates(0.0, values); });
    rain.fields.emplace_back(0.0, std::move(values));
  }
  return rain;
}

}  // namespace cotangent::studies
