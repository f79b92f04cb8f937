# SPDX-License-Identifier: BSD-3-Clause
"""What a deck's head promises, as lines that a machine reads and holds against the result.

    # expect: QUANTITY [over QUANTITY] = VALUE [+- TOLERANCE [%]]
    # expect: QUANTITY [over QUANTITY] < VALUE
    # expect: QUANTITY [over QUANTITY] > VALUE
    # expect (full): ...

A promise with (full) is of the whole run alone; one without holds as well in the shortened form that the tests run. A value
without a tolerance is meant exactly. With `over` the first quantity is divided by the second. A tolerance in % is a part of
the value.

QUANTITY = /path/of/a/data/set {formula} [selection] [finite] reduction
  formula     {x*y_dot - y*x_dot}: of the columns by their names (attribute `columns`), with + - * / **, brackets, numbers,
              sqrt, sin, cos and abs. It takes the place of the last axis.
  selection   [0,-1,z] or [:,0]: one entry for each axis from the first on, an index, a range a:b, or the name of a column
              (attribute `columns`) on the last axis. Axes left out are taken whole.
  finite      the word leaves out what isn't finite: rows of starts that weren't feasible, places that nothing filled.
  reduction   max, min, mean, median, sum, rms, largest (of the absolute values), first, last; count (how many numbers);
              count NAME (how many have this name, of a data set with the attribute `names`); drift (the largest
              |x - x_0| along the last axis that is left, x_0 its first entry); rise (the largest difference of one entry
              from that before it, along the same axis). None where a single number is left.

Numbers that aren't finite fail. So does a line that begins with "expect" and a colon, in
whatever case, and isn't of this form: prose has no colon there.
"""
import ast
import dataclasses
import re

import h5py
import numpy as np

LINE = re.compile(r"^\s*#\s*(expect)\s*(\([^)]*\))?\s*:(.*)$", re.IGNORECASE)
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
QUANTITY = r"(/[A-Za-z0-9_/]+)\s*(\{[^}]*\})?\s*(\[[^\]]*\])?\s*(finite\b)?\s*((?:count\s+[a-z_]+)|[a-z]+)?"
PROMISE = re.compile(rf"^\s*{QUANTITY}(?:\s+over\s+{QUANTITY})?\s*([=<>])\s*({NUMBER})(?:\s*\+-\s*({NUMBER})\s*(%)?)?\s*$")
REDUCTIONS = {"max": np.max, "min": np.min, "mean": np.mean, "median": np.median, "sum": np.sum,
              "rms": lambda x: np.sqrt(np.mean(np.square(x))), "largest": lambda x: np.max(np.abs(x)),
              "first": lambda x: x.flat[0], "last": lambda x: x.flat[-1], "count": np.size,
              "drift": lambda x: np.max(np.abs(x - x[..., :1])), "rise": lambda x: np.max(np.diff(x))}


FUNCTIONS = {"sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "abs": np.abs}
OPERATORS = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.power}


class Unreadable(ValueError):
    """A line that isn't of the form above, or doesn't fit the result."""


def names_of(item, which):
    return [name.decode() if isinstance(name, bytes) else name for name in item.attrs.get(which, [])]


def formula_value(node, columns):
    """The value of a formula's syntax tree, of nothing but what the head of this file allows."""
    match node:
        case ast.Expression(body=body):
            return formula_value(body, columns)
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name) if name in columns:
            return columns[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -formula_value(operand, columns)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](formula_value(left, columns), formula_value(right, columns))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](formula_value(argument, columns))
    raise Unreadable(f"'{ast.unparse(node)}' can't stand in a formula of {', '.join(columns)}")


@dataclasses.dataclass
class Quantity:
    path: str
    formula: str | None
    selection: str | None
    finite: bool
    reduction: str | None

    def value(self, file):
        if not isinstance(file.get(self.path), h5py.Dataset):
            raise Unreadable(f"no data set {self.path}")
        item = file[self.path]
        numbers = np.asarray(item[()])
        if numbers.dtype.kind not in "fiub":
            raise Unreadable(f"{self.path} holds no numbers")
        if self.formula:
            columns = names_of(item, "columns")
            if not columns or len(columns) != numbers.shape[-1]:
                raise Unreadable(f"{self.path} has no columns")
            numbers = numbers.astype(float)
            numbers = formula_value(ast.parse(self.formula[1:-1].strip(), mode="eval"),
                                    {name: numbers[..., column] for column, name in enumerate(columns)})
        if self.selection:
            numbers = numbers[self.indices(item, numbers.shape)]
        if self.reduction and self.reduction.startswith("count "):
            names = names_of(item, "names")
            name = self.reduction.split()[1]
            if name not in names:
                raise Unreadable(f"{self.path} has no name '{name}', but {', '.join(names)}")
            return int(np.sum(numbers == names.index(name)))
        if self.finite:
            numbers = numbers[np.isfinite(numbers)]
        if numbers.size == 0:
            raise Unreadable(f"{self.path} is empty")
        if self.reduction:
            return float(REDUCTIONS[self.reduction](np.atleast_1d(numbers.astype(float))))
        if numbers.size > 1:
            raise Unreadable(f"{self.path} has {numbers.size} numbers there: say which, or a reduction")
        return float(numbers.reshape(()))

    def indices(self, item, shape):
        found = []
        parts = [part.strip() for part in self.selection[1:-1].split(",")]
        if len(parts) > len(shape):
            raise Unreadable(f"{self.path} has {len(shape)} axes")
        for axis, part in enumerate(parts):
            if re.fullmatch(r"-?\d+", part):
                found.append(int(part))
                if not -shape[axis] <= found[-1] < shape[axis]:
                    raise Unreadable(f"{self.path} has {shape[axis]} entries along axis {axis}")
            elif re.fullmatch(r"(-?\d+)?:(-?\d+)?", part):
                found.append(slice(*(int(end) if end else None for end in part.split(":"))))
            else:
                columns = names_of(item, "columns")
                if self.formula or axis != len(shape) - 1 or part not in columns:
                    raise Unreadable(f"{self.path} has no column '{part}', but {', '.join(columns) or 'none'}")
                found.append(columns.index(part))
        return tuple(found)


@dataclasses.dataclass
class Expectation:
    text: str
    full: bool
    quantity: Quantity
    over: Quantity | None
    relation: str
    value: float
    tolerance: float

    def found(self, file):
        """The number that the result has."""
        number = self.quantity.value(file)
        if self.over is None:
            return number
        below = self.over.value(file)
        if below == 0:
            raise Unreadable("the quantity divided by is 0")
        return number / below

    def holds(self, number):
        if not np.isfinite(number):
            return False
        if self.relation == "=":
            return abs(number - self.value) <= self.tolerance
        return number < self.value if self.relation == "<" else number > self.value


def quantity(path, formula, selection, finite, reduction):
    reduction = reduction and " ".join(reduction.split())
    if reduction and reduction.split()[0] not in REDUCTIONS:
        raise Unreadable(f"no reduction '{reduction}'; there are {', '.join(REDUCTIONS)}")
    if formula:
        try:
            ast.parse(formula[1:-1].strip(), mode="eval")
        except SyntaxError:
            raise Unreadable(f"{formula} is no formula") from None
    return Quantity(path, formula, selection, bool(finite), reduction)


def expectation(kind, text):
    """A line's promise; `kind` is what stands in brackets before the colon, if anything does."""
    if kind not in (None, "(full)"):
        raise Unreadable(f"'{kind}' before the colon: only (full) may stand there")
    match = PROMISE.match(text)
    if not match:
        raise Unreadable(f"not of the form 'QUANTITY = VALUE +- TOLERANCE': {text.strip()}")
    relation, value, tolerance, percent = match.group(11, 12, 13, 14)
    if relation != "=" and tolerance is not None:
        raise Unreadable(f"'{relation}' takes no tolerance: {text.strip()}")
    tolerance = float(tolerance or 0.0) * (abs(float(value)) / 100 if percent else 1.0)
    if tolerance < 0:
        raise Unreadable(f"the tolerance is negative: {text.strip()}")
    over = quantity(*match.group(6, 7, 8, 9, 10)) if match.group(6) else None
    return Expectation(" ".join(text.split()), kind is not None, quantity(*match.group(1, 2, 3, 4, 5)), over, relation,
                       float(value), tolerance)


def expectations(text):
    """All promises of a deck's text; Unreadable with its line's number where one is not of the form."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = LINE.match(line)
        if not match:
            continue
        try:
            if match.group(1) != "expect":
                raise Unreadable(f"'{match.group(1)}' with a colon: prose has none there, a promise begins with 'expect'")
            found.append(expectation(match.group(2), match.group(3)))
        except Unreadable as error:
            raise Unreadable(f"line {number}: {error}") from None
    return found


def judged(text, result, full):
    """For each promise that binds this run, whether it holds and a line that says what was found."""
    rows = []
    with h5py.File(result, "r") as file:
        for promise in expectations(text):
            if promise.full and not full:
                continue
            try:
                number = promise.found(file)
            except Unreadable as error:
                rows.append((False, f"{promise.text}: {error}"))
            else:
                rows.append((promise.holds(number), f"{promise.text}: found {number:.10g}"))
    return rows
