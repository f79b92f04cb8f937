// SPDX-License-Identifier: BSD-3-Clause
// What a deck of study = "landscape" says: the model, the window over two of its coordinates, and what is
// looked for.
#pragma once

#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "landscapes/landscape.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// One side of the window.
struct WindowSide {
  std::size_t coordinate;
  std::string name, units;
  double from, to;
  std::int64_t count;
  bool periodic;

  double operator[](std::int64_t i) const {
    return i + 1 == count ? to : from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  /// Where the search ends: after exactly one turn of an angle.
  double end() const { return periodic ? from + 2 * std::numbers::pi : to; }
};

/// The interval over which one parameter changes.
struct ParameterChange {
  std::size_t parameter;
  landscapes::ParameterRange range;
};

/// What the deck asks for.
struct LandscapeSurvey {
  const sections::Statement* statement;
  const sections::StateFunctions* functions;
  std::shared_ptr<const sections::Problem> formula;  ///< both of these, where the deck states the model
  std::vector<std::vector<double>> parameters;       ///< one row a landscape
  WindowSide x, y;
  std::vector<double> place;  ///< of all coordinates; x and y vary
  bool stationary, passes;
  landscapes::Search search;
  std::optional<ParameterChange> changes;

  std::int64_t count() const { return static_cast<std::int64_t>(parameters.size()); }
  landscapes::Window window() const { return {x.from, x.end(), y.from, y.end(), x.periodic, y.periodic}; }

  /// "alpha = 18, m = 1"; empty where the model has no parameters.
  std::string parameters_text(const std::vector<double>& values) const;

  std::vector<double> at(double x_value, double y_value) const {
    std::vector<double> q = place;
    q[x.coordinate] = x_value;
    q[y.coordinate] = y_value;
    return q;
  }
  landscapes::Jet2 potential(double x_value, double y_value, const std::vector<double>& values) const {
    const auto u = functions->potential(at(x_value, y_value), values);
    const std::size_t n = place.size(), i = x.coordinate, j = y.coordinate;
    return {u.value,
            {u.gradient[i], u.gradient[j]},
            {u.hessian[i * n + i], u.hessian[i * n + j], u.hessian[j * n + j]}};
  }
  double domain(double x_value, double y_value, const std::vector<double>& values) const {
    return functions->domain(at(x_value, y_value), values);
  }
};

/// Reads `[model]` and `[landscape]`.
LandscapeSurvey read_survey(Task& task);

/// A commented deck that runs as it is.
extern const char* const landscape_example;

}  // namespace cotangent::studies
