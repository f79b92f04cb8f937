#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""apps/cluster/cotangent.pbs, with stand-ins for mpirun, qstat and qsub: when it stops, and what it submits."""
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "apps" / "cluster" / "cotangent.pbs"
QSTAT = 'echo "    Resource_List.walltime = $WALLTIME"'
# A job that stops when it is asked to.
LONG = "trap 'exit 75' USR1; echo > began; while :; do sleep 0.01; done"


class Pbs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cotangent_pbs_")
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        (self.at / "bin").mkdir()
        self.stand_in("qsub", 'echo "$@" RESTARTS=$RESTARTS >> submitted')

    def stand_in(self, name, text):
        file = self.at / "bin" / name
        file.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        file.chmod(0o755)

    def start(self, **variables):
        known = {name: value for name, value in os.environ.items() if not name.startswith(("PBS_", "COTANGENT_"))}
        return subprocess.Popen(["bash", SCRIPT], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.at, env={
            **known, "PATH": f"{self.at / 'bin'}:{os.environ['PATH']}", "PBS_O_WORKDIR": str(self.at), "PBS_JOBID": "1.s",
            "DECK": "deck.toml", **variables})

    def end(self, **variables):
        process = self.start(**variables)
        said = process.communicate(timeout=60)
        return process.returncode, "".join(said)

    def submitted(self):
        file = self.at / "submitted"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def test_the_time_is_the_jobs_own(self):
        self.stand_in("mpirun", 'echo "$@"')
        self.stand_in("qstat", QSTAT)
        for variables, minutes in (({"WALLTIME": "24:00:00"}, "1435"), ({"WALLTIME": "1:00:00"}, "55"), ({"WALLTIME": "00:05:00"}, "2.5"),
                                   ({"WALLTIME": "1:00:00", "PBS_WALLTIME": "7200"}, "115"), ({"COTANGENT_WALL_MINUTES": "7"}, "7")):
            code, said = self.end(**variables)
            self.assertEqual((code, said.split()), (0, ["cotangent", "deck.toml", f"output.wall_minutes={minutes}", "--resume"]))
        self.stand_in("qstat", "exit 1")
        code, said = self.end()
        self.assertEqual(code, 2)
        self.assertIn("COTANGENT_WALL_MINUTES", said)

    def test_who_goes_on(self):
        for code, goes_on in ((75, True), (0, False), (1, False), (3, False)):
            self.stand_in("mpirun", f"exit {code}")
            self.assertEqual(self.end(PBS_WALLTIME="3600")[0], 0 if goes_on else code)
            self.assertEqual("RESTARTS=1" in self.submitted(), goes_on)
            (self.at / "submitted").unlink(missing_ok=True)
        self.stand_in("mpirun", "exit 75")
        self.assertEqual(self.end(PBS_WALLTIME="3600", RESTARTS="3", COTANGENT_MOST_RESTARTS="3")[0], 75)
        self.assertEqual(self.submitted(), "")

    def test_a_deleted_job_stops_and_stays_away(self):
        self.stand_in("mpirun", LONG)
        process = self.start(PBS_WALLTIME="3600")
        while not (self.at / "began").exists() and process.poll() is None:
            pass
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual((process.returncode, self.submitted()), (75, ""))


if __name__ == "__main__":
    unittest.main()
