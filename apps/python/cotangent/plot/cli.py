# SPDX-License-Identifier: BSD-3-Clause
"""The command line: reads the arguments, decides what the file is to be drawn as, writes the picture.

Exit codes as the program's: 0 done, 1 drawn but the run is not finished, 2 wrong input, 3 the file system.
"""
import argparse
import math
import os
import sys
import warnings
from pathlib import Path

from .choices import PICTURES as PICTURES_OF, listed, subject, subjects

PICTURES = (".png", ".pdf", ".svg")
MOVIES = (".mp4", ".gif")
WHATS = tuple(PICTURES_OF)

EXAMPLES = """examples:
  cotangent-plot henon_heiles.h5                        writes henon_heiles.png
  cotangent-plot henon_heiles.h5 --list                 says what else can be drawn of it
  cotangent-plot euler.h5 gauss.h5 -o compared.pdf      panels side by side, titled by method
  cotangent-plot henon_heiles.h5 --overlay manifolds.h5 periodic orbits and manifolds of the same problem on top
  cotangent-plot chain.h5 --orbits 0,3,7-9 --ylim -0.3,0.3 --color-by orbit
  cotangent-plot pendulum.h5 --movie pendulum.mp4 --duration 30
  cotangent-plot three_circles.h5 --movie gas.mp4 --duration 10
  cotangent-plot henon_heiles.h5 --html page.html       a page for a browser, which flies new orbits where one clicks
  cotangent-plot genus2_gravity.h5 --view 20,50 --xdmf  also writes genus2_gravity.xdmf, for ParaView
  cotangent-plot --statement lemniscate lemniscate-3    the surfaces themselves; writes lemniscate.png
  cotangent-plot work_precision.csv -o work.svg         columns method, family, step, work, error
exit code: 0 drawn, 1 drawn but the run is unfinished, 2 wrong input, 3 file-system failure"""


def interval(text):
    """'A,B' as two increasing numbers."""
    try:
        low, high = (float(part) for part in text.replace(":", ",").split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not two numbers A,B") from None
    if not (math.isfinite(low) and math.isfinite(high)):
        raise argparse.ArgumentTypeError(f"'{text}': both numbers must be finite")
    if not low < high:
        raise argparse.ArgumentTypeError(f"'{text}': the first number must be below the second")
    return low, high


def within(kind, least, most):
    """The type of an option that is a number between these two."""
    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a {'whole ' if kind is int else ''}number from {least:g} to {most:g}")
        return value
    return read


def pair(text):
    """'X,Y' as two names."""
    names = tuple(part.strip() for part in text.split(","))
    if len(names) != 2 or not all(names):
        raise argparse.ArgumentTypeError(f"'{text}' is not two names X,Y")
    return names


def angles(text):
    """'AZIMUTH,ELEVATION' in degrees."""
    try:
        azimuth, elevation = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not two angles AZIMUTH,ELEVATION in degrees") from None
    if not -89 <= elevation <= 89:
        raise argparse.ArgumentTypeError(f"'{text}': the elevation lies between -89 and 89 degrees")
    return azimuth, elevation


def id_list(text):
    """'1,4,7-9' as a sorted list of orbit numbers."""
    ids = set()
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            first, last = int(first), int(last or first)
            if last < first:
                raise argparse.ArgumentTypeError(f"'{text}': {first}-{last} runs downwards; {last}-{first} is right")
            ids.update(range(first, last + 1))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list such as 1,4,7-9") from None
    return sorted(ids)


def parser():
    """All the options."""
    p = argparse.ArgumentParser(prog="cotangent-plot", description="Draws the pictures and movies of cotangent result "
                                "files.", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("files", nargs="+", metavar="RESULT.h5", help="one result file, or several for panels side by "
                   "side (or the .csv of a work-precision study)")
    p.add_argument("-o", "--output", metavar="PICTURE", help="the picture: .png, .pdf or .svg; default: RESULT.png")
    p.add_argument("--movie", metavar="FILE", help="a movie of trajectories or particles: .mp4 or .gif")
    p.add_argument("--html", metavar="FILE", help="one page for a browser, without network: sections to pan and zoom, in which "
                   "a click starts a new orbit, and motion in space to turn and play; with --small under 300 kB")
    p.add_argument("--xdmf", action="store_true", help="also write RESULT.xdmf beside the result, with which ParaView "
                   "shows the surface and the curves in space")
    p.add_argument("--statement", action="store_true", help="in place of results, names of surfaces or of pair potentials: "
                   "drawn from what `cotangent --statement NAME` says of them")
    p.add_argument("--what", choices=WHATS, help="what to draw; default: what the study is about")
    p.add_argument("--list", action="store_true", help="draw nothing: say what can be drawn of each file, and by which options")
    p.add_argument("--axes", type=pair, metavar="X,Y", help="the columns to draw against each other")
    p.add_argument("--orbits", type=id_list, metavar="LIST", help="only these rows of /orbits, from 0: 1,4,7-9")
    p.add_argument("--color-by", default="auto", metavar="WHAT", help="auto, orbit, none, chaos, energy-error, status, "
                   "crossings, or a column such as energy or q2")
    p.add_argument("--overlay", metavar="ORBITS.h5", help="over a section or a bounce map: the periodic orbits, the manifolds "
                   "and where they cross, of a periodic-orbits result of the same problem")
    p.add_argument("--xlim", type=interval, metavar="A,B", help="limits of the horizontal axis")
    p.add_argument("--ylim", type=interval, metavar="A,B", help="limits of the vertical axis")
    p.add_argument("--view", type=angles, metavar="A,E", help="where a surface is seen from: azimuth and elevation in "
                   "degrees; default -62,36")
    p.add_argument("--mesh", action="store_true", help="draw the mesh that water flows on")
    p.add_argument("--title", help="the heading; default: the model")
    p.add_argument("--width", type=within(float, 1, 100), metavar="INCHES", help="width of the picture; default 7.5, or more for "
                   "many panels")
    p.add_argument("--dpi", type=within(int, 10, 2400), help="pixels per inch; default 200")
    p.add_argument("--small", action="store_true", help="for web pages: 120 pixels per inch, 255 colours (png)")
    p.add_argument("--fps", type=within(int, 1, 240), default=30, help="frames per second of a movie; default 30")
    p.add_argument("--duration", type=within(float, 0.01, 36000), default=20.0, metavar="SECONDS", help="length of a movie; default 20")
    return p


CHOICES = ("axes", "orbits", "color_by", "xlim", "ylim", "view", "mesh")  # what not every picture can heed


class Options:
    """The arguments with the defaults filled in. Which of the CHOICES is asked for while a picture is drawn is noted: one given that
    is asked for by nothing would be ignored without a word."""

    def __init__(self, arguments):
        self.__dict__.update(vars(arguments))
        self.given = [name for name in CHOICES if vars(arguments)[name] not in (None, False, "auto")]
        self.heeded = set()
        self.dpi = arguments.dpi or (120 if arguments.small else 200)
        self.vector = bool(arguments.output) and Path(arguments.output).suffix.lower() in (".pdf", ".svg")

    def __getattribute__(self, name):
        if name in CHOICES:
            self.heeded.add(name)
        return super().__getattribute__(name)

    def ignored(self):
        """The options given that the picture drawn with them had no use for."""
        return ["--" + name.replace("_", "-") for name in self.given if name not in self.heeded]

    def chosen(self, count):
        """The orbits asked for, as an array of row numbers."""
        import numpy as np
        from .result import PlotError
        if self.orbits is None:
            return np.arange(count)
        if self.orbits[-1] >= count or self.orbits[0] < 0:
            raise PlotError(f"--orbits: there is no orbit {self.orbits[-1]}; they are numbered 0 to {count - 1}")
        return np.array(self.orbits)


def joined(argv):
    """'--xlim -1,2' as '--xlim=-1,2', for argparse takes '-1,2' for an option."""
    out = []
    for argument in argv:
        if out and out[-1] in ("--xlim", "--ylim", "--view"):
            out[-1] += "=" + argument
        else:
            out.append(argument)
    return out


def checked_target(path, endings, option):
    """Fails early, before any work, if the file to be written cannot be."""
    from .result import PlotError, readable_name
    path = Path(path)
    if not readable_name(path):
        raise PlotError(f"{str(path)[:80]}…: cannot be written: not a file's name", 3)
    if path.suffix.lower() not in endings:
        raise PlotError(f"{option} {path}: its name must end in {', '.join(endings[:-1])} or {endings[-1]}")
    folder = path.parent
    if not folder.is_dir():
        raise PlotError(f"{path}: cannot be written: no folder {folder}", 3)
    if path.is_dir():
        raise PlotError(f"{path}: cannot be written: it is a folder", 3)
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise PlotError(f"{path}: cannot be written: permission denied", 3)
    return path


def figure_of(options):
    """(figure, the results it shows); an option given that this picture doesn't heed is refused, unless a movie or a page may."""
    from .result import PlotError
    figure, results = _figure_of(options)
    if options.ignored() and not (options.movie or options.html):
        import matplotlib.pyplot as plt
        plt.close(figure)
        raise PlotError(f"{', '.join(options.ignored())}: this picture of {options.files[0]} doesn't heed it")
    return figure, results


def _figure_of(options):
    from .result import PlotError, Result
    tables = [f for f in options.files if Path(f).suffix.lower() == ".csv"]
    if options.overlay and (tables or options.statement or options.what in ("work-precision", "orders")):
        raise PlotError(f"--overlay {options.overlay}: periodic orbits lie over sections and bounce maps alone")
    if tables or options.what == "work-precision":
        from . import work_precision
        return work_precision.draw(options.files, options), []
    if options.statement:
        from . import statements
        return statements.draw(options.files, options), []
    if options.what == "orders":
        from . import work_precision
        return work_precision.draw(options.files, options, work_precision.read_orders), []
    results = [Result(f) for f in options.files]
    what = options.what or subject(results[0])
    if what == "work-precision":
        from . import work_precision
        return work_precision.draw(options.files, options), []
    if what == "sections":
        from . import sections as module
    elif what == "time-series":
        from . import trajectories as module
    elif what == "landscape":
        from . import landscape as module
    elif what == "mechanism":
        from . import mechanisms as module
    elif what == "particles":
        from . import particles as module
    elif what == "billiard":
        from . import billiards as module
    elif what == "hard-spheres":
        from . import hard_spheres as module
    elif what == "lattice":
        from . import lattices as module
    elif what == "overland":
        from . import overland as module
    elif what == "collocation":
        from . import collocation as module
    elif what == "periodic-orbits":
        from . import periodic_orbits as module
    elif what in ("atlas", "basins"):
        from . import atlases as module
    elif what == "histories":
        from . import histories as module
    else:
        from . import energy as module
    if len(results) > 1 and what not in ("sections", "energy", "overland"):
        raise PlotError(f"{what} draws one file at a time, {len(results)} are given")
    if options.overlay and not (what == "sections" or (what == "billiard" and module.maps_bounces(results[0], options))):
        raise PlotError(f"--overlay {options.overlay}: periodic orbits lie over sections and bounce maps, and this is a picture of "
                        f"{what}; {results[0].path} can be drawn as: {', '.join(subjects(results[0])) or 'nothing'}")
    draw = module.draw_basins if what == "basins" else module.draw
    return draw(results, options), results


def in_few_colours(picture, target):
    """Makes a PNG file, or one in memory, one of 255 colours."""
    from PIL import Image
    with Image.open(picture) as image:
        few = image.convert("RGB").quantize(255, Image.Quantize.MAXCOVERAGE, 3, dither=Image.Dither.NONE)
    few.save(target, "png", optimize=True)


def save(figure, path, options):
    """Writes the picture under a temporary name first, so that a failure leaves no half a picture."""
    from . import layout
    from .result import PlotError
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    metadata = {"png": {"Software": "cotangent-plot"}, "pdf": {"Creator": "cotangent-plot", "CreationDate": None},
                "svg": {"Creator": "cotangent-plot", "Date": None}}[path.suffix.lower()[1:]]
    try:
        layout.finish(figure)
        figure.savefig(part, dpi=options.dpi, metadata=metadata, facecolor="white")
        if options.small and path.suffix.lower() == ".png":
            in_few_colours(part, part)
        os.replace(part, path)
    except OSError as error:
        raise PlotError(f"{path}: cannot be written: {error.strerror or error}", 3) from error
    finally:
        part.unlink(missing_ok=True)


def written(path, text):
    """Writes a text under a temporary name first."""
    from .result import PlotError
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        raise PlotError(f"{path}: cannot be written: {error.strerror or error}", 3) from error
    finally:
        part.unlink(missing_ok=True)


def unfinished(results):
    """Says which runs are not finished; whether any is."""
    some = False
    for result in results:
        pending = result.pending()
        if pending:
            print(f"cotangent-plot: {result.path}: unfinished: {pending} of {result.orbits} orbits are pending and not "
                  "in the picture; `cotangent DECK --resume` runs them", file=sys.stderr)
            some = True
        elif result.underway():
            print(f"cotangent-plot: {result.path}: unfinished: the picture shows how far it has come; "
                  "`cotangent DECK --resume` goes on", file=sys.stderr)
            some = True
    return some


def run(argv):
    """Parses, draws, writes; the exit code. Nothing is said of the NaN of places that weren't reached.

    Raises:
        PlotError: there is nothing that could be drawn.
    """
    from .result import PlotError
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Mean of empty slice|All-NaN|.*tight.*")
        warnings.filterwarnings("error", message="Attempt to set non-positive")
        try:
            return _run(argv)
        except UserWarning as warning:
            side = "--xlim" if "xlim" in str(warning) else "--ylim"
            raise PlotError(f"{side}: this axis is logarithmic, so both limits are above 0") from warning


def _run(argv):
    options = Options(parser().parse_intermixed_args(joined(argv)))
    if options.list:
        from .result import Result
        print("\n".join(listed(Result(name)) for name in options.files))
        return 0
    for option in ("movie", "html", "xdmf"):
        if getattr(options, option) and len(options.files) > 1:
            from .result import PlotError
            raise PlotError(f"--{option} shows one file at a time, {len(options.files)} are given: {', '.join(options.files)}")
    if options.overlay and (options.movie or options.html) and not options.output:
        from .result import PlotError
        raise PlotError("--overlay: movies and pages have none; a picture has: -o PICTURE.png")
    if Path(options.files[0]).is_dir():
        from .result import PlotError
        raise PlotError(f"{options.files[0]}: a folder, not a result file")
    if options.output is None and not options.movie and not options.html:
        options.output = str(Path(options.files[0]).with_suffix(".png"))
    picture = checked_target(options.output, PICTURES, "-o") if options.output else None
    movie = checked_target(options.movie, MOVIES, "--movie") if options.movie else None
    explorer = checked_target(options.html, (".html", ".htm"), "--html") if options.html else None
    beside = Path(options.files[0]).with_suffix(".xdmf")
    for_paraview = checked_target(beside, (".xdmf", ".xdmf"), "--xdmf") if options.xdmf else None

    import matplotlib
    matplotlib.use("Agg")
    from . import style
    style.apply()
    results = []
    if picture:
        figure, results = figure_of(options)
        save(figure, picture, options)
        matplotlib.pyplot.close(figure)
        print(picture)
    if movie:
        from . import movie as films
        from .result import Result
        results = results or [Result(options.files[0])]
        films.write(results[0], movie, options)
        print(movie)
    if explorer:
        from ..explorer import page
        from .result import Result
        results = results or [Result(options.files[0])]
        written(explorer, page(results[0], options))
        print(explorer)
    if for_paraview:
        from . import xdmf
        from .result import Result
        results = results or [Result(options.files[0])]
        xdmf.write(results[0], for_paraview, options)
        print(for_paraview)
    return 1 if unfinished(results) else 0


def main(argv=None):
    """The program."""
    try:
        from .result import PlotError
    except ImportError as error:
        print(f"cotangent-plot: {error.name} is missing: apt install python3-matplotlib python3-h5py", file=sys.stderr)
        return 2
    try:
        return run(sys.argv[1:] if argv is None else argv)
    except PlotError as error:
        print(f"cotangent-plot: {error}", file=sys.stderr)
        return error.code
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130
