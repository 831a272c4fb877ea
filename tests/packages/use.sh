#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# For tests/packages/run.py: installs the packages of this folder, uses them as
# their users do, and removes them. KIND is deb or rpm.
set -euo pipefail

names=(libmcp-core0 libmcp0 libmcp-http0 libmcp-keyring libmcp-sqlite0 mcpctl)
rpm=(rpm --dbpath /t/db)
# Debian's rpm is not for installing.
force=()
[ ! -e /etc/debian_version ] || force=(--force-debian)
if [ "$KIND" = rpm ]; then
  "${rpm[@]}" --initdb
  # Distributions with rpm have these folders, and search there.
  mkdir -p /usr/lib64/{cmake,pkgconfig} /usr/share/{licenses,zsh/site-functions}
  echo /usr/lib64 >/etc/ld.so.conf.d/lib64.conf
  ldconfig
  export PKG_CONFIG_PATH=/usr/lib64/pkgconfig
  names+=(libmcp-devel)
  lib=/usr/lib64
  # Debian's zsh searches only the folder of its own packages.
  zsh=/usr/share/zsh/site-functions
else
  names+=(libmcp-dev)
  lib=/usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)
  zsh=/usr/share/zsh/vendor-completions
fi

# All files that a package could have brought, or changed.
listed() {
  ldconfig
  find /usr /etc -xdev -printf '%p %y %m %l\n' | sort
}

echo "== install"
listed >before
if [ "$KIND" = rpm ]; then
  # This machine's libraries are not in rpm's data base: test_needs_are_met
  # looks for them.
  "${rpm[@]}" "${force[@]}" --nodeps --install ./*.rpm
  "${rpm[@]}" --verify --nodeps "${names[@]}"
else
  dpkg --install ./*.deb
  dpkg --verify "${names[@]}"
fi
listed >after

echo "== mcpctl"
mcpctl --version
for file in /usr/share/man/man1/mcpctl.1.gz \
  /usr/share/bash-completion/completions/mcpctl \
  "$zsh/_mcpctl" \
  /usr/share/fish/vendor_completions.d/mcpctl.fish; do
  test -s "$file"
done
# Each shell finds its completions by itself.
if [ "$KIND" = deb ]; then
  # shellcheck disable=SC2016 # zsh's variable
  [ "$(zsh -fc 'autoload -Uz compinit; compinit -uD
                print $_comps[mcpctl]')" = _mcpctl ]
  [ "$(fish -c 'complete -C "mcpctl repla"' | cut -f 1)" = replay ]
  grep -q _mcpctl /usr/share/bash-completion/completions/mcpctl
fi
# Nothing that was installed misses a library.
for file in /usr/bin/mcpctl "$lib"/libmcp*.so.0 "$lib"/mcp/*.so; do
  ! ldd "$file" | grep 'not found'
done
# The module for regular expressions is found.
echo '{"type": "string", "pattern": "^a+$"}' >schema.json
echo '"aaa"' >good.json
mcpctl schema check schema.json good.json
echo "mcpctl works"

# A server, run over standard input and output and over HTTP.
use() {
  mcpctl tools -- "$1" | grep '^add '
  [ "$(mcpctl call add a:=2 b:=3 -- "$1")" = 5 ]
  : >said
  "$1" --http 127.0.0.1:0 >/dev/null 2>>said &
  local server=$!
  # Its whole line, which the server may write in pieces.
  while ! grep -q http: said || [ -n "$(tail -c 1 said)" ]; do
    kill -0 $server # it still runs
    sleep 0.05
  done
  local url
  url=$(grep -o 'http://[^ ]*' said)
  [ "$(mcpctl "$url" call add a:=2 b:=3)" = 5 ]
  kill $server
  wait $server
}

echo "== pkg-config"
# shellcheck disable=SC2046 # words
cc hello-server.c -o server $(pkg-config --cflags --libs libmcp)
use ./server
# shellcheck disable=SC2046
cc consumer/core.c -o core $(pkg-config --cflags --libs libmcp-core)
./core
# shellcheck disable=SC2046
cc hello-server.c -o server-static -L"$lib" -Wl,-Bstatic -lmcp -lmcp-core \
  -Wl,-Bdynamic $(pkg-config --cflags --static --libs libmcp |
    sed 's/-lmcp-core //; s/-lmcp //')
use ./server-static
echo "pkg-config works"

echo "== CMake"
cmake -S consumer -B out -G Ninja -DHOW=package -DHELLO=/t/hello-server.c \
  "-Dmcp_DIR=$lib/cmake/mcp"
cmake --build out
for link in shared static; do
  use "out/use-mcp-$link"
  "out/use-core-$link"
  "out/use-sqlite-$link" "/t/$link.db"
done
echo "CMake works"

echo "== remove"
if [ "$KIND" = rpm ]; then
  "${rpm[@]}" "${force[@]}" --erase "${names[@]}"
else
  dpkg --purge "${names[@]}"
fi
listed >removed
[ "$(wc -l <after)" -gt "$(wc -l <before)" ]
diff before removed
echo "nothing is left"
