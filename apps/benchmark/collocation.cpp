// SPDX-License-Identifier: BSD-3-Clause
// Chan's equations for a step as he has them, a system of first order for positions and velocities, against
// the same with velocities eliminated, as he proposes in his summary and as src/integrators has them:
//   first order    2 N K unknowns X_k, V_k, the Jacobian (3.47) with its block d L_v / d X transposed
//   second order   N K unknowns X_k, V_k = (D X)_k: a Jacobian of a quarter of the size
// Both by Newton's method from the straight line, with the same elimination, on the hanging chain of three
// magnetised balls. Run: benchmark_collocation [seconds of each measurement]. Reference: V. P. Chan, The
// design, implementation, and applications of a novel numerical solver: the Lagrangian solver (master's
// thesis, OIST, 2018), (3.46) to (3.49) and chapter 7.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "integrators/collocation_equations.hpp"
#include "mechanics/models/magnetic_chain.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

using Chain = mechanics::System<mechanics::MagneticChain, double>;
constexpr int N = Chain::dim;
using Vector = std::array<double, N>;

struct Point {
  Vector q, v;
};

/// (3.46) with the rows of the treatment, given X_0 and V_0.
class FirstOrder {
 public:
  static constexpr const char* name = "first order";

  FirstOrder(std::shared_ptr<const CollocationTables> tables, Treatment treatment)
      : tables_(std::move(tables)),
        treatment_(treatment),
        x_(tables_->degree + 1),
        v_(x_),
        at_(tables_->degree + 1),
        residual_(2 * N * tables_->degree),
        jacobian_(residual_.size(), std::vector<double>(residual_.size())) {}

  std::size_t bytes() const { return sizeof(double) * residual_.size() * (residual_.size() + 1); }

  void begin(const Chain& system, double h, const Point& point) {
    h_ = h;
    for (int k = 0; k <= tables_->degree; ++k) {
      v_[k] = point.v;
      for (int n = 0; n < N; ++n) x_[k][n] = point.q[n] + tables_->c[k] * h * point.v[n];
    }
    at_[0] = system.hessian(point.q, point.v, 0.0);
  }

  double correct(const Chain& system) {
    const int K = tables_->degree;
    for (int k = 1; k <= K; ++k) at_[k] = system.hessian(x_[k], v_[k], 0.0);
    for (auto& row : jacobian_) std::fill(row.begin(), row.end(), 0.0);
    int row = 0;
    const bool both_ends = treatment_ == Treatment::e;
    for (int k = 0; k <= K; ++k) {
      const bool stands = both_ends ? k > 0 && k < K : treatment_ == Treatment::a ? k > 0 : k < K;
      if (stands) euler_lagrange(row++, k);
    }
    for (int k = both_ends ? 0 : 1; k <= K; ++k) kinematic(row++, k);
    numerics::solve_in_place<double>(static_cast<int>(residual_.size()), jacobian_, residual_);
    double change = 0;
    for (int j = 1; j <= K; ++j) {
      for (int n = 0; n < N; ++n) {
        x_[j][n] -= residual_[(j - 1) * N + n];
        v_[j][n] -= residual_[(K + j - 1) * N + n];
        change += std::abs(residual_[(j - 1) * N + n]);
      }
    }
    return change;
  }

  Point end() const { return {x_.back(), v_.back()}; }

 private:
  void euler_lagrange(int row, int k) {
    const int K = tables_->degree;
    for (int n = 0; n < N; ++n) {
      auto& entries = jacobian_[row * N + n];
      double sum = 0;
      for (int l = 1; l <= K; ++l) sum += tables_->derivative(k, l) * (at_[l].v[n] - at_[0].v[n]);
      residual_[row * N + n] = sum - h_ * at_[k].q[n];
      for (int j = 1; j <= K; ++j) {
        for (int m = 0; m < N; ++m) {
          entries[(j - 1) * N + m] = tables_->derivative(k, j) * at_[j].qv[m][n];
          entries[(K + j - 1) * N + m] = tables_->derivative(k, j) * at_[j].vv[n][m];
          if (j != k) continue;
          entries[(j - 1) * N + m] -= h_ * at_[k].qq[n][m];
          entries[(K + j - 1) * N + m] -= h_ * at_[k].qv[n][m];
        }
      }
    }
  }

  void kinematic(int row, int k) {
    const int K = tables_->degree;
    for (int n = 0; n < N; ++n) {
      auto& entries = jacobian_[row * N + n];
      double sum = 0;
      for (int j = 1; j <= K; ++j) {
        sum += tables_->derivative(k, j) * (x_[j][n] - x_[0][n]);
        entries[(j - 1) * N + n] = tables_->derivative(k, j);
      }
      residual_[row * N + n] = sum - h_ * v_[k][n];
      if (k > 0) entries[(K + k - 1) * N + n] = -h_;
    }
  }

  std::shared_ptr<const CollocationTables> tables_;
  Treatment treatment_;
  double h_ = 0;
  std::vector<Vector> x_, v_;
  std::vector<Chain::Hessian> at_;
  std::vector<double> residual_;
  std::vector<std::vector<double>> jacobian_;
};

class SecondOrder {
 public:
  static constexpr const char* name = "second order";

  SecondOrder(const std::shared_ptr<const CollocationTables>& tables, Treatment treatment)
      : tables_(tables), equations_(tables, treatment), y_(tables->degree) {}

  std::size_t bytes() const {
    const auto n = static_cast<std::size_t>(equations_.size());
    return sizeof(double) * n * (n + 1);
  }

  void begin(const Chain& system, double h, const Point& point) {
    h_ = h;
    start_ = point;
    std::fill(y_.begin(), y_.end(), Vector{});
    equations_.begin(system, h, 0.0, point.q, point.v);
  }

  double correct(const Chain& system) { return equations_.correct(system, y_.data(), true); }

  Point end() {
    equations_.velocities(y_.data());
    Point result{start_.q, equations_.velocity(tables_->degree)};
    for (int n = 0; n < N; ++n) result.q[n] += h_ * start_.v[n] + y_.back()[n];
    return result;
  }

 private:
  std::shared_ptr<const CollocationTables> tables_;
  CollocationEquations<Chain> equations_;
  std::vector<Vector> y_;
  Point start_{};
  double h_ = 0;
};

struct Result {
  double microseconds, iterations;
  std::size_t bytes;
  Point end;
};

/// The fastest of some runs of `steps` steps.
template <class Equations>
Result measure(int degree, Treatment treatment, double h, int steps, double least_time) {
  using Clock = std::chrono::steady_clock;
  Chain system;
  system.parameters[0] = 10;
  Equations equations(CollocationTables::of(NodeFamily::chebyshev_lobatto, degree), treatment);
  Result result{1e300, 0, equations.bytes(), {}};
  const auto begin = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - begin).count() < least_time) {
    const auto start = Clock::now();
    Point x{{3.141592653589793, -3.141592653589793}, {0.10623394393724173, 2.0}};  // E = -6.5
    long iterations = 0;
    for (int i = 0; i < steps; ++i) {
      equations.begin(system, h, x);
      double change = 1;
      for (int k = 0; k < 30 && change > 1e-12; ++k, ++iterations) change = equations.correct(system);
      if (!(change <= 1e-12)) {
        std::printf("%s: step %d doesn't converge\n", Equations::name, i);
        std::exit(1);
      }
      x = equations.end();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    result.microseconds = std::min(result.microseconds, 1e6 * seconds / steps);
    result.iterations = static_cast<double>(iterations) / steps;
    result.end = x;
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const double least_time = argc > 1 ? std::stod(argv[1]) : 0.5;
  constexpr int steps = 200;
  std::printf("degree  form           unknowns  bytes   iterations  us a step   ends apart by\n");
  for (const int degree : {4, 8, 12, 16}) {
    const double h = 0.0625 * degree / 2;
    const auto first = measure<FirstOrder>(degree, Treatment::e, h, steps, least_time);
    const auto second = measure<SecondOrder>(degree, Treatment::e, h, steps, least_time);
    double apart = 0;
    for (int n = 0; n < N; ++n) {
      apart = std::max(
          {apart, std::abs(first.end.q[n] - second.end.q[n]), std::abs(first.end.v[n] - second.end.v[n])});
    }
    std::printf("%6d  %-13s  %8d  %6zu  %10.2f  %9.2f\n", degree, FirstOrder::name, 2 * N * degree,
                first.bytes, first.iterations, first.microseconds);
    std::printf("%6d  %-13s  %8d  %6zu  %10.2f  %9.2f   %.1e\n", degree, SecondOrder::name, N * degree,
                second.bytes, second.iterations, second.microseconds, apart);
    if (!(apart < 1e-8)) return 1;
  }
}
