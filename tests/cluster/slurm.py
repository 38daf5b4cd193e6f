#!/usr/bin/python3
"""A throw-away Slurm on this host, as any user: everything lies below one folder, and ends with it.

slurm.py FOLDER [NODES]   start one of two nodes, or of NODES, and print what a shell has to evaluate to use it
slurm.py FOLDER --end     end it
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo")
START_LIMIT = 30  # seconds

CONFIGURATION = """
ClusterName=kbench
SlurmctldHost=localhost
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/log/slurmctld
SlurmdLogFile={folder}/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=6
KillWait=2
MaxArraySize=100001
MaxJobCount=120000
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=2,default_queue_depth=1000
GresTypes=gpu
NodeName=n[1-{nodes}] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=1 RealMemory=1000 Gres=gpu:h100:1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """The programs of Slurm that this machine lacks. Debian has daemons where a user's PATH may not look."""
    return [name for name in PROGRAMS if not find(name)]


def find(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def end(folder):
    for file in folder.glob("*.pid"):
        try:
            os.kill(int(file.read_text()), 15)
        except (ProcessLookupError, ValueError):
            pass


class Slurm:
    def __init__(self, folder, nodes):
        self.folder = pathlib.Path(folder)
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        for part in ("state", "log", *(f"spool/{node}" for node in self.nodes)):
            (self.folder / part).mkdir(parents=True)
        port = random.randrange(20000, 30000)
        self.file = self.folder / "slurm.conf"
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        self.file.write_text(CONFIGURATION.format(folder=self.folder, user=user, port=port, nodes=nodes,
                                                  first=port + 1, last=port + nodes))
        (self.folder / "gres.conf").write_text(
            "".join(f"NodeName={node} Name=gpu Type=h100 File=/dev/null\n" for node in self.nodes))
        self.environment = {**os.environ, "SLURM_CONF": str(self.file)}

    def __enter__(self):
        self.call("slurmctld")
        for node in self.nodes:
            self.call("slurmd", "-N", node)
        end = time.monotonic() + START_LIMIT
        while len(self.ask("sinfo", "-h", "-N", "-t", "idle").split("\n")) - 1 < len(self.nodes):
            assert time.monotonic() < end, "Slurm does not start:\n" + (self.folder / "log/slurmctld").read_text()[-2000:]
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        end(self.folder)

    def call(self, program, *arguments):
        log = self.folder / "log/calls"  # a daemon keeps it open, which would keep a pipe waiting
        with open(log, "w") as file:
            done = subprocess.run([find(program), *arguments], env=self.environment, timeout=60, stdout=file,
                                  stderr=subprocess.STDOUT)
        assert done.returncode == 0, f"{program} {' '.join(arguments)} ended with {done.returncode}: {log.read_text()}"

    def ask(self, program, *arguments):
        done = subprocess.run([find(program), *arguments], env=self.environment, capture_output=True, text=True,
                              timeout=60)
        return done.stdout

    def running_on(self, node):
        """The tasks of the node: "12_3"."""
        return self.ask("squeue", "-h", "-r", "-t", "RUNNING", "-w", node, "-o", "%i").split()

    def wait_until(self, condition, what, limit=120):
        end = time.monotonic() + limit
        while not condition():
            assert time.monotonic() < end, f"{what}: not within {limit} s\n{self.ask('squeue', '-r')}"
            time.sleep(0.1)


def main(folder, word="2"):
    folder = pathlib.Path(folder).absolute()
    if word == "--end":
        end(folder)
        return 0
    if missing():
        print(f"there is no {missing()[0]}: apt-get install slurm-wlm", file=sys.stderr)
        return 3
    if folder.exists():
        print(f"{folder} is there already: end it (--end), and remove it", file=sys.stderr)
        return 2
    cluster = Slurm(folder, int(word))
    cluster.__enter__()
    print(f"export SLURM_CONF={cluster.file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
