# SPDX-License-Identifier: MIT
#
# For scripts/deps and scripts/deps-static: how packages are installed, and how
# files of Debian's archive are fetched without a change to the system. To be
# sourced in the root of the project, with `set -euo pipefail`, and with `script`
# (the name in messages) and `build` set.

[ ! -e /etc/os-release ] || . /etc/os-release
release=${VERSION_CODENAME-}

fail() {
  printf '%s: %s\n' "$script" "$*" >&2
  exit 1
}

# Prints those of the named packages that are not installed.
missing() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "$@" \
    2>/dev/null | sed -n 's/^ii *//p' || true)
  local package
  for package in "$@"; do
    grep -qxF "$package" <<<"$installed" || printf '%s ' "$package"
  done
}

# Runs a command without output. If it fails, shows its output.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "failed: $*"
  fi
  rm -f "$log"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    quietly env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    quietly sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    fail "needs root or sudo for: $*"
  fi
}

updated=0
update_lists() {
  [ "$updated" = 1 ] || as_root apt-get -q update
  updated=1
}

install_missing() {
  local wanted
  wanted=$(missing "$@")
  [ -n "$wanted" ] || return 0
  echo "$script: installing $wanted" >&2
  update_lists
  # shellcheck disable=SC2086 # one word a package
  as_root apt-get -q -y --no-install-recommends install $wanted
}

# --- a private state of apt --------------------------------------------------

# Sets uri to the main archive of the machine's own sources, and key to its
# keyring if they name one. They may be written in either of apt's formats.
find_archive() {
  local entry
  IFS='|' read -r uri entry < <(apt-get indextargets \
    --format '$(REPO_URI)|$(SOURCESENTRY)|$(RELEASE)|$(COMPONENT)' \
    'Identifier: Packages' | grep -m1 -F "|$release|main") || return 1
  entry=${entry%%|*}
  key=$(grep -m1 -ioP '^[^#]*signed-by\s*[:=]\s*\K/[^\]\s]+' "${entry%:*}") ||
    key=
}

# The names of a suite in the archive: its own, and Debian's current one.
suite_names() {
  case $1 in
    trixie) echo trixie stable ;;
    bookworm) echo bookworm oldstable ;;
    *) echo "$1" ;;
  esac
}

# private_update ROOT SOURCE SUITE: fetches the lists of a suite. A mirror that
# is being updated may serve an index that is older than its lists, and then
# apt refuses them; under the suite's other name they may be whole.
private_update() {
  local root=$1 source=$2 suite=$3 name log
  log=$(mktemp)
  for name in $(suite_names "$suite"); do
    echo "$source $name main" >"$root/sources.list"
    if APT_CONFIG=$root/apt.conf.new apt-get -q update >"$log" 2>&1 &&
      grep -qsx "Codename: $suite" "$root"/lists/*_"$name"_InRelease; then
      rm -f "$log"
      return
    fi
  done
  cat "$log" >&2
  rm -f "$log"
  fail "cannot read the archive's lists of $suite: try again later"
}

# private_apt ARCH SUITE COMMAND...: apt-get on a state of its own. ARCH "source"
# is for source packages.
private_apt() {
  local arch=$1 suite=$2 kind=deb
  shift 2
  local root uri key
  root=$(realpath "$build")/apt/$arch-$suite
  if [ "$arch" = source ]; then
    kind=deb-src
    arch=$(dpkg --print-architecture)
  fi
  if [ ! -e "$root/apt.conf" ]; then
    mkdir -p "$root"/{lists,cache,log}/partial
    # apt reports a source only after it has fetched the source's lists.
    find_archive || { update_lists && find_archive; } ||
      fail "apt's sources name no '$release main'"
    : >"$root/status"
    # The machine's proxies and similar settings apply; its hooks do not run.
    {
      apt-config dump | grep '^Acquire::' || true
      cat <<CONF
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "";
Acquire::Languages "none";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::sourcelist "$root/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$root";
Dir::State::lists "$root/lists";
Dir::State::status "$root/status";
Dir::Cache "$root/cache";
Dir::Log "$root/log";
CONF
    } >"$root/apt.conf.new"
    private_update "$root" "$kind ${key:+[signed-by=$key] }$uri" "$suite"
    mv "$root/apt.conf.new" "$root/apt.conf"
  fi
  (cd "$root/cache" && APT_CONFIG=$root/apt.conf quietly apt-get -q "$@")
}
