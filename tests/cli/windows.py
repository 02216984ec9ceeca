"""Golden cases of the simulated driver where the tool is a Windows program: a machine that Wine plays has nvcuda.dll in its System32,
and a case's words are those of Linux once paths are written as there.

$JITWARM of such a case is a script. It runs the tool on that machine while JITWARM_DRIVER is in $SIM, as a case on Linux has it, else
on one without a driver; it gives Windows' paths to the tool, and has it remember and keep things in the case's own folder.
"""
import pathlib
import re
import shutil

MEMORY = ("JITWARM_STATE", "JITWARM_STORE", "CUDA_CACHE_PATH")

TOOL = r"""#!/bin/bash
windows()
{
    case $1 in
    "$SIM"/simptxas) printf 'Z:%s.exe' "${1//\//\\}" ;;
    "$CASE"/* | "$GEN"/* | "$SIM"/*) printf 'Z:%s' "${1//\//\\}" ;;
    *) printf '%s' "$1" ;;
    esac
}
words=()
for word in "$@"; do words+=("$(windows "$word")"); done
case ${JITWARM_DRIVER-} in "$SIM"/*) export WINE_RUN_PREFIX=$MACHINE ;; esac
export JITWARM_STATE=${JITWARM_STATE-$XDG_STATE_HOME/jitwarm} JITWARM_STORE=${JITWARM_STORE-$XDG_DATA_HOME/jitwarm/packs}
for name in NAMES; do
    [[ -z ${!name-} ]] || export "$name=$(windows "${!name}")"
done
# Keys and settings, which have no variable.
roaming=${WINE_RUN_PREFIX:-$BARE}/drive_c/users/$(id -un)/AppData/Roaming/jitwarm
rm -rf "$roaming"
[[ ! -d $XDG_CONFIG_HOME/jitwarm ]] || ln -s "$XDG_CONFIG_HOME/jitwarm" "$roaming"
unset XDG_DATA_HOME  # in which Wine would make a menu
exec EMULATOR TOOL "${words[@]}"
"""

WITH_SIMCUDA = r"""#!/bin/bash
while (($# > 0)) && [[ $1 != -- ]]; do
    case $1 in
    --gpu) gpus+=${gpus:+;}$2 ;;
    --driver) export SIMCUDA_DRIVER=$2 ;;
    --stamp) export SIMCUDA_STAMP=$2 ;;
    --jit) export SIMCUDA_JIT=$2 ;;
    --cost) export SIMCUDA_COST=$2 ;;
    --faults) export SIMCUDA_FAULTS=$2 ;;
    *) echo "with-simcuda: there is no option $1" >&2; exit 2 ;;
    esac
    shift 2
done
[[ -z ${gpus-} ]] || export SIMCUDA_GPUS=$gpus
export JITWARM_DRIVER=$SIM/nvcuda.dll
# Each driver that is played is a file of its own: by the time stamp in its header.
system=$MACHINE/drive_c/windows/system32
id=$(printf '%s|%s' "${SIMCUDA_DRIVER-}" "${SIMCUDA_STAMP-}" | sha1sum | sed 's/\(..\)\(..\)\(..\)\(..\).*/\\x\1\\x\2\\x\3\\x\4/')
cp "$SIM/nvcuda.dll" "$system/.nvcuda"
at=$(($(od -An -tu4 -j60 -N4 "$system/.nvcuda") + 8))
printf "$id" | dd of="$system/.nvcuda" bs=1 seek="$at" conv=notrunc status=none
mv "$system/.nvcuda" "$system/nvcuda.dll"
shift
mkdir -p "$CASE/shared"
SIMCUDA_SHARED=Z:$(printf %s "$CASE/shared" | tr / '\\')
export SIMCUDA_SHARED
exec "$@"
"""


def is_simulated(cmd):
    return "$SIM" in cmd or "$WITH_SIMCUDA" in cmd or "JITWARM_DRIVER=" in cmd


def write(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


def scripts(folder, quoted_emulator, quoted_tool):
    """In a folder scripts/ beside tests/, where cases look for what they share."""
    text = TOOL.replace("NAMES", " ".join(MEMORY)).replace("EMULATOR", quoted_emulator).replace("TOOL", quoted_tool)
    (folder / "scripts").mkdir()
    (folder / "tests").symlink_to(pathlib.Path(__file__).resolve().parents[1])
    return write(folder / "scripts" / "jitwarm", text), write(folder / "scripts" / "with-simcuda", WITH_SIMCUDA)


def forget(machine, sim):
    """What an earlier case left: another driver, and what is in the cache that is the driver's own."""
    shutil.copy(sim / "nvcuda.dll", machine / "drive_c/windows/system32/nvcuda.dll")
    for nvidia in machine.glob("drive_c/users/*/AppData/Roaming/NVIDIA"):
        shutil.rmtree(nvidia, ignore_errors=True)


def ended_before_its_start(code, out, err):
    """Wine, once in some hundred starts on a busy machine: the program itself always has a word to say when it ends with 1, and it is
    Wine's STATUS_INTERNAL_ERROR that a worker ended before its first instruction."""
    return (code == 1 and not out and not err) or b".exe: Internal error\n" in err


# The part of these cases that runs by default; one costs two to four seconds, of which Wine takes most.
QUICK = {"doctor/crash", "doctor/laptop", "doctor/proven-again", "export/sign", "export/what-was-primed", "import/again",
         "import/other-system", "import/whole", "prime/again-json", "prime/cold", "prime/crashes",
         "prime/no-driver", "prime/packs", "prune/outdated-yes", "status/primed-json", "verify/entry-gone"}


# What each system calls one and the same thing.
WORDS = ((rb"C:/users/[^/]+/AppData/Roaming/NVIDIA/ComputeCache", b"/home/.nv/ComputeCache"),
         (rb"C:/windows/system32/nvcuda\.dll", b"/libcuda.so.580.126.09"),
         (rb"exception 0xc0000005 \(access violation\)", b"signal 11 (SIGSEGV)"),
         (rb'"build": "pe:[0-9A-Fa-f]+"', b'"build": "gnu:6a69747761726d2d73696d637564612d30303030"'),
         (rb"drivers/pe-[0-9A-Fa-f%]+\.record", b"drivers/BUILD"),
         (rb'"os": "windows"', b'"os": "linux"'),
         (rb" on windows x86_64", b" on linux x86_64"))


def as_on_linux(out):
    """Paths of the answer as Linux writes them, those of drive Z without it; a JSON text has its backslashes twice."""
    json = b'"schema"' in out or b":\\\\" in out
    out = out.replace(b"\\\\", b"/") if json else out.replace(b"\\", b"/")
    for pattern, word in WORDS:
        out = re.sub(pattern, word, out)
    return out
