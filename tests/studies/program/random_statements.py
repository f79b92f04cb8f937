# SPDX-License-Identifier: BSD-3-Clause
"""Problems at random, by families, each with methods that take it, and decks that state them by formulas (random_problems.py)."""
import dataclasses
import random
import re

# Methods by the motion that they take, each with its order, 0 where that depends on its stages.
FREE = {"gauss": 0, "chebyshev-lobatto": 0, "lobatto": 0, "dormand-prince-853": 8, "rk4": 4, "implicit-midpoint": 2,
        "trapezoidal": 2,
        "stormer-verlet": 2, "symplectic-euler": 1, "implicit-euler": 1, "explicit-euler": 1}
REDUCED = {"lobatto-spark": 0, "chebyshev-lobatto": 0, "lobatto": 0, "reduced-gauss": 0, "reduced-midpoint": 2,
           "trapezoidal": 2, "dormand-prince-853": 8, "rk4": 4, "explicit-euler": 1}
# The variational integrator's velocities are of order 1, its places of order 2.
RATTLE = {"rattle": 2, "rattle-suzuki-4": 4, "rattle-yoshida-4": 4, "rattle-yoshida-6": 6, "rattle-kahan-li-6": 6,
          "lobatto-pair-4": 4, "lobatto-pair-6": 6, "shake": 2, "shake-two-step": 2, "variational": 1,
          "constrained-symplectic-euler": 1, "symplectic-euler": 1}
# Those that come to round-off, with numbers of stages that do.
CLOSE = {"gauss": (8,), "lobatto-spark": (8,), "reduced-gauss": (8,), "chebyshev-lobatto": (12, 14, 16), "lobatto": (12, 14, 16),
         "dormand-prince-853": ()}


@dataclasses.dataclass
class Problem:
    family: str
    statement: dict  # as [model] has it, parameters by their numbers, in the first combination
    starts: list
    time: float
    every: float
    close: str
    stages: int
    other: str
    order: int
    other_words: tuple
    section: dict
    project: bool = False
    angles: tuple = ()
    units: dict = dataclasses.field(default_factory=dict)
    swept: tuple = ()  # a parameter and its second value
    domain: str = ""
    exits: dict = dataclasses.field(default_factory=dict)
    step: float = 0.1
    tolerance: float = 0.0  # where steps adapt


# Smooth for all real a and b that orbits come to, of size and slope 1 or so.
PIECES = ("sin({a} + {c}*{b})", "cos({c}*{a} - {b})", "exp(-({a}^2 + {b}^2)/2)", "log(2 + {a}^2)*{c}", "sqrt(1 + {a}^2 + {c}*{b}^2)",
          "atan2({a}, 3 + {b}^2)", "atan({a}*{b})", "tanh({a} + {c}*{b})", "1/(2 + cos({a}))", "({a}^2 + 1.5)^0.75", "{c}*{a}*{b}",
          "(1.5 + sin({a}))^cos({b})", "abs({a} + 50)^0.5*{c}", "min({a}, 60)*{c}", "max({c}*{b}, -70, {b} - 300)",
          "hypot({a}, 1 + {b}^2)*{c}", "asin(0.4*sin({a}))", "acos(0.3*cos({a} + {b}))", "1/cosh({a})", "sinh(0.3*{a})/cosh({b})",
          "tan(0.4*sin({a}))", "(2 + {a}^2)^-1", "2^sin({b})", "exp(sin({a})*cos({b}))", "{a}*{b}/(1 + {a}^2 + {b}^2)",
          "max(sin({a}) + 3, cos({b}))", "-{a}^2*{c}/(1 + {b}^2)", "abs(-2 - cos({a}))^1.5", "atan2(2 + sin({b}), {a})",
          "{c}*{a}^3/(4 + {a}^2)", "log(3 + sin({a})*{b}/(1 + {b}^2))", "-(1 + {a}^2)^-0.5", "min(cos({a}), 2 + {b}^2)")


class Maker:
    """Problems, each from a seed of its own."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.parameters, self.where = {}, {}

    def number(self, low=0.3, high=1.2):
        value = round(self.chance.uniform(low, high), 3)
        if self.chance.random() < 0.5:
            return f"{value}"
        self.parameters[f"k{len(self.parameters)}"] = value
        return f"k{len(self.parameters) - 1}"

    def piece(self, names):
        a, b = (self.chance.choice(names) for _ in range(2))
        text = self.chance.choice(PIECES).format(a=a, b=b, c=self.number())
        if self.chance.random() < 0.15:
            self.where[f"part{len(self.where)}"] = text
            return f"part{len(self.where) - 1}"
        return text

    def sum(self, names, count, low=0.2, high=0.8):
        return " + ".join(f"{self.number(low, high)}*({self.piece(names)})" for _ in range(count))

    def positive(self, names):
        return self.chance.choice(("1 + 0.3*sin({a})", "1/(1 + 0.2*{a}^2)", "1.2 + 0.4*tanh({a}*{b})", "sqrt(1 + 0.3*{a}^2)",
                                   "exp(0.3*cos({b}))", "1 + {c}*exp(-{a}^2)")).format(
            a=self.chance.choice(names), b=self.chance.choice(names), c=self.number())

    def kinetic(self, names, kind=""):
        kind = kind or self.chance.choice(("constant", "moving"))
        rates = [f"{name}_dot" for name in names]
        if kind == "constant":
            return " + ".join(f"{self.number(0.6, 1.6)}*{rate}^2/2" for rate in rates)
        if kind == "coupled":
            return " + ".join([f"{self.number(0.8, 1.6)}*{rate}^2/2" for rate in rates]
                              + [f"0.{self.chance.randrange(1, 3)}*{a}*{b}" for a, b in zip(rates, rates[1:])])
        terms = []
        for rate in rates:
            share = self.chance.choice(["0.3", f"0.2*sin({self.chance.choice(names)})"])
            mixed = f"{rate} + {share}*{self.chance.choice(rates)}"
            terms.append(f"({self.positive(names)})*({mixed})^2/2")
        return " + ".join(terms)

    def potential(self, names, count=None):
        hold = " + ".join(f"{self.number(0.5, 1.5)}*{name}^2/2" for name in names)
        return f"{hold} + {self.sum(names, count or self.chance.randint(1, 3))}"

    def magnetic(self, names):
        terms = [f"({self.sum(names, 1)})*{name}_dot" for name in names if self.chance.random() < 0.8]
        return " + ".join(terms) or f"{names[0]}*{names[-1]}_dot"

    def states(self, n, count=2, size=0.6):
        return [[round(self.chance.uniform(-size, size), 3) for _ in range(2 * n)] for _ in range(count)]

    def section(self, names, angles, momenta=True):
        chance, name = self.chance, self.chance.choice(names)
        kinds = ["coordinate", "coordinate", "rate", "function", "time"] + ["momentum"] * momenta
        kind = chance.choice(kinds)
        if kind == "time":
            return {"where": "t", "value": round(chance.uniform(-0.2, 0.3), 3), "every": round(chance.uniform(0.3, 0.7), 3)}
        where = {"coordinate": name, "rate": f"{name}_dot", "momentum": f"p_{name}",
                 "function": f"{name}*cos({chance.choice(names)}) - 0.2*{chance.choice(names)}_dot"}[kind]
        section = {"where": where, "value": round(chance.uniform(-0.2, 0.2), 3),
                   "direction": chance.choice(("up", "down", "both"))}
        if chance.random() < 0.3:
            section["condition"] = f"{chance.choice(names)}_dot > {chance.uniform(-0.3, 0.1):.3f}"
        return section

    def methods(self, known, close):
        """A close method with its stages, another one with its order and words."""
        chance = self.chance
        name = chance.choice(close)
        stages = chance.choice(CLOSE[name] or (0,))
        other = chance.choice(list(known))
        order, words = known[other], ()
        if order == 0:
            s = chance.randint(3 if other == "lobatto-spark" else 2, 4)
            words = (f"method.stages={s}",)
            if "lobatto" in other and other != "lobatto-spark":
                treatment = chance.choice("EAC")
                words += (f'method.treatment="{treatment}"',)
                order = s - s % 2 if treatment == "E" else s
            else:
                order = 2 * s - 2 if other == "lobatto-spark" else 2 * s
        return dict(close=name, stages=stages, other=other, order=order, other_words=words)

    def problem(self, family):
        made = getattr(self, family.replace(" ", "_"))()
        statement = {"coordinates": made.pop("coordinates"), "parameters": self.parameters, "where": self.where,
                     "lagrangian": made.pop("lagrangian")}
        for key in ("constraint", "rolling", "force", "dissipation", "kick"):
            if key in made:
                statement[key] = made.pop(key)
        said = str([{key: one for key, one in statement.items() if key != "parameters"}, made])
        self.parameters = {name: value for name, value in self.parameters.items() if re.search(rf"\b{name}\b", said)}
        statement["parameters"] = self.parameters
        time = round(self.chance.uniform(1.5, 3.0), 2)
        n = len(statement["coordinates"])
        if made["close"] in ("gauss", "dormand-prince-853") and self.chance.random() < 0.3:
            made["tolerance"] = 1e-13
        made.setdefault("section", self.section(statement["coordinates"], made.get("angles", ())))
        return Problem(family, statement, made.pop("starts", None) or self.states(n), time,
                       round(time / self.chance.randint(5, 12) * 1.001, 4), **made)

    def names(self, low=1, high=4):
        return ["x", "y", "z", "u"][:self.chance.randint(low, high)]

    # The families.

    def masses_that_move(self):
        names = self.names()
        return dict(coordinates=names, lagrangian=f"{self.kinetic(names, 'moving')} - ({self.potential(names)})",
                    **self.methods(FREE, ("gauss", "gauss", "dormand-prince-853", "chebyshev-lobatto", "lobatto")))

    def constant_masses(self):
        names = self.names()
        return dict(coordinates=names, lagrangian=f"{self.kinetic(names, self.chance.choice(('constant', 'coupled')))}"
                    f" - ({self.potential(names)})", **self.methods(FREE, ("gauss", "dormand-prince-853", "chebyshev-lobatto")))

    def magnetic_terms(self):
        names = self.names(2)
        kind = self.chance.choice(("constant", "coupled", "moving"))
        return dict(coordinates=names,
                    lagrangian=f"{self.kinetic(names, kind)} + {self.magnetic(names)} - ({self.potential(names)})",
                    **self.methods(FREE, ("gauss", "gauss", "dormand-prince-853", "lobatto")))

    def of_the_time(self):
        names = self.names()
        turned = f"(1 + 0.3*sin({self.number()}*t))"
        bound = f"0.2*t*cos(t)*{names[0]}_dot + " if self.chance.random() < 0.4 else ""
        masses = self.kinetic(names, self.chance.choice(("constant", "moving")))
        if self.chance.random() < 0.5:
            masses = f"(1 + 0.2*cos(2*t))*({masses})"
        return dict(coordinates=names, lagrangian=f"{masses} + {bound}{names[-1]}*sin(t) - {turned}*({self.potential(names)})",
                    **self.methods(FREE, ("gauss", "gauss", "dormand-prince-853", "chebyshev-lobatto")))

    def velocities_beyond_squares(self):
        names = self.names(1, 3)
        square = " + ".join(f"{name}_dot^2" for name in names)
        kind = self.chance.choice(("-4*sqrt(1 - ({0})/4)", "({0})/2 + 0.1*({0})^2", "cosh(sqrt(1 + {0}))", "exp(({0})/4)*2",
                                   "({0})/2 + 0.05*sin({1})*{1}_dot^4", "(1 + {0})^0.8")).format(square, names[0])
        return dict(coordinates=names, lagrangian=f"{kind} - ({self.potential(names)})",
                    **self.methods(FREE, ("gauss", "dormand-prince-853", "chebyshev-lobatto")))

    def driven(self):
        names = self.names()
        chance = self.chance
        force = {name: chance.choice(("{c}*cos({w}*t)", "-{c}*{n}_dot*(1 + {m}^2)", "{c}*sin({m} - t)", "{c}*{m}_dot*cos({n})",
                                      "-0.2*{n}_dot*abs(20 + {n}_dot)/20")).format(
            c=self.number(), w=self.number(1, 3), n=name, m=chance.choice(names)) for name in names if chance.random() < 0.7}
        made = dict(force=force) if force else {}
        if not force or chance.random() < 0.7:
            kinds = ("{c}*{n}_dot^2/2", "{c}*(1 + {n}^2)*{n}_dot^2", "{c}*(sqrt(1 + {n}_dot^2) - 1)",
                     "{c}*(2 + sin(t))*{n}_dot^2", "0.1*{n}_dot^4")
            made["dissipation"] = " + ".join(chance.choice(kinds).format(c=self.number(0.05, 0.3), n=name) for name in names)
        kind = chance.choice(("constant", "coupled", "moving"))
        return dict(coordinates=names, lagrangian=f"{self.kinetic(names, kind)} - ({self.potential(names)})", **made,
                    **self.methods(FREE, ("gauss", "gauss", "dormand-prince-853", "lobatto")))

    def surface(self, names, of_time=""):
        """A constraint, whose gradient isn't 0 on it."""
        last = names[-1]
        kind = self.chance.choice(("sphere", "graph", "bent"))
        if kind == "sphere":
            return " + ".join(f"{self.number(0.6, 1.4)}*{name}^2" for name in names) + f" - (1.2{of_time})^2"
        if kind == "graph":
            return f"{last} - ({self.sum(names[:-1], 1)}){of_time}"
        return " + ".join(f"{name}^2" for name in names) + f" + 0.3*sin({names[0]})*{last} - 1.5{of_time}"

    def held(self):
        names = self.names(2)
        made = {}
        if self.chance.random() < 0.4:
            made["force"] = {name: f"{self.number()}*cos(2*t + {self.chance.choice(names)})"
                             for name in names if self.chance.random() < 0.6}
        if not made.get("force"):
            made = {}
        kind = self.chance.choice(("constant", "coupled"))
        return dict(coordinates=names, lagrangian=f"{self.kinetic(names, kind)} - ({self.potential(names)})",
                    constraint=[self.surface(names)],
                    project=self.chance.random() < 0.5, **made, **self.methods(RATTLE, list(CLOSE)[1:]))

    def held_twice(self):
        names = self.names(3)
        if self.chance.random() < 0.5 and len(names) == 4:
            constraints = ["x^2 + y^2 - 1.3", "(x - z)^2 + (y - u)^2 - 1.1"]  # a double pendulum on two rods
        else:
            constraints = [" + ".join(f"{self.number(0.8, 1.2)}*{name}^2" for name in names) + " - 1.5",
                           f"{names[1]} - 0.4*sin({names[0]}) - 0.2*{names[2]}"]
        easy = self.chance.random() < 0.5
        kinetic = self.kinetic(names, "constant" if easy else "moving")
        if not easy and self.chance.random() < 0.5:
            kinetic += " + " + self.magnetic(names)
        return dict(coordinates=names, lagrangian=f"{kinetic} - ({self.potential(names)})", constraint=constraints, project=True,
                    **self.methods(RATTLE if easy else REDUCED, list(CLOSE)[1:]))

    def held_and_driven(self):
        names = self.names(2)
        made = dict(dissipation=f"{self.number(0.1, 0.4)}*({' + '.join(f'{name}_dot^2' for name in names)})/2")
        if self.chance.random() < 0.6:
            made["force"] = {names[0]: f"{self.number()}*cos({self.number(1, 2)}*t)*(1 + {names[-1]}_dot)"}
        return dict(coordinates=names, lagrangian=f"{self.kinetic(names)} - ({self.potential(names)})",
                    constraint=[self.surface(names)], project=self.chance.random() < 0.5, **made, **self.methods(REDUCED, list(CLOSE)[1:]))

    def constraints_that_move(self):
        names = self.names(2)
        moved = self.chance.choice((" + 0.2*sin(t)", " - 0.1*cos(2*t)", " + 0.1*t"))
        return dict(coordinates=names, lagrangian=f"{self.kinetic(names)} - ({self.potential(names)})",
                    constraint=[self.surface(names, moved)], project=True, **self.methods(REDUCED, list(CLOSE)[1:]))

    def rolling(self):
        names = self.names(3)
        chance = self.chance
        belt = chance.choice(("", "", f" - {self.number(0.1, 0.4)}", f" - 0.3*sin({names[0]})"))
        slip = [f"{names[1]}_dot*cos({names[2]}) - {names[0]}_dot*sin({names[2]}){belt}"]
        made = {}
        if len(names) == 4 and chance.random() < 0.5:
            made["constraint"] = [f"u - {self.number()}*sin(x) - 0.3*y"]
        if chance.random() < 0.3:
            made["dissipation"] = f"0.2*({names[2]}_dot^2)"
        kind = chance.choice(("constant", "coupled", "moving"))
        return dict(coordinates=names, lagrangian=f"{self.kinetic(names, kind)} - ({self.potential(names)})",
                    rolling=slip, project=True, **made, **self.methods(REDUCED, list(CLOSE)[1:]))

    def ends(self):
        """A domain that some orbits leave, or exits."""
        names = self.names(1, 3)
        made = dict(coordinates=names, lagrangian=f"{self.kinetic(names)} - ({self.potential(names)})",
                    starts=self.states(len(names), 4, 0.7),
                    **self.methods(FREE, ("gauss", "dormand-prince-853", "chebyshev-lobatto")))
        edge = f"{self.number(0.6, 1.1)} - {self.chance.choice(names)} + 0.1*{self.chance.choice(names)}^2"
        if self.chance.random() < 0.5:
            return made | dict(domain=edge)
        where = self.chance.choice(("{a} > {c}", "{a}_dot < -{c}", "{a} + 0.3*{b} > {c}", "p_{a} > {c}"))
        return made | dict(exits={"out": where.format(a=names[0], b=names[-1], c=round(self.chance.uniform(0.5, 0.9), 3))})

    def kicks(self):
        names = self.names(1, 3)
        every = round(self.chance.uniform(0.4, 0.9), 3) + 0.0007
        return dict(coordinates=names, lagrangian=f"{self.kinetic(names)} - ({self.potential(names)})",
                    kick={"potential": self.sum(names, 2), "every": every},
                    **self.methods(FREE, ("gauss", "dormand-prince-853", "lobatto")))

    def units(self):
        """A bob of mass m on a spring of length l, in a plane under gravity, with or without friction."""
        for name, low, high in (("m", 0.8, 1.4), ("l", 0.8, 1.2), ("s", 6, 9), ("g", 0.8, 1.5), ("c", 0.05, 0.3)):
            self.parameters[name] = round(self.chance.uniform(low, high), 3)
        self.where["v2"] = "r_dot^2 + r^2*a_dot^2"
        starts = [[round(self.chance.uniform(0.9, 1.3), 3), round(self.chance.uniform(-0.7, 0.7), 3), 0.2,
                   round(self.chance.uniform(-0.5, 0.5), 3)] for _ in range(2)]
        return dict(coordinates=["r", "a"], angles=("a",), starts=starts, dissipation="c*v2/2",
                    lagrangian="m*v2/2 - s*(r - l)^2/2 + m*g*r*cos(a) + m*l*r_dot*a_dot*abs(cos(a))*0.1",
                    units={"coordinates": {"r": "m", "a": "rad"},
                           "parameters": {"m": "kg", "l": "m", "s": "N/m", "g": "m/s^2", "c": "kg/s"}},
                    section={"where": self.chance.choice(("a", "r_dot")), "value": 0.01, "direction": "both"},
                    **self.methods(FREE, ("gauss", "dormand-prince-853", "chebyshev-lobatto")))

    def swept(self):
        """A rotor that turns, an angle as its section; a parameter has two values."""
        self.parameters["e"] = round(self.chance.uniform(0.5, 1.5), 3)
        section = {"where": "a", "value": round(self.chance.uniform(-3, 3), 3), "direction": self.chance.choice(("up", "both"))}
        return dict(coordinates=["a", "x"], angles=("a",), swept=("e", round(self.parameters["e"] + 0.317, 3)),
                    lagrangian=f"({self.positive(['x'])})*a_dot^2/2 + e*x_dot^2/2 - ({self.potential(['x'])}) + e*cos(a - 0.3*x)",
                    starts=[[round(self.chance.uniform(-9, 9), 3), 0.3,
                             round(self.chance.uniform(2, 5) * self.chance.choice((-1, 1)), 3), 0.1] for _ in range(3)],
                    section=section, **self.methods(FREE, ("gauss", "dormand-prince-853", "lobatto")))

    FAMILIES = ("constant masses", "masses that move", "magnetic terms", "of the time", "velocities beyond squares", "driven", "held",
                "held twice", "held and driven", "constraints that move", "rolling", "ends", "kicks", "units", "swept", "walls")


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(float(value))


def deck_of(problem, study):
    lines = [f'# {problem.family}', f'study = "{study}"', "[model]"]
    statement = {key: one for key, one in problem.statement.items() if one}
    if problem.units:
        statement |= {"coordinates": problem.units["coordinates"], "parameter_units": problem.units["parameters"]}
    if problem.angles:
        statement["angles"] = problem.angles
    if problem.swept:
        name, second = problem.swept
        statement["parameters"] = {**statement["parameters"], name: [statement["parameters"][name], second]}
    if problem.domain:
        statement["domain"] = problem.domain
    lines += [f"{key} = {toml(one)}" for key, one in statement.items()]
    lines += ["[method]", f'name = "{problem.close}"', *([f"stages = {problem.stages}"] if problem.stages else []),
              f"tolerance = {problem.tolerance}" if problem.tolerance else f"step = {problem.step}"]
    lines += ["[ensemble]", f"list = {toml(problem.starts)}", *(["project = true"] if problem.project else [])]
    lines += ["[stop]", f"time = {problem.time}", *(["crossings = 1000"] if study == "poincare" else [])]
    lines += ["[output]", 'file = "out.h5"']
    if study == "trajectory":
        lines += [f"every = {problem.every}"]
    if study == "poincare":
        lines += ["[section]", *(f"{key} = {toml(one)}" for key, one in problem.section.items())]
    held = problem.statement.get("constraint", [])
    if len(problem.statement["coordinates"]) == 3 and len(held) == 1 and not re.search(r"\bt\b", held[0]):  # a surface
        lines.insert(lines.index("[output]") + 1, "surface_cells = 0")
    if problem.exits and study == "trajectory":
        lines += ["[exits]", *(f"{key} = {toml(one)}" for key, one in problem.exits.items())]
    return "\n".join(lines) + "\n"
