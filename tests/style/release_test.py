"""scripts/release refuses a tree that is no release: in a made repository, one refusal after the other. Nothing is built."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
CHANGES = "# Changes\n\n## 1.2.3\n\n- One.\n\n## 1.2.2\n"


class Repository:
    def __init__(self, folder):
        self.folder = Path(folder)
        for file in ("scripts/release", "scripts/lib/setup.sh"):
            (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / file, self.folder / file)
        self.git("init", "--quiet")
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(scalemark VERSION 1.2.3 LANGUAGES CXX)\n")
        self.write("CITATION.cff", "cff-version: 1.2.0\nversion: 1.2.3\n")
        self.write("CHANGELOG.md", CHANGES)

    def git(self, *words):
        subprocess.run(["git", "-C", self.folder, "-c", "user.name=test", "-c", "user.email=test", *words], check=True)

    def write(self, file, text):
        (self.folder / file).write_text(text)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "x")

    def refusal(self):
        done = subprocess.run([self.folder / "scripts/release", "--check"], capture_output=True, text=True)
        check(done.returncode == (78 if done.stderr else 0), f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done.stderr

    def refuses(self, file, text, words):
        before = (self.folder / file).read_text()
        self.write(file, text)
        self.commit()
        check(words in self.refusal(), f"'{words}' is not what it says of {file}: {self.refusal()}")
        self.write(file, before)
        self.commit()


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
print("scripts/release refuses what is no release")
