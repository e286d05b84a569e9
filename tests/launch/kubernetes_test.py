"""configs/launching/kubernetes-job.yaml: valid under the published schemas of Kubernetes, and what its pods would run works on
two hosts: kubernetes_test.py manifest | pods."""

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

MANIFEST = SOURCE / "configs/launching/kubernetes-job.yaml"
INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
OLDEST = "1.27"  # that has the labels and annotations of today


def documents():
    return list(yaml.safe_load_all(MANIFEST.read_text()))


def manifest():
    service, job = documents()
    for version in (OLDEST, kubernetes_validate.latest_version()):
        for document in (service, job):
            kubernetes_validate.validate(document, version, strict=True)
    broken = dict(job, spec=dict(job["spec"], completionMode=1))
    try:
        kubernetes_validate.validate(broken, OLDEST, strict=True)
    except kubernetes_validate.ValidationError:
        pass
    else:
        check(False, "the validator takes anything")
    pod = job["spec"]["template"]["spec"]
    variables = {one["name"]: one.get("value") for one in pod["containers"][0]["env"]}
    gpus = pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]
    check(variables["PET_NNODES"] == str(job["spec"]["completions"]) == str(job["spec"]["parallelism"]), "numbers of pods")
    check(variables["PET_NPROC_PER_NODE"] == str(gpus), "numbers of GPUs")
    check(pod["subdomain"] == service["metadata"]["name"], "the Service names the pods")
    check(service["spec"]["selector"].items() <= job["spec"]["template"]["metadata"]["labels"].items(), "selector")
    check(variables["PET_MASTER_ADDR"] == f"{job['metadata']['name']}-0.{pod['subdomain']}", "the name of pod 0")
    check(int(variables["PET_MASTER_PORT"]) == service["spec"]["ports"][0]["port"], "ports")


def environment_of_pod(container, index):
    variables = {one["name"]: one["value"] if "value" in one else str(index) for one in container["env"]}
    sources = [one["valueFrom"]["fieldRef"]["fieldPath"] for one in container["env"] if "valueFrom" in one]
    check(sources == [INDEX], sources)
    return variables | {"PET_NPROC_PER_NODE": "1"}  # of eight GPUs here are none


def pods():
    """The container's command with its environment, on a small network and for a short time."""
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


{"manifest": manifest, "pods": pods}[sys.argv[1]]()
