# SPDX-License-Identifier: BSD-3-Clause
"""What the program knows about a name: its words, its parameters, its formulas as SymPy's."""
from __future__ import annotations

import re
from typing import Any

from . import deck as decks
from .errors import InputError
from .formulas import expression_of
from .program import known


class Description:
    """A model, a surface, a pair potential, a method, a study, as the program describes it.

    Attributes:
        name: its name in decks.
        about: a line about it.
        text: all that `cotangent --describe NAME` says; it is what is printed.
        parameters: the defaults of its parameters, by name.
    """

    def __init__(self, name: str):
        self.name = name
        self.text = known("--describe", name)
        self.about = self.text.splitlines()[0].partition(": ")[2]
        self.parameters: dict[str, float] = {}
        block = re.search(r"^parameters, with their defaults\n((?:  .*\n)+)", self.text, re.MULTILINE)
        for key, number in re.findall(r"^  (\w+) = (\S+)", block[1] if block else "", re.MULTILINE):
            self.parameters[key] = float(number)
        self._deck: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return self.text

    @property
    def model(self) -> dict[str, Any]:
        """The [model] of a deck that states it by formulas: coordinates, lagrangian, constraint ... as texts.

        Raises:
            InputError: it is no model.
        """
        if self._deck is None:
            stated = decks.read(known("--describe", self.name, "--as-deck"))
            if "model" not in stated:
                raise InputError(f"'{self.name}' is no model: its deck, `cotangent --describe {self.name} --as-deck`, has no [model]", 2,
                                 value=self.name)
            self._deck = stated["model"]
        return self._deck

    @property
    def coordinates(self) -> list[str]:
        """The names of its coordinates; their velocities are called ``x_dot``."""
        return list(self.model["coordinates"])

    def _formula(self, text: str) -> Any:
        return expression_of(text, self.model.get("where"))

    @property
    def lagrangian(self) -> Any:
        """L of its coordinates, velocities and parameters, a SymPy expression of real symbols; decimals are exact fractions.

        Raises:
            InputError: it is no model, or one that states no Lagrangian: of a lattice, `model` has the terms.
        """
        if "lagrangian" not in self.model:
            raise InputError(f"'{self.name}' is no model with a Lagrangian of its own; it states {', '.join(self.model)}", 2,
                             value=self.name)
        return self._formula(self.model["lagrangian"])

    @property
    def constraint(self) -> list[Any]:
        """The functions g that its motion keeps 0, SymPy expressions; none where it is free."""
        return [self._formula(text) for text in self.model.get("constraint", [])]

    @property
    def domain(self) -> Any:
        """Where it is defined, as an expression that is positive there; None where it is everywhere."""
        text = self.model.get("domain")
        return None if text is None else self._formula(text)

    @property
    def potential(self) -> Any:
        """U of a pair potential, of the square ``s = r^2`` or of ``r`` as it states it; SymPy.

        Raises:
            InputError: it is no potential.
        """
        stated = re.search(r"^  U = (.*(?:\n {6,}.*)*)", self.text, re.MULTILINE)
        if not stated:
            raise InputError(f"'{self.name}' is no pair potential: it states no U", 2, value=self.name)
        return expression_of(stated[1])


def describe(name: str) -> Description:
    """What the program says about a model, a surface, a potential, a method, a study.

    >>> describe("magnetic-chain").lagrangian      # a SymPy expression

    Raises:
        InputError: nothing is called so; ``nearest`` is what comes near.
    """
    return Description(name)
