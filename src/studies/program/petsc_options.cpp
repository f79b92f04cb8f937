// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/petsc_options.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/names.hpp"
#include "la/petsc.hpp"

namespace cotangent::studies {

void refuse_petsc_option(std::string_view option, const std::vector<std::string>& beginnings) {
  std::vector<std::string> common{"-log_view", "-options_left"};
  for (const std::string& beginning : beginnings)
    for (const char* name : {"snes_type", "snes_monitor", "snes_converged_reason", "snes_linesearch_type",
                             "snes_max_it", "snes_view", "ksp_type", "ksp_rtol", "ksp_atol", "ksp_max_it",
                             "ksp_monitor", "ksp_converged_reason", "ksp_gmres_restart", "ksp_view",
                             "pc_type", "pc_factor_mat_solver_type", "pc_factor_shift_type"})
      common.push_back(beginning + name);
  const std::string meant = nearest(option, common);
  throw Error(
      fmt::format("PETSc option '{}' after --: nothing in this run asks for it{}; the options of its solvers "
                  "begin with {}",
                  option, is_likely(option, meant) ? "; did you mean '" + meant + "'?" : "",
                  fmt::join(beginnings, ", ")));
}

void refuse_unused_petsc_options(const std::vector<std::string>& beginnings,
                                 const std::vector<std::string>& accepted) {
  for (const std::string& option : la::unused_options())
    if (std::ranges::none_of(accepted,
                             [&](const auto& text) { return option.find(text) != std::string::npos; }))
      refuse_petsc_option(option.substr(0, option.find(' ')), beginnings);
}

}  // namespace cotangent::studies
