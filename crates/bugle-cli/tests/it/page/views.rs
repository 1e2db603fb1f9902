//! Snapshots of every view, with and without content.

use serde_json::json;

use crate::support::page::{Page, VIEWS};
use crate::support::sandbox::{SESSION, Sandbox};
use crate::support::workflows::{ASKING, THREE};

const PLAN: &str = "# The shop: accounts

**Goal:** People can sign up and see their orders.

### Task 1: Sign up

- [ ] **Step 1: Write the failing test**
- [ ] **Step 2: Make it pass**

### Task 2: Orders

Depends on: Task 1

- [ ] **Step 1: List the orders**
";

/// A project with something for every view.
pub(crate) struct World {
    sandbox: Sandbox,
    pub(crate) page: Page,
    /// An active run.
    pub(crate) three: String,
    /// A waiting run.
    pub(crate) asking: String,
}

impl World {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::with_skill("three", THREE);
        sandbox.skill("asking", ASKING);
        sandbox.git_init();
        sandbox.tool(&sandbox.project(), "git", &["checkout", "--quiet", "-B", "main"]);
        let session = |name: &str, words: &[&str]| sandbox.run_in_session(SESSION, name, words).ok();
        let first = session("backend", &["start", "three"]).step();
        session("backend", &["note", "the fixture is old"]);
        let three = first.run.clone();
        sandbox.report(&first, &json!({ "word": "one" })).ok();
        let asking = session("frontend", &["start", "asking"]).step().run;
        sandbox.write(&sandbox.project().join("docs/plan.md"), PLAN);
        session("backend", &["plan", "import", "docs/plan.md"]);
        let next = session("backend", &["task", "next", "--json"]).json();
        let task = next["data"]["position"]["task"]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        session("backend", &["task", "start", &task]);
        session("backend", &["say", "@frontend the endpoint is there"]);
        session(
            "backend",
            &["say", "@human the fixture is `old`, and nobody knows since when"],
        );
        session("frontend", &["ask", "@human shall it ask for a phone number?"]);
        session("docs", &["wake", "--reason", "startup"]);
        session("docs", &["wake", "--reason", "compact"]);
        let page = Page::open(&sandbox);
        Self {
            sandbox,
            page,
            three,
            asking,
        }
    }

    /// A page's content, without ids and times.
    fn shown(&self, path: &str) -> String {
        let reply = self.page.get(path);
        without_graph(&reduced(&self.sandbox.neutral(reply.main())))
    }

    /// The first address in a page's content that starts with `beginning`.
    pub(crate) fn address(&self, page: &str, beginning: &str) -> String {
        let reply = self.page.get(page);
        let body = reply.main();
        let found = body
            .split("href=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap());
        let mut found = found.filter(|href| href.starts_with(beginning));
        found
            .next()
            .unwrap_or_else(|| panic!("{body}"))
            .replace("&amp;", "&")
    }
}

/// Replaces ids and times.
fn reduced(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < characters.len() {
        let before = at.checked_sub(1).map(|before| characters[before]);
        let begins = before.is_none_or(|before| !before.is_ascii_alphanumeric());
        let rest = &characters[at..];
        match length_of_id(rest)
            .map(|length| (length, format!("[{}]", rest[0])))
            .or_else(|| time(rest))
        {
            Some((length, name)) if begins => {
                out.push_str(&name);
                at += length;
            }
            _ => {
                out.push(characters[at]);
                at += 1;
            }
        }
    }
    out
}

/// The length of an id such as `r-7f3a1c` at the start of the text.
fn length_of_id(text: &[char]) -> Option<usize> {
    let is_kind = matches!(text, ['r' | 't' | 'm' | 'w' | 'p', '-', ..]);
    let rest = text.get(2..)?.iter();
    let length = rest
        .take_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        .count();
    (is_kind && (6..=12).contains(&length)).then_some(length + 2)
}

/// A timestamp or time of day at the start of the text.
fn time(text: &[char]) -> Option<(usize, String)> {
    let shape = |shape: &str| {
        let fits = shape.chars().zip(text).all(|(wanted, found)| match wanted {
            '0' => found.is_ascii_digit(),
            other => *found == other,
        });
        (fits && text.len() >= shape.len()).then_some(shape.len())
    };
    let moment = shape("0000-00-00 00:00:00").map(|length| (length, "[TIME]".to_owned()));
    moment.or_else(|| shape("00:00").map(|length| (length, "[CLOCK]".to_owned())))
}

/// Replaces the graph, which has its own tests.
fn without_graph(text: &str) -> String {
    match (
        text.find("<svg class=\"bugle-graph\""),
        text.find("</svg>\n\n</div>"),
    ) {
        (Some(begin), Some(end)) => format!("{}[graph]{}", &text[..begin], &text[end + 6..]),
        _ => text.to_owned(),
    }
}

#[test]
fn views_show_their_content() {
    let world = World::new();
    insta::assert_snapshot!("now", world.shown("/"));
    insta::assert_snapshot!("runs", world.shown("/runs"));
    insta::assert_snapshot!("run_that_goes_on", world.shown(&format!("/runs/{}", world.three)));
    insta::assert_snapshot!("run_that_waits", world.shown(&format!("/runs/{}", world.asking)));
    insta::assert_snapshot!("plans", world.shown("/plan"));
    insta::assert_snapshot!("plan", world.shown(&world.address("/plan", "/plan?project=")));
    insta::assert_snapshot!("channels", world.shown("/channels"));
    insta::assert_snapshot!("agents", world.shown("/agents"));
    insta::assert_snapshot!("agent_that_asks", world.shown(&world.address("/", "/agent?")));
    insta::assert_snapshot!("wakeups", world.shown("/wakeups"));
    insta::assert_snapshot!("wakeup", world.shown(&world.address("/wakeups", "/wakeups/")));
    insta::assert_snapshot!("skill", world.shown("/skill?name=asking"));
}

#[test]
fn empty_views_say_why_they_are_empty() {
    let sandbox = Sandbox::new();
    let page = Page::open(&sandbox);
    let shown: Vec<String> = VIEWS
        .into_iter()
        .filter(|view| *view != "/skills")
        .map(|view| format!("{view}\n{}", page.get(view).main()))
        .collect();
    insta::assert_snapshot!("nothing", sandbox.neutral(&shown.join("\n")));
}

#[test]
fn the_catalogue_shows_every_skill_and_each_has_a_graph_and_texts() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let page = Page::open(&sandbox);
    let skills = page.get("/skills");
    for name in crate::support::workflows::built_in_skills()
        .into_iter()
        .chain(["three"])
    {
        assert!(skills.main().contains(&format!("/skill?name={name}")), "{name}");
    }
    for name in crate::support::workflows::BUILT_IN {
        let skill = page.get(&format!("/skill?name={name}"));
        let main = skill.main();
        assert!(
            main.contains("<svg class=\"bugle-graph\"") && main.contains("No problems found."),
            "{name}"
        );
        assert!(main.contains("<pre class=\"text\" tabindex=\"0\">"), "{name}");
        assert!(!main.contains("notice bad"), "{name}");
    }
}

#[test]
fn a_runs_graph_shows_the_current_step_and_edge_counts() {
    let sandbox = Sandbox::with_skill("counting", crate::support::workflows::COUNTING);
    let mut step = sandbox.start(&["counting"]);
    for number in 1..=3 {
        step = sandbox.report(&step, &json!({ "number": number })).ok().step();
    }
    let page = Page::open(&sandbox);
    let shown = page.get(&format!("/runs/{}", step.run));
    assert!(
        shown
            .main()
            .contains("class=\"node start current\" data-id=\"count\""),
        "{}",
        shown.body
    );
    assert!(shown.main().contains(">iterate ×3</text>"), "{}", shown.body);
    let last = sandbox.report(&step, &json!({ "number": 1000 })).ok().step();
    sandbox.printed(last.command()).ok();
    let shown = page.get(&format!("/runs/{}", last.run));
    assert!(
        shown
            .main()
            .contains("class=\"node start visited\" data-id=\"count\""),
        "{}",
        shown.body
    );
    assert!(
        shown
            .main()
            .contains("class=\"node end visited\" data-id=\"end\""),
        "{}",
        shown.body
    );
}

#[test]
fn a_gate_is_shown_with_its_sub_agents_findings_and_decision() {
    let sandbox = crate::support::review::reviewed();
    let gate = crate::support::review::up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
    let review = crate::support::review::review(&[crate::support::review::finding("must", "errors")]);
    for command in &gate.starts {
        let expect = sandbox.printed(command).ok().step();
        let judge = sandbox.printed(expect.command()).ok().step();
        sandbox.report(&judge, &review).ok();
    }
    sandbox.printed(gate.command()).ok();
    let page = Page::open(&sandbox);
    let shown = page.get(&format!("/runs/{}", gate.run));
    let main = shown.main();
    assert!(
        main.contains("Soundness</bdi>, review 1 of 5 (visit 3): did not pass, 1 blocking"),
        "{main}"
    );
    assert!(
        main.contains("it accepts anything") && main.contains("refuse what is not a number"),
        "{main}"
    );
    assert_eq!(main.matches("<li>Visit ").count(), 3, "{main}");
    assert!(main.contains(">fail ×1</text>"), "{main}");
    let child = main
        .split("href=\"/runs/")
        .map(|rest| rest.split('"').next().unwrap());
    let child = child
        .skip(1)
        .find(|run| run.len() == gate.run.len() && *run != gate.run)
        .unwrap();
    let child = page.get(&format!("/runs/{child}"));
    assert!(
        child.main().contains("sub-agent of <a href=\"/runs/"),
        "{}",
        child.body
    );
}

#[test]
fn runs_are_listed_with_their_parameters() {
    let sandbox = Sandbox::new();
    for decision in ["Move the queue to Postgres", "Keep the queue in Redis"] {
        sandbox.start(&["decision-critic", &format!("decision={decision}")]);
    }
    let page = Page::open(&sandbox);
    for view in ["/", "/runs"] {
        let shown = page.get(view);
        for about in ["Move the queue to Postgres", "Keep the queue in Redis"] {
            assert_eq!(shown.main().matches(about).count(), 1, "{}", shown.body);
        }
    }
}

#[test]
fn long_lists_are_split_into_linked_pages() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let titles: Vec<String> = (1..=130)
        .map(|number| format!("the task number {number}"))
        .collect();
    let words: Vec<&str> = ["task", "add"]
        .into_iter()
        .chain(titles.iter().map(String::as_str))
        .collect();
    sandbox.run(&words).ok();
    for number in 1..=60 {
        sandbox
            .run(&["say", &format!("message number {number}"), "--as", "backend"])
            .ok();
    }
    let page = Page::open(&sandbox);
    let next = |body: &str, link: &str| {
        let rest = body.split(&format!("<a rel=\"{link}\" href=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().replace("&amp;", "&")
    };
    let first = page.get("/plan");
    assert!(
        first.main().contains("the task number 100</bdi>")
            && !first.main().contains("the task number 101</bdi>")
    );
    let second = page.get(&next(&first.body, "next"));
    assert!(
        !second.main().contains("the task number 100</bdi>")
            && second.main().contains("the task number 130</bdi>")
    );
    assert!(!second.body.contains("rel=\"next\""), "this is the last page");
    let latest = page.get("/channels");
    assert!(latest.main().contains("message number 60<") && !latest.main().contains("message number 10<"));
    let earlier = page.get(&next(&latest.body, "next"));
    assert!(earlier.main().contains("message number 10<") && !earlier.main().contains("message number 11<"));
    assert!(!earlier.body.contains("rel=\"next\"") && earlier.main().contains("Back to the latest"));
}
