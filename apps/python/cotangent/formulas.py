# SPDX-License-Identifier: BSD-3-Clause
"""Formulas: from SymPy to decks, and back.

A deck calls the velocity of ``x`` ``x_dot``. From SymPy come symbols of these names, or functions of time and their
derivatives, as `sympy.physics.mechanics.dynamicsymbols` makes them.
"""
from __future__ import annotations

import ast
import keyword
import re
from typing import Any

NAMES_TO_DECK = {"Abs": "abs", "Min": "min", "Max": "max", "ln": "log"}
KNOWN = {"sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "abs", "atan2", "hypot",
         "min", "max"}


def is_formula(value: Any) -> bool:
    """Whether it is an expression of SymPy that isn't a number; SymPy isn't imported for it."""
    return any(kind.__module__.startswith("sympy.") for kind in type(value).__mro__)


def text_of(expression: Any) -> str:
    """A SymPy expression in the language of decks.

    Raises:
        TypeError: it holds what a deck has no word for: its message names it.
    """
    import sympy
    from sympy.printing.str import StrPrinter

    class DeckPrinter(StrPrinter):
        """Prints ^ for powers, x_dot for the derivative of x(t), and names for functions of time."""

        def _print_Pow(self, power, rational=False):
            if power.exp == sympy.Rational(1, 2):
                return f"sqrt({self._print(power.base)})"
            if power.exp == -sympy.Rational(1, 2):
                return f"1/sqrt({self._print(power.base)})"
            return super()._print_Pow(power, rational=False).replace("**", "^")

        def _print_Derivative(self, derivative):
            if len(derivative.variables) == 1 and isinstance(derivative.expr, sympy.core.function.AppliedUndef):
                return f"{derivative.expr.func.__name__}_dot"
            raise TypeError(f"a deck knows coordinates and velocities alone: {derivative} is neither")

        def _print_Function(self, function):
            name = function.func.__name__
            if isinstance(function, sympy.core.function.AppliedUndef):
                if len(function.args) == 1 and isinstance(function.args[0], sympy.Symbol):
                    return name
                raise TypeError(f"{function} is a function that no deck knows")
            name = NAMES_TO_DECK.get(name, name)
            if name not in KNOWN:
                raise TypeError(f"no deck knows the function {name}; what it knows: {', '.join(sorted(KNOWN))}")
            return f"{name}({', '.join(self._print(argument) for argument in function.args)})"

        _print_Abs = _print_Min = _print_Max = _print_Function

        def _print_Exp1(self, _):
            return "exp(1)"

        def _print_Float(self, number):
            return repr(float(number))

        def emptyPrinter(self, expression):
            raise TypeError(f"no deck knows {type(expression).__name__}: {expression}")

        _print_Piecewise = _print_Integral = _print_Sum = _print_Relational = emptyPrinter
        _print_ImaginaryUnit = _print_Infinity = _print_NegativeInfinity = _print_ComplexInfinity = _print_NaN = emptyPrinter

    return DeckPrinter().doprint(sympy.sympify(expression)).replace("**", "^")


def expression_of(text: str, parts: dict[str, str] | None = None) -> Any:
    """A formula of a deck as a SymPy expression, exact: its decimals are fractions. Its names are real symbols.

    Args:
        text: the formula.
        parts: formulas of names that stand in it, each of what stands before it; they are put in their places.
    """
    import sympy
    functions = {"abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max, "hypot": lambda a, b: sympy.sqrt(a ** 2 + b ** 2)}
    known: dict[str, Any] = {"pi": sympy.pi}

    def value(node: ast.AST) -> Any:
        if isinstance(node, ast.BinOp):
            a, b = value(node.left), value(node.right)
            return {ast.Add: lambda: a + b, ast.Sub: lambda: a - b, ast.Mult: lambda: a * b, ast.Div: lambda: a / b,
                    ast.Pow: lambda: a ** b}[type(node.op)]()
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand) if isinstance(node.op, ast.USub) else value(node.operand)
        if isinstance(node, ast.Call):
            name = node.func.id
            return functions.get(name, getattr(sympy, name, None))(*map(value, node.args))
        if isinstance(node, ast.Constant):
            return sympy.Rational(repr(node.value))
        name = node.id[:-1] if node.id.endswith("_") and keyword.iskeyword(node.id[:-1]) else node.id
        return known.get(name, sympy.Symbol(name, real=True))

    def read(formula: str) -> Any:
        python = re.sub(r"[A-Za-z_]\w*", lambda m: m[0] + "_" if keyword.iskeyword(m[0]) else m[0], formula)
        return value(ast.parse(" ".join(python.replace("^", "**").split()), mode="eval").body)

    for name, formula in (parts or {}).items():
        known[name] = read(formula)
    return read(text)
