//! The JSON strings for enum values. They stay the same within a version, even if an enum is renamed.

use bugle_core::agent::AgentStatus;
use bugle_core::digest::Detail;
use bugle_core::engine::RunStatus;
use bugle_core::message::MessageKind;
use bugle_core::outcome::Outcome;
use bugle_core::reply::{
    ExportState, FileState, FoundKind, HealthState, ProblemSeverity, SetupAction, SkillReason, TimelineKind,
};
use bugle_core::review::Severity;
use bugle_core::skill_selection::RuleOrigin;
use bugle_core::task::TaskState;
use bugle_core::team::TeamRole;
use bugle_core::wake::{Part, PartResult, WakeReason};

use crate::ToWire;

/// A JSON string for an enum value.
pub(crate) type Word = &'static str;

/// Maps each value of an enum to its JSON string.
macro_rules! words {
    ($($name:ident { $($variant:ident = $word:literal,)+ })+) => {$(
        impl ToWire for $name {
            type Wire = Word;

            fn to_wire(&self) -> Word {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    )+};
}

impl ToWire for SkillReason {
    type Wire = Word;

    fn to_wire(&self) -> Word {
        match self {
            Self::Explicit => "explicit",
            Self::Inherited(_) => "inherited",
            Self::Rule { origin, .. } => match origin {
                RuleOrigin::User => "user_rule",
                RuleOrigin::BuiltIn => "built_in_rule",
            },
            Self::Role(_) => "role",
            Self::Nothing => "nothing",
        }
    }
}

words! {
    TeamRole {
        Viewer = "viewer",
        Member = "member",
        Lead = "lead",
    }
    AgentStatus {
        Busy = "busy",
        Idle = "idle",
        Blocked = "blocked",
        Complete = "complete",
        Failed = "failed",
        Archived = "archived",
    }
    ExportState {
        Written = "written",
        Unchanged = "unchanged",
    }
    FileState {
        Created = "created",
        Changed = "changed",
        Unchanged = "unchanged",
        Deleted = "deleted",
        Absent = "absent",
        Shared = "shared",
        Kept = "kept",
        Foreign = "foreign",
        Present = "present",
        Outdated = "outdated",
        Missing = "missing",
    }
    FoundKind {
        Message = "message",
        Note = "note",
        Result = "result",
        Reason = "reason",
    }
    HealthState {
        Well = "well",
        Unsure = "unsure",
        Wrong = "wrong",
    }
    MessageKind {
        Say = "say",
        Ask = "ask",
        Answer = "answer",
    }
    Outcome {
        Ok = "ok",
        Fail = "fail",
        Skip = "skip",
        Iterate = "iterate",
    }
    Detail {
        Pointer = "pointer",
        Digest = "digest",
        Full = "full",
    }
    Part {
        Identity = "identity",
        Recovery = "recovery",
        Skill = "skill",
        Plan = "plan",
        Tasks = "tasks",
        Position = "position",
        Step = "step",
        Learnt = "learnt",
        Activity = "activity",
        Questions = "questions",
        Messages = "messages",
        Rest = "rest",
        NextAction = "next action",
    }
    PartResult {
        Whole = "whole",
        Cut = "cut",
        LeftOut = "left out",
        Empty = "empty",
        Known = "already known",
        PartlyKnown = "partly known",
        Unwanted = "not in the template",
    }
    ProblemSeverity {
        Error = "error",
        Warning = "warning",
    }
    RunStatus {
        Active = "active",
        Waiting = "waiting",
        Paused = "paused",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
    SetupAction {
        Setup = "setup",
        Check = "check",
        Remove = "remove",
    }
    Severity {
        Must = "must",
        Should = "should",
        Could = "could",
    }
    TaskState {
        Done = "done",
        Skipped = "skipped",
        Blocked = "blocked",
        Active = "active",
        Failed = "failed",
        Pending = "pending",
    }
    TimelineKind {
        Started = "started",
        Entered = "entered",
        Asked = "asked",
        Dispatched = "dispatched",
        Judged = "judged",
        RisksAccepted = "risks_accepted",
        Escalated = "escalated",
        Took = "took",
        Closed = "closed",
        LetGo = "let_go",
        Noted = "noted",
        Ended = "ended",
        Completed = "completed",
        Paused = "paused",
        Resumed = "resumed",
        Cancelled = "cancelled",
        Rewound = "rewound",
        Upgraded = "upgraded",
        Added = "added",
        Done = "done",
        Skipped = "skipped",
        Failed = "failed",
        Blocked = "blocked",
        Reopened = "reopened",
        Retitled = "retitled",
        Skill = "skill",
        Planned = "planned",
        Unplanned = "unplanned",
        Moved = "moved",
        Waits = "waits",
        WaitsNoMore = "waits_no_more",
        OrderWaived = "order_waived",
        Assigned = "assigned",
        SkillUsed = "skill_used",
        Removed = "removed",
        Restored = "restored",
    }
    WakeReason {
        Startup = "startup",
        Resume = "resume",
        Clear = "clear",
        Compact = "compact",
        Mention = "mention",
        Event = "event",
        Subagent = "subagent",
    }
}
