# title: A run in a terminal: bugle start prints a step, bugle done is refused until the file exists, then prints the next step, and bugle without arguments shows the status
# columns: 96
# window: 31

git init --quiet --initial-branch main shop
cd shop
mkdir -p .bugle/skills/notice
cat >.bugle/skills/notice/SKILL.md <<'END'
---
name: notice
description: Use when users must hear of a change, such as "tell our users", "write the notice".
---

    bugle start notice about="what changes"
END
cat >.bugle/skills/notice/workflow.yaml <<'END'
version: 1
params:
  about: { type: string, required: true, help: What changes }
steps:
  write:
    title: Write the notice
    do: |
      Tell users in NOTICE.md what changes for them:

      {{ params.about | quote }}
    expect:
      - artifact: NOTICE.md
    next: post
  post:
    title: Post the notice
    do: Post NOTICE.md in the forum, and link to it from the changelog.
    next: end
END

show 'bugle start notice about="Exports are sorted by date"'
run="$(bugle run list --json | grep -o 'r-[a-z0-9]*' | head -n 1)"
show "bugle done '$run#1'" 3
show "echo 'Exports are now sorted by date.' > NOTICE.md"
show "bugle done '$run#1'"
show bugle
