"""Answers of /now that no run gave: any number of ranks, on CPUs or GPUs, after any time; see core/live/status.h and rates.h."""

import datetime
import math


def made_rank(rank, at, gpus):
    busy = 0.93 - 0.02 * math.sin(0.2 * at + rank)
    seconds = 300 + at
    gpu = {"gpu": {"device": f"cuda:{rank % 8}", "uuid": f"GPU-{rank:04d}", "utilisation": busy, "memory_used_bytes": 61.2e9 + 1e8 * (rank % 7), "power_W": 640 + rank % 11,
                   "sm_clock_MHz": 1755 if rank != 5 else 1290, "temperature_C": 61 + rank % 9, "ecc_uncorrected": 0, "xid_errors": 0,
                   **({"held_down_by": ["power brake"]} if rank == 5 else {})}} if gpus else {}
    return {"rank": rank, "host": f"node{rank // 8:03d}", "local_rank": rank % 8, "device": f"cuda:{rank % 8}" if gpus else "cpu", "beats": int(seconds / 2), "clock_s": seconds,
            "silent_s": 1.1, "phase": "window", "step": int(10 * at) + 100, "steps": int(10 * at) + 100, "samples": int(2560 * at), "collectives": int(30 * at),
            "all_collectives": int(30 * at), "payload_bytes": int(1e8 * at), "data_wait_s": 0.01 * at, "since_step_s": 0.05, "resident_bytes": 1_300_000_000 + 1_000_000 * rank,
            "major_faults": 0, "late_wakeups": 0, "cpu_s": seconds, "watching_cpu_s": 0.1, **gpu}


def made_rates(rank, at, gpus):
    """Rank 5 is slower than the others, which wait for it."""
    slow = rank == 5
    peers = 0.0 if slow else 0.27 + 0.03 * math.sin(0.1 * at + rank)
    waits = {} if gpus else {"exchange_wait_share": peers + 0.1, "network_wait_share": 0.1, "peer_wait_share": peers}
    mark = {"mark": "slowest", "reason": "clock 27 % lower: power brake" if gpus else "others wait 27 %: lacks a CPU"} if slow else {}
    return {"rank": rank, "interval_s": 10.0, "samples_per_s": 40 + 0.5 * math.sin(0.05 * at), "step_s": 0.1, "data_wait_share": 0.01 + 0.001 * (rank % 5), **waits, "cpus": 0.9,
            "queued_share": 0.3 if slow else 0.01, "late_wakeups_per_s": 0, "last_step_age_s": 0.4, "steps": 100, "collectives": 300, **mark}


def made_node(host):
    return {"host": host, "clock_s": 1.0, "cpus": 64, "memory_available_bytes": 411e9, "output_free_bytes": 5e12}


def whole_answer():
    """One rank and its machine, of which everything is known, and nothing is 0."""
    answer = made_answer(1, 10, gpus=True)
    answer["status"]["ranks"][0]["gpu"].update(power_W=53, sm_clock_MHz=1540, temperature_C=55, held_down_by=["power_cap"], ecc_corrected=56, ecc_uncorrected=57, xid_errors=58, pcie_replays=59)
    answer["now"]["nodes"] = [{"host": "node000", "busy_cpus": 1.1, "other_cpus": 10.1, "stolen_cpus": 1.2, "throttled_cpus": 1.3, "swap_bytes_per_s": 15e3, "pressure_cpu_share": 0.16,
                               "pressure_memory_share": 0.17, "pressure_io_share": 0.18, "received_bytes_per_s": 56e3, "sent_bytes_per_s": 59e3, "retransmits_per_s": 1.9,
                               "errors_per_s": 2.1, "disk_read_bytes_per_s": 22e3, "disk_written_bytes_per_s": 23e3}]
    return answer


def made_answer(ranks, at, gpus=False, state="running", findings=()):
    """`at`: seconds since the window began."""
    hosts = sorted({f"node{rank // 8:03d}" for rank in range(ranks)})
    now = datetime.datetime.now(datetime.timezone.utc)
    status = {"schema": "scalemark.status/1", "run_id": "e530c6e50222c2a5", "command": "sweep", "version": "0.3.0", "commit": "0123456",
              "what": f"resnet50, batch 32 per rank, {'bf16' if gpus else 'fp32'}, ddp over {'nccl' if gpus else 'gloo'}, {ranks} ranks",
              "training": {"workload": "resnet50", "strategy": "ddp", "backend": "nccl", "precision": "bf16", "batch_size": 32, "world_size": ranks},
              "started": (now - datetime.timedelta(seconds=at + 60)).isoformat(), "written": now.isoformat(), "state": state, "phase": "window",
              "point": "resnet50-b32-bf16-ddp/r2", "done": int(10 * at), "planned": 12000, "runs_done": 4, "runs_planned": 15, "seconds_left": max(0, 1200 - at),
              "sample_unit": "images", "loss": 2.3 * math.exp(-at / 400) + 0.02 * math.sin(at), "learning_rate": 0.1, "ranks": [made_rank(rank, at, gpus) for rank in range(ranks)],
              "nodes": [made_node(host) for host in hosts], "findings": list(findings)}
    rates = [made_rates(rank, at, gpus) for rank in range(ranks)]
    nodes = [{"host": host, "busy_cpus": 8.3, "other_cpus": 0.1, "pressure_cpu_share": 0.02, "received_bytes_per_s": 9.1e7, "sent_bytes_per_s": 9.2e7, "retransmits_per_s": 0.2,
              "errors_per_s": 0, "disk_read_bytes_per_s": 3.1e6, "disk_written_bytes_per_s": 4e5} for host in hosts]
    now = {"age_s": 0, "ranks": rates, "nodes": nodes, "interval_s": 10.0, "samples_per_s": sum(rate["samples_per_s"] for rate in rates)}
    if state != "running":
        now = {"age_s": 0, "ranks": [{"rank": rank, "steps": 0, "collectives": 0} for rank in range(ranks)], "nodes": [{"host": host} for host in hosts]}
    return {"source": "http://127.0.0.1:29400", "status": status, "now": now}
