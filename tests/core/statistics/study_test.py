"""The judge of the simulation study: each gate refuses what is beyond it, and only a small count gets a margin."""

import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True  # no cache beside the scripts
SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts/statistics"
loader = importlib.machinery.SourceFileLoader("study", str(SCRIPT))
study = importlib.util.module_from_spec(importlib.util.spec_from_loader("study", loader))
loader.exec_module(study)


def comparisons(trials):
    """Returns rows in the order of (arrangement, planted); one session each is never a false alarm."""
    row = {"trials": trials, "false_alarms": 0.03, "found": 0.98, "significant": 0.87, "session_cv": 0.01}
    return [{**row, "arrangement": "one session each", "planted": "nothing", "false_alarms": 0}] + [
        {**row, "arrangement": arrangement, "planted": planted}
        for arrangement in ("in one go", "five sessions each") for planted in ("nothing", "five percent", "smallest found")]


def names_of(rules):
    return [check["name"] for check in json.loads((study.acceptance_study.RULES / rules).read_text())["checks"]]


def good(trials=study.FULL):
    row = {"trials": trials, "outliers": "none", "throughput": 0.95, "efficiency": 0.95}
    return {
        "coverage": [dict(row)], "stop_rule": [dict(row)],
        "cross": [{**row, "drift": 0.0, "run": 0.01}, {**row, "drift": 0.01, "run": 0.0, "throughput": 0.999}],
        "compare": comparisons(trials),
        "steady": [{"trials": trials, "windows": windows, "kind": kind, "size": size, "step_cv": 0.02, "phi": 0,
                    "steps": 4000, "outliers": "none", "length": 1, "bound_held": 1, "said_true": 0, "said_false": found}
                   for windows in (1, 5) for kind, size, found in (("steady", 0, 0), ("decay", 0.005, 0), ("wander", 0.002, 0),
                                                                   ("ramp", 0.05, 1), ("throttle", 0.1, 1))],
        "within_run": [{"trials": trials, "steps": 110, "phi": 0, "outliers": "none", "held": 0.94}],
        "decomposition": [{"trials": trials, "worst": 1e-14, "worst_from_rates": 1e-14}],
        "communication": [{"kind": "cost", "trials": trials, "covered": 0.95, "cost_covered": 0.95, "efficiency_covered": 0.95},
                          {"kind": "slow_rank", "trials": trials, "worst": 1e-15}],
        "devices": [{"trials": trials, "device_spread": 0.01, "first": 0.4, "drawn": 0.98}],
        "straggler_points": [{"trials": trials, "device_spread": spread, "new_each_point": False, "spread_given": spread > 0,
                              "planted": planted, "named": 0.01, "intermittent": 0.01, "found": 0.99}
                             for spread in (0, 0.01) for planted in ("nobody", "every run", "2 of 5 runs")],
        "sessions": [{"trials": trials, "runs": "3 + 2", "intervals": 0, "by_session": 0},
                     {"trials": trials, "runs": "5 x 2", "intervals": 1, "by_session": 0.95}],
        "correlated": [{"trials": trials, "points": 12, "blocks": 5, "phi": phi, "drift": drift, "correlated": 0.04,
                        "drift_now": 0.95 if drift else 0.04, "covered_now": 0.95}
                       for phi, drift in ((0, 0), (0, 0.04), (0.8, 0))],
        "effects": [{"trials": trials, "blocks": 5, "run_cv": 0.01, "values": 7, "effect": effect, "covered": 0.95,
                     "any_false_real": 0.01, "real": 0.99, "none": 0.01} for effect in (0, 0.05)],
        "tuning": [{"trials": trials, "blocks": 5, "run_cv": 0.01, "best_dropped": 0.01, "covered": 0.95, "dropped_share": 0.5,
                    "covered_dropped": 0.9}],
        "attempts": [{"trials": trials, "slows": 0, "last_above": 0.5, "last_covered": 0.95, "best_above": 0.7}],
        "variance": [{"trials": trials, "sessions": sessions, "run": 0, "runs": 5, "phi": 0, "beyond_held": 0.95, "sessions_held": 0.95,
                      "saves": saves, "buy_runs": 0.01, "buy_windows": 0.01,
                      "buy_sessions": 0.02, "session": 0}
                     for sessions, saves in ((1, 0.2), (1, 0.01), (3, 0.2))],
        "not_normal": [{"trials": trials, "kind": kind, "points": 12, "said": said} for kind, said in (
            ("normal", 0.01), ("one in 10 runs 5 % slower", 0.95))],
        "until_sure": [{"trials": trials, "kind": "normal", "throughput": 0.95, "efficiency": 0.95, "foreseen": 0.95}],
        "levels": [{"trials": trials, "kind": kind, "runs": runs, "noise": 0.01, "slow_by": 0.05, "any": 0.02, "found": 0.95, "covered": 0.5}
                   for kind, runs in (("one level", 5), ("two levels", 10), ("two levels", 5), ("heavy tails", 5))],
        "fastest": [{"trials": trials, "ahead": ahead, "told_apart": 0.03} for ahead in (0, 0.05)],
        "accept_limit": [{"trials": trials, "reference": "fleet", "device": 0.01, "devices": devices, "noises_differ_by": differ, "boots": boots, "boots_said": False, "shared_start": 0, "beyond_model": beyond, "another_failed": 0.01,
                          "wrong_pass": wrong, "wrong_fail": wrong, "smallest_failed": 0.97}
                         for devices, differ, boots, wrong, beyond in (
                             (8, 0, 0, 0.009, ""), (8, 0.4, 0, 0.019, ""), (4, 0, 0, 0.5, ""), (64, 0, 0.003, 0.5, ""), (128, 0, 0, 0.019, "starts t 2.5"),
                             (128, 0, 0, 0.5, "1 start in 5 is 6 % slower"))],
        "accept_baseline": [{"trials": trials, "devices": 8, "boots_measured": 2, "device": device, "boots_of_all": alike,
                             "wrong_pass": wrong, "wrong_fail": wrong, "smallest_failed": 0.9}
                            for device, alike, wrong in ((0.01, 0, 0.007), (0.02, 0, 0.02), (0.01, 1, 0.02))],
        "accept_healthy": [{"trials": trials, "device": device, "wrongly": wrongly} for device, wrongly in ((0.01, 0.04), (0.015, 0.5))],
        "accept_bad": [{"trials": trials, "devices": devices, "share": share, "bad": bad, "failed": failed, "doubt": doubt}
                       for devices, share, bad, failed, doubt in ((512, 0.5, 0, 0.96, 0.95), (512, 0.9, 0, 0.1, 0.95), (8, 0, 4, 0.96, 0.1),
                                                                  (4, 0, 2, 0.9, 0.1), (512, 0.95, 0, 0.1, 0.1))],
        "accept_nodes": [{"trials": trials, "right": 0.96}],
        "accept_kinds": [],
        "accept_whole": [{"trials": trials, "kind": kind, "fleets": 50, "wrongly": wrongly, "missed": 0, "links_wrongly": 0, "links_missed": 0,
                          "of_one_switch": of_one_switch, "switches": 50 * of_one_switch, "switches_wrongly": 0,
                          "rules": "standard.json", "judged": names_of("standard.json")}
                         for kind, wrongly, of_one_switch in (("the model", 1, 0), ("1 start in 5 is 6 % slower", 100, 0), ("the 8 nodes of one switch", 0, 1),
                                                              ("smoke rules: starts t 2.5", 100, 0))],
        "accept_as_one": [{"trials": trials, "beyond_model": beyond, "wrong_pass": wrong, "wrong_fail": wrong, "wrong_pass_margin": 0.002,
                           "wrong_fail_margin": 0.002, "below_passed": 0, "healthy_failed": 0} for beyond, wrong in (("", 0.0129), ("runs t 2.5", 0.05))],
    }


BEYOND = [("coverage", 0, "throughput", 0.929), ("coverage", 0, "throughput", 0.971), ("coverage", 0, "efficiency", 0.929),
          ("coverage", 0, "efficiency", 0.971), ("cross", 0, "throughput", 0.971), ("cross", 1, "throughput", 0.929),
          ("cross", 1, "efficiency", 0.971), ("stop_rule", 0, "throughput", 0.929), ("stop_rule", 0, "efficiency", 0.929),
          ("compare", 0, "false_alarms", 0.001), ("compare", 1, "false_alarms", 0.051), ("compare", 4, "false_alarms", 0.051),
          ("compare", 2, "found", 0.949), ("compare", 5, "found", 0.949), ("compare", 3, "significant", 0.799),
          ("compare", 6, "significant", 0.799), ("steady", 0, "said_false", 0.051), ("steady", 1, "said_true", 0.051),
          ("steady", 1, "bound_held", 0.949), ("steady", 2, "said_true", 0.051), ("steady", 3, "said_false", 0.949),
          ("steady", 4, "said_false", 0.949), ("steady", 5, "said_false", 0.051), ("steady", 6, "said_true", 0.051),
          ("steady", 8, "said_false", 0.949), ("decomposition", 0, "worst", 1.1e-12),
          ("decomposition", 0, "worst_from_rates", 1.1e-12), ("communication", 0, "covered", 0.929),
          ("communication", 0, "covered", 0.971), ("communication", 0, "cost_covered", 0.929),
          ("communication", 0, "efficiency_covered", 0.929), ("communication", 1, "worst", 1.1e-12),
          ("devices", 0, "drawn", 0.929),
          ("attempts", 0, "last_above", 0.469), ("attempts", 0, "last_above", 0.531), ("attempts", 0, "last_covered", 0.929),
          ("attempts", 0, "last_covered", 0.971), ("attempts", 0, "best_above", 0.549),
          ("straggler_points", 3, "named", 0.051), ("straggler_points", 3, "intermittent", 0.051),
          ("straggler_points", 4, "found", 0.949), ("straggler_points", 5, "found", 0.949), ("sessions", 0, "intervals", 0.001),
          ("sessions", 1, "by_session", 0.929), ("correlated", 2, "drift_now", 0.051), ("correlated", 1, "drift_now", 0.89),
          ("correlated", 0, "correlated", 0.061), ("effects", 0, "covered", 0.929), ("effects", 1, "covered", 0.971),
          ("effects", 0, "any_false_real", 0.051), ("effects", 1, "real", 0.949), ("effects", 1, "none", 0.051),
          ("tuning", 0, "best_dropped", 0.051), ("tuning", 0, "covered", 0.929),
          ("variance", 0, "beyond_held", 0.929), ("variance", 2, "sessions_held", 0.929), ("variance", 0, "buy_runs", 0.051),
          ("variance", 1, "buy_windows", 0.051), ("variance", 2, "buy_sessions", 0.051), ("not_normal", 0, "said", 0.016), ("not_normal", 1, "said", 0.799),
          ("until_sure", 0, "throughput", 0.929), ("until_sure", 0, "efficiency", 0.929), ("until_sure", 0, "foreseen", 0.899), ("levels", 0, "any", 0.051), ("levels", 1, "found", 0.89),
          ("fastest", 0, "told_apart", 0.051),
          ("accept_limit", 0, "wrong_pass", 0.011), ("accept_limit", 0, "wrong_fail", 0.011), ("accept_limit", 1, "wrong_fail", 0.021),
          ("accept_limit", 0, "smallest_failed", 0.949), ("accept_healthy", 0, "wrongly", 0.051), ("accept_bad", 0, "failed", 0.949),
          ("accept_bad", 0, "doubt", 0.899), ("accept_bad", 1, "doubt", 0.899), ("accept_bad", 2, "failed", 0.949),
          ("accept_baseline", 0, "wrong_pass", 0.011), ("accept_baseline", 0, "wrong_fail", 0.011),
          ("accept_nodes", 0, "right", 0.949), ("accept_limit", 4, "wrong_fail", 0.021), ("accept_limit", 4, "another_failed", 0.021),
          ("accept_whole", 0, "wrongly", 3), ("accept_whole", 0, "missed", 3), ("accept_whole", 1, "links_wrongly", 3),
          ("accept_whole", 1, "links_missed", 3), ("accept_whole", 0, "switches_wrongly", 3), ("accept_whole", 2, "switches", 47),
          ("accept_whole", 0, "judged", ["training alone"]),
          ("accept_as_one", 0, "wrong_pass", 0.0132), ("accept_as_one", 0, "wrong_fail", 0.0132), ("accept_as_one", 1, "below_passed", 0.011),
          ("accept_as_one", 1, "healthy_failed", 0.011)]


def reached(data):
    return study.judge(data).reached()


class Judge(unittest.TestCase):
    def test_good_results_pass(self):
        self.assertTrue(reached(good()))

    def test_each_gate_can_fail(self):
        for section, row, key, value in BEYOND:
            with self.subTest(section=section, key=key, value=value):
                data = good()
                data[section][row][key] = value
                self.assertFalse(reached(data))

    def test_nothing_simulated_is_no_pass(self):
        for section in ("coverage", "stop_rule", "compare", "steady", "decomposition", "communication", *study.sweep_study.SECTIONS,
                        *study.effects_study.SECTIONS,
                        *study.precision_study.SECTIONS,
                        *study.levels_study.SECTIONS,
                        "accept_limit", "accept_baseline", "accept_healthy", "accept_bad", "accept_nodes", "accept_whole", "accept_as_one"):
            with self.subTest(section=section):
                self.assertFalse(reached({**good(), section: []}))

    def test_a_small_count_gets_three_standard_errors(self):
        # 0.93 - 3 sqrt(0.93 * 0.07 / 400) = 0.8917
        for value, passes in ((0.892, True), (0.891, False)):
            data = good(trials=400)
            data["coverage"][0]["throughput"] = value
            self.assertEqual(reached(data), passes)

    def test_a_verdict_that_must_never_be_gets_no_margin(self):
        data = good(trials=200)
        data["compare"][0]["false_alarms"] = 0.005
        self.assertFalse(reached(data))

    def test_five_sessions_that_differ_by_two_percent_are_no_gate(self):
        data = good()
        data["compare"].append({**data["compare"][5], "session_cv": 0.02, "found": 0.3})
        self.assertTrue(reached(data))
        data["compare"][-1]["false_alarms"] = 0.051
        self.assertFalse(reached(data))

    def test_tables_of_acceptance_go_into_their_marks(self):
        marks = "<!-- limit: written by scripts/statistics, do not edit -->\nold\n<!-- end of limit -->"
        page = study.acceptance_study.filled(f"before\n{marks}\nafter", {"limit": "new"})
        self.assertEqual(page, "before\n" + marks.replace("old", "\nnew\n") + "\nafter")
        with self.assertRaises(SystemExit):
            study.acceptance_study.filled("nothing", {"limit": "new"})

    def test_every_check_of_shipped_rules_is_simulated_or_exact(self):
        """A check that somebody's machine fails by was simulated, or nothing about it is chance."""
        files = sorted(study.acceptance_study.RULES.glob("*.json"))
        self.assertTrue(files)
        for file in files:
            checks = json.loads(file.read_text())["checks"]
            self.assertEqual(study.acceptance_study.neither_simulated_nor_exact(checks), [], file.name)
        unknown = [{"name": "slow rank", "metric": "straggler", "at_most": 0}, {"name": "a", "metric": "link_bandwidth", "at_least": "25 GB/s"}]
        self.assertEqual(study.acceptance_study.neither_simulated_nor_exact(unknown), ["slow rank", "a"])

    def test_rounding_errors_get_no_margin(self):
        data = good(trials=200)
        data["decomposition"][0]["worst"] = 1.1e-12
        self.assertFalse(reached(data))


if __name__ == "__main__":
    unittest.main()
