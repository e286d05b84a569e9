"""`scalemark comm` before its first rank starts: the plan, its settings, help and refusals."""

import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

from program import run


class Comm(unittest.TestCase):
    def plan(self, *arguments, **keywords):
        result = run("comm", "--dry-run", "--log-format", "json", "--device", "cpu", *arguments, **keywords)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def refused(self, code, *arguments, **keywords):
        result = run("comm", "--dry-run", "--device", "cpu", *arguments, **keywords)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr.splitlines()[-1], rf"^scalemark: error E_[A-Z_]+ \(exit {code}\)")
        return result.stderr

    def test_dry_run_of_pairs(self):
        self.assertEqual(self.plan("--pairs", "--backends", "gloo", "--nproc-per-node", "4")["plan"]["pairs"],
                         {"backend": "gloo", "by": "node", "passes": 11, "nodes": 1, "links": 6, "rounds": 3, "divisions": 0})
        nodes, many = (("--nnodes", count, "--node-rank", "0", "--rendezvous", "n1:29500") for count in ("16", "1000"))
        parts = "; then an all-reduce over all nodes, and over parts drawn at random, {} divisions x 3 runs"
        for words, expected, then in (
                (("--device", "cpu", "--nproc-per-node", "4"), "Every link between the 4 ranks of one node: 6 links in 3 rounds", ""),
                (("--device", "cpu", "--nproc-per-node", "4", *nodes), "Every link between 16 nodes of 64 ranks: 120 links in 15 rounds",
                 parts.format(4)),
                (("--device", "cpu", "--nproc-per-node", "4", *many),
                 "Links of each with 16 others, of 1000 nodes of 4000 ranks: 8000 links in 16 rounds", parts.format(9)),
                (("--config", "acceptance/links", "--device", "cuda", "--backends", "gloo", *nodes),
                 "Every link between 16 nodes of 128 ranks, each rank with the rank at its place: 960 links in 15 rounds", parts.format(4))):
            text = " ".join(run("comm", "--dry-run", "--pairs", *words).stdout.split())
            self.assertRegex(text, f"{expected}, 11 passes over [a-z]+{then}; "
                                   "about [0-9.]+ (s|min) in all, which may be wrong by a factor of 3")

    def test_pairs_by_rank(self):
        self.assertEqual(self.plan("--pairs", "--pair-by", "rank", "--nproc-per-node", "4")["plan"]["pairs"]["by"], "rank")
        self.assertIn("--pairs", self.refused(78, "--pair-by", "rank"))
        self.assertIn("node", self.refused(78, "--pairs", "--pair-by", "cable"))

    def test_dry_run_is_the_plan_and_touches_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            shown = self.plan("--backends", "gloo", cwd=folder)
            self.assertEqual(os.listdir(folder), [])
        points = shown["plan"]["points"]
        self.assertEqual([p["bytes"] for p in points], [1024 * 4 ** k for k in range(9)])
        self.assertEqual({(p["collective"], p["dtype"], p["world_size"], p["via"]) for p in points},
                         {("all-reduce", "fp32", 2, "c10d")})
        self.assertEqual(shown["plan"]["runs"], 45)
        settings, origins = shown["settings"], shown["origins"]
        self.assertEqual((settings["backend"], origins["backend"]), ("gloo", "option"))
        self.assertEqual((settings["world_sizes"], origins["world_sizes"]), ("2", "default"))
        self.assertEqual((settings["nproc_per_node"], origins["nproc_per_node"]), ("2", "default"))
        self.assertRegex(settings["output"], r"^results/runs/comm-\d{8}T\d{6}Z$")
        for of_training in ("workload", "batch_size", "optimizer", "strategy", "precision", "resume"):
            self.assertNotIn(of_training, settings)
        self.assertEqual(set(settings), set(origins))

    def test_the_table_names_points_reasons_and_settings(self):
        typed = ("comm", "--dry-run", "--device", "cpu", "--backends", "gloo", "--sizes", "4KiB,8KiB", "--via", "c10d,direct",
                 "--collectives", "all-reduce,barrier")
        brief = run(*typed).stdout
        self.assertRegex(brief, r"(?m)^all-reduce-SIZE-fp32-w2-gloo +4 KiB to 8 KiB +0-1 +0.5\d* s +[\d.]+ KiB$")
        self.assertLessEqual(len([line for line in brief.splitlines() if line]), 8, brief)
        typed = tuple("4KiB" if word == "4KiB,8KiB" else word for word in typed)
        text = run(*typed, "--details").stdout
        self.assertRegex(text, r"(?m)^all-reduce-4KiB-fp32-w2-gloo +4 KiB +0-1 ")
        self.assertRegex(text, r"(?m)^barrier-w2-gloo +- +0-1 ")
        self.assertIn("gloo can be called through c10d only (direct: nccl, mpi): all-reduce-4KiB-fp32-w2-gloo-direct, "
                      "barrier-w2-gloo-direct", text)
        self.assertIn("2 points (2 more skipped) x 5 blocks = 10 runs on 2 ranks of one machine; about ", text)
        self.assertRegex(text, r"(?m)^  via +c10d,direct +option$")
        self.assertRegex(text, r"(?m)^  in_place +as training calls each +default$")
        self.assertRegex(text, r"(?m)^  congestion +off +default$")
        self.assertLessEqual(max(map(len, text.splitlines())), 160)

    def test_lists_from_config_files_and_plurals(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "c.json")
            path.write_text('{"command": "comm", "collectives": ["all-gather"], "sizes": [4096, "1Mi:elem"], "backends": ["gloo"],'
                            ' "overlap_compute": [true, false], "world_sizes": "2..4*2", "repetitions": 3}')
            shown = self.plan("--config", str(path))
        self.assertEqual(shown["settings"]["sizes"], "4KiB,1Mi:elem")
        self.assertEqual(shown["origins"]["sizes"], f"config {path}")
        self.assertEqual(len(shown["plan"]["points"]), 8)
        self.assertEqual(shown["plan"]["world_size"], 4)
        self.assertEqual(shown["plan"]["runs"], 24)

    def test_what_is_left_out_and_what_a_workload_exchanges(self):
        shown = self.plan("--backends", "gloo", "--sizes-of", "resnet50")
        self.assertEqual([p["bytes"] for p in shown["plan"]["points"]], [1 << 20, 22536352, 25 << 20, 102228128])
        self.assertEqual(shown["origins"]["sizes"], "derived")

    def test_memory_limit_skips_what_it_cannot_hold(self):
        points = self.plan("--backends", "gloo", "--sizes", "1MiB,8MiB", "--memory-limit", "2MiB")["plan"]["points"]
        self.assertNotIn("skipped", points[0])
        self.assertEqual(points[1]["skipped"], "its buffers need 8 MiB, and a rank has 2 MiB")

    def test_ranks_of_a_launcher(self):
        env = {"RANK": "0", "WORLD_SIZE": "4", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
               "MASTER_PORT": "1"}
        points = self.plan("--backends", "gloo", "--sizes", "4KiB", "--world-sizes", "2,4", "--placement", "fill,spread",
                           env=env)["plan"]["points"]
        self.assertEqual([p["members"] for p in points], [[0, 1], [0, 2], [0, 1, 2, 3]])

    def test_all_problems_at_once_with_near_matches(self):
        text = self.refused(78, "--collectives", "allreduce", "--sizes", "4kib", "--dtypes", "fp23", "--backends", "glo",
                            "--in-place", "maybe", "--repetitions", "0", "--threads", "x")
        for line in ("--collectives is 'allreduce' (from option)", "did you mean 'all-reduce'?",
                     "--sizes is '4kib' (from option); a size in bytes", "did you mean 'fp32'?", "did you mean 'gloo'?",
                     "--in-place is 'maybe'", "--repetitions is '0'", "--threads is 'x'"):
            self.assertIn(line, text)
        self.assertEqual(len(text.splitlines()), 8, text)

    def test_refusals(self):
        self.assertIn("at most 2, the ranks that are launched",
                      self.refused(78, "--world-sizes", "4", "--nproc-per-node", "2"))
        self.assertIn("one rank has nobody to exchange with", self.refused(78, "--world-sizes", "1"))
        self.assertIn("start 2 ranks or more", self.refused(78, "--nproc-per-node", "1"))
        self.assertIn("none of them can be measured", self.refused(78, "--backends", "nccl"))
        self.assertIn("a range runs upwards", self.refused(78, "--sizes", "1KiB..64KiB"))
        self.assertIn("stands for every backend", self.refused(78, "--backends", "auto,gloo"))
        self.refused(64, "--workload", "mlp")
        self.assertIn("did you mean '--collectives'?", self.refused(64, "--colectives", "barrier"))
        self.refused(64, "--resume")
        self.refused(64, "stray")
        self.refused(78, "--set", "workload=mlp")
        self.refused(78, "--memory-limit", "7=1GiB")

    def test_help_names_every_option_and_collective(self):
        text = run("comm", "--help-all").stdout
        for option in ("collectives", "sizes", "sizes-of", "dtypes", "backend", "via", "in-place", "overlap-compute", "congestion",
                       "world-sizes", "placement", "repetitions", "device", "threads", "memory-limit", "seed", "timeout",
                       "output", "dry-run"):
            self.assertIn("--" + option, text)
        for absent in ("--workload", "--batch-size", "--resume", "--tune", "--strategy"):
            self.assertIsNone(re.search(rf"{absent}\b(?!-)", text.replace("--sizes-of", "")), absent)
        self.assertIn("Examples:", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 130)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
