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

chaos::ReturnMap return_map(const FoundOrbit& found) {
  return {found.closure, found.orbit, returns_of(found) / found.returns};
}

}  // namespace

Tangles::Tangles(const OrbitSurvey& survey, const FoundOrbits& found) : survey_(survey), found_(found) {
  auto ids = std::make_shared<std::vector<std::int64_t>>();
  if (survey.manifolds) {
    coordinate_ = survey.section.strobe ? 0 : static_cast<std::size_t>(1 - survey.section.coordinate);
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
    orbits_ = survey.manifolds_of;
    for (std::int64_t k = 0; survey.manifolds_of.empty() && k < std::ssize(found.orbits); ++k) {
      if (hyperbolic(k)) orbits_.push_back(k);
    }
    for (std::int64_t k = parallel::rank(); k < rows(); k += parallel::size()) ids->push_back(k);
  }
  share_ = {rows(), 0, std::ssize(*ids), ids};
  is_done_.assign(ids->size(), 0);
}

std::vector<io::DataSetSpec> Tangles::data_sets() const {
  if (orbits_.empty()) return {};
  const CoordinateColumns state(std::vector{survey_.problem().coordinates()[coordinate_]});
  const auto all = rows(), points = survey_.manifolds->points, most = survey_.homoclinic;
  const std::vector<std::string> kinds{"unstable", "stable"}, ends{"none", "reached", "full", "lost"};
  return {
      {"/manifolds/orbit", DataType::int64, {all}, "1", "whose it is, a row of /orbits"},
      {"/manifolds/kind", DataType::int32, {all}, "1", "unstable or stable", {{"names", kinds}}},
      {"/manifolds/side", DataType::int32, {all}, "1", "1: leaves along the eigenvector; -1: against it"},
      {"/manifolds/returns",
       DataType::int32,
       {all},
       "1",
       "of its map: twice the orbit's where that is inverse"},
      {"/manifolds/multiplier", DataType::float64, {all}, "1", "of this map"},
      {"/manifolds/length",
       DataType::float64,
       {all},
       "1",
       "of its chords, in the coordinate and its velocity"},
      {"/manifolds/count", DataType::int64, {all}, "1", "how many points it has"},
      {"/manifolds/end", DataType::int32, {all}, "1", "how its growth ended", {{"names", ends}}},
      {"/manifolds/t",
       DataType::float64,
       {all, points},
       "1",
       "the map, or its inverse, adds 1; NaN: no point"},
      {"/manifolds/state",
       DataType::float64,
       {all, points, 2},
       state.state_units(),
       "on the section, angles not modulo 2 pi",
       {{"columns", state.state_names()}}},
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
       {all, most, 2},
       state.state_units(),
       "where they cross",
       {{"columns", state.state_names()}}},
      {"/homoclinic/error", DataType::float64, {all, most}, "1", "how far apart the two manifolds are there"},
      {"/homoclinic/area",
       DataType::float64,
       {all, most},
       "1",
       "integral of p dq around the lobe up to the next crossing, along the unstable manifold and back along "
       "the stable one; NaN where that encloses none"},
  };
}

void Tangles::begin(run::Records& records) const {
  const std::vector<double> blank(static_cast<std::size_t>(2 * survey_.homoclinic), nan);
  for (const std::int64_t row : *share_.ids) {
    for (const char* name : {"t_unstable", "t_stable", "state", "error", "area"})
      records.rows(std::string("/homoclinic/") + name, row, 1, blank.data());
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
  const auto [stable, side] = kind_of(row);
  const chaos::ReturnMap map = return_map(orbit_of(row));
  const auto image = map(map.fixed_point());
  if (!image) throw Error("a periodic orbit that was found doesn't return to its section");
  return {map, {map.fixed_point(), image->derivative}, stable, side};
}

void Tangles::advance(run::Records& records) {
  const std::int64_t row = (*share_.ids)[static_cast<std::size_t>(next_)];
  chaos::InvariantManifold grown = manifold(row);
  grown.grow(*survey_.manifolds);
  const auto most = static_cast<std::size_t>(survey_.manifolds->points);
  std::vector<double> t(most, nan), state(2 * most, nan);
  for (std::size_t k = 0; k < grown.nodes().size(); ++k) {
    t[k] = grown.nodes()[k].t;
    state[2 * k] = grown.nodes()[k].at[0];
    state[2 * k + 1] = grown.nodes()[k].at[1];
  }
  const auto [stable, side] = kind_of(row);
  const auto whole = [&](const char* name, std::int32_t value) { records.rows(name, row, 1, &value); };
  const auto number = [&](const char* name, double value) { records.rows(name, row, 1, &value); };
  const std::int64_t orbit = orbits_[static_cast<std::size_t>(row / 4)], count = std::ssize(grown.nodes());
  records.rows("/manifolds/orbit", row, 1, &orbit);
  records.rows("/manifolds/count", row, 1, &count);
  whole("/manifolds/kind", stable ? 1 : 0);
  whole("/manifolds/side", side);
  whole("/manifolds/returns", returns_of(orbit_of(row)));
  whole("/manifolds/end", static_cast<std::int32_t>(grown.end()));
  number("/manifolds/multiplier", grown.multiplier());
  number("/manifolds/length", grown.length());
  records.rows("/manifolds/t", row, 1, t.data());
  records.rows("/manifolds/state", row, 1, state.data());
  is_done_[static_cast<std::size_t>(next_++)] = 1;
}

void Tangles::finish(run::Records& records) {
  parallel::barrier();
  parallel::agree([&] {
    for (const std::int64_t pair : *share_.ids) cross(pair, records);
  });
  crossings_ = parallel::sum(crossings_);
  lobes_ = parallel::sum(lobes_);
}

/// Pairs of an orbit's manifolds: unstable ones 0 and 1 with stable ones 2 and 3. An angle's stable manifolds
/// are there again at every turn.
void Tangles::cross(std::int64_t pair, run::Records& records) {
  const std::int64_t u_row = 4 * (pair / 4) + pair % 2, s_row = 4 * (pair / 4) + 2 + pair % 4 / 2;
  const auto read = [&](std::int64_t row) {
    chaos::InvariantManifold result = manifold(row);
    const auto count = records.read_rows<std::int64_t>("/manifolds/count", row, 1).front();
    const auto t = records.read_rows<double>("/manifolds/t", row, 1),
               state = records.read_rows<double>("/manifolds/state", row, 1);
    std::vector<chaos::InvariantManifold::Node> nodes;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
      nodes.push_back({t[k], {state[2 * k], state[2 * k + 1]}});
    result.restore(std::move(nodes));
    return result;
  };
  const auto unstable = read(u_row), stable = read(s_row);
  const chaos::ReturnMap map = return_map(orbit_of(pair));
  const auto momentum = [&](const chaos::PlanePoint& z) { return map.momentum(z); };
  const auto range = [](const chaos::InvariantManifold& manifold) {
    const auto [low, high] = std::ranges::minmax(
        manifold.nodes(), {}, [](const chaos::InvariantManifold::Node& node) { return node.at[0]; });
    return std::pair{low.at[0], high.at[0]};
  };
  constexpr double turn = 2 * std::numbers::pi;
  const auto [u_low, u_high] = range(unstable);
  const auto [s_low, s_high] = range(stable);
  const bool angle = survey_.problem().coordinates()[coordinate_].angle;
  const auto from = angle ? std::llround(std::ceil((u_low - s_high) / turn)) : 0,
             to = angle ? std::llround(std::floor((u_high - s_low) / turn)) : 0;
  std::int64_t place = 0;
  for (auto turns = from; turns <= to; ++turns) {
    const auto points =
        chaos::homoclinic_points(unstable, stable, {static_cast<double>(turns) * turn, 0}, momentum,
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
      const std::array<std::int64_t, 3> at{pair, place, 0}, both{1, 1, 2};
      records.slab("/homoclinic/state", at, both, point.at.data());
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
  return {
      {"manifolds", fmt::format("{} of {} hyperbolic orbits; they cross at {} points told, around {} lobes",
                                rows(), orbits_.size(), crossings_, lobes_)}};
}

}  // namespace cotangent::studies
