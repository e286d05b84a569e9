"""countcuda.so over a runtime of five functions: every call is counted once, by its kind; its answer comes through."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from program import BINARY_DIR, check, preloaded

with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, LD_PRELOAD=preloaded(BINARY_DIR / "countcuda.so"), COUNTCUDA_OUTPUT=f"{folder}/counts")
    done = subprocess.run([BINARY_DIR / "tests/call_cudart"], env=environment, capture_output=True, text=True)
    check(done.returncode == 0, f"an answer did not come through: {done.returncode} {done.stderr}")
    files = list(Path(folder).iterdir())
    check(len(files) == 1, f"one process wrote {files}")
    counts = json.loads(files[0].read_text())

expected = {"mallocs": 1, "launches": 3, "copies_host_to_device": 1, "copies_device_to_host": 1,
            "copies_device_to_device": 1, "event_records": 5, "device_syncs": 1}
check(counts["event_record_ns"] > 0, "five calls took no time")
seen = {name: count for name, count in counts.items() if count and name != "event_record_ns"}
check(seen == expected, f"counted {seen}, expected {expected}")
