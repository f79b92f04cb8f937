"""Every deck, input/*/*.toml: its head comment, its whole text judged by --check, and a shortened run."""
import re
import subprocess
import unittest

from launch import RANKS, SOURCE, ProgramTest

# What makes a deck short; the default serves most.
SHORT = {
    "poincare": ["stop.crossings=3"],
    "trajectory": ["stop.time=2.0", "output.every=0.5"],
    "work-precision": ["stop.time=2.0"],
    "mechanism": ["stop.time=0.004", "output.every=0.002"],
    "hard-spheres": ["stop.time=1.0", "stop.warm_up=0.5"],
    "billiard": ["stop.time=0.2", "output.every=0.1"],
    "overland": ["stop.time=0.05", "output.every=0.05", "output.frames_every=0.05"],
    "lattice": ["stop.time=2.0", "output.every=1.0", "output.frames_every=1.0"],
    "particles": ["stop.time=0.02", "output.every=0.01", "output.frames_every=0.02", "output.surface_cells=0"],
}
EXTRA = {"landscape_million.toml": ["mesh.cells=[20,20]", "stop.time=60", "output.frames_every=60"],
         "v_catchment.toml": ["stop.time=60", "output.frames_every=60"]}
DECKS = sorted((SOURCE / "input").glob("*/*.toml"))


def shortened(deck):
    """The overrides that make a deck short."""
    text = deck.read_text(encoding="utf-8")
    study = re.search(r'^study\s*=\s*"([^"]+)"', text, re.M).group(1)
    words = list(EXTRA.get(deck.name, SHORT.get(study, [])))
    if "random" in text and "[ensemble]" in text:
        words.append("ensemble.random.count=3")
    return words


class Decks(ProgramTest):
    longest = 300

    def test_there_are_decks(self):
        self.assertGreater(len(DECKS), 5)

    def test_head_comments(self):
        for deck in DECKS:
            with self.subTest(deck=deck.name):
                head = deck.read_text(encoding="utf-8").split("study =")[0]
                self.assertGreaterEqual(head.count("\n#") + head.startswith("#"), 3)
                self.assertRegex(head, r"Takes|seconds?|minutes?")

    def test_check(self):
        for deck in DECKS:
            with self.subTest(deck=deck.name):
                end = self.launch(deck, "--check", ranks=1)
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)

    def test_shortened_runs(self):
        for deck in DECKS:
            with self.subTest(deck=deck.name):
                end = self.launch(deck, *shortened(deck), "output.file=short.h5", ranks=RANKS)
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                self.assertTrue((self.at / "short.h5").exists())


class Templates(ProgramTest):
    def test_every_template_runs_as_it_is(self):
        listed = self.launch("--list", ranks=1).stdout
        studies = re.findall(r"^\s+([a-z-]+)", listed.split("models")[0], re.M)
        self.assertIn("poincare", studies)
        for study in studies:
            with self.subTest(study=study):
                template = self.launch("--template", study, ranks=1)
                self.assertEqual(template.returncode, 0, template.stderr)
                end = self.launch(self.deck(template.stdout), ranks=RANKS)
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)


if __name__ == "__main__":
    unittest.main()
