// SPDX-License-Identifier: BSD-3-Clause
// No method may judge its convergence by a quantity that vanishes while others round: at rest the velocities
// are zero, and positions are still rounded. All methods, from rest and from equilibrium, whatever the units
// and the step.
#include <numbers>

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
  int finished = 0, refused = 0;
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
      for (const double part : {1e-1, 1e-2, 1e-4, 1e-6, 1e-8}) {
        for (const bool at_rest : {true, false}) {
          int arrived = 0, all = 0;
          std::string lost;
          for (const double length : {1e-3, 1.0, 1e3}) {
            for (const double mass : {1e-6, 1.0, 1e6}) {
              integrators::MethodOptions method;
              method.name = name;
              method.step = part * 2 * std::numbers::pi * std::sqrt(length);
              Observation observation;
              observation.stop.time = 3 * method.step;
              const auto q = at_rest ? c.rest(length) : c.equilibrium(length);
              const auto end =
                  fly(*model, method, observation, q, std::vector(q.size(), 0.0), c.parameters(length, mass));
              ++all;
              if (end.status == Status::finished)
                ++arrived;
              else
                lost += "; length " + std::to_string(length) + ", mass " + std::to_string(mass);
            }
          }
          // A tenth of a period may be too long a step for a method, then whatever the units.
          INFO(c.model << " by " << name << ", step " << part << " of a period, from "
                       << (at_rest ? "rest" : "equilibrium") << lost);
          CHECK((arrived == all || (arrived == 0 && part == 1e-1)));
          finished += arrived;
          refused += all - arrived;
        }
      }
    }
  }
  CHECK(finished >= 2000);
  CHECK(refused <= finished / 50);
}
