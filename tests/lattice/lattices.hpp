// SPDX-License-Identifier: BSD-3-Clause
// Lattices to test with, and what is compared of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "fitted_order.hpp"
#include "integrators/lobatto_tables.hpp"
#include "lattice/compositions.hpp"
#include "lattice/network.hpp"
#include "mpi_test.hpp"
#include "parallel/exchange.hpp"
#include "parallel/reproducible_sums.hpp"

namespace cotangent::test {

using lattice::Boundary;
using lattice::SiteField;

/// This rank's share of a network that is given whole: of every list an even part of the copies.
inline lattice::Network shared(lattice::Network network) {
  for (std::size_t t = 0; t < network.copies.size(); ++t) {
    auto& list = network.copies[t];
    const auto each = std::ssize(network.terms[t].sites);
    const auto part = lattice::Range::of_rank(std::ssize(list) / each, parallel::rank(), parallel::size());
    list = {list.begin() + part.first * each, list.begin() + (part.first + part.own) * each};
  }
  return network;
}

/// A model on a grid, with a start, a kernel and a method.
class Bench {
 public:
  Bench(const std::string& name, lattice::Grid grid, std::vector<double> parameters = {})
      : Bench(built_in(name), grid, std::move(parameters)) {}
  Bench(std::unique_ptr<lattice::Model> model, lattice::Grid grid, std::vector<double> parameters = {})
      : model_(std::move(model)) {
    if (parameters.empty()) {
      for (const auto& p : model_->parameters()) parameters.push_back(p.value);
    }
    parameters_ = parameters;
    lattice = lattice::lattice_on(grid, *model_);
    kernel = model_->kernel(parameters, lattice.here);
  }
  /// Of a network that is given whole.
  Bench(const std::string& name, lattice::Network network) : Bench(built_in(name), std::move(network)) {}
  Bench(std::unique_ptr<lattice::Model> model, lattice::Network network) : model_(std::move(model)) {
    for (const auto& p : model_->parameters()) parameters_.push_back(p.value);
    network.terms = model_->terms();
    network = shared(std::move(network));
    network.check();
    lattice = lattice::lattice_on(network, *model_);
    kernel = model_->kernel(parameters_, lattice.here);
  }

  /// A smooth start: a few waves of this amplitude.
  void start(double amplitude) {
    q = SiteField(lattice.dim, 0, lattice.own(), 0);
    v = q;
    const double n = static_cast<double>(lattice.sites);
    for (int c = 0; c < lattice.dim; ++c) {
      for (std::int64_t i = 0; i < lattice.own(); ++i) {
        const double x = 2 * std::numbers::pi * static_cast<double>(lattice.here.range.first + i) / n;
        q[c][i] = amplitude * (std::sin((c + 1) * x) + 0.3 * std::cos(3 * x));
        v[c][i] = amplitude * (0.5 * std::cos(2 * x) - 0.2 * std::sin(x + c));
        if (lattice.held[static_cast<std::size_t>(i)] != 0) v[c][i] = 0;
      }
    }
  }
  std::unique_ptr<lattice::Method> fixed_point(int stages) {
    return lattice::make_gauss_fixed_point(lattice, *kernel, stages, q, v);
  }
  std::unique_ptr<lattice::Method> newton(int stages) {
    return lattice::make_gauss_newton(lattice, *kernel, stages, q, v);
  }
  /// By these tables, or by those of so many stages.
  std::unique_ptr<lattice::Method> lobatto(std::shared_ptr<const integrators::LobattoTables> tables) {
    multiplied_ = model_->multiplied(parameters_, lattice.here);
    std::vector<lattice::TermInfo> constraints;
    for (auto& term : model_->terms()) {
      if (term.constraint) constraints.push_back(term);
    }
    return lattice::make_lobatto_pair(lattice, *multiplied_, constraints, std::move(tables), q, v);
  }
  std::unique_ptr<lattice::Method> lobatto(int stages) {
    return lobatto(integrators::LobattoTables::of(stages));
  }
  std::unique_ptr<lattice::Method> verlet(const std::string& name) {
    const auto& list = lattice::compositions();
    return lattice::make_verlet(
        lattice, *kernel, std::ranges::find(list, name, &lattice::Composition::name)->coefficients, q, v);
  }

  double energy(lattice::Method& method) {
    SiteField at(lattice.dim, lattice.here.left, lattice.own(), lattice.here.right), rate = at;
    const SiteField &position = method.position(), &velocity = method.velocity();
    for (int c = 0; c < lattice.dim; ++c) {
      std::copy_n(position[c], lattice.own(), at[c]);
      std::copy_n(velocity[c], lattice.own(), rate[c]);
    }
    method.fill_ghosts(at);
    method.fill_ghosts(rate);
    std::vector<double> kinetic(static_cast<std::size_t>(lattice.own())), potential = kinetic;
    kernel->energies(lattice::components(std::as_const(at)).data(),
                     lattice::components(std::as_const(rate)).data(), kinetic.data(), potential.data());
    const std::span<const double> columns[2] = {kinetic, potential};
    const auto sums = parallel::reproducible_sums(columns);
    return sums[0] + sums[1];
  }
  /// All sites' values, on every rank.
  std::vector<double> gathered(const SiteField& field) const {
    std::vector<double> mine;
    for (std::int64_t i = 0; i < lattice.own(); ++i) {
      for (int c = 0; c < lattice.dim; ++c) mine.push_back(field[c][i]);
    }
    return parallel::exchange(
        std::vector<std::vector<double>>(static_cast<std::size_t>(parallel::size()), mine));
  }
  std::vector<double> run(lattice::Method& method, double step, int steps) const {
    for (int k = 0; k < steps; ++k) {
      const Status status = lattice::advance(method, step);
      INFO(method.failure());
      REQUIRE(status == Status::pending);
    }
    return gathered(method.position());
  }

  lattice::Lattice lattice;
  std::unique_ptr<lattice::Kernel> kernel;
  SiteField q, v;
  const lattice::Model& model() const { return *model_; }
  const std::vector<double>& parameters() const { return parameters_; }

 private:
  static std::unique_ptr<lattice::Model> built_in(const std::string& name) {
    for (auto& model : lattice::built_in_models()) {
      if (model->name() == name) return std::move(model);
    }
    return nullptr;
  }

  std::unique_ptr<lattice::Model> model_;
  std::unique_ptr<lattice::Kernel> multiplied_;
  std::vector<double> parameters_;
};

inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!(std::abs(a[i] - b[i]) <= most)) most = std::isnan(a[i] - b[i]) ? HUGE_VAL : std::abs(a[i] - b[i]);
  }
  return most;
}

/// The order in time of what `run(step, steps)` gives, against what is exact: so many steps to the same time.
template <class Run>
FittedOrder order_in_time(const Run& run, double time, const std::vector<int>& steps,
                          const std::vector<double>& exact) {
  std::vector<double> step, error;
  for (const int count : steps) {
    step.push_back(time / count);
    error.push_back(distance(run(time / count, count), exact));
  }
  return fitted_order(step, error);
}

}  // namespace cotangent::test
