# SPDX-License-Identifier: BSD-3-Clause
"""What a result can be drawn as: the best of it by itself, and for --list all of it, with the columns and colours there are."""
# What is drawn, the data set that it needs, and what one sees, the best first.
PICTURES = {
    "hard-spheres": ("systems/compressibility", "the equation of state"),
    "atlas": ("atlas/level", "maps of where motion is chaotic, escapes or is forbidden"),
    "sections": ("section/points", "crossings in a plane, a panel for each group"),
    "billiard": ("collisions/time", "the gas between its walls, its bounce map, or where it ended"),
    "basins": ("exits/exit", "by which exit each start leaves, and when"),
    "time-series": ("trajectory/q", "coordinates over time; in space where there is a surface"),
    "landscape": ("landscape/energy", "the energy, its stationary points and passes"),
    "histories": ("histories/time", "how the indicators of chaos grew, orbit by orbit"),
    "energy": ("orbits/energy_error", "the error of the energy, orbit by orbit"),
    "work-precision": ("comparison/method", "errors over what they cost, method by method"),
    "orders": ("comparison/position_error", "errors over the step, and the orders fitted to them"),
    "mechanism": ("particles/ends", "points joined by rods"),
    "particles": ("particles/sample_time", "particles, their energies and their distances"),
    "lattice": ("lattice/frame_time", "states of a chain, field or sheet, and energies of its modes"),
    "overland": ("water/depth", "water over the land, and its balance"),
    "collocation": ("collocation/degree", "errors over the degree"),
    "periodic-orbits": ("orbits/residue", "periodic orbits, their families and manifolds"),
}
OWN = {"poincare": "sections", "trajectory": "time-series"}  # where a study's name isn't that of its picture
COLOURS = ("auto", "orbit", "none", "chaos", "energy-error", "status", "crossings")


def subjects(result):
    """What a file can be drawn as, the best first."""
    found = [what for what, (name, _) in PICTURES.items() if name in result]
    if "basins" in found and (result.study == "billiard" or "trajectory/q" in result):
        found.remove("basins")  # exits of gases are drawn with their walls
    if "particles" in found and not of_particles(result):
        found.remove("particles")
    if "billiard" not in found and result.study == "billiard" and any(
            name in result for name in ("trajectory/q", "exits/exit", "domain/outline", "orbits/parameters")):
        found.append("billiard")
    best = OWN.get(result.study, result.study)
    if best in found and "basins" not in found:
        found.remove(best)
        found.insert(0, best)
    return found


def of_particles(result):
    """Whether a file holds particles in space that no rods join."""
    return ("particles/position" in result and "particles/ends" not in result
            and result.file["particles/position"].shape[-1] == 3)


def moves(result):
    """Whether there is a movie of it: a coordinate alone moves in no plane."""
    return ("trajectory/q" in result and result.file["trajectory/q"].shape[-1] > 1) or "water/depth" in result or of_particles(result)


def subject(result):
    """What a file is best drawn as."""
    found = subjects(result)
    if not found:
        from .result import PlotError  # which needs h5py, whose lack the command tells by itself
        raise PlotError(f"{result.path}: nothing in it that this tool draws (study '{result.study}')")
    return found[0]


def listed(result):
    """What --list says of a file: lines of options, each with what it gives."""
    from ..explorer.page import kind_of
    lines = [f"{result.path}: study \"{result.study}\"" + (f", {result.orbits} orbits" if "orbits/status" in result else "")]

    def row(option, meaning):
        lines.append(f"  {option:26} {meaning}")

    found = subjects(result)
    for k, what in enumerate(found):
        row(f"--what {what}", PICTURES[what][1] + (" (drawn unless told otherwise)" if k == 0 else ""))
    if not found:
        row("--what", "nothing in it is drawn")
    if "sections" in found:
        states = result.columns("orbits/initial")
        row("--axes X,Y", ", ".join([*states, *(n for n in result.columns("section/plot", []) if n not in states), *result.axes()]))
        row("--color-by WHAT", ", ".join([*COLOURS, *of_orbits(result, "indicators"), *result.columns("orbits/parameters"), *states]))
    elif "time-series" in found:
        planes = result.states() if "trajectory/v" in result else result.coordinates()
        row("--axes X,Y", ", ".join(planes) + ": a plane instead of time")
    if "basins" in found:
        row("--axes X,Y", ", ".join(result.columns("orbits/initial")) + ": the plane of the starts, of what varies")
    if "sections" in found or "collisions/arc" in result:
        row("--overlay ORBITS.h5", "periodic orbits of the same problem, and manifolds, on top")
    if "orbits/status" in result:
        row("--orbits LIST", f"some of 0 to {result.orbits - 1}")
    if moves(result):
        row("--movie FILE.mp4", "the motion")
    if "surface/triangles" in result:
        row("--view AZIMUTH,ELEVATION", "from where the surface is seen")
        if "trajectory/q" in result:
            row("--xdmf", f"{result.path.with_suffix('.xdmf').name} for ParaView")
    if "water/depth" in result:
        row("--mesh", "the mesh drawn too")
    page = kind_of(result)
    if page:
        row("--html PAGE.html", page.SHOWS)
    return "\n".join(lines)


def of_orbits(result, group):
    """The data sets of a group that have a number for each orbit."""
    from ..results import is_dimension
    if group not in result:
        return []
    return [name for name, data in sorted(result.file[group].items())
            if getattr(data, "shape", ()) == (result.orbits,) and data.dtype.kind in "fiu" and not is_dimension(data)]
