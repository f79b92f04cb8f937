// SPDX-License-Identifier: BSD-3-Clause
// What a model's terms give on a rank: forces on runs of sites, momenta, energies, second derivatives. The
// virtual boundary is a run of sites; below it all is compiled for the model. Sums at a site are taken in the
// order of the terms, their sites and (in lists) their copies, so that bits don't depend on the ranks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lattice/grid.hpp"
#include "lattice/site_field.hpp"
#include "mechanics/lagrangian.hpp"

namespace cotangent::lattice {

/// Copies of a term given one by one: the places of their sites on this rank, copy after copy.
struct Copies {
  int sites = 1;
  std::vector<std::int32_t> place;
  std::size_t count() const { return place.size() / static_cast<std::size_t>(sites); }
};

/// Where the terms' copies are, on this rank: along a grid, or as lists.
struct Sites {
  Grid grid;
  Range range;
  std::int64_t left = 0, right = 0;  ///< ghosts to either side
  std::int64_t reach = 0;            ///< how far the sites of one copy are apart, at most
  bool listed = false;
  std::vector<Copies> lists;  ///< where listed: for each term, those that touch a site of this rank
};

/// Entries of the second derivatives of L at rows of this rank, in blocks of dim x dim, block after block as
/// Pattern has them.
struct SecondDerivatives {
  std::vector<double> mass;      ///< L_vv
  std::vector<double> gyration;  ///< L_vq - L_qv: [a][b] = d2L / dv_a dq_b - d2L / dq_a dv_b
  std::vector<double> force;     ///< L_qq
  std::vector<double> cross;     ///< L_vq, where asked for
  bool with_cross = false;
};

/// Which sites a site's second derivatives involve: for each of this rank, places in ascending order.
struct Pattern {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> place;
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  /// L_q at v = 0 on sites low to high, for separable L; position[c] and force[c] point at site 0 of the
  /// rank, positions are known for `reach` more sites on both sides. `force` may be `position`.
  virtual void force(const double* const* position, std::int64_t low, std::int64_t high,
                     double* const* force) = 0;
  /// L_q and L_v on all sites of this rank. Here and below, x[c] points at component c of site 0 of the
  /// rank, sites one after the other, ghosts before and behind.
  virtual void gradient(const double* const* position, const double* const* velocity, double* const* by_q,
                        double* const* by_v) = 0;
  /// For each site, of the copies whose first site it is: v L_v - (L - L(v = 0)), which is the kinetic
  /// energy, and -L(v = 0), the potential one; one number a site.
  virtual void energies(const double* const* position, const double* const* velocity, double* kinetic,
                        double* potential) = 0;
  /// Diagonal of L_vv on all sites of this rank, for separable L.
  virtual void masses(const double* const* position, double* const* mass) = 0;
  virtual const Pattern& pattern() = 0;
  virtual void second_derivatives(const double* const* position, const double* const* velocity,
                                  SecondDerivatives& into) = 0;
};

/// Small oscillations of a chain: v^2 / 2 - stiffness (q_n+1 - q_n)^2 / 2 - on_site q^2 / 2.
struct LinearChain {
  double stiffness = 1, on_site = 0;
  bool fixed_ends = true,
       free_ends = true;  ///< whether they are these at such ends too, where copies are missing
};

/// A motion by formula, of the variables x (0 in the middle), t, the model's parameters and its own options.
struct Wave {
  std::string_view name, about;
  std::vector<mechanics::Parameter> options;
  std::string_view q, q_dot;
  bool exact = true;  ///< in the limit of small spacing; else a start alone
};

/// What a term looks like from outside.
struct TermInfo {
  std::string name;
  std::vector<Offset> sites;
  bool constraint = false;
};

/// A model, ready to use: what a deck may say of it, and its kernel.
class Model {
 public:
  virtual ~Model() = default;
  virtual std::string name() const = 0;
  virtual std::string about() const = 0;
  virtual std::vector<mechanics::Coordinate> coordinates() const = 0;
  virtual std::vector<mechanics::Parameter> parameters() const = 0;
  /// Those of the Lagrangian, then the constraints.
  virtual std::vector<TermInfo> terms() const = 0;
  /// What each of them adds to L, or keeps zero. Names are counted: the coordinates of its sites, one site
  /// after the other; their velocities likewise; the parameters. Empty where a deck states the model.
  virtual std::vector<expressions::Tree> formulas() const = 0;
  /// L = v^T M v / 2 - U(q) with M constant and diagonal.
  virtual bool separable() const = 0;
  /// What its parameters make of small oscillations; nothing where that isn't stated.
  virtual std::optional<LinearChain> linear(std::span<const double> parameters) const = 0;
  /// Integrals beside the energy of a closed chain, by their names; none as a rule. They are sums over sites:
  /// what each of a range adds to all of them, from positions and velocities of as many more sites to either
  /// side as the reach says.
  virtual std::vector<std::string> invariant_names() const = 0;
  virtual int invariant_reach() const = 0;
  virtual std::vector<double> invariant_shares(const double* q, const double* v, const Grid& chain,
                                               const Range& range,
                                               std::span<const double> parameters) const = 0;
  /// Motions that the model knows by formula.
  virtual std::vector<Wave> waves() const = 0;
  /// The distance between sites, in which formulas count x and y.
  virtual double spacing(std::span<const double> parameters) const = 0;
  virtual std::unique_ptr<Kernel> kernel(std::span<const double> parameters, const Sites& sites) const = 0;
  /// How many constraints there are; and the kernel of L + sum of multipliers times constraints, the
  /// multipliers as further coordinates of a copy's first site, behind the model's own.
  virtual int constraints() const = 0;
  virtual std::unique_ptr<Kernel> multiplied(std::span<const double> parameters,
                                             const Sites& sites) const = 0;
};

/// The built-in models, in the order of their list.
std::vector<std::unique_ptr<Model>> built_in_models();

}  // namespace cotangent::lattice
