# Runs the steps of `.ci/run` and `.ci/nightly`, one after another, and says how many seconds each took. It is sourced
# where `steps` and the functions `step_NAME` are defined, with the words of the command line.
# shellcheck shell=bash

if [[ ${1:-} == --list ]]; then
    printf '%s\n' "${steps[@]}"
    exit
fi
chosen=("$@")
for name in "${chosen[@]}"; do
    [[ " ${steps[*]%% *} " == *" $name "* ]] || { printf '%s: there is no step %s: see --list\n' "$0" "$name" >&2; exit 2; }
done
is_chosen() { ((${#chosen[@]} == 0)) || [[ " ${chosen[*]} " == *" $1 "* ]]; }

# Beside what is compiled first. Its log is shown by the step `install`.
if is_chosen install; then
    mkdir -p target
    (install_all) >target/ci-install.log 2>&1 &
    installation=$!
fi
step_install() {
    local code=0
    wait "$installation" || code=$?
    cat target/ci-install.log
    return "$code"
}

took=()
for step in "${steps[@]}"; do
    name=${step%% *}
    is_chosen "$name" || continue
    printf '\n== %s\n' "$step"
    began=$SECONDS
    # Not as a condition: there, `set -e` would not hold. In a shell of its own, but for the one that waits for a child
    # of this shell.
    set +e
    if [[ $name == install ]]; then step_install; else (set -e && "step_$name"); fi
    code=$?
    set -e
    took+=("$(printf '%5d s  %s' $((SECONDS - began)) "$name")")
    if ((code != 0)); then
        printf '\n'
        printf '%s\n' "${took[@]}"
        printf '%s: the step %s failed\n' "$0" "$name" >&2
        exit 1
    fi
done
printf '\n'
printf '%s\n' "${took[@]}"
printf '%5d s  in all\n' "$SECONDS"
