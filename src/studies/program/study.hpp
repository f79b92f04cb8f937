// SPDX-License-Identifier: BSD-3-Clause
// A study is what `study = "..."` of a deck names: it reads its part of the deck, runs, and writes the
// result. A folder a study, and a line in the list (study.cpp).
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/deck.hpp"
#include "run/terminal.hpp"
#include "sections/problem.hpp"

namespace cotangent::billiards {
struct SetKind;
struct FieldKind;
}  // namespace cotangent::billiards
namespace cotangent::particles {
class Potential;
class Surface;
}  // namespace cotangent::particles
namespace cotangent::lattice {
class Model;
}

namespace cotangent::studies {

using Problems = std::vector<std::unique_ptr<sections::Problem>>;
using Sets = std::vector<billiards::SetKind>;
using Fields = std::vector<billiards::FieldKind>;
using Surfaces = std::vector<std::unique_ptr<particles::Surface>>;
using Potentials = std::vector<std::unique_ptr<particles::Potential>>;
using Lattices = std::vector<std::unique_ptr<lattice::Model>>;

/// What decks can name: all that is built in and the program's own.
struct Statements {
  Problems problems;
  Sets sets;              ///< of billiards
  Fields fields;          ///< in which their particles fly
  Potentials potentials;  ///< of pairs of particles
  Lattices lattices;      ///< sums of local terms
  Surfaces surfaces;      ///< those of the problems that many particles can share

  Statements();
  ~Statements();
  Statements(Statements&&) noexcept;
};

/// What a study is given.
struct Task {
  io::Deck deck;
  const Statements& stated;
  std::string command_line;
  bool resume = false;
  run::Telling telling = run::Telling::text;
  bool check = false;                      ///< read and judge the deck, then stop
  bool compile = false;                    ///< with check: compile its formulas too
  std::string compiled_file = {};          ///< where compiled formulas are left, beside the cache
  bool dry_run = false;                    ///< say what would run and what it would take, then stop
  std::vector<std::string> petsc_options;  ///< the words after --
  std::string deck_file;                   ///< where the deck was read from
  std::string formulas = {};               ///< how the deck's formulas were compiled, once they are read
  std::vector<std::string> warnings = {};  ///< of what the deck says in vain, or may not mean
};

struct Study {
  std::string name, about;
  /// Reads the deck, runs, writes. Collective; throws Error on every rank alike.
  std::function<ExitCode(Task&)> run;
  /// A commented deck that runs as it is.
  std::string example;
  bool takes_petsc_options = false;
};

/// All studies, in the order of the list.
const std::vector<Study>& study_list();

/// The model that `[model] name` asks for or formulas state, with the axes of its parameters: one list of
/// values each.
struct ModelChoice {
  const sections::Problem* problem = nullptr;
  std::shared_ptr<const sections::Problem> formula;  ///< the same, where the deck states it
  std::vector<std::vector<double>> axes;

  /// Whether any parameter has more than one value.
  bool swept() const {
    return std::ranges::any_of(axes, [](const auto& axis) { return axis.size() > 1; });
  }
};
/// With methods that have their tangent maps, which take long to compile, where neighbours are to be
/// followed.
ModelChoice read_model(Task& task, bool tangent_maps = false);
/// Reads `dimension`, of the plane or of space: 2 unless given, or 3.
int read_dimension(const io::Table& table);

Study poincare_study();
Study trajectory_study();
Study atlas_study();
Study landscape_study();
Study work_precision_study();
Study mechanism_study();
Study particles_study();
Study billiard_study();
Study hard_spheres_study();
Study overland_study();
Study lattice_study();
Study collocation_study();
Study periodic_orbits_study();

}  // namespace cotangent::studies
