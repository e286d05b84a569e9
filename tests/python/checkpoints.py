"""What stands in the folder of a training's checkpoints."""

import json
from pathlib import Path

from program import text_of


def steps_in(out):
    """The steps of the whole checkpoints in the output folder of a run, in order."""
    names = [path.name for path in (Path(out) / "checkpoints").glob("step-*") if path.name[5:].isdigit()]
    return sorted(int(name[5:]) for name in names)


def manifest_of(out, step):
    """Nothing where it has been removed meanwhile."""
    return json.loads(text_of(Path(out) / f"checkpoints/step-{step}/checkpoint.json") or "null")


def is_written_by(out, ranks, after):
    """Whether the newest one is of a later step than `after`, and by so many ranks."""
    newest = steps_in(out)[-1:]
    manifest = manifest_of(out, newest[0]) if newest and newest[0] > after else None
    return manifest is not None and len(manifest["files"]) == ranks


def samples_left(manifest, in_an_epoch, epochs):
    """How many a training of so many epochs has still to deal to its ranks behind the checkpoint."""
    return in_an_epoch * (epochs - len(manifest["evaluation"])) - manifest["dealt"]
