//! Maps domain values to wire values. Both types belong to other crates, so this crate cannot implement `From`.

use bugle_core::agent::AgentStatus;
use bugle_core::digest::Detail;
use bugle_core::engine::RunStatus;
use bugle_core::message::MessageKind;
use bugle_core::outcome::Outcome;
use bugle_core::review::Severity;
use bugle_core::task::TaskState;
use bugle_core::wake::{PartResult, WakeReason};

pub(crate) fn agent_status(status: AgentStatus) -> bugle_wire::AgentStatus {
    match status {
        AgentStatus::Busy => bugle_wire::AgentStatus::Busy,
        AgentStatus::Idle => bugle_wire::AgentStatus::Idle,
        AgentStatus::Blocked => bugle_wire::AgentStatus::Blocked,
        AgentStatus::Complete => bugle_wire::AgentStatus::Complete,
        AgentStatus::Failed => bugle_wire::AgentStatus::Failed,
        AgentStatus::Archived => bugle_wire::AgentStatus::Archived,
    }
}

pub(crate) fn message_kind(kind: MessageKind) -> bugle_wire::MessageKind {
    match kind {
        MessageKind::Say => bugle_wire::MessageKind::Say,
        MessageKind::Ask => bugle_wire::MessageKind::Ask,
        MessageKind::Answer => bugle_wire::MessageKind::Answer,
    }
}

pub(crate) fn outcome(outcome: Outcome) -> bugle_wire::Outcome {
    match outcome {
        Outcome::Ok => bugle_wire::Outcome::Ok,
        Outcome::Fail => bugle_wire::Outcome::Fail,
        Outcome::Skip => bugle_wire::Outcome::Skip,
        Outcome::Iterate => bugle_wire::Outcome::Iterate,
    }
}

pub(crate) fn part_detail(detail: Detail) -> bugle_wire::PartDetail {
    match detail {
        Detail::Pointer => bugle_wire::PartDetail::Pointer,
        Detail::Digest => bugle_wire::PartDetail::Digest,
        Detail::Full => bugle_wire::PartDetail::Full,
    }
}

pub(crate) fn part_result(result: PartResult) -> bugle_wire::PartResult {
    match result {
        PartResult::Whole => bugle_wire::PartResult::Whole,
        PartResult::Cut => bugle_wire::PartResult::Cut,
        PartResult::LeftOut => bugle_wire::PartResult::LeftOut,
        PartResult::Empty => bugle_wire::PartResult::Empty,
        PartResult::Unwanted => bugle_wire::PartResult::Unwanted,
    }
}

pub(crate) fn run_status(status: RunStatus) -> bugle_wire::RunStatus {
    match status {
        RunStatus::Active => bugle_wire::RunStatus::Active,
        RunStatus::Waiting => bugle_wire::RunStatus::Waiting,
        RunStatus::Paused => bugle_wire::RunStatus::Paused,
        RunStatus::Completed => bugle_wire::RunStatus::Completed,
        RunStatus::Cancelled => bugle_wire::RunStatus::Cancelled,
    }
}

pub(crate) fn severity(severity: Severity) -> bugle_wire::Severity {
    match severity {
        Severity::Must => bugle_wire::Severity::Must,
        Severity::Should => bugle_wire::Severity::Should,
        Severity::Could => bugle_wire::Severity::Could,
    }
}

pub(crate) fn task_state(state: TaskState) -> bugle_wire::TaskState {
    match state {
        TaskState::Done => bugle_wire::TaskState::Done,
        TaskState::Skipped => bugle_wire::TaskState::Skipped,
        TaskState::Blocked => bugle_wire::TaskState::Blocked,
        TaskState::Active => bugle_wire::TaskState::Active,
        TaskState::Failed => bugle_wire::TaskState::Failed,
        TaskState::Pending => bugle_wire::TaskState::Pending,
    }
}

pub(crate) fn wake_reason(reason: WakeReason) -> bugle_wire::WakeReason {
    match reason {
        WakeReason::Startup => bugle_wire::WakeReason::Startup,
        WakeReason::Resume => bugle_wire::WakeReason::Resume,
        WakeReason::Clear => bugle_wire::WakeReason::Clear,
        WakeReason::Compact => bugle_wire::WakeReason::Compact,
        WakeReason::Mention => bugle_wire::WakeReason::Mention,
        WakeReason::Event => bugle_wire::WakeReason::Event,
        WakeReason::Subagent => bugle_wire::WakeReason::Subagent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs the string of each domain value with the string of its wire value.
    macro_rules! words {
        ($values:expr, $to_wire:path) => {
            $values.map(|value| (value.as_str(), $to_wire(value).as_str()))
        };
    }

    #[test]
    fn wire_values_use_the_same_strings_as_domain_values() {
        let words = [
            words!(AgentStatus::ALL, agent_status).to_vec(),
            words!(MessageKind::ALL, message_kind).to_vec(),
            words!(Outcome::ALL, outcome).to_vec(),
            words!(RunStatus::ALL, run_status).to_vec(),
            words!(Severity::ALL, severity).to_vec(),
            words!(WakeReason::ALL, wake_reason).to_vec(),
        ];
        for (domain, wire) in words.concat() {
            assert_eq!(domain, wire);
        }
    }
}
