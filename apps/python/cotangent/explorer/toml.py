# SPDX-License-Identifier: BSD-3-Clause
"""TOML written from what tomllib reads: a table a heading, tables within tables inline."""
import json
import re


def key(name):
    """A key, bare where it can be."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def value(item):
    """A value on one line."""
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, str):
        return json.dumps(item, ensure_ascii=False)
    if isinstance(item, dict):
        return "{ " + ", ".join(f"{key(name)} = {value(inner)}" for name, inner in item.items()) + " }" if item else "{}"
    if isinstance(item, list):
        return "[" + ", ".join(value(inner) for inner in item) + "]"
    return repr(item)


def written(deck):
    """The text of a deck."""
    loose = [f"{key(name)} = {value(item)}" for name, item in deck.items() if not isinstance(item, dict)]
    tables = ["\n".join([f"[{key(name)}]"] + [f"{key(inner)} = {value(item)}" for inner, item in table.items()])
              for name, table in deck.items() if isinstance(table, dict)]
    return "\n\n".join(["\n".join(loose)] + tables) + "\n"
