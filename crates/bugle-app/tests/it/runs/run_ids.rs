//! Runs named by an id, a prefix of an id, or an unknown id.

use bugle_app::{AppError, RunSelector, StartRequest, runs, visit_token};

use super::{THREE, started, three, visit_of, word};
use crate::project::{Project, fails};
use crate::reviewed::{request, step, visit};

fn selector(text: &str) -> RunSelector {
    RunSelector::parse(Some(text)).unwrap()
}

#[test]
fn a_run_is_found_by_a_prefix_of_its_id() {
    let (mut project, first) = three();
    let run = first.position.run.as_str();
    for length in 3..=run.len() {
        assert_eq!(step(project.current(&selector(&run[..length]))), first);
    }
    let short = visit_token(&format!("{}#1", &run[..4])).unwrap();
    let second = step(project.end_visit_with(&short, &word("one")));
    assert_eq!(visit(&second), visit_of(&first, 2));
}

#[test]
fn a_prefix_that_matches_several_runs_lists_them() {
    let (mut project, first) = started("three", THREE);
    // Ids begin with one of 28 characters, so at least two of 29 runs share their first character.
    let others = (1..29).map(|_| project.start_skill("three"));
    let runs: Vec<String> = std::iter::once(first)
        .chain(others)
        .map(|step| step.position.run.to_string())
        .collect();
    let is_shared = |run: &&String| runs.iter().filter(|other| other[..3] == run[..3]).count() > 1;
    let prefix = &runs.iter().find(is_shared).unwrap()[..3];
    let found = project.current(&selector(prefix));
    let hints = fails(found, 2, &format!("{prefix} matches several runs")).join("\n");
    for run in runs.iter().filter(|run| run.starts_with(prefix)) {
        assert!(hints.contains(run.as_str()), "{hints}");
    }
}

#[test]
fn every_use_case_reports_an_unknown_run() {
    let (mut project, first) = three();
    let none = selector("r-zzzzzz");
    let visit = visit_token("r-zzzzzz#1").unwrap();
    let errors: Vec<AppError> = vec![
        project.current(&none).unwrap_err(),
        project.try_show_run(&none).unwrap_err(),
        project.pause(&none, None).unwrap_err(),
        project.resume(&none).unwrap_err(),
        project.cancel(&none, None).unwrap_err(),
        project.upgrade(&none).unwrap_err(),
        project.rewind(&visit).unwrap_err(),
        project.fork(&visit).unwrap_err(),
        project.finish(request(visit)).unwrap_err(),
        project.decide(&none, Some("yes"), None).unwrap_err(),
        project.note(&none, "x").unwrap_err(),
    ];
    for error in errors {
        let hints = fails::<()>(Err(error), 4, "there is no run r-zzzzzz");
        assert!(hints.join("\n").contains("bugle run list --all"), "{hints:?}");
    }
    fails(RunSelector::parse(Some("7")), 2, "`7` is not a run id");
    for text in [
        "r-zzzzzz",
        "7",
        "",
        "r-zzzzzz#0",
        "r-zzzzzz#x",
        "../../etc/passwd#1",
    ] {
        fails(visit_token(text), 2, "is not a visit token");
    }
    assert_eq!(step(project.current(&RunSelector::Here)), first);
}

#[test]
fn an_unknown_skill_is_reported_with_a_similar_name() {
    let mut project = Project::new();
    project.write_skill("three", THREE);
    let request = StartRequest {
        skill: "tree".to_owned(),
        params: Vec::new(),
        task: None,
    };
    let started = runs::start(&mut project.app.store, &project.app.context, request);
    let hints = fails(started, 4, "there is no skill `tree`");
    assert!(hints.join("\n").contains("Did you mean `three`?"), "{hints:?}");
}
