// SPDX-License-Identifier: BSD-3-Clause
// Gauss collocation of a lattice by simplified Newton iterations, for any Lagrangian. The unknowns are the
// stages' velocities V:
//   Q_i = q + h sum_j a_ij V_j,   L_v(Q_i, V_i) = p + h sum_j a_ij L_q(Q_j, V_j)
//   q' = q + h sum_i b_i V_i,     p' = p + h sum_i b_i L_q(Q_i, V_i)
// With A = T Lambda T^-1 the Newton matrix falls apart into one sparse system for each real eigenvalue or
// conjugate pair lambda of A: M + h lambda (C - C^T) - (h lambda)^2 K, where M = L_vv, C = L_vq, K = L_qq are
// taken in the middle of a step, as far as that is known, and kept, with their factors, for as long as they
// serve. Reference: Hairer, Lubich, Wanner (2006), VIII.6.2; Hairer, Wanner, Solving ODEs II (1996), IV.8.
#include <algorithm>
#include <cmath>
#include <optional>

#include "integrators/stage_algebra.hpp"
#include "lattice/mass_matrix.hpp"
#include "lattice/stages.hpp"
#include "numerics/compensated.hpp"
#include "numerics/legendre.hpp"
#include "numerics/polynomials.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {

using integrators::GaussTables;

class GaussNewton final : public Method {
 public:
  GaussNewton(const Lattice& lattice, Kernel& kernel, int stages, const SiteField& q, const SiteField& v,
              BlockSystem::Solver solver)
      : lattice_(lattice),
        kernel_(kernel),
        tables_(GaussTables::of(stages)),
        stages_(stages),
        ghosts_(lattice.sites, lattice.here.range, lattice.halo(lattice.here.reach)),
        q_(make()),
        q_low_(make()),
        p_(make()),
        p_low_(make()),
        v_(make()),
        old_q_(make()),
        old_v_(make()),
        velocities_(make(stages)),
        positions_(make(stages)),
        forces_(make(stages)),
        momenta_(make(stages)),
        mass_(lattice_, kernel.pattern(), solver) {
    systems_.reserve(tables_->eigenvalues.size());
    for (const auto& eigenvalue : tables_->eigenvalues) {
      const auto like = std::ranges::find(systems_, !eigenvalue.real, &SparseSystem::complex);
      systems_.emplace_back(lattice_, kernel.pattern(), !eigenvalue.real, "stage_", solver,
                            like == systems_.end() ? nullptr : &*like);
    }
    extrapolation();
    for (int c = 0; c < dim(); ++c) {
      std::copy_n(q[c], own(), q_[c]);
      std::copy_n(v[c], own(), v_[c]);
    }
    ghosts_.exchange(components({&q_, &v_}));
    SiteField force = make();
    kernel_.gradient(read(q_).data(), read(v_).data(), components(force).data(), components(p_).data());
    SecondDerivatives derivatives;
    kernel_.second_derivatives(read(q_).data(), read(v_).data(), derivatives);
    if (const auto found = massless(lattice_, kernel_.pattern(), derivatives)) throw Error(found->text());
    begin_anew();
  }

  Status attempt(double h) override {
    const bool kept = !stale_ && h == step_;
    if (kept) guess_ = velocities_;
    Status status = try_step(h);
    if (status == Status::newton_diverged && kept) {  // the matrices were of another place
      velocities_ = guess_;
      stale_ = true;
      status = try_step(h);
    }
    if (status != Status::pending) {
      stale_ = true;
      begin_anew();
    }
    return status;
  }
  double time() const override { return time_; }
  const SiteField& position() override { return q_; }
  const SiteField& velocity() override {
    find_velocity();
    return velocity_at_;
  }
  Status solve_velocity() override {
    if (find_velocity().empty()) return Status::pending;
    failure_ = "velocities from momenta: " + find_velocity();
    return Status::newton_diverged;
  }
  Effort& effort() override { return effort_; }
  const std::string& failure() const override { return failure_; }
  void fill_ghosts(SiteField& field) override { ghosts_.exchange(components(field)); }

  std::string solver() override { return "Newton's method, " + systems_.front().solver(); }
  void visit(StateVisitor& state) override {
    state.number("time", time_);
    state.number("steps", effort_.steps);
    state.number("matrices_step", step_);
    state.number("matrices_stale", stale_);
    state.number("usual_iterations", usual_iterations_);
    state.field("position", q_);
    state.field("position_low", q_low_);
    state.field("momentum", p_);
    state.field("momentum_low", p_low_);
    state.field("velocity", v_);
    state.field("matrices_position", old_q_);
    state.field("matrices_velocity", old_v_);
    state.field("stages", velocities_);
  }
  void restored() override {
    not_found_.reset();
    if (!stale_ && step_ > 0) make_matrices(step_);
  }

 private:
  static constexpr int most_iterations = 25;

  int dim() const { return lattice_.dim; }
  std::int64_t own() const { return lattice_.own(); }
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  SiteField make(int each = 1) const {
    return {each * lattice_.dim, lattice_.here.left, lattice_.own(), lattice_.here.right};
  }
  static std::vector<const double*> read(const SiteField& field) { return components(field); }
  bool held(std::int64_t i) const { return lattice_.held[at(i)] != 0; }

  /// From the stages' values to those at the next step's nodes and at its beginning; and from a step's stages
  /// to the velocity in its middle, and to the way until there.
  void extrapolation() {
    const auto nodes = numerics::gauss(stages_).nodes;
    const auto coefficients = numerics::legendre_coefficients(nodes);
    for (int i = 0; i <= stages_; ++i) {
      const numerics::Extended x = i < stages_ ? 1 + nodes[at(i)] : numerics::Extended(1);
      const auto p = numerics::legendre(stages_, 2 * x - 1);
      for (int j = 0; j < stages_; ++j) {
        numerics::Extended sum = 0;
        for (int k = 0; k < stages_; ++k) sum += p[at(k)] * coefficients(k, j);
        next_.push_back(static_cast<double>(sum));
      }
    }
    const auto value = numerics::legendre(stages_, 0);
    const auto integral = numerics::legendre_integrals<double, integrators::max_stages>(stages_ - 1, 0.5);
    for (int j = 0; j < stages_; ++j) {
      numerics::Extended speed = 0, way = 0;
      for (int k = 0; k < stages_; ++k) {
        speed += value[at(k)] * coefficients(k, j);
        way += integral[at(k)] * coefficients(k, j);
      }
      middle_speed_.push_back(static_cast<double>(speed));
      middle_way_.push_back(static_cast<double>(way));
    }
  }
  /// Where the matrices of this step are best taken: in its middle, as far as that is known.
  void choose_place(double h) {
    for (int c = 0; c < dim(); ++c) {
      for (std::int64_t x = 0; x < own(); ++x) {
        double speed = 0, way = 0;
        for (int j = 0; j < stages_; ++j) {
          speed = fma(middle_speed_[at(j)], velocities_[j * dim() + c][x], speed);
          way = fma(middle_way_[at(j)], velocities_[j * dim() + c][x], way);
        }
        old_q_[c][x] = q_[c][x] + h * way;
        old_v_[c][x] = speed;
      }
    }
  }
  /// The stages' velocities from that at the beginning alone.
  void begin_anew() {
    for (int j = 0; j < stages_; ++j) {
      for (int c = 0; c < dim(); ++c) std::copy_n(v_[c], own(), velocities_[j * dim() + c]);
    }
  }

  /// The matrices of a step of length h, where old_q_ and old_v_ say. Status::pending where that went well.
  Status make_matrices(double h) {
    ghosts_.exchange(components({&old_q_, &old_v_}));
    SecondDerivatives derivatives;
    kernel_.second_derivatives(read(old_q_).data(), read(old_v_).data(), derivatives);
    if (const auto found = massless(lattice_, kernel_.pattern(), derivatives)) {
      failure_ = found->text();
      return Status::singular_mass_matrix;
    }
    for (std::size_t k = 0; k < systems_.size(); ++k) {
      const auto lambda = h * tables_->eigenvalues[k].lambda;
      systems_[k].fill(derivatives, lambda, -lambda * lambda);
      ++effort_.factorisations;
    }
    step_ = h;
    stale_ = false;
    return Status::pending;
  }

  Status try_step(double h) {
    fresh_ = stale_ || h != step_;
    if (fresh_) {
      choose_place(h);
      if (const Status status = make_matrices(h); status != Status::pending) return status;
    }
    const double scale = step_scale(lattice_, h, q_, velocities_);
    const Newton newton = solve_stages(scale, 0.0, most_iterations, [&](std::string& why) {
      evaluate(h);
      return improve(h, why);
    });
    if (!newton.failure.empty()) return fail(newton.failure, h);
    effort_.iterations += newton.iterations;
    evaluate(h);  // forces where the iteration ended
    finish(h);
    not_found_.reset();
    if (fresh_) usual_iterations_ = newton.iterations;
    if (newton.iterations > usual_iterations_ + 2) stale_ = true;
    time_ += h;
    ++effort_.steps;
    return Status::pending;
  }

  Status fail(const std::string& why, double h) {
    failure_ = why + " (step " + std::to_string(h) + ")";
    return Status::newton_diverged;
  }

  /// Positions, forces and momenta at the stages.
  void evaluate(double h) {
    stage_positions(lattice_, h, tables_->a, q_, velocities_, dim(), positions_);
    ghosts_.exchange(components({&positions_, &velocities_}));
    const auto q = read(positions_), v = read(velocities_);
    const auto f = components(forces_), p = components(momenta_);
    for (int i = 0; i < stages_; ++i) {
      const std::ptrdiff_t k = i * dim();
      kernel_.gradient(q.data() + k, v.data() + k, f.data() + k, p.data() + k);
    }
    effort_.forces += stages_;
  }

  /// A coordinate's stages at a pack of sites.
  using Stages = integrators::Stages<Pack, 1>;
  void apply(const std::vector<double>& matrix, const Stages& x, Stages& result) const {
    integrators::apply<Pack, 1>(matrix.data(), stages_, stages_, x.data(), result.data());
  }
  void load_stages(const SiteField& field, int c, std::int64_t x, Stages& into) const {
    for (int j = 0; j < stages_; ++j) into[at(j)][0] = load(field[j * dim() + c] + x);
  }

  /// One Newton correction of the velocities; the largest change of a position that it makes.
  double improve(double h, std::string& reason) {
    // Residuals, transformed, in the place of the momenta.
    SiteField& residual = momenta_;
    Stages stage, sum;
    for (int c = 0; c < dim(); ++c) {
      for (std::int64_t x = 0; x < own(); x += pack) {
        load_stages(forces_, c, x, stage);
        apply(tables_->a, stage, sum);
        load_stages(momenta_, c, x, stage);
        for (int i = 0; i < stages_; ++i)
          stage[at(i)][0] = (stage[at(i)][0] - load(p_[c] + x)) - Pack(h) * sum[at(i)][0];
        apply(tables_->inverse, stage, sum);
        for (int i = 0; i < stages_; ++i) store(sum[at(i)][0], residual[i * dim() + c] + x, own() - x);
      }
    }
    for (std::int64_t x = 0; x < own(); ++x) {
      for (int k = 0; held(x) && k < residual.components(); ++k) residual[k][x] = 0;
    }
    std::vector<double> values;
    for (std::size_t k = 0; k < systems_.size(); ++k) {
      const auto& eigenvalue = tables_->eigenvalues[k];
      const int parts = eigenvalue.real ? 1 : 2;
      values.resize(at(own() * dim() * parts));
      // With zeta = z_1 - i z_2 for the pair's two rows, Lambda z is lambda zeta.
      const auto each = [&](const auto& use) {
        for (int c = 0; c < dim(); ++c) {
          for (int part = 0; part < parts; ++part) {
            double* z = residual[(eigenvalue.row + part) * dim() + c];
            double* value = values.data() + c * parts + part;
            for (std::int64_t x = 0; x < own(); ++x, value += dim() * parts)
              use(z[x], *value, part == 0 ? -1.0 : 1.0);
          }
        }
      };
      each([](double z, double& value, double sign) { value = sign * z; });
      reason = systems_[k].solve(values);
      ++effort_.linear_solves;
      if (!reason.empty()) return 0;
      each([](double& z, double value, double sign) { z = -sign * value; });
    }
    Pack largest(0.0);
    for (int c = 0; c < dim(); ++c) {
      for (std::int64_t x = 0; x < own(); x += pack) {
        load_stages(residual, c, x, stage);
        apply(tables_->transform, stage, sum);
        for (int i = 0; i < stages_; ++i) {
          for (int k = static_cast<int>(std::min<std::int64_t>(pack, own() - x)); k < pack; ++k)
            numerics::set_lane(sum[at(i)][0], k, 0);
          double* velocity = velocities_[i * dim() + c] + x;
          store(load(velocity) + sum[at(i)][0], velocity, own() - x);
          const Pack change = abs(Pack(h) * sum[at(i)][0]);
          largest = max(largest, select(isfinite(change), change, Pack(HUGE_VAL)));
        }
      }
    }
    double most = 0;
    for (int k = 0; k < pack; ++k) most = std::max(most, numerics::lane(largest, k));
    return parallel::maximum(most);
  }

  void finish(double h) {
    std::vector<double> stage(at(stages_));
    for (int c = 0; c < dim(); ++c) {
      for (std::int64_t x = 0; x < own(); ++x) {
        double position = 0, momentum = 0;
        for (int j = 0; j < stages_; ++j) {
          stage[at(j)] = velocities_[j * dim() + c][x];
          position = fma(tables_->b[at(j)], stage[at(j)], position);
          momentum = fma(tables_->b[at(j)], forces_[j * dim() + c][x], momentum);
        }
        numerics::Compensated<double> q{q_[c][x], q_low_[c][x]}, p{p_[c][x], p_low_[c][x]};
        q.add(h * position);
        if (!held(x)) p.add(h * momentum);
        q_[c][x] = q.value;
        q_low_[c][x] = q.low;
        p_[c][x] = p.value;
        p_low_[c][x] = p.low;
        for (int i = 0; i <= stages_; ++i) {
          double sum = 0;
          for (int j = 0; j < stages_; ++j) sum = fma(next_[at(i * stages_ + j)], stage[at(j)], sum);
          (i < stages_ ? velocities_[i * dim() + c] : v_[c])[x] = sum;
        }
      }
    }
  }

  /// Solves for velocities, once after a step. Empty where that went well, else why not.
  const std::string& find_velocity() {
    if (!not_found_) not_found_ = velocity_from_momenta();
    return *not_found_;
  }
  /// The velocities that belong to the momenta, into a field beside the state: samples change nothing. Empty
  /// where that went well; else why not, and they are what the stages say.
  std::string velocity_from_momenta() {
    constexpr int passes = 8;
    SiteField q = q_, force = make(), momentum = make();
    velocity_at_ = v_;
    const auto fail = [&](std::string why) {
      velocity_at_ = v_;
      return why;
    };
    std::vector<double> values(at(own() * dim()));
    double largest = 0, missed = 0;
    for (int iteration = 0; iteration < passes; ++iteration) {
      ghosts_.exchange(components({&q, &velocity_at_}));
      if (iteration == 0) {
        SecondDerivatives derivatives;
        kernel_.second_derivatives(read(q).data(), read(velocity_at_).data(), derivatives);
        mass_.fill(derivatives);
      }
      kernel_.gradient(read(q).data(), read(velocity_at_).data(), components(force).data(),
                       components(momentum).data());
      double residual = 0, change = 0, size = 0;
      for (std::int64_t x = 0; x < own(); ++x) {
        for (int c = 0; c < dim(); ++c) {
          double& value = values[at(x * dim() + c)];
          value = held(x) ? 0.0 : (p_[c][x] - momentum[c][x]);
          residual = std::max(residual, std::abs(value));
          largest = std::max({largest, std::abs(p_[c][x]), std::abs(momentum[c][x])});
        }
      }
      if (std::string reason = mass_.solve(values); !reason.empty()) return fail(std::move(reason));
      for (std::int64_t x = 0; x < own(); ++x) {
        for (int c = 0; c < dim(); ++c) {
          const double correction = values[at(x * dim() + c)];
          velocity_at_[c][x] += correction;
          change = std::isfinite(correction) ? std::max(change, std::abs(correction)) : HUGE_VAL;
          size = std::max(size, std::abs(velocity_at_[c][x]));
        }
      }
      const auto most = parallel::maximum(std::vector<double>{change, size, residual, largest});
      if (!std::isfinite(most[0])) return fail("they became infinite or NaN");
      if (!(most[0] > 0x1p-51 * most[1])) return "";
      missed = most[2] / most[3];
    }
    // Corrections of round-off may go on; momenta that are missed by more are another matter.
    return missed <= 1e-6 ? "" : fail(std::to_string(passes) + " corrections don't bring them about");
  }

  Lattice lattice_;
  Kernel& kernel_;
  std::shared_ptr<const GaussTables> tables_;
  int stages_;
  Ghosts ghosts_;
  SiteField q_, q_low_, p_, p_low_;
  SiteField v_;                                          // at the step's beginning, from the stages before
  SiteField old_q_, old_v_;                              // where the matrices are from
  SiteField velocities_, positions_, forces_, momenta_;  // at the stages
  SiteField guess_;                       // of the stages' velocities, while old matrices are tried
  SiteField velocity_at_;                 // of the momenta, once solved for
  std::optional<std::string> not_found_;  // why they weren't; empty where they were
  MassMatrix mass_;
  std::vector<SparseSystem> systems_;
  std::vector<double> next_, middle_speed_, middle_way_;
  double time_ = 0, step_ = 0;
  bool stale_ = true, fresh_ = false;
  int usual_iterations_ = 0;
  Effort effort_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Method> make_gauss_newton(const Lattice& lattice, Kernel& kernel, int stages,
                                          const SiteField& q, const SiteField& v, bool assembled) {
  return std::make_unique<GaussNewton>(
      lattice, kernel, stages, q, v,
      assembled ? BlockSystem::Solver::assembled : BlockSystem::Solver::reduced);
}

}  // namespace cotangent::lattice
