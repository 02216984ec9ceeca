#!/usr/bin/env bash
# no_phantom.sh SCRIPTS: scripts/with-driver where phantom was never built says so, and starts
# nothing. Also where the working folder has files, the first of which was once taken for phantom.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/scripts" "$scratch/driver"
cp "$1"/{with-driver,need,fetch-driver,drivers.csv} "$scratch/scripts/"
: >"$scratch/driver/libcuda.so.1"
cd "$scratch"
code=0
said=$(env -u JITWARM_PHANTOM scripts/with-driver --driver driver -- echo started 2>&1) || code=$?
[[ $code == 77 && $said == *"libjitwarm-phantom.so is not built"* && $said != *started* ]] || {
    echo "exit code $code: $said"
    exit 1
}
