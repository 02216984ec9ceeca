#!/usr/bin/env bash
# gpu-lab.sh first|real|tests OUTDIR   what a machine with an NVIDIA GPU is asked first: what no
# driver without a GPU can answer gpu-lab.sh --pack                    build/gpu-lab.tar.gz: this
# script, the release build and the loader, for a machine without a compiler
#
#   first   warm modules compute the right numbers, after prime and after import; the driver
#           compiles none of them; entries that jitwarm published are equal to the driver's own;
#           does CU_JIT_SPLIT_COMPILE or CUDA_BINARY_LOADER_THREAD_COUNT (590 and later) change a
#           first load, its entry or its key?
#   tests   in a checkout: what tests/real asks of drivers without a GPU, of this machine's own
#           driver; LAB_DRIVER is its folder
#   real    the software in LAB_APP (a file or folder): the time of prime, and of the program
#           LAB_RUN before and after it
#
# It works in OUTDIR alone, writes OUTDIR/results.jsonl, and prints it. Exit: 0 all holds, 1 a line
# says "holds":false, 77 no GPU. Over phantom (scripts/with-driver) no kernel computes, so numbers
# are not asked: LAB_NUMBERS=no. LAB_SIZES: instructions of each module. LAB_RUNS: rounds of random
# changes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
tool=${JITWARM:-$here/jitwarm} load=${LAB_LOAD:-$here/load}
[[ -x $tool ]] || tool=$root/build/release/jitwarm
[[ -x $load ]] || load=$root/build/release/tests/gpu/load
read -r -a sizes <<<"${LAB_SIZES:-200 2000 20000}"
numbers=${LAB_NUMBERS:-the numbers are right}

say()
{
    printf '%s\n' "$1" | tee -a "$results"
}

# holds NAME TRUE_OR_FALSE [MORE_JSON]
holds()
{
    [[ $2 == true ]] || failed=1
    say "{\"ask\":\"$1\",\"holds\":$2${3:+,$3}}"
}

# module FILE INSTRUCTIONS SEED: a kernel whose number is known, and which no constant folds away.
module()
{
    awk -v n="$2" -v seed="$3" 'BEGIN {
        print ".version 6.4\n.target sm_50\n.address_size 64"
        print ".visible .entry lab(.param .u64 out, .param .u32 x)\n{"
        print "  .reg .b32 %r<4>;\n  .reg .b64 %d<3>;\n  ld.param.u64 %d1, [out];"
        print "  cvta.to.global.u64 %d2, %d1;\n  ld.param.u32 %r1, [x];"
        for (i = 0; i < n; i++)
            factor = 3 + 2 * ((i * seed) % 97)
            printf "  mad.lo.u32 %%r1, %%r1, %d, %d;\n", factor, (i * 31 + seed) % 1000
            printf "  shf.l.wrap.b32 %%r1, %%r1, %%r1, %d;\n", 1 + i % 30
        print "  st.global.u32 [%d2], %r1;\n  ret;\n}"
    }' >"$1"
}

# number INSTRUCTIONS SEED: what it makes of 1, by this machine's processor.
number()
{
    python3 - "$1" "$2" <<'END'
import sys
n, seed = map(int, sys.argv[1:])
r = 1
for i in range(n):
    r = (r * (3 + 2 * ((i * seed) % 97)) + (i * 31 + seed) % 1000) & 0xffffffff
    s = 1 + i % 30
    r = (r << s | r >> (32 - s)) & 0xffffffff
print(r)
END
}

entries()
{
    mkdir -p "$1"
    find "$1" -type f ! -name index | wc -l
}

# with CACHE COMMAND...: every run has caches, a state and keys of its own below OUTDIR.
with()
{
    local cache=$out/$1
    shift
    mkdir -p "$cache"
    CUDA_CACHE_PATH=$cache CUDA_CACHE_MAXSIZE=4294967295 JITWARM_STATE=$out/state \
        XDG_CONFIG_HOME=$out/config "$@"
}

# driver: its version and the time of its build, as a JSON text.
driver()
{
    (with probe "$tool" doctor --json 2>/dev/null || true) | python3 -c 'import json, sys
scope = json.load(sys.stdin)["scope"]
print(json.dumps(scope["driver"] + ", " + scope["stamp"]))' || echo null
}

make_modules()
{
    local n
    mkdir -p "$out/modules"
    for n in "${sizes[@]}"; do
        module "$out/modules/m$n.ptx" "$n" 7
    done
}

# loaded CACHE WORD [OPTION...]: a program loads all modules; were the numbers right, and did it add
# no entry?
loaded()
{
    local cache=$1 word=$2 before n right=true lines
    shift 2
    before=$(entries "$out/$cache")
    lines=$(with "$cache" "$load" "$@" "$out"/modules/*.ptx) || right=false
    for n in "${sizes[@]}"; do
        [[ $numbers == no || $lines == *"m$n.ptx\""*"\"value\":$(number "$n" 7)}"* ]] || right=false
    done
    added=$(($(entries "$out/$cache") - before))
    holds "$word: ${numbers/no/modules load}" "$right" \
        "\"entries\":$added,\"loads\":[$(printf '%s' "$lines" | paste -sd ,)]"
}

ask_first()
{
    local added key=$out/lab.key
    say "{\"machine\":\"$(uname -m)\",\"kernel\":\"$(uname -r)\",\"driver\":$(driver),\"date\":\"$(date -u +%F)\"}"
    loaded own "a first start"
    holds "a first start compiles each module" \
        "$([[ $added == "${#sizes[@]}" ]] && echo true || echo false)" "\"entries\":$added"
    with primed "$tool" prime --yes "$out/modules" >"$out/prime.txt" 2>&1 && holds prime true ||
        holds prime false
    loaded primed "after prime"
    holds "after prime a start compiles nothing" "$([[ $added == 0 ]] && echo true || echo false)" \
        "\"entries\":$added"
    holds "published entries are the driver's own, byte for byte" \
        "$(diff -r -x index "$out/own" "$out/primed" >/dev/null && echo true || echo false)"
    with primed "$tool" doctor "$out/modules" >"$out/doctor.txt" 2>&1 && holds doctor true ||
        holds doctor false
    with primed "$tool" key --new "$key" --no-passphrase >/dev/null 2>&1 || true
    with primed "$tool" export --sign "$key" -o "$out/pack.tar.zst" "$out/modules" \
        >"$out/export.txt" 2>&1 && holds export true || holds export false
    with imported "$tool" import --trust "${key%.key}.pub" "$out/pack.tar.zst" \
        >"$out/import.txt" 2>&1 && holds import true || holds import false
    loaded imported "after import"
    holds "after import a start compiles nothing" \
        "$([[ $added == 0 ]] && echo true || echo false)" "\"entries\":$added"
    with split "$load" --split 8 "$out"/modules/*.ptx |
        sed 's/^/{"ask":"CU_JIT_SPLIT_COMPILE","load":/; s/$/}/' | tee -a "$results" || true
    say "{\"ask\":\"CU_JIT_SPLIT_COMPILE: the same entries\",\"equal\":$(diff -r -x index "$out/own" "$out/split" >/dev/null && echo true || echo false)}"
    CUDA_BINARY_LOADER_THREAD_COUNT=8 loaded threads "with CUDA_BINARY_LOADER_THREAD_COUNT=8"
    say "{\"ask\":\"CUDA_BINARY_LOADER_THREAD_COUNT: the same entries\",\"equal\":$(diff -r -x index "$out/own" "$out/threads" >/dev/null && echo true || echo false)}"
}

timed()
{
    local begin
    begin=$(date +%s.%N)
    "$@" >>"$out/real.txt" 2>&1 || return 1
    awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f", b - a }'
}

ask_real()
{
    local app=${LAB_APP:?real needs LAB_APP, a file or folder} before='' seconds
    [[ -z ${LAB_RUN-} ]] || before=$(timed with real-own bash -c "$LAB_RUN") || before=null
    seconds=$(timed with real "$tool" prime --yes "$app") || failed=1
    say "{\"ask\":\"prime of $app\",\"seconds\":${seconds:-null},\"entries\":$(entries "$out/real")}"
    [[ -z ${LAB_RUN-} ]] ||
        say "{\"ask\":\"a start\",\"first_seconds\":$before,\"after_prime_seconds\":$(timed with real bash -c "$LAB_RUN")}"
    with real "$tool" status "$app" >>"$out/real.txt" 2>&1 && holds status true ||
        holds status false
}

# One case of tests/real: SCRIPT CASE OPTION...
ask_case()
{
    local script=$1 name=$1-$2 begin=$SECONDS right=true work
    work=$(mktemp -d)
    shift
    JITWARM_OWN_DRIVER=$LAB_DRIVER timeout -k 5 400 python3 "$root/tests/real/$script.py" "$@" \
        --driver "$LAB_VERSION" --gpu "$LAB_GPU" --tool "$tool" \
        --phantom "$root/build/release/libjitwarm-phantom.so" --with-driver "$here/with-driver" \
        --work "$work" >"$out/$name.log" 2>&1 || right=false
    rm -rf "$work"
    holds "tests/real/$script.py $1" "$right" "\"seconds\":$((SECONDS - begin))"
}

# Those that need no second driver, no other GPU and no phantom.
ask_tests()
{
    local libcuda
    libcuda=$(ldconfig -p | awk '/libcuda\.so\.1 .*x86-64/ { print $NF; exit }')
    export LAB_DRIVER=${LAB_DRIVER:-$(dirname "$(readlink -f "$libcuda")")}
    LAB_VERSION=$(driver | sed 's/^"\([0-9]*\).*/\1/')
    LAB_GPU=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
    export LAB_VERSION LAB_GPU
    xargs -P "$(($(nproc) / 2 + 1))" -L 1 "${BASH_SOURCE[0]}" --case "$out" <<END || failed=1
truth changes --runs ${LAB_RUNS:-40}
truth forgotten --runs ${LAB_RUNS:-40}
truth settings
truth files
truth marks
truth locks
truth level
truth places
real rules
real cannot-look
real round-trip
real zstd
real containers
real torn-index
real past-end
real limit
real outside
real deadline
links made
links mixed
links newer
links crash
END
    # Each watches the driver's compiler, which the others load.
    for case in files made asked strict; do
        ask_case commands "$case"
    done
}

pack()
{
    local folder=$root/build/gpu-lab
    "$here/build" --tests release
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$here/gpu-lab.sh" "$root/build/release/jitwarm" "$root/build/release/tests/gpu/load" \
        "$folder/"
    tar -C "$root/build" --owner=0 --group=0 --sort=name -czf "$root/build/gpu-lab.tar.gz" gpu-lab
    echo "build/gpu-lab.tar.gz"
}

case ${1-} in
--pack) pack ;;
--case)
    out=$2 results=$2/results.jsonl failed=0
    shift 2
    ask_case "$@"
    exit "$failed"
    ;;
first | real | tests)
    out=$(mkdir -p "${2:?gpu-lab.sh GROUP OUTDIR}" && cd "$2" && pwd) failed=0 added=0
    results=$out/results.jsonl
    : >"$results"
    # A second run in the same folder begins cold, too.
    (cd "$out" && rm -rf config imported own primed probe real real-own split state threads \
        lab.key lab.pub pack.tar.zst)
    make_modules
    with probe "$load" "$out/modules/m200.ptx" >/dev/null 2>&1 || [[ $? != 77 ]] || {
        echo "gpu-lab: no usable GPU" >&2
        exit 77
    }
    "ask_$1"
    exit "$failed"
    ;;
*)
    sed -n '2,/^set -/{s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac
