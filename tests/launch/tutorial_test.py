"""Every line of docs/TUTORIAL.md, carried out in order in an empty folder as it stands: minutes, on two cores."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from program import BINARY_DIR, check

PAGE = (Path(os.environ["SCALEMARK_SOURCE_DIR"]) / "docs/TUTORIAL.md").read_text()


def main():
    commands = re.findall(r"(?m)^ {4}(scalemark .*)$", PAGE)
    config, = re.findall(r"(?s)```json\n(.*?)```", PAGE)
    check(len(commands) >= 12, commands)
    environment = {**os.environ, "PATH": f"{BINARY_DIR}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "photos.json").write_text(config)
        for command in commands:
            print(f"$ {command}", flush=True)
            done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False)
            # On a machine that others use nothing is compared with certainty, and nothing predicted.
            allowed = {"compare": (0, 1, 2), "predict": (0, 2)}.get(command.split()[1], (0,))
            check(done.returncode in allowed and "error E_" not in done.stderr, (done.returncode, done.stdout, done.stderr))
        figures = {file.name for file in Path(folder, "figures").iterdir()}
        check({"speed-up-89mm.svg", "why-not-more-weak-batch-size-32-2-ranks-ddp.csv"} <= figures, figures)
        check(Path(folder, "batches.html").exists(), "no page")


main()
