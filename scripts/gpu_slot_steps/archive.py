"""Everything that a session left, in one archive: tables, logs, and each run's report and counts."""

import tarfile

KEPT = ("report.json", "journal.jsonl")


def is_kept(file):
    """Logs, reports and counts; not generated data, nor the profilers' own files, which may be large."""
    return file.is_file() and (file.suffix == ".log" or file.name in KEPT or file.name.startswith("counts."))


def pack(archive, work, tables):
    with tarfile.open(archive, "w:gz") as tar:
        for file in sorted(tables):
            tar.add(file, f"gpu-slot/{file.name}")
        for file in sorted(work.rglob("*")):
            if is_kept(file):
                tar.add(file, f"gpu-slot/{file.relative_to(work)}")
    return archive
