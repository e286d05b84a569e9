"""Every row of results/published is valid under docs/reference/published.schema.json, by jsonschema; a damaged one is not. What the program exports is valid, too."""

import json
import os
from pathlib import Path

import jsonschema
from program import check, run

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
schema = json.loads((SOURCE / "docs/reference/published.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

rows = [json.loads(line) for file in sorted((SOURCE / "results/published").glob("*.jsonl")) for line in file.read_text().splitlines()]
for row in rows:
    validator.validate(row)
known = set(schema["properties"])
check({key for row in rows for key in row} <= known, "a field that the schema does not know")
for damaged in (rows[0] | {"gpus": "8"}, rows[0] | {"gpus": 0}, {key: value for key, value in rows[0].items() if key != "id"}):
    check(not validator.is_valid(damaged), damaged)

exported = run("published", "export", "--format", "jsonl").stdout
# One submission names no framework: a text that is empty is left out.
named = [{key: value for key, value in row.items() if value != ""} for row in rows]
by_id = [sorted(all_rows, key=lambda row: row["id"]) for all_rows in (named, map(json.loads, exported.splitlines()))]
check(by_id[0] == by_id[1], "the program exports other rows")
