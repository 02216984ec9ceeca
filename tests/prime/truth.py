"""One truth everywhere: whichever verb is asked, the answer about what is warm is the same, and it ends when the software does."""
import os
import pathlib
import shlex
import shutil

from bench import Cache
from limits import command_of, other_driver, own_driver, update_driver
from warm import case, plain, states
from cases import check, same


def first_page(m):
    return " ".join(m.run().stdout.split())


def reported(m):
    return plain(m.run("report").stdout)


@case
def removed_software_is_forgotten(m):
    """Set-up: the software was removed or moved"""
    older, _ = m.library("older/lib.so", count=2, seed=3)
    m.answer("prime", older.parent)
    shutil.rmtree(older.parent)
    lib, _ = m.library("libs/lib.so", count=4, seed=1)
    m.answer("prime", lib.parent)
    check("4 of 4 modules" in first_page(m), first_page(m))
    shutil.rmtree(lib.parent)
    check(f"what was primed is gone: {lib.parent}" in first_page(m), first_page(m))
    answer, code = m.answer("prime", "--if-stale")
    same((code, answer["end"]), (0, "nothing"), "--if-stale")
    check(f"what was primed is gone: {lib.parent}" in answer["why"], answer["why"])
    check(f"what was primed is gone: {lib.parent}" in reported(m), reported(m)[:600])
    for verb, ends, says in (("prime", "--check"), 1, "unknown"), (("verify",), 1, "unknown"), (("prime",), 0, None):
        answer, code = m.answer(*verb)
        same((code, says or answer["next_start"]), (ends, answer["next_start"]), verb)
        check(f"what was primed is gone: {lib.parent}" in " ".join(m.run(*verb).stdout.split()), verb)
    for words in ("status",), ("prime", "--check"):
        check(m.run(*words).stdout.partition("To do")[2].split()[:3] == ["jitwarm", "prune", "--gone"], f"{words}: another prime would find nothing")
    same(m.answer("prune", "--gone", "--yes")[1], 0, "forgotten")
    check(m.run("status").stdout.partition("To do")[2].split()[:3] == ["jitwarm", "scan", "-v"], "the last prime found nothing, and another one would not, either")


@case
def primed_again_where_nothing_was(m):
    """The last prime found nothing to compile, while the software was away or for another GPU: status asks for its folder, and does not say that nothing was ever primed."""
    lib, _ = m.library("libs/lib.so", count=4, seed=1)
    m.answer("prime", lib.parent)
    gone = lib.rename(m.folder / "lib.so")
    m.answer("prime", lib.parent)
    gone.rename(lib)
    check("the last run found nothing to compile" in first_page(m), first_page(m))
    same(m.answer("status")[0]["next_start"], "unknown", "status")


@case
def entries_of_an_earlier_version(m):
    """The software was updated and primed, then the cache was lost and primed again: what the earlier version had there is missed by nobody."""
    lib, _ = m.library("libs/lib.so", count=4, seed=1)
    m.answer("prime", lib)
    m.library("libs/lib.so", count=4, seed=2)
    m.answer("prime", lib)
    m.forget_cache()
    check(m.answer("status")[0]["primed"]["emptied"], "the cache is lost")
    same(m.answer("prime", lib)[1], 0, "prime")
    answer, _ = m.answer("status")
    same((answer["primed"]["gone"]["entries"], answer["next_start"]), (0, "warm"), "status")
    check("evicted" not in m.run("status").stdout and "cache-evicted" not in m.run("doctor").stdout, "no word of it")
    next(m.root / name for name in sorted(str(p.relative_to(m.root)) for p in m.root.glob("?/?/*"))).unlink()
    same(m.answer("status")[0]["primed"]["gone"]["entries"], 1, "one of this version")


@case
def nothing_was_ever_primed(m):
    """A check in another home, as a cron job's: nothing is found there, and nothing is known. That is not green.
    Set-up: no CUDA code is found, and nothing was primed with this home | says so, 1 | nothing, 0 | says so, 1 | compiled, 1 where it compiles | starts it, and records it"""
    for verb, code in (("prime", "--check"), 1), (("verify",), 1), (("prime", "--dry-run"), 0), (("prime",), 0):
        answer, got = m.answer(*verb)
        same((got, answer["next_start"]), (code, "unknown"), verb)
        said = " ".join(m.run(*verb).stdout.split())
        check(said.startswith("Not known what starts compile: no CUDA code was found, and nothing was primed here yet"), f"{verb}: {said}")


@case
def software_that_was_changed(m):
    """How many entries are in the cache says nothing of the file that is there now."""
    lib, _ = m.library("libs/lib.so", count=4, seed=1)
    m.answer("prime", lib.parent)
    m.library("libs/lib.so", count=4, seed=2)
    for text in first_page(m), " ".join(m.run("status").stdout.split()), reported(m):
        check(f"unknown: changed since the last run: {lib} (before, 4 of 4 modules were warm)" in text and "Warm 4 of 4" not in text, text[:800])


@case
def software_that_is_gone_from_its_folder_is_forgotten(m):
    one, _ = m.library("one/lib.so", count=4, seed=1)
    two, _ = m.library("two/lib.so", count=3, seed=2)
    m.answer("prime", one.parent)
    m.answer("prime", two.parent)
    two.unlink()
    for words in ((), (two.parent,)):
        check("changed" in first_page(m), f"{words}: before: {first_page(m)}")
        answer, code = m.answer("prime", *words)
        same((code, states(answer)), (0, {}) if words else (1, {"warm": 4}), f"{words}: prime")
        if not words:  # it was named, and may be meant to be there
            check("holds no CUDA code any more: " + str(two.parent) in first_page(m), first_page(m))
            m.run("prune", "--gone", "--yes")
        check("4 of 4 modules" in first_page(m), f"{words}: {first_page(m)}")
        check("4 of 4 modules" in reported(m), reported(m)[:600])
        m.library("two/lib.so", count=3, seed=2)
        m.answer("prime", two.parent)
        two.unlink()
    # Software without code to compile says nothing about the other.
    m.answer("prime", two.parent)
    (m.folder / "three").mkdir()
    m.answer("prime", m.folder / "three")
    check("4 of 4 modules" in first_page(m), first_page(m))


@case
def gone_software_and_a_line_that_excludes_other(m):
    """What jitwarm.conf excludes from every run makes none of them less than whole."""
    conf = m.home / ".config/jitwarm/jitwarm.conf"
    conf.parent.mkdir(parents=True, exist_ok=True)
    conf.write_text("exclude = /nowhere/at/all\n")
    one, _ = m.library("one/lib.so", count=4, seed=1)
    two, _ = m.library("two/lib.so", count=3, seed=2)
    m.answer("prime", one.parent)
    m.answer("prime", two.parent)
    two.unlink()
    same(m.answer("prime", two.parent)[1], 0, "prime")
    check("4 of 4 modules" in first_page(m), first_page(m))


@case
def only_what_was_primed_before(m):
    """--if-stale: what was primed before, and what commands load; under a new driver, too."""
    answer, code = m.answer("prime", "--if-stale")
    check("nothing was primed here yet" in answer["why"], answer["why"])
    own_driver(m)
    texts = m.folder / "texts"
    texts.mkdir()
    for i in range(3):
        (texts / f"k{i}.ptx").write_text(f".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k{i}()\n{{\n\tret;\n}}\n")
    command = [m.opt.play, own_driver(m), "init", "ctx 0", f"load {texts}/k0.ptx", f"load {texts}/k1.ptx"]
    done = m.run("prime", "--run", *command)
    check("loads 2 modules" in " ".join(done.stdout.split()), done.stdout)
    answer, code = m.answer("prime", "--if-stale")
    same((code, states(answer)), (0, {"warm": 2}), "--if-stale")
    answer, code = m.answer("prime", "--if-stale")
    same((code, answer["receipt"]), (0, True), "--if-stale again")
    update_driver(m)
    answer, code = m.answer("prime", "--if-stale")
    same((code, states(answer)), (0, {"warmed": 2}), "--if-stale under another driver")
    answer, code = m.answer("prime", "--if-stale")
    same((code, answer["receipt"]), (0, True), "and again")


@case
def a_logon_after_a_prime_by_hand(m):
    """Its run skips what other users can change; what a run by hand warmed is more, so no driver is asked."""
    lib, _ = m.library("libs/lib.so", count=4, seed=1)
    m.answer("prime", lib.parent)
    answer, code = m.answer("prime", "--if-stale", "--background", SIMCUDA_INIT="999")
    same((code, answer["end"], answer["receipt"]), (0, "nothing", True), "the first logon")


@case
def software_for_a_newer_driver(m):
    """Its programs do not start here at all: that is not warm, and the branch of the driver that can is named.
    Set-up: PTX of the software needs a newer driver"""
    lib, _ = m.library("libs/lib.so", count=4, seed=1)
    old = dict(SIMCUDA_DRIVER="11.4")
    for words in (("prime", lib.parent), ("prime", lib.parent, "--dry-run"), ("prime", lib.parent, "--check"), ("verify", lib.parent)):
        answer, code = m.answer(*words, **old)
        same((code, answer["end"], answer["left_out"]["blocked"]["modules"]), (1, "partly", 4), str(words))
        done = m.run(*words, **old)
        said = " ".join(done.stdout.split())
        check(done.returncode == 1 and "520" in said, f"{words}: {done.returncode} {said}")
        check("warm" not in said.split("520")[0], f"{words}: {said}")
        check(any("4 modules need a newer driver" in note and note.endswith(f"the first is in {lib}") for note in answer["notes"]), f"{words}: {answer['notes']}")


def ptx(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f".version 8.0\n.target {target}\n.address_size 64\n.visible .entry {path.stem}()\n{{\n\tret;\n}}\n")


@case
def software_without_code_for_this_gpu(m):
    """Beside software that is warm: doctor calls it a problem, and no verb says that all is well. What has code for this GPU in another
    file of its package runs.
    Set-up: the software has no code for this GPU | says so, 1 | compiles the rest, says so, 1 | says so, 1 | compiled nothing: the program fails where it loads it | starts it, and it fails"""
    folder, root = m.folder / "texts", m.folder / "root"
    root.mkdir()
    env = dict(JITWARM_SYSROOT=str(root), PATH="/usr/bin:/bin")
    ptx(folder / "k.ptx", "sm_80")

    def all_say(what, *words):
        for verb in ("prime", "--check"), ("prime",), ("prime", "--check"), ("verify",), ("prime", "--if-stale"):
            answer, code = m.answer(*verb, *(words if verb[-1] != "--if-stale" else ()), "--as-root", **env)
            said = " ".join(m.run(*verb, *(words if verb[-1] != "--if-stale" else ()), "--as-root", **env).stdout.split())
            yield f"{what}: {verb}: {said}", answer["next_start"], answer["next_start_why"], said, code
        answer = m.answer("status", **env)[0]
        yield f"{what}: status", answer["next_start"], answer["next_start_why"], " ".join(m.run("status", **env).stdout.split()), 1

    def no_kernel():
        return [f["subject"] for f in m.answer("doctor", **env)[0]["findings"] if f["id"] == "framework-no-kernel"]

    for target in "sm_90", "sm_90a":
        ptx(folder / "high.ptx", target)
        why = "high.ptx has no code for sm_86: programs that load it fail"
        for what, says, reason, said, code in all_say(target, folder):
            check(code == 1 and says != "warm" and "Nothing to do" not in said and "Everything primed is warm" not in said, what)
            check(says == "compiles" or (reason == why and why in said), f"{what}: {reason}")
        same(no_kernel(), ["high.ptx"], "doctor")
        same(m.run("prime", "--check", "--as-root", **env).returncode, 1, "all that was primed")
    for high in folder / "high.ptx", folder / "pack/high.ptx":
        ptx(high, "sm_90")
        said = " ".join(m.run("prime", high, "--as-root", **env).stdout.split())
        check("Nothing runs here" in said and "high.ptx has no code" in said, f"alone: {said}")
        high.unlink()
        m.run("prune", "--gone", "--yes", **env)
    site = m.folder / "venv/lib/python3.11/site-packages"
    ptx(site / "pa/k80.ptx", "sm_80")
    ptx(site / "pa/k90.ptx", "sm_90")
    (m.folder / "venv/bin").mkdir()
    (m.folder / "venv/bin/python").symlink_to(shutil.which("python3"))
    (m.folder / "venv/pyvenv.cfg").touch()
    env["VIRTUAL_ENV"] = str(m.folder / "venv")
    for what, says, reason, said, code in all_say("one file for each kind of GPU"):
        check(code in (0, 1) and says != "unknown" and "no code" not in said, f"{what}: {reason}")
    same((m.run("prime", "--check", "--as-root", **env).returncode, no_kernel()), (0, []), "one file for each kind of GPU")
    ptx(site / "pb/b.ptx", "sm_90")
    for what, says, reason, said, code in all_say("a package for newer GPUs", *()):
        check((code, says) == (1, "unknown") or "if-stale" in what or "status" in what, f"{what}: {reason}")
    same((m.run("prime", "--check", "--as-root", **env).returncode, no_kernel()), (1, ["pb"]), "a package for newer GPUs")
    ptx(site / "pb/c.ptx", "sm_90")
    ptx(site / "pb/d.ptx", "sm_80")
    why = "most of pb has no code for sm_86: programs that load that fail"
    same((why in " ".join(m.run("prime", "--check", "--as-root", **env).stdout.split()) or m.answer("prime", "--as-root", **env)[0]["next_start_why"] == why, no_kernel()), (True, ["pb"]), why)


@case
def one_loose_file_for_each_gpu(m):
    """The program chooses the file: those for other GPUs are no lack where one beside them is for this GPU. By themselves, they are."""
    folder, root = m.folder / "texts", m.folder / "root"
    root.mkdir()
    env = dict(JITWARM_SYSROOT=str(root), PATH="/usr/bin:/bin")

    def no_kernel():
        return [f["subject"] for f in m.answer("doctor", **env)[0]["findings"] if f["id"] == "framework-no-kernel"]

    for n in 80, 90, 100, 120:
        ptx(folder / f"kernel_sm{n}.ptx", f"sm_{n}")
    same(m.run("scan", "--check", "--gpu", "sm_86", folder).returncode, 1, "scan: one is compiled")
    same(m.run("scan", "--check", "--gpu", "sm_75", folder).returncode, 1, "scan: none is for it")
    answer, code = m.answer("prime", folder, "--as-root", **env)
    same((code, answer["next_start"], states(answer)), (0, "warm", {"warmed": 1}), "prime")
    for words in ("prime", "--check", folder), ("prime", "--check"), ("prime",), ("verify",), ("verify", folder):
        answer, code = m.answer(*words, "--as-root", **env) if words[0] == "prime" else m.answer(*words, **env)
        same((code, answer["next_start"]), (0, "warm"), words)
    check("no code for" not in m.run("status", **env).stdout, "status")
    said = " ".join(m.run("doctor", **env).stdout.split())
    check("kernel_sm*.ptx" in said and "kernel_sm80" not in said and "kernel_sm90" not in said, f"doctor names them once: {said}")
    same(no_kernel(), [], "doctor")
    check("3 files are for other GPUs, beside one for it" in " ".join(m.run("scan", "--gpu", "sm_86", folder).stdout.split()), "scan")
    (folder / "kernel_sm80.ptx").unlink()
    answer, code = m.answer("prime", folder, "--as-root", **env)
    check(code and "kernel_sm*.ptx has no code for sm_86" in m.run("prime", folder, "--as-root", **env).stdout, "none is for this GPU")


@case
def an_older_driver_after_a_newer(m):
    """The entries of the newer one hold PTX that this one cannot read: that is said, and the driver is not asked to compile it.
    Set-up: PTX of the software needs a newer driver"""
    lib, _ = m.library("libs/lib.so", count=4, seed=1)
    old = dict(other_driver(m, "libcuda.so.470.1"), SIMCUDA_DRIVER="11.4")
    same(m.run("prime", lib.parent).returncode, 0, "with the newer one")
    for again in ("the files are there", "they are gone"):
        for words in (("prime", "--check"), ("prime",), ("verify",)):
            answer, code = m.answer(*words, **old)
            same((code, answer["left_out"].get("blocked", {}).get("modules"), answer["jobs"]), (1, 4, []), f"{again}: {words}")
        lib.unlink(missing_ok=True)


@case
def a_command_in_a_cache_of_its_own(m):
    """What runs without PATH say of "all" counts the caches that recorded commands chose, too.
    Set-up: the program uses a cache of its own"""
    own = m.folder / "own"
    command = command_of(m, 3, settings=[f"CUDA_CACHE_PATH={own}"])
    same(m.run("prime", "--run", *command).returncode, 0, "prime --run")

    done = m.run("prime", "--check", "--run", *command)
    check(done.returncode == 2 and "verify --run" in done.stderr, f"a dry run of a command: {done.stderr}")

    def asked(*words, **env):
        answer, code = m.answer(*words, **env)
        c, = answer["own_caches"]
        same((c["cache"], c["command"], c["modules"]), (str(own), shlex.join(map(str, command)), 3), f"{words}: which")
        return code, c["warm"], c["warmed"]

    def updated():
        update_driver(m)
        return dict(m.env)

    for driver in str, updated:
        other = driver()
        for software in False, True:
            env = other if other else {}
            if software:
                lib, _ = m.library("libs/lib.so", count=2, seed=3)
                m.answer("prime", lib.parent, **env)
            if not other:
                shutil.rmtree(own)
            elif software:
                continue
            if software:  # a run of a cache that is named leaves the caches of commands out: so does its status
                named = [m.answer(*words, "--cache", m.root)[0]["next_start"] for words in (("status",), ("prime", "--check"))]
                same(named, ["warm", "warm"], "of the cache that is named")
            same(asked("prime", "--check", **env), (1, 0, 0), "the dry run")
            same(asked("prime", "--dry-run", **env), (0, 0, 0), "the dry run without --check")
            same(asked("verify", **env), (1, 0, 0), "verify")
            words = " ".join(m.run("prime", "--check", **env).stdout.split())
            check(("0 of 3 modules are warm in caches that" in words or other) and f"0 of 3 modules are warm in {own}" in words and "Nothing to do" not in words, words)
            check("(0 of 3 modules warm)" in " ".join(m.run(**env).stdout.split()) and "Everything" not in m.run(**env).stdout, m.run(**env).stdout)
            same(asked("prime", "--if-stale", **env), (0, 3, 3), "--if-stale warms it")
            check("(3 of 3 modules warm)" in " ".join(m.run(**env).stdout.split()), m.run(**env).stdout)
            same(asked("prime", **env), (0, 3, 0), "prime")
            same(asked("prime", "--check", **env), (0, 3, 0), "the dry run, warm")
            same(asked("verify", **env), (0, 3, 0), "verify, warm")
            same(m.run("verify", "--run", *command, **env).returncode, 0, "and the command compiles nothing")

    def refused(why, compiles):
        for words in ("prime", "--check"), ("prime",), ("verify",), ("prime", "--if-stale"):
            answer, code = m.answer(*words, **env)
            check(code == 1 and why in answer["own_caches"][0]["why"], f"{words}, {why}: {code} {answer['own_caches']}")
            said = " ".join(m.run(*words, **env).stdout.split())
            check(why in said and ("It is not known what is warm in caches that recorded commands chose" in said or "verify" in words), f"{words}: {said}")
        same(m.run("verify", "--run", *command, **env).returncode, compiles, f"verify --run, {why}: it is asked of the driver")
        same(m.run("run", "--", *command, **env).returncode, 0, f"run starts it, {why}")

    own.chmod(0o777)
    refused("may be changed by everybody", 0)
    own.chmod(0o700)
    (own / "index").rename(m.folder / "kept")
    (own / "index").mkdir()
    refused("index", 1)
    (own / "index").rmdir()
    (m.folder / "kept").rename(own / "index")
    same(asked("prime", "--check", **env), (0, 3, 0), "as before")
