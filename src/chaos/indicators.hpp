// SPDX-License-Identifier: BSD-3-Clause
// Whether a trajectory is chaotic, from how its deviations grow. With Q F = M D of each step
// (sections/growth.hpp), S_i the sum of ln F_ii over the time T:
//   Lyapunov exponents       S_i / T                       Benettin and others (1980)
//   GALI_k                   the volume that the first k deviations span, each of unit length
//   SALI                     min |w_1 - w_2|, |w_1 + w_2|, of unit lengths: a function of GALI_2
//   MEGNO                    Y = 2/T int t d(ln |w_1|), and its mean over time
// All come from one triangular product of the F, its columns of unit length: volumes far below round-off
// keep their digits. A verdict: regular where mean MEGNO < 2.5; chaotic where it is above 3 and SALI < 1e-8;
// else undecided. What is sticky for longer than T passes for regular, and so does what is chaotic where T is
// below some 5 / lambda. Only chaos can be known before the end: a trajectory counts as decided as soon as
// it is chaotic by this rule. With friction chaos may be a transient on the way to a regular attractor: a
// trajectory is chaotic then only if Y at the end is no less than its mean, and never decided before.
// References: Benettin, Galgani, Giorgilli, Strelcyn, Meccanica 15 (1980) 9; Skokos, J. Phys. A 34 (2001)
// 10029 (SALI); Skokos, Bountis, Antonopoulos, Physica D 231 (2007) 30 (GALI); Cincotta, Giordano, Simo,
// Physica D 182 (2003) 151 (MEGNO).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sections/growth.hpp"

namespace cotangent::chaos {

/// What is asked for; the verdict always comes.
struct Indicators {
  bool lyapunov = false, spectrum = false, sali = false, megno = false;
  std::vector<int> gali;  ///< the k of each GALI_k
  double history = 0;     ///< the time from one row of the history to the next
  std::int64_t rows = 0;  ///< so many rows, at the ends of the first steps at or beyond these times
};

/// From names like "lyapunov", "spectrum", "sali", "gali-3", "megno", for motion with so many dimensions of
/// phase space. Throws an Error that says `where` for a name or a k that there isn't; `others` are names that
/// are known elsewhere.
Indicators read_indicators(const std::vector<std::string>& names, int dimensions, const std::string& where,
                           const std::vector<std::string>& others = {});

/// One thing that a trajectory leaves behind: so many numbers.
struct Column {
  std::string name, unit, meaning;
  int numbers = 1;
  bool list = false;               ///< several numbers, or one of a list of them
  std::vector<std::string> names;  ///< of what the number counts
  bool history = false;            ///< how a column of the same name grew
};
/// In the order in which the tallies have them; the verdict comes first, the history last.
std::vector<Column> columns(const Indicators& indicators, int dimensions);
/// How many deviations they need: two for a verdict, at least.
int deviations(const Indicators& indicators, int dimensions);

/// The rule by which trajectories' tallies become the columns above, with or without friction.
std::shared_ptr<const sections::GrowthRule> growth_rule(const Indicators& indicators, int dimensions,
                                                        bool friction = false);

enum class Verdict { undecided = 0, regular = 1, chaotic = 2 };
Verdict verdict(double mean_megno, double sali);

/// SALI from GALI_2, the sine of the angle between two deviations.
double sali_of(double gali_2);

}  // namespace cotangent::chaos
