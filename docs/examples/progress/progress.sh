#!/bin/sh
# A bar of your own: reads the lines of `jitwarm prime --progress json` (docs/progress.md). The exit code is in the last line.
jitwarm prime --progress json "$@" | {
    code=70
    while IFS= read -r line; do
        percent=$(printf '%s\n' "$line" | sed -n 's/.*"percent":\([0-9]*\).*/\1/p')
        case $line in
        *'"phase":"end"'*) code=$(printf '%s\n' "$line" | sed -n 's/.*"exit":\([0-9]*\).*/\1/p') ;;
        *) echo "$percent %" ;;
        esac
    done
    exit "$code"
}
