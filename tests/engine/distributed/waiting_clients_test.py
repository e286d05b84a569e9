"""A 1-rank baseline beside waiting ranks is as fast as alone: 256 of them, on connections of their own, and
a loop in the process that serves their store. Checked: how much of a core the store's and the heartbeat's threads use,
whatever the load; printed: the loop's rate with them over its rate without, the median of its turns."""

import statistics
import subprocess
import sys

from program import BINARY_DIR, check, clean_environment, skip_under_asan

CLIENTS, SECONDS, TURNS = 256, 20, 5
MOST_SHARE = 0.03  # share of one core


def main():
    skip_under_asan("makes every request several times dearer")
    out = subprocess.run([BINARY_DIR / "tests/torch_tool", "waiting-clients", *map(str, (CLIENTS, SECONDS, TURNS))],
                         capture_output=True, text=True, timeout=1800, env=clean_environment(TORCH_CPP_LOG_LEVEL="ERROR"))
    check(out.returncode == 0, out.stdout + out.stderr)
    rows = [dict(zip(words[::2], map(float, words[1::2]))) for words in map(str.split, out.stdout.splitlines())]
    ratio = statistics.median(row["rate_ratio"] for row in rows)
    share = statistics.median(row["others_share_beside"] for row in rows)
    print(f"beside {CLIENTS} waiting ranks: {ratio:.4f} of the rate alone (median of {len(rows)}, "
          f"{min(row['rate_ratio'] for row in rows):.4f}-{max(row['rate_ratio'] for row in rows):.4f}); the store uses "
          f"{share:.2%} of a core")
    check(share <= MOST_SHARE, f"{share:.2%} of a core, at most {MOST_SHARE:.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
