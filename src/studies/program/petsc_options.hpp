// SPDX-License-Identifier: BSD-3-Clause
// PETSc's options after `--` that a run has no use for: most often they are misspelt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cotangent::studies {

/// Throws Error: nothing in this run asks for this option ("-name"). The text has the option that was
/// probably meant, and how those of this run's solvers begin ("-position_", say).
[[noreturn]] void refuse_petsc_option(std::string_view option, const std::vector<std::string>& beginnings);

/// Refuses the first option that PETSc's own count says nobody has asked for, but for those that hold one of
/// the `accepted` texts: to be called once the solvers have been tried.
void refuse_unused_petsc_options(const std::vector<std::string>& beginnings,
                                 const std::vector<std::string>& accepted = {});

}  // namespace cotangent::studies
