# SPDX-License-Identifier: BSD-3-Clause
"""From keyword arguments to decks: which table a key is put into, and how values are written."""
import math
import tomllib

import numpy as np
import pytest

import cotangent as ct
from cotangent import deck


def test_every_value_comes_back_from_toml():
    values = {"text": 'a "quoted" \\ text\nof two lines, ü', "whole": 3, "real": 0.1, "small": 5e-324, "yes": True,
              "list": [1, 2.5, "x"], "nested": [[1.0, 2.0], [3.0]], "table": {"a": {"b": [1]}, "c d": 2}, "none": {}}
    assert tomllib.loads(deck.written({"study": "s", "t": values}))["t"] == values
    again = tomllib.loads(deck.written({"t": {"a": (1, 2), "b": np.array([[0.1, 0.2]]), "c": np.float64(0.3), "d": range(3),
                                              "e": math.inf, "f": np.int32(4), "g": np.bool_(True)}}))["t"]
    assert again == {"a": [1, 2], "b": [[0.1, 0.2]], "c": 0.3, "d": [0, 1, 2], "e": math.inf, "f": 4, "g": True}
    with pytest.raises(TypeError, match="not set"):
        deck.toml({1, 2})


def test_keys_find_their_tables():
    made = deck.with_arguments("poincare", dict(model="henon-heiles", section="q1", energy=0.125, crossings=10, step=0.5,
                                                direction="up", grid=dict(q2=(-.4, .7, 3))))
    assert made == {"study": "poincare", "model": {"name": "henon-heiles"}, "section": {"where": "q1", "direction": "up"},
                    "ensemble": {"energy": 0.125, "grid": {"q2": (-.4, .7, 3)}}, "stop": {"crossings": 10},
                    "method": {"step": 0.5}}
    assert deck.with_arguments("poincare", dict(list=[[1]], indicators=["megno"])) == {
        "study": "poincare", "ensemble": {"list": [[1]]}, "indicators": {"list": ["megno"]}, "method": {"tolerance": 1e-12}}
    # In the template of trajectories list leads both tables, and stands in its own deck in one.
    assert deck.with_arguments("trajectory", dict(list=[[1]], step=0.1))["ensemble"] == {"list": [[1]]}


def test_parameters_and_options_are_those_that_model_and_method_describe():
    made = deck.with_arguments("poincare", dict(model="magnetic-chain", alpha=17, method="gauss", stages=3))
    assert made["model"] == {"name": "magnetic-chain", "alpha": 17}
    assert made["method"] == {"name": "gauss", "stages": 3}
    with pytest.raises(ct.InputError, match="unknown key 'alpha'"):
        deck.with_arguments("poincare", dict(model="henon-heiles", alpha=17))


@pytest.mark.parametrize("study", ["poincare", "trajectory", "atlas", "landscape", "periodic-orbits", "work-precision"])
def test_each_study_of_free_motion_takes_a_lagrangian(study):
    made = deck.with_arguments(study, dict(lagrangian="x_dot^2/2 + y_dot^2/2 - mu*x*y", parameters=dict(mu=2.0), domain="x"))
    assert set(made["model"]) == {"name", "coordinates", "lagrangian", "parameters", "domain"}


def test_coordinates_are_read_from_the_lagrangian():
    made = deck.with_arguments("trajectory", dict(lagrangian="b_dot^2/2 + a_dot^2/2 - a*b"))
    assert made["model"]["coordinates"] == ["b", "a"]
    made = deck.with_arguments("trajectory", dict(lagrangian="a_dot^2/2", coordinates=["a", "c"]))
    assert made["model"]["coordinates"] == ["a", "c"]


def test_what_is_ambiguous_or_unknown_is_refused_with_what_would_be_right():
    with pytest.raises(ct.InputError, match="model=dict.name=.* or method=dict") as refusal:
        deck.with_arguments("poincare", dict(name="gauss"))
    assert refusal.value.key == "name"
    with pytest.raises(ct.InputError, match="did you mean 'crossings' of .stop.") as refusal:
        deck.with_arguments("poincare", dict(crosings=3))
    assert (refusal.value.key, refusal.value.nearest, refusal.value.code) == ("crosings", "crossings", 2)
    assert "?." not in str(refusal.value)
    with pytest.raises(ct.InputError, match="study \"poincare\"\\. Its keys"):
        deck.with_arguments("poincare", dict(zzzzzzzz=3))
    with pytest.raises(AttributeError, match="did you mean 'poincare'[?] Its studies: .*trajectory"):
        ct.poincar  # pylint: disable=pointless-statement
    with pytest.raises(AttributeError, match="study 'zzzzzzzz'. Its studies"):
        ct.zzzzzzzz  # pylint: disable=pointless-statement


def test_every_study_has_a_template_whose_own_deck_is_found_in_its_keys():
    for study in ct.studies():
        keys = deck.template_keys(study)
        given = deck.read(deck.known("--template", study))
        for table, content in given.items():
            names = content if isinstance(content, dict) else content[0] if isinstance(content, list) else {}
            missing = [name for name in names if name not in keys.get(table, [])]
            assert not missing, (study, table)


def test_a_templates_own_deck_survives_the_way_through_keywords():
    for study in ct.studies():
        given = deck.read(deck.known("--template", study))
        rest = {key: value for key, value in given.items() if key != "study"}
        made = deck.with_arguments(study, rest)
        assert deck.read(deck.written(made)) == given, study


def test_the_program_judges(folder):
    good = dict(model="henon-heiles", section="q1", energy=0.125, grid=dict(q2=(-.4, .7, 3), q2_dot=(-.4, .4, 3)), crossings=10)
    assert "henon-heiles" in ct.check("poincare", step=0.5, **good)
    with pytest.raises(ct.InputError) as refusal:
        ct.check("poincare", **good | dict(model="henon-heils", step=0.5))
    error = refusal.value
    assert (error.key, error.value, error.nearest, error.code) == ("model.name", "henon-heils", "henon-heiles", 2)
    assert error.file.endswith(".toml") and error.line > 0 and "henon-heiles" in error.valid
    with pytest.raises(ct.InputError) as refusal:
        ct.check("poincare", method=dict(step=0.5, stagges=4), **good)
    assert (refusal.value.key, refusal.value.nearest) == ("method.stagges", "stages")
    assert not list(folder.iterdir())
