#!/bin/sh
# Sees to a Chromium, for the tests of the page: Debian's. Quick when there is one already.
set -eu
if [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; then exit 0; fi
as_root=""
if [ "$(id -u)" != 0 ]; then as_root="sudo -n"; fi
if command -v apt-get > /dev/null \
    && { $as_root apt-get install -y --no-install-recommends chromium \
        || { $as_root apt-get update && $as_root apt-get install -y --no-install-recommends chromium; }; } > /dev/null; then
    exit 0
fi
echo "web/install-chromium.sh: no Chromium, and none could be installed; on Debian: apt-get install chromium, elsewhere tell where it is by CHROMIUM" >&2
exit 1
