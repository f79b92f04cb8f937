// SPDX-License-Identifier: BSD-3-Clause
// The fields of a deck of study = "overland" on the mesh: bed, friction, water, rain; and the soil.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/release.hpp"
#include "expressions/expression.hpp"
#include "studies/overland/deck.hpp"

namespace cotangent::studies {

/// A field over the land: a number, an expression in x and y, or { raster = "FILE" }.
class MeshField {
 public:
  /// Throws Error that names the key.
  MeshField(const Task& task, const io::Table& table, const std::string& key,
            std::optional<double> fallback = {});
  explicit MeshField(overland::Raster raster) : raster_(std::move(raster)) {}
  /// Reads of a raster what lies around this rank's points. Collective.
  void load(std::span<const overland::Point> points) {
    if (raster_) raster_->load(raster_->around(points));
  }
  void release() {
    if (raster_) cotangent::release(raster_->values);
  }
  bool is_raster() const { return raster_.has_value(); }
  /// Of a raster, once it is loaded.
  double operator()(const overland::Point& p) const {
    return raster_ ? raster_->value(p) : expression_ ? expression_->evaluate(p) : number_;
  }

 private:
  double number_ = 0;
  std::optional<expressions::Expression> expression_;
  std::optional<overland::Raster> raster_;
};

/// The landscape on this rank, and the water, rain and soil as they begin: fields of the deck on the mesh.
/// The constructor reads their part of the deck; the others throw Error where one of them is negative or not
/// finite.
class OverlandFields {
 public:
  OverlandFields(Task& task, OverlandPlan& plan);
  /// Of the plan's triangles, which it takes. Collective, as all of them.
  overland::Landscape landscape();
  overland::Water water(const overland::Landscape& landscape);
  /// Of a landscape that outlives it.
  overland::Rain rain(const overland::Landscape& landscape);
  const overland::Infiltration& infiltration() const { return infiltration_; }

 private:
  void part_boundaries(overland::Mesh& mesh) const;

  OverlandPlan& plan_;
  io::Table bed_, initial_, friction_, rain_table_;
  MeshField height_, friction_field_;
  MeshField water_;  ///< its depth, or the level of its surface
  bool level_;
  std::optional<expressions::Condition> where_;
  std::string projection_;
  overland::Rain sky_;
  std::optional<expressions::Expression> rain_rate_;  ///< where it is a formula
  std::vector<std::pair<double, overland::Raster>> rasters_;
  overland::Infiltration infiltration_;
};

/// The land, its water and what moves it.
struct OverlandSheet {
  OverlandSheet(const OverlandPlan& plan, OverlandFields& fields)
      : land(fields.landscape()),
        rain(fields.rain(land)),
        scheme(plan.scheme(land)),
        flow(land, *scheme, rain, fields.infiltration(), plan.stepping, fields.water(land)) {}
  const overland::Landscape land;
  const overland::Rain rain;
  const std::unique_ptr<overland::Scheme> scheme;
  overland::Flow flow;
};

}  // namespace cotangent::studies
