//! A step's sub-agents and reviews.

use crate::words::Word;

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
        state: String,
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
        severity: Word,
        category: String,
        location: String,
        element: String,
        problem: String,
        action: String,
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
        stale: bool,
        blocking: Vec<FindingView>,
        accepted: Vec<FindingView>,
        noted: Vec<FindingView>,
        checks: Vec<String>,
    }
    OrchestratorView {
        verdict: String,
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
