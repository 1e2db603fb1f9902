# title: bugle wake --explain lists the parts of a wake-up with their sizes, and the parts cut to fit the client's limit
# columns: 120

git init --quiet --initial-branch main shop
cd shop
mkdir -p ~/.claude/skills/test-driven-development
cat >~/.claude/skills/test-driven-development/SKILL.md <<'END'
---
name: test-driven-development
description: Use when code is added or changed.
---

# Test-driven development

1. Write a test that fails, and read why it fails.
2. Write the least code that makes it pass.
3. Run all tests, then tidy up.
END
printf '# Login\n\n## Task 1: Add the user table\n\n## Task 2: Add the login form\n\n## Task 3: Document the login\n' >login.md
bugle plan import login.md >/dev/null
bugle start decision-critic decision='Move the job queue from Redis to Postgres' >/dev/null
bugle agent register backend >/dev/null
bugle say --as backend '@human the login endpoint is ready: POST /login' >/dev/null

show 'bugle wake --explain --budget 3000'
