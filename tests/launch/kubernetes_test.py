"""The manifests for Kubernetes: valid under its published schemas, and what their pods would run works on two hosts:
kubernetes_test.py manifest | pods | acceptance."""

import json
import os
import sys
import tempfile
from pathlib import Path

import kubernetes_validate
import private_host
import yaml
from endings import SOURCE
from launched import QUICK, check_launched
from launching import finish, start
from namespaces import TwoHosts
from program import SCALEMARK, check

JOB = SOURCE / "configs/launching/kubernetes-job.yaml"
ACCEPTANCE = SOURCE / "configs/acceptance"
INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
OLDEST = "1.27"  # it has the labels and annotations of today
OLDEST_ACCEPTANCE = "1.29"  # it has backoffLimitPerIndex


def documents(file=JOB):
    return list(yaml.safe_load_all(file.read_text()))


def manifest():
    check_manifest(OLDEST, *documents(JOB))
    service, job = documents(ACCEPTANCE / "kubernetes.yaml")
    check_manifest(OLDEST_ACCEPTANCE, service, job)
    check("backoffLimit" not in job["spec"] and job["spec"]["backoffLimitPerIndex"] == 0, "one lost pod would end all others, or be tried again")


def check_manifest(oldest, service, job):
    for version in (oldest, kubernetes_validate.latest_version()):
        for document in (service, job):
            kubernetes_validate.validate(document, version, strict=True)
    broken = dict(job, spec=dict(job["spec"], completionMode=1))
    try:
        kubernetes_validate.validate(broken, oldest, strict=True)
    except kubernetes_validate.ValidationError:
        pass
    else:
        check(False, "the validator takes anything")
    pod = job["spec"]["template"]["spec"]
    variables = {one["name"]: one.get("value") for one in pod["containers"][0]["env"]}
    gpus = pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]
    check(variables["PET_NNODES"] == str(job["spec"]["completions"]) == str(job["spec"]["parallelism"]), "numbers of pods")
    check(variables["PET_NPROC_PER_NODE"] == str(gpus), "numbers of GPUs")
    check(pod["enableServiceLinks"] is False, "a Service's variables among ours")
    check(pod["subdomain"] == service["metadata"]["name"], "the Service names the pods")
    check(service["spec"]["selector"].items() <= job["spec"]["template"]["metadata"]["labels"].items(), "selector")
    check(variables["PET_MASTER_ADDR"] == f"{job['metadata']['name']}-0.{pod['subdomain']}", "the name of pod 0")
    check(int(variables["PET_MASTER_PORT"]) == service["spec"]["ports"][0]["port"], "ports")


def environment_of_pod(container, index):
    variables = {one["name"]: one["value"] if "value" in one else str(index) for one in container["env"]}
    sources = [one["valueFrom"]["fieldRef"]["fieldPath"] for one in container["env"] if "valueFrom" in one]
    check(sources == ([INDEX] if len(sources) == 1 else ["spec.nodeName", INDEX]), sources)
    del variables["PET_NPROC_PER_NODE"]  # its eight GPUs are not here
    return variables


def pods():
    """The container's command with its environment, on a small network and for a short time. It does not say how many ranks a pod
    starts: as many as the largest world size needs on each."""
    private_host.enter()
    _, job = documents()
    [container] = job["spec"]["template"]["spec"]["containers"]
    words = container["command"]
    short = [*words[:2], *QUICK, "--world-sizes", "1,2", "--repetitions", 1]
    check(words[:4] == ["scalemark", "sweep", "--workload", "resnet50"] and words[4] == "--output" and words[6:] == ["--resume"],
          words)
    private_host.know_hosts(dict(zip(("scalemark-0.scalemark", "scalemark-1.scalemark"), TwoHosts.ADDRESSES)))
    with tempfile.TemporaryDirectory() as place, TwoHosts() as hosts:
        folder = Path(place)
        finish([start(*hosts.on(pod), SCALEMARK, *short[1:], "--output", folder / "out", *words[6:],
                      **environment_of_pod(container, pod)) for pod in (0, 1)])
        check_launched("sweep", folder, "kubernetes", nodes=2)


def short_configurations(folder):
    """The stages of an acceptance on CPU ranks, as short as they can be."""
    short = {"iters": 30, "warmup_iters": 5, "repetitions": 1, "retries": 0, "nproc_per_node": 1, "max_time": "1m"}
    node = json.loads((ACCEPTANCE / "rehearsal.json").read_text()) | short
    fleet = {name: value for name, value in node.items() if name not in ("standalone", "fresh_process", "nproc_per_node", "checks", "max_time", "about")}
    links = json.loads((ACCEPTANCE / "links.json").read_text())
    for name, settings in (("NODE", node), ("LINKS", links), ("FLEET", fleet)):
        (folder / f"{name}.json").write_text(json.dumps(settings))
    return {name: folder / f"{name}.json" for name in ("NODE", "LINKS", "FLEET")}


def acceptance():
    """Both pods of a Job of two go through all stages; pod 0 ends with the verdict, which names pods and nodes."""
    private_host.enter()
    _, job = documents(ACCEPTANCE / "kubernetes.yaml")
    [container] = job["spec"]["template"]["spec"]["containers"]
    names = [f"scalemark-accept-{pod}" for pod in (0, 1)]
    private_host.know_hosts(dict(zip([f"{name}.scalemark-accept" for name in names], TwoHosts.ADDRESSES)))
    with tempfile.TemporaryDirectory() as place, TwoHosts() as hosts:
        folder = Path(place)
        (folder / "bin").mkdir()
        (folder / "bin/scalemark").symlink_to(SCALEMARK.resolve())
        stages = short_configurations(folder)
        started = [start(*hosts.on(pod), *private_host.as_host(name), *container["command"], *container["args"],
                         **environment_of_pod(container, pod) | {"PET_NNODES": "2", "PET_NPROC_PER_NODE": "1", "NODE_NAME": f"node-{pod}", "OUTPUT": folder / "out", "TMPDIR": folder,
                                                                 "PATH": f"{folder}/bin:{os.environ['PATH']}"} | stages)
                   for pod, name in enumerate(names)]
        texts = [process.communicate(timeout=1500) for process in started]
        codes = [process.returncode for process in started]
        # Two machines that share two cores: fewer than three parts have no reference, and nothing fails for that.
        check(codes[0] == 2 and codes[1] == 0, (codes, texts))
        checks = [json.loads(line) for line in (folder / "out/accept.jsonl").read_text().splitlines()]
        parts = {(one["part"]["host"], one["part"].get("scheduler_node")) for one in checks if one.get("check") == "same bits"}
        check(parts == {(name, f"node-{pod}") for pod, name in enumerate(names)}, parts)
        check(not any(one.get("outcome") == "failed" for one in checks), checks)
        check(not any(one.get("why") == "no report" for one in checks), checks)


{"manifest": manifest, "pods": pods, "acceptance": acceptance}[sys.argv[1]]()
