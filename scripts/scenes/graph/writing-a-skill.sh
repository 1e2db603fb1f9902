# The skill that docs/writing-a-skill.md builds: runs its commands in order and ignores failures that the text expects.
commands='
  /^```sh not-run/ { next }
  /^```(sh|console)/ { kind = substr($0, 4); next }
  /^```/ { kind = ""; next }
  kind == "sh" { print }
  kind == "console" && sub(/^\$ /, "") { print $0 " || true" }
'
awk "$commands" "$REPOSITORY/docs/writing-a-skill.md" >play.sh
bash -e play.sh >/dev/null
bugle -C shop skill graph postmortem --to svg
