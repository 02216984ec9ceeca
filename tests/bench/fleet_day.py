#!/usr/bin/env python3
"""fleet_day.py [--machines N] [--seed N]

A simulation, not a measurement: machines of 12 kinds over a working day and on the morning of a driver update, with and without
packs, carry, and a pull-through mirror in each of 20 sites. What goes in was measured elsewhere and is printed first; what comes out
depends on it, and on how people are thought to start their work. docs/fleet/simulation.md has the tables.

A machine is cold when its user's first program starts; it is warm when all that this program compiles is in the cache. Transfers
share the registry's line, the line of their site and their own fairly, in steps of a second.
"""
import argparse
import random

KINDS, SITES, HOURS = 12, 20, 10
# Real figures: modules, MB of PTX, seconds on one core as measured (src/facts/compile_time.h), share of machines that use it.
SOFTWARE = (("llama.cpp", 138, 269, 344, 0.3), ("TensorFlow 2.3.1", 238, 152, 239, 0.4), ("ONNX Runtime 1.25.1", 25, 141, 155, 0.3))
# docs/benchmarks.md: llama.cpp's entries are a pack of 49 MB, which is imported in 1.41 s on two processors.
PACKED = 49 / 269      # a layer's bytes for each byte of PTX
IMPORT_S = 1.41 / 269  # seconds for each MB of PTX
PULL_S = 0.1           # seconds of processor that a pull takes besides (a carry, too)
CARRY_S = 1.53 / 1007 * 382 / 269  # to carry it over an update, where that is proven to work; llama.cpp's entries are 382 MB
REQUESTS = 3           # index, manifest, layer; two more for a token in front of them are not counted
CORES = 3              # that jitwarm prime has; a program that compiles at its start uses one
REGISTRY_GBIT, SITE_GBIT, MACHINE_GBIT = 10, 1, 1
STAY_COLD = 0.06       # of a normal day: machines that are new, made again, or have other software than yesterday


class Machine:
    __slots__ = ("kind", "site", "soft", "start", "cold")

    def __init__(self, rng, update):
        # A few kinds are most of a fleet.
        self.kind = min(int(rng.expovariate(1 / 2.5)), KINDS - 1)
        self.site = rng.randrange(SITES)
        self.soft = rng.choices(range(len(SOFTWARE)), [s[4] for s in SOFTWARE])[0]
        # Work begins between eight and ten, some later.
        self.start = max(0.0, rng.gauss(1.0, 0.5) if rng.random() < 0.85 else rng.uniform(0, HOURS)) * 3600
        self.cold = update or rng.random() < STAY_COLD


def share(flows, registry, site_mb, own_mb, mirrored):
    """MB a second for each flow. Fair on the most loaded line that it uses."""
    far = [f for f in flows if not (mirrored and f["near"])]
    sites = {}
    for f in far:
        sites[f["site"]] = sites.get(f["site"], 0) + 1
    for f in flows:
        if mirrored and f["near"]:
            f["rate"] = own_mb
        else:
            f["rate"] = min(own_mb, registry / len(far), site_mb / sites[f["site"]])


def transfers(pulls, mirrored):
    """[(start, site, what, MB)] in the order of their starts -> seconds of each, MB that left the registry, most MB and requests in a second."""
    registry, site_mb, own_mb = (x * 125.0 for x in (REGISTRY_GBIT, SITE_GBIT, MACHINE_GBIT))
    took, flows, at, now, out, peak, asked, fetched = [0.0] * len(pulls), [], 0, 0.0, 0.0, 0.0, {}, set()
    while at < len(pulls) or flows:
        if not flows:
            now = max(now, float(int(pulls[at][0])))
        while at < len(pulls) and pulls[at][0] < now + 1:
            start, site, what, size = pulls[at]
            near = mirrored and (site, what) in fetched
            fetched.add((site, what))
            # A mirror asks for the index each time, and for the rest once.
            asked[int(start)] = asked.get(int(start), 0) + (1 if near else REQUESTS)
            flows.append({"which": at, "site": site, "left": size, "near": near})
            at += 1
        share(flows, registry, site_mb, own_mb, mirrored)
        moved = 0.0
        for f in flows:
            step = min(f["left"], f["rate"])
            f["left"] -= step
            moved += 0 if mirrored and f["near"] else step
            if f["left"] <= 1e-9:
                took[f["which"]] = max(now + step / f["rate"] - pulls[f["which"]][0], step / f["rate"])
        out += moved
        peak = max(peak, moved)
        flows = [f for f in flows if f["left"] > 1e-9]
        now += 1
    return took, out, peak, max(asked.values(), default=0)


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))] if values else 0.0


def play(machines, how):
    """how: none, packs, mirror, carry."""
    cpu, waits, pulls, built = 0.0, [], [], {}
    cold = sorted((m for m in machines if m.cold), key=lambda m: m.start)
    for m in cold:
        _, _, mb, seconds, _ = SOFTWARE[m.soft]
        kind = (m.kind, m.soft)
        if how == "none":
            cpu += seconds
            waits.append(seconds)
        elif how == "carry":
            cpu += mb * CARRY_S + PULL_S
            waits.append(mb * CARRY_S + PULL_S)
        elif built.get(kind, m.start + 1) > m.start:
            # The first of its kind compiles for all and pushes; who comes before that is done compiles, too: nobody waits for others.
            built.setdefault(kind, m.start + seconds / CORES + mb * PACKED / (MACHINE_GBIT * 125))
            cpu += seconds
            waits.append(seconds / CORES)
        else:
            pulls.append((m.start, m.site, kind, mb * PACKED))
            cpu += mb * IMPORT_S + PULL_S
    took, out, peak, asked = transfers(pulls, how == "mirror")
    waits += [t + SOFTWARE[kind[1]][2] * IMPORT_S + PULL_S for t, (_, _, kind, _) in zip(took, pulls)]
    assert len(waits) == len(cold)
    return cpu / 3600, out / 1000, peak * 8 / 1000, asked, quantile(waits, 0.5), quantile(waits, 0.99), len(cold)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    opt = parser.parse_args()
    print(f"simulated: {opt.machines} machines of {KINDS} kinds in {SITES} sites, seed {opt.seed}")
    for name, modules, mb, seconds, part in SOFTWARE:
        print(f"  {name}: {modules} modules, {mb} MB of PTX, {seconds} s of one core, {part:.0%} of machines, layer {mb * PACKED:.0f} MB")
    print(f"  lines: registry {REGISTRY_GBIT} Gbit/s, site {SITE_GBIT}, machine {MACHINE_GBIT}; {REQUESTS} requests a pull")
    for title, update, hows in (("a working day", False, ("none", "packs", "mirror")),
                                ("the morning of a driver update", True, ("none", "packs", "mirror", "carry"))):
        rng = random.Random(opt.seed)
        machines = [Machine(rng, update) for _ in range(opt.machines)]
        print(f"\n{title}\n{'':14}{'cold':>8}{'CPU h':>9}{'GB out':>9}{'peak Gbit/s':>13}{'requests/s':>12}{'warm p50':>10}{'p99':>9}")
        for how in hows:
            cpu, out, peak, asked, p50, p99, cold = play(machines, how)
            print(f"{how:14}{cold:8}{cpu:9.1f}{out:9.1f}{peak:13.2f}{asked:12}{p50:8.1f} s{p99:7.1f} s")


if __name__ == "__main__":
    main()
