//! A step's sub-agents and reviews.

use bugle_core::review;
use bugle_render::child_text;
use serde::Serialize;

use crate::ToWire;
use crate::words::Word;

/// A review finding.
#[derive(Debug, Serialize)]
pub struct Finding {
    severity: Word,
    category: String,
    location: String,
    element: String,
    problem: String,
    action: String,
}

impl ToWire for review::Finding {
    type Wire = Finding;

    fn to_wire(&self) -> Finding {
        let review::Finding {
            severity,
            category,
            location,
            element,
            problem,
            action,
        } = self.clone();
        Finding {
            severity: severity.to_wire(),
            category,
            location,
            element,
            problem,
            action,
        }
    }
}

shapes! {
    DispatchView {
        role: String,
        model: Option<String>,
        led_by_workflow: bool,
        children: Vec<ChildView>,
        needed: usize,
        reported: usize,
        asking: usize,
        unanswered: Option<String>,
    }
    ChildView {
        slot: u32,
        command: String,
        context: Vec<VariableView>,
        run: Option<String>,
        state: String = child_text::child,
        reported: bool,
        retry: Option<RetryView>,
    }
    VariableView {
        name: String,
        value: String,
    }
    RetryView {
        answer_file: Option<String>,
        command: String,
    }
    VerdictView {
        gate: String,
        passed: bool,
        iteration: u32,
        limit: u32,
        blocking: usize,
        accepted: usize,
        noted: usize,
        decision: Option<String>,
        passed_on_by: Option<String>,
        self_review: bool,
        tree: Option<String>,
        command: String,
    }
    FindingView {
        #[serde(flatten)]
        finding: Finding,
        seen: u32,
        number: Option<u32>,
    }
    DisputeView {
        finding: FindingView,
        evidence: String,
    }
    FindingsView {
        visit: String,
        verdict: VerdictView,
        person: Option<String>,
        accepted_by: Vec<String>,
        stale: bool,
        blocking: Vec<FindingView>,
        accepted: Vec<FindingView>,
        noted: Vec<FindingView>,
        checks: Vec<String>,
    }
    OrchestratorView {
        verdict: String = child_text::report,
        report: String,
        command: String,
    }
}

variants! {
    #[serde(rename_all = "snake_case")]
    ReviewLoopView {
        Gate {
            gate: String,
            iteration: u32,
            limit: u32,
            blocking: Vec<Word>,
        }
        Review {
            gate: String,
            iteration: u32,
            checks: Vec<String>,
            accepted: Vec<FindingView>,
            disputed: Vec<DisputeView>,
            deferred: Vec<FindingView>,
        }
        Rework {
            gate: String,
            iteration: u32,
            findings: Vec<FindingView>,
            count: usize,
            command: Option<String>,
        }
    }
}
