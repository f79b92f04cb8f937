// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/written_formulas.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "core/error.hpp"
#include "expressions/print.hpp"
#include "sections/lone_flight.hpp"
#include "studies/program/formula_lines.hpp"
#include "studies/program/formula_model.hpp"

namespace cotangent::studies {

namespace {

using expressions::Tree;

using Lines = FormulaLines;
using studies::lines_of;

Lines lines_of(const sections::Problem& problem) {
  const auto* const formulas = problem.formulas();
  if (!formulas) throw Error(fmt::format("{} isn't stated by formulas", called(problem.name())));
  Lines result;
  for (const auto& q : problem.coordinates()) result.names.push_back(q.name);
  for (const auto& q : problem.coordinates()) result.names.push_back(q.name + "_dot");
  for (const auto& p : problem.parameters()) result.names.push_back(p.name);
  result.names.emplace_back("t");
  result.lines.push_back({"lagrangian", "L =", formulas->lagrangian});
  for (const Tree& tree : formulas->constraint) result.lines.push_back({"constraint", "0 =", tree});
  for (const Tree& tree : formulas->rolling) result.lines.push_back({"rolling", "0 =", tree});
  for (std::size_t i = 0; i < formulas->force.size(); ++i)
    result.lines.push_back(
        {"force." + result.names[i], fmt::format("Q_{} =", result.names[i]), formulas->force[i]});
  if (formulas->dissipation) result.lines.push_back({"dissipation", "R =", *formulas->dissipation});
  if (formulas->kick) result.lines.push_back({"kick.potential", "V =", *formulas->kick});
  if (formulas->kick_every) result.lines.push_back({"kick.every", "T =", *formulas->kick_every});
  if (formulas->domain) result.lines.push_back({"domain", "0 <", *formulas->domain});
  return result;
}
Lines lines_of(const particles::Potential& potential) {
  const auto formula = potential.formula();
  if (!formula) throw Error(fmt::format("'{}' isn't stated by a formula", potential.name()));
  Lines result{{"s"}, {{"potential", "U =", *formula}}, ""};
  for (const auto& p : potential.parameters()) result.names.emplace_back(p.name);
  return result;
}

/// What parts are called: a letter that no name has with a number behind it.
std::string prefix_for(const std::vector<std::string>& names) {
  for (const std::string prefix : {"u", "w", "k", "n", "h"}) {
    const auto taken = [&](const std::string& name) {
      return name.starts_with(prefix) && name.size() > 1 && std::isdigit(static_cast<unsigned char>(name[1]));
    };
    if (std::ranges::none_of(names, taken)) return prefix;
  }
  return "part_";
}

/// Broken at spaces, where the line would grow long; further lines begin with `indent`.
std::string wrapped(const std::string& text, std::size_t first, const std::string& indent) {
  constexpr std::size_t longest = 100;
  std::string result;
  std::size_t column = first, begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (column + (end - begin) > longest && column > indent.size() && begin > 0) {
      result += "\n" + indent;
      column = indent.size();
    } else if (begin > 0) {
      result += ' ';
      ++column;
    }
    result.append(text, begin, end - begin);
    column += end - begin;
    begin = end + 1;
  }
  return result;
}

std::string written(const Lines& all) {
  const auto [parts, values] = in_parts(all);
  std::string text;
  const auto add = [&](const std::string& left, const std::string& right) {
    const std::string head = "  " + left + " ";
    text += head + wrapped(right, head.size(), "      ") + "\n";
  };
  for (const expressions::Part& part : parts) add(part.name + " =", part.value);
  for (std::size_t k = 0; k < values.size(); ++k) add(all.lines[k].left, values[k]);
  if (!all.note.empty()) text += "  " + all.note + "\n";
  return text;
}

std::string as_latex(const Lines& all) {
  const auto [parts, values] = expressions::latex_in_parts(all.trees(), all.names, prefix_for(all.names));
  std::string text = "\\begin{aligned}\n";
  for (const expressions::Part& part : parts) text += fmt::format("  {} &= {} \\\\\n", part.name, part.value);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& left = all.lines[k].left;
    const auto space = left.find(' ');
    text += fmt::format("  {} &{} {}{}\n", expressions::latex_symbol(left.substr(0, space)),
                        left.substr(space + 1), values[k], k + 1 < values.size() ? " \\\\" : "");
  }
  return text + "\\end{aligned}\n";
}

template <class Item>
std::string written_or_why_not(const Item& item) {
  try {
    return written(lines_of(item));
  } catch (const Error& error) {
    return fmt::format("  {}\n", error.what());
  }
}

/// Whether the problem moves well from a state: to the end, its energy kept to a thousandth.
bool flies(const sections::Problem& problem, const sections::Start& start,
           const integrators::MethodOptions& method, double time) {
  sections::Observation watch;
  watch.stop.time = time;
  const auto flown = sections::fly_alone(problem, method, watch, start);
  return flown.status == Status::finished &&
         flown.energy_error <= 1e-3 * std::max(1.0, std::abs(flown.energy));
}

/// A state from which the problem moves, and for so long by this method if there is one: coordinates and
/// velocities of the order of 1, of few digits.
std::vector<double> some_start(const sections::Problem& problem, const integrators::MethodOptions& method,
                               double time) {
  sections::Start start{0, {}, {}, {}};
  for (const auto& p : problem.parameters()) start.parameters.push_back(p.value);
  const auto dim = static_cast<std::size_t>(problem.dim());
  constexpr int attempts = 200;
  std::vector<double> first;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::vector<double> state(2 * dim);
    for (std::size_t i = 0; i < state.size(); ++i) {
      const double spread =
          std::fmod(0.6180339887 * static_cast<double>(i + 1) + 0.4142135624 * attempt, 1.0);
      state[i] = std::round(100 * (spread - (i < dim ? 0.0 : 0.5))) / 100;
    }
    start.q.assign(state.begin(), state.begin() + problem.dim());
    start.v.assign(state.begin() + problem.dim(), state.end());
    const bool held = problem.project(start.q, start.v, start.parameters, -1);
    const bool inside = !problem.has_domain() || problem.domain(start.q, start.parameters) > 0.1;
    if (!held || !inside || !std::isfinite(problem.energy(start.q, start.v, start.parameters))) continue;
    if (flies(problem, start, method, time)) return state;
    if (first.empty()) first = state;
  }
  if (!first.empty()) return first;
  throw Error(fmt::format("{}: no start was found", called(problem.name())));
}

/// `where` and the formulas behind it.
std::string formulas_in_deck(const Lines& all) {
  const auto [parts, values] = in_parts(all);
  std::string text;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string& key = all.lines[k].key;
    if (key != "constraint" && key != "rolling") {
      text += key + " = " + quoted(values[k], key.size() + 4) + "\n";
      continue;
    }
    const bool first = all.lines[k - 1].key != key,
               last = k + 1 == values.size() || all.lines[k + 1].key != key;
    text += (first ? key + " = [\n" : "") + "  " + quoted(values[k], 3) + (last ? "\n]\n" : ",\n");
  }
  return text + where_in_deck(parts);
}

}  // namespace

expressions::Printed in_parts(const FormulaLines& all) {
  return expressions::text_in_parts(all.trees(), all.names, prefix_for(all.names));
}
std::string coordinates_in_deck(const std::vector<sections::CoordinateInfo>& coordinates) {
  const bool plain = std::ranges::all_of(
      coordinates, [](const auto& c) { return c.unit == "1" || (c.angle && c.unit == "rad"); });
  std::string list, angles;
  for (const auto& c : coordinates) {
    list += (list.empty() ? "" : ", ") + (plain ? "\"" + c.name + "\"" : c.name + " = \"" + c.unit + "\"");
    if (c.angle) angles += (angles.empty() ? "\"" : ", \"") + c.name + "\"";
  }
  std::string text = fmt::format("coordinates = {}\n", plain ? "[" + list + "]" : "{ " + list + " }");
  if (!angles.empty()) text += fmt::format("angles = [{}]\n", angles);
  return text;
}
std::string where_in_deck(const std::vector<expressions::Part>& parts) {
  std::string text;
  if (!parts.empty()) text += "\n[model.where]              # parts, each of what stands before it\n";
  for (const expressions::Part& part : parts)
    text += part.name + " = " + quoted(part.value, part.name.size() + 4) + "\n";
  return text;
}
std::string quoted(const std::string& text, std::size_t first) {
  const std::string lines = wrapped(text, first, "  ");
  return lines.find('\n') == std::string::npos ? "\"" + lines + "\"" : "'''" + lines + "'''";
}

std::string written_formulas(const sections::Problem& problem) {
  return written_or_why_not(problem);
}
std::string written_formulas(const particles::Potential& potential) {
  return written_or_why_not(potential);
}
std::string written_formulas(const billiards::SetKind& set) {
  return written_or_why_not(set);
}
std::string written_formulas(const billiards::FieldKind& field) {
  return written_or_why_not(field);
}
std::string written_formulas(const lattice::Model& model) {
  return written_or_why_not(model);
}
std::string latex_formulas(const billiards::SetKind& set) {
  return as_latex(lines_of(set));
}
std::string latex_formulas(const billiards::FieldKind& field) {
  return as_latex(lines_of(field));
}
std::string latex_formulas(const lattice::Model& model) {
  return as_latex(lines_of(model));
}
std::string latex_formulas(const sections::Problem& problem) {
  return as_latex(lines_of(problem));
}
std::string latex_formulas(const particles::Potential& potential) {
  return as_latex(lines_of(potential));
}

std::string deck_of_formulas(const sections::Problem& problem) {
  const Lines lines = lines_of(problem);
  std::string text = fmt::format("# {}: {}.\nstudy = \"trajectory\"\n\n[model]\nname = \"{}\"\n",
                                 problem.name(), problem.about(), problem.name());
  text += coordinates_in_deck(problem.coordinates()) + formulas_in_deck(lines);
  const auto parameters = problem.parameters();
  if (!parameters.empty()) text += "\n[model.parameters]\n";
  for (const auto& p : parameters)
    text += fmt::format("{:<26} # {}\n", fmt::format("{} = {}", p.name, p.value), p.meaning);
  integrators::MethodOptions method;
  method.name = problem.methods().front();
  method.step = 0.01;
  constexpr double time = 10;
  text += fmt::format("\n[method]\nname = \"{}\"\nstep = {}\n\n[ensemble]\nlist = [[{}]]\n", method.name,
                      method.step, fmt::join(some_start(problem, method, time), ", "));
  if (problem.multipliers() > 0) text += "project = true             # onto what the constraints allow\n";
  return text + fmt::format("\n[stop]\ntime = {:.1f}\n\n[output]\nevery = 0.1\nfile = \"{}.h5\"\n", time,
                            problem.name());
}

}  // namespace cotangent::studies
