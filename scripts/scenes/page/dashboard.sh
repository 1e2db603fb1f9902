# A run's page: a review sent the work back, and the author is fixing the findings.
git init --quiet --initial-branch main shop
cd shop
mkdir -p .bugle/skills/change/agents
cat >.bugle/skills/change/SKILL.md <<'END'
---
name: change
description: Use when code must change, such as "fix this", "make it support X".
---

    bugle start change what="what changes"
END
cat >.bugle/skills/change/workflow.yaml <<'END'
version: 1
params:
  what: { type: string, required: true, help: What changes }
steps:
  read:
    title: Read the code
    do: Find the places that change, and list them.
    tools: { deny: [Edit, Write] }
    result:
      places: { type: array, items: string, min: 1 }
    next: write
  write:
    title: Write the change
    do: |
      Write this change, and nothing else:

      {{ params.what | quote }}
    expect:
      - artifact: "src/*.sql"
    next: review
  review:
    title: Review the change
    do: Send one reviewer who did not write the change.
    dispatch: { role: quality-reviewer, workflow: agents/review.yaml }
    gate: { name: Soundness, rework: write, limit: 5 }
    next: { ok: hand_over, fail: write }
  hand_over:
    title: Hand it over
    do: Tell @human in one message what changed.
    next: end
END
cat >.bugle/skills/change/agents/review.yaml <<'END'
version: 1
steps:
  judge:
    title: Judge the change
    do: Read the change. Report what is wrong with it.
    result:
      checks: { type: array, items: string, min: 1 }
      findings: findings
    next: end
END

# Two client sessions: one writes, the other reviews.
backend() { CLAUDE_CODE_SESSION_ID=session-1 bugle "$@"; }
reviewer() { CLAUDE_CODE_SESSION_ID=session-2 bugle "$@"; }
backend agent register backend >/dev/null
reviewer agent register reviewer >/dev/null
backend start change what='Store prices in cents' >/dev/null
run="$(bugle run list --json | grep -o 'r-[a-z0-9]*' | head -n 1)"
backend done "$run#1" --result '{ "places": ["src/prices.sql:3", "src/invoice.sql:12"] }' >/dev/null
mkdir src
echo 'ALTER TABLE price ADD COLUMN cents integer;' >src/prices.sql
backend done "$run#2" >/dev/null
child="$(reviewer start --child "$run#3/1" --json | grep -o 'r-[a-z0-9]*' | grep -v "$run" | head -n 1)"
reviewer done "$child#1" --result '{
  "checks": ["no data is lost", "callers are changed"],
  "findings": [{
    "severity": "must", "category": "no data is lost", "location": "src/prices.sql:1", "element": "ALTER TABLE",
    "problem": "Existing prices are not converted.", "action": "Fill the new column from the old one."
  }]
}' >/dev/null
backend done "$run#3" >/dev/null

echo "/runs/$run"
exec bugle ui --port 0 --no-open
