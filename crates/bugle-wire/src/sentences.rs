//! Facts that `--json` prints as sentences.

use bugle_core::plan::PlanNote;
use bugle_core::reply::{ImportNotice, PlanNotice, SideEffect, SkillNotice, TaskNotice};
use bugle_render::{notice_text, plan, task_text};

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
    ImportNotice => notice_text::import,
    PlanNote => plan::note,
    PlanNotice => notice_text::plan,
    SideEffect => task_text::side_effect,
    SkillNotice => notice_text::skill,
    TaskNotice => notice_text::task,
}
