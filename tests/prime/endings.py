"""prime with modules on which the driver ends."""
import json
import pathlib
import random
import subprocess
import time

from warm import case, names, sound, states
from bench import kill
from cases import check, same

# ---- modules that are the driver's end ----

def guilty(m, lib, faults, seed, **options):
    """Faults by entry name, one for each module that is drawn; the truth is compared with what is said of each."""
    rng = random.Random(seed)
    jobs = names(m, lib)
    drawn = rng.sample(jobs, len(faults))
    script = " ".join(f"{fault}@{job['entry']['name'].replace('/', '')[:12]}" for fault, job in zip(faults, drawn))
    conf = m.home / ".config" / "jitwarm" / "jitwarm.conf"
    conf.parent.mkdir(parents=True, exist_ok=True)
    conf.write_text("timeout = 3\n")
    answer, code = m.answer("prime", lib.parent, SIMCUDA_FAULTS=script, timeout=600, **options)
    return answer, code, dict(zip((j["id"] for j in drawn), faults))


@case
def faults(m):
    lib, _ = m.library(count=200, least=2000, most=20000)
    expected = {"crash": "crashed", "kill": "crashed", "exit": "crashed", "hang": "timeout", "spin": "timeout",
                "oom": "failed", "badptx": "failed", "enospc": "unstored", "short": "unstored"}
    script = [f for f in expected for _ in range(2)]
    answer, code, truth = guilty(m, lib, script, m.opt.seed)
    same(code, 1, "exit code")
    for job in answer["jobs"]:
        fault = truth.get(job["id"])
        same(job["state"], expected[fault] if fault else "warmed", f"job {job['id'][:8]} ({fault})")
        if fault in ("crash", "kill", "exit", "hang", "spin", "badptx"):
            check((job["kernel"] or "").startswith("m"), f"kernel of {fault}")
    cache = m.cache()
    same(cache.whole(), [], "the cache")
    same(len(cache.entries), 200 - len(script), "entries")
    same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")
    check(any("bad PTX" in (j["log"] or "") or j["log"] for j in answer["jobs"] if truth.get(j["id"]) == "badptx"),
          "the driver's own words")
    # What was refused, crashed or hung is not tried again with this driver; the rest is. (Who is killed is no culprit.)
    answer, code = m.answer("prime", lib.parent)
    same((code, states(answer)), (1, {"warm": 200 - len(script), "warmed": 8, "skipped": 10}), "again")
    check(any(str(lib) in line for line in answer["notes"]), "the way out is told")
    # Unless the file itself is named; and what went well then is not held against it any more.
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warm": 190, "warmed": 10}), "once more")
    m.forget_cache()
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warmed": 200}), "nothing is banned any more")


@case
def a_crash_that_does_not_come_again(m):
    """prime tries the module once more itself: an accident is not held against the module, and nobody has to do anything."""
    lib, _ = m.library(count=8)
    m.answer("doctor", "--probe")
    for fault in ("crash", "exit"):
        answer, code = m.answer("prime", lib.parent, "--jobs", "1", SIMCUDA_FAULTS=f"{fault}@3")
        same((code, states(answer), answer["next_start"]), (0, {"warmed": 8}, "warm"), fault)
        same([f for f in m.answer("doctor")[0]["findings"] if f["id"] == "modules-refused"], [], f"{fault}: doctor")
        m.forget_cache()


@case
def kills(m):
    """A random process of the tree is killed, again and again; the next run goes on where it was."""
    lib, _ = m.library(count=60, least=2000, most=20000)
    rng = random.Random(m.opt.seed)
    cost = dict(SIMCUDA_COST="0+40")
    m.answer("doctor", "--probe")
    for i in range(m.opt.rounds):
        if rng.random() < 0.2:
            m.forget_cache()
        run = m.start("prime", lib, "--json", "--jobs", "2", **cost)
        time.sleep(rng.uniform(0.02, 1.2))
        tree = m.processes()
        if tree:
            kill(rng.choice(tree) if rng.random() < 0.6 else run.pid)
        try:
            run.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"round {i}: it hangs")
        same(m.wait_for_silence(), [], f"round {i}: processes left behind")
        cache = m.cache(deep=False)
        same(cache.problems, [], f"round {i}: the cache")
    answer, code = m.answer("prime", lib)
    same((code, sum(states(answer).values())), (0, 60), "at last")
    sound(m, 60)


def workers_of(m):
    """The processes that compile, by their command lines."""
    found = []
    for pid in m.processes():
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:2] == [b"worker"]:
            found.append(pid)
    return found


@case
def worker_kills(m):
    """Workers alone are killed, at random instants: what they had compiled stays, a module is tried again, one that lost two of them is
    told with its reason, and the exit code says whether all is warm."""
    lib, _ = m.library(count=40, least=2000, most=20000)
    rng = random.Random(m.opt.seed)
    m.answer("doctor", "--probe")
    killed = told = 0
    for i in range(m.opt.rounds):
        m.forget_cache()
        before, of, in_a_row = set(), 0, 0
        run = m.start("prime", lib, "--json", "--jobs", "2", SIMCUDA_COST="0+40")
        while run.poll() is None:
            time.sleep(rng.uniform(0.01, 0.3))
            had = len(before)
            before |= set(m.cache(deep=False).entries) if m.root.exists() else set()
            workers = workers_of(m)
            if len(before) > had:
                in_a_row = 0
            # The first one is asked for the driver and the GPUs, which it must survive. After three deaths before a module prime gives up,
            # and on a busy machine a worker takes longer to start than this one sleeps.
            if workers and before and in_a_row < 2:
                kill(rng.choice(workers))
                of, in_a_row = of + 1, in_a_row + 1
        out, _ = run.communicate(timeout=120)
        answer = json.loads(out)
        cold = [j for j in answer["jobs"] if j["state"] not in ("warmed", "warm")]
        what = f"round {i}, {of} kills, exit code {run.returncode}"
        same(len(answer["jobs"]), 40, what)
        check(len(cold) <= of // 2, f"{what}: two kills cost a module, and {len(cold)} are cold")
        # A kill may also hit the proof afterwards, which then is none.
        same(run.returncode != 0, bool(cold) or answer["end"] == "partly", what)
        check(all("its process was killed twice" in (j["why"] or "") for j in cold), f"{what}: {cold}")
        same(m.wait_for_silence(), [], f"{what}: processes left behind")
        check(before <= set(m.cache(deep=False).entries), f"{what}: an entry is lost")
        killed, told = killed + of, told + len(cold)
        answer, code = m.answer("prime", lib)
        same((code, sum(states(answer).values())), (0, 40), f"{what}: the next run")
        sound(m, 40)
    check(killed >= m.opt.rounds, f"{killed} kills")
    print(f"  killed {killed} workers in {m.opt.rounds} runs; {told} modules were told as killed twice")


@case
def many_workers(m):
    lib, _ = m.library(count=80)
    answer, code = m.answer("prime", lib, "--jobs", "64", SIMCUDA_CONTEXT_BYTES="1M")
    same((code, states(answer)), (0, {"warmed": 80}), "64 workers")
    sound(m, 80)
