// SPDX-License-Identifier: BSD-3-Clause
// What a deck's `[method]` may say, and how a method declares what of it is its own: in its file, as
//   static constexpr std::array options{option::stages(1, 16, "nodes in a step"), option::step};
// From that list the deck is read, an option of another method or out of its range refused, and `--describe`,
// the labels of a comparison and the summary told. A new option is a field of MethodOptions and a constant
// below.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cotangent::integrators {

class MultiplierSolver;

/// What the user chose: `[method]` of the deck. A field's initial value is its default.
struct MethodOptions {
  std::string name = "gauss";
  int stages = 8;
  double step = 0.0;                         ///< fixed, or the first of an adaptive run
  std::optional<double> tolerance;           ///< adaptive where given
  std::string treatment = "E";               ///< of the initial rows, where the method has a choice
  std::string projection = "none";           ///< of each step, where the method has it
  std::string onto;                          ///< what is projected onto
  double constraint_tolerance = 1e-14;       ///< how far off its manifold a step may end
  std::string multipliers = "lanes";         ///< who solves for them
  std::shared_ptr<MultiplierSolver> solver;  ///< of the multipliers of all lanes; none: each lane by itself
};

/// The first step of an adaptive run that names none.
inline constexpr double default_first_step = 0.01;

/// An option of `[method]`: the field that it fills. Real numbers are positive, whole ones from `least` to
/// `most`; a text is one of the choices.
struct Option {
  using Field = std::variant<int MethodOptions::*, double MethodOptions::*,
                             std::optional<double> MethodOptions::*, std::string MethodOptions::*>;
  std::string_view name;
  Field field;
  std::string_view meaning, unit;
  std::array<std::string_view, 4> choices{};  ///< of a text; unused places are empty
  std::string_view table = "method";          ///< where a deck has it
  int least = 1, most = 0;                    ///< of a whole number

  bool operator==(const Option& other) const { return name == other.name; }
  /// The choices there are.
  std::vector<std::string> valid() const {
    std::vector<std::string> texts;
    for (const auto choice : choices) {
      if (!choice.empty()) texts.emplace_back(choice);
    }
    return texts;
  }
};

namespace option {

/// Of a method that takes `least` to `most` of what it says stages are.
constexpr Option stages(int least, int most, std::string_view meaning) {
  return {"stages", &MethodOptions::stages, meaning, "1", {}, "method", least, most};
}
inline constexpr Option step{"step", &MethodOptions::step, "length of a step; of the first where steps adapt",
                             "the model's time"};
inline constexpr Option tolerance{
    "tolerance", &MethodOptions::tolerance,
    "error allowed in a step, relative to velocities of 1e-3 or more; where it is "
    "given, steps adapt to it",
    "1"};
inline constexpr Option treatment{"treatment",
                                  &MethodOptions::treatment,
                                  "which equations give way to the initial values",
                                  "1",
                                  {"A", "C", "E"}};
inline constexpr Option constraint_tolerance{"constraint_tolerance", &MethodOptions::constraint_tolerance,
                                             "how far off its manifold a step may end, |g| / |grad g|",
                                             "a length"};

inline constexpr Option multipliers{
    "multipliers",
    &MethodOptions::multipliers,
    "who solves for the constraints' multipliers: each lane for itself, or PETSc (SNES, KSP) for all at "
    "once, its options after -- beginning with -multipliers_",
    "1",
    {"lanes", "petsc"},
    "solver"};

inline constexpr Option projection{
    "projection",
    &MethodOptions::projection,
    "of each step onto what should be conserved: symmetric suits symmetric methods",
    "1",
    {"none", "standard", "symmetric"}};
inline constexpr Option onto{
    "onto",
    &MethodOptions::onto,
    "what is projected onto: the constraints' manifold (where there is one), the energy of "
    "the start, or both",
    "1",
    {"manifold", "energy", "both"}};

}  // namespace option

/// Whether a one-step formula can be projected.
template <class Formula>
inline constexpr bool can_be_projected = [] {
  if constexpr (requires { Formula::projects; }) return Formula::projects;
  return false;
}();

/// The options of a one-step formula: those that it declares, else its step, and a tolerance if it adapts.
template <class Formula>
constexpr auto options_of() {
  if constexpr (requires { Formula::options; }) {
    return Formula::options;
  } else if constexpr (Formula::adaptive) {
    return std::array{option::step, option::tolerance};
  } else if constexpr (can_be_projected<Formula>) {
    return std::array{option::step, option::projection, option::onto};
  } else {
    return std::array{option::step};
  }
}

}  // namespace cotangent::integrators
