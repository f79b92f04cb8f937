// What a deck of study = "mechanism" says: the rods and how they begin, the method, what is stored.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "mechanics/triangulation.hpp"
#include "particles/rod_rattle.hpp"
#include "studies/pair_choice.hpp"
#include "studies/study.hpp"

namespace cotangent::studies {

struct MechanismPlan {
  particles::RodOptions options;
  PairChoice pairs;                                 ///< what options.pairs refers to
  std::int64_t steps = 0;                           ///< until the time asked for
  std::int64_t sample_steps = 1;                    ///< from one sample to the next
  std::int64_t samples = 0;                         ///< rows of the result, the start among them
  std::optional<mechanics::Triangulation> surface;  ///< that the points are held on, for pictures
  std::string file;
  double checkpoint_minutes = 10;
  double wall_minutes = std::numeric_limits<double>::infinity();
};

/// A commented deck that runs as it is.
extern const char* const mechanism_example;

/// The dimension that `[model]` asks for: 2 or 3.
int read_dimension(Task& task);
/// A surface that holds points, as it is triangulated; it outlives the function.
mechanics::LevelFunction level_of(const particles::HoldingSurface<3>& surface);
/// Reads `[model]`, `[surface]` and `[molecules]`.
template <int D>
particles::RodSystem<D> read_rods(Task& task);
/// Reads the rest of the deck, refuses what it can't mean, and judges the start.
template <int D>
MechanismPlan read_plan(Task& task, const particles::RodSystem<D>& rods);

}  // namespace cotangent::studies
