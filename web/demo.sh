#!/usr/bin/env bash
# Shows a scene in the browser: until Ctrl-C at a terminal; elsewhere in the background, so that the caller goes on.
set -euo pipefail
supple=$1 scene=$2
if [ -t 1 ]; then
    exec "$supple" view "$scene" --open
fi
log=$(mktemp)
setsid nohup "$supple" view "$scene" >"$log" 2>&1 </dev/null &
server=$!
for _ in $(seq 100); do
    if grep -qs '^http' "$log"; then
        grep '^http' "$log"
        echo "(a crowd moves there until: kill $server)"
        exit 0
    fi
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
cat "$log"
exit 1
