"""What the proofs of jitwarm compile have in common: one machine that makes a pack, and another that imports it."""
from cases import same

STAMP, SM = "Jan  7 2026 62:51:46", 86
KEY_STAMP = STAMP[:11] + STAMP[12:]


def states_of(answer):
    counts = {s: n["entries"] if isinstance(n, dict) else n for s, n in answer["counts"].items()}
    return {s: n for s, n in counts.items() if n}


def image(folder):
    """Every file below it, to the byte."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def offline(m, *args, compiler=None, stamp=STAMP, sm=SM, **env):
    """On a build machine: it has no driver."""
    target = f"driver={stamp},sm={sm}"
    return m.answer("compile", "--for", target, "--compiler", compiler or m.opt.ptxas, *args,
                    **dict(dict(JITWARM_DRIVER="/nonexistent/libcuda.so.1"), **env))


def inspect(m, pack):
    answer, code = m.answer("inspect", "--entries", pack)
    same(code, 0, "inspect")
    return answer


def take(m, pack, *args, **env):
    return m.answer("import", "--allow-unsigned", "--no-audit", pack, *args, **env)


def own_store(m):
    m.env["JITWARM_STORE"] = str(m.folder / "store")
    m.env["SIMCUDA_STAMP"] = STAMP
