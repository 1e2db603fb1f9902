//! The form in which a client asks its user a question of a run. Only the user sees the form: neither the question's form
//! nor the answer passes through the model.

use bugle_app::AppError;
use bugle_core::id::VisitToken;
use bugle_core::reply::AskView;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Value, json};

/// The key of the form's request and of its answer.
pub(super) const ANSWER: &str = "answer";
/// The key of the reason for a decision.
const REASON: &str = "reason";

/// A question that the client asks its user.
#[derive(Debug, Clone)]
pub(super) struct Question {
    /// The visit that waits for the answer.
    pub visit: VisitToken,
    text: String,
    answers: Vec<String>,
    takes_reason: bool,
}

/// The client's reply to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answered {
    /// The user's answer, and the reason if the user gave one.
    Yes {
        /// The answer.
        answer: String,
        /// The reason.
        reason: Option<String>,
    },
    /// The user did not answer, so the question stays open.
    No(&'static str),
}

impl Question {
    /// The question of a waiting visit.
    pub(super) fn of(visit: VisitToken, ask: &AskView) -> Self {
        Self {
            visit,
            text: ask.question.clone(),
            answers: ask.choices.iter().map(|choice| choice.answer.clone()).collect(),
            takes_reason: ask.reason_file.is_some(),
        }
    }

    /// The form: one field for the answer and, for a decision, one for the reason.
    pub(super) fn form(&self) -> Result<ElicitRequestParams, AppError> {
        let mut answer = json!({ "type": "string", "title": "Answer" });
        if self.answers.is_empty() {
            answer["minLength"] = json!(1);
        } else {
            answer["enum"] = json!(self.answers);
        }
        let mut properties = json!({ ANSWER: answer });
        if self.takes_reason {
            properties[REASON] =
                json!({ "type": "string", "title": "Reason", "description": "Required to accept findings" });
        }
        let schema = json!({ "type": "object", "properties": properties, "required": [ANSWER] });
        serde_json::from_value(json!({ "mode": "form", "message": self.text, "requestedSchema": schema }))
            .map_err(|error| AppError::System(format!("cannot ask the user: {error}")))
    }
}

/// Reads the client's reply to a form.
pub(super) fn answered(result: &ElicitResult) -> Answered {
    match result.action {
        ElicitationAction::Accept => {
            let field = |name: &str| {
                let text = result.content.as_ref()?.get(name)?.as_str()?.trim();
                (!text.is_empty()).then(|| text.to_owned())
            };
            match field(ANSWER) {
                Some(answer) => Answered::Yes {
                    answer,
                    reason: field(REASON),
                },
                None => Answered::No("left the answer empty"),
            }
        }
        ElicitationAction::Decline => Answered::No("declined to answer"),
        _ => Answered::No("closed the form without an answer"),
    }
}

/// Reads a reply that the client sent with the repeated call.
pub(super) fn answered_in(reply: &Value) -> Answered {
    match serde_json::from_value::<ElicitResult>(reply.clone()) {
        Ok(result) => answered(&result),
        Err(_) => Answered::No("gave an answer that the client could not pass on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_accepted_form_with_an_answer_is_an_answer() {
        let yes = Answered::Yes {
            answer: "yes".to_owned(),
            reason: None,
        };
        assert_eq!(
            answered_in(&json!({ "action": "accept", "content": { "answer": " yes " } })),
            yes
        );
        for other in [
            json!({ "action": "accept", "content": { "answer": " " } }),
            json!({ "action": "accept" }),
            json!({ "action": "accept", "content": { "answer": 7 } }),
            json!({ "action": "decline", "content": { "answer": "yes" } }),
            json!({ "action": "cancel", "content": { "answer": "yes" } }),
            json!({ "answer": "yes" }),
        ] {
            assert!(matches!(answered_in(&other), Answered::No(_)), "{other}");
        }
    }

    #[test]
    fn a_form_offers_the_fixed_answers() {
        let question = Question {
            visit: "r-7f3a1c#2".parse().unwrap(),
            text: "Ship it?".to_owned(),
            answers: vec!["yes".to_owned(), "no".to_owned()],
            takes_reason: true,
        };
        let form = serde_json::to_value(question.form().unwrap()).unwrap();
        assert_eq!(form["message"], "Ship it?");
        let schema = &form["requestedSchema"];
        assert_eq!(schema["properties"]["answer"]["enum"], json!(["yes", "no"]));
        assert_eq!(schema["required"], json!(["answer"]));
        assert_eq!(schema["properties"]["reason"]["type"], "string");
    }
}
