#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: cmake/fuzz-corpus.sh NAME
#
# Prints the folders of a fuzzer's corpus, a line each.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "tests/fuzz/corpus/$1"
# One takes the transcripts of tests/wire too, as they are.
[ "$1" != transcript ] || ls -d tests/wire/*/
