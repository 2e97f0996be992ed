#!/bin/sh
# The main job on two shipped examples: one that breaks, one that holds. Usage: demo.sh PATH-TO-MEMBAR
membar=${1:-membar}
here=$(dirname "$0")

show() {
    echo "\$ membar check $*"
    "$membar" check "$@"
    code=$?
    echo "(exit code $code)"
    echo
    return $code
}

cd "$here" || exit 1
show litmus/store-buffering.litmus
[ $? -eq 1 ] || { echo "demo: expected a violation"; exit 1; }
show litmus/store-buffering-fenced.litmus
[ $? -eq 0 ] || { echo "demo: expected it to hold"; exit 1; }
