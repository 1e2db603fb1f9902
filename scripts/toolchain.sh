# Functions for the other scripts: check the Rust toolchain and install missing tools.

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '\n%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 1
}

find_toolchain() {
  local proxy folder
  proxy="$(command -v cargo)" || fail "cargo is not on the PATH. Install Rust (rustup) and try again."
  # rustup's cargo looks for toolchains under HOME. If HOME was changed, they are still next to cargo's folder.
  folder="$(dirname "$(dirname "$(dirname "$proxy")")")/.rustup"
  if [[ -z "${RUSTUP_HOME:-}" && ! -d "${HOME:-/}/.rustup" && -d "$folder" ]]; then
    export RUSTUP_HOME="$folder"
  fi
  cargo --version >/dev/null 2>&1 ||
    fail "cargo does not run. Try 'cargo --version'; if HOME was changed, set RUSTUP_HOME and CARGO_HOME."
  command -v cc >/dev/null || fail "there is no C compiler. Install gcc or clang: SQLite is compiled from C."
}

find_component() {
  local command="$1" component="$2"
  cargo "$command" --version >/dev/null 2>&1 && return
  say "installing $component"
  rustup component add "$component" || fail "$component is missing, and rustup cannot install it."
}

# Postgres for tests: Debian keeps its programs in a folder per version, outside the PATH.
find_postgres() {
  compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null && return
  find_tool initdb postgresql
}

# Installs a tool for tests. If that fails, the tests that need the tool report it.
find_tool() {
  local tool="$1" package="$2"
  command -v "$tool" >/dev/null && return
  command -v apt-get >/dev/null || return 0
  say "installing $package"
  (apt-get update -qq && apt-get install -y -qq "$package") || say "cannot install $package"
}
