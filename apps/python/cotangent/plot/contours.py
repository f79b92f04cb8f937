# SPDX-License-Identifier: BSD-3-Clause
"""Level lines: no more points than their shape needs, and no closer to those of other levels than the eye tells apart.

References: D. Douglas and T. Peucker, Algorithms for the reduction of the number of points required to represent a
digitized line or its caricature, Cartographica 10 (1973) 112. Where lines crowd, some end, as intermediate contours of maps
do on steep slopes (E. Imhof, Cartographic relief presentation, 1982); that a line goes on only where those before it leave
it a distance is B. Jobard and W. Lefer, Creating evenly-spaced streamlines of arbitrary density, Visualization in
scientific computing (1997) 43.
"""
import contourpy
import matplotlib
import numpy as np

GAP = 2.0           # points (1/72 inch) between lines of different levels
TOLERANCE = 0.1     # points that a line may be off: a third of a pixel at 200 pixels per inch
SHORTEST = 10       # gaps: what is left of a line is drawn from this length on


def simplified(points, tolerance):
    """Those points of a polyline that keep it where it is, by Douglas and Peucker.

    points: [n, d], in any unit; the result: [m, d] of them in their order, m <= n. The first and the last stay, so a closed
    line (first equal to last) stays closed. No place of the line, at its points or between them, is farther than
    `tolerance`, in the unit of the points, from the result.
    """
    points = np.asarray(points, float)
    if len(points) < 3:
        return points
    kept = np.zeros(len(points), bool)
    kept[[0, -1]] = True
    stretches = [(0, len(points) - 1)]
    while stretches:
        first, last = stretches.pop()
        if last - first < 2:
            continue
        away = distances(points[first + 1:last], points[first], points[last])
        farthest = int(away.argmax())
        if away[farthest] > tolerance:
            middle = first + 1 + farthest
            kept[middle] = True
            stretches += [(first, middle), (middle, last)]
    return points[kept]


def distances(points, start, end):
    """Of points [n, d] from the segment between two: [n]."""
    along = end - start
    share = np.clip((points - start) @ along / max(along @ along, 1e-300), 0, 1)
    return np.linalg.norm(points - start - share[:, None] * along, axis=1)


def uncrowded(levels, gap, taken=()):
    """The lines of levels, each left out where a line before it is nearer than `gap`.

    levels: for each level its lines [n, 2], in the unit of `gap`; taken: lines [n, 2] that others keep away from. The result
    is like `levels`, of parts of the same lines. Every second level comes before those between, every fourth before those,
    and so on, so that where all crowd every second one goes, then every fourth. Lines of one level don't count as a crowd.
    Distances are those on a raster of a quarter of the gap: two lines come as near as 0.6 gap at the least.
    """
    every = [line for lines in (*levels, taken) for line in lines if len(line)]
    result = [[] for _ in levels]
    if not every:
        return result
    cell = gap / 4
    low = np.min([line.min(0) for line in every], 0) - 2 * gap
    shape = np.ceil((np.max([line.max(0) for line in every], 0) + 2 * gap - low) / cell).astype(int)
    crowded = np.zeros(shape, bool)
    disc = [(i, j) for i in range(-4, 5) for j in range(-4, 5) if i * i + j * j < 16]

    def cells(line):
        return np.floor((line - low) / cell).astype(int).T

    def occupy(lines):
        for line in lines:
            i, j = cells(dense(line, cell))
            for right, up in disc:
                crowded[i + right, j + up] = True

    occupy(taken)
    halvings = [(n & -n).bit_length() for n in range(1, len(levels) + 1)]  # of the level's number n, counted from 1
    for k in sorted(range(len(levels)), key=lambda k: -halvings[k]):
        for line in map(np.asarray, levels[k]):
            if len(line) < 2:
                continue
            line = dense(line, cell)
            result[k] += parts(line, ~crowded[tuple(cells(line))], SHORTEST * gap)
        occupy(result[k])
    return result


def dense(line, step):
    """A line [n, 2] with points between its own, none farther than `step` from the next."""
    counts = np.maximum(1, np.ceil(np.linalg.norm(np.diff(line, axis=0), axis=1) / step)).astype(int)
    places = np.concatenate([[0], np.cumsum(counts)])
    at = np.arange(places[-1] + 1)
    return np.stack([np.interp(at, places, column) for column in np.asarray(line, float).T], 1)


def parts(line, shown, shortest):
    """The stretches of a line [n, 2] whose points are shown [n], those shorter than `shortest` left out; a whole line stays."""
    if shown.all():
        return [line]
    if not shown.any():
        return []
    if (line[0] == line[-1]).all():  # closed: it begins where it is hidden
        turn = int(shown[:-1].argmin())
        line = np.concatenate([line[turn:-1], line[:turn + 1]])
        shown = np.concatenate([shown[turn:-1], shown[:turn + 1]])
    ends = np.flatnonzero(np.diff(np.concatenate([[False], shown, [False]]).astype(int)))
    found = [line[first:last] for first, last in ends.reshape(-1, 2)]
    return [part for part in found if np.linalg.norm(np.diff(part, axis=0), axis=1).sum() >= shortest]


def of_grid(x, y, values, levels):
    """For each level its lines [n, 2] on a grid: x [n], y [m], or both [m, n], and values [m, n]."""
    generator = contourpy.contour_generator(x, y, values, line_type="Separate")
    return [generator.lines(level) for level in levels]


def fill(axis, x, y, values, edges, colours):
    """Fills the bands between edges, [k + 1] and increasing, of values on a grid (`of_grid`) with colours [k]. Each band is
    drawn with those above it, and the next one over it: simplified outlines leave no seams. An edge of the last band within
    the picture is as often drawn as there are bands, and so not smooth. The axis' limits must stand.
    """
    generator = contourpy.contour_generator(x, y, values, fill_type="OuterOffset")
    top = edges[-1] if np.max(values) > edges[-1] else edges[-1] + 1  # above the greatest value, which belongs to its band
    scale = axis.figure.dpi / 72
    forth, back = axis.transData, axis.transData.inverted()
    for edge, colour in zip(edges, colours):
        loops = []
        for points, offsets in zip(*generator.filled(edge, top)):
            for first, last in zip(offsets[:-1], offsets[1:]):
                loop = simplified(forth.transform(points[first:last]) / scale, TOLERANCE)
                if len(loop) > 3:  # three corners and the first again
                    loops.append(matplotlib.path.Path(back.transform(loop * scale), closed=True))
        if loops:
            whole = matplotlib.path.Path.make_compound_path(*loops)
            axis.add_patch(matplotlib.patches.PathPatch(whole, facecolor=colour, edgecolor="none", zorder=1))


def of_mesh(axis, mesh, values, count):
    """The lines [n, 2] of about `count` round levels of values at the vertices of a mesh of triangles."""
    found = axis.tricontour(mesh, values, count)
    lines = [[np.asarray(line) for line in level] for level in found.allsegs]
    for part in [found] if hasattr(found, "remove") else found.collections:
        part.remove()
    return lines


def draw(axis, levels, taken=(), **look):
    """Draws the lines of levels (for each its lines [n, 2], in the axis' coordinates), uncrowded and simplified, in one
    collection; returns it. `taken`: lines that they keep away from. The axis' limits must stand.
    """
    axis.apply_aspect()
    scale = 72 / axis.figure.dpi

    def to_points(lines):
        return [axis.transData.transform(line) * scale for line in lines if len(line)]

    apart = uncrowded([to_points(lines) for lines in levels], GAP, to_points(taken))
    back = axis.transData.inverted()
    lines = [back.transform(simplified(line, TOLERANCE) / scale) for level in apart for line in level]
    collection = matplotlib.collections.LineCollection(lines, **look)
    axis.add_collection(collection, autolim=False)
    return collection
