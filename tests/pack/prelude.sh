# For golden cases of import: two modules in lib/, primed into the cache one/, packed as x.tar.zst by code that is not the
# tool's; `import` is then run for the empty cache two/, and its answer is reported without the breaks of long lines.
export JITWARM_DRIVER="$SIM/libcuda.so.1"
packs="$(dirname "$WITH_SIMCUDA")/../tests/pack/packs.py"
mkdir lib && cp "$GEN/elf/registered.so" "$GEN/elf/only-ptx.so" lib
"$JITWARM" prime --as-root --cache "$PWD/one" -j 1 -q lib >/dev/null && python3 "$packs" one x.tar.zst
import() {
    JITWARM_STATE="$PWD/state" JITWARM_STORE="$PWD/store" "$JITWARM" import --as-root --cache "$PWD/two" "$@" >out 2>err
    code=$?
    sed -z "s/\n \{10,\}/ /g" out
    cat err >&2
    return $code
}
