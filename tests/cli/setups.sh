# Set-ups that cases share. A case begins in an empty folder; a function that fails ends it.

# Two small libraries: one with a registered module, one that holds PTX alone.
two_libraries() { mkdir lib && cp "$GEN/elf/registered.so" "$GEN/elf/only-ptx.so" lib; }

# The driver of the tests, which a program finds by its variable, on Windows in System32, and a
# cache in this folder.
simulated_driver()
{
    export CUDA_CACHE_PATH="$PWD/cache"
    if [ -n "$MACHINE" ]; then
        cp "$SIM/nvcuda.dll" "$MACHINE/drive_c/windows/system32"
    else
        export JITWARM_DRIVER="$SIM/libcuda.so.1"
    fi
}

# gpu_on_the_bus ID [DRIVER [BUS]]: a GPU of this PCI id, and the driver's version as its kernel
# module says it.
gpu_on_the_bus()
{
    at=$JITWARM_SYSROOT/sys/bus/pci/devices/0000:${3:-01}:00.0
    mkdir -p "$at" "$JITWARM_SYSROOT/proc/driver/nvidia"
    echo 0x10de >"$at/vendor" && echo 0x030000 >"$at/class" && echo "$1" >"$at/device"
    [ -z "$2" ] ||
        echo "NVRM version: NVIDIA UNIX x86_64 Kernel Module  $2  Tue Jan  1 00:00:00 UTC 2026" \
            >"$JITWARM_SYSROOT/proc/driver/nvidia/version"
}
rtx_3070() { gpu_on_the_bus 0x2484 550.163.01; }

# Three builds of the simulated driver with one compiler, the third of which calls it in another
# way, and one with a compiler of its own; a library of five modules, the largest of 9 KiB.
driver_updates()
{
    export CUDA_CACHE_PATH="$PWD/cache" SIMCUDA_DIR="$SIM" TMPDIR="$PWD"
    play="$SOURCE/scripts/with-simcuda"
    FIRST="$play --driver 535.216.03 --compiler 12.2 --"
    SECOND="$play --driver 535.261.03 --compiler 12.2 --"
    CALLS="env SIMCUDA_CALL=2 $play --driver 535.274.02 --compiler 12.2 --"
    OTHER="$play --driver 550.163.01 --"
    SWAPPED="$play --driver 535.274.02 --compiler 12.3 --"
    mkdir lib
    for n in 1 2 3 4 5; do
        {
            printf '.version 6.4\n.target sm_50\n.address_size 64\n//'
            head -c $((n * 1800)) /dev/zero | tr '\0' x
            printf '\n.visible .entry k%s()\n{\n    ret;\n}\n' $n; } >lib/$n.ptx
    done
}

make_key() { "$JITWARM" key --no-passphrase --new a.key >/dev/null; }

# A program of the simulated driver that loads one module, and says whether that was compiled:
# $PROGRAM.
program()
{
    ln -s "$SOURCE/tests/real/loader.py" "${JITWARM%/*}" # $PROGRAM is words: none has a blank
    export LD_LIBRARY_PATH="$SIM" PROGRAM="python3 ${JITWARM%/*}/loader.py module.ptx --nap 0.3"
    printf '.version 6.4\n.target sm_50\n.address_size 64\n' >module.ptx
    printf '.visible .entry add()\n{\n    ret;\n}\n' >>module.ptx
}

# Two libraries whose modules are in the cache; the same, packed into packs/ and signed with a.key,
# and the cache is gone.
primed() { simulated_driver && two_libraries && "$JITWARM" prime --yes -q lib >/dev/null; }
packed()
{
    primed && make_key && mkdir packs && "$JITWARM" export -q --sign a.key -o packs lib || return 1
    rm -r cache
    rm -rf "$XDG_CONFIG_HOME/jitwarm/keys"
    [ -z "$MACHINE" ] || rm -rf "$MACHINE/drive_c/users/ada/AppData/Roaming/jitwarm/keys"
}
