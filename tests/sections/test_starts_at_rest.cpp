// SPDX-License-Identifier: BSD-3-Clause
// No method may judge its convergence by a quantity that vanishes while others round: at rest the velocities
// are zero, and positions are still rounded. All methods, from rest and from equilibrium, whatever the units
// and the step.
#include <numbers>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "flight_test.hpp"

using namespace cotangent;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

/// A motion under gravity 1 at a length and a mass: parameters, and a place beside the equilibrium or on it.
struct Case {
  std::string model;
  bool needed;  ///< the sanitizers' build leaves out the others
  std::vector<double> (*parameters)(double length, double mass);
  std::vector<double> (*rest)(double length);
  std::vector<double> (*equilibrium)(double length);
};

const Case cases[] = {
    {"double-pendulum", true,
     [](double l, double m) {
       return std::vector{m, m, l, l, 1.0};
     },
     [](double) {
       return std::vector{1.5, 0.5};
     },
     [](double) {
       return std::vector{0.0, 0.0};
     }},
    {"torus", true,
     [](double l, double m) {
       return std::vector{2 * l, l, m, 1.0};
     },
     [](double l) {
       return std::vector{3 * l, 0.0, 0.0};
     },
     [](double l) {
       return std::vector{2 * l, 0.0, -l};
     }},
    {"planar-pendulum", false,
     [](double l, double m) {
       return std::vector{l, m, 1.0};
     },
     [](double l) {
       return std::vector{l, 0.0};
     },
     [](double l) {
       return std::vector{0.0, -l};
     }},
};

}  // namespace

TEST_CASE("every method goes on from rest and from equilibrium, whatever the units and the step") {
  int finished = 0;
  std::set<std::string> flown;
  for (const Case& c : cases) {
    std::unique_ptr<Problem> model;
    for (auto& p : built_in_problems()) {
      if (p->name() == c.model) model = std::move(p);
    }
    if (!model) {
      CHECK(!c.needed);
      continue;
    }
    for (const std::string& name : model->methods()) {
      for (const double length : {1e-3, 1.0, 1e3}) {
        for (const double mass : {1e-6, 1.0, 1e6}) {
          for (const double part : {1e-1, 1e-2, 1e-4, 1e-6, 1e-8}) {
            integrators::MethodOptions method;
            method.name = name;
            method.step = part * 2 * std::numbers::pi * std::sqrt(length);
            Observation observation;
            observation.stop.time = 3 * method.step;
            for (const bool at_rest : {true, false}) {
              const auto q = at_rest ? c.rest(length) : c.equilibrium(length);
              const auto end =
                  fly(*model, method, observation, q, std::vector(q.size(), 0.0), c.parameters(length, mass));
              std::ostringstream what;
              what << c.model << " by " << name << ", length " << length << ", mass " << mass << ", step "
                   << part << " of a period, " << (at_rest ? "from rest" : "from equilibrium");
              INFO(what.str());
              CHECK(end.status == Status::finished);
              finished += end.status == Status::finished;
              flown.insert(name);
            }
          }
        }
      }
    }
  }
  CHECK(finished >= 1000);
  CHECK(flown.count("gauss") == 1);
}
