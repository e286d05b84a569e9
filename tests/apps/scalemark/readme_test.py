"""Every command of README.md, docs/README.md and docs/TUTORIAL.md is one that the program takes: plans are made, reports are read, files and
each link of each page leads somewhere. tutorial_test.py carries the tutorial out."""

import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import time
import unittest

import statuses
from program import BUILD, run

SOURCE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
PAGES = ("README.md", "docs/README.md", "docs/TUTORIAL.md")
PLANNED = ("train", "sweep", "comm")


def commands(text):
    """Returns what stands between backticks or begins an indented line, and names the program: its words, a launcher's left out."""
    quoted = re.findall(r"`([^`\n]*\bscalemark [^`\n]+)`", text)
    indented = re.findall(r"(?m)^ {4}(\S*scalemark [^#\n]+)", text)
    return [shlex.split(line[re.search(r"\bscalemark ", line).start():])[1:] for line in (*quoted, *indented)]


def without_blocks(page):
    return re.sub(r"(?ms)^ *```.*?^ *```$", "", page.read_text())


def anchor_of(head):
    """Returns what the forges make of a head: lower case, without what is no letter, digit, blank or dash, and blanks as dashes."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head).lower()).strip().replace(" ", "-")


class Inputs(unittest.TestCase):
    """Reports, tables and logs of the names that the pages use."""

    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.keep.name)
        subprocess.run([BUILD / "tests/core_tool", "write-sweeps", cls.folder / "sweeps"], check=True)
        subprocess.run([BUILD / "tests/core_tool", "write-fleets", cls.folder / "fleets", "1", "1"], check=True)
        config, = re.findall(r"(?s)```json\n(.*?)```", (SOURCE / "docs/TUTORIAL.md").read_text())
        (cls.folder / "photos.json").write_text(config)
        statuses.write(cls.folder / "results/runs/a", statuses.status_at(163, time.time(), state="complete"))
        (cls.folder / "train.log").write_text("Running benchmark...\n" + "".join(f"Iter #{k}: 312.{k} img/sec per GPU\n" for k in range(10)) +
                                              "Img/sec per GPU: 312.5 +-0.6\nTotal img/sec on 8 GPU(s): 2500.0 +-4.8\n")
        (cls.folder / "blog.md").write_text("| GPUs | images/s | Speed-up |\n|---|---|---|\n| 1 | 310 | 1.0x |\n| 8 | 3,100 | 12.4x |\n")

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def given(self, word):
        """A report in the place of a name in capitals, or of a folder of the tutorial."""
        if re.fullmatch(r"DIR|NET|OLD\d|NEW\d|two|net|batches|again", word):
            return str(self.folder / f"sweeps/{'collectives' if word.upper() == 'NET' else 'sweep'}.json")
        if word == "-":  # a pipe
            return "train.log"
        return str(next((self.folder / "fleets").iterdir())) if word == "acc" else word


class Readme(Inputs):
    def test_the_program_takes_every_command(self):
        seen = set()
        for page in PAGES:
            for words in commands((SOURCE / page).read_text()):
                seen.add(words[0])
                if words[0] in (*PLANNED, "reproduce"):
                    words = [*(word for word in words if word != "--dry-run"), "--dry-run"]
                else:
                    words = [self.given(word) for word in words if word != "--measure"]  # --measure takes minutes
                    words += ["--overwrite"] if any("svg=" in word for word in words) else []  # an earlier page's
                result = run(*words, cwd=self.folder)
                self.assertIn(result.returncode, (0, 1, 2) if words[0] in ("accept", "compare", "judge", "lint") else (0,), (page, words, result.stderr))
                self.assertNotIn("error E_", result.stderr, (page, words))
        self.assertLessEqual({"train", "sweep", "comm", "explain", "predict", "compare", "report", "accept", "doctor", "judge"}, seen)

    def test_what_lint_answers_stands_as_it_is(self):
        answer, = re.findall(r"(?s)`scalemark lint blog.md` answers.*?```\n(.*?)```", (SOURCE / "README.md").read_text())
        linted = run("lint", "blog.md", cwd=self.folder)
        self.assertEqual((linted.returncode, linted.stdout[:len(answer)]), (1, answer))

    def test_files_and_links_are_there(self):
        for page in PAGES:
            text = (SOURCE / page).read_text()
            for script in re.findall(r"\b(?:scripts|configs)/[\w./-]+\w", text):
                self.assertTrue((SOURCE / script).exists(), (page, script))

    def test_every_link_leads_somewhere(self):
        pages = [*SOURCE.glob("*.md"), *(page for folder in ("docs", "configs", "results") for page in (SOURCE / folder).rglob("*.md"))]
        anchors = {page: {anchor_of(head) for head in re.findall(r"(?m)^#+ (.*)$", without_blocks(page))} for page in pages}
        for page in pages:
            for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page)):
                path, _, anchor = target.partition("#")
                if re.match(r"\w+:", target):
                    continue
                led_to = (page.parent / path).resolve() if path else page
                self.assertTrue(led_to.exists(), (page, target))
                self.assertTrue(not anchor or anchor in anchors[led_to], (page, target))
            for named in re.findall(r"\bdocs/[\w./-]+\.(?:md|json)\b", page.read_text()):
                self.assertTrue((SOURCE / named).exists() or page.name in ("MOVED.md", "CHANGELOG.md"), (page, named))

    def test_every_page_is_indexed(self):
        for folder in (SOURCE / "docs", SOURCE / "docs/reference", SOURCE / "docs/internals"):
            index = (folder / "README.md").read_text()
            for page in folder.glob("*.md"):
                self.assertTrue(page.name == "README.md" or f"({page.name})" in index, page.name)

    def test_the_pages_for_users_are_few(self):
        self.assertLessEqual(len(list((SOURCE / "docs").glob("*.md"))), 16)  # fifteen and the index
        self.assertLessEqual(len((SOURCE / "docs/README.md").read_text().splitlines()), 24)

    def test_sources_name_pages_that_are_there(self):
        pages = {page.name for folder in ("docs", "configs", "results") for page in (SOURCE / folder).rglob("*.md")} | {p.name for p in SOURCE.glob("*.md")}
        for folder in ("apps", "core", "engine", "report", "claims", "workloads", "data", "kernels", "tools", "scripts"):
            for file in (SOURCE / folder).rglob("*"):
                if file.suffix in (".h", ".cpp", ".cu", ".inc", ".txt", ".js", "") and file.is_file():
                    text = file.read_text(errors="replace")
                    for path, name in re.findall(r"(docs/(?:\w+/)?)?\b([A-Z][A-Z_]+\.md)\b", text):
                        self.assertIn(name, pages, file)
                        self.assertTrue(not path or (SOURCE / path / name).exists(), (file, path + name))


class Typed(Inputs):
    """Types the rows of README's table for real, on a machine without GPUs: those of its right column, else those in the middle."""

    def test_a_laptop_answers_every_row(self):
        rows = re.findall(r"(?m)^\| ([^|]+) \| (.*) \| ([^|]*) \|$", (SOURCE / "README.md").read_text().replace("\\|", ";"))
        self.assertGreater(len(rows), 15)
        for question, anywhere, laptop in rows:
            for words in commands(anywhere if laptop == "the same" else laptop):
                if words[0] == "top":
                    continue  # it lasts as long as a run; top_test.py watches one
                given = words if words[0] in (*PLANNED, "reproduce") else [self.given(word) for word in words]
                asked = [*given, "--yes"] if words[0] in ("sweep", "comm", "reproduce") else given
                result = run(*asked, cwd=self.folder, timeout=3600)
                self.assertIn(result.returncode, (0, 1, 2), (question, asked, result.stderr))
                self.assertNotIn("error E_", result.stderr, (question, asked))


if __name__ == "__main__":
    unittest.main()
