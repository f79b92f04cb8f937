// SPDX-License-Identifier: BSD-3-Clause
#include "studies/lattice/motion.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/release.hpp"
#include "integrators/lobatto_tables.hpp"

namespace cotangent::studies {

namespace {

/// Fields of sites as rows of a checkpoint.
class SiteRows : public lattice::StateVisitor {
 public:
  SiteRows(run::StateFields& state, const lattice::Lattice& lattice)
      : state_(state), share_{lattice.sites, lattice.here.range.first, lattice.own()} {}

  void number(std::string_view name, double& x) override { state_.number(name, x); }
  void field(std::string_view name, lattice::SiteField& values) override {
    const int width = values.components();
    std::vector<double> rows(static_cast<std::size_t>(share_.count * width));
    const auto each = [&](const auto& use) {
      for (int c = 0; c < width; ++c) {
        for (std::int64_t i = 0; i < share_.count; ++i)
          use(rows[static_cast<std::size_t>(i * width + c)], values[c][i]);
      }
    };
    if (!state_.reading()) each([](double& row, double value) { row = value; });
    state_.rows(name, share_, width, rows);
    if (state_.reading()) each([](double row, double& value) { value = row; });
  }

 private:
  run::StateFields& state_;
  run::Share share_;
};

lattice::Lattice lattice_of(const LatticePlan& plan) {
  return plan.network ? lattice::lattice_on(*plan.network, *plan.model)
                      : lattice::lattice_on(plan.grid, *plan.model);
}

}  // namespace

LatticeMotion::LatticeMotion(LatticePlan& plan) : plan_(plan), lattice_(lattice_of(plan)), way_(chosen()) {
  if (plan.network) release(plan.network->copies);
  for (const std::int64_t site : plan.held) {
    const lattice::Range& range = lattice_.here.range;
    if (range.holds(site)) lattice_.held[static_cast<std::size_t>(site - range.first)] = 1;
  }
  kernel_ = plan.model->kernel(plan.parameters, lattice_.here);
  if (plan.model->constraints() > 0) multiplied_ = plan.model->multiplied(plan.parameters, lattice_.here);
  lattice::SiteField q, v;
  start_lattice(plan, lattice_, q, v);
  make(std::move(q), std::move(v));
}

LatticeMotion::Way LatticeMotion::chosen() const {
  if (plan_.method == "lobatto-pair") return Way::pair;
  if (plan_.method != "gauss") return Way::explicit_steps;
  return plan_.by_newton() ? Way::newton : Way::fixed_point;
}

void LatticeMotion::make(lattice::SiteField q, lattice::SiteField v) {
  if (way_ == Way::explicit_steps) {
    method_ =
        lattice::make_verlet(lattice_, *kernel_, plan_.composition_coefficients, std::move(q), std::move(v));
  } else if (way_ == Way::fixed_point) {
    method_ = lattice::make_gauss_fixed_point(lattice_, *kernel_, plan_.stages, std::move(q), std::move(v));
  } else if (way_ == Way::newton) {
    method_ = lattice::make_gauss_newton(lattice_, *kernel_, plan_.stages, q, v, plan_.assembled);
  } else {
    std::vector<lattice::TermInfo> constraints = plan_.model->terms();
    std::erase_if(constraints, [](const auto& term) { return !term.constraint; });
    method_ = lattice::make_lobatto_pair(lattice_, multiplied_ ? *multiplied_ : *kernel_, constraints,
                                         integrators::LobattoTables::of(plan_.stages), q, v);
  }
}

Status LatticeMotion::step(std::int64_t done) {
  if (way_ == Way::fixed_point && plan_.solver == "auto") {
    if (method_->attempt(plan_.step) == Status::pending) return Status::pending;
    lattice::SiteField q = method_->position(), v = method_->velocity();
    const lattice::Effort spent = method_->effort();
    way_ = Way::newton;
    make(std::move(q), std::move(v));
    method_->effort() = spent;
    switched_at_ = done;
  }
  const double before = method_->time();
  const Status status = lattice::advance(*method_, plan_.step);
  if (status != Status::pending) part_of_step_ = method_->time() - before;
  return status;
}

void LatticeMotion::visit(run::StateFields& state) {
  Way way = way_;
  state.number("way", way);
  state.index("way", static_cast<double>(way), 1 + static_cast<std::int64_t>(Way::pair));
  if (way != way_) {  // Newton's method took over before the stop
    way_ = way;
    lattice::SiteField q = method_->position(), v = method_->velocity();
    make(std::move(q), std::move(v));
  }
  SiteRows rows(state, lattice_);
  method_->visit(rows);
  if (state.reading()) method_->restored();
}

void LatticeMotion::describe(std::vector<run::Line>& lines, double steps, double seconds) const {
  const lattice::Effort& effort = method_->effort();
  lines.emplace_back("method", plan_.method + ", " + method_->solver());
  if (switched_at_ >= 0)
    lines.emplace_back("",
                       fmt::format("the fixed-point iteration doesn't contract: Newton's method from step "
                                   "{} on; solver = \"newton\" or a smaller step avoids that",
                                   switched_at_));
  const double each = std::max(steps, 1.0);
  lines.emplace_back(
      "steps",
      fmt::format("{}, {:.3g} ns a site and step, {:.2f} iterations a step{}", effort.steps,
                  1e9 * seconds / each / static_cast<double>(plan_.sites()),
                  static_cast<double>(effort.iterations) / each,
                  effort.halved > 0 ? fmt::format("; {} taken again in halves", effort.halved) : ""));
  if (way_ == Way::newton || way_ == Way::pair)
    lines.emplace_back("linear systems",
                       fmt::format("{} factorised, {} solved", effort.factorisations, effort.linear_solves));
}

}  // namespace cotangent::studies
