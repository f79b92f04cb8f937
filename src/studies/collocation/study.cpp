// SPDX-License-Identifier: BSD-3-Clause
// study = "collocation": what the differentiation matrix on Chebyshev's nodes makes of three linear problems,
// an initial value, a boundary value and an eigenvalue problem, over degrees K of the polynomial. Reference:
// V. P. Chan, The design, implementation, and applications of a novel numerical solver: the Lagrangian solver
// (master's thesis, OIST, 2018), 3.2.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "numerics/worked_examples.hpp"
#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "studies/program/report.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

class WorkedExamples : public run::Evolution {
 public:
  WorkedExamples(std::vector<std::int64_t> degrees, std::int64_t levels)
      : degrees_(std::move(degrees)), levels_(levels) {}

  std::vector<io::DataSetSpec> data_sets() const override {
    using io::DataType;
    const std::int64_t m = std::ssize(degrees_);
    const char* const initial = "|y(1) - exact| of y' + y = x^2, y(-1) = 2";
    const char* const boundary = "largest |y - exact| at the nodes of y'' = x^2, y(-1) = 0.3, y'(1) = -0.7";
    const char* const level =
        "E / (pi^2 n^2 / 8) - 1 of -y''/2 = E y, y(-1) = y(1) = 0, n from 1; NaN where K has no such level";
    return {{"/collocation/degree", DataType::int64, {m}, "1", "K, of polynomials on K + 1 nodes"},
            {"/collocation/initial_value_error", DataType::float64, {m}, "1", initial},
            {"/collocation/boundary_value_error", DataType::float64, {m}, "1", boundary},
            {"/collocation/level_error", DataType::float64, {m, levels_}, "1", level}};
  }
  void begin(run::Records& records) override {
    for (std::int64_t k = 0; k < std::ssize(degrees_); ++k)
      records.one("/collocation/degree", k, &degrees_[static_cast<std::size_t>(k)]);
  }
  void state(run::StateFields& state) override {
    state.number("done", done_);
    state.index("done", static_cast<double>(done_), std::ssize(degrees_) + 1);
  }
  void advance(std::int64_t, run::Records& records) override {
    const int K = static_cast<int>(degrees_[static_cast<std::size_t>(done_)]);
    records.one("/collocation/initial_value_error", done_, numerics::initial_value_error(K, 1));
    records.one("/collocation/boundary_value_error", done_, numerics::boundary_value_error(K));
    std::vector<double> errors = numerics::level_errors(K);
    errors.resize(static_cast<std::size_t>(levels_), std::numeric_limits<double>::quiet_NaN());
    records.one("/collocation/level_error", done_, errors.data());
    ++done_;
  }
  bool ended() const override { return done_ == std::ssize(degrees_); }

  run::Progress progress() const override {
    return run::Progress::of_steps(done_, std::ssize(degrees_), 1.0);
  }
  std::vector<run::Line> summary(const run::Effort&) override {
    return {{"degrees", fmt::format("{}, up to {}", degrees_.size(), std::ranges::max(degrees_))}};
  }
  bool failed() override { return false; }

 private:
  std::vector<std::int64_t> degrees_;
  std::int64_t levels_, done_ = 0;
};

ExitCode run(Task& task) {
  const io::Table table = task.deck.table("collocation");
  std::vector<std::int64_t> degrees;
  for (const double K : table.axis("degrees")) {
    if (!(K >= 2 && K <= 64 && K == std::floor(K)))
      throw table.error("degrees", "must be whole numbers from 2 to 64");
    degrees.push_back(static_cast<std::int64_t>(K));
  }
  const std::int64_t levels = table.integer_at_least("levels", 1, 10);
  const run::Settings settings = read_settings(task, "collocation", "collocation.h5");
  task.deck.finish();
  if (task.check) return exit_success;
  if (task.dry_run) {
    parallel::on_rank_zero([&] {
      run::say(
          fmt::format("would run       {} degrees\nresult file     {}\nmemory          about {} a rank\n"
                      "time            under a second\n",
                      degrees.size(), settings.file, run::size_text(static_cast<double>(program_bytes()))));
    });
    return exit_success;
  }
  WorkedExamples examples(std::move(degrees), levels);
  return drive(task, examples, settings);
}

constexpr const char* example =
    R"(# Collocation on Chebyshev's nodes: three linear problems with exact solutions.
study = "collocation"

[collocation]
degrees = { from = 2, to = 32, count = 31 }   # K, of polynomials on K + 1 nodes
levels = 10                  # of the eigenvalue problem

[output]
file = "collocation.h5"
)";

}  // namespace

Study collocation_study() {
  return {"collocation", "linear problems by the differentiation matrix, over its degrees", run, example};
}

}  // namespace cotangent::studies
