# SPDX-License-Identifier: BSD-3-Clause
"""What ParaView's readers see in an .xdmf, as JSON; run by pvpython.  usage: paraview_reads.py FILE.xdmf OUT.json READER

Of each time asked (first, middle, last): of each block its points, cells, bounds, and of each array of points its number of
components and the range of its magnitudes."""
import json
import sys

from paraview import servermanager, simple


def blocks(data):
    """The grids in it."""
    if data is None:
        return
    if not data.IsA("vtkCompositeDataSet"):
        yield data
        return
    iterator = data.NewIterator()
    iterator.InitTraversal()
    while not iterator.IsDoneWithTraversal():
        yield iterator.GetCurrentDataObject()
        iterator.GoToNextItem()


def seen(kind, path):
    """By one reader."""
    key = "FileNames" if kind == "XDMFReader" else "FileName"
    reader = getattr(simple, kind)(**{key: [path]})
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues) if hasattr(reader.TimestepValues, "__len__") else [reader.TimestepValues]
    found = {"times": times, "instants": []}
    for time in (times[0], times[len(times) // 2], times[-1]):
        reader.UpdatePipeline(time)
        grids = []
        for grid in blocks(servermanager.Fetch(reader)):
            points = grid.GetPointData()
            arrays = {}
            for k in range(points.GetNumberOfArrays()):
                array = points.GetArray(k)
                arrays[array.GetName()] = [array.GetNumberOfComponents(), list(array.GetRange(-1))]
            grids.append({"points": grid.GetNumberOfPoints(), "cells": grid.GetNumberOfCells(),
                          "bounds": list(grid.GetBounds()), "arrays": arrays})
        found["instants"].append({"time": time, "grids": grids})
    return found


with open(sys.argv[2], "w", encoding="utf-8") as out:
    json.dump(seen(sys.argv[3], sys.argv[1]), out)
