//! Facts that `--json` prints as sentences.

use bugle_core::plan::PlanNote;
use bugle_core::reply::{
    AgentHost, Author, ImportNotice, PlanNotice, RunNotice, SetupNote, SideEffect, SkillNotice,
    SupervisorNotice, TaskNotice, WakeNotice,
};
use bugle_render::{agent, author_text, notice_text, plan, setup, spawn, task_text, wake};

use crate::ToWire;

macro_rules! sentences {
    ($($fact:ty => $text:path,)+) => {$(
        impl ToWire for $fact {
            type Wire = String;

            fn to_wire(&self) -> String {
                $text(self)
            }
        }
    )+};
}

sentences! {
    AgentHost => agent::host,
    Author => author_text::author,
    ImportNotice => notice_text::import,
    PlanNote => plan::note,
    PlanNotice => notice_text::plan,
    RunNotice => notice_text::run,
    SetupNote => setup::note,
    SideEffect => task_text::side_effect,
    SkillNotice => notice_text::skill,
    SupervisorNotice => spawn::supervisor_notice,
    TaskNotice => notice_text::task,
    WakeNotice => wake::notice,
}
