"""Slurm's own daemons on this host, for recipes.py and matrix.py: four nodes of two processors each."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "srun")
CONF = """
ClusterName=t
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
StateSaveLocation={dir}/state
SlurmctldPidFile={dir}/ctld.pid
SlurmctldLogFile={dir}/ctld.log
SlurmctldPort={port}
SlurmdPidFile={dir}/%n.pid
SlurmdSpoolDir={dir}/%n.spool
SlurmdLogFile={dir}/%n.log
{prolog}
InactiveLimit=0
NodeName=jwn[1-4] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=2 RealMemory=500
PartitionName=p Nodes=jwn[1-4] Default=YES MaxTime=INFINITE State=UP
"""


def wait_for(what, why, seconds=30):
    for _ in range(seconds * 5):
        if what():
            return
        time.sleep(0.2)
    sys.exit(f"not so after {seconds} s: {why}")


class Cluster:
    """`env`: of the commands that ask it; programs are looked for in `folder` first. `prolog`: a TaskProlog, or None."""

    def __init__(self, place, folder, prolog=None):
        missing = [name for name in PROGRAMS if not shutil.which(name)]
        if missing or os.geteuid() != 0:
            print(f"SKIP: {'there is no ' + missing[0] if missing else 'the daemons of Slurm need root'}")
            sys.exit(77)
        host, port = socket.gethostname().split(".")[0], 17800 + os.getpid() % 100 * 8
        (place / "state").mkdir(parents=True)
        self.conf, self.started = place / "slurm.conf", []
        self.conf.write_text(CONF.format(host=host, dir=place, port=port, first=port + 1, last=port + 4,
                                         prolog=f"TaskProlog={prolog}" if prolog else ""))
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "CUDA_", "JITWARM", "SIMCUDA_"))}
        self.env.update(SLURM_CONF=str(self.conf), PATH=f"{folder}:{os.environ['PATH']}", LC_ALL="C.UTF-8", SLURM_EXACT="0")

    def start(self, *command, **more):
        self.started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more))

    def idle(self):
        done = subprocess.run(["sinfo", "-h", "-o", "%t %D"], env=self.env, text=True, capture_output=True, check=False)
        return done.stdout.split() == ["idle", "4"]

    def __enter__(self):
        pathlib.Path("/run/munge").mkdir(exist_ok=True)
        subprocess.run(["chown", "munge:munge", "/run/munge"], check=True)
        if not pathlib.Path("/run/munge/munge.socket.2").exists():
            self.start("setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", "--foreground", "--force")
            wait_for(pathlib.Path("/run/munge/munge.socket.2").exists, "munged listens")
        try:
            self.start("slurmctld", "-D", "-f", self.conf, env=self.env)
            for i in range(1, 5):
                self.start("slurmd", "-D", "-f", self.conf, "-N", f"jwn{i}", env=self.env)
            wait_for(self.idle, "four nodes are idle", 60)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.terminate()
            process.wait()
