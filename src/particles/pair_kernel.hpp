// SPDX-License-Identifier: BSD-3-Clause
// The forces of a pair potential on packs of particles, each lane of a pack walking down its own list. The
// virtual boundary is a run of packs; below it all is compiled for the potential. Source of its formulas:
// mechanics/pair_potential.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "expressions/tree.hpp"
#include "mechanics/pair_potential.hpp"
#include "particles/image.hpp"
#include "particles/neighbours.hpp"

namespace cotangent::particles {

class PairKernel {
 public:
  virtual ~PairKernel() = default;
  virtual const mechanics::CutOff& cut() const = 0;
  /// U with its derivative at squared distance s, cut off.
  virtual mechanics::PairEnergy<double> energy(double s) const = 0;
  /// Forces on the particles of `packs` packs from pack `first` on, component n written from force[n][0]
  /// on, one number a particle. `position` has rows of four (x, y, z and one without meaning), ghosts and
  /// all.
  virtual void forces(const NeighbourLists& lists, const double* position, const Image& image, int first,
                      int packs, const std::array<double*, 3>& force) const = 0;
  /// Half of the energy of each particle's pairs, one number a particle from energy[0] on.
  virtual void energies(const NeighbourLists& lists, const double* position, const Image& image, int first,
                        int packs, double* energy) const = 0;
};

/// How energy ends at the cut-off.
enum class CutMode { cut, shifted, switched };

/// A potential, ready to use: what a deck may say of it, and its kernel.
class Potential {
 public:
  virtual ~Potential() = default;
  virtual std::string name() const = 0;
  virtual std::string about() const = 0;
  virtual std::vector<mechanics::Parameter> parameters() const = 0;
  /// U, of the squared distance and then the parameters; nothing where it isn't stated by a formula.
  virtual std::optional<expressions::Tree> formula() const { return std::nullopt; }
  /// The cut-off of those that have a usual one; else nothing.
  virtual std::optional<double> usual_cut(std::span<const double> parameters) const = 0;
  /// Whether it ends there by itself, and its formula means nothing beyond.
  virtual bool ends() const { return false; }
  /// The distance beyond which it isn't felt to a tolerance; nothing where there is none.
  virtual std::optional<double> range(std::span<const double> parameters, double tolerance) const = 0;
  /// `switch_from` where the mode is switched.
  virtual std::unique_ptr<PairKernel> kernel(std::span<const double> parameters, double cut, CutMode mode,
                                             double switch_from) const = 0;
};

/// The built-in potentials, in the order of their list.
std::vector<std::unique_ptr<Potential>> built_in_potentials();

}  // namespace cotangent::particles
