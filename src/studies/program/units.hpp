// SPDX-License-Identifier: BSD-3-Clause
// Units of what coordinates and their velocities are stored in; the convention stands at io::Units.
#pragma once

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace cotangent::studies {

/// "1" where a coordinate names none.
inline std::string unit_or_one(std::string_view unit) {
  return std::string(unit.empty() ? "1" : unit);
}

/// The unit of a coordinate's velocity: "1" of "1", "rad/time" of "rad".
inline std::string per_time(const std::string& unit) {
  return unit_or_one(unit) == "1" ? "1" : unit + "/time";
}

/// The unit of what is measured across coordinates, such as a distance: theirs if they have one, else "1".
inline std::string common_unit(const std::vector<std::string>& units) {
  const bool same =
      !units.empty() && std::ranges::all_of(units, [&](const std::string& unit) { return unit == units[0]; });
  return same ? units[0] : "1";
}

/// Names and units of coordinates and of their velocities, as columns of data sets.
struct CoordinateColumns {
  std::vector<std::string> names, velocity_names, units, velocity_units;

  /// Of anything with `name` and `unit`.
  template <std::ranges::range Coordinates>
  explicit CoordinateColumns(const Coordinates& coordinates) {
    for (const auto& c : coordinates) {
      names.emplace_back(c.name);
      velocity_names.push_back(std::string(c.name) + "_dot");
      units.push_back(unit_or_one(c.unit));
      velocity_units.push_back(per_time(units.back()));
    }
  }
  /// Of a state: q, then v.
  std::vector<std::string> state_names() const { return joined(names, velocity_names); }
  std::vector<std::string> state_units() const { return joined(units, velocity_units); }

 private:
  static std::vector<std::string> joined(std::vector<std::string> q, const std::vector<std::string>& v) {
    q.insert(q.end(), v.begin(), v.end());
    return q;
  }
};

/// Units of the named ones among a model's parameters; "1" of any other name, such as the energy.
template <std::ranges::range Parameters>
std::vector<std::string> parameter_units(const Parameters& parameters,
                                         const std::vector<std::string>& names) {
  std::vector<std::string> units;
  for (const std::string& name : names) {
    units.emplace_back("1");
    for (const auto& p : parameters)
      if (p.name == name) units.back() = unit_or_one(p.unit);
  }
  return units;
}

}  // namespace cotangent::studies
