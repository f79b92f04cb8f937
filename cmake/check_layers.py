#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the includes to the layers: arrows point down only, and foreign libraries stay where they belong. Each source
file and deck names its licence in its first line, or in the one after #!.

The arrows are read from the cotangent_layer(... USES ...) lines of src/CMakeLists.txt, transitively; nothing is
written down twice.  usage: check_layers.py [ROOT] | --self-test
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT_ENTRIES = {"src", "apps", "input", "tests", "cmake", "CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE",
                "CITATION.cff"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LAYER = re.compile(r"^\s*cotangent_layer\(\s*(\w+)([^)]*)\)", re.MULTILINE)
MPI_LAYERS = {"parallel", "io", "la"}
LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
SOURCES = {".hpp", ".cpp", ".py", ".cmake", ".in", ".sh"}


def closures(text):
    """Each layer with all that it may include, and complaints about arrows that don't point down."""
    below, faults = {}, []
    for name, arguments in LAYER.findall(text):
        words = arguments.split()
        uses = words[words.index("USES") + 1 :] if "USES" in words else []
        if "LINKS" in uses:
            uses = uses[: uses.index("LINKS")]
        below[name] = {name}
        for used in uses:
            if used in below:
                below[name] |= below[used]
            else:
                faults.append(f"src/CMakeLists.txt: {name} uses {used}, which isn't declared above it")
    return below, faults


def complaint(header, quoted, file, layer, below):
    """Why this file may not include this header; None if it may."""
    source = file.suffix == ".cpp"
    top = header.split("/")[0]
    if "apps" in header.split("/"):
        return "nothing includes apps/"
    if top in below and "/" in header:
        return None if top in below[layer] else f"{layer} may include {', '.join(sorted(below[layer]))} only"
    if quoted:
        return 'write "layer/file.hpp" for headers of ours and <...> for others'
    if top.startswith(("petsc", "slepc")) and layer != "la" and not (source and "la" in below[layer]):
        return "PETSc belongs to la/ and to .cpp files of those who use it"
    if re.match(r"(hdf5|H5\w*)(_hl)?\.h$", header) and layer != "io":
        return "HDF5 belongs to io/"
    if top.startswith("toml") and (layer, file.name) != ("io", "deck.cpp"):
        return "TOML belongs to io/deck.cpp"
    if header == "mpi.h" and not (source and layer in MPI_LAYERS):
        return f"MPI belongs to .cpp files of {', '.join(sorted(MPI_LAYERS))}"
    return None


def include_lines(file):
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[2], match[1] == '"'


def root_entries(root):
    """What the root shows: the tracked names, or in an unpacked archive the files themselves."""
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return {line.split("/")[0].strip('"') for line in listed.stdout.splitlines()}
    return {entry.name for entry in root.iterdir()} - {"build"}


def source_files(root):
    """Everything that is compiled or run, decks too; scripts without a suffix begin with #!."""
    yield from sorted((root / "input").rglob("*.toml"))
    for folder in (".ci", "apps", "cmake", "input", "src", "tests"):
        for file in sorted((root / folder).rglob("*")):
            if not file.is_file():
                continue
            if file.suffix in SOURCES or file.name == "CMakeLists.txt":
                yield file
            elif not file.suffix and file.read_bytes().startswith(b"#!"):
                yield file
    yield from root.glob("CMakeLists.txt")


def names_licence(file):
    lines = file.read_text(encoding="utf-8").splitlines()[:2]
    return LICENCE in "".join(lines if lines and lines[0].startswith("#!") else lines[:1])


def check(root):
    """All faults of the tree, one line each."""
    below, faults = closures((root / "src/CMakeLists.txt").read_text(encoding="utf-8"))
    for file in sorted((root / "src").rglob("*.[hc]pp")):
        path, layer = file.relative_to(root), file.relative_to(root / "src").parts[0]
        if layer not in below:
            faults.append(f"{path}: '{layer}' isn't declared in src/CMakeLists.txt")
            continue
        for number, header, quoted in include_lines(file):
            if why := complaint(header, quoted, file, layer, below):
                faults.append(f"{path}:{number}: {header}: {why}")
    for file in sorted((root / "tests").rglob("*.[hc]pp")):
        for number, header, _ in include_lines(file):
            if "apps" in header.split("/"):
                faults.append(f"{file.relative_to(root)}:{number}: {header}: nothing includes apps/")
    for file in source_files(root):
        if not names_licence(file):
            faults.append(f"{file.relative_to(root)}:1: no line '{LICENCE}'")
    for entry in sorted(root_entries(root)):
        if entry not in ROOT_ENTRIES and not entry.startswith("."):
            faults.append(f"{entry}: the root shows {', '.join(sorted(ROOT_ENTRIES))} and nothing else")
    return faults


LAYERS_OF_THE_SELF_TEST = """
cotangent_layer(core)
cotangent_layer(ad USES core)
cotangent_layer(numerics USES core LINKS Eigen3::Eigen)
cotangent_layer(mechanics USES ad numerics)
cotangent_layer(parallel USES core LINKS MPI::MPI_CXX)
cotangent_layer(la USES parallel)
cotangent_layer(io USES parallel)
  cotangent_layer(studies USES mechanics io la)
"""
GOOD = {
    "src/core/error.hpp": "#include <string>\n",
    "src/mechanics/lagrangian.hpp": '#include "ad/jet.hpp"\n#include "core/error.hpp"\n#include "mechanics/domain.hpp"\n',
    "src/studies/program/surface.cpp": '#include <petscsnes.h>\n#include "mechanics/lagrangian.hpp"\n',
    "src/la/vector.hpp": "#include <petscvec.h>\n",
    "src/io/hdf5.hpp": "#include <hdf5.h>\n",
    "src/io/deck.cpp": "#include <toml++/toml.h>\n",
    "src/parallel/world.cpp": "#include <mpi.h>\n",
    "tests/core/test_error.cpp": '#include "catch.hpp"\n',
    "cmake/script": "#!/usr/bin/env bash\n",
    "cmake/words": "no script\n",
    "README.md": "",
    "build/CMakeCache.txt": "",
}
BAD = [
    ("src/core/up.hpp", '#include "ad/jet.hpp"\n', "core may include core only"),
    ("src/ad/sideways.hpp", '#  include "numerics/lanes.hpp"\n', "ad may include ad, core only"),
    ("src/mechanics/upward.cpp", "#include <parallel/world.hpp>\n", "mechanics may include"),
    ("src/io/app.cpp", '#include "../../apps/cotangent.hpp"\n', "nothing includes apps/"),
    ("tests/core/app.cpp", '#include "apps/cotangent.hpp"\n', "nothing includes apps/"),
    ("src/core/relative.hpp", '#include "error.hpp"\n', 'write "layer/file.hpp"'),
    ("src/studies/header.hpp", "#include <petscsnes.h>\n", "PETSc belongs to la/"),
    ("src/io/solver.cpp", "#include <petscksp.h>\n", "PETSc belongs to la/"),
    ("src/studies/file.cpp", "#include <hdf5.h>\n", "HDF5 belongs to io/"),
    ("src/parallel/file.cpp", "#include <H5Dpublic.h>\n", "HDF5 belongs to io/"),
    ("src/io/other.cpp", "#include <toml++/toml.h>\n", "TOML belongs to io/deck.cpp"),
    ("src/parallel/world.hpp", "#include <mpi.h>\n", "MPI belongs to .cpp files"),
    ("src/studies/world.cpp", "#include <mpi.h>\n", "MPI belongs to .cpp files"),
    ("src/stray/file.hpp", "", "'stray' isn't declared"),
    ("notes.txt", "", "the root shows"),
    ("src/CMakeLists.txt", LAYERS_OF_THE_SELF_TEST.replace("(ad USES core)", "(ad USES core studies)"),
     "ad uses studies, which isn't declared above it"),
]
UNLICENSED = [
    ("src/core/bare.hpp", "// What it is.\n"),
    ("src/core/late.hpp", f"// What it is.\n// {LICENCE}\n"),
    ("src/core/other.hpp", "// SPDX-License-Identifier: MIT\n"),
    ("tests/core/bare.py", '"""What it is."""\n'),
    ("input/bare.toml", 'study = "poincare"\n'),
    ("cmake/bare", "#!/usr/bin/env bash\n# What it does.\n"),
    ("CMakeLists.txt", "project(bare)\n"),
]


def licensed(text):
    """A source with its licence named; in others the line does no harm."""
    end = text.index("\n") + 1 if text.startswith("#!") else 0
    return f"{text[:end]}# {LICENCE}\n{text[end:]}"


def faults_of(tree):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return check(root)


def self_test():
    """A clean tree passes; one fault added to it is found, named by file and rule, and nothing else is."""
    clean = {name: licensed(text) for name, text in {"src/CMakeLists.txt": LAYERS_OF_THE_SELF_TEST, **GOOD}.items()}
    failures = [f"clean tree: {fault}" for fault in faults_of(clean)]
    bad = [(name, licensed(text), expected) for name, text, expected in BAD]
    bad += [(name, text, "no line 'SPDX-License-Identifier: BSD-3-Clause'") for name, text in UNLICENSED]
    for name, text, expected in bad:
        faults = faults_of({**clean, name: text})
        if len(faults) != 1 or not faults[0].startswith(name) or expected not in faults[0]:
            failures.append(f"{name}: expected '{expected}', found {faults}")
    return failures


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        found = self_test()
    else:
        found = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]))
    print("\n".join(found) or "layers: all in order")
    sys.exit(bool(found))
