// SPDX-License-Identifier: BSD-3-Clause
// Parts of the wall that let particles out: who leaves where, when and how; bounces by set, and the exponents
// of the maps between them.
#include <cmath>

#include "billiards/problem.hpp"
#include "billiards/sets/circle.hpp"
#include "billiards/sets/lorentz.hpp"
#include "billiards/sets/rectangle.hpp"
#include "catch.hpp"

using namespace cotangent;
using namespace cotangent::billiards;

namespace {

const std::array<std::string, 2> places{"x", "y"};

Domain<2> box() {
  Domain<2> domain;
  domain.add<Rectangle>("box", {1.0, 1.0});
  domain.enclose_all();
  return domain;
}

/// What a particle from the middle with the velocity (1, 1/2) leaves behind. Its hits: (1, 1/2) at t = 1,
/// (0, 1) at t = 2, (-1, 1/2) at t = 3, (0, 0) being passed at t = 4.
sections::TrajectoryRecord flown(const std::vector<std::string>& exits, const Domain<2>& domain = box(),
                                 bool tangent = false, double time = 10) {
  BilliardRules<2> rules;
  rules.tangent = tangent;
  for (const auto& text : exits) rules.exits.push_back(expressions::Expression::parse(text, places));
  const auto problem = make_billiard<2>(domain, rules);
  sections::Observation watch;
  watch.stop.time = time;
  watch.stop.crossings = 0;
  const auto flight = problem->fly({}, watch, 1);
  const sections::Start start{0, {0.0, 0.0}, {1.0, 0.5}, {}};
  flight->load(0, start);
  std::vector<double> state(flight->state_size());
  flight->advance(2);
  if (flight->flown(0).status == Status::pending) {  // on from what was saved
    flight->save(0, state);
    flight->restore(0, start, state);
  }
  while (flight->flown(0).status == Status::pending) flight->advance(100);
  return flight->flown(0);
}

}  // namespace

TEST_CASE("A particle leaves where it meets the wall within an exit, as it came", "[unit]") {
  const auto first = flown({"x - 0.9"});
  CHECK(first.status == Status::left_domain);
  CHECK(first.crossing_count == 0);
  CHECK(std::vector(first.tallies.end() - 3, first.tallies.end()) == std::vector{0.0, 1.0, 0.0});
  CHECK(first.v == std::vector{1.0, 0.5});  // not thrown back
  CHECK(first.q == std::vector{1.0, 0.5});
  CHECK(first.tallies[0] == 0.0);  // nor has the wall been pushed

  const auto third = flown({"y - 2", "-0.9 - x"});
  CHECK(third.status == Status::left_domain);
  CHECK(std::vector(third.tallies.end() - 3, third.tallies.end()) == std::vector{1.0, 3.0, 2.0});
  CHECK(third.v == std::vector{-1.0, -0.5});
  CHECK(third.tallies[0] == 3.0);  // of the two walls before: 2 |v_x| + 2 |v_y|
  CHECK(third.tallies[2] == 2.0);

  CHECK(flown({"y - 0.4", "x - 0.5"}).tallies.end()[-3] == 1.0);  // beyond both: the deeper
}

TEST_CASE("Where it flies through, or beside the hits, an exit lets nobody out", "[unit]") {
  for (const char* text : {"0.1 - (x - 0.4)^2", "0.1 - x^2 - y^2", "0.01 - (x - 1)^2 - (y + 0.5)^2"}) {
    const auto stayed = flown({text}, box(), false, 4.0);
    INFO(text);
    CHECK(stayed.status == Status::finished);
    CHECK(stayed.tallies.end()[-3] == -1.0);
    CHECK(std::isnan(stayed.tallies.end()[-2]));
    CHECK(stayed.crossing_count == 3);
  }
}

TEST_CASE("Exponents by bounces off each set, and the mean times between them", "[unit]") {
  Domain<2> domain;
  domain.add<Rectangle>("box", {0.5, 0.5}, {{0.4, 0.3}});
  domain.add<Circle>("disc", {0.2}, {{0.4, 0.3}});
  domain.add<Circle>("far", {0.1}, {{7.0, 0.0}});
  domain.enclose("(box and not disc) or far");
  const auto r = flown({}, domain, true, 20000.0);
  const auto bounces = [&](std::size_t set) { return r.tallies[6 + set]; };
  CHECK(bounces(0) + bounces(1) == static_cast<double>(r.crossing_count));
  CHECK(bounces(2) == 0);
  // The mean time between bounces off a part of the wall of length l is pi A/(|v| l).
  const double pi = std::numbers::pi, area = 1 - 0.04 * pi, speed = std::sqrt(1.25);
  CHECK(std::abs(r.t / bounces(0) / (pi * area / (speed * 4.0)) - 1) < 0.02);
  CHECK(std::abs(r.t / bounces(1) / (pi * area / (speed * 0.4 * pi)) - 1) < 0.02);
  const double whole = r.tallies[9] * r.t;
  CHECK(std::abs(r.tallies[10] * bounces(0) / whole - 1) < 1e-12);
  CHECK(std::abs(r.tallies[11] * bounces(1) / whole - 1) < 1e-12);
  CHECK(std::isnan(r.tallies[12]));
  CHECK(whole > 1000);
}

TEST_CASE("The triangle of the hexagonal Lorentz gas has the lattice's mean free time", "[unit]") {
  // Between hits of discs, pi A/(2 pi r) in the lattice's cell: of its walls a particle hits the disc's arc,
  // 1/12 of it, and three mirrors. All of them together: pi A/P of the triangle.
  Domain<2> domain;
  domain.add<Lorentz>("gas", {3.0, 1.0}, {{-1.2, -0.1}});
  domain.enclose_all();
  const auto r = flown({}, domain, true, 20000.0);
  const double pi = std::numbers::pi, root = std::sqrt(3.0), speed = std::sqrt(1.25);
  const double area = 9 / (8 * root) - pi / 12, length = 0.5 + 1.5 / root + (root - 1) + pi / 6;
  CHECK(r.status == Status::finished);
  CHECK(std::abs(r.t / static_cast<double>(r.crossing_count) / (pi * area / (speed * length)) - 1) < 0.02);
  CHECK(std::abs(r.tallies[3] / speed - 0.857) < 0.03);  // Gaspard, Baras (1995), figure 7: about 0.8
}
