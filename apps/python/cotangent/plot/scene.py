# SPDX-License-Identifier: BSD-3-Clause
"""A surface of triangles seen from a place in space: shaded into an image with a depth for each pixel, against
which points of curves are judged visible or hidden.

The camera looks at the middle of a box of half diagonal 1 from the distance FAR; (u, v) are the picture's coordinates
and w is the distance from the camera's plane. Depth buffer after Catmull (1974); light wraps round the form.
"""
import numpy as np

from . import style

FAR = 5.0
SAG = 0.002  # of the half diagonal: so far triangles may lie below the surface; in depth more where it is steep
BATCH = 1_500_000


class View:
    """The camera for a box (low, high): azimuth and elevation of its place, in degrees."""

    def __init__(self, low, high, azimuth=-62.0, elevation=36.0):
        self.centre, self.scale = 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low)) or 1.0
        a, e = np.radians([azimuth, elevation])
        toward = np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        self.axes = np.stack([right, np.cross(toward, right), toward])  # right, up, toward the camera

    def project(self, places):
        """(u, v, w) of places [.., 3]."""
        x = (np.asarray(places, float) - self.centre) / self.scale @ self.axes.T
        w = FAR - x[..., 2]
        return np.concatenate([x[..., :2] * (FAR / w)[..., None], w[..., None]], -1)

    def turned(self, directions):
        """Directions in the camera's frame."""
        return directions @ self.axes.T


class Picture:
    """A surface as the view has it. vertices, normals [nv, 3], triangles [nt, 3]; size is its pixels' side in u."""

    def __init__(self, view, vertices, normals, triangles, size):
        self.view, self.size = view, size
        seen = view.project(vertices)
        low, high = seen[:, :2].min(0) - 3 * size, seen[:, :2].max(0) + 3 * size
        self.low = low
        self.shape = tuple(np.ceil((high - low) / size).astype(int)[::-1])
        self.extent = (low[0], low[0] + size * self.shape[1], low[1], low[1] + size * self.shape[0])
        self.depth = np.full(self.shape[0] * self.shape[1], np.inf)
        self.normal = np.zeros((self.depth.size, 3), np.float32)
        at = np.column_stack([(seen[:, :2] - low) / size - 0.5, seen[:, 2]])
        turned = view.turned(normals)
        counts, boxes = self._boxes(at, triangles)
        ends = np.cumsum(counts)
        first = 0
        while first < len(triangles):
            last = max(first + 1, int(np.searchsorted(ends, (ends[first - 1] if first else 0) + BATCH)))
            self._fill(at, turned, triangles[first:last], boxes[first:last], counts[first:last])
            first = last
        self.depth = self.depth.reshape(self.shape)
        self.normal = self.normal.reshape(*self.shape, 3)
        steep = np.abs(self.normal[..., 2]) / np.maximum(np.linalg.norm(self.normal, axis=-1), 1e-9)
        self.margin = SAG / np.clip(steep, 0.1, 1)
        padded = np.pad(self.depth, 1, mode="edge")
        self.farthest = np.max([padded[i:i + self.shape[0], j:j + self.shape[1]] for i in range(3) for j in range(3)],
                               axis=0)

    @staticmethod
    def _boxes(at, triangles):
        """How many pixels each triangle may cover, and (first column, first row, width) of these."""
        corners = at[triangles][..., :2]
        low, high = np.ceil(corners.min(1)).astype(int), np.floor(corners.max(1)).astype(int)
        extent = np.maximum(high - low + 1, 0)
        return extent.prod(1), np.column_stack([low, np.maximum(extent[:, 0], 1)])

    def _fill(self, at, normals, triangles, boxes, counts):
        """Draws triangles into the buffers."""
        owner = np.repeat(np.arange(len(triangles)), counts)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        x, y = boxes[owner, 0] + place % boxes[owner, 2], boxes[owner, 1] + place // boxes[owner, 2]
        a, b, c = (at[triangles[owner, k]] for k in range(3))
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        with np.errstate(invalid="ignore", divide="ignore"):
            s = ((x - a[:, 0]) * (c[:, 1] - a[:, 1]) - (y - a[:, 1]) * (c[:, 0] - a[:, 0])) / area
            t = ((b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (b[:, 1] - a[:, 1]) * (x - a[:, 0])) / area
        r = 1 - s - t
        w = r * a[:, 2] + s * b[:, 2] + t * c[:, 2]
        pixel = y * self.shape[1] + x
        inside = np.flatnonzero((s >= -1e-9) & (t >= -1e-9) & (r >= -1e-9))
        inside = inside[w[inside] < self.depth[pixel[inside]]]
        inside = inside[np.argsort(-w[inside])]  # the nearest comes last, and stays
        self.depth[pixel[inside]] = w[inside]
        weights = np.stack([r[inside], s[inside], t[inside]], 1)
        normal = np.einsum("ik,ikj->ij", weights, normals[triangles[owner[inside]]])
        side = np.sign(area[inside])  # of the triangle: near its rim the form's normal may look to the other
        normal[:, 2] = side * np.maximum(side * normal[:, 2], 0)
        self.normal[pixel[inside]] = normal

    def image(self):
        """RGBA [height, width, 4], row 0 at the bottom: a pale ceramic, warm in the light and cool in the shade."""
        there = np.isfinite(self.depth)
        n = self.normal / np.maximum(np.linalg.norm(self.normal, axis=-1, keepdims=True), 1e-9)
        inner = n[..., 2] < 0
        n = np.where(inner[..., None], -n, n)
        light, half = (np.array(d) / np.linalg.norm(d) for d in ((-0.55, 0.75, 0.75), (-0.3, 0.42, 0.95)))
        wrap = np.clip((n @ light + 0.45) / 1.45, 0, 1)
        rim = (1 - np.clip(n[..., 2], 0, 1)) ** 3
        shine = np.clip(n @ half, 0, 1) ** 40
        brightness = 0.66 + 0.29 * wrap - 0.14 * rim + 0.05 * shine - 0.12 * inner
        lab = np.stack([brightness, 0.004 * wrap - 0.004, 0.030 * wrap - 0.022], -1)
        return np.dstack([style.oklab_to_srgb(lab), there])

    def visible(self, places):
        """Whether no part of the surface lies before places [.., 3]."""
        seen = self.view.project(places)
        pixel = np.floor((seen[..., :2] - self.low) / self.size)
        with np.errstate(invalid="ignore"):
            column = np.nan_to_num(np.clip(pixel[..., 0], 0, self.shape[1] - 1)).astype(int)
            row = np.nan_to_num(np.clip(pixel[..., 1], 0, self.shape[0] - 1)).astype(int)
            return seen[..., 2] <= self.farthest[row, column] + self.margin[row, column]


def halved(image):
    """An RGBA image at half its resolution, colours weighted by coverage."""
    image = image[:image.shape[0] // 2 * 2, :image.shape[1] // 2 * 2]
    blocks = image.reshape(image.shape[0] // 2, 2, image.shape[1] // 2, 2, 4)
    cover = blocks[..., 3:].sum((1, 3))
    colour = (blocks[..., :3] * blocks[..., 3:]).sum((1, 3)) / np.maximum(cover, 1e-9)
    return np.dstack([colour, cover / 4])
