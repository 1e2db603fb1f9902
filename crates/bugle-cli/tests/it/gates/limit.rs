//! The decision at the limit on review rounds, with the command that Bugle prints for it. The rules about the limit are
//! tested in `bugle-app`.

use crate::support::review::{at_the_limit, choose, reviewed};

#[test]
fn abort_cancels_the_run() {
    let sandbox = reviewed();
    let waiting = at_the_limit(&sandbox);
    let end = choose(&sandbox, &waiting, "abort").ok().end();
    assert_eq!(end.status, "cancelled");
    assert_eq!(sandbox.position(&waiting.run).0, "cancelled");
    let timeline = sandbox.run(&["show", &waiting.run]).ok().out;
    assert!(timeline.contains("we ship on Friday"), "{timeline}");
    sandbox.verify();
}
