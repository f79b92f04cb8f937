# SPDX-License-Identifier: BSD-3-Clause
"""Many points as one image: every point is a small Gaussian dot; dots add up as ink does.

A pixel that has received the amount w of ink of colours c is covered by 1 - exp(-w) and has the mean colour, taken
in OKLab. 10^6 points take a second, none hides another, and the picture's size does not grow with them.
"""
import numpy as np

from . import style

BATCH = 2_000_000


def dot_radius(points, pixels, coverage=0.22):
    """The dots' standard deviation in pixels, so that all together would cover a given part of the picture."""
    return float(np.clip(np.sqrt(coverage * pixels / (max(points, 1) * 2 * np.pi)), 0.42, 1.1))


def _blurred(image, sigma):
    """The image convolved with a Gaussian of unit peak, along both axes."""
    reach = max(1, int(np.ceil(3 * sigma)))
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    for axis in (0, 1):
        padded = np.pad(image, [(reach, reach) if a == axis else (0, 0) for a in range(image.ndim)])
        length = image.shape[axis]
        image = sum(tap * np.take(padded, range(k, k + length), axis) for k, tap in enumerate(taps))
    return image


def paint(x, y, lab, ink, limits, size, sigma, oversampling=2):
    """The RGBA image [height, width, 4] of the points x, y [n, m], row 0 at the top.

    lab [n, 3] is the colour and ink [n] the amount of one dot of each orbit; limits are (x0, x1, y0, y1), size
    (width, height) in pixels. NaN and points outside are left out.
    """
    width, height = size[0] * oversampling, size[1] * oversampling
    x0, x1, y0, y1 = limits
    layers = np.zeros((4, width * height))
    rows = max(1, BATCH // max(1, x.shape[1]))
    for start in range(0, x.shape[0], rows):
        part = slice(start, start + rows)
        with np.errstate(invalid="ignore"):
            i = (x[part] - x0) * (width / (x1 - x0))
            j = (y1 - y[part]) * (height / (y1 - y0))
            inside = (i >= 0) & (i < width) & (j >= 0) & (j < height)
        orbit = np.broadcast_to(np.arange(x.shape[0])[part, None], inside.shape)[inside]
        cell = j[inside].astype(np.int64) * width + i[inside].astype(np.int64)
        for layer, amount in zip(layers, (ink, *(ink * lab[:, k] for k in range(3)))):
            layer += np.bincount(cell, amount[orbit], layer.size)
    image = _blurred(layers.T.reshape(height, width, 4), sigma * oversampling)
    image = image.reshape(size[1], oversampling, size[0], oversampling, 4).mean(axis=(1, 3))
    amount = image[..., 0]
    colour = image[..., 1:] / np.maximum(amount, 1e-12)[..., None]
    return np.dstack([style.oklab_to_srgb(colour), 1 - np.exp(-amount)])
