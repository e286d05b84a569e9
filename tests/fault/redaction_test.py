"""`report --redact` of a real sweep over photos of somebody, a broken one among them: no format contains the folder,
the files, the machine or the user any more, and everything else stays."""

import json
import re
import socket
import sys
import tempfile
from pathlib import Path

from program import check, run
from sweeps import valid_report

FORMATS = ("table", "md", "csv", "json", "jsonl", "html", "junit", "superbench", "prom", "groups", "scaling", "effects", "links", "summary", "badge")


def words(path):
    return [word for word in re.split(r"[^A-Za-z]+", str(path)) if len(word) >= 4]


def main():
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "Qwyxz & Söhne" / "it's 'Klxqv': Zürkwx 2024"
        run("data", "generate", "images", place, "--samples", 16, "--classes", 2, "--image-size", 32)
        broken = sorted((place / "train").glob("*/*"))[0]
        broken.rename(broken.with_name("Bild von Vqxzl.JPEG"))
        broken.with_name("Bild von Vqxzl.JPEG").write_bytes(b"")
        out = Path(name) / "Wkzqx out"
        run("sweep", "--workload", "resnet50", "--image-size", 32, "--data", f"synthetic,{place}", "--world-sizes", "1",
            "--batch-sizes", "2", "--iters", 6, "--warmup-iters", 2, "--repetitions", 1, "--threads", 1, "--no-progress",
            "--on-bad-sample", "skip", "--output", out)
        report = valid_report(out)
        plain = json.dumps(report, ensure_ascii=False)
        secret = {word for part in ("Qwyxz", "Klxqv", "rkwx", "Vqxzl", "Wkzqx", "Bild", Path(name).name) for word in words(part)}
        for word in ("Qwyxz", "Klxqv", "rkwx", "Vqxzl", "Wkzqx"):
            check(word in plain, f"the report does not hold {word}: nothing would be tested")
        host = socket.gethostname()
        for form in FORMATS:
            text = run("report", out, "--redact", "--format", form).stdout
            for word in secret:
                check(word not in text, f"{form}: '{word}' in ...{text[max(0, text.find(word) - 100):][:200]}")
            check(len(host) < 4 or host not in text, f"{form} names the machine")
        lines = [json.loads(line) for line in run("report", out, "--redact", "--format", "jsonl").stdout.splitlines()]
        points = [line for line in lines if line["record"] == "point"]
        check([p["samples_per_sec"] for p in points] == [p["samples_per_sec"] for p in report["points"]], "numbers stay")
        check(sorted({p["data"] for p in points}) == ["data-1", "synthetic"], {p["data"] for p in points})
        check(all(p["group"].endswith(("-data-1", "-data-synthetic")) for p in points), [p["group"] for p in points])
        skipped = [s for p in points for s in p["data_loading"].get("skipped", [])]
        check(skipped and all(s["name"] == "<path>" for s in skipped), skipped)
        print(skipped, [line["command_line"] for line in lines if line["record"] == "session"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
