// SPDX-License-Identifier: BSD-3-Clause
// The program `cotangent`, as a function: the same for the built-in models and for one that brings its own.
//   cotangent DECK.toml [key=value ...] [--resume] [--check] [--dry-run] [-- PETSc options]
//   cotangent --list | --describe NAME | --template STUDY | --version | --help
// A Lagrangian of one's own becomes a program with
//   int main(int argc, char** argv) { return run_program(argc, argv, own<MyModel>()); }
// and so do a sum of local terms, sets and fields of billiards, and pair potentials:
// own<MyModel, MyLattice, MySet, MyField, MyPotential>().
#pragma once

#include <concepts>

#include "billiards/domain.hpp"
#include "billiards/field_of.hpp"
#include "integrators/methods.hpp"
#include "lattice/model_of.hpp"
#include "lattice/point.hpp"
#include "mechanics/statement.hpp"
#include "particles/pair_kernel_of.hpp"
#include "particles/surface_motion_of.hpp"
#include "sections/problem_of.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// What these structs state, for run_program(): a struct with a list of Terms is a lattice, another one with
/// coordinates a model; one with `dim` and potential(x, p) a field, with `dim` and a call operator a set; one
/// without `dim` a pair potential.
template <class... Ts>
Statements own() {
  Statements stated;
  const auto add = [&]<class T>(std::type_identity<T>) {
    if constexpr (requires { typename T::Terms; }) {
      stated.lattices.push_back(std::make_unique<lattice::ModelOf<T>>());
    } else if constexpr (requires { T::coordinates; }) {
      if constexpr (mechanics::is_stated<T>()) {
        stated.problems.push_back(std::make_unique<sections::ProblemOf<T>>());
        if constexpr (particles::OnSurface<T>)
          stated.surfaces.push_back(std::make_unique<particles::SurfaceOf<T>>());
      }
    } else if constexpr (!requires { T::dim; }) {
      constexpr bool potential = requires(const T& u, const std::array<double, T::parameters.size()>& p) {
        u(ad::variable<0, 1, 1, 0>(1.0), p);
      };
      static_assert(
          potential,
          "a struct without dim and coordinates is a pair potential, whose call operator takes (s, p), "
          "s = r^2; a model has both");
      if constexpr (potential) stated.potentials.push_back(std::make_unique<particles::PotentialOf<T>>());
    } else if constexpr (requires(const T& field, const std::array<double, T::dim>& x,
                                  const std::array<double, T::parameters.size()>& p) {
                           field.potential(x, p);
                         }) {
      stated.fields.push_back(billiards::field_kind_of<T>());
    } else {
      constexpr bool set = requires(const T& omega, const billiards::Point<T::dim>& x,
                                    const std::array<double, T::parameters.size()>& p) {
        omega(ad::seed<0, T::dim, 2, 0>(x), p);
      };
      static_assert(
          set,
          "a struct with dim and without coordinates is a billiard's set, whose call operator takes "
          "(x, p), or a field, which has potential(x, p); a model has coordinates");
      if constexpr (set) stated.sets.push_back(billiards::kind_of<T>());
    }
  };
  (add(std::type_identity<Ts>{}), ...);
  return stated;
}

/// From main's arguments to main's result. What is one's own is listed before what is built in, and stands in
/// for that of the same name. Initialises MPI; an error becomes one message of rank 0 and the exit code of
/// all ranks, and a rank that fails alone ends the run.
int run_program(int argc, char** argv, Statements own = {});

}  // namespace cotangent::studies
