// What a deck of study = "overland" says: the mesh and its bed, the water, friction, sky, soil and
// boundaries, the scheme and its steps, and what is stored.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "overland/flow.hpp"
#include "overland/raster.hpp"
#include "sections/expression.hpp"
#include "studies/study.hpp"

namespace cotangent::studies {

/// A number, or an expression in x and y.
class Field {
 public:
  /// Throws Error that names the key.
  Field(const io::Table& table, const std::string& key, std::optional<double> fallback = {});
  double operator()(const overland::Point& p) const {
    return expression_ ? expression_->evaluate(p) : number_;
  }
  const std::string& key() const { return key_; }

 private:
  std::string key_;
  double number_ = 0;
  std::optional<sections::Expression> expression_;
};

struct OverlandPlan {
  overland::Triangles triangles;  ///< on rank 0
  std::vector<std::string> boundaries;
  std::int64_t vertices = 0, cells = 0;  ///< after refinement
  int refine = 0;
  std::optional<overland::Raster> ground;  ///< the bed's elevation, where a raster gives it
  std::vector<overland::BoundaryRule> rules;
  overland::FrictionLaw law;
  double gravity = 1;
  std::string method;
  int stages = 2;
  overland::MiniOptions mini;
  overland::SolverOptions solver;
  overland::SteppingOptions stepping;
  double time = 0, every = 0;
  std::int64_t samples = 0;        ///< the start among them
  std::int64_t frame_samples = 1;  ///< from one frame to the next
  std::int64_t frames = 0;
  std::string file;
  double checkpoint_minutes = 10;
  double wall_minutes = std::numeric_limits<double>::infinity();

  double sample_time(std::int64_t k) const {
    return k + 1 >= samples ? time : static_cast<double>(k) * every;
  }
};

/// A commented deck that runs as it is.
extern const char* const overland_example;

/// Reads all of the deck but the fields on the mesh. Collective.
OverlandPlan read_overland_plan(Task& task);

/// The landscape on this rank, and the water, rain and soil as they begin: fields of the deck on the mesh.
/// The constructor reads their part of the deck; make() throws Error where one of them is negative or not
/// finite.
class OverlandFields {
 public:
  OverlandFields(Task& task, const OverlandPlan& plan);
  /// Collective, all of them.
  overland::Landscape landscape() const;
  overland::Water water(const overland::Landscape& landscape) const;
  overland::Rain rain(const overland::Landscape& landscape) const;
  const overland::Infiltration& infiltration() const { return infiltration_; }

 private:
  const OverlandPlan& plan_;
  io::Table bed_, initial_, friction_, rain_table_;
  Field height_, friction_field_;
  std::optional<Field> depth_, level_;
  std::optional<sections::Condition> where_;
  std::string projection_;
  overland::Rain sky_;
  std::vector<std::pair<double, overland::Raster>> rasters_;
  overland::Infiltration infiltration_;
};

}  // namespace cotangent::studies
