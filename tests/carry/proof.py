#!/usr/bin/env python3
"""proof.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES

`jitwarm carry` on the simulated driver, before and after an update of it: what it promises, and that nothing is touched where
it is not proven. Nothing here is about hardware. Each case is a function below; `list` prints their names.
"""
import pathlib
import random
import shutil
import sys
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "prime"), str(HERE.parent / "pack")]
from bench import kill  # noqa: E402
from cases import Cases, check, finish, same  # noqa: E402
from grounds import mounted  # noqa: E402

case = Cases()
OLD, NEW, NEWEST = "Jun 14 2025 55:40:11", "Jan  7 2026 62:51:46", "Feb  9 2026 41:02:03"


def states(answer):
    return {s: n for s, n in answer["counts"].items() if n}


class Updated:
    """A machine whose driver has builds: libraries with build ids of their own, as updates bring them."""

    def __init__(self, m):
        self.m = m

    def driver(self, stamp):
        path = self.m.folder / "drivers" / stamp.replace(" ", "_").replace(":", "") / "libcuda.so.1"
        if not path.exists():
            path.parent.mkdir(parents=True)
            image = bytearray(self.m.opt.sim.read_bytes())
            at = image.index(b"jitwarm-simcuda-0000")
            image[at:at + 20] = b"jitwarm-" + f"{zlib.crc32(stamp.encode()):012d}".encode()
            path.write_bytes(image)
        return dict(JITWARM_DRIVER=str(path), SIMCUDA_STAMP=stamp)

    def answer(self, stamp, *args, **env):
        return self.m.answer(*args, **dict(self.driver(stamp), **env))

    def run(self, stamp, *args, **env):
        return self.m.run(*args, **dict(self.driver(stamp), **env))

    def start(self, stamp, *args, **env):
        return self.m.start(*args, **dict(self.driver(stamp), **env))

    def wait_for_renewal(self):
        same(self.m.wait_for_silence(60), [], "the prime in the background ends")


def payloads(cache):
    """What each entry holds besides its key, by name."""
    found = {}
    for name in cache.entries:
        digits = f"{name:016x}"
        data = (cache.root / digits[0] / digits[1] / digits[2:]).read_bytes()
        found[name] = data[28 + int.from_bytes(data[4:12], "little"):]
    return found


def image(m):
    """Every file below the cache, to the byte."""
    return {str(p.relative_to(m.root)): p.read_bytes() for p in sorted(m.root.rglob("*")) if p.is_file()}


def sound(m, n):
    cache = m.cache()
    same(cache.whole(), [], "the cache")
    same(len(cache.entries), n, "entries")
    same(m.leftovers(), [], "folders left behind")
    return cache


# ---- the promise ----

@case
def carried(m):
    """After an update: carried in one go, found by programs, not compiled; the code is the older build's to the byte."""
    u = Updated(m)
    lib, _ = m.library(count=20)
    u.answer(OLD, "prime", lib)
    before = payloads(sound(m, 20))
    answer, code = u.answer(NEW, "carry", "--carry-only")
    same((code, answer["end"], states(answer), answer["proven"]), (0, "done", {"carried": 20}, True), "carry")
    check(answer["driver"]["simulated"] and not answer["renewing"], "it says what it is")
    same({e["stamp"] for e in answer["entries"]}, {OLD[:11] + OLD[12:]}, "their origin")
    after = payloads(sound(m, 40))
    check(all(after[n] == p for n, p in before.items()), "the old ones are as they were")
    new = {int("".join(e["name"].split("/")), 16): int("".join(e["from"].split("/")), 16) for e in answer["entries"]}
    check(all(after[n] == before[f] for n, f in new.items()), "the code is that of the old ones")
    answer, code = u.answer(NEW, "verify", lib)
    same((code, states(answer), answer["verify"]["verified"]), (0, {"warm": 20}, True), "programs find them")
    answer, code = u.answer(NEW, "carry", "--carry-only")
    same((code, answer["end"], states(answer)), (0, "nothing", {"there": 20}), "once more")
    sound(m, 40)


@case
def renewed(m):
    """Unless --carry-only is said, the driver's own code takes the place of what was carried, in the background."""
    u = Updated(m)
    lib, _ = m.library(count=12)
    sealed = dict(SIMCUDA_KNOWLEDGE="4")  # so that the code of an entry tells for which key it was made
    u.answer(OLD, "prime", lib, **sealed)
    before = payloads(m.cache())
    answer, code = u.answer(NEW, "carry", **sealed)
    same((code, states(answer), answer["renewing"]), (0, {"carried": 12}, True), "carry")
    u.wait_for_renewal()
    cache = sound(m, 24)
    after = payloads(cache)
    new = {int("".join(e["name"].split("/")), 16): int("".join(e["from"].split("/")), 16) for e in answer["entries"]}
    check(all(n in after and after[n] != before[f] for n, f in new.items()), "each is today's compiler's work")
    answer, code = u.answer(NEW, "carry", "--renew")
    same((code, answer["end"], answer["jobs"]), (0, "nothing", []), "nothing is left to renew")
    answer, code = u.answer(NEW, "carry", "--undo")
    same((code, answer["counts"]["removed"]), (0, 0), "nor to undo")
    answer, code = u.answer(NEW, "verify", lib)
    same((code, states(answer)), (0, {"warm": 12}), "all is warm")
    check(all(payloads(cache)[n] == p for n, p in before.items()), "the old ones are as they were")


@case
def undone(m):
    u = Updated(m)
    lib, _ = m.library(count=10)
    u.answer(OLD, "prime", lib)
    before = image(m)
    u.answer(NEW, "carry", "--carry-only")
    answer, code = u.answer(NEW, "carry", "--undo")
    same((code, answer["counts"]["removed"]), (0, 10), "undo")
    sound(m, 10)
    after = image(m)
    same({n: b for n, b in after.items() if n != "index"}, {n: b for n, b in before.items() if n != "index"}, "entries")
    answer, code = u.answer(NEW, "carry", "--undo")
    same((code, answer["end"], answer["counts"]["removed"]), (0, "nothing", 0), "once more")


# ---- the safety ----

@case
def not_proven(m):
    """Proof missing, refused, wrong: the cache is not touched, whatever the options."""
    u = Updated(m)
    lib, _ = m.library(count=6)
    u.answer(OLD, "prime", lib)
    before = image(m)
    for env in (dict(SIMCUDA_KNOWLEDGE="1"), dict(SIMCUDA_KNOWLEDGE="2"), dict(SIMCUDA_KNOWLEDGE="3"),
                dict(SIMCUDA_WRONG_NUMBERS="1"), dict(SIMCUDA_JIT="none"), dict(SIMCUDA_FAULTS="crash@*")):
        state = dict(JITWARM_STATE=str(m.folder / f"state-{len(env)}-{'-'.join(env.values())}".replace("*", "x")))
        for options in ([], ["--dry-run"], ["--as-root"]):
            answer, code = u.answer(NEW, "carry", "--carry-only", *options, **env, **state)
            same((code in (1, 3), answer["proven"], answer["counts"]["carried"]), (True, False, 0), f"{env} {options}")
            check(answer["why"], "a sentence")
            same(image(m), before, f"{env} {options}: the cache")


@case
def another_build(m):
    """What one build proved says nothing of another: the same machine after one more update, where it is refused."""
    u = Updated(m)
    lib, _ = m.library(count=6)
    u.answer(OLD, "prime", lib)
    answer, code = u.answer(NEW, "carry", "--carry-only")
    same((code, states(answer)), (0, {"carried": 6}), "the first update")
    before = image(m)
    answer, code = u.answer(NEWEST, "carry", "--carry-only", SIMCUDA_KNOWLEDGE="3")
    same((code, answer["proven"], answer["counts"]["carried"]), (1, False, 0), "the second one")
    same(image(m), before, "the cache")


@case
def never_back(m):
    """From a newer build to an older one nothing is carried; of two older ones the newer's."""
    u = Updated(m)
    lib, _ = m.library(count=5)
    u.answer(NEW, "prime", lib)
    before = image(m)
    answer, code = u.answer(OLD, "carry", "--carry-only")
    same((code, answer["end"], states(answer)), (0, "nothing", {"newer": 5}), "back")
    same(image(m), before, "the cache")
    u.answer(OLD, "prime", lib)
    answer, code = u.answer(NEWEST, "carry", "--carry-only")
    same((code, states(answer)), (0, {"carried": 5, "there": 5}), "from two")
    same({e["stamp"] for e in answer["entries"] if e["state"] == "carried"}, {NEW[:11] + NEW[12:]}, "the newer's")
    sound(m, 15)


@case
def falls_back(m):
    """Without the proof, and without --carry-only, they are compiled again, after one sentence."""
    u = Updated(m)
    lib, _ = m.library(count=6)
    u.answer(OLD, "prime", lib)
    done = u.run(NEW, "carry", "--json", SIMCUDA_KNOWLEDGE="3")
    check(done.returncode == 0 and '"jitwarm.prime/1"' in done.stdout, done.stdout[:300] + done.stderr[:600])
    check("compiling instead (jitwarm carry --compile)" in done.stderr, done.stderr)
    sound(m, 12)


@case
def damaged_and_foreign(m):
    """What is damaged, OpenCL's, or of another GPU costs itself alone."""
    u = Updated(m)
    lib, _ = m.library(count=8)
    u.answer(OLD, "prime", lib)
    victims = sorted(m.cache().entries)[:2]
    for name in victims:
        m.damage(name)
    answer, code = u.answer(NEW, "carry", "--carry-only")
    same((code, answer["end"], states(answer)), (1, "partly", {"carried": 6, "refused": 2}), "damaged ones")
    check(all("damaged" in e["why"] for e in answer["entries"] if e["state"] == "refused"), "the sentence")
    answer, code = u.answer(NEW, "verify", lib)
    same(states(answer), {"warm": 6, "todo": 2}, "the others serve")
    other = "sm_90:NVIDIA H100:80G"
    answer, code = u.answer(NEWEST, "carry", "--carry-only", SIMCUDA_GPUS=other)
    same((code, answer["end"], answer["entries"]), (0, "nothing", []), "of another GPU")


@case
def little_room(m):
    u = Updated(m)
    lib, _ = m.library(count=12, least=20000, most=40000)
    u.answer(OLD, "prime", lib)
    used = sum(m.cache().entries.values())
    limit = dict(CUDA_CACHE_MAXSIZE=str(used * 3 // 2))
    answer, code = u.answer(NEW, "carry", "--carry-only", **limit)
    same((code, answer["end"]), (1, "partly"), "with little room")
    n = states(answer)
    check(n["carried"] > 2 and n["no-room"] > 2 and n["carried"] + n["no-room"] == 12, f"{n}")
    cache = sound(m, 12 + n["carried"])
    check(sum(cache.entries.values()) <= used * 3 // 2, "the limit holds")


@case
def little_disk(m):
    """Nothing is carried to a disk with less free than stays free, though the limit has room."""
    u = Updated(m)
    lib, _ = m.library(count=12, least=20000, most=40000)
    u.answer(OLD, "prime", lib)
    u.answer(NEW, "doctor", "--probe")
    with mounted(m.folder / "small", "size=48m,mode=755") as small:
        cache = shutil.copytree(m.root, small / "ComputeCache")
        answer, code = u.answer(NEW, "carry", "--carry-only", CUDA_CACHE_PATH=str(cache))
    same((code, answer["end"], states(answer)), (1, "partly", {"no-room": 12}), "a disk with little room")


# ---- faults ----

@case
def kills(m):
    """Killed at any instant: the cache is whole, the ledger knows all that was carried, and undo takes it away."""
    u = Updated(m)
    lib, _ = m.library(count=40, least=2000, most=60000)
    u.answer(OLD, "prime", lib)
    before = {n: b for n, b in image(m).items() if n != "index"}
    u.answer(NEW, "doctor", "--probe")
    rng = random.Random(m.opt.seed)
    for i in range(m.opt.rounds):
        run = u.start(NEW, "carry", "--carry-only", "--json")
        wait = rng.uniform(0.0, 0.12)
        time.sleep(wait)
        kill(run.pid)
        run.communicate(timeout=60)
        cache = m.cache(deep=i % 10 == 0)
        what = f"round {i}, killed after {wait * 1000:.0f} ms"
        same(cache.problems, [], f"{what}: the cache")
        if rng.random() < 0.3:
            answer, code = u.answer(NEW, "carry", "--undo")
            same((code, m.cache(deep=False).problems), (0, []), f"{what}: undo")
            same({n: b for n, b in image(m).items() if n != "index"}, before, f"{what}: undone")
    answer, code = u.answer(NEW, "carry", "--carry-only")
    same((code, answer["counts"]["carried"] + answer["counts"]["there"]), (0, 40), "at last")
    sound(m, 80)
    answer, code = u.answer(NEW, "verify", lib)
    same((code, states(answer)), (0, {"warm": 40}), "all is warm")


if __name__ == "__main__":
    finish(case, __doc__, 50)
