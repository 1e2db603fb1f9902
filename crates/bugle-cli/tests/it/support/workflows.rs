//! Workflows that tests run, each as small as possible.

/// The built-in skills with a workflow.
pub(crate) const BUILT_IN: [&str; 15] = [
    "codebase-analysis",
    "decision-critic",
    "deepthink",
    "develop",
    "doc-sync",
    "execute-plan",
    "fix",
    "incoherence",
    "paper-to-markdown",
    "planner",
    "problem-analysis",
    "prompt-engineer",
    "refactor",
    "solution-design",
    "writing-style",
];

/// The built-in skills without a workflow.
pub(crate) const DISCIPLINES: [&str; 7] = [
    "brainstorm",
    "code-review",
    "finish-branch",
    "systematic-debugging",
    "test-driven-development",
    "verification-before-completion",
    "worktree",
];

/// All built-in skills by name.
pub(crate) fn built_in_skills() -> Vec<&'static str> {
    let mut names = [BUILT_IN.as_slice(), &DISCIPLINES].concat();
    names.sort_unstable();
    names
}

/// Two steps that each return a result, and a third that returns none.
pub(crate) const THREE: &str = include_str!("workflows/three.yaml");

/// A step that is visited repeatedly, followed by a second step.
pub(crate) const COUNTING: &str = "
version: 1
steps:
  count:
    title: Count on
    do: 'Count on from {% if visit.iteration > 1 %}{{ state.count.number }}{% else %}0{% endif %}.'
    result:
      number: { type: integer, min: 0 }
    loop: { until: 'result.number >= 1000', limit: 100 }
    next: { ok: finish, iterate: count }
  finish:
    title: Finish
    do: Finish.
    next: end
";

/// A question with choices, a question with a free answer, and a step that can fail.
pub(crate) const ASKING: &str = include_str!("workflows/asking.yaml");

/// A plan, sub-agents that build its parts, a review, and a delivery.
pub(crate) const REVIEWED: &str = include_str!("reviewed/workflow.yaml");

/// The reviewer of [`REVIEWED`].
pub(crate) const REVIEWER: &str = include_str!("reviewed/review.yaml");

/// Sub-agents build the ready tasks of `plan.md` until none is left.
pub(crate) const WAVES: &str = r#"
version: 1
steps:
  read:
    title: Read the plan
    do: Read it.
    expect: [{ plan: plan.md }]
    next: build
  build:
    title: Build what can start
    do: "{{ child.task.text | fence }}"
    dispatch: { role: developer, for_each: tasks, as: task, limit: 8 }
    loop: { until: "plan.ready == 0", limit: 9 }
    next: { ok: end, iterate: build }
"#;

/// One agent builds a plan's tasks one after the other. The first step reports the plan's file.
pub(crate) const ONE_BY_ONE: &str = r#"
version: 1
steps:
  read:
    title: Read the plan
    do: Read it.
    result: { file: string }
    expect: [{ plan: "{{ result.file }}" }]
    next: pick
  pick:
    title: Take the next task
    task: take
    do: "{% if task is defined %}Now task {{ task.number }}: {{ task.title }}{% else %}Nothing is left.{% endif %}"
    loop: { until: "!has(task.id)", limit: 10 }
    next: { ok: end, iterate: build }
  build:
    title: Build it
    task: done
    do: "Build {{ task.title }}."
    on_error: leave
    next: pick
  leave:
    title: Leave it
    task: skip
    do: Say why.
    result: { why: string }
    next: pick
"#;
