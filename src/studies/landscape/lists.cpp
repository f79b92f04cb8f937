// SPDX-License-Identifier: BSD-3-Clause
#include "studies/landscape/lists.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "studies/program/units.hpp"

namespace cotangent::studies {

using io::DataType;

namespace {

const std::vector<std::string> type_names{"minimum", "saddle", "maximum", "degenerate"};
const std::vector<std::string> pass_names{"saddle", "boundary_saddle", "contact"};
const std::vector<std::string> end_names{"stationary", "boundary", "window_edge", "astray"};
const std::vector<std::string> change_names{
    "fold", "pitchfork", "transcritical", "boundary_crossing", "energy_coincidence", "unresolved"};

const ListColumn energy{"energy", DataType::float64, "1", "U there"};
const ListColumn parameter_index{"parameter_index", DataType::int32, "1", "the row of /landscape/parameters"};

ListColumn place(const char* name, const std::string& units, const std::string& meaning) {
  return {name, DataType::float64, units, meaning};
}

template <class Enumeration>
double number(Enumeration value) {
  return static_cast<double>(static_cast<int>(value));
}

}  // namespace

std::int64_t List::width() const {
  std::int64_t sum = 0;
  for (const auto& column : columns) sum += column.width;
  return sum;
}

std::int64_t List::column(std::string_view wanted) const {
  std::int64_t place = 0;
  for (const auto& column : columns) {
    if (column.name == wanted) return place;
    place += column.width;
  }
  throw std::out_of_range("no column " + std::string(wanted) + " in the list " + name);
}

double List::at(std::int64_t row, std::string_view wanted) const {
  return rows[static_cast<std::size_t>(row * width() + column(wanted))];
}

const std::string& List::word(std::int64_t row, std::string_view wanted) const {
  const auto has_name = [&](const ListColumn& column) { return column.name == wanted; };
  const auto& names = std::ranges::find_if(columns, has_name)->names;
  return names.at(static_cast<std::size_t>(at(row, wanted)));
}

std::vector<io::DataSetSpec> List::data_sets() const {
  std::vector<io::DataSetSpec> sets;
  for (const auto& column : columns) {
    io::DataSetSpec set{
        "/landscape/" + name + "/" + column.name, column.type, {size()}, column.units, column.meaning};
    if (column.width > 1) set.dims.push_back(column.width);
    if (!column.names.empty()) set.labels = {{"names", column.names}};
    sets.push_back(set);
  }
  return sets;
}

void List::write(run::Records& records) const {
  for (const auto& column : columns) {
    std::vector<double> values;
    for (std::int64_t row = 0; row < size(); ++row) {
      const auto first = rows.begin() + row * width() + this->column(column.name);
      values.insert(values.end(), first, first + column.width);
    }
    const std::string path = "/landscape/" + name + "/" + column.name;
    if (column.type == DataType::float64) {
      records.rows(path, 0, size(), values.data());
    } else {
      const std::vector<std::int32_t> integers(values.begin(), values.end());
      records.rows(path, 0, size(), integers.data());
    }
  }
}

List stationary_list(const PlaneUnits& units, bool with_passes) {
  List list{"stationary",
            {place("x", units.x, "where grad U = 0"),
             place("y", units.y, "where grad U = 0"),
             energy,
             {"type", DataType::int32, "1", "by the signs of the eigenvalues", type_names},
             {"eigenvalues", DataType::float64, "1", "of the Hessian of U, ascending", {}, 2},
             {"index", DataType::int32, "1", "Poincare index"},
             {"uncertainty", DataType::float64, common_unit({units.x, units.y}),
              "of the place: round-off over the least |eigenvalue|"},
             parameter_index}};
  if (with_passes) {
    list.columns.push_back(
        {"escape_energy", DataType::float64, "1",
         "of a minimum: the least energy that leads over a pass to the boundary or out of the window, "
         "infinite if none does; else NaN"});
  }
  return list;
}

List boundary_list(const PlaneUnits& units) {
  return {"boundary",
          {place("x", units.x, "an extremum of U along the boundary of the admissible region"),
           place("y", units.y, "an extremum of U along the boundary of the admissible region"),
           energy,
           {"minimum", DataType::int32, "1", "whether it is a minimum along the boundary", {"no", "yes"}},
           {"outward_slope", DataType::float64, "1", "dU along the outward normal"},
           parameter_index}};
}

List pass_list(const PlaneUnits& units) {
  const std::string row = "a row of /landscape/stationary or of /landscape/boundary, by its kind; else -1";
  return {
      "passes",
      {place("x", units.x, "the top of the pass"),
       place("y", units.y, "the top of the pass"),
       energy,
       {"kind", DataType::int32, "1",
        "a saddle of U; a boundary maximum to which U falls outwards; a boundary minimum to which it rises",
        pass_names},
       {"number", DataType::int32, "1", "the row of /landscape/stationary, or of /landscape/boundary"},
       {"from_kind", DataType::int32, "1", "where steepest descent ends on one side", end_names},
       {"from", DataType::int32, "1", row},
       {"to_kind", DataType::int32, "1", "where it ends on the other side", end_names},
       {"to", DataType::int32, "1", row},
       {"lowest",
        DataType::int32,
        "1",
        "whether no lower way leads from one side to the other",
        {"no", "yes"}},
       parameter_index}};
}

List change_list(const PlaneUnits& units, const std::string& parameter_units) {
  return {"changes",
          {{"kind", DataType::int32, "1", "what changes", change_names},
           place("parameter", parameter_units, "the value of the parameter at which it does"),
           place("x", units.x, "where"),
           place("y", units.y, "where"),
           energy,
           place("partner_x", units.x, "of an energy coincidence the other point, else the same"),
           place("partner_y", units.y, "of an energy coincidence the other point, else the same")}};
}

LandscapeRows rows_of(const landscapes::Landscape& landscape, std::int64_t index, bool with_passes) {
  LandscapeRows rows;
  const auto k = static_cast<double>(index);
  const landscapes::Connectivity joined = landscapes::connectivity(landscape);
  const auto add = [](std::vector<double>& list, std::initializer_list<double> row) {
    list.insert(list.end(), row);
  };
  for (std::size_t i = 0; i < landscape.stationary.points.size(); ++i) {
    const auto& p = landscape.stationary.points[i];
    add(rows.stationary, {p.point[0], p.point[1], p.energy, number(p.type), p.eigenvalues[0],
                          p.eigenvalues[1], static_cast<double>(p.index), p.uncertainty, k});
    if (!with_passes) continue;
    const bool well = p.type == landscapes::StationaryType::minimum;
    rows.stationary.push_back(well ? joined.escape_energy[i] : std::numeric_limits<double>::quiet_NaN());
  }
  for (const auto& b : landscape.boundary) {
    add(rows.boundary, {b.point[0], b.point[1], b.energy, b.minimum ? 1.0 : 0.0, b.outward_slope, k});
  }
  for (std::size_t i = 0; i < landscape.passes.size(); ++i) {
    const auto& p = landscape.passes[i];
    const auto& [from, to] = p.ends;
    add(rows.passes, {p.point[0], p.point[1], p.energy, number(p.kind), static_cast<double>(p.number),
                      number(from.kind), static_cast<double>(from.number), number(to.kind),
                      static_cast<double>(to.number), joined.lowest[i] ? 1.0 : 0.0, k});
  }
  return rows;
}

std::vector<double> rows_of(const std::vector<landscapes::Bifurcation>& changes) {
  std::vector<double> rows;
  for (const auto& c : changes) {
    rows.insert(rows.end(),
                {number(c.kind), c.parameter, c.point[0], c.point[1], c.energy, c.partner[0], c.partner[1]});
  }
  return rows;
}

void append_passes(List& passes, std::vector<double> rows, std::int64_t first_stationary,
                   std::int64_t first_boundary) {
  const std::int64_t width = passes.width();
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(rows.size()); row += width) {
    const auto value = [&](std::string_view name) -> double& {
      return rows[static_cast<std::size_t>(row + passes.column(name))];
    };
    const auto moved = [&](double& reference, bool stationary) {
      if (reference >= 0) reference += static_cast<double>(stationary ? first_stationary : first_boundary);
    };
    moved(value("number"), value("kind") == number(landscapes::Pass::Kind::saddle));
    moved(value("from"), value("from_kind") == number(landscapes::End::Kind::stationary));
    moved(value("to"), value("to_kind") == number(landscapes::End::Kind::stationary));
  }
  passes.rows.insert(passes.rows.end(), rows.begin(), rows.end());
}

void append_changes(List& changes, const std::vector<double>& rows, const landscapes::Window& window,
                    double parameter_range) {
  const auto near = [](double a, double b, double side, bool periodic) {
    return std::abs(periodic ? std::remainder(a - b, side) : a - b) < 1e-5 * side;
  };
  const auto near_x = [&](double a, double b) {
    return near(a, b, window.x1 - window.x0, window.periodic_x);
  };
  const auto near_y = [&](double a, double b) {
    return near(a, b, window.y1 - window.y0, window.periodic_y);
  };
  const auto width = static_cast<std::size_t>(changes.width());
  for (std::size_t row = 0; row < rows.size(); row += width) {
    const double* b = &rows[row];
    bool known = false;
    for (std::size_t k = 0; k < changes.rows.size() && !known; k += width) {
      const double* a = &changes.rows[k];
      known = a[0] == b[0] && std::abs(a[1] - b[1]) < 1e-7 * parameter_range && near_x(a[2], b[2]) &&
              near_y(a[3], b[3]) && near_x(a[5], b[5]) && near_y(a[6], b[6]);
    }
    if (!known) changes.rows.insert(changes.rows.end(), b, b + width);
  }
}

}  // namespace cotangent::studies
