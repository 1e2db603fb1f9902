//! A real browser in tests: headless Chromium with its own profile, driven over two pipes.
//!
//! `scripts/browser` installs Chromium and the accessibility rules outside the repository. If Chromium is missing,
//! [`Browser::start`] returns `None`, and the test is skipped with a message; in CI the test fails. Pages can only
//! reach the loopback interface.
//!
//! ```no_run
//! use bugle_testkit::browser::{Browser, Scheme};
//!
//! let Some(mut browser) = Browser::start() else { return };
//! browser.set_viewport(375, 800);
//! browser.set_scheme(Scheme::Dark);
//! browser.open("http://127.0.0.1:4000/");
//! browser.press("Tab");
//! browser.type_text("hello");
//! browser.press("Enter");
//! browser.wait_until("document.title == 'Said'");
//! assert_eq!(browser.text("main p"), "hello");
//! assert_eq!(browser.accessibility_faults(), [""; 0]);
//! assert!(browser.requests().iter().all(|address| address.starts_with("http://127.0.0.1:4000/")));
//! ```
//!
//! Every wait has a deadline. When it passes, the test fails and prints the condition it was waiting for and the page's
//! content.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test must fail if its harness cannot continue"
)]

mod available;
mod base64;
mod events;
mod keys;
mod process;
mod screenshot;
#[cfg(test)]
mod tests;

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::clients::available::{Seat, skip};
use events::Events;
use keys::Stroke;
use process::Process;

/// The deadline of a wait: far longer than anything should take, even on a busy machine.
const MAX_LENGTH: Duration = Duration::from_secs(45);

/// The interval between two checks of a page, unless an event arrives earlier.
const LOOK: Duration = Duration::from_millis(25);

/// Maximum number of characters of a page shown when a test fails.
const SHOWN: usize = 3_000;

/// The user's colour scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Dark text on a light background.
    Light,
    /// Light text on a dark background.
    Dark,
}

/// A browser with one page. Only a few browsers can run at the same time, so a test that starts two could wait forever.
#[derive(Debug)]
pub struct Browser {
    process: Process,
    session: Option<String>,
    events: Events,
    last: u64,
    longest: Duration,
    _profile: TempDir,
    _seat: Seat,
}

impl Browser {
    /// Starts a browser. Returns `None` if none is installed, so that the test is skipped; in CI the test fails.
    pub fn start() -> Option<Self> {
        let program = match available::program() {
            Ok(program) => program,
            Err(why) => {
                skip(&why);
                return None;
            }
        };
        let seat = Seat::take();
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Self {
            process: Process::start(&program, profile.path()),
            session: None,
            events: Events::default(),
            last: 0,
            longest: MAX_LENGTH,
            _profile: profile,
            _seat: seat,
        };
        let page = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", &attach);
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for part in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{part}.enable"), &json!({}));
        }
        browser.call("Page.setLifecycleEventsEnabled", &json!({ "enabled": true }));
        browser.set_viewport(1280, 800);
        Some(browser)
    }

    /// Opens an address and waits until the page is loaded.
    #[track_caller]
    pub fn open(&mut self, address: &str) {
        let answer = self.call("Page.navigate", &json!({ "url": address }));
        if let Some(why) = answer["errorText"].as_str() {
            panic!("cannot open {address}: {why}\n{}", self.state());
        }
        // Without a loader id, the browser stays on the same page.
        let Some(loader) = answer["loaderId"].as_str().map(str::to_owned) else {
            return;
        };
        let end = Instant::now() + self.longest;
        while self.events.loaded.as_ref() != Some(&loader) {
            let heard = self.receive(end);
            assert!(heard, "{address} did not load in time\n{}", self.state());
        }
    }

    /// Sets a cookie (`name=value`) for an address.
    pub fn set_cookie(&mut self, address: &str, cookie: &str) {
        let (name, value) = cookie.split_once('=').unwrap_or((cookie, ""));
        let facts =
            json!({ "url": address, "name": name, "value": value, "httpOnly": true, "sameSite": "Strict" });
        self.call("Network.setCookie", &facts);
    }

    /// Waits for the first matching element and returns its visible text.
    #[track_caller]
    pub fn text(&mut self, selector: &str) -> String {
        let element = found(selector);
        self.wait_until(&format!("{element} !== null"));
        let text = self.evaluate(&format!("{element}.innerText"));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits for the first matching element and clicks its centre. Fails if the element is covered.
    #[track_caller]
    pub fn click(&mut self, selector: &str) {
        let element = found(selector);
        self.wait_until(&format!("{element} !== null"));
        let place = self.evaluate(&format!(
            "(() => {{ const element = {element}; element.scrollIntoView({{ block: 'center', behavior: 'instant' }});
              const box = element.getBoundingClientRect();
              const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
              const hit = document.elementFromPoint(x, y);
              return {{ x, y, open: hit !== null && (element.contains(hit) || hit.contains(element)) }}; }})()"
        ));
        assert!(
            place["open"] == true,
            "{selector} cannot be clicked: it is hidden or covered\n{}",
            self.state()
        );
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Types text into the focused element, letter by letter.
    #[track_caller]
    pub fn type_text(&mut self, text: &str) {
        for letter in text.chars() {
            self.stroke(&Stroke::letter(letter));
        }
    }

    /// Presses a key: `Tab`, `Shift+Tab`, `Enter`, `ArrowDown`, `Control+a`, `x`.
    #[track_caller]
    pub fn press(&mut self, key: &str) {
        let stroke = Stroke::read(key).unwrap_or_else(|| panic!("there is no key {key:?}"));
        self.stroke(&stroke);
    }

    #[track_caller]
    fn stroke(&mut self, stroke: &Stroke) {
        for event in stroke.events() {
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Evaluates an expression in the page. If it is a promise, waits for its value.
    #[track_caller]
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let value = self.try_evaluate(expression);
        value.unwrap_or_else(|why| panic!("{expression}: {why}\n{}", self.state()))
    }

    /// Evaluates an expression. Fails if it throws or if the page is navigating away.
    fn try_evaluate(&mut self, expression: &str) -> Result<Value, String> {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.try_call("Runtime.evaluate", &asked)?;
        let thrown = &answer["exceptionDetails"];
        if thrown.is_null() {
            return Ok(answer["result"]["value"].clone());
        }
        let why = thrown["exception"]["description"].as_str();
        Err(why.unwrap_or("the expression threw an exception").to_owned())
    }

    /// Waits until an expression is true in the page, even if the page navigates in the meantime.
    #[track_caller]
    pub fn wait_until(&mut self, expression: &str) {
        let end = Instant::now() + self.longest;
        loop {
            let seen = self.try_evaluate(&format!("Boolean({expression})"));
            if seen == Ok(Value::Bool(true)) {
                return;
            }
            assert!(
                Instant::now() < end,
                "timed out waiting for: {expression} (last value: {seen:?})\n{}",
                self.state()
            );
            self.receive(Instant::now() + LOOK);
        }
    }

    /// Sets the user's colour scheme for all later pages.
    pub fn set_scheme(&mut self, scheme: Scheme) {
        let value = match scheme {
            Scheme::Light => "light",
            Scheme::Dark => "dark",
        };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.call("Emulation.setEmulatedMedia", &media);
    }

    /// Sets the window size for all later pages.
    pub fn set_viewport(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Turns scripts off for all later pages. [`evaluate`](Self::evaluate) still works.
    pub fn without_javascript(&mut self) {
        self.call("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
    }

    /// The page's accessibility faults according to axe-core, one line per element. If axe-core is not installed,
    /// prints a message and returns no faults; in CI the test fails.
    #[track_caller]
    pub fn accessibility_faults(&mut self) -> Vec<String> {
        let checker = match available::checker() {
            Ok(checker) => checker,
            Err(why) => {
                skip(&why);
                return Vec::new();
            }
        };
        self.evaluate(&format!("{checker}; true"));
        // axe's result is long, so return only the needed fields.
        let found = self.evaluate(
            "axe.run(document, { resultTypes: ['violations'], preload: false }).then((result) =>
               result.violations.flatMap((rule) => rule.nodes.map((node) =>
                 `${rule.impact} ${rule.id}: ${rule.help}: ${node.target.join(' ')}: ` +
                 node.failureSummary.replace(/\\s+/g, ' '))))",
        );
        let lines = found.as_array().into_iter().flatten();
        lines.filter_map(|line| Some(line.as_str()?.to_owned())).collect()
    }

    /// All requested addresses since the browser started.
    pub fn requests(&mut self) -> &[String] {
        self.catch_up();
        &self.events.requests
    }

    /// All failed requests since the browser started: address and reason.
    pub fn failures(&mut self) -> &[String] {
        self.catch_up();
        &self.events.failures
    }

    /// All console messages since the browser started: `log`, `error`, `exception` or `dialogue`, and the text.
    pub fn console(&mut self) -> &[String] {
        self.catch_up();
        &self.events.console
    }

    /// Receives all pending events. Messages arrive in order, so waiting for one answer is enough.
    fn catch_up(&mut self) {
        drop(self.try_evaluate("0"));
    }

    /// Calls a browser method. Panics if the call fails.
    #[track_caller]
    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.try_call(method, params)
            .unwrap_or_else(|why| panic!("{method}: {why}"))
    }

    fn try_call(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        let id = self.send(method, params)?;
        let end = Instant::now() + self.longest;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.process.messages.recv_timeout(left).map_err(|error| {
                let why = match error {
                    RecvTimeoutError::Timeout => "the browser did not answer in time",
                    RecvTimeoutError::Disconnected => "the browser has exited",
                };
                format!("{why}\n{}", self.process.errors())
            })?;
            if message["id"] == id {
                return match message["error"]["message"].as_str() {
                    Some(why) => Err(why.to_owned()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.take(&message)?;
        }
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<u64, String> {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        if self.process.send(&message) {
            Ok(self.last)
        } else {
            Err(format!("the browser has exited\n{}", self.process.errors()))
        }
    }

    /// Waits for the browser's next message. Returns whether it arrived in time.
    fn receive(&mut self, end: Instant) -> bool {
        let left = end.saturating_duration_since(Instant::now());
        match self.process.messages.recv_timeout(left) {
            Ok(message) => self.take(&message).is_ok(),
            Err(_) => false,
        }
    }

    fn take(&mut self, message: &Value) -> Result<(), String> {
        self.events.note(message);
        if std::mem::take(&mut self.events.dialogue) {
            // Do not wait for the answer.
            self.send("Page.handleJavaScriptDialog", &json!({ "accept": false }))?;
        }
        Ok(())
    }

    /// The page's content, for a failed test.
    fn state(&mut self) -> String {
        let longest = std::mem::replace(&mut self.longest, Duration::from_secs(5));
        let page =
            self.try_evaluate("location.href + '\\n' + document.title + '\\n' + document.body?.innerText");
        self.longest = longest;
        let page = page.map_or_else(|why| why, |page| page.as_str().unwrap_or_default().to_owned());
        let page: String = page.chars().take(SHOWN).collect();
        let Events {
            failures, console, ..
        } = &self.events;
        format!("Page:\n{page}\nFailed requests: {failures:?}\nConsole: {console:?}")
    }
}

/// A JavaScript expression for the first matching element.
fn found(selector: &str) -> String {
    format!("document.querySelector({})", Value::from(selector))
}
