"""Everything that a session left, in one archive: tables, logs, and each run's report and counts."""

import tarfile

KEPT = ("report.json", "journal.jsonl")


def is_kept(file, work):
    """Logs; of the runs' folders the reports and counts, not generated data."""
    return file.is_file() and (work / "logs" in file.parents or file.name in KEPT or file.name.startswith("counts."))


def pack(archive, work, tables):
    with tarfile.open(archive, "w:gz") as tar:
        for file in sorted(tables):
            tar.add(file, f"gpu-slot/{file.name}")
        for file in sorted(work.rglob("*")):
            if is_kept(file, work):
                tar.add(file, f"gpu-slot/{file.relative_to(work)}")
    return archive
