# SPDX-License-Identifier: BSD-3-Clause
"""The motion of a problem that a deck states, by other means than the program's: formulas become sympy's, the equations of
motion follow from Euler and Lagrange with multipliers of the twice differentiated constraints, and Gragg's midpoint rule,
extrapolated as Bulirsch and Stoer do, solves them for many orbits side by side: in long doubles, or to 30 digits by mpmath.
"""
import ast
import itertools

import mpmath
import numpy as np
import sympy
from sympy.printing.pycode import PythonCodePrinter


class Magnitude(sympy.Function):
    """|u| where u isn't 0."""

    def fdiff(self, argindex=1):
        return Sign(self.args[0])


class Sign(sympy.Function):
    def fdiff(self, argindex=1):
        return sympy.Integer(0)


def largest(*of):
    whole = of[0]
    for one in of[1:]:
        whole = (whole + one + Magnitude(whole - one)) / 2
    return whole


FUNCTIONS = {name: getattr(sympy, name)
             for name in "sqrt exp log sin cos tan asin acos atan sinh cosh tanh atan2".split()}
FUNCTIONS |= {"abs": Magnitude, "hypot": lambda a, b: sympy.sqrt(a**2 + b**2), "max": largest,
              "min": lambda *of: -largest(*(-one for one in of))}
OPERATORS = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
             ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a**b}


def parsed(text, names):
    """A deck's formula, in which each number is what a double holds of it."""
    def value(node):
        match node:
            case ast.Expression(body=body):
                return value(body)
            case ast.Constant(value=number):
                return sympy.Rational(float(number))
            case ast.Name(id=name):
                return names[name] if name in names else {"pi": sympy.pi}[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return OPERATORS[type(op)](value(left), value(right))
            case ast.Call(func=ast.Name(id=name), args=args):
                return FUNCTIONS[name](*map(value, args))
        raise ValueError(ast.dump(node))
    return value(ast.parse(text.replace("^", "**").replace("\n", " ").strip(), mode="eval"))


class Arithmetic:
    """Functions and numbers of one precision, for arrays of them."""

    def __init__(self, digits=None):
        self.digits = digits
        names = "sqrt exp log sin cos tan asin acos atan sinh cosh tanh atan2".split()
        if digits is None:
            numpys = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
            self.functions = {name: getattr(np, numpys.get(name, name)) for name in names}
            self.functions |= {"Magnitude": np.abs, "Sign": np.sign}
        else:
            mpmath.mp.dps = digits
            self.functions = {name: np.frompyfunc(getattr(mpmath, name), 2 if name == "atan2" else 1, 1) for name in names}
            self.functions |= {"Magnitude": np.frompyfunc(abs, 1, 1), "Sign": np.frompyfunc(mpmath.sign, 1, 1)}

    def number(self, above, below=1):
        if self.digits is None:
            return np.longdouble(int(above)) / np.longdouble(int(below))
        return mpmath.mpf(int(above)) / int(below)

    def pi(self):
        return np.longdouble("3.14159265358979323846264338327950288") if self.digits is None else +mpmath.pi

    def array(self, of):
        of = np.asarray(of)
        if self.digits is None:
            return of.astype(np.longdouble)
        return of if of.dtype == object else np.frompyfunc(lambda x: mpmath.mpf(float(x)), 1, 1)(of).astype(object)


class Printer(PythonCodePrinter):
    """Prints numbers as names, for which the arithmetic has values."""

    def __init__(self, arithmetic):
        super().__init__({"fully_qualified_modules": False, "allow_unknown_functions": True})
        self.arithmetic, self.held = arithmetic, {}

    def named(self, number):
        for name, value in self.held.items():
            if value == number:
                return name
        self.held[f"c{len(self.held)}"] = number
        return f"c{len(self.held) - 1}"

    def _print_Rational(self, expr):
        return self.named(self.arithmetic.number(expr.p, expr.q))

    def _print_Half(self, expr):
        return self._print_Rational(expr)

    def _print_Integer(self, expr):
        return self.named(self.arithmetic.number(expr.p))

    _print_One = _print_Zero = _print_NegativeOne = _print_Integer

    def _print_Pi(self, _):
        return self.named(self.arithmetic.pi())

    def _print_Exp1(self, _):
        return "exp(" + self.named(self.arithmetic.number(1)) + ")"

    def _print_Pow(self, expr, rational=False):
        base = f"({self._print(expr.base)})"
        if expr.exp == sympy.Rational(1, 2):
            return f"sqrt{base}"
        if expr.exp == sympy.Rational(-1, 2):
            return f"({self.named(self.arithmetic.number(1))}/sqrt{base})"
        if expr.exp.is_Integer and 0 < abs(expr.exp.p) <= 4:
            product = "(" + "*".join([base] * abs(expr.exp.p)) + ")"
            return product if expr.exp.p > 0 else f"({self.named(self.arithmetic.number(1))}/{product})"
        return f"({base}**({self._print(expr.exp)}))"

    def _print_Function(self, expr):
        return f"{type(expr).__name__}({', '.join(map(self._print, expr.args))})"

    _print_atan2 = _print_Function


def compiled(arguments, formulas, arithmetic):
    """A function of the arguments that returns the list of what the formulas are."""
    parts, whole = sympy.cse(formulas, symbols=(sympy.Symbol(f"part_{k}") for k in itertools.count()))
    printer = Printer(arithmetic)
    lines = [f"def of({', '.join(map(str, arguments))}):"]
    lines += [f"  {name} = {printer.doprint(part)}" for name, part in parts]
    lines += ["  return [" + ", ".join(printer.doprint(one) for one in whole) + "]"]
    room = {**arithmetic.functions, **printer.held}
    exec("\n".join(lines), room)  # of what was parsed above, nothing else
    return room["of"]


def eliminated(matrix, rights):
    """The solutions of a symmetric definite system, one for each right side; entries are arrays."""
    size = len(matrix)
    rows = [list(matrix[i]) + [right[i] for right in rights] for i in range(size)]
    for i in range(size):
        for j in range(i + 1, size):
            share = rows[j][i] / rows[i][i]
            rows[j] = [b - share * a for a, b in zip(rows[i], rows[j])]
    for i in reversed(range(size)):
        for k in range(size, size + len(rights)):
            rows[i][k] = (rows[i][k] - sum(rows[i][j] * rows[j][k] for j in range(i + 1, size))) / rows[i][i]
    return [[rows[i][size + k] for i in range(size)] for k in range(len(rights))]


class Motion:
    """Of a statement, a dictionary of what [model] says: rates of (q, v, work), and what is measured on the way.

    `plant` is for controls: "sign" turns the forces' own sign, "coefficient" raises L_q by a millionth.
    """

    def __init__(self, statement, arithmetic=None, plant=""):
        self.arithmetic = arithmetic or Arithmetic()
        names = list(statement["coordinates"])
        self.n = n = len(names)
        q = [sympy.Symbol(f"q{i}") for i in range(n)]
        v = [sympy.Symbol(f"v{i}") for i in range(n)]
        self.time, self.parameters = sympy.Symbol("t"), list(statement.get("parameters", {}))
        p = [sympy.Symbol(f"p{i}") for i in range(len(self.parameters))]
        self.q, self.v, self.arguments = q, v, [self.time, *q, *v, *p]
        known = dict(zip(names, q)) | {f"{name}_dot": one for name, one in zip(names, v)}
        known |= dict(zip(self.parameters, p)) | {"t": self.time}
        for name, text in statement.get("where", {}).items():
            known[name] = parsed(text, known)
        self.known = known
        lagrangian = parsed(statement["lagrangian"], known)
        push = statement.get("force", {})
        push = [parsed(push[name], known) if name in push else sympy.Integer(0) for name in names]
        friction = parsed(statement.get("dissipation", "0"), known)
        momenta = [lagrangian.diff(one) for one in v]
        known |= {f"p_{name}": one for name, one in zip(names, momenta)}
        outer = [one - friction.diff(rate) for one, rate in zip(push, v)]
        slopes = [lagrangian.diff(one) * {"": 1, "sign": -1, "coefficient": 1 + sympy.Rational(1, 10**6)}[plant] for one in q]
        force = [slope + one - momentum.diff(self.time) - sum(momentum.diff(place) * rate for place, rate in zip(q, v))
                 for slope, one, momentum in zip(slopes, outer, momenta)]
        mass = [momenta[i].diff(v[j]) for i in range(n) for j in range(n)]
        held = [parsed(text, known) for text in statement.get("constraint", [])]
        rolling = [parsed(text, known) for text in statement.get("rolling", [])]
        along = lambda formula: sum(formula.diff(place) * rate for place, rate in zip(q, v)) + formula.diff(self.time)
        ways = [along(g) for g in held] + rolling
        self.k = k = len(ways)
        gradients = [way.diff(rate) for way in ways for rate in v]
        rest = {rate: 0 for rate in v}
        energy = sum(momentum * rate for momentum, rate in zip(momenta, v)) - lagrangian
        power = sum(one * rate for one, rate in zip(outer, v)) - lagrangian.diff(self.time)
        self.of_rates = self.compiled([*mass, *force, *gradients, *(along(way) for way in ways),
                                       *(way.subs(rest) for way in ways), power])
        self.of_energy = self.compiled([energy])
        self.of_constraints = self.compiled([*held, *ways, *(g.diff(place) for g in held for place in q)])
        self.holonomic = len(held)
        kick = statement.get("kick")
        self.every = None
        if kick:
            self.every = self.arithmetic.array(kick["every"])[()]
            action = parsed(kick["potential"], known)
            self.of_kick = self.compiled([*mass, *(-action.diff(one) for one in q)])

    def compiled(self, formulas):
        return compiled(self.arguments, formulas, self.arithmetic)

    def watched(self, text):
        """A formula of the state and its rate of change, as functions of (t, state, parameters)."""
        formula = parsed(text, self.known)
        slopes = self.compiled([formula, *(formula.diff(one) for one in [self.time, *self.q, *self.v])])

        def value(t, state, parameters):
            return self.at(slopes, t, state, parameters)[0] + 0 * state[0]

        def rate(t, state, parameters):
            found = self.at(slopes, t, state, parameters)
            rates, _ = self.motion(t, state, parameters)
            return found[1] + sum(a * b for a, b in zip(found[2:], rates[:-1])) + 0 * state[0]
        return value, rate

    def gradient(self, text):
        """Of a formula of places alone."""
        formula = parsed(text, self.known)
        slopes = self.compiled([formula.diff(one) for one in self.q])
        return lambda state, parameters: self.at(slopes, self.arithmetic.number(0), state, parameters)

    def at(self, of, t, state, parameters):
        return of(t, *state[:2 * self.n], *parameters)

    def motion(self, t, state, parameters):
        """The rates of (q, v, work), and the multipliers."""
        n, k = self.n, self.k
        found = self.at(self.of_rates, t, state, parameters)
        mass, force, rest = found[:n * n], found[n * n:n * n + n], found[n * n + n:]
        gradients = [rest[n * i:n * i + n] for i in range(k)]
        bends, drives, power = rest[n * k:n * k + k], rest[n * k + k:n * k + 2 * k], rest[-1]
        free, *turned = eliminated([mass[n * i:n * i + n] for i in range(n)], [force, *gradients])
        multipliers = []
        if k:
            dot = lambda a, b: sum(x * y for x, y in zip(a, b))
            (multipliers,) = eliminated([[dot(g, w) for w in turned] for g in gradients],
                                        [[-bend - dot(g, free) for g, bend in zip(gradients, bends)]])
            free = [a + dot(multipliers, [w[i] for w in turned]) for i, a in enumerate(free)]
            power = power - dot(multipliers, drives)
        same = 0 * state[0]
        return np.array([*state[n:2 * n], *(a + same for a in free), power + same]), [one + same for one in multipliers]

    def energy(self, t, state, parameters):
        return self.at(self.of_energy, t, state, parameters)[0] + 0 * state[0]

    def off(self, t, state, parameters):
        """How far off its constraints a state is: in places, in velocities."""
        found = self.at(self.of_constraints, t, state, parameters)
        worst = lambda of: max((np.abs(one + 0 * state[0]).max() for one in of), default=0)
        return worst(found[:self.holonomic]), worst(found[self.holonomic:self.holonomic + self.k])

    def onto(self, state, parameters):
        """A state (of one orbit, (q, v, work)) moved onto its constraints at t = 0, along their gradients."""
        n, zero = self.n, self.arithmetic.number(0)
        for _ in range(30):
            found = self.at(self.of_constraints, zero, state, parameters)
            gradients = [found[self.holonomic + self.k + n * i:][:n] for i in range(self.holonomic)]
            if not gradients:
                break
            square = [[sum(a * b for a, b in zip(g, h)) for h in gradients] for g in gradients]
            (way,) = eliminated(square, [[one for one in found[:self.holonomic]]])
            state = state.copy()
            for i in range(n):
                state[i] = state[i] - sum(one * g[i] for one, g in zip(way, gradients))
        found = self.at(self.of_rates, zero, state, parameters)
        gradients = [found[n * n + n + n * i:][:n] for i in range(self.k)]
        off = self.at(self.of_constraints, zero, state, parameters)[self.holonomic:self.holonomic + self.k]
        if gradients:
            (way,) = eliminated([[sum(a * b for a, b in zip(g, h)) for h in gradients] for g in gradients], [off])
            state = state.copy()
            for i in range(n):
                state[n + i] = state[n + i] - sum(one * g[i] for one, g in zip(way, gradients))
        return state

    def kicked(self, state, parameters):
        """The state behind a kick."""
        n = self.n
        found = self.at(self.of_kick, self.arithmetic.number(0), state, parameters)
        (jump,) = eliminated([found[n * i:n * i + n] for i in range(n)], [found[n * n:]])
        return np.array([*state[:n], *(a + b for a, b in zip(state[n:2 * n], jump)), state[-1]])

    def step(self, t, state, length, parameters, columns=7):
        """One long step, by the midpoint rule in 2, 4, 6, ... short ones and extrapolation to none."""
        rates = lambda time, at: self.motion(time, at, parameters)[0]
        first, table = rates(t, state), []
        for j in range(1, columns + 1):
            short = length / (2 * j)
            before, now = 0 * state, short * first  # of what is added to the state
            for m in range(1, 2 * j):
                before, now = now, before + 2 * short * rates(t + m * short, state + now)
            row = [now]
            for i, left in enumerate(table):
                row.append(row[-1] + (row[-1] - left) / (self.arithmetic.number(j * j, (j - 1 - i)**2) - 1))
            table = row
        return state + table[-1]

    def flown(self, state, parameters, times, parts):
        """States at all times, the first of which is 0, (time, component, orbit); and its steps, (t, state, length)."""
        states, between, kicks = [state], [], 1
        for before, after in zip(times, times[1:]):
            t = before
            while t < after:
                kick = None if self.every is None else kicks * self.every
                end = after if kick is None or kick > after else kick
                length = (end - t) / parts
                for part in range(parts):
                    between.append((t + part * length, state, length))
                    state = self.step(t + part * length, state, length, parameters)
                t = end
                if kick is not None and end == kick and kick < times[-1]:
                    if kick == after:
                        raise ValueError("a sample lies at a kick")
                    state, kicks = self.kicked(state, parameters), kicks + 1
            states.append(state)
        return np.array(states), between


def growth(states, size):
    """How much what is added on the way has grown at each time, at most: from states of an orbit and of its 2 n neighbours."""
    base, others = states[:, :, 0], states[:, :, 1:]
    ways = ((others - base[:, :, None]) / size)[:, :others.shape[2]].astype(float)
    back = np.linalg.inv(ways)
    return np.array([max(np.linalg.norm(way @ one, 2) for one in back[:i + 1]) for i, way in enumerate(ways)])
