# SPDX-License-Identifier: BSD-3-Clause
"""An XDMF file beside a result, with which ParaView shows its surface and the trajectories on it.

XDMF says where in the HDF5 file each array lies: nothing is copied. The triangles are one grid; each trajectory is a
line, with its velocity, energy and multiplier. Trajectories of three coordinates are taken as curves in space. Written as
src/io/xdmf.cpp writes, so that ParaView's readers of XDMF 2 and of XDMF 3 find all of it.
"""
import os
import xml.etree.ElementTree as tree

import numpy as np

from .result import PlotError

TYPES = {"f": "Float", "i": "Int"}


def _place(result, name):
    """Where a data set is, and of what numbers it is."""
    data = result.file[name]
    return f"{result.path.name}:/{name}", {"Format": "HDF", "NumberType": TYPES[data.dtype.kind],
                                           "Precision": str(data.dtype.itemsize)}


def _words(numbers):
    return " ".join(map(str, numbers))


def _whole(parent, result, name):
    """A data set as it is."""
    place, kind = _place(result, name)
    tree.SubElement(parent, "DataItem", Dimensions=_words(result.file[name].shape), **kind).text = place


def _row(parent, result, name, row, samples):
    """The first samples of one row of a data set [n, m, ..], as [samples, ..].

    XDMF 2 reads the two children of an element whose Type is HyperSlab, XDMF 3 its text.
    """
    data = result.file[name]
    place, kind = _place(result, name)
    start, stride = [row, 0, *[0] * (data.ndim - 2)], [1] * data.ndim
    count = [1, samples, *data.shape[2:]]
    slab = tree.SubElement(parent, "DataItem", Type="HyperSlab", Dimensions=_words(count[1:]), **kind)
    slab.text = f"{place}|{_words(start)}:{_words(stride)}:{_words(count)}:{_words(data.shape)}"
    box = tree.SubElement(slab, "DataItem", Format="XML", Dimensions=f"3 {data.ndim}")
    box.text = _words([*start, *stride, *count])
    _whole(slab, result, name)


def _surface(parent, result):
    """The triangles with their normals."""
    grid = tree.SubElement(parent, "Grid", Name="surface", GridType="Uniform")
    count = result.file["surface/triangles"].shape[0]
    _whole(tree.SubElement(grid, "Topology", TopologyType="Triangle", NumberOfElements=str(count)), result,
           "surface/triangles")
    _whole(tree.SubElement(grid, "Geometry", GeometryType="XYZ"), result, "surface/vertices")
    if "surface/normals" in result:
        _whole(tree.SubElement(grid, "Attribute", Name="normal", AttributeType="Vector", Center="Node"), result,
               "surface/normals")


def _curve(parent, result, row):
    """One trajectory, up to its last good sample."""
    samples = int(np.isfinite(result.array("trajectory/q", row)).all(-1).sum())
    if samples < 2:
        return
    grid = tree.SubElement(parent, "Grid", Name=f"trajectory {row}", GridType="Uniform")
    line = tree.SubElement(grid, "Topology", TopologyType="Polyline", NumberOfElements="1", NodesPerElement=str(samples))
    tree.SubElement(line, "DataItem", Format="XML", NumberType="Int", Precision="8",
                    Dimensions=f"1 {samples}").text = _words(range(samples))
    _row(tree.SubElement(grid, "Geometry", GeometryType="XYZ"), result, "trajectory/q", row, samples)
    for name, kind in (("v", "Vector"), ("energy", "Scalar"), ("multiplier", "Scalar")):
        path = f"trajectory/{name}"
        if path in result and (name != "multiplier" or result.file[path].shape[2:] == (1,)):
            _row(tree.SubElement(grid, "Attribute", Name=name, AttributeType=kind, Center="Node"), result, path, row,
                 samples)


def write(result, path, options):
    """Writes it, beside the result: it refers to the result by name."""
    if "particles/position" in result:
        raise PlotError(f"{result.path}: of particles the run itself writes {path.name}, when it ends")
    curves = "trajectory/q" in result and result.file["trajectory/q"].shape[-1] == 3
    if not curves and "surface/triangles" not in result:
        raise PlotError(f"{result.path}: neither a surface nor curves in space in it")
    root = tree.Element("Xdmf", Version="2.0")
    collection = tree.SubElement(tree.SubElement(root, "Domain"), "Grid", Name=result.path.stem, GridType="Collection",
                                 CollectionType="Spatial")
    if "surface/triangles" in result:
        _surface(collection, result)
    if curves:
        for row in result.run(options.chosen(result.file["trajectory/q"].shape[0])):
            _curve(collection, result, int(row))
    tree.indent(root)
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        tree.ElementTree(root).write(part, encoding="utf-8", xml_declaration=True)
        os.replace(part, path)
    except OSError as error:
        raise PlotError(f"{path}: cannot be written: {error.strerror or error}", 3) from error
    finally:
        part.unlink(missing_ok=True)
