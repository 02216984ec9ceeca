# Set-ups that the cases share: each case begins in an empty folder, or in a copy of what it names with `in:`.

# Two small libraries: one with a registered module, one that holds PTX alone.
two_libraries() { mkdir lib && cp "$GEN/elf/registered.so" "$GEN/elf/only-ptx.so" lib; }

# Two libraries with names that people know.
named_libraries() { mkdir libs && cp "$GEN/elf/only-ptx.so" libs/libggml-cuda.so && cp "$GEN/elf/tegra.so" libs/libwhisper.so; }

# The driver of the tests, which a program finds by its variable.
simulated_driver() { export JITWARM_DRIVER="$SIM/libcuda.so.1"; }

store_of_its_own() { export JITWARM_STORE="$PWD/store"; }

no_xdg_folders() { unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_CURRENT_DESKTOP DESKTOP_SESSION XDG_RUNTIME_DIR; }

home_of_its_own() { mkdir h && chmod 700 h && export HOME="$PWD/h"; }

# prime_quietly PATH: into cache/, with one worker.
prime_quietly() { "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q "$1" >/dev/null; }

make_key() { "$JITWARM" keygen --no-passphrase -o "$1" >/dev/null; }

# Two modules in lib/, primed into one/, packed as x.tar.zst by code that is not the tool's; then `import` is there.
pack_prelude() { . "$(dirname "$WITH_SIMCUDA")/../tests/pack/prelude.sh"; }

# unwrapped COMMAND...: its answer with long lines in one piece, for where they break depends on the length of a path.
unwrapped()
{
    "$@" >out
    set -- $?
    sed -z "s/\n \{10,\}/ /g" out
    return $1
}

# A machine that has no software but what the case puts there: below root/, with the home root/home/ada.
made_machine()
{
    mkdir -p root/home/ada && export JITWARM_SYSROOT="$PWD/root" HOME="$PWD/root/home/ada"
    P="$JITWARM prime --as-root --cache $PWD/cache -j 1"
}

# made_environment PREFIX [LIBRARY]: a virtual environment with one package, below the home.
made_environment()
{
    mkdir -p "$1/bin" "$1/lib/python3.8/site-packages/tensorflow" && : >"$1/pyvenv.cfg"
    cp "$GEN/elf/${2:-only-ptx.so}" "$1/lib/python3.8/site-packages/tensorflow/lib.so"
}
