"""Slurm with virtual nodes, n1, n2, ..., on a private host: munge, slurmctld on n1, and a slurmd in each of several namespaces."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from namespaces import TwoHosts
from private_host import as_host, know_hosts
from program import check, clean_environment, skip

CONFIGURATION = """ClusterName=test
SlurmctldHost=n1({controller})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=15
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdSpoolDir={folder}/spool-%n
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SwitchType=switch/none
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=2,batch_sched_delay=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
KillWait=15
SlurmdParameters=config_overrides
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


class Slurm:
    """`on_node()` starts a command on n1, where people log in. What happened stands in the log files of `folder`."""

    PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol", "sinfo")

    def __init__(self, hosts, folder, addresses=TwoHosts.ADDRESSES):
        self.hosts, self.folder, self.daemons = hosts, Path(folder), []
        self.nodes = {f"n{number}": address for number, address in enumerate(addresses, 1)}
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        missing = [name for name in self.PROGRAMS if shutil.which(name) is None]
        if missing:
            skip(f"not installed: {' '.join(missing)} (Debian: slurmctld slurmd slurm-client munge)")

    def __enter__(self):
        know_hosts(self.nodes)
        self.configure()
        try:
            self.start_daemons()
            self.await_nodes(*self.nodes)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def configure(self):
        (self.folder / "state").mkdir()
        nodes = [f"NodeName={name} NodeAddr={address} Port=17001 CPUs=4 RealMemory=2000 State=UNKNOWN"
                 for name, address in self.nodes.items()]
        text = CONFIGURATION.format(folder=self.folder, controller=self.nodes["n1"], nodes="\n".join(nodes))
        (self.folder / "slurm.conf").write_text(text)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)

    def start_daemons(self):
        self.daemon("munged", "--foreground", "--force", *(f"--{name}={self.folder}/munge.{end}" for name, end in (
            ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))))
        self.wait_for(lambda: (self.folder / "munge.socket").exists(), "munged's socket")
        self.daemon(*self.on_node("n1"), "slurmctld", "-D", "-i")
        for node in self.nodes:
            self.start_node(node)

    def start_node(self, node):
        self.daemon(*self.on_node(node), "slurmd", "-D")

    def daemon(self, *command):
        with open(self.folder / "daemons.log", "a") as log:
            self.daemons.append(subprocess.Popen([*map(str, command)], stdout=log, stderr=log, env=self.environment()))

    def await_nodes(self, *nodes):
        def idle():
            states = self.ask("sinfo", "--noheader", "--Node", "--nodes", ",".join(nodes), "--format=%N %T", fails=True).split()
            return states == [word for node in nodes for word in (node, "idle")]
        self.wait_for(idle, "idle nodes")

    def on_node(self, name="n1"):
        # Not `ip netns exec`: it mounts a /sys of its own, without the control groups that slurmd needs.
        return ["nsenter", f"--net=/run/netns/{self.hosts.names[list(self.nodes).index(name)]}", *as_host(name)]

    def variables(self):
        return {"SLURM_CONF": self.folder / "slurm.conf"}

    def environment(self, **extra):
        return clean_environment(OMP_NUM_THREADS=1, **self.variables(), **extra)

    def ask(self, *command, fails=False):
        """Returns what a command prints that ends at once."""
        done = subprocess.run([*self.on_node(), *map(str, command)], capture_output=True, text=True, timeout=600,
                              env=self.environment())
        check(fails or done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}\n{self.logs()}")
        return done.stdout

    def submit(self, *command, **extra):
        """Hands a batch script in; the job's number."""
        done = subprocess.run([*self.on_node(), "sbatch", "--parsable", *map(str, command)], capture_output=True, text=True,
                              timeout=600, env=self.environment(**extra), cwd=self.folder)
        check(done.returncode == 0, f"{command}\n{done.stderr}\n{self.logs()}")
        return done.stdout.strip()

    def job(self, number):
        """Its facts, as scontrol prints them: JobState, Restarts, ExitCode, ..."""
        words = self.ask("scontrol", "--oneliner", "show", "job", number).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def await_end(self, number, seconds=600):
        def ended():
            return self.job(number)["JobState"] not in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "REQUEUED")
        self.wait_for(ended, f"the end of job {number}", seconds)
        return self.job(number)

    def wait_for(self, condition, what, seconds=600):
        end = time.monotonic() + seconds
        while not condition():
            check(time.monotonic() < end, f"no {what} within {seconds} s\n{self.logs()}")
            time.sleep(0.3)

    def logs(self):
        return "\n".join(f"--- {path.name}\n{path.read_text()[-3000:]}" for path in sorted(self.folder.glob("*.log")))
