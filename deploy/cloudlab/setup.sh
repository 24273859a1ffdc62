#!/bin/sh
# Prepare a node: what loadgen and target want beside themselves. Both are static, so
# without this script they run too, short of the python runtimes and of a clock that
# is known to be right. For Debian and Ubuntu, as root; may be repeated, and does at
# every boot where the profile was made from the repository.
set -eu

packages="python3 python3-pil"

say() { echo "setup: $*"; }

if [ "$(id -u)" != 0 ]; then
	say "wants root: sudo sh $0" >&2
	exit 2
fi

# A clock is kept by one program; which one does not matter.
if ! [ -e /usr/sbin/chronyd ] && ! [ -e /usr/sbin/ntpd ] && ! [ -e /lib/systemd/systemd-timesyncd ]; then
	packages="$packages chrony"
fi

missing=
for package in $packages; do
	case $(dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null || true) in
	*" installed") ;;
	*) missing="$missing $package" ;;
	esac
done

if [ -z "$missing" ]; then
	say "nothing to install"
	exit 0
fi
say "installing$missing"
export DEBIAN_FRONTEND=noninteractive
# A node that has just booted may be at its own upgrades.
apt-get -o DPkg::Lock::Timeout=600 -qq update
# shellcheck disable=SC2086 # several words
apt-get -o DPkg::Lock::Timeout=600 -qq install -y --no-install-recommends $missing >/dev/null
say "done"
