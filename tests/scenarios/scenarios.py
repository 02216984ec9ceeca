#!/usr/bin/env python3
"""scenarios.py TOOL [--with-simcuda SCRIPT] scenario ID | acceptance ID | list

What doctor must tell the people that jitwarm is made for. A scenario is one line of their list: what they ask, which
verdict they must get, and what the answer must say. `acceptance` runs one row of acceptance.csv, their machine form.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

from run import ANYWHERE  # noqa: E402

LOG = str(HERE / "logs" / "tf231-rtx3070.log")
RTX3070, GTX965M, LAPTOP = "10de:2484", "10de:1427", "10de:24a0"
GTX1060, PRO6000, RTX3060TI = "10de:1c03", "10de:2bb1", "10de:2486"


def ask(*args, gpu=None, os="linux", framework=None):
    line = ["--os", os] if os else []
    for one in [gpu] if isinstance(gpu, str) else gpu or []:
        line += ["--gpu", one]
    for one in [framework] if isinstance(framework, str) else framework or []:
        line += ["--framework", one]
    return line + list(args)


def need(verdict, *says, exit=1, **more):
    return {"verdict": verdict, "says": says, "exit": exit, **more}


# id: what is asked, what must come. `verdict` is one word or one for each GPU; `says` must all be in the text.
SCENARIOS = {
    # TensorFlow on an RTX 3070 under Windows
    "000-1": (ask(gpu=RTX3070, os="windows", framework="tensorflow==2.3.1"),
              need("JIT_FIRST", "CUDA_CACHE_MAXSIZE=1073741824", "TensorFlow >= 2.4",
                   "best 2.5 to 2.10 with CUDA 11.2 and cuDNN 8.1", "3.5 3.7 5.2 6.0 6.1 7.0", "one CPU core",
                   "once per driver version", from_="compute_70")),
    "000-1-old-driver": (ask("--driver", "456.71", gpu=RTX3070, os="windows", framework="tensorflow==2.3.1"),
                         need("JIT_FIRST", from_="compute_70")),
    "000-2-small": (ask("--env", "CUDA_CACHE_MAXSIZE=268435456", gpu=RTX3070, os="windows", framework="tensorflow==2.3.1"),
                    need("JIT_EVERY", "CUDA_CACHE_MAXSIZE=268435456 is less than", certainty="risk", from_="compute_70")),
    "000-2-disabled": (ask("--env", "CUDA_CACHE_DISABLE=1", gpu=RTX3070, os="windows", framework="tensorflow==2.3.1"),
                       need("JIT_EVERY", "CUDA_CACHE_DISABLE=1 switches the driver's cache off", certainty="certain")),
    "000-2-suffix": (ask("--env", "CUDA_CACHE_MAXSIZE=4G", gpu=RTX3070, os="windows", framework="tensorflow==2.3.1"),
                     need("JIT_EVERY", "digits only", certainty="likely")),
    "000-2-large": (ask("--env", "CUDA_CACHE_MAXSIZE=4294967296", gpu=RTX3070, os="windows",
                        framework="tensorflow==2.3.1"), need("JIT_FIRST", without="before the next start")),
    "000-3": (ask("--cuda", "11.0", gpu=RTX3070, os="windows", framework="tensorflow==2.4.0"),
              need("NATIVE", "ptxas of CUDA 11.0 does not know sm_86", "use ptxas of CUDA >= 11.1", findings=["ptxas-old"])),
    "000-4": (ask(gpu=RTX3070, os="windows", framework="tensorflow==2.10.0"), need("NATIVE", exit=0, warnings=0)),
    "000-5": (ask(gpu=GTX965M, os="windows", framework="tensorflow==2.3.1"),
              need("NATIVE", "machine code (sm_52)", "the driver compiles nothing", exit=0, from_="sm_52")),
    "000-6": (ask("--log", LOG, os=None),
              need("JIT_FIRST", "pauses for 235.7 s", "Adding visible gpu devices: 0", "waits while the driver compiles",
                   "GeForce RTX 3070 (compute capability 8.6)", "CUDA_CACHE_MAXSIZE=1073741824", "TensorFlow >= 2.4",
                   from_="compute_70", findings=["log-gap"])),

    # three equal laptops
    "001-1": (ask("--cuda", "none", "--cudnn", "none", gpu=LAPTOP, os="windows", framework="tensorflow-gpu==2.10.0"),
              need("LIBS_MISSING", "CUDA 11.2 and cuDNN 8.1", "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1.0",
                   "cudart64_110.dll", "cudnn64_8.dll")),
    "001-2": (ask("--cuda", "11.2", "--cudnn", "8.1", "--python", "3.7.7", gpu=LAPTOP, os="windows",
                  framework="tensorflow-gpu==2.10.0"),
              need("NATIVE", "a slow start here is not JIT", exit=0)),
    "001-3": (ask(gpu=LAPTOP, os="windows", framework="tensorflow==2.11"), need("CPU_BUILD", "WSL2", "TensorFlow 2.10")),
    "001-4": (ask("--python", "3.11", gpu=LAPTOP, os="windows", framework="tensorflow==2.10"),
              need(None, "TensorFlow 2.10 has no package for Python 3.11, only for Python 3.7-3.10", findings=["python-unsupported"])),
    "001-5": (ask("--cuda", "11.2", "--cudnn", "8.1", gpu=LAPTOP, os="windows", framework="tensorflow==2.10"),
              need("NATIVE", exit=0, same_everywhere=True)),

    # TensorFlow r0.9 on Pascal in a container
    "002-1": (ask("--cuda", "7.5", "--container", gpu=GTX1060, framework="tensorflow==r0.9"),
              need("WRONG_RESULT_RISK", "CUDA 7.5 knows nothing newer than 5.3", "CUDA 8.0 or newer", also="JIT_EVERY")),
    "002-1-no-container": (ask("--cuda", "7.5", gpu=GTX1060, framework="tensorflow==0.9"),
                           need("WRONG_RESULT_RISK", "results", also="JIT_FIRST")),
    "002-1-any-program": (ask("--cuda", "7.5", gpu=GTX1060), need("WRONG_RESULT_RISK", "CUDA 8.0", also="JIT_FIRST")),
    "002-2": (ask("--driver", "361.62", gpu=GTX1060, framework="tensorflow==0.12"),
              need("DRIVER_OLD", ">= 367", "367.48", findings=["driver-old-for-gpu"])),
    "002-2-alone": (ask("--driver", "361.62", gpu=GTX1060), need("DRIVER_OLD", ">= 367", "367.48")),
    "002-2-container": (ask("--driver", "361.62", "--container", gpu=GTX1060, framework="tensorflow==0.12"),
                        need("DRIVER_OLD", "inside a container it cannot be changed")),
    "002-3-listed": (ask("--cuda", "8.0", "--driver", "375.26", gpu=GTX1060, framework="tensorflow==1.4"),
                     need("NATIVE", exit=0, from_="sm_61")),
    "002-3-not-listed": (ask("--cuda", "8.0", "--driver", "375.26", gpu=GTX1060, framework="tensorflow==1.0.1"),
                         need("JIT_FIRST", from_="compute_52")),
    "002-4": (ask("--container", gpu=GTX1060, framework="tensorflow==1.0"),
              need("JIT_EVERY", "-v cache:/root/.nv/ComputeCache", "lost with it")),
    "002-6": (ask(gpu=GTX1060, framework="torch==2.9+cu130"),
              need("NO_KERNEL", "it is built with CUDA 13.0, which does not support this GPU")),
    "002-6-new-driver": (ask("--driver", "590.44.01", gpu=GTX1060, framework="torch==2.9+cu126"),
                         need(None, "no longer supports", "R580 is the last", findings=["gpu-dropped"])),
    "002-6-new-driver-alone": (ask("--driver", "590.44.01", gpu=GTX1060), need(None, "R580 is the last")),

    # a learner with one GPU or several
    "003-1": (ask(gpu=["10de:102d", "10de:15f8", "10de:1eb8"], framework="tensorflow==2.0.0"),
              need(["NATIVE", "NATIVE", "NATIVE"], exit=0, from_=["sm_37", "sm_60", "sm_70"], without="memory growth")),
    "003-2": (ask(gpu=["10de:1b80", RTX3070], framework="tensorflow==2.0.0"),
              need(["NATIVE", "JIT_FIRST"], "only when NVIDIA GeForce RTX 3070", "CUDA_VISIBLE_DEVICES=0",
                   from_=["sm_61", "compute_70"], findings=["gpus-differ"])),
    "003-3": (ask(gpu=[RTX3070, RTX3070], framework="tensorflow==2.3"),
              need(["JIT_FIRST", "JIT_FIRST"], "can share", "not certain", "large enough", findings=["gpus-alike"])),
    "003-4-cpu-wheel": (ask(gpu=RTX3070, framework="tensorflow-cpu==2.3.1"),
                        need("CPU_BUILD", "a package without CUDA")),
    "003-4-no-libraries": (ask("--cuda", "none", gpu="10de:1eb8", framework="tensorflow==2.0.0"),
                           need("LIBS_MISSING", "only its log says so")),
    "003-4-hidden": (ask("--env", "CUDA_VISIBLE_DEVICES=", gpu=RTX3070, framework="tensorflow==2.3"),
                     need(None, "CUDA_VISIBLE_DEVICES names no GPU", findings=["gpu-hidden"])),
    "003-4-no-gpu": (ask(framework="tensorflow==2.3"),
                     need([], "no device", "no NVIDIA GPU was found here", findings=["no-gpu"], without_gpu=True)),

    # renting and buying GPUs
    "004-1": (ask(gpu=["10de:2236", "10de:2231", "10de:20b0", RTX3060TI], framework="torch==2.1+cu121"),
              need(["NATIVE"] * 4, "compatibility is not the problem", "CPU load, batch size",
                   "does not fall back to the CPU silently", "error 209", exit=0, findings=["not-compat"])),
    "004-2-cu118": (ask(gpu=PRO6000, framework="torch==2.6+cu118"), need(None, "--index-url https://download.pytorch.org/whl/cu118")),
    "004-2-cu124": (ask(gpu=PRO6000, framework="torch==2.6+cu124"),
                    need("NO_KERNEL", "PyTorch >= 2.8", "is_available() says True")),
    "004-2-cu126": (ask(gpu=PRO6000, framework="torch==2.6+cu126"), need(None, "--index-url https://download.pytorch.org/whl/cu126")),
    "004-2-default": (ask(gpu=PRO6000, framework="torch==2.7"),
                      need("NO_KERNEL", "PyTorch >= 2.8", "is_available() says True")),
    "004-3": (ask("--driver", "570.124.06", gpu=PRO6000, framework="torch==2.8+cu128"), need("NATIVE", exit=0)),
    "004-4": (ask("--driver", "570.124.06", "--container", gpu=PRO6000, framework="torch==2.9+cu130"),
              need("DRIVER_OLD", ">= 580", "cu128", "inside a container it cannot be changed", "nvidia-smi shows")),
    "004-5": (ask(gpu=PRO6000, framework="tensorflow==2.19"),
              need("JIT_FIRST", "JIT from compute_90 is known to fail", "CUDA_ERROR_INVALID_PTX", "CUDA 12.8", "25.02",
                   from_="compute_90", findings=["framework-jit-fails"])),
    "004-6": (ask(gpu=PRO6000, os="windows", framework="onnxruntime-gpu==1.23+cu12"),
              need("JIT_FIRST", "about 2.5 to 3 minutes", "RTX 5060 Ti", from_="compute_90")),
    "004-7": (ask("--container", gpu=PRO6000, framework="onnxruntime-gpu==1.23"),
              need("JIT_EVERY", "CUDA_CACHE_PATH", "volume")),
    "004-7-volume": (ask("--container", "--env", "CUDA_CACHE_PATH=/workspace/cache", gpu=PRO6000,
                         framework="onnxruntime-gpu==1.23"), need("JIT_FIRST")),
    "004-8": (ask("--framework", "torch==2.8+cu128", os=None),
              need("NATIVE", exit=0, simcuda=["--gpu", "sm_120:NVIDIA RTX PRO 6000 Blackwell Server Edition:96G:mig=1g.24gb"])),
    "004-9-1.9": (ask(gpu=RTX3060TI, framework="torch==1.9"), need("NO_KERNEL", "PyTorch >= 1.13")),
    "004-9-1.10": (ask(gpu=RTX3060TI, framework="torch==1.10"), need("NO_KERNEL", "PyTorch >= 1.13")),
    "004-9-1.11": (ask(gpu=RTX3060TI, framework="torch==1.11"), need("NO_KERNEL", "PyTorch >= 1.13")),
    "004-9-1.12": (ask(gpu=RTX3060TI, framework="torch==1.12"), need("NO_KERNEL", "PyTorch >= 1.13")),
    "004-9-windows": (ask(gpu=RTX3060TI, os="windows", framework="torch==1.9+cu102"),
                      need(None, "--index-url https://download.pytorch.org/whl/cu102")),
    "004-9-conda": (ask(gpu=RTX3060TI, framework="torch==1.10+cu102+conda"), need(None, "is not known")),
}

# A driver comes in another way on each system, and a pause has its remedy in the finding after it.
WITHOUT_COMMAND = {"driver-old-for-gpu", "gpu-dropped", "log-gap"}
bad = []


def expect(what, got, wanted):
    if got != wanted:
        bad.append(f"{what}: {got!r} instead of {wanted!r}")


def environment(home):
    env = {k: v for k, v in os.environ.items() if not re.match(r"CUDA_|NVIDIA_|JITWARM|XDG_|SIMCUDA_STATE|PYTHON|CONDA|VIRTUAL", k)}
    env.update(HOME=home, LC_ALL="C.UTF-8", XDG_STATE_HOME=f"{home}/state", XDG_CACHE_HOME=f"{home}/cache", TERM="dumb")
    return env


def run(tool, args, before=(), home=None):
    with tempfile.TemporaryDirectory(prefix="jitwarm-scenario-", dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        done = subprocess.run([*before, tool, "doctor", *args], cwd=scratch, env=environment(home or scratch),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1):
        sys.exit(f"exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def words(text):
    """The text as it would be without line breaks."""
    return re.sub(r"\s+", " ", text)


def a_gpu_is_here():
    return pathlib.Path("/proc/driver/nvidia/version").exists()


def check_frameworks(answer, wanted):
    found = answer["frameworks"]
    verdicts = [v for f in found for v in f["verdicts"]]
    words_wanted = wanted["verdict"] if isinstance(wanted["verdict"], list) else [wanted["verdict"]]
    expect("verdict", [v["verdict"] for v in verdicts], words_wanted)
    for key, field in (("from_", "from"), ("also", "also"), ("certainty", "certainty")):
        if key in wanted:
            all_of = wanted[key] if isinstance(wanted[key], list) else [wanted[key]] * len(verdicts)
            expect(field, [v[field] for v in verdicts], all_of)


def scenario(tool, with_simcuda, name):
    args, wanted = SCENARIOS[name]
    if wanted.get("without_gpu") and a_gpu_is_here():
        print("SKIP: an NVIDIA GPU is plugged in")
        sys.exit(77)
    before = []
    if "simcuda" in wanted:
        if not with_simcuda:
            print("SKIP: there is no simulated driver")
            sys.exit(77)
        before = [str(pathlib.Path(with_simcuda).resolve()), *wanted["simcuda"], "--"]
        args = [*args, *(word for name in ANYWHERE for word in ("--ignore", name))]
    text, answered = run(tool, args, before), run(tool, [*args, "--json"], before)
    answer = json.loads(answered.stdout)
    expect("exit", text.returncode, wanted["exit"])
    expect("exit with --json", answered.returncode, wanted["exit"])
    check_frameworks(answer, wanted)
    for one in wanted["says"]:
        if one not in words(text.stdout):
            bad.append(f"the answer does not say {one!r}")
    if wanted.get("without") and wanted["without"] in words(text.stdout):
        bad.append(f"the answer says {wanted['without']!r}")
    ids = [f["id"] for f in answer["findings"]]
    for one in wanted.get("findings", []):
        if one not in ids:
            bad.append(f"no finding {one}, only {ids}")
    for one in answer["findings"]:
        if "--framework" in args and one["severity"] != "note" and not one["command"] and one["id"] not in WITHOUT_COMMAND:
            bad.append(f"{one['id']} has no command")
    if "warnings" in wanted:
        expect("warnings", sum(f["severity"] != "note" for f in answer["findings"]), wanted["warnings"])
    if wanted.get("same_everywhere"):
        with tempfile.TemporaryDirectory() as other:
            expect("another machine's answer", run(tool, [*args, "--json"], home=other).stdout, answered.stdout)
    if bad:
        bad.append(text.stdout)


def acceptance(tool, name):
    row = next(r for r in csv.DictReader(open(HERE / "acceptance.csv", encoding="utf-8")) if r["id"] == name)
    version = row["version"].removeprefix(">=")
    spec = f"{row['framework']}=={version}" + (f"+{row['variant']}" if row["variant"] else "")
    args = ask("--json", gpu="10de:" + row["pci_device_id"], os=row["os"].removesuffix("-native"), framework=spec)
    if row["driver"]:
        args += ["--driver", row["driver"]]
    answer = json.loads(run(tool, args).stdout)
    verdict = answer["frameworks"][0]["verdicts"][0]
    want, source = re.fullmatch(r"(\w+)(?:\((\w+)\))?", row["expected_verdict"]).groups()
    expect("verdict", verdict["verdict"], want)
    expect("gpu", verdict["gpu"], "sm_" + row["compute_capability"].replace(".", ""))
    if source:
        expect("from", verdict["from"], source)
    said = words(" ".join(f"{f['text']} {f['consequence']} {f['fix']}" for f in answer["findings"]))
    for note in {"000-3": ["ptxas of CUDA 11.0 does not know sm_86"], "004-5": ["CUDA_ERROR_INVALID_PTX"],
                 "004-4": ["580"], "001-3": ["native Windows"]}.get(name, []):
        if note not in said:
            bad.append(f"no finding says {note!r}")


def main():
    arguments = sys.argv[1:]
    with_simcuda = None
    if "--with-simcuda" in arguments:
        at = arguments.index("--with-simcuda")
        with_simcuda = arguments[at + 1]
        del arguments[at:at + 2]
    if arguments == ["list"]:
        print("\n".join(SCENARIOS))
        return
    tool, kind, name = arguments
    if kind == "scenario":
        scenario(tool, with_simcuda, name)
    else:
        acceptance(tool, name)
    if bad:
        sys.exit("\n".join(bad))


if __name__ == "__main__":
    main()
