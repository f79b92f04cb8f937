#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long a Lagrangian takes to compile, and how much memory, against its coordinates and operations.

formula_sizes.py build/release/bin/cotangent [COORDINATES ...]

Of each: a chain of pendulums of which every two meet, in kinetic and in potential energy, general enough that nothing of
the mass matrix is constant; seconds from the start to the end of 'cotangent --compile', those of the processor, and the peak
of the largest process.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

DECK = """study = "trajectory"
[model]
coordinates = [{names}]
lagrangian = '''{lagrangian}'''
[method]
name = "gauss"
stages = 4
step = 0.01
[ensemble]
list = [[{start}]]
[stop]
time = 0.1
[output]
every = 0.1
file = "out.h5"
"""


def lagrangian(count):
    """Its text, and how many operations that is, equal ones counted once."""
    terms, operations = [], 0
    for i in range(count):
        terms.append(f"(1 + 0.1*q{i}^2)*q{i}_dot^2/2 + cos(q{i})")
        operations += 8
        for j in range(i):
            k = 1 + (i + j) % 7
            terms.append(f"0.0{k}*q{i}_dot*q{j}_dot*cos(q{i} - q{j}) - 0.0{k}*exp(-(q{i} - q{j})^2)*(q{i}*q{j})^2"
                         f" + 0.00{k}*sin(q{i} + 2*q{j})*(q{i} - 2*q{j})/(1 + q{i}^2 + q{j}^2)"
                         f" - 0.01*sqrt(1 + {k}*(q{i} - q{j})^2)")
            operations += 30
    return " + ".join(terms), operations


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    print(f"{'coordinates':>11}{'operations':>12}{'seconds':>9}{'processor':>11}{'GB':>7}")
    for count in [int(word) for word in sys.argv[2:]] or [2, 4, 8, 12, 16]:
        with tempfile.TemporaryDirectory() as folder:
            text, operations = lagrangian(count)
            deck = pathlib.Path(folder) / "deck.toml"
            deck.write_text(DECK.format(names=", ".join(f'"q{i}"' for i in range(count)), lagrangian=text,
                                        start=", ".join(f"{0.1 * i:.1f}" for i in range(2 * count))))
            began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
            end = subprocess.run([program, "--compile", deck], cwd=folder, text=True, capture_output=True,
                                 env={**os.environ, "COTANGENT_CACHE": folder + "/cache"})
            seconds = time.monotonic() - began
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
            peak = used.ru_maxrss / 1e6  # the largest so far
            print(f"{count:11}{operations:12}{seconds:9.1f}{processor:11.1f}{peak:7.2f}", "" if end.returncode == 0 else end.stderr)


if __name__ == "__main__":
    main()
