// SPDX-License-Identifier: BSD-3-Clause
// What a result of study = "work-precision" holds: /comparison, a row for each method with each step or
// tolerance. Seconds differ from run to run, so they stand in /run, which comparisons of results leave out.
#pragma once

#include <limits>

#include "run/records.hpp"
#include "studies/ensemble/work_precision/flights.hpp"

namespace cotangent::studies {

/// One setting, over all starts that reached the end.
struct Verdict {
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::int64_t steps = 0, arrived = 0, failed = 0;
  double energy_error = nan, constraint_error = nan, drift = nan, position_error = nan, order = nan;
};

/// Each rank sees its share of the starts. Collective.
std::vector<Verdict> verdicts(const Comparison& c, const ShownRows& shown);

std::vector<io::DataSetSpec> comparison_data_sets(const Comparison& c);
/// What is known of all settings, by one rank.
void enter_verdicts(run::Records& records, const Comparison& c, const std::vector<Verdict>& all,
                    const std::vector<double>& seconds);
/// This rank's share of the starts, and the reference's ends.
void enter_starts(run::Records& records, const Comparison& c, const ShownRows& shown);
/// The comparison for its reader.
std::string comparison_table(const Comparison& c, const std::vector<Verdict>& all,
                             const std::vector<double>& seconds);

}  // namespace cotangent::studies
