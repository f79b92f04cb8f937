# SPDX-License-Identifier: BSD-3-Clause
"""A result's picture as a page, where there is nothing in it to turn or to fly: comparisons of methods, equations of state."""
import base64
import io

import matplotlib

from ..plot import layout, style
from ..plot.choices import PICTURES, subjects
from .section import plain

DPI = 200
SHOWS = "the picture; a click shows it larger"


def suits(result):
    """Whether there is a picture of it."""
    return bool(subjects(result))


def described(result, options):
    """(data, None) for page.assembled: the picture as cotangent-plot draws it, in as many colours as a palette holds."""
    from ..plot.cli import figure_of, in_few_colours
    figure, _ = figure_of(options)
    layout.finish(figure)
    drawn, packed = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI, facecolor="white")
    matplotlib.pyplot.close(figure)
    in_few_colours(drawn, packed)
    what = options.what or subjects(result)[0]
    name = style.model_name(result.model) or result.study
    return {"kind": "picture", "title": plain(options.title or name), "notes": [PICTURES[what][1]],
            "image": "data:image/png;base64," + base64.b64encode(packed.getvalue()).decode()}, None
