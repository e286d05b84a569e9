#!/usr/bin/env python3
"""Stands in the place of a launcher that nobody packages here: linked as flux, mpiexec (PALS), jsrun or blaunch, it starts a command on the
hosts of a test (PRETENDED_HOSTS: a JSON list of [name, words that put a command there]) with the variables that the launcher documents.

flux     https://flux-framework.readthedocs.io/projects/flux-core: flux-environment(7), flux-run(1), flux-resource(1), flux-hostlist(1)
mpiexec  https://docs.alcf.anl.gov/aurora/running-jobs-aurora, and src/plugins/mpi/cray_shasta of https://github.com/SchedMD/slurm
jsrun    https://www.ibm.com/docs/en/spectrum-lsf, "jsrun"; https://lightning.ai/docs/pytorch/stable/api/pytorch_lightning.plugins.environments.LSFEnvironment
blaunch  https://www.ibm.com/docs/en/SSWRJV_10.1.0/lsf_command_ref/blaunch.8.html
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HOSTS = json.loads(os.environ["PRETENDED_HOSTS"])


def start_on(host, words, **variables):
    name, prefix = HOSTS[host]
    return subprocess.Popen([*prefix, *words], env=os.environ | {key: str(value) for key, value in variables.items()})


def start_tasks(words, per_node, variables_of):
    """Tasks fill the hosts in order; `variables_of(rank, local, node, size)`."""
    size = per_node * len(HOSTS)
    tasks = [start_on(rank // per_node, words, **variables_of(rank, rank % per_node, rank // per_node, size)) for rank in range(size)]
    return max(task.wait() for task in tasks)


def options_of(*names):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in names:
        parser.add_argument(name)
    parser.add_argument("words", nargs=argparse.REMAINDER)
    return parser


def flux(command, *arguments):
    if command in ("getattr", "resource", "hostlist"):
        answers = {("getattr", "jobid"): "f2VtS3Uk", ("hostlist", "--local", "--nth=0"): HOSTS[0][0],
                   ("resource", "list", "--no-header", "--states=all", "--format={nnodes} {ngpus}"): f"{len(HOSTS)} 0"}
        print(answers[command, *arguments])
        return 0
    options = options_of("--nodes", "--tasks-per-node").parse_args(arguments)
    assert command == "run" and int(options.nodes) == len(HOSTS), (command, options)
    return start_tasks(options.words, int(options.tasks_per_node), lambda rank, local, node, size: {
        "FLUX_JOB_ID": "f2VtS3Uk", "FLUX_JOB_SIZE": size, "FLUX_JOB_NNODES": len(HOSTS), "FLUX_TASK_RANK": rank, "FLUX_TASK_LOCAL_ID": local,
        "PMI_RANK": rank, "PMI_SIZE": size, "PMI_FD": 9})


def mpiexec(*arguments):
    options = options_of("-n", "--ppn", "--cpu-bind").parse_args(arguments)
    assert int(options.n) == int(options.ppn) * len(HOSTS) and options.cpu_bind == "none", options
    return start_tasks(options.words, int(options.ppn), lambda rank, local, node, size: {
        "PALS_APID": "1b2c-4d", "PALS_RANKID": rank, "PALS_LOCAL_RANKID": local, "PALS_NODEID": node, "PMI_RANK": rank, "PMI_SIZE": size,
        "PMI_LOCAL_RANK": local, "PMI_LOCAL_SIZE": options.ppn})


def jsrun(*arguments):
    options = options_of("--nrs", "--rs_per_host", "--tasks_per_rs", "--cpu_per_rs", "--gpu_per_rs", "--bind").parse_args(arguments)
    if options.words == ["hostname"]:
        print(HOSTS[0][0])
        return 0
    assert (options.nrs, options.rs_per_host, options.cpu_per_rs, options.gpu_per_rs, options.bind) == ("ALL_HOSTS", "1", "ALL_CPUS", "ALL_GPUS", "none"), options
    return start_tasks(options.words, int(options.tasks_per_rs), lambda rank, local, node, size: {
        "JSM_NAMESPACE_RANK": rank, "JSM_NAMESPACE_SIZE": size, "JSM_NAMESPACE_LOCAL_RANK": local, "JSM_NAMESPACE_LOCAL_SIZE": options.tasks_per_rs,
        "PMIX_NAMESPACE": 7, "PMIX_RANK": rank})


def blaunch(*arguments):
    options = options_of("-z").parse_args(arguments)
    names = [name for name, _ in HOSTS]
    tasks = [start_on(names.index(name), options.words) for name in options.z.split()]
    return max(task.wait() for task in tasks)


sys.exit({function.__name__: function for function in (flux, mpiexec, jsrun, blaunch)}[Path(sys.argv[0]).name](*sys.argv[1:]))
