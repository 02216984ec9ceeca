#!/usr/bin/env python3
"""front.py --tool JITWARM [--rounds N] FILE

What prime takes, and what a program in front loses by it, with half and with all of the processors
and at nice 0, 10 and 15. For a quiet machine:

    scripts/with-driver --driver 550 -- python3 tests/bench/front.py --tool build/release/jitwarm FILE

FILE is a library that compiles for a minute or more. For each row prime runs twice with an empty
cache: alone, which gives its seconds, and beside a loop that needs one processor. How much of one
the loop gets is asked of the system: what it does in a second changes more from minute to minute
on a virtual machine than prime changes it.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def children(pid):
    """The processes that this one started, and theirs."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(words[1]) == pid:
            child = int(stat.parent.name)
            found += [child, *children(child)]
    return found


def renice(pid, nice):
    """Each worker leads a session; among sessions the kernel may share the processors first."""
    for child in children(pid):
        session = pathlib.Path(f"/proc/{child}/autogroup")
        try:
            if os.getpriority(os.PRIO_PROCESS, child) != nice:
                os.setpriority(os.PRIO_PROCESS, child, nice)
            if session.exists() and os.getsid(child) == child:
                session.write_text(str(nice), encoding="ascii")
        except OSError:
            pass  # it has ended


def share_of_a_second():
    """How much of a processor a loop gets in a second."""
    began, own = time.monotonic(), time.process_time()
    while time.monotonic() < began + 1:
        sum(range(2000))
    return (time.process_time() - own) / (time.monotonic() - began)


def prime(opt, jobs, nice, in_front):
    """Returns the seconds of prime, and what the loop got in each second beside it."""
    with tempfile.TemporaryDirectory() as folder:
        line = [opt.tool, "prime", "--yes", "--quiet", "--as-root", "--jobs", str(jobs), opt.file]
        env = os.environ | {"HOME": folder, "JITWARM_STATE": f"{folder}/state",
                            "CUDA_CACHE_PATH": f"{folder}/cache",
                            "CUDA_CACHE_MAXSIZE": str(4 << 30)}
        began, shares = time.monotonic(), []
        with subprocess.Popen(line, env=env, stdout=subprocess.DEVNULL) as run:
            while run.poll() is None:
                renice(run.pid, nice)
                if in_front:
                    shares.append(share_of_a_second())
                else:
                    time.sleep(0.1)
        if run.returncode:
            sys.exit(f"{' '.join(line)}: exit code {run.returncode}")
        return time.monotonic() - began, shares[1:-1]  # while it starts and ends, it compiles less


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", type=lambda path: str(pathlib.Path(path).resolve()), required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("file", metavar="FILE")
    opt = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("only root may give the workers a lower nice than they chose")
    processors = len(os.sched_getaffinity(0))
    half = (processors + 1) // 2
    print(f"{processors} processors, load {os.getloadavg()[0]:.1f}; medians of {opt.rounds}")
    print("workers  nice  prime alone  of a processor the loop beside it gets")
    rows = {(jobs, nice): ([], []) for jobs, nice in
            ((half, 15), (processors, 0), (processors, 10), (processors, 15))}
    for _ in range(opt.rounds):
        for (jobs, nice), (alone, share) in rows.items():
            alone.append(prime(opt, jobs, nice, False)[0])
            beside = prime(opt, jobs, nice, True)[1]
            if not beside:
                sys.exit(f"{opt.file} compiles for less than three seconds")
            share.append(statistics.mean(beside))
    for (jobs, nice), (alone, share) in rows.items():
        print(f"{jobs:7}  {nice:4}  {statistics.median(alone):9.1f} s  "
              f"{statistics.median(share):8.1%}")


if __name__ == "__main__":
    sys.exit(main())
