"""scripts/release refuses a tree that is no release, and --prepare makes one of it: in a made repository. Nothing is built."""

import os
import re
import shutil
import subprocess
import tempfile
from datetime import date
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
BADGE = "docs/images/version.svg"
DAY = "2026-01-02"
CHANGES = "# Changes\n\n## What a version promises\n\n- Much.\n\n## 1.2.3\n\n- One.\n\n## 1.2.2\n"
IDENTITY = {**os.environ, "GIT_AUTHOR_NAME": "test", "GIT_AUTHOR_EMAIL": "test", "GIT_COMMITTER_NAME": "test", "GIT_COMMITTER_EMAIL": "test"}


class Repository:
    def __init__(self, folder):
        self.folder = Path(folder)
        for file in ("scripts/release", "scripts/lib/setup.sh"):
            (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / file, self.folder / file)
        self.git("init", "--quiet")
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(scalemark VERSION 1.2.3 LANGUAGES CXX)\n")
        self.write("CITATION.cff", f"cff-version: 1.2.0\nversion: 1.2.3\ndate-released: {DAY}\n")
        shutil.copytree(SOURCE / "docs/images", self.folder / "docs/images", ignore=shutil.ignore_patterns("*.png"))
        self.write(BADGE, re.sub(r"\d+\.\d+\.\d+", "1.2.3", (SOURCE / BADGE).read_text()))
        self.write("CHANGELOG.md", CHANGES)

    def git(self, *words):
        return subprocess.run(["git", "-C", self.folder, *words], check=True, env=IDENTITY, capture_output=True, text=True).stdout

    def write(self, file, text):
        (self.folder / file).write_text(text)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "x")

    def refusal(self, *words, code=78):
        done = subprocess.run([self.folder / "scripts/release", *(words or ["--check"])], capture_output=True, text=True, env=IDENTITY)
        check(done.returncode == (code if done.stderr else 0), f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done.stderr

    def files(self):
        return {file: (self.folder / file).read_text() for file in ("CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", BADGE)}

    def does_not_prepare(self, version, words, code=78):
        before, head = self.files(), self.git("rev-parse", "HEAD")
        said = self.refusal("--prepare", *version, code=code)
        check(words in said and said.count("\n") == 1, f"'{words}' is not what it says of {version}: {said}")
        check((before, head) == (self.files(), self.git("rev-parse", "HEAD")), f"{version} has changed something")

    def refuses(self, file, text, words):
        before = (self.folder / file).read_text()
        self.write(file, text)
        self.commit()
        check(words in self.refusal(), f"'{words}' is not what it says of {file}: {self.refusal()}")
        self.write(file, before)
        self.commit()


def prepares(made):
    """It starts from the state of the last check, in which v1.2.3 is the tag of an earlier commit."""
    made.does_not_prepare((), "takes the version", code=64)
    made.does_not_prepare(("1.3.0",), "no section 'Unreleased'")
    made.write("CHANGELOG.md", CHANGES.replace("## 1.2.3", "## Unreleased\n\n## 1.2.3"))
    made.commit()
    made.does_not_prepare(("1.3.0",), "no section 'Unreleased' that holds a change")
    made.write("CHANGELOG.md", CHANGES.replace("## 1.2.3", "## Unreleased\n\n- Two.\n\n## 1.2.3"))
    made.does_not_prepare(("1.3.0",), "files are changed or new")
    made.commit()
    for version in ("1.3", "v1.3.0", "1.3.0-rc1", "1.03.0", "1.3.0.1", "", "a/b"):
        made.does_not_prepare((version,), f"'{version}' is no version")
    for version in ("1.2.3", "1.2.2", "0.99.99", "1.1.30"):
        made.does_not_prepare((version,), f"{version} does not come after 1.2.3")
    made.git("tag", "v1.10.0")
    made.does_not_prepare(("1.10.0",), "v1.10.0 is a tag already")
    hook = made.folder / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    made.does_not_prepare(("1.11.0",), "git has made no commit")
    hook.unlink()
    before = made.files()
    check(made.refusal("--prepare", "1.11.0") == "", "1.11.0 is not prepared")
    after = {file: text.replace("1.11.0", "Unreleased" if file == "CHANGELOG.md" else "1.2.3") for file, text in made.files().items()}
    [day] = re.findall(r"^date-released: (.*)$", after["CITATION.cff"], re.M)
    check(abs((date.today() - date.fromisoformat(day)).days) <= 1, f"{day} is not today")
    after["CITATION.cff"] = after["CITATION.cff"].replace(day, DAY)
    check(after == before and "1.2.3" not in made.files()[BADGE], made.files())
    check("\nPrepare version 1.11.0\n" in made.git("log", "-1", "--format=%n%s%n") and made.git("status", "--porcelain") == "", "it is not committed")
    check(made.refusal() == "", "what is prepared is no release")


with tempfile.TemporaryDirectory() as place:
    made = Repository(place)
    check("files are changed or new" in made.refusal(), made.refusal())
    made.commit()
    check(made.refusal() == "", made.refusal())
    made.refuses("CHANGELOG.md", CHANGES.replace("1.2.3", "1.2.4"), "CHANGELOG.md begins with version 1.2.4, CMakeLists.txt has 1.2.3")
    made.refuses("CHANGELOG.md", CHANGES.replace("## 1.2.3", "## Unreleased\n\n## 1.2.3"), "a section 'Unreleased'")
    made.refuses("CITATION.cff", "version: 1.2.2\n", "CITATION.cff has version 1.2.2, CMakeLists.txt 1.2.3")
    made.git("tag", "v1.2.3")
    check(made.refusal() == "", made.refusal())
    made.commit()
    check("v1.2.3 is the tag of another commit" in made.refusal(), made.refusal())
    prepares(made)
print("scripts/release refuses what is no release, and prepares one")
