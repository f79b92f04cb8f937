# SPDX-License-Identifier: BSD-3-Clause
"""Decks: from keyword arguments to TOML.

Which keys there are, and in which table each stands, is what the program's own templates say (``cotangent --template
STUDY``, ``cotangent --describe NAME``); whether a deck makes sense, the program judges.
"""
from __future__ import annotations

import difflib
import json
import math
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from .errors import InputError
from .formulas import is_formula, text_of
from .program import known, studies

Deck = dict[str, Any]


def toml(value: Any) -> str:
    """A value as TOML writes it: texts, numbers, booleans, lists (tuples, ranges, arrays), tables, SymPy's formulas.

    Raises:
        TypeError: it is none of these.
    """
    if hasattr(value, "tolist") and not is_formula(value):  # numpy's numbers and arrays
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {toml(item)}" for key, item in value.items()) + " }" if value else "{}"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(map(toml, value)) + "]"
    if is_formula(value):
        if getattr(value, "is_Integer", False):
            return str(int(value))
        if getattr(value, "is_number", False):
            return repr(float(value))
        return toml(text_of(value))
    if hasattr(value, "__fspath__"):
        return toml(str(value))
    raise TypeError(f"a deck holds texts, numbers, lists, tables and formulas, not {type(value).__name__}: {value!r}")


def _key(name: Any) -> str:
    word = str(name)
    return word if re.fullmatch(r"[A-Za-z0-9_-]+", word) else json.dumps(word)


def written(deck: Mapping[str, Any]) -> str:
    """The text of a deck, its tables one after another."""
    lines = [f"{_key(key)} = {toml(value)}" for key, value in deck.items() if not isinstance(value, Mapping)]
    for name, table in deck.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{_key(name)}]"] + [f"{_key(key)} = {toml(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def keys_of(text: str) -> dict[str, list[str]]:
    """The keys that a commented deck shows, by table; those of its comments too."""
    tables: dict[str, list[str]] = {"": []}
    inside, depth = "", 0
    for line in text.splitlines():
        bare = re.sub(r'"[^"]*"', '""', line)
        if match := re.match(r"\s*#? ?\[+([\w-]+)((?:\.[\w-]+)*)\]+\s*(#.*)?$", bare):
            inside, depth = match[1] + match[2], 0
            tables.setdefault(inside, [])
            if match[2]:  # a table within a table is a key of the outer one
                tables.setdefault(match[1], []).append(match[2].split(".")[1])
            continue
        if "of every study, in [output]" in line.lower():
            inside = "output"
        if not inside and bare.startswith("#"):  # the head says what the deck is about
            continue
        outer = ""  # what stands in no brackets
        for letter in bare:
            depth += (letter in "[{") - (letter in "]}")
            outer += letter if depth <= 0 and letter not in "]}" else ""
        depth = 0 if bare.lstrip().startswith("#") else max(depth, 0)
        for name in re.findall(r"(?<![\w.])([A-Za-z_]\w*) = ", outer):
            if name not in tables[inside]:
                tables[inside].append(name)
    return {name: keys for name, keys in tables.items() if keys and "." not in name}


def template_keys(study: str) -> dict[str, list[str]]:
    """The keys of a study, by table, as its template shows them.

    Raises:
        InputError: there is no such study.
    """
    return keys_of(known("--template", study))


def _described_keys(name: Any) -> dict[str, list[str]]:
    """The keys of a model, a method, a field, as it describes itself; none where it is a formula or unknown."""
    if not isinstance(name, str):
        return {}
    try:
        text = known("--describe", name)
    except InputError:
        return {}
    found: dict[str, list[str]] = {}
    for block in re.findall(r"^in a deck\n((?:  .*\n?)+)", text, re.MULTILINE):
        for table, keys in keys_of(re.sub(r"^  ", "", block, flags=re.MULTILINE)).items():
            found.setdefault(table, []).extend(key for key in keys if key not in found.get(table, []))
    return found


def with_arguments(study: str, arguments: Mapping[str, Any], deck: Deck | None = None) -> Deck:
    """A deck of this study, from keyword arguments. Each is

    * a table, as a mapping (``model=dict(name="kepler")``), or its leading key alone (``model="kepler"``,
      ``section="q1"``);
    * or a key of one of the tables (``crossings=1000``), put where the study's template, or the description of the model and
      the method, has it. Where it stands in several tables it is that of the one which it doesn't lead, or that in which
      the template's own deck has it.

    A study whose steps can adapt takes a tolerance of 1e-12 where nothing is said of its method.

    Args:
        study: its name.
        arguments: the keyword arguments.
        deck: what they are put into; a new deck unless given.

    Raises:
        InputError: a key that stands in several tables, or in none.
    """
    result: Deck = {key: dict(value) if isinstance(value, Mapping) else value for key, value in (deck or {}).items()}
    result["study"] = study
    tables = {name: list(keys) for name, keys in template_keys(study).items()}
    example = read(known("--template", study))
    flat: Deck = {}
    for key, value in arguments.items():
        if key in tables and isinstance(value, Mapping):
            result.setdefault(key, {}).update(value)
        elif key in tables and isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            result[key] = value  # a list of tables, such as [[methods]]
        elif key in tables and key:
            result.setdefault(key, {})[tables[key][0]] = value
        else:
            flat[key] = value
    for table in list(result.values()):
        if isinstance(table, Mapping):
            for name in table.values():
                for where, keys in _described_keys(name).items():
                    if where in result:
                        tables.setdefault(where, []).extend(key for key in keys if key not in tables.get(where, []))
    for key, value in flat.items():
        places = [name for name, keys in tables.items() if key in keys]
        led = [name for name in places if tables[name][0] != key]  # a table's leading key is given by the table's name
        places = led if len(places) > 1 and len(led) == 1 else places
        own = [name for name in places if key in example.get(name, {})]
        places = own if len(places) > 1 and len(own) == 1 else places
        if len(places) > 1:
            ways = " or ".join(f"{place}=dict({key}=...)" for place in places)
            raise InputError(f"the key '{key}' stands in several tables of study \"{study}\": say {ways}", 2, key=key)
        if not places and isinstance(value, Mapping):
            result[key] = dict(value)  # a table that the template doesn't show: the program knows
        elif not places:
            raise _unknown(study, key, tables)
        elif places[0]:
            result.setdefault(places[0], {})[key] = value
        else:
            result[key] = value
    if deck is None and "method" not in result and "tolerance" in tables.get("method", []):
        result["method"] = {"tolerance": 1e-12}
    return _completed(result)


def _unknown(study: str, key: str, tables: Mapping[str, list[str]]) -> InputError:
    where = {name: table for table, keys in tables.items() for name in keys} | {name: "" for name in tables if name}
    near = difflib.get_close_matches(key, where, 1, 0.6)
    text = f"unknown key '{key}' of study \"{study}\""
    if near:
        text += f"; did you mean '{near[0]}'" + (f" of [{where[near[0]]}]?" if where[near[0]] else "?")
    else:
        text += "."
    return InputError(text + f" Its keys: `cotangent --template {study}`; one that stands there in no table's example can be "
                      "given in its table, table=dict(key=...)", 2, key=key, value=key, nearest=near[0] if near else None)


def _completed(deck: Deck) -> Deck:
    """What a problem of one's own says by its formulas already: the coordinates are those whose velocities its Lagrangian
    names, in the order in which they come."""
    model = deck.get("model")
    if isinstance(model, Mapping) and "lagrangian" in model:
        text = text_of(model["lagrangian"]) if is_formula(model["lagrangian"]) else str(model["lagrangian"])
        names = list(dict.fromkeys(re.findall(r"([A-Za-z_]\w*?)_dot\b", text)))
        deck["model"] = {"name": "problem", **({"coordinates": names} if names else {}), **model}
    return deck


def read(text: str) -> Deck:
    """A deck's text as tables."""
    return tomllib.loads(text)


def study_of(word: str) -> str:
    """The study of this name, with - or _ between its words; what is no study's name stays for the program to refuse."""
    return next((name for name in studies() if name.replace("-", "_") == word.replace("-", "_")), word)
