"""The built program from outside: exit codes, refusals, precedence and origins, help, start.

Nothing here loads torch; the engine has tests of its own.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, run


def dry_run(*arguments, env=None):
    result = run("train", "--dry-run", "--log-format", "json", *arguments, env=env)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


class Usage(unittest.TestCase):
    def refused(self, code, *arguments, env=None):
        result = run(*arguments, env=env)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        last = result.stderr.splitlines()[-1]
        self.assertRegex(last, rf"^scalemark: error E_[A-Z_]+ \(exit {code}\)")
        return result.stderr

    def test_unknown_commands_and_options_name_the_nearest(self):
        self.assertIn("did you mean 'train'?", self.refused(64, "trian"))
        self.assertIn("did you mean 'version'?", self.refused(64, "verison"))
        self.assertIn("did you mean '--batch-size'?", self.refused(64, "train", "--batchsize", "3"))
        self.assertIn("'--batch-sice'", self.refused(64, "train", "--batch-sice=3"))
        self.assertIn("--help", self.refused(64, "train", "--zzzzzz"))
        self.assertIn("did you mean 'data generate'?", self.refused(64, "data", "generat", "images", "x"))
        self.assertIn("unknown command 'zzzzzz'", self.refused(64, "zzzzzz"))
        for device in ("gpu", "CUDA", "cuda:0"):
            self.assertIn("did you mean 'cuda'?", self.refused(78, "train", "--device", device))
        self.assertIn("data bench", self.refused(64, "data"))
        self.assertIn("baseline make", self.refused(64, "baseline"))
        self.assertIn("data bench", run("data", "--help").stdout)

    def test_comments_that_a_shell_passes_on(self):
        for words in (("sweep", "--quick", "#", "a", "first", "table"), ("train", "#", "--nothing"), ("#", "the", "help")):
            self.assertIn("zsh passes comments on as words", self.refused(64, *words))

    def test_missing_doubled_and_stray_arguments(self):
        self.assertIn("usage: scalemark COMMAND", run().stdout)
        self.assertIn("usage: scalemark sweep", run("help", "sweep").stdout)
        self.assertIn("usage: scalemark data pack", run("help", "data", "pack").stdout)
        self.assertEqual("scalemark: error E_USAGE (exit 64): '--iters' lacks its value.\n", self.refused(64, "train", "--iters"))
        self.assertEqual(run("version").stdout, run("--version").stdout)
        self.assertIn("before the command", self.refused(64, "-version"))
        self.assertIn("a value is expected", self.refused(64, "train", "--output", "--dry-run"))
        self.assertIn("given 2 times", self.refused(64, "train", "--iters", "1", "--iters", "2"))
        self.assertIn("'stray'", self.refused(64, "train", "stray"))
        self.assertIn("before the command", self.refused(64, "--iters", "3", "train"))

    def test_what_is_not_built_does_not_exist(self):
        for option in ("--triton-kernels", "--resume-anyway", "--world-sizes"):
            self.refused(64, "train", option, "on")
        self.refused(78, "train", "--batch-size", "auto")
        self.refused(78, "train", "--strategy", "gossip")

    def test_all_problems_at_once(self):
        text = self.refused(78, "train", "--batch-size", "-1", "--precision", "fp8", "--iters", "32.7",
                            "--set", "seeed=1", "--learning-rate", "1e400",
                            env={"SCALEMARK_WORKLOADS": "x", "SCALEMARK_SEED": "99999999999999999999"})
        for line in ("--batch-size is '-1' (from option); a whole number from 1 on is allowed.",
                     "--precision is 'fp8' (from option); one of fp32, tf32, amp-fp16, amp-bf16 is allowed.",
                     "--iters is '32.7' (from option); a whole number from 1 on, or auto is allowed.",
                     "unknown key 'seeed'. Hint: did you mean 'seed'?".replace(". Hint", " (from set)", 0),
                     "--learning-rate is '1e400' (from option); a number above 0, at most 1.7e+308 is allowed.",
                     "SCALEMARK_WORKLOADS is 'x' (from environment); no option has this name. "
                     "Hint: did you mean 'workload'?",
                     "--seed is '99999999999999999999' (from environment); a whole number from 0 on, at most 9223372036854775807 is "
                     "allowed."):
            self.assertIn(line, text)
        self.assertIn("7 settings are refused", text.splitlines()[-1])
        self.assertEqual(len(text.splitlines()), 8)

    def test_config_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "c.json")
            for content, found in ((b'{"iters": 1, "iters": 2}', "occurs twice"),
                                   (b'{"batchsize": 2}', "did you mean 'batch_size'?"),
                                   (b'{"command": "sweep"}', "another command"),
                                   (b'{"iters": [1, 2]}', "one value per key"),
                                   (b'{"iters": 1,}', "strict JSON"),
                                   (b'{"iters": -1}', "'-1'"),
                                   (b"\xff", "strict JSON")):
                path.write_bytes(content)
                self.assertIn(found, self.refused(78, "train", "--dry-run", "--config", str(path)), content)
            self.refused(66, "train", "--config", folder + "/none.json")
            self.refused(66, "train", "--config", folder)

    def test_a_reader_that_has_seen_enough_is_no_error(self):
        read_end, write_end = os.pipe()
        os.close(read_end)  # `| head` does so
        with os.fdopen(write_end, "wb") as out:
            done = subprocess.run([PROGRAM, "train", "--dry-run"], stdout=out, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_inputs_and_output_folder(self):
        self.refused(66, "train", "--workload", "resnet50", "--data", "/nowhere/at/all")
        self.refused(66, "train", "--init-from", "/nowhere/at/all")
        with tempfile.TemporaryDirectory() as folder:
            # Refused before hours of training, not after them.
            self.assertIn("no folder", self.refused(73, "train", "--save", folder + "/none/w.safetensors"))
            self.assertIn("is a folder", self.refused(73, "train", "--save", folder))
            file = pathlib.Path(folder, "file")
            file.touch()
            for command in ("train", "sweep"):
                self.assertIn("is no folder", self.refused(73, command, "--trace", f"{file}/traces"))
                self.assertIn("cannot be made", self.refused(73, command, "--trace", "/proc/traces"))
            pathlib.Path(folder, "precious").write_text("x")
            text = self.refused_or_torch(73, "train", "--output", folder)
            self.assertTrue(pathlib.Path(folder, "precious").exists())
            self.assertRegex(text, "--overwrite|E_TORCH_MISSING")

    def test_new_ranks_that_cannot_be_started_cost_no_old_report(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            precious = '{"schema": "scalemark.report/1"}'
            report.write_text(precious)
            nodes = ["--nnodes", "2", "--node-rank", "0", "--rendezvous", "127.0.0.1:29599", "--nproc-per-node"]
            for how in (([*nodes, "1"], {}), ([*nodes, "2"], {}),
                        ([], {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1",
                              "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29599"})):
                result = run("sweep", "--workload", "linear", "--fresh-process", "--overwrite", "--output", folder, *how[0],
                             env=how[1])
                self.assertIn(result.returncode, (78, 71), result.stderr)
                self.assertRegex(result.stderr, "belong to another launcher or to several nodes|E_TORCH_MISSING")
                self.assertEqual(report.read_text(), precious)

    def refused_or_torch(self, code, *arguments):
        result = run(*arguments)
        self.assertIn(result.returncode, (code, 71))
        return result.stderr

    def test_resume_needs_a_folder_that_stays_the_same(self):
        for arguments in (["--resume"], ["--resume", "--output", "a-{date}"], ["--resume-anyway"]):
            text = self.refused(78, "sweep", "--dry-run", *arguments)
            self.assertIn("needs an --output that stays the same", text)
        self.assertEqual(run("sweep", "--dry-run", "--resume", "--output", "a-{job}").returncode, 0)

    def test_torch_is_missing_or_of_another_version(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.refused(71, "train", "--torch", folder)
            self.assertIn("E_TORCH_MISSING", text)
            self.assertIn("pip install 'torch==", text)
            self.refused(71, "train", env={"SCALEMARK_TORCH": folder})
            pathlib.Path(folder, "lib").mkdir()
            pathlib.Path(folder, "lib", "libtorch_cpu.so").write_text("")
            pathlib.Path(folder, "version.py").write_text("__version__ = '2.9.1+cpu'\n")
            text = self.refused(71, "train", "--torch", folder)
            self.assertIn("E_TORCH_VERSION", text)
            self.assertIn("2.9.1+cpu", text)
            minor = re.search(r"built for torch ([\d.]+)", run("--version").stdout)[1]
            pathlib.Path(folder, "version.py").write_text(f"__version__ = '{minor}.0+cpu'\n")
            self.assertIn("cannot load torch", self.refused(71, "train", "--torch", folder,
                                                            "--output", folder + "/out"))
            self.assertFalse(pathlib.Path(folder, "out").exists())  # nothing ran: nothing is left behind

    def test_the_reason_is_written_where_launchers_look(self):
        with tempfile.TemporaryDirectory() as folder:
            elastic = pathlib.Path(folder, "elastic.json")
            text = self.refused(78, "train", "--iters", "x", env={"TORCHELASTIC_ERROR_FILE": str(elastic)})
            message = json.loads(elastic.read_text())["message"]
            self.assertEqual(message["errorCode"], 78)
            self.assertEqual(message["message"], text.splitlines()[-1])
            # The error comes first; the failed copy is only a note.
            result = run("train", "--zzz", env={"TORCHELASTIC_ERROR_FILE": "/nowhere/at/all"})
            self.assertEqual(result.returncode, 64)
            error, remark = result.stderr.splitlines()
            self.assertIn("(exit 64)", error)
            self.assertTrue(remark.startswith("scalemark: while ending: error E_CANNOT_CREATE (exit 73): "), remark)


class Settings(unittest.TestCase):
    def test_precedence_and_origins(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = pathlib.Path(folder, "a.json"), pathlib.Path(folder, "b.json")
            first.write_text('{"iters": 1, "batch_size": 1, "seed": 1, "momentum": 0.25, "warmup-iters": 1}')
            second.write_text('{"command": "train", "about": "x", "iters": 2, "batch_size": 2, "seed": 2}')
            shown = dry_run("--config", str(first), "--config", str(second), "--iters", "4",
                            "--set", "warmup_iters=9",
                            env={"SCALEMARK_ITERS": "3", "SCALEMARK_BATCH_SIZE": "3"})
        settings, origins = shown["settings"], shown["origins"]
        for key, value, origin in (("momentum", 0.25, f"config {first}"), ("seed", 2, f"config {second}"),
                                   ("batch_size", 3, "environment"), ("iters", 4, "option"),
                                   ("warmup_iters", 9, "set"), ("workload", "mlp", "default"),
                                   ("learning_rate", 0.001, "recipe"), ("global_batch_size", 3, "derived")):
            self.assertEqual((settings[key], origins[key]), (value, origin), key)

    def test_underscores_short_names_and_flags(self):
        shown = dry_run("--batch_size=8", "-j", "3", "--gradient_accumulation_steps", "2", "--deterministic",
                        "--overlap", "off", "--nesterov=off", "--lr", "0.5", "--clip-grad-norm", "none")["settings"]
        self.assertEqual([shown[k] for k in ("batch_size", "workers", "gradient_accumulation_steps", "deterministic",
                                             "overlap", "nesterov", "learning_rate", "global_batch_size")],
                         [8, 3, 2, True, False, False, 0.5, 16])

    def test_local_rank_before_and_after_the_command(self):
        env = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}
        for arguments in (["--local-rank=1", "train"], ["--local_rank", "1", "train"], ["train", "--local-rank", "1"]):
            result = run(*arguments, "--dry-run", "--log-format", "json", env=env)
            self.assertEqual(result.returncode, 0, result.stderr)
            settings = json.loads(result.stdout)["settings"]
            self.assertEqual((settings["local_rank"], settings["strategy"]), (1, "ddp"))

    def test_one_rank_of_a_launcher_prints_the_plan(self):
        env = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}
        plans = [run("train", "--dry-run", env=env | {"RANK": rank, "LOCAL_RANK": rank}) for rank in "01"]
        self.assertEqual([plan.returncode for plan in plans], [0, 0])
        self.assertRegex(plans[0].stdout, "2 ranks")
        self.assertEqual(plans[1].stdout, "")

    def test_dry_run_is_a_table_and_touches_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            typed = ("train", "--dry-run", "--workload", "resnet50", "--nproc-per-node", "2")
            brief = run(*typed, cwd=folder).stdout
            self.assertLessEqual(len([line for line in brief.splitlines() if line]), 8, brief)
            self.assertRegex(brief, r"(?m)^resnet50-b32-fp32-w2-ddp +2 +\d+ (s|min) +[\d.]+ GiB$")
            self.assertIn("1 run on 2 ranks of one machine; about ", brief)
            self.assertIn("Set by option: workload resnet50; nproc_per_node 2.\n", brief)
            crowded = run("train", "--dry-run", "--nproc-per-node", "512", "--threads", "2", cwd=folder).stdout
            self.assertRegex(" ".join(crowded.split()), r"512 ranks of one machine \(1,?024 threads on \d+ cores?: they slow each other down\)")
            result = run(*typed, "--details", cwd=folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("25,557,032 parameters", result.stdout)
            self.assertRegex(result.stdout, r"(?m)^  batch_size +\d+ +recipe$")
            self.assertRegex(result.stdout, r"(?m)^  nproc_per_node +2 +option$")
            self.assertRegex(result.stdout, r"(?m)^  iters +auto +default$")
            self.assertEqual(os.listdir(folder), [])

    def test_details_are_about_a_plan(self):
        result = run("train", "--details")
        self.assertEqual(result.returncode, 64)
        self.assertIn("--details without --dry-run", result.stderr)
        self.assertIn("1 epoch", run("train", "--dry-run", "--workload", "resnet50", "--data", "photos", "--epochs", "1").stdout)

    def test_a_plan_says_which_inputs_are_not_here(self):
        with tempfile.TemporaryDirectory() as folder:
            for command in ("train", "sweep"):
                for option in ("--data", "--vocab", "--init-from"):
                    typed = (command, "--workload", "bert-base" if option == "--vocab" else "resnet50", "--device", "cpu", option, "nosuch")
                    refused, planned = run(*typed, cwd=folder), run(*typed, "--dry-run", cwd=folder)
                    self.assertEqual((refused.returncode, planned.returncode), (66, 0), (refused, planned))
                    self.assertEqual(planned.stderr.count(f"{option} 'nosuch' is not there"), 1, planned.stderr)
                    self.assertNotIn("nosuch' is", run(*typed, "--dry-run", "--quiet", cwd=folder).stderr)

    def test_notes_are_no_errors(self):
        result = run("train", "--dry-run", "--image-size", "64")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--image-size has no effect: mlp does not use it", result.stderr)
        self.assertNotIn("no effect", result.stdout)


class Sweep(unittest.TestCase):
    def plan(self, *arguments, device="cpu", **keywords):
        result = run("sweep", "--dry-run", "--log-format", "json", "--device", device, *arguments, **keywords)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_dry_run_is_the_plan_and_touches_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            plan = self.plan("--world-sizes", "1,2", "--batch_sizes", "8..16*2", "--global-batch-size", "7",
                             cwd=folder)["plan"]
            groups = [point["group"] for point in plan["points"]]
            self.assertIn("mlp-b8-fp32-w2-ddp", groups)
            skipped = next(p for p in plan["points"] if p["group"] == "mlp-g7-fp32-w2-ddp")
            self.assertIn("a multiple of 2", skipped["skipped"])
            can_run = {p["group"] for p in plan["points"] if "skipped" not in p}
            self.assertEqual({run["id"] for run in plan["runs"]},
                             {f"{group}/r{k}" for group in can_run for k in range(5)})
            singles = {(run["repetition"], *run["members"]) for run in plan["runs"] if "-w1-" in run["id"]}
            self.assertEqual(singles, {(0, 0), (1, 1), (2, 0), (3, 1), (4, 0)}, "one rank, drawn anew for each block")
            self.assertEqual(os.listdir(folder), [])

    def test_table_and_config_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "c.json")
            path.write_text('{"command": "sweep", "batch_sizes": [8, 16], "world_sizes": "1..2*2"}')
            shown = self.plan("--config", str(path))
            self.assertEqual((shown["settings"]["batch_size"], shown["origins"]["batch_size"]),
                             ("8,16", f"config {path}"))
            plan = ("sweep", "--dry-run", "--device", "cpu", "--config", str(path))
            result = run(*plan, "--details")
            self.assertRegex(result.stdout, r"(?m)^mlp-b8-fp32-w2-none +2, no exchange \(added\) +[\d.]+ s +[\d.]+ MiB +0-1$")
            self.assertRegex(result.stdout, r"(?m)^  batch_size +8,16 +config ")
            brief = run(*plan).stdout
            self.assertIn("6 points x 5 blocks = 30 runs on 2 ranks of one machine; about ", brief)
            self.assertIn(f"Set by config {path}: batch_size 8,16; world_sizes 1,2.\n", brief)
            self.assertEqual(re.findall(r"(?m)^mlp-b(\d+)", brief), ["8", "8", "8", "16", "16", "16"])
            self.assertLessEqual(len([line for line in brief.splitlines() if line]), 14, brief)

    def test_nodes_start_a_rank_on_each_gpu(self):
        nodes = ("--nnodes", "16", "--node-rank", "0", "--rendezvous", "n1:29500")
        for words, ranks, each in ((("--config", "acceptance/fleet"), 128, 8), ((), 128, 8), (("--world-sizes", "1,24"), 32, 2),
                                   (("--nproc-per-node", "4"), 64, 4)):
            shown = self.plan(*words, *nodes, device="cuda", env={"CUDA_VISIBLE_DEVICES": ""})  # planned for 8 on each
            self.assertEqual(shown["plan"]["world_size"], ranks, words)
            self.assertEqual((shown["settings"]["nnodes"], shown["settings"]["nproc_per_node"]), ("16", str(each)), words)
        for device, said in ((("--device", "cuda"), "128 ranks of 16 machines, 8 on each (no GPU is here: planned for 8 on each machine)"),
                             ((), "16 ranks of 16 machines, 1 on each (no GPU is here: planned for CPUs; --device cuda plans for 8 on each machine)")):
            for command in ("sweep", "comm"):
                shown = run(command, "--dry-run", *device, *nodes, env={"CUDA_VISIBLE_DEVICES": ""})
                self.assertIn(said, shown.stdout)
        shown = self.plan("--nnodes", "16", "--node-rank", "3", "--rendezvous", "n1:29500")
        self.assertEqual((shown["plan"]["world_size"], shown["settings"]["nproc_per_node"]), (16, "1"), "on CPUs")

    def test_pods_count_as_nodes(self):
        """PET_NNODES is --nnodes, whether the pods say how many ranks they start or not."""
        pod = {"PET_NNODES": "16", "PET_NODE_RANK": "1", "PET_MASTER_ADDR": "n1", "PET_MASTER_PORT": "29500", "CUDA_VISIBLE_DEVICES": ""}
        for device, words, each, ranks in (("cuda", (), None, 128), ("cuda", ("--world-sizes", "1,24"), None, 32), ("cuda", (), "auto", 128), ("cuda", (), "4", 64),
                                           ("cpu", (), None, 16), ("cpu", ("--world-sizes", "1,24"), None, 32), ("cpu", (), "1", 16)):
            shown = self.plan(*words, device=device, env=pod | ({"PET_NPROC_PER_NODE": each} if each else {}))
            self.assertEqual(shown["plan"]["world_size"], ranks, (words, each))
            self.assertEqual((shown["settings"]["nnodes"], shown["origins"]["nnodes"]), ("16", "environment"), words)
        self.assertEqual(self.plan("--nnodes", "2", "--world-sizes", "1,24", env=pod)["plan"]["world_size"], 24, "a typed number wins")

    def test_memory_that_is_there_is_what_the_limit_leaves(self):
        for limit, expected in (("1MiB", 1 << 20), ("2MiB,1=1MiB", 1 << 20), ("0=3MiB", 3 << 20)):
            plan = self.plan("--world-sizes", "1,2", "--memory-limit", limit)["plan"]
            self.assertEqual(plan["memory_available_bytes"], expected, limit)
        shown = self.plan("--world-sizes", "1,2", "--memory-limit", "1=1MiB")["settings"]["memory_limit"]
        self.assertEqual(shown, "auto,1=1048576")

    def test_a_plan_says_what_may_not_fit(self):
        shown = run("sweep", "--device", "cpu", "--workload", "resnet50", "--world-sizes", "1", "--batch-sizes", "1,4096", "--memory-limit", "4GiB",
                    "--dry-run").stdout
        self.assertIn("! 1 point may not fit", shown)
        self.assertNotIn("may not fit", run("sweep", "--device", "cpu", "--world-sizes", "1,2", "--dry-run").stdout)

    def test_refusals(self):
        for arguments in (("--world-sizes", "1,2", "--memory-limit", "2=1GB"),
                          ("--world-sizes", "1,2", "--nproc-per-node", "1"), ("--batch-size", "8,x"),
                          ("--batch-size", "1..8"), ("--precision", "fp32,tf32"), ("--quick", "--thorough")):
            result = run("sweep", "--dry-run", "--device", "cpu", *arguments)
            self.assertEqual(result.returncode, 78, arguments)
            self.assertEqual(result.stdout, "")
        result = run("sweep", "--accept", "--dry-run")
        self.assertEqual(result.returncode, 64)
        self.assertIn("unknown option '--accept'", result.stderr)
        self.assertIn("--thorough measures as long", result.stderr)
        result = run("sweep", "--dry-run", "--set", "accept=on")
        self.assertEqual(result.returncode, 78)
        self.assertIn("--thorough measures as long", result.stderr)
        for arguments in (("--tune", "threads"), ("--tune", "overlap", "--overlap", "on"), ("--tune", "overlap", "--until-ci", "1%"),
                          ("--tune", "overlap", "--world-sizes", "1"),
                          ("--workload", "resnet50", "--data", "/tmp", "--synthetic-in-loop", "on")):
            result = run("sweep", "--dry-run", "--device", "cpu", *arguments)
            self.assertEqual(result.returncode, 78, (arguments, result.stderr))
            self.assertEqual(len([line for line in result.stderr.splitlines() if "error E_" in line]), 1, result.stderr)
        for option in ("bucket-cap", "world-sizes", "workload", "seed"):
            result = run("sweep", "--dry-run", "--tune", option)
            self.assertEqual(result.returncode, 64, result.stderr)
            self.assertIn("is no option whose values can be compared", result.stderr)
        tuned = ("sweep", "--dry-run", "--device", "cpu", "--world-sizes", "2", "--tune", "bucket-cap-mb", "--nproc-per-node", "2")
        result = run(*tuned, "--details")
        self.assertEqual(result.returncode, 0, result.stderr)
        for size in (25, 1, 5, 10, 50, 100, 200):
            self.assertIn(f"-bucket{size}", result.stdout)
        sizes = [int(size) for size in re.findall(r"-bucket(\d+)", run(*tuned).stdout)]
        self.assertEqual(sizes, sorted(sizes), "by number")
        result = run("sweep", "--dry-run", "--device", "cpu,cuda")
        self.assertEqual(result.returncode, 78)
        self.assertIn("--device is 'cpu,cuda' (from option); a sweep computes on one device", result.stderr)


class Help(unittest.TestCase):
    def test_help_of_train_names_every_setting(self):
        text = run("train", "--help-all").stdout
        shown = dry_run()["settings"]
        extra = {"command", "lr_warmup_share", "decay_norms_and_biases"}
        for key in set(shown) - extra:
            self.assertIn("--" + key.replace("_", "-"), text, key)
        self.assertIn("Examples:", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 120)

    def test_help_is_a_screen_and_says_where_the_rest_is(self):
        for command in ("train", "sweep", "comm"):
            lines = run(command, "--help").stdout.splitlines()
            self.assertLessEqual(len(lines), 42, command)
            self.assertLessEqual(max(map(len, lines)), 110, command)
            options = [line for line in lines if re.match(r" +(-\w, )?--\w", line)]
            self.assertEqual(len(options), 15, command)
            everything = run(command, "--help-all").stdout
            for line in options:
                self.assertIn(re.search(r"--[\w-]+", line)[0], everything)

    def test_help_of_a_group_and_of_one_option(self):
        self.assertIn("--rendezvous", run("train", "--help", "launch").stdout)
        self.assertNotIn("--workload", run("train", "--help", "launch").stdout)
        self.assertTrue(run("sweep", "--help", "bucket-cap-mb").stdout.startswith("      --bucket-cap-mb X "))
        result = run("train", "--help", "nonsense")
        self.assertEqual(result.returncode, 64)
        self.assertRegex(result.stderr, "(?s)'nonsense'.*what, size, recipe.*launch")

    def test_help_of_each_command(self):
        listed = run("--help")
        self.assertEqual(listed.returncode, 0)
        commands = re.findall(r"(?m)^  ((?:data )?[a-z]+)  +[a-z]", listed.stdout)
        self.assertIn("train", commands)
        self.assertIn("doctor", commands)
        for command in commands:
            result = run(*command.split(), "--help")
            self.assertEqual(result.returncode, 0, command)
            self.assertIn(f"usage: scalemark {command}", result.stdout)

    def test_help_names_the_formats_that_the_command_makes_and_no_others(self):
        for command, made, others in [("accept", "drain undecided", "csv superbench prom effects links table,"),
                                      ("compare", "csv", "superbench drain"), ("report", "superbench links", "drain accept")]:
            text = re.search(r"(?s)      --format(.*?)\n      --", run(command, "--help").stdout)[1]
            for word in made.split():
                self.assertIn(word, text, command)
            for word in others.split():
                self.assertNotIn(word, text, command)


class Start(unittest.TestCase):
    def test_version_names_commit_and_torch_and_loads_no_torch(self):
        result = run("--version", env={"LD_DEBUG": "files"})
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^scalemark \d+\.\d+\.\d+ \(commit .+; built for torch (\d+\.\d+(, )?)+\)\n$")
        for library in ("libtorch", "libc10", "libopencv", "libscalemark_data"):
            self.assertNotIn(library, result.stderr)

    def test_a_closed_stdout_is_an_error_line_and_no_signal(self):
        command = f"'{PROGRAM}' train --help > /dev/full"
        result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 74)
        self.assertIn("E_IO", result.stderr)

    def test_doctor_says_what_it_sees(self):
        result = run("doctor")
        self.assertIn(result.returncode, (0, 71))
        for word in ("torch", "cpu", "gpus", "rdma"):
            self.assertRegex(result.stdout, rf"(?m)^{word}")
        self.assertNotIn("launching", result.stdout)
        ranks = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29599"}
        for env, said in ((ranks, "rank: 1 of 2"), ({"RANK": "1"}, "problem: RANK is set but WORLD_SIZE is not"),
                          ({"FLUX_JOB_SIZE": "4"}, "note: FLUX_JOB_SIZE=4 is set and not read"), ({"PET_NPROC_PER_NODE": "2"}, "ranks to start: 2")):
            self.assertRegex(run("doctor", env=env).stdout, rf"(?m)^launching\n(  .*\n)*  {said}")

    def test_doctor_says_which_options_have_no_effect(self):
        result = run("doctor", "--output", "/not/there", "--log-format", "json")
        self.assertIn("--output has no effect without --measure", result.stderr)
        self.assertIn("--log-format has no effect without --measure", result.stderr)
        self.assertRegex(result.stdout, "(?m)^cpu ")

    def test_doctor_measure_refuses_a_folder_in_use_before_it_measures(self):
        with tempfile.TemporaryDirectory() as folder:
            open(f"{folder}/mine", "w").close()
            result = run("doctor", "--measure", "--output", folder)
            self.assertEqual(result.returncode, 73, result.stderr)
            self.assertEqual(os.listdir(folder), ["mine"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
