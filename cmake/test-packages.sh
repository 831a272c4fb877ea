#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Makes the packages in build/packages, and tests them: lintian, rpmlint, SBOM,
# installation in a copy of this machine's files, a second build in another
# folder, and Conan. MAINTAINER is who makes them (cmake/packages.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD_DIR:-build}")
if [ -z "${MAINTAINER-}${DEBEMAIL-}" ]; then
  # Packages that nobody publishes.
  export MAINTAINER='libmcp test <test@libmcp.test>'
fi
cmake/packages.sh DEB "$build/packages/deb"
cmake/packages.sh RPM "$build/packages/rpm"
python3 tests/packages/run.py --build "$build/packages" "$@"
