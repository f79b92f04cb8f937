// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/samples.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/names.hpp"
#include "particles/pair_kernel.hpp"
#include "sections/surface.hpp"

namespace cotangent::studies {

namespace {

constexpr int distances = 400;  ///< of a potential, between 0 and the greatest
constexpr int side = 240;       ///< of a surface's square, in cells

template <class Parameters>
std::vector<double> values_of(const Parameters& parameters) {
  std::vector<double> values;
  for (const auto& p : parameters) values.push_back(p.value);
  return values;
}

template <class Item>
std::string head(const Item& item) {
  std::string text = fmt::format("# {}: {}\n", item.name(), item.about());
  for (const auto& p : item.parameters()) text += fmt::format("# {} = {}\n", p.name, p.value);
  return text;
}

std::string sampled(const particles::Potential& potential) {
  constexpr double hardly = 1e-4;
  const std::vector<double> values = values_of(potential.parameters());
  const auto usual = potential.usual_cut(values);
  const double most = usual ? *usual : potential.range(values, hardly).value_or(0);
  if (!(most > 0)) throw Error("the potential '" + potential.name() + "' is nothing to draw");
  const auto kernel = potential.kernel(values, 2 * most, particles::CutMode::cut, 2 * most);
  std::string text = head(potential) + "r,U\n";
  for (int k = 0; k <= distances; ++k) {
    const double r = most * k / distances, u = kernel->energy(r * r).value;
    if (std::isfinite(u)) text += fmt::format("{},{}\n", r, u);
  }
  return text;
}

std::string sampled(const sections::Problem& problem) {
  constexpr double farthest = 16, step = 1.0 / 256, margin = 1.15;
  const std::vector<double> values = values_of(problem.parameters());
  const auto g = [&](double x, double y) { return problem.surface()->level({x, y, 0}, values).value; };
  const auto crossed = [](double a, double b) { return (a < 0) != (b < 0); };
  double reach = 0;
  for (double r = 0; r < farthest; r += step) {
    if (crossed(g(r, 0), g(r + step, 0)) || crossed(g(0, r), g(0, r + step))) reach = r + step;
  }
  if (reach == 0)
    throw Error("the surface '" + problem.name() + "' doesn't cross the axes of the plane z = 0");
  std::string text = head(problem) + "x,y,g\n";
  const auto place = [&](int k) { return margin * reach * (2.0 * k / side - 1); };
  for (int i = 0; i <= side; ++i) {
    for (int j = 0; j <= side; ++j)
      text += fmt::format("{},{},{}\n", place(i), place(j), g(place(i), place(j)));
  }
  return text;
}

}  // namespace

std::string samples(const std::string& name, const Statements& stated) {
  std::vector<std::string> names;
  for (const auto& problem : stated.problems) {
    if (problem->surface() == nullptr) continue;
    if (problem->name() == name) return sampled(*problem);
    names.push_back(problem->name());
  }
  for (const auto& potential : stated.potentials) {
    if (potential->name() == name) return sampled(*potential);
    names.push_back(potential->name());
  }
  unknown_name("surface or potential", name, names, "");
}

}  // namespace cotangent::studies
