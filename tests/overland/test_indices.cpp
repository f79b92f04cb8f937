// SPDX-License-Identifier: BSD-3-Clause
// Meshes and systems that PETSc's indices can't number are refused; the limit is planted lower.
#include "core/error.hpp"
#include "la/indices.hpp"
#include "la/petsc.hpp"
#include "mpi_test.hpp"
#include "overland/mesh.hpp"
#include "overland/projection.hpp"

namespace cotangent::overland {
namespace {

TEST_CASE("What PETSc's indices can't count is refused on every rank before it is made") {
  const la::Petsc petsc;
  CHECK_ALL(la::largest_index() == (sizeof(PetscInt) == 8 ? INT64_MAX : std::int64_t{2147483647}));
  // 8 x 8 squares, halved once: 289 vertices, 512 cells.
  const auto refusal = [](std::int64_t largest) {
    const la::LowerIndices lower(largest);
    return test::text_thrown<Error>([] {
      const Mesh mesh = distribute(rectangle({0, 0}, {1, 1}, 8, 8), 1);
      projected(mesh, std::vector<double>(mesh.cells.size(), 1.0));
    });
  };
  const std::string vertices = refusal(288);
  INFO(vertices);
  CHECK_ALL(vertices.find("the mesh's vertices: 289 unknowns") == 0);
  CHECK_ALL(vertices.find("count to 288") != std::string::npos);
  CHECK_ALL(vertices.find("64-bit indices") != std::string::npos);
  const std::string entries = refusal(600);
  INFO(entries);
  CHECK_ALL(entries.find("the mass matrix: ") == 0);
  CHECK_ALL(entries.find(" entries on rank ") != std::string::npos);
  CHECK_ALL(refusal(9 * 512).empty());  // the control
}

}  // namespace
}  // namespace cotangent::overland
