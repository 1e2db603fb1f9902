#!/bin/sh
# A stand-in for Claude Code without a model: reads the prompt from stdin, answers the one question it knows, and prints
# output in Claude Code's format.
session=none
before=
for word in "$@"; do
  case "$before" in --session-id | --resume) session=$word ;; esac
  before=$word
done
prompt=$(cat)
echo '{"type":"system","subtype":"init","session_id":"'"$session"'"}'
said="Ready for questions."
case "$prompt" in
*"Which separator"*)
  bugle answer "A semicolon, because prices contain commas." >/dev/null && said="I answered the question about the separator."
  ;;
esac
echo '{"type":"result","is_error":false,"session_id":"'"$session"'","result":"'"$said"'"}'
