#!/bin/sh
# Sees to a Vulkan driver, for the tests of supple-gpu: Mesa's in software will do. Quick when there is one already.
set -eu
PATH="$PATH:/usr/sbin:/sbin"
case "$(uname -s)" in
Linux) ;;
*) exit 0 ;; # Metal and Direct3D come with the system
esac
# drivers that come otherwise
if [ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ]; then exit 0; fi
if ldconfig -p 2> /dev/null | grep -q libvulkan.so.1; then
    for driver in /usr/share/vulkan/icd.d/*.json /usr/local/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json; do
        if [ -e "$driver" ]; then exit 0; fi
    done
fi
packages="mesa-vulkan-drivers libvulkan1"
as_root=""
if [ "$(id -u)" != 0 ]; then as_root="sudo -n"; fi
if command -v apt-get > /dev/null \
    && { $as_root apt-get install -y --no-install-recommends $packages \
        || { $as_root apt-get update && $as_root apt-get install -y --no-install-recommends $packages; }; } > /dev/null; then
    exit 0
fi
# no reason to stop: the tests say so too, if they find none
echo "bench/gpu-driver.sh: no Vulkan driver, and none could be installed; on Debian: apt-get install $packages" >&2
