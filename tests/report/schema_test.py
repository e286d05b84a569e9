"""Reports that the program writes are valid under docs/reference/report.schema.json, and no damaged one is.

Oracle: python-jsonschema. Also checks that the schema knows every field that is written, and that
docs/reference/REPORT.md explains every field that the schema knows.
"""
import contextlib
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

SOURCE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
BINARY = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"])
FREE = {"settings", "varying", "env", "origins", "variables", "libraries", "fixed", "status_counts", "files_left_out", "values",
        "words"}  # maps: their keys are data


def samples():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([BINARY / "tests/core_tool", "write-samples", folder], check=True)
        return {f.name: json.loads(f.read_text()) for f in sorted(pathlib.Path(folder).iterdir())}


def places(value, path=()):
    """Every (path, value) below `value`, objects and lists included."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield path + (key,), child
        yield from places(child, path + (key,))


def parent_of(report, path):
    for key in path[:-1]:
        report = report[key]
    return report


@contextlib.contextmanager
def changed(report, path):
    """The parent of the value at `path`, to be changed within; a copy of the report for each change would take minutes."""
    parent = parent_of(report, path)
    before = copy.copy(parent)
    yield parent
    parent.clear()
    parent.update(before) if isinstance(parent, dict) else parent.extend(before)


def property_names(schema):
    for part in (schema, *schema["$defs"].values()):
        yield from part["properties"]


class PartJudge:
    """Judges one part of a report after a change within it: to judge all of the others each time would take minutes."""

    def __init__(self, validator, report):
        self.report = report
        self.parts = {key: validator.evolve(schema=part) for key, part in validator.schema["properties"].items()}

    def accepts(self, path):
        return self.parts[path[0]].is_valid(self.report[path[0]])


def check_damage(validator, report):
    """Each field replaced by what cannot be right: all refused."""
    judge, damaged = PartJudge(validator, report), 0
    for path, value in list(places(report)):
        if "settings" in path[:-1]:
            continue  # may hold anything: its own reader judges
        wrongs = [None, [[]], "" if not isinstance(value, str) else 1]
        if not isinstance(value, dict):
            wrongs.append({"x": []})
        for wrong in wrongs:
            with changed(report, path) as parent:
                parent[path[-1]] = wrong
                assert not judge.accepts(path), f"accepted {path} = {wrong!r}"
            damaged += 1
    return damaged


def check_required(validator, report, schema):
    """Returns how many single omissions are refused."""
    judge, dropped = PartJudge(validator, report), 0
    for name, part in (("report", schema), *schema["$defs"].items()):
        for key in part["required"]:
            found = [p for p, _ in places(report) if p[-1] == key]
            assert found, f"no sample has {name}.{key}"
    for path, _ in list(places(report)):
        if isinstance(path[-1], int):
            continue
        with changed(report, path) as parent:
            del parent[path[-1]]
            dropped += not (judge.accepts(path) if len(path) > 1 else validator.is_valid(report))
    return dropped


def main():
    schema = json.loads((SOURCE / "docs/reference/report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    reports = samples()
    assert set(reports) == {"least.json", "most.json", "partial.json", "whole_steps.json"}, reports.keys()
    for name, report in reports.items():
        for error in validator.iter_errors(report):
            sys.exit(f"{name}: {error.json_path}: {error.message}")

    most = reports["most.json"]
    known = set(property_names(schema))
    written = {p[-1] for p, _ in places(most) if isinstance(p[-1], str) and not FREE & set(p[-2:-1])}
    assert written <= known, f"written, but not in the schema: {written - known}"
    assert known <= written, f"in the schema, but no sample writes it: {known - written}"
    text = (SOURCE / "docs/reference/REPORT.md").read_text()
    unexplained = [key for key in known if f"| `{key}` |" not in text]
    assert not unexplained, f"not in docs/reference/REPORT.md: {unexplained}"

    damaged = check_damage(validator, most)
    dropped = check_required(validator, most, schema)
    required = sum(len(part["required"]) for part in (schema, *schema["$defs"].values()))
    assert dropped >= required, (dropped, required)
    for key, value in (("schema", "scalemark.report/2"), ("status", "fine"), ("started", "yesterday")):
        assert not validator.is_valid({**most, key: value}), key
    assert not validator.is_valid({**reports["partial.json"], "exit_code": 0}), "partial with an exit code"
    print(f"{len(reports)} reports valid, {damaged} damages and {dropped} omissions refused, "
          f"{len(known)} fields explained")


if __name__ == "__main__":
    main()
