// SPDX-License-Identifier: BSD-3-Clause
// The distributed solvers against dense matrices, to round-off: every formulation, shape and number of ranks.
#include "dense_rattle.hpp"
#include "la/petsc.hpp"

using namespace cotangent;
using namespace cotangent::particles;
using namespace cotangent::rods;

namespace {

struct Way {
  const char* name;
  Formulation formulation;
  std::vector<std::string> options;
};

template <int D>
void agree(const char* what, const RodSystem<D>& system, bool project) {
  test::DenseRattle<D, double> dense(system);
  if (project) dense.make_tangent();
  const double h = 0.01;
  for (int k = 0; k < 20; ++k) dense.advance(h);
  const std::vector<Way> ways{
      {"schur", Formulation::schur, {}},
      {"schur by GMRES",
       Formulation::schur,
       {"-position_ksp_type", "gmres", "-position_pc_type", "jacobi", "-position_ksp_rtol", "1e-12",
        "-velocity_ksp_type", "gmres", "-velocity_pc_type", "jacobi", "-velocity_ksp_rtol", "1e-12"}},
      {"saddle point", Formulation::saddle_point, {}}};
  for (const Way& way : ways) {
    const la::Petsc petsc(way.options);
    RodOptions options;
    options.step = h;
    options.project = project;
    options.formulation = way.formulation;
    RodRattle<D> rattle(system, options);
    bool fine = true;
    double worst = 0;
    for (int k = 0; k < 20; ++k) {
      fine = rattle.advance() == Status::pending && fine;
      worst = std::max(worst, rattle.constraint_error());
    }
    const double apart = test::difference<D>(test::state(rattle, system.mass.size()), dense);
    INFO(what << ", " << way.name << ": apart " << apart << ", constraint error " << worst);
    CHECK_ALL(fine);
    CHECK_ALL(la::unused_options().empty());
    CHECK_ALL(apart < 5e-14);  // measured: 2e-16 to 3.6e-15
    CHECK_ALL(worst <= RodRattle<D>::default_tolerance(system.extent()));
    CHECK_ALL(std::abs(rattle.time() - 0.2) < 1e-15);
    const std::vector<double> own = rattle.multipliers();
    const auto exact = dense.multipliers();
    double largest = 0;
    for (std::size_t k = 0; k < own.size(); ++k)
      largest = std::max(largest,
                         std::abs(own[k] - exact[static_cast<Eigen::Index>(k) + rattle.block().first_rod()]));
    INFO("multipliers apart " << largest);
    CHECK_ALL(largest < 1e-12 * exact.cwiseAbs().maxCoeff());
  }
}

}  // namespace

TEST_CASE("chains agree with dense matrices") {
  agree<2>("plane", test::uneven_chain<2>(10, 4.0, false, false), true);
  agree<3>("space", test::uneven_chain<3>(11, 4.0, false, false), true);
  agree<2>("hung at both ends", test::uneven_chain<2>(12, 4.0, false, true), true);
}

TEST_CASE("chains on a surface agree with dense matrices") {
  agree<3>("held", test::held_chain(9), true);
  auto pinned = test::held_chain(8);
  pinned.mass[0] = fixed;  // and so not held
  pinned.velocity[0] = {};
  std::erase_if(pinned.rods, [](const auto& rod) { return rod.holds() && rod.first == 0; });
  agree<3>("held and pinned", pinned, true);
}

TEST_CASE("closed loops agree with dense matrices") {
  agree<2>("closed", test::uneven_chain<2>(10, 4.0, true, false), true);
  agree<3>("closed in space", test::uneven_chain<3>(9, 4.0, true, false), true);
}

TEST_CASE("nets, and pendulums on one nail, agree with dense matrices") {
  agree<3>("net", test::net(4), false);
  RodSystem<2> pendulums;
  pendulums.gravity = {0, -1};
  pendulums.position = {{0, 0}, {1, 0}, {0, 1}, {0.6, -0.8}};
  pendulums.velocity.assign(4, {0, 0});
  pendulums.mass = {fixed, 1, 2, 3};
  pendulums.rods = {{0, 1, 1}, {2, 0, 1}, {0, 3, 1}};
  agree<2>("pendulums", pendulums, false);
}
