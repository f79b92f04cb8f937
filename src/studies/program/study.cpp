// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/study.hpp"

#include "billiards/domain.hpp"
#include "billiards/field.hpp"
#include "core/names.hpp"
#include "lattice/kernel.hpp"
#include "particles/pair_kernel.hpp"
#include "particles/surface_motion.hpp"
#include "studies/program/formula_model.hpp"

namespace cotangent::studies {

Statements::Statements() = default;
Statements::~Statements() = default;
Statements::Statements(Statements&&) noexcept = default;

const std::vector<Study>& study_list() {
  static const std::vector<Study> list{poincare_study(),       trajectory_study(),     atlas_study(),
                                       landscape_study(),      work_precision_study(), mechanism_study(),
                                       particles_study(),      billiard_study(),       hard_spheres_study(),
                                       overland_study(),       lattice_study(),        collocation_study(),
                                       periodic_orbits_study()};
  return list;
}

ModelChoice read_model(Task& task, bool tangent_maps) {
  if (states_model(task.deck)) return read_formula_model(task, tangent_maps);
  const io::Table table = task.deck.table("model");
  std::vector<std::string> names;
  for (const auto& problem : task.stated.problems) names.push_back(problem->name());
  const std::string name = table.choice("name", names);
  ModelChoice choice;
  for (const auto& problem : task.stated.problems) {
    if (problem->name() == name) choice.problem = problem.get();
  }
  for (const auto& parameter : choice.problem->parameters()) {
    choice.axes.push_back(table.axis(parameter.name, parameter.value));
  }
  return choice;
}

int read_dimension(const io::Table& table) {
  const std::int64_t dimension = table.integer("dimension", 2);
  if (dimension != 2 && dimension != 3) throw table.error("dimension", "must be 2 or 3");
  return static_cast<int>(dimension);
}

}  // namespace cotangent::studies
