//! The people who share a store.

use crate::words::Word;

shapes! {
    TeamList {
        members: Vec<TeamMember>,
    }
    TeamMember {
        person: String,
        name: String,
        role: Word,
        #[serde(skip_serializing_if = "Option::is_none")]
        projects: Option<Vec<String>>,
        you: bool,
    }
}
