//! The dashboard updates when the store changes.

use serde_json::json;

use super::actions::asking;
use crate::support::page::{Page, VIEWS};
use crate::support::sandbox::Sandbox;
use crate::support::workflows::THREE;

#[test]
fn a_page_is_notified_when_another_process_changes_the_store() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let page = Page::open(&sandbox);
    let mut one = page.listen();
    let mut other = page.listen();
    let step = sandbox.start(&["three"]);
    one.hears("changed");
    other.hears("changed");
    assert!(page.get("/").main().contains(&step.run));
    sandbox.report(&step, &json!({ "word": "one" })).ok();
    one.hears("changed");
    assert!(page.get("/").main().contains("second"));
}

#[test]
fn a_store_that_disappears_is_reported_not_recreated_and_reopened() {
    let (sandbox, run) = asking();
    let page = Page::open(&sandbox);
    let mut told = page.listen();
    let (store, away) = (sandbox.bugle_home(), sandbox.root().join("away"));
    std::fs::rename(&store, &away).unwrap();
    told.hears("gone");
    for path in VIEWS.into_iter().chain([format!("/runs/{run}").as_str()]) {
        let reply = page.get(path);
        assert_eq!(reply.status, 503, "{path}");
        assert!(reply.body.contains("The store cannot be read"), "{}", reply.body);
        assert!(reply.body.contains("bugle.db"), "{}", reply.body);
    }
    assert_eq!(page.post(&format!("/runs/{run}/pause"), &[]).status, 503);
    assert!(!store.exists(), "no store was created");
    std::fs::rename(&away, &store).unwrap();
    told.hears("changed");
    assert!(page.get("/").main().contains("Which way?"));

    // Another file replaces the database, and its WAL files are gone.
    let other = sandbox.root().join("other");
    std::fs::write(&other, "this is no database, and never was one").unwrap();
    for beside in ["bugle.db-wal", "bugle.db-shm"] {
        let _ = std::fs::remove_file(store.join(beside));
    }
    std::fs::rename(&other, sandbox.database()).unwrap();
    assert_eq!(page.get("/").status, 503);
}
