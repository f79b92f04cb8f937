// SPDX-License-Identifier: BSD-3-Clause
// Averages along each trajectory of an ensemble, in `[indicators]` of a deck: rotation numbers on the
// section, `list = ["rotation"]`, and weighted Birkhoff averages of formulas, `list = ["birkhoff"]`,
// `averages = { kinetic = "q1_dot^2/2" }` (chaos/birkhoff.hpp), each with the number of digits to which both
// halves of the trajectory agree; and the frequencies of signals, `list = ["frequencies"]`,
// `signals = { x = "q1" }` (chaos/spectral_line.hpp), with how far those of both halves are apart. They are
// made when all trajectories have ended, from the rows that the result holds: crossings or samples. So they
// need no tangent map and no memory on the way, and don't depend on lanes, ranks or restarts.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expressions/expression.hpp"
#include "io/data_set_spec.hpp"
#include "run/records.hpp"
#include "run/state.hpp"
#include "studies/ensemble/aftermath.hpp"

namespace cotangent::studies {

struct Task;
struct Plan;
class Ensemble;

struct Averages {
  /// Of an angle, what it advances by from crossing to crossing; else the angle about a centre in the plane
  /// of a coordinate and its velocity, about the mean of the crossings where none is given.
  struct Rotation {
    std::size_t coordinate = 0;
    bool advances = false;
    std::optional<std::array<double, 2>> centre;
  };
  /// Of the problem's variables, each with its name.
  struct Formulas {
    std::vector<std::string> names;
    std::vector<expressions::Expression> values;
  };
  std::optional<Rotation> rotation;
  Formulas birkhoff, signals;
};

/// What `[indicators]` says of averages, where the names in its list ask for them; these names are taken out
/// of the list. Throws Error for a rotation without a section or without a plane, for frequencies without
/// samples, and for formulas that are wrong.
std::optional<Averages> read_averages(Task& task, const Plan& plan, std::vector<std::string>& names);

/// Their data sets, a row for each trajectory, and /indicators/averaged, which is 1 when they are made.
std::vector<io::DataSetSpec> data_sets(const Averages& averages, std::int64_t trajectories);

/// Makes them, each rank those of an even share of the trajectories, one after the other. All rows are in the
/// file.
class AveragesMaker : public Aftermath {
 public:
  AveragesMaker(const Averages& averages, const Plan& plan, const Ensemble& ensemble, run::Records& records);
  ~AveragesMaker() override;
  const char* name() const override { return "averages"; }
  /// Those of the next trajectory; they are entered with those of others.
  void advance() override;
  std::int64_t done() const override { return next_ - share_.first; }
  std::int64_t all() const override { return share_.count; }
  void finish() override;

 private:
  struct Block;

  const Averages& averages_;
  const Plan& plan_;
  const Ensemble& ensemble_;
  run::Records& records_;
  run::Share share_;
  std::int64_t next_;
  std::unique_ptr<Block> block_;
};

/// The memory that this takes on a rank, in bytes: rows of some trajectories, or all of a long one.
std::int64_t averaging_bytes(const Averages& averages, const Plan& plan);

}  // namespace cotangent::studies
