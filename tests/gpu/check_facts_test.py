#!/usr/bin/env python3
"""check_facts_test.py CHECKER SCRATCH: each kind of offence in a page of beliefs, and in code that names one, is reported."""
import pathlib
import shutil
import subprocess
import sys

CHECKER, SCRATCH = (pathlib.Path(arg) for arg in sys.argv[1:3])
GOOD = "| F01-a-belief | it is so | `src/x.c` | E1 | inferred (V: seen) |"
TAG = "driver-" + "fact: "
failures = []


def told(page, code=""):
    shutil.rmtree(SCRATCH, ignore_errors=True)
    (SCRATCH / "docs").mkdir(parents=True)
    (SCRATCH / "src").mkdir()
    (SCRATCH / "scripts").mkdir()
    (SCRATCH / "tests" / "gpu").mkdir(parents=True)
    (SCRATCH / "scripts" / "gpu-lab.sh").write_text("asks()\n{\n    cat <<'END'\ne1 E1\ne2a E2a\nEND\n}\n", encoding="utf-8")
    (SCRATCH / "tests" / "gpu" / "e1.c").write_text('lab_finds_holds(l, "F01-a-belief", true, "");', encoding="utf-8")
    (SCRATCH / "tests" / "gpu" / "e2a.c").write_text("", encoding="utf-8")
    (SCRATCH / "docs" / "driver-facts.md").write_text(page + "\n", encoding="utf-8")
    (SCRATCH / "src" / "x.c").write_text(f"/* {code} */\n", encoding="utf-8")
    run = subprocess.run([sys.executable, CHECKER, SCRATCH], capture_output=True, text=True, check=False)
    return (run.stdout + run.stderr) if run.returncode else ""


def lab_told(code):
    (SCRATCH / "tests" / "gpu" / "e1.c").write_text(code, encoding="utf-8")
    run = subprocess.run([sys.executable, CHECKER, SCRATCH], capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def expect(words, page, code=""):
    found = told(page, code)
    if (words not in found) if words else found:
        failures.append(f"wanted '{words}', got '{found}' for\n{page}\n{code}")


MEASURED = GOOD.replace("inferred (V: seen)", "measured ({})")
expect("", GOOD, TAG + "F01-a-belief")
expect("", GOOD + "\n" + GOOD.replace("F01-a", "F02-a").replace("E1", "none: it cannot be seen"), TAG + "F01-a-belief, F02-a-belief")
expect("", MEASURED.format("580.126.09, H200, 2026-12-01"))
expect("", GOOD.replace("`src/x.c`", "later"))
expect("names F09-none", GOOD, TAG + "F01-a-belief, F09-none")
expect("names nonsense", GOOD, TAG + "nonsense")
expect("twice", GOOD + "\n" + GOOD)
expect("twice", GOOD + "\n" + GOOD.replace("F01-a-belief", "F01-another"))
expect("not there", GOOD.replace("src/x.c", "src/y.c"))
expect("names no file", GOOD.replace("`src/x.c`", "somewhere"))
expect("by which driver", MEASURED.format("580.126.09, 2026-12-01"))
expect("by which driver", MEASURED.format("H200, 2026-12-01"))
expect("by which driver", MEASURED.format("580.126.09, H200"))
expect("by which driver", MEASURED.format("580.126.09, simulated, 2026-12-01"))
expect("neither measured", GOOD.replace("inferred (V: seen)", "sure"))
expect("neither measured", GOOD.replace("inferred (V: seen)", "inferred (somebody said so)"))
expect("no experiment", GOOD.replace("E1", "soon"))
expect("no reason", GOOD.replace("E1", "none"))
expect("nothing asks E9z", GOOD.replace("E1", "E9z"))
expect("says what it finds of it", GOOD.replace("E1", "E2a"))
expect("", GOOD.replace("E1", "E1, E2a"))
expect("cells", GOOD.replace(" E1 |", ""))
expect("no id", GOOD.replace("F01-a-belief", "F1"))
expect("no row", "nothing")
told(GOOD)
if "tests/gpu/e1.c:1: the lab finds F09-none" not in lab_told('lab_finds_holds(l, "F09-none", true, "");'):
    failures.append("a belief that the lab speaks of and the page does not list goes unnoticed")
print("\n".join(failures), end="\n" if failures else "")
sys.exit(1 if failures else 0)
