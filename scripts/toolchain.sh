# Functions for the other scripts: check the Rust toolchain, install missing tools.

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '\n%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 1
}

find_toolchain() {
  local proxy folder
  proxy="$(command -v cargo)" || fail "cargo is not on the PATH. Install Rust (rustup) and try again."
  # rustup's cargo looks for toolchains under HOME. If HOME was changed, look for them next to cargo's folder.
  folder="$(dirname "$(dirname "$(dirname "$proxy")")")/.rustup"
  if [[ -z "${RUSTUP_HOME:-}" && ! -d "${HOME:-/}/.rustup" && -d "$folder" ]]; then
    export RUSTUP_HOME="$folder"
  fi
  cargo --version >/dev/null 2>&1 ||
    fail "cargo does not run. Try 'cargo --version'; if HOME was changed, set RUSTUP_HOME and CARGO_HOME."
  command -v cc >/dev/null || fail "the C compiler is missing. Install gcc or clang to compile SQLite."
}

find_component() {
  local command="$1" component="$2"
  cargo "$command" --version >/dev/null 2>&1 && return
  say "installing $component"
  rustup component add "$component" || fail "$component is missing and rustup cannot install it."
}

# Finds or installs Postgres for the tests. Debian puts its programs into one folder per version, outside the PATH.
find_postgres() {
  compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null && return
  find_tool initdb postgresql
}

# Installs a tool for the tests. If that fails, the tests that need it report the missing tool.
find_tool() {
  local tool="$1" package="$2"
  command -v "$tool" >/dev/null && return
  command -v apt-get >/dev/null || return 0
  say "installing $package"
  (apt-get update -qq && apt-get install -y -qq "$package") || say "cannot install $package"
}
