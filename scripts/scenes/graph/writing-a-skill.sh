# Draws the skill that docs/writing-a-skill.md builds. Runs its commands in order; console commands may fail.
commands='
  /^```sh not-run/ { next }
  /^```(sh|console)/ { kind = substr($0, 4); next }
  /^```/ { kind = ""; next }
  kind == "sh" { print }
  kind == "console" && sub(/^\$ /, "") { print $0 " 2>/dev/null || true" }
'
awk "$commands" "$REPOSITORY/docs/writing-a-skill.md" >play.sh
bash -e play.sh >/dev/null
bugle -C shop skill graph postmortem --to svg
