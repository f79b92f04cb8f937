# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page: styles, scripts and data in one file, and a policy that lets it fetch nothing.

The policy names each script and style by its SHA-256 (W3C, Content Security Policy Level 3, 2.3.1): whatever text
a deck brings, nothing else runs. Data stand in a block of JSON, which no browser runs, without '<'.
"""
import base64
import hashlib
import html
import json
import re
from pathlib import Path

import matplotlib
import numpy as np

from ..plot import style
from . import atlas, landscape, periodic, picture, section, space

HERE = Path(__file__).resolve().parent / "page"
# Which scripts a kind of page brings, after those that all do and before main.js.
COMMON = ("webgl.js", "points.js", "plane.js", "gauss.js", "orbits.js", "section.js")
OWN = {"section": (), "space": ("scene.js", "space.js"), "atlas": ("atlas.js",), "landscape": ("atlas.js", "landscape.js"),
       "periodic": ("periodic.js",), "picture": ("picture.js",)}


def kind_of(result):
    """The module of what a result's page shows, None where there is no page of it."""
    return next((kind for kind in (section, atlas, landscape, periodic, space, picture) if kind.suits(result)), None)


def page(result, options):
    """The page of a result, as text."""
    kind = kind_of(result) or space  # which says what is lacking
    return assembled(*kind.described(result, options))


def assembled(data, model):
    """The page of data; the model is an object literal that the program has printed, or None."""
    sheet = css_variables() + minimal((HERE / "page.css").read_text(encoding="utf-8"))
    names = (*COMMON, *OWN[data["kind"]], "main.js")
    parts = [minimal((HERE / name).read_text(encoding="utf-8")) for name in names]
    code = "\n".join(['"use strict";', f"const look = {as_json(style_of_pictures())};", *parts[:-1],
                      f"const model = {model or 'null'};", parts[-1]])
    policy = ("default-src 'none'; base-uri 'none'; form-action 'none'; "
              f"script-src '{fingerprint(code)}'; style-src '{fingerprint(sheet)}'" + ("; img-src data:" if data["kind"] == "picture" else ""))
    filled = {"policy": policy, "title": html.escape(data["title"]), "style": sheet, "data": as_json(data), "code": code}
    text = (HERE / "page.html").read_text(encoding="utf-8")
    pieces = text.split("@")
    return "".join(filled[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def style_of_pictures():
    """The colours and the type of the pictures, for the scripts of a page."""
    def colours(name, last=1.0):
        return [matplotlib.colors.to_hex(c) for c in matplotlib.colormaps[name](np.linspace(0, last, 10))]
    return {"ink": style.INK, "faint": style.FAINT, "muted": style.MUTED, "paper": style.PAPER, "unknown": style.UNKNOWN,
            "palette": style.CATEGORICAL[:8], "passes": style.PASSES, "water": style.WATER, "map": colours(style.MAPS),
            "scale": colours(style.SEQUENTIAL, 0.97), "font": style.WEB_FONT}


def css_variables():
    """The same for its style sheet."""
    names = {"ink": style.INK, "muted": style.MUTED, "paper": style.PAPER, "rule": style.RULE, "mark": style.CATEGORICAL[0],
             "font": style.WEB_FONT}
    return ":root{" + "".join(f"--{name}:{value};" for name, value in names.items()) + "}\n"


def fingerprint(text):
    """What a content security policy says to allow this inline text alone."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def as_json(data):
    """JSON within a page: no number that JSON lacks, no '<' that could end the block."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def minimal(text):
    """Without comments that have lines of their own, and without indents."""
    text = re.sub(r"^\s*/\*.*?\*/\s*$", "", text, flags=re.DOTALL | re.MULTILINE)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))
