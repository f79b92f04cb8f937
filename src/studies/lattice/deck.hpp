// SPDX-License-Identifier: BSD-3-Clause
// What a deck of study = "lattice" says: the model and where its copies are, how it begins, the method, what
// is stored.
#pragma once

#include <optional>
#include <string>

#include "expressions/expression.hpp"
#include "lattice/modes.hpp"
#include "lattice/network.hpp"
#include "studies/program/report.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

struct LatticePlan {
  const lattice::Model* model = nullptr;  ///< one of the program's lattices, or the deck's:
  std::shared_ptr<const lattice::Model> stated;
  std::vector<double> parameters;
  lattice::Grid grid;
  std::optional<lattice::Network> network;
  std::vector<std::int64_t> held;  ///< sites that stay where they are, beside those at fixed ends
  std::optional<lattice::Modes> modes;
  /// What to say where there are none.
  std::string no_modes = "are those of a chain whose small oscillations the model knows";

  std::string method, solver;
  bool assembled = false;  ///< Newton's systems are assembled as one matrix over all ranks, for PETSc's KSP
  int stages = 4;
  std::vector<double> composition_coefficients;  ///< of a composition; empty for collocation
  double step = 0;

  std::int64_t steps = 0, sample_steps = 1, samples = 0;
  std::int64_t frame_samples = 1, frames = 0;  ///< a frame every so many samples
  std::int64_t mode_count = 0;

  /// Where the start, or the whole motion, is given by formulas: for each coordinate q and q_dot, as
  /// functions of variables().
  std::vector<expressions::Expression> q, q_dot;
  bool exact = false;  ///< the formulas hold at any time
  std::vector<double> mode_amplitudes;
  std::vector<double> start_q, start_v;  ///< from a list: [sites, dim], row-major
  std::string start_file;
  double random_q = 0, random_v = 0;
  std::uint64_t seed = 1;

  std::int64_t sites() const { return network ? network->sites : grid.sites(); }
  bool on_grid() const { return !network && grid.rows > 1; }
  /// Whether Newton's method finds the stages of Gauss collocation from the first step on.
  bool by_newton() const { return solver == "newton" || assembled || !model->separable(); }
  int dim() const { return static_cast<int>(model->coordinates().size()); }
  /// Where a site is: x and y, 0 in the middle.
  std::array<double, 2> place(std::int64_t site) const;
  /// The values of a formula's variables at a site: x, y, t, site, sites.
  std::vector<double> variables(std::int64_t site, double time) const;
};

/// A commented deck that runs as it is.
extern const char* const lattice_example;

/// Reads the whole deck but for what every [output] says; throws Error with file, line and key.
LatticePlan read_lattice_plan(Task& task);

/// The start, on this rank. Collective.
void start_lattice(const LatticePlan& plan, const lattice::Lattice& lattice, lattice::SiteField& q,
                   lattice::SiteField& v);

}  // namespace cotangent::studies
