"""Surroundings of a job that lack something, or where something is left behind: a temporary folder, threads, ranks of another job."""

import http.server
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

import mounts
from endings import FULL, Running, closed_report, error_lines, only_error, run_cases
from launching import free_port
from made_data import make_images
from mpi import MPIRUN
from program import SCALEMARK, check, clean_environment, cpu_has_bf16, run, skip, small_disk

QUICK = ("--workload", "linear", "--iters", 5, "--warmup-iters", 2, "--threads", 1, "--no-progress", "--device", "cpu")
TWO = ("--nproc-per-node", 2)
SOMEBODY = 54321  # a user without processes


def noted(done, *quoted):
    """The one note about TMPDIR."""
    notes = [line for line in done.stderr.splitlines() if "cannot be used" in line]
    check(len(notes) == 1 and all(text in notes[0] for text in (*quoted, "/tmp is used instead")), done.stderr)


def temporary_folder(folder):
    """A TMPDIR of another machine: /tmp is taken and said, once, by every command that starts ranks; unless SCALEMARK_SOAK=full by a
    sweep that starts them twice."""
    gone = "/nonexistent/job.123"
    full_name = f"TMPDIR={gone}"
    others = (("train", *QUICK, *TWO), ("comm", "--sizes", "4KiB", "--repetitions", 1, "--backends", "gloo", "--device", "cpu", *TWO))
    for command in (("sweep", *QUICK, *TWO, "--world-sizes", "1", "--repetitions", 2, "--fresh-process", "--retries", 0), *(others if FULL else ())):
        noted(run(*command, "--output", folder / command[0], TMPDIR=gone), full_name, "No such file or directory")
    check("TMPDIR" not in run("train", *QUICK, "--output", folder / "one", TMPDIR=gone).stderr, "one rank needs no such folder")
    if FULL:
        done = run("train", *QUICK, *TWO, "--quiet", "--output", folder / "quiet", TMPDIR=gone)
        check("TMPDIR" not in done.stderr, done.stderr)
        deep = folder / ("x" * 130)
        deep.mkdir()
        check("TMPDIR" not in run("train", *QUICK, *TWO, "--output", folder / "deep", TMPDIR=deep).stderr, "a long path will do")


def full_temporary_folder(folder):
    with small_disk(folder, "4k") as disk:
        (disk / "filled").write_bytes(bytes(4096))
        noted(run("train", *QUICK, *TWO, "--output", folder / "out", TMPDIR=disk), f"TMPDIR={disk}", "No space left")


def temporary_folder_of_mpi(folder):
    """Mpirun makes files there as well, and its processes meet at a socket."""
    library = next((name for name, program in MPIRUN.items() if shutil.which(program)), None)
    if library is None:
        skip("no mpirun")
    deep = folder / ("x" * 120)
    deep.mkdir()
    for place, why in (("/nonexistent/job.123", "No such file"), (deep, "too long")) if FULL else ((deep, "too long"),):
        done = run("train", *QUICK, *TWO, "--backend", "mpi", "--mpi-library", library, "--output", folder / "out", "--overwrite", TMPDIR=place)
        noted(done, f"TMPDIR={place}", why)


def no_temporary_folder(folder):
    """Neither TMPDIR nor /tmp: one line that names both. The program may lie below /tmp, and so may the output, which is writable."""
    script = 'mount --bind "$0" "$0" && mount --rbind /tmp /tmp && mount -o remount,bind,ro /tmp && exec "$@"'
    wrapper = ("unshare", "-m", "sh", "-c", script, folder)
    if subprocess.run([*wrapper, "true"], capture_output=True).returncode != 0:
        skip("no read-only /tmp can be made here")
    with Running("train", *QUICK, *TWO, "--output", folder / "out", wrapper=wrapper, TMPDIR="/nonexistent/job.123") as running:
        running.end(expect=71)
    only_error(running.stderr, "E_SYSTEM", 71, "TMPDIR=/nonexistent/job.123", "/tmp cannot be used (Read-only file system)")


def as_somebody(most):
    def become():
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
        os.setgroups([])
        os.setgid(SOMEBODY)
        os.setuid(SOMEBODY)
    return become


def ended_with(most, *command):
    """Returns how the command ends where one user may have so many processes and threads."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o777)
        done = subprocess.run([str(SCALEMARK.resolve()), *map(str, command), "--output", f"{place}/out"], capture_output=True, text=True, cwd=place,
                              preexec_fn=as_somebody(most), env=clean_environment(TMPDIR=place, HOME=place), timeout=300)
    return done


def threads(_):
    """`ulimit -u`, whoever asks for the thread that is one too many: our code, OpenMP, torch's pools, Gloo; 71 and the limit's name."""
    if os.getuid() != 0:
        skip("root alone may become a user without processes")
    if subprocess.run([SCALEMARK.resolve(), "--version"], capture_output=True, preexec_fn=as_somebody(100), check=False).returncode != 0:
        skip("another user may not read the program")
    refused = tried = 0
    for command, limits in ((("train", "--workload", "linear", "--iters", 5, "--threads", 4, "--no-progress", "--device", "cpu"), (1, 2, 5, 8, 12, 14) if FULL else (2, 5, 8)),
                            (("train", *QUICK, *TWO), (2, 4, 10) if FULL else (4,)),
                            (("comm", "--sizes", "4KiB", "--repetitions", 1, "--backends", "gloo", "--device", "cpu", *TWO), (9,))):
        for most in limits:
            tried += 1
            done = ended_with(most, *command)
            if done.returncode == 0:
                continue
            refused += 1
            check(done.returncode == 71, f"ulimit -u {most}: {command} ended with {done.returncode}\n{done.stderr}")
            codes = {line[0] for line in error_lines(done.stderr)}
            check("E_SYSTEM" in codes and "E_BUG" not in codes and f"`ulimit -u` is {most}" in done.stderr, done.stderr)
    check(refused > tried - 3, f"only {refused} of {tried} runs were refused a thread")


def stale(port, host="127.0.0.1", rank=3):
    return {"RANK": rank, "WORLD_SIZE": 4, "MASTER_ADDR": host, "MASTER_PORT": port}


NAMED = ("(RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT are set)",)


def refused_as_stale(folder, *quoted, timeout=3, **environment):
    done = run("train", *QUICK, "--timeout", timeout, "--output", folder / "out", expect=69, timeout=60, **environment)
    return only_error(done.stderr, "E_RENDEZVOUS", 69, *NAMED, *quoted)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def stale_variables(folder):
    """Variables of another job: 69, with what was found and what was set. Each kind of finding: SCALEMARK_SOAK=full."""
    port = free_port()
    address = f"127.0.0.1:{port}"
    refused_as_stale(folder, "ranks 1-3 of 4 did not join", address, **stale(port, rank=0))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        served = server.server_address[1]
        # At once, not at the deadline.
        refused_as_stale(folder, f"127.0.0.1:{served}", "HTTP/1.0 200 OK", timeout=300, **stale(served))
        if FULL:
            refused_as_stale(folder, f"127.0.0.1:{served}", "HTTP/1.0 200 OK", **stale(served))
            # Rank 0 would serve where somebody does.
            refused_as_stale(folder, f"cannot serve the rendezvous at 127.0.0.1:{served}", "ddress already in use", timeout=300, **stale(served, rank=0))
        server.shutdown()
    if not FULL:
        return
    refused_as_stale(folder, f"nobody serves the rendezvous at {address}", "Connection refused", **stale(port))
    refused_as_stale(folder, "no-such-host.invalid", timeout=300, **stale(port, host="no-such-host.invalid"))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        refused_as_stale(folder, f"127.0.0.1:{port}", "is no store of ranks", **stale(port))


def an_address_of_another_host(folder):
    """Rank 0 says at once that the address is none of its host's, and a signal ends the wait."""
    silent = ("unshare", "-n", "sh", "-c", "ip link set lo up && ip link add here type veth peer name there && ip address add 192.0.2.2/24 dev here && "
              'ip link set here up && ip link set there up && ip neigh add 192.0.2.1 lladdr 02:00:00:00:00:01 dev here && exec "$@"', "sh")
    if subprocess.run([*silent, "true"], capture_output=True).returncode != 0:
        skip("no network namespace can be made here")
    with Running("train", *QUICK, "--timeout", 3, "--output", folder / "out", wrapper=silent, **stale(29577, host="192.0.2.1", rank=0)) as running:
        running.end(expect=69, seconds=60)
    only_error(running.stderr, "E_RENDEZVOUS", 69, *NAMED, "that is no address of this host", "left from another job")
    with Running("train", *QUICK, "--output", folder / "out", wrapper=silent, **stale(29577, host="192.0.2.1", rank=0)) as running:
        check(any("it is no address of this host" in line for line in iter(running.process.stderr.readline, "")), "it is said while rank 0 waits")
        running.process.send_signal(signal.SIGTERM)
        running.end(expect=75, seconds=60)
    only_error(running.stderr, "E_PREEMPTED", 75)


def no_network(folder):
    """Without a route to the address that is said at once."""
    wrapper = ("unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
    if subprocess.run([*wrapper, "true"], capture_output=True).returncode != 0:
        skip("no network namespace can be made here")
    with Running("train", *QUICK, "--output", folder / "out", wrapper=wrapper, **stale(29577, host="10.1.2.3")) as running:
        running.end(expect=69, seconds=60)
    only_error(running.stderr, "E_RENDEZVOUS", 69, "no route of this host leads to the rendezvous address 10.1.2.3", *NAMED)
    for ranks in (1, 2):
        with Running("train", *QUICK, "--nproc-per-node", ranks, "--output", folder / "out", wrapper=("unshare", "-n")) as running:
            running.end(expect=71, seconds=60)
        check("the loopback interface lo is down" in running.stderr, running.stderr)


def odd_variables(folder):
    """Variables that mean something to others are not obeyed, or refused by name: the plan is the same."""
    def plan(**environment):
        return run("train", "--workload", "linear", "--dry-run", "--log-format", "json", "--output", folder / "out", **environment).stdout

    plain = plan()
    for value in ("", "0", "abc", "all", "4,2", "1000000000", "2.5", "1000"):
        check(plan(OMP_NUM_THREADS=value) == plain, f"OMP_NUM_THREADS={value} is obeyed")
    for step in (4294967290, 4294967291, 4294967292):  # salloc's shell, the batch script, what srun adopts: no step of ranks
        check(plan(SLURM_JOB_ID=7, SLURM_STEP_ID=step, SLURM_PROCID=0, SLURM_LOCALID=0, SLURM_NTASKS=2) == plain, step)
    check(plan(LOCAL_RANK=1) == plain, "LOCAL_RANK alone is no launcher")
    threads_of = [run_of(folder, *QUICK[:6], *QUICK[8:], OMP_NUM_THREADS=value)["threads"] for value in ("1", "1000")]
    check(len(set(threads_of)) == 1, f"OMP_NUM_THREADS is obeyed: {threads_of}")
    run_of(folder, *QUICK, *TWO, NCCL_SOCKET_IFNAME="nosuch0")
    without = plan(CUDA_VISIBLE_DEVICES="")
    check('"device":"cpu"' in without.replace(" ", ""), without)
    for value in ("", "-1", "GPU-0a1b2c3d", "MIG-0a1b2c3d", "99", "all"):
        run("train", "--workload", "linear", "--device", "cuda", cwd=folder, expect=78, CUDA_VISIBLE_DEVICES=value)
    for value in ("^lo", "lo,eth0", "eth", " ", "lo ") if FULL else ("^lo",):
        done = run("train", *QUICK, *TWO, "--output", folder / "out", expect=78, GLOO_SOCKET_IFNAME=value)
        lines = error_lines(done.stderr)
        check(lines and all(line[:2] == ("E_CONFIGURATION", 78) and "GLOO_SOCKET_IFNAME" in line[2] for line in lines), done.stderr)
    done = run("train", *QUICK, *TWO, "--output", folder / "out", expect=78, GLOO_DEVICE_TRANSPORT="TCP_TLS")
    check("GLOO_DEVICE_TRANSPORT_TCP_TLS_PKEY is not set" in done.stderr, done.stderr)


def run_of(folder, *options, **environment):
    run("train", *options, "--output", folder / "run", "--overwrite", **environment)
    return closed_report(folder / "run", "complete", 0)["points"][0]


def odd_machine(folder):
    """Two ranks on machines, and under limits, that lack what most have; without /proc that is said. Unless SCALEMARK_SOAK=full what
    hides nothing of another lack is lacking in one run."""
    (folder / "empty").touch()
    (folder / "hosts").write_text("::1 localhost\n")
    (folder / "null").touch()
    no_places = f"mount -t tmpfs none /sys; mount --rbind /dev/shm /dev/shm; mount -o remount,bind,ro /dev/shm; mount --bind {folder}/empty /etc/passwd"
    no_files = f"mount --bind {folder}/empty /etc/hosts; mount --bind {folder}/null /dev/null"
    no_ipv4, no_ipv6 = f"mount --bind {folder}/hosts /etc/hosts", "ip link set lo up && echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6"
    long_name, no_name = "hostname " + 64 * "n", "hostname no-such-name"
    small, large, lost = ("ulimit -s 256; exec <&-; unset HOME USER LOGNAME PATH", "ulimit -s unlimited; umask 777",
                          "export LC_ALL=de_DE.UTF-8 TZ=Nowhere/At_All; cd /proc; export HOME=/proc")
    without_proc = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh")
    namespaces = subprocess.run([*without_proc, "/bin/true"], capture_output=True, check=False).returncode == 0
    together = (("-mu", f"{no_places}; {long_name}; {small}"), ("-mn", f"{no_ipv6}; {no_files}; {large}"),
                ("-mu --fork --pid --mount-proc", f"{no_ipv4}; {no_name}; {lost}"))
    # Where one of them cannot be made here, the others of its line can.
    alone = (("-m", no_places), ("-m", no_files), ("-m", no_ipv4), ("-mu", long_name), ("-mu", no_name), ("-Ur", ":"), ("--fork --pid --mount-proc", ":"),
             ("-n", no_ipv6), ("", small), ("", large), ("", lost))
    tried = 0
    for number, (kind, line) in enumerate(together if namespaces and not FULL else alone):
        wrapper = (*(("unshare", *kind.split()) if kind else ()), "bash", "-c", f'{line} && exec "$@"', "bash")
        if subprocess.run([*wrapper, "/bin/true"], capture_output=True, check=False).returncode != 0:
            continue
        tried += 1
        with Running("train", *QUICK, *TWO, "--output", folder / str(number), wrapper=wrapper) as running:
            running.end(expect=0)
        os.chmod(folder / str(number), 0o755)
        os.chmod(folder / str(number) / "report.json", 0o644)
        closed_report(folder / str(number), "complete", 0)
    check(tried >= 3, tried)
    if namespaces:
        with Running("train", *QUICK, *TWO, "--output", folder / "none", wrapper=without_proc) as running:
            running.end(expect=71)
        only_error(running.stderr, "E_SYSTEM", 71, "/proc/self/exe")


def small_shared_memory(folder):
    """32 MiB over MPI where /dev/shm, through which its ranks talk, has no more room than that."""
    wrapper = ("unshare", "-m", "sh", "-c", mounts.empty("/dev/shm", "size=32m") + ' && exec "$@"', "sh")
    library = next((name for name, program in MPIRUN.items() if shutil.which(program)), None)
    if library is None or subprocess.run([*wrapper, "true"], capture_output=True).returncode != 0:
        skip("no mpirun, or no small /dev/shm can be made here")
    with Running("comm", "--backends", "mpi", "--mpi-library", library, *TWO, "--sizes", "32MiB", "--repetitions", 1, "--no-progress",
                 "--device", "cpu", "--threads", 1, "--output", folder / "out", wrapper=wrapper) as running:
        running.end(expect=0)
    check([row["wrong"] for row in closed_report(folder / "out", "complete", 0)["collectives"]] == [0], "the data is right")


def losses_with(folder, fill, *options):
    run("sweep", "--iters", 3, "--warmup-iters", 1, "--threads", 1, "--no-progress", "--device", "cpu", "--repetitions", 1, *options, "--overwrite",
        "--output", folder / "sweep", MALLOC_PERTURB_=fill)
    points = closed_report(folder / "sweep", "complete", 0)["points"]
    check(points and all(point["status"] == "ok" for point in points), points)
    return {point["group"]: (point["loss"]["first"], point["loss"]["last"]) for point in points}


def filled_memory(folder):
    """Whatever lies in memory that the C library gives out, losses and pictures are the same to the last digit. More values of the options:
    SCALEMARK_SOAK=full."""
    images = make_images(folder / "images", 24, size=48, classes=3)
    precisions = "fp32,amp-bf16" if cpu_has_bf16() and FULL else "fp32"
    for options in (("--workload", "mlp", "--world-sizes", 2, "--nproc-per-node", 2, "--strategy", "ddp,flat,sharded,parameter-server,data-parallel"),
                    ("--workload", "bert-mini", "--sequence-length", 16, "--batch-size", 2, "--world-sizes", 1, "--precision", precisions,
                     "--activation-checkpointing", "off,on" if FULL else "on", "--gradient-accumulation-steps", "1,2" if FULL else "2"),
                    ("--workload", "resnet50", "--image-size", 33, "--batch-size", 2, "--world-sizes", 1, "--data", images,
                     "--image-decoding", "exact,fast" if FULL else "fast")):
        zero, other = (losses_with(folder, fill, *options) for fill in (0, 170))
        check(zero == other, f"{options}: {zero} {other}")
    for augment in ("basic", "trivial", "randaugment", "colour-jitter"):
        sheets = []
        for fill in (0, 85):
            run("data", "show", "--data", images, "--image-size", 32, "--augment", augment, "--overwrite", "--output", folder / "sheet.png",
                MALLOC_PERTURB_=fill)
            sheets.append((folder / "sheet.png").read_bytes())
        check(sheets[0] == sheets[1], augment)


def unread_launcher(folder):
    """Each process of a launcher that is not read says so, and is a run of its own."""
    done = run("train", *QUICK, "--output", folder / "out", MV2_COMM_WORLD_RANK=1, MV2_COMM_WORLD_SIZE=2)
    check("scalemark: MV2_COMM_WORLD_SIZE=2 is set and not read" in done.stderr, done.stderr)
    for rank, size in (("MPI_RANKID", "MPI_NRANKS"), ("MP_CHILD", "MP_PROCS"), ("LOCAL_RANK", "LOCAL_WORLD_SIZE")):
        done = run("train", *QUICK, "--dry-run", **{rank: 1, size: 2})
        check(f"{size}=2 is set and not read" in done.stderr, done.stderr)
    check(closed_report(folder / "out", "complete", 0)["points"][0]["world_size"] == 1, "alone")
    pod = run("train", *QUICK, "--dry-run", expect=64, LWS_WORKER_INDEX=1, LWS_GROUP_SIZE=2)
    only_error(pod.stderr, "E_USAGE", 64, "no address where the ranks meet")


def service_links(folder):
    """A Kubernetes Service sets such variables: what says notes has one, and every command works."""
    links = {"SCALEMARK_PORT": "tcp://10.0.0.5:29500", "SCALEMARK_SERVICE_HOST": "10.0.0.5", "SCALEMARK_SERVICE_PORT": 29500,
             "SCALEMARK_PORT_29500_TCP_ADDR": "10.0.0.5", "SCALEMARK_METRICS_PORT": "tcp://10.0.0.6:9090"}
    done = run("train", *QUICK, *TWO, "--output", folder / "out", **links)
    check(done.stderr.count("Kubernetes") == 1 and "and 4 more" in done.stderr, done.stderr)
    for command in (("report", folder / "out"), ("compare", folder / "out", folder / "out"), ("doctor",), ("lint", folder / "out"), ("configs",)):
        check("refused" not in run(*command, expect=None, **links).stderr, command)
    run("report", folder / "out", **links)
    done = run("train", *QUICK, "--output", folder / "more", expect=78, SCALEMARK_BATCHSIZE=8, **links)
    only_error(done.stderr, "E_CONFIGURATION", 78, "SCALEMARK_BATCHSIZE", "batch_size")


run_cases({f.__name__: f for f in (temporary_folder, full_temporary_folder, temporary_folder_of_mpi, no_temporary_folder, threads, stale_variables,
                                   an_address_of_another_host, no_network, odd_variables, odd_machine, small_shared_memory,
                                   filled_memory, unread_launcher, service_links)})
