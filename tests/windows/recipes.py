"""Cases of proof.py about scripts/fleet/windows: Wine's cmd.exe runs the scripts, with jitwarm.exe on PATH."""
import re
import shutil

from wine import ROOT, Windows
from cases import Skip, check, same

RECIPES = ROOT / "scripts" / "fleet" / "windows"


def script(m, name, *args):
    """As Windows runs it. Returns the exit code, of which Unix keeps 8 bits."""
    tool = m.drive / "Program Files" / "jitwarm" / "jitwarm.exe"
    tool.parent.mkdir(exist_ok=True)
    shutil.copy(m.opt.tool, tool)
    shutil.copy(RECIPES / name, m.folder)
    m.env["WINEPATH"] = m.path(tool.parent)
    done = m.wine("cmd", "/c", m.folder / name, *args, check=False)
    return done.returncode, done.stdout + done.stderr


def gpo(m):
    """A computer's startup script takes key and pack from the share; the login of a user, who trusts nothing else, imports it."""
    if not m.opt.other:
        raise Skip("--other names no second machine")
    other, lib = Windows(m.opt, m.folder, m.opt.other), m.library("app/lib.dll", count=4)
    share = m.folder / "share"
    share.mkdir()
    same(m.answer("prime", lib, "--no-verify")[1], 0, "prime")
    key = m.run("key").stdout.strip()
    m.run("keygen", "--no-passphrase", "-o", m.folder / "company.key")
    same(m.run("export", lib, "--sign", m.folder / "company.key", "-o", share / f"{key}.tar.zst").returncode, 0, "export")
    shutil.copy(m.folder / "company.pub", share)
    (other.folder / "app").mkdir()
    there = shutil.copy(lib, other.folder / "app")
    company = other.drive / "ProgramData" / "jitwarm"
    try:
        same(script(other, "gpo-startup.cmd")[0], 2, "without a share")
        shutil.copytree(share, other.folder / "share")
        code, said = script(other, "gpo-startup.cmd", other.folder / "share")
        same(code, 0, said)
        check((company / "keys" / "company.pub").exists() and (company / "packs" / f"{key}.tar.zst").exists(), "key and pack are taken")
        answer, code = other.answer("import", other.path(company / "packs" / f"{key}.tar.zst"), there)
        same((code, answer["counts"]["imported"]["entries"]), (0, 4), f"the key of the machine is trusted: {answer['why']}")
        shutil.rmtree(other.root)
        tasks = [p for p in (other.drive / "windows").glob("**/[Tt]asks/**/*jitwarm*") if b"<Task" in p.read_bytes()]
        check(tasks, "there is a task; what it runs is not in Wine's file of it (unit.startup.startup_text has that)")
    finally:
        other.run("startup", "remove", "--system", "--yes")
        shutil.rmtree(company, ignore_errors=True)


def intune(m):
    """The app installs, Intune's detection finds it, and finds it no more when the cache is gone."""
    lib = m.library("app/lib.dll", count=4)
    text = (RECIPES / "intune-detect.ps1").read_text()
    verb = re.search(r"^& jitwarm (.+) \*> \$null\nif \(\$LASTEXITCODE -eq 0\) \{ Write-Output \"warm\"; exit 0 \}\nexit 1$", text, re.M)
    check(verb, f"detection is one command and its exit code: {text}")

    def detected():
        return m.run(*verb[1].split()).returncode == 0

    m.answer("prime", lib)
    shutil.rmtree(m.root)
    check(not detected(), "nothing is warm")
    code, said = script(m, "intune-install.cmd")
    same(code, 0, said)
    check(detected(), f"warm: {said}")
    same(script(m, "intune-install.cmd")[0], 0, "a second install has nothing to do")


CASES = (gpo, intune)
