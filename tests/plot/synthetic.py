# SPDX-License-Identifier: BSD-3-Clause
"""Small result files in the layout of format version 1, for the tests of cotangent-plot.

The sections are those of Hénon-Heiles, computed here by Störmer-Verlet with linear interpolation: good enough for a
picture, and independent of the program.
"""
import h5py
import numpy as np

STATUS_NAMES = ["pending", "finished", "time_limit", "step_too_small", "newton_diverged", "left_domain",
                "singular_mass_matrix", "infeasible_start", "non_finite"]
COLUMNS = ["q1", "q2", "q1_dot", "q2_dot"]


def starts(energy, side):
    """A grid of starts on the section q1 = 0 [side^2, 4]; NaN where the energy does not reach."""
    q2, v2 = (a.ravel() for a in np.meshgrid(np.linspace(-0.3, 0.5, side), np.linspace(-0.3, 0.3, side)))
    with np.errstate(invalid="ignore"):
        v1 = np.sqrt(2 * energy - v2 ** 2 - q2 ** 2 + 2 / 3 * q2 ** 3)
    return np.stack([np.zeros_like(q2), q2, v1, v2], 1)


def section(initial, crossings, step=0.05):
    """The first upward crossings of q1 = 0 [n, crossings, 4] and their times; NaN for starts that are NaN."""
    points = np.full((len(initial), crossings, 4), np.nan)
    times = np.full((len(initial), crossings), np.nan)
    rows = np.flatnonzero(np.isfinite(initial).all(1))
    x, y, u, v = initial[rows].T
    count, t = np.zeros(len(rows), int), 0.0
    while count.size and count.min() < crossings:
        before = np.stack([x, y, u, v], 1)
        u, v = u - 0.5 * step * (x + 2 * x * y), v - 0.5 * step * (y + x * x - y * y)
        x, y = x + step * u, y + step * v
        u, v = u - 0.5 * step * (x + 2 * x * y), v - 0.5 * step * (y + x * x - y * y)
        hit = np.flatnonzero((before[:, 0] < 0) & (x >= 0) & (count < crossings))
        part = (-before[hit, 0] / (x[hit] - before[hit, 0]))[:, None]
        after = np.stack([x, y, u, v], 1)
        points[rows[hit], count[hit]] = (1 - part) * before[hit] + part * after[hit]
        times[rows[hit], count[hit]] = t + step * part[:, 0]
        count[hit] += 1
        t += step
    return points, times


def put(group, name, data, units="1", meaning="", **attributes):
    """A data set with its attributes."""
    item = group.create_dataset(name, data=data)
    item.attrs.update({"units": units, "meaning": meaning or name, **attributes})
    return item


def head(file, study, deck):
    """What every result file begins with."""
    file.attrs.update({"format": "cotangent", "format_version": 1, "study": study})
    file["deck"] = f'study = "{study}"\n{deck}'
    file.create_group("provenance").attrs["version"] = "0.1.0"
    file.create_group("run")


def poincare(path, energies=(1 / 8,), side=5, crossings=80, method="gauss", pending=0):
    """A Poincaré ensemble, side^2 orbits for each energy; the last `pending` orbits are not yet run, so zero."""
    initial = np.concatenate([starts(energy, side) for energy in energies])
    points, times = section(initial, crossings)
    status = np.where(np.isfinite(initial).all(1), 1, 7).astype("i4")
    count = np.isfinite(times).sum(1)
    error = np.where(status == 1, 1e-15 * (1 + np.arange(len(status))), np.nan)
    if pending:
        for data in (points, times, status, count, error):
            data[-pending:] = 0
    with h5py.File(path, "w") as file:
        head(file, "poincare", f'[model]\nname = "henon-heiles"\n[method]\nname = "{method}"\nstages = 8\nstep = 0.5\n'
             '[section]\nwhere = "q1"\nvalue = 0.0\ndirection = "up"\n'
             f'[ensemble]\nenergy = {list(energies)}\n[stop]\ncrossings = {crossings}\n')
        orbits, crossed = file.create_group("orbits"), file.create_group("section")
        put(orbits, "initial", initial, columns=COLUMNS)
        put(orbits, "final", points[:, -1], columns=COLUMNS)
        put(orbits, "status", status, names=STATUS_NAMES)
        put(orbits, "energy_error", error)
        put(orbits, "crossing_count", count)
        put(orbits, "parameters", np.repeat(energies, side * side)[:, None], columns=["energy"])
        put(crossed, "points", points, columns=COLUMNS)
        put(crossed, "time", times)


def trajectories(path, model="double-pendulum", count=3, samples=200, coordinates=("a", "b")):
    """Sampled trajectories: two sines of each, with their derivatives."""
    time = np.linspace(0, 10, samples)
    phase = np.arange(count)[:, None]
    q = np.stack([np.sin(time + phase), 0.5 * np.cos(2 * time + phase)], 2)
    v = np.stack([np.cos(time + phase), -np.sin(2 * time + phase)], 2)
    with h5py.File(path, "w") as file:
        head(file, "trajectory", f'[model]\nname = "{model}"\nl1 = 1.0\nl2 = 1.0\nalpha = 18.0\n')
        columns = [*coordinates, *(name + "_dot" for name in coordinates)]
        orbits, sampled = file.create_group("orbits"), file.create_group("trajectory")
        put(orbits, "initial", np.concatenate([q[:, 0], v[:, 0]], 1), columns=columns)
        put(orbits, "status", np.ones(count, "i4"), names=STATUS_NAMES)
        put(sampled, "time", time, "s")
        put(sampled, "q", q, "rad")
        put(sampled, "v", v, "rad/s")
        put(sampled, "energy", 1 + 1e-13 * np.sin(time + phase))


def coordinates(path, names, units=None, v_units=None, count=2, samples=120, parameters="", q=None):
    """Sampled trajectories of any coordinates: sines of their own frequencies, or as given [count, samples, names]."""
    time, rank = np.linspace(0, 6, samples), np.arange(1, len(names) + 1)
    if q is None:
        q = np.sin(time[None, :, None] * rank + np.arange(count)[:, None, None])
    v = np.gradient(q, time, axis=1)
    with h5py.File(path, "w") as file:
        head(file, "trajectory", f'[model]\nname = "own"\n{parameters}')
        orbits, sampled = file.create_group("orbits"), file.create_group("trajectory")
        rates = [name + "_dot" for name in names]
        put(orbits, "initial", np.concatenate([q[:, 0], v[:, 0]], 1), columns=[*names, *rates])
        put(orbits, "status", np.ones(count, "i4"), names=STATUS_NAMES)
        put(sampled, "time", time)
        put(sampled, "q", q, units or "1", columns=list(names))
        put(sampled, "v", v, v_units or "1", columns=rates)
        put(sampled, "energy", np.tile(1 + 1e-13 * np.sin(time), (count, 1)))


def unequal_section(path, deck="", momentum=False):
    """A section sin(t / 2) = 0 of two angles: t is a multiple of 2 pi, up to round-off, and (s, s_dot) turn on ovals."""
    turn = np.linspace(0, 60, 200)[None] + np.arange(4)[:, None]
    size = np.linspace(0.1, 0.9, 4)[:, None]
    t = 2 * np.pi * np.random.default_rng(1).integers(-3, 4, turn.shape) + 1e-13 * np.sin(turn)
    points = np.stack([t, size * np.cos(turn), 1 + size * np.sin(2 * turn), size * np.sin(turn)], 2)
    columns, units = ["t", "s", "t_dot", "s_dot"], ["rad", "rad", "rad/time", "rad/time"]
    with h5py.File(path, "w") as file:
        head(file, "poincare", '[model]\nname = "magnetic-chain-unequal"\n[section]\nwhere = "sin(t / 2)"\n' + deck)
        orbits, crossed = file.create_group("orbits"), file.create_group("section")
        put(orbits, "initial", points[:, 0], units, columns=columns)
        put(orbits, "status", np.ones(4, "i4"), names=STATUS_NAMES)
        put(crossed, "points", points, units, columns=columns)
        if momentum:
            put(crossed, "plot", np.stack([points[..., 1], 3 * points[..., 3]], 2), ["rad", "1"], columns=["s", "p_s"])


def landscape(path, alphas=(1.0,), model="own"):
    """The double well (x^2 - 1)^2 / 4 + alpha y^2 / 2, with its edge at x = 2 and a pass at the origin."""
    x, y = np.linspace(-2.5, 2.5, 101), np.linspace(-1.5, 1.5, 81)
    grid = np.meshgrid(x, y, indexing="ij")
    energy = np.array([(grid[0] ** 2 - 1) ** 2 / 4 + alpha * grid[1] ** 2 / 2 for alpha in alphas])
    admissible = np.repeat((np.abs(grid[0]) <= 2)[None], len(alphas), 0).astype("i4")
    index = np.repeat(np.arange(len(alphas)), 3)
    with h5py.File(path, "w") as file:
        head(file, "landscape", f'[model]\nname = "{model}"\n')
        group = file.create_group("landscape")
        put(group, "x", x)
        put(group, "y", y)
        put(group, "energy", energy if len(alphas) > 1 else energy[0])
        put(group, "admissible", admissible if len(alphas) > 1 else admissible[0])
        put(group, "parameters", np.array(alphas)[:, None], columns=["alpha"])
        points, passes = group.create_group("stationary"), group.create_group("passes")
        for name, values in (("x", [-1.0, 0.0, 1.0]), ("y", [0.0] * 3), ("energy", [0.0, 0.25, 0.0]),
                             ("type", [0, 1, 0])):
            put(points, name, np.array(values * len(alphas)))
        put(points, "eigenvalues", np.array([[1.0, 2.0], [-1.0, 1.0], [1.0, 2.0]] * len(alphas)))
        put(points, "parameter_index", index)
        for name, value in (("x", 0.0), ("y", 0.0), ("energy", 0.25), ("from", 0), ("to", 2)):
            put(passes, name, np.array([value] * len(alphas)))
        put(passes, "parameter_index", np.arange(len(alphas)))


def mechanism(path, rods=12, samples=30, dimension=2, cut=None):
    """A chain that swings as one straight line, or two: the second begins at the point `cut`."""
    time = np.linspace(0, 3, samples)
    angle = 1 + np.cos(time)
    along = np.zeros((samples, dimension))
    along[:, 0], along[:, -1] = np.sin(angle), -np.cos(angle)
    with h5py.File(path, "w") as file:
        head(file, "mechanism", '[model]\nname = "rod-chain"\n')
        group = file.create_group("particles")
        put(group, "time", time)
        put(group, "position", along[:, None] * np.arange(rods + 1)[:, None] / rods)
        put(group, "energy", np.stack([1 + along[:, -1], -along[:, -1], np.ones(samples)], 1))
        put(group, "constraint_error", 1e-15 * (1.1 + np.sin(time)))
        put(group, "mass", np.where(np.arange(rods + 1) == 0, np.inf, 1.0))
        put(group, "ends", np.array([(k, k + 1) for k in range(rods) if k + 1 != cut]))


def lattice(path, length=40, rows=1, samples=20, modes=0, exact=False):
    """Waves that run over a chain, or over a grid."""
    time = np.linspace(0, 5, samples)
    x, y = (a.ravel() for a in np.meshgrid(np.arange(length) - (length - 1) / 2, np.arange(rows) - (rows - 1) / 2))
    height = np.cos(0.4 * np.hypot(x, y) - time[:, None])
    with h5py.File(path, "w") as file:
        head(file, "lattice", '[model]\nname = "phi-four"\n')
        group = file.create_group("lattice")
        put(group, "time", time)
        put(group, "frame_time", time)
        put(group, "energy", np.stack([0 * time + 1, 0 * time, 1 + 1e-14 * time], 1))
        put(group, "q", height[..., None])
        group["q"].attrs["columns"] = ["q"]
        put(group, "place", np.stack([x, y], 1))
        put(group, "shape", np.array([length, rows]))
        if rows > 1:
            put(group, "position", np.stack([x + 0 * height, y + 0 * height, height], -1))
        if modes:
            put(group, "mode_energy", 1 + np.sin(time[:, None] + np.arange(modes)))
        if exact:
            put(group, "exact_error", 1e-3 * time)


def sphere(side=24):
    """A unit sphere as a result has it: vertices, normals, triangles counter-clockwise from outside."""
    theta, phi = np.linspace(0, np.pi, side + 1)[1:-1], np.linspace(0, 2 * np.pi, 2 * side, endpoint=False)
    ring = np.stack(np.broadcast_arrays(np.sin(theta)[:, None] * np.cos(phi), np.sin(theta)[:, None] * np.sin(phi),
                                        np.cos(theta)[:, None]), -1).reshape(-1, 3)
    n = 2 * side
    i, j = (a.ravel() for a in np.meshgrid(np.arange(side - 2), np.arange(n), indexing="ij"))
    a, b, c, d = i * n + j, (i + 1) * n + j, (i + 1) * n + (j + 1) % n, i * n + (j + 1) % n
    k = np.arange(n)
    north, south, last = np.full(n, len(ring)), np.full(n, len(ring) + 1), (side - 2) * n
    triangles = np.concatenate([np.stack(t, 1) for t in ((a, b, c), (a, c, d), (north, k, (k + 1) % n),
                                                         (last + k, south, last + (k + 1) % n))])
    vertices = np.concatenate([ring, [[0, 0, 1], [0, 0, -1]]])
    return vertices, vertices, triangles.astype("i4")


def on_sphere(path, count=3, samples=200, cut=0):
    """Great circles round a sphere; the last `cut` samples of the last trajectory are missing."""
    time, vectors = np.linspace(0, 6, samples), sphere()
    tilt = np.linspace(0.2, 1.2, count)[:, None]
    q = np.stack([np.broadcast_to(np.cos(time), (count, samples)), np.cos(tilt) * np.sin(time),
                  np.sin(tilt) * np.sin(time)], 2)
    v = np.stack([np.broadcast_to(-np.sin(time), (count, samples)), np.cos(tilt) * np.cos(time),
                  np.sin(tilt) * np.cos(time)], 2)
    energy = 0.5 + 1e-4 * np.sin(time + tilt)
    for data in (q, v, energy):
        data[-1, samples - cut:] = np.nan
    with h5py.File(path, "w") as file:
        head(file, "trajectory", '[model]\nname = "sphere"\nr = 1.0\nmass = 1.0\n[method]\nname = "rattle"\n')
        orbits, sampled, surface = (file.create_group(n) for n in ("orbits", "trajectory", "surface"))
        columns = ["x", "y", "z", "x_dot", "y_dot", "z_dot"]
        put(orbits, "initial", np.concatenate([q[:, 0], v[:, 0]], 1), columns=columns)
        put(orbits, "status", np.ones(count, "i4"), names=STATUS_NAMES)
        put(orbits, "constraint_error", np.full(count, 3e-16))
        put(sampled, "time", time)
        put(sampled, "q", q)
        put(sampled, "v", v)
        put(sampled, "energy", energy)
        put(sampled, "multiplier", 1 + 0.1 * np.sin(3 * time + tilt)[..., None])
        put_surface(surface, vectors)


def put_surface(group, arrays):
    """/surface"""
    for name, values in zip(("vertices", "normals", "triangles"), arrays):
        put(group, name, values)


def section_on_sphere(path, orbits=5, crossings=60):
    """Crossings of y = 0 on a sphere, at angles spread over a great circle."""
    angle = np.linspace(0, 2 * np.pi, orbits * crossings, endpoint=False).reshape(orbits, crossings)
    zero = 0 * angle
    points = np.stack([np.cos(angle), zero, np.sin(angle), zero, 1 + zero, 0.3 * np.sin(3 * angle)], 2)
    with h5py.File(path, "w") as file:
        head(file, "poincare", '[model]\nname = "sphere"\n[section]\nwhere = "y"\ndirection = "up"\n')
        columns = ["x", "y", "z", "x_dot", "y_dot", "z_dot"]
        put(file.create_group("orbits"), "status", np.ones(orbits, "i4"), names=STATUS_NAMES)
        put(file.create_group("section"), "points", points, columns=columns)
        put(file["section"], "time", 1 + angle)
        put_surface(file.create_group("surface"), sphere())


def torus(major=1.0, minor=0.4, sides=(96, 40)):
    """A torus as a result has it: vertices, normals, triangles counter-clockwise from outside."""
    phi, theta = (np.linspace(0, 2 * np.pi, n, endpoint=False) for n in sides)
    phi, theta = (a.ravel() for a in np.meshgrid(phi, theta, indexing="ij"))
    normals = np.stack([np.cos(theta) * np.cos(phi), np.cos(theta) * np.sin(phi), np.sin(theta)], 1)
    circle = major * np.stack([np.cos(phi), np.sin(phi), 0 * phi], 1)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(sides[0]), np.arange(sides[1]), indexing="ij"))
    a, b, c, d = (((i + k) % sides[0]) * sides[1] + (j + l) % sides[1] for k, l in ((0, 0), (1, 0), (1, 1), (0, 1)))
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return circle + minor * normals, normals, triangles.astype("i4")


def particles(path, count=21, frames=6, samples=60, conserved=("Lz",), failed=0, written=None, surface=True):
    """Particles that drift freely round a torus at random angles, with series made up to go with them. The run has
    ended; or has come to `written` frames and samples, and the rest is zero as yet."""
    major, minor = 1.0, 0.4
    rng = np.random.default_rng(5)
    phi, theta = 2 * np.pi * rng.random((2, count))
    rates = rng.normal(size=(2, count))
    time, sample_time = np.linspace(0, 2, frames), np.linspace(0, 2, samples)
    phi, theta = (angle + rate * time[:, None] for angle, rate in zip((phi, theta), rates))
    ring, height = major + minor * np.cos(theta), minor * np.sin(theta)
    position = np.stack([ring * np.cos(phi), ring * np.sin(phi), height], 2)
    along = np.stack([-ring * np.sin(phi), ring * np.cos(phi), 0 * phi], 2)
    upward = minor * np.stack([-np.sin(theta) * np.cos(phi), -np.sin(theta) * np.sin(phi), np.cos(theta)], 2)
    velocity = along * rates[0][:, None] + upward * rates[1][:, None]
    kinetic = count * (0.5 + 0.1 * np.sin(3 * sample_time))
    total = -0.5 * count + 1e-3 * count * np.sin(20 * sample_time)
    distance = 0.05 * (np.arange(30) + 0.5)
    series = {"time": time, "position": position, "velocity": velocity, "sample_time": sample_time,
              "energy": np.stack([kinetic, total - kinetic, total], 1), "temperature": kinetic / count,
              "constraint_error": np.full(samples, 3e-16), "mean_square_displacement": sample_time ** 2,
              "momentum": np.cos(np.arange(6) + 1e-3 * sample_time[:, None]),
              "pair_distance": distance, "pair_correlation": 1 + np.exp(-3 * distance) * np.sin(20 * distance)}
    with h5py.File(path, "w") as file:
        head(file, "particles", '[model]\nname = "torus"\nR = 1.0\nr = 0.4\n[potential]\nname = '
             '"lennard-jones"\nepsilon = 1.0\ncut = 2.5\nmode = "shifted"\n[method]\nname = "rattle"\nstep = 0.01\n')
        group = file.create_group("particles")
        for name, values in series.items():
            if written is not None:
                values[0 if name.startswith("pair") else written:] = 0
            put(group, name, values)
        group["momentum"].attrs.update({"columns": ["Px", "Py", "Pz", "Lx", "Ly", "Lz"], "conserved": list(conserved)}
                                       if conserved else {"columns": ["Px", "Py", "Pz", "Lx", "Ly", "Lz"]})
        status = np.where(np.arange(count) < failed, 4, 1) if written is None else np.zeros(count)
        put(group, "status", status.astype("i4"), names=STATUS_NAMES)
        if surface:
            put_surface(file.create_group("surface"), torus(major, minor))


def atlas(path, across, name="stadium.a", left=0.0, deck='[domain]\nsets = [{ set = "stadium" }]\n', up=(), **answers):
    """A line of points, or a map with the second side `up`, all of them looked at: exponents grow as the root, a tenth of the
    starts is undecided, or `answers` tell else."""
    shape = max(1, len(up)), len(across)
    values = {"steps": 100.0, "forbidden": 0.0, "chaotic": 0.9, "regular": 0.0, "undecided": 0.1, "escaped": 0.0, "left": left,
              "lyapunov": np.sqrt(across), "mean_lyapunov": 0.5 * np.sqrt(across), **answers}
    with h5py.File(path, "w") as file:
        head(file, "atlas", deck)
        line = file.create_group("atlas")
        put(line, "across", np.asarray(across, float), columns=[name])
        if len(up):
            put(line, "up", np.asarray(up, float), columns=["q2"])
        put(line, "level", np.zeros(shape, "i4"))
        for key, value in values.items():
            put(line, key, np.broadcast_to(value, shape).astype(float))
        put(file.create_group("orbits"), "status", np.ones(0, "i4"), names=STATUS_NAMES)


def basins(path, exits, side=16, exponent=None, energies=()):
    """A grid of starts of which each takes an exit by its place along x, after a time of its own; the first column stays.
    exponent: what the run says of their boundaries, a number for each of its energies. energies: the grid for each of them, from the
    second on with all starts in the first exit."""
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(-1, 1, side), np.linspace(0, 1, side)))
    exit = np.floor((x + 1) / 2.0001 * (exits + 1)) - 1
    if energies:
        exit = np.concatenate([exit, np.zeros(x.size * (len(energies) - 1))])
        x, y = np.tile(x, len(energies)), np.tile(y, len(energies))
    with h5py.File(path, "w") as file:
        head(file, "trajectory", f'[ensemble]\ngrid = {{ x = [-1, 1, {side}], y = [0, 1, {side}] }}\n')
        put(file, "orbits/initial", np.stack([x, y, 0 * x, 0 * y], 1), columns=["x", "y", "x_dot", "y_dot"])
        put(file, "orbits/status", np.ones(x.size, "i4"), names=STATUS_NAMES)
        put(file, "orbits/time", np.full(x.size, 9.0))
        if energies:
            put(file, "orbits/parameters", np.repeat(energies, side * side)[:, None], columns=["energy"])
        put(file, "exits/exit", exit, names=[f"exit {k}" for k in range(exits)])
        put(file, "exits/time", np.where(exit < 0, np.nan, 1 + y))
        if exponent is not None:
            put(file, "exits/uncertainty/exponent", np.array(exponent))
            put(file, "exits/uncertainty/width", np.array([1, 2, 4]))


def periodic_orbits(path, continued=True):
    """Two orbits on the section q1 = 0, and their families over the energy, with a bifurcation."""
    columns, energy = COLUMNS, np.linspace(0.05, 0.15, 9)
    state = np.stack([0 * energy, 3 * energy, 1 + energy, 0 * energy], 1)
    tables = {"trace": 20 * energy, "period": 6 + energy, "value": energy, "state": state}
    with h5py.File(path, "w") as file:
        head(file, "periodic-orbits", '[model]\nname = "henon-heiles"\n')
        put(file, "orbits/points", state[[0, 4, 8]], columns=columns)
        put(file, "orbits/points_orbit", np.array([0, 1, 1]))
        for name, values in (("stability", [1, 2]), ("returns", [1, 2]), ("residue", [0.1, 1.5]), ("period", [6.0, 12.0])):
            put(file, f"orbits/{name}", np.array(values))
        if not continued:
            return
        for name, values in tables.items():
            put(file, f"families/{name}", np.stack([values, 1.1 * values]))
            put(file, f"bifurcations/{name}", np.stack([values[4:5], 1.1 * values[4:5]]))
        put(file, "bifurcations/n", np.array([[2], [0]]))
        put(file, "families/stability", np.tile(np.where(energy < 0.1, 1, 2), (2, 1)))
        put(file, "families/returns", np.array([1, 2]))
        file["families/value"].attrs["name"] = "energy"
        file["families/state"].attrs["columns"] = columns


SECTION = '[model]\nname = "henon-heiles"\n[section]\nwhere = "q1"\nvalue = 0.0\ndirection = "up"\n'


def orbits_and_manifolds(path, points, stability, manifolds=(), homoclinic=(), deck=SECTION, energy=1 / 8, columns=COLUMNS, units="1",
                         parameters=None):
    """Periodic orbits of one return each, at these points, and manifolds of the first: lists of states, unstable and stable in turn,
    of the columns q2 and q2_dot alone where there are these, as a return map has them; and states where the first two cross."""
    many, points = len(points), np.array(points, float)
    with h5py.File(path, "w") as file:
        head(file, "periodic-orbits", deck)
        put(file, "orbits/points", points.reshape(many, len(columns)), units, columns=columns)
        put(file, "orbits/points_orbit", np.arange(many))
        put(file, "orbits/stability", np.array(stability, "i4"), names=["unstable", "stable", "inverse"])
        put(file, "orbits/energy", np.broadcast_to(energy, many).astype(float))
        for name, values in (("returns", 1), ("residue", 0.1), ("period", 6.0)):
            put(file, f"orbits/{name}", np.full(many, values))
        if parameters:
            put(file, "orbits/parameters", np.tile(list(parameters.values()), (many, 1)).astype(float), columns=list(parameters))
        if not manifolds:
            return
        longest = max(len(states) for states in manifolds)
        state = np.full((len(manifolds), longest + 3, len(columns)), np.nan)  # more room than points
        for row, states in zip(state, manifolds):
            row[:len(states)] = states
        own = [1, 3] if columns == COLUMNS else list(range(len(columns)))
        put(file, "manifolds/state", state[..., own], units, columns=[columns[k] for k in own])
        put(file, "manifolds/count", np.array([len(states) for states in manifolds]))
        put(file, "manifolds/kind", np.arange(len(manifolds)) % 2)
        put(file, "manifolds/orbit", np.zeros(len(manifolds), int))
        crossings = np.full((len(manifolds), len(homoclinic) + 2, len(columns)), np.nan)
        crossings[0, :len(homoclinic)] = np.reshape(homoclinic, (-1, len(columns)))
        put(file, "homoclinic/state", crossings[..., own], units, columns=[columns[k] for k in own])
        put(file, "homoclinic/unstable", np.zeros(len(manifolds), int))


def overland(path, method, end=2.0, cells=2):
    """What a comparison of runs shows of water: efforts, three iterations a step, and discharges up to a time."""
    time = np.linspace(0, end, 9)
    with h5py.File(path, "w") as file:
        head(file, "overland", f'[method]\n{method}\n[friction]\nlaw = "manning"\n')
        put(file, "mesh/cells", np.zeros((cells, 3), int))
        put(file, "water/depth", np.zeros((1, 3)))
        put(file, "water/sample_time", time)
        put(file, "water/effort", np.outer(10 * time, [1, 3, 0]))
        put(file, "water/mean_discharge", 0.1 + time)


def billiard(path, count=5, forces="gravity = [0.0, -1.0]", bounces=6, swept=False):
    """Particles let go at y = 1 over a floor of length 4: their collisions, or, where there are none, where they end.
    swept: in rooms of two heights, side by side, without an outline."""
    rng = np.random.default_rng(1)
    outline = np.array([[-2, 0, 0, 0], [2, 0, 4, 0], [2, 2, 6, 0], [-2, 2, 10, 0]], float)
    start = np.column_stack([rng.uniform(-0.2, 0.2, count), np.ones(count), rng.uniform(-0.1, 0.1, count), np.zeros(count)])
    time = np.tile(np.sqrt(2) * (1 + 2 * np.arange(bounces)), (count, 1))
    with h5py.File(path, "w") as file:
        head(file, "billiard", f'[domain]\nsets = [{{ name = "room", set = "box" }}]\n[forces]\n{forces}\n'
             '[method]\nname = "exact"\n')
        orbits, domain = file.create_group("orbits"), file.create_group("domain")
        if swept:
            put(orbits, "parameters", np.where(np.arange(count) < count // 2, 1.0, 2.5)[:, None], columns=["room.height"])
            put(orbits, "lyapunov", rng.uniform(0.1, 0.3, count))
        else:
            put(domain, "outline", outline)
        put(orbits, "initial", start, columns=["x", "y", "x_dot", "y_dot"])
        put(orbits, "final", np.column_stack([rng.uniform(-2, 2, count), rng.uniform(0, 2, count), rng.normal(size=(count, 2))]),
            columns=["x", "y", "x_dot", "y_dot"])
        put(orbits, "status", np.ones(count, "i4"), names=STATUS_NAMES)
        put(orbits, "time", np.full(count, 10.0))
        put(orbits, "crossing_count", np.full(count, bounces))
        if bounces:
            hits = file.create_group("collisions")
            x = start[:, None, 0] + start[:, None, 2] * time
            put(hits, "time", time)
            put(hits, "point", np.stack([x, 0 * x], 2))
            put(hits, "arc", x + 2)
            put(hits, "tangential", np.broadcast_to(start[:, None, 2] / np.sqrt(2), x.shape))


def gas(path, sets, force, left=(), outside=()):
    """Eight particles on circles about the middle of a square of area 4, so that their energy stays, in named sets on
    which they exert the mean force [sets] over the ten units of time. Those who `left` did so after five units, those
    `outside` couldn't start."""
    t, turn = np.linspace(0, 10, 41), np.arange(8)[:, None]
    with h5py.File(path, "w") as file:
        listed = ", ".join(f'{{ name = "{name}", set = "{kind}" }}' for name, kind in sets)
        head(file, "billiard", f'[domain]\nsets = [{listed}]\n[method]\nname = "exact"\n')
        orbits, way = file.create_group("orbits"), file.create_group("trajectory")
        put(file, "domain/outline", np.array([[-1, -1, 2, 0], [1, -1, 4, 0], [1, 1, 6, 0], [-1, 1, 8, 0]], float))
        place = np.stack([np.cos(t + turn), np.sin(t + turn)], 2) / 2
        put(way, "time", t)
        series = {"q": place, "v": np.stack([-place[..., 1], place[..., 0]], 2), "energy": np.full((8, 41), 0.125)}
        for name, values in series.items():
            values[list(left), 21:] = np.nan
            values[list(outside)] = np.nan
            put(way, name, values)
        status, time, inside = np.ones(8, "i4"), np.full(8, 10.0), np.full((8, len(sets)), 41.0)
        status[list(left)], time[list(left)], inside[list(left)] = 5, 5.0, 21
        status[list(outside)], time[list(outside)], inside[list(outside)] = 7, np.nan, np.nan
        put(orbits, "initial", np.zeros((8, 4)), columns=["x", "y", "x_dot", "y_dot"])
        put(orbits, "status", status, names=STATUS_NAMES)
        put(orbits, "time", time)
        put(orbits, "crossing_count", np.full(8, 3))
        names = [name for name, _ in sets]
        flown = np.isfinite(time)
        put(orbits, "impulse", np.where(flown[:, None], np.array(force, float) * 10 / max(1, flown.sum()), np.nan), columns=names)
        put(orbits, "samples_within", inside, columns=names)
