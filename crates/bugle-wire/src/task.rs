//! Tasks: a tree, one task in detail, and the result of a command.

use bugle_core::interface::Interface;
use bugle_core::reply;
use bugle_render::{command_text, task_text};

use crate::ToWire;
use crate::run::TimelineEntry;
use crate::words::Word;

shapes! {
    TaskView {
        id: String,
        number: Option<String>,
        title: String,
        label: String,
        state: Word,
        ready_to_close: bool,
        reason: Option<String>,
        agent: Option<String>,
        skill: Option<String>,
        run: Option<String>,
        retries: u32,
        children: u32,
        open_children: u32,
        waits_for: Vec<String>,
        comes_after: Vec<String>,
        removed: bool,
    }
    TaskName {
        id: String,
        label: String = reply::TaskName::label,
    }
    TaskTree {
        tasks: Vec<TaskLine>,
        more: bool,
        position: Option<TaskPosition>,
    }
    TaskLine {
        depth: u32,
        current: bool,
        #[serde(flatten)]
        task: TaskView,
    }
    TaskPosition {
        task: TaskView,
        above: Vec<TaskName>,
        sentence: String = task_text::position,
        skill: SkillChoiceView,
        plan: Option<PlanName>,
        commands: Vec<CommandView>,
        notices: Vec<String>,
    }
    NextView {
        position: Option<TaskPosition> = |next: &reply::NextView| next.position().map(ToWire::to_wire),
        message: String = task_text::no_position,
    }
    CommandView {
        does: String = |command: &reply::CommandView| command_text::purpose(&command.purpose),
        command: String,
    }
    SkillChoiceView {
        task: TaskName,
        skill: Option<String>,
        because: String = |choice: &reply::SkillChoiceView| {
            task_text::because(&choice.reason, choice.skill.is_some())
        },
        reason: Word,
        reminders: Vec<ReminderView>,
        pinned: Option<PinView>,
        installed: Option<String>,
        notices: Vec<String>,
        sections: Vec<SectionView>,
        history: Vec<PinView>,
    }
    ReminderView {
        line: String,
        skill: String,
    }
    PinView {
        skill: String,
        hash: String,
        version: Option<String>,
        source: Option<String>,
    }
    SectionView {
        title: String,
        score: u32,
        needed: bool,
        characters: usize,
        digest_characters: usize,
    }
    TaskDetail {
        task: TaskView,
        above: Vec<TaskName>,
        sentence: String = |view: &reply::TaskDetail| {
            task_text::position_sentence(&view.task, &view.above, &view.place)
        },
        skill: SkillChoiceView,
        waits_for: Vec<TaskName> = |view: &reply::TaskDetail| view.place.waits_for.to_wire(),
        comes_after: Vec<TaskName> = |view: &reply::TaskDetail| view.place.comes_after.to_wire(),
        needed_by: Vec<TaskName>,
        notes: Vec<NoteView>,
        earlier_notes: usize,
        runs: Vec<TaskRun>,
        inside: Vec<TaskLine>,
        plan: Option<PlanName>,
        text: Option<PlanText>,
        constraints: Vec<String>,
        history: Vec<TimelineEntry>,
        commands: Vec<CommandView>,
        notices: Vec<String>,
    }
    TaskRun {
        run: String,
        skill: String,
        status: Word,
    }
    NoteView {
        at: i64,
        by: String,
        person: Option<String>,
        text: String,
    }
    TasksChanged {
        message: String = |view: &reply::TasksChanged| task_text::outcomes(&view.outcomes, Interface::Shell),
        tasks: Vec<TaskView>,
        also: Vec<String>,
        next: Option<TaskPosition>,
    }
    ReadyList {
        tasks: Vec<TaskView>,
        more: bool,
        elsewhere: bool,
    }
    PlanName {
        id: String,
        file: String,
        title: String,
    }
    PlanText {
        file: String,
        line: usize,
        text: String,
    }
}
