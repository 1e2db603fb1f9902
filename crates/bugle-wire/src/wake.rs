//! The facts for a wake-up, and the assembled wake-up.

use bugle_core::reply;
use bugle_render::stage_text;

use crate::task::{PlanText, ReminderView, TaskName};
use crate::words::Word;

shapes! {
    WakeView {
        id: Option<String>,
        reason: Word,
        agent: String,
        text: String,
        size: usize,
        limit: usize,
        unit: String,
        parts: Vec<WakePart>,
        too_small: Option<usize>,
        template: Option<String>,
        notices: Vec<String>,
        explain_agents: Vec<String>,
    }
    WakePart {
        part: Word,
        verdict: Word,
        detail: Option<Word>,
        size: usize,
        whole: usize,
        needs: Option<usize>,
        command: Option<String>,
        stage: Option<String> = |part: &reply::WakePart| part.stage.as_ref().map(stage_text::stage),
    }
    WakeupSummary {
        id: String,
        agent: String,
        reason: Word,
        at: i64,
        size: u64,
        limit: usize,
        unit: String,
        hash: String,
    }
    WakeupList {
        wakeups: Vec<WakeupSummary>,
    }
    WakeupDetail {
        wakeup: WakeupSummary,
        parts: Vec<WakePart>,
        template: Option<String>,
        notices: Vec<String>,
        text: String,
    }
    WakePartChange {
        before: WakePart,
        after: WakePart,
    }
    WakeupDiff {
        from: WakeupSummary,
        to: WakeupSummary,
        parts: Vec<WakePartChange>,
        lines: Vec<String>,
    }
    BriefView {
        role: String,
        role_text: String,
        task: TaskName,
        text: Option<PlanText>,
        constraints: Vec<String>,
        interfaces: Vec<String>,
        notes: Vec<String>,
        context: Option<String>,
        reminders: Vec<ReminderView>,
    }
}
