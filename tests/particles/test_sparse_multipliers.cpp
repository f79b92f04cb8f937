// SPDX-License-Identifier: BSD-3-Clause
// Multipliers by PETSc against those that lanes find for themselves: trajectories under one constraint and
// several, particles that interact on surfaces, on any number of ranks; and what happens to those that fail.
#include <cmath>
#include <map>

#include "integrators/composition.hpp"
#include "la/indices.hpp"
#include "la/petsc.hpp"
#include "mechanics/models/four_bar_linkage.hpp"
#include "mechanics/models/heavy_top.hpp"
#include "mechanics/models/planar_pendulum.hpp"
#include "mechanics/surfaces/lemniscate.hpp"
#include "mechanics/surfaces/torus.hpp"
#include "mpi_test.hpp"
#include "particles/particle_dynamics.hpp"
#include "particles/sparse_multipliers.hpp"
#include "particles/starts.hpp"
#include "particles/surface_motion_of.hpp"

using namespace cotangent;
using namespace cotangent::particles;
using integrators::MethodOptions;
using Batch = SparseMultipliers::Batch;

namespace {

constexpr int width = numerics::native_width;
using R = numerics::Lanes<width>;
template <class Model>
using In = mechanics::System<Model, R>;

/// Errs by a part in 10^8 in each correction of velocities: a solver that the tests must tell from the lanes.
class Careless final : public integrators::MultiplierSolver {
 public:
  explicit Careless(Batch batch) : exact_(batch) {}
  void solve(integrators::ManifoldEquations& equations) override { exact_.solve(equations); }
  bool solve(const integrators::BatchShape& shape, const double* gradients, const double* directions,
             double* b) override {
    const bool solved = exact_.solve(shape, gradients, directions, b);
    for (int k = 0; k < shape.systems * shape.constraints; ++k) b[k] *= 1 - 1e-8;
    return solved;
  }

 private:
  SparseMultipliers exact_;
};

/// A start in each lane, each a little different, on the manifold.
template <class Model>
integrators::State<R, Model::dim> starts(const In<Model>& system, const std::vector<double>& q,
                                         const std::vector<double>& v) {
  constexpr int N = Model::dim;
  integrators::State<R, N> x;
  for (int i = 0; i < width; ++i) {
    mechanics::System<Model, double> one;
    for (int k = 0; k < one.parameter_count; ++k) one.parameters[k] = numerics::lane(system.parameters[k], i);
    std::vector<double> position = q, velocity = v;
    for (int n = 0; n < N; ++n) velocity[static_cast<std::size_t>(n)] *= 1 + 0.05 * i;
    REQUIRE(integrators::project_state(one, std::span(position), std::span(velocity), -1));
    for (int n = 0; n < N; ++n) {
      numerics::set_lane(x.q[n], i, position[static_cast<std::size_t>(n)]);
      numerics::set_lane(x.v[n], i, velocity[static_cast<std::size_t>(n)]);
    }
  }
  return x;
}

template <class Method, class System, int N>
integrators::State<R, N> flown(const System& system, const integrators::State<R, N>& x,
                               const MethodOptions& options, int steps, R* failure = nullptr) {
  Method method(options);
  numerics::mask_of<R> active(true);
  method.start(system, x, active);
  for (int k = 0; k < steps; ++k) active = active & method.advance(system, active);
  if (failure != nullptr)
    *failure = method.failure();
  else
    REQUIRE(all(active));
  return method.end();
}

template <int N>
double apart(const integrators::State<R, N>& a, const integrators::State<R, N>& b, int lane) {
  double largest = 0;
  for (int n = 0; n < N; ++n) {
    largest = std::max(largest, std::abs(numerics::lane(a.q[n], lane) - numerics::lane(b.q[n], lane)));
    largest = std::max(largest, std::abs(numerics::lane(a.v[n], lane) - numerics::lane(b.v[n], lane)));
  }
  return largest;
}
template <int N>
double apart(const integrators::State<R, N>& a, const integrators::State<R, N>& b) {
  double largest = 0;
  for (int i = 0; i < width; ++i) largest = std::max(largest, apart(a, b, i));
  return largest;
}

/// A thousand steps by lanes, by PETSc, and by the careless one.
template <class Model, class Method>
void agree(const char* what, const In<Model>& system, const std::vector<double>& q,
           const std::vector<double>& v, double step, bool whole_steps = true) {
  const auto x = starts<Model>(system, q, v);
  MethodOptions options;
  options.step = step;
  const auto lanes = flown<Method>(system, x, options, 1000);
  const auto solver = std::make_shared<SparseMultipliers>(Batch::of_one_rank);
  options.solver = solver;
  const auto petsc = flown<Method>(system, x, options, 1000);
  const auto effort = solver->effort();
  options.solver = std::make_shared<Careless>(Batch::of_one_rank);
  const auto careless = flown<Method>(system, x, options, 1000);
  const double difference = apart(lanes, petsc), control = apart(lanes, careless);
  INFO(what << ": apart " << difference << ", careless " << control << ", "
            << static_cast<double>(effort.newton_iterations) / static_cast<double>(effort.newton_solves)
            << " iterations a solve, given up " << effort.given_up);
  CHECK_ALL(difference < 1e-12);  // measured: 3e-15 to 2e-13, of the top that spins fast
  CHECK_ALL(control > 1e-12);     // measured: 6e-12 to 4e-10
  CHECK_ALL(effort.newton_solves >= 1000);
  CHECK_ALL(effort.newton_solves == effort.linear_solves);
  CHECK_ALL(effort.newton_iterations >= effort.newton_solves);
  // Where a line search finds no smaller residual, at round-off, lanes go on by themselves.
  CHECK_ALL(effort.given_up <= (whole_steps ? 0 : 20));
}

template <class Surface>
In<mechanics::ParticleOn<Surface>> under_gravity(std::vector<double> shape) {
  In<mechanics::ParticleOn<Surface>> system;
  for (std::size_t k = 0; k < shape.size(); ++k) system.parameters[k] = R(shape[k]);
  system.parameters[shape.size()] = R(1.0);
  system.parameters[shape.size() + 1] = R(1.0);
  return system;
}

}  // namespace

TEST_CASE("trajectories agree with those in lanes over a thousand steps") {
  using mechanics::ParticleOn;
  using Torus = ParticleOn<mechanics::Torus>;
  using Genus2 = ParticleOn<mechanics::Lemniscate>;
  const la::Petsc petsc;
  const auto torus = under_gravity<mechanics::Torus>({1.0, 0.4});
  const auto genus2 = under_gravity<mechanics::Lemniscate>({1.0, 1.0 / 6});
  const std::vector<double> q{1.4, 0, 0}, v{0, 0.76, 0.64}, top{0, 0, 1.0 / 6}, along{0.76, 0.64, 0};
  agree<Torus, integrators::Rattle<In<Torus>>>("torus", torus, q, v, 0.005);
  agree<Genus2, integrators::Rattle<In<Genus2>>>("genus 2", genus2, top, along, 0.002);
  agree<Torus, integrators::RattleComposition<In<Torus>, integrators::Suzuki4>>("torus, Suzuki", torus, q, v,
                                                                                0.005);
  using Pendulum = mechanics::PlanarPendulum;
  agree<Pendulum, integrators::Rattle<In<Pendulum>>>("pendulum", {}, {0.8, -0.6}, {0.3, 0.4}, 0.005);
  using Linkage = mechanics::FourBarLinkage;
  agree<Linkage, integrators::Rattle<In<Linkage>>>("four bars", {}, {0.3, 0.9, 1.9, 2.3},
                                                   {-0.5, 0.2, 0.1, 0.0}, 0.002);
  using Top = mechanics::HeavyTop;
  agree<Top, integrators::Rattle<In<Top>>>("heavy top", {}, {0.8, 0, 0.6, 0, 1, 0, -0.6, 0, 0.8},
                                           {0, -5, 0, 4, 0, 3, 0, -1, 0}, 0.002);
}

TEST_CASE("trajectories agree by other solvers, chosen by option") {
  using Linkage = mechanics::FourBarLinkage;
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-multipliers_pc_type", "lu"},
        std::vector<std::string>{"-multipliers_ksp_type", "gmres", "-multipliers_pc_type", "none",
                                 "-multipliers_ksp_rtol", "1e-14"},
        std::vector<std::string>{"-multipliers_snes_linesearch_type", "bt"}}) {
    const la::Petsc petsc(options);
    agree<Linkage, integrators::Rattle<In<Linkage>>>(options[0].c_str(), {}, {0.3, 0.9, 1.9, 2.3},
                                                     {-0.5, 0.2, 0.1, 0.0}, 0.002, options[1] != "bt");
    CHECK_ALL(la::unused_options().empty());
  }
}

TEST_CASE("neither short steps nor large masses make PETSc give up") {
  using Torus = mechanics::ParticleOn<mechanics::Torus>;
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, std::vector<std::string>{"-multipliers_pc_type", "lu"}}) {
    const la::Petsc petsc(options);
    for (const auto& [mass, step] : {std::pair(1.0, 1e-9), std::pair(1.0, 1e-13), std::pair(1e13, 0.05),
                                     std::pair(1e20, 0.05), std::pair(1e-20, 0.05)}) {
      In<Torus> system = under_gravity<mechanics::Torus>({1.0, 0.4});
      system.parameters[2] = R(mass);
      const auto x = starts<Torus>(system, {1.4, 0, 0}, {0, 0.76, 0.64});
      MethodOptions method;
      method.step = step;
      using Method = integrators::Rattle<In<Torus>>;
      const auto lanes = flown<Method>(system, x, method, 20);
      const auto solver = std::make_shared<SparseMultipliers>(Batch::of_one_rank);
      method.solver = solver;
      const double difference = apart(lanes, flown<Method>(system, x, method, 20));
      INFO("mass " << mass << ", step " << step << ": apart " << difference);
      CHECK_ALL(difference < 1e-12);
      CHECK_ALL(solver->effort().newton_iterations >= solver->effort().newton_solves);
      CHECK_ALL(solver->effort().given_up == 0);
    }
  }
}

namespace {

/// slope (lambda - 1) = 0 in two systems, of which the first may have no slope.
class Lines final : public integrators::ManifoldEquations {
 public:
  explicit Lines(double first) : slope_{first, 1.0} {}
  integrators::BatchShape shape() const override { return {2, 1, 1}; }
  void guess(double* lambda) const override { lambda[0] = lambda[1] = 0.0; }
  void residual(const double* lambda, double* g) override {
    for (int i = 0; i < 2; ++i) g[i] = lambda[i] - 1.0;
  }
  void jacobian(double* gradients, double* directions) const override {
    for (int i = 0; i < 2; ++i) {
      gradients[i] = slope_[i];
      directions[i] = 1.0;
    }
  }
  bool accept(const double* lambda) override {
    return std::abs(lambda[0] - 1.0) > 1e-12 || std::abs(lambda[1] - 1.0) > 1e-12;
  }

 private:
  double slope_[2];
};

}  // namespace

TEST_CASE("a matrix that PETSc can't invert doesn't spoil the next") {
  const la::Petsc petsc;
  for (const Batch batch : {Batch::of_one_rank, Batch::of_all_ranks}) {
    SparseMultipliers solver(batch);
    Lines flat(0.0), steep(1.0);
    solver.solve(flat);
    CHECK_ALL(solver.effort().given_up == 1);
    for (int again = 0; again < 3; ++again) solver.solve(steep);
    CHECK_ALL(solver.effort().given_up == 1);
    std::array b{0.0, 3.0};
    const std::array singular{0.0, 1.0}, one{1.0, 1.0};
    CHECK_ALL(!solver.solve({2, 1, 1}, singular.data(), one.data(), b.data()));
    b = {2.0, 3.0};
    CHECK_ALL(solver.solve({2, 1, 1}, one.data(), one.data(), b.data()));
    CHECK_ALL(b == std::array{2.0, 3.0});
  }
}

TEST_CASE("a lane that fails under PETSc fails as it would by itself") {
  using Torus = mechanics::ParticleOn<mechanics::Torus>;
  const la::Petsc petsc;
  const auto system = under_gravity<mechanics::Torus>({1.0, 0.4});
  auto x = starts<Torus>(system, {1.4, 0, 0}, {0, 0.76, 0.64});
  for (int n = 1; n < 3; ++n) numerics::set_lane(x.v[n], 1, 400.0);  // leaves the torus far behind in a step
  numerics::set_lane(x.v[2], width - 1, std::numeric_limits<double>::quiet_NaN());
  MethodOptions options;
  options.step = 0.01;
  using Method = integrators::Rattle<In<Torus>>;
  R by_itself, together;
  const auto lanes = flown<Method>(system, x, options, 100, &by_itself);
  options.solver = std::make_shared<SparseMultipliers>(Batch::of_one_rank);
  const auto sparse = flown<Method>(system, x, options, 100, &together);
  int failed = 0;
  for (int i = 0; i < width; ++i) {
    CHECK_ALL(numerics::lane(by_itself, i) == numerics::lane(together, i));
    if (numerics::lane(together, i) != 0)
      ++failed;
    else
      CHECK_ALL(apart(lanes, sparse, i) < 1e-12);
  }
  CHECK_ALL(failed == 2);
}

namespace {

/// This rank's share of particles spread evenly over a surface.
template <class Surface>
std::vector<Particle> spread(const std::vector<double>& parameters, const geometry::SpacePoint& first,
                             std::int64_t count, double cell) {
  mechanics::System<mechanics::ParticleOn<Surface>, double> system;
  std::copy(parameters.begin(), parameters.end(), system.parameters.begin());
  const geometry::LevelFunction g = [system](const geometry::SpacePoint& q) {
    const auto at = system.constraint(q);
    return geometry::LevelPoint{at.value[0], at.gradient[0]};
  };
  const auto surface = geometry::triangulate(g, std::span(&first, 1), cell);
  double distance = 0;
  const auto where = even_points(SurfacePoints(g, *surface), count, 5, {}, distance);
  std::vector<Particle> mine;
  for (const auto& [number, point] : where) {
    Particle p;
    p.id = static_cast<std::int64_t>(number);
    p.q = p.start = point;
    p.v = thermal_velocity(p.id, g(p.q).gradient, 0.5, 1.0, 5);
    mine.push_back(p);
  }
  return mine;
}

/// Positions, velocities and statuses by id, of all ranks, on every rank.
std::map<std::int64_t, std::array<double, 7>> everybody(const ParticleDynamics& swarm) {
  std::vector<Particle> rows;
  for (int i = 0; i < swarm.particles().own; ++i) rows.push_back(swarm.particles().particle(i));
  const auto all = parallel::exchange(
      std::vector<std::vector<Particle>>(static_cast<std::size_t>(parallel::size()), rows));
  std::map<std::int64_t, std::array<double, 7>> result;
  for (const Particle& p : all)
    result[p.id] = {p.q[0], p.q[1], p.q[2], p.v[0], p.v[1], p.v[2], static_cast<double>(p.status)};
  return result;
}
double apart(const ParticleDynamics& a, const ParticleDynamics& b) {
  const auto one = everybody(a), other = everybody(b);
  double largest = one.size() == other.size() ? 0.0 : 1e300;
  for (const auto& [id, row] : one) {
    for (std::size_t n = 0; n < row.size(); ++n)
      largest = std::max(largest, std::abs(row[n] - other.at(id)[n]));
  }
  return largest;
}

const Potential& lennard_jones() {
  static const auto list = built_in_potentials();
  return **std::ranges::find_if(list, [](const auto& p) { return p->name() == "lennard-jones"; });
}

template <class Surface>
void agree(const char* what, const std::vector<double>& parameters, const geometry::SpacePoint& first,
           double sigma, double step, std::vector<double> shares) {
  const SurfaceMotionOf<mechanics::ParticleOn<Surface>> motion(parameters, 1e-14);
  const auto kernel =
      lennard_jones().kernel(std::vector{1.0, sigma}, 2.5 * sigma, CutMode::shifted, 2 * sigma);
  const auto particles = spread<Surface>(parameters, first, 300, 0.2 * sigma);
  ParticleDynamicsOptions options;
  options.step = step;
  options.composition_coefficients = std::move(shares);
  const int steps = 1000 / static_cast<int>(std::ssize(options.composition_coefficients));
  ParticleDynamics lanes(motion, *kernel, options, particles);
  const auto solver = std::make_shared<SparseMultipliers>(Batch::of_all_ranks);
  options.solver = solver;
  ParticleDynamics petsc(motion, *kernel, options, particles);
  options.solver = std::make_shared<Careless>(Batch::of_all_ranks);
  ParticleDynamics careless(motion, *kernel, options, particles);
  for (ParticleDynamics* swarm : {&lanes, &petsc, &careless}) swarm->advance(steps, false);
  const double difference = apart(lanes, petsc), control = apart(lanes, careless),
               error = petsc.constraint_error();
  INFO(what << ": apart " << difference << ", careless " << control << ", constraint error " << error);
  CHECK_ALL(difference < 1e-12);  // measured: 2e-13 to 7e-13, of motion that is chaotic
  CHECK_ALL(control > 1e-12);     // measured: 2e-11 to 2e-10
  CHECK_ALL(error <= 1e-14);
  CHECK_ALL(lanes.effort().lists > 1);  // they did change places
  CHECK_ALL(solver->effort().newton_solves >= 1000 - std::ssize(options.composition_coefficients));
  CHECK_ALL(solver->effort().given_up == 0);
}

}  // namespace

TEST_CASE("interacting particles agree with those in lanes over a thousand steps") {
  const la::Petsc petsc;
  agree<mechanics::Torus>("torus", {6.0, 2.5, 1.0, 1.0}, {8.5, 0, 0}, 1.0, 0.001, {1.0});
  const auto& suzuki = integrators::Suzuki4::steps;
  agree<mechanics::Torus>("torus, Suzuki", {6.0, 2.5, 1.0, 1.0}, {8.5, 0, 0}, 1.0, 0.002,
                          {suzuki.begin(), suzuki.end()});
  agree<mechanics::Lemniscate>("genus 2", {1.0, 1.0 / 6, 1.0, 1.0}, {0, 0, 1.0 / 6}, 0.1, 0.00005, {1.0});
}

TEST_CASE("particles that PETSc's indices can't number are refused") {
  const la::Petsc petsc;
  const std::vector<double> parameters{6.0, 2.5, 1.0, 0.0};
  const SurfaceMotionOf<mechanics::ParticleOn<mechanics::Torus>> motion(parameters, 1e-12);
  const auto kernel = lennard_jones().kernel(std::vector{1.0, 1.0}, 2.5, CutMode::shifted, 2.0);
  const auto particles = spread<mechanics::Torus>(parameters, {8.5, 0, 0}, 40, 0.2);
  const auto said = [&](std::int64_t largest) {
    const la::LowerIndices lower(largest);
    ParticleDynamicsOptions options;
    options.step = 0.001;
    options.solver = std::make_shared<SparseMultipliers>(Batch::of_all_ranks);
    return test::text_thrown<Error>([&] {
      ParticleDynamics dynamics(motion, *kernel, options, particles);
      dynamics.advance(1, false);
    });
  };
  const std::string text = said(100);
  INFO(text);
  CHECK_ALL(text.find("the particles' coordinates: ") == 0);
  CHECK_ALL(said(1'000'000).empty());  // the control
}

TEST_CASE("particles that fail under PETSc fail alone, on ranks of few particles too") {
  const la::Petsc petsc;
  const std::vector<double> parameters{6.0, 2.5, 1.0, 0.0};
  const SurfaceMotionOf<mechanics::ParticleOn<mechanics::Torus>> motion(parameters, 1e-12);
  const auto kernel = lennard_jones().kernel(std::vector{1.0, 1.0}, 2.5, CutMode::shifted, 2.0);
  auto particles = spread<mechanics::Torus>(parameters, {8.5, 0, 0}, 40, 0.2);
  for (Particle& p : particles) {
    if (p.id % 13 == 5) p.v = {3e4 * p.v[0], 3e4 * p.v[1], 3e4 * p.v[2]};
  }
  ParticleDynamicsOptions options;
  options.step = 0.001;
  ParticleDynamics lanes(motion, *kernel, options, particles);
  options.solver = std::make_shared<SparseMultipliers>(Batch::of_all_ranks);
  ParticleDynamics sparse(motion, *kernel, options, particles);
  lanes.advance(50, true);
  sparse.advance(50, true);
  CHECK_ALL(lanes.failed() == 3);
  CHECK_ALL(sparse.failed() == 3);
  CHECK_ALL(apart(lanes, sparse) < 1e-12);
}
