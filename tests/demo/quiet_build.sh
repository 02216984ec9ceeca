#!/usr/bin/env bash
# quiet_build.sh SCRIPT: what `scripts/build --quiet` shows of ninja's lines where no terminal is: a
# line for each quarter.
set -euo pipefail
functions=$(sed -n '/^count_steps()/,/^}/p' "$1")
[[ -n $functions ]]
eval "$functions"
# shellcheck disable=SC2034  # the function reads it
preset=release
said=$(for i in $(seq 1 200); do echo "[$i/200] Building C object x.o"; done | count_steps 2>&1)
[[ $said == $'build: release, 0 %\nbuild: release, 25 %\nbuild: release, 50 %\nbuild: release, 75 %' ]] || {
    echo "$said"
    exit 1
}
[[ -z $(printf 'no steps\n' | count_steps 2>&1) ]]
