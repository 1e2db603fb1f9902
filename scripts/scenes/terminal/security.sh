# title: A hook denies a write: the step does not allow file changes, and the reply names the step and the command that finishes it
# columns: 92

git init --quiet --initial-branch main shop
cd shop
CLAUDE_CODE_SESSION_ID=s-1 bugle start decision-critic decision='Move the job queue from Redis to Postgres' >/dev/null
cat >call.json <<'END'
{ "hook_event_name": "PreToolUse", "session_id": "s-1",
  "tool_name": "Write", "tool_input": { "file_path": "src/queue.rs" } }
END

show 'cat call.json'
show 'bugle hook PreToolUse --client claude < call.json'
