"""Texts of reports and other inputs as somebody may have written them: no output runs, draws, computes or marks up what they say.

Each text field of each input gets, before its own text, so that what belongs together still does, what a shell, a terminal, a browser, a reader
of tables or a reader of XML would act on. A field that takes no such text must be refused in one line (65 or 78). Oracles: sh with stubs,
Python's parsers of HTML, XML, CSV and JSON."""

import copy
import csv
import html.parser
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unicodedata
import unittest
import xml.etree.ElementTree as ElementTree

import statuses
from program import BUILD, run

SOURCE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
RAN = "touch RAN"
MARKUP = "</script><script>alert(1)</script><img src=x onerror=alert(1)>]]>--><b onclick=x>&lt;\"'`|[a](javascript:b)"
HOSTILE = (f"$({RAN})`{RAN}`'$({RAN})\"; {RAN}; #\n{RAN}\r\n\x1b[2J\x1b]0;title\x07\u202e\u2066\u200f\u009b31m\u2028{MARKUP}",
           f"=cmd|' /C calc'!A0\n{RAN}\n", f"@SUM(1)'; {RAN}; '", f"-rf $({RAN})", f"+1+cmd|'\t\"; {RAN}; \"")
STUBS = ("scontrol", "kubectl", "scalemark", "srun")


def acts(character):
    """Returns whether a terminal acts on it instead of showing it: Unicode's categories say which."""
    return unicodedata.category(character) in ("Cc", "Zl", "Zp") or unicodedata.bidirectional(character) in (
        "LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI") or character in "\u200e\u200f\u061c"


def text_of(file):
    """All of it: Python's text files take a CR for the end of a line."""
    return file.read_bytes().decode()


def leaves(value, path=()):
    """Each text in a document with its way there; keys of maps are texts, too, but stay."""
    if isinstance(value, str):
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield from leaves(one, (*path, key))


def kind_of(path):
    return ".".join("[]" if isinstance(step, int) else step for step in path)


def changed(document, kinds, hostile):
    """The document with that before each text of these kinds."""
    other = copy.deepcopy(document)
    for path, text in leaves(document):
        if kind_of(path) not in kinds:
            continue
        at = other
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = hostile + text
    return other


class Shape(html.parser.HTMLParser):
    """Collects which elements with which attributes a page has."""

    def __init__(self, text):
        super().__init__()
        self.kinds, self.scripts = set(), 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        self.kinds |= {(tag, name) for name, _ in attrs} | {(tag, None)}


class HostileTexts(unittest.TestCase):
    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = pathlib.Path(keep.name)
        self.stubs = self.folder / "stubs"
        self.stubs.mkdir()
        for name in STUBS:
            (self.stubs / name).write_text('#!/bin/sh\nprintf "%s\\n" "$#" >> "$0.calls"\n')
            (self.stubs / name).chmod(0o755)

    def program(self, *words, codes=(0, 1, 2)):
        done = run(*map(str, words), cwd=self.folder)
        self.assertIn(done.returncode, codes, f"{words}\n{done.stdout}{done.stderr}")
        self.shows_nothing_odd(done.stderr)
        return done

    def shows_nothing_odd(self, text):
        odd = {repr(one) for one in text if acts(one) and one not in "\n\t"}
        self.assertEqual(odd, set(), text[:3000])

    def runs_nothing(self, script):
        """Runs it under sh, in an empty folder; returns how many words each stub got."""
        with tempfile.TemporaryDirectory() as empty:
            subprocess.run(["sh", "-c", script], cwd=empty, env={"PATH": f"{self.stubs}:/usr/bin:/bin"}, capture_output=True, timeout=60, check=False)
            self.assertEqual(os.listdir(empty), [], script)
        calls = {}
        for file in self.stubs.glob("*.calls"):
            calls[file.stem] = file.read_text().split()
            file.unlink()
        return calls

    def commands_in(self, text):
        """Returns what a person would copy from an answer: lines that show a command behind what it is for."""
        shown = [re.match(r"(?:with intervals|why not .{1,9} x|details|\d+ more rows|\d+ more starts?|next job)? +((?:scalemark|srun|--exclude=).*)", line)
                 for line in text.splitlines()]
        return [found[1] for found in shown if found]

    def commands_run_nothing(self, text):
        commands = self.commands_in(text)
        for command in commands:
            self.runs_nothing(command if not command.startswith("--") else f"srun {command}")
        return commands

    def taken(self, document, command, refused=(65, 78)):
        """The kinds of text of this document that the command takes whatever they are; the others must be refused in one line."""
        file = self.folder / "one.json"
        kinds = sorted({kind_of(path) for path, _ in leaves(document)})
        free = set()
        for kind in kinds:
            file.write_text(json.dumps(changed(document, {kind}, HOSTILE[0])))
            done = self.program(*command, file, codes=(0, 1, 2, *refused))
            if done.returncode in refused:
                self.assertEqual(done.stderr.count("\n"), 1, (kind, done.stderr))
                self.assertIn("one.json", done.stderr)
            else:
                free.add(kind)
        return free

    def variants(self, document, kinds):
        for number, hostile in enumerate(HOSTILE):
            folder = self.folder / f"v{number}"
            folder.mkdir()
            report = changed(document, kinds, hostile)
            (folder / "report.json").write_text(json.dumps(report))
            yield folder, report

    def forms_of(self, folder, *names):
        wanted = ",".join(f"{name}={folder / name}" for name in names)
        self.program("report", folder, "--format", wanted)
        return {name: folder / name for name in names}

    def xml_has(self, text, tags):
        found = {one.tag for one in ElementTree.fromstring(text).iter()}
        self.assertLessEqual({tag.split("}")[-1] for tag in found}, tags)

    def csv_computes_nothing(self, text):
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        self.assertEqual(len({len(row) for row in rows}), 1, "each row has all its cells")
        for cell in (cell for row in rows for cell in row):
            formula = cell[:1] in ("=", "@", "\t", "\r", "\n") or (cell[:1] in ("+", "-") and re.search(r"[^-+0-9.,eE% ]", cell))
            self.assertFalse(formula, cell)

    def markdown_marks_up_nothing(self, text):
        self.shows_nothing_odd(text)
        self.assertNotRegex(text, r"(?<!\\)<(script|img|b)\b|(?<!\\)\[a\]")

    def page_is(self, text, like):
        """What fails has marks that what passes has not."""
        shape = Shape(text)
        more = {(tag, name) for tag, name in shape.kinds - like.kinds if tag != "circle" or name not in (None, "class", "cx", "cy", "r")}
        self.assertEqual((more, shape.scripts), (set(), like.scripts))

    def test_reports(self):
        """A sweep's, with every rendering, and what the other commands say of it."""
        names = ("table", "md", "csv", "json", "jsonl", "html", "junit", "superbench", "prom", "groups", "scaling", "effects", "links", "svg", "tensorboard", "summary", "badge")
        whole = json.loads((SOURCE / "results/example/report.json").read_text())
        kinds = self.taken(whole, ("report", "--format", "json"))
        hosts = {kind for kind in (kind_of(path) for path, _ in leaves(whole)) if re.search(r"(^|\.)(host|hostname|scheduler_node)$", kind)}
        self.assertTrue(hosts and not hosts & kinds, "names of machines are names")
        self.assertLessEqual({"invocation.command_line", "run_id", "groups.[].group", "points.[].workload", "findings.[].text", "tool.version"}, kinds)
        plain = Shape(run("report", "--example", "--format", "html").stdout)
        example = self.folder / "example.json"
        example.write_text(json.dumps(whole))
        for folder, report in self.variants(whole, kinds):
            commands = [*self.commands_run_nothing(self.shown("report", folder)), *self.commands_run_nothing(self.shown("report", folder, "--details"))]
            self.assertTrue(any("--details" in command for command in commands), commands)
            for words in (("explain", folder), ("lint", folder), ("predict", folder, "--world-sizes", "8"), ("compare", example, folder), ("compare", folder, folder),
                          ("accept", folder), ("report", folder, "--redact")):
                self.commands_run_nothing(self.shown(*words, codes=(0, 1, 2, 64, 65, 78)))
            files = self.forms_of(folder, *names)
            self.assertEqual(json.loads(text_of(files["json"]))["run_id"], report["run_id"], "data are not changed")
            self.assertEqual(json.loads(text_of(files["jsonl"]).split("\n")[0])["run_id"], report["run_id"])
            self.shows_nothing_odd(text_of(files["table"]))
            self.markdown_marks_up_nothing(text_of(files["md"]))
            summary = text_of(files["summary"])
            self.shows_nothing_odd(summary)
            self.markdown_marks_up_nothing(re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", summary))  # code spans show all
            self.xml_has(text_of(files["badge"]), {"svg", "title", "rect", "text"})
            self.xml_has(text_of(files["junit"]), {"testsuites", "testsuite", "testcase", "properties", "property", "failure", "error", "skipped", "system-out", "system-err"})
            self.page_is(text_of(files["html"]), plain)
            for name in ("csv", "groups", "scaling", "effects", "links"):
                self.csv_computes_nothing(text_of(files[name]))
            for line in text_of(files["prom"]).removesuffix("\n").split("\n"):
                self.assertRegex(line, r'\A(# (HELP|TYPE) [a-z0-9_]+ .*|[a-zA-Z0-9_:]+\{([a-z_]+="([^"\\\n]|\\[\\"n])*",?)*\} [-+.0-9eE]+)\Z')
            json.loads(text_of(files["superbench"]).split("\n")[0])
            figures = list(files["svg"].rglob("*"))
            self.assertTrue(figures)
            for figure in figures:
                if figure.suffix == ".svg":
                    self.xml_has(text_of(figure), {"svg", "title", "desc", "g", "path", "circle", "rect", "text", "line", "polyline", "polygon", "style", "ellipse"})
            for file in self.folder.rglob("*"):
                self.assertTrue(file.resolve().is_relative_to(self.folder.resolve()))
            shutil.rmtree(files["tensorboard"])

    def shown(self, *words, codes=(0, 1, 2)):
        """Returns what a command prints, which is safe to display."""
        done = self.program(*words, codes=codes)
        self.shows_nothing_odd(done.stdout)
        return done.stdout

    def test_reports_of_collectives(self):
        subprocess.run([BUILD / "tests/core_tool", "write-sweeps", self.folder / "made"], check=True)
        whole = json.loads((self.folder / "made/collectives.json").read_text())
        kinds = self.taken(whole, ("report", "--format", "json"))
        for folder, _ in self.variants(whole, kinds):
            self.commands_run_nothing(self.shown("report", folder))
            self.shown("compare", folder, folder, "--details")
            files = self.forms_of(folder, "md", "csv", "groups", "links", "junit")
            self.markdown_marks_up_nothing(text_of(files["md"]))
            for name in ("csv", "groups", "links"):
                self.csv_computes_nothing(text_of(files[name]))

    def test_a_fleet(self):
        """Reports of nodes, a baseline of them and rules: the scripts and commands that an acceptance hands over."""
        subprocess.run([BUILD / "tests/core_tool", "write-fleets", self.folder / "fleets", "1", "4", "4", "2"], check=True)
        files = sorted((self.folder / "fleets/0/acc").rglob("report.json"))
        kinds = self.taken(json.loads(files[0].read_text()), ("report", "--format", "json"))
        self.assertIn("environment.hosts.[].gpus.[].name", kinds)
        names = ("md", "jsonl", "html", "junit", "drain", "undecided", "exclude", "suspects")
        drained, plain = 0, None
        for number, hostile in enumerate(("", *HOSTILE)):
            fleet = self.folder / f"f{number}"
            for file in files:
                to = fleet / file.relative_to(self.folder / "fleets/0/acc")
                to.parent.mkdir(parents=True)
                report = changed(json.loads(file.read_text()), kinds, hostile)
                report["exit_code"] = 1
                to.write_text(json.dumps(report))
            forms = {name: fleet / name for name in names}
            wanted = ",".join(f"{name}={file}" for name, file in forms.items())
            self.assertTrue(self.commands_run_nothing(self.shown("accept", fleet, "--format", wanted, "--nodes", "node[000-004]")))
            self.commands_run_nothing(self.shown("accept", fleet, "--details"))
            self.shows_nothing_odd(text_of(forms["drain"]))
            calls = self.runs_nothing(text_of(forms["drain"])).get("scontrol", [])
            self.assertEqual(set(calls), {"4"}, "update, NodeName, State and Reason: one word each")
            drained += len(calls)
            self.runs_nothing(f"srun --nodelist={forms['undecided'].read_text()}")
            self.markdown_marks_up_nothing(text_of(forms["md"]))
            self.xml_has(text_of(forms["junit"]), {"testsuites", "testsuite", "testcase", "properties", "property", "failure", "error", "skipped", "system-out", "system-err"})
            plain = plain or Shape(text_of(forms["html"]))
            self.page_is(text_of(forms["html"]), plain)
            baseline = self.folder / f"baseline{number}.json"
            self.shown("baseline", "make", fleet, "--output", baseline)
            self.shown("accept", fleet, "--baseline", baseline)
        self.assertGreater(drained, 0)
        self.baselines_and_rules(self.folder / "fleets/0/acc", json.loads(baseline.read_text()))

    def baselines_and_rules(self, fleet, baseline):
        rules = json.loads((SOURCE / "configs/acceptance/rules/standard.json").read_text())
        for option, document in (("--baseline", baseline), ("--rules", rules)):
            kinds = self.taken(document, ("accept", fleet, option))
            for number, hostile in enumerate(HOSTILE):
                file = self.folder / f"{option[2:]}-{number}.json"
                file.write_text(json.dumps(changed(document, kinds, hostile)))
                forms = {name: self.folder / f"{option[2:]}-{number}.{name}" for name in ("md", "junit", "drain")}
                wanted = ",".join(f"{name}={file}" for name, file in forms.items())
                self.shown("accept", fleet, option, file, "--format", wanted, codes=(0, 1, 2, 65, 78))
                if forms["md"].exists():
                    self.markdown_marks_up_nothing(text_of(forms["md"]))
                    self.runs_nothing(text_of(forms["drain"]))

    def test_a_host_that_is_a_command(self):
        """The case that was found: the line end leaves the comment that the host stands in."""
        subprocess.run([BUILD / "tests/core_tool", "write-fleets", self.folder / "fleets", "1", "4", "2", "1"], check=True)
        files = sorted((self.folder / "fleets/0/acc").rglob("report.json"))
        text = files[0].read_text()
        host = json.loads(text)["environment"]["hosts"][0]["hostname"]
        for name in (f"n1\\n{RAN} ", f"$({RAN})", f"`{RAN}`", "-rf", "a b", "n\\u202e1", "n\\u001b[2J", "a'b"):
            files[0].write_text(text.replace(f'"{host}"', f'"{name}"'))
            done = self.program("report", files[0], codes=(65,))
            self.assertIn("is no name of a machine", done.stderr)
            self.assertIn(str(files[0]), done.stderr)
            # Beside others it spoils no other, and is reported.
            accepted = self.program("accept", self.folder / "fleets/0/acc", "--overwrite", "--format", "drain=drain.sh")
            self.assertIn("is no name of a machine", self.shown("accept", self.folder / "fleets/0/acc", "--details"))
            self.runs_nothing((self.folder / "drain.sh").read_text())
            self.shows_nothing_odd(accepted.stdout)

    def test_the_status_of_a_run(self):
        # A second record of a run that continues is waited for, in vain here for 3 s: once for all of them.
        ended, status = (statuses.status_at(100, time.time(), ranks=4, slow=1, gpus=True, findings=3, state=state) for state in ("complete", "running"))
        kinds = self.taken(ended, ("top", "--once"))
        self.assertLessEqual({"what", "point", "findings.[].text"}, kinds)
        folders = {self.folder / f"s{number}": hostile for number, hostile in enumerate(HOSTILE)}
        for folder, hostile in folders.items():
            statuses.write(folder, changed(status, kinds, hostile))
        self.shown("top", *folders, "--once")
        frames = self.program("top", *folders, "--once", "--format", "json").stdout.removesuffix("\n").split("\n")
        for frame, hostile in zip(map(json.loads, frames), HOSTILE, strict=True):
            self.assertIn(hostile, [text[:len(hostile)] for _, text in leaves(frame)], "data are not changed")

    def test_published_rows(self):
        """A library of somebody else: its tables, and the runs that it asks for."""
        lines = [json.loads(line) for line in (SOURCE / "results/published/aws-samples--deep-learning-models.jsonl").read_text().splitlines()]
        lines += [json.loads(line) for line in (SOURCE / "results/published/practice.jsonl").read_text().splitlines()]
        library = self.folder / "library"
        library.mkdir()
        kinds = sorted({kind_of(path) for row in lines for path, _ in leaves(row)})
        free = set()
        for kind in kinds:
            (library / "one.jsonl").write_text("".join(json.dumps(changed(row, {kind}, HOSTILE[0])) + "\n" for row in lines))
            done = self.program("published", "list", "--library", library, codes=(0, 65))
            if done.returncode == 0:
                free.add(kind)
            else:
                self.assertEqual(done.stderr.count("\n"), 1)
        self.assertLessEqual({"framework", "system", "path"}, free)
        for hostile in HOSTILE:
            (library / "one.jsonl").write_text("".join(json.dumps(changed(row, free, hostile)) + "\n" for row in lines))
            self.shown("published", "list", "--library", library)
            self.shown("published", "lint", "--library", library, codes=(0, 1))
            exported = self.program("published", "export", "--library", library, "--format", "csv")
            self.csv_computes_nothing(exported.stdout)
            self.markdown_marks_up_nothing(self.program("published", "lint", "--library", library, "--format", "md", codes=(0, 1)).stdout)
            table = self.folder / "table.jsonl"
            table.write_text((library / "one.jsonl").read_text())
            done = self.program("reproduce", table, "--dry-run", "--output", "out", codes=(0, 1, 2, 65, 78))
            self.shows_nothing_odd(done.stdout)
            for command in (line for line in done.stdout.splitlines() if line.startswith("scalemark ")):
                self.runs_nothing(command)

    def test_names_of_files_and_what_a_configuration_says(self):
        """A path is a text as well: whatever prints a command quotes it."""
        name = f"a'$({RAN})`{RAN}`;{RAN};\x1b[2J"
        folder = self.folder / name
        shutil.copytree(SOURCE / "results/example", folder)
        commands = self.commands_run_nothing(self.shown("report", folder))
        self.assertTrue(any("report" in command for command in commands), commands)
        self.shown("accept", folder)
        config = self.folder / "config.yaml"
        config.write_text(f"about: {json.dumps(HOSTILE[0])}\nworkload: linear\n")
        self.shown("train", "--config", config, "--dry-run", codes=(0, 78))
        self.shown("lint", folder / "report.json")
        self.shown("report", f"{folder}x", codes=(66,))


if __name__ == "__main__":
    unittest.main()
