//! The dashboard in a real browser: themes, phone size, accessibility, live updates, keyboard only, no scripts.

use std::path::PathBuf;

use bugle_testkit::browser::{Browser, Scheme};
use serde_json::{Value, json};

use super::hostile_text;
use super::views::World;
use crate::support::page::{Page, VIEWS};
use crate::support::sandbox::Sandbox;
use crate::support::workflows::{ASKING, THREE};

/// A browser with the access cookie, or `None` if no browser is installed.
fn browser_with_access(page: &Page) -> Option<Browser> {
    let mut browser = Browser::start()?;
    browser.set_cookie(&page.origin(), &page.cookie());
    browser.open(&page.origin());
    Some(browser)
}

#[test]
fn a_redirect_file_opens_the_dashboard_and_the_token_is_removed_from_the_address() {
    let sandbox = Sandbox::new();
    let page = Page::open(&sandbox);
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let file = sandbox.root().join("link.html");
    let link = page.address();
    sandbox.write(
        &file,
        format!("<meta http-equiv=\"refresh\" content=\"0;url={link}\">"),
    );
    browser.open(&format!("file://{}", file.display()));
    browser.wait_until("location.pathname === '/' && document.querySelectorAll('main').length === 1");
    assert_eq!(browser.evaluate("location.search"), "");
}

/// The folder for screenshots.
fn pictures() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("page");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Checks for every page in every mode.
#[track_caller]
fn is_sound(browser: &mut Browser, page: &Page, what: &str) {
    let faults = browser.accessibility_faults();
    assert_eq!(faults, Vec::<String>::new(), "{what}");
    let wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    assert_eq!(browser.evaluate(wide), false, "{what} is wider than its window");
    assert_eq!(browser.console(), &[] as &[String], "{what}");
    let own = page.origin();
    let foreign: Vec<&String> = browser
        .requests()
        .iter()
        .filter(|address| !address.starts_with(&own))
        .collect();
    assert_eq!(foreign, Vec::<&String>::new(), "{what}");
    assert_eq!(browser.failures(), &[] as &[String], "{what}");
}

#[test]
fn every_view_is_legible_and_accessible_in_both_themes_and_on_a_phone() {
    let world = World::new();
    let Some(mut browser) = browser_with_access(&world.page) else {
        return;
    };
    let mut paths: Vec<(String, String)> = VIEWS
        .into_iter()
        .map(|path| (path.to_owned(), path.trim_matches('/').to_owned()))
        .collect();
    for (path, name) in [
        (format!("/runs/{}", world.three), "run"),
        (format!("/runs/{}", world.asking), "run-that-waits"),
        (format!("/runs/{}/pause", world.three), "confirm"),
        (world.address("/plan", "/plan?project="), "one-plan"),
        (world.address("/", "/agent?"), "agent"),
        (world.address("/wakeups", "/wakeups/"), "wakeup"),
        ("/skill?name=planner".to_owned(), "skill"),
    ] {
        paths.push((path, name.to_owned()));
    }
    for (scheme, theme) in [(Scheme::Light, "light"), (Scheme::Dark, "dark")] {
        browser.set_scheme(scheme);
        for (width, height, size) in [(1280, 900, "wide"), (375, 740, "phone")] {
            browser.set_viewport(width, height);
            for (path, name) in &paths {
                browser.open(&format!("{}{path}", world.page.origin()));
                let name = if name.is_empty() { "now" } else { name };
                let what = format!("{name}-{theme}-{size}");
                is_sound(&mut browser, &world.page, &what);
                browser.screenshot(&pictures().join(format!("{what}.png")));
            }
        }
    }
}

#[test]
fn changes_appear_without_a_reload_and_keep_typed_text() {
    let sandbox = Sandbox::with_skill("three", THREE);
    sandbox
        .run_in_session(
            "CLAUDE_CODE_SESSION_ID",
            "backend",
            &["ask", "@human which port?"],
        )
        .ok();
    let page = Page::open(&sandbox);
    let Some(mut browser) = browser_with_access(&page) else {
        return;
    };
    browser.evaluate("window.sameDocument = true");
    browser.click("textarea");
    browser.type_text("half an ans");
    let step = sandbox.start(&["three"]);
    browser.wait_until(&format!(
        "document.querySelector('main').innerText.includes('{}')",
        step.run
    ));
    assert_eq!(browser.evaluate("window.sameDocument"), true);
    assert_eq!(browser.evaluate("document.activeElement.tagName"), "TEXTAREA");
    browser.type_text("wer");
    assert_eq!(
        browser.evaluate("document.querySelector('textarea').value"),
        "half an answer"
    );

    browser.open(&format!("{}/runs/{}", page.origin(), step.run));
    browser.evaluate("document.querySelector('details').open = true");
    sandbox.report(&step, &json!({ "word": "one" })).ok();
    browser.wait_until("document.querySelector('.node.current').dataset.id === 'second'");
    assert_eq!(browser.evaluate("document.querySelector('details').open"), true);
    assert_eq!(browser.console(), &[] as &[String]);
}

/// Presses Tab until the focused element matches; fails after a fixed number of presses.
#[track_caller]
fn tab_to(browser: &mut Browser, is_it: &str) {
    for _ in 0..80 {
        browser.press("Tab");
        if browser.evaluate(&format!("(at => Boolean({is_it}))(document.activeElement)")) == Value::Bool(true)
        {
            let shown = "getComputedStyle(document.activeElement).outlineStyle";
            assert_ne!(
                browser.evaluate(shown),
                "none",
                "the focused element has no visible outline"
            );
            return;
        }
    }
    panic!("the keyboard does not reach {is_it}");
}

#[test]
fn a_decision_can_be_made_with_the_keyboard_alone() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let run = sandbox.start(&["asking"]).run;
    let page = Page::open(&sandbox);
    let Some(mut browser) = browser_with_access(&page) else {
        return;
    };
    tab_to(&mut browser, "at.className === 'skip'");
    browser.press("Enter");
    tab_to(
        &mut browser,
        &format!("at.getAttribute('href') === '/runs/{run}'"),
    );
    browser.press("Enter");
    browser.wait_until("document.querySelector('#decision')");
    tab_to(&mut browser, "at.value === 'left, mostly'");
    browser.press("Enter");
    browser.wait_until("document.querySelector('#why')");
    tab_to(&mut browser, "at.id === 'why'");
    browser.type_text("it is shorter");
    tab_to(&mut browser, "at.type === 'submit'");
    browser.press("Enter");
    browser.wait_until("document.querySelector('.notice')?.innerText.includes('recorded')");
    assert_eq!(sandbox.position(&run).2.as_deref(), Some("explain"));
    let shown = sandbox.run(&["show", &run]).ok().out;
    assert!(shown.contains("left, mostly"), "{shown}");
}

#[test]
fn everything_can_be_read_and_decided_without_scripts() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let run = sandbox.start(&["asking"]).run;
    let page = Page::open(&sandbox);
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.without_javascript();
    browser.open(&page.address());
    assert!(browser.text("main").contains("Which way?"));
    browser.open(&format!("{}/runs/{run}", page.origin()));
    browser.click("#decision ~ form button");
    browser.wait_until("document.querySelector('h1')?.innerText.includes('Answer')");
    browser.click("button[type=submit]");
    browser.wait_until("document.querySelector('.notice')?.innerText.includes('recorded')");
    assert_eq!(sandbox.position(&run).2.as_deref(), Some("explain"));
}

#[test]
fn hostile_text_does_nothing_in_a_browser() {
    let (sandbox, run) = hostile_text::world();
    let page = Page::open(&sandbox);
    let Some(mut browser) = browser_with_access(&page) else {
        return;
    };
    browser.set_viewport(375, 740);
    let more = [format!("/runs/{run}"), "/skill?name=odd".to_owned()];
    for path in VIEWS.into_iter().map(str::to_owned).chain(more) {
        browser.open(&format!("{}{path}", page.origin()));
        assert_eq!(
            browser.evaluate("document.querySelectorAll('main').length"),
            1,
            "{path}"
        );
        let odd =
            "document.querySelectorAll('main script, main img, [onerror], [onload], [onmouseover]').length";
        assert_eq!(browser.evaluate(odd), 0, "{path}");
        is_sound(&mut browser, &page, &path);
    }
}

#[test]
fn a_disconnected_page_says_so_and_stays_readable() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let step = sandbox.start(&["three"]);
    let page = Page::open(&sandbox);
    let Some(mut browser) = browser_with_access(&page) else {
        return;
    };
    let away = sandbox.root().join("away");
    std::fs::rename(sandbox.bugle_home(), &away).unwrap();
    browser.wait_until("document.querySelector('#live').innerText.includes('store cannot be read')");
    std::fs::rename(&away, sandbox.bugle_home()).unwrap();
    browser.wait_until("document.querySelector('#live').innerText === ''");
    drop(page);
    browser.wait_until("document.querySelector('#live').innerText.includes('connection is lost')");
    assert!(browser.text("main").contains(&step.run));
}
