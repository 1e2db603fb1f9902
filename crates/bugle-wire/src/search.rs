//! Search results.

use crate::words::Word;

shapes! {
    SearchView {
        found: Vec<FoundText>,
        more: u64,
        searched_after: Option<i64>,
    }
    FoundText {
        kind: Word,
        at: i64,
        place: String,
        by: String,
        excerpt: String,
        command: String,
    }
}
