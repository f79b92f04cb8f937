# SPDX-License-Identifier: BSD-3-Clause
"""SymPy's expressions in the language of decks, and back."""
import pytest

import cotangent as ct
from cotangent.formulas import expression_of, text_of

sympy = pytest.importorskip("sympy")


def symbols(names):
    return sympy.symbols(names, real=True)


def test_there_and_back_is_the_same():
    x, y, x_dot = symbols("x y x_dot")
    for expression in (x ** 2 / 3 - x_dot * y, sympy.sqrt(x) + 1 / sympy.sqrt(y), x ** -2 * sympy.exp(-x), sympy.Abs(x) ** 3,
                       -x ** 2, (-x) ** 2, (x ** y) ** 2, x ** (y ** 2), sympy.atan2(y, x), sympy.Min(x, y), sympy.pi * x,
                       sympy.log(x) * sympy.tanh(y), sympy.Rational(17, 5) * x, x ** sympy.Rational(-3, 2), sympy.E * x):
        assert sympy.simplify(expression_of(text_of(expression)) - expression) == 0, text_of(expression)


def test_functions_of_time_are_coordinates():
    from sympy.physics.mechanics import dynamicsymbols
    x, y = dynamicsymbols("x y")
    lagrangian = (x.diff() ** 2 + y.diff() ** 2) / 2 - x * y
    assert expression_of(text_of(lagrangian)) == sympy.sympify("(x_dot**2 + y_dot**2)/2 - x*y").xreplace(
        {sympy.Symbol(name): sympy.Symbol(name, real=True) for name in ("x", "y", "x_dot", "y_dot")})


def test_what_no_deck_knows_is_refused_by_name():
    x = sympy.Symbol("x")
    t = sympy.Symbol("t")
    for expression, word in ((sympy.gamma(x), "gamma"), (sympy.Function("f")(x, t), "f"), (sympy.Integral(x, x), "Integral"),
                             (sympy.Piecewise((x, x > 0), (0, True)), "Piecewise"), (sympy.Function("x")(t).diff(t, 2), "x"),
                             (sympy.I * x, "ImaginaryUnit")):
        with pytest.raises(TypeError, match=word):
            text_of(expression)


def test_a_decks_names_may_be_pythons_words():
    assert str(expression_of("lambda*x^2 - in")) == "-in + lambda*x**2"


def test_precedence_is_the_decks():
    assert expression_of("-2^2") == -4 and expression_of("2^3^2") == 512 and expression_of("2^-1") == sympy.Rational(1, 2)
    assert expression_of("0.1 + 0.2") == sympy.Rational(3, 10)


def test_the_programs_models_are_given_back():
    chain = ct.describe("magnetic-chain")
    t, s, t_dot, s_dot, alpha = symbols("t s t_dot s_dot alpha")
    assert chain.lagrangian.free_symbols == {t, s, t_dot, s_dot, alpha}
    assert chain.parameters == {"alpha": 18.0} and chain.coordinates == ["t", "s"]
    # Upright, at rest, the kinetic part is (3.4 + 2) t'^2 + 0.7 s'^2 + 3.4 t' s'.
    upright = chain.lagrangian.subs({t: 0, s: 0, alpha: 0})
    assert sympy.expand(upright - upright.subs({t_dot: 0, s_dot: 0})) == sympy.expand(
        sympy.Rational(27, 5) * t_dot ** 2 + sympy.Rational(7, 10) * s_dot ** 2 + sympy.Rational(17, 5) * t_dot * s_dot)
    assert ct.describe("rolling-disc").coordinates == ["x", "y", "a", "b", "s"]  # of which its deck has the units
    x, y, z, r, big = symbols("x y z r R")
    assert sympy.expand(ct.describe("torus").constraint[0] - ((sympy.sqrt(x ** 2 + y ** 2) - big) ** 2 + z ** 2 - r ** 2)) == 0
    assert ct.describe("ricker").potential.free_symbols == set(symbols("s depth r_e"))


def test_what_is_no_model_has_no_lagrangian():
    with pytest.raises(ct.InputError):
        ct.describe("gauss").lagrangian  # pylint: disable=expression-not-assigned
    with pytest.raises(ct.InputError, match="'circle' is no model") as refusal:
        ct.describe("circle").model  # pylint: disable=expression-not-assigned
    assert refusal.value.value == "circle"
    with pytest.raises(ct.InputError, match="'toda' is no model with a Lagrangian"):
        ct.describe("toda").lagrangian  # pylint: disable=expression-not-assigned
    assert ct.describe("toda").model["terms"]["site"] == "0.5*q_dot^2"
    with pytest.raises(ct.InputError) as refusal:
        ct.describe("keplr")
    assert refusal.value.nearest == "kepler"


def test_a_lagrangian_from_sympy_has_the_orbits_of_the_built_in_one():
    """Kepler's problem, handed out and in again: the same crossings to round-off; with another constant, not."""
    kepler = ct.describe("henon-heiles")
    starts = [[0.0, 0.1, 0.3966526608171605, 0.0]]
    common = dict(section="q1", crossings=5, step=0.1, stages=4, progress=False)
    built_in = ct.poincare(model="henon-heiles", file="a.h5", list=starts, **common)
    own = ct.poincare(lagrangian=kepler.lagrangian, coordinates=kepler.coordinates, file="b.h5",
                      parameters=kepler.parameters, list=starts, **common)
    other = ct.poincare(lagrangian=kepler.lagrangian - sympy.Symbol("q1", real=True) ** 2 / 10, parameters=kepler.parameters,
                        coordinates=kepler.coordinates, file="c.h5", list=starts, **common)
    difference = abs(own["/section/points"].values - built_in["/section/points"].values).max()
    assert difference < 1e-12
    assert abs(other["/section/points"].values - built_in["/section/points"].values).max() > 1e-3
