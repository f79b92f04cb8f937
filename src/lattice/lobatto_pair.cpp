// SPDX-License-Identifier: BSD-3-Clause
// The Lobatto IIIA-IIIB pair with s stages for a lattice under constraints g(q) = 0, any Lagrangian: as
// integrators/lobatto_spark.hpp has it, order 2 s - 2, symmetric and symplectic. With F_j = L_q(Q_j, V_j) +
// grad g(Q_j) Lambda_j
//   Q_i = q + h sum_j A_ij V_j,   L_v(Q_i, V_i) = p + h sum_j A^_ij F_j,   g(Q_i) = 0, i = 2 ... s,
//   q' = Q_s,   p' = p + h sum_j b_j F_j,   grad g(q') v' = 0,
// Lambda_s in p' alone. All stages' velocities and multipliers of a site are one block of a sparse system
// over all sites, which MUMPS factorises; its derivatives are taken anew in each step, and where corrections
// don't shrink to a tenth. Reference: Jay, SIAM J. Numer. Anal. 33 (1996) 368; Hairer, Lubich, Wanner (2006),
// VII.1.4.
#include <algorithm>
#include <cmath>

#include "integrators/lobatto_tables.hpp"
#include "lattice/block_system.hpp"
#include "lattice/constraints.hpp"
#include "lattice/stages.hpp"
#include "numerics/compensated.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {

using integrators::LobattoTables;

class LobattoPair final : public Method {
 public:
  LobattoPair(const Lattice& lattice, Kernel& kernel, std::vector<TermInfo> constraints,
              std::shared_ptr<const LobattoTables> tables, const SiteField& q, const SiteField& v)
      : lattice_(lattice),
        kernel_(kernel),
        tables_(std::move(tables)),
        s_(tables_->stages),
        n_(lattice.dim),
        k_(static_cast<int>(constraints.size())),
        ghosts_(lattice.sites, lattice.here.range, lattice.halo(lattice.here.reach)),
        constraints_(lattice_, kernel, ghosts_, std::move(constraints)),
        q_(make(n_)),
        q_low_(make(n_)),
        p_(make(n_ + k_)),
        v_(make(n_)),
        acceleration_(make(n_)),
        lambda_(make(std::max(1, (s_ - 1) * k_))),
        places_(make(s_ * (n_ + k_))),
        speeds_(make(s_ * (n_ + k_))),
        forces_(make(s_ * (n_ + k_))),
        momenta_(make(s_ * (n_ + k_))),
        derivatives_(static_cast<std::size_t>(s_)),
        stages_system_(lattice_, kernel.pattern(), s_ * n_ + (s_ - 1) * k_, "pair_",
                       BlockSystem::Solver::pivoting) {
    for (auto& derivatives : derivatives_) derivatives.with_cross = true;
    for (int c = 0; c < n_; ++c) {
      std::copy_n(q[c], own(), q_[c]);
      std::copy_n(v[c], own(), v_[c]);
    }
    constraints_.judge_start(q_);
    // Velocities along the constraints, with the momenta's difference along their forces.
    SiteField place = make(n_ + k_), speed = place;
    copy(q_, place);
    copy(v_, speed);
    ghosts_.exchange(components({&place, &speed}));
    SiteField force = place;
    kernel_.gradient(components(std::as_const(place)).data(), components(std::as_const(speed)).data(),
                     components(force).data(), components(p_).data());
    if (const std::string reason = constraints_.project(place, p_, v_); !reason.empty())
      throw Error("velocities along the constraints: " + reason);
  }

  Status attempt(double h) override {
    const Status status = try_step(h);
    if (status != Status::pending) {  // the guess was of no use
      for (SiteField* field : {&acceleration_, &lambda_}) {
        for (int c = 0; c < field->components(); ++c) std::fill_n((*field)[c], own(), 0.0);
      }
    }
    return status;
  }
  double time() const override { return time_; }
  const SiteField& position() override { return q_; }
  const SiteField& velocity() override { return v_; }
  Effort& effort() override { return effort_; }
  const std::string& failure() const override { return failure_; }
  void fill_ghosts(SiteField& field) override { ghosts_.exchange(components(field)); }
  double constraint_error() override { return constraints_.error(q_); }

  std::string solver() override { return "Newton's method, " + stages_system_.solver(); }
  void visit(StateVisitor& state) override {
    state.number("time", time_);
    state.number("steps", effort_.steps);
    state.field("position", q_);
    state.field("position_low", q_low_);
    state.field("velocity", v_);
    state.field("acceleration", acceleration_);
    state.field("multipliers", lambda_);
  }

 private:
  static constexpr int most_iterations = 30;

  std::int64_t own() const { return lattice_.own(); }
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  SiteField make(int each) const { return {each, lattice_.here.left, lattice_.own(), lattice_.here.right}; }
  bool held(std::int64_t x) const { return lattice_.held[at(x)] != 0; }
  double a(int i, int j) const { return tables_->to_positions(i, j); }
  double mate(int i, int j) const { return tables_->to_momenta(i, j); }

  void copy(const SiteField& from, SiteField& to) const {
    for (int c = 0; c < n_; ++c) std::copy_n(from[c], own(), to[c]);
  }

  Status fail(const std::string& why, double h) {
    failure_ = why + " (step " + std::to_string(h) + ")";
    return Status::newton_diverged;
  }

  Status try_step(double h) {
    begin(h);
    bool slow = true;
    double last = HUGE_VAL;
    const Newton newton =
        solve_stages(step_scale(lattice_, h, q_, v_), 0x1p-40, most_iterations, [&](std::string& why) {
          evaluate(h);
          if (slow) make_matrix(h);
          const double change = improve(h, why);
          slow = change > 0.1 * last;
          last = change;
          return change;
        });
    if (!newton.failure.empty()) return fail(newton.failure, h);
    effort_.iterations += newton.iterations;
    evaluate(h);
    return finish(h);
  }

  /// A first guess: the stages' velocities from the acceleration before, multipliers as they were.
  void begin(double h) {
    SiteField speed = make(n_ + k_), place = speed, force = speed;
    copy(q_, place);
    copy(v_, speed);
    ghosts_.exchange(components({&place, &speed}));
    kernel_.gradient(components(std::as_const(place)).data(), components(std::as_const(speed)).data(),
                     components(force).data(), components(p_).data());
    for (int i = 0; i < s_; ++i) {
      const int from = i * (n_ + k_);
      const double c_i = tables_->c[at(i)];
      for (std::int64_t x = 0; x < own(); ++x) {
        for (int c = 0; c < n_; ++c) speeds_[from + c][x] = v_[c][x] + c_i * h * acceleration_[c][x];
        for (int k = 0; k < k_; ++k) places_[from + n_ + k][x] = i < s_ - 1 ? lambda_[i * k_ + k][x] : 0.0;
      }
    }
  }

  /// Positions at the stages, L_q and the constraints' forces, g, and L_v.
  void evaluate(double h) {
    stage_positions(lattice_, h, tables_->a, q_, speeds_, n_ + k_, places_);
    ghosts_.exchange(components({&places_, &speeds_}));
    const auto q = components(std::as_const(places_)), v = components(std::as_const(speeds_));
    const auto f = components(forces_), p = components(momenta_);
    for (int i = 0; i < s_; ++i) {
      const std::ptrdiff_t k = i * (n_ + k_);
      kernel_.gradient(q.data() + k, v.data() + k, f.data() + k, p.data() + k);
    }
    effort_.forces += s_;
  }

  void make_matrix(double h) {
    const auto q = components(std::as_const(places_)), v = components(std::as_const(speeds_));
    for (int i = 0; i < s_; ++i)
      kernel_.second_derivatives(q.data() + i * (n_ + k_), v.data() + i * (n_ + k_), derivatives_[at(i)]);
    const int d = n_ + k_, multipliers = s_ * n_, width = multipliers + (s_ - 1) * k_;
    stages_system_.fill([&](std::int64_t x, std::int64_t first, std::span<const std::int64_t> places,
                            std::span<double> values) {
      const int length = static_cast<int>(std::ssize(places)) * width;
      for (int b = 0; b < std::ssize(places); ++b) {
        const bool diagonal = places[at(b)] == x;
        const auto put = [&](int row, int column) -> double& {
          return values[at(row * length + b * width + column)];
        };
        const auto entry = [&](int row, int column) { return at(((first + b) * d + row) * d + column); };
        for (int c = 0; c < n_; ++c) {
          for (int i = 0; i < s_; ++i) {
            if (held(x)) {
              put(i * n_ + c, i * n_ + c) = diagonal ? 1.0 : 0.0;
              continue;
            }
            for (int e = 0; e < n_; ++e)
              balance(h, entry(c, e), i, [&](int j) -> double& { return put(i * n_ + c, j * n_ + e); });
            for (int j = 0; j < s_ - 1; ++j) {
              for (int k = 0; k < k_; ++k)
                put(i * n_ + c, multipliers + j * k_ + k) =
                    -h * mate(i, j) * derivatives_[at(j)].force[entry(c, n_ + k)];
            }
          }
        }
        for (int k = 0; k < k_; ++k) {
          for (int m = 0; m < s_ - 1; ++m) {
            const int row = multipliers + m * k_ + k;
            if (!constraints_.present(k, x)) {
              put(row, row) = diagonal ? 1.0 : 0.0;
              continue;
            }
            for (int j = 0; j < s_; ++j) {
              for (int e = 0; e < n_; ++e)
                put(row, j * n_ + e) = a(m + 1, j) * derivatives_[at(m + 1)].force[entry(n_ + k, e)];
            }
          }
        }
      }
    });
    ++effort_.factorisations;
  }
  /// A row of L_v(Q_i, V_i) - h sum_j A^_ij F_j: its derivatives by the stages' velocities, for one entry of
  /// the blocks.
  template <class Put>
  void balance(double h, std::size_t entry, int i, const Put& put) const {
    const SecondDerivatives& here = derivatives_[at(i)];
    put(i) += here.mass[entry];
    for (int j = 0; j < s_; ++j) put(j) += h * a(i, j) * here.cross[entry];
    for (int l = 0; l < s_ - 1; ++l) {
      const SecondDerivatives& there = derivatives_[at(l)];
      const double weight = h * mate(i, l);
      put(l) -= weight * (there.cross[entry] - there.gyration[entry]);
      for (int j = 0; j < s_; ++j) put(j) -= weight * h * a(l, j) * there.force[entry];
    }
  }

  /// One Newton correction; the largest change of a position that it makes.
  double improve(double h, std::string& reason) {
    const int d = n_ + k_, width = s_ * n_ + (s_ - 1) * k_;
    std::vector<double> values(at(own() * width), 0.0);
    for (std::int64_t x = 0; x < own(); ++x) {
      double* row = values.data() + x * width;
      for (int i = 0; i < s_; ++i) {
        for (int c = 0; c < n_ && !held(x); ++c) {
          const double kick = tables_->kick(i, [&](int j) { return forces_[j * d + c][x]; });
          row[i * n_ + c] = (p_[c][x] - momenta_[i * d + c][x]) + h * kick;
        }
        for (int k = 0; k < k_ && i > 0; ++k) {
          if (constraints_.present(k, x)) row[s_ * n_ + (i - 1) * k_ + k] = -forces_[i * d + n_ + k][x] / h;
        }
      }
    }
    reason = stages_system_.solve(values);
    ++effort_.linear_solves;
    if (!reason.empty()) return 0;
    double largest = 0;
    for (std::int64_t x = 0; x < own(); ++x) {
      const double* row = values.data() + x * width;
      for (int i = 0; i < s_; ++i) {
        for (int c = 0; c < n_; ++c) {
          const double by = row[i * n_ + c];
          speeds_[i * d + c][x] += by;
          largest = std::isfinite(by) ? std::max(largest, std::abs(h * by)) : HUGE_VAL;
        }
        for (int k = 0; k < k_ && i < s_ - 1; ++k) places_[i * d + n_ + k][x] += row[s_ * n_ + i * k_ + k];
      }
    }
    return parallel::maximum(largest);
  }

  Status finish(double h) {
    const int d = n_ + k_;
    SiteField place = make(d), p = make(d), v = make(n_), low = q_low_;
    for (int c = 0; c < n_; ++c) {
      for (std::int64_t x = 0; x < own(); ++x) {
        numerics::Compensated<double> q{q_[c][x], q_low_[c][x]};
        q.add(h * tables_->whole([&](int j) { return speeds_[j * d + c][x]; }));
        place[c][x] = q.value;
        low[c][x] = q.low;
        p[c][x] = p_[c][x] + h * tables_->whole([&](int j) { return forces_[j * d + c][x]; });
        v[c][x] = speeds_[(s_ - 1) * d + c][x];
      }
    }
    ghosts_.exchange(components(place));
    if (const std::string reason = constraints_.project(place, p, v); !reason.empty()) return fail(reason, h);
    copy(place, q_);
    q_low_ = std::move(low);
    for (int c = 0; c < n_; ++c) {
      for (std::int64_t x = 0; x < own(); ++x) acceleration_[c][x] = (v[c][x] - v_[c][x]) / h;
    }
    copy(v, v_);
    for (int i = 0; i < s_ - 1; ++i) {
      for (int k = 0; k < k_; ++k) std::copy_n(places_[i * d + n_ + k], own(), lambda_[i * k_ + k]);
    }
    time_ += h;
    ++effort_.steps;
    return Status::pending;
  }

  Lattice lattice_;
  Kernel& kernel_;
  std::shared_ptr<const LobattoTables> tables_;
  int s_, n_, k_;
  Ghosts ghosts_;
  Constraints constraints_;
  SiteField q_, q_low_, p_, v_;
  SiteField acceleration_;                        // in the step before
  SiteField lambda_;                              // of the stages before
  SiteField places_, speeds_, forces_, momenta_;  // at the stages; coordinates and then multipliers
  std::vector<SecondDerivatives> derivatives_;
  BlockSystem stages_system_;
  double time_ = 0;
  Effort effort_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Method> make_lobatto_pair(const Lattice& lattice, Kernel& multiplied,
                                          const std::vector<TermInfo>& constraints,
                                          std::shared_ptr<const LobattoTables> tables, const SiteField& q,
                                          const SiteField& v) {
  return std::make_unique<LobattoPair>(lattice, multiplied, constraints, std::move(tables), q, v);
}

}  // namespace cotangent::lattice
