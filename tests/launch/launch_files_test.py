"""The files of configs/launching/ beside Slurm's and the plain Job: valid, and what they start works on two hosts:
launch_files_test.py manifests | pods | mpijob | schedulers | hostfile | printed. Here are no operators, Flux, PALS or LSF: their variables come from
their documentation, named at each."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import kubernetes_validate
import private_host
import yaml
from endings import SOURCE, closed_report
from kubeflow_trainer_api import models
from launched import check_launched, program
from launchers_test import MAY_BE_ROOT, remote_shell, require
from launching import finish, start
from namespaces import TwoHosts
from program import SCALEMARK, check, run

FILES = SOURCE / "configs/launching"
SWEEP = ["scalemark", "sweep", "--workload", "resnet50", "--output", "/results/resnet50", "--resume"]

# The fields that the custom resources have, where no package brings their schema. Read in the definitions that their projects publish (CRD), under
# which each file was found valid by hand:
# github.com/kubeflow/mpi-operator manifests/base/kubeflow.org_mpijobs.yaml, kubeflow/training-operator release-1.9 manifests/base/crds/kubeflow.org_pytorchjobs.yaml,
# kubernetes-sigs/lws config/crd/bases, volcano-sh/volcano config/crd/volcano/bases.
REPLICAS = {"replicas": int, "restartPolicy": {"Never", "OnFailure", "Always", "ExitCode"}, "template": dict}
FIELDS = {
    "mpijob": ("kubeflow.org/v2beta1", "MPIJob", {
        "slotsPerWorker": int, "sshAuthMountPath": str, "runPolicy": {"cleanPodPolicy": {"None", "Running", "All"}, "backoffLimit": int},
        "mpiReplicaSpecs": {"Launcher": REPLICAS, "Worker": REPLICAS}}),
    "pytorchjob": ("kubeflow.org/v1", "PyTorchJob", {
        "nprocPerNode": str, "runPolicy": {"cleanPodPolicy": {"None", "Running", "All"}}, "pytorchReplicaSpecs": {"Master": REPLICAS, "Worker": REPLICAS}}),
    "leaderworkerset": ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {
        "replicas": int, "leaderWorkerTemplate": {"size": int, "restartPolicy": {"RecreateGroupOnPodRestart", "None"}, "workerTemplate": dict}}),
    "volcano": ("batch.volcano.sh/v1alpha1", "Job", {
        "schedulerName": str, "queue": str, "minAvailable": int, "maxRetry": int, "plugins": dict, "policies": list, "tasks": list}),
}


def documents(name):
    return list(yaml.safe_load_all((FILES / f"{name}.yaml").read_text()))


def check_fields(found, known, where):
    if isinstance(known, dict):
        check(isinstance(found, dict) and set(found) <= set(known), f"{where}: {sorted(set(found) - set(known))}")
        for name, value in found.items():
            check_fields(value, known[name], f"{where}.{name}")
    else:
        check(found in known if isinstance(known, set) else isinstance(found, known), f"{where}: {found}")


def templates_in(value):
    """All pod templates of a resource: what holds a list of containers."""
    if isinstance(value, dict):
        if "containers" in value.get("spec", {}):
            yield value["spec"]
        else:
            for part in value.values():
                yield from templates_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from templates_in(part)


def check_template(spec):
    """Kubernetes' own schemas are of the pod in it."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": spec}
    for version in ("1.27", kubernetes_validate.latest_version()):
        kubernetes_validate.validate(pod, version, strict=True)
    check(spec["enableServiceLinks"] is False, "a Service's variables among ours")
    mounts = {one["name"] for container in spec["containers"] for one in container.get("volumeMounts", [])}
    check(mounts == {one["name"] for one in spec.get("volumes", [])}, f"volumes {mounts}")


def refuses(validate, *broken):
    try:
        validate(*broken)
    except (Exception, SystemExit):
        return True
    return False


def check_model(model, document):
    """Kubeflow's own classes: a field that they do not know is lost."""
    check(model.from_dict(document).to_dict() == document, f"{model.__name__}: {model.from_dict(document).to_dict()}")
    unknown = dict(document, spec=document["spec"] | {"nonsense": 1})
    check(model.from_dict(unknown).to_dict() != unknown, "the model takes anything")


def gpus_of(container):
    return container["resources"]["limits"]["nvidia.com/gpu"]


def manifests():
    for name, (version, kind, known) in FIELDS.items():
        [document] = documents(name)
        check((document["apiVersion"], document["kind"]) == (version, kind), document)
        check_fields(document["spec"], known, name)
        check(refuses(check_fields, document["spec"] | {"nonsense": 1}, known, name), "the check takes anything")
    runtime, job = documents("trainjob")
    check_model(models.TrainerV1alpha1TrainingRuntime, runtime)
    check_model(models.TrainerV1alpha1TrainJob, job)
    [jobset] = documents("jobset")
    check_model(models.JobsetV1alpha2JobSet, jobset)
    for name in (*FIELDS, "trainjob", "jobset"):
        specs = list(templates_in(documents(name)))
        check(specs, name)
        for spec in specs:
            check_template(spec)
        check(refuses(check_template, specs[0] | {"nonsense": 1}), "the validator takes anything")
    check_numbers()


def check_numbers():
    """What a file says twice agrees."""
    [mpi] = documents("mpijob")
    launcher, workers = (mpi["spec"]["mpiReplicaSpecs"][role] for role in ("Launcher", "Worker"))
    words = launcher["template"]["spec"]["containers"][0]["command"]
    [worker] = workers["template"]["spec"]["containers"]
    check(int(words[words.index("-n") + 1]) == workers["replicas"] * mpi["spec"]["slotsPerWorker"] == workers["replicas"] * gpus_of(worker), "numbers of ranks")
    [pytorch] = documents("pytorchjob")
    for role in pytorch["spec"]["pytorchReplicaSpecs"].values():
        [container] = role["template"]["spec"]["containers"]
        check(container["name"] == "pytorch" and pytorch["spec"]["nprocPerNode"] == str(gpus_of(container)), "numbers of GPUs")
    runtime, job = documents("trainjob")
    check(job["spec"]["runtimeRef"]["name"] == runtime["metadata"]["name"] and job["spec"]["runtimeRef"]["kind"] == runtime["kind"], "another runtime")
    [jobset] = documents("jobset")
    replicated = jobset["spec"]["replicatedJobs"][0]
    spec = replicated["template"]["spec"]
    [container] = spec["template"]["spec"]["containers"]
    env = {one["name"]: one.get("value") for one in container["env"]}
    check(env["PET_NNODES"] == str(spec["completions"]) == str(spec["parallelism"]) and env["PET_NPROC_PER_NODE"] == str(gpus_of(container)), env)
    check(env["PET_MASTER_ADDR"] == f"{jobset['metadata']['name']}-{replicated['name']}-0-0.{jobset['metadata']['name']}", "the name of pod 0")
    [leader] = documents("leaderworkerset")
    [container] = leader["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]["containers"]
    check(container["env"] == [{"name": "PET_NPROC_PER_NODE", "value": str(gpus_of(container))}], container["env"])
    [volcano] = documents("volcano")
    [task] = volcano["spec"]["tasks"]
    [container] = task["template"]["spec"]["containers"]
    given = dict(zip(container["args"][::2], container["args"][1::2]))
    check(given["--nnodes"] == str(task["replicas"]) == str(volcano["spec"]["minAvailable"]) and given["--nproc-per-node"] == str(gpus_of(container)), given)
    check(given["--rendezvous"] == f"{volcano['metadata']['name']}-{task['name']}-0.{volcano['metadata']['name']}:29500", given)
    for name in FIELDS:
        check(" ".join(SWEEP[1:]) in re.sub(r"[\[\],]|\s+", " ", (FILES / f"{name}.yaml").read_text()).replace("  ", " "), f"{name}: another command")


# Each operator adds these to the two pods of its file.
# JobSet: nothing; the index is Kubernetes'. Kubeflow Trainer: github.com/kubeflow/trainer, pkg/runtime/framework/plugins/torch/torch.go. Training Operator:
# github.com/kubeflow/training-operator release-1.9, pkg/controller.v1/pytorch/envvar.go and master.go. LeaderWorkerSet: github.com/kubernetes-sigs/lws,
# docs/reference/labels-annotations-and-environment-variables. Volcano: github.com/volcano-sh/volcano, the user guides how_to_use_env_plugin and how_to_use_svc_plugin.
def of_jobset(pod):
    return {"PET_NODE_RANK": pod}


def of_trainjob(pod):
    return {"PET_NNODES": 2, "PET_NPROC_PER_NODE": "auto", "PET_NODE_RANK": pod, "PET_MASTER_ADDR": "scalemark-node-0-0.scalemark", "PET_MASTER_PORT": 29500}


def of_pytorchjob(pod):
    return {"PYTHONUNBUFFERED": 1, "MASTER_ADDR": "scalemark-master-0", "MASTER_PORT": 23456, "PET_MASTER_ADDR": "scalemark-master-0", "PET_MASTER_PORT": 23456,
            "WORLD_SIZE": 16, "RANK": pod, "PET_NODE_RANK": pod, "PET_NPROC_PER_NODE": 8, "PET_NNODES": 2}


def of_leaderworkerset(pod):
    return {"LWS_LEADER_ADDRESS": "scalemark-0.scalemark.default", "LWS_GROUP_SIZE": 2, "LWS_WORKER_INDEX": pod}


def of_volcano(pod):
    return {"VK_TASK_INDEX": pod, "VC_TASK_INDEX": pod, "VC_NODE_HOSTS": "scalemark-node-0.scalemark,scalemark-node-1.scalemark", "VC_NODE_NUM": 2}


PODS = {of_jobset: "scalemark-node-0-0.scalemark", of_trainjob: "scalemark-node-0-0.scalemark", of_pytorchjob: "scalemark-master-0",
        of_leaderworkerset: "scalemark-0.scalemark.default", of_volcano: "scalemark-node-0.scalemark"}


def container_of(name):
    """The container of a pod, and its command where the job has it."""
    [container] = [one for spec in templates_in(documents(name)) for one in spec["containers"]][-1:]
    return container | {"command": container.get("command") or documents(name)[1]["spec"]["trainer"]["command"]}


def short_words(container, variables, folder):
    """The container's command, for a short run on a small network; a pod has one rank, since the eight GPUs are not here."""
    words = [*container["command"], *container.get("args", [])]
    short = list(map(str, program("train", folder)[1:]))
    if words[0] == "bash":
        words[-1] = words[-1].replace(" ".join(SWEEP[1:]), " ".join(short))
        check(" ".join(short) in words[-1], words)
        return words
    check(words[:len(SWEEP)] == SWEEP, words)
    rest = [re.sub(r"\$\((\w+)\)", lambda name: str(variables[name[1]]), word) for word in words[len(SWEEP):]]
    return [words[0], *short, *("1" if before == "--nproc-per-node" else word for before, word in zip(["", *rest], rest))]


def end_of(process):
    """Returns once the run has ended well; a pod of a LeaderWorkerSet stays, and is ended."""
    if "bash" not in process.args:
        return finish([process])
    for line in process.stdout:
        if line.startswith("ended with"):
            check(line == "ended with 0\n", line)
            process.terminate()
            process.wait(60)
            return None
    check(False, process.stderr.read())


def pods():
    """Two pods of each file, with what the operator adds, on two hosts."""
    private_host.enter()
    for add, first in PODS.items():
        name = add.__name__.removeprefix("of_")
        print(f"-- {name}", flush=True)
        private_host.know_hosts({first: TwoHosts.ADDRESSES[0]})
        container = container_of(name)
        with tempfile.TemporaryDirectory() as place, TwoHosts() as hosts:
            folder = Path(place)
            (folder / "bin").mkdir()
            (folder / "bin/scalemark").symlink_to(SCALEMARK.resolve())
            started = []
            for pod in (0, 1):
                env = {one["name"]: one.get("value") for one in container.get("env", [])} | add(pod)
                if env.get("PET_NPROC_PER_NODE") == "8" or env.get("PET_NPROC_PER_NODE") == 8:
                    env["PET_NPROC_PER_NODE"] = 1
                started.append(start(*hosts.on(pod), *short_words(container, env, folder), **env, PATH=f"{folder}/bin:{os.environ['PATH']}"))
            for process in started:
                end_of(process)
            launcher = "local" if name == "volcano" else "kubernetes"
            check_launched("train", folder, launcher, nodes=2)


def mpijob():
    """The launcher's command under a real mpirun, which reads the operator's list of workers and reaches them as by SSH."""
    private_host.enter()
    [launcher] = [one for one in templates_in(documents("mpijob")) if one["containers"][0]["name"] == "launcher"]
    words = [*launcher["containers"][0]["command"], *launcher["containers"][0]["args"]]
    check(words[:5] == ["mpirun", "--bind-to", "none", "-n", "16"] and words[6:-2] == SWEEP[1:] and words[-2] == "--rendezvous", words)
    names = [f"scalemark-worker-{number}.scalemark" for number in (0, 1)]
    private_host.know_hosts(dict(zip(names, TwoHosts.ADDRESSES)))
    with tempfile.TemporaryDirectory() as place, TwoHosts() as hosts:
        folder = Path(place)
        (folder / "hostfile").write_text("".join(f"{name} slots=1\n" for name in names))
        finish([start(*hosts.on(0), require("mpirun.openmpi"), *words[1:4], 2, *program("train", folder), *words[-2:],
                      **of_open_mpi(folder, hosts, names), OMPI_MCA_orte_default_hostfile=folder / "hostfile", OMPI_MCA_orte_keep_fqdn_hostnames="true")])
        check_launched("train", folder, "openmpi", nodes=2)


def of_open_mpi(folder, hosts, names):
    """By which Open MPI reaches the other namespace."""
    return MAY_BE_ROOT | {"OMPI_MCA_plm_rsh_agent": remote_shell(folder, hosts, names), "OMPI_MCA_oob_tcp_if_include": "10.231.7.0/24"}


def schedulers():
    """Flux, PALS, jsrun and blaunch are pretended (pretended_launcher.py); ranks, addresses and run ids are found by what they set."""
    private_host.enter()
    names = ("node1", "node2")
    private_host.know_hosts(dict(zip(names, TwoHosts.ADDRESSES)))
    files = {"flux.sh": ("flux", {"TASKS_PER_NODE": 1}), "pals.pbs": ("pals", {"TASKS_PER_NODE": 1, "PBS_JOBID": "7.pbs"}),
             "jsrun.lsf": ("jsrun", {"TASKS_PER_NODE": 1, "LSB_JOBID": 12}), "blaunch.lsf": ("local", {"LSB_JOBID": 12, "LSB_MCPU_HOSTS": "node1 1 node2 1"})}
    for name, (launcher, variables) in files.items():
        print(f"-- {name}", flush=True)
        with tempfile.TemporaryDirectory() as place, TwoHosts() as hosts:
            folder = Path(place)
            (folder / "bin").mkdir()
            for link in ("flux", "mpiexec", "jsrun", "blaunch"):
                script = folder / "bin" / link
                script.symlink_to(Path(__file__).with_name("pretended_launcher.py"))
            os.environ["PRETENDED_HOSTS"] = json.dumps([[host, [*hosts.on(number), *private_host.as_host(host)]] for number, host in enumerate(names)])
            (folder / "nodes").write_text("node1\nnode2\n")
            words = list(map(str, program("train", folder)[1:-2]))
            if name == "pals.pbs":
                variables = variables | {"COMMAND": " ".join(words), "PBS_NODEFILE": folder / "nodes", "PBS_O_WORKDIR": folder}
                words = []
            finish([start(*hosts.on(0), *private_host.as_host("node1"), "bash", FILES / name, *words, **variables, PROGRAM=SCALEMARK.resolve(), OUTPUT=folder / "out",
                          PATH=f"{folder}/bin:{os.environ['PATH']}")])
            check_launched("train", folder, launcher, nodes=2)


def hostfile():
    """--hostfile: mpirun starts the ranks of all hosts; with --node-rank each command starts those of its host, here two and one."""
    private_host.enter()
    with tempfile.TemporaryDirectory() as place, TwoHosts() as hosts:
        folder = Path(place)
        file = folder / "hosts"
        file.write_text("".join(f"{address} slots=1\n" for address in TwoHosts.ADDRESSES))
        require("mpirun.openmpi")
        finish([start(*hosts.on(0), *program("train", folder), "--hostfile", file, **of_open_mpi(folder, hosts, TwoHosts.ADDRESSES))])
        check_launched("train", folder, "openmpi", nodes=2)
        file.write_text(f"{TwoHosts.ADDRESSES[0]} slots=2\n{TwoHosts.ADDRESSES[1]}\n")
        words = (*program("train", folder), "--overwrite", "--hostfile", file, "--node-rank")
        finish([start(*hosts.on(node), *words, node) for node in (0, 1)])
        [point] = closed_report(folder / "out", "complete", 0)["points"]
        check((point["world_size"], point["nodes"]) == (3, 2), point)


def printed():
    """Each file comes out of the program by its name; scripts are shellcheck's, and SkyPilot's lines expand its variables."""
    listed = run("configs").stdout
    for file in FILES.iterdir():
        name = f"launching/{file.stem}"
        check(f" {name}" in listed, f"`scalemark configs` does not name {name}")
        text = run("configs", name).stdout
        if file.suffix in (".yaml", ""):
            check(text == file.read_text(), name)
        else:
            check(text.count("\n") >= file.read_text().count("\n"), name)
            if shutil.which("shellcheck"):
                done = subprocess.run(["shellcheck", "--shell=bash", file], capture_output=True, text=True)
                check(done.returncode == 0, done.stdout)
    task = yaml.safe_load((FILES / "skypilot.yaml").read_text())
    check(set(task) == {"name", "num_nodes", "workdir", "resources", "setup", "run"}, set(task))
    with tempfile.TemporaryDirectory() as place:
        program_there = Path(place) / "env/bin/scalemark"
        program_there.parent.mkdir(parents=True)
        program_there.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        program_there.chmod(0o755)
        # https://docs.skypilot.co/en/latest/running-jobs/distributed-jobs.html
        process = start("bash", "-c", task["run"], HOME=place, SKYPILOT_NUM_NODES=2, SKYPILOT_NODE_RANK=1, SKYPILOT_NUM_GPUS_PER_NODE=8, SKYPILOT_NODE_IPS="10.0.0.1\n10.0.0.2")
        words = process.communicate(timeout=60)[0].splitlines()
    given = dict(zip(words[-8::2], words[-7::2]))
    check(given == {"--nnodes": "2", "--node-rank": "1", "--nproc-per-node": "8", "--rendezvous": "10.0.0.1:29500"}, words)


if __name__ == "__main__":
    for case in sys.argv[1:]:
        {function.__name__: function for function in (manifests, pods, mpijob, schedulers, hostfile, printed)}[case]()
