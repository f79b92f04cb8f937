// SPDX-License-Identifier: BSD-3-Clause
#include "la/indices.hpp"

#include <petscsys.h>

#include "core/error.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::la {

namespace {
constexpr std::int64_t petsc_counts_to = PETSC_MAX_INT;
std::int64_t& limit() noexcept {
  static std::int64_t largest = petsc_counts_to;
  return largest;
}
}  // namespace

std::int64_t largest_index() noexcept {
  return limit();
}

void require_indices(const std::string& what, std::int64_t all_unknowns, std::int64_t entries_here) {
  parallel::agree([&] {
    const auto refuse = [&](std::int64_t count, const std::string& of) {
      if (count > limit())
        throw Error(what + ": " + std::to_string(count) + of + ", but PETSc's indices of " +
                    std::to_string(8 * sizeof(PetscInt)) + " bits count to " + std::to_string(limit()) +
                    "; a PETSc with 64-bit indices (src/la/README.md), a coarser mesh or more ranks help");
    };
    refuse(all_unknowns, " unknowns");
    refuse(entries_here, " entries on rank " + std::to_string(parallel::rank()));
  });
}

LowerIndices::LowerIndices(std::int64_t largest) noexcept {
  limit() = largest;
}
LowerIndices::~LowerIndices() {
  limit() = petsc_counts_to;
}

}  // namespace cotangent::la
