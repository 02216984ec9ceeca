#!/usr/bin/env bash
# gpu-lab.sh GROUP OUTDIR              the experiments of a group, on this machine's NVIDIA GPU: first facts cache scale real
# gpu-lab.sh --rehearse GROUP OUTDIR   the same on the simulated driver; every line says so
# gpu-lab.sh --pack                    build/gpu-lab.tar.gz: all that a machine without network and packages needs
# gpu-lab.sh --list                    the groups, their experiments, and what each of these asks
# Runs from the tree, or from the folder that the archive unpacks to. Each experiment ends by itself; a group ends
# within nine minutes. One JSON line for each result goes to OUTDIR/EXPERIMENT.jsonl, one line for each experiment to
# stdout. Exit: 0 all was measured, 1 some was not, 2 usage, 77 there is no GPU.
# --pack fetches by package name what E16 loads (scripts/fetch-corpus --lab); LAB_PACK_APP=no leaves it out.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
group_seconds=530

say()
{
    printf 'gpu-lab: %s\n' "$*" >&2
}

usage()
{
    sed -n '2,/^set -/{s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
}

# group, experiment, seconds at most; in the order in which the answers are wanted, each group's together less than $group_seconds.
# `first` is for when one call is all that there is.
plan()
{
    cat <<'END'
first e1 15
first e2a 30
first e6 60
first e3 60
first e4a 40
first e7b 35
first e17 45
first e8a 40
first e10 25
first e9f 20
first e16 110
facts e1 30
facts e2a 40
facts e6 80
facts e3 90
facts e5a 40
facts e2b 30
facts e2c 30
facts e12b 25
cache e4a 60
cache e4b 50
cache e4c 30
cache e8a 120
cache e8b 80
cache e10 50
cache e9b 10
cache e9a 35
cache e9f 60
cache e12 25
scale e7a 150
scale e7b 160
real e13 20
real e5b 10
real e17 20
real e16 330
END
}

# experiment, the questions that it asks; docs/driver-facts.md names them, and scripts/check_facts.py holds both together
asks()
{
    cat <<'END'
e1 E1
e2a E2a
e2b E2b
e2c E2c E2d E2e
e3 E3a E3b E3c E3d E3e E3f E3g E3h E3i E3j E3k
e4a E4a
e4b E4b E4d E4e E4f
e4c E4c
e5a E5a
e5b E5b E5c
e6 E6
e7a E7a
e7b E7b
e8a E8a E8d
e8b E8b E8c E8e E8f E8g E8h
e9a E9a E9c E9e
e9b E9b
e9f E9f
e10 E10
e12 E12
e12b E12b
e13 E13a E13b E13c E13d
e16 E16
e17 E17
END
}

is_group()
{
    plan | grep -q "^$1 "
}

list_groups()
{
    local name
    for name in first facts cache scale real; do
        echo "$name: $(plan | sed -n "s/^$name \([^ ]*\) .*/\1/p" | tr '\n' ' ')"
    done
    asks | sed 's/ /: asks /'
}

# Beside this script in the unpacked archive, else the newest of the tree's builds.
find_lab()
{
    if [[ -n ${LAB-} ]]; then
        echo "$LAB"
    elif [[ -x $here/lab ]]; then
        echo "$here/lab"
    else
        find "$root/build" -path '*/tests/gpu/lab' -type f -printf '%T@ %p\n' 2>/dev/null | sort -rn | head -n 1 | cut -d ' ' -f 2-
    fi
}

# One experiment under a time limit; `limit` is what is left of the group's time at most.
run_one()
{
    local name=$1 limit=$2 rc=0 log
    log=$(mktemp)
    LAB_SECONDS=$limit timeout --kill-after=5 "$limit" "$lab" "$name" "$out" >"$log" 2>&1 || rc=$?
    case $rc in
    124 | 137) echo "$name: stopped after $limit s; what it had found is in $out" ;;
    *) tail -n 1 "$log" ;;
    esac
    grep -v -e '^E[0-9a-z]*: ' -e '^SKIP: ' "$log" >&2 || true
    rm -f "$log"
    return "$rc"
}

# All of the group, one after another: they measure times.
run_all()
{
    local group name limit left rc result=0 skipped=0 n=0
    while read -r group name limit <&3; do
        [[ $group == "$1" ]] || continue
        left=$((group_seconds - SECONDS))
        if ((left < 10)); then
            echo "$name: not begun, the group's time is up"
            result=1
            continue
        fi
        rc=0
        run_one "$name" "$((limit < left ? limit : left))" 3>&- || rc=$?
        n=$((n + 1))
        [[ $rc != 77 ]] || skipped=$((skipped + 1))
        [[ $rc == 0 || $rc == 77 ]] || result=1
    done 3< <(plan)
    ((skipped < n)) || return 77
    return "$result"
}

unpacked=
drop_app()
{
    [[ -z $unpacked ]] || rm -rf "$unpacked"
}

unpack_xz()
{
    if command -v xz >/dev/null; then
        xz -dc "$1"
    else
        python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer, 1 << 20)' "$1"
    fi
}

# The library of E16, unless the caller names one: the archive's, unpacked, else what was fetched for the tree.
find_app()
{
    local corpus=${JITWARM_CORPUS:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/jitwarm-corpus}/lab stub
    stub=$(dirname "$lab")
    [[ -z ${LAB_APP-} ]] || return 0
    if [[ -e $here/app/libggml-cuda.so.xz ]]; then
        unpacked=$(mktemp -d /tmp/jitwarm-lab-app.XXXXXX)
        trap drop_app EXIT
        if unpack_xz "$here/app/libggml-cuda.so.xz" >"$unpacked/libggml-cuda.so"; then
            export LAB_APP=$unpacked/libggml-cuda.so LAB_APP_LIBS=$here/app
        else
            say "the library of E16 cannot be unpacked here; that needs xz, or python3 with lzma, and 270 MiB in /tmp"
        fi
    elif [[ -e $corpus/libggml-cuda.so && -e $stub/libcublas.so.12 ]]; then
        export LAB_APP=$corpus/libggml-cuda.so LAB_APP_LIBS=$corpus:$stub
    fi
}

run_group()
{
    out=$2
    lab=$(find_lab)
    [[ -n $lab && -x $lab ]] || {
        say "there is no lab program: build the tree first, or use the archive that --pack makes"
        return 2
    }
    mkdir -p "$out"
    if plan | grep -q "^$1 e16"; then
        find_app
    fi
    run_all "$1"
}

rehearse()
{
    [[ -x $here/with-simcuda ]] || {
        say "there is no simulated driver here; a rehearsal needs the tree"
        return 2
    }
    LAB_SMALL=1 "$here/with-simcuda" -- "$here/gpu-lab.sh" "$@"
}

# What E16 loads, as small as it gets, for such machines take little: about 52 MiB, made once.
pack_app()
{
    local corpus=${JITWARM_CORPUS:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/jitwarm-corpus}/lab small=$root/build/gpu-lab-app.xz
    [[ ${LAB_PACK_APP-} != no ]] || return 0
    "$here/fetch-corpus" --lab >/dev/null || {
        say "without what E16 loads: it could not be fetched"
        return 0
    }
    mkdir "$1/app"
    cp "$corpus/libggml-base.so" "$corpus/libcudart.so.12" "$1/app/"
    cp "$root/build/gpu-lab-build/tests/gpu/libcublas.so.12" "$1/app/"
    if [[ ! -e $small || $corpus/libggml-cuda.so -nt $small ]]; then
        say "compressing what E16 loads, which takes some minutes, once"
        "$here/need" xz-utils
        xz -T0 --lzma2=preset=9e,dict=192MiB -c "$corpus/libggml-cuda.so" >"$small.part"
        mv "$small.part" "$small"
    fi
    cp "$small" "$1/app/libggml-cuda.so.xz"
}

# A carried machine has no packages: everything but the C library is linked in.
pack()
{
    local build=$root/build/gpu-lab-build archive=$root/build/gpu-lab.tar.gz folder=$root/build/gpu-lab needed
    "$here/need" cmake ninja-build python3 gcc libc6-dev libzstd-dev liblz4-dev zlib1g-dev libsodium-dev libcurl4-openssl-dev
    "$here/deps" static >&2
    cmake -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DJW_STATIC=ON \
        -DCMAKE_PREFIX_PATH="$root/build/deps/static" -DPython3_EXECUTABLE="$(command -v /usr/bin/python3 || command -v python3)" >&2
    cmake --build "$build" --target jitwarm lab labshim labcublas jw_phantom >&2
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$build/jitwarm" "$build/tests/gpu/lab" "$build/tests/gpu/liblabshim.so" "$build/libjitwarm-phantom.so" "$folder/"
    cp "$here/gpu-lab.sh" "$root/docs/gpu-lab/README.md" "$folder/"
    strip "$folder/jitwarm" "$folder/lab" "$folder/liblabshim.so" "$folder/libjitwarm-phantom.so"
    pack_app "$folder"
    tar -C "$root/build" --owner=0 --group=0 --sort=name -czf "$archive" gpu-lab
    needed=$(objdump -T "$folder/lab" "$folder/jitwarm" "$folder/liblabshim.so" "$folder/libjitwarm-phantom.so" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
    echo "build/gpu-lab.tar.gz: $(stat -c %s "$archive") bytes, needs ${needed/_/ } or newer"
}

main()
{
    case ${1-} in
    -h | --help) usage ;;
    --list) list_groups ;;
    --pack) pack ;;
    --rehearse | --run | [a-z]*)
        local how=$1
        [[ $how != --* ]] || shift
        if (($# != 2)) || ! is_group "$1"; then
            say "name a group (first facts cache scale real) and a folder for the results"
            return 2
        fi
        if [[ $how == --rehearse ]]; then
            rehearse "$@"
        else
            run_group "$@"
        fi
        ;;
    *)
        usage >&2
        return 2
        ;;
    esac
}

main "$@"
