#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# For tests/packages/run.py: what a user of a fresh Debian does, where apt
# installs all that the packages need.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

test ! -e /usr/bin/cc # it is bare
apt-get -q -y --no-install-recommends install ./libmcp-core0_*.deb \
  ./libmcp0_*.deb
! dpkg --status libcurl4 >/dev/null 2>&1
apt-get -q -y --no-install-recommends install ./libmcp-http0_*.deb \
  ./libmcp-sqlite0_*.deb ./mcpctl_*.deb
mcpctl tools -- ./hello-server | grep '^add '
[ "$(mcpctl call add a:=2 b:=3 -- ./hello-server)" = 5 ]
echo "apt's mcpctl works"
apt-get -q -y --purge autoremove mcpctl 'libmcp*'
left=$(find / -xdev -path /t -prune -o -name '*mcp*' -print)
[ -z "$left" ] || { echo "$left"; exit 1; }
! dpkg --list | grep mcp
echo "nothing is left"
