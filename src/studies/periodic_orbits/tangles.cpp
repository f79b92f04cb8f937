// SPDX-License-Identifier: BSD-3-Clause
#include "studies/periodic_orbits/tangles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include "parallel/mpi.hpp"
#include "studies/program/units.hpp"

namespace cotangent::studies {

namespace {

using io::DataType;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// As often as the orbit closes; twice as often where that turns its surroundings about.
int returns_of(const FoundOrbit& found) {
  return found.returns * (chaos::stability(found.orbit) == chaos::Stability::inverse ? 2 : 1);
}

/// Of the names or units of a state's numbers those of these columns.
std::vector<std::string> of_columns(const std::vector<std::string>& all, const std::vector<int>& columns) {
  std::vector<std::string> chosen;
  for (const int column : columns) chosen.push_back(all[static_cast<std::size_t>(column)]);
  return chosen;
}

}  // namespace

Tangles::Tangles(const OrbitSurvey& survey, const FoundOrbits& found) : survey_(survey), found_(found) {
  if (survey.manifolds) {
    columns_ = chaos::ReturnMap::columns(survey.problem(), survey.section);
    const auto hyperbolic = [&](std::int64_t k) {
      const auto& orbit = found.orbits[static_cast<std::size_t>(k)].orbit;
      return chaos::stability(orbit) != chaos::Stability::stable && orbit.contraction() > 0 &&
             std::abs(orbit.multiplier.front()) > 1 + 1e-6 && std::abs(orbit.multiplier.back()) < 1 - 1e-6;
    };
    for (const std::int64_t k : survey.manifolds_of) {
      if (k >= std::ssize(found.orbits))
        throw Error(
            fmt::format("[manifolds] orbits: no orbit {}, the search found {}", k, found.orbits.size()));
      if (!hyperbolic(k))
        throw Error(fmt::format("[manifolds] orbits: orbit {} isn't hyperbolic, its trace is {:.6g}", k,
                                found.orbits[static_cast<std::size_t>(k)].orbit.trace()));
    }
    auto orbits = survey.manifolds_of;
    for (std::int64_t k = 0; survey.manifolds_of.empty() && k < std::ssize(found.orbits); ++k) {
      if (hyperbolic(k)) orbits.push_back(k);
    }
    orbits_ = std::ssize(orbits);
    for (const std::int64_t orbit : orbits) {
      const auto first = rows();
      for (int point = 0; point < found.orbits[static_cast<std::size_t>(orbit)].returns; ++point) {
        for (int kind = 0; kind < 4; ++kind) rows_.push_back({orbit, first, point, kind});
      }
    }
  }
  share_ = run::Share::in_turn(rows());
  is_done_.assign(static_cast<std::size_t>(share_.count), 0);
}

std::vector<io::DataSetSpec> Tangles::data_sets() const {
  if (rows_.empty()) return {};
  const CoordinateColumns state(survey_.problem().coordinates());
  const auto names = of_columns(state.state_names(), columns_),
             units = of_columns(state.state_units(), columns_);
  const auto all = rows(), points = survey_.manifolds->points, most = survey_.homoclinic;
  const std::vector<std::string> kinds{"unstable", "stable"}, ends{"none", "reached", "full", "lost"};
  std::vector<io::DataSetSpec> sets{
      {"/manifolds/orbit", DataType::int64, {all}, "1", "whose it is, a row of /orbits"},
      {"/manifolds/point", DataType::int32, {all}, "1", "of the orbit's /orbits/points, from its first"},
      {"/manifolds/kind", DataType::int32, {all}, "1", "unstable or stable", {{"names", kinds}}},
      {"/manifolds/side", DataType::int32, {all}, "1", "1: leaves along the eigenvector; -1: against it"},
      {"/manifolds/returns",
       DataType::int32,
       {all},
       "1",
       "of its map: twice the orbit's where that is inverse"},
      {"/manifolds/multiplier", DataType::float64, {all}, "1", "of this map"},
      {"/manifolds/length", DataType::float64, {all}, "1", "of its chords, in the columns of its points"},
      {"/manifolds/count", DataType::int64, {all}, "1", "how many points it has"},
      {"/manifolds/end", DataType::int32, {all}, "1", "how its growth ended", {{"names", ends}}},
      {"/manifolds/t",
       DataType::float64,
       {all, points},
       "1",
       "the map, or its inverse, adds 1; NaN: no point"},
      {"/manifolds/state",
       DataType::float64,
       {all, points, width()},
       units,
       survey_.billiard
           ? "behind a bounce; NaN: a gap, where the map is discontinuous"
           : "on the section, angles not modulo 2 pi; NaN: a gap, where the map is discontinuous",
       {{"columns", names}}},
      {"/homoclinic/unstable", DataType::int64, {all}, "1", "a row of /manifolds"},
      {"/homoclinic/stable", DataType::int64, {all}, "1", "a row of /manifolds"},
      {"/homoclinic/count", DataType::int64, {all}, "1", "how many crossings are told"},
      {"/homoclinic/t_unstable",
       DataType::float64,
       {all, most},
       "1",
       "where on the unstable manifold; NaN: none"},
      {"/homoclinic/t_stable", DataType::float64, {all, most}, "1", "where on the stable manifold"},
      {"/homoclinic/turns", DataType::int64, {all, most}, "1", "by which the stable manifold is moved"},
      {"/homoclinic/state",
       DataType::float64,
       {all, most, width()},
       units,
       "where they cross",
       {{"columns", names}}},
      {"/homoclinic/error", DataType::float64, {all, most}, "1", "how far apart the two manifolds are there"},
      {"/homoclinic/area",
       DataType::float64,
       {all, most},
       "1",
       "integral of p dq around the lobe up to the next crossing, along the unstable manifold and back along "
       "the stable one; NaN where that encloses none"},
  };
  if (survey_.outline) {
    const std::vector<std::string> of_bounces{"arc", "tangential"};
    sets.push_back({"/manifolds/birkhoff",
                    DataType::float64,
                    {all, points, 2},
                    "1",
                    "along the outline, the domain on its left, and the velocity's share along it",
                    {{"columns", of_bounces}}});
    sets.push_back({"/homoclinic/birkhoff",
                    DataType::float64,
                    {all, most, 2},
                    "1",
                    "where they cross",
                    {{"columns", of_bounces}}});
  }
  return sets;
}

void Tangles::begin(run::Records& records) const {
  const std::vector<double> blank(
      static_cast<std::size_t>(survey_.homoclinic * std::max<std::int64_t>(width(), 2)), nan);
  std::vector<std::string> names{"t_unstable", "t_stable", "state", "error", "area"};
  if (survey_.outline) names.emplace_back("birkhoff");
  for (const std::int64_t row : *share_.ids) {
    for (const std::string& name : names) records.rows("/homoclinic/" + name, row, 1, blank.data());
  }
}

void Tangles::state(run::StateFields& state) {
  if (share_.all == 0) return;
  std::vector<double> done(is_done_.begin(), is_done_.end());
  state.rows("manifolds", share_, 1, done);
  if (!state.reading()) return;
  std::ranges::transform(done, is_done_.begin(), [](double x) { return static_cast<std::int32_t>(x); });
  next_ = 0;
  while (!ended() && is_done_[static_cast<std::size_t>(next_)] != 0) ++next_;
}

chaos::InvariantManifold Tangles::manifold(std::int64_t row) const {
  const Row& it = rows_[static_cast<std::size_t>(row)];
  const FoundOrbit& found = orbit_of(row);
  const auto map = std::make_shared<const chaos::ReturnMap>(found.closure, found.orbit,
                                                            returns_of(found) / found.returns, it.point);
  return {map, map->fixed_point(), it.stable(), it.side()};
}

/// Of states behind bounces.
std::vector<double> Tangles::birkhoff(const std::vector<double>& states) const {
  std::vector<double> result;
  for (std::size_t k = 0; k + 3 < states.size(); k += 4) {
    const double x = states[k], y = states[k + 1];
    if (std::isnan(x)) {
      result.insert(result.end(), {nan, nan});
      continue;
    }
    const auto slope = survey_.problem().wall({x, y}, {}).slope;
    const double size = std::hypot(slope[0], slope[1]);
    const auto [arc, tangential] =
        survey_.outline->bounce({x, y}, {states[k + 2], states[k + 3]}, {slope[0] / size, slope[1] / size});
    result.insert(result.end(), {arc, tangential});
  }
  return result;
}

void Tangles::advance(run::Records& records) {
  const std::int64_t row = (*share_.ids)[static_cast<std::size_t>(next_)];
  chaos::InvariantManifold grown = manifold(row);
  grown.grow(*survey_.manifolds);
  const auto most = static_cast<std::size_t>(survey_.manifolds->points);
  std::vector<double> t(most, nan), state(columns_.size() * most, nan);
  for (std::size_t k = 0; k < grown.nodes().size(); ++k) {
    t[k] = grown.nodes()[k].t;
    std::ranges::copy(grown.nodes()[k].at, state.begin() + static_cast<std::ptrdiff_t>(k) * width());
  }
  const Row& it = rows_[static_cast<std::size_t>(row)];
  const auto whole = [&](const char* name, std::int32_t value) { records.rows(name, row, 1, &value); };
  const auto number = [&](const char* name, double value) { records.rows(name, row, 1, &value); };
  const std::int64_t count = std::ssize(grown.nodes());
  records.rows("/manifolds/orbit", row, 1, &it.orbit);
  records.rows("/manifolds/count", row, 1, &count);
  whole("/manifolds/point", it.point);
  whole("/manifolds/kind", it.stable() ? 1 : 0);
  whole("/manifolds/side", it.side());
  whole("/manifolds/returns", returns_of(orbit_of(row)));
  whole("/manifolds/end", static_cast<std::int32_t>(grown.end()));
  number("/manifolds/multiplier", grown.multiplier());
  number("/manifolds/length", grown.length());
  records.rows("/manifolds/t", row, 1, t.data());
  records.rows("/manifolds/state", row, 1, state.data());
  if (survey_.outline) records.rows("/manifolds/birkhoff", row, 1, birkhoff(state).data());
  is_done_[static_cast<std::size_t>(next_++)] = 1;
}

void Tangles::cross_next(run::Records& records) {
  cross((*share_.ids)[static_cast<std::size_t>(crossed_++)], records);
}

void Tangles::finish(run::Records& records) {
  constexpr auto is_lost = static_cast<std::int32_t>(chaos::InvariantManifold::End::lost);
  for (const std::int64_t row : *share_.ids)
    lost_ += records.read_rows<std::int32_t>("/manifolds/end", row, 1).front() == is_lost;
  lost_ = parallel::sum(lost_);
  crossings_ = parallel::sum(crossings_);
  lobes_ = parallel::sum(lobes_);
}

/// Pairs of an orbit's manifolds: of its first point the unstable ones, 0 and 1, of each the stable ones, 2
/// and 3. An angle's stable manifolds are there again at every turn.
void Tangles::cross(std::int64_t pair, run::Records& records) {
  const Row& it = rows_[static_cast<std::size_t>(pair)];
  const std::int64_t u_row = it.first + it.kind % 2, s_row = it.first + 4 * it.point + 2 + it.kind / 2;
  const auto read = [&](std::int64_t row) {
    chaos::InvariantManifold result = manifold(row);
    const auto count = records.read_rows<std::int64_t>("/manifolds/count", row, 1).front();
    const auto t = records.read_rows<double>("/manifolds/t", row, 1),
               state = records.read_rows<double>("/manifolds/state", row, 1);
    std::vector<chaos::InvariantManifold::Node> nodes;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
      nodes.push_back({t[k], Eigen::Map<const chaos::SectionPoint>(
                                 state.data() + static_cast<std::ptrdiff_t>(k) * width(), width())});
    result.restore(std::move(nodes));
    return result;
  };
  const auto unstable = read(u_row), stable = read(s_row);
  const auto coordinates = survey_.problem().coordinates();
  const auto column = std::ranges::find_if(columns_, [&](int k) {
    return k < std::ssize(coordinates) && coordinates[static_cast<std::size_t>(k)].angle;
  });
  const bool angle = column != columns_.end();
  const auto place_of_angle = angle ? column - columns_.begin() : 0;
  const auto range = [&](const chaos::InvariantManifold& manifold) {
    std::pair<double, double> ends{std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity()};
    for (const auto& node : manifold.nodes()) {
      if (node.gap()) continue;
      ends.first = std::min(ends.first, node.at[place_of_angle]);
      ends.second = std::max(ends.second, node.at[place_of_angle]);
    }
    return ends;
  };
  constexpr double turn = 2 * std::numbers::pi;
  const auto [u_low, u_high] = range(unstable);
  const auto [s_low, s_high] = range(stable);
  const auto from = angle ? std::llround(std::ceil((u_low - s_high) / turn)) : 0,
             to = angle ? std::llround(std::floor((u_high - s_low) / turn)) : 0;
  std::int64_t place = 0;
  for (auto turns = from; turns <= to && place < survey_.homoclinic; ++turns) {
    chaos::SectionPoint shift = chaos::SectionPoint::Zero(width());
    if (angle) shift[place_of_angle] = static_cast<double>(turns) * turn;
    const auto points = chaos::homoclinic_points(unstable, stable, shift,
                                                 static_cast<std::size_t>(survey_.homoclinic - place));
    for (const auto& point : points) {
      const std::array<std::int64_t, 2> offset{pair, place}, one{1, 1};
      const auto number = [&](const char* name, double value) {
        records.slab(std::string("/homoclinic/") + name, offset, one, &value);
      };
      number("t_unstable", point.unstable);
      number("t_stable", point.stable);
      number("error", point.error);
      number("area", point.area);
      const std::int64_t k = turns;
      records.slab("/homoclinic/turns", offset, one, &k);
      const std::array<std::int64_t, 3> at{pair, place, 0}, all{1, 1, width()}, both{1, 1, 2};
      records.slab("/homoclinic/state", at, all, point.at.data());
      if (survey_.outline)
        records.slab("/homoclinic/birkhoff", at, both, birkhoff({point.at.begin(), point.at.end()}).data());
      ++place;
      lobes_ += std::isfinite(point.area);
    }
  }
  crossings_ += place;
  records.rows("/homoclinic/unstable", pair, 1, &u_row);
  records.rows("/homoclinic/stable", pair, 1, &s_row);
  records.rows("/homoclinic/count", pair, 1, &place);
}

std::vector<std::pair<std::string, std::string>> Tangles::summary() const {
  if (!survey_.manifolds) return {};
  std::vector<std::pair<std::string, std::string>> lines{
      {"manifolds", fmt::format("{} of {} hyperbolic orbits; they cross at {} points told, around {} lobes",
                                rows(), orbits_, crossings_, lobes_)}};
  if (lost_ > 0)
    lines.emplace_back(
        "lost", fmt::format("{} of {} manifolds end short of their length, and crossings beyond aren't "
                            "told: nothing that lies on there returns, or the method fails on it",
                            lost_, rows()));
  return lines;
}

}  // namespace cotangent::studies
