# Sourced by the other scripts: makes sure that there is a Rust toolchain, and says what to do if there is none.

say() { printf '\n== %s\n' "$*"; }

give_up() {
  printf '\n%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 1
}

find_toolchain() {
  local proxy folder
  proxy="$(command -v cargo)" || give_up "cargo is not on the PATH. Install Rust (rustup) and try again."
  # The cargo of rustup looks for its toolchains below HOME. When HOME is another one, they are still beside it.
  folder="$(dirname "$(dirname "$(dirname "$proxy")")")/.rustup"
  if [[ -z "${RUSTUP_HOME:-}" && ! -d "${HOME:-/}/.rustup" && -d "$folder" ]]; then
    export RUSTUP_HOME="$folder"
  fi
  cargo --version >/dev/null 2>&1 ||
    give_up "cargo does not run. Try 'cargo --version'; if HOME was changed, set RUSTUP_HOME and CARGO_HOME."
  command -v cc >/dev/null || give_up "there is no C compiler. Install gcc or clang: the SQLite in the binary is C."
}

find_component() {
  local command="$1" component="$2"
  cargo "$command" --version >/dev/null 2>&1 && return
  say "installing $component"
  rustup component add "$component" || give_up "$component is missing and could not be installed."
}

# A tool that tests use. Where it cannot be installed, the tests that need it say so.
find_tool() {
  local tool="$1" package="$2"
  command -v "$tool" >/dev/null && return
  command -v apt-get >/dev/null || return 0
  say "installing $package"
  (apt-get update -qq && apt-get install -y -qq "$package") || say "$package could not be installed"
}
