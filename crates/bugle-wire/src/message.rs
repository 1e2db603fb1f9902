//! Messages between agents and people.

use crate::words::Word;

shapes! {
    SaidMessage {
        id: String,
        at: i64,
        from: String,
        from_here: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        to: Vec<String>,
        to_here: Vec<String>,
        text: String,
        kind: Word,
        answers: Option<String>,
        open: bool,
    }
    SaidView {
        message: SaidMessage,
        unheard_of: Vec<String>,
        near: Vec<String>,
        taken_for_code: Vec<String>,
        notice: Option<String>,
    }
    InboxView {
        whose: String,
        whose_here: String,
        unread: Vec<SaidMessage>,
        more_unread: u64,
        taken: bool,
        read: Vec<SaidMessage>,
        earlier: bool,
        questions: Vec<OpenQuestion>,
    }
    OpenQuestion {
        message: SaidMessage,
        answer_with: String,
    }
    MessageList {
        messages: Vec<SaidMessage>,
        unread_by: Option<String>,
        more_unread: u64,
        earlier: bool,
        questions: Vec<OpenQuestion>,
    }
}
