#!/usr/bin/env bash
# What other agents call for each event: bash -p client.sh HOST EVENT closed|open SECONDS NODE, the payload on standard
# input. It asks the process that `carabiner hook --serve` is, or else runs `carabiner hook`; without an answer in that
# time, it ends with a text and with 2, which refuses; if the event is open, with 1.
set +o posix
host=${1-} event=${2-} failing=${3-closed} seconds=${4-50} node=${5-}
package=${BASH_SOURCE[0]%/*}/..
[[ $package == /*/hosts/.. ]] && package=${package%/hosts/..}

fail() {
  local verdict='is refused, since nothing could judge it' code=2
  [[ $failing == open ]] && verdict='was not looked at' code=1
  printf 'carabiner: %s of %s %s: %s\n' "$event" "$host" "$verdict" "$1" >&2
  exit "$code"
}

SECONDS=0
[[ $seconds =~ ^[1-9][0-9]{0,3}$ ]] || fail "its deadline is not a number of seconds"
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || fail "bash ${BASH_VERSION-} is older than 4.4"

# Prints `started` and the process that it started; then the answer: CODE, the lengths of both texts, and the texts. Only bytes are counted and compared.
work() {
  local language=${LC_ALL-} payload answer socket warm=--warm
  LC_ALL=C
  # Without -t it reads blocks, and with it single bytes. No JSON has a byte 0, and bash drops it.
  IFS= read -r -N 1000000000 payload 2>/dev/null
  ask 2>/dev/null
  local failed=$?
  [[ $socket ]] && exec {socket}>&-
  if ((failed)); then run; else printf '%s' "$answer"; fi
}

# Fails if the process is not there, is not ours, or cannot answer.
ask() {
  local folder=${CARABINER_HOME:-${HOME-}/.carabiner}/warm port secret proof line mask environment
  local file=$folder/${package//\//%}
  [[ -O $folder && -f $file && -O $file ]] || return
  read -r port secret proof _ <"$file" && [[ $port && $secret && $proof ]] || return
  mapfile -d '' -t environment </proc/$$/environ && { read -r && read -r _ mask; } </proc/$$/status || return
  trap '' PIPE
  exec {socket}<>"/dev/tcp/127.0.0.1/$port" || return
  printf '%s\n' "$secret" >&"$socket" || return
  # Whoever took over the port never saw the proof, and gets nothing else.
  read -r -t 1 -u "$socket" line && [[ $line == "$proof" ]] || return
  printf '%s\0' "$host" "$event" "$((seconds - SECONDS))" "$PWD" "$mask" "${#environment[@]}" \
    ${environment[@]+"${environment[@]}"} "$payload" >&"$socket" || return
  IFS= read -r -N 1000000000 -u "$socket" answer
  # It is there, but this is not for it: another one would not help.
  [[ $answer == busy ]] && warm=
  isWhole "$answer"
}

isWhole() {
  local header=${1%%$'\n'*}
  [[ $header =~ ^([0-9]+)\ ([0-9]+)\ ([0-9]+)$ ]] &&
    ((${#1} == ${#header} + 1 + BASH_REMATCH[2] + BASH_REMATCH[3]))
}

run() {
  local program=$package/dist/cli.js output left=$((seconds - SECONDS)) text code
  [[ -f $program ]] || program=$package/src/cli.ts
  [[ -x $node ]] || node=node
  # It says in the words of the agent that it was too late, if it can.
  local words=("$node" "$program" hook --for "$host" --event "$event" --deadline "$((left > 2 ? left - 1 : 1))" $warm)
  exec {output}< <(
    if [[ $language ]]; then LC_ALL=$language; else unset LC_ALL; fi
    exec "${words[@]}" < <(printf '%s' "$payload" 2>/dev/null)
  )
  local process=$!
  printf 'started %s\n' "$process"
  IFS= read -r -t "$((left + 1))" -N 1000000000 -u "$output" text
  (($? > 128)) && kill -KILL "$process" 2>/dev/null
  wait "$process"
  code=$?
  printf '%s %s 0\n%s' "$code" "${#text}" "$text"
}

exec {result}< <(work)
worker=$! started= code=started
# A shell that is blocked while it writes ends in no other way.
trap 'kill -KILL "$worker" $started 2>/dev/null' EXIT
trap 'exit 143' TERM INT HUP
LC_ALL=C
while [[ $code == started ]]; do
  read -r -t "$((seconds > SECONDS ? seconds - SECONDS : 1))" -u "$result" code size rest ||
    fail "there was no answer within $seconds seconds"
  [[ $code == started ]] && started=$size
done
trap - EXIT
IFS= read -r -N "$((size + rest))" -u "$result" text
out=${text:0:size} err=${text:size}
if [[ $code == 0 && ${out%$'\n'} == '{'*'}' ]]; then
  printf '%s' "$err" >&2
  printf '%s' "$out"
else
  [[ $code == 2 ]] && printf '%s' "$err" >&2
  fail "carabiner hook ended with $code"
fi
