"""`scalemark predict` on reports of a planted series: compute with growing jitter, and a ring of known links.

The rule and lines between counts are computed anew here; the bands come from published series.
"""

import copy
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from program import BUILD, run

SOURCE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])

RANKS_PER_NODE, PAYLOAD, BATCH = 4, 1e8, 32
ALPHA, BETA = {"intra": 2e-5, "inter": 1e-4}, {"intra": 1e-10, "inter": 4e-10}


def own_s(ranks):
    return 0.1 * (1 + 0.01 * math.log(ranks))


def step_s(ranks):
    g, n = min(ranks, RANKS_PER_NODE), -(-ranks // RANKS_PER_NODE)
    ring = (2 * (g - 1) * (ALPHA["intra"] + PAYLOAD / g * BETA["intra"])
            + 2 * (n - 1) * (ALPHA["inter"] + PAYLOAD / n * BETA["inter"]))
    return own_s(ranks) + ring


def rate(ranks):
    return ranks * BATCH / step_s(ranks)


def report(world_sizes, repetitions=1):
    made = subprocess.run([BUILD / "tests/core_tool", "sample-report", "1"], capture_output=True, timeout=60, check=True)
    whole = json.loads(made.stdout)
    sample, points = whole["points"][0], []
    for ranks in world_sizes:
        for repetition in range(repetitions):
            point = copy.deepcopy(sample)
            wobble = 1 + 0.002 * (repetition - (repetitions - 1) / 2)
            step = step_s(ranks) * wobble
            point |= {"id": f"n{ranks}-r{repetition}", "group": f"n{ranks}", "world_size": ranks, "processes": ranks,
                      "nodes": -(-ranks // RANKS_PER_NODE), "members": list(range(ranks)), "repetition": repetition,
                      "strategy": "none" if ranks == 1 else "ddp", "batch_size": BATCH,
                      "gradient_accumulation_steps": 1, "global_batch_size": BATCH * ranks,
                      "samples_per_sec": BATCH * ranks / step, "samples_per_sec_per_rank": BATCH / step,
                      "own_s": {"mean": own_s(ranks), "max_of_rank_means": own_s(ranks),
                                "mean_of_step_max": own_s(ranks)},
                      "status": "ok"}
            point["communication"] = point.get("communication", {}) | {
                "payload_bytes_per_step": PAYLOAD if ranks > 1 else 0.0}
            points.append(point)
    return whole | {"points": points}


class Predict(unittest.TestCase):
    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = pathlib.Path(keep.name)

    def write(self, content, name="report.json"):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def predicted(self, *arguments):
        """Returns what it prints with --details, in one line, and the table as {ranks: {column: cell}}."""
        done = self.printed(*arguments, "--details")
        head, *table = done.split("\n\n")[1].splitlines()
        names, rows = re.split(r"\s{2,}", head.strip()), {}
        for line in table:
            cells = dict(zip(names, re.split(r"\s{2,}", line.strip()), strict=True))
            rows[int(cells["ranks"])] = {name: cell if name == "links" else cell.replace(",", "") for name, cell in cells.items()}
        return " ".join(done.split()), rows

    def printed(self, *arguments, code=0):
        done = run("predict", *arguments)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        return done.stdout

    def refused(self, code, *arguments):
        done = run("predict", *arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1], rf"^scalemark: error E_[A-Z_]+ \(exit {code}\): ")
        return done.stderr

    def by_rule(self, ranks, last):
        return rate(last) * ranks / last * 0.98 ** math.log2(ranks / last)

    def test_a_table_with_bands_and_reasons(self):
        path = self.write(report([1, 2, 4, 8, 16], repetitions=3))
        text, rows = self.predicted(path, "--world-sizes", "256,32,64,128,16")
        self.assertEqual(list(rows), [1, 2, 4, 8, 16, 32, 64, 128, 256])
        for ranks in (1, 2, 4, 8, 16):
            self.assertEqual(rows[ranks]["likely"], "measured")
            self.assertAlmostEqual(float(rows[ranks]["samples/s"]) / rate(ranks), 1, delta=0.005)
        for ranks, basis in ((32, "measured"), (64, "measured"), (256, "measured, indicative")):
            row = rows[ranks]
            self.assertEqual((int(row["nodes"]), row["links"], row["by"]), (ranks // 4, basis, "rule"))
            self.assertAlmostEqual(float(row["samples/s"]) / self.by_rule(ranks, 16), 1, delta=0.005)
            self.assertAlmostEqual(float(row["speed-up"]) / ranks * 100, float(row["efficiency"].rstrip(" %")), delta=0.6)  # whole percents
            self.assertIn(f"{ranks} ranks, by rule: ", text)
        for ranks in (32, 64):
            low, high = rows[ranks]["likely"].split(" to ")
            self.assertLess(float(low), rate(ranks))
            self.assertGreater(float(high), rate(ranks))
            self.assertLess(50, int(rows[ranks]["held"].rstrip(" %")))
        for ranks in (128, 256):  # no published series goes so far
            self.assertEqual(rows[ranks]["likely"], "not testable")
        self.assertIn("128 and 256 ranks not testable", text)
        self.assertRegex(text, r"how far off such predictions were: 32 ranks 2\.0 %, 64 ranks 3\.9 % in the median of published series, 95 % and 91 % of them in the likely range; ")
        self.assertRegex(text, r"16 ranks, without their row: the rule predicts \d+\.\d % (above|below) what was measured")
        self.assertIn("4 ranks on each node (--ranks-per-node)", text)
        self.assertIn("128 and 256 ranks: indicative", text)

    def test_the_first_line_is_the_answer(self):
        path = self.write(report([1, 2, 4, 8]))
        text = self.printed(path, "--world-sizes", "16,64")
        speed_up = [self.by_rule(ranks, 8) / rate(1) for ranks in (16, 64)]
        answer = (f"16 ranks: about {speed_up[0]:.1f}x ({100 * speed_up[0] / 16:.0f} %), 64 ranks: about {speed_up[1]:.1f}x "
                  f"({100 * speed_up[1] / 64:.0f} %), if efficiency falls 2 % per doubling beyond 8 "
                  f"(from 1 to 8 it fell {100 * (1 - rate(8) / rate(1) / 8):.0f} %)")
        lines = text.splitlines()
        self.assertTrue(" ".join(text.split()).startswith(answer), text)
        self.assertLessEqual(len([line for line in lines if line]), 10, text)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertLess(text.index("likely"), text.index("how far off"))
        self.assertLess(text.index("how far off"), text.index("rests on 1, 2, 4 and 8 ranks of resnet50"))
        self.assertNotRegex(text, "(?m)^ +[124]  ")  # nothing rests on these alone
        self.assertNotIn("too brief", text)
        self.assertIn("quote with care", " ".join(text.split()))
        measured = self.printed(path, "--world-sizes", "8")
        self.assertTrue(measured.startswith(f"8 ranks: {rate(8) / rate(1):.2f}x ({100 * rate(8) / rate(1) / 8:.0f} %), measured\n"), measured)

    def test_a_range_above_the_ideal_and_nodes_to_measure_on_are_named(self):
        content = report([1, 2], repetitions=3)
        text = " ".join(self.printed(self.write(content), "--world-sizes", "4", "--ranks-per-node", "2").replace("\\\n", "").split())
        above = "of 4 ranks ends above the ideal: it is what published series missed the rule by, to both sides"
        high = float(re.search(r" to ([\d,.]+)", text[text.index("likely"):]).group(1).replace(",", ""))
        self.assertEqual(above in text, high > 4 * rate(1), text)
        self.assertIn(above, text)
        content["invocation"]["command_line"] = "scalemark sweep --world-sizes 1,2 --nnodes 1 --workload mlp"
        command = self.printed(self.write(content), "--world-sizes", "4,8", "--ranks-per-node", "2").split("to measure them", 1)[1]
        self.assertEqual(" ".join(command.replace("\\\n", "").split()), ", on node K of 4 (0 is HOST) scalemark sweep "
                         "--workload mlp --world-sizes 1,2,4,8 --nnodes 4 --nproc-per-node 2 --node-rank K --rendezvous HOST:29500")

    def test_repetitions_count_by_the_mean_of_their_logarithms(self):
        content = report([1, 2, 4], repetitions=2)
        rates = {4: (1000.0, 1440.0)}
        for point in content["points"]:
            if point["world_size"] in rates:
                point["samples_per_sec"] = rates[point["world_size"]][point["repetition"]]
        _, rows = self.predicted(self.write(content), "--world-sizes", "8")
        self.assertEqual(float(rows[4]["samples/s"]), 1200)
        self.assertEqual(float(rows[8]["samples/s"]), 2352)  # 2 x 1200 x 0.98

    def test_between_the_counts_measured_it_follows_a_line(self):
        path = self.write(report([1, 2, 8]))
        text, rows = self.predicted(path, "--world-sizes", "4")
        self.assertEqual((rows[4]["by"], rows[4]["likely"]), ("interpolation", "not testable"))
        half_way = 4 * (rate(2) / 2 + rate(8) / 8) / 2  # it lies half-way between the logarithms of 2 and 8
        self.assertAlmostEqual(float(rows[4]["samples/s"]) / half_way, 1, delta=0.005)
        self.assertIn("4 ranks, by interpolation: lies between two counts", text)
        self.assertRegex(text, r"^4 ranks: about [0-9.]+x \(\d+ %\), between what fewer and more gave")

    def test_below_the_counts_measured_there_is_no_number(self):
        path = self.write(report([2, 4]))
        text = self.printed(path, "--world-sizes", "1", code=2)
        self.assertTrue(text.startswith("1 rank: not known, fewer than the 2 that were measured\n"), text)
        self.assertNotRegex(text, r"\dx|\d %")
        text = self.printed(path, "--world-sizes", "1,8", code=2)
        self.assertRegex(" ".join(text.split()), r"^1 rank: not known, .*; 8 ranks: about ")

    def test_links_of_a_kind_that_was_not_measured_are_named(self):
        path = self.write(report([1, 2, 4]))
        text, rows = self.predicted(path, "--world-sizes", "16")
        self.assertEqual(rows[16]["links"], "assumed")
        self.assertIn("16 ranks: links not measured", text)
        self.assertIn("over links not measured it was off by", text)
        text, given = self.predicted(path, "--world-sizes", "16", "--ranks-per-node", "16")
        self.assertEqual((given[16]["links"], given[16]["samples/s"]), ("measured", rows[16]["samples/s"]))
        text, given = self.predicted(path, "--world-sizes", "16", "--ranks-per-node", "2")  # 4 ranks are two nodes
        self.assertEqual((given[4]["nodes"], given[16]["links"]), ("2", "measured"))

    def test_each_of_several_series_has_an_answer(self):
        content = report([1, 2, 4])
        other = [point | {"id": "f-" + point["id"], "precision": "tf32"} for point in content["points"]]
        text = self.printed(self.write(content | {"points": content["points"] + other}), "--world-sizes", "8")
        self.assertEqual(len(re.findall(r"(?m)^resnet50", text)), 2)
        self.assertEqual(text.count("8 ranks: about "), 2)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def disturbed(self, content, code, *runs, text="other processes used 1.40 of 2 CPUs"):
        command = "scalemark sweep --world-sizes 1,2,4 --repetitions 6 --output 'my place'"
        findings = [{"code": code, "severity": "warning", "point": run, "text": text} for run in runs]
        return self.write(content | {"findings": findings, "invocation": content["invocation"] | {"command_line": command}})

    def test_no_number_comes_from_runs_that_others_disturbed(self):
        """Two of six runs of 4 ranks are fit: too few. The mean is taken of three fit ones."""
        content = report([1, 2, 4], repetitions=6)
        path = self.disturbed(content, "shared", "n4-r0", "n4-r1", "n4-r2", "n4-r3")
        for more in ((), ("--details",), ("--output", str(self.folder / "out"))):
            done = run("predict", path, "--world-sizes", "8,16", *more)
            self.assertEqual(done.returncode, 2, done.stderr)
            text = " ".join(done.stdout.split())
            self.assertRegex(text, r"^no prediction for 8 and 16 ranks: other processes used 1\.40 of 2 CPUs in 4 of 18 runs")
            self.assertIn("the runs of 4 ranks decide nothing, fewer than 3 were undisturbed (resnet50", text)
            self.assertTrue(text.endswith("measure again, undisturbed scalemark sweep --world-sizes 1,2,4 --repetitions 6"), text)
            self.assertNotRegex(text, r"\dx|samples/s|speed-up|likely")
        self.assertFalse((self.folder / "out").exists())
        slow = [point | {"samples_per_sec": 1.0} if point["id"] in ("n4-r0", "n4-r1", "n4-r2") else point for point in content["points"]]
        path = self.disturbed(content | {"points": slow}, "shared", "n4-r0", "n4-r1", "n4-r2")
        rows = self.predicted(path, "--world-sizes", "8")[1]
        self.assertAlmostEqual(float(rows[4]["samples/s"]) / rate(4), 1, delta=0.01)

    def test_a_series_that_is_fit_is_predicted_beside_one_that_is_not(self):
        content = report([1, 2, 4])
        other = [point | {"id": "f-" + point["id"], "precision": "tf32"} for point in content["points"]]
        path = self.disturbed(content | {"points": content["points"] + other}, "throttled", "f-n4-r0", text="thermal slowdown")
        text = self.printed(path, "--world-sizes", "8", code=2)
        self.assertEqual((text.count("8 ranks: about "), text.count("no prediction for 8 ranks: ")), (1, 1))

    def test_runs_too_brief_to_tell_are_predicted_from_with_care(self):
        path = self.disturbed(report([1, 2, 4]), "others_unknown", "n1-r0", "n4-r0", text="too short")
        text = self.printed(path, "--world-sizes", "8")
        self.assertIn("quote with care", " ".join(text.split()))
        self.assertRegex(text, "^8 ranks: about ")

    def test_ranks_that_took_speed_away_are_named_first(self):
        content = report([1, 2, 4])
        for point in content["points"]:
            point["samples_per_sec"] = {1: 100.0, 2: 120.0, 4: 90.0}[point["world_size"]]
        for more in ((), ("--details",)):
            text = " ".join(self.printed(self.write(content), "--world-sizes", "8", *more).split())
            self.assertRegex(text, r"^more ranks do not pay here, 4 were 25\.0 % slower than 2; 8 ranks: about 1\.76x \(22 %\), if ")

    def test_several_reports_make_one_series(self):
        one, two = self.write(report([1]), "one.json"), self.write(report([2, 4]) | {"run_id": "another"}, "two.json")
        self.assertEqual(list(self.predicted(one, two, "--world-sizes", "8")[1]), [1, 2, 4, 8])

    def test_without_one_rank_it_is_relative_to_the_smallest(self):
        text, rows = self.predicted(self.write(report([2, 4, 8])), "--world-sizes", "16")
        self.assertEqual(float(rows[2]["speed-up"]), 2)
        self.assertIn("gains are relative to 2, since 1 was not measured", text)

    def test_what_failed_is_no_point(self):
        content = report([1, 2, 4, 8])
        content["points"][-1] |= {"status": "oom", "reason": "too large"}
        _, rows = self.predicted(self.write(content), "--world-sizes", "8")
        self.assertEqual(rows[8]["links"], "assumed")

    def test_the_report_is_written_with_its_predictions(self):
        path, out = self.write(report([1, 2, 4, 8])), self.folder / "out"
        done = run("predict", path, "--world-sizes", "8,16,64", "--output", str(out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, f"scalemark: written: {out}/report.json\n")
        written = json.loads((out / "report.json").read_text())
        jsonschema.validate(written, json.loads((SOURCE / "docs/reference/report.schema.json").read_text()))
        rows = {row["world_size"]: row for row in written["predictions"]}
        self.assertEqual([(n, rows[n]["basis"]) for n in rows], [(16, "measured"), (64, "measured, indicative")])
        for ranks, row in rows.items():
            self.assertIn("batch 32 per rank", row["slice"])
            self.assertAlmostEqual(row["rule_samples_per_sec"] / self.by_rule(ranks, 8), 1, delta=1e-9)
            self.assertEqual((row["predictor"], row["samples_per_sec"]), ("rule", row["rule_samples_per_sec"]))
            self.assertNotIn("model_samples_per_sec", row)
            self.assertTrue(row["reason"])
            self.assertAlmostEqual(row["efficiency"], row["samples_per_sec"] / ranks / rate(1), delta=0.001)
        tested, untested = rows[16], rows[64]  # 64 is 8 times 8, over links as measured: one source has that
        self.assertLess(tested["band"][0], tested["samples_per_sec"])
        self.assertLess(tested["samples_per_sec"], tested["band"][1])
        self.assertLess(0.5, tested["band_coverage"])
        self.assertGreaterEqual(tested["tested_sources"], 3)
        self.assertFalse({"band", "band_coverage", "tested_series", "tested_sources"} & set(untested))
        self.assertEqual(len(written["points"]), 4)
        shown = [json.loads(line) for line in run("report", str(out), "--format", "jsonl").stdout.splitlines()]
        self.assertEqual(sum(line["record"] == "prediction" for line in shown), 2)
        groups = [{"group": "n1", "n": 1, "status_counts": {"ok": 1}}]
        of_a_sweep = self.write(written | {"groups": groups}, "sweep.json")
        markdown = run("report", of_a_sweep, "--format", "md").stdout
        self.assertRegex(markdown, r"(?m)^\|.*\| 64 \|.*\| rule \| not testable \|")
        self.assertIn("rule: not testable: fewer than 5 published series", markdown)
        # The same folder again only with --overwrite, which leaves everything but report.json.
        (out / "journal.jsonl").write_text("")
        again = ("predict", str(out), "--world-sizes", "32", "--output", str(out))
        self.assertEqual(run(*again).returncode, 73)
        self.assertEqual(run(*again, "--overwrite").returncode, 0)
        self.assertEqual([row["world_size"] for row in json.loads((out / "report.json").read_text())["predictions"]], [32])
        self.assertTrue((out / "journal.jsonl").exists())
        self.assertIn("name one", self.refused(64, path, self.write(written | {"run_id": "another"}, "another.json"), "--world-sizes", "8", "--output", str(self.folder / "o")))

    def test_predictions_of_an_older_report_are_read(self):
        old = {"slice": "mlp", "world_size": 16, "samples_per_sec": 900.0, "efficiency": 0.9, "band": [800.0, 1000.0],
               "basis": "measured"}
        groups = [{"group": "n1", "n": 1, "status_counts": {"ok": 1}}]
        content = report([1, 2]) | {"predictions": [old], "groups": groups}
        shown = run("report", self.write(content), "--format", "md")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("| mlp | 16 | 900.0 |", shown.stdout)
        self.assertIn("| 800.0 to 1,000 |", shown.stdout)

    def test_too_little_is_refused_in_one_line(self):
        for sizes in ([1], [4], []):
            text = self.refused(65, self.write(report(sizes)), "--world-sizes", "8")
            self.assertEqual(len(text.splitlines()), 1, text)
            self.assertIn("at least two world sizes", text)

    def test_the_exchange_of_another_strategy_is_not_taken_for_an_all_reduce(self):
        other = report([1, 2, 4])
        for point in other["points"]:
            if point["strategy"] == "ddp":
                point["strategy"] = "parameter-server"
        path = self.write(other, "other.json")
        text = self.refused(65, path, "--world-sizes", "8")
        self.assertIn("with the exchange of resnet50", text)
        self.assertIn("parameter-server", text)
        both = other | {"points": report([1, 2, 4])["points"] + [p for p in other["points"] if p["world_size"] > 1]}
        done = run("predict", self.write(both), "--world-sizes", "8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "the rule was not tried on its exchange, left out: resnet50.*parameter-server")

    def test_refusals(self):
        path = self.write(report([1, 2]))
        self.refused(64)
        self.refused(64, path)
        self.refused(66, str(self.folder / "none.json"), "--world-sizes", "8")
        self.refused(65, self.write("{}", "other.json"), "--world-sizes", "8")
        for sizes in ("0", "-1", "many", "8,", "1.5", "99999999999999999999"):
            self.refused(78, path, "--world-sizes", sizes)
        self.assertIn("a model of them was no better than the rule", self.refused(64, path, "--world-sizes", "8", "--topology", "links.json"))
        for command in (("comm", "--save-topology", "links.json"), ("comm", "--save-topology=links.json", "--dry-run")):
            done = run(*command)
            self.assertEqual((done.returncode, done.stdout), (64, ""), done.stderr)
            self.assertIn("the fitted links are in report.json, `collective_fits`", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
