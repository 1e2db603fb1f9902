//! `skill check` on skills of the project.

use bugle_app::{App, check_skills, skills};
use bugle_core::reply::CheckReport;

use crate::project::Project;

/// A workflow with a sub-agent; `DEPTH` is the expression for the sub-agent's param.
const DISPATCH: &str = "version: 1
steps:
  look:
    title: Look
    do: Send an explorer.
    dispatch: { role: explore, workflow: agents/look.yaml, with: { depth: \"DEPTH\" } }
    next: { ok: end, fail: end }
";

const CHILD: &str = "version: 1
params:
  depth: { type: integer, required: true }
steps:
  look: { title: Look, do: \"Look {{ params.depth }} levels deep.\", result: { found: string }, next: end }
";

const PROOF: &str = "version: 1
steps:
  go: { title: Go, do: Go., expect: [ { command: \"true\" } ], next: end }
";

impl Project {
    #[track_caller]
    pub(crate) fn check_skill(&mut self, name: &str) -> CheckReport {
        let App { store, context } = &mut self.app;
        check_skills(Some(store), context, Some(name), false).unwrap()
    }
}

/// The codes of the problems in the only skill.
fn codes(report: &CheckReport) -> Vec<&str> {
    let problems = report.skills[0].problems.iter();
    problems.map(|problem| problem.code.as_str()).collect()
}

#[test]
fn an_expression_that_does_not_parse_is_the_only_problem_of_its_step() {
    let mut project = Project::new();
    for (depth, expected) in [
        ("1", &[][..]),
        ("1 +", &["bad-expression"]),
        ("'1'", &["dispatch-misfit"]),
    ] {
        project.write_skill("dig", &DISPATCH.replace("DEPTH", depth));
        project.write(".bugle/skills/dig/agents/look.yaml", CHILD);
        assert_eq!(codes(&project.check_skill("dig")), expected, "{depth}");
    }
}

#[test]
fn a_check_names_the_command_that_trusts_a_skill_with_commands() {
    let mut project = Project::new();
    project.write_skill("proof", PROOF);
    let report = project.check_skill("proof");
    assert_eq!(report.skills[0].trust.as_deref(), Some("bugle trust proof"));
    let App { store, context } = &mut project.app;
    skills::trust(store, context, "proof").unwrap();
    assert_eq!(project.check_skill("proof").skills[0].trust, None);
    project.write_skill("proof", &PROOF.replace("expect: [ { command: \"true\" } ], ", ""));
    assert_eq!(project.check_skill("proof").skills[0].trust, None);
}
