// SPDX-License-Identifier: BSD-3-Clause
// A method that moves a lattice, all ranks together: state, steps, and what a checkpoint must hold. Positions
// and what runs along with them (velocities; momenta, where the mass matrix isn't constant) are summed with
// compensation.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/status.hpp"
#include "lattice/ghosts.hpp"
#include "lattice/kernel.hpp"

namespace cotangent::integrators {
struct LobattoTables;
}
namespace cotangent::lattice {

/// What has been done.
struct Effort {
  std::int64_t steps = 0, iterations = 0;  ///< parts of halved steps count as steps
  std::int64_t forces = 0;                 ///< evaluations at every site
  std::int64_t factorisations = 0, linear_solves = 0, halved = 0;
};

/// The lattice as one rank sees it, the same for every method.
struct Lattice {
  int dim = 1;
  std::int64_t sites = 0;  ///< of all ranks
  Sites here;
  std::vector<char> held;     ///< for each site of this rank
  std::vector<Ghost> ghosts;  ///< for terms given by lists; grids know theirs
  bool separable = false;

  std::int64_t own() const { return here.range.own; }
  /// The ghosts `depth` sites to either side, or those that the lists need.
  std::vector<Ghost> halo(std::int64_t depth) const {
    return here.listed ? ghosts : ghosts_of(here.grid, here.range, depth);
  }
};

/// Passes over a method's state, to store it or to fill it: numbers that all ranks have alike, and those of
/// this rank's sites.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  virtual void number(std::string_view name, double& x) = 0;
  virtual void field(std::string_view name, SiteField& values) = 0;
  template <std::integral Integer>
  void number(std::string_view name, Integer& x) {
    auto value = static_cast<double>(x);
    number(name, value);
    x = static_cast<Integer>(value);
  }
};

class Method {
 public:
  virtual ~Method() = default;

  /// One step of length h. Status::pending where it went well; else the state is what it was, and failure()
  /// says why. Collective.
  virtual Status attempt(double h) = 0;
  virtual double time() const = 0;
  /// Positions and velocities of this rank's sites; velocities may need a solve. Collective.
  virtual const SiteField& position() = 0;
  virtual const SiteField& velocity() = 0;
  /// How that solve goes. Status::pending where it went well; else velocities are what the last step's stages
  /// say, and failure() says why. Collective.
  virtual Status solve_velocity() { return Status::pending; }
  virtual Effort& effort() = 0;
  virtual const std::string& failure() const = 0;
  /// The largest |g| of any constraint. Collective.
  virtual double constraint_error() { return 0; }
  /// Fills the ghosts of a field, to the reach of the terms. Collective.
  virtual void fill_ghosts(SiteField& field) = 0;

  /// The state by names, from which steps go on to the same bits.
  virtual void visit(StateVisitor& state) = 0;
  /// After the state was filled. Collective.
  virtual void restored() {}
  /// What solves a step's equations, in words. Collective.
  virtual std::string solver() = 0;
};

/// Steps that failed are taken again in halves, at most so often.
inline constexpr int most_halvings = 8;

/// A step, in halves where it fails. Status::pending where it went well; else the state is where the last
/// part that went well left it. Collective.
Status advance(Method& method, double h);

/// h and the other steps are the same on every rank; so are the options.
std::unique_ptr<Method> make_verlet(const Lattice& lattice, Kernel& kernel, std::vector<double> coefficients,
                                    SiteField q, SiteField v);
/// Throws Error, which names the site, where a site has no mass. Collective.
std::unique_ptr<Method> make_gauss_fixed_point(const Lattice& lattice, Kernel& kernel, int stages,
                                               SiteField q, SiteField v);
/// The stages' systems are solved by substructures, or assembled over all ranks for PETSc's KSP.
std::unique_ptr<Method> make_gauss_newton(const Lattice& lattice, Kernel& kernel, int stages,
                                          const SiteField& q, const SiteField& v, bool assembled = false);

/// The Lobatto IIIA-IIIB pair, order 2 stages - 2, for models with and without constraints; of the multiplied
/// kernel. Velocities are projected onto the constraints; throws Error, which names the site, where positions
/// are off them. Collective.
std::unique_ptr<Method> make_lobatto_pair(const Lattice& lattice, Kernel& multiplied,
                                          const std::vector<TermInfo>& constraints,
                                          std::shared_ptr<const integrators::LobattoTables> tables,
                                          const SiteField& q, const SiteField& v);

/// 1 / mass of every coordinate, 0 where it is held; `at` holds positions with ghosts. Collective.
SiteField inverse_masses(const Lattice& lattice, Kernel& kernel, const SiteField& at, std::int64_t left,
                         std::int64_t right);
/// Pointers to the components.
std::vector<double*> components(SiteField& field);
std::vector<const double*> components(const SiteField& field);
/// The components of several fields, one after another.
std::vector<double*> components(std::initializer_list<SiteField*> fields);

}  // namespace cotangent::lattice
