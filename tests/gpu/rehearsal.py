#!/usr/bin/env python3
"""rehearsal.py SCRIPT LAB SIMCUDA SCRATCH: the lab on the simulated driver. Every experiment must yield its lines, each marked as
simulated, and the answers and findings must change with what the simulated driver is told to do."""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

SCRIPT, LAB, SIMCUDA, SCRATCH = (pathlib.Path(arg) for arg in sys.argv[1:5])
EXPERIMENTS = ("e1", "e2a", "e6", "e3", "e5a", "e2b", "e2c", "e12b")
APP = LAB.parent / "liblabapp.so"
GROUPS = {"cache": ("e4a", "e4b", "e4c", "e8a", "e8b", "e10", "e9b", "e9a", "e9f", "e12"), "scale": ("e7a", "e7b"), "real": ("e13", "e5b", "e17", "e16")}
FIRST = ("e1", "e2a", "e6", "e3", "e4a", "e7b", "e17", "e8a", "e10", "e9f", "e16")
ALWAYS = {"experiment", "step", "what", "ok", "findings", "driver", "cuda", "stamp", "gpu", "sm", "kernel", "date", "simulated", "phantom"}
NVJITLINK = pathlib.Path(os.environ.get("JITWARM_CORPUS", pathlib.Path.home() / ".cache/jitwarm-corpus")) / "toolkit/lib/libnvJitLink.so.13"
AS_IT_IS = "as it is"
SIDE_BY_SIDE = 6  # they mostly sleep
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def environment(knowledge):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CUDA_", "SIMCUDA_", "LAB"))}
    kept |= {"LAB": str(LAB), "JITWARM_DRIVER": str(SIMCUDA), "LAB_SMALL": "1", "LAB_MS": "100", "SIMCUDA_DEFAULT_MAXSIZE": "1M"}
    kept |= {"LAB_NVJITLINK": str(NVJITLINK) if NVJITLINK.is_file() else "/nonexistent/libnvJitLink.so"}
    kept |= {"LAB_APP": str(APP)} if APP.is_file() else {}
    return kept if knowledge is None else kept | {"SIMCUDA_KNOWLEDGE": str(knowledge)}


def lines_of(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def by_step(folder, experiment):
    return {line["step"]: line for line in lines_of(folder / f"{experiment}.jsonl")}


def run_group(group, experiments):
    out = SCRATCH / group
    run = subprocess.run([SCRIPT, group, out], env=environment(None), capture_output=True, text=True, check=False)
    check(run.returncode == 0, f"gpu-lab.sh {group}: exit {run.returncode}\n{run.stdout}{run.stderr}")
    check(len(run.stdout.splitlines()) == len(experiments), f"one line for each experiment:\n{run.stdout}")
    for experiment in experiments:
        lines = lines_of(out / f"{experiment}.jsonl")
        check(lines[-1]["step"] == "end" and lines[-1]["lines"] == len(lines) - 1 and lines[-1]["failed"] == 0,
              f"{experiment}: the last line must count the others and no failure: {lines[-1]}")
        for line in lines:
            check(ALWAYS <= line.keys(), f"{experiment} {line.get('step')}: lacks {ALWAYS - line.keys()}")
            check(line.get("simulated") is True, f"{experiment} {line.get('step')}: is not marked as simulated")
            check(line.get("ok") is True, f"{experiment} {line.get('step')}: could not be carried out")
    return out


def check_answers(out):
    e1, e2a, e6 = by_step(out, "e1"), by_step(out, "e2a"), by_step(out, "e6")
    check(e1["cold"]["entries"] == 1 and e1["cold"]["name_predicted"] and e1["cold"]["index_records"] == 1, "e1 cold")
    check(all(op["new"] == 0 for op in e1["again"]["operations"]), "e1 again: nothing new")
    check(e1["native"]["entries"] == 0, "e1 native: no entry")
    if (LAB.parent / "liblabshim.so").is_file():
        check(any("O_CREAT" in call for call in e1["cold"]["calls"]), "e1: the shim saw the entry being made")
        check(not any("O_CREAT" in call for call in e1["again"]["calls"]), "e1 again: nothing was made")
    check(any(op["op"].startswith("launch") and op["value"] == 42 for op in e1["cold"]["operations"]), "e1: 17 + 25")
    check(e2a["text"]["nuls"] == 1 and e2a["lz4"]["nuls"] == 2 and e2a["lz4-bare"]["nuls"] == 1, "e2a: NULs")
    check(e2a["lz4-bare"]["entry"] == e2a["text"]["entry"], "e2a: without a stored NUL, the key of the text")
    check(e2a["lz4"]["entry"] == e2a["zstd"]["entry"] == e2a["identifier"]["entry"] != e2a["text"]["entry"], "e2a: one key")
    check(e2a["items"]["entry"] == e2a["item-alone"]["entry"] != e2a["raw"]["entry"], "e2a: the chosen item alone")
    check(e2a["text-blank"]["entry"] != e2a["text"]["entry"] != e2a["text-crlf"]["entry"], "e2a: exact bytes")
    check(e2a["link"]["options"] == " -c" and "maxrregcount=40" in e2a["options"]["options"], "e2a: options")
    check(e6["EAGER-data-none"]["appeared_at"] == "data" and e6["LAZY-data-none"]["appeared_at"] == "data", "e6: modes")
    check(e6["EAGER-fatbinary-none"]["has_first_kernel"] and e6["EAGER-fatbinary-none"]["has_second_kernel"], "e6: whole")
    check(by_step(out, "e5a")["path"]["hits"] == 4 and by_step(out, "e5a")["home"]["hits"] == 4, "e5a: a copy hits")
    check(by_step(out, "e3")["i"]["hits"] == 12, "e3: appended records are found")


def run_level(knowledge):
    out = SCRATCH / f"level-{knowledge}"
    for experiment in ("e2a", "e3"):
        subprocess.run([LAB, experiment, out], env=environment(knowledge), stdout=subprocess.DEVNULL, check=False)
    e2a, e3 = (by_step(out, experiment) for experiment in ("e2a", "e3"))
    return {"predicted": e2a["lz4"]["name_predicted"], "placed": e3["i"]["hits"]}


def check_levels():
    wanted = {1: {"predicted": False}, 2: {"predicted": True, "placed": 0}, 3: {"predicted": True, "placed": 12}}
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        found_at = dict(zip(wanted, pool.map(run_level, wanted)))
    for knowledge, answers in wanted.items():
        found = found_at[knowledge]
        for name, answer in answers.items():
            check(found[name] == answer, f"at level {knowledge} '{name}' is {found[name]}, not {answer}")


def findings(experiment, name, switches):
    """What an experiment finds of each belief when the simulated driver is told to do so; AS_IT_IS: what its group has found."""
    out = SCRATCH / f"switch-{experiment}-{name}"
    if name == AS_IT_IS:
        out = next(SCRATCH / group for group, names in ({"facts": EXPERIMENTS} | GROUPS).items() if experiment in names)
    else:
        subprocess.run([LAB, experiment, out], env=environment(None) | switches, stdout=subprocess.DEVNULL, check=False)
    lines = lines_of(out / f"{experiment}.jsonl")
    check(lines[-1]["step"] == "end" and (lines[-1]["failed"] == 0 or name in ("no-import", "veiled")), f"{experiment} {name}: {lines[-1]}")
    return {(line["step"], f["belief"].split("-")[0]): f"{f['found']}: {f['why']}" for line in lines for f in line["findings"]}


def check_switches():
    """Both answers of what is doubtful must be told apart."""
    hopper = {"SIMCUDA_GPUS": "sm_90:NVIDIA H200:139G"}
    slow = {"SIMCUDA_COST": "2000", "LAB_MS": "60"}
    wanted = [
        ("e1", AS_IT_IS, {}, ("cold", "F01"), "confirmed"),
        ("e1", AS_IT_IS, {}, ("again", "F31"), "confirmed"),
        ("e1", "veiled", {"SIMCUDA_KNOWLEDGE": "0"}, ("cold", "F01"), "contradicted"),
        ("e2a", AS_IT_IS, {}, ("fatbinary", "F15"), "confirmed"),
        ("e2a", AS_IT_IS, {}, ("raw", "F13"), "confirmed"),
        ("e2a", AS_IT_IS, {}, ("text-crlf", "F12"), "confirmed"),
        ("e3", AS_IT_IS, {}, ("a", "F28"), "confirmed"),
        ("e3", "misses", {"SIMCUDA_KNOWLEDGE": "2"}, ("a", "F28"), "contradicted"),
        ("e3", AS_IT_IS, {}, ("i", "F27"), "confirmed"),
        ("e3", "misses", {"SIMCUDA_KNOWLEDGE": "2"}, ("i", "F27"), "contradicted"),
        ("e3", AS_IT_IS, {}, ("e", "F83"), "answered: its index has a wrong total: 8 hits of 8"),
        ("e5a", AS_IT_IS, {}, ("path", "F60"), "confirmed"),
        ("e5a", "misses", {"SIMCUDA_KNOWLEDGE": "2"}, ("path", "F60"), "contradicted"),
        ("e6", AS_IT_IS, {}, ("EAGER-data-none", "F21"), "confirmed"),
        ("e6", AS_IT_IS, {}, ("LAZY-data-get", "F22"), "confirmed"),
        ("e2c", AS_IT_IS, {}, ("e-own", "F50"), "confirmed"),
        ("e2c", AS_IT_IS, {}, ("d-sm_75", "F19"), "confirmed"),
        ("e2c", "plain", hopper, ("d-sm_90a", "F19"), "answered: PTX for sm_90a: the key says sm_90"),
        ("e2c", "suffixed", hopper | {"SIMCUDA_KEY_ARCH": "suffixed"}, ("d-sm_90a", "F19"), "answered: PTX for sm_90a: the key says sm_90a"),
        ("e12b", AS_IT_IS, {}, ("code-and-ptx", "F72"), "confirmed"),
        ("e12b", AS_IT_IS, {}, ("better-is-garbled", "F75"), "confirmed"),
        ("e4b", AS_IT_IS, {}, ("d", "F27"), "confirmed"),
        ("e4b", AS_IT_IS, {}, ("b", "F39"), "confirmed"),
        ("e4b", AS_IT_IS, {}, ("e", "F43"), "answered"),
        ("e4b", "lost", slow | {"SIMCUDA_LOST_RECORDS": "1"}, ("e", "F43"), "confirmed"),
        ("e8b", AS_IT_IS, {}, ("c-less", "F54"), "confirmed"),
        ("e8b", AS_IT_IS, {}, ("g", "F57"), "confirmed"),
        ("e8b", AS_IT_IS, {}, ("b-16M", "F53"), "confirmed"),
        ("e9a", AS_IT_IS, {}, ("code", "F68"), "answered: a byte in the middle of the cubin: the number is right, and the entry was made again"),
        ("e9a", "left", {"SIMCUDA_TORN": "left"}, ("code", "F68"), "answered: a byte in the middle of the cubin: the number is right, and the entry was left"),
        ("e9a", "loaded", {"SIMCUDA_TORN": "loaded"}, ("elf", "F69"), "answered: a byte of the cubin's head: the load failed"),
        ("e9a", AS_IT_IS, {}, ("index-folder", "F83"), "answered: index-folder: the number is right"),
        ("e4a", AS_IT_IS, {}, ("a", "F43"), "answered"),
        ("e4a", "lost", slow | {"SIMCUDA_LOST_RECORDS": "1"}, ("a", "F43"), "confirmed"),
        ("e8a", AS_IT_IS, {}, ("d", "F56"), "confirmed"),
        ("e9b", "repaired", {"SIMCUDA_TORN": "repaired"}, ("b", "F69"), "confirmed"),
        ("e9b", "left", {"SIMCUDA_TORN": "left"}, ("b", "F69"), "confirmed"),
        ("e9b", "loaded", {"SIMCUDA_TORN": "loaded"}, ("b", "F69"), "contradicted"),
        ("e9f", "torn", {"SIMCUDA_FAULTS": "short@3"}, ("f", "F68"), "confirmed"),
        ("e10", "misses", slow, ("read-only-mode", "F64"), "answered: read-only-mode: no hits"),
        ("e2b", AS_IT_IS, {}, ("log-buffers", "F18"), "answered: log-buffers: the same"),
        ("e4c", AS_IT_IS, {}, ("ofd-write-miss", "F41"), "confirmed: it went on"),
        ("e12", AS_IT_IS, {}, ("disable-ptx-jit", "F81"), "confirmed"),
        ("e7a", AS_IT_IS, {}, ("memory", "F26"), "confirmed"),
        ("e13", AS_IT_IS, {}, ("a-sm_90", "F84"), "answered: sm_90: error 300, 1 entries, for sm_90"),
        ("e13", "forgets", {"SIMCUDA_TARGET_STORES": "0", "LAB_NVJITLINK": "/nonexistent/it"}, ("a-sm_90", "F84"), "answered: sm_90: error 300, 0 entries"),
        ("e13", "forgets", {}, ("b", "F09"), "not testable"),
        ("e5b", AS_IT_IS, {}, ("b", "F60"), "not testable"),
        ("e5b", "same", {"LAB_OTHER": str(SCRATCH / "real/e5b.entries")}, ("b", "F60"), "confirmed"),
        ("e5b", "updated", {"LAB_OTHER": str(SCRATCH / "real/e5b.entries"), "SIMCUDA_STAMP": "Feb  3 2026 01:02:03"}, ("c", "F35"), "confirmed"),
    ]
    if APP.is_file():
        wanted += [("e16", AS_IT_IS, {}, ("start-primed", "F15"), "confirmed"),
                   ("e16", AS_IT_IS, {}, ("start-imported", "F27"), "confirmed"),
                   ("e16", AS_IT_IS, {}, ("prime", "F59"), "confirmed"),
                   ("e16", "no-import", {"SIMCUDA_KNOWLEDGE": "2"}, ("start-imported", "F27"), "contradicted")]
    for_all = {}
    for experiment, name, switches, _, _ in wanted:
        for_all.setdefault((experiment, name), switches)
    for_all = list(for_all.items())
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        said = dict(zip((key for key, _ in for_all), pool.map(lambda one: findings(*one[0], one[1]), for_all)))
    for experiment, name, _, at, words in wanted:
        found = said[experiment, name].get(at, "nothing")
        check(found.startswith(words), f"{experiment} {name}: of {at} it finds '{found}', not '{words}'")


def check_plan():
    listed = subprocess.run([SCRIPT, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    groups = {line.split(":")[0]: tuple(line.split(":")[1].split()) for line in listed if ": asks " not in line}
    asked = {line.split(":")[0] for line in listed if ": asks " in line}
    there = set(subprocess.run([LAB, "--list"], capture_output=True, text=True, check=True).stdout.split())
    planned = {name for group, names in groups.items() if group != "first" for name in names}
    check(there == planned == asked, f"the lab has {there ^ planned} in no group, or there is no word of what {there ^ asked} asks")
    check(groups == {"first": FIRST, "facts": EXPERIMENTS} | GROUPS, f"the groups are {groups}")
    plan = [line.split() for line in SCRIPT.read_text(encoding="utf-8").split("cat <<'END'\n")[1].split("END")[0].splitlines()]
    for group in groups:
        check(sum(int(seconds) for name, _, seconds in plan if name == group) <= 530, f"{group} takes longer than its time")


def check_refusals():
    for arguments, code in ((["facts"], 2), (["nothing", "x"], 2)):
        run = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False, cwd=SCRATCH)
        check(run.returncode == code and len((run.stdout + run.stderr).splitlines()) == 1, f"{arguments}: {run}")
    none = environment(None) | {"JITWARM_DRIVER": str(SCRATCH / "none.so")}
    run = subprocess.run([SCRIPT, "facts", SCRATCH / "none"], env=none, capture_output=True, text=True, check=False)
    check(run.returncode == 77 and run.stdout.count("SKIP: no GPU") == len(EXPERIMENTS), f"without a driver: {run}")
    check(not run.stderr, f"said twice: {run.stderr}")


if not SIMCUDA.is_file():
    print(f"SKIP: there is no simulated driver at {SIMCUDA}")
    sys.exit(77)
shutil.rmtree(SCRATCH, ignore_errors=True)
SCRATCH.mkdir(parents=True)
check_plan()
with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
    done = {group: pool.submit(run_group, group, experiments) for group, experiments in ({"facts": EXPERIMENTS} | GROUPS).items()}
check_answers(done["facts"].result())
check_switches()
check_levels()
check_refusals()
print("\n".join(failures), end="\n" if failures else "")
sys.exit(1 if failures else 0)
