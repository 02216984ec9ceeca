# Set-ups that the cases share: each case begins in an empty folder, or in a copy of what it names with `in:`.

# Two small libraries: one with a registered module, one that holds PTX alone.
two_libraries() { mkdir lib && cp "$GEN/elf/registered.so" "$GEN/elf/only-ptx.so" lib; }

# Two libraries with names that people know.
named_libraries() { mkdir libs && cp "$GEN/elf/only-ptx.so" libs/libggml-cuda.so && cp "$GEN/elf/tegra.so" libs/libwhisper.so; }

# The driver of the tests, which a program finds by its variable.
simulated_driver() { export JITWARM_DRIVER="$SIM/libcuda.so.1"; }

# gpu_on_the_bus ID [DRIVER]: a GPU of this PCI id, and the driver's version as its kernel module says it.
gpu_on_the_bus()
{
    at=$JITWARM_SYSROOT/sys/bus/pci/devices/0000:01:00.0
    mkdir -p "$at" "$JITWARM_SYSROOT/proc/driver/nvidia"
    echo 0x10de >"$at/vendor" && echo 0x030000 >"$at/class" && echo "$1" >"$at/device"
    [ -z "$2" ] || echo "NVRM version: NVIDIA UNIX x86_64 Kernel Module  $2  Tue Jan  1 00:00:00 UTC 2026" >"$JITWARM_SYSROOT/proc/driver/nvidia/version"
}

# The NVRTC of the tests, as an installed toolkit, and a source.
nvrtc()
{
    mkdir -p cuda/lib64 && cp "$SIM/libnvrtc-sim.so" cuda/lib64/libnvrtc.so.13 && export CUDA_HOME="$PWD/cuda"
    echo 'extern "C" __global__ void jw_canary_k_5(unsigned long *out, unsigned x) {}' >k.cu
}

store_of_its_own() { export JITWARM_STORE="$PWD/store"; }

no_xdg_folders() { unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_CURRENT_DESKTOP DESKTOP_SESSION XDG_RUNTIME_DIR; }

home_of_its_own() { mkdir h && chmod 700 h && export HOME="$PWD/h"; }

# A machine that runs systemd, for startup.
with_systemd() { mkdir -p machine/run/systemd/system && export JITWARM_SYSROOT="$PWD/machine"; }

own_systemd() { no_xdg_folders && home_of_its_own && with_systemd; }

# with_manager EXIT: this user's manager answers, and its last run of jitwarm ended so.
with_manager() {
    export XDG_RUNTIME_DIR="$PWD/run"
    mkdir -p run/systemd bin
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("run/systemd/private")'
    printf '#!/bin/sh\n[ "$2" != show ] || printf "ExecMainExitTimestamp=Mon 2026-11-23 02:54:33 UTC\\nExecMainStatus=%s\\n"\n' "$1" >bin/systemctl
    chmod 755 bin/systemctl
    export PATH="$PWD/bin:$PATH"
}

# prime_quietly PATH: into cache/, with one worker.
prime_quietly() { "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q "$1" >/dev/null; }

cold_libraries() { simulated_driver && two_libraries; }
primed_libraries() { cold_libraries && prime_quietly lib; }

# What export wrote into out, its long lines in one piece and without those of every unsigned pack (export/what-was-primed shows them); what
# is in packs/ now; and its exit code.
answer_and_packs()
{
    code=$?
    sed -z "s/\n \{10,\}/ /g" out | grep -v -e "^For  " -e ^SOFTWARE -e "^Signed    no:" -e ^Contents -e "^Use it .*zst --allow-unsigned$"
    ls -A packs
    exit "$code"
}

# stop_prime CACHE: ends the prime that is at work there, and waits for it.
stop_prime() { kill "$("$JITWARM" status --cache "$1" --json | grep -o '"pid": [0-9]*' | grep -o "[0-9]*")" && wait; true; }

# remember NAME=VALUE: of every driver; begin.py knows the names.
remember() { python3 "$(dirname "$WITH_SIMCUDA")/../tests/cli/begin.py" "$1" "$XDG_STATE_HOME"/jitwarm/drivers/*.record; }

# no_code FILE: the payload of this entry becomes what is no code, with a right checksum.
no_code() { python3 "$(dirname "$WITH_SIMCUDA")/../tests/cli/begin.py" no-code "$1"; }

make_key() { "$JITWARM" key --no-passphrase --new "$1" >/dev/null; }

# Two modules in lib/, primed into one/, packed as x.tar.zst by code that is not the tool's; then `import` is there.
pack_prelude() { . "$(dirname "$WITH_SIMCUDA")/../tests/pack/prelude.sh"; }

# Two primed libraries, an empty folder for packs, and a key; then that key trusted, and a pack signed with it, its entries gone
# from the cache; then what prime says first when it is given that folder.
folder_of_packs()
{
    store_of_its_own && two_libraries && mkdir -p root/var/lib/jitwarm/packs && prime_quietly lib && make_key a.key
    export JITWARM_SYSROOT="$PWD/root" && packs=$PWD/root/var/lib/jitwarm/packs
    mkdir -p "$XDG_CONFIG_HOME/jitwarm/keys" && chmod 700 "$XDG_CONFIG_HOME/jitwarm" "$XDG_CONFIG_HOME/jitwarm/keys"
}
trusted_key() { cp a.pub "$XDG_CONFIG_HOME/jitwarm/keys"; }
pack_in_folder() { JITWARM_STORE="$PWD/other-store" "$JITWARM" export --cache "$PWD/cache" --sign a.key -o "$packs/app.tar.zst" >/dev/null && rm -r cache; }
prime_from_packs()
{
    HOME="$(dirname "$PWD")" unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib | head -n 1
}

# unwrapped COMMAND...: its answer with long lines in one piece, for where they break depends on the length of a path or of a time.
unwrapped() { COLUMNS=1000 "$@"; }

# only "KEY..." COMMAND...: those fields alone of its answer in JSON, or with "-KEY..." all but those. One case of a report shows all of it,
# but for what it shares with prime's; the others do this. Afterwards fields KEY... shows more of the same answer.
only()
{
    keys=$1 && shift
    "$@" >"$ANSWER"
    code=$?
    fields $keys
    return "$code"
}
fields() { python3 "$(dirname "$WITH_SIMCUDA")/../tests/cli/only.py" "$@" <"$ANSWER"; }

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

# Software of every kind that the search knows, in a made machine; each library has another name.
home_of_all_kinds()
{
    made_machine
    for place in .virtualenvs/wrapper .local/share/virtualenvs/pipenv .cache/pypoetry/virtualenvs/poetry .local/share/pdm/venvs/pdm \
        .local/share/hatch/env/virtual/app/x/hatch .rye/py/rye .rye/tools/ryetool .local/share/pipx/venvs/pipx .local/share/uv/tools/uvtool \
        .local/share/uv/python/uvpython .pyenv/versions/3.9.1 .asdf/installs/python/3.9.2 .local/share/mise/installs/python/3.9.3; do
        made_software "$place" "$HOME/$place/lib/python3.9/site-packages"
    done
    for place in tf work/project/.venv work/deep/er/venv ComfyUI/venv stable-diffusion-webui/venv; do
        made_software "$place" "$HOME/$place/lib/python3.9/site-packages" && : >"$HOME/$place/pyvenv.cfg"
    done
    for place in miniconda3/envs/mini anaconda3/envs/ana miniforge3/envs/forge mambaforge/envs/mamba micromamba/envs/micro \
        .conda/envs/conda .pixi/envs/pixi work/pixi-project/.pixi/envs/default opt/my-conda; do
        made_software "$place" "$HOME/$place/lib" && mkdir "$HOME/$place/conda-meta"
    done
    made_software src/llama.cpp/build/bin "$HOME/src/llama.cpp/build/bin"
    mv "$HOME/src/llama.cpp/build/bin"/*.so "$HOME/src/llama.cpp/build/bin/libggml-cuda.so"
    made_software pip-target "$HOME/pip-target/torch" && mkdir "$HOME/pip-target/torch-1.4.dist-info"
    printf 'Name: torch\nVersion: 1.4\n' >"$HOME/pip-target/torch-1.4.dist-info/METADATA"
    made_software pip-prefix "$HOME/pip-prefix/lib/python3.8/site-packages/tf"
    mkdir "$HOME/pip-prefix/lib/python3.8/site-packages/tf-2.3.1.dist-info"
    printf 'Name: tf\nVersion: 2.3.1\n' >"$HOME/pip-prefix/lib/python3.8/site-packages/tf-2.3.1.dist-info/METADATA"
    for place in listed jupyter vscode pycharm; do
        made_software "$place" "$HOME/a/b/c/d/e/$place/lib/python3.9/site-packages"
    done
    mkdir -p "$HOME/.conda" "$HOME/.local/share/jupyter/kernels/k" "$HOME/.config/Code/User" "$HOME/.config/JetBrains/PyCharm/options"
    echo "$HOME/a/b/c/d/e/listed" >"$HOME/.conda/environments.txt"
    echo "{\"argv\": [\"$HOME/a/b/c/d/e/jupyter/bin/python\", \"-m\"]}" >"$HOME/.local/share/jupyter/kernels/k/kernel.json"
    echo '{"python.defaultInterpreterPath": "~/a/b/c/d/e/vscode/bin/python"}' >"$HOME/.config/Code/User/settings.json"
    echo '<homePath value="$USER_HOME$/a/b/c/d/e/pycharm/bin/python" />' >"$HOME/.config/JetBrains/PyCharm/options/jdk.table.xml"
    for place in web/node_modules/onnx .npm-global/lib/node_modules/llama; do
        made_software "$place" "$HOME/$place/bin" && : >"$HOME/$place/bin/binding.node"
    done
    for place in .lmstudio/extensions/backends .local/lib/ollama .local/share/Jan/data/llamacpp/backends gpt4all/lib blender-4.2; do
        made_software "$place" "$HOME/$place"
    done
    made_software running "$PWD/root/srv/running" && mkdir -p root/proc/4711
    printf '7f00 r-xp 0 08:01 1    /usr/lib/libcuda.so.1\n7f00 rw-s 0 00:06 512  /dev/nvidiactl\n7f01 r-xp 0 08:01 2    /srv/running/x.so\n' >root/proc/4711/maps
}

# made_software NAME FOLDER: a library there that has its place in its name.
made_software() { mkdir -p "$2" && cp "$GEN/elf/only-ptx.so" "$2/$(echo "$1" | tr / _).so"; }
