# SPDX-License-Identifier: BSD-3-Clause
"""Run by ParaView's own Python: what each of its readers of XDMF finds in files, at all times, as JSON.

    pvpython --force-offscreen-rendering read_xdmf.py FOUND.json FILE.xdmf ...

A file's entry has, for each reader, the times and, for each of them, a row for each block: points, cells, bounds, the
indices of the cells' points, and the arrays; these as [shape, checksum of their numbers as doubles].
"""
import json
import os
import sys
import zlib

import numpy as np
from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy

READERS = {"XDMF Reader": lambda path: simple.XDMFReader(FileNames=[path]),
           "Xdmf3 Reader S": lambda path: simple.Xdmf3ReaderS(FileName=[path]),
           "Xdmf3 Reader T": lambda path: simple.Xdmf3ReaderT(FileName=[path])}


def leaves(data):
    """The data sets of a tree of them."""
    if data is None:
        return []
    if not data.IsA("vtkCompositeDataSet"):
        return [data]
    found, at = [], data.NewIterator()
    at.InitTraversal()
    while not at.IsDoneWithTraversal():
        found.append(at.GetCurrentDataObject())
        at.GoToNextItem()
    return found


def summary(numbers):
    numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    return [list(numbers.shape), zlib.crc32(numbers.tobytes())]


def row(block):
    arrays = block.GetPointData()
    points = vtk_to_numpy(block.GetPoints().GetData()) if block.GetPoints() else np.empty((0, 3))
    corners = [] if block.IsA("vtkStructuredGrid") else vtk_to_numpy(block.GetCells().GetConnectivityArray())
    return {"points": summary(points), "cells": block.GetNumberOfCells(), "corners": summary(corners),
            "bounds": list(block.GetBounds()),
            "arrays": {arrays.GetArrayName(i): summary(vtk_to_numpy(arrays.GetArray(i)))
                       for i in range(arrays.GetNumberOfArrays())}}


def found(path):
    rows = {}
    for name, make in READERS.items():
        print(f"{os.path.basename(path)}: {name}", file=sys.stderr, flush=True)  # what it complains of stands below
        reader = make(path)
        reader.UpdatePipelineInformation()
        times = reader.TimestepValues
        times = list(times) if hasattr(times, "__len__") else [times]
        instants = []
        for time in times or [0.0]:
            reader.UpdatePipeline(time)
            instants.append([row(block) for block in leaves(servermanager.Fetch(reader))])
        rows[name] = {"times": times, "instants": instants}
        simple.Delete(reader)
    return rows


if __name__ == "__main__":
    target, *files = sys.argv[1:]
    with open(target, "w", encoding="utf-8") as stream:
        json.dump({os.path.basename(path): found(os.path.abspath(path)) for path in files}, stream)
