// SPDX-License-Identifier: BSD-3-Clause
// Names of data sets' dimensions: what a group has in common has one name, of its length.
#include "catch.hpp"
#include "io/dimensions.hpp"

using namespace cotangent;
using namespace cotangent::io;

namespace {

DataSetSpec real(const std::string& path, std::vector<std::int64_t> dims,
                 const std::vector<std::string>& columns = {}) {
  DataSetSpec spec{path, DataType::float64, std::move(dims), "1", ""};
  if (!columns.empty()) spec.labels = {{"columns", columns}};
  return spec;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a landscape's grid has the names of its axes, alone or for several parameters") {
  const auto alone = dimension_names(
      {real("/landscape/x", {40}), real("/landscape/y", {30}), real("/landscape/energy", {40, 30})});
  CHECK(alone[2] == Words{"x", "y"});
  const auto several = dimension_names({real("/landscape/x", {40}), real("/landscape/y", {30}),
                                        real("/landscape/parameters", {5, 2}, {"a", "b"}),
                                        real("/landscape/energy", {5, 40, 30})});
  CHECK(several[3] == Words{"parameter_set", "x", "y"});
  CHECK(several[2] == Words{"parameter_set", "component"});
  // A control: another length is another dimension.
  const auto other = dimension_names({real("/landscape/x", {40}), real("/landscape/energy", {41, 30})});
  CHECK(other[1] == Words{"energy_0", "y"});
}

TEST_CASE("what is sampled together has one dimension, and columns are components") {
  const auto names = dimension_names({real("/water/sample_time", {7}), real("/water/balance_error", {7}),
                                      real("/water/effort", {7, 3}, {"steps", "newton", "again"}),
                                      real("/water/ledger", {7, 2}, {"rain", "outflow"})});
  CHECK(names[1] == Words{"sample_time"});
  CHECK(names[2] == Words{"sample_time", "component"});
  CHECK(names[3] == Words{"sample_time", "ledger_component"});  // other columns than effort's
}

TEST_CASE("points and paths of periodic orbits are no orbits") {
  const auto names =
      dimension_names({real("/orbits/period", {4}), real("/orbits/points", {9, 2}, {"x", "v"}),
                       real("/orbits/points_orbit", {9}), real("/orbits/path", {4, 201, 2}, {"x", "v"})});
  CHECK(names[0] == Words{"orbit"});
  CHECK(names[1] == Words{"point", "component"});
  CHECK(names[2] == Words{"point"});
  CHECK(names[3] == Words{"orbit", "part", "component"});
}
