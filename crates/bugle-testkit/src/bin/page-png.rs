//! Takes a picture of a dashboard page: `page-png SCENE BUGLE FILE` runs a script from `scripts/scenes/page` with the
//! program at the path `BUGLE`, opens the page that the script serves, and writes the picture to `FILE`.
//!
//! The script prints the page's path on its first line and then execs `bugle ui`.

use std::path::Path;
use std::process::ExitCode;

use bugle_testkit::browser::{Browser, Scheme};
use bugle_testkit::pictures::ServedPage;

/// Replaces ids and times, which differ from run to run, with fixed values.
const STABLE: &str = r"(() => {
  const names = ['bqr7fgz4', 'h5w2xnkd', 'c832k9pm', 'yv2rqnfd', 't8wkz3bs', 'n4xjd6vr', 'p9fhm2cg', 'k7s5qtwy'];
  const ids = new Map();
  const stable = (id) => {
    if (!ids.has(id)) ids.set(id, id.slice(0, 2) + names[ids.size % names.length].slice(0, id.length - 2));
    return ids.get(id);
  };
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) {
    const node = nodes.currentNode;
    node.data = node.data
      .replace(/\b[rtpmw]-(?:[a-z0-9]{8}|[a-z0-9]{6})\b/g, stable)
      .replace(/\b\d{4}-\d\d-\d\d\b/g, '2026-03-02')
      .replace(/\b\d\d:\d\d:\d\d\b/g, '09:41:07')
      .replace(/\b\d\d:\d\d\b/g, '09:41')
      .replace(/\bjust now\b|\b\d+ (?:s|seconds?|min|minutes?) ago\b/g, '2 min ago');
  }
  return true;
})()";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scene, bugle, file] = arguments.as_slice() else {
        eprintln!("usage: page-png SCENE BUGLE FILE");
        return ExitCode::from(2);
    };
    let served = match ServedPage::serve(Path::new(scene), Path::new(bugle)) {
        Ok(served) => served,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let Some(mut browser) = Browser::start() else {
        return ExitCode::FAILURE;
    };
    browser.set_viewport(1280, 905);
    browser.set_scheme(Scheme::Light);
    browser.open(served.address());
    browser.evaluate(STABLE);
    browser.screenshot_window(Path::new(file));
    ExitCode::SUCCESS
}
