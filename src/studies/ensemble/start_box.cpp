// SPDX-License-Identifier: BSD-3-Clause
// The box that `random` draws from, where the deck doesn't give it: wide enough for all states of the largest
// energy along the axes.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

/// Ranges for what `random` doesn't name: along each axis through the section's origin as far as U <= E.
void Ensemble::find_box(const io::Table& table) {
  if (energy_.empty()) return;
  const double energy = *std::max_element(energy_.begin(), energy_.end());
  const auto parameters = parameters_of(0);
  std::vector<double> origin(static_cast<std::size_t>(dim_), 0.0);
  if (section_ && section_->coordinate >= 0)
    origin[static_cast<std::size_t>(section_->coordinate)] = section_->value;
  for (const auto& range : ranges_) {
    if (range.variable < dim_)
      origin[static_cast<std::size_t>(range.variable)] = 0.5 * (range.from + range.to);
  }
  const auto named = [&](int k) {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.variable == k; });
  };
  const std::size_t given = ranges_.size();
  const auto coordinates = problem_->coordinates();
  double lowest = problem_->potential(origin, parameters).value;
  for (int k = 0; k < dim_; ++k) {
    if (named(k) || (section_ && k == section_->coordinate)) continue;
    const bool angle = coordinates[static_cast<std::size_t>(k)].angle;
    if (!(lowest <= energy)) {
      throw table.error("random", "the section's origin isn't accessible at this energy; give the box of " +
                                      names_[static_cast<std::size_t>(k)] + " = [from, to]");
    }
    Range range{k, 0, 0, 1};
    for (double sign : {-1.0, 1.0}) {
      auto q = origin;
      // The first of equal steps at which U > E, in lengths of this scale.
      const auto reach_in = [&](double scale) {
        double reach = 0;
        for (double step = 1e-3; reach < (angle ? std::numbers::pi : 1e3);
             reach += step, step = std::min(1.01 * step, 1e-2)) {
          q[static_cast<std::size_t>(k)] = origin[static_cast<std::size_t>(k)] + sign * scale * reach;
          const double u = problem_->potential(q, parameters).value;
          if (!(u <= energy)) break;
          lowest = std::min(lowest, u);
        }
        return reach;
      };
      double scale = 1, reach = reach_in(scale);
      while (reach < 1e-2 && scale > 1e-15) reach = reach_in(scale *= 1e-2);
      while (!angle && reach >= 1e3 && scale >= 1 && scale < 1e12) reach = reach_in(scale *= 1e3);
      if (!angle && reach >= 1e3) {
        throw table.error("random", "the motion isn't bounded along " + names_[static_cast<std::size_t>(k)] +
                                        "; give its box [from, to]");
      }
      reach *= scale;
      if (angle) reach = std::min(reach, std::numbers::pi);
      (sign < 0 ? range.from : range.to) = origin[static_cast<std::size_t>(k)] + sign * reach;
    }
    ranges_.push_back(range);
  }
  // Velocities: twice what the kinetic energy allows at the lowest place, and the least mass, found on the
  // axes; draws of too much energy are infeasible, and are drawn again.
  const std::vector<double> rest(static_cast<std::size_t>(dim_), 0.0);
  auto mass = problem_->mass_matrix(origin, rest, parameters);
  for (std::size_t r = 0; r < given; ++r) {
    const Range& range = ranges_[r];
    constexpr int parts = 256;
    for (int k = 0; range.variable < dim_ && k <= parts; ++k) {
      auto q = origin;
      q[static_cast<std::size_t>(range.variable)] = range.from + (range.to - range.from) * k / parts;
      lowest = std::fmin(lowest, problem_->potential(q, parameters).value);
      const auto here = problem_->mass_matrix(q, rest, parameters);
      for (std::size_t i = 0; i < mass.size(); ++i) mass[i] = std::fmin(mass[i], here[i]);
    }
  }
  int left = 0;
  for (int k = 0; k < dim_; ++k) left += !named(dim_ + k);
  for (int k = 0; k < dim_ && left > 1; ++k) {
    if (named(dim_ + k)) continue;
    if (section_ && section_->coordinate == k) continue;  // the natural one to solve for
    if (!section_ && k == dim_ - 1) continue;
    if (!(lowest <= energy))
      throw table.error("random",
                        "no place on the box's axes is accessible at this energy; give the box of " +
                            names_[static_cast<std::size_t>(dim_ + k)] + " = [from, to]");
    const double bound =
        2 * std::sqrt(2 * (energy - lowest) / std::max(mass[static_cast<std::size_t>(k * dim_ + k)], 1e-300));
    ranges_.push_back({dim_ + k, -bound, bound, 1});
    --left;
  }
}

}  // namespace cotangent::studies
