//! A step, the end of a run, a refusal.

use bugle_render::step;

use crate::dispatch::{DispatchView, OrchestratorView, ReviewLoopView, VerdictView};
use crate::words::Word;

shapes! {
    StepView {
        position: Position,
        title: String,
        phase: Option<String>,
        role: String,
        role_brief: Option<String>,
        task: Option<TaskLabel>,
        round: Option<Round>,
        verdict: Option<VerdictView>,
        review_loop: Option<ReviewLoopView>,
        notices: Vec<String>,
        action: String,
        resources: Vec<ResourceView>,
        forbidden: Vec<String>,
        denied_tools: Vec<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        allowed_programs: Vec<String>,
        allowed_tools: Vec<String>,
        evidence: Vec<String>,
        result: Option<ResultView>,
        dispatch: Option<DispatchView>,
        ask: Option<AskView>,
        command: Option<String>,
        failure_command: Option<String>,
        escalations: Vec<Choice>,
        failure_file: Option<String>,
    }
    TaskLabel {
        id: String,
        number: String,
        title: String,
    }
    Position {
        skill: String,
        run: String,
        status: Word,
        visit: Option<String>,
        step: Option<String>,
    }
    Round {
        number: u32,
        limit: u32,
    }
    ResourceView {
        name: String,
        purpose: String,
        content: String,
    }
    ResultView {
        file: String,
        outline: String,
        fields: Vec<FieldView>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        checks: Vec<String>,
    }
    FieldView {
        name: String,
        expected: String,
        required: bool,
        help: Option<String>,
    }
    AskView {
        question: String,
        in_person: bool,
        choices: Vec<Choice>,
        file: Option<String>,
        reason_file: Option<String>,
    }
    Choice {
        answer: String,
        command: String,
    }
    EndView {
        position: Position,
        message: String = step::ending,
        notices: Vec<String>,
        command: String,
        orchestrator: Option<OrchestratorView>,
    }
    RefusalView {
        code: String,
        message: String,
        details: Vec<String>,
        outline: Option<String>,
        remedy: String,
        position: Option<Position>,
        command: Option<String>,
    }
    MessageView {
        message: String,
    }
    ErrorView {
        message: String,
        hints: Vec<String>,
        exit: u8,
    }
}
