"""Made status.json files: a run of training as rank 0 writes it, with one rank that is slow, stopped or behind if asked for."""

import datetime
import json
import os

STEP_S = 0.05
BATCH = 8


def utc(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def rank_at(number, t, ranks_per_node, slow, silent, gpus):
    """Its record `t` seconds after its start. A slow rank computes 60 % of the time, the others 40 %, and wait for it."""
    own = 0.6 if number == slow else 0.4
    network = 0.3
    waits = 1 - own - network if slow is not None and number != slow else 0.6 - own if slow is not None else 0
    busy = 1 - network - waits
    at = max(0.1, t - silent.get(number, 0) - 0.07 * (number % 10))
    record = {"rank": number, "host": f"node{number // ranks_per_node:03}", "device": "cuda:0" if gpus else "cpu", "local_rank": number % ranks_per_node, "beats": 1 + int(at), "clock_s": at,
              "silent_s": silent.get(number, 0.0), "phase": "window", "step": int(at / STEP_S), "steps": int(at / STEP_S), "samples": BATCH * int(at / STEP_S),
              "collectives": 3 * int(at / STEP_S), "all_collectives": 5 + 3 * int(at / STEP_S), "payload_bytes": 10_000_000 * int(at / STEP_S), "data_wait_s": 0.01 * at,
              "since_step_s": at % STEP_S, "resident_bytes": 1_300_000_000 + number, "major_faults": 0, "late_wakeups": 0, "cpu_s": 0.9 * at, "watching_cpu_s": 0.001 * at,
              "main_ran_s": (busy - 0.02) * at, "main_queued_s": 0.01 * at}
    if gpus:
        record["gpu"] = {"device": "cuda:0", "uuid": f"GPU-{number}", "utilisation": 0.97, "memory_used_bytes": 42_000_000_000, "power_W": 655.0,
                         "sm_clock_MHz": 1755.0, "temperature_C": 61.0, "held_down_by": ["power_cap"]}
    return record


def node_at(number, t):
    return {"host": f"node{number:03}", "clock_s": t, "busy_cpu_s": 3.7 * t, "steal_cpu_s": 0.0, "throttled_cpu_s": 0.0, "memory_available_bytes": 11e9,
            "swapped_bytes": 0.0, "pressure_cpu_s": 0.08 * t, "pressure_memory_s": 0.0, "pressure_io_s": 0.01 * t, "retransmitted_segments": 0.2 * t,
            "network_errors": 0.0, "disk_read_bytes": 3.1e6 * t, "disk_written_bytes": 4e5 * t, "output_free_bytes": 81e9, "sampler_cpu_s": 1e-3 * t,
            "cpus": 16, "interfaces": [{"name": "lo", "received_bytes": 1e9, "sent_bytes": 1e9},
                                       {"name": "eth0", "received_bytes": 9.1e7 * t, "sent_bytes": 9.2e7 * t}]}


def status_at(t, now, ranks=4, ranks_per_node=4, slow=None, silent=None, gpus=False, state="running", findings=1):
    """`now`: when it is written, since 1970."""
    return {"schema": "scalemark.status/1", "run_id": "e530c6e50222c2a5", "command": "sweep", "version": "0.2.0", "commit": "f0b511d9f0b5", "what": "resnet50, batch 8 per rank, fp32, ddp, gloo",
            "training": {"workload": "resnet50", "strategy": "ddp", "backend": "gloo", "precision": "fp32", "batch_size": BATCH, "world_size": ranks},
            "started": utc(now - t), "written": utc(now), "state": state, "phase": "window", "point": f"resnet50-b8-fp32-w{ranks}-ddp/r2",
            "done": int(t / STEP_S), "planned": 12_000, "runs_done": 4, "runs_planned": 15, "seconds_left": max(0.0, 600 - t), "sample_unit": "images", "loss": 2.31,
            "ranks": [rank_at(i, t, ranks_per_node, slow, silent or {}, gpus) for i in range(ranks)],
            "nodes": [node_at(i, t) for i in range(-(-ranks // ranks_per_node))],
            "findings": [{"code": f"shared{i or ''}", "severity": "warning", "text": f"other programs took 0.{i} CPUs of this machine during the window"}
                         for i in range(findings)]}


def write(folder, status):
    """Writes as the program does: another file, then renamed."""
    folder.mkdir(parents=True, exist_ok=True)
    text = status if isinstance(status, str) else json.dumps(status)
    (folder / "status.json.new").write_text(text)
    os.rename(folder / "status.json.new", folder / "status.json")
