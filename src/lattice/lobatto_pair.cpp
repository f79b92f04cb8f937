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
#include <sstream>

#include "integrators/convergence.hpp"
#include "integrators/lobatto_spark.hpp"
#include "lattice/block_system.hpp"
#include "numerics/compensated.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {

using integrators::LobattoTables;

std::string short_text(double x) {
  std::ostringstream text;
  text << x;
  return text.str();
}

class LobattoPair final : public Method {
 public:
  LobattoPair(const Lattice& lattice, Kernel& kernel, std::vector<TermInfo> constraints,
              std::shared_ptr<const LobattoTables> tables, const Field& q, const Field& v)
      : lattice_(lattice),
        kernel_(kernel),
        constraints_(std::move(constraints)),
        tables_(std::move(tables)),
        s_(tables_->stages),
        n_(lattice.dim),
        k_(static_cast<int>(constraints_.size())),
        ghosts_(lattice.sites, lattice.here.range, lattice.halo(lattice.here.reach)),
        q_(make(n_)),
        q_low_(make(n_)),
        p_(make(n_ + k_)),
        v_(make(n_)),
        acceleration_(make(n_)),
        lambda_(make(std::max(1, (s_ - 1) * k_))),
        present_(make(std::max(1, k_))),
        places_(make(s_ * (n_ + k_))),
        speeds_(make(s_ * (n_ + k_))),
        forces_(make(s_ * (n_ + k_))),
        momenta_(make(s_ * (n_ + k_))),
        derivatives_(static_cast<std::size_t>(s_)),
        stages_system_(lattice_, kernel.pattern(), s_ * n_ + (s_ - 1) * k_, "pair_",
                       BlockSystem::Solver::pivoting),
        end_system_(lattice_, kernel.pattern(), n_ + k_, "pair_", BlockSystem::Solver::pivoting) {
    for (auto& derivatives : derivatives_) derivatives.with_cross = true;
    for (int c = 0; c < n_; ++c) {
      std::copy_n(q[c], own(), q_[c]);
      std::copy_n(v[c], own(), v_[c]);
    }
    look_at_start();
    // Velocities along the constraints, with the momenta's difference along their forces.
    Field place = make(n_ + k_), speed = place;
    copy(q_, place);
    copy(v_, speed);
    ghosts_.exchange(components({&place, &speed}));
    Field force = place;
    kernel_.gradient(read(place), read(speed), write(force), write(p_));
    if (const std::string reason = land(place, p_, v_); !reason.empty())
      throw Error("velocities along the constraints: " + reason);
  }

  Status attempt(double h) override {
    const Status status = try_step(h);
    if (status != Status::pending) {  // the guess was of no use
      for (Field* field : {&acceleration_, &lambda_}) {
        for (int c = 0; c < field->components(); ++c) std::fill_n((*field)[c], own(), 0.0);
      }
    }
    return status;
  }
  double time() const override { return time_; }
  const Field& position() override { return q_; }
  const Field& velocity() override { return v_; }
  Effort& effort() override { return effort_; }
  const std::string& failure() const override { return failure_; }
  void fill_ghosts(Field& field) override { ghosts_.exchange(components(field)); }
  double constraint_error() override {
    double error = 0;
    const Field value = constraint_values();
    for (int k = 0; k < k_; ++k) {
      for (std::int64_t x = 0; x < own(); ++x) error = std::max(error, std::abs(value[n_ + k][x]));
    }
    return parallel::maximum(error);
  }

  std::vector<double*> site_state() override {
    return components({&q_, &q_low_, &v_, &acceleration_, &lambda_});
  }
  std::vector<double> common_state() const override { return {time_, static_cast<double>(effort_.steps)}; }
  void restore(const std::vector<double>& common) override {
    time_ = common.at(0);
    effort_.steps = static_cast<std::int64_t>(common.at(1));
  }

 private:
  static constexpr int most_iterations = 30;

  std::int64_t own() const { return lattice_.own(); }
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  Field make(int each) const { return {each, lattice_.here.left, lattice_.own(), lattice_.here.right}; }
  bool held(std::int64_t x) const { return lattice_.held[at(x)] != 0; }
  bool present(int k, std::int64_t x) const { return present_[k][x] != 0; }
  double a(int i, int j) const { return tables_->a[at(i * s_ + j)]; }
  double mate(int i, int j) const { return tables_->mate[at(i * s_ + j)]; }

  /// Pointers to the components of one stage.
  const double* const* read(const Field& field, int stage = 0) {
    read_ = components(field);
    return pointers(read_, stage, reading_);
  }
  double* const* write(Field& field, int stage = 0) {
    write_ = components(field);
    return pointers(write_, stage, writing_);
  }
  /// Four of them at once, for a call of the kernel.
  template <class P>
  P const* pointers(const std::vector<P>& of, int stage, std::array<std::vector<P>, 4>& ring) {
    auto& list = ring[ring_++ % 4];
    list.assign(of.begin() + stage * (n_ + k_), of.end());
    return list.data();
  }
  void copy(const Field& from, Field& to) const {
    for (int c = 0; c < n_; ++c) std::copy_n(from[c], own(), to[c]);
  }

  /// g at the positions, behind n_ components of no interest.
  Field constraint_values() {
    Field place = make(n_ + k_), speed = place, value = place, momentum = place;
    copy(q_, place);
    ghosts_.exchange(components(place));
    kernel_.gradient(read(place), read(speed), write(value), write(momentum));
    return value;
  }

  /// Which constraints there are at which sites, and whether the start keeps them.
  void look_at_start() {
    Field place = make(n_ + k_), speed = place, held_there = make(1);
    copy(q_, place);
    for (std::int64_t x = 0; x < own(); ++x) held_there[0][x] = held(x) ? 1.0 : 0.0;
    ghosts_.exchange(components({&place, &held_there}));
    kernel_.second_derivatives(read(place), read(speed), derivatives_[0]);
    const Field value = constraint_values();
    parallel::agree([&] {
      for (std::int64_t x = 0; x < own(); ++x) {
        for (int k = 0; k < k_; ++k) {
          double free = 0, all = 0;
          for_gradient(derivatives_[0], x, k, [&](std::int64_t other, int, double slope) {
            all = std::max(all, std::abs(slope));
            if (held_there[0][other] == 0) free = std::max(free, std::abs(slope));
          });
          const auto where = [&] {
            return "constraint '" + constraints_[at(k)].name + "' of site " +
                   std::to_string(lattice_.here.range.first + x);
          };
          if (!(all > 0) && begins(k, x)) throw Error(where() + ": its gradient vanishes at the start");
          if (!(std::abs(value[n_ + k][x]) <= 1e-9))
            throw Error(where() + " is missed at the start, by " + short_text(value[n_ + k][x]));
          present_[k][x] = free > 0 ? 1.0 : 0.0;
        }
      }
    });
  }
  /// Whether a copy of a constraint has this site as its first.
  bool begins(int k, std::int64_t x) const {
    const auto& offsets = constraints_[at(k)].sites;
    const std::int64_t site = lattice_.here.range.first + x;
    if (!lattice_.here.listed) {
      std::vector<std::int64_t> sites(offsets.size());
      return lattice_.here.grid.copy(offsets, site, sites.data());
    }
    const Copies& list = lattice_.here.lists[lattice_.here.lists.size() - at(k_) + at(k)];
    for (std::size_t copy = 0; copy < list.count(); ++copy) {
      if (list.place[copy * at(list.sites)] == x) return true;
    }
    return false;
  }

  /// Calls use(place, coordinate, dg/dq) for the constraint k of site x.
  template <class Use>
  void for_gradient(const SecondDerivatives& derivatives, std::int64_t x, int k, const Use& use) {
    const Pattern& pattern = kernel_.pattern();
    const int d = n_ + k_;
    for (std::int64_t b = pattern.begin[at(x)]; b < pattern.begin[at(x) + 1]; ++b) {
      for (int c = 0; c < n_; ++c)
        use(pattern.place[at(b)], c, derivatives.force[at((b * d + n_ + k) * d + c)]);
    }
  }

  Status fail(const std::string& why, double h) {
    failure_ = why + " (step " + std::to_string(h) + ")";
    return Status::newton_diverged;
  }

  Status try_step(double h) {
    begin(h);
    integrators::Convergence<double> convergence(true, 0x1p-57, 0x1p-46);
    double scale = 0, last = HUGE_VAL;
    for (int c = 0; c < n_; ++c) {
      for (std::int64_t x = 0; x < own(); ++x)
        scale = std::max({scale, std::abs(h * v_[c][x]), 0x1p-1 * std::abs(q_[c][x])});
    }
    convergence.measure_against(parallel::maximum(scale));
    int iterations = 0;
    bool slow = true;
    while (convergence.open()) {
      if (++iterations > most_iterations) return fail("Newton's method used up its iterations", h);
      evaluate(h);
      if (slow) make_matrix(h);
      std::string reason;
      const double change = improve(h, reason);
      if (!reason.empty()) return fail(reason, h);
      if (!std::isfinite(change)) return fail("an iterate became infinite or NaN", h);
      if (iterations > 4 && change > 2 * last && change > 0x1p-40 * scale)
        return fail("Newton's method diverges", h);
      convergence.close(change);
      slow = change > 0.1 * last;
      last = change;
    }
    effort_.iterations += iterations;
    evaluate(h);
    return finish(h);
  }

  /// A first guess: the stages' velocities from the acceleration before, multipliers as they were.
  void begin(double h) {
    Field speed = make(n_ + k_), place = speed, force = speed;
    copy(q_, place);
    copy(v_, speed);
    ghosts_.exchange(components({&place, &speed}));
    kernel_.gradient(read(place), read(speed), write(force), write(p_));
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
    for (int i = 0; i < s_; ++i) {
      for (int c = 0; c < n_; ++c) {
        double* into = places_[i * (n_ + k_) + c];
        for (std::int64_t x = 0; x < own(); ++x) {
          double sum = 0;
          for (int j = 0; j < s_; ++j) sum = fma(a(i, j), speeds_[j * (n_ + k_) + c][x], sum);
          into[x] = q_[c][x] + h * sum;
        }
      }
    }
    ghosts_.exchange(components({&places_, &speeds_}));
    for (int i = 0; i < s_; ++i)
      kernel_.gradient(read(places_, i), read(speeds_, i), write(forces_, i), write(momenta_, i));
    effort_.forces += s_;
  }

  void make_matrix(double h) {
    for (int i = 0; i < s_; ++i)
      kernel_.second_derivatives(read(places_, i), read(speeds_, i), derivatives_[at(i)]);
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
            if (!present(k, x)) {
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
          double kick = 0;
          for (int j = 0; j < s_ - 1; ++j) kick = fma(mate(i, j), forces_[j * d + c][x], kick);
          row[i * n_ + c] = (p_[c][x] - momenta_[i * d + c][x]) + h * kick;
        }
        for (int k = 0; k < k_ && i > 0; ++k) {
          if (present(k, x)) row[s_ * n_ + (i - 1) * k_ + k] = -forces_[i * d + n_ + k][x] / h;
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
    Field place = make(d), p = make(d), v = make(n_), low = q_low_;
    for (int c = 0; c < n_; ++c) {
      for (std::int64_t x = 0; x < own(); ++x) {
        double way = 0, kick = 0;
        for (int j = 0; j < s_; ++j) {
          way = fma(tables_->b[at(j)], speeds_[j * d + c][x], way);
          kick = fma(tables_->b[at(j)], forces_[j * d + c][x], kick);
        }
        numerics::Compensated<double> q{q_[c][x], q_low_[c][x]};
        q.add(h * way);
        place[c][x] = q.value;
        low[c][x] = q.low;
        p[c][x] = p_[c][x] + h * kick;
        v[c][x] = speeds_[(s_ - 1) * d + c][x];
      }
    }
    ghosts_.exchange(components(place));
    if (const std::string reason = land(place, p, v); !reason.empty()) return fail(reason, h);
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

  /// Velocities at a place (with ghosts): L_v(q, v) = p + grad g mu, grad g v = 0; v is a guess on entry.
  std::string land(const Field& place, const Field& p, Field& v) {
    const int d = n_ + k_;
    Field speed = make(d), force = speed, momentum = speed, mu = make(std::max(1, k_));
    SecondDerivatives derivatives;
    std::vector<double> values(at(own() * d));
    for (int iteration = 0; iteration < 8; ++iteration) {
      copy(v, speed);
      ghosts_.exchange(components({&speed, &mu}));
      kernel_.gradient(read(place), read(speed), write(force), write(momentum));
      if (iteration == 0) {
        kernel_.second_derivatives(read(place), read(speed), derivatives);
        fill_end(derivatives);
      }
      std::fill(values.begin(), values.end(), 0.0);
      for (std::int64_t x = 0; x < own(); ++x) {
        double* row = values.data() + x * d;
        for (int c = 0; c < n_ && !held(x); ++c)
          row[c] = p[c][x] - momentum[c][x] + along(derivatives, x, c, mu);
        for (int k = 0; k < k_; ++k) {
          if (!present(k, x)) continue;
          for_gradient(derivatives, x, k, [&](std::int64_t other, int c, double slope) {
            row[n_ + k] -= slope * speed[c][other];
          });
        }
      }
      if (std::string reason = end_system_.solve(values); !reason.empty()) return reason;
      double change = 0, size = 0;
      for (std::int64_t x = 0; x < own(); ++x) {
        for (int c = 0; c < n_; ++c) {
          const double by = values[at(x * d + c)];
          v[c][x] += by;
          change = std::isfinite(by) ? std::max(change, std::abs(by)) : HUGE_VAL;
          size = std::max(size, std::abs(v[c][x]));
        }
        for (int k = 0; k < k_; ++k) mu[k][x] += values[at(x * d + n_ + k)];
      }
      const auto most = parallel::maximum(std::vector<double>{change, size});
      if (!std::isfinite(most[0])) return "the velocities at a step's end became infinite or NaN";
      if (!(most[0] > 0x1p-50 * most[1])) return "";
    }
    return "";
  }
  /// (grad g mu) of a coordinate.
  double along(const SecondDerivatives& derivatives, std::int64_t x, int c, const Field& mu) {
    const Pattern& pattern = kernel_.pattern();
    const int d = n_ + k_;
    double sum = 0;
    for (std::int64_t b = pattern.begin[at(x)]; b < pattern.begin[at(x) + 1]; ++b) {
      for (int k = 0; k < k_; ++k)
        sum = fma(derivatives.force[at((b * d + c) * d + n_ + k)], mu[k][pattern.place[at(b)]], sum);
    }
    return sum;
  }
  void fill_end(const SecondDerivatives& derivatives) {
    const int d = n_ + k_;
    end_system_.fill([&](std::int64_t x, std::int64_t first, std::span<const std::int64_t> places,
                         std::span<double> values) {
      const int length = static_cast<int>(std::ssize(places)) * d;
      for (int b = 0; b < std::ssize(places); ++b) {
        for (int r = 0; r < d; ++r) {
          const bool still = r < n_ ? held(x) : !present(r - n_, x);
          for (int c = 0; c < d; ++c) {
            const auto entry = at(((first + b) * d + r) * d + c);
            double& value = values[at(r * length + b * d + c)];
            if (still) {
              value = places[at(b)] == x && r == c ? 1.0 : 0.0;
            } else if (r < n_) {
              value = c < n_ ? derivatives.mass[entry] : -derivatives.force[entry];
            } else {
              value = c < n_ ? derivatives.force[entry] : 0.0;
            }
          }
        }
      }
    });
  }

  Lattice lattice_;
  Kernel& kernel_;
  std::vector<TermInfo> constraints_;
  std::shared_ptr<const LobattoTables> tables_;
  int s_, n_, k_;
  Ghosts ghosts_;
  Field q_, q_low_, p_, v_;
  Field acceleration_;                        // in the step before
  Field lambda_;                              // of the stages before
  Field present_;                             // 1 where a constraint is, 0 elsewhere
  Field places_, speeds_, forces_, momenta_;  // at the stages; coordinates and then multipliers
  std::vector<SecondDerivatives> derivatives_;
  BlockSystem stages_system_, end_system_;
  std::vector<const double*> read_;
  std::vector<double*> write_;
  std::array<std::vector<const double*>, 4> reading_;
  std::array<std::vector<double*>, 4> writing_;
  std::size_t ring_ = 0;
  double time_ = 0;
  Effort effort_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Method> make_lobatto_pair(const Lattice& lattice, Kernel& multiplied,
                                          const std::vector<TermInfo>& constraints,
                                          std::shared_ptr<const LobattoTables> tables, Field q, Field v) {
  return std::make_unique<LobattoPair>(lattice, multiplied, constraints, std::move(tables), q, v);
}

}  // namespace cotangent::lattice
