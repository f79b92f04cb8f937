// SPDX-License-Identifier: BSD-3-Clause
// How uncertain it is which exit a start takes. Of a grid of starts, the share f(e) of boxes, e spacings
// wide, whose corners haven't all the same answer grows as e^alpha, and the boundary of the basins has the
// dimension of the grid less alpha. C. Grebogi, S. W. McDonald, E. Ott, J. A. Yorke, Final state sensitivity:
// an obstruction to predictability, Phys. Lett. A 99 (1983) 415. To stay inside is an answer as each exit is;
// boxes with a corner that never flew are left out. Boxes of one width have corners in common and don't
// overlap.
#pragma once

#include <functional>
#include <vector>

#include "io/data_set_spec.hpp"
#include "studies/ensemble/aftermath.hpp"

namespace cotangent::studies {

class Ensemble;

/// A grid's axes of more than one start, that of the last varying fastest from id to id; once for each
/// combination of parameters and energies.
struct StartGrid {
  std::vector<std::int64_t> counts;
  std::int64_t repeated = 1;

  std::int64_t points() const;
  /// Of the boxes, in spacings: 1, 2, 4, 8, as long as two of them lie along each axis.
  std::vector<std::int64_t> widths() const;
};

/// The grid of an ensemble, where it has two axes or more, of 8 starts at least each.
std::optional<StartGrid> basin_grid(const Ensemble& ensemble);

/// How many boxes are known, and how many of them have several answers, [repetition][width].
struct BoxCounts {
  std::vector<std::int64_t> known, mixed;
};

/// The answers of `count` starts from the id `first` on; NaN: never flew.
using Answers = std::function<std::vector<double>(std::int64_t first, std::int64_t count)>;
/// Counts the boxes whose lowest corner is one of `count` starts from `first` on.
void count_boxes(const StartGrid& grid, std::int64_t first, std::int64_t count, const Answers& answers,
                 BoxCounts& counts);

/// Shares [repetition][width], NaN where no box is known, and their exponents, slopes of log share over log
/// width by least squares; NaN where fewer than two widths have boxes with several answers.
struct Uncertainty {
  std::vector<double> share, exponent;
};
Uncertainty uncertainty(const StartGrid& grid, const BoxCounts& counts);

/// /exits/uncertainty/...
std::vector<io::DataSetSpec> data_sets(const StartGrid& grid);
/// On rank 0: the widths, and NaN for what isn't known until all trajectories have ended.
void enter_unknown(run::Records& records, const StartGrid& grid);

/// Makes them of /exits/exit, each rank those of an even share of the starts.
class BasinBoundaries : public Aftermath {
 public:
  BasinBoundaries(const StartGrid& grid, run::Records& records);
  const char* name() const override { return "boundaries of basins"; }
  void advance() override;
  std::int64_t done() const override { return next_ - share_.first; }
  std::int64_t all() const override { return share_.count; }
  void finish() override;
  std::optional<run::Line> line() const override;

 private:
  const StartGrid& grid_;
  run::Records& records_;
  run::Share share_;
  std::int64_t next_;
  BoxCounts counts_;
  std::optional<Uncertainty> uncertainty_;  ///< once it is finished
};

/// The memory that this takes on a rank, in bytes.
std::int64_t counting_bytes(const StartGrid& grid);

}  // namespace cotangent::studies
