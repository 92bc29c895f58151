#!/bin/sh
# Stops all children when the standalone process ends, however that happens. Reads lines "keep <pid> <signal>" and
# "drop <pid>"; the end of the input means that standalone is gone: the keeper stops the kept processes, and ends.
trap '' INT TERM HUP
kept=''
while read -r verb pid signal; do
  case $verb in
    keep) kept="$kept $pid:$signal" ;;
    drop)
      rest=''
      for entry in $kept; do
        [ "${entry%%:*}" = "$pid" ] || rest="$rest $entry"
      done
      kept=$rest
      ;;
  esac
done

for entry in $kept; do
  kill -s "${entry#*:}" "${entry%%:*}" 2>/dev/null
done
tries=0
while [ "$tries" -lt 100 ]; do
  living=''
  for entry in $kept; do
    kill -0 "${entry%%:*}" 2>/dev/null && living=yes
  done
  [ "$living" ] || exit 0
  tries=$((tries + 1))
  sleep 0.1
done
for entry in $kept; do
  kill -s KILL "${entry%%:*}" 2>/dev/null
done
