# SPDX-License-Identifier: BSD-3-Clause
"""The look of all pictures and pages: type, colours, symbols, and panels laid out to whole pixels.

Colours are mixed in OKLab (Ottosson 2020), where equal steps look equal; the palette for a few curves is that of
Okabe and Ito (2008), safe for the colour-blind.
"""
import re
from fractions import Fraction

import matplotlib
import numpy as np

INK, FAINT, MUTED, RULE, PAPER = "#1b1b1f", "#6f6f78", "#55555c", "#d5d5da", "#ffffff"
UNKNOWN = "#ececee"         # a place of a map of which nothing is known
CATEGORICAL = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F", "#7B3FA0",
               "#5A8F00", "#B3273C", "#4C5C68"]
SEQUENTIAL = "viridis"      # of points and curves
MAPS = "cividis"            # of areas: one hue's way from dark to light, to the colour-blind too
PASSES = ["#D55E00", "#B3273C", "#7B3FA0", "#000000"]
WATER = ["#cfe6f5", "#5fa8d6", "#1f6fb2", "#0b2f66"]
WEB_FONT = "'STIX Two Text','Times New Roman',serif"

GREEK = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi",
         "rho", "sigma", "tau", "phi", "varphi", "chi", "psi", "omega"}
MODEL_NAMES = {"henon-heiles": "Hénon–Heiles", "magnetic-chain": "Chain of three magnetic balls",
               "double-pendulum": "Double pendulum", "harmonic-oscillator": "Harmonic oscillator",
               "magnetic-chain-unequal": "Chain of three unequal magnetic balls", "heavy-top": "Heavy top",
               "chaplygin-sleigh": "Chaplygin sleigh", "turntable-ball": "Ball on a turntable",
               "rolling-disc": "Rolling disc", "four-bar-linkage": "Four-bar linkage",
               "kepler": "Kepler problem", "elastic-pendulum": "Elastic pendulum",
               "massive-multiplier": "Pendulum whose multiplier has a mass",
               "sphere": "Particle on a sphere", "ellipsoid": "Particle on an ellipsoid", "torus": "Particle on a torus",
               "cylinder": "Particle on a cylinder", "plane": "Particle on a plane", "gyroid": "Particle on a gyroid",
               "lemniscate": "Particle on an inflated lemniscate, genus 2",
               "lemniscate-3": "Particle on an inflated lemniscate, genus 3",
               "lemniscate-4": "Particle on an inflated lemniscate, genus 4",
               "planar-pendulum": "Pendulum on a circle", "rod-on-ellipsoid": "Rod on an ellipsoid",
               "magnetic-balls-rolling": "Three magnetic balls that roll"}


def apply():
    """Sets matplotlib's defaults; called once, before the first figure."""
    matplotlib.rcParams.update({
        "font.family": ["STIXGeneral", "DejaVu Serif"], "mathtext.fontset": "stix", "font.size": 11.5,
        "axes.titlesize": 11.5, "axes.labelsize": 13, "xtick.labelsize": 10.5, "ytick.labelsize": 10.5,
        "legend.fontsize": 10.5,
        "axes.linewidth": 0.7, "axes.edgecolor": INK, "axes.labelcolor": INK, "text.color": INK,
        "xtick.color": INK, "ytick.color": INK, "xtick.direction": "in", "ytick.direction": "in",
        "xtick.top": True, "ytick.right": True, "xtick.minor.visible": True, "ytick.minor.visible": True,
        "xtick.major.width": 0.7, "ytick.major.width": 0.7, "xtick.minor.width": 0.5, "ytick.minor.width": 0.5,
        "lines.linewidth": 1.2, "legend.frameon": False, "axes.prop_cycle": matplotlib.cycler(color=CATEGORICAL),
        "axes.formatter.use_mathtext": True, "axes.formatter.limits": (-3, 4), "path.simplify": True,
        "agg.path.chunksize": 20000, "svg.fonttype": "path", "pdf.fonttype": 42, "svg.hashsalt": "cotangent",
        "axes.unicode_minus": True})


def model_name(name):
    """A model's name as a heading has it: of one without a name above its own, with a capital letter."""
    return MODEL_NAMES.get(name) or name[:1].upper() + name[1:]


# --- symbols and numbers -----------------------------------------------------------------------------------------

def symbol(name):
    """A name of the deck as the literature writes it (mathtext, without dollars): q2_dot, p_t, alpha, p_q1."""
    if name == "energy":
        return "E"
    if name.endswith("_dot"):
        inner = symbol(name[:-4])
        stem, low, subscript = (inner, "", "") if r"\_" in inner else inner.partition("_")  # of a name in one, none is an index
        return rf"\dot{{{stem}}}{low}{subscript}"
    if name.startswith("p_"):
        return f"p_{{{symbol(name[2:])}}}"
    match = re.fullmatch(r"([A-Za-z]+)_?(\d+)", name)
    if match:
        return f"{symbol(match[1])}_{{{match[2]}}}"
    match = re.fullmatch(r"([A-Za-z]+)_([A-Za-z0-9]+)", name)
    if match:
        return f"{symbol(match[1])}_{{{symbol(match[2])}}}"
    if name in GREEK:
        return "\\" + name
    return name if len(name) == 1 else rf"\mathrm{{{name}}}".replace("_", r"\_").replace("-", "{-}")


def expression(source):
    """A condition such as 'p_t > 0 and q1_dot*q2 < 1' in mathtext."""
    functions = {"sin", "cos", "tan", "exp", "log"}
    words = {"and": r"\ \mathrm{and}\ ", "or": r"\ \mathrm{or}\ ", "pi": r"\pi "}

    def word(match):
        name = match[0]
        return words.get(name) or (rf"\{name} " if name in functions else rf"\mathrm{{{name}}}" if name == "sqrt"
                                   else symbol(name) + " ")
    out = re.sub(r"[A-Za-z_][A-Za-z_0-9]*", word, source)
    return out.replace(">=", r"\geq ").replace("<=", r"\leq ").replace("*", r"\,")


def label(name, units=""):
    """An axis label: the symbol, and its unit if it has one. A parameter of a billiard's set is named set.parameter."""
    owner, dot, parameter = name.rpartition(".")
    if dot:
        return f"{label(parameter, units)} of the {owner}"
    return f"${symbol(name)}$" + (f"  [{units}]" if units else "")


def number(value):
    """A value as one would write it: 1/8, −9.74, 2.5 × 10⁻¹³ (mathtext, without dollars)."""
    value = float(value)
    if value == round(value, 2) and abs(value) < 1e5:
        return f"{value:g}"
    fraction = Fraction(value).limit_denominator(99)
    if abs(value) > 1e-3 and abs(value - fraction) < 1e-12 and fraction.denominator <= 99 and value != round(value, 4):
        return f"{fraction.numerator}/{fraction.denominator}"
    if value == round(value, 3) and fraction == Fraction(str(value)) and fraction.numerator == 1:
        return f"1/{fraction.denominator}"
    plain = f"{value:.8g}"
    if "e" in plain or (0 < abs(value) < 1e-3):
        mantissa, exponent = f"{value:.3g}".split("e") if "e" in f"{value:.3g}" else f"{value:.2e}".split("e")
        return rf"{float(mantissa):g} \times 10^{{{int(exponent)}}}"
    return plain


def power(value):
    """A bound such as 3 × 10⁻¹⁴, one digit, rounded up."""
    if not value > 0:
        return "0"
    exponent = int(np.floor(np.log10(value)))
    mantissa = int(np.ceil(value / 10.0 ** exponent - 1e-9))
    if mantissa == 10:
        mantissa, exponent = 1, exponent + 1
    return (rf"{mantissa} \times " if mantissa > 1 else "") + rf"10^{{{exponent}}}"


def plural(count, noun):
    """'1 orbit', '576 orbits', with thin spaces between thousands from 10 000 on."""
    digits = f"{count:,}".replace(",", r"\,") if count >= 10000 else str(count)
    return f"${digits}$ {noun}" + ("" if count == 1 else "s")


# --- colour ------------------------------------------------------------------------------------------------------

_LMS = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                 [0.0883024619, 0.2817188376, 0.6299787005]])
_LAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                 [0.0259040371, 0.7827717662, -0.8086757660]])


def oklab_to_srgb(lab):
    """OKLab [..., 3] to sRGB in 0..1; colours outside the gamut are clipped."""
    linear = np.clip((np.asarray(lab) @ np.linalg.inv(_LAB).T) ** 3 @ np.linalg.inv(_LMS).T, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.power(linear, 1 / 2.4) - 0.055)


def srgb_to_oklab(rgb):
    """sRGB [..., 3] in 0..1 to OKLab."""
    rgb = np.asarray(rgb, float)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ _LMS.T) @ _LAB.T


def distinct(count):
    """`count` colours that can be told apart: the categorical palette, then a perceptually uniform scale."""
    if count <= len(CATEGORICAL):
        return np.array([matplotlib.colors.to_rgb(c) for c in CATEGORICAL[:count]])
    return sweep(count)


def sweep(count):
    """`count` colours for what is numbered in order, as a sweep's trajectories: few apart, many along a scale."""
    if count <= 4:
        return distinct(count)
    return matplotlib.colormaps[SEQUENTIAL](np.linspace(0, 0.92, count))[:, :3]


def height_map():
    """Low is deep blue, high is sand; lightness rises evenly."""
    stops = ["#14213d", "#1f4b7a", "#3f86a0", "#8fbfb0", "#e2dcb5", "#fbf3dc"]
    return matplotlib.colors.LinearSegmentedColormap.from_list("height", stops)
