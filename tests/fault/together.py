#!/usr/bin/env python3
"""together.py together --tool JITWARM --sim LIBRARY --gen GEN_MODULES --play PLAY [--rounds
SECONDS] [--seed N]

For so many seconds simulated programs, primes, imports, prunes, verifies and looks work on one
cache, four at a time, and one in five is killed with SIGKILL at a random instant: itself, or a
process that it started (a worker). Each that was not killed ends with an exit code that its help
names. Afterwards one prime makes the cache whole, and doctor finds every module in it. Without
--seed each run has another one, and names it.
"""
import os
import pathlib
import random
import subprocess
import sys
import time

sys.path[:0] = [
    str(pathlib.Path(__file__).resolve().parent.parent / name) for name in ("pack", "rigs")
]
import packs  # noqa: E402
from cases import Cases, check, finish, same  # noqa: E402
from grounds import primed, texts  # noqa: E402
from machine import kill  # noqa: E402

case = Cases()
AT_ONCE = 4
# What each may end with while others are at work: done, partly or not verified, stopped by what is
# there, another one is at work.
CODES = {
    "program": (0, ), "prime": (0, 1, 6, 7), "import": (0, 1, 4), "prune": (0, 1, 4),
    "doctor": (0, 1, 4, 6, 7), "status": (0, 1), "check": (0, 1, 7), "export": (0, 1, 4, 7)
}


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(p) for p in task.read_text().split()]
        except OSError:
            pass
    return found


class Day:
    def __init__(self, m, seconds, chance):
        self.m, self.chance, self.end = m, chance, time.monotonic() + seconds
        self.lib, whole = primed(m, count=40, least=500, most=6000)
        names = sorted(whole.files)
        self.packs = [
            packs.Pack({n: whole.files[n]
                        for n in names[15 * i:15 * i + 25]}, whole.manifest["stamp"], 86,
                       origin="lib.so").write(m.folder / f"pack{i}.tar.zst") for i in range(2)
        ]
        self.texts = texts(m, 16)
        self.counts = dict.fromkeys(CODES, 0)
        self.killed = {"itself": 0, "a process of it": 0}
        self.running = []

    def words(self, what):
        return {
            "prime": ("prime", "--as-root", "--time-limit", "30s", self.lib),
            "import": ("import", "--as-root", "--allow-unsigned", self.chance.choice(self.packs),
                       self.lib), "prune": ("prune", "--yes", "--no-pack", *self.chance.choice(
                           ((), ("--whole-cache", )))), "doctor": ("doctor", "--as-root", self.lib),
            "status": ("status", ), "check": ("status", self.lib),
            "export": ("export", "--yes", "-o",
                       self.m.folder / f"out{len(self.counts)}-{sum(self.counts.values())}.tar.zst",
                       self.lib)
        }[what]

    def begin(self):
        what = self.chance.choice(list(CODES))
        if what == "program":
            words = [
                w for text in self.chance.sample(self.texts, 3)
                for w in (f"load {text}", f"fn {text.stem.replace('text', 'only')}")
            ]
            run = subprocess.Popen([self.m.opt.play, self.m.opt.sim, "init", "ctx 0", *words],
                                   env=dict(self.m.env, SIMCUDA_COST="0+20"),
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        else:
            run = subprocess.Popen(self.m.command(*self.words(what)), env=dict(
                self.m.env, SIMCUDA_COST="0+3"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, stdin=subprocess.DEVNULL, cwd=self.m.folder)
        doom = time.monotonic() + self.chance.random() * 0.08 if self.chance.random(
        ) < 0.2 else None
        self.running.append([what, run, doom, None])
        self.counts[what] += 1

    def strike(self, job):
        what, run, _, _ = job
        of_it = children(run.pid)
        victim = self.chance.choice(of_it) if of_it and self.chance.random() < 0.8 else run.pid
        job[2:] = [None, "itself" if victim == run.pid else "a process of it"]
        self.killed[job[3]] += 1
        kill(victim)

    def look(self, job):
        """Still at work?"""
        what, run, doom, struck = job
        if run.poll() is None:
            if doom and time.monotonic() > doom:
                self.strike(job)
            return True
        said = run.stdout.read()
        run.stdout.close()
        if struck == "itself":
            return False
        # A worker that was killed may cost its module (1), or what the driver was asked by it (3):
        # that is reported, and the tool goes on.
        allowed = CODES[what] + ((1, 3, 4) if struck else ())
        check(run.returncode in allowed,
              f"{what}: exit {run.returncode}, struck: {struck}: {said[-600:]}")
        return False

    def go(self):
        while time.monotonic() < self.end:
            while len(self.running) < AT_ONCE:
                self.begin()
            self.running = [job for job in self.running if self.look(job)]
            time.sleep(0.003)
        while self.running:
            self.running = [job for job in self.running if self.look(job)]
            time.sleep(0.02)


@case
def together(m):
    seed = m.opt.seed or int(time.time())
    print(f"  --seed {seed}", flush=True)
    day = Day(m, m.opt.rounds or 20, random.Random(seed))
    day.go()
    same(m.wait_for_silence(), [], "processes left behind")
    answer, code = m.answer("prime", "--as-root", day.lib)
    check(code == 0, f"the last prime: exit {code}: {answer['message']}")
    answer, code = m.answer("doctor", "--as-root", day.lib)
    same((code, answer["answer"]["warm"], answer["proof"]["proven"]), (0, 40, True), "doctor")
    damaged = [p for p in m.cache().problems]
    same(damaged, [], "the cache")
    same(m.leftovers(), [], "folders left behind")
    for pack in m.folder.glob("out*.tar.zst"):
        same(
            m.run("import", "--dry-run", "--as-root", "--allow-unsigned", pack, day.lib).returncode,
            0, f"{pack.name} is whole")
    print(
        f"  {sum(day.counts.values())} runs, {sum(day.killed.values())} killed: {day.counts} "
        f"{day.killed}"
    )


if __name__ == "__main__":
    os.environ.setdefault("PACK_ARCH", os.uname().machine)
    finish(case, __doc__, 0, seed=0)
