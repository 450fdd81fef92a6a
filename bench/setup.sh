#!/bin/sh
# Makes bench/.venv with the packages of requirements.txt, and gltf/node_modules with the glTF validator. Quick when they are there already.
set -eu
cd "$(dirname "$0")"
if ! cmp -s gltf/package-lock.json gltf/node_modules/stamp; then
    (cd gltf && npm ci --silent && cp package-lock.json node_modules/stamp)
fi
if [ -f .venv/stamp ] && cmp -s requirements.txt .venv/stamp; then exit 0; fi
if ! python3 -m venv .venv; then
    echo "bench/setup.sh: python3 cannot make a virtual environment; on Debian: apt-get install python3-venv" >&2
    exit 1
fi
.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
cp requirements.txt .venv/stamp
