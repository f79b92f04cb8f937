// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "billiards/domain.hpp"
#include "billiards/field.hpp"
#include "core/git_commit.hpp"
#include "core/names.hpp"
#include "core/version.hpp"
#include "integrators/method_list.hpp"
#include "io/build.hpp"
#include "io/hdf5.hpp"
#include "lattice/compositions.hpp"
#include "lattice/kernel.hpp"
#include "parallel/mpi.hpp"
#include "particles/pair_kernel.hpp"
#include "studies/program/javascript.hpp"
#include "studies/program/method_options.hpp"
#include "studies/program/units.hpp"
#include "studies/program/written_formulas.hpp"

namespace cotangent::studies {
namespace {

std::string entry(const std::string& name, const std::string& about) {
  return fmt::format("  {:<30} {}\n", name, about);
}

/// A number as TOML has it.
std::string toml(double value) {
  return fmt::format("{}", value);
}

/// Of a coordinate and its velocity: "[1]", or "[rad] and [rad/time]".
std::string units_of(std::string_view unit) {
  const std::string own = unit_or_one(unit), rate = per_time(own);
  return own == rate ? fmt::format("[{}]", own) : fmt::format("[{}] and [{}]", own, rate);
}

/// What a problem states; how a deck asks for it apart.
std::string statement_of(const sections::Problem& problem) {
  std::string text = fmt::format("{}: {}\n\ncoordinates, with the names of their velocities and momenta\n",
                                 problem.name(), problem.about());
  for (const auto& c : problem.coordinates()) {
    const std::string names = fmt::format("{0}, {0}_dot, p_{0}", c.name);
    text += entry(names, fmt::format("{}{}", units_of(c.unit), c.angle ? " an angle, modulo 2 pi" : ""));
  }
  const auto parameters = problem.parameters();
  text += parameters.empty() ? "\nno parameters\n" : "\nparameters, with their defaults\n";
  for (const auto& p : parameters) {
    text += entry(p.name + " = " + toml(p.value), fmt::format("{} [{}]", p.meaning, p.unit));
  }
  const mechanics::Formulas* const formulas = problem.formulas();  // an interpreted one has room for a domain
  text += problem.has_domain() && !(formulas && !formulas->domain)
              ? "\na domain, at whose end a trajectory stops as left_domain\n"
              : "\nno bounded domain\n";
  if (problem.constraints() > 0) {
    text += fmt::format("\nconstrained to a manifold: {} constraint{}\n", problem.constraints(),
                        problem.constraints() > 1 ? "s" : "");
  }
  if (problem.rolling() > 0) {
    text += fmt::format("\nrolling: {} nonholonomic constraint{}\n", problem.rolling(),
                        problem.rolling() > 1 ? "s" : "");
  }
  text += "\nformulas\n" + written_formulas(problem);
  text += "\nwords for [section] where and condition\n ";
  for (const auto& name : problem.variable_names()) text += " " + name;
  return text + "\n";
}

std::string description(const sections::Problem& problem) {
  std::string text =
      statement_of(problem) + fmt::format("\nin a deck\n  [model]\n  name = \"{}\"\n", problem.name());
  for (const auto& p : problem.parameters()) text += fmt::format("  {} = {}\n", p.name, toml(p.value));
  return text;
}

std::string description(const particles::Potential& potential) {
  std::string text = fmt::format("{}: {}\n", potential.name(), potential.about());
  const auto parameters = potential.parameters();
  text += parameters.empty() ? "\nno parameters\n" : "\nparameters, with their defaults\n";
  std::string deck = fmt::format("\nin a deck\n  [potential]\n  name = \"{}\"\n", potential.name());
  for (const auto& p : parameters) {
    const std::string value = fmt::format("{} = {}", p.name, toml(p.value));
    text += entry(value, fmt::format("{} [{}]", p.meaning, p.unit));
    deck += "  " + value + "\n";
  }
  text += "\nformulas, of s = r^2\n" + written_formulas(potential);
  return text + deck;
}

std::string description(const lattice::Model& model) {
  std::string text = fmt::format("{}: {}\n\ncoordinates of a site\n", model.name(), model.about());
  for (const auto& c : model.coordinates())
    text += entry(fmt::format("{0}, {0}_dot", c.name), units_of(c.unit));
  text += "\nterms, with the places of their sites\n";
  for (const auto& term : model.terms()) {
    std::string places;
    for (const auto& offset : term.sites) places += fmt::format(" ({}, {})", offset.x, offset.y);
    text += entry(term.name, places.substr(1) + (term.constraint ? ": kept 0, a constraint" : ""));
  }
  const auto parameters = model.parameters();
  text += parameters.empty() ? "\nno parameters\n" : "\nparameters, with their defaults\n";
  std::string deck =
      fmt::format("\nin a deck\n  study = \"lattice\"\n  [model]\n  name = \"{}\"\n", model.name());
  for (const auto& p : parameters) {
    const std::string value = fmt::format("{} = {}", p.name, toml(p.value));
    text += entry(value, fmt::format("{} [{}]", p.meaning, p.unit));
    deck += "  " + value + "\n";
  }
  text += "\nformulas\n" + written_formulas(model);
  for (const auto& wave : model.waves()) {
    text += fmt::format("\n[start] wave = \"{}\": {}{}\n", wave.name, wave.about,
                        wave.exact ? "" : "; a start alone, no exact motion");
    for (const auto& option : wave.options)
      text += entry(fmt::format("{} = {}", option.name, toml(option.value)), std::string(option.meaning));
  }
  return text + deck + "  sites = 64\n";
}

/// What forces a method takes.
std::string forces_of(const integrators::MethodInfo& method) {
  if (!method.constrained) return "forces, dissipation and an explicit time too";
  if (method.rolling) return "forces, dissipation, an explicit time and constraints that move too";
  return method.free
             ? "forces, dissipation and an explicit time too; constrained, forces of place and time alone"
             : "forces of place and time too, no others, and no constraints that move";
}

std::string description(const integrators::MethodInfo& method) {
  const char* kinds = !method.constrained ? "free" : method.free ? "free and constrained" : "constrained";
  std::string text =
      fmt::format("{}: {}\n\nfor {} motion{}; {}{}\n\noptions, with their defaults\n", method.name,
                  method.about, kinds, method.rolling ? ", rolling included" : "", forces_of(method),
                  method.tangent ? "; has a tangent map, as [indicators] needs" : "");
  std::string deck = fmt::format("\nin a deck\n  [method]\n  name = \"{}\"\n", method.name);
  std::string others;  // tables of the deck
  const bool adaptive = std::ranges::count(method.options, integrators::option::tolerance) > 0;
  for (const integrators::Option& option : method.options) {
    const std::string value = value_of(option, {});
    const std::string said = std::string(option.name) + (value.empty() ? "" : " = " + value);
    const bool own = option.table == "method";
    text += entry(own ? said : fmt::format("[{}] {}", option.table, said),
                  fmt::format("{}: {} [{}]", option.meaning, range_of(option), option.unit));
    if (!own) {
      others += fmt::format("  [{}]\n  {}\n", option.table, said);
      continue;
    }
    if (!value.empty()) deck += "  " + said + "\n";
    if (option == integrators::option::step)
      deck += adaptive ? "  step = 0.1               # or: tolerance = 1e-12 (adaptive)\n" : "  step = 0.1\n";
  }
  text +=
      entry("lanes = 0", "trajectories side by side in a processor's registers; 0: as many as they hold [1]");
  text += adaptive ? "  step or tolerance must be given\n" : "  step must be given\n";
  return text + deck + others;
}

std::string description(const billiards::SetKind& kind) {
  std::string text =
      fmt::format("{}: {}\n\na set of billiards in {} dimensions\n\nparameters, with their defaults\n",
                  kind.name, kind.about, kind.dim);
  std::string deck = fmt::format("\nin a deck\n  [domain]\n  dimension = {}\n  sets = [{{ set = \"{}\"",
                                 kind.dim, kind.name);
  for (const auto& p : kind.parameters) {
    text += entry(fmt::format("{} = {}", p.name, toml(p.value)), std::string(p.meaning));
    deck += fmt::format(", {} = {}", p.name, toml(p.value));
  }
  return text + "\nformulas, above 0 inside\n" + written_formulas(kind) + deck + " }]\n";
}

std::string description(const billiards::FieldKind& kind) {
  std::string text =
      fmt::format("{}: {}\n\na field of billiards in {} dimensions\n\nparameters, with their defaults\n",
                  kind.name, kind.about, kind.dim);
  std::string deck = fmt::format("\nin a deck\n  [forces]\n  potential = \"{}\"\n", kind.name);
  for (const auto& p : kind.parameters) {
    const std::string value = fmt::format("{} = {}", p.name, toml(p.value));
    text += entry(value, std::string(p.meaning));
    deck += "  " + value + "\n";
  }
  return text + "\nformulas\n" + written_formulas(kind) + deck;
}

template <class Item>
std::string name_of(const Item& item) {
  if constexpr (requires { item.name(); })
    return item.name();
  else
    return item.name;
}

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const Study& study : study_list()) names.push_back(study.name);
  return names;
}

}  // namespace

std::string catalogue(const Statements& stated) {
  std::string text = "studies\n";
  for (const Study& study : study_list()) text += entry(study.name, study.about);
  text += "\nmodels\n";
  for (const auto& problem : stated.problems) text += entry(problem->name(), problem->about());
  text += "\nlattices\n";
  for (const auto& model : stated.lattices) text += entry(model->name(), model->about());
  text += "\npotentials\n";
  for (const auto& potential : stated.potentials) text += entry(potential->name(), potential->about());
  text += "\nsets\n";
  for (const auto& kind : stated.sets) text += entry(kind.name, kind.about);
  text += "\nfields\n";
  for (const auto& kind : stated.fields) text += entry(kind.name, kind.about);
  text += "\nmethods\n";
  for (const auto& method : integrators::method_list()) text += entry(method.name, method.about);
  text += "\ncompositions\n";
  for (const auto& one : lattice::compositions()) text += entry(one.name, one.about);
  return text;
}

namespace {

/// Whether a text has these letters between two that no name has.
bool has_word(std::string_view text, std::string_view word) {
  const auto part_of_name = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_' || text[at] == '-');
  };
  for (std::size_t at = text.find(word); !word.empty() && at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !part_of_name(at - 1)) && !part_of_name(at + word.size())) return true;
  return false;
}

}  // namespace

std::string description(const std::string& name, const Statements& stated) {
  std::vector<std::string> names = study_names();
  for (const Study& study : study_list()) {
    if (study.name == name) {
      return fmt::format("{}: {}\n\nan example of a deck (--template {})\n\n{}", name, study.about, name,
                         study.example);
    }
  }
  std::string text;  // a surface and a set may share their name
  const auto look_through = [&](const auto& list, const auto& item_of) {
    for (const auto& entry : list) {
      const auto& item = item_of(entry);
      const std::string its = name_of(item);
      if (its == name) text += (text.empty() ? "" : "\n") + description(item);
      names.push_back(its);
    }
  };
  const auto pointed = [](const auto& pointer) -> const auto& {
    return *pointer;
  };
  const auto itself = [](const auto& kind) -> const auto& {
    return kind;
  };
  look_through(stated.problems, pointed);
  look_through(stated.potentials, pointed);
  look_through(stated.sets, itself);
  look_through(stated.fields, itself);
  look_through(stated.lattices, pointed);
  if (!text.empty()) return text;
  for (const auto& method : integrators::method_list()) {
    if (method.name == name) {
      return description(method);
    }
    names.push_back(method.name);
  }
  for (const auto& one : lattice::compositions()) {
    if (one.name == name)
      return fmt::format(
          "{}: {}\n\nfor study \"lattice\", where masses are constant\n\nin a deck\n  [method]\n"
          "  name = \"{}\"\n  step = 0.1\n",
          name, one.about, name);
    names.push_back(one.name);
  }
  // Methods that one study alone has stand in its template, as the value of a key or beside it.
  for (const auto& study : study_list()) {
    if (has_word(study.example, name))
      throw Error(
          fmt::format("'{0}' is no study, model, potential, set, field or method of its own, but a word of "
                      "study \"{1}\": cotangent --describe {1}",
                      name, study.name));
  }
  unknown_name("study, model, potential, set, field or method", name, names, "");
}

std::string formulas_as(Written how, const std::string& subject, const Statements& stated) {
  // Some fields have the name of a model.
  constexpr std::string_view of_field = "field:";
  const bool field_alone = subject.starts_with(of_field);
  const std::string name = field_alone ? subject.substr(of_field.size()) : subject;
  std::vector<std::string> names;
  if (!field_alone) {
    for (const auto& problem : stated.problems) {
      if (problem->name() == name)
        return how == Written::latex  ? latex_formulas(*problem)
               : how == Written::deck ? deck_of_formulas(*problem)
                                      : javascript_of(*problem);
      names.push_back(problem->name());
    }
  }
  if (how == Written::javascript) unknown_name("model", name, names, "");
  const auto written = [&](const auto& kind) {
    return how == Written::latex ? latex_formulas(kind) : deck_of_formulas(kind);
  };
  for (const auto& field : stated.fields) {
    if (field.name == name) return written(field);
    names.push_back(field.name);
  }
  if (field_alone) unknown_name("field", name, names, "");
  for (const auto& set : stated.sets) {
    if (set.name == name) return written(set);
    names.push_back(set.name);
  }
  for (const auto& model : stated.lattices) {
    if (model->name() == name) return written(*model);
    names.push_back(model->name());
  }
  if (how == Written::latex) {
    for (const auto& potential : stated.potentials) {
      if (potential->name() == name) return latex_formulas(*potential);
      names.push_back(potential->name());
    }
  }
  unknown_name(
      how == Written::latex ? "model, lattice, set, field or potential" : "model, lattice, set or field",
      name, names, "");
}

std::string model_of_deck(std::optional<Written> how, Task& task) {
  const io::Table root = task.deck.root();
  if (!root.has("model") || root.text("study", "") == "lattice")
    throw Error(task.deck_file + " has no model of trajectories: --describe takes its parts by their names");
  const ModelChoice choice = read_model(task);
  if (how == Written::latex) return latex_formulas(*choice.problem);
  if (how == Written::deck) return deck_of_formulas(*choice.problem);
  return choice.formula ? statement_of(*choice.problem) : description(*choice.problem);
}

const Study& study_named(std::string_view name) {
  const auto& studies = study_list();
  const auto found = std::ranges::find(studies, name, &Study::name);
  if (found == studies.end()) unknown_name("study", name, study_names(), "");
  return *found;
}

std::string version_text() {
  return fmt::format("cotangent {}\ncommit    {}\ncompiler  {}\nflags     {}\nMPI       {}\nHDF5      {}\n",
                     version, git_commit, compiler, compile_flags, parallel::library_version(),
                     io::hdf5_version());
}

}  // namespace cotangent::studies
