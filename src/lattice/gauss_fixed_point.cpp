// SPDX-License-Identifier: BSD-3-Clause
// Gauss collocation of a lattice by fixed-point iteration, for L = v^T M v / 2 - U(q) with M diagonal. As
// integrators/gauss_force.hpp does it: the unknowns are the stages' accelerations times h^2, held as even and
// odd parts about the middle of the step (integrators/gauss_parts.hpp), begun from the last step's
// polynomial. Iterations run over blocks of sites in waves: while one is at a block, the next follows a reach
// behind it, so that a block's numbers stay in the cache for all of them. Ghosts are as deep as a wave has
// iterations: ranks talk once a wave. Neither changes a bit. Reference: Hairer, Lubich, Wanner (2006),
// VIII.6.1; for waves, Wolf, Lam, PLDI (1991); for deep ghosts, Demmel et al., IPDPS (2008).
#include <algorithm>
#include <array>
#include <cmath>

#include "integrators/convergence.hpp"
#include "integrators/gauss_parts.hpp"
#include "lattice/method.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {

using integrators::GaussTables;

class GaussFixedPoint final : public Method {
 public:
  GaussFixedPoint(const Lattice& lattice, Kernel& kernel, int stages, SiteField q, SiteField v)
      : lattice_(lattice),
        kernel_(kernel),
        tables_(GaussTables::of(stages)),
        stages_(stages),
        reach_(lattice.here.listed ? 0 : std::max<std::int64_t>(lattice.here.reach, 1)),
        longest_(longest_wave(lattice, reach_)),
        left_(lattice.here.listed ? 0 : (longest_ + 1) * reach_),
        right_(lattice.here.listed ? lattice.here.right : left_),
        block_(lattice.here.listed ? std::max<std::int64_t>(1, lattice.own()) : block_for(reach_)),
        ghosts_(lattice.sites, lattice.here.range, lattice.halo(left_)),
        near_(lattice.sites, lattice.here.range, lattice.halo(lattice.here.reach)),
        q_(make()),
        q_low_(make()),
        v_(make()),
        v_low_(make()),
        begin_(make()),
        end_(make()),
        parts_{make(stages), make(stages)},
        stage_(stages * lattice.dim, lag(), block_ + 2 * pack, right_room()),
        middle_(2 * lattice.dim, 0, block_ + 2 * pack, 0) {
    for (int c = 0; c < dim(); ++c) {
      std::copy_n(q[c], lattice.own(), q_[c]);
      std::copy_n(v[c], lattice.own(), v_[c]);
    }
    ghosts_.exchange(components(q_));
    inverse_mass_ = inverse_masses(lattice, kernel, q_, left_, right_);
    ghosts_.exchange(components(inverse_mass_));
  }

  Status attempt(double h) override {
    auto state = components({&q_, &q_low_, &v_, &v_low_, &parts_[now_]});
    ghosts_.exchange(state);
    if (h != last_step_) guess(h);
    integrators::Convergence<double> convergence(true, 0x1p-57, 0x1p-46);
    double scale = scale_, least = HUGE_VAL;
    int done = 0, closed = 0;
    // How many iterations are made at once doesn't depend on the ranks, though the waves do.
    for (int until = planned_; convergence.open() && done < most_iterations; until += 2) {
      std::vector<double> changes{scale};
      while (done < until) {
        if (done > 0) ghosts_.exchange(components(parts_[now_]));
        const auto more = iterate(h, std::min(until - done, longest_));
        changes.insert(changes.end(), more.begin(), more.end());
        done += static_cast<int>(more.size());
      }
      changes = parallel::maximum(std::move(changes));
      if (until == planned_) convergence.measure_against(scale = changes.front());
      for (std::size_t k = 1; k < changes.size(); ++k) {
        const int number = done - static_cast<int>(changes.size() - 1 - k);
        if (!std::isfinite(changes[k])) return fail("an iterate became infinite or NaN", h);
        if (number >= 4 && convergence.open()) convergence.close(changes[k]);
        if (!convergence.open() && closed == 0) closed = number;
        if (number > 12 && convergence.open() && changes[k] > least)
          return fail("the fixed-point iteration doesn't contract", h);
        if (number >= 6) least = std::min(least, changes[k]);
      }
    }
    effort_.iterations += done;
    effort_.forces += static_cast<std::int64_t>(done) * stages_ + 1;
    if (convergence.open()) return fail("the fixed-point iteration used up its iterations", h);
    planned_ = closed;
    if (lattice_.here.listed) ghosts_.exchange(components(parts_[now_]));
    finish(h);
    time_ += h;
    ++effort_.steps;
    last_step_ = h;
    return Status::pending;
  }

  double time() const override { return time_; }
  const SiteField& position() override { return q_; }
  const SiteField& velocity() override { return v_; }
  Effort& effort() override { return effort_; }
  const std::string& failure() const override { return failure_; }
  void fill_ghosts(SiteField& field) override { near_.exchange(components(field)); }

  std::string solver() override { return "fixed-point iteration"; }
  void visit(StateVisitor& state) override {
    state.number("time", time_);
    state.number("steps", effort_.steps);
    state.number("last_step", last_step_);
    state.number("planned_iterations", planned_);
    state.field("position", q_);
    state.field("position_low", q_low_);
    state.field("velocity", v_);
    state.field("velocity_low", v_low_);
    state.field("acceleration_at_begin", begin_);
    state.field("stages", parts_[now_]);
  }
  void restored() override { measure(0, lattice_.own()); }

 private:
  static constexpr int most_iterations = 50;

  int dim() const { return lattice_.dim; }
  SiteField make(int each = 1) const { return {each * lattice_.dim, left_, lattice_.own(), right_}; }
  /// The reach in whole packs.
  std::int64_t lag() const { return (reach_ + pack - 1) / pack * pack; }
  std::int64_t right_room() const { return lattice_.here.listed ? right_ : 2 * reach_; }
  /// How many iterations a wave may have: so many that the ghosts stay few beside a rank's sites.
  static int longest_wave(const Lattice& lattice, std::int64_t reach) {
    if (lattice.here.listed) return 1;
    return static_cast<int>(std::clamp<std::int64_t>(lattice.sites / parallel::size() / (8 * reach), 1, 12));
  }
  static std::int64_t block_for(std::int64_t reach) {
    return std::max<std::int64_t>(256, (8 * reach + pack - 1) / pack * pack);
  }
  /// Where sites end to the left and right, ghosts `depth` deep included.
  std::int64_t low(std::int64_t depth) const {
    const std::int64_t at = -depth * reach_;
    return lattice_.here.grid.closed() ? at : std::max(at, -lattice_.here.range.first);
  }
  std::int64_t high(std::int64_t depth) const {
    const std::int64_t at = lattice_.own() + depth * reach_;
    return lattice_.here.grid.closed() ? at : std::min(at, lattice_.sites - lattice_.here.range.first);
  }

  Status fail(const char* why, double h) {
    failure_ = std::string(why) + " (step " + std::to_string(h) + ")";
    last_step_ = 0;  // what the parts hold is of no use
    return Status::newton_diverged;
  }

  /// Parts from the acceleration at the beginning alone.
  void guess(double h) {
    const auto from = components(std::as_const(q_));
    const auto into = components(begin_);
    const integrators::GaussParts<double, 1> by(*tables_);
    ++effort_.forces;
    for (std::int64_t at = 0; at < lattice_.own(); at += block_) {
      const std::int64_t end = std::min(at + block_, lattice_.own());
      kernel_.force(from.data(), at, end, into.data());
      for (int c = 0; c < dim(); ++c) {
        for (std::int64_t i = at; i < end; ++i) {
          begin_[c][i] *= h * h * inverse_mass_[c][i];
          for (int j = 0; j < stages_; ++j) part(now_, j, c)[i] = by.of_constant(j, begin_[c][i]);
        }
      }
    }
    last_step_ = h;
    planned_ = 10;
    measure(0, lattice_.own());
    ghosts_.exchange(components(parts_[now_]));
  }

  double* part(int which, int j, int c) { return parts_[static_cast<std::size_t>(which)][j * dim() + c]; }

  /// The size of a step, in `scale_`: of what moves, and of what round-off there is in positions.
  void measure(std::int64_t from, std::int64_t to) {
    if (from == 0) scale_ = 0;
    for (int c = 0; c < dim(); ++c) {
      const double *q = q_[c], *v = v_[c], *first = part(now_, 0, c);
      Pack largest(scale_);
      for (std::int64_t i = from; i < to; i += pack) {
        Pack size = max(max(abs(Pack(last_step_) * load(v + i)), abs(load(first + i))),
                        Pack(0x1p-1) * abs(load(q + i)));
        if (i + pack > to) {
          for (int k = static_cast<int>(to - i); k < pack; ++k) numerics::set_lane(size, k, 0.0);
        }
        largest = max(largest, size);
      }
      for (int k = 0; k < pack; ++k) scale_ = std::max(scale_, numerics::lane(largest, k));
    }
  }

  /// Iterations one behind another over all blocks; the largest change of each on this rank's sites, infinite
  /// where one isn't finite.
  std::vector<double> iterate(double h, int count) {
    std::vector<double> changes(static_cast<std::size_t>(count), 0.0);
    std::vector<std::int64_t> reached, until;
    for (int j = 0; j < count; ++j) {
      reached.push_back(low(count - j));
      until.push_back(high(count - j));
    }
    const std::int64_t first = reached.front();
    for (std::int64_t front = first + block_, open = count; open > 0; front += block_) {
      open = 0;
      for (int j = 0; j < count; ++j) {
        const auto k = static_cast<std::size_t>(j);
        const std::int64_t to = std::min(until[k], front - j * lag());
        if (to > reached[k]) {
          changes[k] = std::max(changes[k], sweep(h, (now_ + j) % 2, reached[k], to));
          reached[k] = to;
        }
        open += reached[k] < until[k] ? 1 : 0;
      }
    }
    now_ = (now_ + count) % 2;
    return changes;
  }

  double sweep(double h, int from, std::int64_t low, std::int64_t high) {
    switch (stages_) {
      case 1:
        return sweep_of<1>(h, from, low, high);
      case 2:
        return sweep_of<2>(h, from, low, high);
      case 3:
        return sweep_of<3>(h, from, low, high);
      case 4:
        return sweep_of<4>(h, from, low, high);
      case 6:
        return sweep_of<6>(h, from, low, high);
      case 8:
        return sweep_of<8>(h, from, low, high);
      default:
        return sweep_of<0>(h, from, low, high);
    }
  }

  /// The algebra of a site's parts; S is the number of stages where the compiler shall know it, else 0.
  template <int S = 0>
  using Parts = integrators::GaussParts<Pack, 1, S>;
  /// Something for each stage.
  template <int S, class T>
  using Each = std::array<T, (S > 0 ? S : integrators::max_stages)>;
  using One = std::array<Pack, 1>;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// One iteration on the sites from low to high; their largest change.
  template <int S>
  double sweep_of(double h, int from, std::int64_t low, std::int64_t high) {
    place_stages<S>(h, from, low, high);
    for (int i = 0; i < stages_; ++i) {
      pointers_.clear();
      for (int c = 0; c < dim(); ++c) pointers_.push_back(stage_[i * dim() + c] - low);
      kernel_.force(pointers_.data(), low, high, pointers_.data());
    }
    return renew<S>(h, 1 - from, low, high);
  }

  /// The stages' positions, and the middle's motion, on the sites from low to high; positions too as far
  /// around them as the forces reach.
  template <int S>
  void place_stages(double h, int from, std::int64_t low, std::int64_t high) {
    const Parts<S> by(*tables_);
    const int s = by.stages(), odds = by.odds();
    const std::int64_t right = lattice_.here.listed ? right_ : reach_;
    Each<S, One> parts;
    for (int c = 0; c < dim(); ++c) {
      Each<S, const double*> old;
      Each<S, double*> stage;
      for (int i = 0; i < s; ++i) {
        old[at(i)] = part(from, i, c);
        stage[at(i)] = stage_[i * dim() + c] - low;
      }
      const double *q = q_[c], *v = v_[c];
      double *middle_q = middle_[2 * c] - low, *middle_v = middle_[2 * c + 1] - low;
      for (std::int64_t x = low - lag(); x < high + right; x += pack) {
        for (int j = 0; j < s; ++j) parts[at(j)][0] = load(old[at(j)] + x);
        const auto m = by.middle({load(q + x)}, {Pack(h) * load(v + x)}, parts.data());
        if (x >= low && x < high) {
          store(m.q[0], middle_q + x);
          store(m.velocity[0], middle_v + x);
        }
        for (int i = 0; i < odds; ++i) {
          typename Parts<S>::template Rows<1> row;
          row.even[0] = m.q;
          row.odd[0][0] = by.offset(i) * m.velocity[0];
          by.add(i, parts.data(), row);
          const Pack even = row.even[0][0], odd = row.odd[0][0];
          store(even + odd, stage[at(i)] + x);
          store(even - odd, stage[at(s - 1 - i)] + x);
        }
        if (by.evens() > odds) store(by.position_of_middle_stage(m, parts.data())[0], stage[at(odds)] + x);
      }
    }
  }

  /// The parts from the forces at the stages; the largest change of the middle's motion on this rank's sites,
  /// infinite where one isn't finite.
  template <int S>
  double renew(double h, int into, std::int64_t low, std::int64_t high) {
    const Parts<S> by(*tables_);
    const int s = by.stages(), odds = by.odds(), evens = by.evens();
    const std::int64_t last = std::min(high, lattice_.own());
    Each<S, One> parts;
    Pack largest(0.0), sum(0.0);
    for (int c = 0; c < dim(); ++c) {
      const double *q = q_[c], *v = v_[c], *inverse = inverse_mass_[c];
      const double *middle_q = middle_[2 * c] - low, *middle_v = middle_[2 * c + 1] - low;
      Each<S, const double*> stage;
      Each<S, double*> renewed;
      for (int i = 0; i < s; ++i) {
        stage[at(i)] = stage_[i * dim() + c] - low;
        renewed[at(i)] = part(into, i, c);
      }
      for (std::int64_t x = low; x < high; x += pack) {
        const Pack factor = Pack(h * h) * load(inverse + x);
        for (int i = 0; i < odds; ++i) {
          const Pack a = factor * load(stage[at(i)] + x), b = factor * load(stage[at(s - 1 - i)] + x);
          parts[at(i)][0] = a + b;
          parts[at(evens + i)][0] = a - b;
        }
        if (evens > odds) parts[at(odds)][0] = factor * load(stage[at(odds)] + x);
        for (int j = 0; j < s; ++j) store(parts[at(j)][0], renewed[at(j)] + x, high - x);
        if (x + pack <= 0 || x >= lattice_.own()) continue;
        const auto m = by.middle({load(q + x)}, {Pack(h) * load(v + x)}, parts.data());
        Pack change = abs(m.velocity[0] - load(middle_v + x)) + abs(m.q[0] - load(middle_q + x));
        if (x < 0 || x + pack > last) {
          for (int k = 0; k < pack; ++k) {
            if (x + k < 0 || x + k >= last) numerics::set_lane(change, k, 0.0);
          }
        }
        largest = max(largest, change);
        sum += change;
      }
    }
    double result = 0;
    for (int k = 0; k < pack; ++k) {
      result = std::max(result, numerics::lane(largest, k));
      if (!std::isfinite(numerics::lane(sum, k))) result = HUGE_VAL;  // a maximum may lose a NaN
    }
    return result;
  }

  /// The step's end; and behind it, the next step's parts.
  void finish(double h) {
    if (lattice_.here.listed) {
      finish_block(h, 0, lattice_.own() + right_);
      extrapolate(h, 0, lattice_.own());
      return;
    }
    std::int64_t finished = low(1), extrapolated = 0;
    for (std::int64_t front = finished + block_; extrapolated < lattice_.own(); front += block_) {
      const std::int64_t to = std::min(front, high(1));
      if (to > finished) finish_block(h, finished, to);
      finished = std::max(finished, to);
      const std::int64_t behind =
          std::min(lattice_.own(), finished == high(1) ? lattice_.own() : finished - reach_);
      // The parts of sites that are still to finish mustn't change.
      if (behind > extrapolated) extrapolate(h, extrapolated, behind);
      extrapolated = std::max(extrapolated, behind);
    }
  }

  void finish_block(double h, std::int64_t from, std::int64_t to) {
    const Parts<> by(*tables_);
    Each<0, One> parts;
    for (int c = 0; c < dim(); ++c) {
      for (std::int64_t x = from; x < to; x += pack) {
        for (int j = 0; j < stages_; ++j) parts[at(j)][0] = load(part(now_, j, c) + x);
        std::array<numerics::Compensated<Pack>, 1> end_q{{{load(q_[c] + x), load(q_low_[c] + x)}}},
            end_v{{{load(v_[c] + x), load(v_low_[c] + x)}}};
        by.finish(Pack(h), parts.data(), end_q, end_v);
        const auto& [q] = end_q;
        const auto& [v] = end_v;
        const std::int64_t count = to - x;
        store(q.value, q_[c] + x, count);
        store(q.low, q_low_[c] + x, count);
        store(v.value, v_[c] + x, count);
        store(v.low, v_low_[c] + x, count);
      }
    }
  }

  void extrapolate(double h, std::int64_t from, std::int64_t to) {
    const auto position = components(std::as_const(q_));
    const auto into = components(end_);
    kernel_.force(position.data(), from, to, into.data());
    for (int c = 0; c < dim(); ++c) {
      integrators::Stages<Pack, 1> known, next;
      for (std::int64_t x = from; x < to; x += pack) {
        for (int j = 0; j < stages_; ++j) known[at(j)][0] = load(part(now_, j, c) + x);
        known[at(stages_)][0] = load(begin_[c] + x);
        const Pack end = Pack(h * h) * load(inverse_mass_[c] + x) * load(end_[c] + x);
        known[at(stages_ + 1)][0] = end;
        integrators::apply<Pack, 1>(tables_->parts.extrapolation.data(), stages_, stages_ + 2, known.data(),
                                    next.data());
        const std::int64_t count = to - x;
        for (int i = 0; i < stages_; ++i) store(next[at(i)][0], part(now_, i, c) + x, count);
        store(end, begin_[c] + x, count);
      }
    }
    measure(from, to);
  }

  Lattice lattice_;
  Kernel& kernel_;
  std::shared_ptr<const GaussTables> tables_;
  int stages_;
  std::int64_t reach_;
  int longest_;
  std::int64_t left_, right_, block_;
  Ghosts ghosts_, near_;  // as deep as waves need them, and as the terms reach
  SiteField q_, q_low_, v_, v_low_;
  SiteField begin_, end_;           // h^2 times the accelerations at the step's ends
  std::array<SiteField, 2> parts_;  // the unknowns, and their next iterate
  SiteField stage_, middle_;  // of a block: positions and then forces at the stages; the middle of the step
  SiteField inverse_mass_;
  std::vector<double*> pointers_;
  int now_ = 0, planned_ = 10;
  double time_ = 0, last_step_ = 0, scale_ = 0;
  Effort effort_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Method> make_gauss_fixed_point(const Lattice& lattice, Kernel& kernel, int stages,
                                               SiteField q, SiteField v) {
  return std::make_unique<GaussFixedPoint>(lattice, kernel, stages, std::move(q), std::move(v));
}

}  // namespace cotangent::lattice
