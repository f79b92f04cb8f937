// SPDX-License-Identifier: BSD-3-Clause
#include "io/dimensions.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace cotangent::io {

namespace {

struct Names {
  std::string_view path;  ///< of a data set, or of a group and what it holds: with a slash at its end
  std::vector<std::string> dimensions;
  std::size_t rank = 0;  ///< of data sets of so many dimensions alone; 0: of any
};

/// The first that fits.
const std::vector<Names>& table() {
  static const std::vector<Names> names = {
      {"/orbits/path", {"orbit", "part"}},
      {"/orbits/points", {"point"}},
      {"/orbits/points_orbit", {"point"}},
      {"/orbits/multipliers", {"orbit", "multiplier"}},
      {"/orbits/", {"orbit"}},
      {"/indicators/averaged", {"once"}},
      {"/indicators/spectrum", {"orbit", "exponent"}},
      {"/indicators/", {"orbit"}},
      {"/histories/", {"orbit", "row"}},
      {"/exits/uncertainty/width", {"width"}},
      {"/exits/uncertainty/", {"grid", "width"}},
      {"/exits/", {"orbit"}},
      {"/families/", {"family", "point"}},
      {"/bifurcations/", {"family", "passage"}},
      {"/manifolds/", {"manifold", "point"}},
      {"/homoclinic/", {"pair", "crossing"}},
      {"/atlas/across", {"across"}},
      {"/atlas/up", {"up"}},
      {"/atlas/", {"up", "across"}},
      {"/section/", {"orbit", "crossing"}},
      {"/collisions/", {"orbit", "collision"}},
      {"/trajectory/time", {"time"}},
      {"/trajectory/multiplier", {"orbit", "time", "constraint"}},
      {"/trajectory/", {"orbit", "time"}},
      {"/collocation/level_error", {"degree", "level"}},
      {"/collocation/", {"degree"}},
      {"/comparison/initial", {"start"}},
      {"/comparison/reference", {"start"}},
      {"/comparison/", {"setting_index"}},
      {"/landscape/x", {"x"}},
      {"/landscape/y", {"y"}},
      {"/landscape/energy", {"x", "y"}, 2},
      {"/landscape/energy", {"parameter_set", "x", "y"}, 3},
      {"/landscape/admissible", {"x", "y"}, 2},
      {"/landscape/admissible", {"parameter_set", "x", "y"}, 3},
      {"/landscape/parameters", {"parameter_set"}},
      {"/landscape/complete", {"parameter_set"}},
      {"/landscape/stationary/eigenvalues", {"point", "eigenvalue"}},
      {"/landscape/stationary/", {"point"}},
      {"/landscape/passes/", {"saddle"}},
      {"/landscape/changes/", {"change"}},
      {"/landscape/boundary/", {"point"}},
      {"/domain/outline", {"segment"}},
      {"/surface/triangles", {"triangle", "corner"}},
      {"/surface/", {"vertex"}},
      {"/particles/time", {"time"}},
      {"/particles/position", {"time", "particle"}},
      {"/particles/velocity", {"time", "particle"}},
      {"/particles/mass", {"particle"}},
      {"/particles/ends", {"rod", "end"}},
      {"/particles/sample_time", {"sample_time"}},
      {"/particles/energy", {"sample_time"}},
      {"/particles/constraint_error", {"sample_time"}},
      {"/particles/momentum", {"sample_time"}},
      {"/particles/temperature", {"sample_time"}},
      {"/particles/mean_square_displacement", {"sample_time"}},
      {"/particles/pair_energy", {"sample_time"}},
      {"/particles/pair_correlation", {"pair_distance"}},
      {"/particles/multiplier", {"sample_time", "rod"}},
      {"/particles/hold", {"sample_time"}},
      {"/particles/worst", {"quantity"}},
      {"/systems/", {"system", "particle"}},
      {"/lattice/time", {"time"}},
      {"/lattice/energy", {"time"}},
      {"/lattice/mode_energy", {"time", "mode"}},
      {"/lattice/invariant", {"time"}},
      {"/lattice/constraint_error", {"time"}},
      {"/lattice/frame_time", {"frame_time"}},
      {"/lattice/place", {"site"}},
      {"/lattice/q", {"frame_time", "site"}},
      {"/lattice/v", {"frame_time", "site"}},
      {"/lattice/position", {"frame_time", "site"}},
      {"/lattice/last_q", {"site"}},
      {"/lattice/last_v", {"site"}},
      {"/mesh/cells", {"cell", "corner"}},
      {"/mesh/", {"vertex"}},
      {"/water/time", {"time"}},
      {"/water/depth", {"time", "vertex"}},
      {"/water/discharge", {"time", "vertex"}},
      {"/water/sample_time", {"sample_time"}},
      {"/water/ledger", {"sample_time"}},
      {"/water/volume", {"sample_time"}},
      {"/water/balance_error", {"sample_time"}},
      {"/water/identity_error", {"sample_time"}},
      {"/water/mean_discharge", {"sample_time"}},
      {"/water/mean_discharge_so_far", {"sample_time"}},
      {"/water/lowest_depth", {"sample_time"}},
      {"/water/effort", {"sample_time"}},
  };
  return names;
}

std::vector<std::string> named(const std::string& path, std::size_t rank) {
  for (const Names& row : table()) {
    if (row.rank != 0 && row.rank != rank) continue;
    if (row.path.ends_with('/') ? path.starts_with(row.path) : path == row.path) return row.dimensions;
  }
  return {};
}

}  // namespace

std::vector<std::vector<std::string>> dimension_names(const std::vector<DataSetSpec>& specs) {
  struct Known {
    std::int64_t length;
    std::vector<std::string> columns;
  };
  std::map<std::string, Known> known;  // by the group's path and the dimension's name
  std::vector<std::vector<std::string>> all;
  for (const DataSetSpec& spec : specs) {
    const std::size_t slash = spec.path.rfind('/') + 1;
    const std::string group = spec.path.substr(0, slash), name = spec.path.substr(slash);
    std::vector<std::string> wanted = named(spec.path, spec.dims.size()), names;
    // Where there are no such times, samples are taken with the frames.
    if (std::ranges::find(specs, group + "sample_time", &DataSetSpec::path) == specs.end())
      std::ranges::replace(wanted, "sample_time", "time");
    std::vector<std::string> columns;
    for (const auto& [label, texts] : spec.labels) {
      if (label == "columns") columns = texts;
    }
    for (std::size_t d = 0; d < spec.dims.size(); ++d) {
      const bool last = d + 1 == spec.dims.size();
      const bool by_columns = last && d > 0 && !columns.empty();
      const std::string wish = by_columns              ? "component"
                               : d < wanted.size()     ? wanted[d]
                               : spec.dims.size() == 1 ? name
                                                       : "";
      const auto fits = [&](const std::string& word) {
        if (word.empty() || std::ranges::find(names, word) != names.end()) return false;
        const auto beside =
            std::ranges::find(specs, group + word, &DataSetSpec::path);  // would be its coordinate
        if (beside != specs.end() && beside->dims != std::vector<std::int64_t>{spec.dims[d]}) return false;
        const auto found = known.find(group + word);
        return found == known.end() ||
               (found->second.length == spec.dims[d] &&
                found->second.columns == (by_columns ? columns : std::vector<std::string>{}));
      };
      const std::string own = name + (by_columns ? "_component" : "_" + std::to_string(d));
      names.push_back(fits(wish) ? wish : own);
      known.try_emplace(group + names.back(),
                        Known{spec.dims[d], by_columns ? columns : std::vector<std::string>{}});
    }
    all.push_back(std::move(names));
  }
  return all;
}

void name_dimensions(File& file, const std::vector<DataSetSpec>& specs) {
  const auto names = dimension_names(specs);
  for (std::size_t k = 0; k < specs.size(); ++k) {
    if (!of_the_run(specs[k].path)) file.name_dimensions(specs[k].path, names[k]);
  }
}

}  // namespace cotangent::io
