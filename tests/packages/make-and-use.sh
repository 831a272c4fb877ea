#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# For tests/packages/run.py: makes the packages on a Debian that has nothing else,
# from the sources in libmcp, and then does what use.sh does.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive MAINTAINER='libmcp test <test@libmcp.test>'
unset BUILD_DIR CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER # the host's

(
  cd libmcp
  scripts/deps
  apt-get -q -y install libsecret-1-dev zsh fish bash-completion
  cmake/packages.sh DEB /t/deb
)
cp deb/packages/*.deb .
exec bash use.sh
