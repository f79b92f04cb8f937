// SPDX-License-Identifier: BSD-3-Clause
// The box that `random` draws from, where the deck doesn't give it: wide enough for all states of the largest
// energy along the axes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

namespace {

/// Looks along the axes through one place: how far the potential stays below an energy, how low it goes, and
/// how small the masses become.
class AxesThrough {
 public:
  AxesThrough(const sections::Problem& problem, std::span<const double> parameters, double energy,
              std::vector<double> origin)
      : problem_(problem),
        parameters_(parameters),
        energy_(energy),
        origin_(std::move(origin)),
        lowest_(potential(origin_)),
        mass_(mass_matrix(origin_)) {}

  double lowest() const { return lowest_; }
  /// The least diagonal entry of the mass matrix that was met.
  double least_mass(int k) const { return mass_[static_cast<std::size_t>(k) * (origin_.size() + 1)]; }

  /// The coordinate k up to which U <= E, upwards or downwards; infinite where it isn't bounded. An angle
  /// goes half around at most.
  double end(int k, double sign, bool angle) {
    const double most = angle ? std::numbers::pi : 1e3;
    double scale = 1, steps = steps_below(k, sign * scale, most);
    while (steps < 1e-2 && scale > 1e-15) steps = steps_below(k, sign * (scale *= 1e-2), most);
    while (!angle && steps >= most && scale >= 1 && scale < 1e12)
      steps = steps_below(k, sign * (scale *= 1e3), most);
    if (!angle && steps >= most) return sign * std::numeric_limits<double>::infinity();
    const double reach = steps * scale;
    return origin_[static_cast<std::size_t>(k)] + sign * (angle ? std::min(reach, most) : reach);
  }

  /// Looks at places of a coordinate's range, in equal parts.
  void look_through(int k, double from, double to) {
    constexpr int parts = 256;
    for (int part = 0; part <= parts; ++part) {
      const auto q = at(k, from + (to - from) * part / parts);
      lowest_ = std::fmin(lowest_, potential(q));
      const auto here = mass_matrix(q);
      for (std::size_t i = 0; i < mass_.size(); ++i) mass_[i] = std::fmin(mass_[i], here[i]);
    }
  }

 private:
  /// The length of growing steps, in units of `scale`, after which U > E first.
  double steps_below(int k, double scale, double most) {
    double length = 0;
    for (double step = 1e-3; length < most; length += step, step = std::min(1.01 * step, 1e-2)) {
      const double u = potential(at(k, origin_[static_cast<std::size_t>(k)] + scale * length));
      if (!(u <= energy_)) break;
      lowest_ = std::min(lowest_, u);
    }
    return length;
  }
  std::vector<double> at(int k, double value) const {
    auto q = origin_;
    q[static_cast<std::size_t>(k)] = value;
    return q;
  }
  double potential(std::span<const double> q) const { return problem_.potential(q, parameters_).value; }
  std::vector<double> mass_matrix(std::span<const double> q) const {
    return problem_.mass_matrix(q, std::vector<double>(origin_.size(), 0.0), parameters_);
  }

  const sections::Problem& problem_;
  std::span<const double> parameters_;
  double energy_;
  std::vector<double> origin_;
  double lowest_;
  std::vector<double> mass_;
};

}  // namespace

/// Ranges for what `random` doesn't name: along each axis through the section's origin as far as U <= E.
void Ensemble::find_box(const io::Table& table) {
  if (energy_.empty()) return;
  const double energy = *std::max_element(energy_.begin(), energy_.end());
  const auto parameters = parameters_of(0);
  std::vector<double> origin(static_cast<std::size_t>(dim_), 0.0);
  if (section_ && section_->coordinate >= 0)
    origin[static_cast<std::size_t>(section_->coordinate)] = section_->value;
  const std::vector<Range> given = ranges_;
  for (const Range& range : given) {
    if (range.variable < dim_)
      origin[static_cast<std::size_t>(range.variable)] = 0.5 * (range.from + range.to);
  }
  const auto named = [&](int k) {
    return std::ranges::any_of(given, [&](const Range& r) { return r.variable == k; });
  };
  const auto name = [&](int k) { return names_[static_cast<std::size_t>(k)]; };
  const auto coordinates = problem_->coordinates();
  AxesThrough axes(*problem_, parameters, energy, std::move(origin));
  for (int k = 0; k < dim_; ++k) {
    if (named(k) || (section_ && k == section_->coordinate)) continue;
    if (!(axes.lowest() <= energy)) {
      throw table.error("random", "the section's origin isn't accessible at this energy; give the box of " +
                                      name(k) + " = [from, to]");
    }
    const bool angle = coordinates[static_cast<std::size_t>(k)].angle;
    const double from = axes.end(k, -1, angle), to = axes.end(k, 1, angle);
    if (!std::isfinite(from) || !std::isfinite(to))
      throw table.error("random", "the motion isn't bounded along " + name(k) + "; give its box [from, to]");
    ranges_.push_back({k, from, to, 1});
  }
  for (const Range& range : given)
    if (range.variable < dim_) axes.look_through(range.variable, range.from, range.to);
  // Velocities: twice what the kinetic energy allows at the lowest place, and the least mass, found on the
  // axes; draws of too much energy are infeasible, and are drawn again. One is left to be solved for, the
  // section's where there is one.
  int left = 0;
  for (int k = 0; k < dim_; ++k) left += !named(dim_ + k);
  const int solved_for = section_ ? section_->coordinate : dim_ - 1;
  for (int k = 0; k < dim_ && left > 1; ++k) {
    if (named(dim_ + k) || k == solved_for) continue;
    if (!(axes.lowest() <= energy))
      throw table.error("random",
                        "no place on the box's axes is accessible at this energy; give the box of " +
                            name(dim_ + k) + " = [from, to]");
    const double bound = 2 * std::sqrt(2 * (energy - axes.lowest()) / std::max(axes.least_mass(k), 1e-300));
    ranges_.push_back({dim_ + k, -bound, bound, 1});
    --left;
  }
}

}  // namespace cotangent::studies
