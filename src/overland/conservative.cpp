#include "overland/conservative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "la/sparse.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::overland {

namespace {

// Below this root slope (a slope of 1e-12) friction is linear: Newton's matrix needs a derivative at rest.
constexpr double epsilon = 1e-6;
// Depths below this move nothing: their powers and derivatives would underflow.
constexpr double dry = 1e-100;
constexpr double gamma = 1 - 0.5 * std::numbers::sqrt2;  // of SDIRK2

template <int N>
using Scalar = ad::Jet<double, N, 1, ad::full<N>>;
template <int K, int N>
Scalar<N> variable(double x) {
  return ad::dense(ad::variable<K, N, 1, 1>(x));
}

/// a - b of levels, 0 within their rounding: so that a lake's level is flat to the bit.
double drop(double bed_a, double depth_a, double bed_b, double depth_b) {
  const double difference = (bed_a - bed_b) + (depth_a - depth_b);
  const double size = std::abs(bed_a) + std::abs(bed_b) + std::abs(depth_a) + std::abs(depth_b);
  return std::abs(difference) <= 2 * std::numeric_limits<double>::epsilon() * size ? 0.0 : difference;
}

/// m^a at the face between an upper and a lower vertex; see the head of conservative.hpp.
template <class S>
S mobility(const FrictionLaw& law, const S& up, const S& down, double bed_drop) {
  const S fall = up - down + bed_drop;
  const S twice = 2.0 * up;
  const S steep = 3.0 * fall;
  const S share = twice.value() >= steep.value() ? S(0.5) : S(up / steep);
  const S mean = up + share * (down - up);
  return law.power(mean.value() > twice.value() ? twice : mean, law.depth_power);
}

}  // namespace

Conservative::Conservative(const Landscape& landscape, int stages, const SolverOptions& options)
    : land_(landscape),
      stages_(stages),
      options_(options),
      boundary_(landscape),
      held_(boundary_.held()),
      halo_(landscape.mesh, 1),
      halo2_(landscape.mesh, 2),
      solver_(options.direct, static_cast<PetscInt>(landscape.mesh.all_vertices), "water_") {
  const Mesh& mesh = land_.mesh;
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    const Shape s = shape(mesh, c);
    Cell cell{s.gradient, {}, {}, {}, s.area};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(mesh.cells[c][(k + 1) % 3]);
      const auto j = static_cast<std::size_t>(mesh.cells[c][(k + 2) % 3]);
      for (std::size_t d = 0; d < 2; ++d) cell.edge[k][d] = mesh.vertices[j][d] - mesh.vertices[i][d];
      const Point &a = s.gradient[(k + 1) % 3], &b = s.gradient[(k + 2) % 3];
      cell.weight[k] = -s.area * (a[0] * b[0] + a[1] * b[1]);  // cot / 2
      if (std::abs(cell.weight[k]) < 1e-12) cell.weight[k] = 0;
      cell.conveyance[k] = 0.5 * (land_.conveyance[i] + land_.conveyance[j]);
    }
    cells_.push_back(cell);
  }
  root_.resize(cells_.size());
  roots_.resize(cells_.size());
  for (const auto& side : mesh.sides) {
    if (land_.rules[static_cast<std::size_t>(side.boundary)].kind != BoundaryRule::Kind::free) continue;
    const auto& a = mesh.vertices[static_cast<std::size_t>(side.ends[0])];
    const auto& b = mesh.vertices[static_cast<std::size_t>(side.ends[1])];
    outlets_.push_back({side.ends, side.cell, {(b[1] - a[1]) / 2, (a[0] - b[0]) / 2}});
  }

  // The matrix: the diagonal, 3 x 3 of each cell, 2 x 3 of each outlet.
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
  la::check(MatCreate(PETSC_COMM_WORLD, jacobian_.out()), "MatCreate");
  la::check(MatSetSizes(jacobian_, mesh.own, mesh.own, PETSC_DETERMINE, PETSC_DETERMINE), "MatSetSizes");
  la::check(MatSetType(jacobian_, MATAIJ), "MatSetType");
  la::check(
      MatSetPreallocationCOO(jacobian_, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()),
      "MatSetPreallocationCOO");
  residual_ = la::vector(mesh.own);
  change_ = la::vector(mesh.own);
  defect_.resize(mesh.size());
}

Point Conservative::slope(std::size_t c, const std::vector<double>& depth, bool of_water) const {
  const auto& vertex = land_.mesh.cells[c];
  std::array<double, 3> bed{}, h{};
  double level = 0, wet = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    bed[k] = land_.bed[static_cast<std::size_t>(vertex[k])];
    h[k] = depth[static_cast<std::size_t>(vertex[k])];
    if (!(h[k] > dry)) continue;
    level += bed[k] + h[k];
    wet += 1;
  }
  for (std::size_t k = 0; k < 3 && of_water && wet > 0; ++k) {
    if (!(h[k] > dry)) bed[k] = std::min(bed[k], level / wet);  // a bank doesn't tilt the water beside it
  }
  Point s{};
  for (std::size_t k = 1; k < 3; ++k) {
    const double fall = drop(bed[0], h[0], bed[k], h[k]);
    for (std::size_t d = 0; d < 2; ++d) s[d] += fall * cells_[c].gradient[k][d];
  }
  return s;
}

Conservative::Root Conservative::root(std::size_t c, const std::vector<double>& depth) const {
  const std::array<Scalar<2>, 2> s{variable<0, 2>(root_[c][0]), variable<1, 2>(root_[c][1])};
  const auto defect = land_.law.root_slope_defect(s, slope(c, depth), epsilon);
  const double a = ad::gradient<0>(defect[0]), b = ad::gradient<1>(defect[0]);
  const double e = ad::gradient<0>(defect[1]), f = ad::gradient<1>(defect[1]);
  const double determinant = a * f - b * e;
  const auto solved = [&](const Point& y) {
    return Point{(f * y[0] - b * y[1]) / determinant, (a * y[1] - e * y[0]) / determinant};
  };
  Root r;
  r.correction = solved({-defect[0].value(), -defect[1].value()});
  for (std::size_t k = 0; k < 3; ++k) {
    const Point& g = cells_[c].gradient[k];
    r.by_depth[k] = solved({-g[0], -g[1]});
  }
  return r;
}

Conservative::Flux Conservative::edge_flux(std::size_t c, std::size_t k, const std::vector<double>& depth,
                                           const Root& root) const {
  const Cell& cell = cells_[c];
  Flux flux;
  if (cell.weight[k] == 0) return flux;
  const std::size_t at_i = (k + 1) % 3, at_j = (k + 2) % 3;
  const auto i = static_cast<std::size_t>(land_.mesh.cells[c][at_i]);
  const auto j = static_cast<std::size_t>(land_.mesh.cells[c][at_j]);
  const Point& e = cell.edge[k];
  const double along = root_[c][0] * e[0] + root_[c][1] * e[1];
  const bool forth = along > 0 || (along == 0 && land_.bed[i] + depth[i] >= land_.bed[j] + depth[j]);
  const bool narrow = cell.weight[k] < 0;
  const double least = narrow ? std::min(depth[i], depth[j]) : depth[forth ? i : j];
  if (!(least > dry)) return flux;
  const auto hi = variable<0, 3>(depth[i]), hj = variable<1, 3>(depth[j]), t = variable<2, 3>(along);
  const auto m = narrow  ? land_.law.power(depth[i] < depth[j] ? hi : hj, land_.law.depth_power)
                 : forth ? mobility(land_.law, hi, hj, land_.bed[i] - land_.bed[j])
                         : mobility(land_.law, hj, hi, land_.bed[j] - land_.bed[i]);
  const Scalar<3> f = cell.weight[k] * cell.conveyance[k] * (m * t);
  const double by_t = ad::gradient<2>(f);
  flux.value = f.value() + by_t * (root.correction[0] * e[0] + root.correction[1] * e[1]);
  flux.slope[at_i] = ad::gradient<0>(f);
  flux.slope[at_j] = ad::gradient<1>(f);
  for (std::size_t n = 0; n < 3; ++n)
    flux.slope[n] += by_t * (root.by_depth[n][0] * e[0] + root.by_depth[n][1] * e[1]);
  return flux;
}

Conservative::Flux Conservative::outlet_flux(const Outlet& outlet, std::size_t end,
                                             const std::vector<double>& depth, const Root& root) const {
  const auto c = static_cast<std::size_t>(outlet.cell);
  const auto v = static_cast<std::size_t>(outlet.ends[end]);
  const double through = root_[c][0] * outlet.normal[0] + root_[c][1] * outlet.normal[1];
  Flux flux;
  if (!(depth[v] > dry) || !(through > 0)) return flux;
  const auto h = variable<0, 2>(depth[v]), t = variable<1, 2>(through);
  const Scalar<2> f = land_.conveyance[v] * (land_.law.power(h, land_.law.depth_power) * t);
  const double by_t = ad::gradient<1>(f);
  const auto part = [&](const Point& s) {
    return by_t * (s[0] * outlet.normal[0] + s[1] * outlet.normal[1]);
  };
  flux.value = f.value() + part(root.correction);
  for (std::size_t n = 0; n < 3; ++n) {
    flux.slope[n] = part(root.by_depth[n]);
    if (land_.mesh.cells[c][n] == outlet.ends[end]) flux.slope[n] += ad::gradient<0>(f);
  }
  return flux;
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
  for (std::size_t c = 0; c < cells_.size(); ++c, entry += 9) {
    const auto& vertex = mesh.cells[c];
    roots_[c] = root(c, depth);
    for (std::size_t k = 0; k < 3; ++k) {
      const Flux flux = edge_flux(c, k, depth, roots_[c]);
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
  for (const auto& outlet : outlets_) {
    for (std::size_t end = 0; end < 2; ++end, entry += 3) {
      const Flux flux = outlet_flux(outlet, end, depth, roots_[static_cast<std::size_t>(outlet.cell)]);
      defect_[static_cast<std::size_t>(outlet.ends[end])] += tau * flux.value;
      for (std::size_t n = 0; n < 3; ++n) entry[n] = tau * flux.slope[n];
    }
  }
  halo_.add(defect_);
}

bool Conservative::solve(const std::vector<double>& base, double tau, std::vector<double>& depth,
                         Outcome& outcome) {
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  double deepest = 0;
  for (std::size_t v = 0; v < own; ++v) deepest = std::max({deepest, depth[v], base[v]});
  deepest = parallel::maximum(deepest);
  for (std::size_t v = 0; v < depth.size(); ++v) {
    if (held_[v]) depth[v] = boundary_.depth()[v];
  }
  for (std::size_t c = 0; c < cells_.size(); ++c) root_[c] = land_.law.root_slope(slope(c, depth));
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
    if (worst <= options_.tolerance * deepest) return true;
    // Eisenstat, Walker 1996: what Newton's method can use, and no more than what leads to the end.
    const double ratio = worst / before, goal = options_.tolerance * deepest;
    const double enough = std::max(std::min(3e-2, 0.5 * ratio * ratio), std::min(3e-2, 0.1 * goal / worst));
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
    outcome.why = solver_.solve(jacobian_, residual_, change_, enough);
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
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      for (std::size_t d = 0; d < 2; ++d) {
        root_[c][d] += roots_[c].correction[d];
        for (std::size_t k = 0; k < 3; ++k)
          root_[c][d] += roots_[c].by_depth[k][d] * change[static_cast<std::size_t>(land_.mesh.cells[c][k])];
      }
    }
  }
}

void Conservative::fluxes(const std::vector<double>& depth, std::vector<double>& through,
                          std::vector<double>& out) const {
  through.clear();
  out.clear();
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    for (std::size_t k = 0; k < 3; ++k) through.push_back(edge_flux(c, k, depth, roots_[c]).value);
  }
  for (const auto& outlet : outlets_) {
    for (std::size_t end = 0; end < 2; ++end)
      out.push_back(std::max(
          0.0, outlet_flux(outlet, end, depth, roots_[static_cast<std::size_t>(outlet.cell)]).value));
  }
}

std::vector<double> Conservative::moved(const std::vector<double>& base, double tau,
                                        std::vector<double>& through, std::vector<double>& out) {
  const Mesh& mesh = land_.mesh;
  std::vector<double> depth, share(base.size());
  for (int pass = 0; pass < 500; ++pass) {
    std::vector<double> gain(base.size(), 0.0), loss(base.size(), 0.0);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
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
    for (std::size_t c = 0; c < cells_.size(); ++c) {
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
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  // With what has come until a stage's own time; given depths, too, are those of that time.
  const auto fed = [&](double time) {
    boundary_.set(water.time, water.time + time);
    std::vector<double> base(n);
    for (std::size_t v = 0; v < n; ++v)
      base[v] = water.depth[v] + time * (rain[v] + boundary_.inflow()[v] / land_.area[v]);
    return base;
  };
  std::vector<double> through, out, base = fed(stages_ == 1 ? dt : gamma * dt), depth = water.depth, first,
                                    left(land_.mesh.own, 0.0);
  const auto note_outflow = [&](double time) {
    for (std::size_t o = 0; o < outlets_.size(); ++o) {
      for (std::size_t end = 0; end < 2; ++end)
        if (!held_[static_cast<std::size_t>(outlets_[o].ends[end])])
          outcome.ledger.outflow += time * out[2 * o + end];
    }
  };
  const double tau = stages_ == 1 ? dt : gamma * dt;
  if (!solve(base, tau, depth, outcome)) return outcome;
  fluxes(depth, through, out);
  depth = moved(base, tau, through, out);
  if (stages_ == 2) {
    first = depth;
    base = moved(fed(dt), (1 - gamma) * dt, through, out);
    note_outflow((1 - gamma) * dt);
    if (!solve(base, tau, depth, outcome)) return outcome;
    fluxes(depth, through, out);
    depth = moved(base, tau, through, out);
  }
  note_outflow(tau);
  double least = 0;
  for (const double h : depth) least = std::min(least, h);
  if (parallel::minimum(least) < 0) {
    outcome.why = "outflow could not be shared out";
    return outcome;
  }

  // The step is taken: its ledger and its error.
  std::vector<double> rained(own), came(own), kept(own), before(own), wrong(own), now(own), held(own);
  for (std::size_t v = 0; v < own; ++v) {
    const double area = land_.area[v];
    rained[v] = area * dt * rain[v];
    came[v] = dt * boundary_.inflow()[v];
    before[v] = area * water.depth[v];
    now[v] = area * depth[v];
    kept[v] = area * (depth[v] - water.depth[v]);
    // At a vertex whose depth is given, what the others lack or have too much came or went there.
    const double e =
        stages_ == 2 ? depth[v] - water.depth[v] - (first[v] - water.depth[v]) / gamma
                     : 0.5 * (depth[v] - water.depth[v] - dt * (water.rate.empty() ? 0.0 : water.rate[v]));
    wrong[v] = held_[v] ? 0.0 : area * std::abs(e);
    held[v] = held_[v] ? 1.0 : 0.0;
  }
  const std::vector<double> gone{outcome.ledger.outflow};
  const std::vector<std::span<const double>> columns{rained, came, kept, now, wrong, held, gone};
  const auto sums = parallel::reproducible_sums(columns);
  outcome.ledger.rain = sums[0];
  outcome.ledger.inflow = sums[1];
  outcome.ledger.outflow = sums[6];
  const double volume = std::max(sums[3], 1e-300);
  const double missing = sums[2] - outcome.ledger.balance();
  if (sums[5] > 0) {
    (missing > 0 ? outcome.ledger.inflow : outcome.ledger.outflow) += std::abs(missing);
  } else {
    outcome.identity = std::abs(missing) / volume;
  }
  outcome.error = sums[4] / volume;
  water.rate.resize(n);
  for (std::size_t v = 0; v < n; ++v) water.rate[v] = (depth[v] - water.depth[v]) / dt;
  water.depth = std::move(depth);
  water.time += dt;
  show_discharge(water);
  outcome.converged = true;
  return outcome;
}

void Conservative::show_discharge(Water& water) {
  water.discharge.assign(2 * water.depth.size(), 0.0);
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const Point s = land_.law.root_slope(slope(c, water.depth, true));
    for (const int vertex : land_.mesh.cells[c]) {
      const auto v = static_cast<std::size_t>(vertex);
      if (!(water.depth[v] > 0)) continue;
      const double m = land_.conveyance[v] * land_.law.power(water.depth[v], land_.law.depth_power) *
                       cells_[c].area / 3 / land_.area[v];
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

}  // namespace cotangent::overland
