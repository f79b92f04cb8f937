// SPDX-License-Identifier: BSD-3-Clause
#include "overland/conservative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "la/indices.hpp"
#include "la/sparse.hpp"
#include "parallel/mpi.hpp"
#include "parallel/reproducible_sums.hpp"

namespace cotangent::overland {

namespace {

constexpr double gamma = 1 - 0.5 * std::numbers::sqrt2;  // of SDIRK2
// Where Newton's method is slow, each iterate leaving more than so much of the defect, as at slopes that tend
// to 0, where friction has no derivative, steps that adapt do with so little of their tolerance.
constexpr double slow = 0.1, small_error = 1e-3;

}  // namespace

Conservative::Conservative(const Landscape& landscape, int stages, const SolverOptions& options)
    : land_(landscape),
      stages_(stages),
      options_(options),
      fluxes_(landscape),
      outlets_(fluxes_.outlets()),
      boundary_(landscape),
      held_(boundary_.held()),
      halo_(landscape.mesh, 1),
      halo2_(landscape.mesh, 2),
      solver_(options.direct, static_cast<PetscInt>(landscape.mesh.all_vertices), "water_") {
  const Mesh& mesh = land_.mesh;
  // The matrix: the diagonal, 3 x 3 of each cell, 2 x 3 of each outlet.
  la::require_indices("the depths", mesh.all_vertices,
                      mesh.own + 9 * std::ssize(mesh.cells) + 6 * std::ssize(outlets_));
  std::vector<PetscInt> rows, columns;
  const auto number = [&](int v) { return mesh.number[static_cast<std::size_t>(v)]; };
  const auto row = [&](int v) { return held_[static_cast<std::size_t>(v)] ? -1 : number(v); };
  for (int v = 0; v < mesh.own; ++v) {
    rows.push_back(number(v));
    columns.push_back(number(v));
  }
  const auto block = [&](const auto& across, const auto& along) {
    for (const int i : across) {
      for (const int j : along) {
        rows.push_back(row(i));
        columns.push_back(row(i) < 0 ? -1 : number(j));
      }
    }
  };
  for (const auto& cell : mesh.cells) block(cell, cell);
  for (const auto& outlet : outlets_) block(outlet.ends, mesh.cells[static_cast<std::size_t>(outlet.cell)]);
  entries_.resize(rows.size());
  la::check(MatCreate(MPI_COMM_WORLD, jacobian_.out()), "MatCreate");
  la::check(MatSetSizes(jacobian_, mesh.own, mesh.own, PETSC_DETERMINE, PETSC_DETERMINE), "MatSetSizes");
  la::check(MatSetType(jacobian_, MATAIJ), "MatSetType");
  la::check(
      MatSetPreallocationCOO(jacobian_, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()),
      "MatSetPreallocationCOO");
  residual_ = la::vector(mesh.own);
  change_ = la::vector(mesh.own);
  defect_.resize(mesh.size());
}

void Conservative::assemble(const std::vector<double>& base, double tau, const std::vector<double>& depth) {
  const Mesh& mesh = land_.mesh;
  const auto own = static_cast<std::size_t>(mesh.own);
  std::ranges::fill(defect_, 0.0);
  std::ranges::fill(entries_, 0.0);
  for (std::size_t v = 0; v < own; ++v) {
    entries_[v] = held_[v] ? 1.0 : land_.area[v];
    defect_[v] = held_[v] ? 0.0 : land_.area[v] * (depth[v] - base[v]);
  }
  double* entry = entries_.data() + own;
  for (std::size_t c = 0; c < mesh.cells.size(); ++c, entry += 9) {
    const auto& vertex = mesh.cells[c];
    fluxes_.linearise(c, depth);
    for (std::size_t k = 0; k < 3; ++k) {
      const EdgeFluxes::Flux flux = fluxes_.edge(c, k, depth);
      if (flux.value == 0 && flux.slope == std::array<double, 3>{}) continue;
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      defect_[static_cast<std::size_t>(vertex[i])] += tau * flux.value;
      defect_[static_cast<std::size_t>(vertex[j])] -= tau * flux.value;
      for (std::size_t n = 0; n < 3; ++n) {
        entry[3 * i + n] += tau * flux.slope[n];
        entry[3 * j + n] -= tau * flux.slope[n];
      }
    }
  }
  for (std::size_t o = 0; o < outlets_.size(); ++o) {
    for (std::size_t end = 0; end < 2; ++end, entry += 3) {
      const EdgeFluxes::Flux flux = fluxes_.outlet(o, end, depth);
      defect_[static_cast<std::size_t>(outlets_[o].ends[end])] += tau * flux.value;
      for (std::size_t n = 0; n < 3; ++n) entry[n] = tau * flux.slope[n];
    }
  }
  halo_.add(defect_);
}

double Conservative::missing() const {
  double sum = 0;
  for (std::size_t v = 0; v < static_cast<std::size_t>(land_.mesh.own); ++v)
    sum += held_[v] ? 0.0 : std::abs(defect_[v]);
  return parallel::sum(sum);
}

bool Conservative::solve(const std::vector<double>& base, double tau, std::vector<double>& depth,
                         Outcome& outcome) {
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  for (std::size_t v = 0; v < depth.size(); ++v) {
    if (held_[v]) depth[v] = boundary_.depth()[v];
  }
  double deepest = 0;
  for (std::size_t v = 0; v < own; ++v) deepest = std::max({deepest, depth[v], base[v]});
  deepest = parallel::maximum(deepest);
  const double enough = small_error * options_.step_tolerance * volume(land_, base);
  fluxes_.begin(depth);
  double before = std::numeric_limits<double>::infinity();
  int worse = 0;
  for (int iteration = 0;; ++iteration) {
    outcome.iterations = std::max(outcome.iterations, iteration);
    assemble(base, tau, depth);
    double worst = 0;
    for (std::size_t v = 0; v < own; ++v) {
      if (!held_[v])
        worst = std::max(worst, std::isfinite(defect_[v]) ? std::abs(defect_[v]) / land_.area[v] : 1e300);
    }
    worst = parallel::maximum(worst);
    if (worst >= 1e300) {
      outcome.why = "the equations gave an infinity or NaN";
      return false;
    }
    if (worst <= options_.tolerance * std::max(deepest, dry)) return true;
    if (enough > 0 && worst > slow * before && missing() <= enough) return true;
    worse = worst < 0.9 * before ? 0 : worse + 1;
    before = std::min(before, worst);
    if (iteration >= options_.most_iterations || worse > 10) {
      outcome.why = "Newton's method used up its iterations";
      return false;
    }
    la::check(MatSetValuesCOO(jacobian_, entries_.data(), INSERT_VALUES), "MatSetValuesCOO");
    {
      const la::Values b(residual_);
      for (std::size_t v = 0; v < own; ++v) b.data()[v] = held_[v] ? 0.0 : -defect_[v];
    }
    outcome.why = solver_.solve(jacobian_, residual_, change_);
    if (!outcome.why.empty()) return false;
    std::vector<double> change(depth.size(), 0.0);
    {
      const la::Values x(change_);
      std::copy(x.data(), x.data() + own, change.begin());
    }
    halo_.refresh(change);
    for (std::size_t v = 0; v < depth.size(); ++v) {
      // An iterate below 0 is as good as one at 0, and farther off; depths in the end come from fluxes.
      const double next = std::max(0.0, depth[v] + change[v]);
      change[v] = next - depth[v];
      depth[v] = next;
    }
    fluxes_.follow(change);
  }
}

std::vector<double> Conservative::moved(const std::vector<double>& base, double tau,
                                        std::vector<double>& through, std::vector<double>& out) {
  const Mesh& mesh = land_.mesh;
  std::vector<double> depth, share(base.size());
  for (int pass = 0; pass < 500; ++pass) {
    std::vector<double> gain(base.size(), 0.0), loss(base.size(), 0.0);
    for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double f = through[3 * c + k];
        const auto i = static_cast<std::size_t>(mesh.cells[c][(k + 1) % 3]);
        const auto j = static_cast<std::size_t>(mesh.cells[c][(k + 2) % 3]);
        loss[f > 0 ? i : j] += std::abs(f);
        gain[f > 0 ? j : i] += std::abs(f);
      }
    }
    for (std::size_t o = 0; o < outlets_.size(); ++o) {
      for (std::size_t end = 0; end < 2; ++end)
        loss[static_cast<std::size_t>(outlets_[o].ends[end])] += out[2 * o + end];
    }
    halo_.add(gain);
    halo_.add(loss);
    halo_.refresh(gain);
    halo_.refresh(loss);
    depth.resize(base.size());
    bool short_of = false;
    for (std::size_t v = 0; v < base.size(); ++v) {
      share[v] = 1;
      depth[v] = held_[v] ? boundary_.depth()[v] : base[v] + tau * (gain[v] - loss[v]) / land_.area[v];
      if (depth[v] >= 0 || !(loss[v] > 0)) continue;
      // What is missing is kept back from all that leaves.
      share[v] = std::max(0.0, 1 + depth[v] * land_.area[v] / (tau * loss[v]) * (1 + 1e-9) - 1e-15);
      short_of = true;
    }
    if (!parallel::any(short_of)) break;
    for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
      for (std::size_t k = 0; k < 3; ++k) {
        double& f = through[3 * c + k];
        f *= share[static_cast<std::size_t>(mesh.cells[c][(k + (f > 0 ? 1 : 2)) % 3])];
      }
    }
    for (std::size_t o = 0; o < outlets_.size(); ++o) {
      for (std::size_t end = 0; end < 2; ++end)
        out[2 * o + end] *= share[static_cast<std::size_t>(outlets_[o].ends[end])];
    }
  }
  return depth;
}

Outcome Conservative::step(Water& water, double dt, const std::vector<double>& rain) {
  Outcome outcome;
  const std::size_t n = water.depth.size();
  // With what has come until a stage's own time; given depths, too, are those of that time.
  const auto fed = [&](double time) {
    boundary_.set(water.time, water.time + time);
    std::vector<double> base(n);
    for (std::size_t v = 0; v < n; ++v)
      base[v] = water.depth[v] + time * (rain[v] + boundary_.inflow()[v] / land_.area[v]);
    return base;
  };
  const double tau = stages_ == 1 ? dt : gamma * dt;
  std::vector<double> through, out, base = fed(tau), depth = water.depth, first;
  std::vector<double> from_within(n, 0.0);  // what other vertices have given each, a volume
  const auto note_flow = [&](double time) {
    for (std::size_t o = 0; o < outlets_.size(); ++o) {
      for (std::size_t end = 0; end < 2; ++end)
        if (!held_[static_cast<std::size_t>(outlets_[o].ends[end])])
          outcome.ledger.outflow += time * out[2 * o + end];
    }
    for (std::size_t c = 0; c < land_.mesh.cells.size(); ++c) {
      for (std::size_t k = 0; k < 3; ++k) {
        from_within[static_cast<std::size_t>(land_.mesh.cells[c][(k + 1) % 3])] -= time * through[3 * c + k];
        from_within[static_cast<std::size_t>(land_.mesh.cells[c][(k + 2) % 3])] += time * through[3 * c + k];
      }
    }
  };
  if (!solve(base, tau, depth, outcome)) return outcome;
  fluxes_.values(depth, through, out);
  depth = moved(base, tau, through, out);
  if (stages_ == 2) {
    first = depth;
    const std::vector<double> early = boundary_.inflow();
    base = moved(fed(dt), (1 - gamma) * dt, through, out);
    // Inflow is known exactly, however it changes: no error is estimated of it.
    for (std::size_t v = 0; v < n; ++v) first[v] += tau * (boundary_.inflow()[v] - early[v]) / land_.area[v];
    note_flow((1 - gamma) * dt);
    if (!solve(base, tau, depth, outcome)) return outcome;
    fluxes_.values(depth, through, out);
    depth = moved(base, tau, through, out);
  }
  note_flow(tau);
  double least = 0;
  for (const double h : depth) least = std::min(least, h);
  if (parallel::minimum(least) < 0) {
    outcome.why = "outflow could not be shared out";
    return outcome;
  }

  std::vector<double> rate(n);
  for (std::size_t v = 0; v < n; ++v)
    rate[v] = (depth[v] - water.depth[v]) / dt - (rain[v] + boundary_.inflow()[v] / land_.area[v]);
  halo_.add(from_within);
  account(water, dt, rain, rate, first, depth, from_within, outcome);
  water.rate = std::move(rate);
  water.depth = std::move(depth);
  water.time += dt;
  show_discharge(water);
  outcome.converged = true;
  return outcome;
}

void Conservative::account(const Water& water, double dt, const std::vector<double>& rain,
                           const std::vector<double>& rate, const std::vector<double>& first,
                           const std::vector<double>& depth, const std::vector<double>& from_within,
                           Outcome& outcome) const {
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  std::vector<double> rained(own), came(own), gone(own), kept(own), wrong(own), now(own);
  for (std::size_t v = 0; v < own; ++v) {
    const double area = land_.area[v];
    rained[v] = area * dt * rain[v];
    came[v] = dt * boundary_.inflow()[v];
    now[v] = area * depth[v];
    kept[v] = area * (depth[v] - water.depth[v]);
    // Where the depth is given, what it takes beside that came or went there.
    const double over = held_[v] ? kept[v] - rained[v] - came[v] - from_within[v] : 0.0;
    (over > 0 ? came : gone)[v] += std::abs(over);
    const double e = stages_ == 2 ? depth[v] - water.depth[v] - (first[v] - water.depth[v]) / gamma
                                  : 0.5 * dt * (rate[v] - (water.rate.empty() ? 0.0 : water.rate[v]));
    wrong[v] = held_[v] ? 0.0 : area * std::abs(e);
  }
  gone.push_back(outcome.ledger.outflow);
  const std::vector<std::span<const double>> columns{rained, came, gone, kept, now, wrong};
  const auto sums = parallel::reproducible_sums(columns);
  outcome.ledger.rain = sums[0];
  outcome.ledger.inflow = sums[1];
  outcome.ledger.outflow = sums[2];
  outcome.close(sums[3], sums[4], sums[5]);
}

void Conservative::show_discharge(Water& water) {
  water.discharge.assign(2 * water.depth.size(), 0.0);
  for (std::size_t c = 0; c < land_.mesh.cells.size(); ++c) {
    const Point s = land_.law.root_slope(fluxes_.slope(c, water.depth, true));
    for (const int vertex : land_.mesh.cells[c]) {
      const auto v = static_cast<std::size_t>(vertex);
      if (!(water.depth[v] > 0)) continue;
      const double m = land_.conveyance[v] * FrictionLaw::power(water.depth[v], land_.law.depth_power) *
                       fluxes_.area(c) / 3 / land_.area[v];
      for (std::size_t d = 0; d < 2; ++d) water.discharge[2 * v + d] += m * s[d];
    }
  }
  halo2_.add(water.discharge);
  halo2_.refresh(water.discharge);
}

double Conservative::discharge_integral(const Water& water) const {
  double sum = 0;
  for (std::size_t v = 0; v < static_cast<std::size_t>(land_.mesh.own); ++v)
    sum += land_.area[v] * std::hypot(water.discharge[2 * v], water.discharge[2 * v + 1]);
  return sum;
}

std::unique_ptr<Scheme> conservative_scheme(const Landscape& landscape, int stages,
                                            const SolverOptions& options) {
  return std::make_unique<Conservative>(landscape, stages, options);
}

std::string conservative_solver(std::int64_t vertices, const SolverOptions& options) {
  return "Newton's method, systems by " +
         la::ReusedSolver::text(options.direct, static_cast<PetscInt>(vertices));
}

}  // namespace cotangent::overland
