//! Hostile text in any field is shown as text in every view.

use serde_json::json;

use crate::support::page::Page;
use crate::support::sandbox::{SESSION, Sandbox, skill_file};

/// Text that could run code in a page or mislead its reader.
const CORPUS: [&str; 10] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</title></textarea></pre></main><svg/onload=alert(1)>",
    "]]><!--",
    "{{ 7 * 191 }}{% include 'base' %}",
    "javascript:alert(1)",
    "&lt;b&gt;&#60;",
    "abc\u{202e}gpj.exe\u{2069}",
    "bell\u{7}escape\u{1b}[2J",
];

/// A marker that the test looks for, then the whole corpus on one line and a very long word.
fn hostile(mark: &str) -> String {
    format!("{mark} {} {}", CORPUS.join(" "), "long".repeat(12))
}

/// Markup that no page may contain. Bugle's own markup looks different.
const FORBIDDEN: [&str; 9] = [
    "<script>",
    "<img src=x",
    "<svg/onload",
    "</textarea></pre>",
    "1337",
    "\u{202e}",
    "\u{2069}",
    "\u{7}",
    "\u{1b}",
];

#[track_caller]
fn is_inert(page: &Page, path: &str, marks: &[&str]) {
    let body = page.get(path).body;
    for forbidden in FORBIDDEN {
        assert!(!body.contains(forbidden), "{path} holds {forbidden:?}:\n{body}");
    }
    assert_eq!(body.matches("<main").count(), 1, "{path}");
    assert_eq!(body.matches("</main>").count(), 1, "{path}");
    for mark in marks {
        let shown = format!("{mark} &lt;script&gt;alert(1)&lt;");
        assert!(body.contains(&shown), "{path} does not show {mark}:\n{body}");
    }
}

/// A project with hostile text in every text field, and its run, which is waiting at a question.
pub(crate) fn world() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let workflow = json!({
        "version": 1,
        "params": { "what": { "type": "string", "required": true, "help": hostile("help") } },
        "steps": {
            "first": {
                "title": hostile("title"), "phase": hostile("phase"),
                // A prompt is a template, so use hostile text without template tags.
                "do": format!("do {}", CORPUS[0]),
                "forbid": [hostile("forbid").replace("{{", "").replace("{%", "")],
                "result": { "word": { "type": "string" } },
                "next": "second",
            },
            "second": {
                "title": "Choose", "do": "Choose.",
                "ask": { "question": "question {{ params.what }}", "choices": [format!("choice {}", CORPUS[1]), "no"] },
                "next": "end",
            },
        },
    });
    let folder = sandbox.project().join(".bugle/skills/odd");
    let description = serde_json::to_string(&format!("describes {}", CORPUS[..2].join(" "))).unwrap();
    let manifest = skill_file("odd").replace("Use when something has to be tested.", &description);
    sandbox.write(
        &folder.join("SKILL.md"),
        format!("{manifest}\n{}\n", hostile("body")),
    );
    sandbox.write(&folder.join("workflow.yaml"), workflow.to_string());
    // A client chooses the id of its session.
    let session = format!("session {}", CORPUS[..3].join(" "));
    let act = |words: &[&str]| sandbox.run_in_session(SESSION, &session, words).exits(0);
    let person = |words: &[&str]| sandbox.run_as_person(words).exits(0);

    let param = format!("what={}", hostile("param"));
    let step = act(&["start", "odd", &param]).step();
    act(&["note", &hostile("note")]);
    sandbox
        .report(&step, &json!({ "word": hostile("result") }))
        .exits(0);
    person(&["pause", &step.run, "--why", &hostile("reason")]);
    sandbox.write(
        &sandbox.project().join("plan.md"),
        format!(
            "# {}\n\n### Task 1: {}\n\ntext\n",
            hostile("plan"),
            hostile("task")
        ),
    );
    person(&["plan", "import", "plan.md"]);
    let added = person(&["task", "add", &hostile("added"), "--json"]).json();
    let task = added["data"]["tasks"][0]["id"].as_str().unwrap().to_owned();
    person(&["task", "fail", &task, "--why", &hostile("failure")]);
    person(&["say", &hostile("said"), "--as", "backend"]);
    sandbox
        .run_in_session(SESSION, "asker", &["ask", &hostile("asked @human")])
        .exits(0);
    sandbox
        .run_in_session(SESSION, "asker", &["wake", "--reason", "compact"])
        .exits(0);
    sandbox
        .run_in_session(SESSION, "asker", &["wake", "--reason", "compact"])
        .exits(0);
    (sandbox, step.run)
}

#[test]
fn hostile_text_in_any_field_is_shown_as_text() {
    let (sandbox, run) = world();
    let page = Page::open(&sandbox);
    let address = |at: &str, beginning: &str| {
        let reply = page.get(at);
        let body = reply.main();
        let found = body
            .split("href=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().to_owned());
        found
            .into_iter()
            .find(|href| href.starts_with(beginning))
            .unwrap_or_else(|| panic!("{body}"))
            .replace("&amp;", "&")
    };
    is_inert(&page, "/", &["asked @human"]);
    is_inert(&page, "/runs", &[]);
    is_inert(
        &page,
        &format!("/runs/{run}"),
        &["param", "note", "result", "reason"],
    );
    is_inert(
        &page,
        &format!("/runs/{run}/decide?visit=2&answer=%3Cscript%3E"),
        &[],
    );
    is_inert(&page, "/plan", &["plan", "task", "added", "failure"]);
    is_inert(&page, &address("/plan", "/plan?project="), &["plan", "task"]);
    is_inert(&page, "/channels", &["said", "asked @human"]);
    is_inert(&page, "/channels?branch=%3Cscript%3E", &[]);
    is_inert(&page, "/agents", &["asked @human"]);
    is_inert(&page, &address("/agents", "/agent?"), &[]);
    is_inert(&page, "/wakeups", &[]);
    is_inert(&page, &address("/wakeups", "/wakeups/"), &["added"]);
    is_inert(&page, "/skills", &["describes"]);
    is_inert(&page, "/skill?name=odd", &["body", "help", "title", "phase"]);
    for path in [
        "/runs/%3Cscript%3E",
        "/skill?name=%3Cscript%3E",
        "/plan?project=%3Cscript%3E",
        "/%3Cscript%3E",
    ] {
        is_inert(&page, path, &[]);
    }
    sandbox.run(&["resume", &run]).exits(0);
    is_inert(&page, &format!("/runs/{run}"), &["question param"]);
}

#[test]
fn a_connection_that_never_finishes_its_request_is_closed() {
    use std::io::{Read as _, Write as _};
    let sandbox = Sandbox::new();
    let page = Page::open(&sandbox);
    for beginning in ["", "GET / HTTP/1.1\r\nHost: 127.0.0.1"] {
        let mut connection = std::net::TcpStream::connect(("127.0.0.1", page.port)).unwrap();
        connection.write_all(beginning.as_bytes()).unwrap();
        // Blocks until the server closes the connection.
        let _ = connection.read_to_end(&mut Vec::new());
    }
}
