//! Tests of the browser harness with a small page.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::{Browser, Scheme};

const PAGE: &str = r#"<!doctype html>
<html lang="en"><head><title>Ferry</title><link rel="icon" href="data:,">
<style>@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }</style></head>
<body><main><h1>Ferry</h1><p id="said">nothing</p><p id="plain">no script</p>
<form><label>Words <input name="words"></label><button type="submit">Say</button></form>
<button id="later">Later</button></main>
<script>
document.querySelector('#plain').innerText = 'script';
document.querySelector('form').onsubmit = (event) => {
  event.preventDefault();
  document.querySelector('#said').innerText = new FormData(event.target).get('words');
};
document.querySelector('#later').onclick = () => setTimeout(() => { document.title = 'Later' }, 30);
console.log('ready', 1);
</script></body></html>"#;

/// Serves the page until the test ends. Returns its address.
fn serve() -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || answer(&connection));
        }
    });
    format!("http://127.0.0.1:{port}/")
}

fn answer(connection: &TcpStream) -> Option<()> {
    let mut lines = BufReader::new(connection).lines();
    let first = lines.next()?.ok()?;
    lines.map_while(Result::ok).find(String::is_empty)?;
    let (status, body) = if first.starts_with("GET / ") {
        ("200 OK", PAGE)
    } else {
        ("404 Not Found", "")
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut connection = connection;
    connection.write_all(head.as_bytes()).ok()?;
    connection.write_all(body.as_bytes()).ok()
}

#[test]
fn a_page_is_used_by_keyboard_and_mouse() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let address = serve();
    browser.open(&address);
    assert_eq!(browser.text("h1"), "Ferry");
    browser.press("Tab");
    browser.type_text("Anchor aweigh, ü!");
    browser.press("Tab");
    browser.press("Shift+Tab");
    browser.press("Enter");
    assert_eq!(browser.text("#said"), "Anchor aweigh, ü!");
    browser.press("Control+a");
    browser.type_text("x");
    browser.click("form button");
    assert_eq!(browser.text("#said"), "x");
    browser.click("#later");
    browser.wait_until("document.title == 'Later'");
    assert_eq!(browser.evaluate("Promise.resolve(6 * 7)"), 42);
    assert_eq!(browser.console(), ["log: ready 1"]);
    let outside: Vec<_> = browser
        .requests()
        .iter()
        .filter(|asked| **asked != "data:," && !asked.starts_with(&address))
        .collect();
    assert_eq!(outside, [""; 0]);
}

#[test]
fn a_page_uses_the_colour_scheme_and_the_viewport() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.set_viewport(375, 500);
    browser.set_scheme(Scheme::Dark);
    browser.open(&serve());
    assert_eq!(browser.evaluate("innerWidth"), 375);
    let colour = "getComputedStyle(document.body).backgroundColor";
    assert_eq!(browser.evaluate(colour), "rgb(17, 17, 17)");
    browser.set_scheme(Scheme::Light);
    assert_eq!(browser.evaluate(colour), "rgba(0, 0, 0, 0)");
    browser.evaluate("document.body.style.height = '1200px'");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shots/page.png");
    browser.screenshot(&file);
    let picture = std::fs::read(file).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
    let side = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    assert_eq!(side(16), 375);
    assert!(side(20) >= 1200);
}

#[test]
fn a_page_is_unchanged_without_scripts() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.without_javascript();
    browser.open(&serve());
    assert_eq!(browser.text("#plain"), "no script");
}

#[test]
fn requests_and_console_messages_are_recorded() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let address = serve();
    browser.open(&address);
    browser.evaluate("fetch('/missing').then(() => 0)");
    browser.evaluate("fetch('http://elsewhere.example/').catch(() => 0)");
    browser.evaluate("alert('hello')");
    browser.evaluate("setTimeout(() => { throw new Error('broken') })");
    browser.wait_until("true");
    let failures = browser.failures().join("\n");
    assert!(failures.contains(&format!("{address}missing: 404")), "{failures}");
    assert!(
        failures.contains("http://elsewhere.example/: net::ERR_NAME_NOT_RESOLVED"),
        "{failures}"
    );
    let asked = browser
        .requests()
        .iter()
        .any(|asked| asked == "http://elsewhere.example/");
    assert!(asked, "{:?}", browser.requests());
    let said = browser.console().join("\n");
    assert!(said.contains("dialogue: hello"), "{said}");
    assert!(said.contains("exception: Error: broken"), "{said}");
}

#[test]
fn accessibility_faults_are_listed() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&serve());
    assert_eq!(browser.accessibility_faults(), [""; 0]);
    browser.evaluate("document.querySelector('label').replaceWith(document.querySelector('input'))");
    let faults = browser.accessibility_faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with("critical label: "), "{faults:?}");
}

#[test]
fn a_timeout_reports_the_content_of_the_page() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&serve());
    browser.longest = Duration::from_millis(200);
    let why = catch_unwind(AssertUnwindSafe(|| {
        browser.wait_until("document.title == 'Ship'");
    }))
    .unwrap_err();
    let why = why.downcast::<String>().unwrap();
    assert!(why.contains("document.title == 'Ship'"), "{why}");
    assert!(why.contains("Ferry\n"), "{why}");
    let why = catch_unwind(AssertUnwindSafe(|| browser.open("http://127.0.0.1:1/"))).unwrap_err();
    let why = why.downcast::<String>().unwrap();
    assert!(
        why.contains("cannot open http://127.0.0.1:1/: net::ERR_"),
        "{why}"
    );
}
