#!/usr/bin/env bash
# What other agents call for each event: bash -p client.sh HOST EVENT closed|open SECONDS NODE [NAME=VALUE...], the
# payload on standard input. It asks the process that `carabiner hook --serve` is, or else runs `carabiner hook`;
# without an answer in that time, it ends with a text and with 2, which refuses; if the event is open, with 1.
set +o posix
host=${1-} event=${2-} failing=${3-closed} seconds=${4-50} node=${5-}
package=${BASH_SOURCE[0]%/*}/..
[[ $package == /*/hosts/.. ]] && package=${package%/hosts/..}
# All sizes are in bytes.
LC_ALL=C SECONDS=0 payload= answer= socket= overdue= warm=--warm

fail() {
  local verdict='is refused, since nothing could judge it' code=2
  [[ $failing == open ]] && verdict='was not looked at' code=1
  printf 'carabiner: %s of %s %s: %s\n' "$event" "$host" "$verdict" "$1" >&2
  exit "$code"
}
late() { fail "there was no answer within $seconds seconds"; }
[[ $seconds =~ ^[1-9][0-9]{0,3}$ ]] || fail "its deadline is not a number of seconds"
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || fail "bash ${BASH_VERSION-} is older than 4.4"

# What a project may have set for the agent decides neither which policy applies nor which code judges.
shift $(($# < 5 ? $# : 5))
set_by_project='^(CARABINER_|NODE_|LD_|DYLD_|GLIBC_|BASH|SHELLOPTS=|ENV=|GIT_|PYTHON|PERL|RUBY|JAVA_TOOL|HOME=|PATH=)'
mapfile -d '' -t environment 2>/dev/null </proc/$$/environ || mapfile -d '' -t environment < <(env -0)
if (($#)); then
  unset CARABINER_HOME
  export "$@"
  for each in "${environment[@]}"; do
    [[ $each =~ ^[A-Za-z_][A-Za-z0-9_]*= && ! $each =~ $set_by_project ]] && set -- "$@" "$each"
  done
  environment=("$@")
fi

# Fails if the process is not there, is not ours, or cannot answer. Takes options for reading the answer.
ask() {
  local folder=${CARABINER_HOME:-${HOME-}/.carabiner}/warm port secret proof pid start line mask
  local file=$folder/${package//\//%}
  [[ -O $folder && -f $file && -O $file ]] && read -r port secret proof pid start _ <"$file" || return
  # As long as the process lives, no other has its port.
  [[ -O /proc/$pid ]] && read -r line <"/proc/$pid/stat" && line=(${line##*) }) || return
  [[ ${line[19]-} == "${start:-none}" ]] || return
  { read -r && read -r _ mask; } </proc/$$/status || return
  line="${environment[*]-}"
  # The rest of what the process does not read at once would have to wait for it.
  ((${#line} < 100000)) && exec {socket}<>"/dev/tcp/127.0.0.1/$port" || return
  printf '%s\0' "$secret" "$host" "$event" "$((seconds - SECONDS))" "$PWD" "$mask" "${#environment[@]}" \
    ${environment[@]+"${environment[@]}"} "$payload" >&"$socket" || return
  # It may be blocked by a hook, for ever.
  read -r -t 1 -u "$socket" line && [[ $line == "$proof" ]] || return
  IFS= read -r "$@" -N 1000000000 -u "$socket" answer
  (($? > 128)) && overdue=yes
  # It is there, but this is not for it: another one would not help.
  [[ $answer == busy ]] && warm=
  line=${answer%%$'\n'*}
  [[ $line =~ ^([0-9]+)\ ([0-9]+)\ ([0-9]+)$ ]] && ((${#answer} == ${#line} + 1 + BASH_REMATCH[2] + BASH_REMATCH[3]))
}

# Prints `started` and the process that it started; then the answer: its code, the lengths of both texts, and the texts.
run() {
  local program=$package/dist/cli.js output left=$((seconds - SECONDS)) text code process
  [[ -f $program ]] || program=$package/src/cli.ts
  [[ -x $node ]] || node=node
  # It says in the words of the agent that it was too late, if it can.
  local words=("$node" "$program" hook --for "$host" --event "$event" --deadline "$((left > 2 ? left - 1 : 1))" $warm)
  [[ $socket ]] && exec {socket}>&-
  exec {output}< <(
    exec env -i -- "${environment[@]}" "${words[@]}" < <(printf '%s' "$payload" 2>/dev/null)
  )
  process=$!
  printf 'started %s\n' "$process"
  IFS= read -r -t "$((left + 1))" -N 1000000000 -u "$output" text
  (($? > 128)) && kill -KILL "$process" 2>/dev/null
  wait "$process"
  code=$?
  printf '%s %s 0\n%s' "$code" "${#text}" "$text"
}

# All that may take long is done by another shell, which can be ended: one that is blocked while it writes ends in no
# other way. Without -t, `read` reads blocks, and with it single bytes. No JSON has a byte 0, and bash drops it.
work() {
  local rest=
  [[ $large ]] && IFS= read -r -N 1000000000 rest
  payload+=$rest
  if [[ $large ]] && ask 2>/dev/null; then printf '%s' "$answer"; else run; fi
}

trap '' PIPE
trap 'exit 143' TERM INT HUP
IFS= read -r -t "$seconds" -N 2000 payload 2>/dev/null
ended=$? large= started= code=started
((ended > 128)) && late
((ended)) || large=yes
if [[ ! $large ]] && ask -t "$seconds" 2>/dev/null; then
  code=${BASH_REMATCH[1]} size=${BASH_REMATCH[2]} text=${answer#*$'\n'}
else
  [[ $overdue ]] && late
  exec {result}< <(work)
  worker=$!
  # It may just have started it.
  trap '[[ $started ]] || read -r -t 1 -u "$result" _ started _; kill -KILL "$worker" $started 2>/dev/null' EXIT
  while [[ $code == started ]]; do
    read -r -t "$((seconds > SECONDS ? seconds - SECONDS : 1))" -u "$result" code size rest || late
    [[ $code == started ]] && started=$size
  done
  trap - EXIT
  IFS= read -r -N "$((size + rest))" -u "$result" text
fi
out=${text:0:size} err=${text:size}
if [[ $code == 0 && ${out%$'\n'} == '{'*'}' ]]; then
  printf '%s' "$err" >&2
  printf '%s' "$out"
else
  [[ $code == 2 ]] && printf '%s' "$err" >&2
  fail "carabiner hook ended with $code"
fi
