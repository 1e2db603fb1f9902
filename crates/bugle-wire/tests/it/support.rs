//! Test helpers.

use bugle_core::engine::RunStatus;
use bugle_core::reply::Position;
use bugle_wire::Answer;
use serde_json::Value;

/// Returns the answer as JSON after checking that it is exactly one document.
pub(crate) fn document<T: Answer>(answer: &T) -> String {
    let text = answer.to_json();
    assert!(text.ends_with("}\n"), "a document ends with a newline");
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read["version"], bugle_wire::VERSION);
    assert_eq!(read["kind"], T::KIND);
    assert_eq!(read.as_object().unwrap().len(), 3, "version, kind, data");
    text
}

pub(crate) fn position() -> Position {
    Position {
        skill: "decision-critic".to_owned(),
        run: "r-7f3a1c".parse().unwrap(),
        status: RunStatus::Active,
        visit: Some("r-7f3a1c#2".parse().unwrap()),
        step: Some("extract".to_owned()),
    }
}

/// The position of a run that has ended.
pub(crate) fn ended() -> Position {
    Position {
        status: RunStatus::Completed,
        visit: None,
        step: None,
        ..position()
    }
}

pub(crate) fn texts<const COUNT: usize>(texts: [&str; COUNT]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
