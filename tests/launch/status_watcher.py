"""status.json of a run: every rank is there, counters only grow, its last numbers are those of the report, and it says how the run ended."""

import os

from program import check, report_in
from watched_run import Watcher

COUNTERS = ("beats", "clock_s", "samples", "payload_bytes", "data_wait_s", "major_faults", "late_wakeups", "main_ran_s", "main_queued_s")
NODE_COUNTERS = ("clock_s", "busy_cpu_s", "swapped_bytes", "pressure_cpu_s", "disk_read_bytes", "retransmitted_segments", "sampler_cpu_s")


def check_growth(seen):
    for before, after in zip(seen, seen[1:]):
        check(before["run_id"] == after["run_id"] and before["written"] <= after["written"], (before, after))
        for kind, names, key in (("ranks", COUNTERS, "rank"), ("nodes", NODE_COUNTERS, "host")):
            earlier = {one[key]: one for one in before.get(kind, [])}
            for one in after.get(kind, []):
                for name in names:
                    known = earlier.get(one[key], {}).get(name)
                    check(known is None or one.get(name, known) >= known, (kind, one[key], name, known, one.get(name)))


class StatusWatcher(Watcher):
    def ranks(self):
        return self.run.status().get("ranks", [])

    def trains(self):
        self.run.until(lambda: len(self.ranks()) == 2 and all(rank.get("step", 0) > 5 for rank in self.ranks()), "two ranks that step")

    def stands_still(self):
        """It grows silent, and no other."""
        ranks = self.run.until(lambda: self.ranks()[1]["silent_s"] > 4 and self.ranks(), "a silent rank")
        check(ranks[0]["silent_s"] < ranks[1]["silent_s"], ranks)
        self.beats = ranks[1]["beats"]

    def continues(self):
        self.run.until(lambda: self.ranks()[1]["beats"] > self.beats, "a rank that beats again")

    def is_killed(self):
        """The last status stays, whole, and says `running`: its age shows the end."""
        check(self.run.status()["state"] == "running", self.run.status())

    def ended(self, state):
        check(self.run.status()["state"] == state, self.run.status())
        check_growth(self.run.statuses)


def check_trained(run, point, steps):
    """The statuses of a training that is complete, and has made so many steps."""
    last = run.status()
    check(len(run.statuses) >= 2 and [one["rank"] for one in last["ranks"]] == [0, 1], last)
    check(any(one["phase"] == "window" and one.get("planned") == point["iterations"] for one in run.statuses), run.statuses)
    check(last["run_id"] == report_in(run.folder)["run_id"], last)
    check(last["what"] == f"mlp, batch {point['batch_size']} per rank, fp32, ddp over gloo, 2 ranks", last["what"])
    node = last["nodes"][0]
    check(node["memory_available_bytes"] > 0 and node["output_free_bytes"] > 0 and node["cpus"] >= len(os.sched_getaffinity(0)), node)
    for rank in last["ranks"]:
        check(rank["steps"] == steps and rank["samples"] == point["batch_size"] * steps and rank["resident_bytes"] > 1 << 20, rank)


def check_swept(run):
    """The statuses of a sweep that is complete."""
    report, last = report_in(run.folder), run.status()
    check(last["runs_planned"] == len(report["points"]), last)
    points = {point["id"]: point for point in report["points"]}
    check(last["point"] in points, last)
    for status in (one for one in run.statuses if one.get("point") in points):
        point = points[status["point"]]
        how = ", ddp over gloo, 2 ranks" if point["strategy"] != "none" else ", no exchange, 2 ranks" if point["world_size"] > 1 else "fp32, 1 rank"
        check(status["what"].endswith(how), (status["what"], point["id"]))
    check([one["text"] for one in last.get("findings", [])] == [one["text"] for one in report["findings"]], last)
