#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the compiler says first of the mistakes that are usually made in a model of one's own: what is wrong, in plain
words, or the place of it in the user's own lines. Compiled as apps/own_problem is, and no further than the first error.
usage: test_usual_mistakes.py FOLDER_OF_THE_BUILD"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
FULL = os.environ.get("COTANGENT_TESTS") == "full"  # else every third mistake, and of what is right the largest

MODEL = """#include "studies/program/program.hpp"
using namespace cotangent;
using mechanics::Coordinate, mechanics::Parameter;

struct Mine {
  static constexpr std::string_view name = "mine";
  static constexpr std::string_view about = "Two masses between walls";
  static constexpr int dim = 2;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<Parameter, 1> parameters{{{"k", 0.5, "stiffness"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    const auto [x, y] = q;
    const auto [x_dot, y_dot] = v;
    const auto [k] = p;
    return 0.5 * (pow(x_dot, 2) + pow(y_dot, 2)) - k * pow(x - y, 4) - 0.5 * pow(x, 2);
  }
  // more
};

auto stated() { return studies::own<Mine>(); }
"""


def more(text):
    return {"  // more": f"  {text}"}


def without(member):
    return {next(line for line in MODEL.splitlines(keepends=True) if f" {member} = " in line or f" {member}{{" in line): ""}


# The replacements that make a mistake of MODEL, and the first error, of which this much must be said.
MISTAKES = {
    "no name": (without("name"), r"a model has a name: static constexpr std::string_view name = "),
    "no about": (without("about"), r"a model says what it is: static constexpr std::string_view about = "),
    "no dim": (without("dim") | {"Coordinate, dim>": "Coordinate, 2>"}, r"a model counts its coordinates: static constexpr int dim"),
    "no parameters": (without("parameters"), r"a model's parameters are a static constexpr std::array<Parameter, N>"),
    "no coordinates": (without("coordinates"), r"a struct with dim and without coordinates is .* a model has coordinates"),
    "neither dim nor coordinates": (without("dim") | without("coordinates"),
                                    r"a struct without dim and coordinates is a pair potential.* a model has both"),
    "more coordinates than dim": ({"Coordinate, dim>": "Coordinate, 3>", '{"y"}}': '{"y"}, {"z"}}'},
                                  r"a model's coordinates are a static constexpr std::array<Coordinate, dim>, one for each"),
    "fewer coordinates than dim": ({', {"y"}}': "}"}, r"each of a model's dim coordinates has a name of its own"),
    "a coordinate twice": ({'{"y"}': '{"x"}'}, r"each of a model's dim coordinates has a name of its own"),
    "parameters that are numbers": ({"std::array<Parameter, 1> parameters{{{": "std::array<double, 1> parameters{0.5}; // {{{"},
                                    r"a model's parameters are a static constexpr std::array<Parameter, N> of \{name, default"),
    "a call operator that isn't const": ({"const auto& p) const {": "const auto& p) {"}, r"a model's call operator is const"),
    "a call operator of one argument": ({"const auto& q, const auto& v, const auto& p": "const auto& q",
                                         "= v;": "= q;", "const auto [k] = p;": "const double k = 0.5;"},
                                        r"a model's call operator takes \(q, v\), \(q, v, p\) or \(q, v, p, t\)"),
    "a call operator that returns nothing": ({"return 0.5": "0.5"},
                                             r"a model's call operator returns the Lagrangian, one number"),
    "a call operator that returns a comparison": ({"- 0.5 * pow(x, 2)": "> 0.5 * pow(x, 2)"},
                                                  r"a model's call operator returns the Lagrangian, one number"),
    "more names than coordinates": ({"auto [x, y] = q": "auto [x, y, z] = q"},
                                    r"mine.cpp.* 3 names provided for structured binding"),
    "a function of std": ({"pow(x - y, 4)": "std::sin(x - y)"}, r"mine.cpp.* no matching function for call to .sin\("),
    "a constraint that compares": (more("auto constraint(const auto& q, const auto&) const { const auto [x, y] = q; return x * y == 1.0; }"),
                                   r"a model's constraint returns g, which is 0 on the manifold: a number"),
    "a force without parameters": (more("auto force(const auto& q, const auto& v) const { return -1.0 * v[0]; }"),
                                   r"a model's force takes \(q, v, p\) or \(q, v, p, t\)"),
    "a force of one component of two": (more("auto force(const auto&, const auto&, const auto&) const { return 1.0; }"),
                                        r"a model's force has dim components"),
    "a dissipation without coordinates": (more("auto dissipation(const auto& v) const { return v[0] * v[0]; }"),
                                          r"a model's dissipation takes \(q, v, p\) or \(q, v, p, t\)"),
    "a constraint without parameters": (more("auto constraint(const auto& q) const { return q[0]; }"),
                                        r"a model's constraint takes \(q, p\)"),
    "rolling without parameters": (more("auto rolling(const auto&, const auto& v) const { return v[0]; }"),
                                   r"a model's rolling takes \(q, v, p\)"),
    "a domain without parameters": (more("auto domain(const auto& q) const { return q[0]; }"), r"a model's domain takes \(q, p\)"),
    "a domain that compares": (more("auto domain(const auto& q, const auto&) const { return q[0] > 0; }"),
                               r"a model's domain returns a number, positive inside"),
    "an objection to other parameters": (
        more("static std::optional<std::string> objection(const std::array<double, 2>&) { return {}; }"),
        r"a model's objection is static std::optional<std::string> objection"),
}
RIGHT = {
    "as it stands": {},
    "with all that it may have": more("""
  auto constraint(const auto& q, const auto&) const {
    const auto [x, y] = q;
    return std::tuple(x * x + y * y - 1.0);
  }
  auto rolling(const auto& q, const auto& v, const auto&) const {
    const auto [x, y] = q;
    const auto [x_dot, y_dot] = v;
    return x * y_dot;
  }
  auto force(const auto&, const auto& v, const auto&, const auto& t) const {
    const auto [x_dot, y_dot] = v;
    return std::tuple(-1.0 * x_dot, 0.1 * t);
  }
  auto dissipation(const auto&, const auto& v, const auto&) const {
    const auto [x_dot, y_dot] = v;
    return x_dot * x_dot;
  }
  auto domain(const auto& q, const auto& p) const { return p[0] - q[0]; }
  static std::optional<std::string> objection(const std::array<double, 1>&) { return std::nullopt; }"""),
}


def changed(replacements):
    text = MODEL
    for old, new in replacements.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def command():
    """That of a program of one's own, without its source and its object."""
    commands = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    words = shlex.split(next(one["command"] for one in commands if one["file"].endswith("own_problem/swinging_atwood.cpp")))
    words = words[next(k for k, word in enumerate(words) if re.search(r"(\+\+|clang)[^/]*$", word)):]  # after a launcher
    end = words.index("-o")
    return [word for word in words[:end] + words[end + 2:] if word != "-c" and not word.endswith("swinging_atwood.cpp")]


class UsualMistakes(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="cotangent_mistakes_")
        cls.addClassCleanup(folder.cleanup)
        cls.at = pathlib.Path(folder.name)
        # What all have in common is read once.
        header = cls.at / "common.hpp"
        header.write_text('#include "studies/program/program.hpp"\n', encoding="utf-8")
        subprocess.run([*command(), "-x", "c++-header", header, "-o", f"{header}.gch"], check=True, cwd=BUILD)

    def first_error(self, text):
        source = self.at / "mine.cpp"
        source.write_text(text, encoding="utf-8")
        end = subprocess.run([*command(), "-include", self.at / "common.hpp", "-fsyntax-only", "-fmax-errors=1", source],
                             cwd=BUILD, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
        found = re.search(r"^.*?([^/]*: error: .*)$", end.stderr, re.MULTILINE)
        self.assertEqual(end.returncode == 0, found is None, end.stderr)
        return found and found[1]

    def test_the_first_error_says_what_is_wrong(self):
        for name, (replacements, says) in list(MISTAKES.items())[::1 if FULL else 3]:
            with self.subTest(name):
                error = self.first_error(changed(replacements))
                print(f"{name}: {error}")
                self.assertRegex(error or "it compiles", says)

    def test_what_is_right_compiles(self):
        for name, replacements in list(RIGHT.items())[0 if FULL else 1:]:
            with self.subTest(name):
                self.assertIsNone(self.first_error(changed(replacements)))


if __name__ == "__main__":
    unittest.main()
