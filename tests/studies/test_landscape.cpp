// SPDX-License-Identifier: BSD-3-Clause
// Landscapes of models that the program doesn't have: three coordinates, a boundary that moves.
#include "../io/scratch_folder.hpp"
#include "billiards/domain.hpp"
#include "io/result_file.hpp"
#include "mpi_test.hpp"
#include "studies/landscape/lists.hpp"
#include "studies/program/study.hpp"

using namespace cotangent;

namespace {

/// How the boundary of the trough changes with a.
enum class Boundary { stays, moves, comes_back };

/// U = (x^2 - 1)^2 / 4 + a z^2 / 2 + x y in the coordinates x, y, z, admissible while |x| < 2, or 2 + a / 10,
/// or 2 + (a - 1) (2 - a).
class Trough final : public sections::Problem {
  using Values = sections::Values;

 public:
  explicit Trough(Boundary boundary) : boundary_(boundary) {}
  std::string name() const override { return "trough"; }
  std::string about() const override { return "two wells along x, tilted by y"; }
  std::vector<sections::CoordinateInfo> coordinates() const override {
    return {{"x", "m", false}, {"y", "m", false}, {"z", "m", false}};
  }
  std::vector<sections::ParameterInfo> parameters() const override {
    return {{"a", 1.0, "stiffness in z", "1"}};
  }
  double energy(Values q, Values, Values p) const override { return potential(q, p).value; }
  std::vector<double> momentum(Values, Values v, Values, double) const override {
    return {v.begin(), v.end()};
  }
  std::vector<double> mass_matrix(Values, Values, Values) const override {
    return {1, 0, 0, 0, 1, 0, 0, 0, 1};
  }
  Potential potential(Values q, Values p) const override {
    const double x = q[0], y = q[1], z = q[2], a = p[0], well = x * x - 1;
    return {well * well / 4 + a * z * z / 2 + x * y,
            {x * well + y, x, a * z},
            {3 * x * x - 1, 1, 0, 1, 0, 0, 0, 0, a}};
  }
  bool has_domain() const override { return true; }
  double domain(Values q, Values p) const override {
    const double out = boundary_ == Boundary::moves        ? p[0] / 10
                       : boundary_ == Boundary::comes_back ? (p[0] - 1) * (2 - p[0])
                                                           : 0.0;
    return 2 - std::abs(q[0]) + out;
  }
  int lanes() const override { return 1; }
  std::unique_ptr<sections::TrajectoryBatch> fly(const integrators::MethodOptions&,
                                                 const sections::Observation&, int) const override {
    throw Error("it doesn't fly");
  }

 private:
  Boundary boundary_;
};

ExitCode run_deck(const std::string& text, Boundary boundary = Boundary::stays) {
  studies::Statements stated;
  stated.problems.push_back(std::make_unique<Trough>(boundary));
  studies::Task task{.deck = io::Deck::parse(text, "deck.toml"),
                     .stated = stated,
                     .command_line = "test",
                     .petsc_options = {},
                     .deck_file = "deck.toml"};
  task.deck.root().text("study");
  return studies::landscape_study().run(task);
}

std::string deck(const std::string& landscape, const std::filesystem::path& file) {
  return "study = \"landscape\"\n[model]\nname = \"trough\"\na = [0.5, 2]\n[landscape]\n" + landscape +
         "\n[output]\nfile = \"" + file.string() + "\"\n";
}

/// z across and x up, so that neither stands where it does in q.
const std::string plane = R"(
x = { coordinate = "z", from = -1, to = 1.2, count = 5 }
y = { coordinate = "x", from = -2.5, to = 2.5, count = 7 }
at = { y = 0.1 }
)";

}  // namespace

TEST_CASE("two of three coordinates, in any order, the third where it is put") {
  const test::ScratchFolder folder;
  REQUIRE_ALL(run_deck(deck(plane, folder / "out.h5")) == exit_success);
  const io::File file = io::File::open(folder / "out.h5");
  const auto type = file.read<std::int32_t>("/landscape/stationary/type");
  const auto z = file.read<double>("/landscape/stationary/x"),
             x = file.read<double>("/landscape/stationary/y");
  const auto eigenvalues = file.read<double>("/landscape/stationary/eigenvalues");
  REQUIRE_ALL(type == std::vector<std::int32_t>{0, 0, 1, 0, 0, 1});  // by rising energy, for each a
  for (std::size_t k = 0; k < type.size(); ++k) {
    const double a = k < 3 ? 0.5 : 2, curvature = 3 * x[k] * x[k] - 1;
    CHECK_ALL(std::abs(x[k] * x[k] * x[k] - x[k] + 0.1) < 1e-15);
    CHECK_ALL(std::abs(z[k]) < 1e-15);
    CHECK_ALL(std::abs(eigenvalues[2 * k] - std::min(a, curvature)) < 1e-14);
    CHECK_ALL(std::abs(eigenvalues[2 * k + 1] - std::max(a, curvature)) < 1e-14);
  }
  const auto energy = file.read<double>("/landscape/energy");
  const auto admissible = file.read<std::int32_t>("/landscape/admissible");
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 7; ++j) {
        const double at_z = -1 + 2.2 * double(i) / 4, at_x = -2.5 + 5 * double(j) / 6;
        const std::vector<double> q{at_x, 0.1, at_z}, p{k == 0 ? 0.5 : 2};
        const std::size_t place = (k * 5 + i) * 7 + j;
        CHECK_ALL(std::abs(energy[place] - Trough(Boundary::stays).potential(q, p).value) < 1e-14);
        CHECK_ALL(admissible[place] == (std::abs(at_x) < 2 ? 1 : 0));
      }
    }
  }
  // U rises to the boundary, so both wells are left where the nearer side is touched: (4 - 1)^2 / 4 - 2 *
  // 0.1.
  const auto escape = file.read<double>("/landscape/stationary/escape_energy");
  for (const std::size_t well : {0, 1, 3, 4}) CHECK_ALL(std::abs(escape[well] - 2.05) < 1e-14);
  CHECK_ALL(std::isnan(escape[2]) && std::isnan(escape[5]));
}

TEST_CASE("the boundary has to stay where it is while a parameter changes") {
  const test::ScratchFolder folder;
  std::string text =
      deck(plane + "changes = { parameter = \"a\", from = 1, to = 2, steps = 2 }", folder / "out.h5");
  CHECK_ALL(run_deck(text) == exit_success);
  CHECK_ALL(io::File::open(folder / "out.h5").dims("/landscape/changes/kind") ==
            std::vector<std::int64_t>{0});
  std::filesystem::path none = folder / "none.h5";
  text = deck(plane + "changes = { parameter = \"a\", from = 1, to = 2, steps = 1 }", none);
  for (const Boundary boundary : {Boundary::moves, Boundary::comes_back}) {
    const std::string refusal = test::text_thrown<Error>([&] { run_deck(text, boundary); });
    CHECK_ALL(refusal.find("the admissible region moves with a") != std::string::npos);
    CHECK_ALL(refusal.find("for a = 1 and ") != std::string::npos);
  }
  CHECK_ALL(!std::filesystem::exists(none));
}

TEST_CASE("what would be passed over is refused") {
  const test::ScratchFolder folder;
  const auto refusal = [&](const std::string& landscape) {
    return test::text_thrown<Error>([&] { run_deck(deck(plane + landscape, folder / "out.h5")); });
  };
  CHECK_ALL(refusal("stationary = false\ncells = 9").find("cells") != std::string::npos);
  CHECK_ALL(refusal("stationary = false") == "");
}

TEST_CASE("other coordinates are named, and only those") {
  const test::ScratchFolder folder;
  const auto refusal = [&](const std::string& landscape) {
    return test::text_thrown<Error>([&] { run_deck(deck(landscape, folder / "out.h5")); });
  };
  const std::string sides = plane.substr(0, plane.find("at ="));
  CHECK_ALL(refusal(sides + "at = { w = 0 }").find("unknown key 'w'") != std::string::npos);
  CHECK_ALL(refusal(sides + "at = { z = 0 }").find("unknown key 'z'") != std::string::npos);
  CHECK_ALL(refusal(sides) == "");  // they stay at 0
}
