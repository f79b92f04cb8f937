# SPDX-License-Identifier: BSD-3-Clause
"""What the page of a motion in space is told: a surface or a land, what moves on it, and when.

A page for the web has no room for all: surfaces are made coarser by gathering the vertices of a cell of a grid in one
(Rossignac and Borrel, Multi-resolution 3D approximations for rendering complex scenes, 1993), and of particles and
instants some are left out, which the page says.
"""
import base64

import numpy as np

from ..plot import billiards, captions, contours, lattices, particles
from ..plot.result import PlotError
from .section import plain

ROOMY, SMALL = 6_000_000, 105_000   # bytes of what moves, as packed
VERTICES, FEW = 60_000, 3_000       # of a surface
OUTLINE = 2000                      # an outline is off by one in so many of its length and width, at most


SHOWS = "the motion in space, turned and played"


def maker_of(result):
    """What makes the page of what a result holds, None where that isn't in space."""
    makers = {"water/depth": flood, "particles/position": swarm, "lattice/q": lattice, "trajectory/q": trajectories}
    return next((maker for name, maker in makers.items() if name in result), None)


def suits(result):
    """Whether there are places in space in it, or a lattice."""
    maker = maker_of(result)
    return maker is not None and (maker is not trajectories or result.file["trajectory/q"].shape[-1] in (2, 3))


def described(result, options):
    """(data, model) for page.assembled; no new motion starts in the page."""
    maker = maker_of(result)
    if maker is None:
        raise PlotError(f"{result.path}: nothing in it that the explorer shows (study '{result.study}')")
    small = bool(getattr(options, "small", False))
    data = {"kind": "space", "mesh": None, "points": None, "links": None, "field": None, "outline": None, "trails": False,
            "moving": False, "smooth": False, "flat": False, "dot": 4, "notes": [], "unit": "", "legend": ""}
    places = maker(result, options, data, SMALL if small else ROOMY, FEW if small else VERTICES)
    low, high = np.nanmin(places.reshape(-1, 3), 0), np.nanmax(places.reshape(-1, 3), 0)
    data.update(low=low.tolist(), high=high.tolist(), title=plain(options.title or lattices.NAMES.get(result.model) or captions.model(result)))
    if not data["legend"]:
        data["legend"] = ", ".join(f"{x} from {a:.3g} to {b:.3g}" for x, a, b in zip("xyz", low, high) if b > a)
    data["notes"] = [plain(note) for note in data["notes"] + [captions.method(result)] if note]
    return data, None


# --- packing -----------------------------------------------------------------------------------------------------

def packed(values, width=2):
    """Rows of numbers as whole numbers between the least and the greatest of their column; NaN is the least."""
    table = np.asarray(values, float).reshape(-1, np.shape(values)[-1])
    low, high = np.nanmin(table, 0), np.nanmax(table, 0)
    scale = np.where(high > low, high - low, 1)
    whole = np.rint(np.nan_to_num((table - low) / scale) * (256 ** width - 1)).astype("<u4")
    return {"data": text(whole, width), "bytes": width, "low": low.tolist(), "high": (low + scale).tolist()}


def text(whole, width):
    """Base64 of whole numbers of so many bytes."""
    return base64.b64encode(np.ascontiguousarray(whole, "<u4").reshape(-1, 1).view(np.uint8).reshape(-1, 4)[:, :width]
                            .tobytes()).decode()


def indices(table):
    """Whole numbers, packed as short as they can be."""
    width = 2 if np.max(table, initial=0) < 65536 else 4
    return {"data": text(np.asarray(table), width), "bytes": width}


def gathered(vertices, triangles, most):
    """(vertices, triangles, vertex -> gathered vertex): as they are, or those of a cell of a grid in one."""
    if len(vertices) <= most:
        return vertices, triangles, np.arange(len(vertices))
    low, size = vertices.min(0), np.ptp(vertices, 0).max()
    for cells in np.unique(np.geomspace(400, 4, 60).astype(int))[::-1]:
        _, where = np.unique(np.floor((vertices - low) / size * cells).astype(int), axis=0, return_inverse=True)
        where = where.ravel()
        if where.max() < most:
            break
    joined = where[triangles]
    kept = (joined[:, 0] != joined[:, 1]) & (joined[:, 1] != joined[:, 2]) & (joined[:, 2] != joined[:, 0])
    joined = joined[kept]
    _, first = np.unique(np.sort(joined, 1), axis=0, return_index=True)
    return averaged(vertices, where), joined[np.sort(first)], where


def averaged(values, where):
    """Means of values [n, ...] over what is gathered."""
    total = np.zeros((where.max() + 1, *values.shape[1:]))
    np.add.at(total, where, values)
    return total / np.bincount(where).reshape(-1, *[1] * (values.ndim - 1))


def surface(result, data, most, inside=False):
    """Puts the surface of a result into the data; its vertices, or None."""
    if "surface/triangles" not in result:
        return None
    vertices, triangles, _ = gathered(result.array("surface/vertices"), result.array("surface/triangles"), most)
    data["mesh"] = {"vertices": packed(vertices), "triangles": indices(triangles), "closed": True, "inside": inside}
    return vertices


def thinned(data, times, places, room, what, keep_all=False):
    """Instants and points, as many as there is room for; puts them into the data. places [instants, points, 3]."""
    instants, count = places.shape[:2]
    affordable = max(2, room // 8)
    frames, chosen = np.arange(instants), np.arange(count)
    if instants * count > affordable:
        fewest = min(instants, 100)
        if not keep_all and count * fewest > affordable:
            chosen = np.unique(np.linspace(0, count - 1, max(1, affordable // fewest)).astype(int))
        frames = np.unique(np.linspace(0, instants - 1, max(2, affordable // len(chosen))).astype(int))
    if len(chosen) < count:
        data["notes"].append(f"{len(chosen)} of {count} {what}")
    if len(frames) < instants:
        data["notes"].append(f"{len(frames)} of {instants} instants")
    places = places[frames][:, chosen]
    moved = np.nanmedian(np.linalg.norm(np.diff(places, axis=0), axis=-1)) if len(frames) > 1 else 0
    data["smooth"] = bool(moved < 0.1 * np.linalg.norm(np.ptp(np.nan_to_num(places.reshape(-1, 3)), 0)))
    data["points"] = packed(places) | {"count": len(chosen)}
    data["times"] = [float(t) for t in times[frames]]
    return places


def held(places, data, what):
    """Places [instants, points, 3] of which those that have ended stay where they were last; how many those are is noted."""
    known = np.isfinite(places).all(2)
    if known.all():
        return places
    ended = np.count_nonzero(~known[-1])
    data["notes"].append(f"{ended} of {len(known[-1])} {what} ended earlier, and stay where they did")
    last = np.maximum.accumulate(np.where(known, np.arange(len(known))[:, None], known.argmax(0)), 0)
    return np.take_along_axis(places, last[..., None], 0)


def lifted(places):
    """With a third coordinate, 0, where there are but two."""
    return places if places.shape[-1] == 3 else np.concatenate([places, np.zeros((*places.shape[:-1], 3 - places.shape[-1]))], -1)


# --- what moves --------------------------------------------------------------------------------------------------

def trajectories(result, options, data, room, most):
    """Samples of an ensemble: on a surface, in a billiard, or in the plane of the first two coordinates."""
    ids = result.run(options.chosen(result.orbits))
    q, time = result.array("trajectory/q")[ids], result.array("trajectory/time")
    if q.shape[-1] > 3 or q.shape[-1] < 2:
        raise PlotError(f"{result.path}: its {q.shape[-1]} coordinates aren't places in space")
    known = np.isfinite(q).all(2) & np.isfinite(time)
    flown, good = known.any(1), known.any(0)
    if not flown.any():
        raise PlotError(f"{result.path}: no sample of the trajectories" + (" yet" if result.pending() else ": none could start"),
                        1 if result.pending() else 2)
    if not flown.all():
        data["notes"].append(f"{np.count_nonzero(~flown)} of {len(ids)} trajectories couldn't start")
    ids = ids[flown]
    places = held(np.swapaxes(lifted(q[flown][:, good]), 0, 1), data, "trajectories")
    vertices = surface(result, data, most, inside=result.study == "billiard")
    data.update(flat=q.shape[-1] == 2, trails=len(ids) <= 60, dot=6 if len(ids) <= 60 else 4,
                unit=" " + result.units("trajectory/time"))
    places = thinned(data, time[good], places, room, "trajectories")
    ends = [places.reshape(-1, 3)] + ([vertices] if vertices is not None else [])
    loops = billiards.loops(result) if "domain/outline" in result else []
    if loops:
        size = np.ptp(np.concatenate(loops), 0).max()
        loops = [contours.simplified(loop, size / OUTLINE) for loop in loops]
        data["outline"] = [[[float(f"{x:.5g}") for x in point] for point in loop] for loop in loops]
        ends += [lifted(loop) for loop in loops]
    return np.concatenate(ends)


def swarm(result, options, data, room, most):
    """Particles, or points that rods join."""
    good = particles.frames(result)
    time, places = result.array("particles/time")[good], result.array("particles/position")[good]
    vertices = surface(result, data, most)
    data.update(unit=" " + result.units("particles/time"), flat=places.shape[-1] == 2)
    rods = "particles/ends" in result
    if vertices is not None and not rods:  # along periodic axes particles are where they travelled to: fold them back
        low, high = vertices.min(0), vertices.max(0)
        beyond = (places > high + 0.2 * (high - low)) | (places < low - 0.2 * (high - low))
        for k in np.flatnonzero(beyond.any((0, 1))):
            places[..., k] = low[k] + np.mod(places[..., k] - low[k], high[k] - low[k])
    places = thinned(data, time, held(lifted(places), data, "particles"), room, "particles", keep_all=rods)
    count = places.shape[1]
    data["dot"] = (3 if count > 400 else 5) if not rods else 0 if count > 300 else 3
    if rods:
        data["links"] = indices(result.array("particles/ends"))
        data["smooth"] = True
    else:
        data["trails"] = count <= 60
    return np.concatenate([places.reshape(-1, 3)] + ([vertices] if vertices is not None else []))


def lattice(result, options, data, room, most):
    """A sheet in space, a chain in the plane, or a field over its sites."""
    good = result.written("lattice/frame_time")
    shape = result.array("lattice/shape")  # written with the first state: 0 before
    if good.size == 0 or not shape.all():
        raise PlotError(f"{result.path}: no whole state in it yet", 1)
    time = result.array("lattice/frame_time")[good]
    place = result.array("lattice/place")
    columns = result.columns("lattice/q")
    if "lattice/position" in result:
        places = result.array("lattice/position")[good]
    elif columns == ["x", "y"]:
        places = result.array("lattice/q")[good]
    else:
        value = result.array("lattice/q")[good][..., 0]
        places = np.stack([np.broadcast_to(place[:, 0], value.shape), np.broadcast_to(place[:, 1], value.shape), value], -1)
        if shape[1] == 1:  # a curve over the line of sites, seen from the front, as high as a third of its length
            height = max(np.ptp(value), 1e-300)
            raised = value * np.ptp(place[:, 0]) / 3 / height
            places = np.stack([places[..., 0], raised, np.zeros_like(raised)], -1)
            data["legend"] = (f"{columns[0]} from {value.min():.3g} to {value.max():.3g} over the sites, "
                              f"{place[:, 0].min():.4g} to {place[:, 0].max():.4g}")
    places = lifted(places)
    columns_, rows = int(shape[0]), int(shape[1])
    data["flat"] = bool(np.ptp(places[..., 2]) == 0)
    grid = np.arange(columns_ * rows).reshape(rows, columns_)
    step = int(np.ceil(np.sqrt(grid.size / max(most, 1)))) if rows > 1 else max(1, grid.size // 400)
    grid = grid[::step, ::step] if rows > 1 else grid[:, ::step]
    places = places[:, grid.ravel()]
    if step > 1:
        data["notes"].append(f"one in {step} sites along each side")
    index = np.arange(grid.size).reshape(grid.shape)
    places = thinned(data, time, places, room, "sites", keep_all=True)
    data["smooth"], data["dot"], data["unit"] = True, 0, " " + result.units("lattice/frame_time")
    if rows > 1:
        a, b, c, d = index[:-1, :-1].ravel(), index[:-1, 1:].ravel(), index[1:, 1:].ravel(), index[1:, :-1].ravel()
        triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
        data["moving"] = True
        data["mesh"] = {"vertices": packed(places[0]), "triangles": indices(triangles), "closed": False, "inside": False}
    else:
        data["links"] = indices(np.stack([index[0, :-1], index[0, 1:]], 1))
    return places.reshape(-1, 3)


def flood(result, options, data, room, most):
    """Water over a land: the bed, raised to be seen, and the depth on it."""
    good = result.written("water/time")
    if good.size == 0:
        raise PlotError(f"{result.path}: no instant of the water yet", 1)
    points, bed, cells = result.array("mesh/vertices"), result.array("mesh/bed"), result.array("mesh/cells")
    flat, cells, where = gathered(lifted(points), cells, most)
    affordable = max(2, room * 3 // 4 // len(flat))
    frames = good[np.unique(np.linspace(0, good.size - 1, min(good.size, affordable)).astype(int))]
    if len(frames) < good.size:
        data["notes"].append(f"{len(frames)} of {good.size} instants")
    if len(flat) < len(points):
        data["notes"].append(f"{len(flat)} of {len(points)} places")
    depth = np.stack([averaged(result.array("water/depth", int(k)), where) for k in frames])
    low, high = flat.min(0), flat.max(0)
    relief = max(np.ptp(bed), depth.max(), 1e-300)
    raise_ = 0.15 * np.ptp(flat[:, :2], 0).max() / relief
    flat[:, 1] *= max(1.0, 0.15 * (high[0] - low[0]) / max(high[1] - low[1], 1e-300))  # a strip is drawn wider
    flat[:, 2] = averaged(bed, where) * raise_
    data["mesh"] = {"vertices": packed(flat), "triangles": indices(cells), "closed": False, "inside": False}
    data["field"] = packed(depth.reshape(-1, 1), 1) | {"raise": raise_}
    unit = " " + result.units("water/depth") if result.units("water/depth") else ""
    data.update(times=[float(t) for t in result.array("water/time")[frames]], unit=" " + result.units("water/time"),
                legend=f"Depth from 0 (land) to {depth.max():.3g}{unit}, light to dark; heights drawn {raise_:.3g} times as large.")
    return np.concatenate([flat, flat + [0, 0, depth.max() * raise_]])
