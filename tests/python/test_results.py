# SPDX-License-Identifier: BSD-3-Clause
"""Results as labelled arrays, with xarray and without it."""
import importlib
import sys

import h5py
import numpy as np
import pytest

import cotangent as ct
from cotangent import results
from cotangent.program import known

SECTION = dict(model="henon-heiles", section="q1", energy=0.125, step=0.5, crossings=20, progress=False,
               grid=dict(q2=(-.2, .3, 4), q2_dot=(-.2, .2, 3)))


@pytest.fixture(scope="module")
def section(tmp_path_factory):
    return ct.poincare(file=tmp_path_factory.mktemp("section") / "section.h5", **SECTION).file


@pytest.fixture(scope="module")
def gas(tmp_path_factory):
    return ct.billiard(file=tmp_path_factory.mktemp("gas") / "gas.h5", progress=False, dimension=2, time=1.0, every=0.25,
                       sets=[dict(name="disc", set="circle", radius=1.0)], list=[[0.1, 0.2, 1.0, 0.5], [0.0, 0.0, 0.3, 1.0]]).file


@pytest.fixture
def without_xarray(monkeypatch):
    monkeypatch.setattr(results, "xarray", None)


def test_numbers_labels_and_units_are_the_files(section):
    pytest.importorskip("xarray")
    result = ct.open(section)
    points = result.section.points
    assert points.dims == ("orbit", "crossing", "component") and points.shape == (12, 20, 4)
    assert list(points.component.values) == ["q1", "q2", "q1_dot", "q2_dot"]
    assert points.attrs["units"] == "1" and "on the section" in points.attrs["meaning"]
    with h5py.File(section) as file:
        assert np.array_equal(points.sel(component="q2_dot").values, file["/section/points"][..., 3], equal_nan=True)
        assert np.array_equal(result["/section/time"][3].values, file["/section/time"][3], equal_nan=True)
    assert (result.study, result.deck["stop"]["crossings"]) == ("poincare", 20)
    assert "/section/points (orbit: 12, crossing: 20, component: 4)" in repr(result)
    assert result.provenance["hdf5"]


def test_without_xarray_the_names_are_the_same(section, without_xarray):
    points = ct.open(section).section.points
    assert points.dims == ("orbit", "crossing", "component") and points.shape == (12, 20, 4)
    with h5py.File(section) as file:
        assert np.array_equal(points.sel(component="q2"), file["/section/points"][..., 1], equal_nan=True)
        assert np.array_equal(points[2, :5], file["/section/points"][2, :5])
        assert np.array_equal(np.asarray(points), file["/section/points"], equal_nan=True)
    with pytest.raises(ct.InputError, match="no component = 'q3'"):
        points.sel(component="q3")
    with pytest.raises(AttributeError, match="points"):
        ct.open(section).section.point  # pylint: disable=expression-not-assigned


def test_nothing_is_read_before_it_is_asked_for(section, monkeypatch):
    pytest.importorskip("xarray")
    read = []
    plain = results.Array.__getitem__
    monkeypatch.setattr(results.Array, "__getitem__", lambda self, key: read.append((self.name, key)) or plain(self, key))
    points = ct.open(section).section.points
    part = points[3:5, ::2].sel(component="q2")
    assert not read
    assert part.values.shape == (2, 10)
    assert [name for name, _ in read] == ["points"] and read[0][1][0] == slice(3, 5, 1)


def test_a_file_larger_than_memory_is_opened_and_sliced(folder):
    """A result of 4 TB, of which one slice is on the disk."""
    with h5py.File("large.h5", "w") as file:
        file.attrs.update({"format": "cotangent", "format_version": 1, "study": "poincare"})
        points = file.create_dataset("/section/points", (10 ** 6, 10 ** 5, 5), "f8", chunks=(1, 1000, 5), fillvalue=np.nan)
        points[7, :1000, 2] = np.arange(1000.0)
        points.attrs["units"] = "1"
    result = ct.open("large.h5")
    found = np.asarray(result["/section/points"][7, :1000, 2])
    assert np.array_equal(found, np.arange(1000.0))
    assert result.section.points.shape == (10 ** 6, 10 ** 5, 5)


def test_an_older_result_stays_what_it_was_when_its_file_is_replaced(section, folder):
    ct.poincare(file="a.h5", **SECTION)
    first = ct.open("a.h5")
    before = np.array(first["/orbits/energy"])
    ct.poincare(file="a.h5", **SECTION | dict(energy=0.1))
    assert np.array_equal(first["/orbits/energy"], before)
    assert not np.array_equal(ct.open("a.h5")["/orbits/energy"], before)


def test_xarray_itself_opens_a_group_with_names(section, gas):
    """Without this package: names of dimensions and coordinates are in the file."""
    xarray = pytest.importorskip("xarray")
    engine = next((name for name in ("netcdf4", "h5netcdf") if name in xarray.backends.list_engines()), None)
    if engine is None:
        pytest.skip("neither netCDF4 nor h5netcdf is here")
    with xarray.open_dataset(section, group="/section", engine=engine) as group:
        assert group.points.dims == ("orbit", "crossing", "component")
    with xarray.open_dataset(gas, group="/trajectory", engine=engine) as group:
        assert group.q.dims == ("orbit", "time", "component")
        assert np.allclose(group.time.values, [0, 0.25, 0.5, 0.75, 1.0])
        assert not [name for name in group.dims if "phony" in str(name)]


def test_every_dimension_of_every_study_has_a_name(section, gas, folder):
    """Of two results in full, and of a compressed one, whose data sets are made anew."""
    squeezed = ct.poincare(file="squeezed.h5", **SECTION | dict(crossings=400), compression=4).file
    for path in (section, gas, squeezed):
        with h5py.File(path) as file:
            def named(name, item):
                if isinstance(item, h5py.Dataset) and item.ndim and not name.startswith("run/"):
                    for k in range(item.ndim):
                        scales = item.dims[k].values() if "DIMENSION_LIST" in item.attrs else []
                        assert h5py.h5ds.is_scale(item.id) or len(scales) == 1, (path, name, k)
                        assert h5py.h5ds.is_scale(item.id) or scales[0].shape == (item.shape[k],)
            file.visititems(named)
    with h5py.File(squeezed) as file:
        assert file["/section/points"].compression == "gzip"


def test_rows_of_a_table_share_their_dimension(folder, monkeypatch):
    """So that a mask of one chooses of the others; numbers by name are no coordinates of themselves."""
    pytest.importorskip("xarray")
    for study in ("landscape", "mechanism"):
        (folder / f"{study}.toml").write_text(known("--template", study))
    passes = ct.run(folder / "landscape.toml", progress=False, file="l.h5").result["/landscape/stationary"]
    assert passes.energy.dims == passes.type.dims == ("point",)
    assert np.isfinite(passes.energy[passes.type == 0]).all() and len(passes.to_dataframe()) >= len(passes.energy)
    chain = ct.run(folder / "mechanism.toml", progress=False, file="m.h5", time=0.1, every=0.05).result
    assert chain["/particles/energy"].dims[0] == "time"  # samples are taken with the frames here
    np.testing.assert_allclose(chain["/particles/energy"]["time"], [0.0, 0.05, 0.1], atol=1e-15)
    worst = chain["/particles/worst"]
    assert (worst.dtype.kind, worst.dims) == ("f", ("quantity",)) and "energy_error" in list(worst.quantity.values)
    assert chain.particles.worst.dtype.kind == "f"
    chain.close()
    with h5py.File("m.h5", "r+") as file:  # as results of before have it
        del file["particles/worst"].attrs["DIMENSION_LIST"]
        file["particles/worst"].make_scale("worst")
    assert ct.open("m.h5").particles.worst.dims == ("worst_component",)
    assert ct.open("m.h5")["/particles/worst"].dtype.kind == "f"


def test_wrong_files_are_refused(section, folder):
    with pytest.raises(ct.FileSystemError, match="no such file; there are near.h5"):
        (folder / "near.h5").write_text("")
        ct.open("nearr.h5")
    with pytest.raises(ct.InputError, match="not an HDF5 file"):
        ct.open("near.h5")
    with h5py.File("other.h5", "w"):
        pass
    with pytest.raises(ct.InputError, match="not a result"):
        ct.open("other.h5")
    with pytest.raises(KeyError, match="section"):
        ct.open(section)["/nothing"]  # pylint: disable=expression-not-assigned
    with pytest.raises(AttributeError, match="section"):
        ct.open(section).trajectory  # pylint: disable=expression-not-assigned


def test_a_picture(section, folder):
    pytest.importorskip("matplotlib")
    picture = ct.open(section).plot("a.png", axes="q2,q2_dot", small=True)
    assert picture.path.name == "a.png" and picture._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(ct.InputError, match="q7"):
        ct.open(section).plot("b.png", axes="q7,q2")
    with pytest.raises(ct.Error, match="unrecognized"):
        ct.open(section).plot("b.png", colour="red")
    with ct.open(section) as result:
        assert result.plot("c.png", orbits=range(3), xlim=np.array([-1.0, 2.0]), small=True).path.exists()


def test_a_section_with_periodic_orbits_on_top(section):
    pytest.importorskip("matplotlib")
    start = dict(points=[dict(q2=0.3, q2_dot=0.0)])
    orbits, others = (ct.periodic_orbits(file=f"{energy}.h5", model="henon-heiles", method=dict(step=0.5), section="q1", returns=1,
                                         ensemble=dict(energy=energy, **start), progress=False) for energy in (0.125, 0.12))
    pictures = [ct.open(section).plot(f"{k}.png", overlay=it, small=True).path.read_bytes()
                for k, it in enumerate((None, orbits, orbits.result, "0.125.h5"))]  # a run, its result, their file
    assert pictures[0] != pictures[1] and pictures[1:] == [pictures[1]] * 3
    with pytest.raises(ct.InputError, match="energy is 0.125"):
        ct.open(section).plot("d.png", overlay=others)


@pytest.fixture
def begun(folder, source, monkeypatch):
    """The result of a run that hasn't come to its first sample."""
    monkeypatch.syspath_prepend(str(source / "tests" / "plot"))
    import synthetic
    synthetic.particles("begun.h5", written=0)
    with h5py.File("begun.h5", "r+") as file:
        file["particles/time"][:] = np.nan
    return ct.open("begun.h5")


def test_nothing_to_draw_yet_is_said(begun, folder):
    """By an exception: not by a picture that is not there, or that of an older result."""
    pytest.importorskip("matplotlib")
    (folder / "begun.png").write_bytes(b"older")
    with pytest.raises(ct.Error, match="no sample of the particles yet") as refusal:
        begun.plot()
    assert refusal.value.code == 1 and (folder / "begun.png").read_bytes() == b"older"
    with pytest.raises(ct.Error, match="no sample of the particles yet"):
        begun.explore()
    assert not (folder / "begun.html").exists()


def test_all_data_sets_are_listed(folder, source, monkeypatch):
    monkeypatch.syspath_prepend(str(source / "tests" / "plot"))
    import synthetic
    synthetic.landscape("land.h5")
    said = repr(ct.open("land.h5"))
    assert "/landscape/energy (" in said and "/landscape/stationary/eigenvalues (" in said and "/landscape/passes/from (" in said


def test_a_page_that_answers_to_clicks(section, folder):
    page = ct.open(section).explore("a.html", small=True)
    text = page.path.read_text()
    assert "q2_dot" in text and "energy error" in text and len(text) < 300_000
    assert page._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(ct.Error, match="unrecognized"):
        ct.open(section).explore("b.html", colour="red")


def test_the_package_is_there_without_sympy_and_xarray(monkeypatch):
    for name in ("sympy", "xarray"):
        monkeypatch.setitem(sys.modules, name, None)
    try:
        importlib.reload(results)
        assert results.xarray is None
        from cotangent import deck
        assert deck.toml({"a": 1}) == "{ a = 1 }"
    finally:
        monkeypatch.undo()
        importlib.reload(results)
