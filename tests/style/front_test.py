"""All that a site that hosts the repository reads of it is valid by the schemas of check-jsonschema: the forms of issues, the workflow, CITATION.cff. The
workflow runs .ci/run on README's system; each form asks for `scalemark doctor`; the badges name the version and licence of CITATION.cff."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from program import check, skip

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
FORMS = sorted(file for file in (SOURCE / ".github/ISSUE_TEMPLATE").glob("*.yml") if file.name != "config.yml")
WORKFLOW = SOURCE / ".github/workflows/ci.yml"
CITATION = SOURCE / "CITATION.cff"


def is_valid(schema, *files):
    done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *files], capture_output=True, text=True)
    check(done.returncode in (0, 1), done.stderr)
    return done.returncode == 0, done.stdout + done.stderr


def check_texts():
    for form in FORMS:
        check("Paste `scalemark doctor`" in form.read_text(), f"{form.name} does not ask for scalemark doctor")
    workflow, readme = WORKFLOW.read_text(), (SOURCE / "README.md").read_text()
    [system, number] = re.findall(r"^ +image: (\w+):(\d+)$", workflow, re.M)[0]
    check(f"{system.capitalize()} {number}" in readme, f"README.md does not promise {system} {number}")
    check(re.findall(r"^ +run: (\S*run)$", workflow, re.M) == [".ci/run"], "the workflow does not run .ci/run")
    cited = dict(re.findall(r"^(version|license): (.+)$", CITATION.read_text(), re.M))
    for badge, word, value in (("version", "version", cited["version"]), ("licence", "licence", cited["license"])):
        drawn = (SOURCE / f"docs/images/{badge}.svg").read_text()
        check(re.findall(r">([^<>\n]+)</t", drawn) == [f"{word} {value}", word, value], f"{badge}.svg does not say {value}")


def check_the_check():
    """A key that the site does not know is found."""
    with tempfile.TemporaryDirectory() as folder:
        wrong = Path(folder) / "ci.yml"
        wrong.write_text(WORKFLOW.read_text().replace("runs-on:", "run-on:"))
        check(not is_valid("vendor.github-workflows", wrong)[0], "a wrong key of the workflow was not found")


check_texts()
if not importlib.util.find_spec("check_jsonschema"):
    skip("check-jsonschema is not installed; scripts/test installs it (requirements-test.txt)")
check_the_check()
for schema, files in {"vendor.github-issue-forms": FORMS, "vendor.github-issue-config": [SOURCE / ".github/ISSUE_TEMPLATE/config.yml"],
                      "vendor.github-workflows": [WORKFLOW], "custom.github-workflows-require-timeout": [WORKFLOW],
                      "vendor.citation-file-format": [CITATION]}.items():
    valid, said = is_valid(schema, *files)
    check(valid, said)
print(f"{len(FORMS)} forms, the workflow and the citation are valid")
