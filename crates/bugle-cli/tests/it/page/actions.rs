//! Run actions in the dashboard.

use serde_json::json;

use crate::support::page::Page;
use crate::support::sandbox::Sandbox;
use crate::support::workflows::{ASKING, THREE};

pub(crate) fn asking() -> (Sandbox, String) {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let run = sandbox.start(&["asking"]).run;
    (sandbox, run)
}

/// The position of a run, without ids.
fn run_position(sandbox: &Sandbox, run: &str) -> (String, Option<String>) {
    let (status, _, step) = sandbox.position(run);
    (status, step)
}

#[test]
fn a_decision_in_the_dashboard_reaches_the_run() {
    let (sandbox, run) = asking();
    let page = Page::open(&sandbox);
    let now = page.get("/");
    assert!(now.main().contains("Which way?"), "{}", now.body);
    assert!(now.body.contains("<title>(1) Now · Bugle</title>"));
    let shown = page.get(&format!("/runs/{run}"));
    assert!(shown.main().contains("Waiting for you"));
    assert!(
        shown.main().contains("value=\"it&#39;s right\""),
        "{}",
        shown.body
    );
    let confirm = page.get(&format!("/runs/{run}/decide?visit=1&answer=it%27s+right"));
    assert!(
        confirm.main().contains("Answer “it&#39;s right”?"),
        "{}",
        confirm.body
    );
    assert_eq!(
        run_position(&sandbox, &run).0,
        "waiting",
        "viewing the form decides nothing"
    );

    let fields = [
        ("visit", "1"),
        ("answer", "it's right"),
        ("why", "because of <b>"),
    ];
    let decided = page.post(&format!("/runs/{run}/decide"), &fields);
    assert_eq!(decided.status, 303, "{}", decided.body);
    assert_eq!(
        decided.header("Location"),
        Some(format!("/runs/{run}?done=decide").as_str())
    );
    assert_eq!(
        run_position(&sandbox, &run),
        ("waiting".to_owned(), Some("explain".to_owned()))
    );
    let after = page.get(decided.header("Location").unwrap());
    assert!(after.main().contains("Answer recorded"));
    assert!(after.main().contains("by <bdi>a person</bdi>"), "{}", after.body);
    assert!(
        after.main().contains("&quot;: because of &lt;b&gt;"),
        "the reason is kept: {}",
        after.body
    );
    let agent = sandbox.run(&["step", &run]).ok().step();
    assert!(agent.notices[0].contains("because of <b>"), "{agent:?}");

    // A form for the first question does not answer the second.
    let late = page.post(
        &format!("/runs/{run}/decide"),
        &[("visit", "1"), ("answer", "left, mostly")],
    );
    assert_eq!(late.status, 409, "{}", late.body);
    let free = page.post(
        &format!("/runs/{run}/decide"),
        &[("visit", "2"), ("answer", "one\r\ntwo")],
    );
    assert_eq!(free.status, 303, "{}", free.body);
    sandbox.verify();
}

#[test]
fn an_answer_outside_the_choices_is_refused_with_the_rule() {
    let (sandbox, run) = asking();
    let page = Page::open(&sandbox);
    let refused = page.post(
        &format!("/runs/{run}/decide"),
        &[("visit", "1"), ("answer", "<sideways>")],
    );
    assert_eq!(refused.status, 409);
    assert!(refused.body.contains("Bugle refused this action") && refused.body.contains("left, mostly"));
    assert!(!refused.body.contains("<sideways>"));
    assert_eq!(page.post(&format!("/runs/{run}/decide"), &[]).status, 400);
    assert_eq!(
        run_position(&sandbox, &run),
        ("waiting".to_owned(), Some("choose".to_owned()))
    );
}

#[test]
fn pausing_resuming_and_rewinding_a_run_need_confirmation() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let step = sandbox.start(&["three"]);
    let run = step.run.clone();
    sandbox.report(&step, &json!({ "word": "one" })).ok();
    let page = Page::open(&sandbox);
    let at = |act: &str| format!("/runs/{run}/{act}");
    for act in ["pause", "resume", "rewind?visit=1"] {
        assert!(page.get(&at(act)).main().contains("No, go back"));
    }
    assert_eq!(
        run_position(&sandbox, &run),
        ("active".to_owned(), Some("second".to_owned()))
    );
    assert_eq!(page.post(&at("pause"), &[("why", "lunch")]).status, 303);
    assert_eq!(run_position(&sandbox, &run).0, "paused");
    assert!(page.get(&format!("/runs/{run}")).main().contains("paused: lunch"));
    assert_eq!(
        page.post(&at("pause"), &[]).status,
        303,
        "pausing again changes nothing"
    );
    assert_eq!(page.post(&at("resume"), &[]).status, 303);
    assert_eq!(run_position(&sandbox, &run).0, "active");
    assert_eq!(page.post(&at("rewind"), &[("visit", "1")]).status, 303);
    assert_eq!(
        run_position(&sandbox, &run),
        ("active".to_owned(), Some("first".to_owned()))
    );
    assert!(
        page.get(&format!("/runs/{run}"))
            .main()
            .contains("left behind by a rewind")
    );
    assert_eq!(page.post(&at("rewind"), &[("visit", "99")]).status, 409);
    assert_eq!(page.post(&at("rewind"), &[]).status, 400);
    sandbox.verify();
}

#[test]
fn actions_in_the_dashboard_are_recorded_under_the_persons_name() {
    let (sandbox, run) = asking();
    let mut command = sandbox.bugle(&["ui", "--port", "0", "--no-open"]);
    command.env("USER", "ada");
    let page = Page::of(command);
    assert_eq!(page.post(&format!("/runs/{run}/pause"), &[]).status, 303);
    assert!(
        page.get(&format!("/runs/{run}"))
            .main()
            .contains("by <bdi>ada</bdi>")
    );
}

/// The value of a hidden form field.
pub(crate) fn hidden(body: &str, name: &str) -> String {
    let rest = body.split(&format!("name=\"{name}\" value=\"")).nth(1);
    let rest = rest.unwrap_or_else(|| panic!("no field {name}: {body}"));
    rest.split('"').next().unwrap().replace("&amp;", "&")
}

#[test]
fn only_a_valid_decision_can_be_confirmed() {
    let (sandbox, run) = asking();
    let page = Page::open(&sandbox);
    for question in ["visit=1&answer=maybe", "visit=7&answer=left%2C+mostly"] {
        let refused = page.get(&format!("/runs/{run}/decide?{question}"));
        assert_eq!(refused.status, 409, "{}", refused.body);
        assert!(
            refused.body.contains(&format!("href=\"/runs/{run}\">Go back")),
            "{}",
            refused.body
        );
    }
    sandbox.run(&["decide", &run, "it's right"]).ok();
    let old = page.get(&format!("/runs/{run}/decide?visit=1&answer=it%27s+right"));
    assert_eq!(old.status, 409, "{}", old.body);
}

#[test]
fn a_gate_decision_says_what_follows_and_accepting_needs_a_reason() {
    let sandbox = crate::support::review::reviewed();
    let waiting = crate::support::review::at_the_limit(&sandbox);
    let run = &waiting.run;
    let visit = waiting.visit.split('#').nth(1).unwrap();
    let page = Page::open(&sandbox);
    let shown = page.get(&format!("/runs/{run}"));
    let asked = shown.main().split("id=\"decision\"").nth(1).unwrap();
    let asked = asked.split("</section>").next().unwrap();
    assert!(
        !asked.contains("bugle run findings") && asked.contains("href=\"#reviews\""),
        "{asked}"
    );
    assert!(asked.contains("value=\"abort\" class=\"ends\""), "{asked}");
    let at = |answer: &str| format!("/runs/{run}/decide?visit={visit}&answer={answer}");
    let confirm = page.get(&at("abort"));
    assert!(
        confirm.main().contains("The run is cancelled."),
        "{}",
        confirm.body
    );
    assert!(!confirm.main().contains("continues"), "{}", confirm.body);
    assert!(
        confirm.main().contains("name=\"why\" rows=\"3\">"),
        "{}",
        confirm.body
    );
    let confirm = page.get(&at("accept"));
    assert!(
        confirm.main().contains("name=\"why\" rows=\"3\" required>"),
        "{}",
        confirm.body
    );
    // Without a reason, the form is shown again and names no files.
    let back = hidden(&confirm.body, "back");
    let fields = [
        ("visit", visit),
        ("answer", "accept"),
        ("why", "  "),
        ("back", &back),
    ];
    let refused = page.post(&format!("/runs/{run}/decide"), &fields);
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(
        refused
            .body
            .contains("The reason for accepting the findings is empty."),
        "{}",
        refused.body
    );
    assert!(!refused.body.contains(".txt"), "{}", refused.body);
    assert!(
        refused.body.contains(&at("accept").replace('&', "&amp;")),
        "{}",
        refused.body
    );
    let fields = [
        ("visit", visit),
        ("answer", "continue"),
        ("why", "one more round"),
    ];
    let fixing = page.post(&format!("/runs/{run}/decide"), &fields);
    assert_eq!(fixing.status, 303, "{}", fixing.body);
    let gate = crate::support::review::up_to_review(&sandbox, &sandbox.run(&["step", run]).ok().step());
    let judged = crate::support::review::judge(
        &sandbox,
        &gate,
        &[crate::support::review::finding("could", "naming")],
    );
    sandbox.printed(&judged.command).ok();
    let shown = page.get(&format!("/runs/{run}"));
    assert!(
        shown.main().contains("review 6, beyond the limit of 5"),
        "{}",
        shown.body
    );
}

#[test]
fn a_run_cancelled_in_the_dashboard_is_shown_as_cancelled() {
    let sandbox = crate::support::review::reviewed();
    let waiting = crate::support::review::at_the_limit(&sandbox);
    let run = &waiting.run;
    let visit = waiting.visit.split('#').nth(1).unwrap();
    let page = Page::open(&sandbox);
    let finding = page.get(&format!("/runs/{run}/accept?visit={visit}&finding=1"));
    assert!(finding.main().contains("it accepts anything"), "{}", finding.body);
    assert_eq!(
        page.get(&format!("/runs/{run}/accept?visit={visit}&finding=9"))
            .status,
        404
    );
    let fields = [("visit", visit), ("finding", "1"), ("why", "known")];
    assert_eq!(page.post(&format!("/runs/{run}/accept"), &fields).status, 303);
    let timeline = sandbox.run(&["show", run]).ok().out;
    assert!(
        timeline.contains("accepted the risk of 1 finding: known"),
        "{timeline}"
    );
    let shown = page.get(&format!("/runs/{run}"));
    assert!(
        shown.main().contains("accepted as a risk</span>"),
        "{}",
        shown.body
    );
    assert!(!shown.main().contains("Accept as a risk"), "{}", shown.body);
    // Use another run: accepting the last finding has decided this run's gate.
    let waiting = crate::support::review::at_the_limit(&sandbox);
    let run = &waiting.run;
    let visit = waiting.visit.split('#').nth(1).unwrap();
    let fields = [("visit", visit), ("answer", "abort"), ("why", "no time")];
    let cancelled = page.post(&format!("/runs/{run}/decide"), &fields);
    let after = page.get(cancelled.header("Location").unwrap());
    assert!(after.main().contains("The run was cancelled"), "{}", after.body);
    assert!(!after.main().contains("The run continues"), "{}", after.body);
    let other = sandbox.start(&["reviewed"]).run;
    assert!(
        page.get(&format!("/runs/{other}/cancel"))
            .main()
            .contains("No, go back")
    );
    assert_eq!(
        page.post(&format!("/runs/{other}/cancel"), &[("why", "no")])
            .status,
        303
    );
    assert_eq!(run_position(&sandbox, &other).0, "cancelled");
}
